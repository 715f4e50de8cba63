"""The search from a floor: what it measures and finds is what a search of all values finds at the floor or above."""

from collections import Counter
from itertools import product

import numpy as np
import pandas as pd
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import CLASS, generalized, judge_over, measured, people, project, records_of, tables
from test_exact_discovery import check
from test_lattice import everything, opened

from anonduck.config.reading import with_changes
from anonduck.database.progress import Reporter
from anonduck.errors import ConfigError, RuleError
from anonduck.frequency import floors
from anonduck.frequency.floor_choice import FloorColumn, choose_floor
from anonduck.frequency.floors import (
    VALUES,
    code_at_floor,
    count_values,
    read_floor,
    write_at_floor,
)
from anonduck.frequency.frequency_set import make_lookup
from anonduck.rules.rule import RuleSpace
from anonduck.search.frontier_search import FrontierFinder
from anonduck.search.lattice.limits import SearchLimits
from anonduck.search.level_space import CodedLevels
from anonduck.search.questions import question_sql
from anonduck.source.engine import DuckDBSource
from anonduck.source.source import Roles
from anonduck.statements import Statement

SELECTED = st.sampled_from(["information_gain", "loss", "ncp", "precision", "discernibility", "classification_metric"])
MOST = st.integers(1, 9)


def floored(database, config, names, taxonomies, **bounds):
    """The floor of the table ``source``, the sets written at it; the levels by column."""
    roles = Roles(CLASS, tuple(names))
    scanned = count_values(DuckDBSource(database), config, roles, Reporter())
    for taxonomy in taxonomies.values():
        make_lookup(database, taxonomy, frequency=VALUES)
    floor = write_at_floor(scanned, config, taxonomies, Reporter(), **bounds)
    code_at_floor(scanned, floor, config, taxonomies, folds=True)
    return floor


def at_or_above(vector, floor):
    return all(level >= least for level, least in zip(vector, floor, strict=True))


def judge_at(database, judge, floor):
    """The same judge of what is at the floor or above, on the sets that are there now."""
    told = {name: level for name, level in floor.items() if level}
    assert read_floor(database) == told
    roots = dict(zip(judge.space.attributes, judge.space.roots, strict=True))
    space = RuleSpace.keeping(roots, {}, told)
    return judge_over(database, space, judge.requirement)


@pytest.mark.slow
@given(tables(), MOST)
@examples(60)
def test_what_is_at_the_floor_or_above_is_measured_as_on_all_values(shared, table, most):
    names, paths, rows = table
    config, taxonomies, judge = opened(shared, table, {"k": 1}, 0.0)
    floor = floored(shared, config, names, taxonomies, most=most)
    cells = Counter(generalized(names, paths, rows, tuple(floor.values())))
    found = shared.value(Statement("rows", "SELECT count(*) FROM coded_frequency_set"))
    assert found == len(cells)
    assert found <= most or tuple(floor.values()) == judge.space.roots
    above = judge_at(shared, judge, floor)
    for vector in product(*(range(root + 1) for root in judge.space.roots)):
        if at_or_above(vector, floor.values()):
            one = above.whole(vector)
            told = (one.k, one.classes, one.information_gain, one.information_gain_corrected, one.violating_pairs)
            assert told == pytest.approx(measured(names, paths, rows, vector), abs=1e-9)


@pytest.mark.slow
@given(tables(max_rows=14), st.integers(1, 3), SELECTED, st.sampled_from([0.0, 0.0, 0.3]), MOST)
@examples(24)
def test_searches_find_what_is_best_at_the_floor_or_above(shared, table, k, select, suppression, most):
    given_ = opened(shared, table, {"k": k}, suppression, select=select, models=[])
    config, taxonomies, judge = given_
    found = {
        name: everything(shared, with_changes(config, {"select": name}), taxonomies, judge)
        for name in dict.fromkeys(["information_gain", select])
    }
    floor = floored(shared, config, list(taxonomies), taxonomies, most=most, k=k, suppression=suppression)
    least = {
        name: {vector: one for vector, one in told.items() if at_or_above(vector, floor.values())}
        for name, told in found.items()
    }
    above = judge_at(shared, judge, floor)
    best = CodedLevels(records_of(shared, taxonomies, above), above, 20, config).cheapest(select)
    assert (best is None) == (not least[select])
    assert best is None or least[select][best][1] == pytest.approx(min(cost for _, cost in least[select].values()))
    for budget in (None, 2, 9):
        limits = SearchLimits(None, budget)
        finder = FrontierFinder(records_of(shared, taxonomies, above), config, above, limits)
        finder.search.solve(limits)
        frontiers = finder.found()
        assert frontiers.proven or budget is not None
        for name, frontier in frontiers.frontiers.items():
            assert all(at_or_above(point.vector, floor.values()) for point in frontier.points)
            check(frontier, least[name], 1, judge.records)


