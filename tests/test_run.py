"""`run`: discovers, keeps its choice, chooses anew, is pinned, or says how near the nearest rule came."""

import json

import pytest
from oracles import people, project
from prepared import PEOPLE, SOURCE
from prepared import opened as project_of

from anonduck import Project
from anonduck.database.progress import Reporter
from anonduck.errors import ConfigError, NoRuleMeetsRequirement, RequirementNotMet, RuleError
from anonduck.release.rule_choice import choose_rule
from anonduck.rules.frontier import better_first, objective
from anonduck.rules.rule import METHOD
from anonduck.search.store import last_choice, read_last_choice, write_last_choice

TOLD = {"coverage": [0.3], "requirement": {"k": 5}, "holdout": 0}  # repeated searches have tests of their own


@pytest.fixture
def export(tmp_path):
    """A folder with a source that nothing was made of."""
    people(200).to_parquet(tmp_path / SOURCE)
    return tmp_path


@pytest.fixture
def decided(prepared, tmp_path):
    """The same, with a discovery."""
    return prepared("people", tmp_path)


def opened(folder, **changes):
    return project_of(folder, **{**PEOPLE, **TOLD, **changes})


def written(folder):
    return json.loads((folder / "out.csv.receipt.json").read_text())


@pytest.mark.recoding
@pytest.mark.slow
def test_run_discovers_selects_releases_and_confirms(export, tmp_path):
    with opened(export, holdout=0.2) as one:
        done = one.run(tmp_path / "out.csv")
        stored = one.discovered()
        meeting = [r for r in stored.rules if r.measures.k >= 5]
        assert done.discovered
        assert done.rule.accuracy["tree"] == max(r.accuracy["tree"] for r in meeting)
        assert done.release.k == done.rule.measures.k >= 5
        rule = {"id": done.rule.id, "levels": dict(done.rule.levels), "literal": done.rule.as_json()["literal"]}
        assert done.release.owner["rule"] == rule
        assert written(tmp_path)["rule"] == {**rule, "id": None}
        assert read_last_choice(one.database) == done.levels
    document = done.as_json()
    assert document["met"]
    assert document["rule"]["id"] == done.rule.id
    assert set(document["expected"]) == {"tree"}
    assert "expected" not in written(tmp_path)
    told = json.loads((tmp_path / "out.csv.owner.json").read_text())
    assert told["expected"] == document["expected"]
    assert json.loads(json.dumps(document)) == document


@pytest.mark.slow
def test_run_keeps_its_last_choice_while_it_meets_the_requirement(decided, tmp_path):
    with opened(decided) as one:
        first = one.run(tmp_path / "out.csv")
    people(500, seed=8).to_parquet(decided / SOURCE)
    with opened(decided) as one:
        second = one.run(tmp_path / "out.csv", overwrite=True)
    assert not second.discovered
    assert "last choice" in second.reason
    assert second.levels == first.levels
    assert second.release.rows == 500


@pytest.mark.slow
def test_the_report_beside_the_release_opens_with_the_released_rule(decided, tmp_path):
    beside = tmp_path / "out.csv.report.html"
    with opened(decided) as one:
        done = one.run(tmp_path / "out.csv")
        assert done.report == str(beside)
        assert done.as_json()["report"] == str(beside)
        page = beside.read_text(encoding="utf-8")
        assert f'"opened":"{done.rule.id}"' in page
        assert f'"released":"{done.rule.id}"' in page
    with opened(decided) as one:
        kept = one.run(tmp_path / "out.csv", overwrite=True)
        assert not kept.discovered
        assert kept.report == str(beside)
        assert beside.read_text(encoding="utf-8") == page
        assert one.run(tmp_path / "other.csv", report=False).report is None
    assert not (tmp_path / "other.csv.report.html").exists()


@pytest.mark.slow
def test_rules_of_another_export_are_not_reported(decided, tmp_path):
    with opened(decided) as one:
        one.run(tmp_path / "out.csv")
    people(500, seed=8).to_parquet(decided / SOURCE)
    with opened(decided) as one:
        assert one.run(tmp_path / "next.csv").report is None
    assert not (tmp_path / "next.csv.report.html").exists()


@pytest.mark.slow
def test_a_report_that_cannot_be_written_does_not_undo_the_release(decided, tmp_path):
    said = []
    (tmp_path / "out.csv.report.html").mkdir()
    with opened(decided, reporter=Reporter(said.append)) as one:
        done = one.run(tmp_path / "out.csv")
    assert done.report is None
    assert done.release.k >= 5
    assert any("the report was not written" in words and "is a directory" in words for words in said)


