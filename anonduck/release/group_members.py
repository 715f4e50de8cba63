"""What the labels of a released column stand for: the common values under each, and how many rare ones there are.

A value is named only where k of the released records hold it, so that neither rare values nor those of records that
were left out come to light. Under which classes it stands is not told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from anonduck.database.connection import Database
from anonduck.statements import statement
from anonduck.statements.pipeline.builder_frequency import value_column
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA

MOST_MEMBERS = 100
_COUNTED = re.compile(r".* \+(\d+)", flags=re.DOTALL)


@dataclass(frozen=True)
class ShownLabels:
    """The labels that a column of a settled release shows over single values, each with its level; none by default.

    ``kind`` is that of its taxonomy, ``root_label`` what stands for all values, and ``staying`` the frequency set of
    the records that are released, beside which the column's lookup is there.
    """

    labels: tuple[tuple[int, str], ...] = ()
    kind: str = ""
    root: int = 0
    root_label: str = "*"
    staying: str = ""

    @property
    def texts(self) -> list[str]:
        """The labels, each once."""
        return list(dict.fromkeys(label for _, label in self.labels if label is not None))

    @property
    def told_by_label(self) -> bool:
        """Whether labels are intervals, which say themselves what they stand for."""
        return self.kind == "intervals"


@dataclass(frozen=True)
class Members:
    """The values under a label: the first of those that k records hold, how many these are, and how many are rarer,
    where the label counts them, else None; ``least`` and ``largest`` are of the common ones."""

    named: tuple[str, ...] = ()
    common: int = 0
    rarer: int | None = None
    least: str | None = None
    largest: str | None = None

    def with_others(self, other: Members) -> Members:
        """Those of two nodes that have one label; the ends are lost, as the nodes may lie apart."""
        named = tuple(dict.fromkeys([*self.named, *other.named]))
        rarer = None if self.rarer is None or other.rarer is None else max(self.rarer, other.rarer)
        return Members(named[:MOST_MEMBERS], max(len(named), self.common, other.common), rarer)


def members_of(database: Database, name: str, shown: ShownLabels, minimum: int) -> dict[str, Members]:
    """By label of a column, what it stands for, as far as at least ``minimum`` released records hold a value.

    Intervals and the root have no members: they say themselves what they are.
    """
    found: dict[str, Members] = {}
    levels = {} if shown.told_by_label else _by_level(shown)
    for level, labels in levels.items():
        for label, members in _at_level(database, name, level, shown, minimum):
            if label in labels:
                one = _counted_by_label(label, members, shown.kind)
                found[label] = found[label].with_others(one) if label in found else one
    return found


def _by_level(shown: ShownLabels) -> dict[int, set[str]]:
    levels: dict[int, set[str]] = {}
    for level, label in shown.labels:
        if 0 < level < shown.root:
            levels.setdefault(level, set()).add(label)
    return dict(sorted(levels.items()))


def _at_level(
    database: Database, name: str, level: int, shown: ShownLabels, minimum: int
) -> Iterator[tuple[str, Members]]:
    query = statement(
        "release/group_members.sql",
        column={"raw_value": value_column(name), "level_label": f"level_{level}"},
        table={"lookup": (LOOKUP_SCHEMA, name), "staying": shown.staying},
    )
    rows: Sequence[tuple[str, list[str] | None, int, str | None, str | None]] = database.rows(
        query, {"minimum": minimum, "most": MOST_MEMBERS}
    )
    for label, named, common, least, largest in rows:
        yield label, Members(tuple(named or ()), common, None, least, largest)


def _counted_by_label(label: str, members: Members, kind: str) -> Members:
    """As many rarer values as the label of a cluster lets everybody count. How many the released records hold is not
    told: that follows from their values, which the release hides."""
    counted = _COUNTED.fullmatch(label) if kind == "clusters" else None
    if counted is None:
        return members
    rarer = max(0, int(counted[1]) + 1 - members.common)
    return Members(members.named, members.common, rarer, members.least, members.largest)
