"""A settled release whose labels are spread evenly over what they stand for (see anonduck.evaluation.spread)."""

from __future__ import annotations

from collections.abc import Mapping

from anonduck.database.connection import Database
from anonduck.evaluation.spread import ShownLabels, SpreadLabels, spread_labels
from anonduck.release.plan import ReleasePlan
from anonduck.release.recoder import Recoder, shown_labels
from anonduck.source.source import Source
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA
from anonduck.statements.pipeline.builder_spread import numbered_rows
from anonduck.taxonomy.interval_cells import made_labels


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
    columns = {
        name: SpreadLabels(
            source.column(name).type,
            shown,
            (LOOKUP_SCHEMA, name),
            made_labels(database, name) if shown.labels and shown.is_interval else None,
        )
        for name, shown in labels.items()
    }
    alike = [one.name for one in plan.columns if one.distinguishes]
    return spread_labels(database, numbered_rows(plan.recoding.rows(database, some=some)), columns, alike)
