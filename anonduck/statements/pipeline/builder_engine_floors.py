"""Statements for a source that an engine counts at a floor: what is sent to the engine, and the tables of its answer.

The engine gets a lookup for each column: the values, and a number for each value or node. It groups and counts numbers,
so that its answer does not depend on its types, and is as small as possible.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonduck.statements.expressions import created_table, is_null, quoted
from anonduck.statements.pipeline.builder_floors import SHOWN
from anonduck.statements.pipeline.builder_frequency import RECORDS, value_column
from anonduck.statements.pipeline.engine_values import cases, stop
from anonduck.statements.pipeline.engines import Engine
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp

KEY, NUMBER, VECTOR = "key_0", "number", "vector"
GROUPED = "grouped"
VECTORS = "anonduck_vectors"
SPARE_BITS = 2  # one for the sign, one so that no sum of keys reaches it


def lookup_view(place: int) -> str:
    """The name of the lookup of the column at a place, as the engine is given it."""
    return f"anonduck_floor_{place}"


# -- what the engine is given ------------------------------------------------------------------------------------------


def frequency_set_at(columns: Sequence[str], source: str, engine: Engine) -> str:
    """Each distinct combination of the columns' numbers (c0, c1, ...), by the lookups in their order, with its records.

    NULL has no number. A value that its lookup lacks, as it came into the source after its values were counted, stops
    the statement.
    """
    numbers = []
    for place, name in enumerate(columns):
        value, key = quoted(name, "s"), quoted(KEY, f"l{place}")
        lacking = exp.and_(exp.Not(this=is_null(value)), is_null(key))
        words = f"column {name}: a value that came into the source after its values were counted"
        stopping, is_condition = stop(engine, words, value)
        branch = (exp.and_(lacking, stopping), exp.null()) if is_condition else (lacking, stopping)
        numbers.append(exp.alias_(cases([branch], quoted(NUMBER, f"l{place}")), f"c{place}"))
    inner = _looked_up(numbers, columns, source)
    held = [exp.column(f"c{place}", table="n") for place in range(len(columns))]
    count = exp.alias_(exp.Count(this=exp.Star(), big_int=True), "records")
    select = exp.select(*held, count).from_(inner.subquery("n")).group_by(*(one.copy() for one in held))
    return _written(select, engine)


def combinations_at(
    vectors: Sequence[Mapping[str, int]], columns: Sequence[str], hashed: int, source: str, engine: Engine
) -> str:
    """For each vector (its ``vector`` in the view VECTORS), the distinct sums of its columns' keys, one in ``hashed``.

    The lookups of the columns, in their order, have a key for each value and level; a sum identifies a combination.
    """
    sums = []
    for number, vector in enumerate(vectors):
        keys = [_key(columns.index(name), level) for name, level in vector.items()]
        sums.append(exp.alias_(_sum(keys), f"k{number}"))
    inner = _looked_up(sums, columns, source)
    which = exp.column(VECTOR, table="v")
    branches = [
        (exp.EQ(this=which.copy(), expression=exp.Literal.number(n)), exp.column(f"k{n}", table="k"))
        for n in range(len(vectors))
    ]
    each = exp.select(exp.alias_(which, VECTOR), exp.alias_(cases(branches), "key")).from_(inner.subquery("k"))
    each = each.join(exp.alias_(exp.table_(VECTORS, quoted=True), "v", table=True), join_type="cross")
    few = exp.EQ(
        this=exp.Mod(this=exp.column("key", table="e"), expression=exp.Literal.number(hashed)),
        expression=exp.Literal.number(0),
    )
    found = exp.Count(this=exp.Distinct(expressions=[exp.column("key", table="e")]), big_int=True)
    select = exp.select(exp.column(VECTOR, table="e"), exp.alias_(found, "found")).from_(each.subquery("e"))
    return _written(select.where(few).group_by(exp.column(VECTOR, table="e")), engine)


def _looked_up(shown: Sequence[exp.Expr], columns: Sequence[str], source: str) -> exp.Select:
    select = exp.select(*shown).from_(exp.alias_(exp.table_(source, quoted=True), "s", table=True))
    for place, name in enumerate(columns):
        alias = f"l{place}"
        on = exp.EQ(this=quoted(name, "s"), expression=quoted(KEY, alias))
        view = exp.alias_(exp.table_(lookup_view(place), quoted=True), alias, table=True)
        select = select.join(view, on=on, join_type="left")
    return select


def _key(place: int, level: int) -> exp.Expr:
    return exp.func("coalesce", quoted(f"level_{level}", f"l{place}"), exp.Literal.number(0))


def _sum(keys: Sequence[exp.Expr]) -> exp.Expr:
    total: exp.Expr = exp.Literal.number(0) if not keys else keys[0]
    for key in keys[1:]:
        total = exp.Add(this=total, expression=key)
    return total


def _written(select: exp.Select, engine: Engine) -> str:
    return select.sql(engine.name, pretty=True)


# -- what happens here -------------------------------------------------------------------------------------------------


def value_counts(table: str, columns: Sequence[str], fetched: str) -> Statement:
    """The records of each value of each column, of what an engine counted: c0, c1, ..., which column it is, records.

    It is grouped once more, as an engine may distinguish values that are equal here.
    """
    held = [exp.column(f"c{place}") for place in range(len(columns))]
    values = [exp.alias_(one, value_column(name), quoted=True) for one, name in zip(held, columns, strict=True)]
    select = exp.select(*values, _summed()).from_(fetched).group_by(exp.column(GROUPED), *(one.copy() for one in held))
    return created_table("builder_engine_floors.value_counts", table, select)


def numbered_values(table: str, name: str, counted: str) -> Statement:
    """The values of a column, each with a number, from the value counts; each is shown as it is."""
    value = quoted(value_column(name))
    number = exp.Window(this=exp.RowNumber(), order=_ordered(value))
    select = exp.select(exp.alias_(value, "value"), _bigint(number, NUMBER), exp.alias_(value.copy(), SHOWN))
    select = select.from_(counted).where(exp.Not(this=is_null(value)))
    return created_table("builder_engine_floors.numbered_values", table, select, temporary=True)


def numbered_nodes(table: str, shown: str) -> Statement:
    """The values of a column, each with the number of its node at the floor, and what that is shown as."""
    ranked = exp.Window(this=exp.Anonymous(this="dense_rank"), order=_ordered(exp.column(SHOWN)))
    select = exp.select(exp.column("value"), _bigint(ranked, NUMBER), exp.column(SHOWN)).from_(shown)
    return created_table("builder_engine_floors.numbered_nodes", table, select, temporary=True)


def sent_numbers(table: str) -> Statement:
    """The lookup that an engine is given for a column's numbers."""
    select = exp.select(exp.alias_(exp.column("value"), KEY), NUMBER).from_(table)
    return Statement("builder_engine_floors.sent_numbers", select.sql(DIALECT, pretty=True))


