"""The whole discovery against brute force on small tables, and against counts of another program on Adult."""

import json
from math import comb

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import (
    CLASS,
    coded,
    covering,
    histogram,
    joins,
    maximal_vectors,
    measured,
    people,
    project,
    roots_of,
    tables,
)

from anonduck.config.reading import make_config
from anonduck.database.progress import Reporter
from anonduck.errors import ConfigError
from anonduck.frequency.frequency_set import check_mapped, make_coded, make_lookup
from anonduck.measures.requirement import Requirement
from anonduck.privacy.requirement import ask
from anonduck.rules.measure_names import DEFAULT_UTILITY, UTILITY
from anonduck.rules.rule import RuleSpace, literal
from anonduck.search import mining
from anonduck.search.discovery import discover_rules
from anonduck.search.rfd.joining import join_rules
from anonduck.search.store import read_discovery, write_discovery
from anonduck.source.source import assign_roles, open_source
from anonduck.taxonomy.catalog import stored_taxonomies
from anonduck.taxonomy.files.files import import_blocks


def discovered(database, names, paths, rows, *, min_k=1, reporter=None, **changes):
    taxonomies = coded(database, names, paths, rows)
    config = make_config({"class": CLASS, "sample": "all", "search": "rfd", **changes})
    requirement = Requirement(ask({"k": min_k}))
    return discover_rules(database, config, taxonomies, requirement=requirement, reporter=reporter or Reporter())


def brute_force(names, paths, rows, coverage, over, min_k):
    """The RFDs of a coverage, those that reach k, and the rules that their joins add, by round."""
    roots = roots_of(names, paths)
    covered = covering(histogram(names, paths, rows), coverage, over)
    differing = [distances for distances, differs in covered if differs]
    rfds = maximal_vectors(differing, roots) if differing else set()

    def reaches(vector):
        return measured(names, paths, rows, vector)[0] >= min_k

    extracted = {vector for vector in rfds if reaches(vector)}
    return rfds, extracted, joins(extracted, roots, reaches)


@pytest.mark.slow
@given(
    tables(max_rows=14),
    st.sampled_from([1, 2, 3]),
    st.sampled_from(["pairs", "class_differing"]),
    st.sampled_from([[0.05, 0.5], [0.2], [0.3, 1.0]]),
)
@examples(20)
def test_discovery_equals_brute_force(shared, table, min_k, over, coverage):
    names, paths, rows = table
    found = discovered(shared, names, paths, rows, min_k=min_k, coverage=coverage, coverage_over=over)
    space = RuleSpace(tuple(names), roots_of(names, paths))
    expected = {}
    for share, line in zip(coverage, found.coverages, strict=True):
        rfds, extracted, rounds = brute_force(names, paths, rows, share, over, min_k)
        assert line["rfds"] == len(rfds)
        assert line["rfds_at_min_k"] == len(extracted)
        assert line["joined_per_round"] == ([len(fresh) for fresh in rounds] if extracted else [])
        assert not line["incomplete"]
        listed = {space.vector(r["levels"]): r for r in found.rfds if r["coverage"] == share}
        assert set(listed) == rfds
        assert all(r["k"] == measured(names, paths, rows, v)[0] for v, r in listed.items())
        for vector in extracted:
            expected.setdefault(vector, {})[f"{share:g}"] = "extracted"
        for vector in (v for fresh in rounds for v in fresh):
            expected.setdefault(vector, {})[f"{share:g}"] = "joined"
    assert {space.vector(r.levels): dict(r.origins) for r in found.rules} == expected
    for rule in found.rules:
        k, classes, gain, _, violating = measured(names, paths, rows, space.vector(rule.levels))
        m = rule.measures
        assert (m.k, m.classes, m.violating_pairs) == (k, classes, violating)
        assert m.information_gain == pytest.approx(gain, abs=1e-9)
        assert rule.coverages == tuple(float(c) for c in rule.origins)
        assert rule.origin == ("extracted" if "extracted" in rule.origins.values() else "joined")
        assert bool(rule.parents) == ("joined" in rule.origins.values())
        assert len(rule.parents) in (0, 2)
        assert 0 <= rule.accuracy["tree"] <= 1
    assert bool(found.explanation) == (not found.rules)
    ids = [rule.id for rule in found.rules]
    assert ids == [f"R{n}" for n in range(1, len(ids) + 1)]
    assert {parent for rule in found.rules for parent in rule.parents} <= set(ids)
    assert (found.pair_join.pairs, found.totals.records) == (comb(len(rows), 2), len(rows))


