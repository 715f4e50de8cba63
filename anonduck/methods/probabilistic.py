"""Clusters for probabilistic k-anonymity (Senavirathne and Torra 2021, section 4): groups of k or more similar records.

Clusters are formed by MDAV on a dissimilarity (Algorithm 1): a record is drawn, and the record farthest from it forms a
cluster with the k - 1 records nearest to itself, until fewer than 2k are left, which form the last cluster. The first
combination wins ties, and the records of one combination may fall into several clusters. The paper prints "k - 1
nearest points to p including p", which would be clusters of k - 1 records; here clusters have k.

Each cluster is compared with all remaining records, which is too slow for more than MOST_COMPARED combinations. Then
Mondrian forms blocks first, and records are compared within their block.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from anonduck.methods.coded_records import WHOLE, CodedRecords, MixedColumn, MixedRecords, PlacedColumn
from anonduck.methods.dissimilarity import MOST_LISTED, Dissimilarity, Distances, Together, ahmad_dey, gower
from anonduck.methods.method import Note, Progress, no_note, no_progress
from anonduck.methods.mondrian import mondrian

LEFT = 0.75
"""The arrays are compacted when no more than this share of the combinations has records left."""


@dataclass(frozen=True, eq=False)
class Clusters:
    """``records`` of each ``combination`` in each ``cluster`` (from 0), one row for each pair, sorted by cluster."""

    cluster: np.ndarray
    combination: np.ndarray
    records: np.ndarray

    @property
    def sizes(self) -> np.ndarray:
        """The records of each cluster."""
        return np.bincount(self.cluster, weights=self.records).astype(np.int64)


def joined(parts: list[Clusters]) -> Clusters:
    """The clusters of all parts, numbered consecutively."""
    ends = np.cumsum([0, *(int(part.cluster.max(initial=-1)) + 1 for part in parts)])
    return Clusters(
        np.concatenate([part.cluster + end for part, end in zip(parts, ends, strict=False)]),
        np.concatenate([part.combination for part in parts]),
        np.concatenate([part.records for part in parts]),
    )


def mdav(
    distances: Distances, records: np.ndarray, k: int, random: np.random.Generator, progress: Callable[[int], None]
) -> Clusters:
    """Cluster at least k records with MDAV.

    ``records`` (combinations,) are the records of each combination; ``progress`` is called with the records clustered.
    """
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
            progress(total - remaining)
    taken.append((here[left > 0], left[left > 0]))
    return Clusters(
        np.repeat(np.arange(len(taken)), [len(chosen) for chosen, _ in taken]),
        np.concatenate([chosen for chosen, _ in taken]),
        np.concatenate([counts for _, counts in taken]),
    )


def _nearest(distance: np.ndarray, left: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The nearest combinations with k records in all, and how many of each; the last one may count in part."""
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


MOST_COMPARED = 50_000
"""Up to this many combinations are all compared with each other."""

IN_BLOCK = 10_000
"""The most combinations of a block, if blocks are needed."""

MEASURES: Mapping[str, Callable[[MixedRecords, Together], Dissimilarity]] = {
    "gower": lambda data, _: gower(data),
    "ahmad-dey": ahmad_dey,
}


def probabilistic(
    data: MixedRecords,
    k: int,
    together: Together,
    *,
    seed: int,
    dissimilarity: str = "gower",
    most: int = MOST_COMPARED,
    progress: Progress = no_progress,
    note: Note = no_note,
) -> Clusters:
    """Form clusters of k to 2k - 1 records.

    Args:
        data: combinations with at least k records in all.
        k: the least number of records in a cluster.
        together: co-occurrence counts by pair of columns, read for ``"ahmad-dey"`` only.
        seed: draws the records that clusters start from.
        dissimilarity: ``"gower"`` or ``"ahmad-dey"``.
        most: the most combinations that are compared without blocks.
        progress: called with the number of records in clusters.
        note: called with a sentence if records were compared within blocks, or columns only as equal or not.
    """
    blocks = _blocks(data, k, seed, most)
    if len(blocks) > 1:
        largest = max(len(block) for block in blocks)
        note(
            f"records were compared within {len(blocks):,} blocks of at most {largest:,} combinations, made as "
            "Mondrian cuts; nearer ones in other blocks were not looked at"
        )
    if dissimilarity == "ahmad-dey":
        _note_long(data, note)
    measure = MEASURES[dissimilarity](data, together)
    parts, done = [], 0
    for number, block in enumerate(blocks):
        codes = [codes[block] for codes in data.codes]
        random = np.random.default_rng([seed, number])

        def in_block(more: int, before: int = done) -> None:
            progress("clustering records", before + more, data.total)

        found = mdav(Distances(measure, codes), data.records[block], k, random, in_block)
        parts.append(Clusters(found.cluster, block[found.combination], found.records))
        done += int(data.records[block].sum())
    progress("clustering records", data.total, data.total)
    return joined(parts)


def _note_long(data: MixedRecords, note: Note) -> None:
    long = sum(1 for column in data.columns if column.numbers is None and column.size > MOST_LISTED + 1)
    if long:
        note(
            f"{long:,} columns have more than {MOST_LISTED:,} values each, which are compared as equal or not, and not "
            "by what occurs with them"
        )


def _blocks(data: MixedRecords, k: int, seed: int, most: int) -> list[np.ndarray]:
    """All combinations as one block if at most ``most``; else blocks of at most IN_BLOCK, each with k records."""
    every = np.arange(len(data.records))
    if len(every) <= most:
        return [every]
    most = min(most, IN_BLOCK)
    classes = mondrian(_placed(data), max(k, most // 2), None, seed=seed)
    order = np.argsort(classes, kind="stable")
    ends = np.cumsum(np.bincount(classes))[:-1]
    return [part for block in np.split(order, ends) for part in _parts(block, data.records, k, most)]


def _parts(block: np.ndarray, records: np.ndarray, k: int, most: int) -> list[np.ndarray]:
    """Divide a block that Mondrian could not cut further into consecutive parts with at least k records."""
    if len(block) <= most:
        return [block]
    held = np.cumsum(records[block])
    parts, begin = [], 0
    while begin < len(block):
        before = int(held[begin - 1]) if begin else 0
        end = max(begin + most, int(np.searchsorted(held, before + k)) + 1)
        if end >= len(block) or held[-1] - held[end - 1] < k:
            end = len(block)
        parts.append(block[begin:end])
        begin = end
    return parts


def _placed(data: MixedRecords) -> CodedRecords:
    """The same records as Mondrian needs them: numbers in their order, categories directly under a root."""
    return CodedRecords(tuple(map(_flat, data.columns)), data.codes, data.records)


def _flat(column: MixedColumn) -> PlacedColumn:
    place = np.arange(column.size)
    nodes = np.vstack([place, np.zeros_like(place)])
    widths = np.vstack([np.zeros_like(place), np.full_like(place, WHOLE)])
    leaves = np.vstack([np.ones_like(place), np.full_like(place, max(column.size, 1))])
    return PlacedColumn(place, nodes, widths, leaves, ordered=column.numbers is not None)
