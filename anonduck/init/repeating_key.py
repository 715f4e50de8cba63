"""The key of persons who have several records, and what that means for k, which counts persons where it is named."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from anonduck.config.entity import records_for
from anonduck.config.requirement import DEFAULT_K
from anonduck.init.profile import ColumnProfile
from anonduck.init.proposal import Proposal, repeating_key
from anonduck.source.engine import SourceEngine
from anonduck.words import counted

FEWER = 2
"""The records of each person that are offered to be used, where some have more."""


@dataclass(frozen=True)
class RepeatingKey:
    """A column that names persons (``values`` of them) in ``records``, ``most`` of which one person has.

    ``nameless`` records have no value: they are in the way of an entity. ``asked``: a person named the column.
    ``bounded``: fewer records of each person can be used (`at_most`), as DuckDB reads the source.
    """

    column: str
    values: int
    records: int
    most: int
    nameless: int = 0
    asked: bool = False
    bounded: bool = True

    @property
    def sure(self) -> int:
        """The records of which a class is sure to hold as many persons as the default k asks for."""
        return records_for(DEFAULT_K, self.most)

    @property
    def proposed(self) -> bool:
        """Whether the config names it as the entity."""
        return self.asked or not self.nameless

    @property
    def lines(self) -> tuple[str, ...]:
        """What it means, in sentences."""
        return tuple(self._lines())

    def as_json(self) -> dict[str, Any]:
        """What ``anonduck init --json`` prints."""
        return {
            "column": self.column,
            "values": self.values,
            "records": self.records,
            "most": self.most,
            "nameless": self.nameless,
            "sure_k": self.sure,
            "proposed": self.proposed,
            "lines": list(self.lines),
        }

    def _lines(self) -> Iterator[str]:
        what = "is the entity" if self.asked else "looks like an entity, a person with several records"
        yield (
            f"{self.column!r} {what}: {counted(self.values, 'value', 'values')} in "
            f"{counted(self.records, 'record', 'records')}, up to {self.most:,} of one"
        )
        if self.nameless:
            lacks = "NULL stands there in " + counted(self.nameless, "record", "records")
            then = "Name it once each record has its person, or `where` leaves those out"
            yield f"{lacks}, and nobody can tell whose they are. {then}"
        yield (
            f"As `entity` it lets k count persons: {DEFAULT_K} persons are sure to be in a class of "
            f"{counted(self.sure, 'record', 'records')}"
        )
        if self.most > FEWER and self.bounded:
            yield (
                f"With `at_most: {FEWER}` beside it no more than {FEWER} records of each person are used, and classes "
                f"of {records_for(DEFAULT_K, FEWER)} records do"
            )


def repeating_key_of(
    engine: SourceEngine, proposal: Proposal, entity: str | None = None, *, bounded: bool = True
) -> RepeatingKey | None:
    """The key of persons among the proposed identifiers that has several records, or None; one more scan.

    It is the column ``entity``, where a person names one. ``bounded`` tells whether fewer records of each person can be
    used, as DuckDB reads the source.
    """
    column = repeating_key(proposal) if entity is None else _named(proposal, entity)
    if column is None:
        return None
    most, _, nameless = engine.entity_sizes(column.name, None)
    return RepeatingKey(column.name, column.distinct, column.filled, most, nameless, entity is not None, bounded)


def _named(proposal: Proposal, entity: str) -> ColumnProfile:
    return next(one.profile for one in proposal.columns if one.profile.name == entity)
