"""Datafly (Sweeney 1997): generalizes the column with the most distinct values until few enough records are left out.

It looks at one level vector after the other, from the values themselves up, and never goes back: what it finds meets
what is required, and is seldom the rule that loses least.
"""

from __future__ import annotations

import numpy as np

from anonduck.methods.level_space import LevelSpace, LevelVector
from anonduck.methods.method import Tell, untold


def datafly(space: LevelSpace, *, seed: int = 0, tell: Tell = untold, suppress: bool = False) -> LevelVector | None:
    """The first levels that meet what is required, each step one level up in the column with most distinct values.

    Of columns with as many the one goes first whose rank, drawn by the seed, is lowest. None where all columns are as
    high as they may be.
    """
    ranks = np.random.default_rng(seed).permutation(len(space.highest)).tolist()
    levels, steps = [0] * len(ranks), sum(space.highest)
    for step in range(steps + 1):
        tell("generalizing columns", step, steps)
        if space.meets(tuple(levels)):
            tell("generalizing columns", steps, steps)
            return tuple(levels)
        left = [column for column, level in enumerate(levels) if level < space.highest[column]]
        if left:
            levels[max(left, key=lambda one: (space.distinct[one][levels[one]], -ranks[one]))] += 1
    return None


def at_most_k(k: int, records: int, *, suppress: bool) -> float | None:
    """The share of k records, which Sweeney leaves out at most; else what the requirement says."""
    return min(1.0, k / records) if suppress and records else None
