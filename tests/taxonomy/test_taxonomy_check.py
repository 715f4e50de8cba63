"""Checks of taxonomies: each fault made by hand in the table, found by its own check."""

import pandas as pd
import pytest
from asking import ask

from anonduck import Project
from anonduck.config.taxonomy import TaxonomyOptions
from anonduck.errors import TaxonomyError
from anonduck.taxonomy.builders.intervals import build_intervals
from anonduck.taxonomy.catalog import prepare, register
from anonduck.taxonomy.checks.checks import LEVEL_CHECKS, check_taxonomies, refuse_broken_trees
from anonduck.taxonomy.files.files import import_plain
from anonduck.taxonomy.label_counts import screen

# value, records in the source, level_1, level_2, code_0, code_1, code_2
ROWS = [
    ("nurse", 5, "health", "*", 1, 1, 1),
    ("doctor", 4, "health", "*", 2, 1, 1),
    ("teacher", 3, "school", "*", 3, 2, 1),
    ("tutor", 2, "school", "*", 4, 2, 1),
    ("pilot", 6, "transport", "*", 5, 3, 1),
    ("driver", 7, "transport", "*", 6, 3, 1),
]


@pytest.fixture
def jobs(database):
    """A column with a sound taxonomy, and two NULL records."""
    ask(database, 'CREATE TABLE frequency_set ("job@value" VARCHAR, "other@value" VARCHAR, "#records" BIGINT)')
    ask(database, "INSERT INTO frequency_set VALUES (NULL, 'a', 1), (NULL, 'b', 1)")
    ask(database, "CREATE SCHEMA taxonomy")
    ask(
        database,
        "CREATE TABLE taxonomy.job "
        "(value VARCHAR, level_1 VARCHAR, level_2 VARCHAR, code_0 INTEGER, code_1 INTEGER, code_2 INTEGER)",
    )
    for value, records, *path in ROWS:
        ask(database, f"INSERT INTO frequency_set VALUES ('{value}', 'a', {records - 1}), ('{value}', 'b', 1)")
        first, second, *codes = path
        ask(
            database,
            f"INSERT INTO taxonomy.job VALUES ('{value}', '{first}', '{second}', {', '.join(map(str, codes))})",
        )
    register(database, "job", kind="file", ordered=False, origin="test", options={})
    return database


def found(database, **options):
    return [
        (one.check, one.severity, one.values, one.records) for one in check_taxonomies(database, ["job"], **options)
    ]


def test_a_sound_taxonomy_has_no_finding(jobs):
    assert check_taxonomies(jobs, ["job"]) == []


@pytest.mark.slow
@pytest.mark.some(4)
@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        ("DELETE FROM taxonomy.job WHERE value = 'nurse'", ("missing", "error", 1, 5)),
        ("INSERT INTO taxonomy.job SELECT * FROM taxonomy.job WHERE value = 'nurse'", ("two_rows", "error", 1, 5)),
        ("UPDATE taxonomy.job SET code_1 = 4, level_1 = NULL WHERE value = 'doctor'", ("null_labels", "error", 1, 4)),
        ("UPDATE taxonomy.job SET code_1 = 0 WHERE code_1 = 2", ("null_labels", "error", 2, 5)),
        ("UPDATE taxonomy.job SET code_2 = 2, level_2 = '+' WHERE code_1 = 2", ("two_roots", "error", 2, 27)),
        ("UPDATE taxonomy.job SET level_1 = 'clinic' WHERE value = 'doctor'", ("codes", "error", 2, 9)),
        ("UPDATE taxonomy.job SET code_0 = 1 WHERE value = 'doctor'", ("codes", "error", 2, 9)),
        ("UPDATE taxonomy.job SET level_1 = 'health'", ("two_nodes", "warning", 1, 27)),
        ("UPDATE taxonomy.job SET level_1 = 'nurse' WHERE code_1 = 2", ("value_label", "warning", 1, 5)),
        ("UPDATE taxonomy.job SET code_1 = code_0, level_1 = value || '!'", ("no_coarser", "warning", 0, 27)),
    ],
)
def test_each_fault_is_found_and_counted(jobs, edit, expected):
    ask(jobs, edit)
    assert found(jobs) == [expected]


