"""Links by probability from what is known of people to classes of a release (Fellegi and Sunter 1969).

For each person who is looked for, every class of released rows has a likelihood ratio: how much likelier its labels are
if one of its rows is the person's than if none is. A label that covers few people is strong evidence, one that covers
many is weak (weights by value). How often a known fact is right, and how many of the people are in the release at all,
is learned from the people themselves by expectation and maximization. What is not known of a person says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

BLOCK = 4_000_000  # pairs of a person and a class that are weighed at once
LEARNED = 500  # people at most, from whom it is learned how often facts are right
STEPS, CONVERGED = 200, 1e-6
NEAR_0, NEAR_1 = 1e-6, 1 - 1e-6
SAME = 1e-9  # weights that differ by less are equal
FEW = 12  # columns up to which patterns of agreement are counted by their number
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

    def covered(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Pairs of a place in ``values`` and a label that covers the value there; none for unknown values."""
        places = np.flatnonzero(values != UNKNOWN)
        starts, ends = self.starts[values[places]], self.starts[values[places] + 1]
        lengths = ends - starts
        return np.repeat(places, lengths), self.covering[_stretches(starts, lengths)]

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

    def blocks(self, facts: np.ndarray) -> Iterator[slice]:
        """Facts by so many at once as memory allows; ``facts`` is of shape (people, columns)."""
        size = max(1, BLOCK // max(len(self.records), 1))
        for start in range(0, len(facts), size):
            yield slice(start, min(start + size, len(facts)))

    def weights(self, facts: np.ndarray, agrees: np.ndarray, differs: np.ndarray) -> np.ndarray:
        """The logarithm of the likelihood ratio of each person and class (people, classes).

        ``agrees`` and ``differs`` (columns,) are the logarithms of the chances that the fact of a person is, and is
        not, covered by the label of the person's own row.
        """
        found = np.zeros((len(facts), len(self.records)))
        for place, column in enumerate(self.columns):
            chances = column.chances()
            table = np.tile(differs[place] - np.log1p(-chances), (len(facts), 1))
            people, labels = column.covered(facts[:, place])
            table[people, labels] = agrees[place] - np.log(chances[labels])
            table[facts[:, place] == UNKNOWN] = 0.0
            found += table[:, column.labels]
        return found

    def fits(self, facts: np.ndarray) -> np.ndarray:
        """Whether each class covers all that is known of each person (people, classes)."""
        found = np.ones((len(facts), len(self.records)), dtype=bool)
        for place, column in enumerate(self.columns):
            found &= self._table(column, facts[:, place], unknown=True)[:, column.labels]
        return found

    def patterns(self, facts: np.ndarray) -> np.ndarray:
        """In which columns each class covers what is known of each person, as bits (people, classes)."""
        found = np.zeros((len(facts), len(self.records)), dtype=np.int64)
        for place, column in enumerate(self.columns):
            table = self._table(column, facts[:, place], unknown=False).astype(np.int64) << place
            found += table[:, column.labels]
        return found

    @staticmethod
    def _table(column: LinkedColumn, values: np.ndarray, *, unknown: bool) -> np.ndarray:
        """Whether each label covers each value (values, labels), with an answer for unknown values."""
        table = np.zeros((len(values), len(column.shares)), dtype=bool)
        table[column.covered(values)] = True
        table[values == UNKNOWN] = unknown
        return table


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
    known = facts != UNKNOWN
    for _ in range(STEPS):
        before = np.r_[right, inside]
        shares, own = pairs.expected(known, right, inside, classes.rows)
        inside = float(np.clip(own @ alike / alike.sum(), NEAR_0, min(most_inside, 1.0)))
        weights = shares * alike[pairs.owners]
        agreeing = weights @ pairs.agree
        every = np.array([weights[known[pairs.owners, place]].sum() for place in range(len(right))])
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

    def expected(self, known: np.ndarray, right: np.ndarray, inside: float, rows: int) -> tuple[np.ndarray, np.ndarray]:
        """The chance that a person's own row is of each pattern (patterns,), and in the release (people,)."""
        differ = known[self.owners] & ~self.agree
        weights = self.weights + self.agree @ np.log(right) + differ @ np.log1p(-right)
        _, first = np.unique(self.owners, return_index=True)
        highest = np.maximum.reduceat(weights, first)
        parts = np.exp(weights - highest[self.owners])
        every = np.add.reduceat(parts, first)
        own = inside_chance(highest + np.log(every), inside, rows)
        return parts / every[self.owners] * own[self.owners], own


def _counted_patterns(classes: LinkedClasses, facts: np.ndarray) -> _Patterns:
    ones = np.zeros(len(classes.columns))
    numbers, owners, weights = list[np.ndarray](), list[np.ndarray](), list[np.ndarray]()
    for block in classes.blocks(facts):
        logs = classes.weights(facts[block], ones, ones)
        for place, (pattern, log) in enumerate(zip(classes.patterns(facts[block]), logs, strict=True)):
            highest = log.max()
            held = np.exp(log - highest) * classes.records
            if len(classes.columns) <= FEW:
                sums = np.bincount(pattern, held)
                found = np.flatnonzero(np.bincount(pattern))
                sums = sums[found]
            else:
                found, where = np.unique(pattern, return_inverse=True)
                sums = np.bincount(where, held)
            numbers.append(found)
            owners.append(np.full(len(found), block.start + place))
            weights.append(np.log(np.maximum(sums, np.finfo(float).tiny)) + highest)
    bits = np.concatenate(numbers)[:, None] >> np.arange(len(classes.columns)) & 1
    return _Patterns(np.concatenate(owners), bits.astype(bool), np.concatenate(weights))


def inside_chance(sums: np.ndarray, inside: float, rows: int) -> np.ndarray:
    """The chance that a person is in the release, by the logarithm of the sum of likelihood ratios over its rows."""
    found: np.ndarray = np.exp(-np.logaddexp(0.0, -_odds(sums, inside, rows)))
    return found


def _odds(logs: np.ndarray, inside: float, rows: int) -> np.ndarray:
    """The logarithm of likelihood ratios by how likely people are in the release, and out of it."""
    outside = np.log1p(-min(inside, 1 - 1e-12))
    found: np.ndarray = logs + np.log(inside) - np.log(rows) - outside
    return found


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
    confidence = np.zeros(len(facts))
    rows, fitting = np.zeros(len(facts), dtype=np.int64), np.zeros(len(facts), dtype=np.int64)
    chosen, fits = (np.zeros(len(pairs[0]), dtype=bool) for _ in range(2))
    values = np.zeros((len(guessed), len(facts)), dtype=np.int64)
    for block in classes.blocks(facts):
        weights = classes.weights(facts[block], agrees, differs)
        best = weights.max(axis=1)
        taken, fit = weights >= best[:, None] - SAME, classes.fits(facts[block])
        odds = _odds(best, learned.inside, classes.rows)
        every = odds + np.log(np.exp(weights - best[:, None]) @ classes.records)
        confidence[block] = np.exp(odds - np.logaddexp(0.0, every))
        rows[block], fitting[block] = taken @ classes.records, fit @ classes.records
        looked = slice(*np.searchsorted(pairs[0], [block.start, block.stop]))
        where = pairs[0][looked] - block.start, pairs[1][looked]
        chosen[looked], fits[looked] = taken[where], fit[where]
        if guessed:
            for place, line in enumerate(taken, start=block.start):
                held = np.flatnonzero(line)
                values[:, place] = [one.most_frequent(held) for one in guessed]
    return Claims(confidence, rows, fitting, chosen, fits, values)


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
