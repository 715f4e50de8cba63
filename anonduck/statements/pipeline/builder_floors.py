"""Statements over a source that is counted at a floor: its value counts, a sample, how many combinations, their set.

Each column has a lookup of its values with the code of their node at each level. Wherever the source is, the same query
replaces values by codes and counts those, so that the answer depends on no types and is as small as possible.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from zlib import crc32

from anonduck.statements.expressions import created_table, is_null, quoted
from anonduck.statements.pipeline.column_names import RECORDS, value_column
from anonduck.statements.pipeline.engine_values import cases
from anonduck.statements.template import Statement
from anonduck.statements.trees import exp

LOST = -1  # the code of a value that its lookup lacks
PRIME = (1 << 31) - 1


def value_counts(table: str, columns: Sequence[str]) -> Statement:
    """The records of each value of each column of ``source``: a row has one column's value, and NULL in all others."""
    sets = exp.GroupingSets(expressions=[exp.Tuple(expressions=[quoted(name)]) for name in columns])
    values = [exp.alias_(quoted(name), value_column(name), quoted=True) for name in columns]
    select = exp.select(*values, exp.alias_(exp.Count(this=exp.Star()), RECORDS, quoted=True)).from_("source")
    select.set("group", exp.Group(grouping_sets=[sets]))
    return created_table("builder_floors.value_counts", table, select)


def fetched_counts(table: str, columns: Sequence[str], fetched: str) -> Statement:
    """The same of what an engine counted: c0, c1, ..., which column it is (``grouped``), records.

    It is grouped once more, as an engine may distinguish values that are equal here.
    """
    held = [exp.column(f"c{place}") for place in range(len(columns))]
    values = [exp.alias_(one, value_column(name), quoted=True) for one, name in zip(held, columns, strict=True)]
    records = exp.alias_(exp.cast(exp.Sum(this=exp.column("records")), "BIGINT"), RECORDS, quoted=True)
    select = exp.select(*values, records).from_(fetched).group_by("grouped", *(one.copy() for one in held))
    return created_table("builder_floors.fetched_counts", table, select)


def sampled_set(table: str, columns: Sequence[str]) -> Statement:
    """The frequency set of a sample of ``source``, whose combinations are in ``drawn_sample`` as their hashes."""
    held = [quoted(name, "s") for name in columns]
    values = [exp.alias_(one, value_column(name), quoted=True) for one, name in zip(held, columns, strict=True)]
    records = exp.alias_(exp.AnyValue(this=exp.column("records", table="d")), RECORDS, quoted=True)
    combination = exp.Anonymous(this="hash", expressions=[one.copy() for one in held])
    select = exp.select(*values, records).from_(exp.alias_(exp.to_table("source"), "s", table=True))
    drawn = exp.alias_(exp.to_table("drawn_sample"), "d", table=True)
    select = select.join(drawn, on=exp.EQ(this=exp.column("combination", table="d"), expression=combination))
    return created_table("builder_floors.sampled_set", table, select.group_by(*(one.copy() for one in held)))


def lookup_table(place: int) -> str:
    """The name of the lookup of the column at a place."""
    return f"anonduck_floor_{place}"


def made_lookup(place: int, name: str, levels: int) -> Statement:
    """Make the lookup of a column: its values, and their codes at so many levels."""
    codes = [exp.column(f"code_{level}") for level in range(levels)]
    select = exp.select("value", *codes).from_(exp.table_(name, db="lookup", quoted=True))
    return created_table("builder_floors.made_lookup", lookup_table(place), select, temporary=True)


def combinations_at(
    vectors: Sequence[Mapping[str, int]], columns: Sequence[str], one_in: int, source: str, dialect: str
) -> Statement:
    """About how many combinations of codes there are at each of some level vectors, which name the columns they count.

    A combination is known by a sum that is drawn for it, and those are counted that ``one_in`` divides.
    """
    inner = _looked_up([_sum(one, columns).as_(f"k{n}") for n, one in enumerate(vectors)], columns, source)
    counts = []
    for number in range(len(vectors)):
        key = exp.column(f"k{number}", table="k")
        few = exp.EQ(this=exp.Mod(this=key, expression=exp.Literal.number(one_in)), expression=exp.Literal.number(0))
        distinct = exp.Distinct(expressions=[cases([(few, key.copy())])])
        counts.append(exp.alias_(exp.Count(this=distinct, big_int=True), f"found_{number}"))
    select = exp.select(*counts).from_(inner.subquery("k"))
    return Statement("builder_floors.combinations_at", select.sql(dialect, pretty=True))


