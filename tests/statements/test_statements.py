"""The binding of names into query files, and what a warehouse is asked, held against golden files."""

import re
from importlib.resources import files
from pathlib import Path

import duckdb
import pytest
import sqlglot
from examples import examples
from golden_texts import check_golden
from hypothesis import given
from hypothesis import strategies as st
from sampled import sampled
from sqlglot import exp

from anonduck.engines import warehouse_queries
from anonduck.statements import (
    BindingError,
    load,
    parse_template,
    user_sql,
)
from anonduck.statements.dialects import DIALECTS

QUERIES = Path(str(files("anonduck.sql")))
HEADER = "-- A test.\n-- Binds: {}\n"
NAMES = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\x00"), min_size=1, max_size=30)


def template(binds, sql):
    return parse_template("test.sql", HEADER.format(binds) + sql)


# -- what is legal -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT max(quasi) FROM t",
        "SELECT quasi + 1 FROM t",
        "SELECT count(DISTINCT quasi) FROM t",
        "SELECT quasi AS q FROM t",
        "SELECT 1 FROM t WHERE quasi = 1",
        "SELECT 1 FROM t ORDER BY quasi DESC",
        "SELECT 1 FROM t ORDER BY quasi NULLS FIRST",
        "SELECT row_number() OVER (ORDER BY quasi DESC) FROM t",
        "SELECT 1 FROM t JOIN u USING (quasi)",
        "SELECT quasi FROM t JOIN u USING (quasi)",
        "SELECT CAST(quasi AS VARCHAR) FROM t",
        "SELECT * FROM t JOIN u ON quasi = u.a",
    ],
)
def test_a_list_outside_a_list_raises(sql):
    with pytest.raises(BindingError, match="quasi"):
        template("quasi (columns)", sql)


@pytest.mark.parametrize(
    ("sql", "bound"),
    [
        ("SELECT quasi FROM t", 'SELECT "a b", "c" FROM t'),
        (
            "SELECT t.quasi, count(*) FROM t GROUP BY t.quasi",
            'SELECT t."a b", t."c", COUNT(*) FROM t GROUP BY t."a b", t."c"',
        ),
        ("SELECT row(quasi, 1) FROM t", 'SELECT ROW("a b", "c", 1) FROM t'),
        (
            "SELECT sum(1) OVER (PARTITION BY quasi) FROM t",
            'SELECT SUM(1) OVER (PARTITION BY "a b", "c") FROM t',
        ),
        ("SELECT DISTINCT quasi FROM t", 'SELECT DISTINCT "a b", "c" FROM t'),
    ],
)
def test_a_list_in_a_list_is_spelled_out(sql, bound):
    statement = template("quasi (columns)", sql).bind(columns={"quasi": ["a b", "c"]})
    assert sqlglot.parse_one(statement.sql, read="duckdb") == sqlglot.parse_one(bound, read="duckdb")


def test_an_ascending_order_is_spelled_out():
    bound = template("quasi (columns)", "SELECT 1 FROM t ORDER BY quasi, z DESC").bind(columns={"quasi": ["a", "b"]})
    order = sqlglot.parse_one(bound.sql, read="duckdb").args["order"].expressions
    assert [(item.this.name, bool(item.args.get("desc"))) for item in order] == [
        ("a", False),
        ("b", False),
        ("z", True),
    ]


def test_a_list_that_a_query_holds_twice_is_replaced_twice():
    bound = template("quasi (columns)", "WITH x AS (SELECT quasi FROM t GROUP BY quasi) SELECT quasi FROM x")
    sql = bound.bind(columns={"quasi": ["a", "b"]}).sql
    assert sql.count('"a"') == 3
    assert "quasi" not in sql


@pytest.mark.parametrize(
    ("binds", "sql", "message"),
    [
        ("$a (value), $b (value)", "SELECT $a", r"\['\$a', '\$b'\] and uses \['\$a'\]"),
        ("quasi (columns)", "SELECT 1", r"and uses \[\]"),
        ("one (column)", 'SELECT "one" FROM t', r"and uses \[\]"),
        ("one (table)", "SELECT one FROM t", r"and uses \[\]"),
        ("quasi (list)", "SELECT quasi", r"and uses \[\]"),
        ("quasi (names)", "SELECT quasi", "kind one of"),
        ("quasi (columns), quasi (column)", "SELECT quasi", "once"),
        ("nothing", "SELECT 1", "write 'name"),
        ("$a (value)", "SELECT $a; SELECT 2", "one query"),
    ],
)
def test_declared_and_used_binds_must_agree(binds, sql, message):
    with pytest.raises(BindingError, match=message):
        template(binds, sql)


def test_a_file_without_declaration_binds_nothing():
    assert parse_template("test.sql", "-- A test.\nSELECT 1").binds == {}
    with pytest.raises(BindingError, match=r"\[\] and uses \['\$a'\]"):
        parse_template("test.sql", "-- A test.\nSELECT $a")


