"""How many records the columns that are kept as they are single out, and what is required of it."""

import json
from collections import Counter, defaultdict

import pandas as pd
import pytest
from duck_writer import DuckWriter
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck import audit
from anonduck.engines.relation import Place, Relation
from anonduck.errors import AuditError
from anonduck.privacy.audited_engine import EngineTable
from anonduck.privacy.kept_columns import KeptColumns

ODD = 'an "odd" name'
HELD = st.sampled_from(["a", "b", "c", "", None])
ROWS = st.lists(st.tuples(HELD, HELD, HELD, HELD, st.sampled_from(["p", "q", "r", None])), min_size=1, max_size=14)
NAMES = ["records", "which", ODD, "class", "person"]


def table(rows, names=NAMES):
    return pd.DataFrame(
        {name: pd.array(column, dtype="string") for name, column in zip(names, zip(*rows, strict=True), strict=True)}
    )


def holders(rows, places, *, persons):
    """Each value of some columns with its records, and with its holders: records, or persons, of whom NULL is one."""
    records, held = Counter(), defaultdict(set)
    for number, row in enumerate(rows):
        value = tuple(row[place] for place in places)
        records[value] += 1
        held[value].add(row[4] if persons else number)
    return [(records[value], len(held[value])) for value in records]


def brute(rows, under, *, persons):
    """The figures by their definition: by kept column, and of all columns but that of persons."""
    rare = {
        NAMES[place]: {"rare": sum(n for n, holding in holders(rows, [place], persons=persons) if holding < under)}
        for place in (1, 2, 3)
    }
    return rare, sum(n for n, holding in holders(rows, range(4), persons=persons) if holding == 1)


@pytest.mark.slow
@examples(60)
@given(rows=ROWS, k=st.integers(1, 6), persons=st.booleans())
def test_the_figures_are_those_of_their_definition(shared, rows, k, persons):
    roles = {"sensitive": ["which"], "insensitive": [ODD], "class_": "class", "quasi_identifiers": ["records"]}
    person = {"entity": "person"} if persons else {}
    found = table(rows) if persons else table(rows).drop(columns="person")
    report = audit(found, requirements={"k": k}, measures="required", database=shared, **roles, **person).as_json()
    under = max(k, 2)
    assert (report["kept"], report["unique_with_kept"]) == brute(rows, under, persons=persons)
    assert report["rare_under"] == under


def test_an_engine_counts_the_same(shared):
    rows = [("x", "a", "1", "c", "p"), ("x", "a", None, "c", "q"), ("x", None, None, "d", None)]
    roles = {"sensitive": ["which"], "insensitive": [ODD], "class_": "class", "entity": "person"}
    engine = DuckWriter()
    engine.connection.register("released", table(rows))
    told = {"requirements": {"k": 2, "kept_rare": 9}, "measures": "required", "database": shared, **roles}
    asked, plain = (
        audit(one, **told).as_json() for one in (EngineTable("t", engine, Relation(Place(("released",)))), table(rows))
    )
    assert asked["kept"] == plain["kept"] == {"which": {"rare": 1}, ODD: {"rare": 1}, "class": {"rare": 1}}
    assert asked["requirements"] == plain["requirements"]


# -- what is required --------------------------------------------------------------------------------------------------

CHARGES = pd.DataFrame({"age": [1] * 9, "charge": ["theft"] * 6 + ["murder", "arson", None], "day": [1] * 9})


@pytest.mark.parametrize(("most", "met"), [(2, False), (3, True)])
def test_the_worst_column_decides(shared, most, met):
    asked = {"k": 5, "kept_rare": most}
    report = audit(CHARGES, ["age"], sensitive=["charge", "day"], requirements=asked, database=shared)
    (line,) = [one for one in report.as_json()["requirements"] if one["name"] == "kept_rare"]
    assert (line["reached"], line["met"], line["attribute"], line["at_most"]) == (3, met, "charge", True)


def test_two_columns_without_a_role_are_counted_where_quasi_identifiers_are_named(shared):
    report = audit(CHARGES, ["age"], requirements={"k": 5}, database=shared)
    assert report.as_json()["kept"] == {"charge": {"rare": 3}, "day": {"rare": 0}}


def test_without_a_required_k_the_reached_one_decides_and_two_at_least(shared):
    assert audit(CHARGES, ["age"], sensitive=["charge"], database=shared).kept.under == 9
    alone = CHARGES.assign(age=range(9))
    report = audit(alone, ["age"], sensitive=["charge"], requirements={"kept_rare": 0}, database=shared)
    assert (report.kept.under, report.met) == (2, False)


def test_where_nothing_is_kept_nothing_is_said(shared):
    report = audit(CHARGES, database=shared)
    assert (report.as_json()["kept"], report.as_json()["unique_with_kept"], report.kept.lines) == ({}, None, [])


def test_the_words_name_columns_and_no_values(shared):
    report = audit(CHARGES, ["age"], sensitive=["charge"], insensitive=["day"], database=shared, requirements={"k": 5})
    assert report.kept.lines == [
        "kept column 'charge': 3 records hold a value that fewer than 5 records hold",
        "3 records are unique: no other record has the same values in all columns; of these, charge and day are kept "
        "as they are",
    ]
    assert "murder" not in json.dumps(report.as_json())


def test_the_words_of_persons_and_of_a_single_record():
    unique = [KeptColumns(unique=1, persons=persons).lines for persons in (False, True)]
    assert unique == [
        ["1 record is unique: no other record has the same values in all columns"],
        ["1 record is unique to a person: nobody else has the same values in all columns"],
    ]


def test_few_lines_tell_of_many_columns(shared):
    many = pd.DataFrame({"age": [1] * 9, **{f"c{n}": [0] * (9 - n) + [1] * n for n in range(1, 5)}})
    report = audit(many, ["age"], insensitive=["c1", "c2", "c3", "c4"], requirements={"k": 5}, database=shared)
    assert [line[:16] for line in report.kept.lines[:3]] == ["kept column 'c4'", "kept column 'c3'", "kept column 'c2'"]
    assert report.kept.lines[3] == "1 more kept column: up to 1 record with such a value"


@pytest.mark.parametrize("number", [-1, 1.5])
def test_the_number_is_a_count(number):
    with pytest.raises(AuditError, match="kept_rare must be a whole number of 0 or more"):
        audit(CHARGES, ["age"], requirements={"kept_rare": number})
