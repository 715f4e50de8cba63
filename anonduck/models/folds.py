"""Folds of a stratified cross-validation, drawn on counts, and the inner cross-validation that chooses settings.

The records of a cell are exchangeable, so a random split of a class into folds of equal size is a draw of counts from
the multivariate hypergeometric distribution. numpy draws it, within two limits that are worked around here:

- it takes fewer than 10**9 records. A class of more than STRATUM records is cut, in the order of its cells, into strata
  of that size, and each stratum is split into equal folds by itself. That is still a random split with equal folds, all
  counts are exact integers, and the expected count of every cell is the same; only the variance of a cell's count is
  smaller, as always with strata (hardly, where cells are small against a stratum).
- it costs about a microsecond per cell and ten folds. The records of cells with at most DEALT records are dealt one by
  one from a shuffled pack of fold numbers instead, which is the same distribution; the draw takes them as one cell.

The main setting of a model is chosen inside each training part, never by tested records. For that, the folds form up to
GROUPS groups. A model trained without two of the groups is validated on one of them for the training parts whose tested
fold is in the other, and the other way round. So one inner training serves all tested folds of two groups, and no
tested fold influences the setting that is chosen for it; nor does the rest of its group.

Two settings are compared on the same records, so few of them are needed. With a twentieth of the records predicted
otherwise, VALIDATED records give the difference of two accuracies with a standard error of 0.3 points, a third of the
point that matters. So where a group has that many records, a part is validated on one group alone. An accuracy itself
varies more: on TESTED records its standard error is half a point at most, but for what folds share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from anonduck.errors import ModelError

STRATUM = 500_000_000
DEALT = 32
_PACK = 1 << 17  # cells that are dealt at a time, which bounds the memory of their record list


def draw_folds(records: np.ndarray, classes: np.ndarray, *, folds: int = 10, seed: int | list[int]) -> np.ndarray:
    """Split the records of each cell at random into stratified folds; int64 of shape (cells, folds).

    ``records`` (cells,) are counts, ``classes`` (cells,) class codes, both in an order that the caller fixes. Rows sum
    to ``records``; the fold sizes of a class differ by at most one record, and so do those of all classes together. A
    class with fewer records than folds is missing in some folds. The same arguments give the same folds. Raises
    ModelError for negative counts, fewer than two folds, or arrays of different lengths.
    """
    _check(records, classes, folds)
    random = np.random.default_rng(seed)
    ring = random.permutation(folds)
    drawn = np.zeros((len(records), folds), dtype=np.int64)
    order, starts = _by_class(classes)
    dealt = 0
    for cells in np.split(order, starts[1:]) if len(order) else []:
        ends = np.cumsum(records[cells], dtype=np.int64)
        for start in range(0, int(ends[-1]), STRATUM):
            first, part = _stratum(ends, start)
            sizes = _sizes(int(part.sum()), ring, dealt)
            _split(drawn, cells[first : first + len(part)], part, sizes, random)
            dealt += int(part.sum())
    return drawn


def _check(records: np.ndarray, classes: np.ndarray, folds: int) -> None:
    if folds < 2:
        raise ModelError(f"cross-validation needs at least two folds; got {folds} (ten are usual)")
    if len(records) != len(classes):
        raise ModelError(
            f"each cell needs a count and a class; there are {len(records)} counts and {len(classes)} classes"
        )
    if len(records) and int(records.min()) < 0:
        raise ModelError(f"{int((records < 0).sum())} cells have a negative number of records; counts start at 0")


def _by_class(classes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The cells class by class, each class in the given order; and where each class starts."""
    order = np.argsort(classes, kind="stable")
    ordered = classes[order]
    return order, np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])


def _stratum(ends: np.ndarray, start: int) -> tuple[int, np.ndarray]:
    """At most STRATUM records of a class from ``start`` on: their first cell, and the counts from that cell on."""
    stop = min(start + STRATUM, int(ends[-1]))
    first = int(np.searchsorted(ends, start, side="right"))
    last = int(np.searchsorted(ends, stop, side="left"))
    edges = np.r_[start, ends[first:last], stop]
    return first, np.diff(edges)


