"""Policies: floors that no config, no call and no audit can go under."""

import json
from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import people

from anonduck import Project
from anonduck.cli.app import run
from anonduck.config.policy import Floors, Policy, read_policy
from anonduck.config.reading import make_config
from anonduck.database.documents import LOCKED_OFFERED, forget_documents
from anonduck.errors import ConfigError, NoRuleMeetsRequirement, RequirementNotMet

LEVELS = {"age": 1}
POLICY = """\
audiences:
  internal: {k: 2}
  partner: {k: 4, l: 2, kept_rare: 10, inference_gain: 0.05, review: 30}
  public: {k: 4, l: 2, kept_rare: 10, review: 30}
  offered: {k: 4, inference_gain: 0.0}
  locked: {k: 4, inference_gain: 0.2}
"""
PEOPLE = pd.DataFrame({"age": [20, 21, 30, 31] * 6, "ill": ["a", "b", "c", "d"] * 6, "buys": ["y", "n", "n"] * 8})


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "policy.yml").write_text(POLICY, encoding="utf-8")
    PEOPLE.to_parquet(tmp_path / "people.parquet")
    return tmp_path


def written(folder, audience, **requirement):
    bound = None if audience in ("internal", "public") else 0.05  # no rule has it but of an offer
    config = {
        "source": "people.parquet",
        "class": "buys",
        "sensitive": ["ill"],
        "taxonomies": {"age": {"intervals": 2}},
        "requirement": {"k": 4, "l": 2, "kept_rare": 10, "inference_gain": bound} | requirement,
        "policy": "policy.yml",
        "publication": {} if audience is None else {"audience": audience},
    }
    config["requirement"] = {name: value for name, value in config["requirement"].items() if value is not None}
    path = folder / "anonduck.yml"
    path.write_text(json.dumps(config), encoding="utf-8")
    return path


# -- what a policy says ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("audiences: {}", "audiences"),
        ("audiences: {a: {l: 2}}", "audiences.a.k"),
        ("audiences: {a: {k: 0}}", "audiences.a.k"),
        ("audiences: {a: {k: 5, kk: 2}}", "unknown key audiences.a.kk"),
        ("audiences: {a: {k: 5, max_loss: 0.5}}", "max_loss guards no privacy"),
        ("audiences: {a: {k: 5, suppression: 0.1}}", "suppression guards no privacy"),
        ("audiences: {a: {k: 5, review: 0}}", "audiences.a.review"),
        (
            "audiences: {a: {k: 5, zz: 1}}",
            r"unknown key audiences\.a\.zz.*; known keys are k, (?!.*(preset|suppression))",
        ),
        ("audience: {a: {k: 5}}", "did you mean 'audiences'"),
        ("[1, 2]", "must be a mapping"),
        ("audiences: {a: {k: 5}, a: {k: 2}}", "occurs twice"),
    ],
)
def test_a_policy_that_is_wrong_is_refused(tmp_path, text, words):
    path = tmp_path / "policy.yml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=words):
        read_policy(path, "a")


def test_a_policy_that_is_missing_or_unreadable_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"cannot be read: No such file.*Without it nothing is released"):
        read_policy(tmp_path / "none.yml", "a")
    (tmp_path / "bytes.yml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="no UTF-8 text"):
        read_policy(tmp_path / "bytes.yml", "a")


def test_an_audience_must_be_known_and_named(folder):
    with pytest.raises(ConfigError, match=r"no audience 'partnr' \(did you mean 'partner'\?\); it knows internal"):
        Project(written(folder, "partnr"))
    with pytest.raises(ConfigError, match=r"publication: \{audience: internal\}"):
        Project(written(folder, None))
    with pytest.raises(ConfigError, match="none is given; name its file"):
        make_config({"class": "buys", "publication": {"audience": "partner"}})


# -- what is under a floor ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [("k", 3), ("l", 1), ("l", None), ("kept_rare", 11), ("kept_rare", None), ("inference_gain", 0.06)],
)
def test_a_config_under_a_floor_is_refused_before_anything_is_read(folder, name, value):
    (folder / "people.parquet").unlink()
    floor = {"k": 4, "l": 2, "kept_rare": 10, "inference_gain": 0.05}[name]
    shown = "none" if value is None else value
    with pytest.raises(
        ConfigError, match=rf"policy\.yml sets floors .* partner.*{name} {floor} \(required is {shown}\)"
    ):
        Project(written(folder, "partner", **{name: value}))
    assert Project(written(folder, "internal", **{name: value})).config.policy == "policy.yml"


