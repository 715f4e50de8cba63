"""A training part as cells: taxonomies made from its counts are those that builders make of a source of its records."""

from contextlib import ExitStack
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import project

from anonduck.comparison.rows import PartRules
from anonduck.evaluation.cells import read_cells
from anonduck.evaluation.part_cells import _CellBins
from anonduck.evaluation.source_cells import SourceCells
from anonduck.frequency.copies import in_memory
from anonduck.measures.requirement import requirement_of
from anonduck.rules.rule import AUTO, RFD
from anonduck.search.job import discover
from anonduck.search.stored_rules import discovered
from anonduck.taxonomy.builders.clusters import BINS

ODD = 'an "odd" name'
TAXONOMIES = st.fixed_dictionaries(
    {
        "age": st.sampled_from(
            [{"intervals": 2}, {"intervals": 3, "prune": True}, {"quantiles": [4, 2]}, {"width": 10}]
        ),
        "pay": st.sampled_from([{"intervals": 2}, {"quantiles": [3]}, {"intervals": 2, "top": 40}, {"clusters": True}]),
        "born": st.sampled_from([{"intervals": 2}, {"quantiles": [3]}, {"dates": ["month", "year"]}]),
        ODD: st.sampled_from([{"clusters": True}, {"clusters": True, "prune": True}, {"mask": "right"}]),
        "job": st.sampled_from([{"clusters": True}, {"clusters": True, "cluster_on": ["class", "age"]}]),
    }
)


def frame(seed, rows):
    """Ties, NULLs, NaN, infinities, values that only some records have, and a name with quotes."""
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": pd.array(random.choice([18, 19, 30, 31, 32, 45, 90, None], rows), dtype="Int64"),
            "pay": random.choice([0.5, 1.25, 7.0, 20.0, 55.5, np.inf, -np.inf, np.nan], rows),
            "born": random.choice([*pd.date_range("1999-01-30", periods=6, freq="17D").date, None], rows),
            ODD: random.choice(["a", "b +1", "*", "group 1", "", "'", None], rows),
            "job": random.choice(["x", "y", "z", "w"], rows, p=[0.5, 0.3, 0.15, 0.05]),
            "ill": random.choice(["flu", "7", None], rows),
            "class": random.choice(["yes", "no", None], rows, p=[0.5, 0.4, 0.1]),
        }
    )


def shown(column):
    """The labels of a column's values by level."""
    return np.array(column.texts, dtype=object)[column.labels].tolist()


def rows_of(cells):
    """The records of cells by value, class and sensitive code."""
    columns = [
        np.array(one.texts, dtype=object)[one.labels[codes, 0]]
        for one, codes in zip(cells.columns, cells.leaves, strict=True)
    ]
    columns += [np.array(cells.class_texts, dtype=object)[cells.classes], cells.records]
    columns += [one.codes for one in cells.sensitive.values()]
    return [tuple(map(str, row)) for row in zip(*columns, strict=True)]


@pytest.mark.slow
@examples(12)
@given(st.integers(0, 999), st.integers(25, 60), TAXONOMIES, st.sampled_from([2, 4]), st.sampled_from([2, 5]))
def test_a_part_is_coded_as_a_source_of_its_records(seed, rows, taxonomies, k, label_k):
    settings = {"requirement": {"k": k, "l": 2}, "sensitive": ["ill"], "identifiers": [], "insensitive": []}
    with project(frame(seed, rows), taxonomies=taxonomies, **settings) as one, ExitStack() as stack:
        source = SourceCells(one.workspace, stack)
        for fold in (0, 7):
            found = source.part(fold, label_k)
            config = one.config.model_copy(
                update={"requirement": one.config.requirement.model_copy(update={"k": max(k, label_k)})}
            )
            with source.opened_part(fold, one.workspace.with_config(config)) as part:
                requirement = requirement_of(config, part.folder)
                expected = read_cells(part, max(k, label_k), requirement, checked=True)
            same_cells(found, expected)


@pytest.mark.slow
@examples(6)
@given(st.integers(0, 999), st.integers(25, 60), TAXONOMIES, st.sampled_from([3, 7]))
def test_all_records_with_labels_for_a_larger_k_are_as_if_read_again(seed, rows, taxonomies, label_k):
    settings = {"requirement": {"k": 2, "l": 2}, "sensitive": ["ill"], "identifiers": [], "insensitive": []}
    with project(frame(seed, rows), taxonomies=taxonomies, **settings) as one, ExitStack() as stack:
        found = SourceCells(one.workspace, stack).cells(label_k)
        with in_memory(one.workspace) as again:
            same_cells(found, read_cells(again, label_k, requirement_of(again.config, again.folder), checked=True))


