"""How long an intruder takes who looks for people of a large register in a large release.

Makes a release of random people in groups of ``--widths``, and a register of as many people, half of them in the
release, with facts that are wrong or missing for one in ten; prints seconds, peak memory and what was found. Run it
with ``python benchmarks/intruder.py``.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

import anonduck
from anonduck.attacks.intruder import AttackedFiles, intrude
from anonduck.attacks.plan import AttackOptions
from anonduck.attacks.tables import AttackedTables
from anonduck.database.connection import Database

RANGES = {"born": 36_500, "zip": 10_000, "income": 100_000, "height": 60, "job": 500}


def main() -> None:
    """Print a line for each width of groups."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--widths", type=int, nargs="+", default=[1, 100], metavar="N")
    parser.add_argument("--nested", action="store_true", help="every second row in groups four times as wide")
    parser.add_argument("--guesses", type=int, default=1_000)
    parser.add_argument("--memory-limit", default="2GB")
    options = parser.parse_args()
    print(f"anonduck {anonduck.__version__}, {options.rows:,} rows and people, {options.guesses:,} looked for")
    with tempfile.TemporaryDirectory() as folder:
        for width in options.widths:
            files = made(options.rows, width, Path(folder), nested=options.nested)
            started = time.perf_counter()
            work = Database(memory_limit=options.memory_limit)
            asked = AttackOptions(sensitive=["ill"], guesses=options.guesses)
            tables = AttackedTables(work, None, asked.others, None)
            tables.read(files.release, files.original, None, disjoint=False)
            found = intrude(work, files, tables, asked)
            work.close()
            seconds = time.perf_counter() - started
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
            print(
                f"groups {width} wide: {seconds:.0f} s, peak {peak:.1f} GB, {found.right.right:,.1f} of "
                f"{found.right.tried:,} claims right, {found.found.share:.1%} found",
                flush=True,
            )


def made(rows: int, width: int, folder: Path, *, nested: bool) -> AttackedFiles:
    """The files of a release in groups ``width`` times as wide as values, where a column has so many."""
    drawn = np.random.default_rng(0)
    every = pd.DataFrame({name: drawn.integers(0, count, rows * 3 // 2) for name, count in RANGES.items()})
    every["id"] = drawn.permutation(len(every))
    every["ill"] = drawn.choice(["flu", "cold", "none"], len(every))
    inside = every.iloc[:rows]
    released = inside.drop(columns="id")
    for name, count in RANGES.items():
        factors = np.where(np.arange(rows) % 2, 4, 1) if nested else np.ones(rows, dtype=np.int64)
        wide = np.minimum(width * factors * count // 1_000, count)
        if width > 1 and wide.min() > 1:
            low = inside[name] // wide * wide
            released[name] = "[" + low.astype(str) + ", " + (low + wide).astype(str) + ")"
    register = every.iloc[rows // 2 :].drop(columns="ill").copy()
    register["born"] += drawn.random(len(register)) < 0.1
    register["zip"] = register["zip"].astype("Int64").mask(drawn.random(len(register)) < 0.1)
    paths = {name: folder / f"{name}.parquet" for name in ("release", "original", "register")}
    for name, table in (("release", released), ("original", inside), ("register", register)):
        table.to_parquet(paths[name])
    return AttackedFiles(paths["release"], paths["original"], None, paths["register"])


if __name__ == "__main__":
    main()
