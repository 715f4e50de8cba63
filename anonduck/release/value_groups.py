"""Groups of values that a release shows under one label: their common members, and the words for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anonduck.database.connection import Database
from anonduck.evaluation.spread import ShownLabels
from anonduck.release.handed_out import AT_ROOT
from anonduck.statements import statement
from anonduck.statements.column_types import (
    BOOLEAN,
    is_binary,
    is_nested,
    is_numeric,
    is_temporal,
    is_whole,
    without_names,
)
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA
from anonduck.statements.pipeline.column_names import value_column
from anonduck.words import counted

MOST_MEMBERS = 100
_COUNTED = re.compile(r".* and (\d+) others?", flags=re.DOTALL)


@dataclass(frozen=True)
class Members:
    """The values under a label: the first of the values of k records, how many these are, and how many are rarer,
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
    levels = {} if shown.is_interval else _by_level(shown)
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
    """As many rarer values as the label of a cluster, `a or b` or `a and 3 others`, lets everybody count.

    How many the released records hold is not said: that follows from their values, which the release hides.
    """
    if kind != "clusters":
        return members
    counted, parts = _COUNTED.fullmatch(label), label.split(" or ")
    if counted is not None:
        total = int(counted[1]) + 1
    elif len(parts) > 1 and set(members.named) <= set(parts):
        total = len(parts)
    else:
        return members
    rarer = max(0, total - members.common)
    return Members(members.named, members.common, rarer, members.least, members.largest)


ITSELF = "this value"
MISSING = "no value (NULL)"
OPEN = "an open end, or no value (NULL)"
MOST_NAMED = 12
MOST_NUMBERS = 5
_INTERVAL = re.compile(r"([(\[])(.+), (.+)\)", flags=re.DOTALL)


@dataclass(frozen=True)
class ShownValues:
    """What a column shows: labels and common values, with their records; how many are named at all, with their records,
    the least and the largest of them, and how many others there are, with their records."""

    rows: tuple[tuple[str | None, int], ...]
    named: int
    named_records: int
    least: str | None
    largest: str | None
    others: int
    other_records: int


def made_words(receipt: Mapping[str, Any]) -> str:
    """What a release was made by: its rule, or the words of its method."""
    rule, method = receipt["rule"], receipt.get("method") or {}
    if rule is not None:
        return f"rule {rule['literal']}" + (f" ({method['words']})" if method.get("words") else "")
    return str(method.get("words") or method.get("name") or "")


def type_words(kind: str) -> str:
    """A type as a person calls it.

    >>> type_words("BIGINT"), type_words("VARCHAR"), type_words("TIMESTAMP"), type_words("ENUM")
    ('whole number', 'text', 'timestamp', 'text')
    """
    if kind == BOOLEAN:
        return "true or false"
    if is_nested(kind) or is_binary(kind):
        return kind
    if is_numeric(kind):
        return "whole number" if is_whole(kind) else "number"
    return kind.lower() if is_temporal(kind) else "text"


def interval_words(label: str) -> str:
    """What an interval stands for; the label itself if it is none that anonduck writes.

    >>> interval_words("[30, 40)"), interval_words("(-inf, 30)"), interval_words("[40, inf)")
    ('from 30 to under 40', 'under 30', '40 and over')
    >>> interval_words("under 5")
    'under 5'
    """
    found = _INTERVAL.fullmatch(label)
    if found is None:
        return label
    opening, lower, upper = found.groups()
    if opening == "(" or lower == "-inf":
        return f"under {upper}" if lower == "-inf" and upper != "inf" else label
    return f"{lower} and over" if upper == "inf" else f"from {lower} to under {upper}"


def group_words(
    label: str | None, shown: ShownLabels, members: Mapping[str, Members], *, numbers: bool, minimum: int
) -> str:
    """What a label of a column, or a value, stands for."""
    if label is None:
        return MISSING
    if label not in shown.texts:
        return "any value" if shown.texts and label == shown.root_label else ITSELF
    if label == shown.root_label:
        return "any value"
    if shown.is_interval:
        return interval_words(label)
    one = members.get(label)
    return "values that none of the released records holds" if one is None else member_words(one, numbers, minimum)


def member_words(members: Members, numbers: bool, minimum: int) -> str:
    """The values under a label in words.

    >>> member_words(Members(("nurse", "cook"), 2, 2), False, 5)
    'nurse, cook and 2 rarer values'
    >>> member_words(Members(("nurse",), 1, 0), False, 5)
    'nurse'
    >>> member_words(Members(tuple("123456"), 6, 0, "1", "6"), True, 5)
    '6 values from 1 to 6'
    >>> member_words(Members((), 0, 3), False, 5)
    '3 values that fewer than 5 records hold each'
    >>> member_words(Members(("nurse",), 1, None), False, 5), member_words(Members((), 0, None), False, 5)
    ('nurse and any rarer values', 'values that fewer than 5 records hold each')
    """
    if not members.common:
        values = "values" if members.rarer is None else counted(members.rarer, "value", "values")
        return f"{values} that fewer than {minimum:,} records {'hold' if members.rarer == 1 else 'hold each'}"
    parts = _named(members, numbers)
    if members.rarer is None:
        parts.append("any rarer values")
    elif members.rarer:
        parts.append(counted(members.rarer, "rarer value", "rarer values"))
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _named(members: Members, numbers: bool) -> list[str]:
    if numbers and members.common > MOST_NUMBERS and members.least is not None:
        return [f"{members.common:,} values from {members.least} to {members.largest}"]
    named = [text or "the empty text" for text in members.named[:MOST_NAMED]]
    more = members.common - len(named)
    return [*named, f"{more:,} more"] if more > 0 else named


def column_words(entry: Mapping[str, Any], shown: ShownValues | None, minimum: int, kind: str, *, numbers: bool) -> str:
    """What a column shows."""
    words = str(entry.get("words", ""))
    level = entry.get("level")
    if words == AT_ROOT:
        return words
    if level and "taxonomy" in entry and "bound" not in entry:
        return f"{'intervals' if entry['taxonomy'] == 'intervals' else 'groups of values'}, level {level}"
    if shown is None:
        return words or f"values of type {without_names(kind)}, which are not listed"
    if "groups" in entry and level is None:
        many = counted(shown.named, "different one", "different ones")
        if "shows" in entry:
            return f"{words}, or where none may be shown a group of values, {many}"
        return f"values themselves and groups of them, {many}"
    return f"{words or 'the value itself'}: {_values_words(shown, minimum, numbers=numbers)}"


def _values_words(shown: ShownValues, minimum: int, *, numbers: bool) -> str:
    named = counted(shown.named, "value", "values")
    between = f" from {shown.least} to {shown.largest}" if numbers and shown.named > 1 else ""
    if not shown.others:
        return named + between
    return f"{named}{between} that at least {minimum:,} records hold each, and {shown.others:,} rarer"
