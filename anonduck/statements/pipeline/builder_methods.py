"""Statements of a release by a method: what their shape depends on is the number of columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anonduck.statements.column_types import TEXT
from anonduck.statements.expressions import created_table, quoted
from anonduck.statements.pipeline.builder_classes import ASSIGNED, NODES, Assigner, leaf_column
from anonduck.statements.pipeline.builder_release import NodeColumn, records_of, with_lookup
from anonduck.statements.pipeline.column_names import CLASS, code_column, value_column
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp

COMBINATION = "#combination"
COMBINED = "combined_set"  # release_set with leaf codes, and the number of each combination of quasi-identifiers
FOUND = "found_classes"  # the class of each combination, as a method found it
COMBINATIONS = "assigned_combinations"  # the quasi-identifiers of each combination, and its class


def combined_set(names: Sequence[str], class_: str) -> Statement:
    """``combined_set``: each row of ``release_set`` with leaf codes, the number of its combination and its class code.

    Numbers start at 0, in the order of the codes; class codes at 1, in the order of the values. NULL is code 0.
    """
    codes = [_leaf(number) for number in range(len(names))]
    select = records_of("release_set")
    for name, code in zip(names, codes, strict=True):
        select = select.select(exp.alias_(code, code_column(name, 0), quoted=True))
    number = exp.Sub(this=_rank(codes), expression=exp.Literal.number(1))
    select = select.select(exp.alias_(number, COMBINATION, quoted=True))
    value = quoted(value_column(class_), "s")
    known = value.is_(exp.Null())
    code = exp.Case(ifs=[exp.If(this=known, true=exp.Literal.number(0))], default=_rank([value]))
    select = select.select(exp.alias_(code, CLASS, quoted=True))
    for place, name in enumerate(names):
        select = with_lookup(select, name, f"l{place}")
    return created_table("builder_methods.combined_set", COMBINED, select, temporary=True)


def _rank(ordered: Sequence[exp.Expr]) -> exp.Window:
    order = exp.Order(expressions=[exp.Ordered(this=one.copy(), nulls_first=False) for one in ordered])
    return exp.Window(this=exp.Anonymous(this="dense_rank"), order=order)


def _leaf(number: int) -> exp.Expr:
    return exp.func("coalesce", exp.column("code_0", table=f"l{number}"), exp.Literal.number(0))


def scanned_column(name: str) -> str:
    """The name of what the source has in a column of ``release_set`` that holds other values."""
    return f"{name}@scanned"


def scanned_set(names: Sequence[str]) -> Statement:
    """``release_set`` with the columns ``names`` a second time, as ``"<column>@scanned"``."""
    scanned = [exp.alias_(quoted(value_column(name), "s"), scanned_column(name), quoted=True) for name in names]
    return created_table("builder_methods.scanned_set", "release_set", records_of("release_set").select(*scanned))


def found_set(table: str, names: Sequence[str]) -> Statement:
    """``table``: the rows of ``combined_set`` with their assigned class, and without what that was found by."""
    coded = [*(code_column(name, 0) for name in names), COMBINATION, CLASS]
    star = exp.Star(except_=[exp.to_identifier(one, quoted=True) for one in coded])
    assigned = exp.alias_(exp.column("assigned", table="f"), ASSIGNED, quoted=True)
    select = exp.select(assigned, exp.Column(this=star, table=exp.to_identifier("s")))
    select = select.from_(exp.to_table(COMBINED).as_("s", table=True))
    select = select.join(exp.to_table(FOUND).as_("f", table=True), on=_same_combination())
    return created_table("builder_methods.found_set", table, select)


def assigned_combinations(names: Sequence[str], scanned: Callable[[str], str]) -> Statement:
    """``assigned_combinations``: the values of each combination of quasi-identifiers, called like them, and its class.

    Values that are equal but written differently, as minus zero is, are one combination. The column ``scanned`` of a
    name in ``combined_set`` has what the source has.
    """
    held = {name: quoted(scanned(name), "s") for name in names}
    values = [exp.alias_(exp.func("any_value", value), value_column(name), quoted=True) for name, value in held.items()]
    assigned = exp.alias_(exp.func("any_value", exp.column("assigned", table="f")), "assigned")
    select = exp.select(*values, assigned).from_(exp.to_table(COMBINED).as_("s", table=True))
    select = select.join(exp.to_table(FOUND).as_("f", table=True), on=_same_combination())
    beside = [value for name, value in held.items() if value.name != value_column(name)]
    select = select.group_by(quoted(COMBINATION, "s"), *beside)
    return created_table("builder_methods.assigned_combinations", COMBINATIONS, select, temporary=True)


def by_combination(names: Sequence[str]) -> Assigner:
    """``assigned_combinations``, whose values are in the quasi-identifiers of the source."""
    alike = [exp.NullSafeEQ(this=quoted(name, "s"), expression=quoted(value_column(name), "k")) for name in names]
    return Assigner(COMBINATIONS, exp.and_(*alike))


def combinations(names: Sequence[str], shown: Sequence[NodeColumn]) -> Statement:
    """The values of each combination of ``assigned_combinations`` and what it shows, as texts, in their order.

    The class of a combination is not among the columns.
    """
    values = [quoted(value_column(name), "k") for name in names]
    nodes = [quoted(leaf_column(c.name) if c.values else value_column(c.name), "n") for c in shown]
    select = exp.select(*[exp.cast(one, TEXT, dialect=DIALECT) for one in [*values, *nodes]])
    select = select.from_(exp.to_table(COMBINATIONS).as_("k", table=True))
    assigned = exp.column("assigned", table="k").eq(quoted("#assigned", "n"))
    select = select.join(exp.to_table(NODES).as_("n", table=True), on=assigned).order_by(
        *[one.copy() for one in values]
    )
    return Statement("builder_methods.combinations", select.sql(DIALECT, pretty=True))


def _same_combination() -> exp.Expr:
    return quoted(COMBINATION, "s").eq(exp.column("combination", table="f"))