@pytest.mark.slow
def test_run_chooses_anew_when_the_last_choice_fails_and_says_so(export, tmp_path):
    said = []
    same = {"taxonomies": {name: {"clusters": True} for name in ("age", "rate")}}  # whatever k is required
    with opened(export, **same) as one:
        first = one.run(tmp_path / "out.csv")
    needed = first.release.k + 1
    with opened(export, requirement={"k": needed}, reporter=Reporter(said.append), **same) as one:
        second = one.run(tmp_path / "out.csv", overwrite=True)
        assert read_last_choice(one.database) == second.levels
    assert second.levels != first.levels
    assert second.release.k >= needed
    assert any("no longer meets the requirement" in words for words in said)


@pytest.mark.slow
def test_reselect_chooses_anew(decided, tmp_path):
    with opened(decided) as one:
        first = one.run(tmp_path / "out.csv")
    with opened(decided, select="k") as one:
        kept = one.run(tmp_path / "out.csv", overwrite=True)
        anew = one.run(tmp_path / "out.csv", overwrite=True, reselect=True)
        again = one.run(tmp_path / "out.csv", overwrite=True)
        assert kept.levels == first.levels
        assert anew.rule.measures.k == max(r.measures.k for r in one.discovered().rules)
        assert not anew.discovered
        assert again.levels == anew.levels


@pytest.mark.slow
def test_run_discovers_again_only_when_what_rules_depend_on_changed(decided, tmp_path):
    def reselected(**changes):
        with opened(decided, **changes) as one:
            return one.run(tmp_path / "out.csv", overwrite=True, reselect=True).discovered

    assert not reselected()
    assert reselected(requirement={"k": 7})  # intervals are grouped anew for another k
    assert not reselected(requirement={"k": 7})
    assert reselected(requirement={"k": 3})
    assert not reselected(requirement={"k": 3})
    people(410).to_parquet(decided / SOURCE)
    assert reselected(requirement={"k": 3})
    assert reselected(coverage=[0.2], requirement={"k": 3})


MEASURES = ["accuracy", "k", "classes", "information_gain", "violating_share", "balanced_accuracy"]


@pytest.mark.slow
def test_the_best_rule_by_any_measure(export):
    with opened(export) as one:
        one.discover(min_k=1)
        stored = one.discovered()
    meeting = [r for r in stored.rules if r.measures.k >= 5]
    assert 1 < len(meeting) < len(stored.rules)
    for name in MEASURES:
        best = choose_rule(opened(export, select=name).workspace, stored).chosen
        read = objective(name, ["tree"])
        values = {r.id: better_first(name, read(r)) for r in meeting}
        assert values[best.id] == max(values.values())
        tied = [r for r in meeting if values[r.id] == values[best.id]]
        assert best.measures.k == max(r.measures.k for r in tied)


@pytest.mark.slow
def test_a_pinned_rule(decided, tmp_path):
    with opened(decided, rule="job=0") as one:
        done = one.run(tmp_path / "out.csv")
    assert (done.discovered, dict(done.levels), done.expected) == (False, {"job": 0}, {})
    assert "pinned" in done.reason
    with opened(decided, rule="job=0", requirement={"k": 10_000}) as one, pytest.raises(RequirementNotMet):
        one.run(tmp_path / "out.csv", overwrite=True)
    with opened(decided, rule="R1", database="new.duckdb") as one, pytest.raises(RuleError, match="discover"):
        one.run(tmp_path / "out.csv", overwrite=True)


@pytest.mark.slow
def test_the_nearest_miss_is_named(export, tmp_path):
    with opened(export, requirement={"k": 100_000}) as one:
        with pytest.raises(NoRuleMeetsRequirement, match="no rule meets k = 100000; the nearest") as error:
            one.run(tmp_path / "out.csv")
        one.discover(min_k=1)
        best = max(one.discovered().rules, key=lambda r: (r.origin == "extracted", r.measures.k))
    assert error.value.exit_code == 3
    assert f"reaches k = {best.measures.k}" in str(error.value)
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.slow
def test_no_rule_at_all_says_why(tmp_path):
    frame = people(60)
    frame["class"] = ["yes"] + ["no"] * 59
    rfds = project(frame, coverage=[0.05], search="rfd")
    with rfds as one, pytest.raises(NoRuleMeetsRequirement, match="differs in class"):
        one.run(tmp_path / "out.csv")


@pytest.mark.slow
def test_a_search_that_finds_nothing_tells_what_came_nearest(tmp_path):
    frame = people(60)
    with project(frame, requirement={"k": 61}) as one, pytest.raises(NoRuleMeetsRequirement, match=r"reaches k = \d"):
        one.run(tmp_path / "out.csv")


@pytest.mark.slow
def test_a_last_choice_that_names_no_quasi_identifier_any_more(decided, tmp_path):
    with opened(decided) as one:
        name, *_ = one.run(tmp_path / "out.csv").levels
    left = [column for column in ("age", "job", "rate") if column != name]
    with opened(decided, quasi_identifiers=left) as one:
        assert name not in one.run(tmp_path / "out.csv", overwrite=True).levels


