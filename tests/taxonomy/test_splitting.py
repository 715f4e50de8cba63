"""Folds that are blocks of records in the order of a column, against plain Python on rows with NULLs."""

from collections import Counter

import pandas as pd
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import people, project

from anonduck import Project
from anonduck.errors import ConfigError, ModelError
from anonduck.frequency import frequency_set as frequency_room
from anonduck.statements import Statement

record = st.tuples(
    st.sampled_from(["a", "b", None]), st.sampled_from(["u", "v"]), st.sampled_from([1.5, 2.0, 7.0, -3.0, None])
)


def blocks_of(values):
    """The block of each distinct value: that of the middle one of its records, NULL before all others."""
    sizes = Counter(values)
    found, before = {}, 0
    for value in sorted(sizes, key=lambda one: (one is not None, one)):
        found[value] = 10 * (2 * before + sizes[value] - 1) // (2 * len(values))
        before += sizes[value]
    return found


def folds_of(one):
    """The records of each job, class and fold that the decision database holds."""
    query = Statement(
        "folds",
        """
        SELECT l.value, c.value, i, sum(n) FROM (
            SELECT "job@0" AS job, "#class" AS class,
                unnest(["#fold_0", "#fold_1", "#fold_2", "#fold_3", "#fold_4",
                        "#fold_5", "#fold_6", "#fold_7", "#fold_8", "#fold_9"]) AS n, unnest(range(10)) AS i
            FROM coded_frequency_set
        ) LEFT JOIN lookup.job AS l ON l.code_0 = job LEFT JOIN class_values AS c ON c.code = class
        WHERE n > 0 GROUP BY ALL
        """,
    )
    return {(job, class_, fold): n for job, class_, fold, n in one.database.rows(query)}


@pytest.mark.slow
@given(st.lists(record, min_size=4, max_size=30).filter(lambda rows: len({row[1] for row in rows}) == 2))
@examples(15)
def test_a_value_lies_in_one_block_as_a_whole_and_blocks_follow_each_other(rows):
    frame = pd.DataFrame(rows, columns=["job", "class", "when"])
    blocks = blocks_of([row[2] for row in rows])
    expected = Counter((job, class_, blocks[when]) for job, class_, when in rows)
    if len(set(blocks.values())) < 2:
        return
    with Project(source=frame, class_="class", insensitive=["when"], split_by="when", models=["bayes"]) as one:
        one.discover(min_k=1, search="rfd")
        assert folds_of(one) == expected
        tables = {name for (name,) in one.database.rows(Statement("tables", "SELECT table_name FROM duckdb_tables()"))}
    assert not {name for name in tables if "split" in name}


@pytest.mark.slow
def test_a_quasi_identifier_may_order_the_blocks_too():
    frame = people(300).drop(columns=["note"])
    with project(frame, insensitive=[], split_by="age") as one:
        found = one.discover(search="rfd")
        counts = one.database.rows(
            Statement("young", 'SELECT sum("#fold_0") FROM coded_frequency_set WHERE "age@0" > 20'), None
        )
    assert counts == [(0,)]
    assert all(0 <= rule.accuracy["tree"] <= 1 for rule in found.rules)


@pytest.mark.slow
def test_what_changes_with_time_is_not_foretold(tmp_path):
    """The class turns with the months: split at random a model knows the month, split in blocks it does not."""
    rows = [(month, "xy"[i % 2], "ab"[(i + month) % 2]) for month in range(20) for i in range(20)]
    frame = pd.DataFrame(rows, columns=["month", "kind", "class"])
    levels = {"month": 0, "kind": 0}
    accuracy = {}
    for split_by in (None, "month"):
        with Project(source=frame, class_="class", requirement={"k": 2}, split_by=split_by) as one:
            found = one.discover(select="information_gain")
            accuracy[split_by] = next(r.accuracy["tree"] for r in found.rules if dict(r.levels) == levels)
            run = one.run(tmp_path / "r.csv", overwrite=True, reselect=True, report=False)
            in_order = run.expected["tree"]["protocol"].startswith("holdout in the order of month")
            assert in_order == (split_by is not None)
    assert accuracy[None] == 1.0
    assert accuracy["month"] < 0.7


@pytest.mark.slow
def test_too_many_cells_are_sampled_in_their_blocks(monkeypatch):
    monkeypatch.setattr(frequency_room, "MODEL_CELLS", 40)
    frame = people(300)
    with project(frame, split_by="age") as one:
        one.discover(search="rfd", models=["bayes"], min_k=1)
        summed = " + ".join(f'sum("#fold_{fold}")' for fold in range(10))
        total = one.database.value(Statement("sampled", f"SELECT {summed} FROM coded_frequency_set"))
    assert total == 40


def test_a_column_to_split_by_must_be_there_and_have_values_to_order():
    with project(people(), split_by="when") as one, pytest.raises(ConfigError, match="no column 'when'"):
        one.discover()
    with (
        project(people().assign(same=1), insensitive=["note", "same"], split_by="same") as one,
        pytest.raises(ModelError, match="needs records in at least two folds"),
    ):
        one.discover()
