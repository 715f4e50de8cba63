"""The register of taxonomies: what is built, what is kept, and what is never replaced silently."""

import json
from pathlib import Path

import pytest
from asking import ask

from anonduck import Project
from anonduck.config.reading import make_config, read_config
from anonduck.database.progress import Reporter
from anonduck.errors import ConfigError, TaxonomyError
from anonduck.taxonomy.catalog import entries, stored_taxonomies, was_edited
from anonduck.taxonomy.files.files import import_plain
from anonduck.taxonomy.taxonomies import ensure_taxonomies

COLUMNS = {"age": "INTEGER", "born on": "DATE", "job": "VARCHAR", 'a "b".c': "VARCHAR"}
RECORDS = [
    ("31", "1990-01-01", "nurse", "x", "yes"),
    ("32", "1991-01-01", "doctor", "x", "no"),
    ("33", "1992-01-01", "clerk", "y", "yes"),
    ("34", "1993-01-01", "typist", "y", "no"),
    ("35", "1994-01-01", "smith", None, "no"),
    ("36", "1995-01-01", None, "y", "no"),
    (None, None, "smith", "z", "yes"),
]


@pytest.fixture
def frequency(database):
    kinds = {**COLUMNS, "class": "VARCHAR"}
    names = {name: '"' + name.replace('"', '""') + '@value"' for name in kinds}
    declared = ", ".join(f"{names[name]} {kind}" for name, kind in kinds.items())
    ask(database, f'CREATE TABLE frequency_set ({declared}, "#records" BIGINT)')
    for record in RECORDS:
        fields = ", ".join("NULL" if field is None else f"'{field}'" for field in record)
        ask(database, f"INSERT INTO frequency_set VALUES ({fields}, 4)")
    return database


def ensure(database, taxonomies=None, *, label_k=4, folder=Path(), columns=tuple(COLUMNS), replace=False, **keys):
    said = []
    heard = Reporter(said.append, detail=said.append)
    config = make_config({"class": "class", "taxonomies": taxonomies or {}, **keys})
    types = {**COLUMNS, "class": "VARCHAR"}
    found = ensure_taxonomies(
        database, config, folder, columns, types=types, label_k=label_k, reporter=heard, replace=replace
    )
    return found, said


@pytest.mark.slow
def test_defaults_by_type(frequency):
    found, said = ensure(frequency)
    assert list(found) == list(COLUMNS)
    assert [(one.kind, one.ordered, one.root, one.leaves, one.nodes) for one in found.values()] == [
        ("intervals", True, 2, 6, (6, 2, 1)),
        ("intervals", True, 2, 6, (6, 2, 1)),
        ("clusters", False, found["job"].root, 5, found["job"].nodes),
        ("clusters", False, 2, 3, (3, 2, 1)),
    ]
    assert found["age"].origin == "intervals of 5 values, then pairs"
    assert found["job"].origin == '2-means on age, born on, a "b".c'
    assert said[0] == "taxonomy of age: intervals of 5 values, then pairs; 6 values, 2 levels above them"
    assert said[-1] == "4 taxonomies built"
    assert stored_taxonomies(frequency) == found
    assert ask(
        frequency,
        "SELECT taxonomy.age.level_1, lower FROM taxonomy.age JOIN bounds.age USING (code_1) WHERE value = 36",
    ) == [("[36, inf)", 36)]
    assert ask(frequency, "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'bounds' ORDER BY 1") == [
        ("age",),
        ("born on",),
    ]


@pytest.mark.slow
def test_what_is_there_is_kept(frequency):
    found, _ = ensure(frequency)
    ask(frequency, "DELETE FROM frequency_set WHERE \"job@value\" = 'nurse'")
    assert ensure(frequency) == (found, [])
    again, said = ensure(frequency, replace=True, columns=["job"])
    assert again["job"].leaves == 4
    assert said[1:] == ["1 taxonomy built"]


