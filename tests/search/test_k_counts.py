"""Where k counts the class: the records of an equivalence class are alike in class too, against brute force."""

import json
from collections import Counter
from dataclasses import replace
from itertools import product

import duckdb
import pandas as pd
import pytest
from examples import examples
from hypothesis import example, given
from hypothesis import strategies as st
from oracles import (
    covering,
    generalized,
    histogram,
    joins,
    judge_over,
    maximal_vectors,
    measured,
    people,
    project,
    records_of,
    roots_of,
    tables,
)
from test_discovery import discovered
from test_lattice import check, opened

from anonduck import audit
from anonduck.cli.app import run
from anonduck.config.reading import make_config
from anonduck.errors import ConfigError, RequirementNotMet
from anonduck.rules.rule import RuleSpace
from anonduck.search.lattice.costs import GOALS
from anonduck.search.lattice_search import _Read
from anonduck.search.score_goals import SCORES, wanted_score

COUNTED = {"k_counts": ["class"]}


def k_with_class(names, paths, rows, vector):
    """The records of the smallest group that is alike in the attributes of a rule and in class."""
    return min(Counter(generalized(names, paths, rows, vector)).values())


def kept(names, paths, rows, vector, k):
    """The numbers of the rows in groups, alike in class too, of so many records."""
    shown = generalized(names, paths, rows, vector)
    sizes = Counter(shown)
    return [number for number, row in enumerate(shown) if sizes[row] >= k]


def vectors_of(roots):
    return [v for v in product(*(range(root + 1) for root in roots)) if v != roots]


# -- searches ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(tables(max_rows=14), st.sampled_from([1, 2, 3]), st.sampled_from([[0.05, 0.5], [0.3, 1.0]]))
@examples(14)
def test_rfds_joins_and_rules_are_those_that_reach_k_with_the_class(shared, table, min_k, coverage):
    names, paths, rows = table
    roots = roots_of(names, paths)
    found = discovered(shared, names, paths, rows, min_k=min_k, coverage=coverage, models=["bayes"], **COUNTED)
    space = RuleSpace(tuple(names), roots)

    def reaches(vector):
        return k_with_class(names, paths, rows, vector) >= min_k

    expected = set()
    for share in coverage:
        differing = [
            distances for distances, differs in covering(histogram(names, paths, rows), share, "pairs") if differs
        ]
        extracted = {v for v in (maximal_vectors(differing, roots) if differing else ()) if reaches(v)}
        expected |= {*extracted, *(v for fresh in joins(extracted, roots, reaches) for v in fresh)}
    assert {space.vector(rule.levels) for rule in found.rules} == expected
    for rule in found.rules:
        vector = space.vector(rule.levels)
        _, classes, gain, _, violating = measured(names, paths, rows, vector)
        assert rule.measures.k == k_with_class(names, paths, rows, vector)
        assert (rule.measures.classes, rule.measures.violating_pairs) == (classes, violating)
        assert rule.measures.information_gain == pytest.approx(gain, abs=1e-9)
    assert found.as_json()["k_counts"] == ["class"]


@pytest.mark.slow
@given(
    tables(max_rows=14),
    st.integers(1, 3),
    st.sampled_from([0.0, 0.3]),
    st.sampled_from(["loss", "information_gain", "discernibility", "nonuniform_entropy"]),
    st.sampled_from([{}, {"whole_nodes": 0}, {"whole_nodes": 0, "most": 0}]),
)
@examples(30)
def test_the_lattice_is_searched_by_k_with_the_class(shared, table, k, suppression, goal, options):
    names, paths, rows = table
    config, taxonomies, judge = opened(shared, table, {"k": k}, suppression, select=goal, **COUNTED)
    counted = judge_over(shared, judge.space, replace(judge.requirement, with_class=True))
    searched = check(shared, config, taxonomies, counted, **options)
    met = {}
    for vector in vectors_of(judge.space.roots):
        stays = [rows[number] for number in kept(names, paths, rows, vector, k)]
        if stays and len(rows) - len(stays) <= suppression * len(rows) * (1 + 1e-9):
            met[vector] = k_with_class(names, paths, stays, vector)
    assert bool(searched.vectors) == bool(met)
    assert {vector: counted.verdict(vector).measures.k for vector in searched.vectors}.items() <= met.items()


SPLIT = (
    ["a"],
    {"a": {value: (f"g{value // 2}", "*") for value in range(4)}},
    [(0, "x"), (0, "y"), (1, "x"), (1, "x"), (2, "y"), (2, "y")],
)


@pytest.mark.some(1)
@pytest.mark.parametrize("goal", [*GOALS, *SCORES])
@given(tables(max_rows=10, max_attributes=2), st.integers(2, 3))
@example(SPLIT, 2)
@examples(4)
def test_what_bounds_coarser_vectors_holds_where_parts_of_classes_are_left_out(shared, goal, table, k):
    """Without one class value that is left out, an equivalence class can tell more than it did as a whole."""
    config, taxonomies, judge = opened(shared, table, {"k": k}, 0.6, select=goal, models=["bayes"])
    judge = judge_over(shared, judge.space, replace(judge.requirement, with_class=True))
    read, wanted = _Read(records_of(shared, taxonomies, judge), config, judge), wanted_score(config)
    problem = read.promises(goal, wanted)[0] if goal in SCORES else read.problem(goal, True)
    found = {vector: problem.assess(vector) for vector in vectors_of(judge.space.roots)}
    for finer, one in found.items():
        for coarser, other in found.items():
            if other.met and all(a <= b for a, b in zip(finer, coarser, strict=True)):
                assert one.floor <= other.cost + 1e-9


