"""The time limit holds for all of a discovery, by a clock that work moves on and nothing else."""

import json

import numpy as np
import pytest
from oracles import people, project
from typing_commands import typed

from anonduck.database.progress import Reporter
from anonduck.errors import SearchCutShort
from anonduck.frequency import preparation
from anonduck.frequency.roll_up import FrequencyTable
from anonduck.models import cross_validation, known_scores, trees
from anonduck.models.contingency import Contingency
from anonduck.models.cross_validation import TrainingStoppedError, cross_validate, cross_validated
from anonduck.offer.offer import Offering
from anonduck.release.target import target_of
from anonduck.run import run_project
from anonduck.search.lattice.limits import SearchLimits

PREPARED, GROWN, LOOKED = 100.0, 8.0, 0.5  # what a step of each kind moves the clock on
IN_PARTS = 1 << 12
"""So few values are grown together that the trees of the small tables here are grown in parts, as of large ones."""


class Clock:
    """Seconds that pass as ``moved`` functions are called."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now

    def moved(self, monkeypatch, owner, name, seconds):
        before = getattr(owner, name)

        def after(*args, **named):
            self.now += seconds
            return before(*args, **named)

        monkeypatch.setattr(owner, name, after)


def forget(monkeypatch):
    """Forget which scores this process has measured, so that models are trained."""
    monkeypatch.setattr(known_scores, "KNOWN", known_scores.KnownScores())


@pytest.fixture
def clock(monkeypatch):
    forget(monkeypatch)
    made = Clock()
    made.moved(monkeypatch, preparation, "prepare", PREPARED)
    made.moved(monkeypatch, trees, "grow", GROWN)
    monkeypatch.setattr(cross_validation, "TOGETHER", IN_PARTS)
    made.moved(monkeypatch, FrequencyTable, "at", LOOKED)
    return made


@pytest.mark.slow
@pytest.mark.parametrize(("search", "limit"), [("auto", 100.0), ("rfd", 25.0)])
def test_the_limit_starts_when_the_source_is_read_and_coded(clock, search, limit):
    said = []
    with project(
        people(200), search=search, time_limit=limit, holdout=0, reporter=Reporter(announce=said.append)
    ) as one:
        found = one.discover(clock=clock)
    assert clock.now <= PREPARED + 1.15 * limit + GROWN
    assert found.rules
    told = next(line for line in said if line.startswith(f"the time limit of {limit:g} s cut the discovery short: "))
    assert "reading and coding the source 100 s, training the baseline " in told
    assert (
        found.cut is None or found.cut["by"] != "time" or found.cut["seconds"]["reading and coding the source"] == 100
    )


@pytest.mark.slow
def test_where_no_time_is_left_for_scores_there_are_rules_and_no_release(clock, tmp_path):
    """What is one level under the roots is looked at in any case, and one model is trained: that is no choice."""
    with project(people(200), time_limit=1e-9, holdout=0, requirement={"k": 5}) as one:
        found = one.discover(clock=clock)
        assert clock.now <= PREPARED + 14 * LOOKED + 3 * GROWN
        assert found.rules
        assert found.baseline["accuracy"] == {}
        assert found.cut["seconds"]["reading and coding the source"] == 100.0
        with pytest.raises(
            SearchCutShort, match=r"1 of \d+ rules had a value of 'accuracy'.*nothing was written"
        ) as cut:
            run_project(one.workspace, target_of(tmp_path / "r.csv", tmp_path), clock=clock)
        assert cut.value.exit_code == 5
        assert list(tmp_path.iterdir()) == []
        changes = {"time_limit": 1e6}
        ran = run_project(one.workspace, target_of(tmp_path / "r.csv", tmp_path), clock=clock, changes=changes)
        assert ran.discovered


def test_a_search_that_ran_out_of_time_while_joining_pairs_says_so_and_exits_with_5(tmp_path, capsys):
    """The pairs of 40 records are equal in many ways, so that patterns are frequent; there was no time to count any."""
    people(40).to_parquet(tmp_path / "people.parquet")
    keys = {"source": "people.parquet", "class": "class", "identifiers": ["id"], "models": [], "select": "loss"}
    (tmp_path / "anonduck.yml").write_text(json.dumps(keys | {"insensitive": ["note"], "time_limit": 0.0001}))
    at = ("-p", str(tmp_path / "anonduck.yml"))
    code, said, _ = typed(capsys, "discover", "--search", "rfd", *at)
    assert code == 5
    assert "no rule: the time was up while pairs of records were joined, before RFDs could be found" in said
    assert "`--time-limit SECONDS`" in said
    code, told, _ = typed(capsys, "discover", "--search", "rfd", "--json", *at)
    assert (code, "the time was up" in json.loads(told)["explanation"]) == (5, True)
    code, _, said = typed(capsys, "run", "--search", "rfd", "-o", str(tmp_path / "out.csv"), *at)
    assert (code, "there was nothing to choose among" in said) == (5, True)
    assert not list(tmp_path.glob("out*"))
    assert typed(capsys, "discover", "--search", "rfd", "--time-limit", "1000000", *at)[0] == 0


@pytest.mark.slow
def test_without_an_end_no_step_is_said(clock):
    with project(people(200), time_limit=1e6, holdout=0) as one:
        found = one.discover(clock=clock)
    assert clock.now > 200.0
    assert found.baseline["accuracy"]
    assert found.cut is None


@pytest.mark.slow
def test_a_run_has_one_limit_for_the_search_and_what_is_expected(clock, tmp_path, monkeypatch):
    """What is expected is measured in the time that is left, or not at all, which is said."""
    said, expected = [], []
    keys = {"requirement": {"k": 5}, "reporter": Reporter(announce=said.append)}
    for limit in (1000.0, 40.0):
        clock.now = 0.0
        forget(monkeypatch)
        with project(people(200), time_limit=limit, **keys) as one:
            ran = run_project(
                one.workspace, target_of(tmp_path / "r.csv", tmp_path), if_exists="overwrite", clock=clock
            )
        assert clock.now <= PREPARED + 1.15 * limit + GROWN
        expected.append(ran.expected)
    assert set(expected[0]) == {"tree"}
    assert expected[1] == {}
    assert any(line.startswith("the time was up before the expected accuracy was measured") for line in said)


@pytest.mark.slow
def test_other_candidates_are_scored_before_a_repeated_search_takes_the_time(clock, tmp_path):
    """They take little of it; what rules are expected to reach is measured in what is left."""
    with project(people(200), time_limit=600.0, requirement={"k": 5}, methods=["rules", "mondrian"]) as one:
        ran = run_project(one.workspace, target_of(tmp_path / "r.csv", tmp_path), clock=clock)
        candidates = one.candidates()
    assert clock.now <= PREPARED + 600.0 + GROWN
    assert ran.candidate.method == "mondrian"
    assert all(candidates.loc[candidates.method == "mondrian", "expected"])


@pytest.mark.slow
def test_the_baseline_has_its_share_of_what_other_candidates_leave(clock, tmp_path, monkeypatch):
    clock.moved(monkeypatch, Offering, "find", 200.0)
    with project(people(200), time_limit=600.0, requirement={"k": 5}, methods=["rules", "mondrian"]) as one:
        run_project(one.workspace, target_of(tmp_path / "r.csv", tmp_path), clock=clock)
        baseline = one.discovered().summary["baseline"]
    assert clock.now >= PREPARED + 200.0
    assert baseline["accuracy"].keys() == {"tree"}


def test_a_model_is_not_trained_on_when_it_is_over():
    random = np.random.default_rng(1)
    codes = random.integers(1, 9, (400, 3))
    table = Contingency(codes, (True,) * 3, (8,) * 3, random.integers(0, 2, 400), random.integers(0, 3, (400, 10)))
    for model in ("tree", "bayes"):
        with pytest.raises(TrainingStoppedError):
            cross_validate(table, model, over=lambda: True)
        assert cross_validate(table, model, over=lambda: False).accuracy == cross_validate(table, model).accuracy
    asked = []
    cross_validate(table, "tree", over=lambda: asked.append(1))
    left = iter([False] * len(asked))  # the time is up once the tree is trained
    found = cross_validated(table, ["tree", "bayes"], 0, lambda: next(left, True))
    assert (list(found.by_model), found.untrained) == (["tree"], ("bayes",))
    assert found.by_model["tree"] == cross_validate(table, "tree")


def test_limits_end_at_shares_on_one_clock():
    clock = Clock()
    limits = SearchLimits(100.0, 1000, clock=clock)
    limits.begin("one")
    clock.now = 40.0
    limits.begin("two")
    half, late, fresh = limits.until(0.5), limits.until(0.9), limits.with_budget(7)
    assert (half.left, late.left, late.until(0.5).left, fresh.left) == (10.0, 50.0, 5.0, 60.0)
    assert (half.units_left, fresh.units_left, SearchLimits(clock=clock).units_left) == (500, 7, None)
    clock.now = 75.0
    assert half.over()
    assert (half.reason, half.until(1.0).ended_by) == ("the time was up", None)
    assert limits.work.out_of_time
    assert not late.over()
    limits.begin("one")
    clock.now = 200.0
    assert (limits.left, limits.until(0.5).over(), SearchLimits(clock=clock).left) == (0.0, True, None)
    assert limits.taken() == {"one": 165.0, "two": 35.0}