def same_cells(found, expected):
    assert rows_of(found) == rows_of(expected)
    assert [one.tolist() for one in found.leaves] == [one.tolist() for one in expected.leaves]
    for mine, theirs in zip(found.columns, expected.columns, strict=True):
        same_column(mine, theirs)
    for mine, theirs in zip(found.sensitive.values(), expected.sensitive.values(), strict=True):
        assert mine.values.missing.tolist() == theirs.values.missing.tolist()
        assert mine.values.numbers.tolist() == theirs.values.numbers.tolist()


@pytest.mark.slow
@examples(3)
@given(
    st.integers(0, 999),
    TAXONOMIES,
    st.sampled_from([AUTO, RFD]),
    st.sampled_from(["accuracy", "roc_auc", "loss", "information_gain"]),
    st.sampled_from([{"k": 3}, {"k": 2, "l": 2, "suppression": 0.2}]),
    st.sampled_from(["generalized", "original"]),
)
def test_the_rules_of_a_part_are_those_of_a_source_of_its_records(seed, taxonomies, search, by, required, test_on):
    settings = {"requirement": required, "sensitive": ["ill"], "search": search, "test_on": test_on, "coverage": [0.3]}
    given = {"taxonomies": taxonomies, "models": ["tree"], "identifiers": [], "insensitive": []}
    with project(frame(seed, 40), **given, **settings) as one, ExitStack() as stack:
        source = SourceCells(one.workspace, stack)
        found = PartRules(source, [4], ["tree"], {}).of_part(one.workspace, by, 3)
        with source.opened_part(3, one.workspace) as part:
            discover(part, min_k=4, models=found.models, select=by)
            expected = discovered(part).rules
    told = {"dependency": None, "information_kept": {}, "information_kept_overall": None}
    assert found.rules == tuple(replace(rule, **told) for rule in expected)


def same_column(mine, theirs):
    assert shown(mine) == shown(theirs)
    assert mine.labels.tolist() == theirs.labels.tolist(), "labels are numbered alike, so that classes are"
    assert mine.unknown.tolist() == theirs.unknown.tolist()
    assert mine.written == theirs.written
    for one, other in zip(mine.counted.paths, theirs.counted.paths, strict=True):
        assert one.tolist() == other.tolist()
    assert mine.counted.held.tolist() == theirs.counted.held.tolist()
    for name in ("by_loss", "by_ncp"):
        for one, other in zip(getattr(mine.cell, name).costs, getattr(theirs.cell, name).costs, strict=True):
            assert one == pytest.approx(other, abs=1e-12, nan_ok=True)
    assert (mine.cell.ordered, mine.cell.leaves, mine.root) == (theirs.cell.ordered, theirs.cell.leaves, theirs.root)
    assert mine.placed.place.tolist() == theirs.placed.place.tolist()
    assert (mine.intervals is None) == (theirs.intervals is None)
    if mine.intervals is not None:
        assert mine.intervals.codes.tolist() == theirs.intervals.codes.tolist()
        assert mine.intervals.labels == theirs.intervals.labels
        assert mine.intervals.leaves.tolist() == theirs.intervals.leaves.tolist()
        for name in ("leaf_shares", "range_shares"):
            assert getattr(mine.intervals, name) == pytest.approx(
                getattr(theirs.intervals, name), abs=1e-12, nan_ok=True
            )


def test_bins_are_tenths_of_records_below_or_places_by_frequency():
    codes = {"value": np.array([1, 1, 2, 3, 0]), "by": np.array([1, 2, 2, 3, 0])}
    records = np.array([5, 1, 4, 9, 2])
    ordered = _CellBins(codes, {"by": "INTEGER"}, records).counts("value", ["by"], 3)
    assert np.argwhere(ordered[0]).tolist() == [[0, 1], [0, 3], [1, 3], [2, 6]], "0, 5 and 10 of 19 records are below"
    ranked = _CellBins(codes, {"by": "VARCHAR"}, records).counts("value", ["by"], 3)
    assert np.argwhere(ranked[0]).tolist() == [[0, 2], [0, 3], [1, 3], [2, 1]], "of equals, the first value is first"
    assert ranked.shape == (1, 3, BINS)
    assert ranked.sum() == 19
