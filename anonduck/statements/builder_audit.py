"""The temp view `release` over an audited file: its text depends on the file's path and columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonduck.statements.column_readings import AS_IT_IS, ColumnReading
from anonduck.statements.expansion import Expression, expression, quoted
from anonduck.statements.literals import literal, literal_path
from anonduck.statements.template import Statement, line

AUDITED = "audited"
SORTED_AS: Mapping[str, tuple[str, ...]] = {
    "value": ('"{name}"',),
    "whole": ('TRY_CAST("{name}" AS HUGEINT)',),
    "number": ('TRY_CAST("{name}" AS DOUBLE)', '"{name}"'),
}
"""What a column of a release is sorted by: the value itself, or first the number that it writes."""
TEXTS_OF_CSV = """read_csv({path}, columns = {each(columns, {column}: 'VARCHAR')}, auto_detect = false,
    header = true, delim = {delim}, quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false,
    encoding = {encoding}, skip = {skip}, hive_partitioning = false)"""


def release_from_parquet(paths: Sequence[str], reading: ColumnReading = AS_IT_IS) -> Statement:
    """The view `release` over a Parquet file, or over several files that are the parts of one table."""
    read = [{"path": literal(literal_path(path))} for path in paths]
    return _release(expression("read_parquet([each(paths, {path})], hive_partitioning = false)", paths=read), reading)


def release_from_parts(parts: Expression, reading: ColumnReading = AS_IT_IS) -> Statement:
    """The view `release` over the query that reads several files of different types as one table."""
    return _release(parts, reading)


def release_from_csv(
    path: str, columns: Sequence[str], delim: str, encoding: str = "utf-8", skip: int = 0
) -> Statement:
    """The view `release` over one CSV file with a header: all columns text, unquoted empty NULL, quoted empty text."""
    given = {"path": literal_path(path), "delim": delim, "encoding": encoding}
    names = [{"column": literal(name)} for name in columns]
    literals = {name: literal(text) for name, text in given.items()}
    return _release(expression(TEXTS_OF_CSV, **literals, columns=names, skip=skip))


def release_from_table(schema: str, table: str, reading: ColumnReading = AS_IT_IS) -> Statement:
    """The view `release` over a table or view of the attached database `audited`."""
    return _release(
        expression('"{catalog}"."{schema}"."{table}"', catalog=AUDITED, schema=schema, table=table), reading
    )


def release_from_relation(name: str, reading: ColumnReading = AS_IT_IS) -> Statement:
    """The view `release` over a relation that was registered as ``name``."""
    return _release(quoted(name), reading)


def _release(relation: Expression, reading: ColumnReading = AS_IT_IS) -> Statement:
    return line(
        "builder_audit._release",
        "CREATE OR REPLACE TEMPORARY VIEW release AS SELECT {columns} FROM {relation}",
        columns=reading.star(),
        relation=relation,
    )


def sort_keys(read: Mapping[str, str]) -> list[dict[str, Expression | str]]:
    """What rows are sorted by, as numbered_release.sql lists it.

    ``read`` says of each column, in order, whether it is sorted as its value, or as a whole or other number that its
    text writes: large ones that are one number in floating point differ by their texts.
    """
    return [
        {"value": expression(text, name=name), "called": f"c_{place}_{part}"}
        for place, (name, how) in enumerate(read.items())
        for part, text in enumerate(SORTED_AS[how])
    ]
