"""Checks that an engine distinguishes what DuckDB does, and behaves as queries expect.

Texts that look alike to a reader differ, and so do NULL and the empty text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from anonduck.errors import SourceError
from anonduck.statements import statement, translated

TEXTS = ("a", "A", "a ", " a", "", "\u00e9", "e\u0301", "\u00e4", "\u00c4", "ss", "\u00df", "a\u200d", "\uff41")
"""Texts that a collation may treat as equal: by case, blanks, Unicode form, accents, unprintable characters, width."""


def check_texts(counts: Sequence[tuple[str | None, int]], title: str) -> None:
    """Raise SourceError unless each of TEXTS, once, and NULL, twice, is a group of its own.

    Args:
        counts: the engine's groups, with their numbers of records.
        title: the engine's name in messages.
    """
    wanted: dict[str | None, int] = {**dict.fromkeys(TEXTS, 1), None: 2}
    if len(counts) != len(wanted) or dict(counts) != wanted:
        raise SourceError(
            f"{title} takes texts for equal that differ, by case, blanks, accents or Unicode form, so that no k "
            "counted there would be that of the records; use a binary collation as its default"
        )


def behaviour_query(dialect: str) -> str:
    """The query of what engines must share with DuckDB to read a source, in a dialect."""
    return translated(statement("database/engine_behaviour.sql"), dialect)


def check_behaviour(rows: Iterable[Sequence[object]], version: Callable[[], str]) -> None:
    """Raise SourceError if an engine's value differs from the expected one in a row of ``behaviour_query``.

    ``version`` returns the engine's name and version, for the error.
    """
    differing = [str(behaviour) for behaviour, value, expected in rows if value != expected]
    if differing:
        raise SourceError(
            f"{version()} does not do what is counted on: {'; '.join(differing)}. No figure that "
            "rests on it would be right, so nothing is read there; export the table and name the file as `source`"
        )
