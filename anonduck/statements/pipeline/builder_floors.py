"""Statements over a source that is scanned at a floor: value counts, a sample, how many combinations, their set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonduck.statements.expressions import created_table, quoted
from anonduck.statements.pipeline.builder_frequency import RECORDS, code_column, value_column
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp

SOURCE, SHOWN, BUCKET, ROW = "source", "shown", "#bucket", "#row"
ENOUGH = 1 << 14
"""Distinct hashes that are counted, of as many as are allowed: the estimate has an error of under 1 %."""


def one_in(most: int) -> int:
    """Of how many hashes one is counted where so many combinations are allowed: of few, each one, which is exact."""
    return max(1, most // ENOUGH)


def value_counts(table: str, columns: Sequence[str]) -> Statement:
    """The records of each value of each column: a row has one column's value, and NULL in all others."""
    sets = exp.GroupingSets(expressions=[exp.Tuple(expressions=[quoted(name)]) for name in columns])
    select = exp.select(*_values(columns), _counted(), copy=False).from_(SOURCE, copy=False)
    select.set("group", exp.Group(grouping_sets=[sets]))
    return created_table("builder_floors.value_counts", table, select, copy=False)


def first_repeats(columns: Sequence[str], records: int) -> Statement:
    """Of the first records that a scan meets: how many there are, and how many distinct combinations they make."""
    first = exp.select(exp.alias_(_hash([quoted(name) for name in columns]), "h", copy=False), copy=False)
    first = first.from_(SOURCE, copy=False).limit(records, copy=False)
    counts = exp.select(exp.Count(this=exp.Star()), _distinct(exp.column("h")), copy=False)
    return _read(counts.from_(first.subquery("first"), copy=False), "builder_floors.first_repeats")


def bucket_counts(columns: Sequence[str], buckets: int) -> Statement:
    """The records of each bucket of combinations, by their hash; in the order of the buckets."""
    select = exp.select(
        exp.alias_(_bucket([quoted(name) for name in columns], buckets), BUCKET, quoted=True, copy=False),
        exp.alias_(exp.Count(this=exp.Star()), "records", copy=False),
        copy=False,
    ).from_(SOURCE, copy=False)
    select = select.group_by(quoted(BUCKET), copy=False).order_by(quoted(BUCKET), copy=False)
    return _read(select, "builder_floors.bucket_counts")


def bucket_rows(table: str, columns: Sequence[str], buckets: int, drawn: str) -> Statement:
    """The distinct combinations in the buckets of a table, numbered from 0 by bucket and values, with their records."""
    bucket = _bucket([quoted(name) for name in columns], buckets)
    wanted = exp.select(quoted(BUCKET), copy=False).from_(exp.to_table(drawn), copy=False)
    held = exp.select(exp.alias_(bucket, BUCKET, quoted=True), *_values(columns), _counted(), copy=False)
    held = held.from_(SOURCE, copy=False).where(exp.In(this=bucket.copy(), query=wanted.subquery()), copy=False)
    held = held.group_by(quoted(BUCKET), *[quoted(name) for name in columns], copy=False)
    order = exp.Order(expressions=[exp.Ordered(this=one) for one in (quoted(BUCKET), *map(_value, columns))])
    number = exp.Sub(this=exp.Window(this=exp.RowNumber(), order=order), expression=exp.Literal.number(1))
    select = exp.select(exp.alias_(number, ROW, quoted=True, copy=False), exp.Star(), copy=False)
    select = select.from_(held.subquery("held"), copy=False)
    return created_table("builder_floors.bucket_rows", table, select, temporary=True, copy=False)


