"""How far estimates of population uniqueness are off, and how often the interval covers the truth, over samples.

The populations are all of Adult, by seven columns, and three that are made up of unique persons and of classes of one
size. Samples are drawn by ``random.sample`` with the seeds 0, 1 and so on. A requirement of 0.95 of the truth must not
be met: the last columns say how often it would be by the estimate that Dankar's rule takes, by the largest estimate,
and by the upper end of the interval. ``ANONDUCK_DATA`` is the folder of the data.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

import pandas as pd
from real_data.folder import data

from anonduck.privacy.uniqueness import ESTIMATES, population_uniqueness

KNOWN = ["age", "education", "occupation", "race", "sex", "native-country", "marital-status"]
FRACTIONS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
MADE_UP = {"a tenth unique, others by 5": (4_000, 5), "a fifth, by 20": (8_000, 20), "half, by 100": (20_000, 100)}
PERSONS = 40_000
UNDER = 0.95
HEAD = [
    "population",
    "truth",
    "f",
    *(f"{name} / truth" for name in ESTIMATES),
    "no solution",
    "interval, median",
    "covers",
    "passes by Dankar's rule",
    "by the largest estimate",
    "by the upper end",
]


def main() -> None:
    """Print a line of a table in Markdown for each sampling fraction."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=200)
    options = parser.parse_args()
    print_line(HEAD)
    print_line(["---"] * len(HEAD))
    for name, classes in populations().items():
        truth = sum(size == 1 for size in Counter(classes).values()) / len(classes)
        for fraction in FRACTIONS:
            found = [estimated(classes, fraction, seed) for seed in range(options.samples)]
            print_line([name, f"{truth:.3f}", fraction, *line(found, truth)])


def populations() -> dict[str, list[int]]:
    """The class of each person, by population."""
    adult = pd.read_csv(data() / "adult.csv", dtype=str, keep_default_na=False)
    made_up = {
        name: [*range(uniques), *(-1 - person // size for person in range(PERSONS - uniques))]
        for name, (uniques, size) in MADE_UP.items()
    }
    return {"Adult": adult.groupby(KNOWN, sort=False).ngroup().tolist(), **made_up}


def estimated(classes: Sequence[int], fraction: float, seed: int) -> Mapping[str, Any]:
    """What is found in one sample."""
    draw = random.Random(seed).sample  # noqa: S311 - nothing is kept secret
    drawn = draw(classes, round(len(classes) * fraction))
    return population_uniqueness(Counter(Counter(drawn).values()), fraction)


def line(found: Sequence[Mapping[str, Any]], truth: float) -> list[object]:
    """The cells of one population and sampling fraction, after the fraction."""
    solved = {name: [one[name] for one in found if one[name] is not None] for name in ESTIMATES}
    largest = [max(one[name] for name in ESTIMATES if one[name] is not None) for one in found]
    lowest, highest = zip(*(one["interval"] for one in found), strict=True)
    missing = [f"{name} {len(found) - len(shares)}" for name, shares in solved.items() if len(shares) < len(found)]
    passed = [[one[one["estimate"]] for one in found], largest, highest]
    return [
        *(ratios(shares, truth) for shares in solved.values()),
        ", ".join(missing) or "none",
        f"{median(lowest):.2f} to {median(highest):.2f}",
        percent(low <= truth <= high for low, high in zip(lowest, highest, strict=True)),
        *(percent(share <= UNDER * truth for share in shares) for shares in passed),
    ]


def ratios(shares: Sequence[float], truth: float) -> str:
    """The median of estimates, and between which nine in ten lie, as multiples of the truth."""
    inner = sorted(shares)[len(shares) // 20 : len(shares) - len(shares) // 20]
    return f"{median(shares) / truth:.2f} ({inner[0] / truth:.2f} to {inner[-1] / truth:.2f})" if shares else ""


def percent(hits: Any) -> str:
    """The share of samples for which something holds."""
    held = list(hits)
    return f"{100 * sum(held) / len(held):.1f} %"


def print_line(cells: Sequence[object]) -> None:
    """One line of a table in Markdown."""
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


if __name__ == "__main__":
    main()
