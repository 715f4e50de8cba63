"""LookupTable tables as temporary tables, or as CSV files beside the text of a release that an engine reads."""

from __future__ import annotations

from collections.abc import Iterator

from anonduck.release.scripts.select_parts import CHECKED, LookupTable, Parts, with_rows
from anonduck.statements.dialects import Dialect, family_of
from anonduck.statements.expansion import Expression, expression, quoted
from anonduck.statements.pipeline.engine_spelling import as_it_stands, spelled, written
from anonduck.statements.pipeline.engine_values import as_text, string, type_of

MOST_INLINE = 1_000
"""How many rows of a lookup stand in the text; one that has more is a file."""
AS_WRITTEN = ("text", "other", "time")
"""Families whose values stand in quotes, so that a text without letters is none that is missing."""
NO_VALUE = dict.fromkeys(("bigquery", "databricks", "spark"), "\\N")
"""What stands for NULL in files of which an engine takes nothing at all, in quotes or not, for one and the same."""

_OF_SPARK = (
    "CREATE OR REPLACE TEMPORARY VIEW {name} ({columns}) USING csv OPTIONS (path {path}, header 'true', "
    "multiLine 'true', escape '\"', nullValue '\\N', emptyValue '', positiveInf 'Infinity', negativeInf '-Infinity')",
)
_OF_WAREHOUSE = ("CREATE TABLE IF NOT EXISTS {name} ({columns})",)
STATEMENTS: dict[str, tuple[str, ...]] = {
    "bigquery": _OF_WAREHOUSE,
    "databricks": _OF_SPARK,
    "duckdb": (
        "CREATE OR REPLACE TEMPORARY TABLE {name} AS SELECT * FROM read_csv({path}, header = true, "
        "auto_detect = false, delim = ',', quote = '\"', escape = '\"', nullstr = '', allow_quoted_nulls = false, "
        "columns = {typed})",
    ),
    "postgres": (
        "DROP TABLE IF EXISTS {schema}{name}",
        "CREATE TEMPORARY TABLE {name} ({columns})",
        "\\copy {name} FROM {path} WITH (FORMAT csv, HEADER)",
    ),
    "snowflake": _OF_WAREHOUSE,
    "spark": _OF_SPARK,
}
SCHEMAS = {"duckdb": "temp.", "postgres": "pg_temp."}
LOADED = {
    "bigquery": "Load {file}: bq load --replace --source_format=CSV --skip_leading_rows=1 --allow_quoted_newlines "
    "--null_marker='\\N' DATASET.{name} {file}",
    "databricks": "It reads {file} in the working folder of the session; write where the file is in its place.",
    "duckdb": "It reads {file} in the folder in which DuckDB runs.",
    "postgres": "psql reads {file} in the folder in which it runs.",
    "snowflake": 'Load {file} once the table is there: PUT file://{file} @~; COPY INTO "{name}" FROM @~/{file} '
    "FILE_FORMAT = (TYPE = CSV SKIP_HEADER = 1 FIELD_OPTIONALLY_ENCLOSED_BY = '\"')",
    "spark": "It reads {file} in the working folder of the session.",
}
"""How the file of a lookup comes into its table, for the head of a text."""


def in_files(lookup: LookupTable, engine: Dialect) -> bool:
    """Whether an engine reads all that a lookup holds from a file: lists and their like have no text that it reads."""
    if any(family_of(kind) == "other" for kind in lookup.columns.values()):
        return False
    null = NO_VALUE.get(engine.name)
    return null is None or not any(cell == null for row in lookup.rows for cell in row)


def is_file(lookup: LookupTable, engine: Dialect) -> bool:
    """Whether a lookup is a file, and not rows in the text."""
    return len(lookup.rows) > MOST_INLINE and in_files(lookup, engine)


def file_name(lookup: LookupTable) -> str:
    """What its file is called."""
    return f"{lookup.name}.csv"


def file_text(lookup: LookupTable, engine: Dialect) -> str:
    """The rows of a lookup as CSV with a header: texts stand in quotes, and nothing stands for NULL."""
    kinds, null = list(lookup.columns.values()), NO_VALUE.get(engine.name, "")
    quotes = [family_of(kind) in AS_WRITTEN for kind in kinds]

    def cell(text: str | None, place: int) -> str:
        if text is None:
            return null
        exact = as_text(engine, text, kinds[place])
        return '"' + exact.replace('"', '""') + '"' if quotes[place] else exact

    rows = [",".join(cell(text, place) for place, text in enumerate(row)) for row in lookup.rows]
    return "\n".join([",".join(lookup.columns), *rows]) + "\n"


def loading(lookup: LookupTable, engine: Dialect) -> Iterator[str]:
    """The statements, without semicolons, by which an engine has the file of a lookup as a table of its name."""
    typed = {name: type_of(engine, kind) for name, kind in lookup.columns.items()}
    structs = ", ".join(f"{string(name)}: {string(kind)}" for name, kind in typed.items())
    columns = [{"name": name, "kind": Expression(kind)} for name, kind in typed.items()]
    item = {
        "name": quoted(lookup.name),
        "schema": Expression(SCHEMAS.get(engine.name, "")),
        "path": string(file_name(lookup)),
        "columns": expression('each(columns, "{name}" {kind})', columns=columns),
        "typed": as_it_stands("{" + structs + "}"),
    }
    for text in STATEMENTS[engine.name]:
        yield spelled(expression(text, **item), engine)


def filled(lookup: LookupTable, engine: Dialect) -> Iterator[str]:
    """The statements by which an engine has its rows as a temporary table, made anew where the session has one.

    Only a temporary one is dropped, where an engine has words for that. Raises DialectError where it fills none.
    """
    if not engine.temporary:
        raise engine.refusal("a script", "it fills no temporary tables; write one SELECT, `--as select`, or a folder")
    named = {"name": quoted(lookup.name), "schema": Expression(SCHEMAS.get(engine.name, ""))}
    yield spelled(expression("DROP TABLE IF EXISTS {schema}{name}", **named), engine)
    for most in (CHECKED, None):
        rows = with_rows(expression("SELECT * FROM {name}", **named), Parts(lookups=[lookup]), engine, most=most)
        query = written(rows, engine) if most else spelled(rows, engine)
    yield spelled(expression("CREATE TEMPORARY TABLE {name} AS\n", **named), engine) + query


def loaded(lookup: LookupTable, engine: Dialect) -> str:
    """How the file of a lookup comes into its table, in words."""
    return LOADED[engine.name].format(file=file_name(lookup), name=lookup.name)
