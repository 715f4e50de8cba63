"""The pair join within its bounds: patterns estimated, counted with few of them held, stopped by a clock, left out."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from math import comb, e, sqrt
from unittest import mock

import numpy as np
import pytest
from examples import examples
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles import CLASS, coded, covering, histogram, roots_of, tables

from anonduck import Project
from anonduck.config.reading import make_config
from anonduck.frequency import frequency_set
from anonduck.frequency import patterns as module
from anonduck.frequency.pattern_coverage import cover
from anonduck.frequency.pattern_estimate import PatternSample, records_with, sampled_patterns
from anonduck.frequency.patterns import forget_patterns, join_pairs
from anonduck.statements import Statement


def config(**changes):
    return make_config({"class": CLASS, "sample": "all", **changes})


def small_blocks(**changes):
    """Blocks of one row, merged as soon as they can be, and as many pairs for each pattern as there are."""
    sizes = {"LEAST_ROWS": 1, "MOST_ROWS": 1, "BLOCK_PATTERNS": 0, "PAIRS_OF_PATTERN": 1 << 20}
    return mock.patch.multiple(module, **{**sizes, **changes})


def kept(database, names):
    """The pairs of each pattern that is kept, and how many more it may have."""
    rows = database.records(Statement("patterns", "SELECT * FROM distance_patterns"))
    return {
        (tuple(row[f"{name}@distance"] for name in names), row["#class_differs"]): (row["#pairs"], row["#missed"])
        for row in rows
    }


# -- the patterns that are kept ----------------------------------------------------------------------------------------


@pytest.mark.slow
@given(tables(max_rows=14), st.integers(1, 12), st.integers(0, 5))
@examples(15)
def test_counts_of_kept_patterns_are_within_their_bounds(shared, table, limit, seed):
    names, paths, rows = table
    coded(shared, names, paths, rows)
    roots = dict(zip(names, roots_of(names, paths), strict=True))
    with small_blocks():
        join = join_pairs(shared, roots, config(pattern_limit=limit, coverage=[1e-9, 1.0], seed=seed))
    assume(join.joined_records)
    true = histogram(names, paths, rows)
    found = kept(shared, names)
    assert (join.pairs, join.class_differing_pairs) == (true.total(), sum(n for (_, d), n in true.items() if d))
    assert join.patterns <= limit or join.exact
    assert all(pairs <= true[key] <= pairs + missed for key, (pairs, missed) in found.items())
    assert all(missed <= join.missed_pairs for _, missed in found.values())
    assert all(pairs <= 2 * join.missed_pairs for key, pairs in true.items() if key not in found)
    if join.exact:
        assert {key: pairs for key, (pairs, _) in found.items()} == dict(true)
    for coverage in (0.05, 0.3, 0.8):
        covered = cover(shared, join, coverage, "pairs")
        if covered.exact:
            expected = covering(true, coverage, "pairs")
            assert (covered.patterns, covered.pairs) == (len(expected), sum(expected.values()))


@pytest.mark.slow
@pytest.mark.parametrize(("limit", "most_pairs"), [(80, None), (600, 80 * 51)])
def test_frequent_patterns_are_exact_among_many_rare_ones(database, limit, most_pairs):
    names, paths, rows = rare_and_frequent()
    coded(database, names, paths, rows)
    roots = dict(zip(names, roots_of(names, paths), strict=True))
    true = histogram(names, paths, rows)
    assert len(true) > 120
    with small_blocks(LEAST_PATTERNS=1, PAIRS_OF_PATTERN=51):
        join = join_pairs(database, roots, config(pattern_limit=limit, coverage=[0.1]), most_pairs=most_pairs)
    assert not join.exact
    assert 0 < join.missed_pairs < 100
    covered = cover(database, join, 0.1, "pairs")
    assert covered.exact
    assert covered.threshold == min(covering(true, 0.1, "pairs").values())
    assert cover(database, join, 1.0, "pairs").reached is False


def rare_and_frequent():
    """Two columns with a pattern of many pairs, and four that tell most of the other pairs apart."""
    random = np.random.default_rng(4)
    names = [f"c{i}" for i in range(6)]
    groups = {v: (f"a{v // 2}", f"b{v // 4}", "*") for v in range(16)}
    rows = [(*(int(v) for v in random.integers(0, 16, 6)), "xy"[i % 2]) for i in range(60)]
    rows += [(1, 1, 1, 1, 1, 1, "x")] * 30
    return names, dict.fromkeys(names, groups), rows


# -- the clock and the budget ------------------------------------------------------------------------------------------


def some_table(rows=40):
    random = np.random.default_rng(9)
    paths = {"a": {v: (f"g{v // 3}", "*") for v in range(6)}}
    return ["a"], paths, [(int(v), "xy"[int(c)]) for v, c in random.integers(0, [6, 2], (rows, 2))]


@pytest.mark.slow
def test_pairs_counted_before_the_time_was_up_are_an_unbiased_sample(database):
    names, paths, rows = some_table()
    coded(database, names, paths, rows)
    true = histogram(names, paths, rows)
    totals, said = Counter(), []
    for seed in range(40):
        ticks = iter([False, False, True])
        with small_blocks():
            join = join_pairs(
                database, {"a": 2}, config(seed=seed), announce=said.append, over=lambda ticks=ticks: next(ticks)
            )
        assert join.reason == "the time was up"
        assert not join.exact
        assert 0 < join.pairs < comb(40, 2)
        for key, (pairs, missed) in kept(database, names).items():
            assert missed == 0
            totals[key] += pairs
    assert "unbiased sample" in said[0]
    for key, pairs in true.items():
        assert abs(totals[key] / totals.total() - pairs / true.total()) < 0.06


def test_no_time_at_all_gives_no_patterns(database):
    names, paths, rows = some_table()
    coded(database, names, paths, rows)
    join = join_pairs(database, {"a": 2}, config(), over=lambda: True)
    assert (join.pairs, join.patterns, join.kept_patterns, join.exact) == (0, 0, 0, False)
    assert not cover(database, join, 0.05, "pairs").reached


def test_a_budget_of_pairs_is_kept(database):
    names, paths, rows = some_table()
    coded(database, names, paths, rows)
    join = join_pairs(database, {"a": 2}, config(), most_pairs=100)
    assert (join.joined_records, join.pairs, join.sampled, join.exact) == (14, comb(14, 2), True, False)
    assert join.reason == "the budget allows 100 pairs"
    assert join_pairs(database, {"a": 2}, config(), most_pairs=780).exact


@pytest.mark.slow
def test_a_block_is_no_more_than_a_tenth_of_what_was_done(database):
    names, paths, rows = some_table(200)
    values = dict.fromkeys(range(len(rows)), ("*",))
    coded(database, [*names, "b"], {**paths, "b": values}, [(a, i, c) for i, (a, c) in enumerate(rows)])
    done = [0]
    with small_blocks(FIRST_PAIRS=10, BLOCK_PAIRS=200, MOST_ROWS=200, BLOCK_PATTERNS=1 << 20):
        join = join_pairs(database, {"a": 2, "b": 1}, config(), progress=lambda pairs, _: done.append(pairs))
    blocks = [after - before for before, after in pairwise(done)]
    assert sum(blocks) == join.pairs == comb(200, 2)
    assert all(block <= max(200, before // 10) for before, block in zip(done, blocks, strict=False))
    assert sum(blocks[-10:]) > sum(blocks[:10]) * 2


@pytest.mark.slow
def test_rows_stand_in_the_order_of_their_cells_and_are_drawn_in_another(database):
    names, paths, rows = unique_table(200)
    coded(database, names, paths, rows)
    records = database.arrays(Statement("n", 'SELECT "#records" AS n FROM coded_frequency_set'))["n"]
    module._place(database, dict.fromkeys(names, 4), records, 3)
    stands = "SELECT cell FROM packed_records JOIN joined_cells ON id = number ORDER BY packed_records.rowid"
    cells = [cell for (cell,) in database.rows(Statement("order", stands))]
    numbers = [number for (number,) in database.rows(Statement("drawn", "SELECT id FROM packed_records"))]
    assert cells == sorted(cells)
    assert sorted(numbers) == list(range(1, len(records) + 1)) != numbers


# -- what is joined ----------------------------------------------------------------------------------------------------


def unique_table(rows=80, columns=8):
    random = np.random.default_rng(1)
    names = [f"c{i}" for i in range(columns)]
    paths = {v: (f"a{v // 2}", f"b{v // 4}", f"c{v // 8}", "*") for v in range(40)}
    return (
        names,
        dict.fromkeys(names, paths),
        [(*random.integers(0, 40, columns).tolist(), "xy"[i % 2]) for i in range(rows)],
    )


@pytest.mark.slow
def test_pairs_of_nearly_unique_records_are_left_out(database):
    names, paths, rows = unique_table()
    coded(database, names, paths, rows)
    said = []
    join = join_pairs(
        database, dict.fromkeys(names, 4), config(pattern_limit=100, coverage=[0.9]), announce=said.append
    )
    assert (join.joined_records, join.pairs, join.patterns, join.exact) == (0, 0, 0, False)
    assert "have a distance pattern of their own" in join.reason
    assert said == [f"no pairs of records are compared: {join.reason}"]
    assert join.estimated_patterns > 100
    assert not cover(database, join, 0.9, "pairs").reached


@pytest.mark.slow
def test_fewer_records_are_joined_where_coverages_are_out_of_reach(database):
    names, paths, rows = unique_table()
    coded(database, names, paths, rows + rows[:1] * 30)
    said = []
    wanted = config(pattern_limit=60, coverage=[0.01, 1.0])
    join = join_pairs(database, dict.fromkeys(names, 4), wanted, announce=said.append)
    assert join.joined_records == records_with(16 * 60)
    assert join.pairs == comb(join.joined_records, 2)
    assert (join.records, join.sampled, join.exact) == (110, True, False)
    assert said[-1].startswith(f"comparing the pairs of {join.joined_records} records (seed 0)")
    assert all(pairs > max(1, join.missed_pairs) for pairs, _ in kept(database, names).values())


@pytest.mark.slow
def test_wide_patterns_count_for_more(database):
    names, paths, rows = unique_table(rows=30, columns=40)
    coded(database, names, paths, rows)
    roots = dict.fromkeys(names, 4)
    assert join_pairs(database, roots, config(pattern_limit=comb(30, 2) + 1)).exact
    cells = database.arrays(Statement("n", 'SELECT "#records" AS n FROM coded_frequency_set'))["n"]
    _, limit = module._seen(database, roots, config(pattern_limit=300), cells)
    assert limit == 300 * 3 // 4  # 160 levels and the class take three keys


@given(st.integers(2, 400))
@examples(20)
def test_the_most_records_with_so_many_pairs(pairs):
    assert comb(records_with(pairs), 2) <= pairs < comb(records_with(pairs) + 1, 2)


# -- the estimate ------------------------------------------------------------------------------------------------------


def drawn(values, pairs):
    """A sample of the pairs of rows with four values each, and how many patterns all pairs have."""
    words = [np.zeros(len(values), dtype=np.int64), np.zeros(len(values), dtype=np.int64)]
    for column in range(values.shape[1]):
        words[column // 3] |= values[:, column].astype(np.int64) << (20 * (column % 3))
    ones = sum(((1 << 19) - 1) << (20 * place) for place in range(3))
    flags = sum(1 << (20 * place + 19) for place in range(3))
    one, other = np.triu_indices(len(values), 1)
    masks = (values[one] != values[other]) @ (1 << np.arange(values.shape[1]))
    keys = [[(0, ones, flags)], [(1, ones, flags)]]
    seen = sampled_patterns(words, np.ones(len(values), dtype=np.int64), keys, seed=3, pairs=pairs)
    return seen, len(np.unique(masks)), len(masks)


@pytest.mark.parametrize("skew", [1, 2, 6])
def test_a_sample_of_all_pairs_shows_all_patterns(skew):
    values = (np.random.default_rng(skew).random((60, 6)) ** skew * 5).astype(np.int64)
    seen, patterns, pairs = drawn(values, 60_000)
    assert (seen.pairs, seen.distinct) == (pairs, patterns)
    assert seen.patterns_of(pairs) == patterns


@pytest.mark.parametrize("skew", [1, 2, 3, 6])
def test_the_estimate_is_within_its_factor(skew):
    values = (np.random.default_rng(skew).random((700, 6)) ** skew * 12).astype(np.int64)
    seen, patterns, pairs = drawn(values, 2_000)
    factor = e * sqrt(pairs / seen.pairs)
    assert patterns / factor <= seen.patterns_of(pairs) <= patterns * factor
    assert patterns / 3 <= seen.patterns_of(pairs) <= patterns * 3  # and nearer than it must be


def test_what_is_estimated_of_samples_at_the_ends():
    alone = PatternSample(pairs=1000, distinct=1000, once=1000)
    assert alone.patterns_of(1_000_000) == round(1000 * sqrt(1000))
    assert alone.repeated_share == 0
    few = PatternSample(pairs=1000, distinct=7, once=0)
    assert (few.patterns_of(10**9), few.repeated_share) == (7, 1)
    assert PatternSample(0, 0, 0).repeated_share == 1
    assert replace(alone, once=250).repeated_share == 0.75


# -- the decision database ---------------------------------------------------------------------------------------------


@pytest.fixture
def wide_csv(tmp_path):
    random = np.random.default_rng(2)
    lines = [",".join([*(f"c{i}" for i in range(6)), "class"])]
    for _ in range(1500):
        a, b, *rest = (random.random(6) ** 2 * 30).astype(int).tolist()
        lines.append(",".join(map(str, [a, b, *rest, "yes" if a + b > 20 else "no"])))
    path = tmp_path / "wide.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def discovered(csv, **changes):
    folder = csv.parent
    with Project(source=str(csv), class_="class", database=folder / "d.duckdb", models=[], **changes) as project:
        found = project.discover()
        tables = {name for (name,) in project.database.rows(Statement("t", "SELECT table_name FROM duckdb_tables()"))}
        views = project.database.value(
            Statement("v", "SELECT count(*) FROM duckdb_views() WHERE view_name = 'joined_records'")
        )
    return found, tables, views, (folder / "d.duckdb").stat().st_size


@pytest.mark.slow
def test_what_only_mining_needs_leaves_with_it(wide_csv):
    found, tables, views, size = discovered(wide_csv, search="rfd", requirement={"k": 3})
    assert found.pair_join.patterns > 1000
    assert found.pair_join.exact
    assert not tables & {*module.WORKING, "merged_blocks", "drawn_cells"}
    assert views == 0
    assert {path.name for path in wide_csv.parent.iterdir()} == {"wide.csv", "d.duckdb"}
    (wide_csv.parent / "d.duckdb").unlink()
    *_, without_pairs = discovered(wide_csv, requirement={"k": 3}, select="loss")
    assert size < without_pairs + 1_000_000


def test_tables_of_an_older_version_leave_too(database):
    for table in ("joined_records", "distance_patterns"):
        database.run(Statement("old", f"CREATE TABLE {table} AS SELECT 1 AS a"))
    names, paths, rows = some_table()
    coded(database, names, paths, rows)
    assert join_pairs(database, {"a": 2}, config()).exact
    forget_patterns(database)
    left = {name for (name,) in database.rows(Statement("t", "SELECT table_name FROM duckdb_tables()"))}
    assert not left & {"joined_records", *module.WORKING}


@pytest.mark.slow
def test_a_discovery_without_pairs_says_why(wide_csv):
    found, *_ = discovered(wide_csv, search="rfd", requirement={"k": 3}, pattern_limit=1, coverage=[1.0])
    assert found.rules == ()
    assert not found.pair_join.exact
    assert found.pair_join.reason in found.as_json()["pairs"]["reason"]
    assert "--search auto" in found.explanation
    assert found.as_json()["incomplete"]


def test_models_are_measured_on_fewer_cells_of_many_columns():
    assert frequency_set.most_cells(1) == frequency_set.most_cells(3) == frequency_set.MODEL_CELLS
    assert frequency_set.most_cells(16) == 50_000
    assert frequency_set.most_cells(60) * 60 <= frequency_set.MODEL_VALUES