def test_a_node_with_two_parents_is_found_beside_the_second_root_it_makes(jobs):
    ask(jobs, "UPDATE taxonomy.job SET code_2 = 2, level_2 = '+' WHERE value = 'doctor'")
    assert found(jobs) == [("two_parents", "error", 1, 9), ("two_roots", "error", 2, 27)]


def test_a_value_with_two_paths_breaks_the_tree_and_is_counted_once(jobs):
    ask(jobs, "INSERT INTO taxonomy.job VALUES ('nurse', 'school', '*', 1, 2, 1)")
    assert ("two_rows", "error", 1, 5) in found(jobs)
    assert ("two_parents", "error", 1, 5) in found(jobs)


def test_the_message_has_the_query_and_values_only_on_request(jobs):
    ask(jobs, "DELETE FROM taxonomy.job WHERE value = 'nurse'")
    (finding,) = check_taxonomies(jobs, ["job"])
    assert finding.message.startswith("column 'job': values without a leaf: 1 in 5 records;")
    assert "nurse" not in finding.message
    assert finding.examples == ()
    assert finding.message.endswith(finding.sql)
    assert ask(jobs, finding.sql) == [("nurse", 5)]
    (shown,) = check_taxonomies(jobs, ["job"], show_values=True)
    assert shown.examples == ("nurse",)


def test_unseen_values_of_an_interval_taxonomy_find_their_interval(jobs):
    ask(jobs, "DELETE FROM taxonomy.job WHERE value = 'nurse'")
    register(jobs, "job", kind="intervals", ordered=True, origin="test", options={})
    assert found(jobs) == []


def test_a_column_without_a_taxonomy_or_with_one_of_another_type(jobs):
    (missing,) = check_taxonomies(jobs, ["other"])
    assert (missing.check, missing.severity) == ("no_taxonomy", "error")
    ask(jobs, 'ALTER TABLE frequency_set ALTER "job@value" TYPE BLOB')
    (changed,) = check_taxonomies(jobs, ["job"])
    assert changed.check == "type"
    assert "is BLOB, and its taxonomy was made for VARCHAR" in changed.message
    with pytest.raises(TaxonomyError, match="no quasi-identifier 'none'"):
        check_taxonomies(jobs, ["none"])


def test_another_frequency_set_can_be_checked(jobs):
    ask(jobs, 'CREATE TABLE nightly AS SELECT \'astronaut\' AS "job@value", 7 AS "#records"')
    assert found(jobs, frequency="nightly") == [("missing", "error", 1, 7)]


def test_a_fault_in_an_imported_taxonomy_has_its_file_and_lines(jobs, tmp_path):
    path = tmp_path / "jobs.csv"
    leaves = [f"{value};{first};*" for value, _, first, *_ in ROWS]
    path.write_text("\n".join(["job;sector;any", *leaves]), encoding="utf-8")
    import_plain(jobs, path, "job")
    assert check_taxonomies(jobs, ["job"]) == []
    ask(jobs, "UPDATE taxonomy.job SET level_1 = 'clinic' WHERE value = 'doctor'")
    (torn,) = check_taxonomies(jobs, ["job"])
    assert (torn.file, torn.lines) == (str(path), (2, 3))
    assert f"2 in 9 records ({path}, lines 2, 3); a code stands for one label" in torn.message
    assert "has that label's code; correct the file and import it again" in torn.message
    assert "clinic" not in torn.message
    ask(jobs, "DELETE FROM taxonomy.job WHERE value IN ('nurse', 'doctor')")
    (missing,) = check_taxonomies(jobs, ["job"])
    assert (missing.file, missing.lines) == (str(path), ())
    assert f"2 in 9 records ({path}); a taxonomy has a leaf for each" in missing.message


def test_a_fault_in_a_built_taxonomy_has_no_file_and_a_next_step(jobs):
    ask(jobs, "UPDATE taxonomy.job SET code_0 = 1 WHERE value = 'doctor'")
    (finding,) = check_taxonomies(jobs, ["job"])
    assert (finding.file, finding.lines) == (None, ())
    assert "rebuild it with `anonduck taxonomy build job --replace`" in finding.summary
    assert finding.message == f"{finding.summary}. The decision database lists them:\n{finding.sql}"
    assert "SELECT" not in finding.summary


