"""What the config asks of a settled release, for its owner: the workload, and who is left out by subgroup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anonduck.database.connection import Database
from anonduck.evaluation.spread import ROW, ROWS, ShownLabels, SpreadLabels, spread_labels
from anonduck.evaluation.subgroups import NOT_COUNTED, values_line
from anonduck.evaluation.workload import (
    ASKED,
    COUNTED,
    NOT_ASKED,
    answers,
    forget_answers,
    original_answers,
)
from anonduck.release.plan import ReleasePlan
from anonduck.release.recoder import RELEASE_SET, NodelessRecoder, Recoder, shown_labels
from anonduck.release.row_recoder import RowRecoder
from anonduck.source.queries import Workload
from anonduck.source.source import Source
from anonduck.statements import Statement
from anonduck.statements.expansion import Expression
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA
from anonduck.statements.pipeline.column_names import value_column
from anonduck.statements.template import line, temporary_table_of
from anonduck.taxonomy.catalog import entries
from anonduck.taxonomy.interval_cells import made_labels


def answer_workload(
    database: Database, plan: ReleasePlan[Recoder], source: Source, workload: Workload, *, some: bool
) -> dict[str, Any]:
    """``workload`` of a settled release: by query the mean, median and worst error, and what they come to together.

    With ``some``, records were left out. Raises ConfigError for a query that fails on the values.
    """
    if isinstance(plan.recoding, NodelessRecoder):
        return {"file": workload.file, "reason": NOT_ASKED, "queries": []}
    names, records = workload.columns, source.engine.count()
    shown = shown_labels_of(database, plan)
    read = [name for name in shown if name in names] or list(shown)[:1]
    made = [ASKED, COUNTED]
    try:
        originals = original_answers(database, source, workload)
        made += spread_release(database, plan, source, {name: shown[name] for name in read}, some=some)
        return answers(database, workload, originals, shown, records)
    finally:
        forget_answers(database, made)


def count_subgroups(
    database: Database, plan: ReleasePlan[Recoder], columns: Sequence[str], k: int
) -> list[dict[str, Any]]:
    """``subgroups`` of a settled release: a line for each of the ``columns`` (see ``values_line``)."""
    text = """SELECT "{value}"::VARCHAR AS subgroup, sum("#records")::BIGINT AS records
    FROM "{counted}" GROUP BY "{value}" ORDER BY subgroup"""
    recoding = plan.recoding
    if not isinstance(recoding, RowRecoder):
        return [{"column": name, "reason": NOT_COUNTED, "values": [], "others": None} for name in columns]
    found = []
    for name in columns:
        column = value_column(name)
        before, after = (
            dict(database.rows(line("release/asked.count_subgroups", text, counted=one, value=column)))
            for one in (RELEASE_SET, recoding.staying)
        )
        found.append(values_line(name, before, after, k))
    return found


# -- labels spread evenly over what they stand for (see anonduck.evaluation.spread) ------------------------------------


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
    stored = entries(database)
    columns = {
        name: SpreadLabels(
            source.column(name).type,
            shown,
            (LOOKUP_SCHEMA, name),
            made_labels(database, stored[name]) if shown.labels and shown.is_interval else None,
        )
        for name, shown in labels.items()
    }
    alike = [one.name for one in plan.columns if one.distinguishes]
    return spread_labels(database, _numbered(plan.recoding.rows(database, some=some).ordered), columns, alike)


def _numbered(rows: str) -> Statement:
    """The temporary table ROWS: the rows of a release with their number in it."""
    text = 'SELECT row_number() OVER () AS "{number}", *\nFROM (\n{rows}\n) AS placed'
    return temporary_table_of(ROWS, line("release/asked._numbered", text, number=ROW, rows=Expression(rows)))
