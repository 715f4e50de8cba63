"""Scores and measures of rules that leave records out: over all records, the suppressed ones as the majority guess."""

from collections import Counter, defaultdict
from itertools import product
from math import log, log2, sqrt
from statistics import mean, stdev

import numpy as np
import pandas as pd
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import generalized, measured, records_of, tables
from sklearn.base import BaseEstimator
from test_lattice import opened

from anonduck import Project
from anonduck.database.progress import Reporter
from anonduck.measures.measures import contingency
from anonduck.models.contingency import Contingency, SuppressedRecords, everyone
from anonduck.models.cross_validation import cross_validate
from anonduck.models.scores import roc_auc
from anonduck.rules.rule import Rule
from anonduck.search.training import train_rules
from anonduck.statements import Statement


class MostOfRow(BaseEstimator):
    """An estimator that predicts the most frequent class of equal rows, of all rows where none is equal."""

    def fit(self, rows, classes, sample_weight):
        """Count the classes of each row."""
        self.classes_ = np.unique(classes)
        self.all, self.of = Counter(), defaultdict(Counter)
        for row, label, weight in zip(rows.tolist(), classes.tolist(), sample_weight.tolist(), strict=True):
            self.all[label] += weight
            self.of[tuple(row)][label] += weight
        return self

    def predict(self, rows):
        """The most frequent class of each row, the smallest code of equals."""
        return np.array([most(self.of.get(tuple(row), self.all)) for row in rows.tolist()])


MODEL = f"{__name__}.MostOfRow"


def most(counts):
    return min(counts, key=lambda label: (-counts[label], label))


# -- the case that shows it --------------------------------------------------------------------------------------------


def hard_tenth():
    """Records whose class their group tells, but for a tenth with a group of its own, of which half have each class."""
    easy = [(f"g{i % 6}", "xy"[i % 6 > 2]) for i in range(360)]
    hard = [(f"h{i}", "xy"[i % 2]) for i in range(38)] + [(None, "x"), ("h39", "y")]
    return pd.DataFrame([*easy, *hard, ("g0", "x")], columns=["group", "class"])


@pytest.mark.slow
def test_leaving_out_hard_records_does_not_raise_the_accuracy():
    """The records that stay alone would have 1.0 beside a baseline of 0.95."""
    settings_ = {"class_": "class", "search": "rfd", "requirement": {"k": 20, "suppression": 0.1}, "coverage": [1.0]}
    taxonomies = {"group": {"clusters": True}}
    with Project(source=hard_tenth(), taxonomies=taxonomies, **settings_) as one:
        one.discover()
        stored = one.discovered()
    rule = next(rule for rule in stored.rules if rule.levels == {"group": 0})
    baseline = stored.summary["baseline"]["accuracy"]["tree"]
    assert rule.measures.suppressed == 40
    assert rule.accuracy["tree"] == pytest.approx((361 + 20) / 401), "x is the majority in all training folds"
    assert rule.balanced_accuracy["tree"] == pytest.approx((1 + 180 / 200) / 2)
    assert rule.accuracy["tree"] <= baseline + 20 / 401


# -- every record by itself --------------------------------------------------------------------------------------------


def records_by_fold(database):
    """Each record of the coded frequency set: its cell, class code and fold."""
    cells = database.records(Statement("cells", "SELECT * FROM coded_frequency_set ORDER BY 1"))
    return [(cell, cell["#class"], fold) for cell in cells for fold in range(10) for _ in range(cell[f"#fold_{fold}"])]


def predicted_by_hand(records, shown, stays):
    """True and predicted class, fold and whether it stays, of each record, from the records of the other folds."""
    found = []
    for cell, truth, fold in records:
        others = [(one, label) for one, label, other in records if other != fold]
        guess = most(Counter(label for _, label in others))
        learned = [(shown(one), label) for one, label in others if stays(one)]
        alike = Counter(label for row, label in learned if row == shown(cell))
        if stays(cell) and learned:
            guess = most(alike or Counter(label for _, label in learned))
        found.append((truth, guess, fold, stays(cell)))
    return found


def scores_by_hand(found):
    of = Counter(truth for truth, *_ in found)
    told = Counter(guess for _, guess, *_ in found)
    right = Counter(truth for truth, guess, *_ in found if truth == guess)
    folds = [mean(t == g for t, g, f, _ in found if f == fold) for fold in {f for *_, f, _ in found}]
    return {
        "accuracy": right.total() / len(found),
        "accuracy_error": stdev(folds) / sqrt(len(folds)),
        "balanced_accuracy": mean(right[c] / of[c] for c in of),
        "macro_f1": mean(2 * right[c] / (of[c] + told[c]) for c in of),
    }


@pytest.mark.slow
@given(tables(max_rows=16, max_attributes=2), st.integers(2, 4))
@examples(20)
def test_scores_are_those_of_the_records_one_by_one(shared, table, k):
    config, taxonomies, judge = opened(shared, table, {"k": k}, 0.8, models=[MODEL])
    space = judge.space
    records = records_by_fold(shared)
    met = [v for v in product(*(range(root + 1) for root in space.roots)) if v != space.roots and judge.verdict(v).met]
    rules = [Rule(f"R{i}", space.named(v), {}, (), judge.verdict(v).measures) for i, v in enumerate(met)]
    for rule in train_rules(rules, judge, records_of(shared, taxonomies, judge), config, Reporter()):
        found = predicted_under(rule, records, k)
        for name, value in scores_by_hand(found).items():
            assert getattr(rule, name)[MODEL] == pytest.approx(value, abs=1e-9)


