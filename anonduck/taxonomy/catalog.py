"""The register of taxonomies: which there are, how each came about, how wide their nodes are, and what edits change."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from shlex import quote
from typing import Any

from anonduck.config.builders import BUILDERS
from anonduck.database.connection import Database
from anonduck.errors import TaxonomyError
from anonduck.statements import builder_database, line, statement
from anonduck.statements.expansion import Item
from anonduck.statements.literals import literal
from anonduck.statements.pipeline.column_names import levels_to, value_column

Tables = dict[str, str | tuple[str, str]]


def note_nodes(database: Database, column: str, root: int, *, frequency: str = "frequency_set") -> None:
    """Write the nodes of a column into ``taxonomy_nodes``.

    Its columns: column_name, level (1 to root), code, label, leaves, records (NULL where the frequency set lacks the
    column), leaf_share (of all leaves, 0 to 1) and range_share: of the range of the finite leaves, by the interval
    if the taxonomy has bounds, else by its leaves; NULL for values that are no numbers, dates or timestamps.
    """
    prepare(database)
    _note_nodes(database, {column: root}, frequency, _fields(database, [column], frequency))


Fields = tuple[dict[str, str], dict[str, str], dict[str, str]]


def _fields(database: Database, columns: Sequence[str], frequency: str) -> dict[str, Fields]:
    """By column the columns of its taxonomy, its bounds and the frequency set, with their types; none of what is not
    there."""
    places = [(schema, column) for schema in ("taxonomy", "bounds") for column in columns]
    *found, held = database.types_of_each([*places, ("main", frequency)])
    tables = zip(found[: len(columns)], found[len(columns) :], strict=True)
    return {column: (own, of_bounds, held) for column, (own, of_bounds) in zip(columns, tables, strict=True)}


def forget_nodes(database: Database, columns: Sequence[str]) -> None:
    """Forget how wide the nodes of some columns are."""
    text = "DELETE FROM taxonomy_nodes WHERE list_contains($columns::VARCHAR[], column_name)"
    database.run(line("taxonomy/catalog.forget_nodes", text, "columns"), {"columns": list(columns)})


def _note_nodes(database: Database, roots: Mapping[str, int], frequency: str, fields: Mapping[str, Fields]) -> None:
    forget_nodes(database, list(roots))
    if not roots:
        return
    columns = {column: _noted(column, root, *fields[column]) for column, root in roots.items()}
    lists = {"columns": list(columns.values())}
    database.run(statement("taxonomy/node_leaves.sql", table={"frequency": frequency}, lists=lists))
    bounded = [columns[column] for column, root in roots.items() if _is_bounded(root, fields[column][1])]
    database.run(statement("taxonomy/node_pieces.sql", lists={"columns": bounded}))
    database.run(statement("taxonomy/nodes_noted.sql"))


def _noted(
    column: str, root: int, own: Mapping[str, str], of_bounds: Mapping[str, str], held: Mapping[str, str]
) -> Item:
    """A column whose nodes are noted: with its values in the frequency set, where that counts them."""
    value = value_column(column)
    return {
        "name": column,
        "column": literal(column),
        "levels": levels_to(root),
        "counted": [{"counts": value}] if held.get(value) == own["value"] else [],
        "bounded": literal(_is_bounded(root, of_bounds)),
    }


def _is_bounded(root: int, of_bounds: Mapping[str, str]) -> bool:
    return f"code_{root}" in of_bounds


ROOM = "anonduck.taxonomy"


def maker_of(builder: str) -> Callable[..., Any]:
    """The function of this room that makes a builder's taxonomies; see ``Builder.maker``."""
    module, _, function = BUILDERS[builder].maker.partition(":")
    found: Callable[..., Any] = getattr(import_module(f"{ROOM}.{module}"), function)
    return found


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
    database.run(statement("taxonomy/nodes_table.sql"))


def stored_taxonomies(database: Database) -> dict[str, Taxonomy]:
    """The registered taxonomies, by column."""
    return {column: entry.taxonomy for column, entry in entries(database).items()}


def entries(database: Database) -> dict[str, CatalogEntry]:
    """The rows of the register, by column."""
    if not database.types_if_there("main", "taxonomies"):
        prepare(database)
    found = {}
    for column, kind, ordered, root, leaves, nodes, origin, options, digest in database.rows(
        statement("taxonomy/stored.sql")
    ):
        taxonomy = Taxonomy(column, kind, ordered, root, leaves, tuple(nodes), origin)
        found[column] = CatalogEntry(taxonomy, options, digest)
    return found


@dataclass(frozen=True)
class Written:
    """A taxonomy whose table was written and is to be registered: how it came about, and by which options."""

    column: str
    kind: str
    ordered: bool
    origin: str
    options: Mapping[str, object]


