"""Statements of what a candidate shows of counted records, as the rows of a release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonduck.statements.expressions import created_table, quoted
from anonduck.statements.pipeline.builder_spread import ROW, ROWS
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp

VALUES, SHOWN = "yardstick_rows", "yardstick_shown"
AT, EQUIVALENT, REPEAT = "#at", "#equivalence", "#repeat"


def shown_rows(given: Mapping[str, str | None], beside: Mapping[str, str], records: str) -> Statement:
    """The temporary table ROWS: each record of VALUES that SHOWN has, numbered, with the number of its class.

    ``given`` are columns of SHOWN, all text, with the type that they take, None for labels; ``beside`` columns of
    VALUES, by what they are called there; ``records`` is its column of counts.
    """
    cells = [exp.alias_(_typed(quoted(name, "s"), kind), name, quoted=True) for name, kind in given.items()] + [
        exp.alias_(quoted(called, "v"), name, quoted=True) for name, called in beside.items()
    ]
    repeated = exp.alias_(exp.Unnest(expressions=[exp.func("range", quoted(records, "v"))]), REPEAT, quoted=True)
    select = (
        exp.select(quoted(AT, "v"), quoted(EQUIVALENT, "s"), *cells, repeated)
        .from_(exp.to_table(SHOWN).as_("s"))
        .join(exp.to_table(VALUES).as_("v"), on=exp.EQ(this=quoted(AT, "s"), expression=quoted(AT, "v")))
    )
    order = exp.Order(expressions=[exp.Ordered(this=quoted(AT)), exp.Ordered(this=quoted(REPEAT))])
    number = exp.alias_(exp.Window(this=exp.RowNumber(), order=order), ROW, quoted=True)
    columns = [quoted(name) for name in (EQUIVALENT, *given, *beside)]
    numbered = exp.select(number, *columns).from_(select.subquery("held"))
    return created_table("builder_yardstick.shown_rows", ROWS, numbered, temporary=True)


def _typed(text: exp.Expr, kind: str | None) -> exp.Expr:
    return text if kind is None else exp.cast(text, kind, dialect=DIALECT)


def typed_lookup(table: str, kind: str, levels: Sequence[str]) -> Statement:
    """A temporary table of the values of a column, which SHOWN has as text, with the labels of the nodes over them."""
    value = exp.alias_(exp.cast(quoted("value"), kind, dialect=DIALECT), "value", quoted=True)
    select = exp.select(value, quoted("code_0"), *map(quoted, levels)).from_(SHOWN)
    return created_table("builder_yardstick.typed_lookup", table, select, temporary=True)
