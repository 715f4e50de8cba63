"""The binding of names into query files, and the SQL that is built, held against golden files.

After a change that is meant, write the golden files anew and read the difference before committing it:

    ANONDUCK_GOLDEN=write pytest tests/statements/test_statements.py
"""

import os
import re
from functools import partial
from importlib.resources import files
from pathlib import Path

import duckdb
import pytest
import sqlglot
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from anonduck.config.taxonomy import TaxonomyOptions
from anonduck.statements import (
    BindingError,
    builder_warehouse,
    load,
    parse_template,
    user_sql,
)
from anonduck.statements.expansion import FIELD, PLACE, Expression, Field, Repeat
from anonduck.statements.pipeline import (
    builder_gate,
    builder_script,
)
from anonduck.statements.pipeline.builder_release import NodeColumn, RuleColumn
from anonduck.statements.pipeline.builder_script import Passing
from anonduck.statements.pipeline.builder_shown import is_computed
from anonduck.statements.pipeline.engines import ENGINES, engine_named
from anonduck.statements.pipeline.select_parts import ComputedValues, ListedCombinations, ListedIntervals, ListedValues
from anonduck.taxonomy.builders.computed import labels_by

GOLDEN = Path(__file__).parents[1] / "golden"
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
        ("nothing", "SELECT quasi, $a FROM t", r"\[\] and uses \['\$a'\]"),
        ("$a (value), $b (value)", "SELECT $a", r"\['\$a', '\$b'\] and uses \['\$a'\]"),
        ("quasi (columns)", "SELECT 1", r"and uses \[\]"),
        ("one (column)", 'SELECT "one" FROM t', r"and uses \[\]"),
        ("one (table)", "SELECT one FROM t", r"and uses \[\]"),
        ("quasi (list)", "SELECT quasi", r"and uses \[\]"),
        ("quasi (names)", "SELECT quasi", "kind one of"),
        ("quasi (columns), quasi (column)", "SELECT quasi", "once"),
        ("nothing", "SELECT 1; SELECT 2", "one query"),
    ],
)
def test_declared_and_used_binds_must_agree(binds, sql, message):
    with pytest.raises(BindingError, match=message):
        template(binds, sql)


def test_a_file_without_declaration_is_refused():
    with pytest.raises(BindingError, match="Binds"):
        parse_template("test.sql", "-- A test.\nSELECT 1")


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


def items(parts, count):
    """Items for a list, by the fields that its text has: odd names in double quotes, numbers within a name of SQL,
    expressions elsewhere, inner lists. One whose text has no field says that something is so: it has one item."""
    fields = {}
    for before, part in zip((" ", *parts), parts, strict=False):
        if isinstance(part, Repeat):
            fields |= {part.name: items(part.body, count)} | inherited(part)
        elif isinstance(part, Field):
            within = isinstance(before, str) and (before[-1].isalnum() or before[-1] == "_")
            held = 7 if within else Expression('"7"')
            held = 'odd "№"' if part.text.startswith('"') else held
            fields |= {name: held for name in FIELD.findall(part.text) if name != PLACE and fields.get(name) != 7}
    numbers = range(count if fields else min(count, 1))
    return [
        {name: f"{held}{n}" if type(held) is str else held + n if held == 7 else held for name, held in fields.items()}
        for n in numbers
    ]


def inherited(repeat):
    """The fields of an inner text that may be those of the outer item."""
    return {name: held for item in items(repeat.body, 1) for name, held in item.items()}


def repeats(parts):
    """The lists that a file declares, with their texts."""
    for part in parts:
        if isinstance(part, Repeat):
            yield part
            yield from repeats((*part.body, *(part.empty or ())))


def bound(loaded, *kinds):
    """The markers of some kinds."""
    return [name for name, kind in loaded.binds.items() if kind in kinds]


