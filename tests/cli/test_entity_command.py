"""A table of visits with several of each person, from init to a certificate, as its owner types and reads it."""

import html
import json
import re
import shutil
from collections import Counter
from contextlib import chdir

import numpy as np
import pandas as pd
import pytest
from typing_commands import typed

from anonduck import Project, audit
from anonduck.cli.app import run
from anonduck.config.reading import read_config

CONFIG = "anonduck.yml"


def visits(number=300):
    draw = np.random.default_rng(1)
    age = draw.integers(20, 60, number)
    return pd.DataFrame(
        {
            "customer_id": [f"Zq{one}" for one in draw.integers(0, 100, number)],
            "age": age,
            "town": draw.choice(list("abc"), number),
            "bought": np.where(age + draw.integers(-15, 15, number) > 40, "y", "n"),
        }
    )


@pytest.fixture(scope="module")
def proposed(tmp_path_factory):
    """The config that `init` writes, and its schema, beside the table."""
    made = tmp_path_factory.mktemp("proposed")
    visits().to_csv(made / "visits.csv", index=False)
    with chdir(made):
        assert run(["init", "visits.csv", "--class", "bought"]) == 0
    return made


@pytest.fixture
def begun(proposed, tmp_path, monkeypatch):
    """A copy of it, as the current folder."""
    monkeypatch.chdir(shutil.copytree(proposed, tmp_path, dirs_exist_ok=True))
    return tmp_path


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    visits().to_csv("visits.csv", index=False)
    return tmp_path


def replaced(folder, entity):
    text = (folder / CONFIG).read_text()
    (folder / CONFIG).write_text(re.sub("(?m)^entity.*", f"entity: {entity}", text))


def test_the_hint_of_init_is_the_whole_line_to_write(folder, capsys):
    for name, line in (("customer_id", "customer_id"), ("customer no: id", '"customer no: id"')):
        visits().rename(columns={"customer_id": name}).to_csv("visits.csv", index=False)
        code, told, _ = typed(capsys, "init", "visits.csv", "--class", "bought", "--entity", name, "--overwrite")
        assert code == 0
        whole = f"entity: {{column: {line}, at_most: 2}}"
        assert f"With `{whole}` no more than 2 records of each person are used" in " ".join(told.split())
        assert f"`{whole}`" in (folder / CONFIG).read_text(), "on one line, to be copied"
        replaced(folder, f"{{column: {line}, at_most: 2}}")
        assert read_config(folder / CONFIG).entity.column == name


@pytest.mark.slow
def test_from_init_to_a_release_each_step_says_what_k_is(folder, capsys):
    assert typed(capsys, "init", "visits.csv", "--class", "bought", "--method", "rules")[0] == 0
    replaced(folder, "{column: customer_id, at_most: 2}")
    held = Counter(visits()["customer_id"])
    unused = sum(max(count - 2, 0) for count in held.values())
    lines = ["k = 5 persons: at least 9 records, because one person has up to 2", f"{unused} records are not used"]
    for words in (["discover"], ["frontier"], ["rules"], ["release", "age=2", "-o", "r.csv"]):
        code, shown, told = typed(capsys, *words)
        assert (code, all(line in shown for line in lines)) == (0, True), (shown, told)
    for words in (["discover", "--json"], ["rules", "--json"], ["frontier", "--json"]):
        entity = json.loads(typed(capsys, *words)[1])["entity"]
        assert entity == {"k": 5, "records": 9, "at_most": 2, "left_out": unused, "by_records": []}
    receipt = json.loads((folder / "r.csv.receipt.json").read_text())
    rows = Counter(pd.read_csv(folder / "r.csv").itertuples(index=False, name=None))
    shown = {name: entity[name] for name in entity if name != "left_out"}
    assert receipt["entity"] == {**shown, "unique_with_kept": sum(n for n in rows.values() if n <= 2)}
    assert audit(folder / "r.csv", ["age"], class_="bought").k >= 9
    _, shown, _ = typed(capsys, "release", "age=2", "--require", "k=3", "--dry-run")
    assert "k = 3 persons: at least 5 records" in shown
    assert "k >= 5, lowered from 9" in shown


