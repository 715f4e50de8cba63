"""Measure what a paper reports, on the data that are here, and print it beside what the paper says.

    python benchmarks/papers.py probabilistic           a sample where the whole takes long
    python benchmarks/papers.py probabilistic --full    everything

ANONDUCK_DATA is the folder of the data. docs/papers/ has what was printed.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.papers.measured import NAMES, Measured


def main() -> None:
    """Measure a paper, and print all of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("name", choices=NAMES)
    parser.add_argument("--full", action="store_true", help="all records, trials and folds")
    options = parser.parse_args()
    made = Measured(options.name, options.full)
    importlib.import_module(f"benchmarks.papers.{options.name}").measure(made)
    print(made.text)


if __name__ == "__main__":
    main()