def test_a_discovery_reads_back_as_it_was_written(database):
    names, paths = ["a b", "c"], {"a b": {v: (f"g{v // 2}", "*") for v in range(4)}, "c": {0: ("*",), 1: ("*",)}}
    rows = [(v % 4, v % 2 if v % 5 else None, "xy"[v % 3 == 0]) for v in range(60)]
    found = discovered(database, names, paths, rows, coverage=[0.1, 0.5])
    assert found.rules
    write_discovery(database, found, {"source": "here"}, make_config({"class": "c"}))
    stored = read_discovery(database)
    assert stored.rules == found.rules
    assert stored.settings == {"source": "here"}
    assert stored.summary == json.loads(json.dumps(found.as_json())) | {"average_class_size_k": 5}
    assert stored.rule(found.rules[-1].id) == found.rules[-1]


# -- the same, whatever the order and the threads ----------------------------------------------------------------------


def rules_of(frame, **settings):
    with project(frame, **settings) as one:
        found = one.discover(min_k=2)
        return [rule.as_json() for rule in found.rules], found.as_json()


@pytest.mark.slow
@pytest.mark.parametrize("threads", [2, 4])
@pytest.mark.parametrize("sample", ["all", 150])
def test_order_and_threads_change_nothing(sample, threads):
    frame = people(300)
    first = rules_of(frame, threads=1, sample=sample, coverage=[0.1, 0.3])
    assert len(first[0]) > 1
    shuffled = frame.sample(frac=1, random_state=threads)
    assert rules_of(shuffled, threads=threads, sample=sample, coverage=[0.1, 0.3]) == first


# -- bounds and explanations -------------------------------------------------------------------------------------------


def many_rules():
    """Three pairs of attributes, of which a rule must name one each: eight RFDs, and joins of them."""
    names = [f"q{i}" for i in range(6)]
    paths = {name: {0: ("*",), 1: ("*",)} for name in names}
    rows = [(0, 0, 0, 0, 0, 0, "a"), (1, 1, 0, 0, 0, 0, "b"), (0, 0, 1, 1, 0, 0, "b"), (0, 0, 0, 0, 1, 1, "b")] * 3
    return names, paths, rows


@pytest.mark.slow
def test_a_bound_on_rfds_is_in_the_json_and_said(database):
    said = []
    told = {"coverage": [1.0], "reporter": Reporter(said.append)}
    whole = discovered(database, *many_rules(), **told).as_json()
    assert (whole["coverages"][0]["rfds"], whole["incomplete"], said) == (8, False, [])
    bounded = discovered(database, *many_rules(), max_rfds=3, **told).as_json()
    line = bounded["coverages"][0]
    assert (line["rfds"], line["rfds_complete"], line["incomplete"], bounded["incomplete"]) == (3, False, True, True)
    assert len(said) == 1
    assert "more than 3 RFDs (3 minimal class-differing patterns)" in said[0]
    assert "`--max-rfds N`" in said[0]


@pytest.mark.slow
def test_a_bound_on_rules_is_in_the_json_and_said(database):
    said = []
    told = {"coverage": [1.0], "reporter": Reporter(said.append)}
    whole = discovered(database, *many_rules(), **told)
    assert (len(whole.rules), said) == (27, [])
    bounded = discovered(database, *many_rules(), max_rules=10, **told)
    line = bounded.as_json()["coverages"][0]
    assert (line["rules"], line["joins_complete"], line["incomplete"]) == (10, False, True)
    assert line["candidates_left"] == 27 - 10
    assert len(bounded.rules) == 10
    assert "10 rules with 17 candidates left" in said[0]
    assert "`--max-rules N`" in said[0]


@pytest.mark.slow
def test_joins_that_take_too_long_are_in_the_json_and_said(database, monkeypatch):
    monkeypatch.setattr(mining, "join_rules", lambda *rules, over: join_rules(*rules, over=lambda: True))
    said = []
    told = {"coverage": [1.0], "reporter": Reporter(said.append), "search": "rfd"}
    bounded = discovered(database, *many_rules(), time_limit=60, **told)
    line = bounded.as_json()["coverages"][0]
    assert (line["rules"], line["joins_complete"], line["incomplete"]) == (8, False, True)
    assert len(bounded.rules) == 8
    assert line["candidates_left"] > 0
    assert "the time was up with at least" in said[0]
    assert "`--time-limit SECONDS`" in said[0]


@pytest.mark.slow
def test_what_the_budget_ends_is_not_said_to_be_ended_by_time(database):
    said = []
    told = {"coverage": [1.0], "reporter": Reporter(said.append), "search": "rfd"}
    bounded = discovered(database, *many_rules(), budget=12, time_limit=None, **told).as_json()
    assert bounded["cut"]["by"] == "budget"
    (line,) = [one for one in said if one.startswith("coverage 1:")]
    assert "the budget was used up" in line
    assert "`--budget N` changes the bound" in line
    assert not any("time" in one for one in said)


