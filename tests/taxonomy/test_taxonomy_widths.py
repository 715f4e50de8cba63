"""How wide nodes are: leaves, records and share of the range, against counts in Python."""

import math
from datetime import date, timedelta
from itertools import pairwise

import pytest
from asking import ask
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck.config.reading import make_config
from anonduck.database.progress import Reporter
from anonduck.errors import TaxonomyError
from anonduck.taxonomy.catalog import register, value_types
from anonduck.taxonomy.taxonomies import ensure_taxonomies

COLUMN = 'odd "name'
QUOTED = '"odd ""name"'


def build(database, values, kind, **options):
    """The nodes of the one taxonomy: (level, code) to label, leaves, records, leaf_share, range_share."""
    literals = ", ".join("(NULL)" if value is None else f"('{value}')" for value in values)
    ask(
        database,
        f'CREATE OR REPLACE TABLE frequency_set AS SELECT value::{kind} AS "odd ""name@value", '
        f"""'x' AS "class@value", count(*) AS "#records" FROM (VALUES {literals}) AS t(value) GROUP BY ALL""",
    )
    config = make_config({"class": "class", "taxonomies": {COLUMN: options}})
    types = value_types(database, [COLUMN])
    ensure_taxonomies(database, config, None, [COLUMN], types=types, label_k=2, reporter=Reporter(), replace=True)
    return nodes(database)


def nodes(database):
    rows = ask(
        database,
        "SELECT level, code, label, leaves, records, leaf_share, range_share FROM taxonomy_nodes "
        f"WHERE column_name = '{COLUMN}' ORDER BY level, code",
    )
    return {(level, code): rest for level, code, *rest in rows}


def paths(database):
    root = max(level for level, _ in nodes(database))
    codes = ", ".join(f"code_{level}" for level in range(root + 1))
    return ask(database, f"SELECT value, {codes} FROM taxonomy.{QUOTED}")


@pytest.mark.slow
def test_dates_and_timestamps_have_a_range_and_texts_have_none(shared):
    days = [date(2020, 1, 1) + timedelta(days=days) for days in (0, 5, 10)]
    for kind in ("DATE", "TIMESTAMP"):
        found = build(shared, days, kind, breaks=["2020-01-03"])
        assert [node[4] for node in found.values()] == [0.2, 0.8, 1.0]
    assert {node[4] for node in build(shared, ["01", "02", "10"], "VARCHAR", prefix=[1]).values()} == {None}
    assert {node[4] for node in build(shared, [7, 7, None], "INTEGER", width=5).values()} == {None}


OPTIONS = [
    {"intervals": 2},
    {"width": 5},
    {"width": 4, "top": 20, "bottom": -10},
    {"quantiles": [4, 2]},
    {"log": 3},
    {"breaks": [[-5, 0, 12], [0]]},
    {"mask": "left"},
    {"prefix": [2, 1]},
]


@pytest.mark.slow
@pytest.mark.some(2)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@examples(10)
@given(values=st.lists(st.none() | st.integers(-40, 40), min_size=1).filter(any))
def test_nodes_against_a_count_in_python(shared, options, values):
    found = build(shared, values, "INTEGER", **options)
    held = [value for value in values if value is not None]
    leaves = paths(shared)
    for (level, code), (_, count, records, leaf_share, _) in found.items():
        inside = {value for value, *codes in leaves if codes[level] == code}
        assert (count, records) == (len(inside), sum(value in inside for value in held))
        assert leaf_share == pytest.approx(count / len(leaves))
    root = max(level for level, _ in found)
    alone = len(set(held)) == 1
    assert found[root, 1][3:] == [1.0, None if alone else 1.0]
    cut = bool(set(options) & {"intervals", "width", "quantiles", "log", "breaks"})
    for low, high in pairwise(range(1, root + 1)) if not alone else ():
        for code in {codes[high] for _, *codes in leaves}:
            below = [found[low, one][4] for one in {codes[low] for _, *codes in leaves if codes[high] == code}]
            assert all(0 <= share <= 1 for share in below)
            assert (math.fsum(below) if cut else max(below)) <= found[high, code][4] + 1e-9
            gaps = options.get("breaks") or options.get("width") or options.get("log")
            assert not cut or gaps or math.fsum(below) == pytest.approx(found[high, code][4])


def test_an_edit_is_counted_again(shared):
    build(shared, [1, 2, 3, 11, 12], "INTEGER", breaks=[10])
    ask(shared, f"UPDATE taxonomy.{QUOTED} SET level_1 = 'high', code_1 = 2 WHERE value IN (3, 11, 12)")
    config = make_config({"class": "class", "taxonomies": {COLUMN: {"breaks": [10]}}})
    types = value_types(shared, [COLUMN])
    ensure_taxonomies(shared, config, None, [COLUMN], types=types, label_k=2, reporter=Reporter())
    assert {key: node[:3] for key, node in nodes(shared).items()} == {
        (1, 1): ["under 10", 2, 2],
        (1, 2): ["high", 3, 3],
        (2, 1): ["*", 5, 5],
    }


def test_records_are_unknown_without_the_column(shared):
    build(shared, [1, 2], "INTEGER", breaks=[2])
    ask(shared, """CREATE OR REPLACE TABLE frequency_set AS SELECT 'x' AS "class@value", 1 AS "#records" """)
    register(shared, COLUMN, kind="intervals", ordered=True, origin="test", options={})
    assert [node[2] for node in nodes(shared).values()] == [None, None, None]


@pytest.mark.parametrize("width", [[10], 10, 10**20, [3 * 10**20]])
def test_integers_that_no_grid_reaches_are_refused(database, width):
    with pytest.raises(TaxonomyError, match=r"too far from zero for bounds of the width .*Use a larger width"):
        build(database, [2**127 + 5, 2**127 + 25], "UHUGEINT", width=width)


def test_a_grid_of_a_larger_width_reaches_them(database):
    made = build(database, [2**127 + 5, 2**127 + 25], "UHUGEINT", width=[10**37])
    assert {label for label, *_ in made.values()} >= {"[17e37, 18e37)"}
