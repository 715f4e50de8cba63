"""Statements that read sources: their shape depends on the format, its options and the columns that are cast."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anonduck.statements.column_readings import ColumnReading, as_type, clauses
from anonduck.statements.column_types import BIGINT, DURATION, ENUM, TEXT, is_enum, is_nested
from anonduck.statements.expansion import BindingError
from anonduck.statements.expressions import created_table, created_view, is_null, named_table, quoted
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp, sqlglot

LARGEST_WHOLE = 1 << 53
"""From here on a DOUBLE does not hold every whole number."""

ReaderOptions = Mapping[str, str | bool | int | Sequence[str] | Mapping[str, str]]


def reader(function: str, path: str | Sequence[str], options: ReaderOptions) -> exp.Expr:
    """A table function over a file, glob or list of files, such as ``read_csv('x.csv', header = TRUE)``."""
    several = not isinstance(path, str) and len(path) > 1
    arguments: list[exp.Expr] = [_literal(path if isinstance(path, str) or several else path[0])]
    arguments += [exp.EQ(this=exp.column(name), expression=_literal(value)) for name, value in options.items()]
    return exp.Table(this=exp.Anonymous(this=function, expressions=arguments))


def split_table_name(text: str, dialect: str = DIALECT) -> list[str]:
    """The parts of ``schema.table``, quoted parts unquoted; raises ValueError if it is not a table's name."""
    try:
        table = sqlglot.exp.maybe_parse(text, into=exp.Table, dialect=dialect)
        tokens = sqlglot.tokenize(text, read=dialect)
    except sqlglot.errors.SqlglotError:
        raise ValueError(text) from None
    parts = [part.name for part in table.parts] if isinstance(table, exp.Table) else []
    if not all(parts) or not 1 <= len(parts) <= 3 or len(tokens) != 2 * len(parts) - 1:
        raise ValueError(text)
    return parts


def source_select(relation: exp.Expr, where: str | None, reading: ColumnReading) -> exp.Select:
    """The rows of a relation that meet ``where``, as they are read; raises ValueError for what is no SQL."""
    select = exp.select(reading.star()).from_(relation.copy())
    if where is not None:
        select = select.where(condition_of(where))
    return select


def condition_type(relation: exp.Expr, where: str) -> Statement:
    """One row, whose second column is the type of a condition; raises ValueError for what is no SQL."""
    select = exp.select(exp.alias_(condition_of(where), "condition")).from_(relation.copy())
    return Statement("builder_source.condition_type", f"DESCRIBE {select.sql(DIALECT)}")


def condition_alone(where: str) -> str:
    """A query of a condition and nothing else, to look at what it is made of; raises ValueError for what is no SQL."""
    return exp.select("1").where(condition_of(where)).sql(DIALECT)


def names_in(where: str) -> list[tuple[tuple[str, ...], bool]]:
    """The columns that a condition names, by their parts (``person.age`` has two), and whether one is in quotes."""
    columns = condition_of(where).find_all(exp.Column)
    return [(tuple(part.name for part in one.parts), any(map(_quoted, one.parts))) for one in columns]


def _quoted(part: exp.Expr) -> bool:
    return bool(part.args.get("quoted"))


def source_view(select: exp.Expr, name: str = "source") -> Statement:
    """``CREATE TEMP VIEW`` over the rows of a query."""
    return created_view("builder_source.source_view", name, select.copy())


RECORDS = "source_records"
"""The view of the records alone, where ``source`` has one more column."""


def with_stand_in(name: str) -> list[Statement]:
    """Statements that add a column of one value to the view ``source``; the view RECORDS holds what it was."""
    value = exp.alias_(exp.Literal.string("none"), name, quoted=True)
    select = exp.select("*", value).from_(exp.table_(RECORDS, quoted=True))
    return [
        Statement("builder_source.with_stand_in", f"DROP VIEW IF EXISTS {RECORDS}"),
        Statement("builder_source.with_stand_in", f"ALTER VIEW source RENAME TO {RECORDS}"),
        source_view(select),
    ]


