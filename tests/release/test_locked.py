"""The lock file: what it holds, that it is applied as it is, and what is refused with what would do instead."""

import hashlib
import json
from types import SimpleNamespace

import duckdb
import numpy as np
import pandas as pd
import pytest
import yaml
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import people

from anonduck import Project
from anonduck.cli.app import run
from anonduck.config.lock import LOCK_NAME, Lock, LockedMethod, read_lock, write_lock
from anonduck.config.reading import make_config
from anonduck.database.progress import Reporter
from anonduck.errors import ConfigError, ReleaseError, RequirementNotMet, RuleError, TaxonomyError
from anonduck.opened_project import target_here
from anonduck.release import lock
from anonduck.release.by_recoding import method_origin, release_method
from anonduck.release.last_recoding import last_recoding
from anonduck.release.lock import _other_recoding, _shown, lock_recoding, release_locked
from anonduck.release.lock_remedies import coarser
from anonduck.release.plan import ReleaseSettings
from anonduck.statements import Statement
from anonduck.taxonomy.plans import taxonomy_fingerprint

HIERARCHY = "clerk,office,*\ncook,kitchen,*\nnurse,care,*\nsmith,works,*\n"
CONFIG = """\
source: people.parquet
class: class
identifiers: [id]
insensitive: [note]
taxonomies: {job: {file: job.csv}}
requirement: {k: 5}
models: []
"""


SEEN = ReleaseSettings(dry_run=True, as_data=True)


@pytest.fixture
def folder(tmp_path):
    """A project of a config, an export and a hierarchy file."""
    people(400).to_parquet(tmp_path / "people.parquet")
    (tmp_path / "job.csv").write_text(HIERARCHY)
    (tmp_path / "anonduck.yml").write_text(CONFIG)
    return tmp_path


def opened(folder):
    return Project(folder / "anonduck.yml")


def change(folder, old, new, file="anonduck.yml"):
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new))


def rewrite(folder, edit):
    """Another export, with what ``edit`` makes of its records."""
    frame = pd.read_parquet(folder / "people.parquet")
    edit(frame).to_parquet(folder / "people.parquet")


def bosses(frame):
    frame.loc[[3, 4, 5], "job"] = ["boss", "chief", "boss"]
    return frame


# -- what is written ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_lock_is_written_read_and_applied_as_it_is(folder):
    with opened(folder) as one:
        done = one.lock({"age": 3})
        assert done.doubt is None
        assert (done.lock.text, done.path, done.built) == ("age=3", folder / LOCK_NAME, ["age"])
        assert read_lock(folder / LOCK_NAME) == done.lock
        by_rule = one.release({"age": 3}, folder / "rule.parquet")
        by_lock = one.run(folder / "lock.parquet", locked=True, report=False)
    assert by_lock.levels == {"age": 3}
    assert by_lock.release.receipt["reason"] == "locked in anonduck.lock.yml"
    assert by_lock.release.k == by_rule.k == done.release.k
    assert (folder / "lock.parquet").read_bytes() == (folder / "rule.parquet").read_bytes()
    write_lock(folder / "again.yml", done.lock)
    assert (folder / "again.yml").read_text() == (folder / LOCK_NAME).read_text()


@pytest.mark.slow
def test_no_value_of_the_source_is_in_a_lock(folder):
    """Not by its hash either: what is not keyed is a hash of the config and of files that the config names."""
    with opened(folder) as one:
        one.lock({"job": 1})
        one.lock({"age": 3})
        stored = [value for (value,) in one.database.rows(Statement("v", 'SELECT value FROM taxonomy."age"'))]
        text, key = (folder / LOCK_NAME).read_text(), one.lock({"age": 3}).lock.taxonomies["age"].fingerprint
    assert not [word for word in ("clerk", "cook", "nurse", "smith", "office", "yes") if word in text]
    rows = [json.dumps(value) for value in stored]
    plain = {hashlib.sha256(one.encode()).hexdigest() for one in (*rows, "".join(rows), "\n".join(rows))}
    assert key.startswith("hmac-sha256:")
    assert key.removeprefix("hmac-sha256:") not in plain