def test_a_file_with_two_declarations_is_refused():
    with pytest.raises(BindingError, match="2 lines '-- Binds"):
        parse_template("test.sql", "-- A test.\n-- Binds: $a (value)\n-- Binds: $b (value)\nSELECT $a, $b")


@pytest.mark.parametrize(
    "given_binds",
    [{}, {"columns": {"other": ["a"]}}, {"column": {"quasi": "a"}}, {"columns": {"quasi": []}, "table": {"t": "u"}}],
)
def test_what_is_bound_must_be_what_is_declared(given_binds):
    with pytest.raises(BindingError, match="binds"):
        template("quasi (columns)", "SELECT quasi FROM t").bind(**given_binds)


def test_an_empty_list_leaves_one_group():
    counted = template("quasi (columns)", "SELECT quasi, count(*) AS n FROM t GROUP BY quasi").bind(
        columns={"quasi": []}
    )
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT * FROM (VALUES (1), (2), (NULL)) AS v(a)")
    assert connection.execute(counted.sql).fetchall() == [(3,)]


@pytest.mark.parametrize("function", ["hash", "row"])
def test_a_function_takes_no_empty_list_alone(function):
    alone = template("quasi (columns)", f"SELECT {function}(quasi) AS h FROM t")
    with pytest.raises(BindingError, match="empty"):
        alone.bind(columns={"quasi": []})
    beside = template("quasi (columns)", f"SELECT {function}(quasi, 1) AS h FROM t").bind(columns={"quasi": []})
    assert f"{function}( 1)" in beside.sql


@given(st.lists(NAMES, min_size=1, max_size=4, unique_by=str.lower), NAMES)
@examples(150)
def test_any_name_can_be_bound(names, table):
    text = "SELECT quasi, min(one) AS least FROM target GROUP BY quasi ORDER BY quasi"
    loaded = template("quasi (columns), one (column), target (table)", text)
    bound = loaded.bind(columns={"quasi": names}, column={"one": names[0]}, table={"target": ('odd " schema', table)})
    tree = sqlglot.parse_one(bound.sql, read="duckdb")
    assert [c.name for c in tree.expressions[:-1]] == names
    assert tree.expressions[-1].this.this.name == names[0]
    assert [c.name for c in tree.args["group"].expressions] == names
    found = tree.find(exp.Table)
    assert (found.name, found.db) == (table, 'odd " schema')


@pytest.mark.parametrize("name", ['a "b"', "a.b", "select", "имя", "x" * 200, " ", "'; DROP TABLE t; --", "quasi", "t"])
def test_odd_names_run(name):
    connection = duckdb.connect()
    quoted = '"' + name.replace('"', '""') + '"'
    connection.execute(f"CREATE TABLE {quoted} AS SELECT 7 AS {quoted}, NULL AS other")
    loaded = template("quasi (columns), target (table)", "SELECT quasi, count(*) FROM target GROUP BY quasi")
    bound = loaded.bind(columns={"quasi": [name, "other"]}, table={"target": name})
    assert connection.execute(bound.sql).fetchall() == [(7, None, 1)]


# -- the files ---------------------------------------------------------------------------------------------------------


QUERY_NAMES = sorted(path.relative_to(QUERIES).as_posix() for path in QUERIES.rglob("*.sql"))


def dialect_of(name):
    """The dialect that a file is written in: that of DuckDB, unless its folder names an engine."""
    folder = name.split("/")[-2]
    return folder if folder in DIALECTS else "duckdb"


@pytest.mark.some(40, 150)
@pytest.mark.parametrize("name", QUERY_NAMES)
def test_every_query_file_is_sql_for_any_number_of_odd_names(name):
    loaded = load(name)
    for count in (0, 1, 2, 20):
        bound = sampled(loaded, count, "a schema" if count == 2 else None)
        if (dialect := dialect_of(name)) == "duckdb":
            duckdb.extract_statements(bound.sql)
        tree = sqlglot.parse_one(bound.sql, read=dialect)
        left = {c.name for c in tree.find_all(exp.Column) if not c.this.args.get("quoted")}
        assert not left & {n for n, kind in loaded.binds.items() if kind in ("column", "columns")}
        assert not {t.name for t in tree.find_all(exp.Table)} & {
            n for n, kind in loaded.binds.items() if kind == "table"
        }


def test_no_query_counts_some_rows_of_a_whole_table_in_a_window():
    """DuckDB 2.0 takes the square of the rows for it: 31 s of 400,000. An aggregate beside the rows takes none."""
    counts = re.compile(r"count\([^()]*\)\s+FILTER\s+\([^()]*\)\s+OVER\s+\(\s*\)", re.IGNORECASE)
    assert counts.search("count(*) FILTER (WHERE named) OVER ()")
    assert [name for name in QUERY_NAMES if counts.search((QUERIES / name).read_text(encoding="utf-8"))] == []


