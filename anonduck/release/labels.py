"""What a release calls its outermost intervals: as if nothing lay beyond them, whatever was left out there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonduck.database.connection import Database
from anonduck.release.recoding import GROUPED
from anonduck.statements import statement
from anonduck.statements.builder_privacy import quasi_names
from anonduck.statements.pipeline.builder_frequency import value_column
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA, RuleColumn
from anonduck.taxonomy.interval_cells import OpenLabels, opening_of

NUMBERED = "numbered_set"
LabelChanges = Mapping[str, Mapping[str, str]]


def openings(database: Database, columns: Sequence[RuleColumn]) -> dict[str, OpenLabels]:
    """The columns whose labels depend on what a release shows, with how they are opened."""
    found = {
        column.name: opening_of(database, column.name)
        for column in columns
        if column.looked_up and column.level not in (None, 0, column.root)
    }
    return {name: opening for name, opening in found.items() if opening is not None}


def outer_labels(database: Database, columns: Sequence[RuleColumn]) -> LabelChanges:
    """The labels of the grouped release that are to change, by column, with what they become."""
    opened = openings(database, columns)
    renamed = {
        column.name: opened[column.name].opened(_shown(database, column)) for column in columns if column.name in opened
    }
    return {name: labels for name, labels in renamed.items() if labels}


def rename_outer_labels(
    database: Database, columns: Sequence[RuleColumn], attributes: Sequence[str], *, some: bool
) -> None:
    """Open the outermost labels of the grouped release, of its lookups and, with ``some``, of the numbered set."""
    names = dict(zip(attributes, quasi_names(len(attributes)), strict=True))
    levels = {column.name: column.level for column in columns}
    for column, labels in outer_labels(database, columns).items():
        places: list[tuple[str | tuple[str, str], str]] = [
            (GROUPED, value_column(column)),
            ((LOOKUP_SCHEMA, column), f"level_{levels[column]}"),
        ]
        if some:
            places.append((NUMBERED, names[value_column(column)]))
        for old, new in labels.items():
            for table, label in places:
                query = statement("release/relabelled.sql", table={"relabelled": table}, column={"label": label})
                database.run(query, {"old": old, "new": new})


def _shown(database: Database, column: RuleColumn) -> list[str]:
    query = statement(
        "release/shown_intervals.sql",
        table={"lookup": (LOOKUP_SCHEMA, column.name), "grouped": GROUPED},
        column={
            "label": f"level_{column.level}",
            "code": f"code_{column.level}",
            "shown": value_column(column.name),
        },
    )
    return [label for (label,) in database.rows(query)]
