"""The tables of Adult in docs/attacks.md: the rules that are chosen, and what was measured of them."""

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


def test_every_table_of_the_page_is_made(adult_audit):
    page = adult_audit.PAGE.read_text(encoding="utf-8")
    opened = [line[len("<!-- table ") : -len(" -->")] for line in page.splitlines() if line.startswith("<!-- table ")]
    assert opened == ["adult audited", "adult attacked"]
    assert all(f"<!-- end {name} -->" in page for name in opened)
    assert "python -m benchmarks.adult_audit --data DIR" in page


def test_rules_are_shown_with_what_they_protect_and_leave(adult_audit):
    audit = {"classes": 252, "records_alone": 0, "measures": {"k": {"reached": 5}, "beta": {"reached": "infinite"}}}
    rule = {"literal": "age=3", "roc_auc": {"tree": 0.8278}}
    results = {"chosen": [rule] * 3, "baseline": {"roc_auc": {"tree": 0.901}}, "audits": [audit] * 4}
    lines = [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in adult_audit.audited_table(results).splitlines()
    ]
    assert ["rule", "", *["`age=3`"] * 3] in lines
    assert ["records alone", *["0"] * 4] in lines
    assert ["`k`", *["5"] * 4] in lines
    assert ["`beta`", *["infinite"] * 4] in lines
    assert ["area under the ROC curve (tree)", "0.901", *["0.8278"] * 3] in lines


def test_columns_are_known_from_two_places_in_turn(adult_audit):
    assert adult_audit.two_places(["age"]) == []
    assert adult_audit.two_places(["age", "sex", "race"]) == [["age", "race"], ["sex"]]


def test_of_each_question_the_strongest_attack_is_shown_and_one_without_a_control_group_has_an_empty_cell(adult_audit):
    attempt = {
        "question": "linkability", "attack": "nearest neighbour (Gower)", "about": None, "success_rate": 0.5,
        "control_rate": None, "excess": 0.499, "excess_low": 0.45, "excess_high": 0.55,
    }  # fmt: skip
    weaker = {**attempt, "attack": "record linkage", "excess": 0.6, "excess_low": 0.1}
    lines = adult_audit.attacked_table([{"attacks": [weaker, attempt]}] * 4).splitlines()
    assert len(lines) == 2 + 4
    assert lines[2].split(" | ")[2:] == ["nearest neighbour (Gower)", "50.00", "", "+49.90 (45.00 to 55.00) |"]
