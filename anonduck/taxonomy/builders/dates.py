"""Dates and times by units that nest: a chain such as day, month, year."""

from __future__ import annotations

import re
from itertools import pairwise

from anonduck.config.taxonomy import TaxonomyOptions
from anonduck.errors import TaxonomyError
from anonduck.statements.column_types import (
    DATE,
    INTEGERS,
    MILLISECONDS,
    NANOSECONDS,
    SECONDS,
    STAMP,
    STAMPS,
    ZONED,
    is_text,
)
from anonduck.taxonomy.computed_labels import ComputedLabels, ComputedStep

NEXT = {
    "second": ("minute",),
    "minute": ("hour",),
    "hour": ("day",),
    "day": ("week", "month", "weekday"),
    "weekday": ("weekend",),
    "weekend": (),
    "week": (),
    "month": ("quarter",),
    "quarter": ("half-year",),
    "half-year": ("year",),
    "year": ("five-year",),
    "five-year": ("decade",),
    "decade": ("century",),
    "century": (),
}
OTHER_NAMES = {
    "iso-week": "week",
    "isoweek": "week",
    "half": "half-year",
    "five-years": "five-year",
    "5-year": "five-year",
}
WHY_NOT = {
    "week": "a week can begin in one month or year and end in the next",
    "weekday": "the same weekday comes back in every week",
    "weekend": "weekends come back in every week",
}
READ_AS = {SECONDS: "coarse", MILLISECONDS: "coarse", NANOSECONDS: "fine"}
"""The query that makes microseconds of timestamps, by their type; others are read as they are."""
CYCLIC = {"weekday", "weekend"}  # their labels are not in the order of time
NOT_A_DATE = "(not a date)"
SPECIFIERS = "aAwudbBmyYHIpMSgfnzZjUWVGcxX%"
NEEDED = {"second": "ScX", "minute": "McX", "hour": "HIcX", "day": "djcxuwaA", "month": "mbBjcxUWV", "year": "yYcxG"}


def date_labels(options: TaxonomyOptions, column_type: str) -> ComputedLabels:
    """How the labels of a chain of units are computed; raises TaxonomyError for a chain that does not nest.

    A DATE has no unit under the day; a TIMESTAMP WITH TIME ZONE needs ``zone``, text and integers need ``format``.
    Nodes follow the order of their values, unless those are text or the units are weekdays, which come back.
    """
    chain = nested_chain(options.dates or [])
    if column_type == DATE and chain[0] in ("second", "minute", "hour"):
        raise TaxonomyError(f"dates has {chain[0]}, but the column is {DATE} and has no time of day; begin with day")
    levels = tuple((ComputedStep("computed_dates_level", columns={"unit": unit.replace("-", "_")}),) for unit in chain)
    read = (*_reading(options, column_type, chain), ComputedStep("computed_dates_units"))
    if options.format is not None:
        return ComputedLabels(read, levels, outside=NOT_A_DATE)
    return ComputedLabels(read, levels, ordered=not set(chain) & CYCLIC)


def nested_chain(units: list[str]) -> list[str]:
    """The names of the units, finest first, if each lies within one of the next; raises TaxonomyError otherwise."""
    chain = [_known(unit) for unit in units]
    if not chain:
        raise TaxonomyError(f"dates names no unit; it takes a chain of {', '.join(NEXT)}, such as [day, month, year]")
    for finer, coarser in pairwise(chain):
        if coarser not in _coarser(finer):
            raise TaxonomyError(
                f"dates: {finer} does not nest in {coarser}: {_reason(finer, coarser)}. {_advice(chain)}"
            )
    return chain


def _known(unit: str) -> str:
    name = re.sub(r"[\s_]+", "-", unit.strip().lower())
    name = OTHER_NAMES.get(name, name)
    if name not in NEXT:
        raise TaxonomyError(f"dates has no unit {unit}; it takes a chain of {', '.join(NEXT)}")
    return name


def _coarser(unit: str) -> list[str]:
    """All units that a unit nests in, finest first."""
    return [name for step in NEXT[unit] for name in (step, *_coarser(step))]


def _reason(finer: str, coarser: str) -> str:
    if finer == coarser:
        return "it is listed twice"
    if finer in _coarser(coarser):
        return f"{finer} is the coarser of the two, and the finest unit comes first"
    return WHY_NOT.get(finer, WHY_NOT.get(coarser, "neither is part of the other"))


