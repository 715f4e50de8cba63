"""Discover with the authors' taxonomies, measure, and keep what the page needs as one JSON file per data set."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from anonduck import Project
from anonduck.database.progress import Reporter
from anonduck.measures.judge import RuleJudge
from anonduck.measures.measures import contingency, measure_totals
from anonduck.measures.requirement import Requirement
from anonduck.privacy.requirement import ask
from anonduck.rules.frontier import frontier
from anonduck.rules.rule import LevelVector, Rule, RuleSpace
from anonduck.search.rfd.joining import MinimalK, join_rules
from anonduck.search.training import model_scores
from anonduck.statements import Statement
from benchmarks.real_data.data_sets import COVERAGES, MIN_K, DataSet, open_project
from benchmarks.real_data.results import read_result, write_result

Say = Callable[[str], None]
OBJECTIVES = ("k", "accuracy", "information_gain")


def discover(item: DataSet, data: Path, results: Path, say: Say) -> None:
    """Import the authors' taxonomies and discover at all coverages with trees, into ``<name>.duckdb``."""
    database = results / f"{item.name}.duckdb"
    database.unlink(missing_ok=True)
    started = time.perf_counter()
    with open_project(item, data, database, Reporter(say)) as project:
        file = data / "authors-taxonomies" / item.taxonomies
        project.import_taxonomies(file, format_="blocks", mapping=dict(item.mapping))
        discovery = project.discover(min_k=MIN_K)
    say(f"{item.name}: {len(discovery.rules)} rules in {time.perf_counter() - started:.0f} s")


def count(item: DataSet, data: Path, results: Path, say: Say) -> None:
    """Count k as the paper does too, measure frontiers, and write ``<name>.json``."""
    with open_project(item, data, results / f"{item.name}.duckdb") as project:
        stored = project.discovered()
        space = space_of(project)
        with_class = {rule.id: k_with_class(project, rule.levels) for rule in stored.rules}
        result = {
            **stored.summary,
            "nodes": {name: list(project.taxonomies[name].nodes) for name in space.attributes},
            "types": {name: "numeric" if project.taxonomies[name].ordered else "nominal" for name in space.attributes},
            "distinct": {name: distinct_values(project, name) for name in space.attributes},
            "rules": [{**rule.as_json(), "k_with_class": with_class[rule.id]} for rule in stored.rules],
            "frontiers": [frontier_sizes(stored.rules, coverage) for coverage in COVERAGES],
            "with_class": [count_with_class(stored.rules, space, with_class, c) for c in COVERAGES],
        }
    write_result(results / f"{item.name}.json", result)
    say(f"{item.name}: counted {len(stored.rules)} rules")


def space_of(project: Project) -> RuleSpace:
    """The attributes and root levels of a project."""
    names = project.roles.quasi_identifiers
    return RuleSpace(names, tuple(project.taxonomies[name].root for name in names))


def distinct_values(project: Project, name: str) -> int:
    """How many distinct values the source holds of a column, NULL not counted."""
    quoted = '"' + name.replace('"', '""') + '"'
    return int(project.database.value(Statement("distinct values", f"SELECT count(DISTINCT {quoted}) FROM source")))


def k_with_class(project: Project, levels: Mapping[str, int]) -> int:
    """The smallest group of records that a rule leaves equal in its attributes *and* in class."""
    space, requirement = space_of(project), Requirement(ask({"k": 1}), with_class=True)
    judge = RuleJudge(project.database, space, requirement, measure_totals(project.database))
    return int(judge.whole(space.vector(levels)).k)


def frontier_sizes(found: Sequence[Rule], coverage: float) -> dict[str, Any]:
    """How many rules of a coverage are on the frontier of k, accuracy and information gain, and of the first two."""
    rules = [rule for rule in found if f"{coverage:g}" in rule.origins]
    return {"coverage": coverage, **_sizes(rules)}


def _sizes(rules: Sequence[Rule]) -> dict[str, Any]:
    three = frontier(rules, OBJECTIVES, ["tree"]) if rules else {}
    two = frontier(rules, OBJECTIVES[:2], ["tree"]) if rules else {}
    joined = sum(rule.id in three and rule.origin == "joined" for rule in rules)
    sizes = {"rules": len(rules), "frontier": len(three), "frontier_joined": joined, "two_objectives": len(two)}
    return {**sizes, "on_frontier": list(three)}


def count_with_class(
    found: Sequence[Rule], space: RuleSpace, with_class: Mapping[str, int], coverage: float
) -> dict[str, Any]:
    """What a coverage keeps when the class counts as one more attribute in k, in the threshold and in Algorithm 1.

    That k never exceeds the usual one, so all these rules are among those already measured.
    """
    key = f"{coverage:g}"
    ids = {space.vector(rule.levels): rule.id for rule in found if key in rule.origins}

    def k_of(vector: LevelVector) -> int:
        return with_class[ids[vector]] if vector in ids else 0

    origins = {rule.id: rule.origins[key] for rule in found if key in rule.origins}
    extracted = [v for v, i in ids.items() if origins[i] == "extracted" and with_class[i] >= MIN_K]
    joined = join_rules(extracted, space.roots, MinimalK(k_of, MIN_K), 10**9)
    kept = {ids[vector]: "extracted" for vector in extracted} | {ids[vector]: "joined" for vector in joined.parents}
    rules = [
        replace(rule, origins={key: kept[rule.id]}, measures=replace(rule.measures, k=with_class[rule.id]))
        for rule in found
        if rule.id in kept
    ]
    return {"coverage": coverage, "origins": kept, "joined_per_round": joined.per_round, **_sizes(rules)}


def measure_svm(item: DataSet, data: Path, results: Path, say: Say, most_cells: int) -> None:
    """Add the accuracy of the svm to the rules with at most ``most_cells`` equivalence classes; saves now and then."""
    path = results / f"{item.name}.json"
    result = read_result(path)
    started = saved = time.perf_counter()
    with open_project(item, data, results / f"{item.name}.duckdb") as project:
        for rule in sorted(result["rules"], key=lambda rule: rule["classes"]):
            if rule["classes"] > most_cells or "svm" in rule["accuracy"]:
                continue
            table = contingency(project.database, rule["levels"], project.taxonomies)
            score = model_scores(table, ["svm"])["svm"]
            rule["accuracy"]["svm"] = score["accuracy"]
            rule["balanced_accuracy"]["svm"] = score["balanced_accuracy"]
            if time.perf_counter() - saved > 30:
                write_result(path, result)
                saved = time.perf_counter()
    done = sum("svm" in rule["accuracy"] for rule in result["rules"])
    result["svm"] = {"measured": done, "most_cells": most_cells}
    write_result(path, result)
    say(f"{item.name}: svm on {done} of {len(result['rules'])} rules in {time.perf_counter() - started:.0f} s")