def register(
    database: Database,
    column: str,
    *,
    kind: str,
    ordered: bool,
    origin: str,
    options: Mapping[str, object],
) -> Taxonomy:
    """Note one finished taxonomy in the register; see ``register_all``."""
    return register_all(database, [Written(column, kind, ordered, origin, options)])[column]


def register_all(
    database: Database, written: Sequence[Written], frequency: str = "frequency_set"
) -> dict[str, Taxonomy]:
    """Note finished tables ``taxonomy."<column>"`` in the register, with counts, digests and the width of their nodes.

    Bounds of an earlier interval taxonomy are dropped unless the new one is of the kind ``intervals``, too.
    """
    prepare(database)
    columns = [one.column for one in written]
    fields = _fields(database, columns, frequency)
    for one in written:
        if one.kind != "intervals" and fields[one.column][1]:
            database.drop(("bounds", one.column))
            fields[one.column] = (fields[one.column][0], {}, fields[one.column][2])
    nodes = node_counts(database, {column: root_of(fields[column][0]) for column in columns})
    hashed = digests(database, columns)
    found: dict[str, Taxonomy] = {}
    for one in written:
        counts, leaves = nodes[one.column], _leaves(hashed[one.column])
        found[one.column] = Taxonomy(one.column, one.kind, one.ordered, len(counts) - 1, leaves, counts, one.origin)
    write_entries(
        database, [CatalogEntry(found[one.column], as_json(one.options), hashed[one.column]) for one in written]
    )
    _note_nodes(database, {column: found[column].root for column in columns}, frequency, fields)
    return found


def write_entries(database: Database, written: Sequence[CatalogEntry]) -> None:
    """Write rows of the register, in the place of earlier ones of the same columns."""
    rows = [
        {"column_name": one.taxonomy.column, **asdict(one.taxonomy), "options": one.options, "digest": one.digest}
        for one in written
    ]
    database.run(statement("taxonomy/register.sql"), {"entries": json.dumps(rows)})


def digest(database: Database, column: str) -> str:
    """A hash of the content of ``taxonomy."<column>"``, whatever the order of its rows."""
    return digests(database, [column])[column]


def digests(database: Database, columns: Iterable[str]) -> dict[str, str]:
    """The hash of the content of the taxonomies of several columns."""
    return {name: text for name, (text, _) in _hashes(database, columns).items()}


def contents(database: Database, columns: Iterable[str]) -> dict[str, str]:
    """A hash of the content of the taxonomies of several columns that differs after any edit."""
    return {name: text for name, (_, text) in _hashes(database, columns).items()}


def _hashes(database: Database, columns: Iterable[str]) -> dict[str, tuple[str, str]]:
    queries = {name: statement("taxonomy/digest.sql", table={"taxonomy": ("taxonomy", name)}) for name in columns}
    return database.row_of_each(queries)


def _leaves(hashed: str) -> int:
    """The number of rows that a digest begins with."""
    return int(hashed.partition(":")[0])


def trees(database: Database, columns: Iterable[str]) -> dict[str, str]:
    """For each column a hash of how ``taxonomy."<column>"`` groups values: of its nodes at all levels, without their
    labels."""
    asked, fields = list(columns), database.types_in("taxonomy")
    codes = {column: [f"code_{level}" for level in range(root_of(fields.get(column, ())) + 1)] for column in asked}
    queries = {
        column: statement("taxonomy/tree.sql", columns={"codes": own}, table={"taxonomy": ("taxonomy", column)})
        for column, own in sorted(codes.items())
    }
    found = database.row_of_each(queries)
    return {column: str(found[column][0]) for column in asked}


def was_edited(database: Database, entry: CatalogEntry) -> bool:
    """Whether the taxonomy's table differs from what was registered."""
    return digest(database, entry.taxonomy.column) != entry.digest


def build_command(column: str, listed: str | None = None) -> str:
    """The command that builds the taxonomy of a column anew, with ``listed`` from what one lists by hand."""
    options = "" if listed is None else f" --option {listed}=..."
    return f"anonduck taxonomy build {quote(column)} --replace{options}"


def _check_columns(column: str, names: Collection[str]) -> None:
    """Raise TaxonomyError if an edit left ``taxonomy."<column>"`` without a column, or with one that it has not."""
    names, root = set(names), root_of(names)
    wanted = {"value", "code_0"} | {f"{part}_{level}" for part in ("level", "code") for level in range(1, root + 1)}
    if names != wanted or root < 1:
        raise TaxonomyError(
            f"the table of the taxonomy of {column} was edited and has the columns {', '.join(sorted(names))}; it "
            "needs value, code_0, and level_1, code_1 and so on up to the root, without a gap. Rename them by SQL, or "
            f"rebuild it with `{build_command(column)}`"
        )


