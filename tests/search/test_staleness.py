"""What each command does with stored rules after each kind of change: one table, from the config to the records."""

import json
import shutil

import pytest
import yaml
from click.testing import CliRunner
from oracles import people

from anonduck import Project
from anonduck.cli.app import cli
from anonduck.database.progress import Reporter
from anonduck.errors import AnonduckError, RequirementNotMet, RuleError, SourceError

BASE = {
    "source": "people.csv",
    "class": "class",
    "identifiers": ["id"],
    "insensitive": ["note"],
    "search": "rfd",
    "coverage": [0.05],
    "models": [],
    "select": "information_gain",
    "requirement": {"k": 4},
    "taxonomies": {"age": {"breaks": [30, 40, 50]}, "job": {"file": "job.csv"}, "rate": {"clusters": True}},
}
RULES = ("age", "job", "rate")
"""Each column has a rule that names it alone: these are asked for by id."""

USED, NOTED, REFUSED, UNMET = "used", "used and noted", "refused", "not met"


def jobs(folder, groups):
    lines = [f"{job},{group},*" for group, names in groups.items() for job in names]
    (folder / "job.csv").write_text("\n".join(lines) + "\n")


def records(folder, rows):
    people(rows).to_csv(folder / "people.csv", index=False)


def configure(folder, changes):
    (folder / "anonduck.yml").write_text(yaml.safe_dump({**BASE, **changes}))


@pytest.fixture(scope="module")
def decided(tmp_path_factory):
    """A folder in which a discovery was made by the base config, and the ids of the rules that name one column."""
    folder = tmp_path_factory.mktemp("decided")
    records(folder, 150)
    jobs(folder, {"one": ["clerk", "cook"], "two": ["nurse", "smith"]})
    configure(folder, {})
    with Project(folder / "anonduck.yml") as one:
        one.discover()
        ids = {name: rule.id for rule in one.discovered().rules for name in RULES if set(rule.levels) == {name}}
    assert set(ids) == set(RULES)
    return folder, ids


def copied(decided, tmp_path):
    folder = tmp_path / "project"
    shutil.copytree(decided[0], folder, copy_function=shutil.copy2)
    return folder, decided[1]


def outcome(said, job):
    """What a job does: it goes through, with a note of what changed or without, or ends in an error."""
    said.clear()
    try:
        job()
    except RequirementNotMet:
        return UNMET
    except (RuleError, SourceError):  # exit code 2
        return REFUSED
    return NOTED if any("the stored rules are out of date" in words for words in said) else USED


def regrouped(folder):
    jobs(folder, {"one": ["clerk", "nurse"], "two": ["cook", "smith"]})


def relabelled(folder):
    jobs(folder, {"first": ["clerk", "cook"], "second": ["nurse", "smith"]})


def more_records(folder):
    records(folder, 160)


def touched(folder):
    (folder / "people.csv").touch()


CASES = {
    # what changed: (in the config, in files), the reason, what becomes of the ids by column, is run to discover anew
    "nothing": ({}, None, None, (USED, USED, USED), False),
    "time of the file": ({}, touched, None, (USED, USED, USED), False),
    "taxonomy options": (
        {"taxonomies": {**BASE["taxonomies"], "age": {"breaks": [25, 40, 50]}}},
        None,
        "the taxonomy of 'age'",
        (REFUSED, NOTED, NOTED),
        True,
    ),
    "taxonomy file": ({}, regrouped, "the taxonomy of 'job'", (NOTED, REFUSED, NOTED), True),
    "labels of a taxonomy file": ({}, relabelled, "the taxonomy of 'job'", None, True),
    "role": (
        {"insensitive": ["note", "rate"], "taxonomies": {name: BASE["taxonomies"][name] for name in ("age", "job")}},
        None,
        "quasi-identifiers",
        (NOTED, NOTED, REFUSED),
        True,
    ),
    "role of no quasi-identifier": (
        {"insensitive": [], "identifiers": ["id", "note"]},
        None,
        None,
        (USED, USED, USED),
        False,
    ),
    "where": ({"where": "age > 20"}, None, "`where`", (NOTED, NOTED, NOTED), True),
    "types": ({"types": {"rate": "VARCHAR"}}, None, "`types`", (NOTED, NOTED, NOTED), True),
    "nulls": ({"nulls": "reject"}, None, "`nulls`", (REFUSED, REFUSED, REFUSED), None),
    "class": ({"class": "note", "insensitive": ["class"]}, None, "the class", (REFUSED, REFUSED, REFUSED), True),
    "k": ({"requirement": {"k": 5}}, None, None, (USED, USED, USED), False),
    "k that none reaches": ({"requirement": {"k": 140}}, None, None, (UNMET, UNMET, UNMET), None),
    "models": ({"models": ["tree"], "holdout": 0}, None, "`models`", (NOTED, NOTED, NOTED), True),
    "select": ({"select": "k"}, None, None, (USED, USED, USED), False),
    "seed": ({"seed": 1}, None, "`seed`", (NOTED, NOTED, NOTED), True),
    "records": ({}, more_records, "the records of the source", (NOTED, NOTED, NOTED), True),
    "csv": ({"csv": {"delim": ","}}, None, "`csv`", (NOTED, NOTED, NOTED), True),
    "timezone": ({"timezone": "Europe/Rome"}, None, "`timezone`", (NOTED, NOTED, NOTED), True),
    "keep": ({"keep": ["job"]}, None, "`keep`", (UNMET, NOTED, UNMET), True),
    "threads": ({"threads": 1, "memory_limit": "1GB"}, None, None, (USED, USED, USED), False),
}


