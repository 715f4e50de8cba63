"""Statements of a source with so many records of each person: those with the least hashes of their values.

No order of the rows decides, for rows of one hash are alike. Where a person has more rows of the last hash than there
is room for, any of those do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from anonduck.statements.column_types import FLOATS, ZONED_TIME
from anonduck.statements.expressions import created_table, quoted
from anonduck.statements.template import Statement
from anonduck.statements.trees import exp

RECORDS, LAST = "records", "last"
"""How the views call the rows of the source, and the last hash of each person that is used."""


@dataclass(frozen=True)
class Bound:
    """How many records of each value of ``entity`` are used, and what chooses them: ``kinds`` are the types of all
    columns, ``seed`` begins the hash."""

    entity: str
    at_most: int
    kinds: Mapping[str, str]
    seed: int = 0

    def hashed(self, table: str | None = None) -> exp.Expr:
        """The hash of a row; values that DuckDB takes for equal but writes differently, as two zeros, are hashed as
        text."""
        values = [
            exp.cast(quoted(name, table), "TEXT") if _has_twins(kind) else quoted(name, table)
            for name, kind in self.kinds.items()
        ]
        return exp.Anonymous(this="hash", expressions=[exp.Literal.number(self.seed), *values])


def bounded_select(select: exp.Query, bound: Bound) -> exp.Select:
    """The rows of a query that are used, as one query that needs no other table; it sorts the rows of each person."""
    place = exp.Window(
        this=exp.RowNumber(),
        partition_by=[quoted(bound.entity)],
        order=exp.Order(expressions=[exp.Ordered(this=bound.hashed())]),
    )
    rows = exp.select("*").from_(select.subquery(RECORDS))
    rows.set("qualify", exp.Qualify(this=exp.LTE(this=place, expression=exp.Literal.number(bound.at_most))))
    return rows


def last_hashes(table: str, unbounded: str, bound: Bound) -> Statement:
    """``CREATE TEMP TABLE`` of each person with more records than are used: the ``last`` hash that is used, and
    ``room``, how many of its rows are used, NULL if all.

    Hashes of other persons are not kept, which bounds the size of the table.
    """
    last, beyond = (_of_list("list_extract", _number(place)) for place in (bound.at_most, bound.at_most + 1))
    before = _of_list("list_position", last.copy())
    room = exp.case().when(exp.EQ(this=last.copy(), expression=beyond), _number(bound.at_most + 1) - before)
    least = exp.Anonymous(this="min", expressions=[bound.hashed(RECORDS), _number(bound.at_most + 1)])
    many = (
        exp.select(quoted(bound.entity))
        .from_(exp.to_table(unbounded))
        .group_by(quoted(bound.entity))
        .having(exp.GT(this=exp.Count(this=exp.Star()), expression=_number(bound.at_most)))
    )
    persons = (
        exp.select(exp.alias_(quoted(bound.entity, RECORDS), "entity"), exp.alias_(least, "least"))
        .from_(exp.alias_(exp.to_table(unbounded), RECORDS, table=True))
        .where(exp.In(this=quoted(bound.entity, RECORDS), query=many.subquery()))
        .group_by(quoted(bound.entity, RECORDS))
    )
    found = exp.select("entity", exp.alias_(last, LAST), exp.alias_(room, "room")).from_(persons.subquery("persons"))
    return created_table("builder_bounded.last_hashes", table, found, temporary=True)


def _of_list(function: str, argument: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this=function, expressions=[exp.column("least"), argument])


def used_records(unbounded: str, hashes: str, bound: Bound, *, crowded: bool) -> exp.Query:
    """The same rows by the hashes of ``last_hashes``, without sorting; ``crowded``: some have no room for all of the
    last hash, and are looked for by another scan."""
    hashed, last = bound.hashed(RECORDS), quoted(LAST, "hashes")
    under = exp.or_(last.is_(exp.null()), exp.LT(this=hashed, expression=last))
    at_last = exp.EQ(this=hashed.copy(), expression=last.copy())
    all_of_it = exp.and_(at_last, quoted("room", "hashes").is_(exp.null()))
    rows = _joined(unbounded, hashes, bound, "LEFT").where(exp.or_(under, all_of_it))
    if not crowded:
        return rows
    place = exp.Window(this=exp.RowNumber(), partition_by=[quoted(bound.entity, RECORDS)])
    some = _joined(unbounded, hashes, bound, "INNER").where(at_last.copy())
    some.set("qualify", exp.Qualify(this=exp.LTE(this=place, expression=quoted("room", "hashes"))))
    return exp.union(rows, some, distinct=False)


def _joined(unbounded: str, hashes: str, bound: Bound, how: str) -> exp.Select:
    same = exp.EQ(this=quoted(bound.entity, RECORDS), expression=quoted("entity", "hashes"))
    return (
        exp.select(exp.Column(this=exp.Star(), table=exp.to_identifier(RECORDS)))
        .from_(exp.alias_(exp.to_table(unbounded), RECORDS, table=True))
        .join(exp.alias_(exp.to_table(hashes), "hashes", table=True), on=same, join_type=how)
    )


def _number(number: int) -> exp.Expr:
    return exp.Literal.number(number)


def _has_twins(kind: str) -> bool:
    return any(one in kind for one in (*FLOATS, ZONED_TIME))
