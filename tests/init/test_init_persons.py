"""`anonduck init` on a table of people with several records each, in latin-1, as its user sees it."""

import json
from collections import Counter

import pytest
import yaml

from anonduck import Project
from anonduck.cli.app import run
from anonduck.config.config import Config
from anonduck.config.reading import read_config

HEAD = "customer_id;fname;age;country;religion;region;plan;plan_name;churned"
COUNTRIES = ("Italy", "Germany", "France", "Narnia")


def records(number=120):
    return [
        (
            f"C{i * i % 41}",
            ("Jürgen", "Zoé", "Bo")[i * i % 7 % 3],
            i % 60 + 18,
            COUNTRIES[i % 4],
            ("none", "other")[i % 2],
            "EU",
            "ABC"[i % 3],
            ("basic", "plus", "gold")[i % 3],
            i * i % 11 > 4,
        )
        for i in range(number)
    ]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    lines = [HEAD, *(";".join(map(str, one)) for one in records())]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n", encoding="latin-1")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def init(capsys, *options):
    code = run(["init", "people.csv", "--class", "churned", *options])
    told = capsys.readouterr()
    return code, told.out, told.err


@pytest.mark.slow
def test_an_encoding_is_found_or_named(folder, capsys):
    code, _, told = init(capsys)
    assert code == 0
    assert "people.csv is read as Windows-1252, which was found from its bytes" in told
    assert read_config(folder / "anonduck.yml").csv.encoding == "windows-1252"
    options = ("encoding=latin-1", "delim=;", "nullstr=NA", "nullstr=")
    code, _, _ = init(capsys, *(word for option in options for word in ("--csv", option)), "--overwrite")
    assert code == 0
    csv = read_config(folder / "anonduck.yml").csv
    assert (csv.encoding, csv.delim, csv.nullstr) == ("latin-1", ";", ["NA", ""])


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("encodin=latin-1", "there is no option of CSV 'encodin' (did you mean 'encoding'?)"),
        ("latin-1", "write an option of CSV as KEY=VALUE"),
        ("header=perhaps", "csv.header"),
        ("skip=-1", "csv.skip"),
    ],
)
def test_options_of_csv_that_are_none(folder, capsys, option, message):
    code, _, told = init(capsys, "--csv", option)
    assert (code, message in told) == (2, True), told


@pytest.mark.slow
def test_what_is_proposed_of_people(folder, capsys):
    code, shown, _ = init(capsys, "--csv", "encoding=latin-1", "--json")
    document = json.loads(shown)
    roles = {one["name"]: one["role"] for one in document["columns"]}
    assert code == 0
    assert roles == {
        "customer_id": "identifiers",
        "fname": "identifiers",
        "age": "quasi_identifiers",
        "country": "quasi_identifiers",
        "religion": "sensitive",
        "region": "drop",
        "plan": "quasi_identifiers",
        "plan_name": "drop",
        "churned": "class",
    }
    most = max(Counter(one[0] for one in records()).values())
    assert document["entity"]["column"] == "customer_id"
    assert (document["entity"]["most"], document["entity"]["sure_k"]) == (most, 4 * most + 1)
    assert (document["entity"]["proposed"], document["entity"]["nameless"]) == (True, 0)
    assert read_config(folder / "anonduck.yml").entity.column == "customer_id"


@pytest.mark.slow
def test_the_screen_and_the_file_say_why_and_show_no_value(folder, capsys):
    _, shown, _ = init(capsys, "--csv", "encoding=latin-1")
    written = (folder / "anonduck.yml").read_text()
    for told in (shown, written):
        assert "the same value in every record" in told
        assert "says the same as 'plan' in other words" in told
        assert "its name suggests religion" in told
        assert "3 of 4 values are countries (ISO 3166, names), 1 is not" in told
        assert "`unmapped: root` generalizes it to the root" in told
        assert "looks like an entity" in told
        assert not any(value in told for value in ("Narnia", "Zoé", "gold", "C40"))
    assert "# requirement: {k: 5, l: 2}" in written
    assert yaml.safe_load(written)["drop"] == ["region", "plan_name"]


