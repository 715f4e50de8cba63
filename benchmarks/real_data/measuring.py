"""Discover with the authors' taxonomies, and count as the paper does."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from anonduck import Project
from anonduck.database.progress import Reporter
from anonduck.rules.frontier import frontier
from anonduck.rules.rule import Rule
from anonduck.statements import Statement
from benchmarks.real_data.data_sets import MIN_K, DataSet, open_project

Say = Callable[[str], None]
OBJECTIVES = ("k_with_class", "accuracy")


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


def distinct_values(project: Project, name: str) -> int:
    """How many distinct values the source holds of a column, NULL not counted."""
    quoted = '"' + name.replace('"', '""') + '"'
    return int(project.database.value(Statement("distinct values", f"SELECT count(DISTINCT {quoted}) FROM source")))


def count_with_class(found: Sequence[Rule], coverage: float) -> dict[str, Any]:
    """What a coverage keeps when the class counts as one more attribute in k, in the threshold and in Algorithm 1.

    A join only lowers that k, so that the rules are those of the listed ones that reach the threshold.
    """
    key = f"{coverage:g}"
    rules = [one for one in found if key in one.origins and one.measures.k_with_class >= MIN_K]
    return {
        "origins": {rule.id: rule.origins[key] for rule in rules},
        "rules": len(rules),
        "two_objectives": len(frontier(rules, OBJECTIVES, ["tree"])) if rules else 0,
    }
