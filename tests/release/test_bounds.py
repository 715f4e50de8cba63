"""Ranges as two columns: the written file against the release by labels, what is refused, what is told of it."""

import re
from collections import Counter
from datetime import date, datetime, timedelta
from numbers import Number

import duckdb
import numpy as np
import pandas as pd
import pytest

import anonduck
from anonduck import Project, audit
from anonduck.cli.app import run
from anonduck.errors import AuditError, ConfigError

QUASI = ["age", "pay", "born", "seen", "job"]
ENDS = [f"{name}_{end}" for name in QUASI[:-1] for end in ("from", "to")]
K = 5


def people(rows=300, seed=3):
    """Whole numbers, decimals, dates and times with NULL, and classes of nothing but NULL."""
    random = np.random.default_rng(seed)
    age = pd.array(random.integers(18, 60, rows), dtype="Int64")
    frame = pd.DataFrame(
        {
            "id": np.arange(rows),
            "age": age,
            "pay": np.round(900 + random.random(rows) * 4000, 2),
            "born": [date(1990, 1, 1) + timedelta(days=int(one) * 11) for one in random.integers(0, 60, rows)],
            "seen": [datetime(2024, 1, 1) + timedelta(hours=int(one) * 7) for one in random.integers(0, 90, rows)],
            "job": random.choice(["cook", "nurse", "smith"], rows),
            "class": np.where(random.random(rows) > 0.4, "yes", "no"),
        }
    )
    frame["born"] = frame["born"].astype(object)
    for name in ("age", "born"):
        frame.loc[random.random(rows) < 0.15, name] = None
    return frame


def project(folder, frame, **keys):
    with duckdb.connect() as connection:
        connection.register("frame", frame)
        connection.execute(
            "COPY (SELECT * REPLACE (CAST(age AS SMALLINT) AS age, CAST(born AS DATE) AS born, CAST(seen AS TIMESTAMP) "
            f"AS seen, CAST(pay AS DECIMAL(9, 2)) AS pay) FROM frame) TO '{folder}/people.parquet'"
        )
    given = {"class_": "class", "insensitive": ["id"], "models": [], "requirement": {"k": K}, **keys}
    return Project(source=f"{folder}/people.parquet", **given)


def by_hand(label, kind):
    """The ends of a label, both included where a type has a last value under a bound."""
    if label is None or label == "*":
        return None, None
    read = {"SMALLINT": int, "DATE": date.fromisoformat, "TIMESTAMP": datetime.fromisoformat}.get(kind, float)
    found = re.fullmatch(r"([\[(])(.+), (.+)\)", label)
    if found is None and not label.startswith(("before ", "under ")) and not label.endswith((" later", " over")):
        return read(label), read(label)
    if found is not None:
        lower, upper = (None if one in ("-inf", "inf") else one for one in found.groups()[1:])
    elif label.startswith(("before ", "under ")):
        lower, upper = None, label.split(" ", 1)[1]
    else:
        lower, upper = label.rsplit(" and ", 1)[0], None
    last = {"SMALLINT": lambda one: one - 1, "DATE": lambda one: one - timedelta(days=1)}.get(kind, lambda one: one)
    return None if lower is None else read(lower), None if upper is None else last(read(upper))


def sortable(row):
    """A row as texts; numbers as floating-point ones, so that a decimal is the number that a label writes."""
    return ["NULL" if one is None else str(float(one)) if isinstance(one, Number) else str(one) for one in row]


def rows_of(path, names):
    return duckdb.sql(f"SELECT {', '.join(names)} FROM '{path}'").fetchall()


RULE = "age=2,seen=3"