def drawn_rows(table: str, columns: Sequence[str], rows: str, drawn: str) -> Statement:
    """The frequency set of a sample: of the numbered combinations, those drawn (row, records), with records drawn."""
    values = [quoted(value_column(name), "r") for name in columns]
    records = exp.alias_(exp.column("records", table="d"), RECORDS, quoted=True, copy=False)
    on = exp.EQ(this=quoted(ROW, "r"), expression=quoted(ROW, "d"))
    select = exp.select(*values, records, copy=False).from_(exp.alias_(exp.to_table(rows), "r", table=True), copy=False)
    select = select.join(exp.alias_(exp.to_table(drawn), "d", table=True), on=on, copy=False)
    return created_table("builder_floors.drawn_rows", table, select, copy=False)


def combinations(columns: Sequence[str], hashed: int) -> Statement:
    """An estimate of the distinct combinations of the columns' values, by one in ``hashed`` of their hashes."""
    hashes = [_hash([quoted(name) for name in columns])]
    rows = exp.select(copy=False).from_(SOURCE, copy=False)
    return _read(_estimated(hashes, hashed, rows), "builder_floors.combinations")


def combinations_at(vectors: Sequence[Mapping[str, int]], held: Sequence[str], hashed: int) -> Statement:
    """An estimate, by one in ``hashed`` hashes, for each level vector, of the combinations of node codes and ``held``.

    A vector names the columns that are under their root.
    """
    names = list(dict.fromkeys(name for vector in vectors for name in vector))
    coded = exp.select(*[exp.alias_(quoted(n, "s"), value_column(n), quoted=True) for n in held], copy=False)
    coded = coded.from_(exp.alias_(exp.to_table(SOURCE), "s", table=True), copy=False)
    for number, name in enumerate(names):
        alias = f"l{number}"
        levels = sorted({vector[name] for vector in vectors if name in vector})
        codes = [
            exp.alias_(exp.column(f"code_{level}", table=alias), code_column(name, level), quoted=True, copy=False)
            for level in levels
        ]
        coded = coded.select(*codes, copy=False)
        coded = _joined(coded, exp.table_(name, db="lookup", quoted=True), alias, name)
    hashes = [
        _hash([*(quoted(code_column(name, level)) for name, level in vector.items()), *map(_value, held)])
        for vector in vectors
    ]
    inner = exp.select(copy=False).from_(coded.subquery("coded"), copy=False)
    return _read(_estimated(hashes, hashed, inner), "builder_floors.combinations_at")


def floored_values(table: str, column: str, level: int) -> Statement:
    """For each value of a column: the least value of its node at a level, that value's code, and its own code.

    Values that the taxonomy does not know share one.
    """
    node = quoted(f"code_{level}")
    least = [
        exp.alias_(_over(exp.Min(this=exp.column(one)), node.copy()), called, copy=False)
        for one, called in (("value", SHOWN), ("code_0", "shown_code"))
    ]
    select = exp.select("value", "code_0", *least, copy=False)
    select = select.from_(exp.table_(column, db="lookup", quoted=True), copy=False)
    return created_table("builder_floors.floored_values", table, select, temporary=True, copy=False)


def frequency_set_at(
    table: str, columns: Sequence[str], shown: Mapping[str, str], left_out: Mapping[str, str]
) -> Statement:
    """The frequency set of the values that the tables ``shown`` show (value, shown) in place of the source's.

    Columns of ``left_out`` are NULL in all rows, of the type that it names.
    """
    select = exp.select(copy=False).from_(exp.alias_(exp.to_table(SOURCE), "s", table=True), copy=False)
    grouped: list[exp.Expr] = []
    for number, name in enumerate(columns):
        if name in left_out:
            null = exp.cast(exp.null(), left_out[name], dialect=DIALECT)
            select = select.select(exp.alias_(null, value_column(name), quoted=True, copy=False), copy=False)
            continue
        alias = f"l{number}"
        value = exp.column(SHOWN, table=alias) if name in shown else quoted(name, "s")
        select = select.select(exp.alias_(value, value_column(name), quoted=True), copy=False)
        grouped.append(value.copy())
        if name in shown:
            select = _joined(select, exp.to_table(shown[name]), alias, name)
    select = select.select(_counted(), copy=False).group_by(*grouped, copy=False)
    return created_table("builder_floors.frequency_set_at", table, select, copy=False)


