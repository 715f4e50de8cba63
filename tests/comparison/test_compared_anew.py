"""What is not taken from an earlier comparison: a baseline cut short, a table of other roles, a search cut short."""

from contextlib import ExitStack

import pytest
from persons import persons, settled

from anonduck import Project
from anonduck.comparison import job
from anonduck.comparison.cost import RowClock, TimeIsUpError
from anonduck.comparison.rows import PartRules
from anonduck.comparison.stored_rows import last_comparison
from anonduck.evaluation import evaluation
from anonduck.evaluation.source_cells import SourceCells
from anonduck.models.known_scores import KnownScores


@pytest.mark.slow
def test_a_baseline_that_had_no_time_is_made_when_there_is_some(monkeypatch):
    monkeypatch.setattr(evaluation, "KNOWN", KnownScores())  # another test may have trained on the same table
    with Project(**settled(source=persons(60))) as one:
        assert one.compare(["tds"], [5], models=["tree"], time_limit=1e-9).baseline == {}
        assert set(one.compare(["tds"], [5], models=["tree"], time_limit=100).baseline) == {"tree"}


@pytest.mark.slow
def test_an_interrupted_comparison_goes_on(tmp_path, monkeypatch):
    settings = settled(source=persons(60), database=tmp_path / "d.duckdb")
    known, made = job.released_row, []

    def interrupted(*given):
        if given[1].name == "mondrian":
            raise KeyboardInterrupt
        return known(*given)

    monkeypatch.setattr(job, "released_row", interrupted)
    with Project(**settings) as one, pytest.raises(KeyboardInterrupt):
        one.compare(["tds", "mondrian"], [5], models=[])
    monkeypatch.setattr(job, "released_row", lambda *given: made.append(given[1].name) or known(*given))
    with Project(**settings) as one:
        found = one.compare(["tds", "mondrian"], [5], models=[])
    assert made == ["mondrian"]
    assert [row["status"] for row in found.rows] == ["done", "done"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "change", [{"class_": "day", "insensitive": ["bought"]}, {"seed": 3}, {"source": persons(60, seed=9)}]
)
def test_a_comparison_of_anything_else_is_not_told_as_the_last(tmp_path, change):
    settings = settled(source=persons(60), database=tmp_path / "d.duckdb")
    with Project(**settings) as one:
        one.compare(["tds"], [5], models=[])
        assert last_comparison(one.workspace)["rows"][0]["method"] == "tds"
    with Project(**settings | change) as one:
        assert last_comparison(one.workspace) is None


@pytest.mark.slow
def test_the_rules_of_a_search_that_was_cut_are_not_kept():
    class Late(RowClock):
        late = False

        def over(self):
            return self.late

    people = settled(source=persons(60), insensitive=[], identifiers=["day"], holdout=0.0)
    clock = Late(None)
    with Project(**people) as one, ExitStack() as stack:
        source = SourceCells(one.workspace, stack)
        rules = PartRules(source, [5], [], {})
        heard = one.workspace.with_reporter(clock.listening(one.workspace.reporter))
        clock.late = True
        with pytest.raises(TimeIsUpError):
            rules.of_part(heard, "loss", 0)
        clock.late = False
        assert not rules._known
        found = rules.of_part(heard, "loss", 0).rules
        assert any(rule.levels.get("age") == 2 and "job" in rule.levels for rule in found)
        floored = PartRules(source, [5], [], {"age": 3, "job": 99}).of_part(heard, "loss", 0).rules
        assert floored
        assert all(rule.levels.get("age", 3) >= 3 and "job" not in rule.levels for rule in floored)


@pytest.mark.slow
def test_a_part_that_cannot_be_released_is_named():
    people = persons(60)
    people["bought"] = "no"
    people.loc[3, "bought"] = "yes"
    with Project(**settled(source=people)) as one:
        (row,) = one.compare(["tds"], [5], protocol="held-out", models=[]).rows
    assert row["status"] == "failed"
    assert "training part " in row["reason"]
    assert " of 10: " in row["reason"]


def test_a_release_of_another_tool_that_models_cannot_learn_is_audited(tmp_path):
    persons(60).assign(job="any", age="any", bought="no").to_csv(tmp_path / "other.csv", index=False)
    with Project(**settled(source=persons(60))) as one:
        (row,) = one.compare([], [], imports={"other": tmp_path / "other.csv"}, models=["tree"]).rows
    assert (row["status"], row["k"], row["models"]) == ("done", 60, {})
    assert "single value" in row["models_reason"]
