"""Releases as texts for engines, held against golden files."""

from functools import partial

import pytest
from golden_texts import check_golden

from anonduck.config.taxonomy import TaxonomyOptions
from anonduck.release.scripts import engine_texts, gates
from anonduck.release.scripts.engine_texts import Passing
from anonduck.release.scripts.lookup_files import filled
from anonduck.release.scripts.select_parts import ComputedValues, ListedCombinations, ListedIntervals, ListedValues
from anonduck.release.scripts.shown_columns import is_computed, parts_of
from anonduck.statements.dialects import DIALECTS, dialect_named
from anonduck.statements.pipeline.builder_release import NodeColumn, RuleColumn
from anonduck.taxonomy.builders.computed import labels_by

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


def select(dialect, passing=engine_texts.ALL_PASS):
    read = engine_texts.reading(dialect_named(dialect), TYPES, table="shop.customers")
    return engine_texts.select_text(RELEASED, LISTED, read, passing=passing)


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
    engine = dialect_named(dialect)
    kept = [one for one in asked if is_computed(engine, one)]
    read = engine_texts.reading(engine, kinds, table="shop.customers")
    return engine_texts.select_text([RuleColumn(one.name, one.level, 3) for one in kept], kept, read)


def script(dialect, columns, listed):
    engine = dialect_named(dialect)
    read = engine_texts.reading(engine, TYPES, table="shop.customers")
    tables = [text for one in parts_of(listed, read).lookups for text in filled(one, engine)]
    return ";\n".join([*tables, engine_texts.select_text(columns, listed, read, held=lambda one: one.name)])


def classes_script(dialect):
    rows = [("1", "o'ne", "1", "a"), (None, None, None, None)]
    listed = ListedCombinations(("age", ODD), ("BIGINT", "VARCHAR"), (("age", True), (ODD, False)), rows)
    return script(dialect, CLASSED, [listed])


SAME = {"databricks": "spark"}
"""Dialects whose texts are those of another, so that one golden file serves both."""
RUN = {one.name for one in DIALECTS.values() if one.ran_on} - {"duckdb"}
"""Dialects whose texts run in the tests (tests/engines), which hold their rows: no golden file tells more of them."""
BUILT = {
    "class_script_snowflake": lambda: classes_script("snowflake"),
    "gate_l": lambda: gates.uniform_classes("@this_model", ["age"], ODD, 2, dialect_named("snowflake")),
    "select_kept_bigquery": lambda: select("bigquery", Passing(5, 0.02)),
    **{f"computed_{dialect}": partial(computed, dialect) for dialect in ("bigquery", "snowflake")},
    **{f"select_{dialect}": partial(select, dialect) for dialect in DIALECTS if dialect not in {*SAME, *RUN}},
}


@pytest.mark.newest  # versions of sqlglot quote and break lines differently
@pytest.mark.parametrize("name", BUILT)
@pytest.mark.quick
def test_the_text_of_a_release_is_golden(name):
    check_golden(name, BUILT[name]())


@pytest.mark.parametrize(("dialect", "other"), SAME.items())
def test_a_dialect_is_written_as_the_one_that_it_is_a_kind_of(dialect, other):
    assert select(dialect) == select(other)
