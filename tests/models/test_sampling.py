"""Specific records drawn from generalized ones, and models that learn from them and are tested on the originals."""

import dataclasses
from collections import Counter

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import people, project
from test_models import random_table

from anonduck.errors import ModelError
from anonduck.measures.measures import baseline_contingency, contingency
from anonduck.models import cross_validation, sampling
from anonduck.models.cross_validation import MODELS, cross_validate
from anonduck.models.sampling import specific_records


@st.composite
def generalized_cells(draw):
    """Distinct leaves (0 is NULL) of two attributes and class, the node of each leaf, and records."""
    node_of = [[0, *draw(st.lists(st.integers(1, 3), min_size=4, max_size=4))] for _ in range(2)]
    cell = st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 1))
    cells = np.array(draw(st.lists(cell, min_size=1, max_size=12, unique=True)))
    records = np.array(draw(st.lists(st.integers(0, 9), min_size=len(cells), max_size=len(cells))))
    records[0] += 1
    nodes = np.column_stack([np.array(node_of[j])[cells[:, j]] for j in range(2)])
    return cells[:, :2], nodes, cells[:, 2], records, node_of


@given(generalized_cells(), st.integers(0, 100))
@examples(100)
def test_drawn_records_show_what_the_release_shows(cells, seed):
    leaves, nodes, classes, records, node_of = cells
    drawn, drawn_classes, drawn_records = specific_records(leaves, nodes, classes, records, seed=[seed])
    shown, again = Counter(), Counter()
    for node, class_, n in zip(nodes, classes, records, strict=True):
        shown[(*node, class_)] += n
    for leaf, class_, n in zip(drawn, drawn_classes, drawn_records, strict=True):
        again[(node_of[0][leaf[0]], node_of[1][leaf[1]], class_)] += n
    assert again == +shown
    for attribute in range(2):
        held = {leaf for leaf, n in zip(leaves[:, attribute], records, strict=True) if n}
        assert set(drawn[:, attribute]) <= held
    same = specific_records(leaves, nodes, classes, records, seed=[seed])
    assert all((one == other).all() for one, other in zip(same, (drawn, drawn_classes, drawn_records), strict=True))


def test_leaves_are_drawn_by_their_share_in_the_whole_training_part():
    """Leaves 1 and 2 of a node have 300 and 100 records, all of leaf 1 in class 0: both classes draw 3 to 1."""
    leaves, nodes, classes = np.array([[1], [2], [3]]), np.array([[1], [1], [2]]), np.array([0, 1, 1])
    drawn, drawn_classes, records = specific_records(
        leaves, nodes, classes, np.array([30_000, 10_000, 5_000]), seed=[1]
    )
    counts = {(int(leaf), int(c)): int(n) for (leaf,), c, n in zip(drawn, drawn_classes, records, strict=True)}
    assert counts[3, 1] == 5_000
    assert counts[1, 0] / 30_000 == pytest.approx(0.75, abs=0.01)
    assert counts[1, 1] / 10_000 == pytest.approx(0.75, abs=0.02)


def test_of_many_records_a_sample_is_made_specific(monkeypatch):
    monkeypatch.setattr(sampling, "MOST_RECORDS", 100)
    leaves = np.array([[1], [2]])
    drawn, _, records = specific_records(leaves, leaves, np.array([0, 1]), np.array([10**12, 3 * 10**12]), seed=[1])
    assert records.sum() == 100
    assert 10 <= dict(zip(drawn[:, 0].tolist(), records.tolist(), strict=True))[1] <= 45


