"""The tables of taxonomies, built or imported, and counts of them: their shape depends on the number of levels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from anonduck.statements.expressions import created_table, is_null, quoted
from anonduck.statements.template import DIALECT, TEXTS_KEPT, Statement
from anonduck.statements.trees import exp, sqlglot


@lru_cache(maxsize=TEXTS_KEPT)
def built_taxonomy(column: str, root: int) -> Statement:
    """Writes ``taxonomy."<column>"`` from the temporary tables ``placed`` (leaves) and ``nodes`` (levels 1 to root)."""
    query = _joined_leaves(root).with_("paths", as_=_paths(root), materialized=True)
    return created_table("builder_taxonomy.built_taxonomy", _table(column), query)


def renumbered_taxonomy(column: str, kept: Sequence[int]) -> Statement:
    """Rewrites ``taxonomy."<column>"`` with the levels ``kept`` (old numbers above the leaf, ascending)."""
    select = exp.select(exp.column("value")).from_(_table(column))
    select = select.select(*(exp.column(f"level_{old}").as_(f"level_{new}") for new, old in enumerate(kept, 1)))
    select = select.select("code_0", *(exp.column(f"code_{old}").as_(f"code_{new}") for new, old in enumerate(kept, 1)))
    return created_table("builder_taxonomy.renumbered_taxonomy", _table(column), select.order_by("code_0"))


def _joined_leaves(root: int) -> exp.Select:
    levels = range(1, root + 1)
    select = exp.select(exp.column("value", "placed")).select(*(f"paths.level_{level}" for level in levels))
    select = select.select(exp.column("position", "placed").as_("code_0"), *(f"paths.code_{level}" for level in levels))
    return select.from_("placed").join("paths", on="paths.code_1 = placed.parent")


def _paths(root: int) -> exp.Select:
    select = exp.select().from_(exp.to_table("nodes").as_("nodes_1")).where("nodes_1.level = 1")
    for level in range(1, root + 1):
        alias = f"nodes_{level}"
        select = select.select(exp.column("label", alias).as_(f"level_{level}"))
        select = select.select(exp.column("code", alias).as_(f"code_{level}"))
        if level > 1:
            on = f"{alias}.level = {level} AND {alias}.code = nodes_{level - 1}.parent"
            select = select.join(exp.to_table("nodes").as_(alias), on=on)
    return select


def _table(column: str, schema: str = "taxonomy") -> exp.Table:
    return exp.table_(exp.to_identifier(column, quoted=True), db=schema)


@lru_cache(maxsize=TEXTS_KEPT)
def kept_paths(root: int) -> Statement:
    """Keeps the paths of all level-1 nodes of ``nodes`` as the temporary table ``paths``."""
    return created_table("builder_taxonomy.kept_paths", "paths", _paths(root), temporary=True)


@lru_cache(maxsize=TEXTS_KEPT)
def taxonomy_of_paths(column: str, root: int) -> Statement:
    """Writes ``taxonomy."<column>"`` from ``placed`` (leaves) and ``paths``."""
    return created_table("builder_taxonomy.taxonomy_of_paths", _table(column), _joined_leaves(root))


@lru_cache(maxsize=TEXTS_KEPT)
def bounds_of_paths(column: str, root: int) -> Statement:
    """Writes ``bounds."<column>"`` from ``starts`` and ``paths``: each level-1 interval's lower bound and its path."""
    select = exp.select(exp.column("lower", "starts")).select(*(f"paths.{name}" for name in path_columns(root)))
    select = select.from_("starts").join("paths", on="paths.code_1 = starts.position + 1")
    return created_table("builder_taxonomy.bounds_of_paths", _table(column, "bounds"), select)


def renumbered_bounds(column: str, kept: Sequence[int]) -> Statement:
    """Rewrites ``bounds."<column>"`` with the levels ``kept`` (old numbers above the leaf, ascending)."""
    first = exp.Window(
        this=exp.RowNumber(),
        partition_by=[exp.column(f"code_{kept[0]}")],
        order=exp.Order(expressions=[exp.Ordered(this=exp.column("lower"), nulls_first=True)]),
    )
    select = (
        exp.select("lower")
        .from_(_table(column, "bounds"))
        .qualify(exp.EQ(this=first, expression=exp.Literal.number(1)))
    )
    for kind in ("level", "code"):
        select = select.select(*(exp.column(f"{kind}_{old}").as_(f"{kind}_{new}") for new, old in enumerate(kept, 1)))
    return created_table("builder_taxonomy.renumbered_bounds", _table(column, "bounds"), select)


