"""What was read of stored tables, kept until a statement writes to one of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

MOST_VALUES = 1 << 18
"""Answers of more values are asked for again, as they would take memory for as long as a job lasts."""

_NAME = r'(?:"(?:[^"]|"")*"|[\w#@$]+)'
_WORD = re.compile(_NAME)
_CHANGES_NOTHING = re.compile(
    r'\s*(?:SELECT|WITH|FROM|DESCRIBE|BEGIN|COMMIT|COPY \(|SET "(?:threads|memory_limit|temp_directory)")',
    re.IGNORECASE,
)
_WRITES = re.compile(
    r"\s*(?:CREATE (?:OR REPLACE )?(?:TEMP(?:ORARY)? )?(?:TABLE|VIEW|SCHEMA)(?: IF NOT EXISTS)?|"
    r"INSERT (?:OR REPLACE )?INTO|DELETE FROM|UPDATE|DROP (?:TABLE|VIEW)(?: IF EXISTS)?|ALTER TABLE) "
    rf"({_NAME}(?:\.{_NAME})*)",
    re.IGNORECASE,
)
_RENAMED = re.compile(rf"ALTER TABLE .*\sRENAME TO ({_NAME})", re.IGNORECASE | re.DOTALL)


class Answers:
    """Answers by their question: its text and what is bound.

    A statement that writes to a table, view or schema ends the answers whose question has the name of one of these,
    wherever it stands. All of them end with a statement of which this cannot tell what it writes.
    """

    def __init__(self) -> None:
        self._kept: dict[Hashable, tuple[frozenset[str], Any]] = {}

    def of(self, sql: str, bound: Mapping[str, Any], how: str, ask: Callable[[], Any]) -> Any:
        """The answer to a question of stored tables, asked where it is not known."""
        key = (sql, how, repr(sorted(bound.items())))
        if key in self._kept:
            return self._kept[key][1]
        found = ask()
        if _values(found) <= MOST_VALUES:
            self._kept[key] = words_of([sql, *_texts(bound.values())]), found
        return found

    def heed(self, sql: str) -> None:
        """End the answers that a statement may change."""
        if not self._kept or _CHANGES_NOTHING.match(sql):
            return
        written = written_by(sql)
        if written is None:
            self.end()
        else:
            self.end_of(written)

    def end_of(self, written: frozenset[str]) -> None:
        """End the answers to questions with one of some names."""
        self._kept = {key: kept for key, kept in self._kept.items() if kept[0].isdisjoint(written)}

    def end(self) -> None:
        """End all answers."""
        self._kept.clear()


def _values(found: Any) -> int:
    return sum(map(len, found.values() if isinstance(found, dict) else found))


def written_by(sql: str) -> frozenset[str] | None:
    """The names of what a statement writes to, in small letters; None if it cannot be told.

    >>> sorted(written_by('CREATE OR REPLACE TABLE "taxonomy"."Age" AS SELECT 1')), written_by("USE other")
    (['age', 'taxonomy'], None)
    """
    found, renamed = _WRITES.match(sql), _RENAMED.match(sql)
    return None if found is None else words_of([found[1], *(renamed.groups() if renamed else ())])


def words_of(texts: Iterable[str]) -> frozenset[str]:
    """The names and other words of texts of SQL, in small letters, as DuckDB compares names."""
    return frozenset(_plain(word) for text in texts for word in _WORD.findall(text))


def _plain(word: str) -> str:
    return (word[1:-1].replace('""', '"') if word.startswith('"') else word).lower()


def _texts(values: Iterable[Any]) -> Iterable[str]:
    """What is bound as names, among it those in lists: quoted, as one name each."""
    for value in values:
        if isinstance(value, str):
            yield '"' + value.replace('"', '""') + '"'
        elif isinstance(value, (list, tuple)):
            yield from _texts(value)
