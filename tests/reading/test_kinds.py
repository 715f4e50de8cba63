"""The same values get the same proposal, whatever their type: floats of whole numbers, postcodes of pandas, keys."""

import pytest
from reading.proposing import ROWS, proposed, table

import anonduck
from anonduck.errors import SourceError
from anonduck.project import Project

FLAGS = [i % 2 for i in range(ROWS)]


@pytest.mark.parametrize("name", ["people.csv", "people.parquet"])
@pytest.mark.parametrize("missing", [False, True])
def test_floats_of_whole_numbers_are_like_whole_numbers(tmp_path, name, missing):
    floats = [float(flag) for flag in FLAGS]
    whole = proposed(tmp_path, table(flag=FLAGS), name).taxonomy("flag")
    found = proposed(tmp_path, table(flag=[None, *floats[1:]] if missing else floats), name).taxonomy("flag")
    assert found == whole == {"clusters": True}


def test_fractions_are_ordered_values(tmp_path):
    found = proposed(tmp_path, table(flag=[flag / 2 for flag in FLAGS]), "people.parquet")
    assert found.taxonomy("flag").keys() == {"intervals"}


@pytest.mark.parametrize("name", ["people.csv", "people.parquet"])
def test_postcodes_of_pandas_are_read_as_whole_numbers(tmp_path, name):
    zips = [None, *(float(2100 + i % 40) for i in range(1, ROWS))]
    found = proposed(tmp_path, table(plz=zips), name)
    assert found.keys["types"] == {"plz": "BIGINT"}
    assert found.taxonomy("plz")["mask"] == "right"
    assert "'plz': whole numbers with a decimal point" in found.said


@pytest.mark.slow
def test_a_masked_postcode_has_no_point():
    frame = table(plz=[None if i % 10 == 0 else float(2100 + i % 8) for i in range(ROWS)])
    done = anonduck.anonymize(
        frame, "y", k=5, methods=["rules"], keep={"plz": 1}, taxonomies={"plz": {"mask": "right"}}
    )
    assert {str(text) for text in done.frame["plz"].dropna()} <= {"210*", *(str(2100 + i) for i in range(8))}


def test_text_of_whole_floats_has_no_point():
    frame = table(plz=[None, *(float(2100 + i % 8) for i in range(1, ROWS))])
    with Project(source=frame, class_="y", types={"plz": "VARCHAR"}) as project:
        assert "'plz' holds whole numbers with a decimal point" in project.source.remarks[0]
        project.source.engine.values("plz")
        from anonduck.statements import statement

        rows = project.workspace.database.rows(statement("database/whole.sql", table={"held": "shipped_values"}))
        assert sorted(value for (value,) in rows) == [str(2100 + i) for i in range(8)]


def test_fractions_do_not_become_whole_numbers():
    frame = table(income=[1500.99, *(float(i) for i in range(1, ROWS))])
    with (
        Project(source=frame, class_="y", types={"income": "BIGINT"}) as project,
        pytest.raises(SourceError, match=r"types.income: 1 value of the source"),
    ):
        project.source  # noqa: B018 - opens it


@pytest.mark.parametrize("column", ["icd10", "diag"])
def test_diagnoses_get_the_shipped_taxonomy_when_they_are_named(tmp_path, column):
    codes = [("E11.9", "I10", "J45.0", "M54.5", "K21.9")[i % 5] for i in range(ROWS)]
    found = proposed(tmp_path, table(**{column: codes}), quasi_identifiers=[column])
    assert found.taxonomy(column) == {"shipped": "diagnosis"}


def test_a_few_mistakes_make_no_entity(tmp_path):
    emails = [f"u{max(i, 2)}@example.org" for i in range(ROWS)]
    found = proposed(tmp_path, table(customer_id=list(range(ROWS)), email=emails))
    assert "entity" not in found.keys


def test_persons_with_several_records_are_an_entity(tmp_path):
    visits = table(visit_id=list(range(ROWS)), patient_id=[f"p{i // 3}" for i in range(ROWS)])
    assert proposed(tmp_path, visits).keys["entity"] == "patient_id"
