"""The search of the lattice against every level vector there is, and against ARX's known answers."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import CLASS, as_measure, coded, judge_over, records_of, tables

from anonduck import Project
from anonduck.config.reading import make_config
from anonduck.database.progress import Reporter
from anonduck.frequency import roll_up
from anonduck.measures.requirement import Requirement
from anonduck.measures.rule_utility import utility_of
from anonduck.privacy.requirement import ask
from anonduck.rules.rule import RuleSpace
from anonduck.search.assessors import LevelAssessor
from anonduck.search.lattice.costs import CELL_MEASURES, GOALS, make_goal
from anonduck.search.lattice.falling_search import FallingSearch
from anonduck.search.lattice.optimum import find_optimum
from anonduck.search.level_space import CodedLevels
from anonduck.search.proofs import proof_lines
from anonduck.search.score_goals import SCORES, ScoreGoal


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


def check(database, config, taxonomies, judge):
    """The search finds the best by what is selected among all vectors."""
    expected = everything(database, config, taxonomies, judge)
    said = []
    records = records_of(database, taxonomies, judge)
    levels = CodedLevels(
        records, judge, len(records.table(with_class=True).leaves.records), config, Reporter(said.append)
    )
    found = levels.cheapest(config.select)
    assert (found is None) == (not expected)
    assert found is None or expected[found][1] == pytest.approx(min(cost for _, cost in expected.values()), abs=1e-9)
    assert not said


def assessor_of(database, config, taxonomies, judge, goal):
    """What assesses vectors by a measure, or by what models can score."""
    records = records_of(database, taxonomies, judge)
    if goal in SCORES:
        table, classes = records.folded
        made = ScoreGoal(goal, goal == SCORES[1], classes)
        return LevelAssessor(table, [made], judge.requirement, judge.classes, classes)
    attributes = records.attributes(goal)
    made = make_goal(goal, list(attributes), list(attributes.values()), k=config.requirement.k, weights=config.weights)
    return LevelAssessor(records.table(with_class=made.needs_class), [made], judge.requirement, judge.classes)


CASES = st.sampled_from(
    [(goal, suppression) for goal in GOALS for suppression in (0.0, 0.3)] + [("loss", 0.15), ("loss", 0.5)]
)


@pytest.mark.slow
@given(tables(max_rows=14), st.integers(1, 4), CASES)
@examples(20)
def test_the_search_finds_what_trying_all_finds(shared, table, k, case):
    goal, suppression = case
    check(shared, *opened(shared, table, {"k": k}, suppression, select=goal, weights={table[0][0]: 2.5}))


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
def test_what_bounds_cost_leaves_most_unseen(shared, suppression):
    """On lattices of 256 vectors: the best is that of all, and few are seen; three tables."""
    pruned = Counter()
    for seed in range(3):
        config, taxonomies, judge = opened(shared, skewed(seed), {"k": 4}, suppression)
        for goal in GOALS:
            assess = assessor_of(shared, config, taxonomies, judge, goal)
            whole, search = (FallingSearch(judge.space.roots, assess) for _ in range(2))
            assert whole.run(lambda: False)
            additive = assess.additive(0)
            if additive is None:
                continue
            assert find_optimum(search, 0, additive, lambda: False, nested=assess.nested)
            costs = [min(seen.costs[0] for seen in one.known.values() if seen.met) for one in (whole, search)]
            assert costs[0] == pytest.approx(costs[1], abs=1e-12)
            pruned[goal] += search.nodes - len(search.known)
    assert set(pruned) >= {"loss", "ncp", "precision", "distortion"}
    assert min(pruned.values()) > search.nodes


def test_a_search_that_is_cut_gives_what_it_found_and_says_so(database):
    config, taxonomies, judge = opened(database, wide(), {"k": 10}, 0.0, select="loss", time_limit=1e-9)
    said = []
    records = records_of(database, taxonomies, judge)
    found = CodedLevels(records, judge, 60, config, Reporter(said.append)).cheapest("loss")
    assert judge.verdict(found).met
    assert "of 65,535 level vectors were evaluated, and the rule is not proven to be the best" in said[0]


def test_where_one_attribute_alone_gives_a_rule_no_time_is_too_short(database):
    """Of four attributes, the last but one is the only one that meets k one level under its root."""
    names = ["a", "b", "c", "d"]
    paths = {name: {value: (value, "*") for value in range(40)} for name in names}
    rows = [(i, i, i % 2, i, "xy"[i % 3 == 0]) for i in range(40)]
    for goal in ("loss", "discernibility"):
        config, taxonomies, judge = opened(database, (names, paths, rows), {"k": 5}, 0.0, time_limit=1e-9)
        a, b, c, d = CodedLevels(records_of(database, taxonomies, judge), judge, 40, config).cheapest(goal)
        assert ((a, b, d), c < 2) == ((2, 2, 2), True)


def test_where_nothing_meets_the_requirement_that_is_proven(database):
    config, taxonomies, judge = opened(database, wide(20, 3), {"k": 30}, 0.0, select="loss")
    check(database, config, taxonomies, judge)


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
    settings_ = {"models": [], "measures": ["loss"], "select": "loss"}
    with Project(source=str(data_dir / "arx" / "adult.csv"), class_="salary-class", **settings_) as one:
        for name in EIGHT:
            one.import_taxonomies(data_dir / "arx" / f"adult_hierarchy_{name}.csv", column=name)
        for k, (levels, suppressed, loss) in answers.items():
            found = one.discover(requirement={"k": k, "suppression": suppression}, quasi_identifiers=EIGHT)
            rule = found.rules[0]
            assert found.exact["optimal"] == "loss"
            roots = [one.taxonomies[name].root for name in EIGHT]
            assert [rule.levels.get(name, root) for name, root in zip(EIGHT, roots, strict=True)] == levels
            assert rule.measures.suppressed == suppressed
            assert rule.utility["loss"] == pytest.approx(loss, abs=5e-5)


@pytest.mark.slow
def test_ola_finds_the_optimum_of_arx(data_dir):
    settings_ = {"models": [], "quasi_identifiers": EIGHT}
    with Project(source=str(data_dir / "arx" / "adult.csv"), class_="salary-class", **settings_) as one:
        for name in EIGHT:
            one.import_taxonomies(data_dir / "arx" / f"adult_hierarchy_{name}.csv", column=name)
        made = one.anonymize("ola", dry_run=True, requirement={"k": 5, "suppression": 0.05})
        roots = [one.taxonomies[name].root for name in EIGHT]
    levels = made.receipt["rule"]["levels"]
    assert [levels.get(name, root) for name, root in zip(EIGHT, roots, strict=True)] == [0, 3, 0, 1, 2, 1, 1, 1]
    assert made.suppressed == 1_248


@pytest.mark.slow
def test_the_best_is_proven_where_the_frontier_is_not(data_dir):
    """The enumeration is cut, and the bound by costs of levels and by what is charged for records left out is not."""
    settings_ = {"models": [], "select": "loss", "quasi_identifiers": EIGHT, "budget": 3000}
    with Project(source=str(data_dir / "arx" / "adult.csv"), class_="salary-class", **settings_) as one:
        for name in EIGHT:
            one.import_taxonomies(data_dir / "arx" / f"adult_hierarchy_{name}.csv", column=name)
        found = one.discover(requirement={"k": 5, "suppression": 0.05})
        assert (found.proven, found.exact["complete"], found.exact["optimal"]) == (False, False, "loss")
        assert found.rules[0].measures.suppressed == 1_248
        assert "the best loss is proven" in proof_lines(one.discovered().summary)[0]


@pytest.mark.slow
def test_twenty_quasi_identifiers_have_an_exact_frontier(data_dir):
    """31,850,495,999 level vectors, of which few have k >= 10."""
    with Project(source=str(data_dir / "german_credit.csv"), class_="class", requirement={"k": 10}) as project:
        found = project.discover(select="loss", models=[], measures=["loss"])
    assert found.exact["nodes"] > 10**10
    assert (found.proven, found.exact["optimal"]) == (True, "loss")
    assert found.exact["evaluated"] < 10_000
    assert all(rule.measures.k >= 10 for rule in found.rules)
