"""The finished table of a built taxonomy: one label and one code per level, so its shape depends on the levels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from sqlglot import exp, parse_one

from anonduck.statements.template import DIALECT, TEXTS_KEPT, Statement


@lru_cache(maxsize=TEXTS_KEPT)
def built_taxonomy(column: str, root: int) -> Statement:
    """Writes ``taxonomy."<column>"`` from the temporary tables ``placed`` (leaves) and ``nodes`` (levels 1 to root)."""
    create = exp.Create(
        this=_table(column),
        kind="TABLE",
        replace=True,
        expression=_joined_leaves(root).with_("paths", as_=_paths(root), materialized=True),
    )
    return Statement("builder_taxonomy.built_taxonomy", create.sql(DIALECT, pretty=True))


def renumbered_taxonomy(column: str, kept: Sequence[int]) -> Statement:
    """Rewrites ``taxonomy."<column>"`` with the levels ``kept`` (old numbers above the leaf, ascending)."""
    select = exp.select(exp.column("value")).from_(_table(column))
    select = select.select(*(exp.column(f"level_{old}").as_(f"level_{new}") for new, old in enumerate(kept, 1)))
    select = select.select("code_0", *(exp.column(f"code_{old}").as_(f"code_{new}") for new, old in enumerate(kept, 1)))
    create = exp.Create(this=_table(column), kind="TABLE", replace=True, expression=select.order_by("code_0"))
    return Statement("builder_taxonomy.renumbered_taxonomy", create.sql(DIALECT, pretty=True))


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
    return _kept("paths", _paths(root), "builder_taxonomy.kept_paths")


@lru_cache(maxsize=TEXTS_KEPT)
def taxonomy_of_paths(column: str, root: int) -> Statement:
    """Writes ``taxonomy."<column>"`` from ``placed`` (leaves) and ``paths``."""
    create = exp.Create(this=_table(column), kind="TABLE", replace=True, expression=_joined_leaves(root))
    return Statement("builder_taxonomy.taxonomy_of_paths", create.sql(DIALECT, pretty=True))


@lru_cache(maxsize=TEXTS_KEPT)
def bounds_of_paths(column: str, root: int) -> Statement:
    """Writes ``bounds."<column>"`` from ``starts`` and ``paths``: each level-1 interval's lower bound and its path."""
    select = exp.select(exp.column("lower", "starts")).select(*(f"paths.{name}" for name in path_columns(root)))
    select = select.from_("starts").join("paths", on="paths.code_1 = starts.position + 1")
    create = exp.Create(this=_table(column, "bounds"), kind="TABLE", replace=True, expression=select)
    return Statement("builder_taxonomy.bounds_of_paths", create.sql(DIALECT, pretty=True))


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
    create = exp.Create(this=_table(column, "bounds"), kind="TABLE", replace=True, expression=select)
    return Statement("builder_taxonomy.renumbered_bounds", create.sql(DIALECT, pretty=True))


def path_columns(root: int) -> list[str]:
    """The columns of a path: level_1 ... level_h, code_1 ... code_h."""
    return [f"{kind}_{level}" for kind in ("level", "code") for level in range(1, root + 1)]


def kept_rows(table: str, query: Statement) -> Statement:
    """Keeps the rows of a query as a temporary table."""
    return _kept(table, parse_one(query.sql, read=DIALECT), f"builder_taxonomy.kept_rows of {query.name}")


def _kept(table: str, query: exp.Expr, name: str) -> Statement:
    temporary = exp.Properties(expressions=[exp.TemporaryProperty()])
    create = exp.Create(this=exp.to_table(table), kind="TABLE", replace=True, properties=temporary, expression=query)
    return Statement(name, create.sql(DIALECT, pretty=True))


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
    kept = exp.Properties(expressions=[exp.TemporaryProperty()]) if temporary else None
    create = exp.Create(
        this=table, kind="TABLE", replace=True, expression=query.order_by("labels.value"), properties=kept
    )
    return Statement("builder_taxonomy.numbered", create.sql(DIALECT, pretty=True))


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
