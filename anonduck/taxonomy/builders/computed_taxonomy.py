"""Taxonomies whose paths are computed from the values: built from the leaves, and asked again for values never seen."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from anonduck.config.taxonomy import TaxonomyOptions
from anonduck.database.connection import Database
from anonduck.statements import Statement, statement
from anonduck.statements.pipeline.builder_taxonomy import computed_taxonomy, kept_rows, placed_unseen
from anonduck.taxonomy.builders.computed_labels import is_ordered, label_query, levels_of, report_outside, settle
from anonduck.taxonomy.catalog import CatalogEntry
from anonduck.taxonomy.origins import as_given

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

    Raises TaxonomyError for options that do not fit the column.
    """
    leaves = statement(
        "taxonomy/builders/leaves.sql", table={"frequency": frequency}, column={"leaf": f"{column}@value"}
    )
    database.run(leaves)
    settled = settle(database, chosen, column_type, "leaves")
    database.run(kept_rows(LABELLED, label_query(settled, column_type, "leaves")))
    report_outside(database, settled, column_type, LABELLED, announce)
    database.run(computed_taxonomy(column, levels_of(settled, column_type), LABELLED))
    return as_given(settled), is_ordered(settled, column_type)


def path_query(entry: CatalogEntry, column_type: str, values: str) -> Statement | None:
    """The paths of the values of a relation, if the stored taxonomy can compute them; None if it is only a table."""
    settled = json.loads(entry.options).get("settled")
    if entry.taxonomy.kind != "computed" or settled is None:
        return None
    if "form" in settled:
        from anonduck.taxonomy.builders.shipped import label_query as shipped_query

        return shipped_query(settled["shipped"], settled["root"], values)
    return label_query(TaxonomyOptions.model_validate(settled), column_type, values)


def place_unseen(database: Database, entry: CatalogEntry, lookup: tuple[str, str]) -> None:
    """Complete a lookup of a computed taxonomy: values that no leaf holds get the path that is computed for them.

    Nodes are numbered anew, in the order of the smallest value that the lookup holds of them.
    """
    database.run(statement("taxonomy/builders/unseen_values.sql", table={"lookup": lookup}))
    if database.count("unseen_values") == 0:
        return
    query = path_query(entry, database.types_of(lookup)["value"], "unseen_values")
    if query is None:
        return
    database.run(kept_rows("unseen_paths", query))
    if len(database.types_of("unseen_paths")) == entry.taxonomy.root + 1:
        database.run(placed_unseen(lookup, entry.taxonomy.root))
