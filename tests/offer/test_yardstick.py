"""Each candidate by the owner's own yardstick, held against its written release and against its own scores."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from anonduck import Project
from anonduck.cli.app import run
from anonduck.config.reading import make_config, with_changes
from anonduck.errors import ConfigError
from anonduck.evaluation.holdout import RankedPart
from anonduck.offer.candidates import Candidate, candidate_from_json
from anonduck.offer.choice import choose, misses, stands
from anonduck.offer.yardstick import area_of

QUERIES = """
SELECT count(*) FROM released;
-- the young
SELECT "job's kind", count(*) FROM released WHERE age < 40 GROUP BY ALL;
SELECT bought, avg(age), count(*) FROM released GROUP BY bought;
SELECT shop, sum(age) FROM released GROUP BY shop;
SELECT hour, count(*) FROM released GROUP BY hour
"""
JOB = "job's kind"


def people(records=240):
    """Records with NULL in a column of each role, and a rare value of each column of subgroups."""
    random = np.random.default_rng(3)
    age, job = random.integers(20, 60, records), random.integers(0, 5, records)
    bought = np.where(random.random(records) < np.where((age > 40) ^ (job > 2), 0.8, 0.2), "yes", "no")
    shop = random.choice(["north", "south"], records).astype(object)
    shop[:9], shop[9:11] = None, "kiosk"
    frame = pd.DataFrame({"age": age, JOB: job, "hour": random.integers(0, 3, records), "bought": bought, "shop": shop})
    frame[JOB] = frame[JOB].map(lambda code: None if code == 4 else f"job {code}")
    return frame


@pytest.fixture(scope="module")
def offered(tmp_path_factory):
    folder = tmp_path_factory.mktemp("yardstick")
    people().to_parquet(folder / "people.parquet")
    (folder / "queries.sql").write_text(QUERIES)
    config = {
        "source": "people.parquet",
        "class": "bought",
        "insensitive": ["shop"],
        "requirement": {"k": 4, "suppression": 0.1},
        "methods": ["rules", "mondrian", "mondrian:numbers=intervals"],
        "workload": "queries.sql",
        "subgroups": ["shop", JOB, "bought"],
        "budget": 100,
        "models": ["tree", "bayes"],
    }
    (folder / "anonduck.yml").write_text(json.dumps(config))
    with Project(folder / "anonduck.yml") as one:
        one.discover()
        yield one


def candidates(project):
    return project.candidates().to_dict("records")


@pytest.mark.slow
def test_queries_come_to_what_the_written_release_leaves_of_them(offered, tmp_path):
    apart = []
    for one in candidates(offered):
        made = offered.release(one["id"], tmp_path / f"{one['id']}.parquet").owner["workload"]
        for told, own in zip(one["workload"]["queries"], made["queries"], strict=True):
            same = ("query", "line", "name", "lacks", "reason", "rows")
            assert {name: told[name] for name in same} == {name: own[name] for name in same}
            if told["mean"] is None:
                assert own["mean"] is None
            else:
                apart.append(told["mean"] - own["mean"])
        assert one["workload"]["queries"][0]["mean"] == made["queries"][0]["mean"]
        assert one["workload"]["answered"] == made["answered"]
    assert np.abs(apart).max() < 0.1  # records of a class take the values under its labels by other draws
    assert abs(np.mean(apart)) < 0.01


@pytest.mark.slow
def test_who_is_left_out_is_counted_as_of_the_written_release(offered):
    for one in candidates(offered):
        made = offered.release(one["id"], dry_run=True).owner["subgroups"]
        for told, own in zip(one["subgroups"], made, strict=True):
            parts = [*zip(told["values"], own["values"], strict=True)]
            parts += [(told["others"], own["others"])] if own["others"] else []
            assert [told["column"], told["reason"]] == [own["column"], own["reason"]]
            for group, counts in parts:
                assert {name: group[name] for name in counts} == counts
                assert group["records"] >= 4


def test_figures_of_all_groups_come_to_those_of_the_candidate(offered):
    for one in candidates(offered):
        for line in one["subgroups"]:
            groups = [*line["values"], *([line["others"]] if line["others"] else [])]
            records = np.array([group["records"] for group in groups])
            assert np.average([group["detail"] for group in groups], weights=records) == pytest.approx(one["detail"])
            if one["method"] == "rules":
                continue  # what is expected of a rule repeats its search
            assert all(set(group["scores"]) == {"tree", "bayes", "boosting"} for group in groups)
            for model, score in one["expected"].items():
                scores = [group["scores"][model] for group in groups]
                assert all(told["records"] == size for told, size in zip(scores, records, strict=True))
                right = np.average([told["accuracy"] for told in scores], weights=records)
                assert right == pytest.approx(score["accuracy"], abs=1e-9)


def test_a_group_is_ranked_as_its_own_records_are(offered):
    """The area of a group by pairs of its tested records, each combination's records shared among the groups."""
    random = np.random.default_rng(5)
    rows, rankings = np.arange(8), random.integers(0, 4, (8, 2)) / 4
    truth, records, share = random.integers(0, 2, 8), random.integers(1, 9, 8), random.random(8)
    part = RankedPart(rows, truth, records, rankings)
    weights = share * records
    right = pairs = 0.0
    for one in np.flatnonzero(truth == 1):
        for other in np.flatnonzero(truth == 0):
            both = weights[one] * weights[other]
            right += both * (0.5 * (rankings[one, 1] == rankings[other, 1]) + (rankings[one, 1] > rankings[other, 1]))
            pairs += both
    assert area_of([part], share) == pytest.approx(right / pairs)
    alone = RankedPart(rows, np.zeros(8, dtype=int), records, rankings)
    assert area_of([part, alone], share) == area_of([part], share)
    assert area_of([alone], share) is None
    for one in candidates(offered):
        for line in one["subgroups"]:
            for group in [*line["values"], *([line["others"]] if line["others"] else [])]:
                for score in group["scores"].values():
                    areas = score["roc_auc"]
                    assert (areas is None) == (score["balanced_accuracy"] is None) or line["column"] == "bought"
                    assert areas is None or 0 <= areas <= 1


