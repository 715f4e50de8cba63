"""Discover with the authors' taxonomies, and count as the paper does."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from anonduck import Project
from anonduck.database.progress import Reporter
from anonduck.measures.judge import RuleJudge
from anonduck.measures.measures import measure_totals
from anonduck.measures.requirement import Requirement
from anonduck.privacy.requirement import ask
from anonduck.rules.frontier import frontier
from anonduck.rules.rule import LevelVector, Rule, RuleSpace
from anonduck.search.rfd.joining import MinimalK, join_rules
from anonduck.statements import Statement
from benchmarks.real_data.data_sets import MIN_K, DataSet, open_project

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
