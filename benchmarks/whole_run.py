"""`anonduck run` on 20 million records with the default sample of pairs, as one process: time and peak memory."""

from __future__ import annotations

import argparse

import measuring
import synthetic


def main() -> None:
    """Run with generalized columns and the class only, and with columns that ride along."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=synthetic.ROWS)
    options = parser.parse_args()
    for riding in (False, True):
        config = synthetic.config("run-riding" if riding else "run", options.rows, riding=riding)
        target = config.parent / "released.parquet"
        finished = measuring.process(measuring.anonduck("run", "-p", str(config), "-o", str(target), "--overwrite"))
        print(finished.output, end="")
        what = "run with two columns that ride along" if riding else "run"
        measuring.report(what, finished.seconds, " s", 180)
        measuring.report_memory(what, finished)


if __name__ == "__main__":
    main()