@pytest.mark.slow
def test_a_rule_that_misses_the_requirement_is_not_locked_and_a_nearer_one_is_named(folder):
    with opened(folder) as one:
        one.lock({"job": 1})
        before = (folder / LOCK_NAME).read_text()
        with pytest.raises(RequirementNotMet, match=r"age=1,job=1 reaches k = 1, under the required 5") as told:
            one.lock({"age": 1, "job": 1})
        named = str(told.value).partition("anonduck lock ")[2].partition("` locks")[0]
        assert one.lock(named).release.k >= 5
    assert before != (folder / LOCK_NAME).read_text()


@pytest.mark.slow
def test_without_a_rule_what_run_releases_by_is_locked(folder):
    with opened(folder) as one, pytest.raises(ConfigError, match="nothing to lock yet"):
        one.lock()
    change(folder, "models: []", "rule: 'job=1'\nmodels: []")
    with opened(folder) as one:
        assert one.lock().lock.rule == {"job": 1}
    change(folder, "rule: 'job=1'", "method: mondrian")
    with opened(folder) as one:
        assert one.lock().lock.method.name == "mondrian"


@pytest.mark.slow
def test_the_last_choice_of_run_is_locked(folder):
    with opened(folder) as one:
        done = one.run(folder / "out.parquet", report=False, select="information_gain", coverage=[0.3])
        assert one.lock().lock.rule == done.levels
        assert one.lock(done.rule.id).lock.rule == done.levels


@pytest.mark.slow
def test_a_method_is_applied_with_its_options_and_seed(folder):
    with opened(folder) as one:
        one.lock("mondrian")
        one.run(folder / "lock.csv", locked=True, report=False)
        one.anonymize("mondrian", folder / "method.csv")
    assert (folder / "lock.csv").read_bytes() == (folder / "method.csv").read_bytes()
    change(folder, "models: []", "models: []\nmethods: {mondrian: {strict: false}}")
    with opened(folder) as one, pytest.raises(ConfigError, match="options or the seed of the method mondrian changed"):
        one.run(folder / "out.csv", locked=True)


@pytest.mark.slow
def test_what_a_method_found_is_applied_to_other_records(folder):
    change(folder, "models: []", "models: []\nmethods: {mondrian: {splits: entropy}}")
    with opened(folder) as one:
        lock = one.lock("mondrian").lock
        assert (lock.recoding, lock.tree.detail > 0.5) == (None, True)
        one.run(folder / "before.csv", locked=True, report=False)
    rewrite(folder, lambda frame: pd.concat([frame, frame.tail(40).assign(id=range(1000, 1040))]))
    with opened(folder) as one:
        assert one.lock(check=True).lock == lock
        one.run(folder / "after.csv", locked=True, report=False)
        one.anonymize("mondrian", folder / "anew.csv")
    before, after, anew = (set(pd.read_csv(folder / f"{name}.csv")["age"]) for name in ("before", "after", "anew"))
    assert after == before
    assert anew != before
    (folder / "anonduck.duckdb").unlink()
    with opened(folder) as one, pytest.raises(TaxonomyError, match="built from the records"):
        one.run(folder / "again.csv", locked=True)


@pytest.mark.slow
def test_without_a_name_the_last_recoding_of_the_method_is_locked_while_it_meets_the_requirement(folder):
    change(folder, "models: []", "models: []\nmethod: mondrian")
    with opened(folder) as one:
        one.run(folder / "before.csv", report=False)
    rewrite(folder, lambda frame: pd.concat([frame, frame.tail(40).assign(id=range(1000, 1040))]))
    with opened(folder) as one:
        done = one.lock()
        assert as_json(done.lock.tree.document()) == as_json(last_recoding(one.workspace).to_json())
        assert done.release.rows == 440


@pytest.mark.slow
def test_without_a_name_a_recoding_that_misses_the_requirement_is_found_anew_and_locked(folder):
    change(folder, "models: []", "models: []\nmethod: sequential")
    with opened(folder) as one:
        one.run(folder / "before.csv", report=False)
        before = one.lock().lock.recoding
    rewrite(folder, lambda frame: frame.head(60))
    with opened(folder) as one:
        assert one.lock().lock.recoding not in (before, None)


def as_json(document):
    return json.loads(json.dumps(document))


