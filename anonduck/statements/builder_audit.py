"""The temp view `release` over an audited file: its text depends on the file's path and columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonduck.statements.column_readings import AS_IT_IS, ColumnReading
from anonduck.statements.column_types import TEXT
from anonduck.statements.expressions import created_view, quoted
from anonduck.statements.literals import literal_path
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp

AUDITED = "audited"
SORTED_AS: Mapping[str, tuple[str | None, ...]] = {
    "value": (None,),
    "whole": ("HUGEINT",),
    "number": ("DOUBLE", None),
}
"""What a column of a release is sorted by: the value itself, or first the number that it writes, cast to a type."""


def release_from_parquet(paths: Sequence[str], reading: ColumnReading = AS_IT_IS) -> Statement:
    """The view `release` over a Parquet file, or over several files that are the parts of one table."""
    return _release(_table_function("read_parquet", [literal_path(path) for path in paths], {}), reading)


def release_from_parts(parts: exp.Expr, reading: ColumnReading = AS_IT_IS) -> Statement:
    """The view `release` over the query that reads several files of different types as one table."""
    return _release(parts.copy(), reading)


def release_from_csv(
    path: str, columns: Sequence[str], delim: str, encoding: str = "utf-8", skip: int = 0
) -> Statement:
    """The view `release` over one CSV file with a header: all columns text, unquoted empty NULL, quoted empty text."""
    return _release(_csv(literal_path(path), dict.fromkeys(columns, TEXT), delim, encoding, skip))


def _csv(path: str, columns: Mapping[str, str], delim: str, encoding: str = "utf-8", skip: int = 0) -> exp.Expr:
    types = exp.Struct(
        expressions=[
            exp.PropertyEQ(this=exp.Literal.string(name), expression=exp.Literal.string(kind))
            for name, kind in columns.items()
        ]
    )
    options = {
        "columns": types,
        "auto_detect": exp.false(),
        "header": exp.true(),
        "delim": exp.Literal.string(delim),
        "quote": exp.Literal.string('"'),
        "escape": exp.Literal.string('"'),
        "nullstr": exp.Literal.string(""),
        "allow_quoted_nulls": exp.false(),
        "encoding": exp.Literal.string(encoding),
        "skip": exp.Literal.number(skip),
    }
    return _table_function("read_csv", [path], options)


def release_from_table(schema: str, table: str, reading: ColumnReading = AS_IT_IS) -> Statement:
    """The view `release` over a table or view of the attached database `audited`."""
    return _release(exp.table_(table, db=schema, catalog=AUDITED, quoted=True), reading)


def release_from_relation(name: str, reading: ColumnReading = AS_IT_IS) -> Statement:
    """The view `release` over a relation that was registered as ``name``."""
    return _release(exp.table_(name, quoted=True), reading)


def minus_zeros(columns: Sequence[str]) -> Statement:
    """One row: per column of floating-point numbers in ``release``, whether it holds minus zero; NULL is none."""
    negative = [exp.func("signbit", quoted(name)) for name in columns]
    zeros = [exp.EQ(this=quoted(name), expression=exp.Literal.number(0)) for name in columns]
    held = [exp.func("bool_or", exp.and_(*both)) for both in zip(zeros, negative, strict=True)]
    named = [
        exp.alias_(exp.func("coalesce", one, exp.false()), f"c_{place}") for place, one in enumerate(held, start=1)
    ]
    return Statement("builder_audit.minus_zeros", exp.select(*named).from_("release").sql(DIALECT, pretty=True))


def sorted_by(read: Mapping[str, str]) -> list[str]:
    """The columns of ``numbered_release`` in the order in which rows are sorted by them."""
    return [f"c_{place}_{part}" for place, how in enumerate(read.values()) for part in range(len(SORTED_AS[how]))]


def numbered_release(read: Mapping[str, str]) -> Statement:
    """The temp view ``numbered_release``: what rows are sorted by, and "#at", the place of a row in the file.

    ``read`` says of each column, in order, whether it is sorted as its value, or as a whole or other number that its
    text writes: large ones that are one number in floating point differ by their texts.
    """
    parts: list[exp.Expr] = []
    for name, how in read.items():
        parts += [quoted(name) if type_ is None else _tried(quoted(name), type_) for type_ in SORTED_AS[how]]
    named = [exp.alias_(part, called, quoted=True) for part, called in zip(parts, sorted_by(read), strict=True)]
    at = exp.alias_(exp.Window(this=exp.RowNumber()), "#at", quoted=True)
    return created_view("builder_audit.numbered_release", "numbered_release", exp.select(*named, at).from_("release"))


def _tried(value: exp.Expr, type_: str) -> exp.Expr:
    return exp.TryCast(this=value, to=exp.DataType.build(type_, dialect=DIALECT))


def _release(relation: exp.Expr, reading: ColumnReading = AS_IT_IS) -> Statement:
    return created_view("builder_audit.release", "release", exp.select(reading.star()).from_(relation))


def _table_function(function: str, paths: Sequence[str], options: Mapping[str, exp.Expr]) -> exp.Expr:
    arguments = [
        exp.EQ(this=exp.column(name), expression=value)
        for name, value in {**options, "hive_partitioning": exp.false()}.items()
    ]
    files: list[exp.Expr] = [exp.Literal.string(path) for path in paths]
    read = exp.Array(expressions=files) if len(files) > 1 else files[0]
    return exp.Anonymous(this=function, expressions=[read, *arguments])
