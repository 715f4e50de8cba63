"""When a search stops: one clock and one count of work for all its steps.

Work is counted in level vectors that were evaluated; a model that is trained counts as so many of them
(``MODEL_WORK``). What is stopped by work alone finds the same on every machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

MODEL_WORK = {"tree": 30, "bayes": 30, "logistic": 100, "svm": 100, "forest": 400, "boosting": 100}
OTHER_MODEL_WORK = 100  # an estimator that the config imports
COMPARISONS = 100_000  # of distance patterns that take as long as a level vector
MODEL_CELLS = 2_000  # cells of a contingency table that a model takes as much work for again
BUDGET, TIME = "budget", "time"

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


class SearchLimits(TimeLimit):
    """A time limit that a budget of work can end too; the work records which of them ended it.

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
        super().__init__(seconds, clock)
        self.work = work or Work()
        self.budget = budget
        self.last_unit = None if budget is None else self.work.units + budget
        self.ended_by: str | None = None

    def part(self, share: float) -> SearchLimits:
        """Limits that start now and have a share of the time that is left and of the budget, but end with these."""
        made = self.with_budget(None if self.budget is None else self.budget * share, share)
        made.last_unit = _sooner(made.last_unit, self.last_unit)
        return made

    def with_budget(self, budget: float | None, share: float = 1.0) -> SearchLimits:
        """Limits that start now, with a share of the time that is left and a budget of their own."""
        left = self.left
        return SearchLimits(None if left is None else left * share, budget, self.work, self.clock)

    def time(self, share: float = 1.0) -> TimeLimit:
        """A limit of time alone that starts now and has a share of what is left."""
        return super().part(share)

    def but(self, share: float) -> SearchLimits:
        """Limits on the same clock and count that end when so large a share of these is left."""
        made = SearchLimits(self.seconds, self.budget, self.work, self.clock)
        made.end = None if self.end is None or self.seconds is None else self.end - share * self.seconds
        made.last_unit = None if self.last_unit is None or self.budget is None else self.last_unit - share * self.budget
        return made

    def rest(self, parts: int) -> SearchLimits:
        """Limits that start now and end when the first of so many equal parts of what is left of these would."""
        made = self.with_budget(None, 1 / parts)
        if self.last_unit is not None:
            made.last_unit = self.work.units + max(0.0, self.last_unit - self.work.units) / parts
        return made

    @property
    def units_left(self) -> int | None:
        """The work that may still be done; None is no limit."""
        return None if self.last_unit is None else max(0, int(self.last_unit - self.work.units))

    def over(self) -> bool:
        """Whether the time is up or the work is done."""
        if self.last_unit is not None and self.work.units >= self.last_unit:
            return self._stop(BUDGET)
        return super().over() and self._stop(TIME)

    def over_time(self) -> bool:
        """Whether the time is up, whatever was done."""
        return super().over() and self._stop(TIME)

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


def _sooner(one: float | None, other: float | None) -> float | None:
    return min((end for end in (one, other) if end is not None), default=None)
