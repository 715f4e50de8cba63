"""The text that binding fills in, held against the tree that it stands for."""

from importlib.resources import files
from pathlib import Path

import pytest
import sqlglot
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck.statements import load, parse_template

QUERIES = Path(str(files("anonduck.sql")))
QUERY_NAMES = sorted(path.relative_to(QUERIES).as_posix() for path in QUERIES.rglob("*.sql"))
NAMES = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\x00"), min_size=1, max_size=30)


def same(template, **binds):
    text = template.bind(**binds).sql
    tree = template.bound_tree(**binds)
    return sqlglot.parse_one(text, read="duckdb") == sqlglot.parse_one(tree.sql("duckdb"), read="duckdb")


@pytest.mark.some(18, 100)
@pytest.mark.parametrize("name", QUERY_NAMES)
def test_the_text_of_every_query_is_that_of_its_tree(name):
    template = load(name)
    kinds = {kind: [n for n, k in template.binds.items() if k == kind] for kind in ("columns", "column", "table")}
    for count in (1, 3):
        for schema in (False, True):
            assert same(
                template,
                columns={n: [f'{n} "{i}"' for i in range(count)] for n in kinds["columns"]},
                column={n: f'{n} "x", y' for n in kinds["column"]},
                table={n: ('a "schema"', f"{n} t") if schema else f"{n} t" for n in kinds["table"]},
            )


@given(st.lists(NAMES, max_size=4), NAMES, st.one_of(NAMES, st.tuples(NAMES, NAMES)))
@examples(150)
def test_any_names_make_the_text_of_the_tree(names, column, table):
    text = (
        "WITH x AS (SELECT t.quasi, max(one) AS m FROM target AS t GROUP BY t.quasi)\n"
        "SELECT x.quasi, row_number() OVER (PARTITION BY x.quasi ORDER BY x.m, x.quasi) AS n, one FROM x JOIN target"
    )
    header = "-- A test.\n-- Binds: quasi (columns), one (column), target (table)\n"
    template = parse_template("test.sql", header + text)
    if not names:
        text = template.bind(columns={"quasi": []}, column={"one": column}, table={"target": table}).sql
        assert text == template.bound_tree(columns={"quasi": []}, column={"one": column}, table={"target": table}).sql(
            "duckdb", pretty=True
        )
        return
    assert same(template, columns={"quasi": names}, column={"one": column}, table={"target": table})


def test_shapes_do_not_mix():
    template = parse_template("test.sql", "-- A test.\n-- Binds: quasi (columns), t (table)\nSELECT quasi, 1 FROM t")
    for names in (["a"], [], ["b", "c"], []):
        for table in ("u", ("s", "u"), "v"):
            bound = template.bind(columns={"quasi": names}, table={"t": table}).sql
            tree = template.bound_tree(columns={"quasi": names}, column={}, table={"t": table}).sql("duckdb")
            assert sqlglot.parse_one(bound, read="duckdb") == sqlglot.parse_one(tree, read="duckdb")


def test_an_argument_that_a_node_does_not_have_is_seen():
    tree = sqlglot.exp.select("a")
    tree.set("nope", sqlglot.exp.null())
    with pytest.raises(AssertionError, match="nope"):
        tree.sql("duckdb")
