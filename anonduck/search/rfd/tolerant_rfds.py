"""Tolerant RFDs, which hold on all but a share of the class-differing pairs, found level by level.

A level vector is an RFD with tolerance e if at most a share e of the pairs of records that differ in class fall
together under it. It is minimal if no level can be raised: every vector one level coarser exceeds e. This relaxes the
extent of an RFD as well as its comparison, the hybrid RFDs that section 6.1 of Caruccio et al. 2022 wishes for, by the
error g1 of approximate functional dependencies (Kivinen & Mannila 1995), here a share of the class-differing pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from anonduck.rules.levels import level_by_level, one_level_coarser
from anonduck.rules.rule import LevelVector


@dataclass(frozen=True)
class VectorCounts:
    """What the search counts of a level vector: k, the pairs that fall together and differ in class, and whether the
    vector meets what is required."""

    k: int
    violating_pairs: int
    met: bool = True


@dataclass(frozen=True)
class TolerantRfds:
    """The minimal tolerant RFDs that are rules, each with the smallest of the thresholds that it is minimal at.

    ``complete`` says whether every vector that could be one was counted.
    """

    tolerances: Mapping[LevelVector, float]
    thresholds: tuple[float, ...]
    evaluated: int
    complete: bool


def tolerant_rfds(
    roots: LevelVector,
    count: Callable[[LevelVector], VectorCounts | None],
    differing_pairs: int,
    min_k: int,
    max_evaluated: int,
    over: Callable[[], bool] = lambda: False,
    *,
    with_coarsest: bool = False,
) -> TolerantRfds:
    """All minimal RFDs at thresholds that the data give.

    For each k of the ladder min_k, 2 min_k, 4 min_k and so on, the threshold is the smallest share at which some vector
    with at least that k is an RFD.

    Args:
        roots: root level of each attribute, or the highest that it may have.
        count: asked once for each vector; None for one that misses what no finer vector regains.
        differing_pairs: pairs of records that differ in class, at least one.
        min_k: where the ladder begins.
        max_evaluated: vectors that are counted at most; one more marks the result incomplete.
        over: whether the time is up, which does so too.
        with_coarsest: whether the vector of ``roots`` may be an RFD itself, as it names attributes.
    """
    counted, evaluated, complete = _counted(
        roots, count, lambda evaluated: evaluated == max_evaluated or over(), with_coarsest
    )
    thresholds = _ladder(list(counted.values()), min_k)
    violating = {roots: differing_pairs} | {vector: one.violating_pairs for vector, one in counted.items()}
    tolerances: dict[LevelVector, float] = {}
    for vector, one in counted.items():
        if not one.met:
            continue
        coarser = min((violating[above] for above in one_level_coarser(vector, roots)), default=differing_pairs + 1)
        fitting = [pairs for pairs in thresholds if one.violating_pairs <= pairs < coarser]
        if fitting:
            tolerances[vector] = fitting[0] / differing_pairs
    return TolerantRfds(tolerances, tuple(pairs / differing_pairs for pairs in thresholds), evaluated, complete)


def _counted(
    roots: LevelVector,
    count: Callable[[LevelVector], VectorCounts | None],
    ended: Callable[[int], bool],
    with_coarsest: bool,
) -> tuple[dict[LevelVector, VectorCounts], int, bool]:
    """Each vector whose coarser ones all reach what no finer one regains and are violated; how many were counted, and
    whether that is all. What is under a vector that is not violated is not minimal."""
    found: dict[LevelVector, VectorCounts] = {}
    evaluated = 0

    def is_open(vector: LevelVector) -> bool:
        return vector in found and found[vector].violating_pairs > 0

    for vector in _level_by_level(roots, is_open, with_coarsest):
        if ended(evaluated):
            return found, evaluated, False
        evaluated += 1
        counted = count(vector)
        if counted is not None:
            found[vector] = counted
    return found, evaluated, True


def _level_by_level(
    roots: LevelVector, is_open: Callable[[LevelVector], bool], with_coarsest: bool
) -> Iterator[LevelVector]:
    if with_coarsest:
        yield roots
    if not with_coarsest or is_open(roots):
        yield from level_by_level(roots, is_open)


def _ladder(counted: Sequence[VectorCounts], min_k: int) -> list[int]:
    """For min_k and each doubling of it, the fewest violating pairs of a vector with at least that k; rising."""
    found: list[int] = []
    k = min_k
    while reached := [one.violating_pairs for one in counted if one.met and one.k >= k]:
        found.append(min(reached))
        k *= 2
    return sorted(set(found))