def path_columns(root: int) -> list[str]:
    """The columns of a path: level_1 ... level_h, code_1 ... code_h."""
    return [f"{kind}_{level}" for kind in ("level", "code") for level in range(1, root + 1)]


@lru_cache(maxsize=TEXTS_KEPT)
def kept_rows(table: str, query: Statement) -> Statement:
    """Keeps the rows of a query as a temporary table."""
    rows = sqlglot.parse_one(query.sql, read=DIALECT)
    return created_table(f"builder_taxonomy.kept_rows of {query.name}", table, rows, temporary=True)


def computed_taxonomy(column: str, root: int, labelled: str) -> Statement:
    """Writes ``taxonomy."<column>"`` from the labels of values: equal labels of a level are one node."""
    return _numbered(_table(column), root, exp.select("value", *_levels(root)).from_(labelled), [])


def placed_unseen(lookup: tuple[str, str], root: int) -> Statement:
    """Rewrites a lookup with the paths that ``unseen_paths`` has for the values without one; numbers all nodes anew."""
    schema, name = lookup
    table = exp.table_(exp.to_identifier(name, quoted=True), db=exp.to_identifier(schema, quoted=True))
    known = exp.select("value", "records", *_levels(root)).from_(table.copy()).where("code_1 IS NOT NULL")
    unseen = exp.select("held.value", "held.records", *(f"unseen_paths.{level}" for level in _levels(root)))
    unseen = unseen.from_(exp.alias_(table.copy(), "held", table=True))
    unseen = unseen.join("unseen_paths", on="unseen_paths.value = held.value", join_type="left")
    unseen = unseen.where("held.code_1 IS NULL")
    return _numbered(table, root, exp.union(known, unseen, distinct=False), ["records"])


def _levels(root: int) -> list[str]:
    return [f"level_{level}" for level in range(1, root + 1)]


def _numbered(
    table: exp.Table, root: int, labelled: exp.Query, more: Sequence[str], *, temporary: bool = False
) -> Statement:
    """A table of the values with their labels and the number of each label's node, by the smallest value under it."""
    place = exp.cast(_row_number(exp.column("value", "labels")), "INTEGER").as_("code_0")
    query = exp.select("labels.value", *(f"labels.{name}" for name in more)).from_("labels").select(place)
    query = query.with_("labels", as_=labelled, materialized=True)
    for level in range(1, root + 1):
        nodes = f"nodes_{level}"
        query = query.with_(nodes, as_=_nodes_of(f"level_{level}"))
        query = query.join(nodes, on=f"{nodes}.label = labels.level_{level}", join_type="left")
        query = query.select(f"{nodes}.label AS level_{level}", f"{nodes}.code AS code_{level}")
    return created_table("builder_taxonomy.numbered", table, query.order_by("labels.value"), temporary=temporary)


def _nodes_of(level: str) -> exp.Select:
    code = exp.cast(_row_number(exp.Min(this=exp.column("value"))), "INTEGER").as_("code")
    query = exp.select(exp.column(level).as_("label"), code).from_("labels")
    return query.where(f"{level} IS NOT NULL").group_by(level)


def _row_number(by: exp.Expr) -> exp.Window:
    return exp.Window(this=exp.RowNumber(), order=exp.Order(expressions=[exp.Ordered(this=by)]))


def renumbered_values(root: int) -> Statement:
    """Rewrites the temporary table ``shown`` with its nodes numbered anew by their labels."""
    labelled = exp.select("value", "records", "leaf", *_levels(root)).from_("shown")
    return _numbered(exp.to_table("shown"), root, labelled, ["records", "leaf"], temporary=True)


LEAVES = "hierarchy_leaves"