@pytest.mark.slow
def test_a_recoding_of_its_own_options_is_locked(folder):
    """Not with those of the config, which says nothing of the method."""
    with opened(folder) as one:
        workspace = one.workspace
        origin = method_origin(workspace, "mondrian", {"splits": "entropy"})
        made = release_method(workspace, "mondrian", None, SEEN, options={"splits": "entropy"})
        done = lock_recoding(workspace, made.recoding, origin)
        assert done.lock.method.options["splits"] == "entropy"
        released = one.run(folder / "lock.csv", locked=True, report=False).release
    assert (released.k, released.classes) == (made.k, made.classes)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "options"), [("sequential", "{numbers: intervals}"), ("flexible", "{missing: impute}")]
)
def test_options_of_a_recoding_that_is_found_anew_are_those_of_the_config(folder, method, options):
    """Its recoding is no data, so that an option which left the config may not be applied from the lock."""
    before = (folder / "anonduck.yml").read_text()
    change(folder, "models: []", f"models: []\nmethod: {method}\nmethods: {{{method}: {options}}}")
    with opened(folder) as one:
        assert one.lock(method).lock.recoding is None
        one.run(folder / "lock.csv", locked=True, report=False)
    (folder / "anonduck.yml").write_text(before.replace("models: []", f"models: []\nmethod: {method}"))
    with opened(folder) as one, pytest.raises(ConfigError, match=f"the options or the seed of the method {method}"):
        one.run(folder / "out.csv", locked=True, report=False)
    assert not (folder / "out.csv").exists()


@pytest.mark.slow
@pytest.mark.parametrize(("method", "anew"), [("mondrian", False), ("sequential", True)])
def test_another_database_applies_a_locked_tree_and_finds_other_recodings_anew(folder, method, anew):
    said = []
    change(folder, "identifiers: [id]", "identifiers: [id, age, rate]")
    with opened(folder) as one:
        one.lock(method)
        one.run(folder / "lock.csv", locked=True, report=False)
    (folder / "anonduck.duckdb").unlink()
    with Project(folder / "anonduck.yml", reporter=Reporter(said.append)) as one:
        one.run(folder / "anew.csv", locked=True, report=False)
    assert any(f"{method} finds its recoding anew, by the locked options" in words for words in said) == anew
    assert (folder / "lock.csv").read_bytes() == (folder / "anew.csv").read_bytes()


@pytest.mark.slow
def test_a_locked_tree_names_no_value_that_few_records_hold(tmp_path):
    """Texts and decimals of single records; numbers are cut at round bounds."""
    drawn = np.random.default_rng(5)
    rare = [f"rare{number}word" for number in range(40)]
    jobs = [*drawn.choice(["clerk", "cook", "nurse"], 360).tolist(), *rare]
    rates = np.round(drawn.gamma(2, 1000, 400), 2)
    frame = pd.DataFrame({"job": jobs, "rate": rates, "age": drawn.integers(17, 90, 400), "class": ["x", "y"] * 200})
    frame.to_parquet(tmp_path / "people.parquet")
    (tmp_path / "anonduck.yml").write_text("source: people.parquet\nclass: class\nmodels: []\nrequirement: {k: 5}\n")
    with Project(tmp_path / "anonduck.yml") as one:
        tree = one.lock("mondrian").lock.tree
    text = (tmp_path / LOCK_NAME).read_text()
    assert tree.rows.count("\n") > 50
    assert not [word for word in rare if word in text]
    assert not [rate for rate in rates if f"'{rate}'" in text]


def edited(document, rows=None, column=None, **keys):
    if rows is not None:
        document["tree"]["rows"] = rows
    for name, value in (column or {}).items():
        document["tree"]["columns"][0][name] = value
    document |= keys


