"""The row of a release by distributions: proven with the source, and models that learn from drawn tables."""

import pytest
from persons import persons, settled

from anonduck import Project
from anonduck.comparison.drawn_release import HELD_OUT_REASON
from anonduck.methods.method import ATTACKS, PROTECTS
from anonduck.methods.registry import METHODS

ROLES = {"identifiers": ["day"], "insensitive": []}


def compared(records=120, k=5, protocol="released", **settings):
    with Project(**settled(source=persons(records), **ROLES)) as one:
        return one.compare(["nsvdist"], [k], models=["tree"], protocol=protocol, **settings)


@pytest.mark.slow
def test_models_learn_from_drawn_tables_and_find_what_the_class_follows_from():
    found = compared(300)
    (row,) = found.rows
    assert row["status"] == "done"
    assert row["k"] >= 5
    assert row["records"] == 300
    told = row["models"]["tree"]["accuracy"]
    assert len(told["folds"]) == 10
    assert told["value"] > found.majority_share + 0.1
    assert "drawn from it" in row["words"]
    assert compared(300).rows[0]["models"] == row["models"]


@pytest.mark.slow
def test_models_find_nothing_where_the_class_follows_from_nothing():
    frame = persons(300)
    frame["bought"] = frame["bought"].sample(frac=1, random_state=2).to_numpy()
    with Project(**settled(source=frame, **ROLES)) as one:
        found = one.compare(["nsvdist"], [30], models=["tree"])
    (row,) = found.rows
    assert row["status"] == "done"
    assert row["models"]["tree"]["accuracy"]["value"] <= found.majority_share + 0.08


@pytest.mark.slow
def test_it_is_told_apart_and_never_the_best():
    with Project(**settled(source=persons(200), **ROLES)) as one:
        found = one.compare(["nsvdist", "datafly"], [5], models=["tree"])
    drawn, other = found.rows
    scores = [row["models"]["tree"]["accuracy"]["value"] for row in (drawn, other)]
    assert scores[0] > scores[1], "the row that is left out would be the best"
    assert (drawn["comparable"], other["comparable"]) == (False, True)
    assert "predict original records" in drawn["note"]
    assert other["note"] is None
    assert {one["method"] for one in found.best()} == {"datafly"}


@pytest.mark.slow
def test_held_out_says_why_there_is_no_row():
    (row,) = compared(30, protocol="held-out").rows
    assert (row["status"], row["reason"]) == ("failed", HELD_OUT_REASON)


def test_each_kind_of_recoding_says_what_it_protects():
    kinds = {one.recoding for one in METHODS.values()}
    assert kinds <= PROTECTS.keys()
    assert kinds <= ATTACKS.keys()
