"""Statements of what a release by a method makes of each record: their shape depends on the columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonduck.statements.expressions import is_null, quoted
from anonduck.statements.pipeline.builder_classes import ASSIGNED, NODES, level_column, temporary
from anonduck.statements.pipeline.builder_cuts import cut_alias, cuts_joined
from anonduck.statements.pipeline.builder_release import (
    NodeColumn,
    RuleColumn,
    generalized,
    joined,
    looked_up,
    of_grouped_classes,
    pointed,
    records_of,
    summed_records,
    with_lookup,
)
from anonduck.statements.pipeline.column_names import CLASS, code_column, value_column
from anonduck.statements.template import Statement
from anonduck.statements.trees import exp

CELLS = "released_cells"
CLASS_VALUES = "released_class_values"
SECRETS = "shown_secrets"
EQUIVALENCE, STAYS = "#equivalence", "#stays"


def released_cells(names: Sequence[str], class_: str, *, shown: exp.Query, some: bool) -> Statement:
    """``released_cells``: the records by leaf codes, the level that each column shows them at, and class.

    ``shown`` has the rows of ``release_set`` with what they show, as ``shown_by_classes`` and its siblings select it;
    with ``some`` also whether each stays.
    """
    select = exp.select().from_(shown.subquery("s"))
    for place, name in enumerate(names):
        select = select.select(_or_zero(exp.column("code_0", table=f"l{place}"), code_column(name, 0)))
    for name in names:
        select = select.select(_or_zero(quoted(level_column(name), "s"), level_column(name)))
    select = select.select(exp.alias_(exp.column("code", table="c"), CLASS, quoted=True))
    select = select.select(_or_zero(quoted(EQUIVALENCE, "s"), EQUIVALENCE))
    stays: exp.Expr = quoted(STAYS, "s") if some else exp.true()
    select = select.select(exp.alias_(stays, STAYS, quoted=True))
    select = select.select(summed_records())
    select = _joined(select, names, class_)
    select.set("group", exp.Group(all=True))
    return temporary(CELLS, select, "builder_released.released_cells")


def shown_by_classes(names: Sequence[str], rows: str) -> exp.Select:
    """The rows of a set with the levels of the nodes of their classes, and numbers of equivalence classes, by labels.

    Records that left have neither if their class has no node.
    """
    told = [quoted(name, "n") for name in (*map(level_column, names), EQUIVALENCE)]
    same_class = quoted(ASSIGNED, "s").eq(quoted(ASSIGNED, "n"))
    nodes = exp.select("*", numbered([quoted(value_column(name)) for name in names])).from_(NODES)
    return records_of(rows).select(*told).join(nodes.subquery("n"), on=same_class, join_type="left")


def shown_secrets(names: Sequence[str], secret: str) -> Statement:
    """``shown_secrets``: the records of ``release_set`` by equivalence class and value of a sensitive column.

    Columns equivalence, secret, records. Records that left are not in it.
    """
    rows = shown_by_classes(names, "release_set").subquery("s")
    select = exp.select(
        exp.alias_(quoted(EQUIVALENCE, "s"), "equivalence"),
        exp.alias_(quoted(value_column(secret), "s"), "secret"),
        exp.alias_(summed_records().this, "records"),
    )
    select = select.from_(rows).where(exp.not_(is_null(quoted(EQUIVALENCE, "s"))))
    select.set("group", exp.Group(all=True))
    return temporary(SECRETS, select, "builder_released.shown_secrets")


def shown_by_cuts(names: Sequence[str], rows: str) -> exp.Select:
    """The same of cuts: each value has the node of its column's cut."""
    cuts = [NodeColumn(name) for name in names]
    levels = [exp.column("node_level", table=cut_alias(place)) for place in range(len(names))]
    labels: list[exp.Expr] = [exp.column("label", table=cut_alias(place)) for place in range(len(names))]
    return cuts_joined(records_of(rows).select(*_called(names, levels), numbered(labels)), cuts, raw=False)


def shown_by_levels(
    names: Sequence[str], columns: Sequence[RuleColumn], roots: Mapping[str, int], rows: str
) -> exp.Select:
    """The same of a rule: each value has the node of its column's level, the root where the rule does not name it.

    ``columns`` are the rule's; all are looked up. NULL has level 0 under the root, a value that its
    taxonomy does not know has the root's.
    """
    named = {column.name: column for column in columns}
    levels = [_level(named.get(name), roots[name]) for name in names]
    labels = [generalized(column, quoted(value_column(column.name), "s")) for column in columns]
    return joined(records_of(rows).select(*_called(names, levels), numbered(labels)), columns, raw=False)


def staying_levels(columns: Sequence[RuleColumn], grouped: str, target: str) -> Statement:
    """``target``: the rows of ``release_set`` whose equivalence class is in the grouped release of a rule."""
    shown = [(column, generalized(column, quoted(value_column(column.name), "s"))) for column in columns]
    select = of_grouped_classes(joined(records_of("release_set"), columns, raw=False), shown, grouped)
    return temporary(target, pointed(select, columns), "builder_released.staying_levels")


def _level(column: RuleColumn | None, root: int) -> exp.Expr:
    if column is None or column.level is None:
        return exp.Literal.number(root)
    null, unknown = (is_null(one) for one in (quoted(value_column(column.name), "s"), looked_up(column, "code_1")))
    level = exp.Case().when(null, exp.Literal.number(0)).when(unknown, exp.Literal.number(root))
    return level.else_(exp.Literal.number(column.level))


def _called(names: Sequence[str], levels: Sequence[exp.Expr]) -> list[exp.Expr]:
    return [exp.alias_(level, level_column(name), quoted=True) for name, level in zip(names, levels, strict=True)]


def numbered(labels: Sequence[exp.Expr]) -> exp.Expr:
    """A number from 1 for each distinct combination of labels."""
    ordered = exp.Order(expressions=[exp.Ordered(this=label) for label in labels])
    number = exp.Window(this=exp.Anonymous(this="dense_rank"), order=ordered)
    return exp.alias_(number, EQUIVALENCE, quoted=True)


def _joined(select: exp.Select, names: Sequence[str], class_: str) -> exp.Select:
    """With the codes of each row's values."""
    for place, name in enumerate(names):
        select = with_lookup(select, name, f"l{place}")
    same_class = exp.NullSafeEQ(this=quoted(value_column(class_), "s"), expression=exp.column("value", table="c"))
    return select.join(exp.to_table(CLASS_VALUES).as_("c", table=True), on=same_class)


def _or_zero(column: exp.Expr, name: str) -> exp.Expr:
    return exp.alias_(exp.func("coalesce", column, exp.Literal.number(0)), name, quoted=True)
