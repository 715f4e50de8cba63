"""The search of the lattice against every level vector there is, and against ARX's known answers."""

import json
from collections import Counter
from itertools import product
from operator import ge, le

import numpy as np
import pandas as pd
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import CLASS, coded, judge_over, records_of, tables

from anonduck import Project
from anonduck.cli.app import run
from anonduck.config.reading import make_config
from anonduck.frequency import roll_up
from anonduck.measures.requirement import Requirement
from anonduck.measures.rule_utility import utility_of
from anonduck.privacy.requirement import ask
from anonduck.rules.rule import RuleSpace
from anonduck.search.assessors import LevelAssessor
from anonduck.search.lattice.bounded_search import find_frontier, find_optimum
from anonduck.search.lattice.costs import CELL_MEASURES, GOALS, as_measure, make_goal
from anonduck.search.lattice.problem import TimeLimit
from anonduck.search.lattice.solver import branch_and_bound
from anonduck.search.lattice_search import _problem, search_lattice


def opened(database, table, asked, suppression, **settings_):
    names, paths, rows = table
    taxonomies = coded(database, names, paths, rows)
    requirement = {"k": asked["k"], "suppression": suppression}
    config = make_config({"class": CLASS, "measures": ["all"], "requirement": requirement, **settings_})
    space = RuleSpace(tuple(names), tuple(taxonomies[name].root for name in names))
    judge = judge_over(database, space, Requirement(ask(asked), suppression))
    return config, {name: taxonomies[name] for name in names}, judge


def everything(database, config, taxonomies, judge):
    """k and cost of each level vector that meets what is required, each evaluated by itself."""
    utility = utility_of(records_of(database, taxonomies, judge).columns, config, judge)
    found = {}
    for vector in product(*(range(root + 1) for root in judge.space.roots)):
        verdict = judge.verdict(vector)
        if vector == judge.space.roots or not verdict.met:
            continue
        measures = verdict.measures
        cost = -measures.information_gain
        if config.select != "information_gain":
            found_utility = utility(judge.space.named(vector), measures.suppressed, [config.select])
            cost = as_measure(config.select, found_utility[config.select])
        found[vector] = (measures.k, cost)
    return found


def points(found):
    """The frontier of k and cost."""
    kept = set()
    for k, cost in found:
        if not any(k2 >= k and c2 <= cost + 1e-9 and (k2 > k or c2 < cost - 1e-9) for k2, c2 in found):
            kept.add((k, round(cost, 6)))
    return kept


def check(database, config, taxonomies, judge, **options):
    """The search finds the optimum and the frontier among all vectors."""
    expected = everything(database, config, taxonomies, judge)
    searched = search_lattice(records_of(database, taxonomies, judge), config, judge, **options)
    assert searched.optimum.proven
    assert bool(searched.vectors) == bool(expected)
    assert searched.assessed <= searched.nodes + 1
    if not expected:
        return searched
    least = min(cost for _, cost in expected.values())
    assert searched.optimum.cost == pytest.approx(least, abs=1e-9)
    assert searched.optimum.bound == searched.optimum.cost
    assert expected[searched.optimum.vector][1] == pytest.approx(least, abs=1e-9)
    if searched.frontier == "exact":
        assert points([expected[vector] for vector in searched.vectors]) == points(list(expected.values()))
        assert {round(c, 6) for _, c in points([expected[v] for v in searched.vectors])} >= {round(least, 6)}
    return searched


CASES = st.sampled_from(
    [(goal, suppression) for goal in GOALS for suppression in (0.0, 0.3)]
    + [("loss", 0.15), ("loss", 0.5), ("information_gain", 0.0)]
)
SEARCHES = st.sampled_from([{}, {"prune": False}, {"whole_nodes": 0}, {"whole_nodes": 0, "most": 0}])


@pytest.mark.slow
@given(tables(max_rows=14), st.integers(1, 4), CASES, SEARCHES)
@examples(20)
def test_the_search_finds_what_trying_all_finds(shared, table, k, case, options):
    goal, suppression = case
    given_ = opened(shared, table, {"k": k}, suppression, select=goal, weights={table[0][0]: 2.5})
    check(shared, *given_, **options)