@pytest.mark.slow
def test_changed_options_build_anew(frequency):
    ensure(frequency)
    found, said = ensure(frequency, {"age": {"intervals": 2}, "born on": {"clusters": True}})
    assert found["age"].nodes == (6, 3, 2, 1)
    assert found["born on"].kind == "clusters"
    assert len(said) == 3  # the last one counts them
    assert ask(frequency, "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'bounds'") == [("age",)]
    _, said = ensure(frequency, {"age": {"intervals": 2}, "born on": {"clusters": True}}, label_k=5)
    assert len(said) == 5


@pytest.mark.slow
def test_labels_follow_label_k(frequency):
    ages, letters = (
        "SELECT DISTINCT level_1 FROM taxonomy.age ORDER BY 1",
        'SELECT level_1 FROM taxonomy."a ""b"".c" ORDER BY code_0',
    )
    ensure(frequency, label_k=9)
    assert ask(frequency, ages) == [("*",)]
    assert ask(frequency, letters) == [("group 1",), ("y and 1 other",), ("y and 1 other",)]
    ensure(frequency, label_k=4)
    assert ask(frequency, ages) == [("(-inf, 36)",), ("[36, inf)",)]
    assert ask(frequency, letters) == [("x",), ("y or z",), ("y or z",)]


@pytest.mark.slow
def test_an_edited_table_is_kept_and_never_replaced_silently(frequency):
    found, _ = ensure(frequency)
    ask(frequency, "UPDATE taxonomy.age SET level_1 = 'young' WHERE code_1 = 1")
    assert was_edited(frequency, entries(frequency)["age"])
    assert ensure(frequency) == (found, [])
    with pytest.raises(TaxonomyError, match=r"taxonomy of age.*edited.*anonduck taxonomy build age --replace"):
        ensure(frequency, {"age": {"intervals": 2}})
    assert ask(frequency, "SELECT count(*) FROM taxonomy.age WHERE level_1 = 'young'") == [(5,)]
    replaced, _ = ensure(frequency, {"age": {"intervals": 2}}, replace=True)
    assert replaced["age"].root == 3
    assert not was_edited(frequency, entries(frequency)["age"])


@pytest.mark.slow
def test_a_table_that_was_dropped_is_built_again(frequency):
    found, _ = ensure(frequency)
    ask(frequency, "DROP TABLE taxonomy.age")
    again, said = ensure(frequency)
    assert again == found
    assert len(said) == 2  # the last one counts it


def test_prune_is_told(frequency):
    found, said = ensure(frequency, {"age": {"intervals": 2, "prune": True}}, columns=["age"])
    assert found["age"].nodes == (6, 3, 1)
    assert said[0].startswith("taxonomy of age: dropped level 2 (k 8)")
    assert len(said) == 3  # the last one counts them


@pytest.mark.slow
def test_files_are_imported_and_read_again_when_they_change(frequency, tmp_path):
    jobs = "nurse;health;*\ndoctor;health;*\nclerk;office;*\ntypist;office;*\nsmith;craft;*\n"
    (tmp_path / "job.csv").write_text(jobs)
    found, _ = ensure(frequency, {"job": {"file": "job.csv"}}, folder=tmp_path)
    assert (found["job"].kind, found["job"].nodes) == ("file", (5, 3, 1))
    assert ensure(frequency, {"job": {"file": "job.csv"}}, folder=tmp_path) == (found, [])
    (tmp_path / "job.csv").write_text(jobs.replace("craft", "office"))
    found, _ = ensure(frequency, {"job": {"file": "job.csv"}}, folder=tmp_path)
    assert found["job"].nodes == (5, 2, 1)
    found, _ = ensure(frequency)
    assert found["job"].kind == "clusters"


@pytest.mark.slow
def test_an_import_of_the_command_line_is_kept(frequency, tmp_path):
    path = tmp_path / "job.csv"
    path.write_text("nurse;health;*\ndoctor;health;*\nclerk;office;*\ntypist;office;*\nsmith;craft;*\n")
    imported = import_plain(frequency, path, "job")
    found, _ = ensure(frequency)
    assert found["job"] == imported
    found, said = ensure(frequency, {"job": {"clusters": True}})
    assert found["job"] == imported
    assert said[-1].startswith("imported taxonomies are kept, though the config names builders for these columns: job;")
    found, _ = ensure(frequency, {"job": {"clusters": True}}, columns=["job"], replace=True)
    assert found["job"].kind == "clusters"