AT_LEAST = ("k", "l", "entropy_l", "frequency_l")
AT_MOST = ("kept_rare", "inference_gain", "t", "alpha", "beta", "prosecutor_risk", "ha")


@given(st.sampled_from(AT_LEAST + AT_MOST), st.integers(1, 9), st.integers(1, 9))
def test_floors_of_one_number_compare_as_the_number_does(name, floor, value):
    scale = 1 if name in (*AT_LEAST, "kept_rare") else 10
    floors = Floors.model_validate({"k": 1, name: floor / scale if scale > 1 else floor})
    asked = {name: value / scale if scale > 1 else value}
    config = make_config({"class": "c", "sensitive": ["s"], "requirement": asked})
    refused = value < floor if name in AT_LEAST else value > floor
    policy = Policy("p.yml", "0", "a", floors)
    if refused:
        with pytest.raises(ConfigError, match=name):
            policy.refuse(config, "c.yml")
    else:
        policy.refuse(config, "c.yml")


@pytest.mark.parametrize(
    ("value", "refused"), [({"l": 3, "c": 2.0}, False), ({"l": 2, "c": 2.0}, True), ({"l": 3, "c": 2.5}, True)]
)
def test_floors_of_several_numbers_hold_in_each(value, refused):
    policy = Policy("p.yml", "0", "a", Floors.model_validate({"k": 1, "recursive_l": {"l": 3, "c": 2.0}}))
    config = make_config({"class": "c", "sensitive": ["s"], "requirement": {"recursive_l": value}})
    if refused:
        with pytest.raises(ConfigError, match=r"recursive_l \{l: 3, c: 2.0\}"):
            policy.refuse(config, "c.yml")
    else:
        policy.refuse(config, "c.yml")


def test_k_of_a_floor_counts_persons_where_the_config_does():
    policy = Policy("p.yml", "0", "a", Floors(k=3))
    config = make_config({"class": "c", "entity": {"column": "e", "at_most": 4}, "requirement": {"k": 2}}).in_records(4)
    assert config.requirement.k > 3
    with pytest.raises(ConfigError, match=r"k 3 \(required is 2\)"):
        policy.refuse(config, "c.yml")


# -- what stands under a policy ----------------------------------------------------------------------------------------


def test_no_call_lowers_a_requirement_under_its_floor(folder):
    project = Project(written(folder, "public", k=6))
    with pytest.raises(ConfigError, match=r"the release: policy\.yml sets floors .* k 4 \(required is 3\)"):
        project.release(LEVELS, folder / "r.parquet", requirement={"k": 3})
    with pytest.raises(ConfigError, match="k 2"):
        Project(written(folder, "internal")).sql(LEVELS, requirement={"k": 1})
    written(folder, "public", k=6)
    with pytest.raises(ConfigError, match="l 2"):
        project.config = make_config({**project.config.model_dump(by_alias=True), "requirement": {"k": 6}})
    for other in (None, "other.yml"):
        with pytest.raises(ConfigError, match=r"stands under the policy policy\.yml, and the config names"):
            project.config = project.config.model_copy(update={"policy": other})
    assert not (folder / "r.parquet").exists()
    assert project.release(LEVELS, folder / "r.parquet", requirement={"k": 4}).receipt["k"] >= 4


