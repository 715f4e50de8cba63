"""Measures of rules against counts over the rows themselves."""

from collections import Counter
from dataclasses import replace
from math import comb

import numpy as np
import pandas as pd
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import CLASS, coded, generalized, measured, measurer, roots_of, tables

from anonduck.measures.measures import baseline_contingency, contingency
from anonduck.models.cross_validation import cross_validate
from anonduck.statements import Statement

HAND = [(1, "a"), (1, "a"), (1, "b"), (2, "b"), (None, "a"), (None, None), (3, "a"), (4, "b")]
PATHS = {"x": {1: ("low", "*"), 2: ("low", "*"), 3: ("high", "*"), 4: ("high", "*")}}


@st.composite
def rules(draw):
    names, paths, rows = draw(tables())
    roots = roots_of(names, paths)
    vectors = st.tuples(*(st.integers(0, root) for root in roots))
    return names, paths, rows, draw(st.lists(vectors, min_size=1, max_size=6))


@pytest.mark.slow
@given(rules())
@examples(30)
def test_measures_equal_those_of_the_rows(shared, case):
    names, paths, rows, vectors = case
    coded(shared, names, paths, rows)
    measure = measurer(shared, names, paths)
    for vector in vectors:
        found = measure(vector)
        k, classes, gain, corrected, violating = measured(names, paths, rows, vector)
        assert (found.k, found.classes, found.violating_pairs) == (k, classes, violating)
        assert found.k_with_class == min(Counter(generalized(names, paths, rows, vector)).values())
        assert found.information_gain == pytest.approx(gain, abs=1e-9)
        assert found.information_gain_corrected == pytest.approx(corrected, abs=1e-9)
        assert found.violating_share == pytest.approx(violating / comb(len(rows), 2), abs=1e-9)


def test_a_shuffled_class_has_information_only_before_the_correction(database):
    random = np.random.default_rng(1)
    names, paths = ["x"], {"x": dict.fromkeys(range(100), ("*",))}
    rows = [(int(v), "ab"[c]) for v, c in zip(random.integers(0, 100, 2000), random.integers(0, 2, 2000), strict=True)]
    coded(database, names, paths, rows)
    found = measurer(database, names, paths)((0,))
    assert found.information_gain > 0.02
    assert abs(found.information_gain_corrected) < 0.012


def test_pairs_of_many_records_are_exact(database):
    coded(database, ["x"], {"x": {0: ("*",)}}, [(0, "a"), (0, "b")])
    database.run(Statement("many", 'UPDATE coded_frequency_set SET "#records" = 2000000001'))
    found = measurer(database, ["x"], {"x": {0: ("*",)}})((0,))
    assert found.violating_pairs == 2000000001**2
    assert found.k == 4000000002


@pytest.mark.slow
@given(rules())
@examples(15)
def test_contingency_tables_equal_a_crosstab_of_the_rows(shared, case):
    names, paths, rows, vectors = case
    taxonomies = coded(shared, names, paths, rows)
    roots = roots_of(names, paths)
    for vector in vectors:
        levels = {n: v for n, v, root in zip(names, vector, roots, strict=True) if v < root}
        if not levels:
            continue
        table = contingency(shared, levels, taxonomies)
        shown = [
            (*(repr(v) for v, at, root in zip(row, vector, roots, strict=False) if at < root), str(row[-1]))
            for row in generalized(names, paths, rows, vector)
        ]
        frame = pd.DataFrame([(" ".join(row[:-1]), row[-1]) for row in shown], columns=["node", CLASS])
        crosstab = pd.crosstab(frame["node"], frame[CLASS]).to_numpy()
        nodes = {tuple(code) for code in table.codes.tolist()}
        mine = Counter()
        for code, class_, folds in zip(table.codes.tolist(), table.classes, table.folds, strict=True):
            mine[(tuple(code), int(class_))] += int(folds.sum())
        assert sorted(mine.values()) == sorted(crosstab[crosstab > 0].tolist())
        assert len(nodes) == len(crosstab)
        by_node = sorted(sorted(n for (c, _), n in mine.items() if c == node) for node in nodes)
        assert by_node == sorted(sorted(row[row > 0].tolist()) for row in crosstab)
        assert table.folds.sum() == len(rows)


@given(tables(max_rows=24))
@examples(12)
def test_folds_sum_to_the_records_and_are_stratified(shared, table):
    names, paths, rows = table
    coded(shared, names, paths, rows)
    sums = " + ".join(f'"#fold_{i}"' for i in range(10))
    assert shared.value(Statement("x", f'SELECT bool_and({sums} = "#records") FROM coded_frequency_set'))
    per_fold = ", ".join(f'sum("#fold_{i}")::BIGINT' for i in range(10))
    for row in shared.rows(Statement("x", f'SELECT {per_fold} FROM coded_frequency_set GROUP BY "#class"')):
        assert max(row) - min(row) <= 1


def test_the_baseline_has_every_attribute_as_it_came(database):
    paths = {"x": PATHS["x"], "y": {7: ("*",), 9: ("*",)}}
    rows = [(x, y, c) for (x, c), y in zip(HAND, [7, 9, 7, None, 9, 9, 7, 7], strict=True)]
    taxonomies = coded(database, ["x", "y"], paths, rows)
    table = baseline_contingency(database, {"x": 2, "y": 1}, taxonomies)
    cells = Counter()
    for values, class_, folds in zip(table.values.tolist(), table.classes, table.folds, strict=True):
        key = tuple(None if np.isnan(v) else int(v) for v in values)
        cells[(*key, [None, "a", "b"][class_])] += int(folds.sum())
    assert cells == Counter(rows)


@pytest.mark.slow
def test_an_ordered_attribute_at_level_0_has_its_numbers_in_a_rule_as_in_the_baseline(database):
    """x is 1, 2, 300 or NULL; above level 0, codes stand for nodes."""
    paths = {"x": {1: ("low", "*"), 2: ("low", "*"), 300: ("high", "*")}}
    rows = [(1, "a"), (2, "b"), (300, "b"), (None, "a")] * 15
    taxonomies = coded(database, ["x"], paths, rows)
    taxonomies = {"x": replace(taxonomies["x"], ordered=True)}
    rule, above = (contingency(database, {"x": level}, taxonomies) for level in (0, 1))
    told = {None if code == 0 else value for code, value in zip(rule.codes[:, 0], rule.values[:, 0], strict=True)}
    assert told == {None, 1.0, 2.0, 300.0}
    assert above.values.tolist() == above.codes.tolist()
    baseline = baseline_contingency(database, {"x": 2}, taxonomies)
    for model in ("tree", "logistic"):
        assert cross_validate(rule, model) == cross_validate(baseline, model)


def test_the_baseline_is_the_best_that_a_tree_can_do_where_the_class_is_an_attribute(database):
    rows = [(v, "ab"[v % 2]) for v in [0, 1] * 40]
    taxonomies = coded(database, ["x"], {"x": {0: ("*",), 1: ("*",)}}, rows)
    assert cross_validate(baseline_contingency(database, {"x": 1}, taxonomies), "tree").accuracy == 1.0
    told = coded(database, ["x"], {"x": {0: ("*",), 1: ("*",)}}, [(0, "a")] * 30 + [(0, "b")] * 10)
    assert cross_validate(baseline_contingency(database, {"x": 1}, told), "tree").accuracy == pytest.approx(0.75)