@pytest.mark.parametrize("way", ["mondrian", "topdown", RULE])
@pytest.mark.parametrize("kept", [True, False])
def test_the_ends_are_those_of_the_labels(tmp_path, way, kept):
    one = project(tmp_path, people(), **({} if kept else {"insensitive": [], "identifiers": ["id"]}))
    files = {bounds: f"{tmp_path}/{bounds}.parquet" for bounds in ("text", "columns")}
    required = {"k": 2, "suppression": 0.3}
    made = {
        bounds: one.release(way, file, bounds=bounds, requirement=required)
        if way == RULE
        else one.anonymize(way, file, bounds=bounds)
        for bounds, file in files.items()
    }
    receipt, of_text = made["columns"].receipt, made["text"].receipt
    names = [column["name"] for column in of_text["columns"] if column["role"] == "quasi-identifier"]
    ends = [end for end in ENDS if end.rpartition("_")[0] in names]
    others = [*(["id"] if kept else []), "class", *(["job"] if "job" in names else [])]
    written, source = duckdb.sql(f"SELECT * FROM '{files['columns']}'"), f"{tmp_path}/people.parquet"
    assert ends
    assert sorted(written.columns) == sorted([*ends, *others])
    types = dict(duckdb.sql(f"SELECT column_name, column_type FROM (DESCRIBE FROM '{source}')").fetchall())
    held = dict(zip(written.columns, map(str, written.types), strict=True))
    assert {end: held[end] for end in ends} == {end: types[end.rpartition("_")[0]] for end in ends}
    split = [name for name in names if name != "job"]
    wanted = []
    for row in rows_of(files["text"], [*others, *split]):
        labels = [None if label is None else str(label) for label in row[len(others) :]]
        found = [by_hand(label, types[name]) for label, name in zip(labels, split, strict=True)]
        wanted.append(sortable([*row[: len(others)], *(end for pair in found for end in pair)]))
    columns = [*others, *(f"{name}_{end}" for name in split for end in ("from", "to"))]
    assert sorted(map(sortable, rows_of(files["columns"], columns))) == sorted(wanted)
    quasi = [*ends, *(["job"] if "job" in names else [])]
    sizes = duckdb.sql(f"SELECT count(*) FROM '{files['columns']}' GROUP BY {', '.join(quasi)}").fetchall()
    assert (receipt["k"], receipt["classes"]) == (min(sizes)[0], len(sizes))
    assert receipt["k"] >= of_text["k"]
    assert receipt["suppressed"] == of_text["suppressed"]
    report = audit(files["columns"], quasi, class_="class", insensitive=["id"] if kept else [], row_order=True)
    assert report.k == receipt["k"]
    assert report.met
    if kept:
        values = {row[0]: row[1:] for row in rows_of(source, ["id", *split])}
        for identifier, *shown in rows_of(files["columns"], ["id", *columns[len(others) :]]):
            for place, value in enumerate(values[identifier]):
                low, high = shown[2 * place : 2 * place + 2]
                assert value is None or ((low is None or low <= value) and (high is None or value <= high))


