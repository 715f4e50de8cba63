"""Names that an owner gives to groups: shown wherever labels are, and refused where they would tell or mislead."""

import json

import duckdb
import pytest
from oracles import people, project, stored_paths

from anonduck import audit
from anonduck.config.config import Config
from anonduck.config.reading import make_config
from anonduck.database.progress import Reporter
from anonduck.errors import ConfigError, TaxonomyError


def jobs(rare=0):
    """People with five jobs, one of them in hardly any record."""
    frame = people(300).drop(columns=["rate", "age"])
    frame.loc[frame.index[:rare], "job"] = "Zqmidwife"
    return frame


def groups_of(one, column="job"):
    """The labels of a built taxonomy, with the values under each, by level."""
    paths = stored_paths(one.database, column)
    root = len(next(iter(paths.values())))
    levels = range(1, root)
    return [
        {
            label: {v for v, path in paths.items() if path[level - 1] == label}
            for label in {p[level - 1] for p in paths.values()}
        }
        for level in levels
    ]


@pytest.fixture
def generated():
    """A group of several values: its label, and the values."""
    with project(jobs()) as one:
        one.build_taxonomies(["job"])
        return next((label, held) for level in groups_of(one) for label, held in level.items() if len(held) > 1)


@pytest.mark.slow
def test_a_name_is_shown_wherever_the_label_was(tmp_path, generated):
    label, held = generated
    settings = {"labels": {"job": {label: "helping hands"}}, "database": tmp_path / "d.duckdb", "requirement": {"k": 2}}
    with project(jobs(), **settings) as one:
        one.build_taxonomies(["job"])
        levels = groups_of(one)
        level = next(number for number, groups in enumerate(levels, 1) if "helping hands" in groups)
        assert levels[level - 1]["helping hands"] == held
        made = one.release({"job": level}, tmp_path / "out.parquet")
        script = one.sql({"job": level})
    shown = {value for (value,) in duckdb.sql(f"SELECT DISTINCT job FROM '{tmp_path}/out.parquet'").fetchall()}
    assert "helping hands" in shown
    assert label not in shown
    entry = next(column for column in made.receipt["columns"] if column["name"] == "job")
    assert "helping hands" in entry["labels"]
    assert "helping hands" in script
    told = next(column for column in made.dictionary["columns"] if column["name"] == "job")
    assert set(next(group for group in told["groups"] if group["label"] == "helping hands")["members"]) == held
    assert audit(tmp_path / "out.parquet", ["job"]).k == made.k


@pytest.mark.slow
def test_other_names_regroup_nothing(tmp_path, generated):
    label, _ = generated
    settings = {"database": tmp_path / "d.duckdb", "requirement": {"k": 2}, "models": []}
    with project(jobs(), **settings) as one:
        one.discover()
        before = one.rules()["id"].tolist()
    with project(jobs(), **settings, labels={"job": {label: "hands"}}) as one:
        assert not one.stale()
        one.release(before[0], dry_run=True)
        assert any("hands" in groups for groups in groups_of(one))
    with project(jobs(), **settings) as one:
        one.release(before[0], dry_run=True)
        assert any(label in groups for groups in groups_of(one))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"no such group": "x"}, "there is no group 'no such group'; groups are those that `anonduck taxonomy show"),
        ({"9": {"LABEL": "x"}}, "'9' is no level of its groups; those are 1"),
        ({"LABEL": "nurse"}, "'nurse', the name for .* is a value of the column"),
        ({"LABEL": "*"}, "is the name of the root"),
        ({"LABEL": "the Zqmidwife's kind"}, "holds a value that fewer than 5 records have"),
        ({"LABEL": "ZQMIDWIFE"}, "holds a value that fewer than 5 records have"),
    ],
)
def test_names_that_tell_or_mislead_are_refused(names, message):
    with project(jobs(rare=2)) as one:
        one.build_taxonomies(["job"])
        label = next(label for level in groups_of(one) for label, held in level.items() if len(held) > 1)
    names = {key.replace("LABEL", label): _replaced(name, label) for key, name in names.items()}
    with project(jobs(rare=2), labels={"job": names}) as one, pytest.raises(TaxonomyError, match=message) as refused:
        one.build_taxonomies(["job"])
    assert "midwife" not in str(refused.value).lower().replace("'the zqmidwife's kind'", "")


def _replaced(name, label):
    return {one.replace("LABEL", label): text for one, text in name.items()} if isinstance(name, dict) else name


def test_two_groups_of_one_name_are_refused():
    with project(jobs()) as one:
        one.build_taxonomies(["job"])
        level = max(groups_of(one), key=len)
    first, second = sorted(level)[:2]
    with (
        project(jobs(), labels={"job": {first: "same", second: "same"}}) as one,
        pytest.raises(TaxonomyError, match="two groups would be called 'same'"),
    ):
        one.build_taxonomies(["job"])
    with (
        project(jobs(), labels={"job": {first: "one"}, "town": {"a": "b"}}) as one,
        pytest.raises(ConfigError, match="labels: 'town' is not a quasi-identifier"),
    ):
        one.build_taxonomies(["job"])


@pytest.mark.parametrize(
    ("taxonomy", "why"),
    [
        ({"groups": {"care": ["nurse", "cook"], "craft": ["smith", "clerk"]}}, "stand where its groups are listed"),
        ({"mask": "right"}, "computed labels are parts of values"),
    ],
)
def test_only_groups_that_anonduck_made_can_be_named(taxonomy, why):
    settings = {"taxonomies": {"job": taxonomy}, "labels": {"job": {"care": "x"}}}
    with project(jobs(), **settings) as one, pytest.raises(TaxonomyError, match=why):
        one.build_taxonomies(["job"])


@pytest.mark.slow
def test_a_larger_k_for_once_says_which_names_have_no_group(tmp_path):
    said = []
    frame = jobs(rare=8)
    with project(frame) as one:
        one.build_taxonomies(["job"])
        levels = groups_of(one)
    label = next((label for level in levels for label, held in level.items() if held == {"Zqmidwife"}), None)
    assert label == "Zqmidwife"  # eight records hold it, so that it may be named
    settings = {"labels": {"job": {label: "births"}}, "reporter": Reporter(said.append)}
    with project(frame, **settings) as one:
        one.build_taxonomies(["job"])
        one.release({"job": len(levels)}, dry_run=True, requirement={"k": 20})
    assert any("for k = 20 there is no group 'Zqmidwife', so that none is called 'births'" in words for words in said)


def test_labels_and_levels_are_read_as_text():
    config = make_config({"class": "c", "labels": {"job": {2: {3: "three"}, 7: "seven"}}})
    assert config.labels == {"job": {"2": {"3": "three"}, "7": "seven"}}
    for wrong in ({}, {"a": ""}, {"a": 3}, {"a": " x"}):
        with pytest.raises(ConfigError, match="labels"):
            make_config({"class": "c", "labels": {"job": wrong}})
    json.dumps(Config.model_json_schema())