@pytest.mark.slow
def test_the_schema_that_the_first_line_names_is_there_and_is_the_one_printed(folder, capsys):
    init(capsys, "--csv", "encoding=latin-1")
    first = (folder / "anonduck.yml").read_text().splitlines()[0]
    assert first == "# yaml-language-server: $schema=anonduck.schema.json"
    schema = json.loads((folder / "anonduck.schema.json").read_text())
    assert run(["schema"]) == 0
    assert json.loads(capsys.readouterr().out) == schema
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"].startswith("urn:anonduck:config:")
    assert set(schema["properties"]) >= {"source", "class", "drop", "csv"}


@pytest.mark.slow
def test_given_roles_win_over_what_names_suggest(folder, capsys):
    code, _, _ = init(capsys, "--csv", "encoding=latin-1", "-q", "religion", "-q", "plan_name", "--drop", "age")
    config = read_config(folder / "anonduck.yml")
    assert code == 0
    assert {"religion", "plan_name"} <= set(config.quasi_identifiers)
    assert "age" in config.drop


@pytest.mark.slow
def test_a_dropped_column_is_in_no_release_and_no_quasi_identifier(folder, capsys):
    (folder / "some.yml").write_text(
        "source: people.csv\ncsv: {encoding: latin-1}\nclass: churned\nidentifiers: [customer_id, fname]\n"
        "drop: [region, plan_name, age]\nrequirement: {k: 2}\n"
    )
    with Project("some.yml") as project:
        assert project.workspace.roles.quasi_identifiers == ("country", "religion", "plan")
        assert project.workspace.roles.drop == ("region", "plan_name", "age")
        project.release({"country": 0, "plan": 0}, folder / "out.csv")
    assert (folder / "out.csv").read_text().splitlines()[0] == "country,plan,churned"
    receipt = (folder / "out.csv.receipt.json").read_text()
    assert "plan_name" not in receipt


def test_a_dropped_column_has_no_other_role(folder, capsys):
    config = "source: people.csv\nclass: churned\ndrop: [age]\n"
    for other in ("sensitive: [age]", "identifiers: [age]", "quasi_identifiers: [age, plan]", "keep: [age]"):
        (folder / "bad.yml").write_text(config + other + "\n")
        assert run(["discover", "-p", "bad.yml"]) == 2
        assert "'age'" in capsys.readouterr().err
    assert Config(**{"class": "a", "drop": ["b"]}).named_roles()["drop"] == ["b"]


@pytest.mark.slow
def test_what_a_shipped_taxonomy_does_not_know_is_counted_when_it_is_built(folder, capsys):
    init(capsys, "--csv", "encoding=latin-1")
    config = folder / "anonduck.yml"
    config.write_text(config.read_text().replace("country: {clusters: true}", "country: {shipped: country}"))
    assert run(["taxonomy", "build", "country"]) == 0
    told = capsys.readouterr().err
    strange = sum(one[3] == "Narnia" for one in records())
    assert f"shipped country does not know 1 value of 'country', in {strange} records: releases refuse it" in told
    assert "`unmapped: root` generalize it to the root" in told
    assert "Narnia" not in told
    assert run(["taxonomy", "build", "age"]) == 0
    assert "does not know" not in capsys.readouterr().err


@pytest.mark.slow
def test_an_entity_that_is_named_and_one_that_some_records_lack(folder, capsys):
    code, _, _ = init(capsys, "--csv", "encoding=latin-1", "--entity", "plan")
    written = (folder / "anonduck.yml").read_text()
    assert (code, yaml.safe_load(written)["entity"]) == (0, "plan")
    assert "plan" in yaml.safe_load(written)["identifiers"]
    assert "'plan' is the entity" in written
    lines = (folder / "people.csv").read_bytes().split(b"\n")
    lines[1] = b";" + lines[1].partition(b";")[2]
    (folder / "people.csv").write_bytes(b"\n".join(lines))
    code, _, _ = init(capsys, "--csv", "encoding=latin-1", "--csv", "nullstr=", "--overwrite")
    written = (folder / "anonduck.yml").read_text()
    assert "# entity: customer_id" in written
    assert "NULL stands there in 1 record, and nobody can tell whose they are" in " ".join(written.split("\n# "))
    assert "entity" not in yaml.safe_load(written)
    code, _, told = init(capsys, "--csv", "encoding=latin-1", "--entity", "nobody", "--overwrite")
    assert (code, "no column 'nobody'" in told) == (2, True), told
