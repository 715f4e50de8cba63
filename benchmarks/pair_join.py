"""The bit-sliced pair join against the plain one on records of Adult, and on all pairs of all its records."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import adult
import measuring

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

ROWS = 8_000


def main() -> None:
    """Compare both on a sample (with --full on all records), then time the bit-sliced join of all pairs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS, help="records that the plain join compares")
    parser.add_argument("--full", action="store_true", help="the plain join compares all records too")
    parser.add_argument("--times", type=int, default=3, help="counted runs of each in the comparison")
    options = parser.parse_args()
    if not options.full:
        compare(options.rows, options.times)
    everything(plain=options.full)


def compare(rows: int, times: int) -> None:
    """The ratio of both on the same sampled records."""
    from plain_pairs import join_pairs_plainly

    from anonduck.frequency.patterns import join_pairs

    with adult.project(sample=rows) as project:
        roots = {name: project.taxonomies[name].root for name in project.roles.quasi_identifiers}
        join_pairs(project.database, roots, project.config)  # draws the records that the plain join compares
        plain, fast, ratio = measuring.alternated(
            lambda: join_pairs_plainly(project.database, roots),
            lambda: join_pairs(project.database, roots, project.config),
            times,
        )
        pairs = rows * (rows - 1) / 2 / 1e6
        print(
            f"{rows:,} records: plain {plain:.2f} s ({pairs / plain:.1f} million pairs/s), "
            f"bit-sliced {fast:.2f} s ({pairs / fast:.1f} million pairs/s)"
        )
        measuring.report("plain / bit-sliced", ratio, "x", 2.5, most=False)


def everything(*, plain: bool) -> None:
    """All pairs of all records."""
    from plain_pairs import join_pairs_plainly

    from anonduck.frequency.patterns import join_pairs

    with adult.project(sample="all") as project:
        roots = {name: project.taxonomies[name].root for name in project.roles.quasi_identifiers}
        fast = measuring.seconds(lambda: print(join_pairs(project.database, roots, project.config)))
        measuring.report("all pairs of Adult, bit-sliced", fast, " s", 120)
        if plain:
            slow = measuring.seconds(lambda: join_pairs_plainly(project.database, roots))
            print(f"all pairs of Adult, plain: {slow:.1f} s")
            measuring.report("plain / bit-sliced", slow / fast, "x", 2.5, most=False)


if __name__ == "__main__":
    main()