def header(name):
    """What a query file says of itself."""
    lines = (QUERIES / name).read_text(encoding="utf-8").splitlines()
    return [line.removeprefix("-- ") for line in lines if line.startswith("--")]


def opening(lines):
    """The purpose, or what is at its place: the lines before the first that says what a row is, or what is read."""
    labelled = [re.match(r"One row\b|(Reads|Binds|Result|NULL):", line) is not None for line in lines]
    return " ".join(lines[: [*labelled, True].index(True)])


@pytest.mark.parametrize(
    ("lines", "purpose"),
    [
        (["Which values occur.", "One row: a value."], "Which values occur."),
        (["Which values occur,", "and how often.", "Reads: t"], "Which values occur, and how often."),
        (["Effect: adds a value.", "Reads: t"], "Effect: adds a value."),
        (["One row: a value.", "Reads: t"], ""),
        (["One row per value, the largest first.", "Reads: t"], ""),
        (["Reads: t", "Which values occur."], ""),
    ],
)
def test_the_purpose_stands_first_in_a_header(lines, purpose):
    assert opening(lines) == purpose


def test_every_query_opens_with_a_sentence_of_purpose():
    openings = {name: opening(header(name)) for name in QUERY_NAMES}
    assert [name for name, purpose in openings.items() if not purpose.endswith(".")] == []
    effects = [name for name, purpose in openings.items() if purpose.startswith("Effect:")]
    assert effects
    assert [name for name in effects if isinstance(sqlglot.parse_one(load(name).text, read="duckdb"), exp.Query)] == []


def test_a_header_has_no_line_that_says_nothing():
    """What is not said is none: a file without Reads reads no table, one without NULL has none to tell of."""
    idle = re.compile(r"(Reads|Binds): nothing\b|NULL: (does not (occur|matter)|none occurs|no value is NULL)\.$")
    assert [name for name in QUERY_NAMES if any(idle.match(line) for line in header(name))] == []


def test_every_query_that_a_header_names_is_there():
    named = {(name, path) for name in QUERY_NAMES for path in re.findall(r"[\w./-]+\.sql\b", " ".join(header(name)))}
    assert named
    assert [(name, path) for name, path in sorted(named) if path.removeprefix("sql/") not in QUERY_NAMES] == []


# -- what is built -----------------------------------------------------------------------------------------------------


def warehouse(dialect):
    """What is asked of a table in a warehouse, a statement a line; PostgreSQL answers the same in tests/engines."""
    readings = {"job": "text", 'an "odd" name': "as text", "pay": "double", "age": "as it is"}
    table = warehouse_queries.WarehouseTable(dialect, ("shop", "people"), readings, "age >= 18", {"age": "INT"})
    asked = [
        warehouse_queries.count_by(table, ["job", "age"]),
        warehouse_queries.count_by(table, []),
        table.asked("profile", ["job", 'an "odd" name']),
        table.asked("minus_zeros", ["age"]),
        warehouse_queries.count_by(table, ["job"], most=3),
        warehouse_queries.sizes_of(table, ["job"], ["age"], "mail", ["age"]),
        table.asked("common", ["job"], enough=[{"least": 5}]),
        warehouse_queries.sample(table, ["job"], 10, 0.5),
        warehouse_queries.groups_of(["a", "\u00e9", None], dialect),
    ]
    return ";\n".join(one.sql for one in asked)


@pytest.mark.newest  # versions of sqlglot quote and break lines differently
@pytest.mark.parametrize("dialect", ["bigquery", "snowflake"])
@pytest.mark.quick
def test_what_a_warehouse_is_asked_is_golden(dialect):
    check_golden(f"warehouse_{dialect}", warehouse(dialect))


@pytest.mark.parametrize(
    "where", ["1 = 1 GROUP BY age", "x = ", "1=1; DROP TABLE t", "", "1 = 1 LIMIT 1", "1 UNION SELECT 1"]
)
def test_a_filter_that_is_more_than_a_condition_is_refused(where):
    with pytest.raises(ValueError):  # noqa: PT011 - the source room names the key
        user_sql.condition(where)


def test_a_filter_is_one_condition_whatever_it_holds():
    condition = user_sql.condition("a = 1 OR b = 2 -- or not")
    where = sqlglot.parse_one(f"SELECT 1 WHERE {condition} AND c", read="duckdb").args["where"].this
    assert isinstance(where.this, exp.Paren)


@pytest.mark.parametrize("name", ["", "a.b.c.d", "a b", "read_csv('x')", "a;b", "a..b"])
def test_what_is_no_table_name_is_refused(name):
    with pytest.raises(ValueError):  # noqa: PT011 - the callers say whose name it is
        user_sql.split_table_name(name)


@given(st.lists(NAMES, min_size=1, max_size=3))
@examples(100)
def test_any_quoted_table_name_is_split(parts):
    assert user_sql.split_table_name(".".join('"' + p.replace('"', '""') + '"' for p in parts)) == parts
