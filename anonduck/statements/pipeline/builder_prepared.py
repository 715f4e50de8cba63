"""Statements of pre-processing: RELEASE_SET with other values in some columns, beside the source's values."""

from __future__ import annotations

from collections.abc import Sequence

from anonduck.statements.column_types import is_temporal
from anonduck.statements.expressions import created_table, is_null, quoted
from anonduck.statements.pipeline.builder_frequency import summed_records, value_column
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp

KNOWN_CODE, LEAST, LARGEST = "known_code_", "least_", "largest_"  # parameters, each with the place of its column


def scanned_column(name: str) -> str:
    """The name of what the source has in a column of RELEASE_SET that holds other values."""
    return f"{name}@scanned"


def scanned_columns(names: Sequence[str], prepared: Sequence[str]) -> list[str]:
    """The columns of RELEASE_SET with what the source has, of which ``prepared`` hold other values."""
    return [scanned_column(name) if name in prepared else value_column(name) for name in names]


def ranged_set(names: Sequence[str], ranged: Sequence[str]) -> Statement:
    """``release_set`` with the columns ``names`` a second time, as ``"<column>@scanned"``; the first ones have NULL
    where a number is outside its range.

    ``ranged`` are the columns that have a range: ``$least_0`` to ``$largest_0`` is that of the first.
    """
    within = []
    for place, name in enumerate(ranged):
        value = quoted(value_column(name), "s")
        least, largest = exp.Placeholder(this=f"{LEAST}{place}"), exp.Placeholder(this=f"{LARGEST}{place}")
        beyond = exp.or_(exp.LT(this=value, expression=least), exp.GT(this=value.copy(), expression=largest))
        within.append(_called(exp.Case().when(beyond, exp.null()).else_(value.copy()), value_column(name)))
    scanned = [_called(quoted(value_column(name), "s"), scanned_column(name)) for name in names]
    bound = {f"{end}{place}" for place in range(len(ranged)) for end in (LEAST, LARGEST)}
    return _replaced(within, scanned, "builder_prepared.ranged_set", bound)


def imputed_set(names: Sequence[str]) -> Statement:
    """``release_set`` with a value in the place of NULL: of the leaf ``$known_code_0`` in the first column."""
    imputed = []
    for place, name in enumerate(names):
        leaf = exp.column("code_0", table="l").eq(exp.Placeholder(this=f"{KNOWN_CODE}{place}"))
        lookup = exp.table_(name, db=LOOKUP_SCHEMA, quoted=True).as_("l", table=True)
        value = exp.select(exp.func("min", exp.column("value", table="l"))).from_(lookup).where(leaf).subquery()
        given = exp.func("coalesce", quoted(value_column(name), "s"), value)
        imputed.append(_called(given, value_column(name)))
    bound = {f"{KNOWN_CODE}{place}" for place in range(len(names))}
    return _replaced(imputed, [], "builder_prepared.imputed_set", bound)


def known_values(name: str, kind: str, *, number: bool) -> Statement:
    """The values of a column in ``release_set`` that its taxonomy knows, in the order of their leaves.

    Columns code, of the leaf, records, and of a ``number`` or a date also number: in seconds of the latter.
    """
    value = exp.column("value", table="l")
    select = exp.select(exp.alias_(exp.column("code_0", table="l"), "code"))
    select = select.select(exp.alias_(summed_records().this, "records"))
    if number:
        read = exp.func("epoch", value) if is_temporal(kind) else value.copy()
        read = exp.cast(exp.func("any_value", read), "DOUBLE", dialect=DIALECT)
        select = select.select(exp.alias_(read, "number"))
    lookup = exp.table_(name, db=LOOKUP_SCHEMA, quoted=True).as_("l", table=True)
    select = select.from_(exp.to_table("release_set").as_("s", table=True))
    select = select.join(lookup, on=quoted(value_column(name), "s").eq(value.copy()))
    select = select.where(exp.not_(is_null(exp.column("code_1", table="l"))))
    select = select.group_by(exp.column("code_0", table="l")).order_by(exp.column("code_0", table="l"))
    return Statement("builder_prepared.known_values", select.sql(DIALECT, pretty=True))


def _called(value: exp.Expr, name: str) -> exp.Expr:
    return exp.alias_(value, name, quoted=True)


def _replaced(others: Sequence[exp.Expr], beside: Sequence[exp.Expr], name: str, bound: set[str]) -> Statement:
    """``release_set`` with columns replaced, and others beside."""
    star = exp.Star(replace=list(others)) if others else exp.Star()
    select = exp.select(exp.Column(this=star, table=exp.to_identifier("s")), *beside)
    select = select.from_(exp.to_table("release_set").as_("s", table=True))
    return created_table(name, "release_set", select, parameters=frozenset(bound))
