"""Every query file runs in DuckDB, on tables without rows and on tables of a few, for no, one and two names in lists.

What is read is made by what the text names: tables and columns by made_tables.py, lists and expressions by sampled.py.
A new file needs nothing here, unless a column, a parameter or a field means something else in it than in others; then
it has an entry in ``ODD`` here, or in the tables of sampled.py. An entry that nothing uses any more fails.
"""

import math
import re
from collections import defaultdict

import duckdb
import pytest
import sqlglot
from made_tables import PATTERNS, TYPES, Odd, base, make, tables_of, type_of
from sampled import ALONE, ALONE_IN, COLUMNS, FEWEST, FIELDS, FIELDS_OF, repeats, sampled, within
from sqlglot import exp

from anonduck.statements import load
from anonduck.statements.expansion import FIELD, Field, qualified
from anonduck.statements.template import query_names

QUERY_NAMES = query_names()
FEW_ROWS = 4
NOT_RUN = {
    "engines/postgres/columns.sql": "asks the catalogue of PostgreSQL, which tests/engines run",
    "engines/postgres/settings.sql": "asks for the settings of PostgreSQL, which tests/engines run",
    "release/scripts/tree_descent_joined.sql": "calls functions of Spark, where tests/engines run it",
}
"""The files that DuckDB does not run, and why."""
if duckdb.__version__.startswith("1."):
    NOT_RUN["database/triggers.sql"] = "DuckDB has triggers from 2.0 on"
VALUES = {
    "BIGINT": 2,
    "INTEGER": 2,
    "HUGEINT": 2,
    "UBIGINT": 2,
    "DOUBLE": 0.5,
    "BOOLEAN": True,
    "VARCHAR": "a",
    "JSON": "[]",
    "VARCHAR[]": ["a", 'it\'s "odd"'],
    "INTEGER[]": [1, 2],
    "BIGINT[]": [1, 2],
    "HUGEINT[]": [1, 2],
}
"""The value of a parameter by the type that it is cast to."""
TEXTS = """
    addressed card coded column database date dated dateformat decimal email family form iban ip loose not_phone
    outside pattern phone plain positioned random root_label schema thousands timestampformat url fixed table view
    sep
    """
