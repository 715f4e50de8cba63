"""The bounds of intervals in plain Python, from what the docs say of them: slow, and exact in fractions."""

import math
from bisect import bisect_left
from collections import Counter
from decimal import Decimal
from fractions import Fraction


def roundest(below, above):
    """The roundest number x with below < x <= above."""
    if below < 0 <= above:
        return Fraction(0)
    largest = Decimal(max(abs(below), abs(above)).numerator) / Decimal(max(abs(below), abs(above)).denominator)
    for power in range(largest.adjusted() + 1, -350, -1):
        for step in (5 * Fraction(10) ** power, 2 * Fraction(10) ** power, Fraction(10) ** power):
            times = math.floor(above / step)
            if times * step > below:
                return times * step
    raise AssertionError((below, above))


def steps_of(values, finest):
    """The steps of the grids that part rare numbers, those that can part any of these."""
    largest = max(map(abs, values))
    highest = (Decimal(largest.numerator) / Decimal(largest.denominator)).adjusted() + 2 if largest else 0
    return [multiple * Fraction(10) ** power for power in range(finest, highest) for multiple in (1, 5)]


def supported(rare, finest, k):
    """The multiples of a step that k rare records lie beside, within one step on either side."""
    found = set()
    for step in steps_of([value for value, _ in rare], finest) if rare else ():
        cells = Counter()
        for value, records in rare:
            cells[math.floor(value / step)] += records
        found |= {cell * step for cell in cells if min(cells[cell], cells[cell - 1]) >= k}
    return found


def allowed(held, k, round_, support):
    """The bounds that labels of these values may show, by the records that they have, and the values that count."""
    common = [at for at, (_, records) in enumerate(held) if records >= k]
    bounds, counting = set(), []
    for lower, upper in zip([-1, *common], [*common, len(held)], strict=True):
        splits = support(held[lower + 1 : upper])
        bounds |= splits
        if splits:
            counting += [value for value, _ in held[lower + 1 : upper]]
        if splits and upper < len(held):
            bounds.add(held[upper][0])
        elif lower >= 0 and upper < len(held):
            bounds.add(round_(held[lower][0], held[upper][0]))
        counting += [value for value, _ in held[upper : upper + 1]]
    return sorted(bounds), counting


def nearest(bounds, counting, size):
    """For each parting of groups of values that count, the bound with the nearest number of them under it."""
    under = [bisect_left(counting, bound) for bound in bounds]
    return sorted(
        {
            min(zip(under, bounds, strict=True), key=lambda one: (abs(one[0] - at), one[0]))[1]
            for at in range(size, len(counting), size)
            if bounds
        }
    )
