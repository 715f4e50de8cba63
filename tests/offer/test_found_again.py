"""A candidate after a change of the config: found again by its id, or refused with what changed."""

import shutil
from pathlib import Path

import pandas as pd
import pytest
import yaml
from persons import persons

from anonduck import Project
from anonduck.cli.app import run
from anonduck.errors import RequirementNotMet, RuleError
from anonduck.release.candidate_release import kept_candidate
from anonduck.search.stored_rules import discovered

CONFIG = {
    "source": "persons.csv",
    "class": "bought",
    "identifiers": ["day"],
    "sensitive": ["sick"],
    "requirement": {"k": 5},
    "taxonomies": {"age": {"intervals": 5}},
    "methods": ["rules", "mondrian"],
    "models": [],
    "select": "loss",
    "budget": 50,
}
FIGURES = ("detail", "k", "classes", "inference")


def configure(**changes):
    keys = {**CONFIG, **changes}
    Path("anonduck.yml").write_text(yaml.safe_dump({name: key for name, key in keys.items() if key is not None}))


@pytest.fixture(scope="module")
def offered(tmp_path_factory):
    folder = tmp_path_factory.mktemp("offered")
    persons(300).assign(sick=[*"abc"] * 100).to_csv(folder / "persons.csv", index=False)
    (folder / "anonduck.yml").write_text(yaml.safe_dump(CONFIG))
    with Project(folder / "anonduck.yml") as one:
        one.discover()
        assert [one for one in one.candidates()["id"] if one.startswith("M")] == ["M1", "M2"]  # for k = 5 and 20
    return folder


@pytest.fixture
def folder(offered, tmp_path, monkeypatch):
    """A copy of a project with an offer, as the current folder."""
    shutil.copytree(offered, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def found(identifier="M1"):
    told = []
    with Project("anonduck.yml") as one:
        one.workspace = one.workspace.with_reporter(one.reporter.__class__(announce=told.append))
        return kept_candidate(one.workspace, identifier), told


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"requirement": {"k": 5, "suppression": 0.1}}, "requirement"),
        ({"requirement": {"k": 5, "min_columns": 1}}, "requirement"),
        ({"requirement": {"k": 4}}, "requirement"),
        ({"select": "information_gain"}, "select"),
        ({"holdout": 0.1}, "holdout"),
        ({"models": ["tree"]}, "models"),
        ({"subgroups": ["job"]}, "subgroups"),
    ],
)
def test_it_is_found_again_after_a_change_that_does_not_alter_it(folder, changes, key):
    before, told = found()
    assert (before.k, told) == (5, [])
    configure(**changes)
    one, told = found()
    assert (one.id, one.method, one.k_required, one.shows) == ("M1", "mondrian", 5, "ranges")
    assert one.measured is None
    assert told == [f"M1 was measured before `{key}` changed in the config; what it comes to is found and judged anew"]


@pytest.mark.parametrize(
    "changes",
    [
        {"methods": ["rules", "mondrian", "guided"]},
        {"sensitive": [], "insensitive": ["sick"]},
        {"measures": ["loss", "precision"]},
        {"publication": {"purpose": "a study"}},
        {"threads": 2},
        {"bounds": "columns"},
    ],
)
def test_it_keeps_its_figures_after_a_change_that_they_do_not_depend_on(folder, changes):
    before, _ = found()
    configure(**changes)
    now, told = found()
    assert now == before
    assert told == [] or "the stored rules are out of date" in told[0]  # as for a rule


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"requirement": {"k": 6}}, "it was found for k = 5, and the config now requires 6"),
        (
            {"requirement": {"k": 5, "l": 2}},
            "`l` under `requirement`, by which classes are found, was not required and is 2",
        ),
        (
            {"methods": {"mondrian": {"splits": "entropy"}}},
            "`splits` of the method mondrian changed in the config",
        ),
        ({"taxonomies": {"age": {"intervals": 7}}}, "the taxonomy of 'age' changed"),
        ({"insensitive": ["job"]}, "of the quasi-identifiers 'job' is gone"),
        ({"identifiers": []}, "of the quasi-identifiers 'day' is new"),
        ({"class": "job"}, "`class` changed in the config; of the quasi-identifiers"),
        ({"seed": 1}, "`seed` changed in the config"),
        ({"entity": "day", "identifiers": None}, "`entity` changed in the config"),
        ({"show": "typical"}, "`show` no longer names ranges"),
    ],
)
def test_a_change_that_alters_it_is_named(folder, changes, words):
    configure(**changes)
    with pytest.raises(RuleError) as error:
        found()
    assert str(error.value).startswith(f"M1 (mondrian for k = 5) is not what was offered: {words}")
    assert str(error.value).endswith("offered anew: `anonduck discover --method mondrian`")