@pytest.mark.slow
def test_clusters_are_described_by_the_quasi_identifiers(frequency):
    described = lambda: entries(frequency)["job"].taxonomy.origin  # noqa: E731 - asked again and again
    ensure(frequency)
    assert described() == '2-means on age, born on, a "b".c'
    ensure(frequency, insensitive=["age"], sensitive=["born on"], columns=["job"])
    assert described() == '2-means on a "b".c'
    ensure(frequency, quasi_identifiers=["age", "job"], columns=["job"])
    assert described() == "2-means on age"
    ensure(frequency, {"job": {"clusters": True, "cluster_on": ["class"]}}, columns=["job"])
    assert described() == "2-means on class"
    ensure(frequency, quasi_identifiers=["job"], columns=["job"])
    assert described() == "2-means on how often a value occurs"


def test_columns_that_are_not_there(frequency):
    with pytest.raises(TaxonomyError, match="has no column height"):
        ensure(frequency, columns=["height"])
    with pytest.raises(TaxonomyError, match=r"cluster_on of job names height; allowed are .*age.*class"):
        ensure(frequency, {"job": {"clusters": True, "cluster_on": ["height"]}})


@pytest.mark.slow
def test_a_failed_build_leaves_the_old_one(frequency):
    found, _ = ensure(frequency)
    with pytest.raises(TaxonomyError, match="column job is VARCHAR; intervals need numbers"):
        ensure(frequency, {"job": {"intervals": 5}})
    assert stored_taxonomies(frequency) == found


def test_values_that_a_config_lists_stay_as_written(tmp_path):
    path = tmp_path / "anonduck.yml"
    path.write_text(
        "source: s.csv\nclass: class\ntaxonomies:\n"
        "  job: {groups: {no: [NO, yes, 0012, 12:30, 1_000, 0x1F, 2020-01-01], other: [12, -7, 0, true, 1.5, 1e3]}}\n",
        encoding="utf-8",
    )
    assert read_config(path).taxonomies["job"].groups == {
        "no": ["NO", "yes", "0012", "12:30", "1_000", "0x1F", "2020-01-01"],
        "other": ["12", "-7", "0", "true", "1.5", "1e3"],
    }


@pytest.mark.parametrize("listed", ["{order: [low, null]}", "{groups: {low: [~]}}"])
def test_a_value_that_yaml_takes_for_null_is_refused(tmp_path, listed):
    path = tmp_path / "anonduck.yml"
    path.write_text(f"source: s.csv\nclass: class\ntaxonomies:\n  job: {listed}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="called null stands in quotes"):
        read_config(path)


def test_files_are_imported_all_together_or_not_at_all(tmp_path):
    rows = ["a,b,c", *(f"{first},{second},{third}" for first in "pq" for second in "rs" for third in "xyx")]
    (tmp_path / "table.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    good, bad = {"a": "p;*\nq;*\n", "b": "r;*\ns;*\n"}, "r;1;*\nr;2;*\ns;2;*\n"
    for name, text in good.items():
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    config = {"source": "table.csv", "class": "c", "taxonomies": {name: {"file": f"{name}.csv"} for name in good}}
    (tmp_path / "anonduck.yml").write_text(json.dumps(config), encoding="utf-8")
    with Project(tmp_path / "anonduck.yml") as project:
        before = {name: one.leaves for name, one in project.build_taxonomies().items()}
        assert before == {"a": 2, "b": 2}
        (tmp_path / "a.csv").write_text("p;1;*\nq;1;*\n", encoding="utf-8")
        (tmp_path / "b.csv").write_text(bad, encoding="utf-8")
        with pytest.raises(TaxonomyError, match=r"b\.csv, lines 1 and 2 give one leaf two parents"):
            project.build_taxonomies(replace=True)
        assert {name: one.root for name, one in project.taxonomies.items()} == {"a": 1, "b": 1}
        (tmp_path / "b.csv").write_text(good["b"], encoding="utf-8")
        assert {name: one.root for name, one in project.build_taxonomies().items()} == {"a": 2, "b": 1}