def changed(decided, tmp_path, name, *, looked=False):
    """A folder in which something changed; ``looked``: after somebody had looked whether anything did."""
    folder, ids = copied(decided, tmp_path)
    if looked:
        with Project(folder / "anonduck.yml") as one:
            assert one.stale() == []
    changes, in_files, reason, expected, anew = CASES[name]
    configure(folder, changes)
    if in_files:
        in_files(folder)
    return folder, ids, reason, expected, anew


@pytest.mark.some(0, 5)
@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_what_is_shown_says_what_changed(decided, tmp_path, name):
    folder, _, reason, _, _ = changed(decided, tmp_path, name, looked=True)
    said = []
    wanted = NOTED if reason else USED
    with Project(folder / "anonduck.yml", reporter=Reporter(said.append)) as one:
        stale = one.stale()
        assert any(reason in words for words in stale) if reason else stale == []
        assert outcome(said, one.rules) == wanted
        assert one.rules().attrs["stale"] == one.frontier(["k", "information_gain"]).attrs["stale"] == stale
        assert outcome(said, lambda: one.frontier(["k", "information_gain"])) == wanted
        assert outcome(said, lambda: one.sql("job=1", of="k")) == wanted
        assert outcome(said, lambda: one.report(folder / "report.html")) == wanted
        assert f'"stale":{json.dumps(stale, separators=(",", ":"))}' in (folder / "report.html").read_text()


@pytest.mark.some(0, 5)
@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_an_id_means_what_it_meant_or_nothing(decided, tmp_path, name):
    """Each time it is asked, the first time as the second: nothing that one command makes lets the next one through."""
    folder, ids, _, expected, _ = changed(decided, tmp_path, name)
    said = []
    for column, wanted in zip(RULES, expected or (NOTED, NOTED, NOTED), strict=True):
        out = folder / f"of_{column}.csv"
        told = {UNMET: {UNMET}, USED: {USED}, REFUSED: {REFUSED}}.get(
            wanted, {NOTED, USED if expected is None else NOTED}
        )
        with Project(folder / "anonduck.yml", reporter=Reporter(said.append)) as one:
            for again in (False, True):
                assert outcome(said, lambda: one.release(ids[column], out, overwrite=again)) in told  # noqa: B023
            assert out.exists() == (wanted not in (REFUSED, UNMET))
            assert outcome(said, lambda: one.release(ids[column], None, dry_run=True)) in told | (  # noqa: B023
                {USED, NOTED} if wanted == UNMET else set()
            )
            if name != "nulls":  # which the source itself is refused for
                by_text = {USED, NOTED} if wanted == UNMET and name != "keep" else told
                assert outcome(said, lambda: one.sql(ids[column])) in by_text  # noqa: B023
                assert outcome(said, lambda: one.rule_levels(ids[column])) in (  # noqa: B023
                    {REFUSED} if wanted == REFUSED else {USED, NOTED}
                )


