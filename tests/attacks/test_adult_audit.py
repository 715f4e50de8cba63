"""What docs/adult-audit.md is made with: the rules that are chosen, and the tables of what was measured."""

from pathlib import Path

import pytest


@pytest.fixture
def adult_audit(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[2])
    from benchmarks import adult_audit

    return adult_audit


def test_the_rules_are_the_first_the_middle_and_the_last_by_k(adult_audit):
    rules = [{"id": f"R{k}", "k": k} for k in (9, 5, 100, 20, 30)]
    assert [rule["k"] for rule in adult_audit.three(rules)] == [5, 20, 100]


@pytest.mark.parametrize(
    ("value", "written"),
    [(None, ""), ("infinite", "infinite"), (12_345, "12,345"), (0.123456, "0.1235"), (3.0, "3"), (12_345.6, "12,346")],
)
def test_numbers_have_four_digits_and_counts_all(adult_audit, value, written):
    assert adult_audit.number(value) == written


def test_a_model_of_several_numbers_has_a_line_for_each(adult_audit):
    found = [{"reached": {"k": 5, "c": 0.5}}, {"reached": {"k": 9, "c": "infinite"}}]
    assert adult_audit.parts(found) == [(", k", ["5", "9"]), (", c", ["0.5", "infinite"])]
    risks = [{"reached": 0.2, "average": 0.1, "at_risk": 0}, {"reached": 1.0}]
    assert adult_audit.parts(risks) == [
        ("", ["0.2", "1"]),
        (", average", ["0.1", ""]),
        (", records over 0.2", ["0", ""]),
    ]


def test_every_table_of_the_page_is_made(adult_audit):
    page = adult_audit.PAGE.read_text(encoding="utf-8")
    opened = [line.split()[2] for line in page.splitlines() if line.startswith("<!-- table ")]
    assert opened == ["rules", "sizes", "models", "utility", "attacks", "chances", "composed"]
    assert all(f"<!-- end {name} -->" in page for name in opened)
    assert "python -m benchmarks.adult_audit --data DIR" in page


def test_columns_are_known_from_two_places_in_turn(adult_audit):
    assert adult_audit.two_places(["age"]) == []
    assert adult_audit.two_places(["age", "sex", "race"]) == [["age", "race"], ["sex"]]


def test_attacks_without_a_control_group_have_an_empty_cell(adult_audit):
    attempt = {
        "question": "linkability", "attack": "nearest neighbour (Gower)", "about": None, "attacked": 1_000,
        "success_rate": 0.5, "control_rate": None, "baseline_rate": 0.001, "excess": 0.499, "excess_low": 0.45,
        "excess_high": 0.55, "excess_normalised": 0.4995, "posterior": None,
    }  # fmt: skip
    value = {
        "prior": 0.04, "ranked_highest": 50, "precision": 0.4, "control_precision": 0.3, "control_lift": 7.5,
        "taught": True,
    }  # fmt: skip
    told = {"bits_gained": 0.1, "control_bits_gained": -0.02, "telling": 0, "values": [value, {"taught": False}]}
    reports = [{"attacks": [attempt]}, *[{"attacks": [{**attempt, "posterior": told}]}] * 3]
    lines = adult_audit.attacks_table(reports).splitlines()
    assert lines[2].split(" | ")[3:8] == ["1,000", "50.00", "", "0.10", "+49.90 (45.00 to 55.00)"]
    assert len(adult_audit.chances_table(reports).splitlines()) == 2 + 3
    assert adult_audit.chances(told) == ["+0.100", "-0.020", "1 of 2", "4.00", "50", "40.00", "30.00", "7.50"]
    assert adult_audit.chances({**told, "telling": None})[3:] == [""] * 5