def test_receipt_and_certificate_name_the_policy(folder):
    project = Project(written(folder, "public"))
    release = project.release(LEVELS, folder / "r.parquet")
    policy = release.receipt["policy"]
    assert (policy["file"], policy["audience"], policy["review_days"]) == ("policy.yml", "public", 30)
    assert policy["floors"] == {"k": 4, "l": 2, "kept_rare": 10}
    page = project.certificate(folder / "r.parquet", folder / "c.html").read_text(encoding="utf-8")
    assert "policy.yml (SHA-256 " in page
    until = [(date.today() + timedelta(days=30 + off)).isoformat() for off in (-1, 0, 1)]
    assert any(f"It holds until {day}" in page for day in until)


def test_a_policy_that_became_stricter_stops_what_was_locked(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    written(folder, "internal")
    assert run(["lock", "age=1"]) == 0
    assert run(["run", "--locked", "-o", "r.parquet"]) == 0
    before = (folder / "r.parquet").read_bytes()
    (folder / "policy.yml").write_text(POLICY.replace("k: 2", "k: 5"), encoding="utf-8")
    capsys.readouterr()
    assert run(["run", "--locked", "-o", "r.parquet", "--overwrite"]) == 2
    assert "k 5 (required is 4)" in capsys.readouterr().err
    assert (folder / "r.parquet").read_bytes() == before


def test_no_output_replaces_a_policy(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    written(folder, "internal")
    assert run(["taxonomy", "export", "age", "-o", "policy.yml", "--overwrite"]) == 2
    assert (folder / "policy.yml").read_text(encoding="utf-8") == POLICY


# -- floors that a file alone does not show ----------------------------------------------------------------------------


def under_policy(folder, audience, table, requirement, **config):
    """A project of people, so many or these, under the floors of an audience."""
    (folder / "policy.yml").write_text(POLICY, encoding="utf-8")
    (people(table) if isinstance(table, int) else table).to_parquet(folder / "people.parquet")
    config |= {"source": "people.parquet", "identifiers": ["id"], "requirement": {"k": 4} | requirement}
    config |= {"policy": "policy.yml", "publication": {"audience": audience}}
    (folder / "anonduck.yml").write_text(json.dumps(config), encoding="utf-8")
    return Project(folder / "anonduck.yml")


OFFERED = {"class": "class", "drop": ["note"], "models": ["tree"], "holdout": 0.5}


def told_by_job(rows=300):
    """People whose class their job tells but for a fifth of them, by chance.

    The rule that shows the job says of people in the release what a model learns of others; small classes of many
    columns say who is in that fifth.
    """
    random, table = np.random.default_rng(1), people(rows)
    by_job, by_chance = table["job"].isin(["nurse", "cook"]), random.random(rows) < 0.2
    return table.assign(**{"class": np.where(by_job ^ by_chance, "yes", "no")})


@pytest.fixture(scope="module")
def offered(tmp_path_factory):
    """A project whose policy allows no gain at all in inferring the class, with its offer."""
    folder, methods = tmp_path_factory.mktemp("offered"), ["rules", "mondrian"]
    with under_policy(folder, "offered", told_by_job(), {"inference_gain": 0}, methods=methods, **OFFERED) as project:
        project.discover()
        yield project


@pytest.mark.slow
def test_nothing_is_released_that_reveals_more_of_the_class_than_a_policy_allows(offered, tmp_path):
    target, found = tmp_path / "r.parquet", offered.candidates()
    inferred = {row["id"]: row["inference"] for row in found.to_dict("records") if row["failed"] is None}
    above = {name: one["gain"] > 0 for name, one in inferred.items()}
    assert set(above.values()) == {True, False}
    for name in inferred:
        gain = inferred[name]["gain"]
        levels = found.set_index("id")["levels"][name]
        for one in [name, levels] if levels else [name]:
            if not above[name]:
                assert offered.release(one, dry_run=True).k >= 4
                assert offered.sql(one)
                continue
            with pytest.raises(
                RequirementNotMet, match=rf"bounds inference_gain .* by 0, and this release has {gain:.3f} "
            ):
                offered.release(one, target)
            with pytest.raises(RequirementNotMet, match="bounds inference_gain"):
                offered.sql(one)
            with pytest.raises(RequirementNotMet, match="bounds inference_gain"):
                offered.lock(one)
    unknown = {"age": 0, "job": 0}
    assert unknown not in list(found["levels"])
    for attempt in (
        lambda: offered.release(unknown, target),
        lambda: offered.sql(unknown),
        lambda: offered.apply(unknown),
        lambda: offered.lock(unknown),
        lambda: offered.anonymize("mondrian", target),
        lambda: offered.sql("mondrian"),
    ):
        with pytest.raises(RequirementNotMet, match="is not known, as candidates of the offer alone are measured"):
            attempt()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("kept", "is_refused"), [({"insensitive": ["class"]}, True), ({"drop": ["class"]}, False)])
def test_leaving_out_the_class_is_no_way_around(tmp_path, kept, is_refused):
    columns = {"drop": ["note", *kept.get("drop", [])], "insensitive": kept.get("insensitive", [])}
    with under_policy(tmp_path, "offered", 60, {}, models=[], method="mondrian", **columns) as project:
        if is_refused:
            with pytest.raises(RequirementNotMet, match="without a class nothing says"):
                project.run(tmp_path / "r.parquet")
            assert not (tmp_path / "r.parquet").exists()
        else:
            assert project.run(tmp_path / "r.parquet").release.k >= 4


@pytest.mark.slow
def test_a_lock_keeps_what_the_offer_measured(tmp_path):
    with under_policy(tmp_path, "locked", 120, {"inference_gain": 0.2}, methods=["mondrian"], **OFFERED) as project:
        project.discover()
        found = project.candidates().set_index("id")
        assert 0 < found["inference"]["M1"]["gain"] <= 0.2
        project.lock("M1")
        assert project.lock(check=True).release.k >= 4
        assert project.run(tmp_path / "r.parquet", locked=True).release.k >= 4
        forget_documents(project.database, LOCKED_OFFERED)
        with pytest.raises(RequirementNotMet, match="is not known"):
            project.run(tmp_path / "r.parquet", locked=True, if_exists="overwrite")


@pytest.mark.slow
def test_a_pinned_rule_is_no_way_around(offered, tmp_path):
    offered.config = offered.config.model_copy(update={"rule": "age=0,job=0"})
    try:
        with pytest.raises(RequirementNotMet, match="bounds inference_gain"):
            offered.run(tmp_path / "r.parquet")
    finally:
        offered.config = offered.config.model_copy(update={"rule": None})
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_choice_that_was_not_measured_is_none(folder):
    path = written(folder, "partner")
    unscored = {"models": [], "methods": ["rules", "mondrian"], "select": "loss"}
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | unscored), encoding="utf-8")
    project = Project(path)
    with pytest.raises(NoRuleMeetsRequirement, match=r"inference_gain <= 0.05 \(is not measured\)"):
        project.run(folder / "r.parquet")


