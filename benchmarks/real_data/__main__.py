"""Measure on real data and write the tables of docs/real-data.md and docs/better-frontier.md.

    python -m benchmarks.real_data --data DIR discover count adult bank electricity
    python -m benchmarks.real_data --data DIR svm svm-baseline rankings
    python -m benchmarks.real_data --data DIR built small
    python -m benchmarks.real_data --data DIR frontier other-frontiers
    python -m benchmarks.real_data page

Without a set a step takes all three. Results are kept as JSON in build/real-data; `page` reads them and replaces the
tables between the markers of the pages.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.real_data.data_sets import DATA_SETS
from benchmarks.real_data.frontiers import measure_frontier, measure_other_frontiers
from benchmarks.real_data.measuring import count, discover, measure_built, measure_svm, measure_svm_baseline
from benchmarks.real_data.page import write_pages
from benchmarks.real_data.rankings import measure_rankings
from benchmarks.real_data.small import measure_small

ROOT = Path(__file__).parents[2]
STEPS = (
    "discover",
    "count",
    "svm",
    "svm-baseline",
    "rankings",
    "built",
    "small",
    "frontier",
    "other-frontiers",
    "page",
)


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
    parser.add_argument("--svm-records", type=int, default=10_000, help="sample of the svm's baseline; 0 = all records")
    parser.add_argument("--built-records", type=int, default=0, help="sample of pairs for built taxonomies; 0 = all")
    asked = parser.parse_args()
    asked.results.mkdir(parents=True, exist_ok=True)
    steps = [step for step in STEPS if step in asked.what]
    sets = [item for name, item in DATA_SETS.items() if name in asked.what] or list(DATA_SETS.values())
    for step in steps:
        if step == "small":
            measure_small(asked.data, asked.results, say)
        elif step == "other-frontiers":
            measure_other_frontiers(asked.data, asked.results, say)
        elif step == "page":
            write_pages(ROOT / "docs", asked.results)
        for item in sets:
            if step == "discover":
                discover(item, asked.data, asked.results, say)
            elif step == "count":
                count(item, asked.data, asked.results, say)
            elif step == "svm":
                measure_svm(item, asked.data, asked.results, say, asked.svm_cells)
            elif step == "svm-baseline":
                measure_svm_baseline(item, asked.data, asked.results, say, asked.svm_records)
            elif step == "rankings":
                measure_rankings(item, asked.data, asked.results, say)
            elif step == "built":
                measure_built(item, asked.data, asked.results, say, asked.built_records)
            elif step == "frontier":
                measure_frontier(item, asked.data, asked.results, say)


if __name__ == "__main__":
    main()
