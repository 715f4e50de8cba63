"""Every vector that is not hopeless, level by level from the roots down, for lattices that are too large to keep whole.

No vector is met below a hopeless one, so a vector is assessed only if all vectors one level coarser in one attribute
are not hopeless: the pruning of Apriori (Agrawal and Srikant 1994), with levels for items. On real tables few of many
level vectors are left, whatever is searched for, and what meets the requirement is among them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from anonduck.lattice.problem import Clock, Problem
from anonduck.rules import Levels

ENOUGH = 200_000  # vectors that are not hopeless; where there are more, the lattice is searched by bounds


def enumerate_all(problem: Problem, clock: Clock, most: int = ENOUGH) -> bool:
    """Assess every vector under the roots whose coarser neighbours are not hopeless, and say whether that ended.

    Then every vector that meets what is required is known to the problem. It does not end where the time is up, or more
    than ``most`` vectors are not hopeless; what was assessed is known all the same.
    """
    layer: dict[Levels, None] = {problem.roots: None}
    found = 0
    while layer:
        finer: dict[Levels, None] = {}
        for vector in _candidates(layer, problem.roots):
            if clock.over() or found > most:
                return False
            if not problem.outcome(vector).hopeless:
                finer[vector] = None
                found += 1
        layer = finer
    return True


def _candidates(layer: Collection[Levels], roots: Levels) -> Iterator[Levels]:
    """The vectors one level finer whose coarser neighbours are all in the layer, each once.

    A vector comes from the neighbour that is coarser in the last attribute in which it is under its root.
    """
    for vector in layer:
        last = max((a for a, (level, root) in enumerate(zip(vector, roots, strict=True)) if level < root), default=0)
        for attribute in range(last, len(roots)):
            if vector[attribute]:
                finer = (*vector[:attribute], vector[attribute] - 1, *vector[attribute + 1 :])
                if all(coarser in layer for coarser in _coarser(finer, roots, attribute)):
                    yield finer


def _coarser(vector: Levels, roots: Levels, before: int) -> Iterator[Levels]:
    """The vectors one level coarser in one attribute before a place."""
    for attribute in range(before):
        if vector[attribute] < roots[attribute]:
            yield (*vector[:attribute], vector[attribute] + 1, *vector[attribute + 1 :])