NAMED = dict.fromkeys(TEXTS.split(), "a") | {
    "format": "%Y",
    "files": ["{folder}/{rows}.json"],
    "path": "{folder}/written",
    "column_names": ["a"],
    "lines": ["a;b", ""],
}
"""The value of one that is not cast, by its name; of others 2."""
FORMS = "whole fixed plain odd iso ymd ydot dmy mdy dmystamp mdystamp mdyclock stamp zoned time given givenstamp"
ODD = {
    "attacks/attributes.sql": Odd({"label": "BIGINT"}),
    "attacks/covering.sql": Odd({"label": "INTEGER", "lower": "DOUBLE", "upper": "DOUBLE"}),
    "attacks/label_positions.sql": Odd({"label": "BIGINT", "lower": "DOUBLE", "upper": "DOUBLE"}),
    "database/parquet_schemas.sql": Odd(values={"files": ["{folder}/{rows}.parquet"]}),
    "attacks/extents.sql": Odd({"label": "BIGINT"}),
    "attacks/held_labels.sql": Odd({"label": "BIGINT"}),
    "engines/minus_zeros.sql": Odd({"c0": "DOUBLE", "c1": "DOUBLE"}),
    "release/source_rows.sql": Odd({"key_0": "VARCHAR"}),
    "evaluation/spread_level.sql": Odd({"leaves": "VARCHAR[]"}),
    "evaluation/spread_moments.sql": Odd({"value": "TIMESTAMP"}),
    "evaluation/spread_numbers.sql": Odd({"value": "DOUBLE", "lower": "digits", "upper": "digits"}),
    "evaluation/spread_release.sql": Odd({"leaves": "VARCHAR[]"}),
    "evaluation/spread_root.sql": Odd({"leaves": "VARCHAR[]"}),
    "frequency/pattern_block.sql": Odd({"odd": "BIGINT"}),
    "frequency/pattern_packed.sql": Odd({"odd": "BIGINT"}),
    "init/whole_numbers.sql": Odd({"held": "DOUBLE"}),
    "privacy/classes_of_parts.sql": Odd({"odd": "BIGINT"}, beside={"odd": ['odd "№"0', 'odd "№"1']}),
    "privacy/comparable.sql": Odd({"label": "BIGINT"}),
    "privacy/counted_texts.sql": Odd({"odd": "BIGINT"}),
    "privacy/grouped.sql": Odd({"odd": "BIGINT"}),
    "privacy/grouped_texts.sql": Odd({"odd": "BIGINT"}),
    "privacy/release_values.sql": Odd(
        beside={name: ["attribute", "value", "records"] for name in ("later_values", "earlier_values")}
    ),
    "privacy/t_ordered.sql": Odd({"before": "DOUBLE"}),
    "release/assigned_nodes.sql": Odd({"key": "BIGINT"}),
    "release/class_nodes.sql": Odd({"raw_value": "DOUBLE", "value": "DOUBLE"}),
    "release/cut_nodes.sql": Odd({"value": "DOUBLE"}),
    "release/interval_ends.sql": Odd({"raw_value": "DOUBLE", "value": "DOUBLE"}),
    "release/numbered_kept.sql": Odd({"apart": "BIGINT"}),
    "release/shown_classes.sql": Odd(beside={"grouped": ["shown"]}),
    "release/shown_bounds.sql": Odd({"upper": "BIGINT"}),
    "release/typical_shown.sql": Odd({"key": "BIGINT", "made_code": "BIGINT"}),
    "release/scripts/counted.sql": Odd({"odd": "BIGINT"}),
    "release/scripts/tree_cells.sql": Odd({"col": "BIGINT", "odd": "BIGINT"}),
    "release/scripts/tree_classes.sql": Odd({"col": "BIGINT"}),
    "release/scripts/tree_descent.sql": Odd(dict.fromkeys(("col", "first", "last", "next", "odd"), "BIGINT")),
    "release/scripts/tree_ends.sql": Odd({"ends": "BIGINT"}),
    "release/scripts/tree_nodes.sql": Odd(
        {"least": "BIGINT", "largest": "BIGINT", "high": "VARCHAR", "low": "VARCHAR"}
    ),
    "release/scripts/tree_pruned.sql": Odd(dict.fromkeys(("first", "last", "next", "odd"), "BIGINT")),
    "release/swap_moments.sql": Odd({"swapped_value": "TIMESTAMP"}),
    "release/swap_numbers.sql": Odd({"swapped_value": "DOUBLE"}),
    "source/sheet_counts.sql": Odd({"odd": "DOUBLE"}),
    "source/text_forms.sql": Odd(beside={"texts": [f"{form}_" for form in FORMS.split()]}),
    "taxonomy/builders/bounds_numeric.sql": Odd(values={"plain": 15}),
    "taxonomy/builders/bounds_numeric_scaled.sql": Odd({"below": "DOUBLE", "above": "DOUBLE"}),
    "taxonomy/builders/bounds_temporal.sql": Odd({"moment": "BIGINT", "low": "BIGINT", "high": "BIGINT"}),
    "taxonomy/builders/bounds_temporal_ends.sql": Odd({"below": "TIMESTAMP", "above": "TIMESTAMP"}),
    "taxonomy/builders/bounds_between.sql": Odd({"code_below": "BIGINT", "code_above": "BIGINT"}),
    "taxonomy/builders/cut_nodes.sql": Odd({"own": "VARCHAR"}),
    "taxonomy/builders/gaps_between.sql": Odd({"code_below": "BIGINT", "code_above": "BIGINT"}),
    "taxonomy/builders/leaf_range.sql": Odd({"value": "DOUBLE"}),
    "taxonomy/builders/shipped_labels.sql": Odd({"code": "VARCHAR"}),
    "taxonomy/builders/split_cells_of_moments.sql": Odd({"moment": "BIGINT"}),
    "taxonomy/builders/splitting_moments.sql": Odd({"value": "TIMESTAMP"}),
    "taxonomy/builders/splitting_numbers.sql": Odd({"value": "DOUBLE"}),
    "taxonomy/files/import_interval_faults.sql": Odd({"leaf": "VARCHAR"}),
    "taxonomy/files/import_parquet.sql": Odd(values={"path": "{folder}/{rows}.parquet"}),
    "taxonomy/register.sql": Odd(keyed="taxonomies"),
    "taxonomy/nodes_noted.sql": Odd({"start": "DOUBLE", "number": "DOUBLE"}),
}
"""What single files have that others have not."""


SEVERAL = re.compile(
    r"an? |one of|one leaf|such |as |two values|two neighbouring|neighbouring |records alike|none|does not"
)
"""How a header begins to say what a row is where there may be any number of rows."""
NO_NUMBER = {"privacy/homogeneous_classes.sql": "the share of no classes; what has no records is refused before"}
"""The queries of one row that find NaN or an infinity where there are no rows, and why that may be."""


