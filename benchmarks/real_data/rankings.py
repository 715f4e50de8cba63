"""A check for docs/real-data.md: the largest k, class counted, if distance patterns were ranked in other ways."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np

from anonduck import Project
from anonduck.frequency import preparation
from anonduck.frequency.patterns import join_pairs
from anonduck.search.rfd.rfds import discover_rfds
from anonduck.statements import Statement
from benchmarks.real_data.data_sets import COVERAGES, DataSet, open_project
from benchmarks.real_data.measuring import k_with_class, space_of
from benchmarks.real_data.results import read_result, write_result

# Each ranking: the pattern's key besides the attributes, which patterns count, and how the last one is compared.
RANKINGS = {
    "as anonduck does": (', "#class_differs"', "true", ">="),
    "without the pattern that crosses the share": (', "#class_differs"', "true", ">"),
    "class left out of the pattern": ("", "true", ">="),
    "class-differing patterns alone": (', "#class_differs"', '"#class_differs"', ">="),
}


def measure_rankings(item: DataSet, data: Path, results: Path, say: Callable[[str], None]) -> None:
    """Add to ``<name>.json`` the largest k of the RFDs of each coverage under each ranking."""
    path = results / f"{item.name}.json"
    with open_project(item, data, results / f"{item.name}.duckdb") as project:
        join(project)
        found = {name: [largest(project, name, coverage) for coverage in COVERAGES] for name in RANKINGS}
    write_result(path, {**read_result(path), "rankings": found})
    say(f"{item.name}: {found}")


def join(project: Project) -> None:
    """Count the patterns anew, which mining forgot."""
    preparation.prepare(
        project.database,
        project.config,
        project.folder,
        project.source,
        project.roles,
        label_k=project.config.requirement.k,
    )
    space = space_of(project)
    join_pairs(project.database, dict(zip(space.attributes, space.roots, strict=True)), project.config)


def largest(project: Project, ranking: str, coverage: float) -> int:
    """The largest k, class counted, among the RFDs on the patterns that a ranking puts first."""
    space = space_of(project)
    patterns = first_patterns(project, ranking, coverage)
    vectors: Any = discover_rfds(patterns, space.roots, 5_000).vectors if len(patterns) else ()
    return max((k_with_class(project, space.named(vector)) for vector in vectors), default=0)


def first_patterns(project: Project, ranking: str, coverage: float) -> np.ndarray:
    """The class-differing patterns among the first ones, (patterns, attributes)."""
    key, counted, compared = RANKINGS[ranking]
    names = ", ".join(f'"{name}"' for name in space_of(project).attributes)
    pairs = project.database.value(
        Statement("pairs", f'SELECT sum("#pairs")::BIGINT FROM distance_patterns WHERE {counted}')
    )
    query = f"""
        WITH ranked AS (
            SELECT {names}, bool_or("#class_differs") AS differs, sum("#pairs") AS pairs
            FROM distance_patterns WHERE {counted} GROUP BY {names}{key}
        ), covered AS (
            SELECT pairs, sum(sum(pairs)) OVER (ORDER BY pairs DESC) AS covered FROM ranked GROUP BY pairs
        )
        SELECT {names} FROM ranked
        WHERE differs AND pairs {compared} (SELECT max(pairs) FROM covered WHERE covered >= $needed)
    """
    statement = Statement("first patterns", query, frozenset({"needed"}))
    columns = project.database.arrays(statement, {"needed": ceil(coverage * pairs)})
    return np.column_stack([np.asarray(column, dtype=np.uint8) for column in columns.values()])
