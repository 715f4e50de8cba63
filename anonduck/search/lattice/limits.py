"""When a search stops: one clock and one count of work for all its steps.

Work is counted in level vectors that were evaluated; a model that is trained counts as so many of them
(``MODEL_WORK``). What is stopped by work alone finds the same on every machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any

MODEL_WORK = {"tree": 30, "bayes": 30, "logistic": 100, "svm": 100, "forest": 400, "boosting": 100}
OTHER_MODEL_WORK = 100  # an estimator that the config imports
COMPARISONS = 100_000  # of distance patterns that take as long as a level vector
MODEL_CELLS = 2_000  # cells of a contingency table that a model takes as much work for again
BUDGET, TIME = "budget", "time"
FIRST, SECOND = 0.6, 0.85  # of three steps, what of their limits is used when the first is stopped, and the second
THIRD = (1 + SECOND) / 2  # where the last one is two: the proof of the best, then training

Clock = Callable[[], float]


@dataclass(eq=False)
class Work:
    """What was done so far: level vectors evaluated, models trained, and the work of both.

    ``cut`` says what ended a step first, time or budget, and what was done then; None where nothing did. ``steps`` are
    the steps so far, each with the time at which it began; ``out_of_time`` whether the time was up in one of them.
    """

    vectors: int = 0
    models: int = 0
    units: int = 0
    comparisons: int = 0
    cut: dict[str, Any] | None = None
    steps: list[tuple[str, float]] = field(default_factory=list)
    out_of_time: bool = False

    def evaluate(self, vectors: int = 1) -> None:
        """Count level vectors."""
        self.vectors += vectors
        self.units += vectors

    def train(self, models: Sequence[str], cells: int = 0) -> None:
        """Count models that are trained for a level vector, on a contingency table of so many cells."""
        self.models += len(models)
        self.units += sum(model_work(model, cells) for model in models)

    def spend(self, units: int) -> None:
        """Count work that goes with a level vector beside its evaluation."""
        self.units += units

    def compare(self, comparisons: int) -> None:
        """Count comparisons of distance patterns."""
        before = self.comparisons // COMPARISONS
        self.comparisons += comparisons
        self.units += self.comparisons // COMPARISONS - before

    def as_json(self) -> dict[str, int]:
        """The counts, as ``discover --json`` prints them."""
        return {"vectors": self.vectors, "models": self.models, "work": self.units}


def model_work(model: str, cells: int = 0) -> int:
    """The level vectors that training a model on a contingency table of so many cells counts as."""
    return MODEL_WORK.get(model, OTHER_MODEL_WORK) * (MODEL_CELLS + cells) // MODEL_CELLS


class SearchLimits:
    """A deadline and a budget of work, whichever ends first; the work records which of them did.

    Args:
        seconds: from now on; None is no limit.
        budget: the work that may be done from now on; None is no limit.
        work: counts what is done; that of other limits, where they share it.
        clock: returns the time in seconds.
    """

    def __init__(
        self,
        seconds: float | None = None,
        budget: float | None = None,
        work: Work | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        self.seconds, self.budget = seconds, budget
        self.work = work or Work()
        self.clock = clock
        self.begun, self.first_unit = clock(), self.work.units
        self.ended_by: str | None = None

    def restart(self) -> None:
        """Let the seconds begin now."""
        self.begun = self.clock()

    def until(self, share: float) -> SearchLimits:
        """Limits of the same begin that end when so large a share of these is used."""
        made = copy(self)
        made.ended_by = None
        made.seconds, made.budget = (None if most is None else share * most for most in (self.seconds, self.budget))
        return made

    def with_budget(self, budget: float | None) -> SearchLimits:
        """Limits that start now, with the time that is left and a budget of their own."""
        return SearchLimits(self.left, budget, self.work, self.clock)

    @property
    def left(self) -> float | None:
        """The seconds that are left; None is no limit."""
        return None if self.seconds is None else max(0.0, self.begun + self.seconds - self.clock())

    @property
    def units_left(self) -> float | None:
        """The work that may still be done; None is no limit."""
        return None if self.budget is None else max(0.0, self.first_unit + self.budget - self.work.units)

    def over(self) -> bool:
        """Whether the time is up or the work is done."""
        return (self.units_left == 0 and self._stop(BUDGET)) or self.over_time()

    def over_time(self) -> bool:
        """Whether the time is up, whatever was done."""
        return self.left == 0 and self._stop(TIME)

    @property
    def reason(self) -> str:
        """What ended these limits first, as a sentence has it."""
        return "the budget was used up" if self._ended_by() == BUDGET else "the time was up"

    @property
    def option(self) -> str:
        """The option that changes that limit."""
        return "`--budget N`" if self._ended_by() == BUDGET else "`--time-limit SECONDS`"

    def _ended_by(self) -> str:
        first = None if self.work.cut is None else self.work.cut["by"]
        return self.ended_by or first or TIME

    def begin(self, step: str) -> None:
        """A step of the whole job begins, in the words that a user reads."""
        self.work.steps.append((step, self.clock()))

    def taken(self) -> dict[str, float]:
        """The seconds of each step until now, in their order; steps of the same name together."""
        ends = [begun for _, begun in self.work.steps[1:]] + [self.clock()]
        found: dict[str, float] = {}
        for (step, begun), end in zip(self.work.steps, ends, strict=True):
            found[step] = round(found.get(step, 0.0) + end - begun, 1)
        return found

    def _stop(self, by: str) -> bool:
        self.ended_by = self.ended_by or by
        self.work.out_of_time = self.work.out_of_time or by == TIME
        self.work.cut = self.work.cut or {"by": by, "at": self.work.as_json()}
        return True
