"""Lookup tables as CSV files beside the text of a release, and the statements by which an engine reads them."""

from __future__ import annotations

from collections.abc import Iterator

from anonduck.release.scripts.select_parts import Lookup
from anonduck.statements.expansion import Expression, expression, quoted
from anonduck.statements.pipeline.engine_spelling import as_it_stands, spelled
from anonduck.statements.pipeline.engine_values import as_text, string, type_of
from anonduck.statements.pipeline.engines import Engine, family_of

MOST_INLINE = 1_000
"""How many rows of a lookup stand in the text; one that has more is a file."""
AS_WRITTEN = ("text", "other", "time")
"""Families whose values stand in quotes, so that a text without letters is none that is missing."""
NO_VALUE = {"bigquery": "\\N"}
"""What stands for NULL where that is not nothing at all."""

_OF_SPARK = (
    "CREATE OR REPLACE TEMPORARY VIEW {name} ({columns}) USING csv OPTIONS (path {path}, header 'true', "
    "multiLine 'true', escape '\"', emptyValue '', positiveInf 'Infinity', negativeInf '-Infinity')",
)
_OF_WAREHOUSE = ("CREATE TABLE IF NOT EXISTS {name} ({columns})",)
STATEMENTS: dict[str, tuple[str, ...]] = {
    "bigquery": _OF_WAREHOUSE,
    "databricks": _OF_SPARK,
    "duckdb": (
        "CREATE OR REPLACE TEMPORARY TABLE {name} AS\nSELECT * FROM read_csv({path}, header = true, "
        "auto_detect = false, delim = ',', quote = '\"', escape = '\"', nullstr = '', allow_quoted_nulls = false,\n"
        "  columns = {typed})",
    ),
    "postgres": (
        "DROP TABLE IF EXISTS pg_temp.{name}",
        "CREATE TEMPORARY TABLE {name} ({columns})",
        "\\copy {name} FROM {path} WITH (FORMAT csv, HEADER)",
    ),
    "snowflake": _OF_WAREHOUSE,
    "spark": _OF_SPARK,
}
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


def in_files(lookup: Lookup) -> bool:
    """Whether a file can hold what a lookup does: lists and their like have no text that engines read."""
    return all(family_of(kind) != "other" for kind in lookup.columns.values())


def is_file(lookup: Lookup) -> bool:
    """Whether a lookup is a file, and not rows in the text."""
    return len(lookup.rows) > MOST_INLINE and in_files(lookup)


def file_name(lookup: Lookup) -> str:
    """What its file is called."""
    return f"{lookup.name}.csv"


def file_text(lookup: Lookup, engine: Engine) -> str:
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


def loading(lookup: Lookup, engine: Engine) -> Iterator[str]:
    """The statements, without semicolons, by which an engine has the file of a lookup as a table of its name."""
    typed = {name: type_of(engine, kind) for name, kind in lookup.columns.items()}
    structs = ", ".join(f"{string(name)}: {string(kind)}" for name, kind in typed.items())
    columns = [{"name": name, "kind": Expression(kind)} for name, kind in typed.items()]
    item = {
        "name": quoted(lookup.name),
        "path": string(file_name(lookup)),
        "columns": expression('each(columns, "{name}" {kind})', columns=columns),
        "typed": as_it_stands("{" + structs + "}"),
    }
    for text in STATEMENTS[engine.name]:
        yield spelled(expression(text, **item), engine)


def loaded(lookup: Lookup, engine: Engine) -> str:
    """How the file of a lookup comes into its table, in words."""
    return LOADED[engine.name].format(file=file_name(lookup), name=lookup.name)
