"""Links by probability from what is known of people to classes of a release (Fellegi and Sunter 1969).

For each person who is looked for, every class of released rows has a likelihood ratio: how much likelier its labels are
if one of its rows is the person's than if none is. A label that covers few people is strong evidence, one that covers
many is weak (weights by value). How often a known fact is right, and how many of the people are in the release at all,
is learned from the people themselves by expectation and maximization. What is not known of a person says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

LEARNED = 500  # people at most, from whom it is learned how often facts are right
STEPS, CONVERGED = 200, 1e-6
NEAR_0, NEAR_1 = 1e-6, 1 - 1e-6
SAME = 1e-9  # weights that differ by less are equal
MANY = 8  # of which one is the share of classes from which they are found by a scan
UNKNOWN = -1


@dataclass(frozen=True, eq=False)
class LinkedColumn:
    """A column that the release and the known facts share.

    ``labels`` is the label of each class (classes,), from 0. The labels that cover value number v are
    ``covering[starts[v]:starts[v + 1]]``. ``shares`` is, for each label (labels,), the share of people whose value it
    covers.
    """

    labels: np.ndarray
    starts: np.ndarray
    covering: np.ndarray
    shares: np.ndarray

    def classes_over(self, value: int) -> np.ndarray:
        """The classes whose labels cover a value."""
        labels = self.covering[self.starts[value] : self.starts[value + 1]]
        order, starts = self._by_label
        found: np.ndarray = order[_stretches(starts[labels], starts[labels + 1] - starts[labels])]
        return found

    @cached_property
    def _by_label(self) -> tuple[np.ndarray, np.ndarray]:
        """The classes by their labels, and where each label begins among them."""
        order = np.argsort(self.labels, kind="stable")
        return order, np.searchsorted(self.labels[order], np.arange(len(self.shares) + 1))

    def chances(self) -> np.ndarray:
        """The chance that each label covers a person at random (labels,), neither 0 nor 1."""
        found: np.ndarray = np.clip(self.shares, NEAR_0, NEAR_1)
        return found


@dataclass(frozen=True, eq=False)
class LinkedClasses:
    """The classes of a release by the shared columns: ``records`` (classes,) and the columns."""

    columns: tuple[LinkedColumn, ...]
    records: np.ndarray

    @property
    def rows(self) -> int:
        """The number of released rows."""
        return int(self.records.sum())

    def by_known(self, facts: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The people, by places, of whom the same columns are known, and those columns (columns,)."""
        masks, where = np.unique(facts != UNKNOWN, axis=0, return_inverse=True)
        order = np.argsort(where.ravel(), kind="stable")
        ends = np.searchsorted(where.ravel()[order], np.arange(len(masks) + 1))
        for place, mask in enumerate(masks):
            yield order[ends[place] : ends[place + 1]], mask

    def apart(self, known: np.ndarray, differs: np.ndarray) -> np.ndarray:
        """The logarithm of the likelihood ratio of each class (classes,) if none of the known columns agrees.

        ``differs`` (columns,) is the logarithm of the chance that a fact of a person is not covered by the label of the
        person's own row.
        """
        found = np.zeros(len(self.records))
        for place in np.flatnonzero(known):
            column = self.columns[place]
            found += (differs[place] - np.log1p(-column.chances()))[column.labels]
        return found

    def gains(self, agrees: np.ndarray, differs: np.ndarray) -> list[np.ndarray]:
        """By column and label (labels,), what agreement adds to that; ``agrees`` is to ``differs`` as covered is to not
        covered.
        """
        found = []
        for place, column in enumerate(self.columns):
            chances = column.chances()
            found.append(agrees[place] - np.log(chances) - (differs[place] - np.log1p(-chances)))
        return found


