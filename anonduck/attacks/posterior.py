"""What an attack makes of each person's chances: how much more likely a value is for somebody than for anybody.

The most likely value alone hides what a release tells about rare ones: where 4 % of all have an illness and 40 % of a
class, the likeliest guess is the same for everybody. So two things are measured of the chances that an attack gives:
by how many bits they describe the people better than the shares in the release do (log-loss), and for each value how
many of the people whom the attack ranks highest for it hold it.

Both are measured on people of the release and on those of the control group. What a small class shows by chance is
true of its own people and of nobody else, so that a lift counts as taught where it holds for the control group.

What it tells about the release's own people is a rate like others: of the people about whom the chances tell most bits,
how many hold the value that is told (``largest_gain``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from anonduck.attacks.rates import CONFIDENCE, Rate

TOP = 0.05  # of the attacked people: as many are ranked highest for a value, if ranks do not tie
FEWEST = 10  # people that are ranked highest, if there are as many
DOUBT = 0.01  # how much of the shares in the release is mixed into a model's chances, so that none is 0


@dataclass(frozen=True)
class Beliefs:
    """The chances that an attack gives, of shape (people, values); the value that each person holds, -1 for one that
    the release lacks; and the share of each value in the release.
    """

    chances: np.ndarray
    held: np.ndarray
    prior: np.ndarray


@dataclass(frozen=True)
class TopRanked:
    """Of the people ranked highest for a value, those who hold it; of all, too; ``p``: how often chance ranks as well.

    ``log_loss`` is the mean of -log2 of the chance that holders were given, in bits; None without holders.
    """

    top: Rate
    every: Rate
    p: float
    log_loss: float | None

    @property
    def lift(self) -> float | None:
        """How many times more often those ranked highest hold the value than all do; None if nobody does."""
        return self.top.share / self.every.share if self.every.right else None


@dataclass(frozen=True)
class BitsGained:
    """By how many bits a person chances describe people better than the shares in the release do."""

    log_loss: float
    prior_log_loss: float
    gained: float
    error: float
    people: int

    def within(self, z: float) -> tuple[float, float]:
        """The interval of the bits gained, of the half width ``z``."""
        return self.gained - z * self.error, self.gained + z * self.error


@dataclass(frozen=True)
class ValuePosterior:
    """What an attack tells about one value: of people in the release, and of the control group.

    ``comparisons`` counts all values, columns, methods and groups that are looked at together.
    """

    prior: float
    own: TopRanked
    control: TopRanked | None
    comparisons: int = 1

    @property
    def found(self) -> bool:
        """Whether chance does not explain that people of the release who are ranked highest hold it more often."""
        return self.own.p * self.comparisons <= 1 - CONFIDENCE

    @property
    def taught(self) -> bool | None:
        """The same of people who are not in the release; None without a control group."""
        return None if self.control is None else self.control.p * self.comparisons <= 1 - CONFIDENCE


@dataclass(frozen=True)
class Posterior:
    """The bits gained by an attack, and what it tells about each value, the rarest first."""

    own: BitsGained | None
    control: BitsGained | None
    values: tuple[ValuePosterior, ...]
    comparisons: int = 1

    @property
    def telling(self) -> ValuePosterior | None:
        """The value of the largest lift among those that are taught; without a control group, that are found."""
        if self.control is None:
            return max((one for one in self.values if one.found), key=lambda one: one.own.lift or 0.0, default=None)
        taught = [one for one in self.values if one.taught]
        return max(taught, key=lambda one: (one.control.lift if one.control else None) or 0.0, default=None)

    @property
    def largest(self) -> ValuePosterior | None:
        """The value that is told; where chance could explain them all, the one of the largest lift on own people."""
        lifted = [one for one in self.values if one.own.lift is not None]
        return self.telling or max(lifted, key=lambda one: one.own.lift or 0.0, default=None)

    @property
    def looks(self) -> int:
        """How many values were looked at, in how many groups."""
        return len(self.values) * (1 if self.control is None else 2)

    def one_of(self, comparisons: int) -> Posterior:
        """The same as one of so many comparisons."""
        values = tuple(replace(one, comparisons=comparisons) for one in self.values)
        return replace(self, values=values, comparisons=comparisons)


def compare(own: Beliefs, control: Beliefs | None) -> Posterior:
    """What the chances of an attack tell about people of the release, and of the control group."""
    groups = [own] if control is None else [own, control]
    ranked = [_ranked(one) for one in groups]
    order = np.lexsort((np.arange(len(own.prior)), own.prior))
    values = tuple(
        ValuePosterior(float(own.prior[value]), ranked[0][value], None if control is None else ranked[1][value])
        for value in order
    )
    gains = [_gain(one) for one in groups]
    return Posterior(gains[0], None if control is None else gains[1], values)


def doubted(chances: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """A model's chances, mixed with a little of the shares in the release."""
    mixed: np.ndarray = (1 - DOUBT) * chances + DOUBT * prior
    return mixed


def counted(counts: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """Chances from the records of each value in a person's class, and one more that has the shares in the release."""
    chances: np.ndarray = (counts + prior) / (counts.sum(axis=1, keepdims=True) + 1)
    return chances


def largest_gain(beliefs: Beliefs) -> tuple[Rate, float]:
    """Of the people about whom chances tell most, how many hold the value that is told; and how many at random would.

    What a chance tells about a value is the chance times log2 of its rise over the share in the release: much where a
    rare value is nearly certain, little where it is twice nearly nothing. Of equals the most frequent one is claimed.
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
    """The people ranked highest: whole ranks, at least ``FEWEST`` people and then no more than the ``TOP`` of them."""
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


# -- several attacks ---------------------------------------------------------------------------------------------------


def together(found: Sequence[Posterior | None]) -> int:
    """How many values are looked at in all attacks, in how many groups."""
    return sum(one.looks for one in found if one is not None)
