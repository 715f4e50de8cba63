"""What an attacker concludes about each person: how much more likely a value is for this person than for anybody.

The most likely value alone hides what a release reveals about rare values: if 4 % of all people have an illness and
40 % of a class, the likeliest guess is the same for everybody. So two things are measured of the probabilities that an
attack gives: by how many bits they describe the people better than the shares in the release do (log-loss), and for
each value how many of the people ranked highest for it hold it.

Both are measured on people of the release and on the control group. What a small class shows by chance holds for its
own people only, so a lift counts as taught if it holds for the control group.

What is revealed about the release's own people is a rate like others: of the people about whom the probabilities say
most, how many hold the value that they say (``largest_gain``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from anonduck.attacks.rates import CONFIDENCE, Rate

TOP = 0.05  # the share of people ranked highest for a value, unless ranks tie
FEWEST = 10  # at least so many people are ranked highest, if there are as many
DOUBT = 0.01  # weight of the release's shares in a model's probabilities, so that none is 0


@dataclass(frozen=True)
class Beliefs:
    """The probabilities that an attack gives, of shape (people, values).

    ``held`` is the value of each person, -1 if the release lacks it. ``prior`` is the share of each value in the
    release.
    """

    chances: np.ndarray
    held: np.ndarray
    prior: np.ndarray


@dataclass(frozen=True)
class TopRanked:
    """Of the people ranked highest for a value, and of all people, how many hold it.

    ``p`` is how often chance ranks as well. ``log_loss`` is the mean of -log2 of the probability given to holders, in
    bits; None without holders.
    """

    top: Rate
    every: Rate
    p: float
    log_loss: float | None

    @property
    def lift(self) -> float | None:
        """How many times more often the people ranked highest hold the value than all people do; None if
        nobody does.
        """
        return self.top.share / self.every.share if self.every.right else None


@dataclass(frozen=True)
class BitsGained:
    """By how many bits per person the probabilities describe people better than the shares in the release do."""

    log_loss: float
    prior_log_loss: float
    gained: float
    error: float
    people: int

    def within(self, z: float) -> tuple[float, float]:
        """The interval of the bits gained, with half width ``z`` standard errors."""
        return self.gained - z * self.error, self.gained + z * self.error


@dataclass(frozen=True)
class ValuePosterior:
    """What an attack reveals about one value, for people of the release and of the control group.

    ``comparisons`` counts all values, columns, methods and groups that are examined together.
    """

    prior: float
    own: TopRanked
    control: TopRanked | None
    comparisons: int = 1

    @property
    def found(self) -> bool:
        """Whether people of the release who are ranked highest hold it more often than chance explains."""
        return self.own.p * self.comparisons <= 1 - CONFIDENCE

    @property
    def taught(self) -> bool | None:
        """The same for the control group; None without one."""
        return None if self.control is None else self.control.p * self.comparisons <= 1 - CONFIDENCE


@dataclass(frozen=True)
class Posterior:
    """The bits gained by an attack, and what it reveals about each value, the rarest first."""

    own: BitsGained | None
    control: BitsGained | None
    values: tuple[ValuePosterior, ...]
    comparisons: int = 1

    @property
    def telling(self) -> ValuePosterior | None:
        """The value of the largest lift among those that are taught, or without a control group among those that are
        found.
        """
        if self.control is None:
            return max((one for one in self.values if one.found), key=lambda one: one.own.lift or 0.0, default=None)
        taught = [one for one in self.values if one.taught]
        return max(taught, key=lambda one: (one.control.lift if one.control else None) or 0.0, default=None)

    @property
    def largest(self) -> ValuePosterior | None:
        """The telling value; if chance could explain all values, the one of the largest lift on the release's own
        people.
        """
        lifted = [one for one in self.values if one.own.lift is not None]
        return self.telling or max(lifted, key=lambda one: one.own.lift or 0.0, default=None)

    @property
    def comparisons_made(self) -> int:
        """How many comparisons are made: values times groups."""
        return len(self.values) * (1 if self.control is None else 2)

    def corrected_for(self, comparisons: int) -> Posterior:
        """The same, corrected for this number of comparisons."""
        values = tuple(replace(one, comparisons=comparisons) for one in self.values)
        return replace(self, values=values, comparisons=comparisons)


def compare(own: Beliefs, control: Beliefs | None) -> Posterior:
    """What the probabilities of an attack reveal about people of the release, and of the control group."""
    groups = [own] if control is None else [own, control]
    ranked = [_ranked(one) for one in groups]
    order = np.lexsort((np.arange(len(own.prior)), own.prior))
    values = tuple(
        ValuePosterior(float(own.prior[value]), ranked[0][value], None if control is None else ranked[1][value])
        for value in order
    )
    gains = [_gain(one) for one in groups]
    return Posterior(gains[0], None if control is None else gains[1], values)


def smoothed(chances: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """A model's probabilities, mixed with a little of the shares in the release, so that none is 0."""
    mixed: np.ndarray = (1 - DOUBT) * chances + DOUBT * prior
    return mixed


