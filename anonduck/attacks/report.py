"""What the attacks on a release found, with its meaning in words. Holds counts and column names, never a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from anonduck.attacks import words
from anonduck.attacks.intruder_report import IntruderFinding
from anonduck.attacks.posterior import Posterior
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
    """One attack: how often its guesses are right for people of the release, and for those of the control group.

    ``about`` is the guessed column, or what is linked. ``baseline`` is the rate of a plain guess. ``own_rows``: the
    attack looks for a person's own row, which nobody in a control group has, so its excess is over the plain guess.
    ``guessed`` is the plain guess if it was measured on the same claims; the excess is then over it. ``comparisons`` is
    the number of attacks whose intervals hold together.
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
        """By how much the rate exceeds what it is compared with; the intervals of all attacks hold together."""
        z = z_of(self.comparisons)
        if self.own_rows:
            return excess(self.success, KnownRate(self.baseline), z)
        if self.guessed is not None:
            return excess(self.success, self.guessed, z)
        return None if self.control is None else excess(self.success, self.control, z)

    @property
    def words(self) -> str:
        """What the attack means, as a sentence."""
        found = self.excess is not None and self.excess.found
        said = None if self.posterior is None else words.posterior_words(self.posterior, more=found)
        return self._verdict() if said is None else f"{self._verdict()}; {said}"

    def _verdict(self) -> str:
        said = f"{_guesses(self)} {percent(self.success.share)}"
        if self.excess is None:
            return (
                f"{said}, versus {percent(self.baseline)} for a plain guess; without a control group, nobody can tell "
                "how much of this holds for the whole population anyway"
            )
        if self.control is not None and not self.own_rows:
            said = f"{said}, versus {percent(self.control.share)} for people who are not in the release"
        if self.excess_over == OVER_GUESS:
            said = f"{said}, versus {percent(self.baseline)} for a plain guess"
        if self.excess.found:
            return f"{said}: {self._found()}"
        if self.success.share <= self.baseline * (1 + 1e-9):
            return f"{said}: {_guessed(self)} ({percent(self.baseline)})"
        return f"{said}: no significant difference"

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
    """The attempts, each corrected for the number of attacks with an excess, and for all values that are compared."""
    comparisons = sum(one.excess_over is not None for one in attempts)
    looks = sum(one.posterior.comparisons_made for one in attempts if one.posterior is not None)
    return tuple(
        replace(
            one,
            comparisons=max(comparisons, 1),
            posterior=None if one.posterior is None else one.posterior.corrected_for(looks),
        )
        for one in attempts
    )


@dataclass(frozen=True)
class AttackReport:
    """All attacks on a release.

    ``left_out`` names columns that could not be attacked, with the reason. ``skews`` are classes that hold a value more
    often than chance explains, ``overlap`` compares the control group with the original, ``minimality`` is what classes
    reveal by not having been cut, as JSON, if that was asked, ``intruder`` what somebody finds who looks for the people
    of a register. ``roles_from`` names the config that gave roles of columns.
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
    intruder: IntruderFinding | None = None

    @property
    def highest_excess(self) -> float | None:
        """The largest excess of all attacks, as a difference; None if no attack has one."""
        return max((attempt.excess.value for attempt in self.attempts if attempt.excess), default=None)

    @property
    def highest_excess_normalised(self) -> float | None:
        """The largest normalised excess of all attacks; None if no attack has one."""
        found = [attempt.excess.normalised for attempt in self.attempts if attempt.excess]
        return max((one for one in found if one is not None), default=None)

    @property
    def comparisons(self) -> int:
        """The number of attacks for which the intervals of the excess hold together."""
        return max((attempt.comparisons for attempt in self.attempts), default=1)

    def over(self, limit: float) -> tuple[Attempt, ...]:
        """The attacks whose normalised excess is over a limit, and is more than chance explains."""
        found = [(one, one.excess) for one in self.attempts]
        return tuple(one for one, more in found if more and more.found and (more.normalised or 0.0) > limit)

    def undecided(self, limit: float) -> tuple[Attempt, ...]:
        """The attacks whose normalised excess may be over a limit, but is not shown with this number of guesses."""
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
            "intruder": None if self.intruder is None else self.intruder.as_json(),
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
    """The verdict on an attack that is no better than a plain guess."""
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
