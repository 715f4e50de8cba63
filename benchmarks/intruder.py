"""How long an intruder takes who looks for people of a large register, and whether its intervals are right.

Makes a release of random people in groups of ``--widths``, and a register of as many people, half of them in the
release, with facts that are wrong or missing for one in ten; prints seconds, peak memory and what was found. Run it
with ``python benchmarks/intruder.py``.

With ``--coverage N`` it makes N such releases of ``--rows`` people, looks for ``--guesses`` of the register, and then
for all of it: the share of the releases whose interval holds what is true of all.

    python benchmarks/intruder.py --coverage 100 --rows 1000 --guesses 100 --widths 1 40 100 150 200 300 500
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import measuring
import numpy as np
import pandas as pd
from honesty import head, line

import anonduck
from anonduck.attacks.intruder import AttackedFiles, intrude
from anonduck.attacks.intruder_report import IntruderFinding
from anonduck.attacks.plan import AttackOptions
from anonduck.attacks.rates import Rate
from anonduck.attacks.tables import AttackedTables
from anonduck.database.connection import Database

COVERED = 0.95
ROUNDING = 1e-9  # hits are sums of chances
RANGES = {"born": 36_500, "zip": 10_000, "income": 100_000, "height": 60, "job": 500}


def main() -> None:
    """Print a line for each width of groups, or with ``--coverage`` for each rate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--widths", type=int, nargs="+", default=[1, 100], metavar="N")
    parser.add_argument("--nested", action="store_true", help="every second row in groups four times as wide")
    parser.add_argument("--guesses", type=int, default=1_000)
    parser.add_argument("--memory-limit", default="2GB")
    parser.add_argument("--coverage", type=int, metavar="N", help="see how often intervals cover, on N releases")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first of them")
    options = parser.parse_args()
    if options.coverage:
        cover(options)
        return
    print(f"anonduck {anonduck.__version__}, {options.rows:,} rows and people, {options.guesses:,} looked for")
    with tempfile.TemporaryDirectory() as folder:
        for width in options.widths:
            files = made(options.rows, width, Path(folder), nested=options.nested)
            started = time.perf_counter()
            found = looked_for(files, options.memory_limit, guesses=options.guesses)
            seconds = time.perf_counter() - started
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
            print(
                f"groups {width} wide: {seconds:.0f} s, peak {peak:.1f} GB, {found.right.right:,.1f} of "
                f"{found.right.tried:,} claims right, {found.found.share:.1%} found",
                flush=True,
            )


def cover(options: argparse.Namespace) -> None:
    """Print a row for each rate of each release, and how many intervals of drawn people hold the rate of all."""
    print(f"anonduck {anonduck.__version__}, {options.coverage} releases, {options.guesses} of {options.rows:,} people")
    head("release", "groups", "rate", "from", "to", "true", "held")
    found: dict[str, list[bool]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.first, options.first + options.coverage):
            width = options.widths[number % len(options.widths)]
            files = made(options.rows, width, Path(folder), nested=options.nested or number % 2 == 1, seed=number)
            drawn = looked_for(files, options.memory_limit, guesses=options.guesses, seed=number)
            every = looked_for(files, options.memory_limit, intruder_all=True)
            for (name, rate), (_, true) in zip(rates(drawn), rates(every), strict=True):
                low, high = rate.interval
                held = low - ROUNDING <= true.share <= high + ROUNDING
                line(number, width, name, low, high, true.share, "yes" if held else "NO")
                found.setdefault(name, []).append(held)
    for name, ones in found.items():
        measuring.report(f"covered, {name}: {sum(ones)} of {len(ones)}", sum(ones) / len(ones), "", COVERED, most=False)


def rates(found: IntruderFinding) -> Iterator[tuple[str, Rate]]:
    """The rates that are reported with an interval, whatever was found."""
    yield "claims right", found.right
    yield "people found", found.found
    for one in found.guesses:
        yield f"{one.about} guessed", one.right


def looked_for(files: AttackedFiles, memory_limit: str, **options: object) -> IntruderFinding:
    """What an intruder finds by some options."""
    work = Database(memory_limit=memory_limit)
    try:
        asked = AttackOptions(sensitive=["ill"], **options)  # type: ignore[arg-type]
        tables = AttackedTables(work, None, asked.others, None)
        tables.read(files.release, files.original, None, disjoint=False)
        return intrude(work, files, tables, asked)
    finally:
        work.close()


def made(rows: int, width: int, folder: Path, *, nested: bool, seed: int = 0) -> AttackedFiles:
    """The files of a release in groups ``width`` times as wide as values, where a column has so many."""
    drawn = np.random.default_rng(seed)
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
