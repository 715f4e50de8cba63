"""Columns that are kept as they are: how many records a rare value, or a unique combination of all columns, singles
out.

No requirement on equivalence classes bounds this, because k counts records with equal quasi-identifiers only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from anonduck.words import counted, listed_names

KEPT_RARE = "kept_rare"
LEAST = 2
"""The fewest holders that a value needs, whatever k is required or reached."""

MOST_NAMED = 3
UNMEASURED = "kept columns: not measured, because nothing was written and their records stay in the engine"


@dataclass(frozen=True)
class GroupSizes:
    """How many values of a column, or combinations of columns, have how many holders: rows of (holders, values,
    records).

    A holder is a record, or a person.
    """

    sizes: Sequence[tuple[int, int, int]] = ()

    @property
    def values(self) -> int:
        """The number of distinct values; NULL is one."""
        return sum(values for _, values, _ in self.sizes)

    def held_by_fewer(self, than: int) -> int:
        """The number of records whose value has fewer than ``than`` holders."""
        return sum(records for holders, _, records in self.sizes if holders < than)


@dataclass(frozen=True)
class KeptSizes:
    """The sizes of each kept column's value groups, and of the combinations of all columns; empty if
    nothing is kept.
    """

    columns: Mapping[str, GroupSizes] = field(default_factory=dict)
    together: GroupSizes = GroupSizes()

    @classmethod
    def of(cls, kept: Sequence[str], rows: Iterable[tuple[int, int, int, int]]) -> KeptSizes:
        """The sizes from the rows of ``anonduck.engines.group_sizes``."""
        from anonduck.engines.group_sizes import ALL_COLUMNS

        found: dict[int, list[tuple[int, int, int]]] = {}
        for place, *size in rows:
            found.setdefault(int(place), []).append((int(size[0]), int(size[1]), int(size[2])))
        columns = {name: GroupSizes(tuple(found.get(place, ()))) for place, name in enumerate(kept)}
        return cls(columns, GroupSizes(tuple(found.get(ALL_COLUMNS, found.get(0, [])))))

    def figures(self, k: int, *, persons: bool = False, at_most: int = 1) -> KeptColumns:
        """The figures for values that need ``k`` holders, at least two.

        ``persons`` says that holders are persons; otherwise one person may have ``at_most`` records.
        """
        under = max(k, LEAST)
        rare = {name: sizes.held_by_fewer(under) for name, sizes in self.columns.items()}
        one_person = self.together.held_by_fewer(at_most + 1) if at_most > 1 and not persons else None
        unique = self.together.held_by_fewer(2) if rare else None
        return KeptColumns(rare, under, unique, one_person if rare else None, persons)


@dataclass(frozen=True)
class KeptColumns:
    """For each kept column, the records whose value fewer than ``under`` records hold; and the unique records.

    ``unique`` counts the records that differ from all others in the combination of all columns, None if nothing is
    kept. With ``persons``, both count holders by person. ``one_person`` counts the records that may all be of one
    person, if the file has no key of persons and one may have several records.
    """

    rare: Mapping[str, int] = field(default_factory=dict)
    under: int = LEAST
    unique: int | None = None
    one_person: int | None = None
    persons: bool = False

    @property
    def most(self) -> int:
        """The largest figure of a column; 0 if none is kept."""
        return max(self.rare.values(), default=0)

    def as_json(self) -> dict[str, Any]:
        """The keys of a report and of a receipt; holders are persons if the document has an entity's column."""
        return {
            "kept": {name: {"rare": records} for name, records in self.rare.items()},
            "rare_under": self.under,
            "unique_with_kept": self.unique,
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> KeptColumns | None:
        """The figures of a receipt; None if they were not measured."""
        if document.get("kept") is None:
            return None
        rare = {name: one["rare"] for name, one in document["kept"].items()}
        return cls(rare, document["rare_under"], document["unique_with_kept"])

    @property
    def lines(self) -> list[str]:
        """Warnings, as sentences without a stop and without values; empty if every figure is 0."""
        return [*self._rare(), *self._unique()]

    def _rare(self) -> Iterator[str]:
        found = sorted(((name, n) for name, n in self.rare.items() if n), key=lambda one: -one[1])
        holders = f"fewer than {self.under:,} {'persons' if self.persons else 'records'} hold"
        for name, records in found[:MOST_NAMED]:
            yield f"kept column {name!r}: {counted(records, 'record holds', 'records hold')} a value that {holders}"
        if len(found) > MOST_NAMED:
            others = counted(len(found) - MOST_NAMED, "more kept column", "more kept columns")
            yield f"{others}: up to {counted(found[MOST_NAMED][1], 'record', 'records')} with such a value"

    def _unique(self) -> Iterator[str]:
        if self.unique:
            records = counted(self.unique, "record is", "records are")
            alone = "unique to a person: nobody else" if self.persons else "unique: no other record"
            kept = f"; of these, {listed_names(self.rare)} are kept as they are" if len(self.rare) > 1 else ""
            kept = kept or "".join(f"; of these, {name} is kept as it is" for name in self.rare)
            yield f"{records} {alone} has the same values in all columns{kept}"


def kept_lines(receipt: Mapping[str, Any]) -> list[str]:
    """The warnings from a receipt."""
    found = KeptColumns.from_json(receipt)
    return [UNMEASURED] if found is None else found.lines


def ways_out(column: str, records: int) -> str:
    """What to do if too many records hold a rare value of a column: three options, as a sentence."""
    return (
        f"Give {column!r} a taxonomy as a quasi-identifier, so that rare values are generalized; or require `l` of it "
        "as a sensitive column, so that a class does not reveal whose a value is, in place of `kept_rare`; or accept "
        f"the number in the config, as `requirement: {{kept_rare: {records}}}`"
    )


def worst_column(rare: Mapping[str, int]) -> str:
    """The kept column with the largest figure, the first of ties."""
    return max(rare, key=lambda name: rare[name])