def sent_keys(name: str, place: int, levels: Sequence[int], columns: int) -> Statement:
    """The lookup that an engine is given for the nodes of a column: for each level, a key of the value's node.

    Keys are drawn at random, as hashes of the nodes, and small enough that as many as there are ``columns`` have a sum.
    """
    keys = [_hashed(exp.column(f"code_{level}"), place, level, columns) for level in levels]
    select = exp.select(exp.alias_(exp.column("value"), KEY), *keys)
    select = select.from_(exp.table_(name, db="lookup", quoted=True))
    return Statement("builder_engine_floors.sent_keys", select.sql(DIALECT, pretty=True))


def sent_value_keys(table: str, place: int, columns: int) -> Statement:
    """The same for a column without levels, from its numbered values."""
    key = _hashed(exp.column(NUMBER), place, 0, columns)
    select = exp.select(exp.alias_(exp.column("value"), KEY), key).from_(table)
    return Statement("builder_engine_floors.sent_value_keys", select.sql(DIALECT, pretty=True))


def set_of_numbers(
    table: str, columns: Sequence[str], numbered: Mapping[str, str], left_out: Mapping[str, str], fetched: str
) -> Statement:
    """The frequency set of what an engine counted at the floor: c0, c1, ... are the ``numbered`` columns in order.

    ``numbered`` names the table of each column's numbers; columns of ``left_out`` are NULL in all rows, of the type
    that it names.
    """
    select = exp.select().from_(exp.alias_(exp.to_table(fetched), "f", table=True))
    places = {name: place for place, name in enumerate(numbered)}
    for name in columns:
        if name in left_out:
            null = exp.cast(exp.null(), left_out[name], dialect=DIALECT)
            select = select.select(exp.alias_(null, value_column(name), quoted=True))
            continue
        alias = f"n{places[name]}"
        nodes = exp.select(NUMBER, SHOWN).distinct().from_(numbered[name]).subquery(alias)
        on = exp.EQ(this=exp.column(f"c{places[name]}", table="f"), expression=exp.column(NUMBER, table=alias))
        select = select.join(nodes, on=on, join_type="left")
        select = select.select(exp.alias_(exp.column(SHOWN, table=alias), value_column(name), quoted=True))
    records = exp.cast(exp.column(f"c{len(numbered)}", table="f"), "BIGINT")
    return created_table(
        "builder_engine_floors.set_of_numbers", table, select.select(exp.alias_(records, RECORDS, quoted=True))
    )


def _hashed(node: exp.Expr, place: int, level: int, columns: int) -> exp.Expr:
    """The key of a node; that of NULL is 0, as of a value that the engine finds in no lookup."""
    text = exp.DPipe(this=exp.Literal.string(f"{place}:"), expression=exp.cast(node.copy(), "TEXT"))
    shift = exp.Literal.number(SPARE_BITS + columns.bit_length())
    small = exp.cast(
        exp.BitwiseRightShift(this=exp.Anonymous(this="hash", expressions=[text]), expression=shift), "BIGINT"
    )
    return exp.alias_(cases([(is_null(node), exp.Literal.number(0))], small), f"level_{level}")


def _summed() -> exp.Expr:
    return exp.alias_(exp.cast(exp.Sum(this=exp.column("records")), "BIGINT"), RECORDS, quoted=True)


def _bigint(value: exp.Expr, name: str) -> exp.Expr:
    return exp.alias_(exp.cast(value, "BIGINT"), name)


def _ordered(value: exp.Expr) -> exp.Order:
    return exp.Order(expressions=[exp.Ordered(this=value.copy())])
