"""The dependency that a release shows: how often two records that look alike differ in the class.

It follows from the released records alone, and is counted by equivalence classes: of n records that look alike,
n (n - 1) / 2 pairs do, and those differ in the class that are not alike in it too. No pair of records is joined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from anonduck.database.connection import Database
from anonduck.release.recoder import GROUPED
from anonduck.rules.dependency import percent
from anonduck.rules.rounding import DIGITS
from anonduck.statements import builder_grouped, statement
from anonduck.statements.column_types import is_nested
from anonduck.statements.pipeline.builder_frequency import value_column

ALIKE = "alike_records"


@dataclass(frozen=True)
class ShownDependency:
    """Pairs of released records: ``alike`` are equal in all quasi-identifiers that the release has, ``differing`` of
    these differ in the class; ``records`` are all records."""

    names: tuple[str, ...]
    class_: str
    records: int
    alike: int
    differing: int

    @property
    def share(self) -> float:
        """The share of the pairs alike that differ in the class; 0 where there are none."""
        return self.differing / self.alike if self.alike else 0.0

    @property
    def g1(self) -> float:
        """The share of all pairs that are alike and differ in the class (Kivinen and Mannila 1995)."""
        pairs = self.records * (self.records - 1) // 2
        return self.differing / pairs if pairs else 0.0

    @property
    def words(self) -> str:
        """The dependency in a sentence."""
        if not self.alike:
            return "no two records look alike, so that nothing is said of their class"
        alike = ", ".join(self.names[:-1]) + (" and " if len(self.names) > 1 else "") + self.names[-1]
        return (
            f"two records that look alike in {alike} differ in {self.class_} in {percent(self.share)} of such pairs, "
            f"which are {percent(self.g1)} of all pairs of records"
        )

    def as_json(self) -> dict[str, Any]:
        """The field ``dependency`` of a data dictionary."""
        return {
            "columns": list(self.names),
            "class": self.class_,
            "pairs_alike": self.alike,
            "pairs_differing": self.differing,
            "share": round(self.share, DIGITS),
            "g1": round(self.g1, DIGITS),
            "words": self.words,
        }


def shown_dependency(database: Database, names: Sequence[str], class_: str) -> ShownDependency | None:
    """The dependency of the grouped release; None where it does not hold the class as single values.

    ``names`` are the quasi-identifiers that the release has.
    """
    types = database.types_of(GROUPED)
    held = [name for name in names if value_column(name) in types]
    kind = types.get(value_column(class_))
    if not held or kind is None or is_nested(kind):
        return None
    records, alike = _pairs(database, held)
    _, equal = _pairs(database, [*held, class_])
    return ShownDependency(tuple(held), class_, records, alike, alike - equal)


def _pairs(database: Database, names: Sequence[str]) -> tuple[int, int]:
    """All records, and the pairs of them that are equal in some columns."""
    columns = [value_column(name) for name in names]
    database.run(builder_grouped.grouped(ALIKE, columns, counted=GROUPED))
    try:
        records, pairs = database.row(statement("release/alike_pairs.sql", table={"groups": ALIKE}))
    finally:
        database.drop(("temp", ALIKE))
    return int(records), int(pairs)
