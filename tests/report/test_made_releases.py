"""Releases by methods beside rules: on the frontier's list and charts, and in reports with and without a discovery."""

import json

import pytest
from persons import settled

from anonduck import Project, attack
from anonduck.cli.app import run
from anonduck.errors import ConfigError, RuleError
from anonduck.release.made_releases import comparable_releases, made_releases
from anonduck.report.contents import gather
from anonduck.report.frontier_chart import release_points, text_chart
from anonduck.search.store import last_choice


@pytest.fixture
def folder(tmp_path, monkeypatch):
    settled()["source"].to_parquet(tmp_path / "people.parquet")
    (tmp_path / "anonduck.yml").write_text(
        "source: people.parquet\nclass: bought\ninsensitive: [day]\nrequirement: {k: 5}\nholdout: 0\n"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_a_release_is_kept_while_its_receipt_stands(folder):
    with Project("anonduck.yml") as one:
        one.anonymize("mondrian", "fine.parquet")
        one.anonymize("mondrian", "coarse.parquet", k=20)
        one.anonymize("mondrian", dry_run=True)
        one.release("age=1", "rule.parquet")
        kept = made_releases(one.workspace)
        assert [(made.file.rpartition("/")[2], made.receipt["k"] >= 20) for made in kept] == [
            ("coarse.parquet", True),
            ("fine.parquet", False),
        ]
        assert all(made.same_records for made in kept)
        assert len(comparable_releases(one.workspace, 400)) == 2
        assert not comparable_releases(one.workspace, 399)
        one.anonymize("mondrian", "fine.parquet", k=7, overwrite=True)
        assert [made.receipt["k"] >= 7 for made in made_releases(one.workspace)] == [True, True]
        one.release("age=1", "fine.parquet", overwrite=True)
        (folder / "coarse.parquet.receipt.json").unlink()
        assert made_releases(one.workspace) == []


@pytest.mark.slow
@pytest.mark.parametrize("method", ["tds", "ola"])
def test_releases_of_every_kind_are_kept(folder, method):
    with Project("anonduck.yml") as one:
        one.discover(coverage=[0.1])
        made = one.anonymize(method, "out.parquet")
        (kept,) = comparable_releases(one.workspace, 400)
        (listed,) = one.frontier().attrs["releases"]
        page = gather(one.workspace)
    assert kept.receipt["method"]["name"] == listed["method"]["name"] == method
    assert listed["utility"] == made.owner["utility"]["measures"]
    assert [each["file"] for each in page["releases"]] == ["out.parquet"]


@pytest.mark.slow
def test_a_release_of_other_records_is_told_apart(folder):
    with Project("anonduck.yml") as one:
        one.anonymize("mondrian", "out.parquet")
        people = settled()["source"]
        people["age"] += 1
        people.to_parquet("people.parquet")
    with Project("anonduck.yml") as one:
        assert [made.same_records for made in made_releases(one.workspace)] == [False]
        assert not comparable_releases(one.workspace, 400)


@pytest.mark.slow
def test_the_frontier_lists_and_draws_releases_beside_rules(folder, capsys):
    assert run(["discover", "--coverage", "0.1"]) == 0
    assert run(["anonymize", "mondrian", "-o", "out.parquet"]) == 0
    told = capsys.readouterr().out
    assert "loss" not in told
    assert run(["frontier", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    (made,) = document["releases"]
    receipt = json.loads((folder / "out.parquet.owner.json").read_text())
    assert (made["k"], made["classes"]) == (receipt["k"], receipt["classes"])
    assert made["utility"] == receipt["utility"]["measures"]
    assert "levels" not in made
    assert run(["frontier", "--plot", "--objective", "k", "--objective", "loss"]) == 0
    shown = capsys.readouterr().out
    assert "releases by methods" in shown
    assert "◆" in shown
    with Project("anonduck.yml") as one:
        table = one.frontier()
        assert [each["file"] for each in table.attrs["releases"]] == [made["file"]]
        page = gather(one.workspace)
        assert [each["file"] for each in page["releases"]] == ["out.parquet"]
        assert len(page["releases"][0]["values"]) == len(page["measures"])


def test_a_mark_of_its_own_names_the_method():
    rule = {"id": "R1", "k": 10, "value": 0.5, "frontier": True}
    made = {"id": "mondrian", "method": "mondrian", "k": 12, "value": 0.6, "frontier": False}
    lines = text_chart([rule, made], "accuracy", required=5, width=40, height=4)
    assert "mondrian ◆" in lines[0] or "◆ mondrian" in lines[0]
    assert "◆ releases by methods" in lines[-1]
    assert not release_points([], "accuracy")


@pytest.mark.slow
def test_the_report_needs_no_discovery_where_methods_made_releases(folder):
    with Project("anonduck.yml") as one:
        with pytest.raises(RuleError):
            one.report("none.html")
        one.anonymize("mondrian", "out.parquet")
        one.report("report.html")
    found = attack("out.parquet", "people.parquet", sensitive=["day"], guesses=20, project="anonduck.yml")
    (folder / "attacks.json").write_text(json.dumps(found.as_json()))
    with Project("anonduck.yml") as one:
        one.report("attacked.html", attacks="attacks.json")
        (folder / "other.json").write_text(json.dumps({**found.as_json(), "file": "other.parquet"}))
        with pytest.raises(ConfigError, match="none of the releases"):
            one.report("other.html", attacks="other.json")
    plain, attacked = ((folder / name).read_text() for name in ("report.html", "attacked.html"))
    for word in ("out.parquet", "SHA-256", "Requirements and results", "What it keeps", "No rules were discovered"):
        assert word in plain
    assert "No attack on this release is reported" in plain
    assert "Attacks tried" in attacked
    assert "<script" not in plain


@pytest.mark.slow
def test_the_certificate_tells_what_a_release_keeps(folder):
    with Project("anonduck.yml") as one:
        one.anonymize("mondrian", "out.parquet")
        one.certificate("out.parquet", "certificate.html", owner=True)
    text = (folder / "certificate.html").read_text()
    assert "What it keeps" in text
    assert "information gain" in text


@pytest.mark.slow
def test_a_run_by_a_method_keeps_its_choice_and_writes_the_report(folder):
    with (folder / "anonduck.yml").open("a") as file:
        file.write("method: mondrian\n")
    with Project("anonduck.yml") as one:
        done = one.run("out.parquet")
        choice = last_choice(one.database)
        assert choice is not None
        assert (choice.by_rule, choice.method["name"], choice.levels) == (False, "mondrian", {})
    assert done.report == str(folder / "out.parquet.report.html")
    assert "mondrian" in (folder / "out.parquet.report.html").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("by", ["method", "classes", "rule"])
def test_a_release_for_a_larger_k_leaves_taxonomies_that_attacks_can_use(folder, by):
    jobs = [
        ("clerk", "office"),
        ("cook", "kitchen"),
        ("maid", "house"),
        ("nurse", "care"),
        ("smith", "craft"),
        ("sales", "shop"),
    ]
    people = settled()["source"]
    people["job"] = [jobs[number][0] for number in people["job"]]
    people.to_parquet("people.parquet")
    (folder / "jobs.csv").write_text("".join(f"{job},{place},*\n" for job, place in jobs))
    with (folder / "anonduck.yml").open("a") as file:
        file.write("taxonomies: {job: {file: jobs.csv, header: false}}\n")
    with Project("anonduck.yml") as one:
        if by == "method":
            one.anonymize("mondrian", "out.parquet", k=10)
        elif by == "rule":
            one.release("job=1", "out.parquet", requirement={"k": 10})
        else:
            groups = people.assign(group=people["job"])[["day", "group"]]
            one.release(classes=groups, key="day", path="out.parquet", requirement={"k": 10})
        assert "job" in one.taxonomies
    found = attack(
        "out.parquet", "people.parquet", sensitive=["bought"], insensitive=["day"], guesses=20, project="anonduck.yml"
    )
    assert "job" in found.quasi_identifiers
