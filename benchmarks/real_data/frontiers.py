"""How near each search comes to the frontier of all rules there are: docs/search.md.

Every rule with k >= 2 is enumerated and trained. What a search finds is a part of these, so that its best rule at each
k is compared with the best one there is. Seconds are those of the processors.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any

from anonduck import Project
from anonduck.config.config import Config
from anonduck.demo.export import write_demo_export
from anonduck.measures.judge import RuleJudge
from anonduck.measures.measures import contingency, measure_totals
from anonduck.measures.requirement import Requirement
from anonduck.measures.rule_utility import selected_utility
from anonduck.models.cross_validation import cross_validate
from anonduck.privacy.requirement import ask
from anonduck.rules.levels import level_by_level, one_level_finer
from anonduck.rules.rule import LevelVector, RuleSpace
from anonduck.search.added_rules import widen
from anonduck.search.lattice.local_search import DEPTH, Moves, ObjectiveValues, down_and_up, refine
from anonduck.search.quick_measures import QuickMeasurer, QuickMeasures
from anonduck.search.rfd.joining import MinimalK, join_rules
from anonduck.search.searched_records import StoredRecords
from anonduck.search.store import StoredDiscovery
from benchmarks.real_data.data_sets import BUILT_TABLES, MIN_K, DataSet, open_built, open_project
from benchmarks.real_data.measuring import space_of
from benchmarks.real_data.results import write_result

Say = Callable[[str], None]
COMBINED = {"tolerant": ["tolerant"], "refined": ["refined"], "both": ["tolerant", "refined"]}


def only_down(vector: LevelVector, _: LevelVector) -> Iterator[LevelVector]:
    """The vectors one level finer in one attribute."""
    return one_level_finer(vector)


# Each variant: whether it starts from the rules of RFDs, its moves, and the frontiers that it follows.
VARIANTS: Mapping[str, tuple[bool, Moves, int]] = {
    "as it is": (True, down_and_up, DEPTH),
    "from the roots alone": (False, down_and_up, DEPTH),
    "moves down alone": (True, only_down, DEPTH),
    "one frontier": (True, down_and_up, 1),
}


def measure_frontier(item: DataSet, data: Path, results: Path, say: Say) -> None:
    """Compare the searches on what the step ``discover`` left, and write ``<name>-frontier.json``."""
    with open_project(item, data, results / f"{item.name}.duckdb") as project:
        result = compare(project, project.discovered())
    write_result(results / f"{item.name}-frontier.json", {**result, "title": item.title})
    say(f"{item.name}: {len(result['rules'])} rules enumerated and trained")


def measure_other_frontiers(data: Path, results: Path, say: Say) -> None:
    """Compare the searches on small tables with built taxonomies, and write ``other-frontiers.json``."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        export = Path(folder) / "persons.parquet"
        write_demo_export(export, rows=3_000)
        projects = {
            table.file.removesuffix(".csv"): open_built(data / table.file, table.class_, identifiers=table.identifiers)
            for table in BUILT_TABLES
        }
        projects["3,000 persons of the demo"] = open_built(
            export, "buys_insurance", identifiers=["person_id", "email"], insensitive=["contact_channel"]
        )
        for name, opened in projects.items():
            with opened as project:
                project.build_taxonomies()
                project.discover(min_k=MIN_K)
                found[name] = {**compare(project, project.discovered()), "title": name}
            say(f"{name}: {len(found[name]['rules'])} rules enumerated and trained")
    write_result(results / "other-frontiers.json", found)