HEAD = "node,column,first,last,next\n"


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        ({"rows": HEAD + "0,0,-1,x,1\n"}, "are CSV of whole numbers"),
        ({"rows": "node,column\n0,0\n"}, "are CSV of whole numbers"),
        ({"rows": ""}, "are CSV of whole numbers"),
        ({"rows": HEAD}, "are CSV of whole numbers"),
        ({"rows": HEAD + "0,0,-1,0,1\n0,0,1,99,0\n"}, "node 0 is not under one node before it"),
        ({"rows": HEAD + "0,9,-1,0,1\n0,9,1,99,2\n"}, "the ranges of node 0 do not cover"),
        ({"rows": HEAD + "0,0,-1,0,1\n0,0,2,99,2\n"}, "the ranges of node 0 do not cover"),
        ({"rows": HEAD + "0,0,-1,0,1\n0,0,1,1,2\n"}, "do not end with the order of its column"),
        ({"rows": HEAD + "0,0,-1,0,1\n0,0,1,99,7\n"}, "not numbered from 0"),
        ({"column": {"bounds": ["1", "1"]}}, "no bound and no node of a column stands twice"),
        ({"column": {"nodes": [[1, "1"]]}}, "at bounds or at nodes; one of the two"),
        (
            {"method": {"name": "topdown", "options": {"numbers": "nodes"}, "seed": 0}},
            "holds a tree, which topdown does",
        ),
        ({"method": {"name": "mondrian", "options": {}, "seed": 0}}, "options or the seed of the method mondrian"),
    ],
)
def test_a_tree_that_is_none_is_refused(folder, edit, words):
    with opened(folder) as one:
        one.lock("mondrian")
        document = yaml.safe_load((folder / LOCK_NAME).read_text())
        edited(document, **edit)
        (folder / LOCK_NAME).write_text(yaml.safe_dump(document))
        with pytest.raises(ConfigError, match=words):
            one.run(folder / "out.csv", locked=True)


def test_what_becomes_of_small_classes_is_locked_with_a_tree_alone(folder):
    with opened(folder) as one:
        one.lock({"age": 3})
        by_rule = (folder / LOCK_NAME).read_text()
        one.lock("mondrian")
    change(folder, "models: []", "models: []\nnext: refuse")
    with opened(folder) as one:
        with pytest.raises(ConfigError, match="`next` is refuse, and prune is locked"):
            one.lock(check=True)
        assert one.lock("mondrian").lock.next == "refuse"
        (folder / LOCK_NAME).write_text(by_rule)
        assert one.lock(check=True).lock.next is None


def test_a_rule_of_roots_is_not_locked(folder):
    with opened(folder) as one, pytest.raises(RuleError, match="nothing to lock"):
        one.lock({"job": 2})


def test_what_is_drawn_from_a_secret_seed_is_not_locked(folder):
    with opened(folder) as one, pytest.raises(ConfigError, match="cannot be locked"):
        one.lock("probabilistic")


# -- what is refused ---------------------------------------------------------------------------------------------------

CHANGES = {
    "requirement": ("{k: 5}", "{k: 6}", "`requirement` was {k: 5} and is {k: 6}"),
    "keep": ("models: []", "models: []\nkeep: [job]", "`keep` was {} and is {job: none}"),
    "kept columns": ("insensitive: [note]", "insensitive: [note, rate]", r"`insensitive` was \[note\]"),
    "class": ("class: class\nidentifiers: [id]\ninsensitive: [note]", "class: note\nidentifiers: [id]", "`class` was"),
    "unmapped": ("models: []", "models: []\nunmapped: root", "`unmapped` was refuse and is root"),
    "records": ("models: []", "models: []\nwhere: age > 20", "one of `where`, `types`"),
    "rule": ("models: []", "models: []\nrule: 'job=0'", "`rule` is job=0, and job=1 is locked"),
    "method": ("models: []", "models: []\nmethod: mondrian", "`method` is mondrian, and job=1 is locked"),
}


@pytest.mark.slow
@pytest.mark.some(3)
@pytest.mark.parametrize("name", CHANGES)
def test_a_config_that_says_something_else_is_refused(folder, name):
    with opened(folder) as one:
        one.lock("job=1")
    old, new, words = CHANGES[name]
    change(folder, old, new)
    with opened(folder) as one, pytest.raises(ConfigError, match=words):
        one.run(folder / "out.parquet", locked=True)
    assert not (folder / "out.parquet").exists()


def test_a_rule_in_the_config_that_is_the_locked_one_stays(folder):
    change(folder, "models: []", "models: []\nrule: 'job=1'")
    with opened(folder) as one:
        one.lock("job=1")
        assert one.lock(check=True).release.k > 5


@pytest.mark.slow
def test_another_taxonomy_is_refused(folder):
    with opened(folder) as one:
        one.lock({"age": 3})
        one.database.run(Statement("edit", """UPDATE taxonomy."age" SET level_3 = 'x' WHERE value < 30"""))
        with pytest.raises(TaxonomyError, match=r"other taxonomies than those of anonduck\.lock\.yml.*'age'"):
            one.run(folder / "out.parquet", locked=True)
        one.lock("job=1")
    change(folder, "cook,kitchen", "cook,office", "job.csv")
    with opened(folder) as one, pytest.raises(TaxonomyError, match="grouped otherwise: 'job'"):
        one.lock(check=True)