@pytest.fixture(scope="module")
def connection():
    with duckdb.connect() as connection:
        connection.execute("SET threads TO 1")
        yield connection


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Files without rows and with a few, to read from."""
    folder = tmp_path_factory.mktemp("files")
    for rows in (0, FEW_ROWS):
        duckdb.execute(f"COPY (SELECT range AS one FROM range({rows})) TO '{folder}/{rows}.parquet'")
        (folder / f"{rows}.json").write_text('{"one": 1, "other": null}\n' * rows, encoding="utf-8")
    return folder


def odd_of(name):
    return ODD.get(name, Odd())


def cast_of(name, text):
    """The type that a parameter is cast to, if it is."""
    cast = re.search(rf"\${name}\s*::\s*(\w+(?:\s*\[\])?)|CAST\(\${name} AS (\w+(?:\[\])?)\)", text)
    return re.sub(r"\s", "", cast[1] or cast[2]) if cast else None


def value_of(file, name, text, rows, folder):
    """The value of a parameter."""
    cast = cast_of(name, text)
    value = VALUES[cast] if cast else NAMED.get(name, 2)
    value = odd_of(file).values.get(name, value)
    if isinstance(value, list):
        return [one.format(folder=folder, rows=rows) if isinstance(one, str) else one for one in value]
    return value.format(folder=folder, rows=rows) if isinstance(value, str) else value


def shapes(file, text):
    """The statement as a tree, and the tables that it reads with their columns."""
    tree = sqlglot.parse_one(text, read="duckdb")
    tables = tables_of(tree)
    for table, columns in odd_of(file).beside.items():
        for (_, name), held in tables.items():
            held += [one for one in columns if base(name) == table and one not in held]
    return tree, tables


def rows_of(connection, query, tree, parameters):
    """The rows of a query, or of the table or view that a statement makes."""
    rows = connection.execute(query.sql, parameters or None).fetchall()
    if isinstance(tree, exp.Create):
        made = tree.find(exp.Table)
        rows = connection.execute(f"FROM {qualified(*filter(None, (made.db, made.name)))}").fetchall()
    return rows


def run(name, connection, folder):
    """The rows that a file finds, by the number of names and of rows."""
    odd, found = odd_of(name), {}
    for count in (0, 1, 2):
        query = sampled(load(name), count)
        tree, tables = shapes(name, query.sql)
        bound = [one for one in query.parameters if f"${one}" in query.sql]
        for rows in (0, FEW_ROWS):
            parameters = {one: value_of(name, one, query.sql, rows, folder) for one in bound}
            connection.execute("BEGIN")
            try:
                make(connection, tables, odd.types, filled=rows > 0, keyed=odd.keyed)
                found[count, rows] = rows_of(connection, query, tree, parameters)
            except duckdb.Error as error:
                raise AssertionError(f"sql/{name} with {count} names, on {rows} rows: {error}\n{query.sql}") from None
            finally:
                connection.execute("ROLLBACK")
    return found


@pytest.mark.parametrize("name", [name for name in QUERY_NAMES if name not in NOT_RUN])
def test_every_query_file_runs_on_no_rows_and_on_a_few(name, connection, folder):
    found = run(name, connection, folder)
    if is_single(name):
        assert {case: len(rows) for case, rows in found.items()} == dict.fromkeys(found, 1)
        numbers = [one for (_, rows), [row] in found.items() if not rows for one in row if isinstance(one, float)]
        assert (name in NO_NUMBER) == (not all(map(math.isfinite, numbers)))


@pytest.mark.parametrize("name", NOT_RUN)
def test_what_is_not_run_does_not_run(name, connection, folder):
    with pytest.raises(AssertionError, match=name):
        run(name, connection, folder)


def is_single(name):
    """Whether a file is a query that has one row, as its header says."""
    said = re.search(r"^-- One row(?:\.|: (.*))$", load(name).header, flags=re.MULTILINE)
    if said is None or SEVERAL.match(said[1] or "") or re.search(r"\bnone\b", said[1] or ""):
        return False
    return isinstance(sqlglot.parse_one(sampled(load(name), 1).sql, read="duckdb"), exp.Query)


@pytest.mark.parametrize(
    ("text", "tables"),
    [
        ("SELECT a, t.b FROM t", {"t": ["a", "b"]}),
        ("SELECT s.a, u.b FROM x.t AS s JOIN u USING (k)", {"t": ["a", "k"], "u": ["b", "k"]}),
        ("SELECT a AS n, n + 1 FROM t ORDER BY n", {"t": ["a"]}),
        ("SELECT sum(a) AS a FROM t", {"t": ["a"]}),
        ("SELECT b FROM (SELECT *, 1 AS c FROM t) WHERE c = 1", {"t": ["b"]}),
        ("WITH u AS (SELECT a FROM t) SELECT a FROM u", {"t": ["a"]}),
        ("SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.b = t.c)", {"t": ["a", "c"], "u": ["b"]}),
        ("SELECT hash(t), n FROM t CROSS JOIN range(3) AS r (n)", {"t": []}),
        ("SELECT * EXCLUDE (a) FROM t", {"t": ["a"]}),
        ("SELECT 1 FROM t SEMI JOIN u ON u.b = t.a", {"t": ["a"], "u": ["b"]}),
        ("CREATE TABLE m AS SELECT a FROM t", {"t": ["a"]}),
        ("INSERT INTO m SELECT a AS b, 1 FROM t", {"m": ["1", "b"], "t": ["a"]}),
        ("UPDATE t SET a = u.b FROM u WHERE t.k = u.k", {"t": ["a", "k"], "u": ["b", "k"]}),
        ("DELETE FROM t WHERE a = 1", {"t": ["a"]}),
    ],
)
def test_the_columns_of_tables_are_found(text, tables):
    found = tables_of(sqlglot.parse_one(text, read="duckdb"))
    assert {name: sorted(columns) for (_, name), columns in found.items()} == tables


# -- no entry is stale -------------------------------------------------------------------------------------------------


class Uses:
    """What the query files use: columns of tables, expressions and parameters, by file."""

    def __init__(self):
        self.columns, self.tables, self.fields, self.values, self.casts, self.lists = (
            defaultdict(set) for _ in range(6)
        )
        self.markers = defaultdict(set)
        for name in QUERY_NAMES:
            loaded = load(name)
            query = sampled(loaded, 2)
            if name not in NOT_RUN:
                _, tables = shapes(name, query.sql)
                self.columns[name] = {base(column) for columns in tables.values() for column in columns}
                self.tables[name] = {base(table) for _, table in tables} | {table for _, table in tables}
            texts = [part.text for part in within(loaded.parts) if isinstance(part, Field)]
            self.fields[name] = {one for text in texts if text[0] != '"' for one in FIELD.findall(text)}
            self.values[name] = {
                one for one in query.parameters if one in odd_of(name).values or not cast_of(one, query.sql)
            }
            self.casts[name] = {cast_of(one, query.sql) for one in query.parameters}
            self.markers[name] = set(loaded.binds)
            self.lists[name] = {one.name for one in repeats(loaded.parts)}

    def all(self, of):
        """What any file uses."""
        return set().union(*of.values())


@pytest.fixture(scope="module")
def uses():
    return Uses()


def test_no_entry_names_a_file_that_is_gone():
    tables = [NOT_RUN, NO_NUMBER, ODD, ALONE_IN, COLUMNS, FEWEST, FIELDS_OF]
    gone = {name for table in tables for name in table} - set(QUERY_NAMES)
    assert gone == set(), "take the entries of these files out of tests/statements/test_runs.py and sampled.py"


def test_no_entry_of_all_files_is_stale(uses):
    columns = uses.all(uses.columns)
    assert sorted(TYPES.keys() - columns) == [], "no table that is read has these columns: take them out of WORDS"
    assert [one for one in PATTERNS if not any(re.fullmatch(one, name) for name in columns - TYPES.keys())] == []
    assert sorted(FIELDS.keys() - uses.all(uses.fields)) == [], "no file has these fields: take them out of FIELDS"
    assert sorted(NAMED.keys() - uses.all(uses.values)) == [], (
        "no file has these parameters: take them out of TEXTS or NAMED"
    )
    assert sorted(VALUES.keys() - uses.all(uses.casts)) == [], (
        "no file has parameters of these types: take them out of VALUES"
    )
    assert sorted(ALONE - uses.all(uses.lists)) == [], "no file has these lists: take them out of ALONE"


def test_no_entry_of_a_file_is_stale(uses):
    stale = []
    for name, odd in ODD.items():
        stale += [
            (name, one) for one, kind in odd.types.items() if one not in uses.columns[name] or type_of(one, {}) == kind
        ]
        stale += [(name, one) for one in odd.beside if one not in uses.tables[name]]
        stale += [(name, one) for one in odd.values if one not in uses.values[name]]
        stale += [(name, odd.keyed)] if odd.keyed and odd.keyed not in uses.tables[name] else []
    stale += [(name, one) for name, fields in FIELDS_OF.items() for one in fields.keys() - uses.fields[name]]
    stale += [(name, one) for name, lists in ALONE_IN.items() for one in set(lists.split()) - uses.lists[name]]
    stale += [(name, one) for name, lists in FEWEST.items() for one in lists.keys() - uses.lists[name]]
    stale += [(name, one) for name, columns in COLUMNS.items() for one in columns.keys() - uses.markers[name]]
    assert stale == [], "take these entries out of tests/statements/test_runs.py and sampled.py"
