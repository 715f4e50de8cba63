"""Measure what a paper reports, on the data that are here, and write its page: docs/papers/NAME.md.

    python benchmarks/papers.py probabilistic           a sample where the whole takes long; the page names it
    python benchmarks/papers.py probabilistic --full    everything
    python benchmarks/papers.py probabilistic --page    write the page again from benchmarks/papers/results/NAME.json

ANONDUCK_DATA is the folder of the data. The tables are printed too.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.papers.measured import NAMES, load
from benchmarks.papers.page import printed, write_page


def main() -> None:
    """Measure, keep the result, print it, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("name", choices=NAMES)
    parser.add_argument("--full", action="store_true", help="all records, trials and folds")
    parser.add_argument("--page", action="store_true", help="write the page alone, from the result that is kept")
    options = parser.parse_args()
    if not options.page:
        importlib.import_module(f"benchmarks.papers.{options.name}").measure(full=options.full).save()
    measured = load(options.name)
    print(printed(measured))
    write_page(measured)


if __name__ == "__main__":
    main()