def test_new_values_are_counted_and_refused(folder):
    with opened(folder) as one:
        one.lock("job=1")
    rewrite(folder, bosses)
    with opened(folder) as one, pytest.raises(TaxonomyError, match="'job' 2 in 3 records") as told:
        one.run(folder / "out.parquet", locked=True)
    assert "boss" not in str(told.value)
    change(folder, "models: []", "models: []\nunmapped: root")
    with opened(folder) as one:
        write_lock(folder / LOCK_NAME, read_lock(folder / LOCK_NAME).model_copy(update={"unmapped": "root"}))
        with pytest.raises(RequirementNotMet, match=r"(?s)reaches k = 3.*None of the coarser rules"):
            one.run(folder / "out.parquet", locked=True)
    assert not (folder / "out.parquet").exists()


def test_a_source_that_misses_the_requirement_is_told_what_would_do(folder):
    with opened(folder) as one:
        one.lock("job=1,rate=0")
    rewrite(folder, lambda frame: frame.head(60))
    with opened(folder) as one:
        with pytest.raises(RequirementNotMet, match="would meet it now") as told:
            one.run(folder / "out.parquet", locked=True)
        named = str(told.value).partition("anonduck lock ")[2].partition("` locks")[0]
        assert one.release(named, dry_run=True).as_json()["met"]
    assert not (folder / "out.parquet").exists()


def test_a_locked_run_chooses_nothing(folder):
    with opened(folder) as one:
        for given_ in ({"reselect": True}, {"select": "loss"}, {"coverage": [0.1]}):
            with pytest.raises(ConfigError, match="takes no "):
                one.run(folder / "out.parquet", locked=True, **given_)
        with pytest.raises(ConfigError, match="there is no lock file"):
            one.run(folder / "out.parquet", locked=True)
        with pytest.raises(ConfigError, match="takes no rule"):
            one.lock("job=1", check=True)


WRONG = {
    "unknown": ({"rul": 1}, r"unknown key rul \(did you mean 'rule'\?\)"),
    "version": ({"version": 2}, "version: this anonduck reads version 1"),
    "both": ({"method": {"name": "mondrian", "options": {}, "seed": 0}}, "a rule or a method; one of the two"),
    "recoding": ({"recoding": "sha256:" + "0" * 64}, "a fingerprint of a recoding stands beside the method"),
    "level": ({"rule": {"job": -1}}, "rule.job: it should be greater than or equal to 0"),
    "fingerprint": ({"records": "md5:1"}, "records: "),
    "nested": ({"taxonomies": {"job": {"kind": "file", "levels": 2}}}, "the key taxonomies.job.fingerprint is missing"),
}


@pytest.fixture
def candidates(tmp_path):
    """A project whose labels of larger k are others, as few records have the ends of `age`, and its candidates."""
    random = np.random.default_rng(3)
    age = np.clip(random.normal(40, 12, 400).round(), 18, 90).astype(int)
    town = random.choice(list("abcdefgh"), 400, p=[0.4, 0.2, 0.1, 0.1, 0.1, 0.05, 0.03, 0.02])
    frame = pd.DataFrame({"age": age, "town": town, "c": np.where(age + random.normal(0, 15, 400) > 40, "y", "n")})
    frame.to_parquet(tmp_path / "people.parquet")
    keys = {"source": "people.parquet", "class": "c", "models": [], "select": "loss", "methods": ["rules", "mondrian"]}
    (tmp_path / "anonduck.yml").write_text(json.dumps(keys))
    with opened(tmp_path) as one:
        one.discover()
        found = {
            line["k_required"]: line["id"] for line in one.candidates().to_dict("records") if line["levels"] is None
        }
    return tmp_path, found


