"""Where the values that an export holds stand in a taxonomy, those included that it never saw, if they have a path."""

from __future__ import annotations

import json

from anonduck.config.taxonomy import TaxonomyOptions
from anonduck.database.connection import Database
from anonduck.statements import Statement, builder_database, line, statement
from anonduck.statements.expansion import qualified
from anonduck.statements.pipeline.column_names import levels_to
from anonduck.statements.template import temporary_table_of
from anonduck.taxonomy.builders.computed import label_query, labels_by
from anonduck.taxonomy.catalog import CatalogEntry, Taxonomy, entries
from anonduck.taxonomy.computed_labels import ComputedLabels
from anonduck.taxonomy.tables import number_nodes

LOOKUP = "lookup"


def place_values(
    database: Database, taxonomy: Taxonomy, *, frequency: str = "frequency_set", target: tuple[str, str] | None = None
) -> tuple[str, str]:
    """Write ``target`` (default ``lookup."<column>"``): value, records, code_0 ... code_h, level_1 ... level_h.

    One row per distinct value of the column in the frequency set. Values find their interval, or have a computed path;
    else values that no leaf holds have NULL in their path. Returns the table's schema and name.
    """
    lookup = target or (LOOKUP, taxonomy.column)
    database.run(builder_database.schema("lookup"))
    kind = "interval" if taxonomy.kind == "intervals" else "exact"
    held_in = ("bounds", "bounds") if kind == "interval" else ("taxonomy", "taxonomy")
    query = statement(
        f"taxonomy/lookup_{kind}.sql",
        columns={"paths": [f"{part}_{level}" for part in ("code", "level") for level in range(1, taxonomy.root + 1)]},
        column={"raw_value": f"{taxonomy.column}@value"},
        table={"frequency_set": frequency, "lookup": lookup, held_in[0]: (held_in[1], taxonomy.column)},
    )
    database.run(query)
    if taxonomy.kind == "computed":
        place_unseen(database, entries(database)[taxonomy.column], lookup)
    return lookup


def path_query(entry: CatalogEntry, column_type: str, values: str) -> Statement | None:
    """The paths of the values of a relation, if the stored taxonomy can compute them; None if it is only a table."""
    settled = json.loads(entry.options).get("settled")
    if entry.taxonomy.kind != "computed" or settled is None:
        return None
    if "form" in settled:
        from anonduck.taxonomy.builders.shipped import label_query as shipped_query

        return shipped_query(settled["shipped"], settled["root"], values)
    return label_query(TaxonomyOptions.model_validate(settled), column_type, values)


def computed_labels(entry: CatalogEntry, column_type: str) -> ComputedLabels | None:
    """The steps by which a stored taxonomy computes its labels; None where it looks them up."""
    settled = json.loads(entry.options).get("settled")
    if entry.taxonomy.kind != "computed" or settled is None or "form" in settled:
        return None
    return labels_by(TaxonomyOptions.model_validate(settled), column_type)


def other_labels(database: Database, entry: CatalogEntry, column_type: str, level: int) -> list[tuple[str, str | None]]:
    """The values of a computed taxonomy, as text, whose stored label at a level is another than what is computed."""
    table = ("taxonomy", entry.taxonomy.column)
    query = path_query(entry, column_type, "known_values")
    assert query is not None
    known = line("taxonomy/paths.other_labels", "SELECT value FROM {taxonomy}", taxonomy=qualified(*table))
    database.run(temporary_table_of("known_values", known))
    database.run(temporary_table_of("known_paths", query))
    compared = statement("taxonomy/other_labels.sql", table={"taxonomy": table}, column={"label": f"level_{level}"})
    try:
        return [(value, label) for value, label in database.rows(compared)]
    finally:
        database.drop(("temp", "known_paths"), ("temp", "known_values"))


def place_unseen(database: Database, entry: CatalogEntry, lookup: tuple[str, str]) -> None:
    """Complete a lookup of a computed taxonomy: values that no leaf holds get the path that is computed for them.

    Nodes are numbered anew, in the order of the smallest value that the lookup holds of them.
    """
    text = "SELECT value FROM {lookup} WHERE code_1 IS NULL"
    unseen = line("taxonomy/paths.place_unseen", text, lookup=qualified(*lookup))
    database.run(temporary_table_of("unseen_values", unseen))
    if database.count("unseen_values") == 0:
        return
    query = path_query(entry, database.types_of(lookup)["value"], "unseen_values")
    if query is None:
        return
    database.run(temporary_table_of("unseen_paths", query))
    if len(database.types_of("unseen_paths")) == entry.taxonomy.root + 1:
        levels = {"levels": levels_to(entry.taxonomy.root)}
        database.run(statement("taxonomy/builders/labels_of_lookup.sql", table={"lookup": lookup}, lists=levels))
        number_nodes(database, "lookup_labels", lookup, entry.taxonomy.root, kept=["records"])
