"""What releases of methods lose on ARX's Adult, and how long they take: loss, NCP, classes, CPU seconds.

30,162 records, eight quasi-identifiers, ARX's hierarchies. ``loss`` and ``ncp`` are the formulas of docs/measures.md,
on the labels of the written file. The algorithm alone is timed too.

With ``--records`` it prints the scale of methods instead: the CPU seconds of their algorithms on as many records, drawn
from those of Adult. Half of them have the age and the occupation of another one, so that combinations are more.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from real_data.folder import data as data_folder

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tests" / place) for place in ("", "release")]

CLASS = "salary-class"
MOVED = ["age", "occupation"]
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "mondrian": ("mondrian", {}),
    "mondrian splits=entropy": ("mondrian", {"splits": "entropy"}),
    "mondrian relaxed": ("mondrian", {"strict": False}),
    "tds": ("tds", {}),
    "pais": ("pais", {}),
    "datafly": ("datafly", {}),
    "datafly suppress": ("datafly", {"suppress": True}),
    "ola": ("ola", {}),
    "ola entropy": ("ola", {"entropy": True}),
    "incognito": ("incognito", {}),
    "sequential": ("sequential", {}),
    "topdown": ("topdown", {}),
}


def main() -> None:
    """Print a line for each k and variant."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("-k", type=int, nargs="*", default=[5, 10, 50])
    parser.add_argument("--records", type=int, nargs="*", help="print the scale of methods on so many records")
    parser.add_argument("--variant", nargs="*", choices=list(VARIANTS), default=list(VARIANTS))
    options = parser.parse_args()

    data, timed = data_folder() / "arx", time_algorithms()
    for records in options.records or ():
        print_scale(data, drawn_records(data, records), options, timed)
    if options.records:
        return
    with opened(str(data / "adult.csv"), data) as project, tempfile.TemporaryDirectory() as folder:
        for k in options.k:
            for variant in options.variant:
                measure(project, data, Path(folder) / f"{variant}{k}.parquet", k, variant, timed)


def opened(source: Any, data: Path) -> Any:
    """A project on records of Adult, with ARX's hierarchies."""
    from test_found_classes import EIGHT

    from anonduck import Project

    project = Project(source=source, class_=CLASS)
    for name in EIGHT:
        project.import_taxonomies(data / f"adult_hierarchy_{name}.csv", column=name)
    return project


def drawn_records(data: Path, count: int) -> pd.DataFrame:
    """Records drawn from those of Adult, half of them with the age and the occupation of another one."""
    drawn = np.random.default_rng(0)
    adult = pd.read_csv(data / "adult.csv", sep=";")
    one, other = (adult.iloc[drawn.integers(0, len(adult), count)].reset_index(drop=True) for _ in range(2))
    moved = drawn.random(count) < 0.5
    one.loc[moved, MOVED] = other.loc[moved, MOVED]
    return one


def print_scale(data: Path, records: pd.DataFrame, options: argparse.Namespace, timed: list[float]) -> None:
    """Print a line of a table in Markdown for each k and variant."""
    combinations = len(records.drop(columns=CLASS).drop_duplicates())
    with opened(records, data) as project:
        for k in options.k:
            for variant in options.variant:
                name, settings = VARIANTS[variant]
                project.anonymize(name, dry_run=True, k=k, settings=settings)
                cells = [f"{len(records):,}", f"{combinations:,}", str(k), variant, f"{timed[-1]:.1f} s"]
                print("| " + " | ".join(cells) + " |", flush=True)


def time_algorithms() -> list[float]:
    """Let each method note the CPU seconds that its algorithm takes."""
    from anonduck.methods import registry

    spent: list[float] = []

    def timed(algorithm: Any) -> Any:
        def run(*arguments: Any, **keywords: Any) -> Any:
            start = time.process_time()
            found = algorithm(*arguments, **keywords)
            spent.append(time.process_time() - start)
            return found

        return run

    registry.METHODS = {
        name: dataclasses.replace(method, algorithm=timed(method.algorithm))
        for name, method in registry.METHODS.items()
    }
    return spent


def measure(project: Any, data: Path, target: Path, k: int, variant: str, timed: list[float]) -> None:
    """Make one release and print what it loses."""
    from test_found_classes import losses

    name, settings = VARIANTS[variant]
    start = time.process_time()
    made = project.anonymize(name, target, k=k, settings=settings)
    spent = time.process_time() - start
    loss, ncp = losses(pd.read_parquet(target), data)
    print(
        f"{variant} k={k}: loss {loss:.4f}, NCP {ncp:.4f}, {made.classes:,} classes, smallest {made.k}; "
        f"algorithm {timed[-1]:.2f} s, release {spent:.2f} s (CPU)"
    )


if __name__ == "__main__":
    main()
