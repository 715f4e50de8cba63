"""What every search over the lattice is given, and what it finds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from anonduck.rules.rule import LevelVector


@dataclass(frozen=True)
class Assessment:
    """What was found of a level vector.

    ``met``: it meets what is required; ``hopeless``: neither it nor any finer vector does. ``k`` is that of the records
    that stay, ``cost`` what the search makes small (infinite where it is not met), ``floor`` a bound that no coarser
    vector undercuts, ``charge`` what records left out added to the cost, ``reach`` what neither its k nor that of a
    finer vector exceeds, None where that is not known.
    """

    met: bool
    hopeless: bool
    k: int = 0
    cost: float = np.inf
    floor: float = -np.inf
    charge: float = 0.0
    reach: int | None = None


Clock = Callable[[], float]
Assessor = Callable[[LevelVector], Assessment]
HOPELESS = Assessment(met=False, hopeless=True)
NOTHING_RELEASED = Assessment(met=False, hopeless=False)


@dataclass(eq=False)
class LatticeProblem:
    """A lattice of level vectors and how they are assessed.

    ``additive`` gives for each attribute the cost of each level, whose sums bound costs from below, or None.
    ``charges`` says that charges of coarser vectors bound those of finer ones. ``k_falls`` says that k never rises as
    levels fall, which suppression breaks. Without ``prune`` every vector is assessed. ``least`` is what no vector costs
    less, where that is known.
    """

    roots: LevelVector
    assess: Assessor
    additive: Sequence[np.ndarray] | None
    charges: bool
    k_falls: bool
    prune: bool = True
    known: dict[LevelVector, Assessment] = field(default_factory=dict)
    best: LevelVector | None = None
    least: float = -np.inf

    def outcome(self, vector: LevelVector) -> Assessment:
        """What is found of a vector, assessed once; ``best`` is the cheapest so far, of equal ones that of larger k.

        The roots are not assessed: they release nothing, and no search asks more of them than what is finer.
        """
        if vector == self.roots:
            return NOTHING_RELEASED
        if vector not in self.known:
            self.known[vector] = self.assess(vector)
            if self._is_better(vector):
                self.best = vector
        return self.known[vector]

    def _is_better(self, vector: LevelVector) -> bool:
        found = self.known[vector]
        if not found.met:
            return False
        if self.best is None:
            return True
        best = self.known[self.best]
        return (found.cost, -found.k, vector) < (best.cost, -best.k, self.best)

    @property
    def best_cost(self) -> float:
        """The cost of the best vector so far, infinite if there is none."""
        return np.inf if self.best is None else self.known[self.best].cost

    @property
    def nodes(self) -> int:
        """The level vectors of the lattice but the one of all roots, which releases nothing."""
        total = 1
        for root in self.roots:
            total *= root + 1
        return total - 1

    def additive_cost(self, vector: LevelVector) -> float:
        """The bound that the levels alone give."""
        if self.additive is None:
            return self.least
        return sum(float(costs[level]) for costs, level in zip(self.additive, vector, strict=True))

    def meet_near_roots(self) -> None:
        """Where no vector met what is required so far, assess those one level under the roots until one does.

        So that a search whose time is up gives a rule where one attribute alone gives one.
        """
        for attribute, root in enumerate(self.roots):
            if self.best is not None:
                return
            self.outcome((*self.roots[:attribute], root - 1, *self.roots[attribute + 1 :]))

    def met(self) -> list[LevelVector]:
        """The vectors assessed so far that meet what is required."""
        return [vector for vector, found in self.known.items() if found.met]

    def points(self, vectors: Iterable[LevelVector]) -> tuple[FrontierPoint, ...]:
        """Assessed vectors as points."""
        return tuple(FrontierPoint(vector, self.known[vector].k, self.known[vector].cost) for vector in vectors)


@dataclass(frozen=True)
class Optimum:
    """The best vector found, or None; ``bound`` is what no vector's cost is under, and it is ``proven`` if that is met.

    ``bound`` is infinite where it is proven that no vector meets what is required.
    """

    vector: LevelVector | None
    cost: float
    bound: float
    proven: bool


@dataclass(frozen=True)
class FrontierPoint:
    """A level vector on a frontier: the k and the cost that it has, or at most and at least can have."""

    vector: LevelVector
    k: int
    cost: float


@dataclass(frozen=True)
class LatticeSolution:
    """The optimum, and one vector for each point of the frontier of k and cost, by rising cost, where it was asked.

    ``frontier`` says what these are: the frontier "exact", the "best found", or "none". ``left`` are the points that
    vectors without a measured cost could add to it by their bounds; None where not all have a bound, or branches were
    searched, which keep none for the frontier.
    ``trained`` counts the vectors whose cost was measured by a model, None where no cost is.
    """

    optimum: Optimum
    points: tuple[FrontierPoint, ...]
    frontier: str
    left: tuple[FrontierPoint, ...] | None = ()
    trained: int | None = None


class TimeLimit:
    """A limit of so many seconds from now on, by a ``clock`` of seconds; None is no limit."""

    def __init__(self, seconds: float | None, clock: Clock = time.monotonic) -> None:
        self.seconds = seconds
        self.clock = clock
        self.end = None if seconds is None else clock() + seconds

    def restart(self) -> None:
        """Let the seconds begin now."""
        self.end = None if self.seconds is None else self.clock() + self.seconds

    @property
    def left(self) -> float | None:
        """The seconds that are left."""
        return None if self.end is None else max(0.0, self.end - self.clock())

    def part(self, share: float) -> TimeLimit:
        """One that starts now and has a share of what is left of this one."""
        left = self.left
        return TimeLimit(None if left is None else left * share, self.clock)

    def over(self) -> bool:
        """Whether the time is up."""
        return self.end is not None and self.clock() >= self.end


def non_dominated(known: Mapping[LevelVector, Assessment], vectors: Iterable[LevelVector]) -> list[LevelVector]:
    """One vector for each point of the frontier of k and cost, by rising cost; of equal ones the finer levels."""
    kept: list[LevelVector] = []
    largest = 0
    for vector in sorted(vectors, key=lambda one: (known[one].cost, -known[one].k, one)):
        if known[vector].k > largest:
            kept.append(vector)
            largest = known[vector].k
    return kept
