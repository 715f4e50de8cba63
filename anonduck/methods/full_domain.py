"""Methods that find a rule, and what they see of a source: the lattice of its level vectors.

Two of them are names for the exact search of the lattice with settings of their own:

- OLA (El Emam et al. 2009) finds, of the rules that meet what is required with a limit to what is left out, the one of
  least information loss.
- Incognito (LeFevre, DeWitt and Ramakrishnan 2005) finds all rules that meet it with no record left out; of these the
  one of least height is taken, as the paper and Samarati (2001) do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from anonduck.methods.method import Tell, untold

LevelVector = tuple[int, ...]
LOSS, ENTROPY, HEIGHT = "loss", "nonuniform_entropy", "height"


class LevelSpace(Protocol):
    """The level vectors of a source's quasi-identifiers, each of which meets what is required or not."""

    @property
    def highest(self) -> LevelVector:
        """The highest level that each column may have."""

    @property
    def distinct(self) -> Sequence[Sequence[int]]:
        """By column, how many distinct values it has at each level, from 0 to the highest."""

    def meets(self, vector: LevelVector) -> bool:
        """Whether a release by these levels meets what is required, with as many records left out as may be."""

    def cheapest(self, measure: str) -> LevelVector | None:
        """Of the vectors that meet it, the one for which ``measure`` is least; None where there is none."""


def ola(space: LevelSpace, *, seed: int = 0, tell: Tell = untold, entropy: bool = False) -> LevelVector | None:
    """The levels of least loss. A record that is left out counts as lost."""
    return space.cheapest(ENTROPY if entropy else LOSS)


def incognito(space: LevelSpace, *, seed: int = 0, tell: Tell = untold, height: bool = True) -> LevelVector | None:
    """The levels of least height, of equal ones those of least loss; or those of least loss."""
    return space.cheapest(HEIGHT if height else LOSS)


def nobody(k: int, records: int, **options: Any) -> float:
    """No record is left out."""
    return 0.0


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
