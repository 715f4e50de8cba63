"""The offer: candidates of all kinds, measured alike; k is counted anew in the release of each."""

import json
from dataclasses import replace
from itertools import chain, repeat

import duckdb
import numpy as np
import pandas as pd
import pytest
from persons import persons

from anonduck import Project
from anonduck.cli.app import run
from anonduck.cli.frontier_tables import print_candidates
from anonduck.config.reading import make_config
from anonduck.database.progress import Reporter
from anonduck.errors import ConfigError, NoRuleMeetsRequirement, RuleError, SearchCutShort, SourceError
from anonduck.evaluation.holdout import OF_ONE_PERSON, HeldOutParts
from anonduck.frequency import frequency_set
from anonduck.offer.candidates import Candidate, candidate_from_json, kept_offer, unscored
from anonduck.offer.choice import choose, marked, misses, stands, wider
from anonduck.offer.left_out import left_out_words
from anonduck.offer.nested_choice import expected_of_choice
from anonduck.release.candidate_release import kept_candidate, release_candidate
from anonduck.release.plan import ReleaseSettings
from anonduck.release.target import target_of
from anonduck.report.contents import gather
from anonduck.run import run_project
from anonduck.search.expected import expected_rules, of_parts
from anonduck.search.job import discover

WAYS = ["mondrian", "mondrian:splits=entropy"]
MODELS = {"tree", "boosting"}


def settled(records=300, **more):
    one = {"source": persons(records), "class_": "bought", "identifiers": ["day"], "requirement": {"k": 5}}
    return {**one, "methods": ["rules", *WAYS], "budget": 300, **more}


def classes_of(frame, columns):
    return frame.groupby(columns, dropna=False, observed=True).size()


@pytest.fixture(scope="module")
def offered(tmp_path_factory):
    with Project(**settled()) as one:
        one.discover()
        yield one


@pytest.mark.slow
def test_each_candidate_is_released_as_it_was_measured(offered, tmp_path):
    found = offered.candidates()
    assert {"rules", "mondrian"} == set(found["method"])
    assert found["failed"].isna().all()
    assert list(found["k_required"][found["method"] == "mondrian"]) == [5, 20] * 2
    for row in found.to_dict("records"):
        path = tmp_path / f"{row['id']}.parquet"
        made = offered.release(row["id"], path)
        assert made.receipt["dependency"] == row["dependency"]
        released = pd.read_parquet(path)
        quasi = [name for name in ("age", "job") if name in released]
        counts = classes_of(released, quasi)
        assert (counts.min(), len(counts)) == (row["k"], row["classes"])
        assert quasi == list(row["columns"])
        assert row["k"] >= row["k_required"]
        source = persons(300)
        kept = sum((released[name].astype(str).isin(source[name].astype(str))).sum() for name in quasi)
        assert row["changed"] == pytest.approx(1 - kept / (2 * len(source)))


@pytest.mark.slow
def test_the_sql_of_a_candidate_and_its_lock_release_what_it_does(offered, tmp_path):
    for name in ("M1", "M2"):
        offered.release(name, tmp_path / "released.parquet", overwrite=True)
        released = pd.read_parquet(tmp_path / "released.parquet")
        with duckdb.connect() as connection:
            connection.register("people", persons(300))
            found = connection.execute(offered.sql(name, table="people")).df()
        columns = list(released)
        assert sorted(found[columns].astype(str).values.tolist()) == sorted(released.astype(str).values.tolist())
    receipt = json.loads((tmp_path / "released.parquet.receipt.json").read_text())
    assert receipt["recoding"] == {
        "id": "M2",
        "method": "mondrian",
        "settings": {"strict": True, "splits": "width", "numbers": "nodes"},
        "shows": "ranges",
    }


