"""Each requirement judged by queries and in memory: milliseconds for a level vector of Adult, 8 quasi-identifiers.

Random level vectors under k = 5 with one requirement of ``relationship`` or ``hours-per-week`` beside it, without
suppression and with 5 %. Both sides give the same verdict (test_judge_twins.py). The last lines are whole searches,
``discover --search lattice``, in seconds of processor time.
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
CLASS, FAMILY, HOURS = "class", "relationship", "hours-per-week"
K = 5
ASKED = (
    (FAMILY, {"l": 2}),
    (FAMILY, {"entropy_l": 2}),
    (FAMILY, {"recursive_l": {"l": 2, "c": 3}}),
    (FAMILY, {"frequency_l": 1.5}),
    (FAMILY, {"alpha": 0.8}),
    (FAMILY, {"t": 0.5}),
    (HOURS, {"t_ordered": 0.2}),
    (FAMILY, {"beta": 4}),
    (FAMILY, {"enhanced_beta": 4}),
    (FAMILY, {"delta_disclosure": 3}),
    (FAMILY, {"ha": 0.1, "pd": 0.8}),
    (FAMILY, {"lkc": {"l": 2, "k": 5, "c": 0.9}}),
)
SEARCHED = ({"l": 2}, {"l": 2, "suppression": 0.05}, {"t": 0.4, "suppression": 0.05})


def main() -> None:
    """Print a line for each requirement, without suppression and with, then for each search."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--vectors", type=int, default=40)
    options = parser.parse_args()
    for sensitive, asked in ASKED:
        for suppression in (0.0, 0.05):
            compare(sensitive, asked, suppression, options.vectors)
    for asked in SEARCHED:
        search(asked)


def opened(sensitive: str, **settings: object) -> object:
    """A project on the records of Adult without unknown values, those that ARX's copy has too."""
    from anonduck import Project

    data = data_folder()
    frame = pd.read_csv(data / "adult.csv", skipinitialspace=True)
    known = frame[~(frame == "?").any(axis=1)]
    files = {name: {"file": str(data / "arx" / f"adult_hierarchy_{name}.csv")} for name in NAMES}
    columns = [*NAMES, sensitive, CLASS]
    return Project(source=known[columns], class_=CLASS, sensitive=[sensitive], taxonomies=files, **settings)


def compare(sensitive: str, asked: dict[str, object], suppression: float, count: int) -> None:
    """Time one requirement on both sides, on the same vectors."""
    from query_judge import judged_by_queries

    from anonduck.frequency.preparation import prepare
    from anonduck.measures.judge import RuleJudge
    from anonduck.measures.measures import measure_totals
    from anonduck.measures.requirement import Requirement
    from anonduck.privacy.requirement import ask
    from anonduck.rules.rule import RuleSpace
    from anonduck.statements.pipeline.builder_frequency import CODED_SENSITIVE, code_column

    with opened(sensitive) as project:
        given = (project.config, project.folder, project.source, project.roles)
        taxonomies = prepare(project.database, *given, label_k=1, sensitive=[sensitive])
        space = RuleSpace(tuple(taxonomies), tuple(one.root for one in taxonomies.values()))
        requirement = Requirement(ask({"k": K, **asked}), suppression, (sensitive,))
        twin = RuleJudge(project.database, space, requirement, measure_totals(project.database)).classes

        def by_queries(vector: tuple[int, ...]) -> object:
            attributes = [code_column(name, level) for name, level in space.named(vector).items()]
            return judged_by_queries(project.database, CODED_SENSITIVE, attributes, ["s_1"], requirement)

        draw = np.random.default_rng(0)
        drawn = [tuple(int(draw.integers(0, root + 1)) for root in space.roots) for _ in range(50 * count)]
        judged = [v for v in drawn if v != space.roots and reaches_k(twin, v, requirement)][:count]
        by_query, by_twin = each(by_queries, judged), each(twin.verdict, judged)
    print(
        f"{', '.join(asked):18} {suppression:4.0%} left out: query {by_query * 1e3:8.1f} ms  "
        f"in memory {by_twin * 1e3:7.2f} ms  {by_query / by_twin:6.0f} times"
    )


def reaches_k(twin: object, vector: tuple[int, ...], requirement: object) -> bool:
    """Whether k leaves the vector open, so that more is measured of it."""
    sizes = twin.table.at(vector).sizes
    return requirement.allows(int(sizes[sizes < K].sum()), int(sizes.sum()))


def search(asked: dict[str, float]) -> None:
    """Time a whole search of the lattice without models."""
    with opened(FAMILY, requirement={"k": K, **asked}, models=[], time_limit=600) as project:
        start = time.process_time()
        found = project.discover(search="lattice").as_json()["lattice"]
        taken = time.process_time() - start
    looked = f"{found['evaluated']:,} of {found['nodes']:,} vectors, optimal: {found['optimal']}"
    print(f"search under k = {K}, {asked}: {taken:.1f} s of processor time, {looked}")


def each(step: Callable[[tuple[int, ...]], object], vectors: list[tuple[int, ...]]) -> float:
    """The median seconds of a vector, in processor time."""
    taken = []
    for vector in vectors:
        start = time.process_time()
        step(vector)
        taken.append(time.process_time() - start)
    return statistics.median(taken)


if __name__ == "__main__":
    main()
