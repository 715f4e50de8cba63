"""Permutes blocks of columns within clusters (Senavirathne and Torra 2021, Algorithm 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

LEAST_K = 3
"""Two records that change a block have but one other order, so that all blocks move as one: whole records do."""


@dataclass(frozen=True, eq=False)
class Permuted:
    """Whose values each record shows: ``sources`` by block, (records,). ``unchanged`` tells by block for each cluster
    whether all its records are alike in it, so that none of its permutations shows."""

    sources: tuple[np.ndarray, ...]
    unchanged: tuple[np.ndarray, ...]

    @property
    def homogeneous(self) -> np.ndarray:
        """Whether all records of a cluster are alike in every block."""
        found: np.ndarray = np.logical_and.reduce(self.unchanged)
        return found


def permuted(cluster: np.ndarray, values: Sequence[np.ndarray], random: np.random.Generator) -> Permuted:
    """Permute each block within each cluster, and again where nothing changed.

    ``cluster`` is the cluster of each record, from 0; ``values`` has for each block a number for what each record holds
    there, equal for records that are alike in it.
    """
    parts = [_permuted_block(cluster, one, random) for one in values]
    return Permuted(tuple(sources for sources, _ in parts), tuple(unchanged for _, unchanged in parts))


def _permuted_block(
    cluster: np.ndarray, values: np.ndarray, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    count = int(cluster.max(initial=-1)) + 1
    by_value = np.lexsort((values, cluster))
    differs = (np.diff(values[by_value]) != 0) & (np.diff(cluster[by_value]) == 0)
    alike = np.ones(count, dtype=bool)
    alike[cluster[by_value][1:][differs]] = False
    sources = np.arange(len(cluster))
    open_ = np.ones(count, dtype=bool)
    while open_.any():
        records = np.flatnonzero(open_[cluster])
        drawn = random.random(len(records))
        sources[records[np.argsort(cluster[records], kind="stable")]] = records[np.lexsort((drawn, cluster[records]))]
        moved = values[sources[records]] != values[records]
        open_ = ~alike & open_
        open_[cluster[records][moved]] = False
    return sources, alike


def dealt(
    clusters: np.ndarray,
    combinations: np.ndarray,
    counts: np.ndarray,
    of_record: np.ndarray,
    random: np.random.Generator,
) -> np.ndarray:
    """The cluster of each record, by chance among records of one combination (``of_record``), so many to each."""
    order = np.argsort(combinations, kind="stable")
    places = np.repeat(clusters[order], counts[order])
    records = np.lexsort((random.random(len(of_record)), of_record))
    found = np.empty(len(of_record), dtype=np.int64)
    found[records] = places
    return found
