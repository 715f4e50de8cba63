"""When a search stops: one clock and one count of work for all its steps.

Work is counted in level vectors that were evaluated; a model that is trained counts as so many of them
(``MODEL_WORK``). What is stopped by work alone finds the same on every machine.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from anonduck.search.lattice.problem import TimeLimit

MODEL_WORK = {"tree": 30, "bayes": 30, "logistic": 100, "svm": 100, "forest": 400}
OTHER_MODEL_WORK = 100  # an estimator that the config imports
MODEL_CELLS = 2_000  # cells of a contingency table that a model takes as much work for again
BUDGET, TIME = "budget", "time"


@dataclass(eq=False)
class Work:
    """What was done so far: level vectors evaluated, models trained, and the work of both.

    ``cut`` says what ended a step first, time or budget, and what was done then; None where nothing did.
    """

    vectors: int = 0
    models: int = 0
    units: int = 0
    cut: dict[str, Any] | None = None

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

    def as_json(self) -> dict[str, int]:
        """The counts, as ``discover --json`` prints them."""
        return {"vectors": self.vectors, "models": self.models, "work": self.units}


def model_work(model: str, cells: int = 0) -> int:
    """The level vectors that training a model on a contingency table of so many cells counts as."""
    return MODEL_WORK.get(model, OTHER_MODEL_WORK) * (MODEL_CELLS + cells) // MODEL_CELLS


class SearchLimits(TimeLimit):
    """A time limit that ends with a budget of work too; the work is told which of them it was.

    Args:
        seconds: from now on; None is no limit.
        budget: the work that may be done from now on; None is no limit.
        work: counts what is done; that of other limits, where they share it.
    """

    def __init__(self, seconds: float | None = None, budget: float | None = None, work: Work | None = None) -> None:
        super().__init__(seconds)
        self.work = work or Work()
        self.budget = budget
        self.last_unit = None if budget is None else self.work.units + budget

    def part(self, share: float) -> SearchLimits:
        """Limits that start now and have a share of these, but end with these."""
        made = SearchLimits(
            None if self.seconds is None else self.seconds * share,
            None if self.budget is None else self.budget * share,
            self.work,
        )
        made.end = _sooner(made.end, self.end)
        made.last_unit = _sooner(made.last_unit, self.last_unit)
        return made

    def but(self, share: float) -> SearchLimits:
        """Limits on the same clock and count that end when so large a share of these is left."""
        made = SearchLimits(self.seconds, self.budget, self.work)
        made.end = None if self.end is None or self.seconds is None else self.end - share * self.seconds
        made.last_unit = None if self.last_unit is None or self.budget is None else self.last_unit - share * self.budget
        return made

    def rest(self, parts: int) -> SearchLimits:
        """Limits that start now and end when the first of so many equal parts of what is left of these would."""
        made = SearchLimits(None, None, self.work)
        now = time.monotonic()
        made.end = None if self.end is None else now + max(0.0, self.end - now) / parts
        if self.last_unit is not None:
            made.last_unit = self.work.units + max(0.0, self.last_unit - self.work.units) / parts
        return made

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
        """What changes that limit, in Python's words."""
        return "`budget=N`" if self._ended_by() == BUDGET else "`time_limit=SECONDS`"

    def _ended_by(self) -> str:
        return BUDGET if self.work.cut is not None and self.work.cut["by"] == BUDGET else TIME

    def _stop(self, by: str) -> bool:
        self.work.cut = self.work.cut or {"by": by, "at": self.work.as_json()}
        return True


def _sooner(one: float | None, other: float | None) -> float | None:
    return min((end for end in (one, other) if end is not None), default=None)
