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
    labels = (exp.alias_(_label(level, "leaves"), f"level_{level}", copy=False) for level in range(1, root + 1))
    query = query.select(*labels, copy=False)
    query = query.select(_integer(exp.column(position, "leaves"), "code_0"), copy=False)
    for level in range(1, root + 1):
        nodes = f"nodes_{level}"
        same = exp.EQ(this=exp.column("label", nodes), expression=_label(level, "leaves"))
        query = query.with_(nodes, as_=_nodes(level, position), copy=False).join(nodes, on=same, copy=False)
        query = query.select(_integer(exp.column("code", nodes), f"code_{level}"), copy=False)
    query = query.order_by(exp.column(position, "leaves"), copy=False)
    target = exp.table_(exp.to_identifier(column, quoted=True), db="taxonomy")
    create = exp.Create(this=target, kind="TABLE", replace=True, expression=query)
    return Statement("builder_hierarchy.imported_taxonomy", create.sql(DIALECT, pretty=True, copy=False))


def _nodes(level: int, position: str) -> exp.Select:
    first = exp.Min(this=exp.column(position))
    order = exp.Window(this=exp.RowNumber(), order=exp.Order(expressions=[exp.Ordered(this=first)]))
    return select(_label(level).as_("label"), order.as_("code")).from_(LEAVES).group_by(_label(level), copy=False)


def _label(level: int, table: str | None = None) -> exp.Func:
    return exp.func("list_extract", exp.column("path", table), exp.Literal.number(level), copy=False, dialect=DIALECT)


def _integer(value: exp.Expr, name: str) -> exp.Expr:
    return exp.alias_(exp.cast(value, "INTEGER", copy=False), name, copy=False)