def test_a_locked_candidate_of_a_larger_k_is_skipped_and_written_as_sql_for_the_k_that_is_required(candidates):
    folder, found = candidates
    with opened(folder) as one:
        locked = one.lock(found[20])
        assert locked.lock.groups, "its taxonomies are not the stored ones, or this tests nothing"
        made = one.run(folder / "out.csv", locked=True, report=False)
        assert one.run(folder / "out.csv", locked=True, if_exists="skip", report=False).release.skipped
        text = one.sql(found[20])
        one.lock(found[5])
        with pytest.raises(
            ReleaseError, match="the config, a taxonomy, an option or the version of anonduck is another"
        ):
            one.run(folder / "out.csv", locked=True, if_exists="skip", report=False)
    (line,) = [one for one in made.release.receipt["requirements"] if one["name"] == "k"]
    assert (line["required"], line["reached"] >= 20) == (5, True)
    assert "-- It stops unless each class has 5 records." in text
    rows = duckdb.sql(text).df()
    names = list(rows)
    released = pd.read_csv(folder / "out.csv", dtype=str)
    assert sorted(map(tuple, rows[names].to_numpy())) == sorted(map(tuple, released[names].to_numpy()))


@pytest.mark.slow
def test_a_chosen_candidate_of_a_larger_k_is_skipped(candidates):
    folder, _ = candidates
    with opened(folder) as one:
        for expected in ("", "skipped"):
            done = one.run(folder / "out.csv", if_exists="skip", report=False)
            assert bool(expected) == done.release.skipped


def test_a_refused_run_advises_what_it_takes(folder, capsys):
    """`run` and what dbt loads have no `--require`; `release` has."""
    change(folder, "{k: 5}", "{k: 300}")
    at = ["-p", str(folder / "anonduck.yml"), "-o", str(folder / "out.csv")]
    assert run(["release", "job=0", *at]) == 1
    assert "`--require k=N` replaces the requirement" in capsys.readouterr().err
    change(folder, "models: []", "models: []\nselect: loss\nrule: 'job=0'")
    assert run(["run", *at]) == 1
    said = capsys.readouterr().err
    assert "what is required is `k` under `requirement` in the config" in said
    assert "--require" not in said
    change(folder, "rule: 'job=0'", "")
    change(folder, "{k: 300}", "{k: 5}")
    assert run(["lock", "job=0", *at[:2]]) == 0
    rewrite(folder, lambda frame: frame.head(8))
    capsys.readouterr()
    assert run(["run", "--locked", *at]) == 1
    assert "--require" not in capsys.readouterr().err
    with opened(folder) as one, pytest.raises(RequirementNotMet, match="under `requirement` in the config"):
        release_locked(one.workspace, target_here(str(folder / "loaded.parquet"), folder))  # as the plugin of dbt does


@pytest.mark.some(2)
@pytest.mark.parametrize("name", WRONG)
def test_a_lock_that_is_wrong_says_file_and_key(folder, name):
    with opened(folder) as one:
        lock = one.lock("job=1").lock.as_json()
    changes, words = WRONG[name]
    (folder / LOCK_NAME).write_text(yaml.safe_dump({**lock, **changes}))
    with pytest.raises(ConfigError, match=words) as told:
        read_lock(folder / LOCK_NAME)
    assert str(folder / LOCK_NAME) in str(told.value)


# -- the commands ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_commands_end_with_the_codes_of_the_table(folder, capsys):
    path = str(folder / "anonduck.yml")
    assert run(["lock", "job=1", "-p", path]) == 0
    assert run(["lock", "--check", "--json", "-p", path]) == 0
    told = capsys.readouterr().out
    document = json.loads(told[told.index("{") :])
    assert (document["lock"]["rule"], document["met"], document["built"]) == ({"job": 1}, True, [])
    assert run(["run", "--locked", "-o", str(folder / "a.csv"), "-p", path, "--no-report"]) == 0
    rewrite(folder, lambda frame: frame.head(8))
    assert run(["run", "--locked", "-o", str(folder / "b.csv"), "-p", path]) == 1
    rewrite(folder, bosses)
    assert run(["run", "--locked", "-o", str(folder / "b.csv"), "-p", path]) == 2
    assert run(["run", "--locked", "--reselect", "-o", str(folder / "b.csv"), "-p", path]) == 2
    assert not (folder / "b.csv").exists()