@pytest.mark.slow
def test_a_text_is_not_written_where_it_checks_less_than_the_policy(folder):
    project = Project(written(folder, "public"))
    for form in ("select", "script", "dbt", "sqlmesh"):
        with pytest.raises(ConfigError, match=r"no text checks where it runs: kept_rare\. Release to a file"):
            project.sql(LEVELS, as_=form, table="t", name="n" if form == "sqlmesh" else None)
    with pytest.raises(ConfigError, match="kept_rare"):
        project.sql("mondrian")
    assert Project(written(folder, "internal")).sql(LEVELS)


# -- gates -------------------------------------------------------------------------------------------------------------


def test_an_audit_requires_the_floors_of_a_policy(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    asked = ["audit", "people.parquet", "-q", "age", "--sensitive", "ill", "--class", "buys", "--policy", "policy.yml"]
    assert run([*asked, "--audience", "internal"]) == 0
    assert run([*asked, "--audience", "partner"]) == 1  # each age has one value of `ill`
    printed = capsys.readouterr()
    assert "l >= 2: NOT met (1)" in printed.out
    assert "no file alone proves, and `run` keeps: inference_gain" in printed.err
    assert run([*asked, "--audience", "partner", "--require", "k=3"]) == 2
    assert "k >= 4, and k >= 3 is less" in capsys.readouterr().err
    assert run([*asked, "--audience", "internal", "--require", "k=7"]) == 1
    assert run([*asked, "--audience", "internal", "--preset", "internal"]) == 2
    assert run(["audit", "people.parquet", "--audience", "internal"]) == 2
    assert run(asked) == 2
    assert "such as --audience partner" in capsys.readouterr().err


# -- the sensitive values of a policy ----------------------------------------------------------------------------------

NARROW = """\
audiences:
  all: {k: 2, alpha: 0.5}
  mild: {k: 2, alpha: 0.75}
  named: {k: 2, alpha: 0.5, sensitive_values: {ill: [hiv]}}
  spread: {k: 2, beta: 0.5, enhanced_beta: 0.5, delta_disclosure: 0.5, lkc: {l: 1, k: 2, c: 0.5}}
"""
SICK = pd.DataFrame(
    {
        "age": [20, 21, 22, 23, 30, 31, 32, 33],
        "ill": ["flu", "flu", "flu", "hiv", "flu", "flu", "flu", "none"],
        "note": ["a"] * 8,
        "buys": ["y", "n"] * 4,
    }
)
"""In each decade three of four have the flu, and one in four at most has hiv."""
HARMLESS = {"ill": {"except": ["flu", "none"]}}


def narrowing(folder, audience, **more):
    (folder / "narrow.yml").write_text(NARROW, encoding="utf-8")
    SICK.to_parquet(folder / "sick.parquet")
    config = {
        "source": "sick.parquet",
        "class": "buys",
        "sensitive": ["ill"],
        "insensitive": ["note"],
        "taxonomies": {"age": {"breaks": [30]}},
        "policy": "narrow.yml",
        "publication": {"audience": audience},
        "sensitive_values": HARMLESS,
        "requirement": {"k": 2, "alpha": 0.5},
        "database": f"{audience}.duckdb",
    }
    path = folder / f"{audience}.yml"
    path.write_text(json.dumps(config | more), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "values", [HARMLESS, {"ill": ["hiv"]}, {"ill": {"except": ["flu"]}}], ids=["but", "named", "but flu"]
)
def test_floors_are_judged_by_all_values_whichever_the_config_names(tmp_path, values):
    project = Project(narrowing(tmp_path, "all", sensitive_values=values))
    with pytest.raises(RequirementNotMet, match=r"alpha = 0.75 .*by the sensitive values of the policy.*required 0.5"):
        project.release(LEVELS, tmp_path / "r.parquet")
    for suppression in (0.0, 0.4):
        dry = project.release(LEVELS, None, dry_run=True, requirement={"suppression": suppression})
        assert not dry.as_json()["met"]
    assert not (tmp_path / "r.parquet").exists()


def test_the_own_requirement_is_judged_by_the_values_of_the_config(tmp_path, capsys):
    """0.25 of hiv meets the own 0.3, and 0.75 of flu the floor of 0.75; neither meets the other's number."""
    path = narrowing(tmp_path, "mild", requirement={"k": 2, "alpha": 0.3})
    assert run(["release", "age=1", "-o", str(tmp_path / "r.parquet"), "-p", str(path)]) == 0
    told = "".join(capsys.readouterr())
    assert "alpha <= 0.3: met (0.25)" in told
    assert "alpha <= 0.75 by the values of the policy: met (0.75)" in told
    assert "`sensitive_values` of the config counts some values of 'ill' alone" in told
    assert "judged by none: 'note', 'buys'" in told
    receipt = json.loads((tmp_path / "r.parquet.receipt.json").read_text(encoding="utf-8"))
    lines = [(one["required"], one["reached"]) for one in receipt["requirements"] if one["name"] == "alpha"]
    assert lines == [(0.3, 0.25), (0.75, 0.75)]
    assert receipt["policy"]["narrowed"] == ["ill"]
    page = Project(path).certificate(tmp_path / "r.parquet", tmp_path / "c.html").read_text(encoding="utf-8")
    assert "by the sensitive values of the policy" in page
    assert "counts some values of" in page


def test_a_policy_may_name_its_own_values(tmp_path):
    project = Project(narrowing(tmp_path, "named", sensitive_values={"ill": ["hiv", "none"]}))
    release = project.release(LEVELS, tmp_path / "r.parquet")
    assert (release.receipt["policy"]["narrowed"], release.receipt["requirements"][1]["reached"]) == ([], 0.25)
    other = Project(narrowing(tmp_path, "named", sensitive_values={"ill": ["none"]}))
    assert other.release(LEVELS, None, dry_run=True).receipt["policy"]["narrowed"] == ["ill"]


SPREAD = {"k": 2, "beta": 0.5, "enhanced_beta": 0.5, "delta_disclosure": 0.5, "lkc": {"l": 1, "k": 2, "c": 0.5}}


@pytest.mark.parametrize("name", ["beta", "enhanced_beta", "delta_disclosure", "lkc"])
def test_so_are_the_other_models_of_single_values(tmp_path, name):
    values = {"ill": ["flu"]} if name != "lkc" else {"ill": ["hiv"]}
    project = Project(narrowing(tmp_path, "spread", requirement=SPREAD, sensitive_values=values))
    dry = project.release(LEVELS, None, dry_run=True)
    own, floor = (
        next(
            one for one in dry.receipt["requirements"] if one["name"] == name and one.get("by_policy", False) is judged
        )
        for judged in (False, True)
    )
    assert (own["met"], floor["met"]) == (True, False)


@pytest.mark.slow
def test_a_run_and_methods_look_for_what_meets_the_floor(tmp_path):
    """Four classes of ages, of which the finest two pairs hold half of each illness."""
    ages = [20, 21, 30, 31, 40, 41, 50, 51] * 4
    table = pd.DataFrame(
        {"age": ages, "ill": ["flu", "hiv"] * 16, "note": ["a"] * 32, "buys": ["y", "n", "n", "y"] * 8}
    )
    path = narrowing(tmp_path, "all", taxonomies={"age": {"width": [10, 20, 40]}})
    table.to_parquet(tmp_path / "sick.parquet")
    assert run(["run", "-o", str(tmp_path / "r.parquet"), "-p", str(path)]) == 0
    assert run(["anonymize", "mondrian", "-o", str(tmp_path / "m.parquet"), "-p", str(path)]) == 0
    for name in ("r", "m"):
        found = pd.read_parquet(tmp_path / f"{name}.parquet").groupby("age")["ill"].value_counts(normalize=True)
        assert found.max() <= 0.5


def test_an_audit_under_a_policy_takes_the_values_of_the_policy(tmp_path, capsys):
    narrowing(tmp_path, "all")
    SICK.assign(age="any").to_parquet(tmp_path / "file.parquet")
    base = ["audit", str(tmp_path / "file.parquet"), "--sensitive", "ill", "--insensitive", "note", "--class", "buys"]
    base += ["--policy", str(tmp_path / "narrow.yml"), "--audience"]
    assert run([*base, "all"]) == 1
    assert "alpha <= 0.5: NOT met (0.75)" in "".join(capsys.readouterr())
    assert run([*base, "named"]) == 0
    assert run([*base, "all", "--sensitive-value", "ill=hiv"]) == 2
    assert "judged by its own sensitive values" in capsys.readouterr().err
