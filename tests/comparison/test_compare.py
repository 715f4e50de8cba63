"""Comparisons: each row beside the method's own dry run, rules beside their discovery, what fails, what is kept."""

import json

import pytest
from persons import persons, settled

from anonduck import Project
from anonduck.comparison import job
from anonduck.comparison.charts import charts
from anonduck.comparison.comparison import Comparison
from anonduck.comparison.question import contestants_of
from anonduck.database.progress import Reporter
from anonduck.errors import ConfigError

METHODS = ["mondrian", "tds", "datafly"]
NAMES = {"accuracy": "accuracy", "balanced_accuracy": "balanced_accuracy", "macro_f1": "macro_f1", "roc_auc": "roc_auc"}


@pytest.fixture(scope="module")
def project():
    with Project(**settled(source=persons(100), holdout=0.0)) as one:
        one.discover()
        yield one


@pytest.fixture(scope="module")
def compared(project):
    return project.compare(["rules", *METHODS], [6, 12], models=["tree"])


@pytest.mark.slow
def test_each_row_is_the_dry_run_of_its_method(project, compared):
    for one in contestants_of(METHODS, ["accuracy"]):
        for k in (6, 12):
            (row,) = (row for row in compared.rows if (row["method"], row["k_required"]) == (one.label, k))
            made = project.anonymize(one.name, dry_run=True, k=k, settings=one.settings)
            utility = made.owner["utility"]
            assert (row["k"], row["classes"], row["records"]) == (made.k, made.classes, made.rows)
            assert row["measures"] == utility["measures"]
            assert row["information_gain"] == utility["information_gain"]
            assert row["models"]["tree"]["accuracy"]["value"] > 0


@pytest.mark.slow
def test_the_row_of_rules_is_the_best_rule_as_its_discovery_measured_it(project, compared):
    for k in (6, 12):
        (row,) = (row for row in compared.rows if (row["kind"], row["k_required"]) == ("rules", k))
        rules = [rule for rule in project.discovered().rules if rule.measures.k >= k and not rule.tells_nothing]
        best = max(rules, key=lambda rule: (rule.accuracy["tree"], rule.measures.k))
        assert row["k"] == best.measures.k
        assert row["models"]["tree"]["accuracy"]["value"] == pytest.approx(best.accuracy["tree"])
        assert row["models"]["tree"]["roc_auc"]["value"] == pytest.approx(best.roc_auc["tree"])
        assert row["measures"]["loss"] == pytest.approx(best.utility["loss"])


@pytest.mark.slow
def test_spread_is_over_the_folds(compared):
    told = compared.rows[-1]["models"]["tree"]["accuracy"]
    mean = sum(told["folds"]) / 10
    assert len(told["folds"]) == 10
    assert told["spread"] == pytest.approx((sum((one - mean) ** 2 for one in told["folds"]) / 9) ** 0.5)


@pytest.mark.slow
def test_json_comes_back(compared):
    document = json.loads(json.dumps(compared.as_json()))
    assert Comparison.from_json(document).as_json() == document
    frame = compared.to_frame()
    assert len(frame) == len(compared.rows)
    assert {"search_cpu_seconds", "comparable", "note"} <= set(frame.columns)
    assert {"method", "k", "loss", "marketer_risk", "accuracy", "roc_auc_spread", "memory_mb"} <= set(frame.columns)


@pytest.mark.slow
def test_the_best_at_a_k_is_no_worse_than_any_row_that_reaches_it(compared):
    best = {(one["k"], one["score"]): one["value"] for one in compared.best()}
    for row in compared.rows:
        for score in NAMES:
            for k in (6, 12):
                if row["k"] >= k:
                    assert best[k, score] >= row["models"]["tree"][score]["value"]


@pytest.mark.slow
def test_a_row_of_rules_tells_what_the_search_took(project, compared):
    searched = project.discovered().cpu_seconds
    assert searched > 0
    for row in compared.rows:
        assert row["search_cpu_seconds"] == (searched if row["kind"] == "rules" else None)
        assert row["comparable"]
        assert (row["note"] is not None) == (row["kind"] == "rules")


@pytest.mark.slow
def test_charts_have_a_point_for_each_row(compared):
    drawn = charts(compared)
    assert {"released-accuracy", "released-roc_auc", "released-loss", "released-cpu_seconds"} <= drawn.keys()
    (panel,) = drawn["released-accuracy"]["hconcat"]
    assert len(panel["data"]["values"]) == len(compared.rows)


@pytest.mark.slow
def test_finished_rows_are_reused_until_something_changes(project, compared, monkeypatch):
    made = []
    known = job.released_row
    monkeypatch.setattr(job, "released_row", lambda *given: made.append(given[1].label) or known(*given))
    again = project.compare(["rules", *METHODS], [6, 12], models=["tree"])
    assert made == []
    assert again.rows == compared.rows
    project.compare(["tds"], [6, 7], models=["tree"])
    assert made == ["tds"]
    before = project.config
    project.config = before.model_copy(update={"seed": 5})
    project.compare(["tds"], [6], models=["tree"])
    project.config = before
    assert made == ["tds", "tds"]
    project.compare(["tds"], [6], models=["tree"], again=True)
    assert made == ["tds", "tds", "tds"]