@pytest.mark.slow
def test_what_pruning_does_is_said_before_the_night_and_once_by_it(folder, capsys):
    path, night = str(folder / "anonduck.yml"), str(folder / "night.parquet")
    people(80, seed=9).to_parquet(night)
    assert run(["lock", "mondrian", "--json", "-p", path]) == 0
    assert json.loads(capsys.readouterr().out)["pruned"] is None
    assert run(["lock", "--check", "--json", "-p", path, "--source", night]) == 0
    said = capsys.readouterr()
    told = json.loads(said.out)["pruned"]
    assert 0 < told["merged"] <= told["classes"]
    assert told["detail"] < 0.9 * told["detail_at_first"]
    words = f"{told['merged']} of {told['classes']} classes of the tree do not meet the requirement"
    figures = f"keeps {told['detail']:.1%} of the detail, {told['detail_at_first']:.1%} when the tree was made"
    anew = "it is time to cut anew"
    assert [said.err.count(one) for one in (words, figures, anew)] == [1, 1, 1]
    locked = ["run", "--locked", "-p", path, "--source", night, "--no-report"]
    assert run([*locked, "--json", "-o", str(folder / "a.csv")]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["release"]["method"]["pruned"] == told
    assert [said.err.count(one) for one in (words, figures, anew)] == [1, 1, 1]
    assert run([*locked, "-o", str(folder / "b.csv")]) == 0
    said = capsys.readouterr()
    assert [said.err.count(one) for one in (words, figures, anew)] == [1, 1, 1]
    assert words not in said.out
    assert run(["lock", "job=1", "--json", "-p", path]) == 0
    assert json.loads(capsys.readouterr().out)["pruned"] is None


NAMES = st.one_of(
    st.sampled_from(["yes", "null", "12", "1e5", "a: b", "- x", "имя", "it's", 'a"b', "~", "2020-01-01", "<<", "!x"]),
    st.text(st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="\ufeff"), min_size=1, max_size=8),
)


@given(st.dictionaries(NAMES, st.integers(0, 5), min_size=1, max_size=4), st.text("0123456789abcdef", min_size=16))
@examples(50)
def test_a_lock_is_read_as_it_was_written(tmp_path_factory, levels, key):
    path = tmp_path_factory.mktemp("lock") / LOCK_NAME
    one = {"kind": "file", "levels": 2, "fingerprint": "sha256:" + "0" * 64}
    lock = Lock.model_validate(
        {
            "version": 1,
            "rule": levels,
            **{"class": "no", "sensitive": list(levels), "insensitive": []},
            **{"requirement": {"k": 5, "suppression": 0.02}, "unmapped": "refuse"},
            "keep": dict.fromkeys(levels),
            **{"records": one["fingerprint"], "key": key[:16], "taxonomies": dict.fromkeys(levels, one)},
        }
    )
    write_lock(path, lock)
    assert read_lock(path) == lock


# -- properties --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from("ab'\"")), unique_by=lambda row: row[0], max_size=5))
@examples(30)
def test_the_fingerprint_of_a_built_taxonomy_follows_its_content_and_no_order(shared, rows):
    from oracles import write_taxonomy

    from anonduck.taxonomy.catalog import register

    def fingerprint(of):
        write_taxonomy(shared, "c", {value: (label, "*") for value, label in of})
        register(shared, "c", kind="intervals", ordered=True, origin="a test", options={"kind": "intervals"})
        return taxonomy_fingerprint(shared, "c")

    rows = [*rows, (10, "z")]
    first = fingerprint(rows)
    assert first.startswith("hmac-sha256:")
    assert fingerprint([*rows[:-1], (10, "y")]) != first
    assert fingerprint(rows) == first
    turned = 'CREATE OR REPLACE TABLE taxonomy."c" AS FROM taxonomy."c" ORDER BY value DESC'
    shared.run(Statement("turned", turned))
    assert taxonomy_fingerprint(shared, "c") == first


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from(["age", "job", "rate"]), st.integers(0, 5), min_size=1))
@examples(20)
def test_coarser_rules_are_coarser_and_keep_what_must_stay(tmp_path_factory, levels):
    with Project(source=people(60), class_="class", identifiers=["id", "note"], keep={"job": 1}) as one:
        one.build_taxonomies()
        roots = {name: taxonomy.root for name, taxonomy in one.taxonomies.items()}
        below = {name: min(level, roots[name] - 1) for name, level in levels.items()}
        below["job"] = 0
        found = list(coarser(one.workspace, below))
    assert found
    for way in found:
        assert all(way.get(name, roots[name]) >= level for name, level in below.items())
        assert way != below
        assert way["job"] <= 1