def test_a_query_that_cannot_be_answered_counts_as_wholly_wrong():
    queries = [
        {"lacks": ["age"], "reason": None, "mean": None},
        {"lacks": [], "reason": None, "mean": 0.2},
        {"lacks": [], "reason": None, "mean": None},  # nothing to compare: as many groups as before, none
    ]
    one = Candidate("M1", "mondrian", {}, 5, workload={"queries": queries})
    assert one.query_error == 0.2
    assert Candidate("M1", "mondrian", {}, 5).query_error is None
    failed = Candidate("M1", "mondrian", {}, 5, workload={"queries": [queries[1], {**queries[2], "reason": "no"}]})
    assert failed.query_error == pytest.approx(0.6)


def test_the_worst_group_is_by_one_model():
    def group(tree, boosting):
        return {"scores": {"tree": {"accuracy": tree, "error": 0.1}, "boosting": {"accuracy": boosting, "error": 0.2}}}

    lines = [{"values": [group(0.9, 0.8), group(0.5, 0.7)], "others": group(0.6, 0.65)}, {"values": [], "others": None}]
    assert Candidate("M1", "mondrian", {}, 5, subgroups=lines).worst_group == (
        0.65,
        0.2,
    )  # boosting, though the tree is better in the first and worse in the others
    assert (
        Candidate("M1", "mondrian", {}, 5, subgroups=[{"values": [{"scores": {}}], "others": None}]).worst_group is None
    )


def test_a_workload_chooses_the_least_off_of_those_that_are_as_good(offered):
    found = [candidate_from_json(row) for row in candidates(offered)]
    config = with_changes(offered.config, {"select": "workload"})
    able = [one for one in found if not misses(one, config.requirement) and one.score("roc_auc")]
    best = max(able, key=lambda one: (one.score("roc_auc")[0], one.detail))

    def off(one):
        errors = [
            1.0 if query["lacks"] or query["reason"] else query["mean"] or 0.0 for query in one.workload["queries"]
        ]
        return sum(errors) / len(errors)

    near = [one for one in able if stands(one, best, "roc_auc", 0.01)]
    choice = choose(found, config)
    assert off(choice.chosen) == min(map(off, near)) == choice.chosen.mean_query_error
    assert choice.chosen_by == (
        "smallest mean error of the workload within 0.01 or one paired error of the best expected ROC AUC"
    )
    assert f"off by {100 * off(choice.chosen):.1f} % on average" in choice.reason
    bare = [replace(one, expected={}, inference=None) for one in found]
    assert off(choose(bare, config).chosen) == min(map(off, bare))  # nothing was scored: of all
    assert config.select == "accuracy"  # what rules are searched by


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"methods": ["rules", "mondrian"]}, "`workload`, which names no file"),
        ({"workload": "queries.sql"}, "there are rules alone"),
        (
            {"workload": "queries.sql", "methods": ["mondrian"], "select": {"measure": "workload", "within": "1se"}},
            "error",
        ),
    ],
)
def test_a_choice_by_a_workload_that_cannot_be_made_is_refused(keys, words):
    with pytest.raises(ConfigError, match=words):
        make_config({"source": "x.csv", "class": "c", "select": "workload", **keys})


