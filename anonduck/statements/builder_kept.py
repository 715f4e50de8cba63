"""How many records hold the values of columns, and the combinations of all columns, as one query of one scan.

DuckDB asks it of an audited file, and a warehouse of an audited table.
"""

from __future__ import annotations

from collections.abc import Sequence

from anonduck.statements.expressions import quoted
from anonduck.statements.template import DIALECT, Statement, kept_by_shape
from anonduck.statements.trees import exp

ALL_COLUMNS = -1
NUMBERS = 4
"""How many columns of the result are numbers; after them comes what the flags hold."""


def sizes_of(
    table: str, kept: Sequence[str], others: Sequence[str], entity: str | None = None, dialect: str = DIALECT
) -> Statement:
    """``group_sizes`` of a table or view, in a dialect."""
    if dialect == DIALECT:
        return _sizes_in_duckdb(table, kept, others, entity)
    return _sizes(table, kept, others, entity, dialect)


@kept_by_shape("table")
def _sizes_in_duckdb(table: str, kept: Sequence[str], others: Sequence[str], entity: str | None) -> Statement:
    return _sizes(table, kept, others, entity, DIALECT)


def _sizes(table: str, kept: Sequence[str], others: Sequence[str], entity: str | None, dialect: str) -> Statement:
    select = group_sizes(exp.to_table(table).as_("t", table=True), kept, others, entity)
    return Statement("builder_kept.sizes_of", select.sql(dialect, pretty=True))


@kept_by_shape("table")
def sizes_of_counted(
    table: str, kept: Sequence[str], others: Sequence[str], entity: str | None, records: str
) -> Statement:
    """The same of a table whose rows stand for as many records as its column ``records`` says, in DuckDB."""
    select = group_sizes(exp.to_table(table).as_("t", table=True), kept, others, entity, records=records)
    return Statement("builder_kept.sizes_of_counted", select.sql(DIALECT, pretty=True))


def group_sizes(
    rows: exp.Expr,
    kept: Sequence[str],
    others: Sequence[str],
    entity: str | None = None,
    flags: Sequence[exp.Expr] = (),
    records: str | None = None,
) -> exp.Select:
    """A row per place and number of holders: place, holders, held, records, and whether any of the ``flags`` holds.

    ``rows`` is called t, and ``kept`` has at least one column. Place 0 is the first kept column, ALL_COLUMNS stands for
    the combinations of kept and other columns; of one column in all, that is place 0 too. ``held`` values or
    combinations have so many ``holders``, in ``records`` records. A holder is a record, or a value of ``entity``. NULL
    is a value of its own, and one person. A row is a record, or as many as its column ``records`` says.
    """
    columns = [quoted(name, "t") for name in (*kept, *others)]
    whole = [exp.Tuple(expressions=_copies(columns))] if len(columns) > 1 else []
    single = [exp.Tuple(expressions=[one.copy()]) for one in columns[: len(kept)]]
    count = exp.Count(this=exp.Star(), big_int=True)
    number = count if records is None else exp.cast(exp.Sum(this=quoted(records, "t")), "BIGINT")
    grouped = exp.select(
        exp.alias_(_place(columns, len(kept)), "place"),
        exp.alias_(number.copy() if entity is None else _persons(entity), "holders"),
        exp.alias_(number.copy(), "records"),
        *flags,
    ).from_(rows)
    grouped.set("group", exp.Group(grouping_sets=[exp.GroupingSets(expressions=[*single, *whole])]))
    select = exp.select(
        exp.column("place", table="g"),
        exp.column("holders", table="g"),
        exp.alias_(count, "held"),
        exp.alias_(exp.cast(exp.Sum(this=exp.column("records", table="g")), "BIGINT"), "records"),
        *[
            exp.alias_(exp.Anonymous(this="bool_or", expressions=[exp.column(one.alias, table="g")]), one.alias)
            for one in flags
        ],
    )
    return select.from_(grouped.subquery("g")).group_by(
        exp.column("place", table="g"), exp.column("holders", table="g")
    )


def _place(columns: Sequence[exp.Expr], kept: int) -> exp.Expr:
    """Which grouping set a row is of: only that of all columns groups by two of them."""
    marked = [
        exp.EQ(this=exp.Anonymous(this="GROUPING", expressions=[one.copy()]), expression=exp.Literal.number(0))
        for one in columns
    ]
    cases = [exp.If(this=one.copy(), true=exp.Literal.number(place)) for place, one in enumerate(marked[:kept])]
    if len(columns) > 1:
        both = exp.and_(marked[0].copy(), marked[1].copy())
        cases.insert(0, exp.If(this=both, true=exp.Literal.number(ALL_COLUMNS)))
    return exp.Case(ifs=cases)


def _persons(entity: str) -> exp.Expr:
    person = quoted(entity, "t")
    known = exp.Count(this=exp.Distinct(expressions=[person]), big_int=True)
    nameless = exp.Case().when(exp.Is(this=person.copy(), expression=exp.null()), exp.Literal.number(1))
    return exp.Add(this=known, expression=exp.Max(this=nameless.else_(exp.Literal.number(0))))


def _copies(columns: Sequence[exp.Expr]) -> list[exp.Expr]:
    return [one.copy() for one in columns]
