"""Refining rules one level at a time: down while the requirement allows, and up, as long as that moves a frontier.

Pareto local search (Paquete, Chiarandini & Stützle 2004) over level vectors: the vectors on the frontiers of k and a
measure are exchanged for those one level finer or coarser in one attribute, until no frontier moves any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from anonduck.rules.levels import one_level_coarser, one_level_finer
from anonduck.rules.rule import LevelVector

DEPTH = 2  # frontiers that are followed: the first, and that of what is left without it
Moves = Callable[[LevelVector, LevelVector], Iterable[LevelVector]]


@dataclass(frozen=True)
class ObjectiveValues:
    """What a frontier weighs: k and some measures, larger is better for each; and whether the vector may be listed."""

    k: int
    measures: tuple[float, ...]
    listed: bool = True


@dataclass(frozen=True)
class RefinedVectors:
    """The vectors of the first frontiers that were not there before, each with the nearest of those given or found that
    it was reached through, None for the vector of all roots.

    ``visited`` counts vectors that were looked at beside those to start from; ``complete`` says whether the search came
    to its end.
    """

    parents: Mapping[LevelVector, LevelVector | None]
    visited: int
    complete: bool


def down_and_up(vector: LevelVector, roots: LevelVector) -> Iterator[LevelVector]:
    """The vectors one level finer in one attribute, then those one level coarser."""
    yield from one_level_finer(vector)
    yield from one_level_coarser(vector, roots)


def down_and_up_under(coarsest: LevelVector, finest: LevelVector = ()) -> Moves:
    """Moves among the vectors that are no coarser than one, and no finer than another; from the roots the coarsest is
    the first."""

    def moves(vector: LevelVector, roots: LevelVector) -> Iterator[LevelVector]:
        if vector == roots != coarsest:
            yield coarsest
        else:
            yield from one_level_finer(vector, finest)
            yield from one_level_coarser(vector, coarsest)

    return moves


def refine(
    start: Sequence[LevelVector],
    roots: LevelVector,
    point: Callable[[LevelVector], ObjectiveValues | None],
    *,
    max_visited: int,
    over: Callable[[], bool] = lambda: False,
    depth: int = DEPTH,
    moves: Moves = down_and_up,
) -> RefinedVectors:
    """Vectors that stand on one of the first ``depth`` frontiers of k and a measure, one level from one another.

    Args:
        start: the vectors to start from; that of all roots is taken beside them.
        roots: root level of each attribute.
        point: asked once for each vector; None for one that is no rule.
        max_visited: vectors that are looked at beside those of ``start``; one more ends the search before its end.
        over: whether the time is up, which ends it too.
        depth: frontiers that are followed.
        moves: what a vector is exchanged for, given the vector and the roots.
    """
    points = {vector: found for vector in dict.fromkeys(start) if (found := point(vector)) is not None}
    begun = set(points)
    origin: dict[LevelVector, LevelVector] = {}
    seen = {*start, roots}
    followed: set[LevelVector] = set()
    visited, complete = 0, True
    following = [roots, *first_frontiers(points, depth)]
    while following and complete:
        for vector in following:
            followed.add(vector)
            for near in moves(vector, roots):
                if near in seen:
                    continue
                if visited == max_visited or over():
                    complete = False
                    break
                seen.add(near)
                visited += 1
                found = point(near)
                if found is not None:
                    points[near] = found
                    origin[near] = vector
        following = [vector for vector in first_frontiers(points, depth) if vector not in followed]
    fresh = [vector for vector in first_frontiers(points, depth) if vector not in begun and points[vector].listed]
    listed = {*begun, *fresh}
    return RefinedVectors({vector: _listed_above(vector, origin, listed) for vector in fresh}, visited, complete)


def _listed_above(
    vector: LevelVector, origin: Mapping[LevelVector, LevelVector], listed: Set[LevelVector]
) -> LevelVector | None:
    """The nearest of the vectors that a vector was reached through and that is listed; None where it is the roots'."""
    above = origin[vector]
    while above not in listed:
        if above not in origin:
            return None
        above = origin[above]
    return above


def first_frontiers(points: Mapping[LevelVector, ObjectiveValues], depth: int) -> list[LevelVector]:
    """The vectors on the first ``depth`` frontiers of k and each measure, in the order of their levels.

    Each frontier is that of the vectors which the ones before leave; of equal points one vector is taken.
    """
    chosen: set[LevelVector] = set()
    for measure in range(len(next(iter(points.values())).measures) if points else 0):
        left: Iterable[LevelVector] = sorted(points, key=lambda v: (-points[v].measures[measure], -points[v].k, v))
        for _ in range(depth):
            largest, rest = 0, []
            for vector in left:
                if points[vector].k > largest:
                    chosen.add(vector)
                    largest = points[vector].k
                else:
                    rest.append(vector)
            left = rest
    return sorted(chosen)
