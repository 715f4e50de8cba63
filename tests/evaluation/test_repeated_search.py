"""What is expected of a rule on unseen records: the search repeated without some of the records."""

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from oracles import people, project
from prepared import PEOPLE, opened

from anonduck.cli.app import run
from anonduck.database.progress import Reporter
from anonduck.errors import AnonduckError, RuleError
from anonduck.evaluation import holdout, repeated_search
from anonduck.evaluation.cell_records import read_stored_cells
from anonduck.evaluation.holdout import HoldoutProtocol, SelectionGoal, held_records, hold_out, protocol_for
from anonduck.evaluation.repeated_search import between, expect, expected_now
from anonduck.frequency.patterns import join_pairs
from anonduck.measures.requirement import requirement_of
from anonduck.models import scores
from anonduck.models.contingency import Contingency
from anonduck.models.cross_validation import TrainingStoppedError
from anonduck.search.expected import area_error, expected_of, keep_expected, kept_expected
from anonduck.search.lattice.limits import SearchLimits
from anonduck.search.searched_records import StoredRecords
from anonduck.statements import Statement

CALM = {"coverage": [0.3], "requirement": {"k": 4}, "time_limit": None, "identifiers": [], "insensitive": []}


PARTS = protocol_for(230, 0.2)
KEPT_OF_JOIN = ("joined_cells", "pattern_join")