def counted_at(levels: Mapping[str, int], columns: Sequence[str], source: str, dialect: str) -> Statement:
    """Each distinct combination of the codes of the columns that ``levels`` names, as c0, c1, ... by their places
    among all, with its records.

    NULL, and a value that its taxonomy does not know, is code 0; a value that came into the source after its values
    were counted is LOST.
    """
    codes = []
    for name, level in levels.items():
        place = columns.index(name)
        missing = exp.and_(is_null(quoted("value", f"l{place}")), exp.Not(this=is_null(quoted(name, "s"))), copy=False)
        code = cases([(missing, exp.Literal.number(LOST))], _code(place, level))
        codes.append(exp.alias_(code, f"c{place}"))
    inner = _looked_up(codes, columns, source)
    held = [exp.column(code.alias, table="n") for code in codes]
    count = exp.alias_(exp.Count(this=exp.Star(), big_int=True), "records")
    select = exp.select(*held, count).from_(inner.subquery("n")).group_by(*(one.copy() for one in held))
    return Statement("builder_floors.counted_at", select.sql(dialect, pretty=True))


def set_at(table: str, columns: Sequence[str], levels: Mapping[str, int], fetched: str) -> Statement:
    """The frequency set of what was counted at ``levels``: in the place of a code stands the least value of its node.

    Columns that have no level, as they are at their root, are NULL in all rows.
    """
    select = exp.select().from_(exp.alias_(exp.to_table(fetched), "f", table=True))
    for place, name in enumerate(columns):
        code = exp.column(f"code_{levels.get(name, 0)}")
        least = exp.alias_(exp.Min(this=exp.column("value")), "shown")
        nodes = exp.select(exp.alias_(code, "code"), least).from_(lookup_table(place)).group_by(code.copy())
        held = exp.column(f"c{place}", table="f") if name in levels else exp.Literal.number(LOST)
        on = exp.EQ(this=exp.column("code", table=f"n{place}"), expression=held)
        select = select.join(nodes.subquery(f"n{place}"), on=on, join_type="left")
        shown = exp.alias_(exp.column("shown", table=f"n{place}"), value_column(name), quoted=True)
        select = select.select(shown)
    records = exp.alias_(exp.cast(exp.column("records", table="f"), "BIGINT"), RECORDS, quoted=True)
    return created_table("builder_floors.set_at", table, select.select(records))


def _looked_up(shown: Sequence[exp.Expr], columns: Sequence[str], source: str) -> exp.Select:
    select = exp.select(*shown).from_(exp.alias_(exp.table_(source, quoted=True), "s", table=True))
    for place, name in enumerate(columns):
        on = exp.EQ(this=quoted(name, "s"), expression=quoted("value", f"l{place}"))
        lookup = exp.alias_(exp.table_(lookup_table(place), quoted=True), f"l{place}", table=True)
        select = select.join(lookup, on=on, join_type="left")
    return select


def _code(place: int, level: int) -> exp.Expr:
    return exp.func("coalesce", quoted(f"code_{level}", f"l{place}"), exp.Literal.number(0))


def _sum(vector: Mapping[str, int], columns: Sequence[str]) -> exp.Expr:
    """The sum of a combination: each code times a number of its column and level, modulo a prime."""
    total: exp.Expr = exp.Literal.number(0)
    for name, level in vector.items():
        place = columns.index(name)
        factor = exp.Literal.number(crc32(f"{place} {level}".encode()) % PRIME)
        drawn = exp.Paren(this=exp.Mul(this=exp.cast(_code(place, level), "BIGINT"), expression=factor))
        total = exp.Add(this=total, expression=exp.Mod(this=drawn, expression=exp.Literal.number(PRIME)))
    return total