def imported_taxonomy(column: str, root: int, position: str) -> Statement:
    """The statement that writes ``taxonomy."<column>"`` from the leaves of the file ``$place`` in ``hierarchy_leaves``.

    ``root`` is the number of levels above the leaf; ``position`` names the column (``by_value`` or ``by_line``) whose
    order numbers the nodes of each level by their first leaf, from 1.
    """
    held = (
        exp.select("*").from_(LEAVES).where(exp.EQ(this=exp.column("place"), expression=exp.Placeholder(this="place")))
    )
    query = exp.select(exp.column("value", "leaves")).from_("leaves").with_("leaves", as_=held, copy=False)
    labels = (exp.alias_(_label(level, "leaves"), f"level_{level}", copy=False) for level in range(1, root + 1))
    query = query.select(*labels, copy=False)
    query = query.select(_integer(exp.column(position, "leaves"), "code_0"), copy=False)
    for level in range(1, root + 1):
        nodes = f"nodes_{level}"
        same = exp.EQ(this=exp.column("label", nodes), expression=_label(level, "leaves"))
        query = query.with_(nodes, as_=_nodes(level, position), copy=False).join(nodes, on=same, copy=False)
        query = query.select(_integer(exp.column("code", nodes), f"code_{level}"), copy=False)
    query = query.order_by(exp.column(position, "leaves"), copy=False)
    bound = frozenset({"place"})
    return created_table("builder_taxonomy.imported_taxonomy", _table(column), query, parameters=bound, copy=False)


def _nodes(level: int, position: str) -> exp.Select:
    first = exp.Min(this=exp.column(position))
    order = exp.Window(this=exp.RowNumber(), order=exp.Order(expressions=[exp.Ordered(this=first)]))
    return exp.select(_label(level).as_("label"), order.as_("code")).from_("leaves").group_by(_label(level), copy=False)


def _label(level: int, table: str | None = None) -> exp.Func:
    return exp.func("list_extract", exp.column("path", table), exp.Literal.number(level), copy=False, dialect=DIALECT)


def _integer(value: exp.Expr, name: str) -> exp.Expr:
    return exp.alias_(exp.cast(value, "INTEGER", copy=False), name, copy=False)


_WIDE = 1 << 32


NUMBER = (
    "CASE WHEN typeof({0}) = 'DATE' OR starts_with(typeof({0}), 'TIMESTAMP') THEN epoch(try_cast({0} AS TIMESTAMP)) "
    "WHEN {1} THEN try_cast({0} AS DOUBLE) END"
)
"""A value on the line of numbers, if a condition holds; a date or time by its seconds."""


def node_leaves(
    columns: Sequence[str], values: Sequence[str | None], roots: Sequence[int], bounded: Sequence[bool], frequency: str
) -> Statement:
    """``node_leaves``: each leaf of the taxonomies of some columns at each level above it, with its place on the line
    of numbers, NULL for text and what is not finite.

    ``values`` are the columns of ``frequency`` that count them, None where it does not: their ``node_records`` are
    NULL. ``bounded`` says which taxonomies have bounds.
    """
    finite = "typeof(leaves.value) <> 'VARCHAR' AND isfinite(try_cast(leaves.value AS DOUBLE))"
    number = NUMBER.format("leaves.value", finite)
    parts = []
    for column, value, root, has_bounds in zip(columns, values, roots, bounded, strict=True):
        records = "NULL::BIGINT" if value is None else "coalesce(held.records, 0)::BIGINT"
        part = exp.select(*_each_level(column, "leaves", root, "level"), f"{records} AS node_records", dialect=DIALECT)
        part = part.select(f"{number} AS number", f"{str(has_bounds).upper()} AS bounded", dialect=DIALECT)
        part = part.from_(_table(column).as_("leaves", table=True))
        if value is not None:
            held = exp.select(quoted(value).as_("value"), 'sum("#records")::BIGINT AS records', dialect=DIALECT)
            held = held.from_(exp.table_(frequency, quoted=True)).where(exp.not_(is_null(quoted(value))))
            held = held.group_by(quoted(value))
            part = part.join(held.subquery("held"), on="held.value = leaves.value", join_type="left")
        parts.append(part)
    return created_table("builder_taxonomy.node_leaves", "node_leaves", _all_of(parts), temporary=True)


