"""The rows of a release by swapping: what its receipt tells, and models that learn from a swapped training part."""

from collections import Counter
from contextlib import ExitStack

import numpy as np
import pandas as pd
import pytest
from persons import persons, settled

from anonduck import Project
from anonduck.comparison import swapped_release
from anonduck.comparison.question import Contestant
from anonduck.comparison.swapped_release import recode_part_by_swaps
from anonduck.evaluation import source_cells
from anonduck.evaluation.evaluation import TESTED, TRAINED
from anonduck.evaluation.source_cells import SourceCells
from anonduck.statements import Statement

ROLES = {"identifiers": ["day"], "insensitive": []}
SCORES = ("accuracy", "balanced_accuracy", "macro_f1", "roc_auc")


def odd_people():
    """Numbers, texts and dates, with NULL, and an odd name."""
    people = persons(90, seed=4)
    people['an "odd" name'] = np.where(people["job"] == 2, None, "j" + people["job"].astype(str))
    people["since"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(people["age"], unit="D")
    people.loc[::7, "age"] = None
    return people.drop(columns=["day", "job"])


@pytest.mark.slow
def test_the_row_is_what_the_receipt_tells():
    with Project(**settled(source=persons(150), seed=7, **ROLES)) as one:
        (row,) = one.compare(["probabilistic"], [4], models=["tree"]).rows
        made = one.anonymize("probabilistic", k=4, dry_run=True)
    utility = made.owner["utility"]
    assert row["status"] == "done", row["reason"]
    assert all(0 < row["models"]["tree"][name]["value"] < 1 for name in SCORES)
    assert row["k"] == made.owner["method"]["smallest"] >= 4
    assert row["classes"] == made.owner["method"]["clusters"]
    assert row["records"] == 150
    assert row["measures"] == utility["measures"]
    assert row["risks"] == {}
    assert row["comparable"] is False
    assert "clusters" in row["note"]


@pytest.mark.slow
def test_without_a_seed_the_same_scores_come_out_again():
    rows = []
    for _ in range(2):
        with Project(**settled(source=persons(120), **ROLES)) as one:
            rows += one.compare(["probabilistic"], [3], models=["tree"]).rows
    assert rows[0]["models"] == rows[1]["models"]


def test_two_records_are_not_swapped():
    with Project(**settled(source=persons(60), **ROLES)) as one:
        (row,) = one.compare(["probabilistic"], [2], models=[]).rows
    assert row["status"] == "failed"
    assert "3" in row["reason"]


def part_of(monkeypatch, people, fold, k=4, **settings):
    """The table of a part and its fold, the rows that the part shows, and the records of the fold."""
    found, known, build, built = [], swapped_release._part_table, source_cells.build, []

    def read(source, fold, recoding, database, seed):
        found.append(database.frame(Statement("shown", "SELECT * FROM release_rows")))
        return known(source, fold, recoding, database, seed)

    monkeypatch.setattr(swapped_release, "_part_table", read)
    monkeypatch.setattr(source_cells, "build", lambda one, made, **how: built.extend(made) or build(one, made, **how))
    with Project(source=people, class_="bought", requirement={"k": k}) as one, ExitStack() as stack:
        build(one.workspace, None, replace=False, options=None)
        source = SourceCells(one.workspace, stack)
        table = recode_part_by_swaps(one.workspace, Contestant("probabilistic", settings), k, source, fold).table
        assert built == [name for name in ("age", "job") if f"{name}=1" in settings.get("levels", "")], (
            "made anew of a part, where it is read"
        )
        with source.opened_part(fold, one.workspace, ()) as part:
            trained = part.data.to_pandas()
    return table, *found, trained


def as_table(frame, names, people):
    """Rows as the table has them: dates and numbers as numbers, other values by their place among all; NULL is -1."""
    columns = []
    for name in names:
        values, every = frame[name], people[name]
        if name == "since":
            values = (pd.to_datetime(values) - pd.Timestamp("1970-01-01")).dt.total_seconds()
        elif not pd.api.types.is_numeric_dtype(every):
            places = {value: place for place, value in enumerate(sorted(every.dropna().unique()), start=1)}
            values = values.map(places)
        columns.append(values.astype(float).fillna(-1))
    return list(zip(*columns, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("fold", [0, 6])
def test_models_learn_from_what_a_part_shows_and_are_tested_on_the_fold_as_it_came(monkeypatch, fold):
    people = odd_people()
    table, shown, trained = part_of(monkeypatch, people, fold)
    names = ["age", 'an "odd" name', "since"]
    values = np.where(table.codes == 0, -1, table.values)
    cells = [(*row, label) for row, label in zip(map(tuple, values.tolist()), table.classes.tolist(), strict=True)]
    by_fold = [
        Counter({cell: count for cell, count in zip(cells, column.tolist(), strict=True) if count})
        for column in table.folds.T
    ]
    every = Counter(as_table(people, [*names, "bought"], people))
    rows = shown.rename(columns=lambda name: name.removesuffix("@value"))
    released = Counter()
    for row, count in zip(as_table(rows, [*names, "bought"], people), rows["#records"], strict=True):
        released[row] += int(count)
    assert by_fold[TRAINED] == released
    assert by_fold[TESTED] == every - Counter(as_table(trained, [*names, "bought"], people))
    assert by_fold[TRAINED].total() + by_fold[TESTED].total() == len(people)
    assert table.nominal == (False, True, False)


@pytest.mark.slow
def test_the_fold_is_shown_by_the_labels_and_the_largest_number_of_the_options(monkeypatch):
    people = persons(120).drop(columns="day")
    table, shown, _ = part_of(monkeypatch, people, 2, levels="job=1", top="age=50")
    tested = table.folds[:, TESTED] > 0
    assert table.nominal == (False, True)
    assert table.values[:, 0].max() == 50
    assert (people["age"] > 50).any()
    labels = shown["job@value"].nunique()
    assert set(table.codes[tested, 1]) <= set(range(labels + 1))


@pytest.mark.slow
def test_held_out_trains_on_swapped_parts():
    with Project(**settled(source=persons(120), **ROLES)) as one:
        found = one.compare(["probabilistic", "mondrian"], [3], models=["tree"], protocol=["released", "held-out"])
    for row in found.rows:
        assert row["status"] == "done", row["reason"]
        assert len(row["models"]["tree"]["accuracy"]["folds"]) == 10
        assert row["models"]["tree"]["accuracy"]["value"] > found.majority_share
    held_out = next(row for row in found.rows if (row["method"], row["protocol"]) == ("probabilistic", "held-out"))
    assert held_out["k"] >= 3
    assert held_out["records"] == 108
    assert held_out["information_gain"] is None
