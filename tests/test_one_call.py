"""`anonduck.anonymize`: a table in, its release out, by the config that `init` would propose."""

import json
from html import escape
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from visits import NOTES, visits

import anonduck
from anonduck.cli.app import run
from anonduck.config.reading import read_config
from anonduck.errors import ConfigError, SourceError
from anonduck.report.offer_picture import score_called
from anonduck.words import line_row

BY_METHOD = {"method": "mondrian", "models": []}


def relation():
    held = visits()
    return duckdb.connect().from_arrow(pa.Table.from_pandas(held))


KINDS = {
    "pandas": (visits, pd.DataFrame, lambda frame: frame),
    "polars": (lambda: pl.from_pandas(visits()), pl.DataFrame, lambda frame: frame.to_pandas()),
    "arrow": (lambda: pa.Table.from_pandas(visits()), pa.Table, lambda frame: frame.to_pandas()),
    "relation": (relation, duckdb.DuckDBPyRelation, lambda frame: frame.df()),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_table_of_each_kind_comes_back_as_its_release(kind):
    made, expected, as_pandas = KINDS[kind]
    done = anonduck.anonymize(made(), "again", 7, **BY_METHOD)
    assert isinstance(done.frame, expected)
    frame = as_pandas(done.frame)
    assert list(frame.columns) == ["age", "stay_days", "again"]
    assert len(frame) == done.receipt["rows"] == 80
    assert frame.groupby(["age", "stay_days"]).size().min() == done.k >= 7
    assert done.config.identifiers == ["visit_id"]
    assert done.config.requirement.k == 7
    assert "file" not in done.receipt
    assert any(line.startswith("left out, as they identify people: visit_id") for line in done.assumptions)
    assert "<td>k 7</td><td>" in done._repr_html_()


def test_a_file_is_read_and_keys_of_the_config_count(tmp_path, monkeypatch):
    visits().to_csv(tmp_path / "visits.csv", index=False)
    monkeypatch.chdir(tmp_path)
    done = anonduck.anonymize("visits.csv", "again", where="age > 30", requirement={"k": 6}, **BY_METHOD)
    assert len(done.frame) == (visits()["age"] > 30).sum()
    assert done.config.requirement.k == 6
    assert [file.name for file in tmp_path.iterdir()] == ["visits.csv"]


@pytest.mark.slow
def test_the_choice_is_among_what_is_offered_and_each_candidate_is_a_table():
    done = anonduck.anonymize(visits(), "again", models=[], select="loss", methods=["rules", "mondrian"])
    offered = done.project.candidates().set_index("id")
    assert set(offered["method"]) == {"rules", "mondrian"}
    assert 1 - done.utility["measures"]["ncp"] == pytest.approx(offered["detail"].max(), abs=1e-6)
    for name in offered.index:
        frame = done.candidate(name)
        assert frame.groupby([one for one in ("age", "stay_days") if one in frame]).size().min() == offered["k"][name]
        assert f"<td>{name}</td>" in done._repr_html_()
        assert f">{name}</text>" in done.plot().svg
    assert done.plot().svg in done._repr_html_()
    assert done.plot().svg.count("<circle") == len(done._offered())


def test_without_a_class_the_release_keeps_most_detail_and_tells_of_no_class():
    done = anonduck.anonymize(pl.from_pandas(visits()), k=8)
    frame = done.frame
    assert isinstance(frame, pl.DataFrame)
    assert frame.columns == ["age", "stay_days", "again"]
    assert frame.group_by(frame.columns).len()["len"].min() >= 8
    offered = done.project.candidates()
    assert 1 - done.utility["measures"]["ncp"] == pytest.approx(offered["detail"].max(), abs=1e-6)
    told = json.dumps(done.receipt) + repr(done) + done._repr_html_() + "".join(done.assumptions)
    assert "#no class" not in told
    with pytest.raises(ConfigError, match="models predict the class, and there is no class; name one"):
        anonduck.anonymize(visits(), models=["tree"])


@pytest.mark.slow
@pytest.mark.parametrize("as_kind", [lambda table: table, lambda table: pa.table(table.to_dict("list"))])
def test_doubled_names_are_numbered(as_kind):
    table = visits().rename(columns={"stay_days": "days"})
    if as_kind(table) is table:
        table = pd.concat([table, table["age"].rename("Age") // 10], axis="columns")
        doubled, words = table, "column 5 is called 'Age' like an earlier one, and is read as 'Age_1'"
    else:
        doubled = pa.Table.from_pandas(table).rename_columns(["visit_id", "age", "age", "again"])
        words = "column 3 is called 'age' like an earlier one, and is read as 'age_1'"
    done = anonduck.anonymize(doubled, "again", **BY_METHOD)
    assert words in done.assumptions
    columns = done.frame.columns if isinstance(done.frame, pd.DataFrame) else done.frame.column_names
    assert "age_1" in [name.lower() for name in columns]


@pytest.mark.parametrize(
    ("table", "class_", "given", "words"),
    [
        (
            visits(note=NOTES),
            "again",
            {"insensitive": ["note"]},
            r"'note' would be in the release, and it holds direct ",
        ),
        (visits(note=NOTES), "note", {}, "'note' would be in the release.*Name another class"),
        (visits(4), "again", {}, r"has 4 records, and a release has groups of at least k = 5\. Give it more"),
        (visits(), "again", {"k": 81}, "has 80 records.*at least k = 81"),
        (visits(600, kind=np.arange(600) // 2 * 7 + 10), "kind", {}, "allowed are up to 256"),
        (visits()[["visit_id", "again"]], "again", {}, "no column is left to generalize"),
        (visits(0), "again", {}, "the source has no records"),
        (visits(), "again", {"k": 4, "requirement": {"k": 5}}, "give one of the two"),
    ],
)
def test_what_a_person_has_to_decide_is_refused_with_the_next_step(table, class_, given, words):
    with pytest.raises(ConfigError, match=words) as raised:
        anonduck.anonymize(table, class_, **given)
    assert "mail.org" not in str(raised.value)


def test_persons_that_cannot_be_told_apart_are_refused():
    persons = [f"p{n % 40}" if n % 10 else None for n in range(80)]
    with pytest.raises(ConfigError, match=r"so k would count records.*IS NOT NULL.*`entity: patient_id`"):
        anonduck.anonymize(visits(patient_id=persons), "again", **BY_METHOD)


def test_free_text_is_left_out_and_its_cells_are_nowhere():
    done = anonduck.anonymize(visits(note=NOTES), "again", **BY_METHOD)
    assert "note" not in done.frame
    assert any("note (holds direct identifiers: e-mail" in line for line in done.assumptions)
    told = json.dumps(done.receipt) + done._repr_html_() + done.frame.to_csv()
    assert "@" not in told
    assert "slept" not in told


def test_what_is_no_table_is_refused():
    with pytest.raises(SourceError, match=r"the data is a builtins\.dict; give a pandas, Polars or Arrow table"):
        anonduck.anonymize({"age": [1]}, "age")


# -- beside the command line -------------------------------------------------------------------------------------------


def several_visits(rows=240):
    """Visits of patients who come more than once, with dates as texts, an answer in several spellings and NULL."""
    draw = np.random.default_rng(8)
    days = pd.Timestamp("2023-03-01") + pd.to_timedelta(draw.integers(0, 400, rows), unit="D")
    return visits(
        rows,
        patient_id=[f"P{number:03}" for number in draw.integers(0, rows // 3, rows)],
        admitted=[day.strftime("%d/%m/%Y") if number % 40 else None for number, day in enumerate(days)],
        weight=[f"{kg:.1f}" if number % 30 else "unknown" for number, kg in enumerate(draw.normal(75, 12, rows))],
        insured=draw.choice(["yes", "Yes", "no", "N/A"], rows),
    )


SAME = [
    pytest.param(visits, {"models": [], "select": "loss"}, ("--model", "none", "--select", "loss"), id="measures"),
    pytest.param(
        several_visits, {"models": [], "select": "loss"}, ("--model", "none", "--select", "loss"), id="patients"
    ),
    pytest.param(several_visits, {"k": 6}, ("-k", "6"), id="models", marks=pytest.mark.nightly),
]


@pytest.mark.slow
@pytest.mark.parametrize(("table", "settings", "options"), SAME)
def test_the_command_and_the_call_give_the_same_release(tmp_path, monkeypatch, table, settings, options):
    monkeypatch.chdir(tmp_path)
    table().to_csv("visits.csv", index=False)
    assert run(["run", "visits.csv", "--class", "again", "-o", "typed.parquet", "--no-report", *options]) == 0
    called = anonduck.anonymize("visits.csv", "again", **settings)
    typed = Path("typed.parquet").read_bytes()
    assert called.frame.equals(pd.read_parquet("typed.parquet"))
    from_frame = anonduck.anonymize(table(), "again", **settings)
    assert from_frame.frame.equals(called.frame)
    called.project.run("called.parquet", report=False)
    assert Path("called.parquet").read_bytes() == typed
    written = read_config(Path("anonduck.yml"))
    for name in ("identifiers", "entity", "drop", "sensitive", "insensitive", "quasi_identifiers", "taxonomies"):
        assert getattr(called.config, name) == getattr(written, name), name
    for name in ("models", "measures", "requirement", "select", "methods", "seed"):
        assert getattr(called.config, name) == getattr(written, name), name
    if table is several_visits:
        assert called.config.entity.column == from_frame.config.entity.column == "patient_id"
        assert "column 'admitted' is read as from a CSV file, as DATE" in from_frame.assumptions
        assert any(
            line.startswith("column 'weight' is read as from a CSV file, as ") for line in from_frame.assumptions
        )


def test_texts_whose_type_somebody_gave_stay_and_so_do_codes():
    table = visits(zip=[f"0{number % 9 + 10}" for number in range(80)], when=["2024-01-02", "2024-03-04"] * 40)
    done = anonduck.anonymize(table, "again", types={"when": "VARCHAR"}, **BY_METHOD)
    assert (done.config.expected_types["zip"], done.config.expected_types["when"]) == ("VARCHAR", "VARCHAR")
    assert not [line for line in done.assumptions if "as from a CSV file" in line]
    assert anonduck.anonymize(table, "again", **BY_METHOD).config.expected_types["when"] == "DATE"


# -- what a notebook shows ---------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_notebook_shows_what_was_asked_and_reached_and_what_decided():
    done = anonduck.anonymize(visits(300, town=list("abcdef") * 50), "again", k=5)
    shown, chosen = done._repr_html_(), done._run.candidate
    assert f"<td>k 5</td><td>{done.k}</td><td>yes</td>" in shown
    assert f"records, k {done.k}" in repr(done)
    called = score_called(done._run.weighed_by)
    assert f"<th>{called}</th>" in shown
    assert f"<td>chosen</td><td>{chosen.id}</td>" in shown
    value, error = chosen.score(done._run.weighed_by)
    assert f"<td>{100 * value:.1f} ± {100 * error:.1f}</td>" in shown
    assert f"{called} expected of people who are not in it" in done.plot().svg
    assert escape(done.reason) in done.plot().svg


def test_what_was_asked_stands_beside_what_a_candidate_was_found_for():
    line = {"name": "k", "asked": 5, "required": 229, "reached": 229, "met": True}
    assert line_row(line) == {"required": "k 5", "reached": "229", "met": "yes"}
