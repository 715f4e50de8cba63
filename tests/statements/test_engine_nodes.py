"""What is written in another dialect than DuckDB's is on a list: what a translation changes is refused by name."""

import pytest
import sqlglot

from anonduck.errors import DialectError
from anonduck.statements import Statement
from anonduck.statements.dialects import DIALECTS, dialect_named
from anonduck.statements.expansion import expression
from anonduck.statements.pipeline.engine_nodes import check_nodes
from anonduck.statements.pipeline.engine_relations import table_of
from anonduck.statements.pipeline.engine_spelling import as_it_stands, in_dialect, spelled, written
from anonduck.statements.pipeline.engine_values import literal, string

OTHERS = [name for name in DIALECTS if name != "duckdb"]
TRAPS = {
    "SELECT xor(a, b) + c & m FROM t": r"BitwiseXor|BitwiseAnd|Xor|xor|XOR|Add",
    "SELECT list(x ORDER BY y) FROM t": r"ArrayAgg|ARRAY_AGG|Ordered|Order|list|LIST",
    "SELECT * FROM t QUALIFY row_number() OVER (PARTITION BY a ORDER BY b) = 1": "Select",
    "SELECT * FROM a ASOF LEFT JOIN b ON a.x >= b.x": "Join",
    "SELECT a, count(*) FROM t GROUP BY ALL": "Select|Group",
    "SELECT CAST(a AS HUGEINT) FROM t": "DataType",
    "SELECT CAST('2020-01-01 00:00:00' AS TIMESTAMP) FROM t": "DataType",
    "SELECT TIMESTAMP '2020-01-01 00:00:00' FROM t": "DataType",
    "SELECT row(a, b) FROM t": "row|Struct|STRUCT|ROW|PropertyEQ",
    "SELECT a FROM t TABLESAMPLE (10 PERCENT)": "TableSample",
    "SELECT * EXCLUDE (a) FROM t": "Star",
    "SELECT count(DISTINCT a) FROM t": "Distinct",
}


@pytest.mark.some(3)
@pytest.mark.parametrize("dialect", OTHERS)
def test_each_trap_is_refused_with_its_name(dialect):
    for query, name in TRAPS.items():
        with pytest.raises(DialectError, match=rf"^({name})\w*(\(\))? cannot be written for "):
            check_nodes(sqlglot.parse_one(query, read="duckdb"), dialect_named(dialect))


def test_what_is_read_as_something_else_is_no_table():
    for text in ("a ASOF", "a AS b", "a, b", "read_parquet('x')", "'x'", "", "a; b", "DROP TABLE a"):
        with pytest.raises(ValueError, match=r"names no table|cannot be written"):
            table_of(text, dialect_named("postgres"))


@pytest.mark.parametrize("dialect", OTHERS)
def test_what_every_engine_reads_alike_is_written(dialect):
    text = "SELECT CASE WHEN a < 1 THEN 'x' ELSE NULL END AS b FROM t AS s WHERE NOT a IS NULL"
    assert written(text, dialect_named(dialect)) == text


def test_what_is_written_here_is_read_before_an_engine_is_given_it():
    traps = {"SELECT xor(a, b) FROM t": "Xor|XOR|xor", "SELECT a FROM t QUALIFY a = 1": "Select", "SELECT (": "release"}
    for text, words in traps.items():
        with pytest.raises(DialectError, match=words):
            written(text, dialect_named("spark"))


