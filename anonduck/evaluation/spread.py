"""What is shown of records, its labels spread evenly over what they stand for, as a table that queries can be asked of.

Intervals of numbers, dates and times are spread over their range, all other labels over the values under them that the
source holds, as counts are estimated from generalized tables (Xiao and Tao 2006, Anatomy). An open
interval ends at the least or largest value of the source.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from anonduck.database.connection import Database
from anonduck.engines.arrow import pa
from anonduck.statements import statement
from anonduck.statements.column_types import DATE, STAMPS, TIME, ZONED, decimals_of, is_temporal
from anonduck.statements.expansion import Expression, Item, Lists, number
from anonduck.statements.literals import literal
from anonduck.statements.template import Statement
from anonduck.taxonomy.interval_cells import APART, OpenLabels

ROWS, SPREAD = "workload_rows", "workload_release"
ROW = "#row"
DAY = 86_400_000_000
BOUNDS = "spread_bounds"
BOUNDS_SCHEMA = (("label", "string"), ("lower", "string"), ("upper", "string"))


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

    @cached_property
    def texts(self) -> Mapping[str, None]:
        """The labels, each once, in their order."""
        return dict.fromkeys(label for _, label in self.labels if label is not None)

    @property
    def is_interval(self) -> bool:
        """Whether labels are intervals, which say themselves what they stand for."""
        return self.kind == "intervals"


@dataclass(frozen=True)
class SpreadLabels:
    """A column to be spread: its type in the source, its labels, the table of its values with the nodes over them, and
    how the labels of its intervals are written, None where it has none that anonduck made."""

    kind: str
    shown: ShownLabels
    lookup: str | tuple[str, str]
    written: OpenLabels | None


@dataclass(frozen=True)
class SpreadColumn:
    """A released column: its name and its type in the source.

    ``table`` has a row for each of its labels, with the leaves under it, or where ``bounded`` with the ends of its
    interval in units of ``unit_of``; None where the column shows values of its type.
    """

    name: str
    kind: str
    table: str | None = None
    bounded: bool = False

    @property
    def listed(self) -> dict[str, Any]:
        """Its fields, as a query file lists them."""
        kind, made = Expression(self.kind), "make_timestamptz" if self.kind == ZONED else "make_timestamp"
        how = {"unit": number(unit_of(self.kind)), "made": Expression(made)}
        return {"name": self.name, "kind": kind, "table": self.table, "text": literal(self.name), **how}


def unit_of(kind: str) -> float:
    """The distance of two neighbouring values of a type: in microseconds of dates and times; 0 where there is none."""
    if kind == DATE:
        return DAY
    if kind in (*STAMPS, TIME, ZONED):
        return 1
    decimals = decimals_of(kind)
    return 0 if decimals is None else float(f"1e-{decimals}")


def spread_labels(
    database: Database, rows: Statement, columns: Mapping[str, SpreadLabels], alike: Sequence[str]
) -> list[str]:
    """Write the temporary table SPREAD: columns of what is shown, in the types of the source.

    Args:
        database: where it is written.
        rows: writes the temporary table ROWS, numbered, what is shown of each record.
        columns: the spread columns, by name; one without labels shows values of its type.
        alike: the columns that identify equivalence classes.

    Returns the temporary tables that were made.
    """
    made = [ROWS, SPREAD]
    database.run(rows)
    spread = []
    for place, (name, one) in enumerate(columns.items()):
        if not one.shown.labels:
            spread.append(SpreadColumn(name, one.kind))
            continue
        table = f"workload_labels_{place}"
        made.append(table)
        spread.append(SpreadColumn(name, one.kind, table, _write_labels(database, one, table)))
    database.run(spread_rows(spread, alike))
    return made


def spread_rows(columns: Sequence[SpreadColumn], alike: Sequence[str]) -> Statement:
    """The temporary table SPREAD of some columns, of ROWS; records that are equal in ``alike`` are of one class."""
    of: dict[str, list[Item]] = {kind: [] for kind in ("shown", "of_leaves", "of_numbers", "of_moments")}
    for one in columns:
        of_interval = "of_moments" if is_temporal(one.kind) else "of_numbers"
        of["shown" if one.table is None else of_interval if one.bounded else "of_leaves"].append(one.listed)
    spread = [one.listed for one in columns if one.table is not None]
    lists: Lists = {"columns": [one.name for one in columns], "spread": spread, "alike": alike, **of}
    return statement("evaluation/spread_release.sql", lists=lists)


def _write_labels(database: Database, one: SpreadLabels, table: str) -> bool:
    """Write what the labels of a column stand for; returns whether these are the ends of intervals."""
    shown = one.shown
    tables: dict[str, str | tuple[str, str]] = {"spread": table, "lookup": one.lookup}
    if one.written is not None:
        query = "evaluation/spread_moments.sql" if is_temporal(one.kind) else "evaluation/spread_numbers.sql"
        with database.registered(BOUNDS, _bounds(shown, one.written)):
            database.run(statement(query, table=tables), {"unit": unit_of(one.kind)})
        return True
    database.run(statement("evaluation/spread_table.sql", table=tables))
    for level in range(1, shown.root):
        texts = sorted({label for at, label in shown.labels if at == level})
        if texts:
            column = {"level_label": f"level_{level}"}
            database.run(statement("evaluation/spread_level.sql", column=column, table=tables), {"shown": texts})
    if shown.root_label in shown.texts:
        database.run(statement("evaluation/spread_root.sql", table=tables), {"root_label": shown.root_label})
    return False


def _bounds(shown: ShownLabels, written: OpenLabels) -> Any:
    """The labels of intervals with their ends, as an Arrow table."""
    rows = [dict(zip(("label", "lower", "upper"), one, strict=True)) for one in _intervals(shown, written)]
    return pa.Table.from_pylist(rows, pa.schema([(name, getattr(pa, kind)()) for name, kind in BOUNDS_SCHEMA]))


def _intervals(shown: ShownLabels, written: OpenLabels) -> Iterator[tuple[str, str | None, str | None]]:
    """Each label with its ends; infinities and NaN, which are nodes of their own, are values and no intervals."""
    for label in shown.texts:
        if label == shown.root_label:
            yield label, None, None
        elif label not in APART:
            yield label, *written.bounds(label)
