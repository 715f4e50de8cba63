"""The baseline that rules are compared with, on a sample."""

import pytest
from oracles import people, project

from anonduck.database.progress import Reporter
from anonduck.frequency import frequency_set
from anonduck.measures.measures import baseline_contingency
from anonduck.models.cross_validation import cross_validate
from anonduck.models.folds import FEWEST


def test_on_a_sample_the_baseline_is_tested_on_some_folds(monkeypatch):
    """Each model learns from all other folds of the sample, as it does for rules."""
    monkeypatch.setattr(frequency_set, "MODEL_CELLS", 120)
    said = []
    with project(people(200), requirement={"k": 5}, holdout=0, reporter=Reporter(announce=said.append)) as one:
        found = one.discover()
        roots = {name: one.taxonomies[name].root for name in one.workspace.roles.quasi_identifiers}
        table = baseline_contingency(one.database, roots, one.workspace.taxonomies)
        every = cross_validate(table, "tree")
    assert any(line.startswith("the baseline is tested on 3 of 10 folds") for line in said)
    records = table.folds.sum(axis=0)
    tested = [fold for fold, held in enumerate(records) if held][:FEWEST]
    right = sum(every.fold_accuracies[fold] * records[fold] for fold in tested)
    assert found.baseline["accuracy"]["tree"] == pytest.approx(right / records[tested].sum(), abs=1e-9)