@pytest.mark.slow
def test_other_records_are_compared_anew(tmp_path):
    settings = settled(source=str(tmp_path / "p.csv"), database=tmp_path / "d.duckdb")
    k = []
    for records in (80, 90):
        persons(records).to_csv(tmp_path / "p.csv", index=False)
        with Project(**settings) as one:
            k.append(one.compare(["tds"], [6], models=[]).rows[0]["records"])
    assert k == [80, 90]


@pytest.mark.slow
def test_what_fails_is_a_row_that_says_so(project):
    found = project.compare(["mondrian", "tds"], [6, 1000], models=[])
    rows = {(row["method"], row["k_required"]): row for row in found.rows}
    assert rows["mondrian", 6]["status"] == "done"
    assert rows["mondrian", 1000]["status"] == "failed"
    assert "fewer than the required k" in rows["mondrian", 1000]["reason"]
    assert rows["mondrian", 1000]["models"] == {}


@pytest.mark.slow
def test_what_runs_out_of_its_time_is_a_row_that_says_so(project):
    found = project.compare(["mondrian", "sequential"], [5], models=["tree"], time_limit=1e-9, again=True)
    assert {row["status"] for row in found.rows} == {"out of time"}
    assert all("`--time-limit SECONDS`" in row["reason"] for row in found.rows)
    kept = project.compare(["mondrian"], [5], models=["tree"], time_limit=1e-10)
    assert kept.rows[0]["status"] == "out of time"
    assert project.compare(["mondrian"], [5], models=["tree"], time_limit=100).rows[0]["status"] == "done"


@pytest.mark.slow
def test_the_frontier_says_which_k(project):
    reached = {rule.measures.k for rule in project.discovered().rules if rule.on_frontier}
    found = project.compare(["tds"], [], at="frontier", models=[])
    assert {row["k_required"] for row in found.rows} == reached


@pytest.mark.slow
def test_progress_tells_how_many_rows_are_left(project):
    told = []
    with Project(**settled(source=persons(60))) as one:
        one.reporter = Reporter(progress=lambda *step: told.append(step))
        one.compare(["tds", "mondrian"], [5], models=[])
    assert [step[1:] for step in told if step[0] == job.STAGE] == [(0, 3), (1, 3), (2, 3), (3, 3)]


@pytest.mark.slow
def test_a_release_of_another_tool_is_held_to_the_same_audit(tmp_path, project, compared):
    project.anonymize("mondrian", tmp_path / "other.csv", k=6)
    found = project.compare(
        [], [], imports={"other": tmp_path / "other.csv"}, models=["tree"], protocol=["released", "held-out"]
    )
    row, none = found.rows
    (own,) = (row for row in compared.rows if (row["method"], row["k_required"]) == ("mondrian", 6))
    assert (row["k"], row["classes"], row["suppressed"]) == (own["k"], own["classes"], 0)
    assert row["risks"]["marketer_risk"] == own["risks"]["marketer_risk"]
    assert abs(row["models"]["tree"]["accuracy"]["value"] - own["models"]["tree"]["accuracy"]["value"]) < 0.1
    assert (none["status"], none["models"]) == ("failed", {})
    assert "not applicable" in none["reason"]


def test_a_release_without_the_class_is_a_row_that_says_so(tmp_path, project):
    persons(20).drop(columns="bought").to_csv(tmp_path / "other.csv", index=False)
    (row,) = project.compare([], [], imports={"other": tmp_path / "other.csv"}, models=["tree"]).rows
    assert row["status"] == "failed"
    assert "lacks the class 'bought'" in row["reason"]


@pytest.mark.parametrize(
    ("methods", "given"),
    [
        ([], {}),
        (["nobody"], {}),
        (["tds", "tds"], {}),
        (["tds:no=1"], {}),
        (["mondrian:splits"], {}),
        (["tds"], {"k": 0}),
        (["tds"], {"k": True}),
        (["tds"], {"protocol": "other"}),
        (["tds"], {"at": "somewhere"}),
        (["tds"], {"time_limit": -1}),
        (["tds"], {"imports": {"tds": "no.csv"}}),
        (["tds"], {"imports": {"other": "no.csv"}}),
        (["rules"], {"select": "nothing"}),
    ],
)
def test_what_cannot_be_compared_is_refused(project, methods, given):
    with pytest.raises(ConfigError):
        project.compare(methods, **given)


def test_rules_that_were_not_discovered_are_discovered_first():
    with Project(**settled(source=persons(60))) as one:
        compared = one.compare(["rules"], [5]).rows
        rules = one.rules()
    with Project(**settled(source=persons(60))) as other:
        other.discover()
        assert other.rules().equals(rules)
        assert [row["rule"] for row in other.compare(["rules"], [5]).rows] == [row["rule"] for row in compared]


@pytest.mark.slow
def test_a_column_that_orders_the_folds_goes_with_one_protocol():
    with Project(**settled(source=persons(120), split_by="day")) as one:
        with pytest.raises(ConfigError, match="split_by"):
            one.compare(["tds"], [5], protocol="held-out")
        found = one.compare(["tds"], [5])
        one.discover(time_limit=5)
        assert found.rows[0]["models"]["tree"]["accuracy"]["value"] > 0
        known = one.discovered().summary["baseline"]["accuracy"]["tree"]
        assert found.baseline["tree"]["accuracy"]["value"] == known
