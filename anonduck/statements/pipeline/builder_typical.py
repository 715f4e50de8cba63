"""Statements of typical values: what each class shows in the place of its nodes, one part a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anonduck.statements.expressions import is_null, one_zero, quoted
from anonduck.statements.pipeline.builder_classes import (
    ASSIGNED,
    NODES,
    leaf_column,
    level_column,
    temporary,
)
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA, NodeColumn, summed_records, with_lookup
from anonduck.statements.pipeline.builder_released import EQUIVALENCE, numbered, shown_by_classes
from anonduck.statements.pipeline.column_names import code_column, value_column
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp

CHOSEN, MADE_TEXTS, RARE_LEAVES = "chosen_values", "made_texts", "rare_leaves"


@dataclass(frozen=True)
class TypicalTypes:
    """A column that shows typical values: its name, and whether its type has a minus zero.

    ``made`` is its DuckDB type where values may be made for it; None where they may not.
    """

    name: str
    made: str | None
    floating: bool


def typical_column(name: str) -> str:
    """The column of NODES with the leaf code that stands for what a class shows; -1 where that is no value."""
    return f"{name}@typical"


def made_column(name: str) -> str:
    """The column of CHOSEN with a round number, or date, that stands for the values of a class, as text."""
    return f"{name}@made"


def held_values(names: Sequence[str], staying: str) -> Statement:
    """The records of a set by equivalence class and values: ``#equivalence``, ``<column>@0`` and ``#records``."""
    shown = shown_by_classes(names, staying).subquery("s")
    select = exp.select(quoted(EQUIVALENCE, "s")).from_(shown)
    for place, name in enumerate(names):
        code = exp.func("coalesce", exp.column("code_0", table=f"l{place}"), exp.Literal.number(0))
        select = with_lookup(select, name, f"l{place}").select(
            exp.alias_(exp.cast(code, "BIGINT", dialect=DIALECT), code_column(name, 0), quoted=True)
        )
    select = select.select(summed_records())
    select.set("group", exp.Group(all=True))
    return Statement("builder_typical.held_values", select.sql(DIALECT, pretty=True))


def typical_nodes(names: Sequence[str], columns: Sequence[TypicalTypes]) -> Statement:
    """NODES with what CHOSEN says of the equivalence class of each class, in the place of labels and leaves.

    Levels stay. Where nothing was chosen for a class, or what was made does not fit the type, its label stays.
    """
    typed = {column.name: (place, column) for place, column in enumerate(columns)}
    nodes = exp.select("*", numbered([quoted(value_column(name)) for name in names])).from_(NODES).subquery("n")
    select = exp.select(quoted(ASSIGNED, "n")).from_(nodes)
    same = quoted(EQUIVALENCE, "n").eq(quoted(EQUIVALENCE, "c"))
    select = select.join(exp.to_table(CHOSEN).as_("c", table=True), on=same)
    for place, column in typed.values():
        lookup = exp.table_(column.name, db=LOOKUP_SCHEMA, quoted=True).as_(f"l{place}", table=True)
        on = quoted(code_column(column.name, 0), "c").eq(exp.column("code_0", table=f"l{place}"))
        select = select.join(lookup, on=on, join_type="left")
    for name in names:
        select = select.select(exp.alias_(quoted(level_column(name), "n"), level_column(name), quoted=True))
        if name in typed:
            select = select.select(*_typical(*typed[name]))
        else:
            kept = (value_column(name), leaf_column(name))
            select = select.select(*[exp.alias_(quoted(one, "n"), one, quoted=True) for one in kept])
    return temporary(NODES, select, "builder_typical.typical_nodes")


def held_by_few(name: str, kind: str) -> Statement:
    """Those of MADE_TEXTS that are, in the DuckDB type ``kind`` of a column, values of RARE_LEAVES: ``text``."""
    made = exp.TryCast(this=exp.column("text", table="m"), to=exp.DataType.build(kind, dialect=DIALECT))
    lookup = exp.table_(name, db=LOOKUP_SCHEMA, quoted=True).as_("l", table=True)
    select = exp.select(exp.column("text", table="m")).distinct().from_(exp.to_table(MADE_TEXTS).as_("m", table=True))
    select = select.join(lookup, on=exp.column("value", table="l").eq(made))
    rare = exp.to_table(RARE_LEAVES).as_("r", table=True)
    select = select.join(rare, on=exp.column("code", table="r").eq(exp.column("code_0", table="l")))
    return Statement("builder_typical.held_by_few", select.sql(DIALECT, pretty=True))


def text_of(name: str, code: int) -> Statement:
    """The value of a leaf code of a column, as text."""
    lookup = exp.table_(name, db=LOOKUP_SCHEMA, quoted=True)
    held = exp.column("code_0").eq(exp.Literal.number(code))
    select = exp.select(_text(exp.column("value"))).from_(lookup).where(held)
    return Statement("builder_typical.text_of", select.sql(DIALECT, pretty=True))


def labels_beside(column: NodeColumn) -> Statement:
    """The levels and labels of the nodes that a column of NODES still shows beside typical values, in their order."""
    level, label = quoted(level_column(column.name)), quoted(value_column(column.name))
    none = exp.LT(this=quoted(typical_column(column.name)), expression=exp.Literal.number(0))
    select = exp.select(level, label).distinct().from_(NODES).where(none)
    ordered = select.order_by(exp.Ordered(this=label.copy()), exp.Ordered(this=level.copy()))
    return Statement("builder_typical.labels_beside", ordered.sql(DIALECT, pretty=True))


def _typical(place: int, column: TypicalTypes) -> list[exp.Expr]:
    """Label, leaf and code of what each class shows of a column."""
    code, label = quoted(code_column(column.name, 0), "c"), quoted(value_column(column.name), "n")
    value = exp.column("value", table=f"l{place}")
    made: exp.Expr = exp.null()
    if column.made is not None:
        kind = exp.DataType.build(column.made, dialect=DIALECT)
        made = exp.TryCast(this=quoted(made_column(column.name), "c"), to=kind)
    chosen = exp.GTE(this=code.copy(), expression=exp.Literal.number(0))
    fits = exp.not_(is_null(made.copy()))
    leaf = exp.Case().when(chosen, one_zero(value) if column.floating else value).else_(made.copy())
    text = exp.Case().when(chosen.copy(), _text(leaf.copy())).when(fits, _text(made.copy())).else_(label)
    stands = exp.Case().when(chosen.copy(), code.copy()).when(fits.copy(), quoted(typical_column(column.name), "c"))
    return [
        exp.alias_(text, value_column(column.name), quoted=True),
        exp.alias_(leaf, leaf_column(column.name), quoted=True),
        exp.alias_(stands.else_(exp.Literal.number(-1)), typical_column(column.name), quoted=True),
    ]


def _text(value: exp.Expr) -> exp.Expr:
    return exp.cast(value, "VARCHAR", dialect=DIALECT)