def test_what_an_engine_is_given_to_write_is_on_its_list():
    """A query of DuckDB's is translated, and refused where the translation may mean something else."""
    engine = dialect_named("spark")
    given = 'SELECT s.a AS "b c" FROM t AS s LEFT JOIN l ON s.a IS NOT DISTINCT FROM l.key_0'
    text = " ".join(in_dialect(Statement("rows", given), engine).split())
    assert text == "SELECT s.a AS `b c` FROM t AS s LEFT JOIN l ON s.a IS NOT DISTINCT FROM l.key_0"
    for query, name in TRAPS.items():
        if "CAST" not in query and "TIMESTAMP" not in query:  # types are DuckDB's there
            with pytest.raises(DialectError, match=rf"^({name})\w*(\(\))? cannot be written for "):
                in_dialect(Statement("rows", query), engine)
    assert in_dialect(Statement("rows", "SELECT xor(a, b) FROM t"), dialect_named("duckdb"))


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("text", ["it's", "a\\b", "two\nlines", '"', "`", "\\'; DROP TABLE t; --", ""])
def test_texts_are_spelled_as_an_engine_reads_them(dialect, text):
    spelled_text = spelled(expression("SELECT {text}", text=string(text)), dialect_named(dialect))
    assert sqlglot.parse_one(spelled_text, read=dialect).selects[0].this == text


@pytest.mark.parametrize(
    ("dialect", "spelled_name"),
    [
        *((one, '"a""b`c\\d\ne"') for one in ("duckdb", "postgres", "snowflake")),
        *((one, '`a"b``c\\d\ne`') for one in ("spark", "databricks")),
        ("bigquery", '`a"b\\`c\\\\d\\ne`'),
    ],
)
def test_names_are_spelled_as_an_engine_reads_them(dialect, spelled_name):
    # no older sqlglot reads what BigQuery's manual (Lexical structure) says of backslashes in names
    assert spelled(expression('"{name}"', name='a"b`c\\d\ne'), dialect_named(dialect)) == spelled_name


def test_what_stands_as_it_is_keeps_its_quotes():
    engine = dialect_named("spark")
    text = expression("SELECT {text} FROM {read}", text=string("it's"), read=as_it_stands("{{ ref('a') }}"))
    assert written(text, engine) == "SELECT 'it\\'s' FROM {{ ref('a') }}"


@pytest.mark.parametrize(
    ("dialect", "text", "kind", "expected"),
    [
        ("postgres", "0.1", "FLOAT", "0.10000000149011612e0"),
        ("postgres", "-0.0", "DOUBLE", "0.0e0"),
        ("spark", "1e300", "DOUBLE", "1e+300"),
        ("spark", "2024-01-01 10:00:00.5+09", "TIMESTAMP WITH TIME ZONE", "'2024-01-01 01:00:00.5+00:00'"),
        ("bigquery", "12.50", "DECIMAL(9,2)", "CAST('12.50' AS BIGNUMERIC)"),
        ("bigquery", "2024-01-01 10:00:00.500000", "TIMESTAMP", "CAST('2024-01-01 10:00:00.5' AS DATETIME)"),
        ("postgres", "2024-01-01", "TIMESTAMP", "'2024-01-01 00:00:00'"),
        ("snowflake", "2024-01-01 10:00:00.123456789", "TIMESTAMP_NS", "CAST('2024-01-01 10:00:00.123456789' AS"),
        ("snowflake", "true", "BOOLEAN", "TRUE"),
        ("postgres", "nan", "DOUBLE", "CAST('NaN' AS DOUBLE PRECISION)"),
    ],
)
def test_literals_are_exact(dialect, text, kind, expected):
    engine = dialect_named(dialect)
    assert expected in written(expression("SELECT {value}", value=literal(engine, text, kind)), engine)


@pytest.mark.parametrize(
    ("dialect", "text", "kind"),
    [
        ("postgres", "infinity", "DATE"),
        ("spark", "0044-03-15 (BC)", "DATE"),
        ("postgres", "2024-01-01 10:00:00.123456789", "TIMESTAMP_NS"),
        ("spark", "170141183460469231731687303715884105727", "HUGEINT"),
        ("bigquery", "290000-01-01 00:00:00+00", "TIMESTAMP WITH TIME ZONE"),
    ],
)
def test_what_an_engine_would_round_or_clip_is_refused(dialect, text, kind):
    with pytest.raises(DialectError) as refusal:
        literal(dialect_named(dialect), text, kind)
    assert text not in str(refusal.value)