def adopted_table(name: str, stream: str, types: Mapping[str, str]) -> Statement:
    """``CREATE OR REPLACE TABLE name`` of the rows of a registered stream, the named columns cast from text."""
    rows = source_select(named_table([stream]), None, ColumnReading(types))
    return created_table("builder_source.adopted_table", named_table([name]), rows)


def relation_of(relation: exp.Expr, limit: int | None = None) -> Statement:
    """``SELECT * FROM relation``, at most ``limit`` rows."""
    select = exp.select("*").from_(relation.copy())
    return Statement("builder_source.relation_of", (select.limit(limit) if limit is not None else select).sql(DIALECT))


def described(relation: exp.Expr) -> Statement:
    """A row for each column of a relation, with its name and type first."""
    return Statement("builder_source.described", f"DESCRIBE {relation_of(relation).sql}")


def count_of(relation: exp.Expr) -> Statement:
    """``SELECT count(*) FROM relation``."""
    count = exp.select(exp.Count(this=exp.Star())).from_(relation.copy())
    return Statement("builder_source.count_of", count.sql(DIALECT))


def unlike_first_line(
    relation: exp.Expr, fields: Sequence[str | None], columns: Sequence[int], pattern: str
) -> Statement:
    """One row of the lines of a CSV file: how many are of those ``fields``, and of each of some ``columns``, by their
    places, how many values the pattern does not match."""
    row = exp.select("*").from_(relation.copy())
    names = [f"c{place}" for place in range(len(fields))]
    lines = row.subquery(exp.TableAlias(this=exp.to_identifier("lines"), columns=[exp.to_identifier(n) for n in names]))
    trimmed = {name: exp.func("trim", exp.column(name)) for name in names}
    same = [exp.EQ(this=trimmed[n], expression=exp.Literal.string(f)) for n, f in zip(names, fields, strict=True)]
    kinds = [exp.func("regexp_full_match", exp.column(f"c{n}"), exp.Literal.string(pattern)) for n in columns]
    counts = [exp.func("count_if", one, dialect=DIALECT) for one in (exp.and_(*same), *map(exp.not_, kinds))]
    return Statement("builder_source.unlike_first_line", exp.select(*counts).from_(lines).sql(DIALECT))


def sheet_counts(sheet: exp.Expr, columns: Sequence[str], numbers: Sequence[str]) -> Statement:
    """One row of a sheet: how many rows have no value, and of each column of numbers how many are not whole.

    A number too large to be told from the next is not whole.
    """
    counts = [
        exp.func("count_if", one, dialect=DIALECT) for one in (exp.not_(_filled(columns)), *map(_broken, numbers))
    ]
    return Statement("builder_source.sheet_counts", exp.select(*counts).from_(sheet.copy()).sql(DIALECT))


def sheet_rows(sheet: exp.Expr, columns: Sequence[str], whole: Sequence[str]) -> exp.Expr:
    """The rows of a sheet that have a value, with the ``whole`` columns as whole numbers."""
    read = [
        exp.alias_(exp.cast(quoted(name), BIGINT), name, quoted=True) if name in whole else quoted(name)
        for name in columns
    ]
    return exp.select(*read).from_(sheet.copy()).where(_filled(columns)).subquery("sheet")


def _broken(name: str) -> exp.Expr:
    whole, size = (exp.func(of, quoted(name), dialect=DIALECT) for of in ("trunc", "abs"))
    apart = exp.NEQ(this=quoted(name), expression=whole)
    return exp.or_(apart, exp.GTE(this=size, expression=exp.Literal.number(LARGEST_WHOLE)))


def _filled(columns: Sequence[str]) -> exp.Expr:
    return exp.or_(*(exp.not_(is_null(quoted(name))) for name in columns))


def text_of(select: exp.Expr) -> str:
    """A query as DuckDB SQL."""
    return select.sql(DIALECT)


def sniff(path: str, options: ReaderOptions) -> Statement:
    """The separator that DuckDB sniffs of a CSV file."""
    found = exp.select(exp.column("Delimiter")).from_(reader("sniff_csv", path, options))
    return Statement("builder_source.sniff", found.sql(DIALECT))


