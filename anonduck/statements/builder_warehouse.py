"""Statements for tables that stay in a warehouse: what is read of them there, and how a release is put in place.

Columns are read as values that DuckDB distinguishes as the warehouse does: texts by their bytes, whatever collation
their column has, and values without a counterpart as texts. No record's value stands in a statement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from anonduck.statements.builder_kept import group_sizes
from anonduck.statements.expressions import named_table, quoted
from anonduck.statements.row_order import bucket, dealt
from anonduck.statements.template import Statement
from anonduck.statements.trees import exp, sqlglot

ReadAs = Literal["as it is", "text", "as text", "double"]
"""How a column is read: as it is; a text by its bytes; what is no text as one; a number of any precision as DOUBLE."""

BINARY = {"postgres": "C"}
"""Collations that compare bytes; the other dialects have a function that takes a collation away."""
TEXT_TYPES = {"postgres": "TEXT", "bigquery": "STRING", "snowflake": "VARCHAR"}
FUNCTIONS = {"bigquery": "APPROX_COUNT_DISTINCT", "snowflake": "APPROX_COUNT_DISTINCT"}
"""How a dialect estimates how many values differ; PostgreSQL can only count them."""


@dataclass(frozen=True)
class WarehouseTable:
    """A table of a warehouse as it is read: its dialect, the parts of its name, its columns and what is wanted of it.

    ``where`` is a condition in the dialect; ``casts`` are columns with the dialect's name of a type.
    """

    dialect: str
    parts: tuple[str, ...]
    columns: Mapping[str, ReadAs]
    where: str = ""
    casts: Mapping[str, str] | None = None

    def select(self) -> exp.Select:
        """Its records, each column as it is read."""
        held = exp.select(*[self._read(name) for name in self.columns]).from_(
            exp.alias_(named_table(self.parts), "s", table=True)
        )
        if not self.where:
            return held
        return held.where(_condition(self.where, self.dialect))

    def _read(self, name: str) -> exp.Expr:
        value: exp.Expr = quoted(name, "s")
        kind = (self.casts or {}).get(name)
        if kind is not None:
            value = exp.Cast(this=value, to=exp.DataType(this=exp.DataType.Type.USERDEFINED, kind=kind))
        return exp.alias_(read_as(value, self.columns[name], self.dialect), name, quoted=True)


def name_of(parts: Sequence[str], dialect: str) -> str:
    """The name of a table as a dialect writes it, quoted."""
    return named_table(parts).sql(dialect)


def read_as(value: exp.Expr, reading: ReadAs, dialect: str) -> exp.Expr:
    """A value as it is read."""
    if reading == "double":
        return exp.cast(value, "DOUBLE", dialect="duckdb")
    if reading == "as it is":
        return value
    if reading == "as text":
        value = exp.Cast(this=value, to=exp.DataType(this=exp.DataType.Type.USERDEFINED, kind=TEXT_TYPES[dialect]))
    return by_bytes(value, dialect)


def by_bytes(value: exp.Expr, dialect: str) -> exp.Expr:
    """A text that is compared by its bytes."""
    if dialect in BINARY:
        return exp.Collate(this=value, expression=exp.to_identifier(BINARY[dialect], quoted=True))
    return exp.Anonymous(this="COLLATE", expressions=[value, exp.Literal.string("")])


def count_by(
    table: WarehouseTable, columns: Sequence[str], inexact: Sequence[str] = (), most: int | None = None
) -> Statement:
    """Each distinct combination of the columns, called c0, c1, ..., and last the number of its records.

    A further column stands between them if some of the columns are ``inexact``: whether a value of theirs has more
    digits than DOUBLE holds exactly. If there are more combinations than ``most``, there is no row.
    """
    select = exp.select(*_shown(columns), *_rounded(inexact), _records())
    select = select.from_(_with_rounded(table, inexact).subquery("t"))
    if columns:
        select = select.group_by(*[quoted(name, "t") for name in columns])
    return _statement("count_by", select if most is None else _at_most(select, most), table.dialect)


def _at_most(select: exp.Select, most: int) -> exp.Select:
    """The rows of a query, or none if there are more than ``most``; at most one more is computed."""
    names = [one.alias for one in select.expressions]
    every = exp.alias_(exp.Window(this=exp.Count(this=exp.Star(), big_int=True)), "rows_in_all")
    few = exp.select("*", every).from_(select.limit(most + 1).subquery("g"))
    fits = exp.LTE(this=exp.column("rows_in_all", table="w"), expression=exp.Literal.number(most))
    return exp.select(*[exp.column(name, table="w") for name in names]).from_(few.subquery("w")).where(fits)


def histograms(table: WarehouseTable, columns: Sequence[str], inexact: Sequence[str] = ()) -> Statement:
    """Each value of each column, called c0, c1, ..., then which column it is of, and last the number of its records.

    A further column stands after the values if some of the columns are ``inexact`` (see ``count_by``).
    """
    values = [quoted(name, "t") for name in columns]
    places = [
        (exp.EQ(this=exp.Anonymous(this="GROUPING", expressions=[one.copy()]), expression=exp.Literal.number(0)), place)
        for place, one in enumerate(values)
    ]
    which = exp.Case(ifs=[exp.If(this=present, true=exp.Literal.number(place)) for present, place in places])
    select = exp.select(*_shown(columns), *_rounded(inexact), exp.alias_(which, "which"), _records())
    select = select.from_(_with_rounded(table, inexact).subquery("t"))
    sets = exp.GroupingSets(expressions=[exp.Tuple(expressions=[one.copy()]) for one in values])
    select.set("group", exp.Group(grouping_sets=[sets]))
    return _statement("histograms", select, table.dialect)


def _shown(columns: Sequence[str]) -> list[exp.Expr]:
    return [exp.alias_(quoted(name, "t"), f"c{place}") for place, name in enumerate(columns)]


def _records() -> exp.Expr:
    return exp.alias_(exp.Count(this=exp.Star(), big_int=True), "records")


def _rounded(inexact: Sequence[str]) -> list[exp.Expr]:
    """Whether a record has a value that DOUBLE does not hold exactly, if a column may have one."""
    if not inexact:
        return []
    rounded = [quoted(f"{MISREAD}{place}", "t") for place, _ in enumerate(inexact)]
    return [exp.alias_(exp.Anonymous(this="bool_or", expressions=[exp.or_(*rounded)]), "rounded")]


MISREAD = "anonduck rounded "


def _with_rounded(table: WarehouseTable, inexact: Sequence[str]) -> exp.Select:
    """The records, and for each of these columns whether its value has another as DOUBLE."""
    select = table.select()
    for place, name in enumerate(inexact):
        value = quoted(name, "s")
        number = exp.DataType(this=exp.DataType.Type.USERDEFINED, kind="NUMERIC")
        double = exp.Cast(this=exp.cast(value, "DOUBLE", dialect="duckdb"), to=number)
        other = exp.NullSafeNEQ(this=double, expression=value.copy())
        select = select.select(exp.alias_(other, f"{MISREAD}{place}", quoted=True))
    return select


def profile(table: WarehouseTable, columns: Sequence[str]) -> Statement:
    """One row: the number of records, then per column how many have a value, then how many values differ."""
    values = [quoted(name, "t") for name in columns]
    counts = [exp.Count(this=exp.Star(), big_int=True), *(exp.Count(this=value.copy()) for value in values)]
    estimate = FUNCTIONS.get(table.dialect)
    different = [
        exp.Anonymous(this=estimate, expressions=[value.copy()])
        if estimate
        else exp.Count(this=exp.Distinct(expressions=[value.copy()]))
        for value in values
    ]
    named = [exp.alias_(one, f"c{place}") for place, one in enumerate([*counts, *different])]
    return _statement("profile", exp.select(*named).from_(table.select().subquery("t")), table.dialect)


def minus_zeros(table: WarehouseTable, columns: Sequence[str]) -> Statement:
    """One row: per column of floating-point numbers, called c0, c1, ..., whether it holds minus zero, or NULL."""
    kind = exp.DataType(this=exp.DataType.Type.USERDEFINED, kind=TEXT_TYPES[table.dialect])
    held = []
    for place, name in enumerate(columns):
        zero = exp.EQ(this=quoted(name, "t"), expression=exp.Literal.number(0))
        text = exp.Cast(this=quoted(name, "t"), to=kind.copy())
        negative = exp.Like(this=text, expression=exp.Literal.string("-%"))
        held.append(exp.alias_(exp.LogicalOr(this=exp.and_(zero, negative)), f"c{place}"))
    return _statement("minus_zeros", exp.select(*held).from_(table.select().subquery("t")), table.dialect)


def largest(table: WarehouseTable, name: str) -> Statement:
    """One number: the most records that share a value of a column."""
    records = exp.alias_(exp.Count(this=exp.Star(), big_int=True), "records")
    grouped = exp.select(records).from_(table.select().subquery("t")).group_by(quoted(name, "t"))
    select = exp.select(exp.alias_(exp.Max(this=exp.column("records", table="g")), "most")).from_(grouped.subquery("g"))
    return _statement("largest", select, table.dialect)


def sizes_of(
    table: WarehouseTable, kept: Sequence[str], others: Sequence[str], entity: str | None, inexact: Sequence[str] = ()
) -> Statement:
    """The rows of ``group_sizes``, with a last column if some of the columns are ``inexact`` (see ``count_by``)."""
    rows = _with_rounded(table, inexact).subquery("t")
    return _statement("sizes_of", group_sizes(rows, kept, others, entity, _rounded(inexact)), table.dialect)


def common(table: WarehouseTable, name: str, least: int) -> Statement:
    """The values of a column that so many records hold: value, records, and last 1.

    One row more has no value, no records, and the number of the other values, if there is one.
    """
    value, records = exp.column("value", table="g"), exp.column("records", table="g")
    count = exp.Count(this=exp.Star(), big_int=True)
    grouped = (
        exp.select(exp.alias_(quoted(name, "t"), "value"), exp.alias_(count, "records"))
        .from_(table.select().subquery("t"))
        .group_by(quoted(name, "t"))
    )
    enough = exp.GTE(this=records, expression=exp.Literal.number(least))
    shown = [exp.Case().when(enough.copy(), one.copy()) for one in (value, records)]
    marked = exp.select(exp.alias_(shown[0], "value"), exp.alias_(shown[1], "records")).from_(grouped.subquery("g"))
    together = (
        exp.select("m.value", "m.records", exp.alias_(count.copy(), "n"))
        .from_(marked.subquery("m"))
        .group_by("m.value", "m.records")
    )
    return _statement("common", together, table.dialect)


def sample(table: WarehouseTable, columns: Sequence[str], records: int, share: float) -> Statement:
    """So many records at most, drawn at random from about a share of all, their columns called c0, c1, ..."""
    shown = [exp.alias_(quoted(name, "t"), f"c{place}") for place, name in enumerate(columns)]
    select = exp.select(*shown).from_(table.select().subquery("t"))
    if share < 1:
        select = select.where(exp.LT(this=_random(table.dialect), expression=exp.Literal.number(share)))
    select = select.order_by(_random(table.dialect)).limit(records)
    return _statement("sample", select, table.dialect)


def _random(dialect: str) -> exp.Expr:
    if dialect == "snowflake":  # RANDOM() gives whole numbers there
        bounds = [exp.cast(exp.Literal.number(number), "DOUBLE") for number in (0, 1)]
        return exp.Anonymous(this="UNIFORM", expressions=[*bounds, exp.Anonymous(this="RANDOM")])
    return exp.Anonymous(this="RAND" if dialect == "bigquery" else "RANDOM")


def nothing_of(parts: Sequence[str], dialect: str) -> Statement:
    """No record of a table, to learn its columns."""
    return _statement("nothing_of", exp.select("*").from_(named_table(parts)).limit(0), dialect)


def groups_of(texts: Sequence[str | None], dialect: str) -> Statement:
    """Texts read by their bytes, as the warehouse groups them: each group with its size."""
    rows = [exp.select(exp.alias_(_text(text, dialect), "t")) for text in texts]
    value = by_bytes(quoted("t", "v"), dialect)
    listed = exp.union(*rows, distinct=False).subquery("v")
    inner = exp.select(exp.alias_(value, "t")).from_(listed).subquery("g")
    select = exp.select("g.t", exp.alias_(exp.Count(this=exp.Star(), big_int=True), "n")).from_(inner).group_by("g.t")
    return _statement("groups_of", select, dialect)


def _text(text: str | None, dialect: str) -> exp.Expr:
    value = exp.null() if text is None else exp.Literal.string(text)
    return exp.Cast(this=value, to=exp.DataType(this=exp.DataType.Type.USERDEFINED, kind=TEXT_TYPES[dialect]))


# -- what is written ---------------------------------------------------------------------------------------------------


def source_view(table: WarehouseTable, name: str) -> Statement:
    """A temporary view of a table as it is read."""
    return _view(name, table.select(), table.dialect)


def rows_view(rows: str, name: str, dialect: str) -> Statement:
    """A temporary view of a query that is written in the dialect."""
    return _view(name, exp.Var(this=rows), dialect)


def _view(name: str, query: exp.Expr, dialect: str) -> Statement:
    temporary = exp.Properties(expressions=[exp.TemporaryProperty()])
    create = exp.Create(this=named_table([name]), kind="VIEW", properties=temporary, expression=query)
    return _statement("view", create, dialect)


def dealt_table(parts: Sequence[str], rows: WarehouseTable) -> Statement:
    """A table of rows in a release's order, texts sorted by their bytes; its texts have the default collation."""
    order = [
        read_as(quoted(name, "sorted"), "as it is" if reading == "double" else reading, rows.dialect)
        for name, reading in rows.columns.items()
    ]
    select = exp.select(*[quoted(name) for name in rows.columns]).from_(named_table(rows.parts))
    dealt_rows = dealt(select, list(rows.columns), order, partial(exp.cast, to="BIGINT", dialect=rows.dialect))
    dealt_rows.set("expressions", [_stored(name, reading) for name, reading in rows.columns.items()])
    create = exp.Create(this=named_table(parts), kind="TABLE", expression=dealt_rows)
    return _statement("dealt_table", create, rows.dialect)