def test_rows_too_wide_for_one_number_are_counted_the_same(monkeypatch):
    rows = np.random.default_rng(1).integers(0, 3, (200, 4))
    numbered = sampling._distinct(rows)
    monkeypatch.setattr(sampling, "_LARGEST", 1.0)
    for found, expected in zip(numbered, sampling._distinct(rows), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.some(2)
@pytest.mark.parametrize("model", ["tree", "bayes", "forest"])
def test_a_rule_that_generalizes_nothing_scores_as_the_data_as_it_came(model, monkeypatch):
    """With settings that are given: those records would be validated on other folds than stored ones are."""
    monkeypatch.setitem(MODELS, model, dataclasses.replace(MODELS[model], settings=()))
    monkeypatch.setattr(cross_validation, "_alpha", lambda *_: 0.01)
    table = random_table(1)
    original = cross_validate(dataclasses.replace(table, nodes=table.codes), model)
    within = 0.03 if model == "forest" else 1e-12
    assert original.accuracy == pytest.approx(cross_validate(table, model).accuracy, abs=within)


@pytest.mark.slow
def test_a_rule_that_hides_everything_scores_about_the_majority():
    table = random_table(1)
    found = cross_validate(dataclasses.replace(table, nodes=np.ones_like(table.codes)), "bayes")
    assert found.accuracy == pytest.approx(found.majority_share, abs=0.1)
    assert cross_validate(table, "bayes").accuracy > found.accuracy


def test_nodes_must_fit_the_codes():
    table = random_table(1)
    with pytest.raises(ModelError, match="nodes have the shape"):
        dataclasses.replace(table, nodes=table.codes[1:])


@pytest.mark.slow
def test_the_original_table_holds_leaves_numbers_and_nodes():
    with project(people()) as one:
        one.discover(coverage=[0.2])
        levels = {"age": 1, "job": 0}
        table = contingency(one.database, levels, one.taxonomies, test_on="original")
        shown = contingency(one.database, levels, one.taxonomies)
        raw = baseline_contingency(one.database, dict.fromkeys(levels, 0), one.taxonomies)
    assert (table.codes == raw.codes).all()
    np.testing.assert_array_equal(table.values, raw.values)
    assert (table.nodes[:, 1] == table.codes[:, 1]).all()
    rolled, expected = Counter(), Counter()
    for node, class_, folds in zip(table.nodes, table.classes, table.folds, strict=True):
        rolled[(*node, class_)] += folds.sum()
    for code, class_, folds in zip(shown.codes, shown.classes, shown.folds, strict=True):
        expected[(*code, class_)] += folds.sum()
    assert rolled == expected


@pytest.mark.nightly
@pytest.mark.slow
def test_discover_tests_on_original_records_by_name(tmp_path):
    with project(people(200), test_on="original", models=["tree", "bayes"], coverage=[0.2]) as one:
        found = one.discover()
        assert found.as_json()["test_on"] == "original"
        assert one.discover().rules == found.rules
        done = one.run(tmp_path / "out.parquet")
        assert set(done.expected) == {"tree", "bayes"}
        other = one.discover(test_on="generalized")
    assert [r.levels for r in other.rules] == [r.levels for r in found.rules]
    assert [r.accuracy for r in other.rules] != [r.accuracy for r in found.rules]
    assert other.baseline == found.baseline


# -- nodes that are nested in each other -------------------------------------------------------------------------------

PATHS = np.array([[0, 7], [1, 5], [2, 5], [3, 6], [4, 6]])  # of leaves 0 to 4: themselves and the node over them
OVER = np.column_stack([PATHS, np.full(5, 9)])


@st.composite
def nested_cells(draw):
    """Leaves of one attribute, each shown at any of its nodes, and records."""
    cell = st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(0, 1))
    cells = draw(st.lists(cell, min_size=1, max_size=10, unique=True))
    records = draw(st.lists(st.integers(1, 9), min_size=len(cells), max_size=len(cells)))
    leaves = np.array([[leaf] for leaf, _, _ in cells])
    nodes = np.array([[OVER[leaf, level]] for leaf, level, _ in cells])
    return leaves, nodes, np.array([class_ for *_, class_ in cells]), np.array(records)


@given(nested_cells())
@examples(100)
def test_leaves_under_nested_nodes_come_by_their_share_of_all_training_records(cells):
    leaves, nodes, classes, records = cells
    drawn = Counter()
    for seed in range(40):
        lent, _, counts = specific_records(leaves, nodes, classes, records, seed=[seed], over=[OVER])
        for (leaf,), n in zip(lent, counts, strict=True):
            drawn[int(leaf)] += int(n)
    held, expected = Counter(), Counter()
    for (leaf,), n in zip(leaves, records, strict=True):
        held[int(leaf)] += n
    for (node,), n in zip(nodes, records, strict=True):
        under = {leaf: held[leaf] for leaf in held if node in OVER[leaf]}
        for leaf, share in under.items():
            expected[leaf] += n * share / sum(under.values())
    assert set(drawn) <= set(held)
    for leaf, mean in expected.items():
        assert drawn[leaf] / 40 == pytest.approx(mean, abs=6 * (records.sum() / 40) ** 0.5 / 2 + 1e-9)


def test_a_value_that_is_shown_as_itself_is_lent_under_a_wider_node():
    """Leaf 2 stands as itself, its node over leaves 1 and 2 is shown for leaf 1 alone; both are under it."""
    leaves, nodes = np.array([[1], [2]]), np.array([[5], [2]])
    given = (leaves, nodes, np.array([0, 1]), np.array([1_000, 3_000]))
    for over, share in ((None, 1.0), ([OVER], 0.25)):
        drawn, classes, records = specific_records(*given, seed=[1], over=over)
        ones = records[(drawn[:, 0] == 1) & (classes == 0)].sum()
        assert ones / 1_000 == pytest.approx(share, abs=0.05)
        assert records[classes == 1].sum() == 3_000


def test_paths_that_tell_what_nodes_are_nested_change_no_rule():
    """The nodes of one level alone: each lends what it does without paths, in distribution."""
    rng = np.random.default_rng(2)
    leaves = rng.integers(1, 5, (60, 1))
    nodes, classes, records = OVER[leaves[:, 0], 1][:, None], rng.integers(0, 2, 60), rng.integers(500, 900, 60)
    shares = []
    for over in (None, [OVER]):
        drawn, _, counts = specific_records(leaves, nodes, classes, records, seed=[1], over=over)
        shares.append(np.bincount(drawn[:, 0], counts, 5) / records.sum())
    np.testing.assert_allclose(*shares, atol=0.01)


@pytest.mark.slow
def test_a_model_is_trained_on_what_lies_under_nested_nodes():
    table = random_table(1)
    width = int(table.codes.max()) + 1
    over = tuple(np.column_stack([np.arange(width), np.full(width, width)]) for _ in range(table.codes.shape[1]))
    hidden = dataclasses.replace(table, nodes=np.full_like(table.codes, width), over=over)
    found = cross_validate(hidden, "bayes")
    assert found.accuracy == pytest.approx(found.majority_share, abs=0.1)
    shown = cross_validate(dataclasses.replace(hidden, nodes=table.codes), "bayes")
    assert shown.accuracy > found.accuracy
    with pytest.raises(ModelError, match="not over its leaf"):
        dataclasses.replace(hidden, nodes=np.full_like(table.codes, width + 1))
    with pytest.raises(ModelError, match="`over` needs `nodes`"):
        dataclasses.replace(hidden, nodes=None)
