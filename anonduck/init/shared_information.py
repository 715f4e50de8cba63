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
"""Pairs of columns times records that are compared outright, in about ten seconds; before more, pairs are screened."""

SCREENED = 1_000
"""Records by which pairs are screened; with no more than these, all pairs are compared."""

LEAST_SCREENED = 0.4
"""A pair that shares less of the information of its simpler column among the screened records is no proxy."""

AT_ONCE = 64  # pairs that one step screens: their counts fit in a processor's cache

Shares = tuple[int, np.ndarray, np.ndarray]
"""A column, others, and the share of the information of each that the pair shares, (2, others)."""


def shared_information(codes: Sequence[np.ndarray], ordered: Sequence[bool], progress: Progress) -> Iterator[Shares]:
    """The shares of all pairs of columns or, of many, those of the pairs that may share much."""
    known = _Entropies(np.stack([_grouped(*one) for one in zip(codes, ordered, strict=True)]).astype(np.int64))
    pairs = len(codes) * (len(codes) - 1) // 2
    if pairs * known.records <= MOST_COMPARED or known.records <= SCREENED:
        compared = known.pairs(progress)
    else:
        compared = _screened(known.codes, progress)
    for one, others in compared:
        yield one, others, known.shares(one, others)


def _screened(codes: np.ndarray, progress: Progress) -> Iterator[tuple[int, np.ndarray]]:
    """The pairs that may be proxies: those that share much information among a part of the records.

    Few records make the shared information look larger than it is (Miller and Madow 1955), so that a pair that shares
    much of it among all records is hardly ever left out. A column of one value among the part says nothing, and its
    pairs are all returned.
    """
    part = _Entropies(codes[:, np.random.default_rng(SEED).choice(codes.shape[1], SCREENED, replace=False)])
    for one, others in part.pairs(progress):
        mutual = part.bits[one] + part.bits[others] - part.together(one, others)[0]
        for other in others[mutual >= LEAST_SCREENED * np.minimum(part.bits[one], part.bits[others])]:
            yield one, np.array([other])


class _Entropies:
    """The entropies of columns, in bits, and of pairs of them; ``codes`` is (columns, records)."""

    def __init__(self, codes: np.ndarray) -> None:
        self.codes = codes
        self.records = codes.shape[1]
        counted = np.arange(self.records + 1)
        self.terms = counted * np.log2(np.maximum(counted, 1))
        self.width = codes.max(axis=1) + 1
        counts = [np.bincount(one) for one in codes]
        self.bits = np.log2(self.records) - np.array([self.terms[one].sum() for one in counts]) / self.records
        self.values = np.array([np.count_nonzero(one) for one in counts])

    def pairs(self, progress: Progress) -> Iterator[tuple[int, np.ndarray]]:
        """Every pair once: a column with others of about the same number of values, as many as fit in a cache."""
        by_width = np.argsort(self.width, kind="stable")
        at_once = max(1, AT_ONCE * SCREENED // max(SCREENED, self.records))
        for done, one in enumerate(by_width):
            progress("comparing columns", done, len(by_width))
            for start in range(done + 1, len(by_width), at_once):
                yield int(one), by_width[start : start + at_once]

    def together(self, one: int, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The entropy of a column together with each of others, and how many pairs of values they have."""
        width = self.width[others].max()
        cells = int(width * self.width[one])
        keys = self.codes[one] * width + self.codes[others] + np.arange(len(others))[:, None] * cells
        counts = np.bincount(keys.ravel(), minlength=cells * len(others)).reshape(len(others), cells)
        bits = np.log2(self.records) - self.terms[counts].sum(axis=1) / self.records
        return bits, np.count_nonzero(counts, axis=1)

    def shares(self, one: int, others: np.ndarray) -> np.ndarray:
        """The share of the information of a column, and of each of others, that the pair shares, (2, others); 0 for a
        column of one value. Few records make it look larger than it is, by a bias that is taken off.
        """
        together, pairs = self.together(one, others)
        bias = (pairs - self.values[one] - self.values[others] + 1) / (2 * self.records * np.log(2))
        mutual = np.maximum(0.0, self.bits[one] + self.bits[others] - together - bias)
        own = np.stack([np.full(len(others), self.bits[one]), self.bits[others]])
        several = np.stack([np.full(len(others), self.values[one]), self.values[others]]) > 1
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
