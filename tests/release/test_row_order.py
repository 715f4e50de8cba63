"""Released rows of every kind stand in an order that shows no column: each stretch of a file is a fair sample."""

import duckdb
import numpy as np
import pandas as pd
import pytest
from oracles import people
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.preprocessing import OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

from anonduck import Project, audit

KINDS = ["rule", "mondrian", "tds", "flexible", "nsvdist", "probabilistic"]
ROLES = {"class_": "class", "identifiers": ["id", "note"], "requirement": {"k": 5}, "models": [], "seed": 3}


def made(kind, target, frame, **changes):
    with Project(source=frame, **(ROLES | changes)) as one:
        if kind == "rule":
            return one.release({"age": 2}, target)
        method, _, numbers = kind.partition(":")
        return one.anonymize(method, target, settings={"numbers": numbers} if numbers else None)


def order_in(path):
    return audit(path, ["age"], row_order=True).row_order


ENDINGS = ("csv", "parquet")


@pytest.mark.some(0, 7)  # each kind, by turns to CSV and Parquet
@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "ending"),
    [
        ("rule", "duckdb::people"),
        *[(kind, ENDINGS[(at + turn) % 2]) for at, kind in enumerate(KINDS) for turn in (0, 1)],
    ],
)
def test_every_kind_of_release_has_it(tmp_path, kind, ending):
    made(kind, tmp_path / f"out.{ending}", people(300))
    found = order_in(tmp_path / f"out.{ending}")
    assert (found.rows, found.out_of_place) == (300, 0)
    assert found.descents > 10


@pytest.mark.some(1)
@pytest.mark.parametrize("kind", ["rule", "mondrian", "tds", "probabilistic"])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_kept_columns_are_in_it(tmp_path, kind, ending):
    made(kind, tmp_path / f"out.{ending}", people(300), identifiers=[], insensitive=["id", "note"])
    assert order_in(tmp_path / f"out.{ending}").dealt


WAYS = [*KINDS, "mondrian:intervals", "guided", "sequential", "topdown", "pais", "datafly"]
KEEPING = [(kind, ["note"]) for kind in WAYS if kind != "nsvdist"]
"""A release by distributions keeps no column."""


@pytest.mark.some(0, 2)
@pytest.mark.slow
@pytest.mark.parametrize(("kind", "kept"), [*((kind, []) for kind in WAYS), *KEEPING])
def test_bytes_depend_on_neither_threads_nor_the_order_of_records(tmp_path, kind, kept):
    frame = people(300)
    roles = {"identifiers": ["id", *({"note"} - set(kept))], "insensitive": kept}
    for name, source, threads in (("one", frame, 1), ("other", frame.sample(frac=1, random_state=3), 2)):
        made(kind, tmp_path / f"{name}.parquet", source, threads=threads, **roles)
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "other.parquet").read_bytes()


@pytest.mark.slow
def test_a_lock_has_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people(300).to_csv(tmp_path / "people.csv", index=False)
    with Project(source=tmp_path / "people.csv", **ROLES) as one:
        one.lock({"age": 2})
        one.run(tmp_path / "out.parquet", locked=True)
    assert order_in(tmp_path / "out.parquet").dealt


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_cross_validation_without_shuffling_agrees_with_that_of_shuffled_rows(tmp_path, ending):
    """Within .02 AUC; of the sorted rows it is off by more than .1."""
    drawn = np.random.default_rng(5)
    age, job = drawn.integers(18, 90, 6_000), drawn.integers(0, 8, 6_000)
    likely = 1 / (1 + np.exp(-((age - 50) / 15 + 0.8 * (job % 3) - 1)))
    frame = pd.DataFrame({"age": age, "job": [f"job {n}" for n in job], "ill": drawn.random(6_000) < likely})
    with Project(source=frame, class_="ill", requirement={"k": 5}, models=[]) as one:
        one.anonymize("mondrian", tmp_path / f"out.{ending}")
    released = duckdb.sql(f"FROM '{tmp_path}/out.{ending}'").df()
    as_sorted = released.sort_values(list(released), ignore_index=True)
    shuffled = _auc(released, StratifiedKFold(5, shuffle=True, random_state=0))
    assert abs(_auc(released, 5) - shuffled) < 0.02
    assert abs(_auc(as_sorted, 5) - shuffled) > 0.1


def _auc(rows, folds):
    values = OrdinalEncoder().fit_transform(rows[["age", "job"]].astype(str))
    model = DecisionTreeClassifier(min_samples_leaf=20, random_state=0)
    return cross_val_score(model, values, rows["ill"].astype(str), cv=folds, scoring="roc_auc").mean()
