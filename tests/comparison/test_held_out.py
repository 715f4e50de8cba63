"""The stricter protocol: folds are a discovery's, a part is what its records alone make it, and tests lend nothing."""

from contextlib import ExitStack, contextmanager
from dataclasses import asdict

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
from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.evaluation.evaluation import TESTED, TRAINED, measure, part_table
from anonduck.evaluation.finding import show_found
from anonduck.evaluation.settled import settle
from anonduck.evaluation.source_cells import SourceCells
from anonduck.measures.counted_cells import CountedCells
from anonduck.measures.requirement import requirement_of
from anonduck.methods.registry import method_named
from anonduck.statements import Statement
from anonduck.statements.pipeline.column_names import code_column


@contextmanager
def cells_of(project):
    """The cells of a project's source."""
    with ExitStack() as stack:
        yield SourceCells(project.workspace, stack)


FOLDS = [f"#fold_{number}" for number in range(10)]


@pytest.mark.slow
@examples(14)
@given(tables(max_rows=30))
def test_folds_are_those_of_a_discovery(tmp_path_factory, drawn):
    names, paths, rows = drawn
    if len({row[-1] for row in rows}) < 2:
        return
    with opened(tmp_path_factory.mktemp("folds"), names, paths, rows, k=1) as one:
        one.discover(holdout=0.0)
        kept = one.database.frame(Statement("folds", "SELECT * FROM coded_frequency_set"))
        with cells_of(one) as source:
            cells = source.own
            first, _ = cells.by_class
            leaves = [column[first] for column in cells.leaves]
            mine = np.column_stack([*leaves, cells.classes[first], cells.sampled_folds(0, lambda _: None)])
        theirs = kept[[*(code_column(name, 0) for name in names), "#class", *FOLDS]].to_numpy()
    assert sorted(map(tuple, mine.tolist())) == sorted(map(tuple, theirs.tolist()))


def counted(codes, classes, records):
    return CountedCells((codes,), classes, {}, records)


@examples(30)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(1, 9)), min_size=1, max_size=12),
    st.integers(0, 9),
)
def test_rows_that_differ_in_sensitive_values_share_the_folds_of_their_cell(rows, seed):
    codes, classes, records = (np.array(column) for column in zip(*rows, strict=True))
    folds = counted(codes, classes, records).folds(seed)
    assert (folds.sum(axis=1) == records).all()
    assert (folds >= 0).all()
    keys = sorted(set(zip(codes.tolist(), classes.tolist(), strict=True)))
    whole = np.array([[code, label, records[(codes == code) & (classes == label)].sum()] for code, label in keys])
    drawn = counted(*whole.T).folds(seed)
    for (code, label), of_cell in zip(keys, drawn, strict=True):
        assert (folds[(codes == code) & (classes == label)].sum(axis=0) == of_cell).all()


def recoded(cells, workspace, method, k):
    """What a method makes of cells."""
    requirement = requirement_of(workspace.config, workspace.folder)
    chosen = method_named(method)
    shown = show_found(chosen, chosen.resolve_options(), cells, requirement, (), 0, Reporter())
    return settle(cells, shown, requirement, method)


@pytest.mark.slow
@pytest.mark.some(2)
@pytest.mark.parametrize("method", ["mondrian", "tds"])
def test_a_part_is_recoded_as_its_records_alone_are(method):
    """A planted value that only held-out records have, and their classes, change nothing."""
    people = persons(90)
    with Project(**settled(source=people, insensitive=[], identifiers=["day"])) as one, cells_of(one) as source:
        with source.opened_part(0, one.workspace) as part:
            frame = part.data.to_pandas()
        mine = measure(recoded(source.part(0, 5), one.workspace, method, 5), one.config)
    with Project(source=frame, class_="bought", requirement={"k": 5}) as alone, cells_of(alone) as source:
        found = recoded(source.own, alone.workspace, method, 5)
        assert asdict(measure(found, alone.config)) == asdict(mine)


@pytest.mark.slow
def test_a_part_and_its_fold_are_all_records():
    people = persons(90)
    with Project(**settled(source=people, insensitive=[], identifiers=["day"])) as one, cells_of(one) as source:
        cells = source.own
        values = np.array([[column.texts[at] for at in column.labels[:, 0]] for column in cells.columns], dtype=object)
        for fold in range(3):
            with source.opened_part(fold, one.workspace) as part:
                left = part.data.to_pandas()
            out = [
                tuple(values[place][leaves[row]] for place, leaves in enumerate(cells.leaves))
                for row, count in enumerate(source.folds[:, fold])
                for _ in range(count)
            ]
            both = [*map(tuple, left[["age", "job"]].astype(str).to_numpy().tolist()), *out]
            assert sorted(both) == sorted(map(tuple, people[["age", "job"]].astype(str).to_numpy().tolist()))


@pytest.mark.slow
@pytest.mark.parametrize("mask", [False, True])
def test_a_test_record_lends_nothing_and_shows_itself(mask):
    """With taxonomies that are made anew for the part, and with those that no value changes."""
    given = {"taxonomies": {"age": {"mask": "right"}, "job": {"mask": "right"}}} if mask else {}
    settings = settled(source=persons(120), insensitive=[], identifiers=["day"], **given)
    with Project(**settings) as one, cells_of(one) as source:
        found = recoded(source.part(3, 5), one.workspace, "mondrian", 5)
        table, taken = part_table(found, source.own, source.folds[:, 3], 0), source.folds[:, 3]
    tested, cells = table.folds[:, TESTED] > 0, found.released
    assert table.folds[:, TESTED].sum() == taken.sum()
    assert table.folds[:, TRAINED].sum() == cells.released.records.sum() == source.own.total - taken.sum()
    assert not (table.folds[tested, TRAINED]).any()
    for place, over in enumerate(table.over):
        own = table.codes[tested, place]
        assert (table.nodes[tested, place] == over[own, 0]).all()
        taught = table.codes[~tested, place]
        shown = table.nodes[~tested, place]
        assert all((over[leaf] == node).any() for leaf, node in zip(taught, shown, strict=True))
        lacking = set(own.tolist()) - set(taught.tolist())
        assert mask or lacking.isdisjoint(np.flatnonzero(np.isin(over, shown).any(axis=1)).tolist())


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
def test_rules_are_searched_anew_in_each_part_without_a_database_for_it(monkeypatch):
    made, opened = Database.__init__, []
    with Project(**settled(source=persons(120), insensitive=[], identifiers=["day"], holdout=0.0)) as one:
        one.discover()
        before = [rule.as_json() for rule in one.discovered().rules]
        monkeypatch.setattr(
            Database, "__init__", lambda self, *given, **named: opened.append(made(self, *given, **named))
        )
        row, other = one.compare(["rules"], [8, 10], protocol="held-out", models=["tree"]).rows
        assert len(opened) == 1, "that of the counted records"
        assert row["status"] == "done", row["reason"]
        assert row["k"] >= 8
        assert row["search_cpu_seconds"] == other["search_cpu_seconds"] > 0
        assert max(row["cpu_seconds"], other["cpu_seconds"]) < row["seconds"], "the first row waits for the searches"
        assert len(row["models"]["tree"]["accuracy"]["folds"]) == 10
        assert [rule.as_json() for rule in one.discovered().rules] == before


def test_classes_of_another_code_add_up():
    from anonduck.evaluation.evaluation import by_class
    from anonduck.models.scores import FoldResult

    two = np.array([[3, 1], [0, 2]])
    found = by_class(FoldResult(two, np.zeros(0), None, ""), np.array([1, 4]), np.array([1, 2, 4]))
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
