"""Who is left out of a release: by column of the config's ``subgroups`` and value in the source, for the owner.

No number from 1 to k - 1 is shown: values of too few records, and values of which too few records are left out, stand
together as the others, with as many more values as that takes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anonduck.rules.rounding import DIGITS
from anonduck.words import counted

NOT_COUNTED = "who is left out is counted of releases that show values or nodes of taxonomies; this one shows others"


@dataclass(frozen=True)
class Subgroup:
    """The records of the source that have one value, or several, and how many of them a release leaves out."""

    values: tuple[str | None, ...]
    records: int
    suppressed: int

    def with_another(self, other: Subgroup) -> Subgroup:
        """Both together."""
        records, suppressed = self.records + other.records, self.suppressed + other.suppressed
        return Subgroup((*self.values, *other.values), records, suppressed)

    def is_shown(self, k: int) -> bool:
        """Whether no number of it is from 1 to k - 1."""
        return self.records >= k and not 0 < self.suppressed < k and not 0 < self.records - self.suppressed < k

    def as_json(self) -> dict[str, Any]:
        """Its numbers, and the share of its records that is left out."""
        share = round(self.suppressed / self.records, DIGITS)
        return {"records": self.records, "suppressed": self.suppressed, "share": share}


def values_line(name: str, before: Mapping[str | None, int], after: Mapping[str | None, int], k: int) -> dict[str, Any]:
    """The line of a column in ``subgroups``, from the records of each value, and those of them that stay.

    ``values`` are the shown ones, by falling share of records that are left out; ``others`` are all other
    values together, or None; ``reason`` says why nothing is shown.
    """
    groups = [Subgroup((value,), records, records - after.get(value, 0)) for value, records in before.items()]
    return subgroups_line(name, *shown_and_others(groups, k), k, Subgroup.as_json)


def subgroups_line(
    name: str,
    shown: Sequence[Subgroup],
    others: Subgroup | None,
    k: int,
    figures: Callable[[Subgroup], Mapping[str, Any]],
) -> dict[str, Any]:
    """The line of a column, from what ``shown_and_others`` found, with the figures of each group."""
    ordered = sorted(shown, key=lambda one: (-one.suppressed / one.records, one.values[0] is None, one.values[0] or ""))
    together = None if others is None else {"number": len(others.values), **figures(others)}
    reason = (
        None if shown or together else f"too few records of it have a value, or are left out, to be shown at k = {k:,}"
    )
    lines = [{"value": one.values[0], **figures(one)} for one in ordered]
    return {"column": name, "reason": reason, "values": lines, "others": together}


def shown_and_others(groups: Sequence[Subgroup], k: int) -> tuple[list[Subgroup], Subgroup | None]:
    """The groups whose numbers may be shown, and the others together; neither where not even all together may be."""
    shown = [one for one in groups if one.is_shown(k)]
    others: Subgroup | None = None
    for one in groups:
        if not one.is_shown(k):
            others = one if others is None else others.with_another(one)
    while others is not None and not others.is_shown(k):
        if not shown:
            return [], None
        least = min(shown, key=lambda one: (one.suppressed == 0, one.suppressed, one.records))
        shown.remove(least)
        others = others.with_another(least)
    return shown, others


# -- in words ----------------------------------------------------------------------------------------------------------

MOST_COLUMNS, MOST_NAMED = 2, 4


def subgroup_lines(found: Sequence[Mapping[str, Any]] | None) -> list[str]:
    """Who is left out, in two lines at most; none where no column is named."""
    if not found:
        return []
    names = ", ".join(line["column"] for line in found)
    if all(_nobody(line) for line in found):
        return [f"left out by {names}: nobody"]
    lines = [f"left out by {line['column']}: {_words(line)}" for line in found[:MOST_COLUMNS]]
    more = len(found) - MOST_COLUMNS
    return [*lines[:-1], f"{lines[-1]}; and by {more:,} more in the owner's file"] if more > 0 else lines


def _nobody(line: Mapping[str, Any]) -> bool:
    parts = [*line["values"], *([line["others"]] if line["others"] is not None else [])]
    return line["reason"] is None and not any(one["suppressed"] for one in parts)


def _words(line: Mapping[str, Any]) -> str:
    if line["reason"] is not None:
        return str(line["reason"])
    others = line["others"]
    groups = [("NULL" if one["value"] is None else one["value"], 1, one) for one in line["values"]]
    if others is not None:
        groups.append((counted(others["number"], "other value", "other values"), others["number"], others))
    losing = sorted((one for one in groups if one[2]["suppressed"]), key=lambda one: -one[2]["share"])
    parts = [f"{name} {one['share']:.1%}" for name, _, one in losing[:MOST_NAMED]]
    more = len(losing) - MOST_NAMED
    if more > 0:
        parts.append(f"{counted(more, 'more value', 'more values')} at most as much")
    if none := sum(number for _, number, one in groups if not one["suppressed"]):
        parts.append(f"nobody of {counted(none, 'value', 'values')}")
    return ", ".join(parts)
