"""The taxonomy of an imported hierarchy: one label and one code per level, so its shape depends on the levels."""

from __future__ import annotations

from sqlglot import exp, select

from anonduck.statements.template import DIALECT, Statement

LEAVES = "hierarchy_leaves"


def imported_taxonomy(column: str, root: int, position: str) -> Statement:
    """The statement that writes ``taxonomy."<column>"`` from ``hierarchy_leaves``.

    ``root`` is the number of levels above the leaf; ``position`` names the column (``by_value`` or ``by_line``) whose
    order numbers the nodes of each level by their first leaf, from 1.
    """
    query = select(exp.column("value", "leaves")).from_(exp.to_table(LEAVES).as_("leaves"))
    query = query.select(*(_label(level, "leaves").as_(f"level_{level}") for level in range(1, root + 1)))
    query = query.select(_integer(exp.column(position, "leaves")).as_("code_0"))
    for level in range(1, root + 1):
        nodes = f"nodes_{level}"
        query = query.with_(nodes, as_=_nodes(level, position))
        query = query.join(nodes, on=exp.EQ(this=exp.column("label", nodes), expression=_label(level, "leaves")))
        query = query.select(_integer(exp.column("code", nodes)).as_(f"code_{level}"))
    query = query.order_by(exp.column(position, "leaves"))
    target = exp.table_(exp.to_identifier(column, quoted=True), db="taxonomy")
    create = exp.Create(this=target, kind="TABLE", replace=True, expression=query)
    return Statement("builder_hierarchy.imported_taxonomy", create.sql(DIALECT, pretty=True))


def _nodes(level: int, position: str) -> exp.Select:
    first = exp.Min(this=exp.column(position))
    order = exp.Window(this=exp.RowNumber(), order=exp.Order(expressions=[exp.Ordered(this=first)]))
    return select(_label(level).as_("label"), order.as_("code")).from_(LEAVES).group_by(_label(level))


def _label(level: int, table: str | None = None) -> exp.Func:
    return exp.func("list_extract", exp.column("path", table), exp.Literal.number(level), dialect=DIALECT)


def _integer(value: exp.Expr) -> exp.Cast:
    return exp.cast(value, "INTEGER")