def _stored(name: str, reading: ReadAs) -> exp.Expr:
    value: exp.Expr = quoted(name, "placed")
    if reading == "text":
        value = exp.Collate(this=value, expression=exp.to_identifier("default", quoted=True))
    return exp.alias_(value, name, quoted=True)


def bucket_of(place: str, dialect: str) -> str:
    """The bucket of the position that a column holds, as an expression (see anonduck.statements.row_order)."""
    return bucket(quoted(place)).sql(dialect)


def analyze(parts: Sequence[str], dialect: str) -> Statement:
    """Collect statistics of a table, so that the server plans joins with it well."""
    return _statement("analyze", _with_table("ANALYZE a", parts, dialect), dialect)


def drop(parts: Sequence[str], dialect: str) -> Statement:
    """Remove a table, if it is there."""
    return _statement("drop", _with_table("DROP TABLE IF EXISTS a", parts, dialect), dialect)


def _with_table(text: str, parts: Sequence[str], dialect: str) -> exp.Expr:
    """A statement with the table in its text replaced by another."""
    tree = sqlglot.parse_one(text, read=dialect)
    named = list(tree.find_all(exp.Table))
    assert len(named) == 1
    named[0].replace(named_table(parts))
    return tree


def rename(parts: Sequence[str], name: str, dialect: str) -> Statement:
    """Give a table another name in its schema."""
    action = exp.AlterRename(this=named_table([name]))
    return _statement("rename", exp.Alter(this=named_table(parts), kind="TABLE", actions=[action]), dialect)


def _condition(where: str, dialect: str) -> exp.Expr:
    try:
        return exp.paren(sqlglot.parse_one(where, read=dialect))
    except sqlglot.errors.SqlglotError:
        raise ValueError("a condition that is no SQL") from None


def _statement(name: str, tree: exp.Expr, dialect: str) -> Statement:
    return Statement(f"builder_warehouse.{name}", tree.sql(dialect))