def sampled(loaded, count, schema=None):
    """A file with so many names in each list."""
    kinds = {
        kind: [n for n, k in loaded.binds.items() if k == kind]
        for kind in ("columns", "column", "table", "list", "field")
    }
    bodies = {
        name: [part for one in repeats(loaded.parts) if one.name == name for part in one.body] for name in kinds["list"]
    }
    return loaded.bind(
        columns={n: [f"{n} №{i}" for i in range(count)] for n in kinds["columns"]},
        column={n: f'{n} "№"' for n in kinds["column"]},
        table={n: (schema, f"{n} №") if schema else f"{n} №" for n in kinds["table"]},
        lists={name: items(bodies[name], count) for name in kinds["list"]},
        fields={name: sampled_field(loaded, name) for name in kinds["field"]},
    )


def sampled_field(loaded, name):
    """A name where the field stands in double quotes, a query where one is read from, an expression elsewhere."""
    if re.search(rf"FROM \(\s*\{{{name}\}}", loaded.text):
        return Expression('SELECT 7 AS "7"')
    texts = [part.text for part in within(loaded.parts) if isinstance(part, Field) and name in FIELD.findall(part.text)]
    return 'odd "№"' if any(text.startswith('"') for text in texts) else Expression('"7"')


def within(parts):
    """Parts, and those of lists in them."""
    for part in parts:
        yield part
        if isinstance(part, Repeat):
            yield from within((*part.body, *(part.empty or ())))


def dialect_of(name):
    """The dialect that a file is written in: that of DuckDB, unless its folder names an engine."""
    folder = name.split("/")[-2]
    return folder if folder in ENGINES else "duckdb"


@pytest.mark.some(40, 150)
@pytest.mark.parametrize("name", QUERY_NAMES)
def test_every_query_file_is_sql_for_any_number_of_odd_names(name):
    loaded = load(name)
    assert "-- Reads:" in loaded.header
    assert "-- NULL:" in loaded.header
    needed = {one.name for one in repeats(loaded.parts) if one.empty is None}
    markers = {n for n, kind in loaded.binds.items() if kind != "value"}
    for count in (0, 1, 2, 20):
        if count == 0 and needed & markers:
            continue
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


def test_every_query_that_a_header_names_is_there():
    named = {(name, path) for name in QUERY_NAMES for path in re.findall(r"[\w./-]+\.sql\b", " ".join(header(name)))}
    assert named
    assert [(name, path) for name, path in sorted(named) if path.removeprefix("sql/") not in QUERY_NAMES] == []


# -- what is built -----------------------------------------------------------------------------------------------------

ODD = 'it\'s "odd"'
AGE = RuleColumn("age", 1, 2, "*", looked_up=True)
JOB = RuleColumn(ODD, 0, 3, "any'one", text=True, looked_up=True, unmapped=True)
ROOT = RuleColumn("zip", 2, 2, "*")
INCOME = RuleColumn("income", None, floating=True)
RELEASED = [AGE, JOB, ROOT, INCOME]
CLASSED = [NodeColumn("age", values=True), NodeColumn(ODD), INCOME]
LISTED = [
    ListedIntervals("age", "BIGINT", ((None, "under 30"), ("30", "30 and over"))),
    ListedValues(ODD, "VARCHAR", ((None, None), ("x'); DROP TABLE t; --", "a"), ("y", "b"))),
]
TYPES = {"age": "BIGINT", ODD: "VARCHAR", "zip": "VARCHAR", "income": "DOUBLE"}


def text(query):
    return query.sql("duckdb", pretty=True)


def select(dialect, passing=builder_script.ALL_PASS):
    read = builder_script.reading(engine_named(dialect), TYPES, table="shop.customers")
    return builder_script.select_text(RELEASED, LISTED, read, passing=passing)


