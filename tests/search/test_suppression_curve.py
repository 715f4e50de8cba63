"""What suppression buys, against brute force; each rule of the curve is released as it says; what blocks is told."""

from collections import Counter
from fractions import Fraction
from itertools import product

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import generalized, people, project, tables, told_of_all
from test_lattice import opened

from anonduck.cli.app import run
from anonduck.measures.measures import measure_totals
from anonduck.rules.levels import one_level_coarser, one_level_finer
from anonduck.search import suppression_curve
from anonduck.search.discovery import Discovery
from anonduck.search.lattice.suppressed_search import Climb, SuppressedVector, unbeaten

SHARES = (0.1, 0.3, 0.6)


# -- the search alone --------------------------------------------------------------------------------------------------


@st.composite
def hills(draw):
    """Roots, and for each vector the records that fail and two measures: both rise as levels fall."""
    roots = tuple(draw(st.lists(st.integers(1, 3), min_size=1, max_size=3)))
    steps = [draw(st.lists(st.integers(0, 5), min_size=root, max_size=root)) for root in roots]
    worth = [[draw(st.lists(st.integers(0, 9), min_size=root, max_size=root)) for root in roots] for _ in range(2)]

    def height(of, vector):
        return sum(sum(one[level:]) for one, level in zip(of, vector, strict=True))

    vectors = product(*(range(root + 1) for root in roots))
    known = {v: SuppressedVector(height(steps, v), tuple(float(height(one, v)) for one in worth), 1) for v in vectors}
    return roots, known, draw(st.integers(0, 1)), draw(st.integers(0, 12))


@given(hills())
@examples(200)
def test_the_best_found_is_allowed_and_no_move_betters_it(hill):
    roots, known, measure, allowed = hill
    found = Climb(roots, known.__getitem__, measure, allowed, lambda: False).best([roots])
    standing = {v: seen for v, seen in known.items() if seen.failing <= allowed and v != roots}
    if not standing:
        assert found is None
        return
    moves = [*one_level_finer(found), *(f for c in one_level_coarser(found, roots) for f in one_level_finer(c))]
    assert found in standing
    assert all(known[v].measures[measure] <= known[found].measures[measure] for v in moves if v in standing)
    if len(roots) == 1:
        assert known[found].measures[measure] == max(seen.measures[measure] for seen in standing.values())


def test_a_search_whose_work_is_done_gives_what_it_has():
    known = {(level,): SuppressedVector(0, (float(5 - level),), 1) for level in range(6)}
    asked = []

    def look(vector):
        asked.append(vector)
        return known[vector]

    assert Climb((5,), look, 0, 0, lambda: True).best([(3,)]) == (0,)
    assert len(set(asked)) < 6


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 3), st.integers(0, 9)), max_size=8))
@examples(100)
def test_unbeaten_is_the_frontier(points):
    known = {(at,): SuppressedVector(failing, (float(a), float(b)), k) for at, (a, b, k, failing) in enumerate(points)}

    def point(vector):
        return (*known[vector].measures, known[vector].k)

    def beaten(vector):
        return any(
            point(one) != point(vector) and all(x >= y for x, y in zip(point(one), point(vector), strict=True))
            for one in known
        )

    kept = unbeaten(known, known.__getitem__)
    assert {point(one) for one in kept} == {point(one) for one in known if not beaten(one)}
    assert len({point(one) for one in kept}) == len(kept)
    if kept:
        assert known[kept[0]].measures[0] == max(seen.measures[0] for seen in known.values())


# -- on tables ---------------------------------------------------------------------------------------------------------


def shown(table, levels, k):
    """The records that a rule leaves out, the k of the others, and its information gain, from the rows themselves."""
    names, paths, rows = table
    vector = tuple(levels.get(name, len(next(iter(paths[name].values())))) for name in names)
    groups = Counter(row[:-1] for row in generalized(names, paths, rows, vector))
    stays = [at for at, row in enumerate(generalized(names, paths, rows, vector)) if groups[row[:-1]] >= k]
    left = min((n for n in groups.values() if n >= k), default=0)
    return len(rows) - len(stays), left, told_of_all(names, paths, rows, stays, vector)


def curve_of(database, table, k, suppression=0.0, rules=()):
    config, taxonomies, judge = opened(database, table, {"k": k}, suppression)
    before = Discovery(
        rules=rules,
        coverages=(),
        pair_join=None,
        totals=measure_totals(database),
        baseline={},
        models=(),
        min_k=k,
        explanation="no rule",
        requirement=judge.requirement.as_json(),
    )
    config = config.model_copy(update={"models": []})
    return suppression_curve.with_suppression_curve(before, database, config, taxonomies, requirement=judge.requirement)


@pytest.mark.slow
@given(tables(max_rows=14), st.integers(2, 4), st.sampled_from([0.0, 0.2]))
@examples(60)
def test_a_curve_tells_what_brute_force_tells(shared, table, k, suppression):
    names, paths, rows = table
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(suppression_curve, "SHARES", SHARES)
        found = curve_of(shared, table, k, suppression)
    shares = [share for share in SHARES if share > suppression]
    assert [point["suppression"] for point in found.suppression_curve] == shares
    roots = [len(next(iter(paths[name].values()))) for name in names]
    every = [
        shown(table, dict(zip(names, vector, strict=True)), k) for vector in product(*(range(r + 1) for r in roots))
    ]
    before = Fraction(str(suppression))
    for point in found.suppression_curve:
        share = Fraction(str(point["suppression"]))
        for rule in point["rules"]:
            left_out, reached, gain = shown(table, rule["levels"], k)
            assert (rule["suppressed"], rule["k"]) == (left_out, reached)
            assert rule["information_gain"] == pytest.approx(gain, abs=1e-9)
            assert before < Fraction(left_out, len(rows)) <= share
            fewer = [one for one in every if 0 < Fraction(one[0], len(rows)) <= share]
            assert gain <= max(one[2] for one in fewer) + 1e-9
            assert gain > 0
        before = share


