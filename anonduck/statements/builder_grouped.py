"""Statements about a table by the distinct combinations of its values: grouped, and what grouped tables have in common.

Column 1 is ``a_1`` in a grouped table, its value as text.
"""

from __future__ import annotations

from collections.abc import Sequence

from anonduck.statements.column_readings import ColumnReading
from anonduck.statements.column_types import TEXT
from anonduck.statements.expressions import created_table, is_null, named_table, quoted
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp


def grouped(table: str, columns: Sequence[str], *, counted: str | None = None, hashed: bool = False) -> Statement:
    """``table``: each distinct combination of the columns' values in ``release``, as text, with its number of records.

    ``counted`` names a table with the column "#records" that is read in place of ``release``. With ``hashed`` a hash
    stands in place of each value.
    """
    texts = [exp.cast(quoted(name, "release"), "VARCHAR") for name in columns]
    values = [
        exp.alias_(exp.func("hash", text) if hashed else text, f"a_{number}")
        for number, text in enumerate(texts, start=1)
    ]
    records = "count(*) AS records" if counted is None else 'sum("#records")::BIGINT AS records'
    source = exp.to_table("release" if counted is None else counted).as_("release", table=True)
    select = exp.select(*values, records, dialect=DIALECT).from_(source)
    select.set("group", exp.Group(all=True))
    return created(table, select)


def counted_texts(columns: Sequence[str], relation: str | tuple[str, str], records: str | None = None) -> Statement:
    """``counted_texts``: each distinct value of each column, as text, with its records, by one scan; NULL is left out.

    ``place`` is that of the column among ``columns``, from 0. A row stands for as many records as its column
    ``records`` says, by default for one.
    """
    parts = (relation,) if isinstance(relation, str) else relation
    texts = [exp.alias_(exp.cast(quoted(name), "VARCHAR"), f"a_{place}") for place, name in enumerate(columns)]
    weight = exp.Literal.number(1) if records is None else quoted(records)
    read = exp.select(*texts, exp.alias_(weight, "weight")).from_(named_table(parts))
    values = [exp.column(f"a_{place}") for place in range(len(columns))]
    which = exp.Case()
    for place, value in enumerate(values):
        of_it = exp.EQ(
            this=exp.Anonymous(this="grouping", expressions=[value.copy()]), expression=exp.Literal.number(0)
        )
        which = which.when(of_it, exp.Literal.number(place))
    text = values[0].copy() if len(values) == 1 else exp.func("coalesce", *[value.copy() for value in values])
    select = exp.select(
        exp.alias_(which, "place"), exp.alias_(text, "value"), exp.alias_(exp.Sum(this=exp.column("weight")), "records")
    ).from_(read.subquery("texts"))
    sets = [exp.Tuple(expressions=[value.copy()]) for value in values]
    select.set("group", exp.Group(grouping_sets=[exp.GroupingSets(expressions=sets)]))
    held = exp.select("*").from_(select.subquery("counted")).where(exp.not_(is_null(exp.column("value"))))
    return created_table("builder_grouped.counted_texts", "counted_texts", held, temporary=True)


def texts_of_lookups(columns: Sequence[str], schema: str) -> Statement:
    """``counted_texts`` of the values and records of lookups, the tables of a schema; see ``counted_texts``."""
    parts = []
    for place, name in enumerate(columns):
        text = exp.cast(quoted("value"), "VARCHAR")
        select = exp.select(exp.alias_(exp.Literal.number(place), "place"), exp.alias_(text, "value"))
        select = select.select(exp.alias_(exp.Sum(this=quoted("records")), "records")).from_(
            named_table((schema, name))
        )
        parts.append(select.where(exp.not_(is_null(quoted("value")))).group_by(text.copy()))
    held = parts[0] if len(parts) == 1 else exp.union(*parts, distinct=False)
    return created_table("builder_grouped.texts_of_lookups", "counted_texts", held, temporary=True)


def as_text(table: str, columns: Sequence[str]) -> Statement:
    """The rows of ``table``, some columns as text."""
    select = exp.select(ColumnReading(dict.fromkeys(columns, TEXT)).star()).from_(table)
    return Statement("builder_grouped.as_text", select.sql(DIALECT, pretty=True))


def put_together(ours: str, theirs: str, columns: int) -> Statement:
    """One number: the chance that a record whose values are drawn from ``theirs``, each column on its own, is a row of
    ``ours``; both are grouped tables.
    """
    select = exp.select(
        f"coalesce(sum({' * '.join(f's{number}.share' for number in range(1, columns + 1))}), 0.0)::DOUBLE AS chance",
        dialect=DIALECT,
    ).from_(exp.alias_(exp.to_table(ours), "o", table=True))
    for number in range(1, columns + 1):
        shares = (
            exp.select(
                f"a_{number} AS value", "sum(records)::DOUBLE / sum(sum(records)) OVER () AS share", dialect=DIALECT
            )
            .from_(theirs)
            .group_by(f"a_{number}")
        )
        select = select.join(
            shares.subquery(f"s{number}"),
            on=f"s{number}.value IS NOT DISTINCT FROM o.a_{number}",
            dialect=DIALECT,
        )
    return Statement("builder_grouped.put_together", select.sql(DIALECT, pretty=True))


def values(table: str, source: str, numbers: Sequence[int]) -> Statement:
    """``table``: attribute, value, records, one row per attribute and distinct value of the grouped table
    ``source``.
    """
    parts = [
        exp.select(
            f"{number}::INTEGER AS attribute",
            f"a_{number} AS value",
            "sum(records)::BIGINT AS records",
            dialect=DIALECT,
        )
        .from_(source)
        .group_by(f"a_{number}")
        for number in numbers
    ]
    return created(table, parts[0] if len(parts) == 1 else exp.union(*parts, distinct=False))


def created(table: str, select: exp.Query, parameters: frozenset[str] = frozenset()) -> Statement:
    """A temporary table of a query."""
    return created_table(f"builder_grouped.{table}", table, select, temporary=True, parameters=parameters)


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
    return Statement("builder_grouped.distinct_rows", select.sql(DIALECT, pretty=True))