def compare(project: Project, stored: StoredDiscovery) -> dict[str, Any]:
    """Every rule with its measures, and by their places among these the rules that each search finds."""
    space = space_of(project)
    totals = measure_totals(project.database)
    config = project.config.model_copy(update={"search": "combined"})
    rules = [space.vector(rule.levels) for rule in stored.rules]

    def prober() -> QuickMeasurer:
        judge = RuleJudge(project.database, space, Requirement(ask({"k": MIN_K})), totals)
        chosen = {name: project.taxonomies[name] for name in space.attributes}
        columns = StoredRecords(project.database, chosen, judge.records).columns
        return QuickMeasurer(columns, judge, config, selected_utility(columns, config, judge))

    started = time.process_time()
    every = every_rule(prober(), space.roots)
    enumerated = time.process_time() - started
    place = {vector: number for number, vector in enumerate(every)}
    searches = {"rfd": search_result(rules, 0, 0.0), "pool": pooled(project, stored, space)}
    for name, parts in COMBINED.items():
        started = time.process_time()
        looks = prober()
        asked = config.model_copy(update={"combine": parts})
        found = widen(rules, looks, asked, differing_pairs=totals.differing_pairs)
        added = [*found.tolerances, *found.parents]
        tried = sum(part["tried"] for part in found.summary.values())
        searches[name] = search_result([*rules, *added], tried, time.process_time() - started)
    variants = {name: refined(rules, prober(), config, *how) for name, how in VARIANTS.items()}
    for result in (*searches.values(), *variants.values()):
        result["rules"] = [place[vector] for vector in result["rules"]]
    return {
        "records": totals.records,
        "class_values": totals.class_values,
        "majority_share": totals.majority_share,
        "seconds_to_enumerate": round(enumerated, 2),
        "rules": [trained(project, space, vector, probe) for vector, probe in every.items()],
        "searches": searches,
        "variants": variants,
    }


def every_rule(prober: QuickMeasurer, roots: LevelVector) -> dict[LevelVector, QuickMeasures]:
    """All rules that reach k, level by level from the roots down: under one that misses k none reaches it."""
    seen = {vector: prober(vector) for vector in level_by_level(roots, lambda one: prober(one) is not None)}
    return {vector: probe for vector, probe in seen.items() if probe is not None}


def trained(project: Project, space: RuleSpace, vector: LevelVector, probe: QuickMeasures) -> dict[str, Any]:
    """A rule's k and utility, and what it took to train its tree."""
    started = time.process_time()
    score = cross_validate(contingency(project.database, space.named(vector), project.taxonomies), "tree")
    return {
        "levels": space.named(vector),
        "k": probe.k,
        "accuracy": round(score.accuracy, 12),
        "balanced_accuracy": round(score.balanced_accuracy, 12),
        "folds": {
            "accuracy": [round(one, 6) for one in score.fold_accuracies],
            "balanced_accuracy": [round(one, 6) for one in score.fold_balanced_accuracies],
        },
        "information_gain": probe.information.information_gain,
        "seconds": round(time.process_time() - started, 4),
    }


def pooled(project: Project, stored: StoredDiscovery, space: RuleSpace) -> dict[str, Any]:
    """The rules of RFDs and their joins across coverages."""
    started = time.process_time()
    measure = RuleJudge(project.database, space, Requirement(ask({"k": MIN_K})), measure_totals(project.database)).whole
    vectors = {space.vector(rule.levels): rule for rule in stored.rules}
    extracted = [vector for vector, rule in vectors.items() if rule.origin == "extracted"]
    joined = join_rules(extracted, space.roots, MinimalK(lambda v: measure(v).k, MIN_K), project.config.max_rules)
    seconds = time.process_time() - started
    return search_result(list(dict.fromkeys([*vectors, *joined.parents])), len(measure.known), seconds)


def refined(
    rules: Sequence[LevelVector], prober: QuickMeasurer, config: Config, from_rules: bool, moves: Moves, depth: int
) -> dict[str, Any]:
    """What a variant of the refining finds: with the rules of RFDs that it starts from, or without any."""

    def point(vector: LevelVector) -> ObjectiveValues | None:
        probe = prober(vector)
        return None if probe is None else ObjectiveValues(probe.k, astuple(probe.information))

    started = time.process_time()
    start, roots = rules if from_rules else [], prober.judge.space.roots
    found = refine(start, roots, point, max_visited=config.max_tried, depth=depth, moves=moves)
    telling = [vector for vector in found.parents if _gain(prober(vector)) > 0]
    return search_result(list(dict.fromkeys([*start, *telling])), found.visited, time.process_time() - started)


def _gain(probe: QuickMeasures | None) -> float:
    return 0.0 if probe is None else probe.information.information_gain


def search_result(rules: Sequence[LevelVector], tried: int, seconds: float) -> dict[str, Any]:
    """What a search found, the level vectors it looked at beside the rules of RFDs, and how long it looked."""
    return {"rules": list(rules), "tried": tried, "seconds": round(seconds, 2)}