def _sizes(size: int, ring: np.ndarray, dealt: int) -> np.ndarray:
    """Fold sizes of ``size`` records; the surplus goes on around the ring of folds, where the last one ended."""
    folds = len(ring)
    sizes = np.full(folds, size // folds, dtype=np.int64)
    sizes[ring[(dealt + np.arange(size % folds)) % folds]] += 1
    return sizes


def _split(
    drawn: np.ndarray, cells: np.ndarray, records: np.ndarray, sizes: np.ndarray, random: np.random.Generator
) -> None:
    """Add to ``drawn`` the folds of one stratum: large cells are drawn, small ones dealt."""
    large = np.flatnonzero(records > DEALT)
    small = np.flatnonzero((records > 0) & (records <= DEALT))
    counts = _draw(np.r_[records[large], records[small].sum()], sizes, random)
    drawn[cells[large]] += counts[:-1]
    _deal(drawn, cells[small], records[small], counts[-1], random)


def _draw(records: np.ndarray, sizes: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Fill the folds one after the other from what is left; the last fold takes the rest."""
    drawn = np.empty((len(records), len(sizes)), dtype=np.int64)
    left = records.astype(np.int64)
    for fold, size in enumerate(sizes[:-1]):
        drawn[:, fold] = random.multivariate_hypergeometric(left, int(size))
        left = left - drawn[:, fold]
    drawn[:, -1] = left
    return drawn


def _deal(
    drawn: np.ndarray, cells: np.ndarray, records: np.ndarray, sizes: np.ndarray, random: np.random.Generator
) -> None:
    """Add to ``drawn`` the folds of small cells: each record takes the next fold number of a shuffled pack."""
    folds = len(sizes)
    pack = np.repeat(np.arange(folds, dtype=np.min_scalar_type(folds)), sizes)
    random.shuffle(pack)
    taken = 0
    for start in range(0, len(cells), _PACK):
        counts = records[start : start + _PACK]
        owner = np.repeat(np.arange(len(counts)), counts)
        hand = pack[taken : taken + len(owner)]
        dealt = np.bincount(owner * folds + hand, minlength=len(counts) * folds)
        drawn[cells[start : start + _PACK]] += dealt.reshape(-1, folds)
        taken += len(owner)


GROUPS = 5
SAMPLED_GROUPS = 3
VALIDATED = 5_000  # records by which a setting is chosen well enough: sqrt(0.05 / 5_000) is 0.003
TESTED = 10_000  # records that give an accuracy well enough: sqrt(0.5 * 0.5 / 10_000) is 0.005
FEWEST = 3  # folds, so that the spread between folds is known


@dataclass(frozen=True, eq=False)
class TuningPlan:
    """The training parts of a cross-validation, with the inner parts that choose the setting of each.

    Attributes:
        trained: (parts, cells) the records of each training part.
        tested: for each part the cells to predict.
        inner: (inner parts, cells) the records of the inner training parts.
        validated: (groups, cells) the records of each group.
        uses: for each part its inner parts, each with the group that validates it; empty if no setting can be chosen.
    """

    trained: np.ndarray
    tested: tuple[np.ndarray, ...]
    inner: np.ndarray
    validated: np.ndarray
    uses: tuple[tuple[tuple[int, int], ...], ...]

    def only(self, parts: Sequence[int]) -> TuningPlan:
        """The plan of the given training parts, without inner parts that only other parts use."""
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

    With ``every_pair`` the setting of a part is validated on all other groups, else on the two next to its own; where
    each group has VALIDATED records, on one group.
    """
    groups = np.array_split(np.asarray(filled), min(GROUPS, len(filled)))
    number = len(groups)
    records = counts.sum(axis=1)
    validated = np.array([counts[:, group].sum(axis=1) for group in groups])
    if number <= 2:
        pairs = []
    elif validated.sum(axis=1).min() >= VALIDATED:
        pairs = _two_by_two(number)
    else:
        pairs = list(combinations(range(number), 2)) if every_pair else _ring(number)
    uses = [tuple((at, pair[pair[0] == own]) for at, pair in enumerate(pairs) if own in pair) for own in range(number)]
    return TuningPlan(
        np.array([records - counts[:, fold] for fold in filled], dtype=np.float64),
        tuple(np.flatnonzero(counts[:, fold]) for fold in filled),
        np.array([records - validated[first] - validated[second] for first, second in pairs], dtype=np.float64),
        validated,
        tuple(uses[own] for own, group in enumerate(groups) for _ in group),
    )


def _ring(number: int) -> list[tuple[int, int]]:
    """Pairs of neighbouring groups, the last one with the first."""
    return sorted({(min(own, after), max(own, after)) for own in range(number) for after in [(own + 1) % number]})


def _two_by_two(number: int) -> list[tuple[int, int]]:
    """Each group with the next one, and the last of an odd number with the one before it."""
    return [(min(own, number - 2), min(own, number - 2) + 1) for own in range(0, number, 2)]


def enough_folds(records: np.ndarray) -> list[int]:
    """The first folds, FEWEST at least, that have TESTED records together, of those with records (folds,); all of them
    where these are fewer."""
    filled = np.flatnonzero(records)
    wanted = int(np.searchsorted(np.cumsum(records[filled]), TESTED)) + 1
    found: list[int] = filled[: max(FEWEST, wanted)].tolist()
    return found


def plan_sample(records: np.ndarray, classes: np.ndarray, tested: np.ndarray, *, seed: list[int]) -> TuningPlan:
    """The plan of one training part whose ``records`` (cells,) were drawn anew and so belong to no stored fold.

    Each group validates what was learned from the others; where it has VALIDATED records, the first one alone does.
    """
    drawn = draw_folds(records, classes, folds=SAMPLED_GROUPS, seed=seed)
    groups = [drawn[:, group] for group in range(SAMPLED_GROUPS) if drawn[:, group].any()]
    turns = len(groups) if len(groups) > 1 else 0
    if turns and min(int(group.sum()) for group in groups) >= VALIDATED:
        turns = 1
    return TuningPlan(
        records[None, :].astype(np.float64),
        (tested,),
        np.array([records - group for group in groups[:turns]], dtype=np.float64),
        np.array(groups),
        (tuple((at, at) for at in range(turns)),),
    )
