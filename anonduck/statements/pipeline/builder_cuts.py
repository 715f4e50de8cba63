"""Statements of a release by cuts: a lookup per column, from its values to the nodes of its cut."""

from __future__ import annotations

from collections.abc import Sequence

from anonduck.statements.column_types import TEXT
from anonduck.statements.expressions import is_null, one_zero, quoted
from anonduck.statements.pipeline.builder_classes import per_combination, temporary
from anonduck.statements.pipeline.builder_release import (
    LOOKUP_SCHEMA,
    NodeColumn,
    RuleColumn,
    grouped_rows,
    of_grouped_classes,
    records_of,
)
from anonduck.statements.pipeline.column_names import value_column
from anonduck.statements.row_order import dealt_as_they_come
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp

CUT_CODES = "cut_codes"  # the level at which each leaf code of a column is shown


def cut_table(name: str) -> str:
    """The temporary table of a column's cut: each value with level and label of its node, and the leaf if it is one."""
    return f"{name} cut"


def cut_lookup(name: str, root: int, *, floating: bool) -> Statement:
    """The cut of a column: value, node_level, label, leaf; from its lookup and ``cut_codes``.

    NULL is a value beside all nodes under the root; one that its taxonomy does not know has no node but the root.
    ``$root_label`` is the root's.
    """
    column, known = exp.column, exp.not_(is_null(exp.column("code_1", table="l")))
    value = one_zero(column("value", table="l")) if floating else column("value", table="l")
    level, label = exp.Case(), exp.Case()
    for number in range(root):
        here = exp.and_(known.copy(), column("shown_level", table="c").eq(exp.Literal.number(number)))
        text = column(f"level_{number}", table="l") if number else exp.cast(value.copy(), "VARCHAR", dialect=DIALECT)
        level, label = level.when(here, exp.Literal.number(number)), label.when(here.copy(), text)
    leaf = exp.Case().when(exp.and_(known, column("shown_level", table="c").eq(exp.Literal.number(0))), value)
    select = exp.select(
        column("value", table="l"),
        exp.alias_(level.else_(exp.Literal.number(root)), "node_level"),
        exp.alias_(label.else_(exp.cast(exp.Placeholder(this="root_label"), "VARCHAR", dialect=DIALECT)), "label"),
        exp.alias_(leaf, "leaf"),
    )
    lookup = exp.table_(name, db=LOOKUP_SCHEMA, quoted=True).as_("l", table=True)
    codes = exp.to_table(CUT_CODES).as_("c", table=True)
    select = select.from_(lookup).join(codes, on=column("code_0", table="l").eq(column("leaf_code", table="c")))
    every = exp.union(select, _of_null(root), distinct=False)
    return temporary(cut_table(name), every, "builder_cuts.cut_lookup", {"root_label"})


def _of_null(root: int) -> exp.Select:
    """The row of NULL."""
    level, null = exp.column("shown_level"), exp.null()
    at_root = exp.Case().when(level.eq(exp.Literal.number(root)), exp.Placeholder(this="root_label"))
    select = exp.select(null, level, at_root, null.copy()).from_(CUT_CODES)
    return select.where(exp.column("leaf_code").eq(exp.Literal.number(0)))


def grouped_cuts(columns: Sequence[NodeColumn | RuleColumn], table: str, *, held: str) -> Statement:
    """``table``: each distinct released combination (``"<column>@value"``) with its records, from the set ``held``."""
    shown = [_shown(column, number, value_column(column.name)) for number, column in enumerate(columns)]
    values = [
        exp.alias_(value, value_column(column.name), quoted=True) for value, column in zip(shown, columns, strict=True)
    ]
    select = exp.select(*values).from_(exp.to_table(held).as_("s", table=True))
    return grouped_rows("builder_cuts.grouped_cuts", table, cuts_joined(select, columns, raw=False))


def staying_cuts(columns: Sequence[NodeColumn | RuleColumn], grouped: str, target: str) -> Statement:
    """``target``: the rows of ``release_set`` whose equivalence class is in the grouped release."""
    shown = [(column, _shown(column, number, value_column(column.name))) for number, column in enumerate(columns)]
    select = of_grouped_classes(cuts_joined(records_of("release_set"), columns, raw=False), shown, grouped)
    return temporary(target, select, "builder_cuts.staying_cuts")


def cut_rows(columns: Sequence[NodeColumn | RuleColumn], alike: Sequence[str], staying: str | None) -> exp.Select:
    """The rows of a release by cuts that keeps columns: from the source, in the order of a release's rows.

    With ``staying`` only records are in it whose values in the columns ``alike`` are those of a row of that set.
    """
    shown = [exp.alias_(_shown(column, n, column.name), column.name, quoted=True) for n, column in enumerate(columns)]
    select = exp.select(*shown).from_(exp.to_table("source").as_("s", table=True))
    select = cuts_joined(select, columns, raw=True)
    if staying is not None:
        same = [
            exp.NullSafeEQ(this=quoted(name, "s"), expression=quoted(value_column(name), "h"))
            for name in dict.fromkeys(alike)
        ]
        select = select.join(exp.to_table(staying).as_("h", table=True), on=exp.and_(*same), join_type="semi")
    ordered = select.order_by(*[exp.Ordered(this=exp.Literal.number(i)) for i in range(1, len(columns) + 1)])
    return dealt_as_they_come(ordered, [column.name for column in columns])


def shown_combinations(columns: Sequence[NodeColumn | RuleColumn], keys: Sequence[str], staying: str) -> Statement:
    """What each combination of the columns ``keys`` shows in the columns of cuts, of those in the set ``staying``.

    ``key_0, ...`` are the combination, ``shown_0, ...`` what it shows.
    """
    shown = [
        _shown(column, place, column.name) for place, column in enumerate(columns) if isinstance(column, NodeColumn)
    ]
    select = per_combination([*map(value_column, keys)], shown).from_(exp.to_table(staying).as_("s", table=True))
    select = cuts_joined(select, columns, raw=False)
    return Statement("builder_cuts.shown_combinations", select.sql(DIALECT, pretty=True))


def cut_values(column: NodeColumn) -> Statement:
    """The values of a column's cut and what each shows, as texts, in their order."""
    shown = [exp.column("value"), exp.column("leaf" if column.values else "label")]
    select = exp.select(*[exp.cast(one, TEXT, dialect=DIALECT) for one in shown])
    select = select.from_(exp.table_(cut_table(column.name), quoted=True)).order_by(shown[0].copy())
    return Statement("builder_cuts.cut_values", select.sql(DIALECT, pretty=True))


def cuts_joined(select: exp.Select, columns: Sequence[NodeColumn | RuleColumn], *, raw: bool) -> exp.Select:
    """The select with the cut of each column joined to it."""
    for number, column in enumerate(columns):
        if isinstance(column, NodeColumn):
            alias = cut_alias(number)
            value = quoted(column.name if raw else value_column(column.name), "s")
            cut = exp.table_(cut_table(column.name), quoted=True).as_(alias, table=True)
            select = select.join(cut, on=exp.NullSafeEQ(this=value, expression=exp.column("value", table=alias)))
    return select


def cut_alias(number: int) -> str:
    """What a select calls the cut of its column of that number."""
    return f"c{number}"


def _shown(column: NodeColumn | RuleColumn, number: int, kept: str) -> exp.Expr:
    """What a release shows of a column: the node of its value, or the value itself of one that is kept."""
    if isinstance(column, NodeColumn):
        return exp.column("leaf" if column.values else "label", table=cut_alias(number))
    value = quoted(kept, "s")
    return one_zero(value) if column.floating else value