@pytest.mark.slow
def test_report_and_certificate_say_what_rests_on_the_source(folder):
    settings = {"class_": "bought", "entity": "customer_id", "sensitive": ["town"], "models": []}
    most = max(Counter(visits()["customer_id"]).values())
    with Project(source="visits.csv", **settings, requirement={"k": 3, "l": 2}, database="d.duckdb") as one:
        one.discover()
        made = one.release({"age": 2}, "r.parquet")
        one.report("report.html")
        one.certificate("r.parquet", "certificate.html")
    assert made.owner["entity"]["by_records"] == ["l"]
    page = (folder / "certificate.html").read_text()
    told = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())
    persons = -(-made.k // most)
    assert f"k = 3 persons: at least {2 * most + 1} records, because one person has up to {most}" in told
    assert "l counts records, of which one person may have several in a class" in told
    assert f"left with at least {persons} persons: a chance of at most 1 in {persons}" in told
    assert f"that no person has more than {most} is known from the source" in told
    shown = (folder / "report.html").read_text()
    assert re.search(rf'"entity":\s*{{"k":\s*3,\s*"records":\s*{2 * most + 1}', shown)
    assert not any(name in text for name in ("Zq1", "Zq2") for text in (page, shown))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("entity", "words"),
    [
        ("nobody", "the config names the column 'nobody' (entity), which the source"),
        ("bought", "entity: 'bought' is the class too"),
        ("age", "entity: 'age' is a quasi-identifier too"),
        ("{column: customer_id, at_most: 0}", "entity.at_most: it should be greater than or equal to 1"),
        ("[customer_id, town]", "one column tells persons apart"),
    ],
)
def test_what_cannot_be_is_refused_with_exit_code_2(begun, capsys, entity, words):
    replaced(begun, entity)
    for command in (["discover"], ["release", "age=2", "-o", "r.csv"], ["run", "-o", "r.csv"]):
        code, _, told = typed(capsys, *command)
        assert (code, words in told) == (2, True), told
    assert not (begun / "r.csv").exists()


def test_records_of_nobody_are_counted_in_the_refusal(begun, capsys):
    frame = visits()
    frame.loc[:3, "customer_id"] = None
    frame.to_csv("visits.csv", index=False)
    code, _, told = typed(capsys, "run", "-o", "r.csv")
    assert (code, "the entity 'customer_id' is NULL in 4 records of the source visits.csv" in told) == (2, True), told
    assert "IS NOT NULL" in told


@pytest.mark.slow
def test_a_config_that_names_it_gives_it_to_an_audit_as_what_is_left_out(begun, capsys):
    _, _, told = typed(capsys, "audit", "visits.csv", "-p", CONFIG, "-q", "age")
    assert "'customer_id', which anonduck.yml leaves out of every release" in told


@pytest.mark.slow
@pytest.mark.parametrize("entity", ["customer_id", "{column: customer_id, at_most: 2}"])
def test_what_is_stored_is_shown_where_the_source_is_gone(begun, capsys, entity):
    replaced(begun, entity)
    typed(capsys, "discover")
    before = [typed(capsys, *words)[1] for words in (["rules"], ["frontier", "--rules"], ["frontier"])]
    (begun / "visits.csv").rename(begun / "elsewhere.csv")
    for words, shown in zip((["rules"], ["frontier", "--plot"], ["frontier"]), before, strict=True):
        code, now, told = typed(capsys, *words)
        assert (code, now.startswith(shown), "the source is missing" in told) == (0, True, True), (now, told)
    code, _, told = typed(capsys, "report", "-o", "report.html")
    assert (code, "the source is missing" in told) == (0, True), told
    code, _, told = typed(capsys, "run", "-o", "r.csv")
    assert (code, "there is no file visits.csv" in told) == (2, True), told
    assert not (begun / "r.csv").exists()
