"""The inner cross-validation by which a model's main setting is chosen: inside each training part, never by a test.

The stored folds are put into up to ``GROUPS`` groups. A model that learns without two of the groups is validated on one
of them for the training parts whose tested fold is in the other, and the other way round. So one inner training serves
all tested folds of two groups, and none of them has a part in what is chosen for itself; the rest of its own group has
none either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from anonduck.models.folds import draw_folds

GROUPS = 5
SAMPLED_GROUPS = 3


@dataclass(frozen=True, eq=False)
class TuningPlan:
    """What to train on, what a setting is chosen by, and what is predicted.

    ``trained`` (parts, cells) records of each training part; ``tested`` for each part the cells to predict; ``inner``
    (inner, cells) records of the inner training parts; ``validated`` (groups, cells) records by group; ``uses`` for
    each part the inner training parts, each with the group on which it is validated; empty where nothing can be chosen.
    """

    trained: np.ndarray
    tested: tuple[np.ndarray, ...]
    inner: np.ndarray
    validated: np.ndarray
    uses: tuple[tuple[tuple[int, int], ...], ...]

    def only(self, parts: Sequence[int]) -> TuningPlan:
        """The plan of some of the training parts, without the inner ones that only others use."""
        wanted = sorted({inner for part in parts for inner, _ in self.uses[part]})
        place = {inner: at for at, inner in enumerate(wanted)}
        return TuningPlan(
            self.trained[list(parts)],
            tuple(self.tested[part] for part in parts),
            self.inner[wanted],
            self.validated,
            tuple(tuple((place[inner], group) for inner, group in self.uses[part]) for part in parts),
        )


def plan_folds(counts: np.ndarray, filled: Sequence[int], *, every_pair: bool) -> TuningPlan:
    """The plan of a cross-validation over the ``filled`` folds of ``counts`` (cells, folds).

    With ``every_pair`` each training part is validated on all other groups, else on the two beside its own.
    """
    groups = np.array_split(np.asarray(filled), min(GROUPS, len(filled)))
    number = len(groups)
    pairs = list(combinations(range(number), 2)) if every_pair else _ring(number)
    pairs = pairs if number > 2 else []
    records = counts.sum(axis=1)
    validated = np.array([counts[:, group].sum(axis=1) for group in groups])
    uses = [tuple((at, pair[pair[0] == own]) for at, pair in enumerate(pairs) if own in pair) for own in range(number)]
    return TuningPlan(
        np.array([records - counts[:, fold] for fold in filled], dtype=np.float64),
        tuple(np.flatnonzero(counts[:, fold]) for fold in filled),
        np.array([records - validated[first] - validated[second] for first, second in pairs], dtype=np.float64),
        validated,
        tuple(uses[own] for own, group in enumerate(groups) for _ in group),
    )


def _ring(number: int) -> list[tuple[int, int]]:
    """Each group with the next one, and the last with the first."""
    return sorted({(min(own, after), max(own, after)) for own in range(number) for after in [(own + 1) % number]})


def plan_sample(records: np.ndarray, classes: np.ndarray, tested: np.ndarray, *, seed: list[int]) -> TuningPlan:
    """The plan of one training part whose records (cells,) were drawn, so that they are in no stored folds."""
    drawn = draw_folds(records, classes, folds=SAMPLED_GROUPS, seed=seed)
    groups = [drawn[:, group] for group in range(SAMPLED_GROUPS) if drawn[:, group].any()]
    enough = len(groups) > 1
    return TuningPlan(
        records[None, :].astype(np.float64),
        (tested,),
        np.array([records - group for group in groups if enough], dtype=np.float64),
        np.array(groups),
        (tuple((at, at) for at in range(len(groups)) if enough),),
    )