@pytest.mark.slow
def test_a_last_choice_whose_level_is_gone(export, tmp_path):
    said = []
    with opened(export, reporter=Reporter(said.append)) as one:
        write_last_choice(one.database, {"age": 9}, {}, METHOD, "")
        done = one.run(tmp_path / "out.csv")
        assert done.discovered
        assert read_last_choice(one.database) == done.levels != {"age": 9}
    assert any("the last choice age=9" in words for words in said)


# -- which stored discovery is used ------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("changes", [{"select": "loss"}, {"models": []}, {"weights": {"age": 2.0}}])
def test_a_discovery_with_other_options_is_not_taken_for_that_of_the_config(export, changes):
    with opened(export) as one:
        one.discover(**changes)
        done = one.run(export / "released.csv", reselect=True)
        assert done.discovered
        again = one.run(export / "released.csv", overwrite=True, reselect=True)
        assert not again.discovered
        assert again.levels == done.levels


@pytest.mark.slow
def test_what_is_selected_by_must_be_a_measure(decided):
    for search in ("auto", "rfd"):
        with opened(decided, search=search) as one, pytest.raises(ConfigError, match="the objective 'bogus'"):
            one.discover(select="bogus")
    with opened(decided) as one, pytest.raises(ConfigError, match=r"'accuracy\.svm'"):
        one.discover(select="accuracy.svm")


@pytest.mark.slow
def test_a_last_choice_that_would_leave_out_too_much_makes_room_for_another(tmp_path):
    path = tmp_path / "n.csv"

    def write(alone):
        rows = [f"{1 + i % 2},{i % 3},{'ab'[i % 2]}" for i in range(300)]
        rows += [f"{10 + i},{i % 3},{'ab'[i % 3 > 0]}" for i in range(alone)]
        path.write_text("n,m,class\n" + "\n".join(rows) + "\n", encoding="utf-8")

    def opened():
        told = {"class_": "class", "requirement": {"k": 5, "suppression": 0.05}, "holdout": 0}
        return Project(source=path, database=tmp_path / "d.duckdb", **told)

    write(4)
    with opened() as one:
        one.run(tmp_path / "out.csv", report=False)
        write_last_choice(one.database, {"n": 0}, {}, METHOD, "")
    write(60)
    with opened() as one:
        with pytest.raises(RequirementNotMet, match="suppression"):
            one.release("n=0", tmp_path / "refused.csv")
        assert not one.release("n=0", None, dry_run=True).as_json()["met"]
        done = one.run(tmp_path / "out.csv", overwrite=True, report=False)
    assert "last choice" not in done.reason


def test_a_last_choice_names_its_method(database):
    write_last_choice(database, {"age": 3}, {}, METHOD, "")
    assert (last_choice(database).method, read_last_choice(database)) == ({"name": "rule"}, {"age": 3})
    write_last_choice(database, {}, {}, {"name": "classes"}, "")
    assert last_choice(database).method == {"name": "classes"}
    assert read_last_choice(database) is None
    write_last_choice(database, {"age": 2}, {}, METHOD, "")
    assert read_last_choice(database) == {"age": 2}


@pytest.mark.slow
def test_run_picks_the_largest_k_within_one_standard_error_when_asked(decided, tmp_path):
    with opened(decided, select={"measure": "accuracy", "within": "1se"}) as one:
        done = one.run(tmp_path / "out.csv")
        rules = [rule for rule in one.discovered().rules if rule.measures.k >= 5 and not rule.tells_nothing]
    best = max(rules, key=lambda rule: (rule.accuracy["tree"], rule.measures.k))
    least = best.accuracy["tree"] - best.accuracy_error["tree"]
    assert done.rule.measures.k == max(rule.measures.k for rule in rules if rule.accuracy["tree"] >= least)
    assert done.reason.startswith("largest k within one standard error of the best accuracy")
    assert done.release.owner["reason"] == done.reason == done.as_json()["reason"]
    words = "largest k within one standard error of the best accuracy among the rules that meet the requirement"
    assert written(tmp_path)["reason"] == words


@pytest.mark.slow
def test_what_run_selects_by_can_be_given_for_once(decided, tmp_path):
    with opened(decided) as one:
        first = one.run(tmp_path / "out.csv")
        near = one.run(
            tmp_path / "out.csv", overwrite=True, reselect=True, select={"measure": "accuracy", "within": "1se"}
        )
        largest = one.run(tmp_path / "out.csv", overwrite=True, reselect=True, select="k")
        kept = one.run(tmp_path / "out.csv", overwrite=True)
        assert one.config.select == "accuracy"
        assert largest.rule.measures.k == max(rule.measures.k for rule in one.discovered().rules)
    assert not near.discovered
    assert not largest.discovered
    assert first.rule.measures.k <= near.rule.measures.k <= largest.rule.measures.k
    assert kept.levels == largest.levels
    assert written(tmp_path)["reason"] == "the last choice, kept while it meets the requirement"
