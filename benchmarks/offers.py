"""Prints the best offer at each k beside the best single method: the tables of docs/compare.md.

``anonduck discover`` finds rules and measures the releases of ``--method`` beside them; what the frontier then offers
at each k is set against each single way, asked for that very k: the best rule, and the release of each method, those
of ``--beside`` too, which are not offered. Tables and taxonomies are those of the paper (benchmarks/real_data).
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import comparison_page
from comparison_page import LEADING, SCORES, opened, print_table
from real_data.data_sets import DATA_SETS, DataSet

from anonduck.comparison.comparison import Comparison
from anonduck.comparison.offers import best_offers
from anonduck.database.progress import Reporter


def main() -> None:
    """Print the command, and a table for each data set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("-k", type=int, nargs="*", default=comparison_page.KS)
    parser.add_argument("--data-set", nargs="*", choices=list(DATA_SETS), default=list(DATA_SETS))
    parser.add_argument("--method", nargs="*", default=["mondrian", "tds"], help="methods that are offered")
    parser.add_argument("--beside", nargs="*", default=[], help="methods that are measured and not offered")
    parser.add_argument("--time-limit", type=float, default=60, help="seconds of the search, and of each release")
    parser.add_argument("--folder", type=Path, default=Path("offers"), help="where all is kept, to go on later")
    options = parser.parse_args()
    options.model, options.min_k = ["tree"], None
    print(f"`{shlex.join(['python', 'benchmarks/offers.py', *sys.argv[1:]])}`")
    for name in options.data_set:
        began = time.process_time()
        lines = list(compared(DATA_SETS[name], options))
        print(f"\n## {DATA_SETS[name].title}, {time.process_time() - began:.0f} seconds of the processor\n")
        print_table(
            ("k", *(f"{SCORES[score]}: {what}" for score in LEADING for what in ("offer", "single"))), iter(lines)
        )
        sys.stdout.flush()


def compared(item: DataSet, options: argparse.Namespace) -> Iterator[Sequence[str]]:
    """A line for each k: by each score the best offer, and the best of the single methods at that k."""
    folder = options.folder / item.name
    folder.mkdir(parents=True, exist_ok=True)
    with opened(item, Path(os.environ["ANONDUCK_DATA"]), folder, options) as project:
        project.reporter = Reporter(announce=comparison_page.tell)
        project.discover(offers=options.method)
        stored = project.discovered()
        offered = {(score, one["k"]): one for score in LEADING for one in best_offers(project.workspace, stored, score)}
        single = project.compare(["rules", *options.method, *options.beside], options.k, select=LEADING)
    for k in sorted(options.k):
        cells = [f"{k:,}"]
        for score in LEADING:
            best, value = best_single(single, score, k)
            offer = offered.get((score, k))
            mark = "" if offer is None or value is None or offer["value"] >= value else " **less**"
            cells.append("none" if offer is None else f"{named(offer['method'])} {offer['value']:.4f}{mark}")
            cells.append("none" if value is None else f"{best} {value:.4f}")
        yield cells


def named(method: str) -> str:
    """The name of an offer without the levels of its rule."""
    return method.partition(" (")[0]


def best_single(found: Comparison, score: str, k: int) -> tuple[str, float | None]:
    """The row asked for this very k of the largest score; None where no row was finished."""
    values = {
        row["method"]: value
        for row in found.rows
        if row["k_required"] == k and (value := row["models"].get("tree", {}).get(score, {}).get("value")) is not None
    }
    best = max(values, key=lambda name: values[name], default="")
    return best, values.get(best)


if __name__ == "__main__":
    main()