def predicted_under(rule, records, k):
    def shown(cell):
        return tuple(cell[f"{name}@{level}"] for name, level in rule.levels.items())

    sizes = Counter(shown(cell) for cell, *_ in records)
    return predicted_by_hand(records, shown, lambda cell: sizes[shown(cell)] >= k)


@pytest.mark.slow
@given(tables(max_rows=14), st.integers(1, 4))
@examples(25)
def test_information_gain_is_what_each_record_tells_beyond_its_class_among_all(shared, table, k):
    """And never more than without suppression; a record that is left out tells nothing."""
    names, paths, rows = table
    _, _, judge = opened(shared, table, {"k": k}, 0.9)
    prior = {label: count / len(rows) for label, count in Counter(row[-1] for row in rows).items()}
    for vector in product(*(range(root + 1) for root in judge.space.roots)):
        verdict = judge.verdict(vector)
        if vector == judge.space.roots or not verdict.met:
            continue
        seen = generalized(names, paths, rows, vector)
        sizes, cells = Counter(row[:-1] for row in seen), Counter(seen)
        kept = [row for row in seen if sizes[row[:-1]] >= k]
        told = sum(log2(cells[row] / sizes[row[:-1]] / prior[row[-1]]) for row in kept) / len(rows)
        free = sum((1 - prior[row[-1]]) / (prior[row[-1]] * len(rows)) for row in kept)
        bias = (len(set(kept)) - len({row[:-1] for row in kept}) - free) / (2 * len(rows) * log(2))
        assert verdict.measures.information_gain == pytest.approx(max(0, told), abs=1e-9)
        assert verdict.measures.information_gain_corrected == pytest.approx(told - bias, abs=1e-9)
        assert verdict.measures.information_gain <= measured(names, paths, rows, vector)[2] + 1e-9


# -- the parts ---------------------------------------------------------------------------------------------------------


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(1, 3)), min_size=2, max_size=9),
    st.tuples(*[st.integers(0, 4)] * 3),
)
@examples(60)
def test_a_pair_with_a_record_that_is_left_out_counts_half_in_the_area(cells, left_out):
    ranks, truth, records = (np.array(part) for part in zip(*cells, strict=True))
    rankings = np.column_stack([ranks, ranks % 2, -ranks]).astype(float)
    areas = []
    for label in range(3):
        ranked = [(rankings[i, label], truth[i] == label) for i in range(len(ranks)) for _ in range(records[i])]
        every = ranked + [(None, c == label) for c in range(3) for _ in range(left_out[c])]
        pairs = [(a, b) for (a, inside), (b, other) in product(every, every) if inside and not other]
        if pairs:
            areas.append(mean(0.5 if None in (a, b) or a == b else float(a > b) for a, b in pairs))
    found = roc_auc(rankings, truth, records, np.array(left_out))
    assert found == (pytest.approx(mean(areas)) if areas else None)


def test_what_is_left_out_of_all_folds_but_one_is_guessed_from_the_others():
    """Class 5 has most records in all; where its records are tested, class 2 has as many as 5 in the other folds."""
    folds = np.zeros((2, 3), dtype=np.int64)
    folds[0], folds[1] = [2, 1, 1], [1, 1, 2]
    left_out = SuppressedRecords(np.array([2, 5]), np.array([[0, 0, 1], [2, 0, 0]]))
    table = Contingency(np.array([[1], [2]], dtype=np.int32), (True,), (2,), np.array([2, 5]), folds, left_out=left_out)
    known = everyone(table)
    assert known.classes.tolist() == [2, 5]
    assert known.folds.tolist() == [[2, 1, 2], [3, 1, 2]]
    assert known.guesses.tolist() == [0, 1, 1]
    found = cross_validate(table, "tree")
    assert found.accuracy == 8 / 11
    assert found.fold_accuracies == (3 / 5, 1.0, 3 / 4)


def test_where_nothing_is_left_to_learn_from_the_majority_is_told():
    """All that stays is in one fold: the model of the other folds has nothing but the classes of those left out."""
    folds = np.array([[3, 0, 0]])
    left_out = SuppressedRecords(np.array([0, 1]), np.array([[0, 1, 0], [0, 2, 2]]))
    table = Contingency(np.array([[1]], dtype=np.int32), (True,), (1,), np.array([0]), folds, left_out=left_out)
    found = cross_validate(table, "tree")
    assert found.fold_accuracies == (0.0, 1 / 3, 0.0)


def test_the_table_of_a_rule_tells_what_is_left_out_of_each_fold(shared):
    rows = [(0, "x")] * 7 + [(1, "x"), (1, None), (2, "y"), (None, None)]
    paths = {"a": {value: (value // 2, "*") for value in range(3)}}
    _, taxonomies, judge = opened(shared, (["a"], paths, rows), {"k": 3}, 0.5)
    vector = (0,)
    rows_kept = judge.kept(vector, judge.verdict(vector).measures.suppressed)
    table = contingency(shared, {"a": 0}, taxonomies, rows=rows_kept)
    assert table.left_out.classes.tolist() == [0, 1, 2]
    assert table.left_out.folds.sum(axis=1).tolist() == [2, 1, 1]
    assert (table.left_out.folds.sum(axis=0) + table.folds.sum(axis=0)).sum() == len(rows)
    assert contingency(shared, {"a": 0}, taxonomies).left_out is None