def _advice(chain: list[str]) -> str:
    """The longest chain that nests among the units that were asked for."""
    order = list(NEXT)
    units = sorted(set(chain), key=order.index)
    longest: list[str] = []
    for last in units:
        within = [unit for unit in units if last == unit or last in _coarser(unit)]
        nested = [
            unit for unit in within if all(b == unit or b in _coarser(unit) or unit in _coarser(b) for b in within)
        ]
        longest = max(longest, nested, key=len)
    words = f"A chain that works: [{', '.join(longest)}]"
    left = [unit for unit in units if unit not in longest]
    return words + (f", without {', '.join(left)}" if left else "")


def _reading(options: TaxonomyOptions, column_type: str, chain: list[str]) -> list[ComputedStep]:
    if is_text(column_type) or column_type in INTEGERS:
        return _reading_text(options, column_type, chain)
    if options.format is not None:
        raise TaxonomyError(f"format reads dates from text or integers; the column is {column_type}: leave it out")
    if column_type == ZONED:
        zone = _zone(options, f"the column is {column_type}")
        return [ComputedStep("computed_dates_plain"), ComputedStep("computed_dates_zoned", {"zone": zone})]
    if column_type != DATE and column_type not in STAMPS:
        raise TaxonomyError(
            f"dates takes {DATE}, {STAMP}, {ZONED}, or text or integers with a `format`; the column is {column_type}"
        )
    _refuse_zone(options, f"the column is {column_type}")
    return [ComputedStep("computed_dates_plain"), *_in_microseconds(column_type)]


def _in_microseconds(column_type: str) -> list[ComputedStep]:
    """What makes timestamps of microseconds of those of a type."""
    return [ComputedStep(f"computed_dates_{READ_AS[column_type]}")] if column_type in READ_AS else []


def _reading_text(options: TaxonomyOptions, column_type: str, chain: list[str]) -> list[ComputedStep]:
    if options.format is None:
        raise TaxonomyError(f"dates of a {column_type} column need a `format`, such as '%Y-%m-%d' or '%d.%m.%Y %H:%M'")
    codes = _checked_format(options.format, chain)
    read = ComputedStep("computed_dates_text", {"format": options.format})
    if codes & set("zZ"):
        zone = _zone(options, "the format has %z or %Z")
        return [read, ComputedStep("computed_dates_zoned", {"zone": zone})]
    _refuse_zone(options, "the format has neither %z nor %Z")
    read_as = NANOSECONDS if "n" in codes else STAMP
    return [read, *_in_microseconds(read_as)]


def _checked_format(written: str, chain: list[str]) -> set[str]:
    """The letters of a format, if DuckDB knows them all and the chain's units follow from them."""
    codes = re.findall(r"%-?(.?)", written)
    unknown = sorted({code for code in codes if code not in SPECIFIERS or not code})
    if unknown:
        raise TaxonomyError(
            f"the format {written!r} has %{', %'.join(unknown)}; allowed are "
            f"{', '.join('%' + code for code in SPECIFIERS)}, those of DuckDB's strptime"
        )
    for unit in _needed_parts(chain[0]):
        if not set(codes) & set(NEEDED[unit]):
            raise TaxonomyError(
                f"the format {written!r} has no {unit}, which labels of {chain[0]} need; add it, such as "
                f"%{NEEDED[unit][0]}, or begin the chain with a coarser unit"
            )
    return set(codes)


def _needed_parts(finest: str) -> list[str]:
    """The parts of a date that a format must have so that a unit follows from them."""
    finest = {"week": "day", "weekday": "day", "weekend": "day", "quarter": "month", "half-year": "month"}.get(
        finest, finest
    )
    return [part for part in NEEDED if part == finest or part in _coarser(finest)] or ["year"]


def _zone(options: TaxonomyOptions, because: str) -> str:
    if options.zone is None:
        raise TaxonomyError(
            f"dates needs a `zone`, such as Europe/Rome or UTC, as {because}: which day it was depends on the clock"
        )
    return options.zone


def _refuse_zone(options: TaxonomyOptions, because: str) -> None:
    if options.zone is not None:
        raise TaxonomyError(f"zone is for times with a zone or offset, but {because}; leave out `zone`")