def test_a_rule_that_a_few_records_block_is_found(database):
    paths = {"a": {1: ("x", "*"), 2: ("x", "*"), 3: ("y", "*"), 4: ("y", "*")}}
    rows = [(1, "n")] * 40 + [(2, "p")] * 40 + [(3, "n")] * 19 + [(4, "p")]
    found = curve_of(database, (["a"], paths, rows), 5)
    assert [len(point["rules"]) for point in found.suppression_curve] == [0, 1, 0]
    (rule,) = found.suppression_curve[1]["rules"]
    assert (rule["literal"], rule["k"], rule["suppressed"]) == ("a=0", 19, 1)
    assert found.explanation == (
        "no rule; suppression would give a=0 with k = 19: 1 of 100 records is in a class under 5; `suppression: 0.01` "
        "would do"
    )


def test_without_a_rule_at_any_share_what_blocks_is_told(database):
    paths = {"a": dict.fromkeys(range(6), ("*",))}
    rows = [(n, "np"[n % 2]) for n in range(6)] * 2
    found = curve_of(database, (["a"], paths, rows), 5)
    assert found.offer == "even a=0, which leaves out the fewest records, would leave out all"
    assert found.explanation == f"no rule; {found.offer}"


def test_more_than_the_tried_shares_is_offered_up_to_a_tenth(database):
    paths = {"a": dict.fromkeys(range(3), ("*",))}
    rows = [(n % 2, "np"[n // 2 % 2]) for n in range(93)] + [(2, "n")] * 7
    found = curve_of(database, (["a"], paths, rows), 10)
    assert (
        found.offer
        == "a=0 leaves out the fewest: 7 of 100 records are in classes under 10; `suppression: 0.07` would do"
    )


def test_where_no_record_is_in_the_way_none_is_told(database):
    paths = {"a": {1: ("*",), 2: ("*",)}}
    found = curve_of(database, (["a"], paths, [(1, "n"), (1, "p"), (2, "n"), (2, "p")] * 5), 2)
    assert found.explanation == "no rule"


def test_a_large_frequency_set_has_no_curve(database, monkeypatch):
    monkeypatch.setattr(suppression_curve, "MOST_ROWS", 1)
    paths = {"a": {1: ("*",), 2: ("*",)}}
    assert curve_of(database, (["a"], paths, [(1, "n"), (2, "p")] * 5), 2).suppression_curve == ()


# -- in projects -------------------------------------------------------------------------------------------------------

SETTINGS = {"coverage": [0.3], "measures": ["loss"]}
CONFIG = """
source: x.csv
class: class
requirement: {k: 20}
taxonomies: {age: {intervals: 5}, job: {clusters: true}}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "more",
    [
        {"requirement": {"k": 12}},
        {"requirement": {"k": 6, "l": 2}, "sensitive": ["note"], "insensitive": []},
        {"requirement": {"k": 6, "t": 0.4}, "sensitive": ["note"], "insensitive": []},
    ],
    ids=["k", "l", "t"],
)
def test_each_rule_of_a_curve_is_released_as_it_says(more):
    told = 0
    with project(people(900), **SETTINGS, **more) as one:
        found = one.discover()
        assert [point["suppression"] for point in found.suppression_curve] == list(suppression_curve.SHARES)
        for point in found.suppression_curve:
            for rule in point["rules"]:
                allowed = {"suppression": point["suppression"]}
                made = one.release(rule["levels"], dry_run=True, requirement=allowed)
                assert made.as_json()["met"]
                assert (made.k, made.suppressed) == (rule["k"], rule["suppressed"])
                assert not one.release(rule["levels"], dry_run=True).as_json()["met"]
                assert 0 < rule["accuracy"]["tree"] <= 1
                told += 1
        assert found.suppression_curve == tuple(one.discovered().summary["suppression_curve"])
    assert told


@pytest.mark.slow
def test_the_frontier_and_the_discovery_say_what_suppression_buys(tmp_path, monkeypatch, capsys):
    frame = people(600)
    frame["job"] = frame["job"].where(frame.index > 1, "pilot")
    frame["class"] = frame["job"].isin(["nurse", "cook"]).where(frame.index % 9 > 0, True)
    frame[["age", "job", "class"]].to_csv(tmp_path / "x.csv", index=False)
    (tmp_path / "anonduck.yml").write_text(CONFIG)
    monkeypatch.chdir(tmp_path)
    assert run(["discover"]) == 0
    said = capsys.readouterr().out
    assert "job=0 would reach tree accuracy 0.9" in said
    assert "; 2 of 600 records are in classes under 20; `suppression: 0.004` would do" in said
    assert run(["frontier"]) == 0
    assert "with more records left out, the best found, not proven" in capsys.readouterr().out
    assert run(["rules"]) == 0
    assert "left out" not in capsys.readouterr().out