@pytest.mark.slow
def test_the_score_of_a_model_is_searched_by_k_with_the_class():
    with project(people(), **COUNTED, requirement={"k": 6}, models=["bayes"], select="accuracy") as one:
        rules = one.discover(search="lattice").rules
        best = max(rule.accuracy["bayes"] for rule in one.discover(search="rfd").rules)
    assert rules[0].accuracy["bayes"] >= best - 1e-12
    assert all(rule.measures.k >= 6 for rule in rules)


# -- releases ----------------------------------------------------------------------------------------------------------


def released(path):
    with duckdb.connect() as connection:
        read = f"read_csv('{path}', all_varchar = true)" if path.suffix == ".csv" else f"'{path}'"
        return connection.execute(f"FROM {read}").fetchall()


def with_null_class():
    frame = people(200)
    frame["class"] = frame["class"].astype("string")
    frame.loc[:3, "class"] = pd.NA
    frame.loc[4, "job"] = "zookeeper"
    frame.loc[:3, "job"] = "cook"
    return frame


@pytest.mark.some(1)
@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize("note", [["note"], []])
def test_a_release_leaves_out_the_groups_of_one_class_that_are_too_small(tmp_path, ending, note):
    frame = with_null_class()
    sizes = Counter(map(tuple, frame[["job", "class"]].astype(object).where(frame.notna(), None).values))
    assert sizes[("cook", None)] == 4
    failing = {key for key, size in sizes.items() if size < 5}
    roles = {"insensitive": note, "identifiers": ["id", *({"note"} - set(note))]}
    path = tmp_path / f"r.{ending}"
    with project(frame, **roles, **COUNTED, requirement={"k": 5, "suppression": 0.1}) as one:
        made = one.release({"job": 0}, path)
        text = one.sql({"job": 0}, table="frame")
    assert made.suppressed == sum(sizes[key] for key in failing) > 0
    at = (0, 2) if note else (0, 1)
    wanted = Counter({key: size for key, size in sizes.items() if key not in failing})
    assert Counter((row[at[0]], row[at[1]]) for row in released(path)) == wanted
    with duckdb.connect() as connection:
        connection.register("frame", frame)
        assert Counter((row[at[0]], row[at[1]]) for row in connection.execute(text).fetchall()) == wanted
    receipt = json.loads((tmp_path / f"r.{ending}.receipt.json").read_text())
    assert (receipt["k_counts"], receipt["k"], receipt["classes"]) == (["class"], min(wanted.values()), len(wanted))
    report = audit(path, ["job", "class"], insensitive=note, requirements={"k": 5})
    assert (report.met, report.k, report.classes) == (True, made.k, made.classes)


@pytest.mark.slow
def test_a_rule_that_reaches_k_without_the_class_alone_is_refused(tmp_path):
    frame = pd.DataFrame({"a": ["x"] * 6 + ["y"] * 6, "b": range(12), "class": ["1"] * 5 + ["2"] * 7})
    plain = {"source": frame, "requirement": {"k": 3}, "identifiers": ["b"], "insensitive": []}
    with project(**plain) as one:
        receipt = one.release({"a": 0}, tmp_path / "r.csv").receipt
        assert (receipt["k"], receipt["k_counts"]) == (6, [])
    with project(**plain, **COUNTED) as one, pytest.raises(RequirementNotMet, match="k = 1, under the required 3"):
        one.release({"a": 0}, tmp_path / "s.csv")
    assert not (tmp_path / "s.csv").exists()


@pytest.mark.slow
def test_what_else_is_required_holds_in_the_groups_of_one_class(tmp_path):
    frame = people(300)
    frame["ill"] = (["flu", "gout", "scabies"] * 100)[:300]
    roles = {"identifiers": ["id"], "insensitive": ["note"], "sensitive": ["ill"]}
    with project(frame, **roles, **COUNTED, requirement={"k": 4, "l": 2, "suppression": 0.2}) as one:
        rules = one.discover(models=[]).rules
        made = one.release(rules[0].id, tmp_path / "r.parquet")
    assert rules[0].measures.k == made.k
    named = [*rules[0].levels, "class"]
    report = audit(
        tmp_path / "r.parquet", named, sensitive=["ill"], insensitive=["note"], requirements={"k": 4, "l": 2}
    )
    assert report.met
    assert report.k == made.k


# -- asked for ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_run_follows_the_config_and_a_discovery_for_once_is_not_taken_for_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    people().drop(columns=["note"]).to_csv("p.csv", index=False)
    assert run(["init", "p.csv", "--class", "class", "--identifier", "id", "--method", "rules"]) == 0
    by_gain = ("--model", "none", "--select", "information_gain", "--no-report", "--json")
    assert run(["discover", "--k-counts", "class", "--model", "none"]) == 0
    assert "k counts the class" in capsys.readouterr().out
    assert run(["rules", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    counted = told["rules"]
    assert told["k_counts"] == ["class"]
    assert run(["run", "-o", "plain.csv", *by_gain]) == 0
    first = json.loads(capsys.readouterr().out)
    assert first["discovered"]
    text = (tmp_path / "anonduck.yml").read_text()
    (tmp_path / "anonduck.yml").write_text(text + "k_counts: [class]\n")
    assert run(["run", "-o", "counted.csv", "--reselect", *by_gain]) == 0
    second = json.loads(capsys.readouterr().out)
    assert second["discovered"]
    assert second["rule"]["levels"] in [rule["levels"] for rule in counted]
    assert second["release"]["k"] == second["rule"]["k"] >= 5
    assert run(["audit", "counted.csv", "--require", "k=5"]) == 0
    assert run(["frontier", "--objective", "k", "--objective", "information_gain"]) == 0


def test_k_counts_the_class_or_nothing():
    with pytest.raises(ConfigError, match=r"k_counts\.0: it should be 'class'"):
        make_config({"class": "c", "k_counts": ["diagnosis"]})
