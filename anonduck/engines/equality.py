"""What DuckDB tells apart, and an engine must: texts that look alike to a reader, and NULL beside the empty text.

And what queries take for granted of an engine, as they do of DuckDB.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anonduck.errors import SourceError
from anonduck.statements.builder_behaviour import EXPECTED, question

EVERYWHERE = tuple(one for one in EXPECTED if one.everywhere)
"""The behaviours that engines which read a source must have too."""

TEXTS = ("a", "A", "a ", " a", "", "\u00e9", "e\u0301", "\u00e4", "\u00c4", "ss", "\u00df", "a\u200d", "\uff41")
"""Texts that a collation may take for equal: by case, blanks, Unicode form, accents, what is not printed, width."""


def check_texts(counts: Sequence[tuple[str | None, int]], title: str) -> None:
    """Raise SourceError unless each of TEXTS, once, and NULL, twice, is a group of its own.

    Args:
        counts: what the engine grouped them to, with the numbers of records.
        title: what messages call the engine.
    """
    wanted: dict[str | None, int] = {**dict.fromkeys(TEXTS, 1), None: 2}
    if len(counts) != len(wanted) or dict(counts) != wanted:
        raise SourceError(
            f"{title} takes texts for equal that differ, by case, blanks, accents or Unicode form, so that no k "
            "counted there would be that of the records; use a binary collation as its default"
        )


def behaviour_query(dialect: str) -> str:
    """A query of one row with a truth value for each behaviour of EVERYWHERE, in a dialect."""
    return question(EVERYWHERE, dialect).sql


def check_behaviour(answers: Sequence[object], version: Callable[[], str]) -> None:
    """Raise SourceError unless an engine's ``answers`` to ``behaviour_query`` are all True.

    Args:
        answers: truth values in the order of EVERYWHERE.
        version: returns the engine's name and version, which the error names beside what differs.
    """
    differing = [one for one, answer in zip(EVERYWHERE, answers, strict=True) if answer is not True]
    if differing:
        raise SourceError(
            f"{version()} does not do what is counted on: {'; '.join(one.words for one in differing)}. No figure that "
            "rests on it would be right, so nothing is read there; export the table and name the file as `source`"
        )
