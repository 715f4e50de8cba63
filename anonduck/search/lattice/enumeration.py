"""Every vector that is not hopeless, level by level from the roots down, for lattices that are too large to keep whole.

No vector is met below a hopeless one, so a vector is assessed only if all vectors one level coarser in one attribute
are not hopeless. On real tables few of many level vectors are left, whatever is searched for, and what meets the
requirement is among them.
"""

from __future__ import annotations

from anonduck.rules.levels import level_by_level
from anonduck.search.lattice.problem import LatticeProblem, TimeLimit

ENOUGH = 200_000  # vectors that are not hopeless; where there are more, the lattice is searched by bounds


def enumerate_all(problem: LatticeProblem, clock: TimeLimit, most: int = ENOUGH) -> bool:
    """Assess every vector under the roots whose coarser neighbours are not hopeless, and say whether that ended.

    Then every vector that meets what is required is known to the problem. It does not end where the time is up, or more
    than ``most`` vectors are not hopeless; what was assessed is known all the same.
    """
    found = 0
    for vector in level_by_level(problem.roots, lambda one: not problem.outcome(one).hopeless):
        if clock.over() or found > most:
            return False
        found += not problem.outcome(vector).hopeless
    return True