def class_chances(counts: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """Probabilities from the records of each value in a person's class, plus one record with the shares of
    the release.
    """
    chances: np.ndarray = (counts + prior) / (counts.sum(axis=1, keepdims=True) + 1)
    return chances


def largest_gain(beliefs: Beliefs) -> tuple[Rate, float]:
    """Of the people about whom the probabilities say most, how many hold the claimed value, and how many at random
    would.

    A probability p of a value with share q in the release counts p log2(p / q): much if a rare value is nearly certain,
    little if a tiny probability doubles. Of ties the most frequent value is claimed.
    """
    gains = np.round(beliefs.chances * np.log2(beliefs.chances / beliefs.prior), 9)
    order = np.lexsort((np.arange(len(beliefs.prior)), -beliefs.prior))
    claimed = order[gains[:, order].argmax(axis=1)]
    first = _highest(gains.max(axis=1))
    right = int((first & (claimed == beliefs.held)).sum())
    shares = np.bincount(beliefs.held[beliefs.held >= 0], minlength=len(beliefs.prior)) / max(len(beliefs.held), 1)
    return Rate(right, int(first.sum())), float(shares[claimed[first]].mean()) if first.any() else 0.0


# -- one group ---------------------------------------------------------------------------------------------------------


def _ranked(beliefs: Beliefs) -> list[TopRanked]:
    return [_of_value(beliefs, value) for value in range(len(beliefs.prior))]


def _of_value(beliefs: Beliefs, value: int) -> TopRanked:
    from scipy.stats import hypergeom

    chances, holds = beliefs.chances[:, value], beliefs.held == value
    people, holders = len(holds), int(holds.sum())
    top = _highest(chances)
    first, right = int(top.sum()), int((top & holds).sum())
    p = float(hypergeom.sf(right - 1, people, holders, first)) if 0 < first < people else 1.0
    loss = float(-np.log2(chances[holds]).mean()) if holders else None
    return TopRanked(Rate(right, first), Rate(holders, people), p, loss)


def _highest(chances: np.ndarray) -> np.ndarray:
    """The people ranked highest: whole ranks, at least ``FEWEST`` people and then at most the share ``TOP``."""
    if not len(chances):
        return np.zeros(0, dtype=bool)
    _, ranks, sizes = np.unique(-np.round(chances, 9), return_inverse=True, return_counts=True)
    reached = sizes.cumsum()
    fewest = min(FEWEST, len(chances))
    last = max(int(np.searchsorted(reached, fewest)), int(np.searchsorted(reached, TOP * len(chances), "right")) - 1)
    highest: np.ndarray = ranks.ravel() <= last
    return highest


def _gain(beliefs: Beliefs) -> BitsGained | None:
    known = beliefs.held >= 0
    people = int(known.sum())
    if not people:
        return None
    held = beliefs.held[known]
    loss = -np.log2(beliefs.chances[known, held])
    before = -np.log2(beliefs.prior[held])
    gained = before - loss
    error = float(gained.std(ddof=1) / np.sqrt(people)) if people > 1 else float("inf")
    return BitsGained(float(loss.mean()), float(before.mean()), float(gained.mean()), error, people)
