"""The dialects of SQL: what each engine calls its types, how it compares texts, and what it lacks.

Nothing is left to a translation: types have the engine's own names, and what it cannot hold exactly is refused by name.
``ran_on`` names the engine on which the tests run what is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from anonduck.errors import DialectError
from anonduck.statements import column_types
from anonduck.statements.column_types import is_text, without_parameters
from anonduck.statements.expansion import Expression, expression

Family = Literal[
    "whole", "huge", "decimal", "float", "double", "boolean", "date", "time", "stamp", "zoned", "text", "other"
]
RowsForm = Literal["values", "structs"]

FAMILIES: dict[str, Family] = {
    **dict.fromkeys(column_types.UP_TO_64_BITS, "whole"),
    **dict.fromkeys((*column_types.OF_128_BITS, column_types.BIGNUM), "huge"),
    **dict.fromkeys(column_types.STAMPS, "stamp"),
    column_types.DECIMAL: "decimal",
    column_types.FLOAT: "float",
    column_types.DOUBLE: "double",
    column_types.BOOLEAN: "boolean",
    column_types.DATE: "date",
    column_types.TIME: "time",
    column_types.ZONED: "zoned",
    column_types.JSON: "text",
}
NUMBERS = ("whole", "huge", "decimal", "float", "double")


def family_of(kind: str) -> Family:
    """What the values of a type of DuckDB are, as an engine writes them.

    >>> family_of("DECIMAL(9,2)"), family_of("TIMESTAMP_NS"), family_of("ENUM('a')"), family_of("BLOB")
    ('decimal', 'stamp', 'text', 'other')
    """
    return "text" if is_text(kind) else FAMILIES.get(without_parameters(kind), "other")


@dataclass(frozen=True)
class CsvFiles:
    """How an engine has a CSV file as a table: by which statements, and in words, for the head of a text.

    ``schema`` is that of its temporary tables. ``null`` stands for NULL in files where an engine takes nothing at all,
    in quotes or not, for one and the same.
    """

    statements: tuple[str, ...]
    words: str
    null: str = ""
    schema: str = ""


@dataclass(frozen=True)
class Dialect:
    """The SQL of an engine: its name, as sqlglot calls it, the engine's, and what the text of a release depends on.

    ``types`` are its names of types, by family; ``refused`` why it cannot be given values of a family.
    ``collation`` is what its texts are compared by, byte for byte, where its own may be another. ``nan`` is the
    function that is true of NaN, or ``equal`` where NaN equals itself and lies above all numbers. ``digits`` are the
    most that a number may have, ``fraction`` the most of a second. ``stop`` is the function that stops a statement with
    a message; without one, a value is made that fails. ``rows`` is how it writes a list of rows, ``temporary`` whether
    it makes temporary tables that a script can fill. ``enums`` says that it has types which list their values, and
    shows texts without a cast. ``escapes`` says that a backslash escapes in its texts, ``backticks`` what it does with
    one within a name, where names stand in them. ``files`` is how it reads them. One that is not ``recursive`` limits
    the rows or the steps of a recursive query. ``doubles`` are which floating-point numbers it writes with the digits
    of DuckDB, and how they become the same text.
    """

    name: str
    title: str
    types: Mapping[str, str] = field(default_factory=dict)
    ran_on: str = ""
    refused: Mapping[str, str] = field(default_factory=dict)
    collation: str = ""
    nan: str = "equal"
    digits: int = 38
    fraction: int = 6
    stop: str = ""
    rows: RowsForm = "values"
    temporary: bool = True
    enums: bool = False
    escapes: bool = False
    backticks: Literal["", "doubled", "escaped"] = ""
    files: CsvFiles = CsvFiles((), "")
    recursive: bool = True
    doubles: tuple[str, str] | None = None

    def typed(self, value: Expression, family: str) -> Expression:
        """A value as one of its type of a family."""
        return expression("CAST({value} AS {kind})", value=value, kind=Expression(self.types[family]))

    def refusal(self, what: str, why: str) -> DialectError:
        """What to raise for something that it cannot be given."""
        return DialectError(f"{what} cannot be written for {self.title}: {why}")


STANDARD = {
    "text": "VARCHAR",
    "whole": "BIGINT",
    "float": "REAL",
    "double": "DOUBLE",
    "date": "DATE",
    "time": "TIME",
    "stamp": "TIMESTAMP",
    "zoned": "TIMESTAMPTZ",
    "number": "INTEGER",
}
SPARK = STANDARD | {"text": "STRING", "float": "FLOAT", "stamp": "TIMESTAMP_NTZ", "zoned": "TIMESTAMP"}
POSTGRES = STANDARD | {"text": "TEXT", "double": "DOUBLE PRECISION"}
SNOWFLAKE = STANDARD | {"stamp": "TIMESTAMP_NTZ", "zoned": "TIMESTAMP_TZ"}
BIGQUERY = STANDARD | {
    "text": "STRING",
    "whole": "INT64",
    "double": "FLOAT64",
    "stamp": "DATETIME",
    "zoned": "TIMESTAMP",
    "number": "INT64",
}

WAREHOUSE_FILES = ("CREATE TABLE IF NOT EXISTS {name} ({columns})",)
BIGQUERY_FILES = CsvFiles(
    WAREHOUSE_FILES,
    "Load {file}: bq load --replace --source_format=CSV --skip_leading_rows=1 --allow_quoted_newlines "
    "--null_marker='\\N' DATASET.{name} {file}",
    null="\\N",
)
DUCKDB_FILES = CsvFiles(
    (
        "CREATE OR REPLACE TEMPORARY TABLE {name} AS SELECT * FROM read_csv({path}, header = true, "
        "auto_detect = false, delim = ',', quote = '\"', escape = '\"', nullstr = '', allow_quoted_nulls = false, "
        "columns = {typed})",
    ),
    "It reads {file} in the folder in which DuckDB runs.",
    schema="temp.",
)
POSTGRES_FILES = CsvFiles(
    (
        "DROP TABLE IF EXISTS {schema}{name}",
        "CREATE TEMPORARY TABLE {name} ({columns})",
        "\\copy {name} FROM {path} WITH (FORMAT csv, HEADER)",
    ),
    "psql reads {file} in the folder in which it runs.",
    schema="pg_temp.",
)
SNOWFLAKE_FILES = CsvFiles(
    WAREHOUSE_FILES,
    'Load {file} once the table is there: PUT file://{file} @~; COPY INTO "{name}" FROM @~/{file} '
    "FILE_FORMAT = (TYPE = CSV SKIP_HEADER = 1 FIELD_OPTIONALLY_ENCLOSED_BY = '\"')",
)
SPARK_FILES = CsvFiles(
    (
        "CREATE OR REPLACE TEMPORARY VIEW {name} ({columns}) USING csv OPTIONS (path {path}, header 'true', "
        "multiLine 'true', escape '\"', nullValue '\\N', emptyValue '', positiveInf 'Infinity', "
        "negativeInf '-Infinity')",
    ),
    "It reads {file} in the working folder of the session.",
    null="\\N",
)
_SPARK = Dialect(
    "spark",
    "Spark",
    SPARK,
    refused={"time": "it reads no times of day in most of its versions"},
    ran_on="Spark 4.3",
    stop="RAISE_ERROR",
    temporary=False,
    escapes=True,
    backticks="doubled",
    files=SPARK_FILES,
    recursive=False,
    doubles=("{value} = 0 OR {value} BETWEEN 0.001 AND 9999999 OR {value} BETWEEN -9999999 AND -0.001", "{text}"),
)
_ALL = (
    Dialect(
        "bigquery",
        "BigQuery",
        BIGQUERY,
        nan="IS_NAN",
        stop="ERROR",
        rows="structs",
        escapes=True,
        backticks="escaped",
        files=BIGQUERY_FILES,
    ),
    replace(
        _SPARK,
        name="databricks",
        title="Databricks",
        ran_on="",
        files=replace(
            SPARK_FILES,
            words="It reads {file} in the working folder of the session; write where the file is in its place.",
        ),
    ),
    Dialect(
        "duckdb",
        "DuckDB",
        STANDARD,
        "DuckDB 2.0",
        collation="C",
        digits=10_000,
        fraction=9,
        stop="ERROR",
        enums=True,
        files=DUCKDB_FILES,
    ),
    Dialect(
        "postgres",
        "PostgreSQL",
        POSTGRES,
        "PostgreSQL 15",
        collation="C",
        digits=10_000,
        enums=True,
        files=POSTGRES_FILES,
        doubles=(
            "{value} BETWEEN -999999999999999 AND 999999999999999",
            "CASE WHEN {text} LIKE '%.%' OR {text} LIKE '%e%' THEN {text} ELSE {text} || '.0' END",
        ),
    ),
    Dialect("snowflake", "Snowflake", SNOWFLAKE, fraction=9, escapes=True, files=SNOWFLAKE_FILES),
    _SPARK,
)
DIALECTS: Mapping[str, Dialect] = {dialect.name: dialect for dialect in _ALL}


def dialect_named(name: str) -> Dialect:
    """The dialect of a name; raises DialectError that lists those there are."""
    if name not in DIALECTS:
        raise DialectError(f"the dialect {name!r} is not known; choose among {', '.join(DIALECTS)}")
    return DIALECTS[name]