def node_pieces(columns: Sequence[str], roots: Sequence[int]) -> Statement:
    """``node_pieces``: each interval of the bounds of some columns at each level above the leaves, by its place among
    them and its start, NULL where it is open below."""
    bounded = "NOT pieces.lower IS NULL"
    start = f"CASE WHEN {bounded} THEN coalesce({NUMBER.format('pieces.lower', bounded)}, 'inf'::DOUBLE) END"
    place = "row_number() OVER (ORDER BY pieces.lower NULLS FIRST) AS place"
    parts = [
        exp.select(*_each_level(column, "pieces", root), place, f"{start} AS start", dialect=DIALECT).from_(
            _table(column, "bounds").as_("pieces", table=True)
        )
        for column, root in zip(columns, roots, strict=True)
    ]
    none = ["'' AS column_name", "0 AS level", "0 AS code", "0 AS place", "0.0::DOUBLE AS start"]
    parts = parts or [exp.select(*none, dialect=DIALECT).where(exp.false())]
    return created_table("builder_taxonomy.node_pieces", "node_pieces", _all_of(parts), temporary=True)


def _each_level(column: str, table: str, root: int, label: str | None = None) -> list[exp.Expr]:
    """The name of a column, and a row for each level above its leaves: the level, its code, and its label if asked."""
    levels = range(1, root + 1)
    lists = {
        "level": [exp.Literal.number(level) for level in levels],
        "code": [exp.cast(exp.column(f"code_{level}", table), "INTEGER") for level in levels],
    }
    if label is not None:
        lists["label"] = [exp.cast(exp.column(f"level_{level}", table), "VARCHAR") for level in levels]
    unnested = [exp.alias_(exp.Explode(this=exp.Array(expressions=values)), name) for name, values in lists.items()]
    return [exp.alias_(exp.Literal.string(column), "column_name"), *unnested]


def _all_of(parts: Sequence[exp.Select]) -> exp.Query:
    return parts[0] if len(parts) == 1 else exp.union(*parts, distinct=False)


KINDS = ("nulls", "codes", "labels", "pairs", "parents")


def level_counts(column: str, root: int, *, few: bool = False) -> Statement:
    """One row about ``taxonomy."<column>"``: its rows, and a list with the counts of KINDS of each level 0 to ``root``.

    ``nulls``: rows without a label or a code; ``codes``, ``labels``: distinct ones; ``pairs``: of label and code;
    ``parents``: of code and the code above it. The levels above the leaf are counted over distinct paths. ``few`` says
    that the leaves are some thousands at most: they are then counted by lists, which start faster and count slower.
    """
    table = _table(column)
    upper = [f"{kind}_{level}" for level in range(1, root + 1) for kind in ("level", "code")]
    leaves = exp.select(exp.alias_(exp.Count(this=exp.Star()), "rows"), *_counts(0, root, few), copy=False)
    leaves = leaves.from_(table, copy=False)
    paths = exp.select(*upper).distinct().from_(table.copy())
    nodes = exp.select(*(count for level in range(1, root + 1) for count in _counts(level, root, few))).from_("paths")
    counted = [exp.column(f"{kind}_{level}") for level in range(root + 1) for kind in KINDS]
    select = (
        exp.select(exp.column("rows", table="leaves"), exp.alias_(exp.Array(expressions=counted), "counts"))
        .with_("paths", as_=paths, copy=False)
        .from_(leaves.subquery("leaves", copy=False), copy=False)
        .join(nodes.subquery("nodes", copy=False), join_type="cross", copy=False)
    )
    return Statement("builder_taxonomy.level_counts", select.sql(DIALECT, pretty=True, copy=False))


def labels_like_values(column: str, root: int) -> Statement:
    """One value: how many labels of all levels read like a leaf."""
    table = _table(column)
    labels = exp.Array(expressions=[exp.column(f"level_{level}") for level in range(1, root + 1)])
    paths = exp.select(exp.alias_(labels, "labels")).distinct().from_(table)
    named = exp.select(exp.alias_(exp.func("unnest", exp.column("labels"), dialect=DIALECT), "label"))
    named = exp.select("label").distinct().from_(named.from_(paths.subquery("paths")).subquery("listed"))
    leaves = exp.select(exp.cast(exp.column("value"), "VARCHAR")).from_(table.copy())
    select = exp.select(exp.Count(this=exp.Star())).from_(named.subquery("named"))
    select = select.where(exp.In(this=exp.column("label"), query=leaves.subquery()))
    return Statement("builder_taxonomy.labels_like_values", select.sql(DIALECT, pretty=True, copy=False))