def test_one_of_a_larger_k_outlives_a_larger_required_k(folder):
    configure(requirement={"k": 10})
    assert found("M2")[0].k_required == 20
    with pytest.raises(RuleError, match="found for k = 5, and the config now requires 10"):
        found("M1")


@pytest.mark.slow
def test_its_release_text_and_lock_are_judged_by_what_is_required_now(folder, capsys):
    configure(requirement={"k": 5, "suppression": 0.1})
    assert run(["release", "M1", "-o", "released.csv"]) == 0
    assert "M1 was measured before `requirement` changed in the config" in capsys.readouterr().err
    assert pd.read_csv("released.csv").groupby(["age", "job"]).size().min() >= 5
    assert run(["sql", "M1", "-o", "release.sql"]) == 0
    assert run(["lock", "M1"]) == 0
    assert yaml.safe_load(Path("anonduck.lock.yml").read_text())["requirement"]["suppression"] == 0.1
    assert run(["run", "--locked", "-o", "locked.csv"]) == 0
    assert Path("locked.csv").read_bytes() == Path("released.csv").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("requirement", [{"k": 4}, {"k": 5, "suppression": 0.1}])
def test_its_release_is_the_one_that_was_offered(folder, requirement):
    with Project("anonduck.yml") as one:
        one.release("M1", "before.csv")
    configure(requirement=requirement)
    with Project("anonduck.yml") as one:
        one.release("M1", "after.csv")
    assert Path("after.csv").read_bytes() == Path("before.csv").read_bytes()


@pytest.mark.slow
def test_its_release_is_that_of_an_offer_of_the_new_config(folder):
    configure(requirement={"k": 5, "suppression": 0.1})
    with Project("anonduck.yml") as one:
        one.release("M1", "again.csv")
        one.discover()
        assert kept_candidate(one.workspace, "M1").measured is not None
        one.release("M1", "anew.csv")
    assert Path("again.csv").read_bytes() == Path("anew.csv").read_bytes()


def test_what_the_offer_measured_for_another_config_meets_no_requirement(folder):
    """It reached `max_loss`, and nobody knows whether it does now."""
    configure(requirement={"k": 5, "suppression": 0.1, "max_loss": 0.9})
    with Project("anonduck.yml") as one, pytest.raises(RequirementNotMet, match="not shown, and so not met: max_loss"):
        one.release("M1", dry_run=True)


def test_it_is_listed_with_the_figures_of_then(folder, capsys):
    before, _ = found()
    configure(requirement={"k": 5, "suppression": 0.1})
    assert run(["rules", "M1", "--json"]) == 0
    out = yaml.safe_load(capsys.readouterr().out)
    assert out["candidates"][0]["detail"] == before.detail
    assert "M1 was measured before `requirement` changed in the config" in out["stale"]


def test_without_an_offer_that_is_said(folder):
    with Project(source=persons(60), class_="bought", identifiers=["day"], models=[], budget=20) as one:
        one.discover()
        with pytest.raises(RuleError, match="there is no candidate M1: no offer was made; `anonduck discover --method"):
            one.release("M1", dry_run=True)


@pytest.mark.slow
def test_what_has_its_place_in_a_newer_offer_is_named(folder, capsys):
    configure(methods=["rules", "guided", "mondrian"], requirement={"k": 5})
    assert run(["discover"]) == 0
    ids = {f"{one['method']} {one['k_required']}": one["id"] for one in listed()}
    capsys.readouterr()
    assert run(["release", "M1", "-o", "released.csv"]) == 0
    assert (
        f"M1 is guided for k = 5. In an earlier offer M1 was mondrian for k = 5, which is {ids['mondrian 5']} now"
        in capsys.readouterr().err
    )
    assert ids["guided 5"] == "M1"
    with Project("anonduck.yml") as one:
        one.discover(offers=["mondrian"])
        one.discover(offers=["mondrian"])
        assert kept_candidate(one.workspace, "M1").method == "mondrian"
        gone, stays = ids["guided 20"], ids["mondrian 20"]
        for name, words in ((gone, "guided for k = 20, which is not offered any more"), (stays, "which is M2 now")):
            if name not in ("M1", "M2"):
                with pytest.raises(RuleError, match=f"there is no candidate {name};.*In an earlier offer.*{words}"):
                    kept_candidate(one.workspace, name)
        assert {gone, stays} - {"M1", "M2"}


def listed():
    with Project("anonduck.yml") as one:
        return one.candidates().query("method != 'rules'").to_dict("records")


@pytest.mark.slow
def test_one_that_was_searched_beside_other_rules_is_found_again(folder):
    with Project("anonduck.yml") as one:
        one.discover(search="rfd")
        told = []
        one.workspace = one.workspace.with_reporter(one.reporter.__class__(announce=told.append))
        assert discovered(one.workspace).rules is not None
        assert kept_candidate(one.workspace, "M1").method == "mondrian"
    assert told == ["M1 was measured before rules were searched anew; what it comes to is found and judged anew"]