@pytest.mark.slow
@given(tables(max_rows=14), st.sampled_from([{"k": 2, "marketer_risk": 0.4}, {"k": 1, "sample_uniqueness": 0.2}]))
@examples(5)
def test_requirements_beside_k(shared, table, asked):
    check(shared, *opened(shared, table, asked, 0.0, select="loss"))
    check(shared, *opened(shared, table, asked, 0.25, select="loss"))


@pytest.mark.slow
@given(tables(max_rows=14), st.sampled_from(CELL_MEASURES), st.sampled_from([0.0, 0.3]))
@examples(8)
def test_values_that_a_taxonomy_does_not_know_cost_as_the_root(shared, table, goal, suppression):
    names, paths, rows = table
    strange = [(99, *row[1:]) for row in rows[:3]]
    given_ = opened(shared, (names, paths, rows + strange), {"k": 2}, suppression, select=goal)
    check(shared, *given_)


def wide(rows=60, attributes=8):
    """A table of many attributes with deep taxonomies."""
    names = [f"a{number}" for number in range(attributes)]
    paths = {name: {value: (value // 2, value // 4, "*") for value in range(8)} for name in names}
    table = [(*((i * (j + 3) + i // 7) % 8 for j in range(attributes)), "xy"[i % 3 == 0]) for i in range(rows)]
    return names, paths, table


def skewed(seed, rows=70, attributes=4):
    """A table of attributes that depend on one another, some values rare, and uneven taxonomies."""
    draw = np.random.default_rng(seed)
    names = [f"a{number}" for number in range(attributes)]
    paths = {}
    for name in names:
        groups = draw.integers(0, 4, 8)
        upper = draw.integers(0, 2, 4)
        paths[name] = {value: (int(groups[value]), int(upper[groups[value]]), "*") for value in range(8)}
    kind = draw.integers(0, 5, rows)
    columns = [np.minimum((kind + draw.geometric(0.55, rows)) % 9, 8) for _ in names]
    cells = [[None if value == 8 else int(value) for value in column] for column in columns]
    return names, paths, list(zip(*cells, ["xyz"[one % 3] for one in kind], strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("suppression", [0.0, 0.1, 0.3])
def test_what_is_pruned_changes_nothing(shared, suppression):
    """On lattices of 256 vectors, where much is pruned, by each goal; three tables are written once for all goals."""
    pruned = Counter()
    for seed in range(3):
        _, taxonomies, judge = opened(shared, skewed(seed), {"k": 4}, suppression)
        for goal in GOALS:
            pruned[goal] += vectors_pruned(shared, taxonomies, judge, goal)
    assert min(pruned[goal] for goal in GOALS) > 0


def vectors_pruned(database, taxonomies, judge, goal):
    """How many vectors a search for the optimum does without; it finds what the search of all vectors finds."""
    attributes = records_of(database, taxonomies, judge).attributes(goal)
    made = make_goal(goal, list(taxonomies), list(attributes.values()), k=4, weights={})
    table = records_of(database, taxonomies, judge).table(with_class=made.needs_class)
    assess = LevelAssessor(table, [made], judge.requirement, judge.classes).by_one
    every = _problem(made, judge, assess, False)
    find_optimum(every, TimeLimit(None))
    assert len(every.known) == every.nodes
    assert_bounded(every.known)
    one = _problem(made, judge, assess, True)
    assert find_optimum(one, TimeLimit(None)).cost == pytest.approx(every.best_cost, abs=1e-12)
    branched = _problem(made, judge, assess, True)
    assert branch_and_bound(branched, TimeLimit(None)).cost == pytest.approx(every.best_cost, abs=1e-12)
    fresh = _problem(made, judge, assess, True)
    steps, left = find_frontier(fresh, TimeLimit(None))
    assert left == ()
    assert points([(every.known[v].k, every.known[v].cost) for v in steps]) == points(
        [(every.known[v].k, every.known[v].cost) for v in every.met()]
    )
    return every.nodes - len(one.known)


def assert_bounded(known):
    """What each vector tells of others holds: the reach of all finer ones, the floor of all coarser ones."""
    met = [vector for vector, found in known.items() if found.met]
    for vector, told in known.items():
        for other in met:
            if all(map(le, other, vector)):
                assert not told.hopeless
                assert known[other].k <= told.reach
            if all(map(ge, other, vector)):
                assert known[other].cost >= told.floor - 1e-12


@pytest.mark.slow
def test_a_search_that_runs_out_of_time_says_its_bound(database):
    for options in ({}, {"whole_nodes": 0}, {"whole_nodes": 1 << 17}):
        config, taxonomies, judge = opened(database, wide(), {"k": 10}, 0.0, select="loss", time_limit=1e-9)
        cut = search_lattice(records_of(database, taxonomies, judge), config, judge, **options)
        assert not cut.optimum.proven
        assert cut.vectors
        assert all(judge.verdict(vector).met for vector in cut.vectors)
        told = cut.as_json()
        assert not told["optimal"]
        assert 0 <= told["bound"] <= 0.9
        assert told["frontier"] == "best found"
        assert told["pruned"] is None


def test_a_part_of_the_time_is_one_of_what_is_left():
    now = [0.0]
    limit = TimeLimit(60.0, lambda: now[0])
    assert limit.part(0.5).end == 30.0
    now[0] = 50.0
    part = limit.part(0.5)
    assert (limit.left, part.end, part.part(0.2).end) == (10.0, 55.0, 51.0)
    now[0] = 61.0
    assert limit.over()
    assert limit.part(0.5).over()
    assert TimeLimit(None).part(0.5).end is None


@pytest.mark.slow
def test_where_one_attribute_alone_gives_a_rule_no_time_is_too_short(database):
    """Of four attributes, the last but one is the only one that meets k one level under its root."""
    names = ["a", "b", "c", "d"]
    paths = {name: {value: (value, "*") for value in range(40)} for name in names}
    rows = [(i, i, i % 2, i, "xy"[i % 3 == 0]) for i in range(40)]
    for select, options in (("loss", {}), ("loss", {"whole_nodes": 0}), ("accuracy", {"most": 0})):
        given_ = opened(database, (names, paths, rows), {"k": 5}, 0.0, select=select, time_limit=1e-9)
        found = search_lattice(records_of(database, *given_[1:]), given_[0], given_[2], **options)
        assert {vector[2] for vector in found.vectors} <= {0, 1}
        assert {(*vector[:2], vector[3]) for vector in found.vectors} == {(2, 2, 2)}


def test_where_nothing_meets_the_requirement_that_is_proven(database):
    config, taxonomies, judge = opened(database, wide(20, 3), {"k": 30}, 0.0, select="loss")
    for options in ({}, {"whole_nodes": 0}):
        found = search_lattice(records_of(database, taxonomies, judge), config, judge, **options)
        assert (found.vectors, found.optimum.proven, found.as_json()["value"]) == ((), True, None)
        assert found.as_json()["bound"] is None


@pytest.mark.parametrize(
    ("cells", "key", "staged", "nodes"),
    [(0, 50, 16, 0), (0, 1 << 62, 0, 0), (1 << 16, 50, 0, 0), (1 << 16, 1 << 62, 0, 1800), (0, 1 << 62, 1 << 30, 1800)],
)
def test_rolled_up_counts_are_those_of_the_rows(monkeypatch, cells, key, staged, nodes):
    """Counted in place or sorted, with keys that fit a word or not, from whatever set is nearest or on the way, and
    with node codes of the leaves that are kept or not."""
    monkeypatch.setattr(roll_up, "NODE_CODES", nodes)
    monkeypatch.setattr(roll_up, "STAGED_AFTER", staged)
    monkeypatch.setattr(roll_up, "STAGES", (4, 16))
    monkeypatch.setattr(roll_up, "DENSE_CELLS", cells)
    monkeypatch.setattr(roll_up, "LARGEST_KEY", key)
    draw = np.random.default_rng(3)
    paths = [[np.arange(9), np.r_[0, np.arange(8) // 2 + 1], np.r_[0, np.arange(8) // 4 + 1]]] * 3
    columns = tuple(draw.integers(0, 9, 200).astype(np.int32) for _ in paths)
    classes, records = draw.integers(0, 3, 200), draw.integers(1, 5, 200)
    told = roll_up.FrequencyTable((3,) * 3, paths, roll_up.RolledFrequencySet((0,) * 3, columns, classes, records))
    untold = roll_up.FrequencyTable((3,) * 3, paths, roll_up.RolledFrequencySet((0,) * 3, columns, None, records))
    for vector in draw.permutation(list(product(range(4), repeat=3))).tolist():
        codes = [path[level][c] for path, level, c in zip(paths, vector, columns, strict=True) if level < 3]
        shown = list(zip(*codes, strict=True))
        shown = shown or [()] * 200
        sizes, cells_ = Counter(), Counter()
        for combination, class_, n in zip(shown, classes, records, strict=True):
            sizes[combination] += n
            cells_[combination, class_] += n
        for table in (told, untold):
            assert sorted(table.at(tuple(vector)).sizes) == sorted(sizes.values())
            found = table.at(tuple(vector)).sizes[table.classes_of_leaves(tuple(vector))]
            assert found.tolist() == [sizes[one] for one in shown]
        rolled = told.at(tuple(vector))
        columns_ = [column.tolist() for column in rolled.columns if column is not None]
        alike = list(zip(*columns_, strict=True)) or [()] * len(rolled.records)
        found = dict(zip(zip(alike, rolled.classes.tolist(), strict=True), rolled.records.tolist(), strict=True))
        assert found == cells_
    assert (len(told._staged) > 1) is (staged < 1 << 30)


def test_stages_end_where_they_are_in_vain():
    """Where no two records are alike in the attribute with the most values, sets on the way are as large as any."""
    rows, values = 400, 200
    paths = [[np.arange(values + 1), np.r_[0, np.arange(values) // 2 + 1], np.r_[0, np.arange(values) // 8 + 1]]] * 4
    draw = np.random.default_rng(0)
    columns = tuple(draw.integers(1, values + 1, rows).astype(np.int32) for _ in paths)
    leaves = roll_up.RolledFrequencySet((0,) * 4, columns, None, np.ones(rows, dtype=np.int64))
    table = roll_up.FrequencyTable((3,) * 4, paths, leaves)
    vectors = [tuple(one) for one in draw.permutation(list(product(range(4), repeat=4))).tolist()]
    for vector in vectors:
        table.at(vector)
    assert table._in_vain == roll_up.STAGED_IN_VAIN
    assert len(table._staged) < len(vectors) / 2
    small = roll_up.FrequencyTable((3,) * 4, paths, leaves, kept_codes=roll_up.STAGED_PARTS * rows)
    assert not small._stages


# -- on a project ------------------------------------------------------------------------------------------------------

ROWS = [(20 + i % 40, "abcdef"[i % 6], "mf"[i % 2], "xy"[(i % 40 > 18) ^ (i % 7 == 0)]) for i in range(400)]


@pytest.fixture
def project():
    frame = pd.DataFrame(ROWS, columns=["age", "job", "sex", "class"])
    with Project(source=frame, class_="class", requirement={"k": 8}) as one:
        yield one


@pytest.mark.slow
def test_rules_of_the_lattice_are_rules_like_any_other(project, tmp_path):
    found = project.discover(search="lattice", select="information_gain")
    assert found.as_json()["search"] == "lattice"
    lattice = found.lattice
    assert (lattice["objective"], lattice["optimal"], lattice["frontier"]) == ("information_gain", True, "exact")
    assert lattice["evaluated"] + lattice["pruned"] == lattice["nodes"]
    assert lattice["value"] == pytest.approx(found.rules[0].measures.information_gain)
    assert lattice["optimum"] == "R1"
    assert {rule.origin for rule in found.rules} == {"lattice"}
    assert all(rule.coverages == () and rule.measures.k >= 8 and rule.accuracy["tree"] > 0 for rule in found.rules)
    kept = project.discovered()
    assert kept.rules == found.rules
    assert set(project.frontier(["k", "information_gain"])["id"]) == {rule.id for rule in found.rules}
    made = project.release("R1", tmp_path / "r.parquet")
    assert made.k == found.rules[0].measures.k
    best = max(rule.measures.information_gain for rule in project.discover(coverage=[0.05, 0.5]).rules)
    assert best <= lattice["value"] + 1e-12


@pytest.mark.slow
def test_without_models_the_frontier_is_of_k_and_information_gain(project, tmp_path):
    found = project.discover(search="lattice", models=[], select="loss")
    assert all(rule.accuracy == {} for rule in found.rules)
    assert found.baseline["accuracy"] == {}
    assert any(rule.on_frontier for rule in found.rules)
    assert set(project.frontier()["id"]) == {rule.id for rule in found.rules if rule.on_frontier}
    assert found.lattice["value"] == pytest.approx(found.rules[0].utility["loss"])
    with_suppression = project.discover(
        search="lattice", models=[], select="loss", requirement={"k": 8, "suppression": 0.1}, lattice_frontier=False
    )
    assert len(with_suppression.rules) == 1
    rule = with_suppression.rules[0]
    assert with_suppression.lattice["value"] == pytest.approx(rule.utility["loss"])
    assert rule.utility["loss"] <= found.lattice["value"]


@pytest.mark.slow
def test_run_searches_the_lattice(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(ROWS, columns=["age", "job", "sex", "class"]).to_csv("people.csv", index=False)
    config = "source: people.csv\nclass: class\nselect: loss\nsearch: lattice\nmodels: []\nrequirement: {k: 8}\n"
    (tmp_path / "anonduck.yml").write_text(config)
    assert run(["run", "-o", "r.csv"]) == 0
    capsys.readouterr()
    assert run(["discover", "--json", "--optimum-only"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [rule["origin"] for rule in document["rules"]] == ["lattice"]
    assert document["lattice"]["frontier"] == "none"
    receipt = json.loads((tmp_path / "r.csv.receipt.json").read_text())
    assert receipt["rule"]["levels"] == document["rules"][0]["levels"]
    assert run(["discover", "--min-k", "401"]) == 0
    assert "no rule: none of the" in capsys.readouterr().out
    assert run(["discover", "--model", "none", "--model", "tree"]) == 2
    assert run(["run", "--search", "rfd", "--model", "none", "-o", "r.csv", "--overwrite", "--reselect"]) == 0


# -- ARX's known answers -----------------------------------------------------------------------------------------------

EIGHT = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("suppression", "answers"),
    [
        (
            0.0,
            {
                5: ([0, 4, 0, 2, 3, 2, 2, 1], 0, 0.6608),
                10: ([0, 4, 0, 2, 3, 2, 2, 1], 0, 0.6608),
                50: ([0, 4, 1, 1, 3, 2, 2, 1], 0, 0.7150),
            },
        ),
        (
            0.05,
            {
                5: ([0, 3, 0, 1, 2, 1, 1, 1], 1_248, 0.2618),
                10: ([0, 3, 0, 1, 1, 1, 1, 2], 1_484, 0.3315),
                50: ([0, 4, 0, 1, 3, 1, 0, 2], 1_306, 0.4869),
            },
        ),
    ],
)
def test_the_optimum_in_loss_is_that_of_arx(data_dir, suppression, answers):
    settings_ = {"models": [], "measures": ["loss"], "select": "loss", "search": "lattice", "lattice_frontier": False}
    with Project(source=str(data_dir / "arx" / "adult.csv"), class_="salary-class", **settings_) as one:
        for name in EIGHT:
            one.import_taxonomies(data_dir / "arx" / f"adult_hierarchy_{name}.csv", column=name)
        for k, (levels, suppressed, loss) in answers.items():
            found = one.discover(requirement={"k": k, "suppression": suppression}, quasi_identifiers=EIGHT)
            (rule,) = found.rules
            assert found.lattice["optimal"]
            roots = [one.taxonomies[name].root for name in EIGHT]
            assert [rule.levels.get(name, root) for name, root in zip(EIGHT, roots, strict=True)] == levels
            assert rule.measures.suppressed == suppressed
            assert rule.utility["loss"] == pytest.approx(loss, abs=5e-5)
            assert found.lattice["value"] == pytest.approx(rule.utility["loss"], abs=1e-9)
