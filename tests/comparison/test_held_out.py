"""The stricter protocol: folds are a discovery's, a part is what its records alone make it, and tests lend nothing."""

import numpy as np
import pandas as pd
import pytest
from class_oracle import opened
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import tables
from persons import persons, settled

from anonduck import Project
from anonduck.comparison.held_out_row import TESTED, TRAINED, part_table
from anonduck.comparison.question import Contestant
from anonduck.comparison.reading import reader_of
from anonduck.comparison.releasing import release_contestant
from anonduck.comparison.source_records import fold_records, source_records, training_part
from anonduck.statements import Statement
from anonduck.statements.pipeline.builder_frequency import code_column

FOLDS = [f"#fold_{number}" for number in range(10)]


@pytest.mark.slow
@examples(14)
@given(tables(max_rows=30))
def test_folds_are_those_of_a_discovery(tmp_path_factory, drawn):
    names, paths, rows = drawn
    if len({row[-1] for row in rows}) < 2:
        return
    with opened(tmp_path_factory.mktemp("folds"), names, paths, rows, k=1) as one:
        one.discover(search="lattice", holdout=0.0)
        kept = one.database.frame(Statement("folds", "SELECT * FROM coded_frequency_set"))
        with source_records(one.workspace) as records:
            cells, folds = records.cells()
            mine = np.column_stack([records.codes[cells], records.classes[cells], folds])
        theirs = kept[[*(code_column(name, 0) for name in names), "#class", *FOLDS]].to_numpy()
    assert sorted(map(tuple, mine.tolist())) == sorted(map(tuple, theirs.tolist()))


@examples(30)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(1, 9)), min_size=1, max_size=12),
    st.integers(0, 9),
)
def test_rows_that_differ_in_sensitive_values_share_the_folds_of_their_cell(rows, seed):
    codes, classes, records = (np.array(column) for column in zip(*rows, strict=True))
    folds = fold_records(codes[:, None], classes, records, seed)
    assert (folds.sum(axis=1) == records).all()
    assert (folds >= 0).all()
    keys = sorted(set(zip(codes.tolist(), classes.tolist(), strict=True)))
    whole = np.array([[code, label, records[(codes == code) & (classes == label)].sum()] for code, label in keys])
    drawn = fold_records(whole[:, :1], whole[:, 1], whole[:, 2], seed)
    for (code, label), of_cell in zip(keys, drawn, strict=True):
        assert (folds[(codes == code) & (classes == label)].sum(axis=0) == of_cell).all()


def release_of(workspace, contestant, k):
    """What a contestant releases, and all that is measured of it."""
    found = []

    def use(read, _):
        found.append((read.measured, read.audited.as_json()))

    made = release_contestant(workspace, contestant, k, reader_of(workspace.config, workspace.roles, use), None)
    return (made.k, made.classes, made.rows, made.receipt["columns"], found)


def frame_of_part(workspace, records, fold):
    with training_part(workspace, records, fold) as part:
        return part.data.to_pandas()


@pytest.mark.slow
@pytest.mark.some(2)
@pytest.mark.parametrize("method", ["mondrian", "datafly", "tds"])
def test_a_part_is_released_as_its_records_alone_are(method):
    """A planted value that only held-out records have, and their classes, change nothing."""
    people = persons(90)
    with (
        Project(**settled(source=people, insensitive=[], identifiers=["day"])) as one,
        source_records(one.workspace) as records,
    ):
        frame = frame_of_part(one.workspace, records, 0)
        with training_part(one.workspace, records, 0) as part:
            mine = release_of(part, Contestant(method), 5)
    with Project(source=frame, class_="bought", requirement={"k": 5}) as alone:
        assert release_of(alone.workspace, Contestant(method), 5) == mine


@pytest.mark.slow
def test_a_part_and_its_fold_are_all_records():
    people = persons(90)
    with (
        Project(**settled(source=people, insensitive=[], identifiers=["day"])) as one,
        source_records(one.workspace) as records,
    ):
        parts = [frame_of_part(one.workspace, records, fold) for fold in range(3)]
        left = [records.folds[:, fold].sum() for fold in range(3)]
        counts = [records.folds[:, fold] for fold in range(3)]
        codes, values = records.codes, [sorted(people[name].unique()) for name in ("age", "job")]
    for part, out, held in zip(parts, left, counts, strict=True):
        assert len(part) + out == len(people)
        rows = [(values[0][a - 1], values[1][b - 1]) for (a, b), n in zip(codes, held, strict=True) for _ in range(n)]
        both = pd.concat([part[["age", "job"]], pd.DataFrame(rows, columns=["age", "job"])])
        assert sorted(map(tuple, both.to_numpy().tolist())) == sorted(
            map(tuple, people[["age", "job"]].to_numpy().tolist())
        )


