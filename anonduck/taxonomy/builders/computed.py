"""Taxonomies whose labels follow from the text of a value alone: SQL computes them from the value and the options.

A value that the export did not hold has a path too. To build one, ``complete_options`` fills in what the values decide
and refuses options that cannot be, ``label_query`` computes the labels, SQL numbers them, and ``report_outside``
announces how many values are not what they should be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from anonduck.config.builders import BUILDERS
from anonduck.config.taxonomy import TaxonomyOptions
from anonduck.database.connection import Database
from anonduck.errors import TaxonomyError
from anonduck.statements import Statement, line, statement
from anonduck.statements.expansion import Lists, named
from anonduck.statements.literals import literal
from anonduck.statements.pipeline.column_names import levels_to
from anonduck.statements.template import chained, temporary_table_of
from anonduck.taxonomy.catalog import maker_of
from anonduck.taxonomy.computed_labels import ComputedLabels, ComputedStep
from anonduck.taxonomy.plans import as_given
from anonduck.taxonomy.tables import number_nodes

COMPUTED = tuple(name for name, builder in BUILDERS.items() if builder.kind == "computed")
Relation = str | tuple[str, str]


def computed_key(options: TaxonomyOptions) -> str | None:
    """The option that makes a taxonomy a computed one, such as ``mask``; None for the other kinds."""
    return next((key for key in COMPUTED if getattr(options, key) is not None), None)


def label_query(options: TaxonomyOptions, column_type: str, values: Relation) -> Statement:
    """The rows of the relation ``values`` (a column ``value``) with level_1 ... level_h; the last is the root, ``*``.

    Takes no parameters. NULL has NULL at every level. Raises TaxonomyError for options that cannot be, as for a mask
    whose ``length`` is not complete.
    """
    return labels_of(labels_by(options, column_type), values)


def levels_of(options: TaxonomyOptions, column_type: str) -> int:
    """The level of the root, h: as many levels as ``label_query`` has; raises TaxonomyError as that does."""
    return labels_by(options, column_type).root


def is_ordered(options: TaxonomyOptions, column_type: str) -> bool:
    """Whether nodes follow the order of their values; raises TaxonomyError as ``label_query`` does."""
    return labels_by(options, column_type).ordered


def complete_options(
    database: Database, options: TaxonomyOptions, column_type: str, values: Relation
) -> TaxonomyOptions:
    """The options with what the values decide: a mask without a length has that of its longest value.

    Raises TaxonomyError for options that cannot be, and for a zone that DuckDB does not know.
    """
    if options.mask is not None and options.length is None:
        text = "SELECT coalesce(max(length(CAST(value AS VARCHAR))), 0) FROM {values}"
        longest = database.value(line("taxonomy/builders/computed.complete_options", text, values=named(values)))
        options = options.model_copy(update={"length": max(longest, 1)})
    labels_by(options, column_type)
    text = "SELECT count(*) FROM pg_timezone_names() WHERE lower(name) = lower($zone)"
    zones = line("taxonomy/builders/computed.complete_options", text, "zone")
    if options.zone is not None and not database.value(zones, {"zone": options.zone}):
        raise TaxonomyError(f"DuckDB knows no time zone {options.zone!r}; name one such as Europe/Rome or UTC")
    return options


def report_outside(
    database: Database,
    options: TaxonomyOptions,
    column_type: str,
    labelled: Relation,
    announce: Callable[[str], None],
) -> None:
    """Announce how many values of the relation ``labelled`` (value, level_1, ...) are no date, address or position.

    They share one node. Raises TaxonomyError if all values do: the builder or its format does not fit the column.
    """
    outside = labels_by(options, column_type).outside
    if outside is None:
        return
    query = statement("taxonomy/builders/computed_outside.sql", table={"labelled": labelled})
    held, counted = database.row(query, {"outside": outside})
    if held and counted == held:
        raise TaxonomyError(
            f"all {held:,} values are {outside}; check how they are written, and use the builder, or the format, "
            "that reads them"
        )
    if counted:
        announce(f"{counted:,} of {held:,} values share the node {outside}")


def labels_by(options: TaxonomyOptions, column_type: str) -> ComputedLabels:
    """The steps that compute labels; raises TaxonomyError for options that cannot be."""
    key = computed_key(options)
    if key is None:
        raise TaxonomyError(f"a computed taxonomy needs one of {', '.join(COMPUTED)}")
    labels: ComputedLabels = maker_of(key)(options, column_type)
    return labels


LABELLED = "labelled"


def build_computed(
    database: Database,
    column: str,
    chosen: TaxonomyOptions,
    column_type: str,
    *,
    frequency: str,
    announce: Callable[[str], None],
) -> tuple[dict[str, Any], bool]:
    """Write ``taxonomy."<column>"``; returns the options that compute a path, and whether the nodes are in value order.

    Errors and what is announced name the column. Raises TaxonomyError for options that do not fit it.
    """
    leaves = statement(
        "taxonomy/builders/leaves.sql", table={"frequency": frequency}, column={"leaf": f"{column}@value"}
    )
    database.run(leaves)
    whose = f"taxonomy of column {column!r}: "
    try:
        complete = complete_options(database, chosen, column_type, "leaves")
        database.run(temporary_table_of(LABELLED, label_query(complete, column_type, "leaves")))
        report_outside(database, complete, column_type, LABELLED, lambda words: announce(whose + words))
    except TaxonomyError as error:
        raise TaxonomyError(whose + str(error)) from None
    number_nodes(database, LABELLED, ("taxonomy", column), levels_of(complete, column_type))
    return as_given(complete), is_ordered(complete, column_type)


# -- queries, one step after the other ---------------------------------------------------------------------------------


def labels_of(labels: ComputedLabels, held: str | tuple[str, str]) -> Statement:
    """The rows of the relation ``held`` (a column ``value``) with level_1 ... level_h; takes no parameters.

    The steps are named queries, each of which reads the one before; the first reads ``held`` under a name of its own.
    """
    last = "held_values" if held != "held_values" else "held_values_"
    values = line("taxonomy/builders/computed.labels_of", "SELECT value FROM {held}", held=named(held))
    queries = {last: values}
    for number, step in enumerate(labels.read, 1):
        queries[f"read_{number}"] = _read(step, last)
        last = f"read_{number}"
    for number, steps in enumerate(zip(*labels.levels, strict=True), 1):
        queries[f"computed_{number}"] = _all_levels(steps, last)
        last = f"computed_{number}"
    labelled = statement(
        "taxonomy/builders/computed_labels.sql",
        column={"root": f"level_{labels.root}"},
        table={"computed": last},
        lists={"levels": levels_to(labels.root - 1)},
    )
    return chained(queries, labelled)


def _read(step: ComputedStep, relation: str) -> Statement:
    given: Lists = {"given": [_fields(step)]} if step.values else {}
    return statement(f"taxonomy/builders/{step.name}.sql", table={"held": relation}, lists=given)


def _all_levels(steps: Sequence[ComputedStep], relation: str) -> Statement:
    """One step for every level, beside what is there already."""
    (name,) = {step.name for step in steps}
    levels = [{"level": level, **_fields(step)} for level, step in enumerate(steps, 1)]
    return statement(f"taxonomy/builders/{name}.sql", table={"computed": relation}, lists={"levels": levels})


def _fields(step: ComputedStep) -> dict[str, Any]:
    values = {name: value if isinstance(value, int) else literal(value) for name, value in step.values.items()}
    return {**values, **step.columns}
