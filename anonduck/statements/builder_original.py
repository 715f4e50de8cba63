"""Statements of an audit with the original: distinct rows of a release by distributions, and of what it was made of."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from anonduck.statements.template import DIALECT, Statement

RECORDS = "records"


def distinct_rows(columns: Sequence[str], distribution: str | None = None) -> Statement:
    """The distinct rows of ``release`` in their order: the columns as text, ``a_1`` and so on, and their ``records``.

    A column of distributions comes after them as JSON text: an object that was a map, a text that was JSON.
    """
    values = [
        exp.alias_(exp.cast(exp.column(name, quoted=True), "VARCHAR", dialect=DIALECT), f"a_{number}")
        for number, name in enumerate(columns, start=1)
    ]
    if distribution is not None:
        shares = exp.Anonymous(this="to_json", expressions=[exp.column(distribution, quoted=True)])
        values.append(exp.alias_(exp.cast(shares, "VARCHAR", dialect=DIALECT), f"a_{len(columns) + 1}"))
    count = exp.alias_(exp.Count(this=exp.Star()), RECORDS)
    select = exp.select(*values, count).from_("release")
    select.set("group", exp.Group(all=True))
    select = select.order_by(*[exp.Ordered(this=exp.Literal.number(at)) for at in range(1, len(values) + 1)])
    return Statement("builder_original.distinct_rows", select.sql(DIALECT, pretty=True))
