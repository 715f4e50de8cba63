"""Links from people to the released rows that are most like them, by distance and by match weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from anonduck.methods.coded_records import MixedColumn, MixedRecords
from anonduck.methods.dissimilarity import Distances, gower

STEPS, SETTLED = 100, 1e-6
MOST = 0.999  # how often a column agrees in pairs of one person, at most
TIED = 1e-9


@dataclass
class Links:
    """By person, how sure the best link is, and the chance of each released row to be what it leads to, as an array
    (people, rows) of rows that sum to 1: equally good rows have equal chances."""

    sure: np.ndarray
    rows: np.ndarray

    def share(self, right: np.ndarray) -> np.ndarray:
        """By person, the chance that the link is right; ``right`` (people, rows)."""
        found: np.ndarray = (self.rows * right).sum(axis=1)
        return found


def _best(weights: np.ndarray) -> Links:
    most = weights.max(axis=1, keepdims=True)
    best = weights >= most - TIED
    return Links(most[:, 0], best / best.sum(axis=1, keepdims=True))


def nearest_links(known: pd.DataFrame, rows: pd.DataFrame) -> Links:
    """The rows that are nearest by Gower's dissimilarity."""
    columns, codes = _coded(known, rows)
    data = MixedRecords(columns, codes, np.ones(len(codes[0]), dtype=np.int64))
    distances = Distances(gower(data), data.codes)
    found = [distances.row(len(rows) + person)[: len(rows)] for person in range(len(known))]
    return _best(-np.array(found))


def matched_links(known: pd.DataFrame, rows: pd.DataFrame) -> Links:
    """The rows of the highest match weight."""
    return _best(match_weights(known, rows))


def match_weights(known: pd.DataFrame, rows: pd.DataFrame) -> np.ndarray:
    """The match weight (Fellegi and Sunter) of each person and row, m learned by expectation and maximization."""
    _, codes = _coded(known, rows)
    agreement = np.zeros((len(known), len(rows)), dtype=np.int64)
    for number, one in enumerate(codes):
        agreement |= (one[len(rows) :, None] == one[None, : len(rows)]).astype(np.int64) << number
    patterns, place, counts = np.unique(agreement, return_inverse=True, return_counts=True)
    agrees = (patterns[:, None] >> np.arange(len(codes)) & 1).astype(np.float64)
    u = np.clip((counts @ agrees) / counts.sum(), 1e-9, MOST)
    m = np.maximum(np.full(len(codes), 0.9), u)
    for _ in range(STEPS):
        pairs = counts / (1 + (len(rows) - 1) * np.exp(-_weights(agrees, m, u)))
        before, m = m, np.clip((pairs @ agrees) / pairs.sum(), u, MOST)
        if np.abs(m - before).max() < SETTLED:
            break
    found: np.ndarray = _weights(agrees, m, u)[place].reshape(agreement.shape)
    return found


def _weights(agrees: np.ndarray, m: np.ndarray, u: np.ndarray) -> np.ndarray:
    unlike = np.log((1 - m) / (1 - u))
    found: np.ndarray = agrees @ (np.log(m / u) - unlike) + unlike.sum()
    return found


def _coded(known: pd.DataFrame, rows: pd.DataFrame) -> tuple[tuple[MixedColumn, ...], tuple[np.ndarray, ...]]:
    """Rows, then people, as codes of one numbering."""
    every = pd.concat([rows, known[list(rows)]], ignore_index=True)
    columns, codes = zip(*(coded(every[name]) for name in every), strict=True)
    return columns, codes


def coded(column: pd.Series) -> tuple[MixedColumn, np.ndarray]:
    """A column as codes from 1, 0 being a missing value."""
    codes, values = pd.factorize(column, sort=True)
    numeric = pd.api.types.is_numeric_dtype(column)
    numbers = np.r_[np.nan, np.asarray(values, dtype=np.float64)] if numeric else None
    return MixedColumn(len(values) + 1, numbers), codes + 1
