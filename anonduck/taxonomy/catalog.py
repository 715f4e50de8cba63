"""The register of taxonomies: which there are, how each came about, and whether its table was edited since."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from anonduck.database.connection import Database
from anonduck.errors import TaxonomyError
from anonduck.statements import builder_database, statement
from anonduck.taxonomy.node_widths import note_nodes

VALUE = "@value"


@dataclass(frozen=True)
class Taxonomy:
    """The value generalization hierarchy of one column, stored as the table ``taxonomy."<column>"``."""

    column: str
    kind: str
    ordered: bool
    root: int
    leaves: int
    nodes: tuple[int, ...]
    origin: str


@dataclass(frozen=True)
class CatalogEntry:
    """A row of the register: a taxonomy, the options that built it, and its digest at that time."""

    taxonomy: Taxonomy
    options: str
    digest: str


def prepare(database: Database) -> None:
    """Make the schemas and the register of taxonomies, where they are not there yet."""
    for schema in ("taxonomy", "bounds"):
        database.run(builder_database.schema(schema))
    database.run(statement("taxonomy/catalog.sql"))


def stored_taxonomies(database: Database) -> dict[str, Taxonomy]:
    """The registered taxonomies, by column."""
    return {column: entry.taxonomy for column, entry in entries(database).items()}


def entries(database: Database) -> dict[str, CatalogEntry]:
    """The rows of the register, by column."""
    prepare(database)
    found = {}
    for column, kind, ordered, root, leaves, nodes, origin, options, digest in database.rows(
        statement("taxonomy/stored.sql")
    ):
        taxonomy = Taxonomy(column, kind, ordered, root, leaves, tuple(nodes), origin)
        found[column] = CatalogEntry(taxonomy, options, digest)
    return found


def register(
    database: Database,
    column: str,
    *,
    kind: str,
    ordered: bool,
    origin: str,
    options: Mapping[str, object],
    frequency: str = "frequency_set",
) -> Taxonomy:
    """Note the finished table ``taxonomy."<column>"`` in the register, with counts, digest and the width of its nodes.

    Bounds of an earlier interval taxonomy are dropped unless ``kind`` is ``intervals``.
    """
    prepare(database)
    if kind != "intervals":
        database.drop(("bounds", column))
    nodes = node_counts(database, column)
    leaves = database.count(("taxonomy", column))
    taxonomy = Taxonomy(column, kind, ordered, len(nodes) - 1, leaves, nodes, origin)
    write_entry(database, CatalogEntry(taxonomy, as_json(options), digest(database, column)))
    note_nodes(database, column, taxonomy.root, frequency=frequency)
    return taxonomy


def write_entry(database: Database, entry: CatalogEntry) -> None:
    """Write a row of the register, in the place of an earlier one of the same column."""
    row = asdict(entry.taxonomy) | {"options": entry.options, "digest": entry.digest}
    row |= {"column_name": row.pop("column"), "nodes": list(entry.taxonomy.nodes)}
    database.run(statement("taxonomy/register.sql"), row)


def digest(database: Database, column: str) -> str:
    """A hash of the content of ``taxonomy."<column>"``, whatever the order of its rows."""
    text: str = database.value(statement("taxonomy/digest.sql", table={"taxonomy": ("taxonomy", column)}))
    return text


def tree(database: Database, column: str) -> str:
    """What identifies how ``taxonomy."<column>"`` groups values: its nodes of all levels, without their labels."""
    table = {"taxonomy": ("taxonomy", column)}
    codes = [f"code_{level}" for level in range(root_level(database, column) + 1)]
    text: str = database.value(statement("taxonomy/tree.sql", columns={"codes": codes}, table=table))
    return text


def was_edited(database: Database, entry: CatalogEntry) -> bool:
    """Whether the taxonomy's table differs from what was registered."""
    return digest(database, entry.taxonomy.column) != entry.digest


def build_call(column: str, listed: str | None = None) -> str:
    """The call that builds the taxonomy of a column anew, with ``listed`` from what one lists by hand."""
    options = "" if listed is None else f", options=TaxonomyOptions({listed}=...)"
    return f"project.build_taxonomies([{column!r}], replace=True{options})"


def check_columns(database: Database, column: str) -> None:
    """Raise TaxonomyError if an edit left ``taxonomy."<column>"`` without a column, or with one that it has not."""
    names = set(database.types_of(("taxonomy", column)))
    root = sum(name.startswith("code_") for name in names) - 1
    wanted = {"value", "code_0"} | {f"{part}_{level}" for part in ("level", "code") for level in range(1, root + 1)}
    if names != wanted or root < 1:
        raise TaxonomyError(
            f"the table of the taxonomy of {column} was edited and has the columns {', '.join(sorted(names))}; it "
            "needs value, code_0, and level_1, code_1 and so on up to the root, without a gap. Rename them by SQL, or "
            f"rebuild it with `{build_call(column)}`"
        )


def as_json(options: Mapping[str, object]) -> str:
    """Options as text that is the same for the same options."""
    return json.dumps(options, sort_keys=True, ensure_ascii=False)


def node_counts(database: Database, column: str) -> tuple[int, ...]:
    """How many nodes each level 0 to root of ``taxonomy."<column>"`` has."""
    table = {"taxonomy": ("taxonomy", column)}
    return tuple(
        database.value(statement("taxonomy/node_count.sql", table=table, column={"node": f"code_{level}"}))
        for level in range(root_level(database, column) + 1)
    )


def root_level(database: Database, column: str) -> int:
    """The root's level, as the columns of ``taxonomy."<column>"`` have it."""
    return sum(name.startswith("code_") for name in database.types_of(("taxonomy", column))) - 1


def column_types(database: Database, frequency: str) -> dict[str, str]:
    """The DuckDB types of the columns whose values the frequency set holds."""
    types = database.types_of(frequency)
    return {name.removesuffix(VALUE): kind for name, kind in types.items() if name.endswith(VALUE)}