def floor_cells(
    table: str, names: Sequence[str], shown: Mapping[str, str], left_out: Sequence[str], sample: str
) -> Statement:
    """For each cell of a coded sample (``sample``), the cell of ``coded_numbered`` that it is part of at the floor."""
    select = exp.select(
        exp.alias_(quoted("#cell", "s"), "sampled", copy=False),
        exp.alias_(quoted("#cell", "n"), "#cell", quoted=True, copy=False),
        copy=False,
    ).from_(exp.alias_(exp.to_table(sample), "s", table=True), copy=False)
    same: list[exp.Expr] = [exp.EQ(this=quoted("#class", "s"), expression=quoted("#class", "n"))]
    for number, name in enumerate(names):
        code: exp.Expr = quoted(code_column(name, 0), "s")
        if name in left_out:
            continue
        if name in shown:
            alias = f"l{number}"
            on = exp.EQ(this=code, expression=exp.column("code_0", table=alias))
            held = exp.alias_(exp.to_table(shown[name]), alias, table=True)
            select = select.join(held, on=on, join_type="left", copy=False)
            code = exp.func("coalesce", exp.column("shown_code", table=alias), exp.Literal.number(0))
        same.append(exp.EQ(this=code.copy(), expression=quoted(code_column(name, 0), "n")))
    numbered = exp.alias_(exp.to_table("coded_numbered"), "n", table=True)
    select = select.join(numbered, on=exp.and_(*same, copy=False), copy=False)
    return created_table("builder_floors.floor_cells", table, select, copy=False)


def _joined(select: exp.Select, table: exp.Expr, alias: str, name: str) -> exp.Select:
    on = exp.EQ(this=quoted(name, "s"), expression=exp.column("value", table=alias))
    return select.join(exp.alias_(table, alias, table=True), on=on, join_type="left", copy=False)


def _values(columns: Sequence[str]) -> list[exp.Expr]:
    return [exp.alias_(quoted(name), value_column(name), quoted=True) for name in columns]


def _value(name: str) -> exp.Expr:
    return quoted(value_column(name))


def _counted() -> exp.Expr:
    return exp.alias_(exp.Count(this=exp.Star()), RECORDS, quoted=True)


def _hash(values: Sequence[exp.Expr]) -> exp.Expr:
    return exp.Anonymous(this="hash", expressions=list(values) or [exp.Literal.number(0)])


def _bucket(values: Sequence[exp.Expr], buckets: int) -> exp.Expr:
    return exp.cast(exp.Mod(this=_hash(values), expression=exp.Literal.number(buckets)), "BIGINT")


def _distinct(value: exp.Expr) -> exp.Expr:
    return exp.Count(this=exp.Distinct(expressions=[value]))


def _over(value: exp.Expr, by: exp.Expr) -> exp.Expr:
    return exp.Window(this=value, partition_by=[by])


def _estimated(hashes: Sequence[exp.Expr], hashed: int, rows: exp.Select) -> exp.Select:
    """An estimate for each list of hashes: how many distinct hashes the rows have."""
    called = [f"h{number}" for number in range(len(hashes))]
    inner = rows.select(*[exp.alias_(one, h, copy=False) for one, h in zip(hashes, called, strict=True)], copy=False)
    counts = []
    for h in called:
        few = exp.EQ(
            this=exp.Mod(this=exp.column(h), expression=exp.Literal.number(hashed)), expression=exp.Literal.number(0)
        )
        counted = exp.Filter(this=_distinct(exp.column(h)), expression=exp.Where(this=few))
        counts.append(exp.Mul(this=counted, expression=exp.Literal.number(hashed)))
    return exp.select(*counts, copy=False).from_(inner.subquery("hashed"), copy=False)


def _read(select: exp.Select, name: str) -> Statement:
    return Statement(name, select.sql(DIALECT, pretty=True, copy=False))