@pytest.mark.slow
def test_a_test_record_lends_nothing_and_shows_itself():
    found = []
    with (
        Project(**settled(source=persons(120), insensitive=[], identifiers=["day"])) as one,
        source_records(one.workspace) as records,
        training_part(one.workspace, records, 3) as part,
    ):

        def use(read, database):
            found.append((part_table(records, 3, read, database, 0), read.records.cells))

        release_contestant(part, Contestant("mondrian"), 5, reader_of(part.config, part.roles, use), None)
    (table, cells), tested = found[0], found[0][0].folds[:, TESTED] > 0
    assert table.folds[:, TESTED].sum() == records.folds[:, 3].sum()
    assert (
        table.folds[:, TRAINED].sum()
        == cells.released.records.sum()
        == records.records.sum() - records.folds[:, 3].sum()
    )
    assert not (table.folds[tested, TRAINED]).any()
    for place, over in enumerate(table.over):
        own = table.codes[tested, place]
        assert (table.nodes[tested, place] == over[own, 0]).all()
        taught = table.codes[~tested, place]
        shown = table.nodes[~tested, place]
        assert all((over[leaf] == node).any() for leaf, node in zip(taught, shown, strict=True))
        assert {leaf for leaf in own if leaf not in taught}.isdisjoint(np.flatnonzero(np.isin(over, shown).any(axis=1)))


@pytest.mark.slow
def test_the_class_cannot_leak_from_the_fold():
    """A column that names each record tells a model nothing where its fold was held out and its values are released."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"number": np.arange(200), "bought": random.choice(["yes", "no"], 200)})
    with Project(source=frame, class_="bought", requirement={"k": 5}) as one:
        (row,) = one.compare(["mondrian"], [5], protocol="held-out", models=["tree"]).rows
    assert row["status"] == "done"
    assert abs(row["models"]["tree"]["roc_auc"]["mean"] - 0.5) < 0.15


@pytest.mark.slow
def test_rules_are_searched_anew_in_each_part():
    with Project(**settled(source=persons(120), insensitive=[], identifiers=["day"], holdout=0.0)) as one:
        one.discover()
        before = [rule.as_json() for rule in one.discovered().rules]
        row, other = one.compare(["rules"], [8, 10], protocol="held-out", models=["tree"]).rows
        assert row["status"] == "done", row["reason"]
        assert row["k"] >= 8
        assert row["search_cpu_seconds"] == other["search_cpu_seconds"] > 0
        assert max(row["cpu_seconds"], other["cpu_seconds"]) < row["seconds"], "the first row waits for the searches"
        assert len(row["models"]["tree"]["accuracy"]["folds"]) == 10
        assert [rule.as_json() for rule in one.discovered().rules] == before


def test_classes_of_another_code_add_up():
    from anonduck.comparison.held_out_row import by_class
    from anonduck.models.scores import FoldResult

    two = np.array([[3, 1], [0, 2]])
    found = by_class(FoldResult(two, two, np.zeros(0), None, ""), np.array([1, 4]), np.array([1, 2, 4]))
    assert found.confusion.tolist() == [[3, 0, 1], [0, 0, 0], [0, 0, 2]]


@pytest.mark.slow
def test_requirements_beside_k_hold_in_each_part():
    people = persons(100)
    people["ill"] = np.random.default_rng(3).choice(["a", "b", "c"], len(people))
    requirement = {"k": 5, "l": 2, "suppression": 0.3}
    with Project(
        source=people, class_="bought", sensitive=["ill"], identifiers=["day"], requirement=requirement
    ) as one:
        (row,) = one.compare(["mondrian"], [6], protocol="held-out", models=["tree"]).rows
    assert row["status"] == "done", row["reason"]
    assert row["risks"]["l"] >= 2