def test_what_is_expected_has_an_error_and_the_class_is_guarded(offered):
    found = [candidate_from_json(json.loads(json.dumps(one))) for one in offered.candidates().to_dict("records")]
    for one in found:
        assert set(one.expected) == {"boosting"}, "the default of `models` is for rules"
        assert all(0 < score["error"] < 0.1 and score["records"] == 300 for score in one.expected.values())
        assert one.inference["gain"] == pytest.approx(one.inference["released"] - one.inference["control"])
        boosting = one.expected["boosting"]
        assert (one.inference["control"], one.inference["error"]) == (boosting["accuracy"], boosting["error"])
        for score in one.expected.values():
            records = [part["records"] for part in score["parts"]]
            assert records == [60] * 5
            assert score["accuracy"] == pytest.approx(np.mean([part["accuracy"] for part in score["parts"]]))
            assert of_parts(score, score["parts"])["error"] == pytest.approx(score["error"], abs=1e-9)


@pytest.mark.slow
def test_rules_and_methods_that_are_offered_for_once_are_tested_by_the_same_models():
    with Project(**settled(120, methods=["rules"])) as one:
        one.discover(offers=["mondrian"], models=["bayes"])
        found = one.candidates()
        assert set(found["method"]) == {"rules", "mondrian"}
        assert [set(of) for of in found["expected"]] == [{"bayes", "boosting"}] * len(found)


@pytest.mark.slow
def test_rules_that_are_not_offered_are_tested_by_the_model_of_candidates_when_that_is_asked_for():
    """Each rule of the frontier is tested by the models that rules are compared by; by boosting the offered ones."""
    random = np.random.default_rng(3)
    table = pd.DataFrame({name: random.integers(0, 4, 600) for name in ("home", "job")})
    table["bought"] = np.where(random.random(600) < 0.1 + 0.15 * table["home"] + 0.1 * table["job"], "y", "n")
    taxonomies = {"home": {"intervals": 2}, "job": {"intervals": 2}}
    with Project(
        source=table, class_="bought", methods=["rules", "mondrian"], budget=300, taxonomies=taxonomies
    ) as one:
        one.discover()
        kept = expected_rules(one.database)
        offered = {row["label"] for row in one.candidates().to_dict("records") if row["method"] == "rules"}
        assert offered < kept.keys()
        assert [kept[rule].keys() for rule in offered] == [MODELS] * len(offered)
        others = kept.keys() - offered
        assert [kept[rule].keys() for rule in others] == [{"tree"}] * len(others)
        asked = one.expected()
        assert [asked[rule].keys() for rule in others] == [MODELS] * len(others)
        assert [asked[rule]["tree"] for rule in others] == [kept[rule]["tree"] for rule in others]
        assert [asked[rule] for rule in offered & asked.keys()] == [kept[rule] for rule in offered & asked.keys()]


@pytest.mark.slow
def test_candidates_of_more_combinations_than_models_learn_are_scored(monkeypatch):
    """The held-out records of a part have fewer combinations than that, those of the table more."""
    monkeypatch.setattr(frequency_set, "MODEL_CELLS", 80)
    with Project(**settled(120, methods=["rules", "mondrian"])) as one:
        one.discover(models=["tree", "bayes"])
        assert all(of.keys() == MODELS | {"bayes"} for of in one.candidates()["expected"])


@pytest.mark.slow
def test_rules_beside_methods_are_tested_on_records_as_they_came():
    """A single rule is possible, so that it is picked whatever it is tested on."""
    ages = {"age": {"intervals": 5}}
    table = pd.DataFrame({"age": [*range(20, 30)] * 18, "bought": [*"yyynnyyynn", *"ynynnynyny", *"yynnnnyyyn"] * 6})
    one_rule = {"source": table, "class_": "bought", "requirement": {"k": 50}, "taxonomies": ages, "budget": 300}
    asked = {
        "offered": {"methods": ["rules", "mondrian"]},
        "original": {"test_on": "original"},
        "generalized": {},
    }
    found = {}
    for name, keys in asked.items():
        with Project(**one_rule, **keys) as one:
            one.discover(models=["tree", "bayes"])
            (found[name],) = [of["tree"] for rule, of in one.expected().items() if rule == "age=1"]
            if name == "offered":
                (of_rule,) = [row for row in one.candidates().to_dict("records") if row["method"] == "rules"]
                assert of_rule["expected"]["tree"] == found[name]
    assert found["offered"]["parts"] == found["original"]["parts"]
    assert found["offered"]["protocol"].endswith(", as they came")
    assert found["generalized"]["roc_auc"] != found["offered"]["roc_auc"]


