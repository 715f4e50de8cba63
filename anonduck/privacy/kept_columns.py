"""Columns that are kept as they are: how many records a rare value of theirs singles out, or all columns together.

No requirement on equivalence classes bounds this: k counts the records that share quasi-identifiers alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from anonduck.words import counted

KEPT_RARE = "kept_rare"
LEAST = 2
"""Fewer than so many holders are never enough, whatever k is required or reached."""

MOST_NAMED = 3
UNMEASURED = "kept columns: not measured, because nothing was written and their records stay in the engine"


@dataclass(frozen=True)
class GroupSizes:
    """How many values of a column, or combinations of columns, have so many holders: rows of holders, values, records.

    A holder is a record, or a person.
    """

    sizes: Sequence[tuple[int, int, int]] = ()

    @property
    def values(self) -> int:
        """How many values there are; NULL is one."""
        return sum(values for _, values, _ in self.sizes)

    def held_by_fewer(self, than: int) -> int:
        """How many records have a value with fewer holders."""
        return sum(records for holders, _, records in self.sizes if holders < than)


@dataclass(frozen=True)
class KeptSizes:
    """The sizes of each kept column's values, and of the combinations of all columns; none where nothing is kept."""

    columns: Mapping[str, GroupSizes] = field(default_factory=dict)
    together: GroupSizes = GroupSizes()

    @classmethod
    def of(cls, kept: Sequence[str], rows: Iterable[tuple[int, int, int, int]]) -> KeptSizes:
        """The sizes from the rows of ``anonduck.statements.builder_kept``."""
        from anonduck.statements.builder_kept import ALL_COLUMNS

        found: dict[int, list[tuple[int, int, int]]] = {}
        for place, *size in rows:
            found.setdefault(int(place), []).append((int(size[0]), int(size[1]), int(size[2])))
        columns = {name: GroupSizes(tuple(found.get(place, ()))) for place, name in enumerate(kept)}
        return cls(columns, GroupSizes(tuple(found.get(ALL_COLUMNS, found.get(0, [])))))

    def figures(self, k: int, *, persons: bool = False, at_most: int = 1) -> KeptColumns:
        """What they come to where a value needs ``k`` holders, two at least.

        ``persons`` says that holders are persons; else one person may have ``at_most`` records.
        """
        under = max(k, LEAST)
        rare = {name: sizes.held_by_fewer(under) for name, sizes in self.columns.items()}
        one_person = self.together.held_by_fewer(at_most + 1) if at_most > 1 and not persons else None
        unique = self.together.held_by_fewer(2) if rare else None
        return KeptColumns(rare, under, unique, one_person if rare else None, persons)


@dataclass(frozen=True)
class KeptColumns:
    """By kept column the records whose value fewer than ``under`` records hold, and those that are unique.

    ``unique`` are the records that no other is like in all columns together, None where nothing is kept. With
    ``persons`` both count holders by person. ``one_person`` are the records that may be of one person alone, where the
    file does not tell persons apart and one may have several records.
    """

    rare: Mapping[str, int] = field(default_factory=dict)
    under: int = LEAST
    unique: int | None = None
    one_person: int | None = None
    persons: bool = False

    @property
    def most(self) -> int:
        """The largest figure of a column; 0 where none is kept."""
        return max(self.rare.values(), default=0)

    def as_json(self) -> dict[str, Any]:
        """The keys of a report and of a receipt; a holder is a person where the document has an entity's column."""
        return {
            "kept": {name: {"rare": records} for name, records in self.rare.items()},
            "rare_under": self.under,
            "unique_with_kept": self.unique,
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> KeptColumns | None:
        """What a receipt tells; None where that was not measured."""
        if document.get("kept") is None:
            return None
        rare = {name: one["rare"] for name, one in document["kept"].items()}
        return cls(rare, document["rare_under"], document["unique_with_kept"])

    @property
    def lines(self) -> list[str]:
        """What a person should know, a few sentences without a stop, none where every figure is 0; no values."""
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
            yield f"{records} {alone} has the same values in all columns"


def kept_lines(receipt: Mapping[str, Any]) -> list[str]:
    """What a receipt tells of kept columns, in sentences without a stop; one of an older version tells nothing."""
    if "kept" not in receipt:
        return []
    found = KeptColumns.from_json(receipt)
    return [UNMEASURED] if found is None else found.lines


def ways_out(column: str, records: int) -> str:
    """What to do where more records than required hold a rare value of a column: three ways, as a sentence."""
    return (
        f"Give {column!r} a taxonomy as a quasi-identifier, so that rare values are generalized; or require `l` of it "
        "as a sensitive column, so that a class does not tell whose a value is, in place of `kept_rare`; or accept the "
        f"number in the config, as `requirement: {{kept_rare: {records}}}`"
    )


def worst_column(rare: Mapping[str, int]) -> str:
    """The kept column with the largest figure, the first of those alike."""
    return max(rare, key=lambda name: rare[name])
