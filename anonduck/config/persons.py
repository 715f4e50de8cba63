"""What a k of persons is in records, if a person may have several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from anonduck.words import counted


def records_for(persons: int, most: int) -> int:
    """The fewest records that always belong to at least so many persons, if nobody has more than ``most``.

    >>> records_for(5, 5), records_for(5, 1), records_for(1, 9)
    (21, 5, 1)
    """
    return (persons - 1) * most + 1


def persons_in(records: int, most: int) -> int:
    """The fewest persons that so many records can belong to, if nobody has more than ``most``.

    >>> persons_in(21, 5), persons_in(20, 5), persons_in(5, 1)
    (5, 4, 5)
    """
    return -(-records // most)


@dataclass(frozen=True)
class PersonCounts:
    """What a k of persons is in records.

    Args:
        k: the persons that a class needs.
        records: the records in which there are always so many persons.
        at_most: the records that one person has at most.
        left_out: records that are not used, because their persons have more than ``at_most``.
        by_records: names of the other requirements, which count records.
        linked_k: the persons who must have all of their rows in common, if that is required.
        unique_with_kept: records of a release that may belong to a single person, if kept columns are known too.
    """

    k: int
    records: int
    at_most: int
    left_out: int = 0
    by_records: tuple[str, ...] = ()
    linked_k: int | None = None
    unique_with_kept: int | None = None

    def as_json(self) -> dict[str, Any]:
        """The entry of a receipt or a discovery; it names no column."""
        return {
            "k": self.k,
            "records": self.records,
            "at_most": self.at_most,
            "left_out": self.left_out,
            "by_records": list(self.by_records),
            **({} if self.linked_k is None else {"linked_k": self.linked_k}),
            **({} if self.unique_with_kept is None else {"unique_with_kept": self.unique_with_kept}),
        }

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> PersonCounts:
        """Read what ``as_json`` wrote."""
        return cls(**{**document, "by_records": tuple(document["by_records"])})

    @property
    def lines(self) -> list[str]:
        """The same as sentences, without a full stop."""
        return [*self._classes(), *self._unused(), *self._others(), *self._alone()]

    def _classes(self) -> Iterator[str]:
        persons, records = counted(self.k, "person", "persons"), counted(self.records, "record", "records")
        yield f"k = {persons}: at least {records}, because one person has up to {self.at_most:,}"

    def _unused(self) -> Iterator[str]:
        if self.left_out:
            records = counted(self.left_out, "record is", "records are")
            yield f"{records} not used, of persons who have more than {self.at_most:,}"

    def _others(self) -> Iterator[str]:
        if self.by_records and self.at_most > 1:
            names, verb = ", ".join(self.by_records), "counts" if len(self.by_records) == 1 else "count"
            yield f"{names} {verb} records, of which one person may have several in a class"
        if self.linked_k is not None:
            yield (
                f"linked_k >= {self.linked_k:,} is judged of each release by the keys of the source; no search and no "
                "text of SQL judges it"
            )

    def _alone(self) -> Iterator[str]:
        if self.unique_with_kept:
            records = counted(self.unique_with_kept, "record", "records")
            yield (
                f"{records} may point to a single person: no more than {self.at_most:,} records share all their "
                f"values, kept columns included, and one person may have {self.at_most:,}"
            )