@pytest.mark.slow
def test_the_class_that_is_inferred_is_the_majority_of_each_equivalence_class(offered, tmp_path):
    for one in offered.candidates().to_dict("records"):
        path = tmp_path / "released.parquet"
        offered.release(one["id"], path, overwrite=True)
        released = pd.read_parquet(path)
        counts = classes_of(released, [*one["columns"], "bought"]).unstack(fill_value=0)
        assert one["inference"]["released"] == pytest.approx(counts.max(axis=1).sum() / len(released))


def test_a_protocol_says_that_people_are_on_both_sides_of_what_is_held_out():
    table = persons(120)
    for person, told in ((range(120), False), ([n // 2 for n in range(120)], True)):
        source = table.assign(person=person)
        with Project(**settled(source=source, entity="person", methods=["mondrian"])) as one:
            one.discover()
            of_rules = one.expected()
            tested = [*one.candidates()["expected"], *of_rules.values()]
        assert of_rules
        protocols = {score["protocol"] for of in tested for score in of.values()}
        assert {OF_ONE_PERSON in words for words in protocols} == {told}


def test_the_offer_is_of_the_discovery_and_config(offered):
    assert len(offered.candidates()) > 4
    changed = offered.workspace.with_config(offered.config.model_copy(update={"holdout": 0.1}))
    assert kept_offer(changed, offered.discovered()) == ()
    with pytest.raises(RuleError, match=r"there is no candidate M9;.*M1, M2"):
        kept_candidate(offered.workspace, "M9")


# -- run ---------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_run_takes_the_most_detail_near_the_best_and_keeps_its_cuts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where the lock goes
    source, told = tmp_path / "persons.csv", []
    persons(300).to_csv(source, index=False)
    with Project(**settled(source=str(source), database=str(tmp_path / "one.duckdb"))) as one:
        one.reporter = Reporter(announce=told.append)
        first = one.run(tmp_path / "first.csv")
        found = [candidate_from_json(row) for row in one.candidates().to_dict("records")]
        chosen = first.candidate
        best = max(found, key=lambda one: one.score("roc_auc.boosting"))
        near = [one for one in found if stands(one, best, "roc_auc.boosting", 0.01)]
        assert chosen.detail == max(one.detail for one in near)
        assert first.expected == expected_of_choice(chosen, found, one.config)
        assert chosen.id.startswith("M")
        assert (first.rule, first.as_json()["rule"]) == (None, None)
        receipt = json.loads((tmp_path / "first.csv.receipt.json").read_text())
        assert receipt["rule"] is None
        assert receipt["reason"].startswith("most detail within 0.01 or one paired error")
        assert chosen.id not in receipt["reason"]
        told = gather(one.workspace)["chosen"]
        assert (told["id"], told["reason"].partition(":")[0]) == (chosen.id, "released last")
        again = one.run(tmp_path / "again.csv")
        assert again.expected == first.expected
        assert "kept while it meets" in again.reason
        assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "first.csv").read_bytes()
        assert one.lock("M1").lock.method.name == "mondrian"
        locked, dry = one.run(tmp_path / "locked.csv", locked=True), one.release("M1", dry_run=True)
        assert (locked.release.receipt["k"], locked.release.receipt["classes"]) == (
            dry.receipt["k"],
            dry.receipt["classes"],
        )
        pd.concat([persons(300), persons(100)]).to_csv(source, index=False)  # each class has as many records or more
        later = one.run(tmp_path / "later.csv")
        assert "kept while it meets" in later.reason
        before, after = (set(pd.read_csv(tmp_path / name)["age"]) for name in ("first.csv", "later.csv"))
        assert before <= after
        one.discover()
        told = gather(one.workspace)["chosen"]
        assert "within 0.01 or one paired error" in told["reason"]
        anew = one.run(tmp_path / "anew.csv", reselect=True)
        assert anew.candidate.id == told["id"]
        assert "within 0.01 or one paired error" in anew.reason


@pytest.mark.slow
def test_a_requirement_of_the_choice_that_none_meets_is_said(tmp_path):
    with Project(**settled(requirement={"k": 5, "min_columns": 3})) as one:
        with pytest.raises(NoRuleMeetsRequirement, match=r"the nearest, \w+, misses min_columns >= 3 \(is 2\)"):
            one.run(tmp_path / "none.csv")
        assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_an_offer_that_the_time_limit_left_without_scores_is_not_chosen_from(tmp_path):
    """The rules were found in time; nothing is expected of any candidate, and the next run makes the offer anew."""
    source, target = tmp_path / "persons.csv", target_of(tmp_path / "r.csv", tmp_path)
    persons(300).to_csv(source, index=False)
    with Project(**settled(source=str(source))) as one:
        discover(one.workspace)
        seconds = chain([0.0], repeat(1e6))
        with pytest.raises(SearchCutShort, match=r"0 of \d+ candidates had an expected score") as cut:
            run_project(one.workspace, target, clock=lambda: next(seconds))
        assert cut.value.exit_code == 5
        assert list(tmp_path.iterdir()) == [source]
        assert not run_project(one.workspace, target).discovered
        assert (tmp_path / "r.csv").exists()


@pytest.mark.slow
def test_rules_alone_are_chosen_where_a_search_is_named(tmp_path):
    with Project(**settled()) as one:
        assert one.run(tmp_path / "rule.csv", search="rfd", report=False).rule is not None


# -- the choice, by hand -----------------------------------------------------------------------------------------------


def scored(identifier, accuracy, detail, *, changed=0.5, gain=0.0, off=0.0, error=0.01, levels=None, **more):
    return Candidate(
        identifier,
        "rules" if levels else "mondrian",
        {},
        5,
        levels=levels,
        k=5,
        columns=("a", "b"),
        detail=detail,
        changed=changed,
        measures={"loss": 1 - detail},
        expected={"tree": {"accuracy": accuracy, "error": error, "roc_auc": accuracy}},
        inference={"released": 0.8, "control": 0.8 - gain, "gain": gain, "error": off},
        **more,
    )


def config(**more):
    return make_config({"class": "c", **more})


def test_of_equal_detail_the_one_with_fewer_changes_is_chosen_then_a_rule():
    first, second = scored("M1", 0.9, 0.5, changed=0.4), scored("M2", 0.9, 0.5, changed=0.3)
    assert choose([first, second], config()).chosen == second
    rule = scored("R7", 0.9, 0.5, changed=0.3, levels={"a": 1})
    assert choose([first, second, rule], config()).chosen == rule
    assert choose([scored("M10", 0.9, 0.5), scored("M9", 0.9, 0.5)], config()).chosen.id == "M9"


def ranked(identifier, accuracy, area, detail, *, area_error=0.02, majority=0.5):
    """A candidate whose models are right about so many, and rank people so well."""
    one = scored(identifier, accuracy, detail)
    told = {"roc_auc": area, "roc_auc_error": area_error, "majority": majority}
    return replace(one, expected={"tree": {**one.expected["tree"], **told}})


def test_the_default_weighs_candidates_by_how_they_rank_whatever_the_shares_of_the_class():
    for majority in (0.55, 0.84):
        found = [
            ranked("M1", 0.84, 0.80, 0.3, majority=majority),
            ranked("M2", 0.835, 0.79, 0.5, majority=majority),  # as far below the best as may be
            ranked("M3", 0.845, 0.789, 0.9, majority=majority),
        ]
        choice = choose(found, config())
        assert choice.chosen.id == "M2"
        assert choice.chosen_by == "most detail within 0.01 or one paired error of the best expected ROC AUC"
        assert choice.reason == (
            "most detail within 0.01 or one paired error of the best expected ROC AUC; 2 of 3 candidates are that near "
            "to the best, M1 with 0.8000 (accuracy 0.8400); M2 with 0.7900 (accuracy 0.8350)"
        )
        assert choose(found, config(select="accuracy")).chosen.id == "M3"
    of_each = [{**one.expected["tree"], "roc_auc": None} for one in found]  # by a model that ranks nobody
    unranked = [replace(one, expected={"svm": of}) for one, of in zip(found, of_each, strict=True)]
    assert choose(unranked, config()).chosen.id == "M3"
    even = [ranked(one.id, 0.84, 0.8, one.detail) for one in found]
    assert "of the best expected accuracy; 3 of 3" in choose(even, config(select="accuracy")).reason
    worse = [ranked("M4", 0.9, 0.5, 0.5), ranked("M5", 0.84, 0.8, 0.5)]
    assert [one.on_frontier for one in marked(worse, config())] == [False, True]
    assert [one.on_frontier for one in marked(worse, config(select="accuracy"))] == [True, False]


def test_what_the_choice_leaves_out_is_named_with_the_candidate_that_shows_most_of_it():
    def one(identifier, detail, columns, **more):
        by_column = {name: float(name in columns) for name in "abcd"}
        return replace(scored(identifier, 0.8, detail, **more), columns=tuple(columns), detail_by_column=by_column)

    chosen = one("R1", 0.3, "a", levels={"a": 0})
    told = one("M4", 0.9, "abcd", gain=0.3)  # of the class more than may be
    others = [chosen, one("M1", 0.4, "abc"), one("M2", 0.5, "bcd"), one("M3", 0.6, "bcd"), told]
    best = wider(chosen, others, config())
    assert (chosen.left_out, best.id) == (["b", "c", "d"], "M3")
    assert left_out_words(chosen, best) == "R1 leaves out b, c and d, which M3 (mondrian) shows"
    assert left_out_words(chosen, others[1]) == "R1 leaves out b, c and d, of which M1 (mondrian) shows b and c"
    assert wider(chosen, [chosen, one("M5", 0.9, "a")], config()) is None
    assert left_out_words(chosen, None) == ""
    assert left_out_words(told, wider(told, others, config())) == ""


def test_a_candidate_that_tells_the_class_of_its_people_is_not_chosen():
    telling, other = scored("M1", 0.9, 0.9, gain=0.101), scored("M2", 0.9, 0.5, gain=0.1)
    assert choose([telling, other], config()).chosen == other
    allowed = config(requirement={"k": 5, "inference_gain": 0.2})
    assert choose([telling, other], allowed).chosen == telling
    assert misses(telling, config().requirement) == ["inference_gain <= 0.1 (is 0.101 +- 0.000)"]
    asked = config(requirement={"k": 5, "min_columns": 3, "max_loss": 0.05, "min_gain": 0.2, "inference_gain": 1.0})
    assert misses(telling, asked.requirement) == [
        "min_columns >= 3 (is 2)",
        "max_loss <= 0.05 (is 0.100)",
        "min_gain >= 0.2 (is 0.0000)",
    ]


def test_a_gain_that_few_records_show_counts_by_its_one_sided_bound():
    """Where the true gain is the limit, a candidate is left out once in twenty times; where it is far above, always."""
    random = np.random.default_rng(1)

    def left_out(true, error, draws=1000):
        found = [scored("M1", 0.9, 0.5, gain=true + error * random.normal(), off=error) for _ in range(draws)]
        return np.mean([bool(misses(one, config().requirement)) for one in found])

    assert left_out(0.1, 0.03) == pytest.approx(0.05, abs=0.02)
    assert left_out(0.25, 0.03) > 0.99
    assert left_out(0.02, 0.03) < 0.01
    doubtful = scored("M1", 0.9, 0.5, gain=0.12, off=0.03)
    choice = choose([doubtful], config())
    assert "guessed 0.120 +- 0.030 more often than that of others; the limit is 0.1" in choice.reason
    assert "0.120" not in choice.chosen_by
    asked = config(requirement={"k": 5, "inference_gain": 0.1})
    assert misses(doubtful, asked.requirement) == ["inference_gain <= 0.1 (is 0.120 +- 0.030)"]
    assert "guessed" not in choose([scored("M1", 0.9, 0.5, gain=0.09, off=0.03)], config()).reason


# -- what the choice is expected to reach ------------------------------------------------------------------------------


def in_five(identifier, by_part, detail, records=60):
    """A candidate that models are right about in such shares of five parts."""
    parts = [
        {"records": records, "accuracy": one, "balanced_accuracy": one, "macro_f1": one, "roc_auc": None}
        for one in by_part
    ]
    score = {"share": 1 / len(parts), "splits": len(parts), "protocol": "p", "baseline": {}}
    one = scored(identifier, 0.0, detail)
    return replace(one, expected={model: of_parts(score, parts) for model in ("tree", "boosting")}, inference=None)


def test_the_best_of_many_that_know_nothing_of_the_class_is_expected_to_know_nothing():
    random, listed, printed = np.random.default_rng(2), [], []
    for _ in range(150):
        of_table = random.binomial(60, 0.5, (8, 5)) / 60
        found = [in_five(f"M{at}", shares, random.random()) for at, shares in enumerate(of_table)]
        chosen = choose(found, config()).chosen
        listed.append(chosen.expected["boosting"]["accuracy"])
        printed.append(expected_of_choice(chosen, found, config())["boosting"]["accuracy"])
    error = np.std(printed) / np.sqrt(150)
    assert np.mean(listed) > 0.5 + 4 * error
    assert np.mean(printed) == pytest.approx(0.5, abs=2.5 * error)


def test_each_part_is_scored_by_what_the_others_choose():
    found = [in_five("M1", [0.9, 0.5, 0.5, 0.5, 0.5], 0.1), in_five("M2", [0.6, 0.5, 0.5, 0.5, 0.51], 0.2)]
    (chosen, other), asked = found, config(select="accuracy")
    told = expected_of_choice(chosen, found, asked)["tree"]
    taken = []
    for part in range(5):
        rest = [
            np.mean([one.expected["tree"]["parts"][at]["accuracy"] for at in range(5) if at != part]) for one in found
        ]
        others = [at for at in range(5) if at != part]
        differences = np.subtract(*[[one.expected["tree"]["parts"][at]["accuracy"] for at in others] for one in found])
        error = np.std(differences, ddof=1) * np.sqrt(
            1 / 4 + 1 / 4
        )  # of four parts, a fourth for each record learnt from
        best = int(np.argmax(rest))
        near = [at for at in range(2) if rest[at] >= rest[best] - max(0.01, error)]
        taken.append(max(near))  # the second keeps more detail
    accuracies = [found[at].expected["tree"]["parts"][part]["accuracy"] for part, at in enumerate(taken)]
    assert told["accuracy"] == pytest.approx(np.mean(accuracies))
    assert told["records"] == 300
    assert expected_of_choice(other, [other], asked) == other.expected  # nothing is chosen among one
    alike = expected_of_choice(other, found, config(select="loss"))
    assert alike == other.expected  # a choice by detail does not look at scores


def test_a_part_that_is_held_out_alone_is_chosen_by_in_pieces():
    """A rule and a recoding that show the same are tested on the same pieces."""
    random = np.random.default_rng(4)
    size = random.integers(0, 4, 13_000)
    bought = np.where(random.random(13_000) < 0.2 + 0.2 * size, "yes", "no")
    with Project(source=pd.DataFrame({"size": size, "bought": bought}), class_="bought", methods=["mondrian"]) as one:
        one.discover(models=["tree"])
        rule, *_, method = candidates = [candidate_from_json(row) for row in one.candidates().to_dict("records")]
        assert (rule.method, method.method) == ("rules", "mondrian")
        for found in candidates:
            for score in found.expected.values():
                records = np.array([part["records"] for part in score["parts"]])
                assert (len(records), records.sum(), score["records"], score["splits"]) == (10, 2600, 2600, 1)
                right = records @ [part["accuracy"] for part in score["parts"]]
                assert right / 2600 == pytest.approx(score["accuracy"])
        finest = [found for found in candidates if found.detail == 1]
        assert {found.method for found in finest} == {"rules", "mondrian"}
        first, *others = [found.expected["boosting"]["parts"] for found in finest]
        assert all(parts == first for parts in others)


@pytest.mark.slow
def test_a_run_measures_methods_first_and_rules_that_lose_by_far_no_further(tmp_path):
    """The class turns with the place in a chessboard, which no level of a column tells."""
    random = np.random.default_rng(8)
    frame = pd.DataFrame({name: random.integers(0, 64, 13_000) for name in ("east", "north")})
    frame["bought"] = np.where((frame["east"] // 32 + frame["north"] // 32) % 2 == 0, "yes", "no")
    frame["paid"] = random.choice(["cash", "card"], 13_000)
    frame.to_csv(tmp_path / "people.csv", index=False)
    told = []
    methods = ["mondrian", "mondrian:splits=entropy"]
    with Project(
        source=tmp_path / "people.csv",
        class_="bought",
        methods=methods,
        models=["tree", "bayes"],
        taxonomies={name: {"intervals": 64} for name in ("east", "north")},
        requirement={"inference_gain": 1},
        database=tmp_path / "d.duckdb",
        reporter=Reporter(announce=told.append),
    ) as one:
        done = one.run(tmp_path / "out.csv")
        found = {row["id"]: candidate_from_json(row) for row in one.candidates().to_dict("records")}
    first = next(at for at, words in enumerate(told) if words.startswith("first candidate, mondrian: k "))
    assert not any("baseline" in words for words in told[:first])
    assert not any(words.startswith("repeating the search") for words in told)
    rules = [candidate for candidate in found.values() if candidate.levels is not None]
    assert rules
    for rule in rules:
        assert "rather too good, and loses even so" in rule.expected["boosting"]["protocol"]
        assert set(rule.expected) == {"boosting"}
    assert set(done.candidate.expected) == set(done.expected) == MODELS | {"bayes"}
    assert any(set(candidate.expected) == {"boosting"} for name, candidate in found.items() if name.startswith("M"))


def test_the_frontier_is_of_k_detail_and_score():
    random = np.random.default_rng(3)
    found = [
        scored(f"M{at}", float(random.integers(5)), float(random.integers(5)), classes=int(random.integers(9)))
        for at in range(30)
    ]
    points = [(one.k, one.detail, one.expected["tree"]["accuracy"]) for one in found]
    for at, (one, point) in enumerate(zip(marked(found, config()), points, strict=True)):
        worse = point in points[:at] or any(
            all(a >= b for a, b in zip(other, point, strict=True)) and other != point for other in points
        )
        assert one.on_frontier != worse


# -- edges -------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (pd.DataFrame({"a": range(30), "c": ["x", "y", "y"] * 10}), None),
        (pd.DataFrame({"a": [1] * 30, "c": ["x", "y", "y"] * 10}), None),
        (pd.DataFrame({"a": range(2), "c": ["x", "y"]}), "none of 1 candidates meets the requirement"),
        (pd.DataFrame({"a": range(30), "c": ["x"] * 30}), "the class 'c' has a single value"),
    ],
    ids=["one column", "all equal records", "too few records", "a class of one value"],
)
def test_odd_tables_are_offered_or_refused_in_words(frame, words, tmp_path):
    with Project(source=frame, class_="c", methods=["mondrian"], requirement={"k": 3}) as one:
        if words is None:
            assert one.run(tmp_path / "out.csv", report=False).candidate is not None
            return
        with pytest.raises((NoRuleMeetsRequirement, SourceError), match=words):
            one.run(tmp_path / "out.csv", report=False)


def test_methods_that_are_unknown_or_named_twice_are_refused():
    with pytest.raises(ConfigError, match="nobody"):
        Project(**settled(methods=["nobody"]))
    with pytest.raises(ConfigError, match="named twice"), Project(**settled()) as one:
        one.discover(offers=["mondrian", "mondrian"])
    with pytest.raises(ConfigError, match="leaves no choice"):
        Project(**settled(method="mondrian"))


# -- commands ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_frontier_lists_candidates_and_releases_them(tmp_path, capsys):
    persons(120).to_csv(tmp_path / "persons.csv", index=False)
    written = {"source": "persons.csv", "class": "bought", "identifiers": ["day"], "requirement": {"k": 5}}
    (tmp_path / "anonduck.yml").write_text(json.dumps(written))
    at = ["-p", str(tmp_path / "anonduck.yml")]
    assert run(["discover", *at, "--method", "mondrian", "--method", "probabilistic", "--budget", "300"]) == 2
    assert "probabilistic is not weighed beside rules, as it finds swapped values" in capsys.readouterr().err
    assert run(["discover", *at, "--method", "mondrian", "--budget", "300"]) == 0
    assert run(["frontier", *at]) == 0
    shown = capsys.readouterr().out
    assert "M1" in shown
    assert max(map(len, shown.splitlines())) <= 120
    assert run(["frontier", *at, "--rules"]) == 0
    assert "M1" not in capsys.readouterr().out
    assert run(["frontier", *at, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [one["id"] for one in told["candidates"] if one["method"] == "mondrian"] == ["M1"]
    assert run(["release", "M1", *at, "-o", str(tmp_path / "released.csv")]) == 0
    assert run(["release", "M8", *at, "-o", str(tmp_path / "other.csv")]) == 2
    assert "there is no candidate M8" in capsys.readouterr().err


def test_a_candidate_can_be_released_dry(offered):
    one = kept_candidate(offered.workspace, "M1")
    made = release_candidate(offered.workspace, one, None, ReleaseSettings(dry_run=True))
    assert made.receipt["k"] == one.k


@pytest.mark.slow
def test_a_candidate_is_shown_with_what_each_column_keeps(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    persons(300).to_csv("persons.csv", index=False)
    assert run(["init", "persons.csv", "--class", "bought", "--drop", "day"]) == 0
    assert run(["discover", "--model", "none", "--budget", "50"]) == 0
    capsys.readouterr()
    assert run(["rules", "M1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (one,) = found["candidates"]
    assert (one["id"], one["method"], found["rules"]) == ("M1", "mondrian", [])
    kept = one["detail_by_column"]
    assert one["detail"] == pytest.approx(sum(kept.values()) / len(kept))
    assert set(one["columns"]) == {name for name, detail in kept.items() if detail > 0}
    assert run(["rules", "M1"]) == 0
    shown = [line.split() for line in capsys.readouterr().out.splitlines()]
    rows = [[name, f"{part:.0%}"] for name, part in kept.items()]
    assert [row for row in shown if row in rows] == rows
    assert run(["rules", "M99"]) == 2
    assert run(["discover", "--search", "rfd", "--model", "none"]) == 0  # which asks for rules alone
    capsys.readouterr()
    assert run(["frontier", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["candidates"] == []


# -- without a score ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_candidate_that_the_time_left_without_a_score_says_so(tmp_path, monkeypatch, capsys):
    """The clock of the job stands until models have been tested of some candidates."""
    tested, scored = [], HeldOutParts.tested

    def some(parts, *asked):
        tested.append(asked)
        return scored(parts, *asked)

    monkeypatch.setattr(HeldOutParts, "tested", some)
    with Project(**settled()) as one:
        discover(one.workspace)
        done = run_project(one.workspace, target_of("r.csv", tmp_path), clock=lambda: 1e6 * (len(tested) > 2))
        found = kept_offer(one.workspace, one.discovered())
        left = [candidate.id for candidate in found if not candidate.expected]
        assert 0 < len(left) < len(found)
        assert unscored(found) == {"the time limit was up first": left}
        assert f"not scored: {', '.join(left)}: the time limit was up first" in done.reason
        print_candidates([replace(candidate, on_frontier=True) for candidate in found], one.discovered())
    assert f"not scored: {', '.join(left)}: the time limit was up first" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("keys", "words"), [({"holdout": 0}, "`holdout` is 0"), ({"models": []}, "no model was measured")]
)
def test_why_nothing_is_scored_is_kept_with_the_candidates(keys, words):
    with Project(**settled(60, **keys)) as one:
        one.discover(select="information_gain")
        found = one.candidates()
        assert found["unscored"].str.contains(words).all()


def test_a_rule_that_is_selected_at_a_larger_k_is_scored_too():
    """It may be on no frontier of rules, as where none of them tells anything."""
    random = np.random.default_rng(7)
    table = pd.DataFrame({"age": random.integers(0, 40, 400), "bought": np.where(random.random(400) < 0.2, "y", "n")})
    with Project(source=table, class_="bought", methods=["rules", "mondrian"], budget=300) as one:
        one.discover()
        found = [candidate_from_json(row) for row in one.candidates().to_dict("records")]
        assert [candidate.id for candidate in found if not candidate.expected] == []
        rules = [candidate for candidate in found if candidate.levels is not None]
        assert rules
        assert not any(one.discovered().rule(rule.id).on_frontier for rule in rules)
