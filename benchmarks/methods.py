"""What releases of methods lose on ARX's Adult, and how long they take: loss, NCP, classes, CPU seconds.

30,162 records, eight quasi-identifiers, ARX's hierarchies. ``loss`` and ``ncp`` are the formulas of docs/measures.md,
on the labels of the written file. The algorithm alone is timed too.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pandas as pd

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tests" / place) for place in ("", "release")]

CLASS = "salary-class"
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "mondrian": ("mondrian", {}),
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
    options = parser.parse_args()
    from test_found_classes import EIGHT

    from anonduck import Project

    data = Path(os.environ["ANONDUCK_DATA"]) / "arx"
    with Project(source=str(data / "adult.csv"), class_=CLASS) as project, tempfile.TemporaryDirectory() as folder:
        for name in EIGHT:
            project.import_taxonomies(data / f"adult_hierarchy_{name}.csv", column=name)
        timed = time_algorithms()
        for k in options.k:
            for variant in VARIANTS:
                measure(project, data, Path(folder) / f"{variant}{k}.parquet", k, variant, timed)


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
