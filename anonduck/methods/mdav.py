"""MDAV on dissimilarities (Senavirathne and Torra 2021, Algorithm 1): clusters of k records, the last of up to 2k - 1.

A record is drawn, and the one farthest from it makes a cluster with those nearest to itself, until fewer than 2k are
left. Of equally far, and of equally near, combinations the first go first. The records of a combination may come to
several clusters. The algorithm prints "k - 1 nearest points to p including p", which would be clusters of k - 1; here
they have k.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from anonduck.methods.dissimilarity import Distances

LEFT = 0.75
"""Combinations are put together again when no more than this share of them has records left."""


@dataclass(frozen=True, eq=False)
class Clusters:
    """How many ``records`` of which combination are in which cluster, from 0; cluster by cluster."""

    cluster: np.ndarray
    combination: np.ndarray
    records: np.ndarray

    @property
    def sizes(self) -> np.ndarray:
        """The records of each cluster."""
        return np.bincount(self.cluster, weights=self.records).astype(np.int64)


def joined(parts: list[Clusters]) -> Clusters:
    """The clusters of all parts, numbered on."""
    ends = np.cumsum([0, *(int(part.cluster.max(initial=-1)) + 1 for part in parts)])
    return Clusters(
        np.concatenate([part.cluster + end for part, end in zip(parts, ends, strict=False)]),
        np.concatenate([part.combination for part in parts]),
        np.concatenate([part.records for part in parts]),
    )


def mdav(
    distances: Distances, records: np.ndarray, k: int, random: np.random.Generator, tell: Callable[[int], None]
) -> Clusters:
    """Cluster at least k records; ``records`` (combinations,) are those of each. ``tell`` hears how many are done."""
    here, left = np.arange(len(records)), records.astype(np.int64)
    taken: list[tuple[np.ndarray, np.ndarray]] = []
    total = remaining = int(left.sum())
    while remaining >= 2 * k:
        drawn = int(np.searchsorted(np.cumsum(left), random.integers(remaining), side="right"))
        far = int(np.where(left > 0, distances.row(drawn), -1).argmax())
        chosen, counts = _nearest(distances.row(far), left, k)
        taken.append((here[chosen], counts))
        left[chosen] -= counts
        remaining -= k
        if np.count_nonzero(left) <= LEFT * len(left):
            kept = left > 0
            here, left, distances = here[kept], left[kept], distances.some(kept)
            tell(total - remaining)
    taken.append((here[left > 0], left[left > 0]))
    return Clusters(
        np.repeat(np.arange(len(taken)), [len(chosen) for chosen, _ in taken]),
        np.concatenate([chosen for chosen, _ in taken]),
        np.concatenate([counts for _, counts in taken]),
    )


def _nearest(distance: np.ndarray, left: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The nearest combinations that hold k records together, and how many of each; of the last one maybe not all."""
    there = np.flatnonzero(left)
    near = distance[there]
    if len(there) > k:
        within = np.flatnonzero(near <= np.partition(near, k - 1)[k - 1])
        there, near = there[within], near[within]
    there = there[np.argsort(near, kind="stable")]
    counts = left[there]
    before = np.cumsum(counts) - counts
    held = before < k
    return there[held], np.minimum(counts, k - before)[held]
