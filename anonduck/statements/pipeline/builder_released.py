"""The statement that tells what a release by classes makes of each record: its shape depends on the columns."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from anonduck.statements.pipeline.builder_classes import ASSIGNED, NODES, level_column
from anonduck.statements.pipeline.builder_frequency import CLASS, RECORDS, code_column, quoted, value_column
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA
from anonduck.statements.template import DIALECT, Statement

CELLS = "released_cells"
CLASS_VALUES = "released_class_values"
BLOCKS = "released_blocks"
EQUIVALENCE, STAYS, BLOCK = "#equivalence", "#stays", "#block"


def released_cells(
    names: Sequence[str], class_: str, *, rows: str, some: bool, split_by: str | None = None
) -> Statement:
    """``released_cells``: the records by leaf codes, the level that each column shows them at, and class.

    ``rows`` is ``release_set``, or with ``some`` the same rows with whether each stays. Equivalence classes are
    numbered by their labels; records that left have none if their class has no node, and level 0. With ``split_by``
    records are told apart by the block of that column's value in ``released_blocks`` too.
    """
    select = exp.select().from_(exp.to_table(rows).as_("s", table=True))
    for place, name in enumerate(names):
        select = select.select(_or_zero(exp.column("code_0", table=f"l{place}"), code_column(name, 0)))
    for name in names:
        select = select.select(_or_zero(quoted(level_column(name), "n"), level_column(name)))
    select = select.select(exp.alias_(exp.column("code", table="c"), CLASS, quoted=True))
    select = select.select(_or_zero(quoted(EQUIVALENCE, "n"), EQUIVALENCE))
    stays: exp.Expr = quoted(STAYS, "s") if some else exp.true()
    select = select.select(exp.alias_(stays, STAYS, quoted=True))
    if split_by is not None:
        select = select.select(exp.alias_(exp.column("block", table="b"), BLOCK, quoted=True))
    records = exp.cast(exp.Sum(this=quoted(RECORDS, "s")), "BIGINT", dialect=DIALECT)
    select = select.select(exp.alias_(records, RECORDS, quoted=True))
    select = _joined(select, names, class_, split_by)
    select.set("group", exp.Group(all=True))
    create = exp.Create(
        this=exp.table_(CELLS, quoted=True),
        kind="TABLE",
        replace=True,
        properties=exp.Properties(expressions=[exp.TemporaryProperty()]),
        expression=select,
    )
    return Statement("builder_released.released_cells", create.sql(DIALECT, pretty=True))


def _joined(select: exp.Select, names: Sequence[str], class_: str, split_by: str | None) -> exp.Select:
    """With the nodes of each row's class, the codes of its values, and its block."""
    same_class = quoted(ASSIGNED, "s").eq(quoted(ASSIGNED, "n"))
    select = select.join(_numbered(names).subquery("n"), on=same_class, join_type="left")
    for place, name in enumerate(names):
        lookup = exp.table_(name, db=LOOKUP_SCHEMA, quoted=True).as_(f"l{place}", table=True)
        on = quoted(value_column(name), "s").eq(exp.column("value", table=f"l{place}"))
        select = select.join(lookup, on=on, join_type="left")
    select = select.join(exp.to_table(CLASS_VALUES).as_("c", table=True), on=_same_value(class_, "c"))
    if split_by is not None:
        select = select.join(exp.to_table(BLOCKS).as_("b", table=True), on=_same_value(split_by, "b"))
    return select


def _numbered(names: Sequence[str]) -> exp.Select:
    """The nodes of the classes, with a number from 1 for each distinct combination of their labels."""
    ordered = exp.Order(expressions=[exp.Ordered(this=quoted(value_column(name))) for name in names])
    number = exp.Window(this=exp.Anonymous(this="dense_rank"), order=ordered)
    return exp.select("*", exp.alias_(number, EQUIVALENCE, quoted=True)).from_(NODES)


def _same_value(name: str, table: str) -> exp.Expr:
    return exp.NullSafeEQ(this=quoted(value_column(name), "s"), expression=exp.column("value", table=table))


def _or_zero(column: exp.Expr, name: str) -> exp.Expr:
    return exp.alias_(exp.func("coalesce", column, exp.Literal.number(0)), name, quoted=True)
