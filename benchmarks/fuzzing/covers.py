"""Whether labels are over the values that they stand for, read from their texts and from exported taxonomies."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from pathlib import Path

from . import reading
from .commands import by_command
from .released import Finding, Released
from .tables import Table
from .values import INTEGERS

NUMBERS = (*INTEGERS, "FLOAT", "DOUBLE", "DECIMAL(4, 1)", "DECIMAL(9, 2)", "DECIMAL(18, 3)", "DECIMAL(38, 10)")
Paths = Mapping[str, frozenset[str | None]]


def paths_of(table: Table, name: str) -> Paths:
    """The labels over each value of a column, from its exported taxonomy; empty where there is none."""
    file = table.folder / "paths.csv"
    outcome = by_command(table.folder, ["taxonomy", "export", name, "-o", str(file), "--overwrite", "--format", "csv"])
    if outcome.code != 0:
        return {}
    lines = reading.csv_fields(Path(file).read_bytes().decode("utf-8"))
    return {str(line[0] or ""): frozenset(line) for line in lines[1:]}


def covers(label: str | None, text: str | None, kind: str, paths: Paths) -> bool | None:
    """Whether a label is over a value; None where the label cannot be read."""
    if label == "*":
        return True
    if label is None or text is None:
        return label is text
    if label == text or label in paths.get(text, ()):
        return True
    ends = interval(label) if kind in NUMBERS else None
    if ends is None:
        return False if paths and kind == "VARCHAR" else None
    with contextlib.suppress(InvalidOperation):
        return within(Decimal(text), label, *ends)
    return None


def interval(label: str) -> tuple[Decimal, Decimal] | None:
    """The ends of an interval's label; `20 and over` is as closed below as `under 20` is open above."""
    label = re.sub(r"^(.+) and over$", r"[\1, inf)", re.sub(r"^under (.+)$", r"(-inf, \1)", label))
    low, _, high = label[1:-1].partition(", ")
    if not high or label[0] not in "[(" or label[-1] not in "])":
        return None
    with contextlib.suppress(InvalidOperation):
        return Decimal(low), Decimal(high)
    return None


def within(number: Decimal, label: str, low: Decimal, high: Decimal) -> bool | None:
    """Whether a number is in an interval, which neither NaN nor an infinity is."""
    if number.is_nan() or low.is_nan() or high.is_nan():
        return None
    above = number > low if label[0] == "(" or low.is_infinite() else number >= low
    below = number <= high if label[-1] == "]" else number < high
    return above and below


def check_covers(made: Released) -> Iterator[Finding]:
    """Each label is over the value of its record, by the tags; for distributions, over k records."""
    table = made.table
    plain = (
        not made.job.require
        and not made.job.settings.keys() & {"missing", "outliers"}
        and table.form in ("parquet", "duckdb")
    )
    if made.method == "probabilistic" or not plain or table.form == "pandas":
        return
    if made.method == "nsvdist":
        yield from check_distributions(made)
    records = made.records
    if records is None:
        return
    for name in table.named("quasi"):
        if name not in made.columns:
            continue
        paths, texts, kind = paths_of(table, name), table.truth["text"][name], table.column(name).kind
        for row, (record, label) in enumerate(zip(records, made.columns[name], strict=True)):
            if over(made, name, row, record, paths) is False:
                yield Finding("label", f"{name!r} ({kind}): {label!r} is not over {texts[record]!r}")
                break


def over(made: Released, name: str, row: int, record: int, paths: Paths) -> bool | None:
    """Whether the label of a row is over the value of a record, or is that value."""
    label = made.columns[name][row]
    if label == shown(made, name, record):
        return True
    return covers(label, made.table.truth["text"][name][record], made.table.column(name).kind, paths)


def shown(made: Released, name: str, record: int) -> str | None:
    """A value as the format of the release shows it."""
    return made.table.truth[reading.form_of(made.target)][name][record]


def check_distributions(made: Released) -> Iterator[Finding]:
    """Each row covers at least k records by its labels, where all of them can be read."""
    table, needed = made.table, made.table.keys["requirement"]["k"]
    names = [name for name in table.named("quasi") if name in made.columns]
    paths = {name: paths_of(table, name) for name in names}
    for row in range(made.rows):
        count = 0
        for record in table.used:
            held = [over(made, name, row, record, paths[name]) for name in names]
            if None in held:
                return
            count += all(held)
        if count < needed:
            yield Finding("not met", f"a row of nsvdist covers {count} records, and k = {needed}")
            return
