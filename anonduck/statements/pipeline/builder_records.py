"""Statements on new records that a rule is applied to, one by one: their values read as the source has them, labelled
and kept in their order."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from anonduck.statements.expressions import created_table, quoted
from anonduck.statements.pipeline.builder_frequency import RECORDS, value_column
from anonduck.statements.pipeline.builder_release import RuleColumn, generalized, joined
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp

PLACE = "#place"


def misfits(types: Mapping[str, str], texts: Collection[str], records: str) -> Statement:
    """One row: for each column, how many of its values are none of the type that it is to have, NULL aside.

    A value fits that is the same one afterwards; one of ``texts`` fits if it can be read.
    """
    counts = (_misfits(name, kind, same=name not in texts) for name, kind in types.items())
    return Statement("builder_records.misfits", exp.select(*counts).from_(records).sql(DIALECT, pretty=True))


def read_records(columns: Sequence[str], types: Mapping[str, str], records: str, table: str) -> Statement:
    """Write ``table``: one row per record, its values (``"<column>@value"``) cast where a type is given, its place."""
    values = [
        exp.alias_(_cast(name, types[name]) if name in types else quoted(name), value_column(name), quoted=True)
        for name in columns
    ]
    one = exp.alias_(exp.Literal.number(1), RECORDS, quoted=True)
    select = exp.select(*values, quoted(PLACE), one).from_(records)
    return created_table("builder_records.read_records", table, select)


def labelled_records(columns: Sequence[RuleColumn], table: str) -> Statement:
    """The records of ``read_records`` as a rule shows them, in their order; the lookups of the columns are there."""
    labels = [exp.alias_(generalized(c, quoted(value_column(c.name), "s")), c.name, quoted=True) for c in columns]
    select = exp.select(*labels).from_(exp.alias_(exp.to_table(table), "s", table=True))
    ordered = joined(select, columns, raw=False).order_by(exp.Ordered(this=quoted(PLACE, "s")))
    return Statement("builder_records.labelled_records", ordered.sql(DIALECT, pretty=True))


def _misfits(name: str, kind: str, *, same: bool) -> exp.Expr:
    there = exp.Not(this=exp.Is(this=quoted(name), expression=exp.null()))
    read = exp.TryCast(this=quoted(name), to=exp.DataType.build(kind, dialect=DIALECT))
    other = exp.NullSafeNEQ(this=read, expression=quoted(name)) if same else exp.Is(this=read, expression=exp.null())
    return exp.alias_(exp.CountIf(this=exp.and_(there, other)), name, quoted=True)


def _cast(name: str, kind: str) -> exp.Expr:
    return exp.Cast(this=quoted(name), to=exp.DataType.build(kind, dialect=DIALECT))