@pytest.mark.slow
def test_no_rule_is_explained(database):
    paths = {"a": {0: ("*",), 1: ("*",)}}
    rare = [(0, "x")] * 30 + [(1, "y")]
    found = discovered(database, ["a"], paths, rare, coverage=[0.05])
    assert not found.rules
    assert "differs in class" in found.explanation
    assert "class_differing" in found.explanation
    over = discovered(database, ["a"], paths, rare, coverage=[0.05], coverage_over="class_differing")
    assert [r.levels for r in over.rules] == [{"a": 0}]

    equal = [(0, "x"), (0, "y")] * 8
    found = discovered(database, ["a"], paths, equal, coverage=[0.9])
    assert not found.rules
    assert "equal in all quasi-identifiers" in found.explanation

    apart = [(0, "x")] * 8 + [(1, "y")] * 7
    found = discovered(database, ["a"], paths, apart, coverage=[0.9], min_k=8)
    assert not found.rules
    assert "reach k = 7 at most, below the required 8" in found.explanation
    assert len(found.rfds) == 1


# -- Adult -------------------------------------------------------------------------------------------------------------

ADULT_NAMES = {
    "educationNum": "education-num",
    "martialStatus": "marital-status",
    "capitalGain": "capital-gain",
    "capitalLoss": "capital-loss",
    "HoursPerWeek": "hours-per-week",
    "NativeCountry": "native-country",
}


@pytest.mark.nightly
@pytest.mark.slow
def test_adult_agrees_with_another_program(database, data_dir):
    expected_file = data_dir.parent / "expected" / "adult-discovery.json"
    if not expected_file.is_file():
        pytest.skip(f"no expected counts at {expected_file}")
    expected = json.loads(expected_file.read_text())["coverage"]["0.05"]
    complete = 'workclass IS NOT NULL AND occupation IS NOT NULL AND "native-country" IS NOT NULL'
    told = {"source": str(data_dir / "adult.csv"), "class": "class", "where": complete, "sample": "all"}
    told |= {"search": "rfd", "coverage_over": "pairs"}
    told |= {"pattern_limit": 4_000_000, "time_limit": None}  # the other program holds all, and takes its time
    config = make_config({**told, "coverage": [0.05], "models": []})
    source = open_source(database, config, data_dir)
    roles = assign_roles(config, source)
    source.engine.frequency_set([*roles.quasi_identifiers, roles.class_])
    import_blocks(database, data_dir / "authors-taxonomies" / "TaxAdult", ADULT_NAMES, list(roles.quasi_identifiers))
    taxonomies = stored_taxonomies(database)
    for name in roles.quasi_identifiers:
        make_lookup(database, taxonomies[name])
    check_mapped(database, taxonomies)
    make_coded(database, roles, taxonomies, 0)
    found = discover_rules(
        database,
        config,
        {name: taxonomies[name] for name in roles.quasi_identifiers},
        requirement=Requirement(ask({"k": 2})),
    )
    line = found.coverages[0]
    assert line["rfds_at_min_k"] == expected["rfds_k2"]
    for name in ("last_count", "patterns", "class_differing", "minimal_class_differing", "rfds", "rules"):
        assert line[name] == expected[name]
    assert line["joined_per_round"] == expected["joined_per_round"]
    mine = {literal(rule.levels): rule for rule in found.rules if rule.origin == "extracted"}
    theirs = {rule: m for rule, m in expected["extracted"].items() if m["k"] >= 2}
    assert set(mine) == set(theirs)
    for rule, m in theirs.items():
        measures = mine[rule].measures
        assert (measures.k, measures.classes, measures.violating_pairs) == (m["k"], m["classes"], m["violating_pairs"])
        assert measures.information_gain == pytest.approx(m["information_gain"], abs=1e-6)


@pytest.mark.slow
def test_rules_carry_the_utility_that_was_asked_for():
    with project(people()) as one:
        assert {name for rule in one.discover().rules for name in rule.utility} == set(DEFAULT_UTILITY)
        found = one.discover(measures=["loss", "kl_divergence"])
        assert [list(rule.utility) for rule in found.rules] == [["loss", "kl_divergence"]] * len(found.rules)
        assert set(one.discover(measures=["all"]).rules[0].utility) == set(UTILITY)
        assert one.discovered().rules == one.discover(measures=["all"]).rules
        listed = one.frontier(["k", "loss"], nested=True)
        assert listed["k"].is_monotonic_decreasing
        losses = [utility["loss"] for utility in listed["utility"]]
        assert losses == sorted(losses, reverse=True)


@pytest.mark.slow
def test_run_can_select_by_a_loss_that_is_measured(tmp_path):
    with project(people(), select="loss", sample="all", holdout=0) as one:
        done = one.run(tmp_path / "out.parquet")
        meeting = [rule for rule in one.discovered().rules if rule.measures.k >= 5]
    assert done.rule is not None
    assert done.rule.utility["loss"] == min(rule.utility["loss"] for rule in meeting)
    with pytest.raises(ConfigError, match="kl_divergence is not among the `measures`"):
        project(people(), select="kl_divergence")
    with pytest.raises(ConfigError, match=r"measures\.0: it should be 'loss'"):
        project(people(), measures=["lose"])
