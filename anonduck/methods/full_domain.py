"""Methods of full-domain generalization: they find a rule, one level for each column, on the lattice of level vectors.

- Datafly (Sweeney 1997) starts at the values themselves and generalizes the column with the most distinct values until
  few enough records are left out. It never goes back, so that it seldom finds the rule of least loss.
- OLA (El Emam et al. 2009) finds the rule of least information loss that meets the requirement within the limit of
  suppressed records.
- Incognito (LeFevre, DeWitt and Ramakrishnan 2005) finds all rules that meet it without suppression; of these the one
  of least height is taken, as in the paper and in Samarati (2001).

OLA and Incognito are presets of the exact lattice search, which the ``LevelSpace`` performs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from anonduck.methods.method import Progress, no_progress

LevelVector = tuple[int, ...]
LOSS, ENTROPY, HEIGHT = "loss", "nonuniform_entropy", "height"


class LevelSpace(Protocol):
    """The lattice of level vectors of a source, and which of them meet the requirement."""

    @property
    def highest(self) -> LevelVector:
        """The highest level that each column may have."""

    @property
    def distinct(self) -> Sequence[Sequence[int]]:
        """For each column its number of distinct values at each level, from 0 to the highest."""

    def meets(self, vector: LevelVector) -> bool:
        """Whether a release at these levels meets the requirement within the allowed suppression."""

    def cheapest(self, measure: str) -> LevelVector | None:
        """The level vector of least ``measure`` that meets the requirement; None if none does."""


def ola(
    space: LevelSpace, *, seed: int = 0, progress: Progress = no_progress, entropy: bool = False
) -> LevelVector | None:
    """The levels of least loss (or non-uniform entropy); a suppressed record counts as lost entirely."""
    return space.cheapest(ENTROPY if entropy else LOSS)


def incognito(
    space: LevelSpace, *, seed: int = 0, progress: Progress = no_progress, height: bool = True
) -> LevelVector | None:
    """The levels of least height, and of these the ones of least loss; with ``height=False`` those of least loss."""
    return space.cheapest(HEIGHT if height else LOSS)


def datafly(
    space: LevelSpace, *, seed: int = 0, progress: Progress = no_progress, suppress: bool = False
) -> LevelVector | None:
    """The first levels that meet the requirement; each step raises the column with the most distinct values by one.

    Ties go to the column of lowest rank, drawn with ``seed``. None if even the highest levels do not meet it.
    """
    ranks = np.random.default_rng(seed).permutation(len(space.highest)).tolist()
    levels, steps = [0] * len(ranks), sum(space.highest)
    for step in range(steps + 1):
        progress("generalizing columns", step, steps)
        if space.meets(tuple(levels)):
            progress("generalizing columns", steps, steps)
            return tuple(levels)
        left = [column for column, level in enumerate(levels) if level < space.highest[column]]
        if left:
            levels[max(left, key=lambda one: (space.distinct[one][levels[one]], -ranks[one]))] += 1
    return None