def test_the_next_step_can_be_typed_in_a_shell():
    column = 'odd "name'
    source = pd.DataFrame({column: ["nurse", "doctor", "pilot"] * 5, "answer": ["yes", "no", "yes"] * 5})
    with Project(source=source, class_="answer", requirement={"k": 2}) as project:
        project.build_taxonomies()
        ask(project.database, """DELETE FROM taxonomy."odd ""name" WHERE value = 'pilot'""")
        (finding,) = project.check_taxonomies()
        assert "rebuild it with `anonduck taxonomy build 'odd \"name' --replace`" in finding.summary
        given = TaxonomyOptions(groups={"any": ["nurse", "pilot"]})
        built = project.build_taxonomies([column], options=given, replace=True)
        assert built[column].origin == f"`groups` of {column} in the options of a build"
        (finding,) = project.check_taxonomies()
        assert finding.summary.endswith(
            "list them in its `groups` and build it again: `anonduck taxonomy build 'odd \"name' --replace --option "
            "groups=...`"
        )


@pytest.mark.slow
@pytest.mark.some(1)
@pytest.mark.parametrize(
    "edit", ["DROP COLUMN level_2", "DROP COLUMN code_1", "ADD COLUMN note VARCHAR", "RENAME value TO v"]
)
@pytest.mark.parametrize("column", ["n", "job"])
def test_an_edit_of_the_columns_is_told_and_a_build_mends_it(column, edit):
    source = pd.DataFrame({"n": range(40), "job": list("abcdefgh") * 5, "answer": ["yes", "no", "yes", "no"] * 10})
    with Project(source=source, class_="answer", requirement={"k": 2}) as project:
        built = project.build_taxonomies()
        ask(project.database, f"ALTER TABLE taxonomy.{column} {edit}")
        for broken in (project.check_taxonomies, project.discover, lambda: project.show_taxonomy(column)):
            with pytest.raises(
                TaxonomyError,
                match=rf"{column} was edited .* rebuild it with `anonduck taxonomy build {column} --replace`",
            ):
                broken()
        assert project.build_taxonomies([column], replace=True) == {column: built[column]}
        assert project.check_taxonomies() == []


def test_a_release_refuses_what_is_no_tree_and_leaves_unknown_values_to_the_lookup(jobs):
    refuse_broken_trees(jobs, ["job"])
    ask(jobs, "DELETE FROM taxonomy.job WHERE value = 'nurse'")
    refuse_broken_trees(jobs, ["job"])
    ask(jobs, "UPDATE taxonomy.job SET level_1 = 'health'")
    refuse_broken_trees(jobs, ["job"])
    ask(jobs, "UPDATE taxonomy.job SET code_2 = code_1")
    with pytest.raises(TaxonomyError, match="column 'job', level 2: roots: 3 in 22 records"):
        refuse_broken_trees(jobs, ["job"])


@pytest.mark.slow
@pytest.mark.parametrize("rows", [1, 2, 300])
def test_the_first_look_clears_what_is_sound(database, rows):
    ask(
        database, f'CREATE TABLE frequency_set AS SELECT range AS "x@value", 1::BIGINT AS "#records" FROM range({rows})'
    )
    prepare(database)
    root = build_intervals(database, "x", "BIGINT", frequency="frequency_set", size=2, label_k=1)
    found = screen(database, "x", root)
    assert screen(database, "x", root, leaves=rows) == found
    assert found.rows == rows
    assert all(found.clears(check.name, level) for check in LEVEL_CHECKS for level in check.levels(root))
    assert found.clears("two_rows", 0)
    assert found.clears("two_roots", root)
    assert not found.clears("missing", 0)


@pytest.mark.slow
def test_release_by_a_literal_checks_first(tmp_path):
    source = pd.DataFrame({"job": ["nurse", "doctor", "pilot"] * 5, "answer": ["yes", "no", "yes"] * 5})
    target = tmp_path / "out.csv"
    with Project(source=source, class_="answer", requirement={"k": 2}) as project:
        project.build_taxonomies()
        project.release("job=0", target)
        ask(project.database, "UPDATE taxonomy.job SET code_1 = 1, level_1 = value WHERE value <> 'pilot'")
        with pytest.raises(TaxonomyError, match=r"column 'job', level 1: labels that share a code"):
            project.release("job=0", target, overwrite=True)
    assert target.read_text(encoding="utf-8").count("\n") == 16