@pytest.mark.slow
@pytest.mark.some(2, 5)
@pytest.mark.parametrize(
    "name", [name for name in CASES if name not in ("nulls", "role", "keep", "k that none reaches")]
)
def test_a_literal_stays_usable(decided, tmp_path, name):
    folder, *_ = changed(decided, tmp_path, name)
    with Project(folder / "anonduck.yml") as one:
        assert (
            one.release("rate=0" if name == "types" else "age=0" if name == "role" else "job=1", folder / "o.csv").k
            >= 4
        )


@pytest.mark.some(0, 5)
@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_run_discovers_anew_where_rules_would_be_others(decided, tmp_path, name):
    folder, _, _, _, anew = changed(decided, tmp_path, name)
    with Project(folder / "anonduck.yml") as one:
        if anew is None:
            with pytest.raises(AnonduckError):
                one.run(folder / "out.csv", report=False)
        else:
            assert one.run(folder / "out.csv", report=False).discovered == anew


@pytest.mark.slow
def test_the_command_line_tells_it_on_stderr_and_in_json(decided, tmp_path):
    folder, ids, *_ = changed(decided, tmp_path, "taxonomy options")
    path = ["-p", str(folder / "anonduck.yml")]
    for command in (["rules"], ["frontier"], ["report", "-o", str(folder / "report.html")]):
        done = CliRunner().invoke(cli, [*command, "--json", *path])
        assert json.loads(done.stdout)["stale"] == ["the taxonomy of 'age' changed"]
        assert "run `anonduck discover` again" in done.stderr
    for _ in range(2):
        with pytest.raises(RuleError, match=f"{ids['age']} generalizes 'age'"):
            CliRunner().invoke(
                cli,
                ["release", ids["age"], "-o", str(folder / "o.csv"), *path],
                catch_exceptions=False,
                standalone_mode=False,
            )
    assert not (folder / "o.csv").exists()
    sql = ["sql", "job=1", "--of", "k", *path]
    assert "the taxonomy of 'age' changed" in str(CliRunner().invoke(cli, sql).exception)  # which was made anew by now


# -- what is remembered beside the rules -------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_last_choice_is_of_its_taxonomies(decided, tmp_path):
    folder, _ = copied(decided, tmp_path)
    with Project(folder / "anonduck.yml") as one:
        levels = one.run(folder / "out.csv", report=False).levels
    (name, *_) = levels
    other = {
        "age": {"breaks": [25, 45]},
        "job": {"groups": {"a": ["cook", "clerk", "nurse"]}},
        "rate": {"intervals": 2},
    }
    configure(folder, {"taxonomies": {**BASE["taxonomies"], name: other[name]}})
    said = []
    with Project(folder / "anonduck.yml", reporter=Reporter(said.append)) as one:
        assert one.run(folder / "next.csv", report=False).discovered
    assert any("the role or the taxonomy of a column of the last choice" in words for words in said)


# -- a discovery that was asked for otherwise --------------------------------------------------------------------------


@pytest.mark.slow
def test_run_uses_what_another_search_found(decided, tmp_path):
    folder, _ = copied(decided, tmp_path)
    with Project(folder / "anonduck.yml") as one:
        one.discover(search="rfd")
        assert one.stale() == []
        found = one.discovered()
        assert not one.run(folder / "out.csv", report=False).discovered
        assert one.discovered().summary == found.summary
        assert not one.run(folder / "out.csv", overwrite=True, reselect=True, report=False, search="rfd").discovered
        assert one.run(folder / "out.csv", overwrite=True, reselect=True, report=False, search="auto").discovered


@pytest.mark.slow
def test_run_searches_itself_where_that_search_found_no_rule(decided, tmp_path):
    folder, _ = copied(decided, tmp_path)
    with Project(folder / "anonduck.yml") as one:
        assert not one.discover(coverage=[1.0]).rules
        done = one.run(folder / "out.csv", report=False)
        assert done.discovered
        assert done.rule is not None


def test_a_source_that_is_gone_is_named_before_anything_else(decided, tmp_path):
    folder, _ = copied(decided, tmp_path)
    (folder / "people.csv").unlink()
    said = []
    with Project(folder / "anonduck.yml", reporter=Reporter(announce=said.append)) as one:
        one.rules()
    (told,) = [line for line in said if "stored rules" in line]
    assert told.startswith("the source is missing: there is no file people.csv")
    assert "out of date" not in told
    assert "Put it back, or correct `source` in the config" in told
