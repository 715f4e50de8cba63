"""The information that columns share, pair by pair: Theil's uncertainty coefficient, corrected by Miller and Madow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from anonduck.database.progress import Progress
from anonduck.init.identifying import SEED

GROUPS = 50
"""Columns are compared by at most so many values: ordered values are cut into so many intervals, of others the most
frequent stay apart. Values with few records each would look like shared information."""

MOST_COMPARED = 1_000_000_000
"""Pairs of columns times records that are compared outright, in about seven seconds. Above it, pairs are screened."""

SCREENED = 1_000
"""Records by which pairs are screened; with no more than these, all pairs are compared."""

LEAST_SCREENED = 0.4
"""A pair that shares less of the information of its simpler column among the screened records is no proxy."""

ROUNDED = 1e-9  # bits by which sums of the same terms may differ
AT_ONCE = 32  # pairs that one step screens: their counts fit in a processor's cache

Shares = tuple[int, np.ndarray, np.ndarray]
"""A column, others, and the share of the information of each that the pair shares, (2, others)."""


def shared_information(codes: Sequence[np.ndarray], ordered: Sequence[bool], progress: Progress) -> Iterator[Shares]:
    """The shares of all pairs of columns or, of many, those of the pairs that may share much."""
    known = _Entropies(np.stack([_grouped(*one) for one in zip(codes, ordered, strict=True)]).astype(np.int64))
    pairs = len(codes) * (len(codes) - 1) // 2
    if pairs * known.records <= MOST_COMPARED or known.records <= SCREENED:
        compared = known.pairs(progress)
    else:
        compared = ((one, _Block(known, others)) for one, others in _screened(known.codes, progress))
    for one, block in compared:
        yield one, block.others, block.shares(one)


def _screened(codes: np.ndarray, progress: Progress) -> Iterator[tuple[int, np.ndarray]]:
    """The pairs that may be proxies: pairs that share much information among a part of the records.

    Few records make the shared information look larger than it is (Miller and Madow 1955), so that a pair that shares
    much of it among all records is hardly ever left out. A column of one value among the part says nothing, and its
    pairs are all returned.
    """
    part = _Entropies(codes[:, np.random.default_rng(SEED).choice(codes.shape[1], SCREENED, replace=False)])
    for one, block in part.pairs(progress):
        mutual = part.bits[one] + part.bits[block.others] - block.together(one)[0]
        least = LEAST_SCREENED * np.minimum(part.bits[one], part.bits[block.others]) - ROUNDED
        yield from ((one, block.others[[at]]) for at in np.flatnonzero(mutual >= least))


class _Entropies:
    """The entropies of columns, in bits; ``codes`` is (columns, records)."""

    def __init__(self, codes: np.ndarray) -> None:
        self.codes = codes
        self.records = codes.shape[1]
        counted = np.arange(self.records + 1)
        self.terms = counted * np.log2(np.maximum(counted, 1))
        self.width = codes.max(axis=1) + 1
        counts = [np.bincount(one) for one in codes]
        self.bits = np.log2(self.records) - np.array([self.terms[one].sum() for one in counts]) / self.records
        self.values = np.array([np.count_nonzero(one) for one in counts])

    def pairs(self, progress: Progress) -> Iterator[tuple[int, _Block]]:
        """Every pair once: a column with a block of others, which holds as many as fit in a cache."""
        by_width = np.argsort(self.width, kind="stable")
        at_once = max(1, AT_ONCE * SCREENED // max(SCREENED, self.records))
        count = len(by_width)
        pairs = count * (count - 1) // 2
        for start in range(0, count, at_once):
            progress("comparing columns", start * (start - 1) // 2, pairs)
            others = by_width[start : start + at_once]
            block = _Block(self, others)
            yield from ((int(one), block) for one in by_width[:start])
            yield from ((int(one), _Block(self, others[at:])) for at, one in enumerate(others[:-1], 1))
        progress("comparing columns", pairs, pairs)


class _Block:
    """Columns that are compared with one column after another; they share memory, as new pages would take longer."""

    def __init__(self, known: _Entropies, others: np.ndarray) -> None:
        self.known, self.others = known, others
        width = known.width[others]
        self.cells = int(width.sum())
        self.starts = np.cumsum(width) - width
        self.codes = known.codes[others] + self.starts[:, None]
        self.keys = np.empty_like(self.codes)
        self.terms = np.empty(self.cells * int(known.width.max()))

    def together(self, one: int) -> tuple[np.ndarray, np.ndarray]:
        """The entropy of a column together with each of the block, and the records of their pairs of values, (values
        of the column, values of the block)."""
        known = self.known
        np.add(self.codes, known.codes[one] * self.cells, out=self.keys)
        counts = np.bincount(self.keys.ravel(), minlength=self.cells * int(known.width[one]))
        terms = known.terms.take(counts, out=self.terms[: len(counts)], mode="clip")  # other modes copy the output
        summed = np.add.reduceat(terms.reshape(-1, self.cells).sum(axis=0), self.starts)
        return np.log2(known.records) - summed / known.records, counts.reshape(-1, self.cells)

    def shares(self, one: int) -> np.ndarray:
        """The share of the information of a column, and of each of the block, that the pair shares, (2, others); 0 for
        a column of one value. Few records make it look larger than it is, by a bias that is taken off.
        """
        known, others = self.known, self.others
        together, counts = self.together(one)
        pairs = np.add.reduceat(np.count_nonzero(counts, axis=0), self.starts)
        bias = (pairs - known.values[one] - known.values[others] + 1) / (2 * known.records * np.log(2))
        mutual = np.maximum(0.0, known.bits[one] + known.bits[others] - together - bias)
        own = np.stack([np.full(len(others), known.bits[one]), known.bits[others]])
        several = np.stack([np.full(len(others), known.values[one]), known.values[others]]) > 1
        return np.round(np.where(several, np.minimum(1.0, mutual / np.where(several, own, 1.0)), 0.0), 6)


def _grouped(codes: np.ndarray, ordered: bool) -> np.ndarray:
    """The codes cut down to few values: intervals with about equally many records, or the most frequent values."""
    counts = np.bincount(codes)
    if len(counts) <= GROUPS:
        return codes
    if ordered:
        before = np.cumsum(counts) - counts
        group = before * GROUPS // len(codes)
    else:
        group = np.full(len(counts), GROUPS - 1)
        frequent = np.argsort(-counts, kind="stable")[: GROUPS - 1]
        group[frequent] = np.arange(GROUPS - 1)
    _, packed = np.unique(group[codes], return_inverse=True)
    return np.asarray(packed)