@pytest.mark.slow
@given(tables(), st.integers(2, 4), st.sampled_from([0.0, 0.2]))
@examples(40)
def test_no_rule_is_lost_to_levels_at_which_a_column_alone_is_too_fine(shared, table, k, suppression):
    names, _, _ = table
    config, taxonomies, judge = opened(shared, table, {"k": k}, suppression)
    met = everything(shared, with_changes(config, {"select": "information_gain"}), taxonomies, judge)
    floor = floored(shared, config, names, taxonomies, most=10**6, k=k, suppression=suppression)
    assert all(at_or_above(vector, floor.values()) for vector in met)


@pytest.mark.slow
@given(tables(max_rows=30), st.integers(1, 40), st.integers(0, 3))
@examples(30)
def test_a_sample_is_of_the_records_whatever_their_order(shared, table, size, seed):
    names, _, rows = table
    opened(shared, table, {"k": 1}, 0.0)
    columns = [*names, CLASS]
    engine = DuckDBSource(shared)
    read = Statement("sample", 'SELECT * EXCLUDE ("#records"), "#records" FROM sampled ORDER BY ALL')
    engine.sampled_set(columns, size, len(rows), seed, "sampled")
    first = shared.rows(read)
    shared.run(Statement("turned", "CREATE OR REPLACE TEMP TABLE source AS SELECT * FROM source ORDER BY random()"))
    engine.sampled_set(columns, size, len(rows), seed, "sampled")
    assert shared.rows(read) == first
    drawn = Counter({row[:-1]: row[-1] for row in first})
    assert drawn == Counter(rows) if size >= len(rows) else drawn <= Counter(rows)


def test_each_record_is_as_likely_to_be_drawn(shared):
    shared.run(Statement("source", "CREATE OR REPLACE TEMP TABLE source AS SELECT unnest(range(5000)) // 2 AS a"))
    engine, drawn = DuckDBSource(shared), Counter()
    for seed in range(100):
        engine.sampled_set(["a"], 1000, 5000, seed, "sampled")
        drawn.update(dict(shared.rows(Statement("sample", "FROM sampled"))))
    assert drawn.total() == pytest.approx(100 * 1000, rel=0.01)
    assert np.var([drawn[one] for one in range(2500)]) == pytest.approx(200 * 0.2 * 0.8, rel=0.1)


