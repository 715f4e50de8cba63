"""The attacks for an owner's certificate: on releases that leak, that do not, and that cannot be attacked."""

import json
import re

import pytest
from oracles import people, project

from anonduck.report.certificate_sections import attack_findings


def attacked(tmp_path, release, **settings):
    with project(people(400), database=tmp_path / "d.duckdb", **settings) as one:
        release(one, tmp_path / "out.parquet")
        path = one.certificate(tmp_path / "out.parquet", tmp_path / "owner.json", owner=True)
    return json.loads(path.read_text())


def singling_out(found):
    return next(one for one in found["attacks"] if one["question"] == "singling out")


@pytest.mark.slow
def test_a_release_of_records_as_they_are_leaks_and_one_of_large_classes_does_not(tmp_path):
    (tmp_path / "safe").mkdir()
    leaking = attacked(tmp_path, lambda one, path: one.release({"age": 0, "job": 0}, path), requirement={"k": 1})
    safe = attacked(tmp_path / "safe", lambda one, path: one.release({"job": 0}, path), requirement={"k": 50})
    assert singling_out(leaking)["success_rate"] > 2 * singling_out(leaking)["control_rate"]
    assert singling_out(safe)["success_rate"] == 0
    assert "at most 200 of each group were attacked: 95 % intervals reach at most 6.9%" in safe["attack_notes"][2]


def test_columns_that_a_method_shows_nothing_of_for_fewer_people_are_named_and_the_others_attacked(tmp_path):
    found = attacked(tmp_path, lambda one, path: one.anonymize("mondrian", path), requirement={"k": 80})
    receipt = json.loads((tmp_path / "out.parquet.receipt.json").read_text())
    shown = [column["name"] for column in receipt["columns"] if column["role"] == "quasi-identifier"]
    assert {one["question"] for one in found["attacks"]} >= {"singling out", "inference"}
    (unseen,) = [note for note in found["attack_notes"] if note.startswith("for so few the method shows nothing of ")]
    named = unseen.removeprefix("for so few the method shows nothing of ").partition(":")[0].split(", ")
    assert set(named) < set(shown)


@pytest.mark.slow
def test_swapped_values_are_attacked_at_the_k_of_their_method(tmp_path):
    found = attacked(tmp_path, lambda one, path: one.anonymize("probabilistic", path), requirement={"k": 5})
    assert {one["question"] for one in found["attacks"]} >= {"singling out", "inference"}
    assert any("links to a person's own row cannot be checked" in note for note in found["attack_notes"])


def test_distributions_are_not_attacked_and_the_certificate_says_so(tmp_path):
    roles = {"identifiers": ["id", "note"], "insensitive": [], "requirement": {"k": 5}}
    found = attacked(tmp_path, lambda one, path: one.anonymize("nsvdist", path), **roles)
    assert not found["attacks"]
    assert "the column 'class' of the release holds distributions" in found["attack_notes"][0]


# -- which columns were attacked ---------------------------------------------------------------------------------------

READ = {"publication": {"recipient": "A", "purpose": "B"}, "reviewed": "Jane Doe, 2026-03-01"}


def rows_of(path):
    """The rows of the table of attacks on a page."""
    section = path.read_text(encoding="utf-8").partition("Attacks tried</h2>")[2].partition("</table>")[0]
    return [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in section.split("<tr>")[2:]]


@pytest.mark.slow
def test_each_row_says_what_it_covered_and_a_signature_needs_all_of_it_or_a_word(tmp_path):
    release, word = tmp_path / "out.parquet", "Jane Roe, DPO, 2026-03-02"
    with project(people(400), database=tmp_path / "d.duckdb", requirement={"k": 80}, **READ) as one:
        one.anonymize("mondrian", release)
        page = one.certificate(release, tmp_path / "owner.html", owner=True)
        owner = json.loads(one.certificate(release, tmp_path / "owner.json", owner=True).read_text())
        public = json.loads(one.certificate(release, tmp_path / "public.json").read_text())
        accepted = json.loads(one.certificate(release, tmp_path / "word.json", accept_unattacked=word).read_text())
        told = one.certificate(release, tmp_path / "word.html", owner=True, accept_unattacked=word).read_text()
    shown = [one["name"] for one in owner["columns"] if one["role"] == "quasi-identifier"]
    others = owner["not_attacked"]
    assert others
    for row in owner["attacks"]:
        assert {*row["covered"], *row["not_covered"]} == set(shown)
        assert row["not_covered"] == others
    assert all(row[2].endswith(f"not attacked: {', '.join(others)}") for row in rows_of(page))
    assert [line.partition(" (")[0] for line in owner["missing"]] == [f"not attacked: {', '.join(others)}"]
    assert [line.partition(" (")[0] for line in public["missing"]] == [
        "not each quasi-identifier that it shows was attacked"
    ]
    assert not set(others) & set(re.findall(r"\w+", json.dumps(public["missing"])))
    assert accepted["ready_to_sign"] is True
    assert accepted["accepted_unattacked"] == {"name": "Jane Roe, DPO", "date": "2026-03-02"}
    assert f"Not attacked: {', '.join(others)}; Jane Roe, DPO accepted that on 2026-03-02." in told


def test_a_release_all_of_whose_columns_are_attacked_is_ready_with_an_owners_page_or_without(tmp_path):
    with project(people(200), database=tmp_path / "d.duckdb", requirement={"k": 5}, **READ) as one:
        one.release({"job": 1}, tmp_path / "out.parquet")
        public = json.loads(one.certificate(tmp_path / "out.parquet", tmp_path / "public.json").read_text())
    assert public["ready_to_sign"] is True
    assert (public["all_attacked"], public["attacks"]) == (True, None)
    assert "not_attacked" not in public


def test_what_cannot_be_attacked_is_not_ready(tmp_path):
    roles = {"identifiers": ["id", "note"], "insensitive": [], "requirement": {"k": 5}, **READ}
    with project(people(200), database=tmp_path / "d.duckdb", **roles) as one:
        one.anonymize("nsvdist", tmp_path / "out.parquet")
        owner = json.loads(one.certificate(tmp_path / "out.parquet", tmp_path / "o.json", owner=True).read_text())
    assert owner["not_attacked"] == ["age", "job", "rate"]
    assert owner["missing"][-1].startswith("not attacked: age, job, rate (attack the file itself")


def attempt(attack, **changes):
    figures = dict.fromkeys(("control_rate", "baseline_rate", "excess", "excess_normalised"), 0.25)
    told = {"question": "inference", "attack": attack, "about": "ill", "success_rate": 0.5, "words": "x"}
    return told | figures | changes


def test_attackers_with_the_same_figures_are_one_row(tmp_path):
    receipt = {"columns": [{"name": name, "role": "quasi-identifier"} for name in ("age", "zip")]}
    tried = [attempt("forest"), attempt("bayes"), attempt("nearest", excess=0.5)]
    tried.append(attempt("two sources (Gower)", about="age with sex", question="linkability"))
    found = {"attacks": tried, "closing": [], "quasi_identifiers": ["age", "zip"]}
    (tmp_path / "page.html").write_text(f"Attacks tried</h2>{''.join(attack_findings(found, receipt))}")
    assert [row[1:3] for row in rows_of(tmp_path / "page.html")] == [
        ["forest; bayes, ill", "age, zip"],
        ["nearest, ill", "age, zip"],
        ["two sources (Gower), age with sex", "age; not attacked: zip"],
    ]