def coins(rows=500, seed=4):
    """People whose class is a coin that nothing tells of: whatever a search finds, the truth is one half."""
    random = np.random.default_rng(seed)
    columns = {name: random.choice([*"abcdef", None], rows) for name in ("home", "job", "team")}
    return pd.DataFrame(
        {**columns, "age": random.integers(20, 60, rows), "class": random.permuted(["h", "t"] * (rows // 2))}
    )


def told(rows=500, seed=3, right=0.8):
    """People whose job tells their class, for a known share of them."""
    random = np.random.default_rng(seed)
    job = random.choice(["smith", "cook"], rows)
    honest = random.random(rows) < right
    return pd.DataFrame(
        {
            "job": job,
            "age": random.integers(20, 60, rows),
            "home": random.choice([*"abcd", None], rows),
            "class": np.where((job == "smith") == honest, "yes", "no"),
        }
    )


def test_a_turn_that_takes_more_than_its_share_of_the_time_leaves_nothing_expected(prepared, tmp_path, monkeypatch):
    """Though the time of the whole job is not up."""

    def stopped(*_):
        raise TrainingStoppedError

    with opened(prepared("people", tmp_path), **{**PEOPLE, "coverage": [0.3], "holdout": 0.2}) as one:
        monkeypatch.setattr(repeated_search, "scored_turn", stopped)
        limits = SearchLimits(1e6)
        assert expected_now(one.workspace, one.discovered(), limits) == {}
        keep_expected(one.database, {"age=1": {}}, {"of": "another config", "ks": [], "every": True})
        assert expected_now(one.workspace, one.discovered(), limits) == {}


# -- what it tells -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_coin_is_expected_to_be_a_coin_though_a_rule_was_picked_that_looks_better(tmp_path):
    with project(coins(300), **CALM) as one:
        done = one.run(tmp_path / "out.parquet", report=False)
    picked, expected = done.rule.accuracy["tree"], done.expected["tree"]
    assert picked > 0.5 + 2 * expected["error"]
    assert abs(expected["accuracy"] - 0.5) < 2 * expected["error"]
    assert expected["records"] == 300
    assert expected["splits"] == expected["found"] == 5
    assert expected["protocol"].startswith("nested cross-validation")
    assert done.release.owner["expected"] == done.expected


@pytest.mark.slow
@pytest.mark.parametrize("rows", [600, 12_500])
def test_what_a_column_tells_is_expected_in_turns_and_of_one_share(tmp_path, rows):
    with project(told(rows), **CALM, holdout=0.2) as one:
        done = one.run(tmp_path / "out.parquet", report=False)
    expected = done.expected["tree"]
    assert abs(expected["accuracy"] - 0.8) < 3 * expected["error"]
    assert expected["records"] == (600 if rows == 600 else 2_500)
    assert expected["protocol"].startswith(
        "nested" if rows == 600 else "holdout: rules searched, selected and trained on 80%"
    )
    assert 0 < expected["error"] < 0.03
    assert set(expected["baseline"]) == {"accuracy", "balanced_accuracy", "roc_auc"}


def test_the_protocol_follows_from_the_records():
    assert protocol_for(12_500, 0.2) == HoldoutProtocol(5, ((0,),))
    assert protocol_for(12_499, 0.2).turns == ((0,), (1,), (2,), (3,), (4,))
    assert protocol_for(20_000, 0.15) == HoldoutProtocol(20, ((0, 1, 2),))
    assert protocol_for(1_000_000, 0.001) == HoldoutProtocol(20, ((0,),))
    assert protocol_for(10_000, 0.0) is None
    assert protocol_for(4, 0.2) is None
    assert "2 of 5 parts were tested in the time limit" in protocol_for(100, 0.2).words(2)


def fold_with(confusion, area, reason):
    return scores.FoldResult(confusion, np.diag(confusion), area, reason)


@pytest.mark.parametrize("of_class", [[30, 170], [100, 100], [60, 60, 180]])
def test_the_error_of_an_area_is_how_far_areas_of_draws_spread(of_class):
    random, areas = np.random.default_rng(1), []
    truth = np.repeat(np.arange(len(of_class)), of_class)
    for _ in range(400):
        rankings = random.normal(size=(len(truth), len(of_class)))
        rankings[np.arange(len(truth)), truth] += 1.0
        areas.append(scores.roc_auc(rankings, truth, np.ones(len(truth), dtype=np.int64)))
    told = area_error(float(np.mean(areas)), of_class)
    assert np.std(areas) * 0.85 < told < np.std(areas) * 2  # of several classes it is the safe side


def test_the_error_is_the_larger_of_the_binomial_one_and_the_moderated_one_over_the_turns():
    even = [fold_with(np.array([[40, 10], [10, 40]]), 0.75, "")] * 5
    steady = expected_of(even, even, protocol="p", found=5, share=0.2)
    assert (steady.accuracy, steady.balanced_accuracy, steady.records) == (0.8, 0.8, 500)
    tested_by_trained = 0.2 / 0.8  # Nadeau and Bengio 2003, of turns that each hold out a fifth
    of_draw = 0.8 * 0.2 / 100  # the variance of one turn's score by its 100 records, which has half of the weight
    assert steady.error == pytest.approx(((1 / 5 + tested_by_trained) * of_draw / 2) ** 0.5, abs=5e-5)
    assert steady.error > (0.8 * 0.2 / 500) ** 0.5
    assert steady.roc_auc == 0.75
    odd = [fold_with(np.array([[50, 0], [0, 50]]), None, "no"), fold_with(np.array([[30, 20], [20, 30]]), None, "no")]
    spread = expected_of(odd, even, protocol="p", found=2, share=0.2)
    variance = (0.2**2 + 0.2**2) / (2 - 1)
    assert (spread.accuracy, spread.roc_auc) == (0.8, None)
    assert spread.error == pytest.approx(((1 / 2 + tested_by_trained) * (variance + of_draw) / 2) ** 0.5, abs=5e-5)
    assert spread.baseline == {"accuracy": 0.8, "balanced_accuracy": 0.8, "roc_auc": 0.75}
    areas = [replace(one, roc_auc=area) for one, area in zip(even, (0.7, 0.8, 0.75, 0.65, 0.85), strict=True)]
    ranked = expected_of(areas, even, protocol="p", found=5, share=0.2)
    of_draws = np.mean([area_error(one.roc_auc, [50, 50]) ** 2 for one in areas])
    of_turns = np.var([one.roc_auc for one in areas], ddof=1)
    over_turns = (1 / 5 + tested_by_trained) * (of_turns + of_draws) / 2
    assert ranked.roc_auc_error == pytest.approx(over_turns**0.5, abs=5e-5)
    alike = (1 / 5 + tested_by_trained) * area_error(0.75, [50, 50]) ** 2 / 2
    assert steady.roc_auc_error == pytest.approx(alike**0.5, abs=5e-5)
    assert (spread.roc_auc_error, steady.majority) == (None, 0.5)
    alone = expected_of(even[:1], even[:1], protocol="p", found=1, share=0.2)
    assert alone.error == pytest.approx((0.8 * 0.2 / 100) ** 0.5), "of one fold there is no error over folds"
    assert alone.protocol == "p"


def test_the_more_frequent_side_of_a_coin_is_right_about_half_of_those_held_out():
    """Where parts had the class shares of all records, it would be right about 54 % of 100: the oracle is the coin."""
    random, turns = np.random.default_rng(5), protocol_for(100, 0.2).turns
    right = []
    for seed in range(400):
        heads = int(random.binomial(100, 0.5))
        cells = SimpleNamespace(records=np.array([heads, 100 - heads]), classes=np.array([0, 1]), blocks=None)
        parts = [held_records(cells, PARTS, turn, seed) for turn in turns]
        assert np.array_equal(np.sum(parts, axis=0), cells.records)
        assert {int(part.sum()) for part in parts} == {20}
        guesses = [int(np.argmax(cells.records - part)) for part in parts]
        right.append(sum(part[guess] for part, guess in zip(parts, guesses, strict=True)) / 100)
    assert abs(np.mean(right) - 0.5) < 3 * np.std(right) / 400**0.5 < 0.02


def test_a_class_that_nobody_has_is_no_part_of_the_balance():
    found = [fold_with(np.array([[0, 0, 0], [0, 3, 1], [0, 2, 4]]), None, "no")]
    expected = expected_of(found, found, protocol="p", found=1, share=0.2)
    assert expected.balanced_accuracy == pytest.approx((3 / 4 + 4 / 6) / 2)


# -- what it never sees ------------------------------------------------------------------------------------------------


def rows_of(records, names):
    """The records of a part by leaves and class, and by sensitive value."""
    cells, found = records.cells, Counter()
    columns = [*cells.leaves, cells.classes, *(cells.sensitive[name].codes for name in names)]
    for *row, count in zip(*(one.tolist() for one in columns), cells.records.tolist(), strict=True):
        found[tuple(row)] += count
    return found


@pytest.mark.slow
@pytest.mark.some(1)
@pytest.mark.parametrize("requirement", [{"k": 3}, {"k": 3, "l": 2}])
def test_each_turn_splits_the_records_and_each_record_is_held_once(requirement):
    frame = people(230)
    frame["ill"] = ["flu" if i % 3 else None for i in range(len(frame))]
    settings = {"coverage": [0.3], "requirement": requirement, "sensitive": ["ill"]}
    with project(frame, **settings) as one:
        one.discover()
        stored = one.discovered()
        names = tuple(stored.settings["nodes"])
        asked = requirement_of(one.config, one.workspace.folder, **requirement)
        cells = read_stored_cells(one.database, names, asked, blocks=False)
        records = StoredRecords(one.database, {name: one.taxonomies[name] for name in names}, 230)
        whole, all_held = rows_of(SimpleNamespace(cells=cells), asked.sensitive), Counter()
        for turn in range(5):
            found = hold_out(records, cells, PARTS, (turn,), seed=0)
            searched, held = (rows_of(part, asked.sensitive) for part in (found.searched, found.held))
            assert searched + held == whole
            assert found.share == Fraction(searched.total(), 230)
            assert held.total() in (45, 46, 47)
            folds = found.searched.contingency((0,) * len(names)).folds.sum(axis=0)
            assert set(folds.tolist()) <= {searched.total() // 10, searched.total() // 10 + 1}
            assert found.held.contingency((0,) * len(names)).folds[:, 0].sum() == held.total()
            held_values = [one.held.sum() for one in found.searched.columns]
            assert held_values == [searched.total()] * len(names)
            all_held += held
        assert all_held == whole


@pytest.mark.slow
def test_the_patterns_of_a_part_are_those_of_its_records_alone_and_leave_no_trace():
    """As a discovery of a source that holds them alone; what the decision database says of its own join stays."""
    settings = {"search": "rfd", "coverage": [0.3], "requirement": {"k": 3}}
    with project(people(60), **settings) as one:
        one.discover()
        stored, database = one.discovered(), one.database
        names = tuple(stored.settings["nodes"])
        asked = requirement_of(one.config, one.workspace.folder, k=3)
        cells = read_stored_cells(database, names, asked, blocks=False)
        records = StoredRecords(database, {name: one.taxonomies[name] for name in names}, 60)
        part = hold_out(records, cells, PARTS, (0,), seed=0).searched
        before = [database.rows(Statement("kept", f"SELECT * FROM {name} ORDER BY ALL")) for name in KEPT_OF_JOIN]
        with part.for_pairs() as opened:
            join = join_pairs(opened, dict(zip(names, part.roots, strict=True)), one.config)
            found = [
                n for (n,) in opened.rows(Statement("found", 'SELECT "#pairs" FROM distance_patterns ORDER BY ALL'))
            ]
        assert join.records == part.cells.total
        rows = [row for row, count in rows_of(part, ()).items() for _ in range(count)]
        paths = [[*one.paths, np.zeros_like(one.paths[0])] for one in part.columns]
        expected = Counter(
            (
                *(
                    next(level for level, path in enumerate(of) if path[x] == path[y])
                    for of, x, y in zip(paths, first[:-1], second[:-1], strict=True)
                ),
                int(first[-1] != second[-1]),
            )
            for first, second in combinations(rows, 2)
        )
        assert found == sorted(expected.values())
        after = [database.rows(Statement("kept", f"SELECT * FROM {name} ORDER BY ALL")) for name in KEPT_OF_JOIN]
        assert after == before


def test_a_database_apart_leaves_nothing_behind(database):
    database.run(Statement("home", "CREATE TABLE kept AS SELECT 1 AS one"))
    names = "SELECT database_name FROM duckdb_databases()"
    before = database.rows(Statement("names", names))

    def fail():
        with database.apart() as home:
            assert database.value(Statement("now", "SELECT current_database()")) != home
            database.run(Statement("apart", "CREATE TABLE kept AS SELECT 2 AS one"))
            raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        fail()
    assert database.value(Statement("kept", "SELECT one FROM kept")) == 1
    assert database.rows(Statement("names", names)) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("frame", "select"),
    [(told(300), "accuracy"), (coins(300), "balanced_accuracy"), (people(230), "macro_f1")],
    ids=["told", "coins", "people"],
)
def test_searching_for_what_is_picked_alone_picks_what_the_whole_search_does(frame, select, monkeypatch):
    """Also where the best rule tells nothing, and another one is picked instead."""
    picked, chosen = [], repeated_search._chosen

    def choose(rules, target, k, models):
        found = chosen(rules, target, k, models)
        picked.append((target, k, found and dict(found.levels)))
        return found

    with project(frame, requirement={"k": 4}, time_limit=None, identifiers=[], insensitive=[], select=select) as one:
        one.discover()
        monkeypatch.setattr(repeated_search, "_chosen", choose)
        alone = expect(one.workspace, one.discovered())
        first, picked[:] = picked.copy(), []
        with monkeypatch.context() as patch:
            patch.setattr(repeated_search._RepeatedSearch, "_best_tells_nothing", lambda *_: True)
            assert expect(one.workspace, one.discovered()) == alone
    assert picked == first
    assert len(picked) > 5


# -- where it is kept, and who tells it --------------------------------------------------------------------------------


@pytest.fixture
def decided(tmp_path):
    path = tmp_path / "people.parquet"
    told(400).to_parquet(path)
    config = tmp_path / "anonduck.yml"
    config.write_text(f"source: {path}\nclass: class\ncoverage: [0.3]\nrequirement: {{k: 4}}\n", encoding="utf-8")
    return config


@pytest.mark.slow
def test_a_rule_of_the_frontier_takes_what_is_expected_of_it_into_its_receipt(decided, tmp_path, capsys):
    def answer(*words):
        capsys.readouterr()
        assert run([*words, "-p", str(decided), "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    answer("discover")
    assert all(rule["expected"] is None for rule in answer("frontier")["rules"])
    unknown = answer("release", "R1", "-o", str(tmp_path / "early.parquet"))
    assert unknown["expected"] is None
    rules = answer("frontier", "--expected")["rules"]
    assert all(rule["expected"]["tree"]["records"] == 400 for rule in rules)
    assert answer("frontier")["rules"] == rules
    assert run(["rules", rules[0]["id"], "-p", str(decided)]) == 0
    score = rules[0]["expected"]["tree"]
    shown = f"tree accuracy expected on unseen records  {score['accuracy']:.4f} +- {score['error']:.4f}"
    assert shown in capsys.readouterr().out
    released = answer("release", rules[0]["id"], "-o", str(tmp_path / "late.parquet"))
    assert released["expected"] == {"tree": rules[0]["expected"]["tree"] | {"measured_on": "this export"}}
    behind = [rule for rule in answer("rules")["rules"] if rule["expected"] is None]
    assert behind
    assert answer("release", behind[0]["id"], "-o", str(tmp_path / "other.parquet"))["expected"] is None
    answer("discover")
    assert all(rule["expected"] is None for rule in answer("rules")["rules"])


@pytest.mark.slow
def test_the_last_choice_keeps_what_was_expected_of_it(decided, tmp_path):
    import anonduck

    with anonduck.Project(decided) as one:
        first = one.run(tmp_path / "out.parquet", report=False)
    told(500).to_parquet(tmp_path / "people.parquet")
    with anonduck.Project(decided) as one:
        second = one.run(tmp_path / "out.parquet", overwrite=True, report=False)
    assert "last choice" in second.reason
    assert first.expected["tree"]["measured_on"] == "this export"
    elsewhere = {"measured_on": "another export, on which the rule was selected"}
    assert second.expected == {"tree": first.expected["tree"] | elsewhere}
    assert second.release.owner["expected"] == second.expected


@pytest.mark.slow
def test_another_export_or_another_holdout_is_not_told_by_what_was_kept(decided, tmp_path):
    import anonduck

    with anonduck.Project(decided) as one:
        first = one.run(tmp_path / "out.parquet", report=False)
        other = one.release(dict(first.levels), tmp_path / "other.parquet", source=coin_file(tmp_path))
        assert other.owner["expected"]["tree"]["measured_on"].startswith("another export")
    decided.write_text(decided.read_text(encoding="utf-8") + "holdout: 0\n", encoding="utf-8")
    with anonduck.Project(decided) as one:
        again = one.run(tmp_path / "out.parquet", overwrite=True, reselect=True, report=False)
    assert not again.discovered
    assert again.expected == {}


def coin_file(folder):
    told(300, right=0.5).to_parquet(folder / "coin.parquet")
    return folder / "coin.parquet"


@pytest.mark.slow
def test_a_taxonomy_made_by_the_class_leaves_nothing_to_expect(tmp_path):
    said = []
    frame = told(200).assign(job=[f"j{i % 40}" for i in range(200)])
    made = {"job": {"clusters": True, "cluster_on": ["class"]}}
    with project(frame, **CALM, taxonomies=made, reporter=Reporter(said.append)) as one:
        one.discover()
        assert one.expected() == {}
    assert any("is built from the class of all records" in words for words in said)


@pytest.mark.slow
def test_a_rule_that_leaves_records_out_for_sensitive_values_is_expected_in_turns():
    frame = told(400)
    frame["home"] = frame.pop("job")
    frame["ill"] = [["flu", "cold", None][i % 3] for i in range(400)]
    frame.loc[::9, "home"] = [f"h{i}" for i in range(len(frame.loc[::9]))]
    settings = {**CALM, "sensitive": ["ill"], "requirement": {"k": 4, "l": 2, "suppression": 0.3}}
    with project(frame, **settings) as one:
        one.discover(select="accuracy")
        assert any(rule.measures.suppressed for rule in one.discovered().rules)
        assert all(found["tree"]["records"] == 400 for found in one.expected().values())


@pytest.mark.slow
@pytest.mark.parametrize("changes", [{"holdout": 0}, {"models": []}])
def test_nothing_is_expected_where_nothing_is_held_out_or_measured(tmp_path, changes):
    with project(told(200), **CALM, select="information_gain", **changes) as one:
        done = one.run(tmp_path / "out.parquet", report=False)
        assert done.expected == one.expected() == {}
        assert kept_expected(one.database).rules == {}
        assert done.release.owner["expected"] is None


@pytest.mark.slow
def test_other_records_than_those_of_the_rules_are_refused():
    with project(told(200), **CALM) as one:
        one.discover()
        stored = one.discovered()
        one.database.run(Statement("fewer", 'DELETE FROM coded_frequency_set WHERE "#cell" = 0'))
        with pytest.raises(RuleError, match="other records"):
            expect(one.workspace, stored)


@pytest.mark.slow
def test_where_no_rule_is_found_without_the_held_records_the_majority_is_guessed(monkeypatch):
    table = told(200)
    table.loc[::2, "class"] = "yes"  # so that it is more frequent without any part
    with project(table, **CALM) as one:
        one.discover()
        found = one.discovered()
        monkeypatch.setattr("anonduck.evaluation.repeated_search.choose", lambda *_, **__: None)
        monkeypatch.setattr(
            "anonduck.evaluation.repeated_search._targets", lambda *_: {"job=0": SelectionGoal("accuracy", 4)}
        )
        (expected,) = expect(one.workspace, found)["job=0"].values()
    majority = max(Counter(table["class"]).values()) / 200
    assert expected.found == 0
    assert (expected.accuracy, expected.balanced_accuracy) == (pytest.approx(majority), 0.5)


@pytest.mark.slow
def test_repeated_searches_share_one_budget(monkeypatch):
    asked = []

    def searched(setting):
        asked.append((setting.config.budget, setting.limits.units_left))
        raise LookupError

    with project(told(200), **CALM, budget=1_000) as one:
        one.discover()
        found = one.discovered()
        monkeypatch.setattr("anonduck.search.discovery.STRATEGIES", {one.config.search: searched})
        with pytest.raises(LookupError):
            expect(one.workspace, found)
    assert asked == [(200, 200)]


@pytest.mark.slow
def test_the_same_source_gives_the_same_estimate_whatever_the_threads():
    found = []
    for threads in (1, 2):
        with project(told(300).sample(frac=1, random_state=threads), **CALM, threads=threads) as one:
            one.discover()
            found.append(one.expected())
    assert found[0] == found[1]


def test_holdout_is_a_share():
    with pytest.raises(AnonduckError, match="holdout"):
        project(told(200), holdout=0.7)


@pytest.mark.slow
def test_with_folds_in_the_order_of_a_column_its_last_records_are_held_out(tmp_path):
    early, late = told(300, right=0.9), told(100, right=0.1)
    frame = pd.concat([early, late]).assign(day=[i // 4 for i in range(400)])
    settings = {**CALM, "insensitive": ["day"], "split_by": "day", "holdout": 0.25, "models": ["bayes"]}
    with project(frame, **settings) as one:
        done = one.run(tmp_path / "out.parquet", report=False)
    expected = done.expected["bayes"]
    assert expected["protocol"].startswith("holdout in the order of day: rules searched")
    assert expected["records"] == 80
    assert expected["accuracy"] < 0.3
    assert done.rule.accuracy["bayes"] > 0.6


def test_a_frontier_is_asked_for_ks_between_its_rules():
    assert between([5, 7, 6], 5) == {5: 5, 6: 6, 7: 7}
    assert between([100, 9], 5) == {9: 7, 100: 32}
    assert between([], 5) == {}


def test_models_learn_from_a_bounded_sample_of_the_searched_records(monkeypatch):
    """As they do from other recodings; which fold a record is in stays, and no record counts twice."""
    monkeypatch.setattr(holdout, "LEARNT", 90)
    codes, folds = np.arange(12, dtype=np.int32)[:, None], np.random.default_rng(3).integers(0, 9, (12, 3))
    table = Contingency(codes, (True,), (11,), np.arange(12) % 2, folds)
    means = np.zeros(folds.shape)
    for seed in range(200):
        learnt = holdout._learnt(table, seed)
        assert learnt.folds.sum() == 90
        assert (learnt.folds <= folds[learnt.codes[:, 0]]).all()
        means[learnt.codes[:, 0]] += learnt.folds / 200
    np.testing.assert_allclose(means, folds * 90 / folds.sum(), atol=0.5)
    assert holdout._learnt(learnt, 0) is learnt