def computed(dialect):
    """Labels that are computed, as far as a dialect has expressions for them."""
    kinds = {"zip": "VARCHAR", "born": "DATE", "at": "TIMESTAMP WITH TIME ZONE"}
    options = {
        "zip": {"mask": "left", "length": 5, "pad": "0"},
        "born": {"dates": ["day", "week"]},
        "at": {"dates": ["quarter"], "zone": "UTC"},
    }
    labels = {name: labels_by(TaxonomyOptions(**how), kinds[name]) for name, how in options.items()}
    asked = [ComputedValues(name, kinds[name], level, labels[name], "") for name, level in (("zip", 2), ("born", 2))]
    asked.append(ComputedValues("at", kinds["at"], 1, labels["at"], "", (("2024-01-01 10:00:00+00", "edited"),)))
    engine = engine_named(dialect)
    kept = [one for one in asked if is_computed(engine, one)]
    read = builder_script.reading(engine, kinds, table="shop.customers")
    return builder_script.select_text([RuleColumn(one.name, one.level, 3) for one in kept], kept, read)


def script(dialect, columns, listed):
    read = builder_script.reading(engine_named(dialect), TYPES, table="shop.customers", joined=True)
    return ";\n".join(builder_script.script_texts(columns, listed, read))


def classes_script(dialect):
    rows = [("1", "o'ne", "1", "a"), (None, None, None, None)]
    listed = ListedCombinations(("age", ODD), ("BIGINT", "VARCHAR"), (("age", True), (ODD, False)), rows)
    return script(dialect, CLASSED, [listed])


def warehouse(dialect):
    """What is asked of a table in a warehouse, a statement a line; PostgreSQL answers the same in tests/engines."""
    readings = {"job": "text", 'an "odd" name': "as text", "pay": "double", "age": "as it is"}
    table = builder_warehouse.WarehouseTable(dialect, ("shop", "people"), readings, "age >= 18", {"age": "INT"})
    asked = [
        builder_warehouse.count_by(table, ["job", "age"]),
        builder_warehouse.count_by(table, []),
        table.asked("profile", ["job", 'an "odd" name']),
        table.asked("minus_zeros", ["age"]),
        builder_warehouse.count_by(table, ["job"], most=3),
        builder_warehouse.sizes_of(table, ["job"], ["age"], "mail", ["age"]),
        table.asked("common", ["job"], enough=[{"least": 5}]),
        builder_warehouse.sample(table, ["job"], 10, 0.5),
        builder_warehouse.groups_of(["a", "\u00e9", None], dialect),
    ]
    return ";\n".join(one.sql for one in asked)


SAME = {"databricks": "spark"}
"""Dialects whose texts are those of another, so that one golden file serves both."""
RUN = {one.name for one in ENGINES.values() if one.ran_on} - {"duckdb"}
"""Dialects whose texts run in the tests (tests/engines), which hold their rows: no golden file tells more of them."""
BUILT = {
    "class_script_snowflake": lambda: classes_script("snowflake"),
    "gate_l": lambda: builder_gate.uniform_classes("@this_model", ["age"], ODD, 2, engine_named("snowflake")),
    "select_kept_bigquery": lambda: select("bigquery", Passing(5, 0.02)),
    **{f"computed_{dialect}": partial(computed, dialect) for dialect in ("bigquery", "snowflake")},
    **{f"select_{dialect}": partial(select, dialect) for dialect in ENGINES if dialect not in {*SAME, *RUN}},
    **{f"warehouse_{dialect}": partial(warehouse, dialect) for dialect in ("bigquery", "snowflake")},
}


@pytest.mark.newest  # versions of sqlglot quote and break lines differently
@pytest.mark.parametrize("name", BUILT)
@pytest.mark.quick
def test_built_sql_is_golden(name):
    built = BUILT[name]() + "\n"
    path = GOLDEN / f"{name}.sql"
    if os.environ.get("ANONDUCK_GOLDEN") == "write":
        path.write_text(built, encoding="utf-8")
    assert built == path.read_text(encoding="utf-8")


@pytest.mark.parametrize(("dialect", "other"), SAME.items())
def test_a_dialect_is_written_as_the_one_that_it_is_a_kind_of(dialect, other):
    assert select(dialect) == select(other)


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
