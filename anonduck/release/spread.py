"""A release whose labels are spread evenly over what they stand for, as a table that queries can be asked of.

Intervals of numbers, dates and times are spread over their range, all other labels over the values under them that the
source holds, as counts are estimated from generalized tables (Xiao and Tao 2006, Anatomy). An open
interval ends at the least or largest value of the source.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from anonduck.database.connection import Database
from anonduck.engines.arrow import pa
from anonduck.release.plan import ReleasePlan
from anonduck.release.recoder import Recoder, shown_labels
from anonduck.release.value_groups import ShownLabels
from anonduck.source.source import Source
from anonduck.statements import statement
from anonduck.statements.column_types import is_temporal
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA
from anonduck.statements.pipeline.builder_spread import (
    ROWS,
    SPREAD,
    SpreadColumn,
    numbered_rows,
    spread_rows,
    unit_of,
)
from anonduck.taxonomy.interval_cells import APART, OpenLabels, made_labels

BOUNDS = "spread_bounds"
BOUNDS_SCHEMA = (("label", "string"), ("lower", "string"), ("upper", "string"))


def shown_labels_of(database: Database, plan: ReleasePlan[Recoder]) -> dict[str, ShownLabels]:
    """The labels over single values of each released column that shows something; none of one that shows values.

    A column that is kept as the label of its root alone shows nothing, and is not in it.
    """
    found = {}
    for column in plan.columns:
        shown = plan.recoding.labelled(database, column.name) if column.generalized else ShownLabels()
        over_values = {level for level, _ in shown.labels}
        if over_values != {shown.root} or shown_labels(database, column) != [shown.root_label]:
            found[column.name] = shown
    return found


def spread_release(
    database: Database,
    plan: ReleasePlan[Recoder],
    source: Source,
    labels: Mapping[str, ShownLabels],
    *,
    some: bool,
) -> list[str]:
    """Write the temporary table SPREAD: columns of a settled release with their ``labels``, in the types of the source.

    With ``some``, records were left out. Returns the temporary tables that were made.
    """
    made = [ROWS, SPREAD]
    database.run(numbered_rows(plan.recoding.rows(database, some=some)))
    columns = []
    for place, (name, shown) in enumerate(labels.items()):
        kind = source.column(name).type
        if not shown.labels:
            columns.append(SpreadColumn(name, kind))
            continue
        table = f"workload_labels_{place}"
        made.append(table)
        bounded = _write_labels(database, name, kind, shown, table)
        columns.append(SpreadColumn(name, kind, table, bounded))
    database.run(spread_rows(columns, [one.name for one in plan.columns if one.distinguishes]))
    return made


def _write_labels(database: Database, name: str, kind: str, shown: ShownLabels, table: str) -> bool:
    """Write what the labels of a column stand for; returns whether these are the ends of intervals."""
    tables: dict[str, str | tuple[str, str]] = {"spread": table, "lookup": (LOOKUP_SCHEMA, name)}
    written = made_labels(database, name) if shown.is_interval else None
    if written is not None:
        query = "release/spread_moments.sql" if is_temporal(kind) else "release/spread_numbers.sql"
        database.register(BOUNDS, _bounds(shown, written))
        try:
            database.run(statement(query, table=tables), {"unit": unit_of(kind)})
        finally:
            database.unregister(BOUNDS)
        return True
    database.run(statement("release/spread_table.sql", table=tables))
    for level in range(1, shown.root):
        texts = sorted({label for at, label in shown.labels if at == level})
        if texts:
            column = {"level_label": f"level_{level}"}
            database.run(statement("release/spread_level.sql", column=column, table=tables), {"shown": texts})
    if shown.root_label in shown.texts:
        database.run(statement("release/spread_root.sql", table=tables), {"root_label": shown.root_label})
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
