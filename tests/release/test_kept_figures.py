"""What a release, its receipt and certificate say of the records that kept columns single out; what is refused."""

import json
from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from duck_writer import DuckWriter
from oracles import beside, documents
from test_release import files_in

from anonduck import Project, audit
from anonduck.cli.app import run
from anonduck.engines import opened
from anonduck.errors import ConfigError, ReleaseJudgedUnder, RequirementNotMet, RuleError
from anonduck.release.kept_figures import refuse_rare_source

RARE = "charge"
DAYS = "days before arrest"
LEVELS = {"age": 1}


def court(rows=60, rare=7):
    """Court records: a description with a long tail, days with NULLs, an age, a person with two records, a class."""
    numbers = np.arange(rows)
    charge = np.where(numbers < rare, [f"rare {n}" for n in numbers], np.where(numbers % 2, "theft", "battery"))
    days = pd.array([None if n % 10 == 3 else int(n % 3) for n in numbers], dtype="Int64")
    people = {"person": numbers // 2, "age": 20 + numbers % 20, RARE: charge, DAYS: days, "again": numbers % 3 > 0}
    return pd.DataFrame(people)


def project(frame=None, **settings):
    roles = {"sensitive": [RARE], "insensitive": [DAYS], "identifiers": ["person"], "models": []}
    taxonomies = {"age": {"intervals": 5}}
    return Project(
        source=court() if frame is None else frame, class_="again", taxonomies=taxonomies, **roles | settings
    )


def alone(path, most=1):
    """The records of a file in combinations of so many records at most, by counting them."""
    rows = Counter(map(repr, pd.read_parquet(path).itertuples(index=False, name=None)))
    return sum(n for n in rows.values() if n <= most)


@pytest.mark.some(1)
@pytest.mark.parametrize("name", ["r.parquet", "r.csv", "r.duckdb::t"])
def test_a_receipt_tells_what_an_audit_of_the_file_tells(tmp_path, name):
    made = project().release(LEVELS, tmp_path / name)
    assert (made.receipt["kept"][RARE], made.receipt["rare_under"]) == ({"rare": 7}, 5)
    roles = {"sensitive": [RARE], "insensitive": [DAYS], "class_": "again"}
    report = audit(str(tmp_path / name), requirements={"k": 5}, **roles).as_json()
    keys = ("kept", "rare_under", "unique_with_kept")
    assert [made.as_json()[key] for key in keys] == [report[key] for key in keys] == [made.receipt[key] for key in keys]
    if name == "r.parquet":
        assert made.receipt["unique_with_kept"] == alone(tmp_path / name)


@pytest.mark.slow
def test_a_dry_run_tells_the_same_and_writes_nothing(tmp_path):
    one = project(requirement={"k": 5, "kept_rare": 7})
    made = one.release(LEVELS, tmp_path / "r.parquet")
    dry = one.release(LEVELS, dry_run=True)
    for key in ("kept", "rare_under", "unique_with_kept", "requirements"):
        assert dry.receipt[key] == made.receipt[key]
    assert made.receipt["requirements"][-1]["met"]
    missed = one.release(LEVELS, dry_run=True, requirement={"kept_rare": 6})
    assert (missed.as_json()["met"], missed.receipt["requirements"][-1]["lowered"]) == (False, False)
    assert one.release(LEVELS, dry_run=True, requirement={"kept_rare": 8}).receipt["requirements"][-1]["lowered"]


@pytest.mark.some(1)
@pytest.mark.parametrize("name", ["r.parquet", "r.duckdb::t"])
def test_what_is_over_the_number_is_refused_with_three_ways_out(tmp_path, name):
    with pytest.raises(RequirementNotMet) as refused:
        project(requirement={"kept_rare": 6}).release(LEVELS, tmp_path / name)
    words = str(refused.value)
    for part in (f"kept_rare = 7 (column '{RARE}'), over the required 6", "taxonomy", "`l`", "{kept_rare: 7}"):
        assert part in words
    assert "rare 1" not in words
    assert files_in(tmp_path) == []


@pytest.mark.slow
def test_records_that_are_left_out_are_not_counted(tmp_path):
    frame = court().assign(age=[90] * 7 + [30] * 53)  # those with a rare charge are a class of 7, under a k of 8
    one = project(frame, requirement={"k": 8, "suppression": 0.2, "kept_rare": 5})
    made = one.release({"age": 0}, tmp_path / "r.parquet")
    assert (made.suppressed, made.receipt["kept"][RARE]) == (7, {"rare": 0})
    assert one.release({"age": 0}, dry_run=True).receipt["kept"] == made.receipt["kept"]


@pytest.mark.slow
def test_under_an_entity_the_records_of_k_persons_decide(tmp_path):
    made = project(identifiers=[], entity="person", requirement={"k": 3}).release(LEVELS, tmp_path / "r.parquet")
    told = made.receipt["entity"]
    assert (made.receipt["rare_under"], told["records"]) == (5, 5)
    assert made.receipt["unique_with_kept"] == alone(tmp_path / "r.parquet")
    assert told["unique_with_kept"] == alone(tmp_path / "r.parquet", most=2)
    words = f"{told['unique_with_kept']} records may point to a single person: no more than 2 records share "
    assert any(line.startswith(words) for line in made_lines(told))


def least_rare(values, most, under):
    """The fewest records with a rare value that leaving out ``most`` records can leave, by trying all ways."""
    found = []
    for left_out in range(most + 1):
        for gone in combinations(range(len(values)), left_out):
            held = Counter(value for n, value in enumerate(values) if n not in gone)
            found.append(sum(n for n in held.values() if n < under))
    return min(found)


@pytest.mark.slow
@pytest.mark.parametrize("suppression", [0.0, 0.12, 0.25, 0.4])
def test_a_search_is_refused_where_no_suppression_can_meet_it(suppression):
    values = ["theft", "theft", "theft", "theft", "arson", "fraud", None, None]
    frame = pd.DataFrame({"age": range(8), RARE: values, "again": [True, False] * 4})
    least = least_rare(values, int(suppression * 8), under=3)
    for required in range(5):
        asked = {"k": 3, "suppression": suppression, "kept_rare": required}
        with project(frame, insensitive=[], identifiers=[], requirement=asked) as one:
            if required < least:
                with pytest.raises(RequirementNotMet, match=rf"kept_rare = 4 \(column '{RARE}'\), over the required"):
                    refuse_rare_source(one.workspace)
            else:
                refuse_rare_source(one.workspace)


def test_a_run_that_kept_columns_refuse_does_not_search(tmp_path):
    with project(requirement={"k": 5, "kept_rare": 6}, select="information_gain") as one:
        with pytest.raises(RequirementNotMet, match="every release by a rule reaches kept_rare = 7") as refused:
            one.run(tmp_path / "r.parquet")
        with pytest.raises(RuleError):
            one.discovered()
    assert (refused.value.exit_code, files_in(tmp_path)) == (1, [])


@pytest.mark.slow
@pytest.mark.parametrize(("suppression", "kind"), [(0.0, RequirementNotMet), (0.2, ReleaseJudgedUnder)])
def test_only_where_records_may_be_left_out_another_rule_may_meet_it(tmp_path, suppression, kind):
    asked = {"k": 5, "kept_rare": 6, "suppression": suppression}
    with pytest.raises(RequirementNotMet) as refused:
        project(requirement=asked).release(LEVELS, tmp_path / "r.parquet")
    assert type(refused.value) is kind


def made_lines(told):
    from anonduck.config.persons import PersonCounts

    return PersonCounts.of(told).lines


@pytest.mark.slow
@pytest.mark.parametrize("method", ["mondrian", "tds", "datafly"])
def test_a_method_is_refused_as_a_rule_is(tmp_path, method):
    one = project(requirement={"kept_rare": 6})
    with pytest.raises(RequirementNotMet, match="kept_rare = 7"):
        one.anonymize(method, tmp_path / "r.parquet")
    assert files_in(tmp_path) == []


@pytest.mark.parametrize("method", ["nsvdist", "probabilistic"])
def test_a_method_that_shows_no_class_as_it_is_cannot_be_asked(tmp_path, method):
    one = project(sensitive=[], insensitive=[], identifiers=["person", RARE, DAYS], requirement={"kept_rare": 6})
    with pytest.raises(ConfigError, match="cannot meet kept_rare"):
        one.anonymize(method, tmp_path / "r.parquet")


@pytest.mark.slow
def test_a_run_ends_with_one_and_leaves_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    court().to_parquet("court.parquet")
    text = f"source: court.parquet\nclass: again\nidentifiers: [person]\nsensitive: [{RARE}]\ninsensitive: [{DAYS}]\n"
    (tmp_path / "anonduck.yml").write_text(
        text + "models: []\nselect: information_gain\nrequirement: {k: 5, kept_rare: 6}\n"
    )
    assert run(["run", "-o", "r.parquet"]) == 1
    assert "requirement: {kept_rare: 7}" in capsys.readouterr().err
    assert not {"r.parquet", *documents("r.parquet")} & set(files_in(tmp_path))
    (tmp_path / "anonduck.yml").write_text(
        text + "models: []\nselect: information_gain\nrequirement: {k: 5, kept_rare: 7}\n"
    )
    assert run(["run", "-o", "r.parquet"]) == 0
    out = capsys.readouterr().out
    for line in ("kept_rare <= 7: met (7", f"kept column '{RARE}': 7 records hold a value that fewer than 5 records"):
        assert line in out
    assert set(beside("r.parquet")) <= set(files_in(tmp_path))
    told = f"Kept column '{RARE}': 7 records hold a value that fewer than 5 records hold"
    assert json.dumps(told[1:])[1:-1] in (tmp_path / "r.parquet.report.html").read_text()
    assert run(["report", "-o", "c.html", "--release", "r.parquet"]) == 0
    assert "7 records hold a value that fewer than 5 records hold." in (tmp_path / "c.html").read_text()


@pytest.mark.slow
def test_what_stays_in_an_engine_is_not_measured_and_not_met(tmp_path, monkeypatch):
    engine = DuckWriter()
    engine.connection.register("frame", court())
    engine.connection.execute("CREATE TABLE t AS FROM frame")
    monkeypatch.setitem(opened.KINDS, "spark", lambda session, master: engine)
    monkeypatch.chdir(tmp_path)
    one = project("table:t", engine={"kind": "spark"}, requirement={"kept_rare": 7})
    dry = one.release(LEVELS, dry_run=True)
    (line,) = [one for one in dry.receipt["requirements"] if one["name"] == "kept_rare"]
    assert (dry.receipt["kept"], line["reached"], line["met"]) == (None, None, False)
    made = one.release(LEVELS, "spark:main.r")
    assert made.receipt["kept"] == {RARE: {"rare": 7}, DAYS: {"rare": 0}, "again": {"rare": 0}}
    with pytest.raises(RequirementNotMet, match="kept_rare = 7"):
        one.release(LEVELS, "spark:main.other", requirement={"kept_rare": 6})
    assert engine.connection.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'other'").fetchone() == (
        0,
    )
