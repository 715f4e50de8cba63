"""The attacks once more in plain Python, over rows as tuples, by their definitions and with no regard to speed."""

from collections import Counter
from math import exp, log, log2

NEAR = 1e-6


class Table:
    """A release and the records behind it: the first ``quasi`` columns are known, the others are kept as they are.

    ``covers`` says by column whether a label may stand for a value; ``ends`` gives a label's ends, or None for names.
    """

    def __init__(self, released, original, quasi, covers, ends):
        self.released, self.original, self.quasi = released, original, quasi
        self.covers, self.ends = covers, ends
        self.width = len(released[0])

    def agrees(self, record, row):
        known = all(self.covers(j, record[j], row[j]) for j in range(self.quasi))
        return known and all(record[j] == row[j] for j in range(self.quasi, self.width))

    def span(self, j):
        values = [record[j] for record in self.original if record[j] is not None]
        ordered = all(row[j] in (None, "*") or self.ends(j, row[j]) for row in self.released)
        if not ordered or not values or any(isinstance(value, str) for value in values):
            return None
        return (max(values) - min(values)) or None

    def distance(self, record, row, columns):
        return sum(self._one(record[j], row[j], j) for j in columns) / len(columns)

    def _one(self, value, label, j):
        if self.covers(j, value, label):
            return 0.0
        span, ends = self.span(j), self.ends(j, label)
        if span is None or value is None or ends is None:
            return 1.0
        return min(max((ends[0] - value) / span, (value - ends[1]) / span, NEAR), 1.0)

    def nearest(self, record, columns):
        distances = [self.distance(record, row, columns) for row in self.released]
        return {i for i, distance in enumerate(distances) if distance == min(distances)}

    def own(self, records):
        """The expected number of records that are linked to their own row."""
        return sum(self._chance(record, self.nearest(record, range(self.quasi))) for record in records)

    def same(self, records, first, second):
        found = [(self.nearest(record, first), self.nearest(record, second)) for record in records]
        return sum(len(one & other) / len(one) / len(other) for one, other in found)

    def _chance(self, record, rows):
        return 1 / len(rows) if any(self.agrees(record, self.released[i]) for i in rows) else 0

    def isolated(self, records):
        """The predicates (distinct rows) and how many of them hold for one record."""
        predicates = set(self.released)
        held = [sum(self.agrees(record, row) for record in records) for row in predicates]
        return len(predicates), held.count(1)

    def matched(self, records):
        """As ``own``, by the weights of Fellegi and Sunter: u from all pairs, m by expectation and maximization.

        A person agrees with their own row at least as often as with any, so m is never under u.
        """
        n = self.quasi
        patterns = [
            [tuple(self.covers(j, record[j], row[j]) for j in range(n)) for row in self.released]
            for record in self.original
        ]
        pairs = Counter(pattern for row in patterns for pattern in row)
        total, prior = sum(pairs.values()), 1 / len(self.released)
        u = [_clipped(sum(count for p, count in pairs.items() if p[j]) / total) for j in range(n)]
        m = [max(0.9, (1 + share) / 2) for share in u]
        for step in range(100):
            posterior = {}
            for p, count in pairs.items():
                yes, no = prior * _likely(p, m), (1 - prior) * _likely(p, u)
                posterior[p] = count * yes / (yes + no)
            whole = sum(posterior.values())
            agreeing = [sum(share for p, share in posterior.items() if p[j]) / whole for j in range(n)]
            after = [max(_clipped(one), u[j]) for j, one in enumerate(agreeing)]
            settled = step > 0 and max(abs(a - b) for a, b in zip(after, m, strict=True)) < 1e-6
            m = after
            if settled:
                break
        return sum(self._weighed(record, m, u) for record in records), m, u

    def _weighed(self, record, m, u):
        weights = []
        for row in self.released:
            p = [self.covers(j, record[j], row[j]) for j in range(self.quasi)]
            parts = [log2(a / b) if yes else log2((1 - a) / (1 - b)) for yes, a, b in zip(p, m, u, strict=True)]
            weights.append(round(sum(parts), 9))
        best = {i for i, weight in enumerate(weights) if weight > max(weights) - 1e-8}
        return self._chance(record, best)

    # -- inference; a value has one label per column ------------------------------------------------------------------

    def labels(self, record):
        return tuple(
            next((row[j] for row in self.released if self.covers(j, record[j], row[j])), NO_LABEL)
            for j in range(self.quasi)
        )

    def most_frequent(self, record, j):
        mine = [row[j] for row in self.released if row[: self.quasi] == self.labels(record)]
        return _first_mode(mine or [row[j] for row in self.released])

    def bayes(self, record, j):
        """Naive Bayes with one added to each count, among the values of the record's class."""
        labels = self.labels(record)
        values = {row[j] for row in self.released if row[: self.quasi] == labels} or {row[j] for row in self.released}
        scores = {}
        for value in values:
            rows = [row for row in self.released if row[j] == value]
            score = log(len(rows) / len(self.released))
            for i in range(self.quasi):
                kinds = len({row[i] for row in self.released}) + 1
                score += log((sum(row[i] == labels[i] for row in rows) + 1) / (len(rows) + kinds))
            scores[value] = score
        return scores


NO_LABEL = ("no label",)


def _clipped(share):
    return max(min(share, 1 - NEAR), NEAR)


def _likely(pattern, shares):
    return exp(sum(log(share if agrees else 1 - share) for agrees, share in zip(pattern, shares, strict=True)))


def _first_mode(values):
    counted = Counter(values)
    most = max(counted.values())
    return min((value for value, count in counted.items() if count == most), key=lambda value: (value is None, value))
