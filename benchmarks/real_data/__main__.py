"""Measure on real data, write the tables of docs/search.md, and draw the figures of docs/papers/rfd.md.

    python -m benchmarks.real_data --data DIR discover count svm adult bank electricity
    python -m benchmarks.real_data --data DIR frontier other-frontiers
    python -m benchmarks.real_data figures page

Without a set a step takes all three. Results are kept as JSON in build/real-data; `figures` draws what is there into
docs/images/real-data, `page` replaces the tables between the markers of the pages. Both take seconds and may be
repeated at any time.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks.real_data.data_sets import DATA_SETS, DataSet
from benchmarks.real_data.figures import draw_figures
from benchmarks.real_data.frontiers import measure_frontier, measure_other_frontiers
from benchmarks.real_data.measuring import count, discover, measure_svm
from benchmarks.real_data.page import write_pages

ROOT = Path(__file__).parents[2]
Step = Callable[[argparse.Namespace], None]
OfSet = Callable[[DataSet, argparse.Namespace], None]

OF_SETS: Mapping[str, OfSet] = {
    "discover": lambda item, asked: discover(item, asked.data, asked.results, say),
    "count": lambda item, asked: count(item, asked.data, asked.results, say),
    "svm": lambda item, asked: measure_svm(item, asked.data, asked.results, say, asked.svm_cells),
    "frontier": lambda item, asked: measure_frontier(item, asked.data, asked.results, say),
}
OF_ALL: Mapping[str, Step] = {
    "other-frontiers": lambda asked: measure_other_frontiers(asked.data, asked.results, say),
    "figures": lambda asked: draw_figures(ROOT / "docs" / "images" / "real-data", asked.results, say),
    "page": lambda asked: write_pages(ROOT / "docs", asked.results),
}
STEPS = (*OF_SETS, *OF_ALL)


def say(text: str) -> None:
    """A line on stderr at once."""
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    """Do the steps that are named, on the data sets that are named (all by default), one after the other."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.real_data", description=__doc__.splitlines()[0])
    parser.add_argument("what", nargs="+", choices=[*STEPS, *DATA_SETS], metavar="STEP|SET", help=", ".join(STEPS))
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="holds adult.csv and others")
    parser.add_argument("--results", type=Path, default=ROOT / "build" / "real-data")
    parser.add_argument("--svm-cells", type=int, default=1_000, help="most equivalence classes of a rule for the svm")
    asked = parser.parse_args()
    asked.results.mkdir(parents=True, exist_ok=True)
    sets = [item for name, item in DATA_SETS.items() if name in asked.what] or list(DATA_SETS.values())
    for step in (step for step in STEPS if step in asked.what):
        if step in OF_ALL:
            OF_ALL[step](asked)
            continue
        for item in sets:
            OF_SETS[step](item, asked)


if __name__ == "__main__":
    main()
