"""Where the values that an export holds stand in a taxonomy, those included that it never saw, if they have a path."""

from __future__ import annotations

from anonduck.database.connection import Database
from anonduck.statements import builder_database, statement
from anonduck.taxonomy.builders.computed_taxonomy import place_unseen
from anonduck.taxonomy.catalog import Taxonomy, entries

LOOKUP = "lookup"


def place_values(
    database: Database, taxonomy: Taxonomy, *, frequency: str = "frequency_set", target: tuple[str, str] | None = None
) -> tuple[str, str]:
    """Write ``target`` (default ``lookup."<column>"``): value, records, code_0 ... code_h, level_1 ... level_h.

    One row per distinct value of the column in the frequency set. Values find their interval, or have a computed path;
    else those that no leaf holds have NULL in their path. Returns the table's schema and name.
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
