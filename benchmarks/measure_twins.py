"""Each measure of a rule by its query of sql/ and by its numpy twin: milliseconds for a level vector of ARX's Adult.

Random level vectors under k = 5, without suppression and with as many records left out as that takes. Both sides are
asked as the search over the lattice asks them, and give the same numbers (test_measure_twins.py). Costs of cells
that no record is left out of are summed from costs by level on both sides.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from real_data.folder import data as data_folder

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

NAMES = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")
CLASS = "salary-class"
K = 5


def main() -> None:
    """Print a line for each measure: query, twin, ratio; first without suppression, then with."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--vectors", type=int, default=100)
    options = parser.parse_args()
    from test_measure_twins import PAIRS

    from anonduck import Project

    data = data_folder() / "arx"
    with Project(source=pd.read_csv(data / "adult.csv", sep=";")[[*NAMES, CLASS]], class_=CLASS) as project:
        for name in NAMES:
            project.import_taxonomies(data / f"adult_hierarchy_{name}.csv", column=name)
        for suppression in (0.0, 0.999):
            for name in PAIRS:
                measure(project, name, suppression, options.vectors)


def measure(project: object, name: str, suppression: float, count: int) -> None:
    """Time one measure on both sides, on the same vectors."""
    from test_measure_twins import OF_RULES, Queries, Twins

    from anonduck.config.reading import make_config
    from anonduck.frequency.preparation import prepare
    from anonduck.measures.judge import RuleJudge
    from anonduck.measures.measures import measure_totals
    from anonduck.measures.requirement import Requirement
    from anonduck.privacy.requirement import ask
    from anonduck.rules.rule import RuleSpace

    if suppression and name in OF_RULES:
        return
    database = project.database
    taxonomies = prepare(database, project.config, project.folder, project.source, project.roles, label_k=1)
    config = make_config({"class": CLASS, "requirement": {"k": K, "suppression": suppression}})
    space = RuleSpace(tuple(taxonomies), tuple(one.root for one in taxonomies.values()))
    totals = measure_totals(database)

    def judge() -> RuleJudge:
        return RuleJudge(database, space, Requirement(ask({"k": K}), suppression), totals)

    draw = np.random.default_rng(0)
    vectors = [tuple(int(draw.integers(0, root + 1)) for root in space.roots) for _ in range(count)]
    left_out = {vector: judge().verdict(vector).measures.suppressed for vector in vectors if vector != space.roots}
    asked = {vector: n for vector, n in left_out.items() if n < totals.records}
    query = Queries(database, config, taxonomies, judge())
    twin = Twins(database, config, taxonomies, judge(), name)
    by_query, by_twin = (_each(lambda v, one=one: one(name, v, asked[v]), list(asked)) for one in (query, twin))
    print(
        f"{name:24} {'left out' if suppression else 'all':8} query {by_query * 1e3:8.2f} ms  "
        f"twin {by_twin * 1e3:7.3f} ms  {by_query / by_twin:6.0f} times"
    )


def _each(step: Callable[[tuple[int, ...]], object], vectors: list[tuple[int, ...]]) -> float:
    """The median seconds of a vector."""
    taken = []
    for vector in vectors:
        start = time.perf_counter()
        step(vector)
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


if __name__ == "__main__":
    main()
