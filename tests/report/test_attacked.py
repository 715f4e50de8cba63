"""The attacks for an owner's certificate: on releases that leak, that do not, and that cannot be attacked."""

import json

import pytest
from oracles import people, project


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
