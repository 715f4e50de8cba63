"""What the attacks on a release found, with what it means in words. It carries counts and column names, never a
value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from anonduck.attacks.rates import Rate, difference

SINGLING_OUT, LINKABILITY, INFERENCE = "singling out", "linkability", "inference"

CLOSING = (
    "k answers neither linkability nor inference: it counts records that look alike, not what they have in common, nor "
    "what other data they can be joined to",
    "these attacks measure what these attackers reach; another may know more. What was measured supports an expert's "
    "review and replaces none",
)


@dataclass(frozen=True)
class Attempt:
    """One attack: how often its guesses are right for records in the release, and for those of the control group.

    ``about`` is the column that is guessed, or what is linked. ``baseline`` is the rate of a guess without the attack.
    """

    question: str
    attack: str
    about: str | None
    success: Rate
    control: Rate | None
    baseline: float

    @property
    def excess(self) -> tuple[float, float, float] | None:
        """By how much the rate exceeds that of the control, with its 95 % interval; None without a control."""
        return None if self.control is None else difference(self.success, self.control)

    @property
    def words(self) -> str:
        """What it means."""
        told = f"{_guesses(self)} {_percent(self.success.share)}"
        if self.excess is None or self.control is None:
            return (
                f"{told}, by a plain guess {_percent(self.baseline)}; without a control group nobody can tell how much "
                "of this the population teaches anyway"
            )
        told = f"{told}, of people who are not in the release {_percent(self.control.share)}"
        if self.excess[1] > 0:
            return f"{told}: the release gives its own people away"
        if self.success.share <= self.baseline:
            return f"{told}: no better than a plain guess ({_percent(self.baseline)})"
        return f"{told}: no difference that so many guesses can show"

    def as_json(self) -> dict[str, Any]:
        """The attempt as part of a JSON document."""
        low, high = self.success.interval
        excess = self.excess
        return {
            "question": self.question,
            "attack": self.attack,
            "about": self.about,
            "attacked": self.success.tried,
            "success_rate": _digits(self.success.share),
            "success_low": _digits(low),
            "success_high": _digits(high),
            "control_attacked": None if self.control is None else self.control.tried,
            "control_rate": None if self.control is None else _digits(self.control.share),
            "control_low": None if self.control is None else _digits(self.control.interval[0]),
            "control_high": None if self.control is None else _digits(self.control.interval[1]),
            "baseline_rate": _digits(self.baseline),
            "excess": None if excess is None else _digits(excess[0]),
            "excess_low": None if excess is None else _digits(excess[1]),
            "excess_high": None if excess is None else _digits(excess[2]),
            "words": self.words,
        }


@dataclass(frozen=True)
class AttackReport:
    """All attacks on a release; ``left_out`` names columns that could not be attacked, with the reason."""

    file: str | None
    records: Mapping[str, int]
    quasi_identifiers: tuple[str, ...]
    kept: tuple[str, ...]
    left_out: Mapping[str, str]
    attempts: tuple[Attempt, ...]
    notes: tuple[str, ...]

    @property
    def highest_excess(self) -> float | None:
        """The largest excess of all attacks; None without a control group."""
        found = [attempt.excess[0] for attempt in self.attempts if attempt.excess is not None]
        return max(found, default=None)

    def as_json(self) -> dict[str, Any]:
        """The report as a JSON document."""
        highest = self.highest_excess
        return {
            "file": self.file,
            "records": dict(self.records),
            "quasi_identifiers": list(self.quasi_identifiers),
            "kept": list(self.kept),
            "left_out": dict(self.left_out),
            "attacks": [attempt.as_json() for attempt in self.attempts],
            "highest_excess": None if highest is None else _digits(highest),
            "notes": list(self.notes),
            "closing": list(CLOSING),
        }


def _guesses(attempt: Attempt) -> str:
    if attempt.question == SINGLING_OUT:
        return "claims that a combination holds for just one person are right in"
    if attempt.question == LINKABILITY:
        return "links to the released row are right for"
    return f"guesses of {attempt.about} are right for"


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _digits(number: float) -> float:
    return round(number, 6)