def test_a_named_search_does_not_choose_by_the_workload(offered, tmp_path, capsys):
    target = str(tmp_path / "released.parquet")
    asked = ["run", "-p", str(offered.config_path), "-o", target, "--select", "workload", "--search", "rfd"]
    assert run(asked) == 2
    assert "chooses among rules alone" in capsys.readouterr().err.replace("\n", " ")
    assert not list(tmp_path.iterdir())


def test_the_commands_print_queries_and_subgroups(offered, capsys):
    path = str(offered.config_path)
    assert run(["frontier", "-p", path]) == 0
    printed = capsys.readouterr().out
    assert "queries" in printed
    assert "worst group" in printed
    assert run(["rules", "M1", "-p", path]) == 0
    printed = capsys.readouterr().out
    assert "workload queries.sql: " in printed
    assert "left out" in printed
    assert "AUC" in printed
    gain = candidate_from_json(next(one for one in candidates(offered) if one["id"] == "M1")).inference
    told = f"{gain['gain']:.4f} +- {gain['error']:.4f}"
    assert any(line.startswith("inference gain") and told in line for line in printed.splitlines())
    assert "kiosk" not in printed  # of fewer than k
    assert run(["frontier", "--json", "-p", path]) == 0
    found = json.loads(capsys.readouterr().out)["candidates"]
    assert all(one["workload"]["queries"] and one["subgroups"] for one in found)
    assert "kiosk" not in json.dumps([one["subgroups"] for one in found])


def test_run_names_its_choice_and_the_next_best(offered, tmp_path, capsys):
    target = str(tmp_path / "released.parquet")
    assert run(["run", "-p", str(offered.config_path), "-o", target, "--no-report"]) == 0
    printed = capsys.readouterr().out
    assert "next best " in printed
    assert "workload off by" in printed
    assert "expected ROC AUC of" in printed  # by which it was chosen
    config = ["-p", str(offered.config_path)]
    assert run(["frontier", "--json", *config]) == 0
    labels = {one["id"]: one["label"] for one in json.loads(capsys.readouterr().out)["candidates"]}
    identifier = printed.split()[0].rstrip(":")
    method = "" if identifier.startswith("R") else f" {labels[identifier]}"
    assert printed.startswith(f"{identifier}{method}: most detail within")


@pytest.mark.slow
def test_a_choice_by_roc_auc_prints_it_and_a_rule_may_miss_the_requirement_on_part_of_the_people(tmp_path, capsys):
    people().to_parquet(tmp_path / "people.parquet")
    config = {"source": "people.parquet", "class": "bought", "insensitive": ["shop"], "methods": ["rules"]}
    config |= {"requirement": {"k": 4, "suppression": 0.1, "min_columns": 1}, "select": "roc_auc", "models": ["tree"]}
    config |= {"subgroups": ["shop"], "budget": 100}
    (tmp_path / "anonduck.yml").write_text(json.dumps(config))
    asked = ["run", "-p", str(tmp_path / "anonduck.yml"), "-o", str(tmp_path / "out.parquet"), "--no-report"]
    assert run(asked) == 0
    printed = capsys.readouterr()
    assert "by subgroup: without the held-out people, the classes of R" in printed.err.replace("\n", " ")
    assert run([*asked, "--overwrite"]) == 0
    again = capsys.readouterr().out
    assert run([*asked, "--overwrite", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["expected"]["boosting"]
    area = f"expected ROC AUC of boosting on unseen records: {told['roc_auc']:.4f} +- {told['roc_auc_error']:.4f}"
    area += f" (trained on the source: {told['baseline']['roc_auc']:.4f})"
    for lines in (printed.out.splitlines(), again.splitlines()):
        assert [line for line in lines if line.startswith("expected ROC AUC of")] == [area]


def test_another_workload_makes_another_offer(offered):
    queries = offered.workspace.folder / "queries.sql"
    queries.write_text(QUERIES + ";SELECT min(age) FROM released")
    try:
        assert offered.candidates().empty
    finally:
        queries.write_text(QUERIES)