def test_a_missing_value_and_an_open_range_are_alike_and_counted_together(tmp_path):
    frame = pd.DataFrame({"id": range(24), "class": ["yes", "no"] * 12, "job": ["a"] * 12 + ["b"] * 12})
    frame["age"] = pd.array([None] * 6 + [1, 90] * 3 + list(range(20, 32)), dtype="Int64")
    for name in ("pay", "born", "seen"):
        frame[name] = {"pay": 1.0, "born": date(2000, 1, 1), "seen": datetime(2000, 1, 1)}[name]
    frame["born"] = frame["born"].astype(object)
    classes = pd.DataFrame({"id": range(24), "class": [number // 6 for number in range(24)]})
    one = project(
        tmp_path,
        frame,
        quasi_identifiers=["age", "job"],
        drop=["pay", "born", "seen"],
        insensitive=[],
        identifiers=["id"],
        taxonomies={"age": {"breaks": [0, 20, 40, 60, 100]}},
    )
    text = one.release(None, f"{tmp_path}/text.parquet", classes=classes)
    made = one.release(None, f"{tmp_path}/columns.parquet", classes=classes, bounds="columns")
    assert (text.classes, made.classes, text.k, made.k) == (3, 2, 6, 12)
    rows = Counter(rows_of(f"{tmp_path}/columns.parquet", ["age_from", "age_to", "job"]))
    assert rows[None, None, "a"] == 12
    assert sum(rows.values()) == 24


def test_a_column_that_shows_typical_values_keeps_them(tmp_path):
    made = project(tmp_path, people()).anonymize(
        "mondrian", f"{tmp_path}/out.parquet", show={"age": "typical", "born": "ranges"}, bounds="columns"
    )
    columns = {column["name"]: column for column in made.receipt["columns"]}
    assert "age" in columns
    assert columns["age"]["shows"] == "typical"
    assert "born_from" in columns
    assert made.receipt["k"] >= K
    assert all(line["met"] for line in made.receipt["requirements"])


def test_labels_beside_ranges_are_text_in_a_table(tmp_path):
    """The labels of a level are numbered while rows are sorted; the type of the table would tell all of them."""
    frame = people()[["age", "job", "class", "id"]]
    frame.to_parquet(tmp_path / "people.parquet")
    given = {"class_": "class", "insensitive": ["id"], "models": [], "requirement": {"k": 1}}
    with Project(source=tmp_path / "people.parquet", taxonomies={"job": {"clusters": True}}, **given) as one:
        one.release({"age": 1, "job": 1}, f"{tmp_path}/out.duckdb::released", bounds="columns")
    with duckdb.connect(tmp_path / "out.duckdb") as held:
        kinds = {name: kind for name, kind, *_ in held.execute("DESCRIBE released").fetchall()}
    assert kinds["job"] == kinds["class"] == "VARCHAR"
    assert {"age_from", "age_to"} <= kinds.keys()


def test_receipt_and_dictionary_say_what_the_columns_are(tmp_path):
    made = project(tmp_path, people()).anonymize("mondrian", f"{tmp_path}/out.parquet", bounds="columns")
    entry = next(column for column in made.receipt["columns"] if column["name"] == "age_from")
    assert (entry["of"], entry["bound"], entry["role"], entry["taxonomy"]) == (
        "age",
        "from",
        "quasi-identifier",
        "intervals",
    )
    assert "groups" not in entry
    assert "age" in made.receipt["fingerprints"]["taxonomies"]
    known = next(column for column in made.dictionary["columns"] if column["name"] == "age_to")
    assert known["type"] == "SMALLINT"
    assert known["words"].startswith("the largest value that the record may have")
    assert {group["words"] for group in known["groups"]} <= {"this value", "an open end, or no value (NULL)"}
    assert [one["name"] for one in made.dictionary["left_out"]] == []
    unknown = {column["name"]: column.get("of") for column in made.receipt["columns"]}
    assert unknown["job"] is None
    assert unknown["class"] is None


def test_what_is_asked_of_a_release_and_its_measures_are_those_of_the_labels(tmp_path):
    (tmp_path / "queries.sql").write_text("SELECT count(*) FROM released WHERE age < 40;")
    one = project(tmp_path, people(), workload=str(tmp_path / "queries.sql"), subgroups=["job"])
    text = one.anonymize("mondrian", f"{tmp_path}/text.parquet")
    made = one.anonymize("mondrian", f"{tmp_path}/columns.parquet", bounds="columns")
    assert made.owner["workload"] == text.owner["workload"]
    assert made.owner["subgroups"] == text.owner["subgroups"]
    assert made.owner["utility"] == text.owner["utility"]


@pytest.mark.parametrize("taken", ["age_from", "AGE_To"])
def test_a_name_that_the_source_has_is_refused_before_anything_is_written(tmp_path, taken):
    frame = people().assign(**{taken: 1})
    with pytest.raises(ConfigError, match=f"ends of 'age'.*column '{taken}'"):
        project(tmp_path, frame, drop=[taken]).anonymize("mondrian", f"{tmp_path}/out.parquet", bounds="columns")
    assert not list(tmp_path.glob("out*"))


@pytest.mark.parametrize(
    ("keys", "show", "bounds", "words"),
    [
        ({"quasi_identifiers": ["job"], "drop": QUASI[:-1]}, None, "columns", "shows no ranges of numbers or dates"),
        ({}, "typical", "columns", "shows no ranges of numbers or dates"),
        ({}, None, "wide", "written as text or columns .*got 'wide'"),
    ],
)
def test_what_has_no_ends_is_refused_where_it_was_asked_for(tmp_path, keys, show, bounds, words):
    with pytest.raises(ConfigError, match=words):
        project(tmp_path, people(), **keys).anonymize("mondrian", f"{tmp_path}/out.parquet", show=show, bounds=bounds)
    assert not list(tmp_path.glob("out*"))


def test_a_config_that_names_columns_writes_ends_where_there_are_some(tmp_path):
    keys = {"quasi_identifiers": ["job"], "drop": QUASI[:-1]}
    made = project(tmp_path, people(), bounds="columns", **keys).anonymize("mondrian", f"{tmp_path}/out.parquet")
    assert [column["name"] for column in made.receipt["columns"]] == ["id", "job", "class"]


def test_texts_of_a_release_and_an_attack_are_refused_by_name(tmp_path):
    one = project(tmp_path, people(), bounds="columns")
    for text in (lambda: one.sql(RULE), lambda: one.sql("mondrian", as_="script")):
        with pytest.raises(ConfigError, match="shows ranges as texts, and `bounds: columns`"):
            text()
    one.anonymize("mondrian", f"{tmp_path}/out.parquet")
    with pytest.raises(AuditError, match=r"shows ends of ranges .*'age_from'.*bounds: text"):
        anonduck.attack(f"{tmp_path}/out.parquet", f"{tmp_path}/people.parquet", f"{tmp_path}/people.parquet")


CONFIG = """\
source: people.parquet
class: class
insensitive: [id]
models: []
requirement: {k: 5}
method: mondrian
"""


def test_the_command_the_config_and_the_lock_agree(tmp_path, monkeypatch, capsys):
    project(tmp_path, people())
    monkeypatch.chdir(tmp_path)
    (tmp_path / "anonduck.yml").write_text(CONFIG)
    assert run(["anonymize", "mondrian", "-o", "asked.parquet", "--bounds", "columns"]) == 0
    (tmp_path / "anonduck.yml").write_text(CONFIG + "bounds: columns\n")
    assert run(["run", "-o", "run.parquet", "--no-report"]) == 0
    shown = "SELECT * EXCLUDE (id) FROM '{}' ORDER BY ALL"
    by_config, asked = (duckdb.sql(shown.format(name)).fetchall() for name in ("run.parquet", "asked.parquet"))
    assert by_config == asked
    assert "age_from" in duckdb.sql("FROM 'run.parquet'").columns
    assert run(["lock"]) == 0
    assert "bounds: columns" in (tmp_path / "anonduck.lock.yml").read_text()
    assert run(["run", "-o", "locked.parquet", "--locked", "--no-report"]) == 0
    assert "age_from" in duckdb.sql("FROM 'locked.parquet'").columns
    (tmp_path / "anonduck.yml").write_text(CONFIG)
    capsys.readouterr()
    assert run(["run", "-o", "other.parquet", "--locked", "--no-report"]) == 2
    assert "`bounds` was columns and is none" in capsys.readouterr().err
    assert not (tmp_path / "other.parquet").exists()


def test_a_workload_is_asked_of_labels_where_classes_are_left_out_and_columns_kept(tmp_path):
    (tmp_path / "queries.csv").write_text("SELECT avg(age) FROM released;\nSELECT count(*) FROM released;\n")
    answered = []
    for bounds in ("text", "columns"):
        one = project(tmp_path, people(), workload=f"{tmp_path}/queries.csv", unmapped="root")
        required, file = {"k": 4, "suppression": 0.5}, f"{tmp_path}/{bounds}.parquet"
        made = one.release(RULE, file, bounds=bounds, requirement=required)
        assert made.suppressed
        answered.append(made.owner["workload"]["queries"])
    assert answered[0] == answered[1]
