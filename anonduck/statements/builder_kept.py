"""How many records hold the values of columns, and the combinations of all columns, as one query of one scan.

DuckDB asks it of an audited file, and a warehouse of an audited table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from anonduck.statements.expressions import quoted
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp

Sets = Literal["both", "single", "whole"]
"""What is counted: the kept columns, the combinations of all columns, or both."""
ALL_COLUMNS = -1
NUMBERS = 4
"""How many columns of the result are numbers; after them comes what the flags hold."""


def sizes_of(
    table: str, kept: Sequence[str], others: Sequence[str], entity: str | None = None, dialect: str = DIALECT
) -> Statement:
    """``group_sizes`` of a table or view, in a dialect.

    Spark counts the kept columns and the combinations of all columns each by themselves: for sets that are grouped
    together it copies each record once a set, with all columns, and sorts the copies on disk where most combinations
    differ.
    """
    if dialect == DIALECT:
        return _sizes_in_duckdb(table, kept, others, entity, "both")
    rows = exp.to_table(table).as_("t", table=True)
    apart = [group_sizes(rows.copy(), kept, others, entity, sets=sets) for sets in ("single", "whole")]
    sizes = exp.union(*apart, distinct=False) if len(kept) + len(others) > 1 else apart[0]
    return Statement("builder_kept.sizes_of", sizes.sql(dialect, pretty=True))


def combinations_of_all(table: str, kept: Sequence[str], others: Sequence[str]) -> Statement:
    """The part of ``sizes_of`` that is of the combinations of all columns, in DuckDB."""
    return _sizes_in_duckdb(table, kept, others, None, "whole")


def _sizes_in_duckdb(
    table: str, kept: Sequence[str], others: Sequence[str], entity: str | None, sets: Sets
) -> Statement:
    select = group_sizes(exp.to_table(table).as_("t", table=True), kept, others, entity, sets=sets)
    return Statement("builder_kept.sizes_of", select.sql(DIALECT, pretty=True))


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
    sets: Sets = "both",
) -> exp.Select:
    """A row per place and number of holders: place, holders, held, records, and whether any of the ``flags`` holds.

    ``rows`` is called t, and ``kept`` has at least one column. Place 0 is the first kept column, ALL_COLUMNS stands for
    the combinations of kept and other columns; of one column in all, that is place 0 too. ``held`` values or
    combinations have so many ``holders``, in ``records`` records. A holder is a record, or a value of ``entity``. NULL
    is a value of its own, and one person. A row is a record, or as many as its column ``records`` says. With ``sets``,
    there are only the places of the kept columns, or only ALL_COLUMNS.
    """
    columns = [quoted(name, "t") for name in (*kept, *others)]
    grouped_by = {place: [one] for place, one in enumerate(columns[: len(kept)]) if sets != "whole"}
    if len(columns) > 1 and sets != "single":
        grouped_by[ALL_COLUMNS] = columns
    count = exp.Count(this=exp.Star(), big_int=True)
    number = count if records is None else exp.cast(exp.Sum(this=quoted(records, "t")), "BIGINT")
    grouped = exp.select(
        exp.alias_(_place(grouped_by), "place"),
        exp.alias_(number.copy() if entity is None else _persons(entity), "holders"),
        exp.alias_(number.copy(), "records"),
        *flags,
    ).from_(rows)
    grouped.set("group", _group(list(grouped_by.values())))
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


def _group(sets: Sequence[Sequence[exp.Expr]]) -> exp.Group:
    if len(sets) == 1:
        return exp.Group(expressions=_copies(sets[0]))
    listed = [exp.Tuple(expressions=_copies(columns)) for columns in sets]
    return exp.Group(grouping_sets=[exp.GroupingSets(expressions=listed)])


def _place(sets: Mapping[int, Sequence[exp.Expr]]) -> exp.Expr:
    """Which grouping set a row is of: only that of all columns groups by two of them."""
    if len(sets) == 1:
        return exp.Literal.number(next(iter(sets)))
    cases = []
    for place in sorted(sets):  # that of all columns first
        marked = [
            exp.EQ(this=exp.Anonymous(this="GROUPING", expressions=[one.copy()]), expression=exp.Literal.number(0))
            for one in sets[place][:2]
        ]
        cases.append(exp.If(this=exp.and_(*marked), true=exp.Literal.number(place)))
    return exp.Case(ifs=cases)


def _persons(entity: str) -> exp.Expr:
    person = quoted(entity, "t")
    known = exp.Count(this=exp.Distinct(expressions=[person]), big_int=True)
    nameless = exp.Case().when(exp.Is(this=person.copy(), expression=exp.null()), exp.Literal.number(1))
    return exp.Add(this=known, expression=exp.Max(this=nameless.else_(exp.Literal.number(0))))


def _copies(columns: Sequence[exp.Expr]) -> list[exp.Expr]:
    return [one.copy() for one in columns]