def rows_of_each(queries: Sequence[Statement]) -> Statement:
    """How many rows each of several queries finds: its place among them, and the rows."""
    numbered = enumerate(queries)
    parts = [
        " ".join(["SELECT", str(place), "AS place, count(*) AS rows FROM (", one.sql, ")"]) for place, one in numbered
    ]
    return Statement("builder_taxonomy.rows_of_each", "\nUNION ALL\n".join(parts))


def _counts(level: int, root: int, few: bool) -> list[Any]:
    label, code = exp.column(f"level_{level}" if level else "value"), exp.column(f"code_{level}")
    above = exp.column(f"code_{min(level + 1, root)}")
    missing = exp.or_(
        exp.or_(exp.Is(this=label, expression=exp.null()), exp.Is(this=code, expression=exp.null()), copy=False),
        exp.EQ(this=code.copy(), expression=exp.Literal.number(0)),
        copy=False,
    )
    values: list[Any] = [
        code,
        label,
        exp.func("row", label.copy(), code.copy(), copy=False, dialect=DIALECT),
        exp.Add(this=exp.Mul(this=exp.cast(code, "BIGINT"), expression=exp.Literal.number(_WIDE)), expression=above),
    ]
    count = _listed if few else _distinct
    counts = [exp.func("count_if", missing, copy=False), *map(count, values)]
    return [exp.alias_(count, f"{kind}_{level}", copy=False) for kind, count in zip(KINDS, counts, strict=True)]


def _distinct(value: Any) -> exp.Expression:
    return exp.Count(this=exp.Distinct(expressions=[value.copy()]))


def _listed(value: Any) -> exp.Expr:
    values = exp.func("list", value.copy(), copy=False, dialect=DIALECT)
    distinct = exp.func("list_distinct", values, copy=False, dialect=DIALECT)
    return exp.func(
        "coalesce", exp.func("len", distinct, copy=False, dialect=DIALECT), exp.Literal.number(0), copy=False
    )


def as_texts(table: tuple[str, str], columns: Sequence[str], *, of_column: bool) -> Statement:
    """The rows of a table as texts, which a cast to the types of its columns reads back; with ``of_column`` those of
    ``$column_name`` alone."""
    schema, name = table
    texts = [exp.alias_(exp.cast(quoted(column), "VARCHAR"), column, quoted=True) for column in columns]
    select = exp.select(*texts).from_(_table(name, schema))
    if of_column:
        select = select.where(exp.EQ(this=exp.column("column_name"), expression=exp.Placeholder(this="column_name")))
    parameters = frozenset({"column_name"}) if of_column else frozenset()
    return Statement("builder_taxonomy.as_texts", select.sql(DIALECT), parameters)


def table_of_texts(table: tuple[str, str], given: str, columns: Sequence[str], types: Sequence[str]) -> Statement:
    """Makes a table anew of texts that ``as_texts`` read."""
    schema, name = table
    query = _of_texts(given, columns, types)
    return created_table("builder_taxonomy.table_of_texts", _table(name, schema), query)


def nodes_of_texts(given: str, columns: Sequence[str], types: Sequence[str]) -> Statement:
    """Adds nodes of texts that ``as_texts`` read to ``taxonomy_nodes``."""
    added = exp.insert(_of_texts(given, columns, types), "taxonomy_nodes")
    return Statement("builder_taxonomy.nodes_of_texts", added.sql(DIALECT))


def _of_texts(given: str, columns: Sequence[str], types: Sequence[str]) -> exp.Select:
    named = zip(columns, types, strict=True)
    values = [exp.alias_(exp.cast(quoted(name), kind, dialect=DIALECT), name, quoted=True) for name, kind in named]
    return exp.select(*values).from_(exp.to_table(given))