def as_json(options: Mapping[str, object]) -> str:
    """Options as text that is the same for the same options."""
    return json.dumps(options, sort_keys=True, ensure_ascii=False)


def node_counts(
    database: Database, roots: Mapping[str, int], *, schema: str = "taxonomy"
) -> dict[str, tuple[int, ...]]:
    """By column how many nodes each level up to its root has, in its taxonomy or another table with its codes."""
    text = 'SELECT count(DISTINCT code_{level})::INTEGER FROM "{schema}"."{column}"'
    queries = {
        (column, level): line("taxonomy/catalog.node_counts", text, level=level, schema=schema, column=column)
        for column, root in roots.items()
        for level in range(root + 1)
    }
    found = database.row_of_each(queries)
    return {column: tuple(found[column, level][0] for level in range(root + 1)) for column, root in roots.items()}


def root_level(database: Database, column: str) -> int:
    """The root's level, as the columns of ``taxonomy."<column>"`` have it."""
    return root_of(database.types_of(("taxonomy", column)))


def root_of(fields: Iterable[str]) -> int:
    """The root's level of a taxonomy whose table has these columns."""
    return sum(name.startswith("code_") for name in fields) - 1


def value_type(database: Database, column: str, frequency: str = "frequency_set") -> str:
    """The DuckDB type of a column's values in the frequency set; raises TaxonomyError if the column is not in it."""
    return value_types(database, [column], frequency)[column]


def value_types(database: Database, columns: Iterable[str], frequency: str = "frequency_set") -> dict[str, str]:
    """The DuckDB types of the values of columns in the frequency set; raises TaxonomyError for one not in it."""
    held = database.types_if_there("main", frequency)
    types = {name.removesuffix(VALUE): kind for name, kind in held.items() if name.endswith(VALUE)}
    for column in columns:
        if column not in types:
            raise TaxonomyError(
                f"there is no quasi-identifier {column!r} to give a taxonomy; there are {', '.join(types) or 'none'}"
            )
    return types


def taxonomy_fields(database: Database, column: str) -> list[str]:
    """The columns of a taxonomy table in the order of a file: value, level_1 ... up to the root."""
    fields = database.types_if_there("taxonomy", column)
    if not fields:
        raise TaxonomyError(f"column {column!r} has no taxonomy; make it with `anonduck taxonomy build`, or import one")
    levels = sorted((name for name in fields if name.startswith("level_")), key=lambda name: int(name[6:]))
    return ["value", *levels]


def follow_edits(database: Database, columns: Sequence[str], *, frequency: str = "frequency_set") -> dict[str, str]:
    """Recount the nodes of edited taxonomies, and update their bounds, so that unseen values get the edited labels.

    Returns the ``contents`` of the taxonomies that there are. Raises TaxonomyError for a table whose columns are not
    those of a taxonomy any more.
    """
    known = {column: entry for column, entry in entries(database).items() if column in columns}
    fields = database.types_in("taxonomy") if known else {}
    for column in known:
        _check_columns(column, fields.get(column, ()))
    now = _hashes(database, known)
    for column, entry in known.items():
        if now[column][0] != entry.digest:
            _follow(database, entry, frequency)
    return {column: content for column, (_, content) in now.items()}


def _follow(database: Database, entry: CatalogEntry, frequency: str) -> None:
    column = entry.taxonomy.column
    nodes = node_counts(database, {column: root_level(database, column)})[column]
    with database.transaction():
        if entry.taxonomy.kind == "intervals" and nodes[0]:
            _follow_bounds(database, column, entry.taxonomy.root, len(nodes) - 1)
        leaves = _leaves(digest(database, column))
        counted = replace(entry.taxonomy, root=len(nodes) - 1, leaves=leaves, nodes=nodes)
        write_entries(database, [replace(entry, taxonomy=counted)])  # with the digest as built: the edit still shows
        note_nodes(database, column, len(nodes) - 1, frequency=frequency)


def _follow_bounds(database: Database, column: str, before: int, root: int) -> None:
    """Intervals get the path of their leaves; those without one keep theirs, relabelled, or go if levels changed."""
    tables: dict[str, str | tuple[str, str]] = {"bounds": ("bounds", column), "taxonomy": ("taxonomy", column)}
    paths = [f"{kind}_{level}" for kind in ("level", "code") for level in range(1, root + 1)]
    same_levels = root == before
    for level in range(1, root + 1) if same_levels else ():
        names = {"label": f"level_{level}", "code": f"code_{level}"}
        database.run(statement("taxonomy/bounds_follow_level.sql", column=names, table=tables))
    columns = {"paths": paths, "kept_paths": paths if same_levels else []}
    of_leaves = statement("taxonomy/bounds_of_leaves.sql", columns=columns, table=tables)
    database.run(of_leaves, {"same_levels": same_levels})
