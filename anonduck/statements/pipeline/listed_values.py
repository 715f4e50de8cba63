"""What a release shows of the values of a source, as its text lists them: all are texts, as DuckDB writes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anonduck.statements.column_types import TEXT


@dataclass(frozen=True)
class ListedValues:
    """What each of the values of a column shows: rows of a value and what is shown, that of NULL among them or not.

    ``kind`` is the type of the values, ``shown_kind`` of what is shown. ``otherwise`` is shown in the place of a value
    that is not listed; where it is None such a value stops the statement, with ``words``.
    """

    name: str
    kind: str
    rows: tuple[tuple[str | None, str | None], ...]
    shown_kind: str = TEXT
    otherwise: str | None = None
    words: str = "a value that its taxonomy does not know"

    @property
    def itself(self) -> bool:
        """Whether each value shows itself."""
        return self.kind == self.shown_kind and all(value == shown for value, shown in self.rows)

    @property
    def values(self) -> list[tuple[str, str | None]]:
        """The rows but that of NULL."""
        return [(value, shown) for value, shown in self.rows if value is not None]


@dataclass(frozen=True)
class ListedIntervals:
    """The label of each interval of a column, by its lower bound as text, in their order; the first has none."""

    name: str
    kind: str
    bounds: tuple[tuple[str | None, str], ...]


@dataclass(frozen=True)
class ListedCombinations:
    """What each combination of values of some columns shows: rows of these and of what is shown, as texts.

    ``shown`` are the columns that show something, and whether that is their own value. A combination that is not listed
    stops the statement, with ``words``.
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    shown: tuple[tuple[str, bool], ...]
    rows: Sequence[tuple[str | None, ...]]
    words: str = "a combination of quasi-identifiers that the release was not made of"


Listed = ListedValues | ListedIntervals | ListedCombinations
