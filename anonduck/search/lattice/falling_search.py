"""All level vectors by falling k, so that what is left at any time has a smaller k than what was seen.

A vector's ``reach`` is the largest k at which no more records than allowed are in equivalence classes under it: without
suppression its k. Classes only part as levels fall, so that the reach never rises, and k of the records that stay never
exceeds it. The vectors one level finer than the one of the largest reach come next, each as soon as all its neighbours
one level coarser had their turn (as in Apriori, Agrawal & Srikant 1994). Whenever this stops, every vector that reaches
more than the largest reach in the queue was evaluated: the frontier is exact there, whatever it is of.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Set
from dataclasses import dataclass
from math import prod

from anonduck.rules.levels import one_level_coarser, one_level_finer
from anonduck.rules.rule import LevelVector


@dataclass(frozen=True)
class GoalOutcome:
    """What was found of a level vector, by goal.

    ``met``: it meets what is required; ``hopeless``: neither it nor any finer vector does. ``reach``: see above; ``k``
    is that of the records that stay. ``costs`` are what the search makes small, or what a vector promises of it;
    ``floors`` are what no coarser vector undercuts, minus infinity where that is not known.
    """

    met: bool
    hopeless: bool
    reach: int
    k: int = 0
    costs: tuple[float, ...] = ()
    floors: tuple[float, ...] = ()


class FallingSearch:
    """The enumeration by falling reach, which can be stopped and taken up again.

    Args:
        roots: root level of each attribute, or the highest that it may have.
        assess: what is found of a vector.
        with_roots: whether the vector of ``roots`` is looked at itself, as it names attributes.
        finest: the lowest level of each attribute; by default all are 0.
    """

    def __init__(
        self,
        roots: LevelVector,
        assess: Callable[[LevelVector], GoalOutcome],
        *,
        with_roots: bool = False,
        finest: LevelVector = (),
    ) -> None:
        self.roots = roots
        self.finest = finest or (0,) * len(roots)
        self.with_roots = with_roots
        self.known: dict[LevelVector, GoalOutcome] = {}
        self._assess = assess
        self._done: set[LevelVector] = set()
        self._queue: list[tuple[int, LevelVector]] = [(0, roots)]

    @property
    def nodes(self) -> int:
        """How many level vectors there are to look at."""
        levels = [most - least + 1 for most, least in zip(self.roots, self.finest, strict=True)]
        return prod(levels) - (not self.with_roots)

    @property
    def complete(self) -> bool:
        """Whether every vector that meets what is required is known."""
        return not self._queue

    @property
    def largest_left(self) -> int:
        """No vector that is not known has a larger k; 0 where none is left, and unknown (-1) before the first step."""
        return -self._queue[0][0] if self._queue and self._done else -1 if self._queue else 0

    @property
    def finished(self) -> Set[LevelVector]:
        """The vectors that had their turn: they and all coarser ones were seen."""
        return self._done

    def run(self, over: Callable[[], bool]) -> bool:
        """Go on until the end or until ``over``, and say whether it ended.

        The vectors one level under the roots are seen in any case, so that there is a rule where one of these is one.
        """
        self._start()
        while self._queue:
            first = not self._done
            if (over() and not first) or not self._step((lambda: False) if first else over):
                return False
        return True

    def is_ruled(self, vector: LevelVector) -> bool:
        """Whether a vector is one that is looked at: any but that of all roots, which names nothing."""
        return self.with_roots or vector != self.roots

    def _start(self) -> None:
        """Look at the coarsest vector where it is a rule, however short the time; where it is hopeless, so are all."""
        if self.with_roots and self.see(self.roots).hopeless:
            self._queue.clear()

    def see(self, vector: LevelVector) -> GoalOutcome:
        """What is found of a vector, assessed once."""
        if vector not in self.known:
            self.known[vector] = self._assess(vector)
        return self.known[vector]

    def _step(self, over: Callable[[], bool]) -> bool:
        """Give the first of the queue its turn; not where it is over before all its finer neighbours were seen."""
        place = heapq.heappop(self._queue)
        vector = place[1]
        self._done.add(vector)
        fresh = [finer for finer in one_level_finer(vector, self.finest) if self._is_next(finer)]
        for finer in fresh:
            if finer not in self.known and over():
                self._done.remove(vector)
                heapq.heappush(self._queue, place)
                return False
            self.see(finer)
        for finer in fresh:
            if not self.known[finer].hopeless:
                heapq.heappush(self._queue, (-self.known[finer].reach, finer))
        return True

    def _is_next(self, vector: LevelVector) -> bool:
        return all(coarser in self._done for coarser in one_level_coarser(vector, self.roots))
