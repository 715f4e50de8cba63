"""What blocks a requirement: how many records are in classes that miss it, and the share to leave out that would do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import Any

from anonduck.database.connection import Database
from anonduck.measures.requirement import Requirement

FINEST = 1000  # a share is rounded up to a thousandth
MOST_OFFERED = 0.1
"""The largest share of the records that is offered to be left out."""
EVERY_RECORD = 1.0


@dataclass(frozen=True)
class Shortfall:
    """The records of a table that would have to be left out for a requirement.

    ``failing`` of ``records`` are in classes that fail ``required`` (what each class must meet, in words); ``k`` is
    given where that is k alone. ``left`` says what the records that stay would still miss, empty if nothing.
    """

    failing: int
    records: int
    required: str
    k: int | None = None
    left: tuple[str, ...] = ()

    @property
    def suppression(self) -> float | None:
        """The smallest round ``suppression`` that would do; None where none up to MOST_OFFERED does."""
        if self.left or not self.records or self.failing == self.records:
            return None
        share = round_share(self.failing, self.records)
        return share if share <= MOST_OFFERED else None

    @property
    def blocked(self) -> str:
        """How many records are in classes that fail."""
        failing = (
            f"under {self.k:,}"
            if self.k is not None
            else f"that {'fails' if self.failing == 1 else 'fail'} {self.required}"
        )
        where = "is in a class" if self.failing == 1 else "are in classes"
        return f"{self.failing:,} of {self.records:,} records {where} {failing}"

    @property
    def text(self) -> str:
        """What blocks, and the key of a config that would allow it."""
        return self._offering(lambda share: f"`suppression: {share:g}`")

    @property
    def in_release(self) -> str:
        """The same, with the argument of a release."""
        return self._offering(lambda share: f"`--require suppression={share:g}`")

    def _offering(self, offer: Callable[[float], str]) -> str:
        if self.left:
            still = ", ".join(self.left)
            return f"{self.blocked}; without them it would still miss {still}" if self.failing else still
        if self.suppression is None:
            return f"{self.blocked}, more than suppression should leave out"
        return f"{self.blocked}; {offer(self.suppression)} would do"

    def as_json(self) -> dict[str, Any]:
        """What ``release --dry-run --json`` prints."""
        return {
            "failing": self.failing,
            "records": self.records,
            "required": self.required,
            "left": list(self.left),
            "suppression": self.suppression,
        }


def round_share(part: int, records: int) -> float:
    """A part of the records as a share, rounded up to a thousandth.

    >>> round_share(12, 45_211)
    0.001
    """
    return ceil(Fraction(part * FINEST, records)) / FINEST


def shortfall(
    database: Database, table: str, attributes: Sequence[str], sensitive: Sequence[str], requirement: Requirement
) -> Shortfall:
    """Leave out every class of a table that fails what is required, however many records that takes, and count them.

    The arguments are those of ``judge_classes``; so is what is left in the decision database.
    """
    from anonduck.measures.judged_classes import judge_classes, misses

    allowing = replace(requirement, suppression=EVERY_RECORD)
    found = judge_classes(database, table, attributes, sensitive, allowing)
    left = tuple(misses(allowing, found.reached, 0, found.records))
    return replace(blocked_by(requirement, found.suppressed, found.records), left=left)


def blocked_by(requirement: Requirement, failing: int, records: int) -> Shortfall:
    """The shortfall of so many records in classes that fail what is required."""
    return Shortfall(failing, records, requirement.classes, requirement.k if requirement.only_k else None)