RULE = {"method": None, "rule": {"job": 1}, "text": "job=1", "show": None, "recoding": None, "tree": None, "next": None}
CUTS = LockedMethod(name="mondrian", options={"strict": True, "splits": "width", "numbers": "nodes"}, seed=0)
METHOD = {**RULE, "method": CUTS, "rule": None, "text": "mondrian"}
TYPICAL_METHOD = {**METHOD, "show": "typical"}


@pytest.mark.parametrize(
    ("locked", "keys", "words"),
    [
        (RULE, {}, []),
        (RULE, {"rule": "job=1"}, []),
        (RULE, {"rule": "R7"}, []),  # an id that is not stored
        (RULE, {"rule": "job=0"}, ["`rule` is job=0, and job=1 is locked"]),
        (RULE, {"seed": 4, "show": ["typical"]}, []),
        (RULE, {"method": "mondrian"}, ["`method` is mondrian, and job=1 is locked"]),
        (METHOD, {"method": "mondrian"}, []),
        (METHOD, {"method": "guided"}, ["`method` is guided, and mondrian is locked"]),
        (METHOD, {"seed": 4}, ["the options or the seed of the method mondrian changed"]),
        (
            METHOD,
            {"methods": {"mondrian": {"strict": False}}},
            ["the options or the seed of the method mondrian changed"],
        ),
        ({**METHOD, "recoding": "kept"}, {"methods": {"mondrian": {"splits": "width"}}}, []),
        ({**METHOD, "tree": "kept"}, {"methods": {"mondrian": {"splits": "width"}}}, []),
        (METHOD, {"show": ["typical"]}, ["`show` is typical, and ranges is locked"]),
        (TYPICAL_METHOD, {"show": ["ranges", "typical"]}, []),
        (TYPICAL_METHOD, {}, ["`show` is ranges, and typical is locked"]),
        (TYPICAL_METHOD, {"show": {"job": "typical"}}, ["`show` names columns, and one way for all columns is locked"]),
        (METHOD, {"rule": "job=0"}, ["`rule` is job=0, and mondrian is locked"]),
    ],
)
def test_what_the_config_says_otherwise_is_listed(database, locked, keys, words):
    workspace = SimpleNamespace(config=make_config({"class": "class", **keys}), database=database)
    assert list(_other_recoding(workspace, SimpleNamespace(**locked))) == words


@pytest.mark.parametrize(
    ("rule", "words"), [("R2", []), (" R2 ", []), ("R1", ["`rule` is job=0, and job=1 is locked"]), ("R3", [])]
)
def test_a_rule_of_the_config_that_is_stored_is_that_of_its_levels(monkeypatch, rule, words):
    rules = [SimpleNamespace(id=f"R{number}", levels={"job": number - 1}) for number in (1, 2)]
    monkeypatch.setattr(lock, "read_discovery", lambda database: SimpleNamespace(rules=rules))
    workspace = SimpleNamespace(config=make_config({"class": "class", "rule": rule}), database=None)
    assert list(_other_recoding(workspace, SimpleNamespace(**RULE))) == words


@pytest.mark.parametrize(
    ("keep", "expected"),
    [
        ([], [{"a": 1, "b": 1}, {"a": 0}, {"a": 2, "b": 1}, {"b": 1}, {"a": 1}, {"a": 2}]),
        ({"a": 1}, [{"a": 1, "b": 1}, {"a": 0}, {"a": 1}]),
    ],
)
def test_coarser_rules_raise_one_column_and_then_all(tmp_path, keep, expected):
    """Of a, whose root is at level 3, and b, whose root is at level 2, which a rule then no longer names."""
    taxonomies = {"a": SimpleNamespace(root=3), "b": SimpleNamespace(root=2), "c": SimpleNamespace(root=1)}
    workspace = SimpleNamespace(
        config=make_config({"class": "class", "keep": keep}), folder=tmp_path, taxonomies=taxonomies
    )
    assert list(coarser(workspace, {"a": 0, "b": 1})) == expected


def test_a_setting_that_changed_is_shown_with_what_it_holds():
    value = {"k": 5, "of": None, "kept": ["a", "b"], "sensitive": {"l": 2, "in": ["x"]}}
    assert _shown(value) == "{k: 5, of: none, kept: [a, b], sensitive: {l: 2, in: [x]}}"
