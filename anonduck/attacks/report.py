"""What the attacks on a release found, with what it means in words. It carries counts and column names, never a
value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from anonduck.attacks import words
from anonduck.attacks.posterior import Posterior, together
from anonduck.attacks.rates import CONFIDENCE, Excess, KnownRate, Rate, Z, excess, z_of
from anonduck.attacks.skew import Skew
from anonduck.attacks.tables import Overlap
from anonduck.attacks.words import digits, percent

SINGLING_OUT, LINKABILITY, INFERENCE, REFINEMENT = "singling out", "linkability", "inference", "refinement"
TWO_SOURCES, LARGEST_GAIN, DOWNCODING = "two sources (Gower)", "largest gain", "downcoding"
MINIMALITY, SUREST = "minimality", "minimality, surest in class"
DOWNCODED = {
    SINGLING_OUT: "that just one person fits a class with one of its labels refined",
    REFINEMENT: "of how many records of a class lie in each finer node right under its label",
}
GUESSED_BY_CUTS = {
    MINIMALITY: "in classes that were not cut",
    SUREST: "for the surest person of each class that was not cut",
}
OVER_CONTROL, OVER_GUESS = "control", "plain guess"

CLOSING = (
    "k says nothing about linkability or inference: it counts records that look alike, not what they have in common "
    "or what other data they can be joined to",
    "these figures show what these attackers achieve; others may know more. They support an expert's review and do "
    "not replace it",
)


@dataclass(frozen=True)
class Attempt:
    """One attack: how often its guesses are right for records in the release, and for those of the control group.

    ``about`` is the column that is guessed, or what is linked. ``baseline`` is the rate of a guess without the attack.
    ``own_rows``: it looks for a person's own row, which nobody of a control group has, so that its excess is over the
    plain guess. ``guessed`` is the plain guess where it is measured too, on the same claims, which the excess is over
    then. ``posterior`` is what its chances tell. It is one of so many ``comparisons``.
    """

    question: str
    attack: str
    about: str | None
    success: Rate
    control: Rate | None
    baseline: float
    own_rows: bool = False
    guessed: Rate | None = None
    posterior: Posterior | None = None
    comparisons: int = 1

    @property
    def excess_over(self) -> str | None:
        """What the excess is over: the control group, the plain guess, or nothing."""
        if self.own_rows or self.guessed is not None:
            return OVER_GUESS
        return None if self.control is None else OVER_CONTROL

    @property
    def excess(self) -> Excess | None:
        """By how much the rate exceeds what it is held against, with intervals that hold together for all attacks."""
        z = z_of(self.comparisons)
        if self.own_rows:
            return excess(self.success, KnownRate(self.baseline), z)
        if self.guessed is not None:
            return excess(self.success, self.guessed, z)
        return None if self.control is None else excess(self.success, self.control, z)

    @property
    def words(self) -> str:
        """What it means."""
        found = self.excess is not None and self.excess.found
        told = None if self.posterior is None else words.told(self.posterior, more=found)
        return self._verdict() if told is None else f"{self._verdict()}; {told}"

    def _verdict(self) -> str:
        told = f"{_guesses(self)} {percent(self.success.share)}"
        if self.excess is None:
            return (
                f"{told}, versus {percent(self.baseline)} for a plain guess; without a control group, nobody can tell "
                "how much of this holds for the whole population anyway"
            )
        if self.control is not None and not self.own_rows:
            told = f"{told}, versus {percent(self.control.share)} for people who are not in the release"
        if self.excess_over == OVER_GUESS:
            told = f"{told}, versus {percent(self.baseline)} for a plain guess"
        if self.excess.found:
            return f"{told}: {self._found()}"
        if self.success.share <= self.baseline * (1 + 1e-9):
            return f"{told}: {_guessed(self)} ({percent(self.baseline)})"
        return f"{told}: no significant difference"

    def _found(self) -> str:
        if self.attack in GUESSED_BY_CUTS:
            return "that classes were not cut gives away more than they show"
        if self.guessed is not None:
            return "the labels give away more than they show"
        return "the release leads to the people in it" if self.own_rows else "the release gives away the people in it"

    def as_json(self) -> dict[str, Any]:
        """The attempt as part of a JSON document."""
        success, control = (words.rate_json(rate, "rate", Z) for rate in (self.success, self.control))
        return {
            "question": self.question,
            "attack": self.attack,
            "about": self.about,
            "attacked": self.success.tried,
            **{name.replace("rate", "success_rate" if name == "rate" else "success"): n for name, n in success.items()},
            "control_attacked": None if self.control is None else self.control.tried,
            **{name.replace("rate", "control_rate" if name == "rate" else "control"): n for name, n in control.items()},
            "baseline_rate": digits(self.baseline),
            "excess_over": self.excess_over,
            **words.excess_json(self.excess),
            "found": None if self.excess is None else self.excess.found,
            "posterior": None if self.posterior is None else words.posterior_json(self.posterior),
            "words": self.words,
        }


def corrected(attempts: Sequence[Attempt]) -> tuple[Attempt, ...]:
    """The attempts, each as one of all that have an excess; what chances tell as one of all values that are told of."""
    comparisons = sum(one.excess_over is not None for one in attempts)
    looks = together([one.posterior for one in attempts])
    return tuple(
        replace(
            one,
            comparisons=max(comparisons, 1),
            posterior=None if one.posterior is None else one.posterior.one_of(looks),
        )
        for one in attempts
    )


@dataclass(frozen=True)
class AttackReport:
    """All attacks on a release; ``left_out`` names columns that could not be attacked, with the reason; ``skews`` says
    which classes hold a value more often than chance explains; ``overlap`` how the control group meets the original;
    ``minimality`` what classes tell by not having been cut, as a JSON document, if that was asked; ``roles_from`` which
    roles of columns a config named, if one was asked.
    """

    file: str | None
    records: Mapping[str, int]
    quasi_identifiers: tuple[str, ...]
    kept: tuple[str, ...]
    left_out: Mapping[str, str]
    attempts: tuple[Attempt, ...]
    notes: tuple[str, ...]
    skews: tuple[Skew, ...] = ()
    overlap: Overlap | None = None
    roles_from: str | None = None
    minimality: Mapping[str, Any] | None = None

    @property
    def highest_excess(self) -> float | None:
        """The largest excess of all attacks, as a difference; None if no attack has one."""
        return max((attempt.excess.value for attempt in self.attempts if attempt.excess), default=None)

    @property
    def highest_excess_normalised(self) -> float | None:
        """The largest excess of all attacks in shares of what is left open; None if no attack has one."""
        found = [attempt.excess.normalised for attempt in self.attempts if attempt.excess]
        return max((one for one in found if one is not None), default=None)

    @property
    def comparisons(self) -> int:
        """For how many attacks the intervals of the excess hold together."""
        return max((attempt.comparisons for attempt in self.attempts), default=1)

    def over(self, limit: float) -> tuple[Attempt, ...]:
        """The attacks whose normalised excess is over a limit, and more than chance explains."""
        found = [(one, one.excess) for one in self.attempts]
        return tuple(one for one, more in found if more and more.found and (more.normalised or 0.0) > limit)

    def undecided(self, limit: float) -> tuple[Attempt, ...]:
        """The attacks whose normalised excess may be over a limit, and that so many guesses do not show to be any."""
        found = [(one, one.excess) for one in self.attempts]
        return tuple(
            one
            for one, more in found
            if more and not more.found and (more.normalised_high is None or more.normalised_high > limit)
        )

    def as_json(self, limit: float | None = None) -> dict[str, Any]:
        """The report as a JSON document, judged by a limit if one is given."""
        return {
            "file": self.file,
            "records": dict(self.records),
            "quasi_identifiers": list(self.quasi_identifiers),
            "kept": list(self.kept),
            "left_out": dict(self.left_out),
            **({} if self.roles_from is None else {"roles_from": self.roles_from}),
            "attacks": [attempt.as_json() for attempt in self.attempts],
            "skewed_classes": [words.skew_json(skew) for skew in self.skews],
            "minimality": None if self.minimality is None else dict(self.minimality),
            "confidence": CONFIDENCE,
            "comparisons": self.comparisons,
            "highest_excess": digits(self.highest_excess),
            "highest_excess_normalised": digits(self.highest_excess_normalised),
            "fail_above": None if limit is None else self._judgement(limit),
            "control_overlap": None if self.overlap is None else self.overlap.as_json(),
            "notes": list(self.notes),
            "closing": list(CLOSING),
        }

    def _judgement(self, limit: float) -> dict[str, Any]:
        return {
            "limit": limit,
            "over": [_named(one) for one in self.over(limit)],
            "undecided": [_named(one) for one in self.undecided(limit)],
        }


def _named(attempt: Attempt) -> dict[str, str | None]:
    return {"question": attempt.question, "attack": attempt.attack, "about": attempt.about}


def _guessed(attempt: Attempt) -> str:
    """What is no better than without the attack: the likeliest value of an inference says nothing about its chances."""
    if attempt.posterior is not None:
        return "the likeliest value alone is no better than a plain guess"
    if attempt.attack.startswith(LARGEST_GAIN):
        return "no better than the same claims about people at random"
    if attempt.question == REFINEMENT:
        return "no better than a guess by the shares of the original alone"
    if attempt.attack in GUESSED_BY_CUTS:
        return "no better than the most frequent value of the class"
    return "no better than a plain guess"


def _guesses(attempt: Attempt) -> str:
    if attempt.attack == DOWNCODING:
        return f"claims {DOWNCODED[attempt.question]} are right in"
    if attempt.question == SINGLING_OUT:
        return "claims that a combination fits just one person are right in"
    if attempt.attack == TWO_SOURCES:
        return "links between what is known from two places are right in"
    if attempt.question == LINKABILITY:
        return "links to the released row are right in"
    if attempt.attack.startswith(LARGEST_GAIN):
        return f"guesses of {attempt.about} for those with the largest gain are right in"
    whose = GUESSED_BY_CUTS.get(attempt.attack)
    return f"guesses of {attempt.about} {whose} are right in" if whose else f"guesses of {attempt.about} are right in"