def column(values, levels, cap=None):
    """A column of as many distinct values, each level of which halves them, as sampled records have it."""
    paths = [np.r_[0, np.arange(levels) // 2**level + 1] for level in range(int(np.log2(levels)))]
    records = np.bincount(values, minlength=levels + 1)
    return FloorColumn(paths, records, len(paths) if cap is None else cap, values)


def test_the_path_to_a_floor_spares_what_follows_from_another_column():
    random = np.random.default_rng(1)
    day, town = random.integers(1, 1025, 4000), random.integers(1, 65, 4000)
    columns = [column(day, 1024), column(town, 64), column((town + 1) // 2, 64)]

    def exact(vectors):
        codes = [[one.codes(at) for one, at in zip(columns, vector, strict=True)] for vector in vectors]
        return [len(set(zip(*map(np.ndarray.tolist, given), strict=True))) for given in codes]

    vector = choose_floor(columns, np.zeros(4000, dtype=int), 4000, 500, exact, k=1, allowed=0.0)
    assert exact([vector])[0] <= 500
    assert vector[0] > vector[1] >= vector[2]
    kept = [column(day, 1024, cap=1), *columns[1:]]
    held = choose_floor(kept, np.zeros(4000, dtype=int), 4000, 500, exact, k=1, allowed=0.0)
    assert held[0] <= 1
    whole = choose_floor(columns, np.zeros(4000, dtype=int), 4000, 10**6, exact, k=1, allowed=0.0)
    assert whole == (0, 0, 0)


# -- a whole discovery -------------------------------------------------------------------------------------------------


def rule_documents(discovery):
    return [rule.as_json() for rule in discovery.rules]


def without_times(discovery):
    return {name: value for name, value in discovery.as_json().items() if name not in ("budget", "cut")}


@pytest.mark.slow
def test_a_source_of_few_combinations_is_searched_as_ever():
    with (
        project(people(), requirement={"k": 3}) as one,
        project(people(), requirement={"k": 3}, engine={"max_cells": 100_000}) as other,
    ):
        first, second = one.discover(), other.discover()
        assert rule_documents(first) == rule_documents(second)
        assert without_times(first) == without_times(second)
        assert first.floor == {}


@pytest.mark.slow
@pytest.mark.parametrize("search", ["auto", "rfd"])
def test_a_discovery_from_a_floor_offers_rules_that_are_what_they_say(search):
    said = []
    given = {"requirement": {"k": 3}, "search": search, "reporter": Reporter(announce=said.append)}
    with project(people(), engine={"max_cells": 60}, **given) as one:
        found = one.discover()
        assert found.floor
        assert any("starts at a floor" in line for line in said)
        assert found.as_json()["floor"] == found.floor
        assert found.rules
        assert "nonuniform_entropy" not in found.rules[0].utility
        levels = found.rules[0].levels
        taxonomies = {name: one.workspace.taxonomies[name].root for name in found.floor}
    for rule in found.rules:
        assert all(rule.levels.get(name, root) >= found.floor[name] for name, root in taxonomies.items())
    assert levels
    frame = people()
    totals = found.totals
    assert totals.records == len(frame)
    assert totals.majority == frame["class"].value_counts().max()


@pytest.mark.slow
def test_rules_from_a_floor_have_the_measures_that_they_have_without_one(tmp_path):
    given = {"requirement": {"k": 3, "suppression": 0.05}, "models": [], "folder": tmp_path}
    settings = {name: value for name, value in given.items() if name != "folder"}
    with project(people(), engine={"max_cells": 60}, select="loss", **settings) as one:
        found = one.discover()
        trees = {name: one.workspace.taxonomies[name] for name in found.floor}
        assert trees
        released = tmp_path / "released.parquet"
        one.release(found.rules[0].id, released)
    table = pd.read_parquet(released)
    rule = found.rules[0]
    sizes = table.groupby([*rule.levels], dropna=False).size()
    assert sizes.min() == rule.measures.k
    assert len(sizes) == rule.measures.classes


@pytest.mark.slow
def test_the_baseline_is_of_values_as_they_came():
    with project(people(1500), requirement={"k": 3}, engine={"max_cells": 60}) as one, project(people(1500)) as other:
        first, second = one.discover(), other.discover()
    assert first.floor
    assert first.baseline["accuracy"]["tree"] == pytest.approx(second.baseline["accuracy"]["tree"], abs=0.03)


@pytest.mark.parametrize("changes", [{"test_on": "original"}, {"select": "kl_divergence", "measures": ["all"]}])
def test_what_needs_the_values_under_the_floor_is_refused(changes):
    with project(people(), engine={"max_cells": 60}, **changes) as one, pytest.raises(ConfigError, match="max_cells"):
        one.discover()


@pytest.mark.slow
def test_what_needs_the_values_has_no_floor_by_default(monkeypatch):
    monkeypatch.setattr(floors, "MAX_CELLS", 60)
    with (
        project(people(), models=[]) as one,
        project(people(), select="kl_divergence", measures=["all"], models=[]) as other,
    ):
        assert one.discover().floor
        assert not other.discover().floor


@pytest.mark.slow
def test_a_question_about_levels_under_the_floor_is_refused_and_a_release_is_not(tmp_path):
    with project(people(), requirement={"k": 3}, engine={"max_cells": 60}, models=[]) as one:
        found = one.discover()
        name, level = next(iter(found.floor.items()))
        with pytest.raises(RuleError, match="under the floor"):
            question_sql(one.workspace, "k", {name: level - 1})
        assert question_sql(one.workspace, "k", dict(found.rules[0].levels))
        one.release({name: max(level - 1, 1)}, tmp_path / "released.csv", requirement={"k": 1})
    assert (tmp_path / "released.csv").exists()


@pytest.mark.slow
def test_a_report_names_the_floor_also_where_columns_are_at_their_root(tmp_path):
    with project(people(), requirement={"k": 20}, engine={"max_cells": 12}, models=[]) as one:
        found = one.discover()
        assert any(level == one.workspace.taxonomies[name].root for name, level in found.floor.items())
        one.report(tmp_path / "report.html")
    assert "the search started at the floor" in (tmp_path / "report.html").read_text(encoding="utf-8")
