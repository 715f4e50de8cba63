"""Plain implementations of the dissimilarities and of MDAV: pair by pair, record by record, subset by subset."""

from collections import Counter
from fractions import Fraction
from itertools import chain, combinations
from math import floor

import numpy as np

BINS = 5


def is_number(values):
    return any(isinstance(value, (int, float)) for value in values)


def gower(rows, i, j):
    """Equation 1, as a fraction of rows of numbers, texts and None."""
    parts = []
    for column, (one, other) in zip(zip(*rows, strict=True), zip(rows[i], rows[j], strict=True), strict=True):
        if one is None or other is None:
            continue
        if not is_number(column):
            parts.append(Fraction(one != other))
            continue
        known = [value for value in column if value is not None]
        reach = max(known) - min(known)
        parts.append(Fraction(abs(one - other), reach) if reach else Fraction(0))
    return sum(parts) / len(parts) if parts else Fraction(1)


def binned(column):
    """Numbers in bins of equal width, the last one with the largest; None is a bin of its own, and so is a category."""
    known = [value for value in column if value is not None]
    if not is_number(column):
        return list(column)
    reach = max(known) - min(known)

    def bin_of(value):
        return (
            None
            if value is None
            else min(floor(Fraction((value - min(known)) * BINS, reach)), BINS - 1)
            if reach
            else 0
        )

    return [bin_of(value) for value in column]


def delta(bins, weights, column, one, other):
    """The distance of two values of a column: over the other columns, the mean of the largest of all subsets."""
    found = []
    for number, held in enumerate(bins):
        if number == column:
            continue
        counts = [Counter(), Counter()]
        for mine, theirs, weight in zip(bins[column], held, weights, strict=True):
            for place, value in enumerate((one, other)):
                if mine == value:
                    counts[place][theirs] += weight
        values = list(dict.fromkeys(held))
        subsets = chain.from_iterable(combinations(values, size) for size in range(len(values) + 1))
        of_one, of_other = (sum(count.values()) for count in counts)
        found.append(
            max(
                Fraction(sum(counts[0][v] for v in some), of_one)
                + 1
                - Fraction(sum(counts[1][v] for v in some), of_other)
                - 1
                for some in subsets
            )
        )
    return sum(found) / len(found) if found else Fraction(one != other)


def ahmad_dey(rows, weights, i, j):
    """Equation 2."""
    columns = list(zip(*rows, strict=True))
    bins = [binned(column) for column in columns]
    total = Fraction(0)
    for number, (column, one, other) in enumerate(zip(columns, rows[i], rows[j], strict=True)):
        if not is_number(column):
            total += delta(bins, weights, number, one, other) if one != other else 0
            continue
        there = list(dict.fromkeys(bins[number]))
        pairs = [delta(bins, weights, number, *pair) for pair in combinations(there, 2)]
        significance = sum(pairs) / len(pairs) if pairs else Fraction(0)
        if len(columns) == 1:
            significance = Fraction(1)
        known = [value for value in column if value is not None]
        reach = max(known) - min(known)
        if one is None or other is None:
            apart = Fraction(one is not other)
        else:
            apart = Fraction(one - other, reach) ** 2 if reach else Fraction(0)
        total += significance * apart
    return total


def mdav(distance, records, k, random):
    """Algorithm 1 on a matrix of combinations, record by record; clusters as sorted lists of combinations."""
    left = [combination for combination, count in enumerate(records) for _ in range(count)]
    found = []
    while len(left) >= 2 * k:
        drawn = left[int(random.integers(len(left)))]
        far = max(left, key=lambda one: (distance[drawn][one], -one))
        chosen = sorted(left, key=lambda one: (distance[far][one], one))[:k]
        for one in chosen:
            left.remove(one)
        found.append(sorted(chosen))
    return [*found, sorted(left)]


def coded(rows):
    """The columns of rows as codes and numbers, as the kernel takes them, and their bins."""
    from anonduck.methods.coded_records import MixedColumn

    columns, codes, bins = [], [], []
    for column in zip(*rows, strict=True):
        values = sorted({value for value in column if value is not None})
        numbers = np.array([np.nan, *values], dtype=float) if is_number(column) else None
        columns.append(MixedColumn(len(values) + 1, numbers))
        codes.append(np.array([0 if value is None else values.index(value) + 1 for value in column]))
        if is_number(column):
            bins.append([0 if one is None else one + 1 for one in binned(column)])
        else:
            bins.append(codes[-1].tolist())
    return tuple(columns), tuple(codes), bins


def together(bins, weights):
    """Records by value of each two columns."""
    found = {}
    for one, other in combinations(range(len(bins)), 2):
        counts = np.zeros((max(bins[one]) + 1, max(bins[other]) + 1), dtype=np.int64)
        np.add.at(counts, (bins[one], bins[other]), weights)
        found[one, other] = counts
    return found