class _Agreeing:
    """Finds the classes that agree with a person in any column, with what that adds to their weights."""

    def __init__(self, classes: LinkedClasses, gains: Sequence[np.ndarray]) -> None:
        self._classes, self._gains = classes, gains
        self._added = np.zeros(len(classes.records))
        self._patterns = np.zeros(len(classes.records), dtype=np.int64)

    def of(self, fact: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The classes (agreeing,), sorted; what is added to the weight of each; and its columns that agree, as bits."""
        parts = list[np.ndarray]()
        for place in map(int, np.flatnonzero(fact != UNKNOWN)):
            column = self._classes.columns[place]
            found = column.classes_over(fact[place])
            self._added[found] += self._gains[place][column.labels[found]]
            self._patterns[found] |= 1 << place
            parts.append(found)
        if sum(map(len, parts)) * MANY > len(self._added):
            every = np.flatnonzero(self._patterns)
        else:
            every = np.unique(np.concatenate(parts)) if parts else np.zeros(0, dtype=np.int64)
        added, patterns = self._added[every], self._patterns[every]
        self._added[every], self._patterns[every] = 0.0, 0
        return every, added, patterns


@dataclass(frozen=True, eq=False)
class _Apart:
    """The weights of all classes if nothing agrees, the highest of them, and the sum over rows of their exponentials
    as a multiple of the exponential of the highest.
    """

    weights: np.ndarray
    records: np.ndarray
    highest: float
    every: float

    @classmethod
    def of(cls, weights: np.ndarray, records: np.ndarray) -> _Apart:
        """Of the weights (classes,) and the records (classes,)."""
        highest = float(weights.max())
        return cls(weights, records, highest, float(np.exp(weights - highest) @ records))

    def without(self, places: np.ndarray, shift: float) -> float:
        """The sum over the rows of all other classes of the exponentials of their weights less ``shift``."""
        if len(places) == len(self.records):
            return 0.0
        theirs = float(np.exp(self.weights[places] - shift) @ self.records[places])
        return max(self.every * float(np.exp(self.highest - shift)) - theirs, 0.0)


def _stretches(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The places of stretches one after another: each from its start, of its length."""
    found: np.ndarray = np.repeat(starts - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())
    return found


@dataclass(frozen=True, eq=False)
class GuessedColumn:
    """A column that is guessed from the claimed rows: the records of each class and value, sorted by class.

    ``starts`` (classes + 1,) is where each class begins in ``values`` and ``records``.
    """

    starts: np.ndarray
    values: np.ndarray
    records: np.ndarray

    def most_frequent(self, taken: np.ndarray) -> int:
        """The most frequent value of the rows of the given classes, the first of ties."""
        places = _stretches(self.starts[taken], self.starts[taken + 1] - self.starts[taken])
        return int(np.bincount(self.values[places], self.records[places]).argmax())


@dataclass(frozen=True, eq=False)
class Agreement:
    """What was learned: ``right`` (columns,), how often the label of a person's own row covers the known fact; and
    ``inside``, the chance that a person is in the release.
    """

    right: np.ndarray
    inside: float


@dataclass(frozen=True, eq=False)
class Claims:
    """The claim about each person: one of the rows that are likeliest the person's.

    ``confidence`` (people,) is the chance that it is, ``rows`` how many rows are equally likely, ``fitting`` how many
    cover all that is known. ``chosen`` and ``fits`` (pairs,) say of given pairs of a person and a class whether the
    class is among the former and the latter. ``guessed`` (columns, people) is the most frequent value of the former.
    """

    confidence: np.ndarray
    rows: np.ndarray
    fitting: np.ndarray
    chosen: np.ndarray
    fits: np.ndarray
    guessed: np.ndarray


# -- learning ----------------------------------------------------------------------------------------------------------


def learn(classes: LinkedClasses, facts: np.ndarray, alike: np.ndarray, most_inside: float) -> Agreement:
    """Learn from people how often known facts are right, and how many people are in the release.

    Expectation and maximization over the pairs of a person and a class: at most one row is a person's. A fact is right
    at least as often as by chance (Winkler 1993). ``alike`` (people,) counts the people of each line of ``facts``;
    ``most_inside`` bounds the share of people in the release.
    """
    pairs = _counted_patterns(classes, facts)
    least = np.array(
        [
            np.clip(classes.records @ column.shares[column.labels] / classes.rows, NEAR_0, NEAR_1)
            for column in classes.columns
        ]
    )
    right, inside = np.maximum(0.9, (1 + least) / 2), min(most_inside, NEAR_1) / 2
    known = (facts != UNKNOWN)[pairs.owners]
    for _ in range(STEPS):
        before = np.r_[right, inside]
        shares, own = pairs.expected(known, right, inside, classes.rows)
        inside = float(np.clip(own @ alike / alike.sum(), NEAR_0, min(most_inside, 1.0)))
        weights = shares * alike[pairs.owners]
        agreeing = weights @ pairs.agree
        every = weights @ known
        learned = np.divide(agreeing, every, out=right.copy(), where=every > 0)
        right = np.clip(learned, least, NEAR_1)
        if np.abs(np.r_[right, inside] - before).max() < CONVERGED:
            break
    return Agreement(right, inside)


@dataclass(frozen=True, eq=False)
class _Patterns:
    """The patterns of agreement of each person with the classes: ``owners`` (patterns,), sorted; ``agree`` (patterns,
    columns); ``weights``, the logarithm of the sum over rows of what does not depend on how often facts are right.
    """

    owners: np.ndarray
    agree: np.ndarray
    weights: np.ndarray

    @cached_property
    def _first(self) -> np.ndarray:
        """The first pattern of each person."""
        return np.unique(self.owners, return_index=True)[1]

    def expected(self, known: np.ndarray, right: np.ndarray, inside: float, rows: int) -> tuple[np.ndarray, np.ndarray]:
        """The chance that a person's own row is of each pattern (patterns,), and in the release (people,); ``known``
        (patterns, columns) is what is known of the person of each.
        """
        differ = known & ~self.agree
        weights = self.weights + self.agree @ np.log(right) + differ @ np.log1p(-right)
        first = self._first
        highest = np.maximum.reduceat(weights, first)
        parts = np.exp(weights - highest[self.owners])
        every = np.add.reduceat(parts, first)
        own = inside_chance(highest + np.log(every), inside, rows)
        return parts / every[self.owners] * own[self.owners], own


def _counted_patterns(classes: LinkedClasses, facts: np.ndarray) -> _Patterns:
    ones = np.zeros(len(classes.columns))
    agreeing = _Agreeing(classes, classes.gains(ones, ones))
    numbers, owners, weights = list[np.ndarray](), list[np.ndarray](), list[np.ndarray]()
    for people, known in classes.by_known(facts):
        apart = _Apart.of(classes.apart(known, ones), classes.records)
        for person in people:
            places, added, patterns = agreeing.of(facts[person])
            logs = apart.weights[places] + added
            shift = max(float(logs.max(initial=-np.inf)), apart.highest)
            found, where = np.unique(np.r_[0, patterns], return_inverse=True)
            held = np.r_[apart.without(places, shift), np.exp(logs - shift) * classes.records[places]]
            sums = np.bincount(where.ravel(), held)
            some = (sums > 0) | (found == found[-1])
            numbers.append(found[some])
            weights.append(np.log(np.maximum(sums[some], np.finfo(float).tiny)) + shift)
            owners.append(np.full(len(numbers[-1]), person))
    every = np.concatenate(owners)
    order = np.argsort(every, kind="stable")
    bits = np.concatenate(numbers)[order, None] >> np.arange(len(classes.columns)) & 1
    return _Patterns(every[order], bits.astype(bool), np.concatenate(weights)[order])


def inside_chance(sums: np.ndarray, inside: float, rows: int) -> np.ndarray:
    """The chance that a person is in the release, by the logarithm of the sum of likelihood ratios over its rows."""
    found: np.ndarray = np.exp(-np.logaddexp(0.0, -_odds(sums, inside, rows)))
    return found


def _odds(logs: Any, inside: float, rows: int) -> Any:
    """The logarithm of likelihood ratios by how likely people are in the release, and out of it."""
    outside = np.log1p(-min(inside, 1 - 1e-12))
    return logs + np.log(inside) - np.log(rows) - outside


# -- claims ------------------------------------------------------------------------------------------------------------


def claim(
    classes: LinkedClasses,
    facts: np.ndarray,
    learned: Agreement,
    pairs: tuple[np.ndarray, np.ndarray],
    guessed: Sequence[GuessedColumn] = (),
) -> Claims:
    """Claim a row for each person; ``pairs`` are people, sorted, and classes to look up in the claims."""
    agrees, differs = np.log(learned.right), np.log1p(-learned.right)
    agreeing = _Agreeing(classes, classes.gains(agrees, differs))
    confidence = np.zeros(len(facts))
    rows, fitting = np.zeros(len(facts), dtype=np.int64), np.zeros(len(facts), dtype=np.int64)
    chosen, fits = (np.zeros(len(pairs[0]), dtype=bool) for _ in range(2))
    values = np.zeros((len(guessed), len(facts)), dtype=np.int64)
    everything = np.arange(len(classes.records))
    for people, known in classes.by_known(facts):
        apart = _Apart.of(classes.apart(known, differs), classes.records)
        whole = int(known @ (1 << np.arange(len(known))))
        for person in people:
            places, added, patterns = agreeing.of(facts[person])
            best, taken, every = _likeliest(apart, places, apart.weights[places] + added)
            odds = _odds(best, learned.inside, classes.rows)
            confidence[person] = np.exp(odds - np.logaddexp(0.0, odds + every))
            fit = places[patterns == whole] if whole else everything
            rows[person], fitting[person] = classes.records[taken].sum(), classes.records[fit].sum()
            looked = slice(*np.searchsorted(pairs[0], [person, person + 1]))
            chosen[looked], fits[looked] = (_among(pairs[1][looked], held) for held in (taken, fit))
            values[:, person] = [one.most_frequent(taken) for one in guessed]
    return Claims(confidence, rows, fitting, chosen, fits, values)


def _likeliest(apart: _Apart, places: np.ndarray, weights: np.ndarray) -> tuple[float, np.ndarray, float]:
    """The highest weight, the classes that have it, sorted, and the logarithm of the sum over rows of the exponentials
    of their weights less the highest; ``weights`` are those of the classes ``places``, which agree in a column.
    """
    best = float(weights.max(initial=-np.inf))
    if best > apart.highest + SAME:
        every = float(np.exp(weights - best) @ apart.records[places]) + apart.without(places, best)
        return best, places[weights >= best - SAME], float(np.log(every))
    whole = apart.weights.copy()
    whole[places] = weights
    best = float(whole.max())
    return best, np.flatnonzero(whole >= best - SAME), float(np.log(np.exp(whole - best) @ apart.records))


def _among(places: np.ndarray, held: np.ndarray) -> np.ndarray:
    """Which places are among the held ones, which are sorted."""
    if not len(held):
        return np.zeros(len(places), dtype=bool)
    found: np.ndarray = held[np.minimum(np.searchsorted(held, places), len(held) - 1)] == places
    return found


def effort(confidence: np.ndarray, hits: np.ndarray) -> list[tuple[int, float]]:
    """How many of the 1, 10, 100 ... most confident claims are right, and of all; those of equal confidence in
    expectation over their order.

    >>> effort(np.array([0.5, 0.9, 0.5]), np.array([1.0, 1.0, 0.0]))
    [(1, 1.0), (3, 2.0)]
    """
    levels, groups, sizes = np.unique(np.round(-confidence, 12), return_inverse=True, return_counts=True)
    sums = np.bincount(groups.ravel(), hits, len(levels))
    ends, total = np.r_[0, np.cumsum(sizes)], np.r_[0.0, np.cumsum(sums)]
    counts = [10**power for power in range(len(str(len(hits)))) if 10**power < len(hits)] + [len(hits)]
    return [(count, float(np.interp(count, ends, total))) for count in counts]


def distinct(facts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct lines of facts, and the line of each person."""
    lines, places = np.unique(facts, axis=0, return_inverse=True)
    return lines, places.ravel()


def columns_of_values(
    labels: np.ndarray, values: np.ndarray, covering: np.ndarray, people: np.ndarray, count: int
) -> LinkedColumn:
    """A column by its pairs of a value and a label that covers it, or label -1 for none.

    ``values`` are numbers from 0, sorted, each there; ``people`` (values,) is how many people have each, 0 for values
    that say nothing; ``count`` the number of labels.
    """
    some = covering >= 0
    starts = np.r_[0, np.cumsum(np.bincount(values[some], minlength=len(people)))]
    held = np.bincount(covering[some], people[values[some]], count)
    return LinkedColumn(labels, starts, covering[some], held / max(people.sum(), 1))
