"""What DuckDB tells apart, and an engine must: texts that look alike to a reader, and NULL beside the empty text."""

from __future__ import annotations

from collections.abc import Sequence

from anonduck.errors import SourceError

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