def typed_null(kind: str) -> Statement:
    """``SELECT CAST(NULL AS kind)``, to find out whether ``kind`` is a type; raises ValueError if it cannot be one."""
    return Statement(
        "builder_source.typed_null", exp.select(exp.alias_(as_type(exp.null(), kind), "sample")).sql(DIALECT)
    )


def read_type(kind: str) -> str:
    """The type that a column of a source is read as: text for a duration and for an ENUM, at any depth of the latter.

    To DuckDB 30 days equal one month, so that durations would be grouped with others. An ENUM lists the values of all
    records, and values that no record holds: a release of that type would list them too.

    >>> read_type("ENUM('yes', 'no')"), read_type("STRUCT(a ENUM('yes'), b INTEGER)[]"), read_type("DATE")
    ('VARCHAR', 'STRUCT(a TEXT, b INT)[]', 'DATE')
    """
    if not is_nested(kind):
        return TEXT if kind == DURATION or is_enum(kind) else kind
    if ENUM not in kind:
        return kind
    return exp.DataType.build(kind, dialect=DIALECT).transform(_without_enum).sql(DIALECT)


def enum_order(kind: str) -> list[str] | None:
    """The values of an ENUM in its order; None for another type.

    >>> enum_order("ENUM('low', 'mid', 'it''s high')"), enum_order("VARCHAR")
    (['low', 'mid', "it's high"], None)
    """
    if is_nested(kind) or not is_enum(kind):
        return None
    return [value.name for value in exp.DataType.build(kind, dialect=DIALECT).expressions]


def _without_enum(node: exp.Expr) -> exp.Expr:
    listed = isinstance(node, exp.DataType) and node.this == exp.DataType.Type.ENUM
    return exp.DataType.build(TEXT, dialect=DIALECT) if listed else node


def condition_of(where: str) -> exp.Expr:
    """A condition in parentheses; raises ValueError for what is no SQL."""
    try:
        trees = sqlglot.parse(f"SELECT 1 WHERE {where}", read=DIALECT)
    except sqlglot.errors.SqlglotError:
        raise ValueError from None
    except RecursionError:
        raise ValueError("; it is nested too deeply") from None
    select = trees[0]
    if len(trees) != 1 or not isinstance(select, exp.Select) or clauses(select) != {"expressions", "where"}:
        raise ValueError
    condition: exp.Expr = select.args["where"].this
    if condition.find(exp.Placeholder, exp.Parameter):
        raise ValueError
    return exp.paren(condition)


def _literal(value: Any) -> exp.Expr:
    if isinstance(value, bool):
        return exp.true() if value else exp.false()
    if isinstance(value, int):
        return exp.Literal.number(value)
    if isinstance(value, str):
        return exp.Literal.string(value)
    if isinstance(value, Mapping):
        fields = [
            exp.PropertyEQ(this=exp.to_identifier(key, quoted=True), expression=_literal(v)) for key, v in value.items()
        ]
        return exp.Struct(expressions=fields)
    if isinstance(value, Sequence):
        return exp.Array(expressions=[_literal(item) for item in value])
    raise BindingError(f"no literal for {type(value).__name__}")


SAMPLE = "source_sample"


def value_ranks(columns: Sequence[str]) -> Statement:
    """For each sampled record, the place of each column's value among its values in their order: ``rank_0`` and on.

    NULL is a value, the first one. Records come in the order of the sample.
    """
    ranked = [
        exp.alias_(
            exp.Window(
                this=exp.DenseRank(),
                order=exp.Order(expressions=[exp.Ordered(this=exp.column(f"value_{number}"), nulls_first=True)]),
            ),
            f"rank_{number}",
        )
        for number in range(len(columns))
    ]
    values = [exp.alias_(exp.column(name, quoted=True), f"value_{number}") for number, name in enumerate(columns)]
    place = exp.alias_(exp.Window(this=exp.RowNumber()), "place")
    held = exp.select(*values, place).from_(exp.table_(SAMPLE, quoted=True)).subquery("held")
    query = exp.select(*ranked).from_(held).order_by(exp.column("place"))
    return Statement("builder_source.value_ranks", query.sql(DIALECT, pretty=True))
