"""Electricity is a time series: what folds drawn at random tell of it, beside folds in the order of its days.

Three ways to test the same models: on folds drawn at random; on ten stretches of days, trained on the nine others; and
on each stretch but the first, trained on those before it alone.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from anonduck import Project
from anonduck.frequency.preparation import prepare
from anonduck.measures.measures import baseline_contingency, contingency
from anonduck.models.contingency import Contingency
from anonduck.models.cross_validation import cross_validate
from benchmarks.real_data.data_sets import DATA_SETS, MIN_K, open_project

ORDER = "date"


def measure_over_time(data: Path, results: Path) -> dict[str, Any]:
    """What each rule reaches that ``discover`` left of Electricity, and the ungeneralized data."""
    item = DATA_SETS["electricity"]
    database = results / "over-time.duckdb"
    shutil.copyfile(results / f"{item.name}.duckdb", database)
    with open_project(item, data, database) as project:
        rules = project.discovered().rules
        roots = {name: project.taxonomies[name].root for name in project.roles.quasi_identifiers}
        tables = {"random": _tables(project, roots, [rule.levels for rule in rules])}
        _split(project)
        tables["stretches"] = _tables(project, roots, [rule.levels for rule in rules])
    database.unlink()
    scored = [_scores(random, ordered) for random, ordered in zip(tables["random"], tables["stretches"], strict=True)]
    return {
        "baseline": scored[0],
        "rules": [{"k": rule.measures.k, **score} for rule, score in zip(rules, scored[1:], strict=True)],
    }


def _split(project: Project) -> None:
    """Code the frequency set anew, with folds in the order of time."""
    config = project.config.model_copy(update={"split_by": ORDER})
    prepare(project.database, config, project.folder, project.source, project.roles, label_k=MIN_K)


def _tables(project: Project, roots: Mapping[str, int], rules: list[Mapping[str, int]]) -> list[Contingency]:
    """The contingency table of the ungeneralized data, then those of the rules, on the folds that are stored now."""
    taxonomies = project.taxonomies
    as_it_came = baseline_contingency(project.database, roots, taxonomies)
    return [as_it_came, *(contingency(project.database, levels, taxonomies) for levels in rules)]


def _scores(random: Contingency, ordered: Contingency) -> dict[str, list[float]]:
    """The accuracy of the tree in each fold, by the way of testing."""
    return {
        "random": list(cross_validate(random, "tree").fold_accuracies),
        "stretches": list(cross_validate(ordered, "tree").fold_accuracies),
        "past": [_next(ordered, fold) for fold in range(1, ordered.folds.shape[1])],
    }


def _next(table: Contingency, fold: int) -> float:
    """The accuracy on a stretch of a tree that was trained on those before it.

    Of a table with the past as one fold and the stretch as the other, each is tested by a tree of the other.
    """
    halves = np.column_stack([table.folds[:, :fold].sum(axis=1), table.folds[:, fold]])
    return cross_validate(replace(table, folds=halves), "tree").fold_accuracies[1]
