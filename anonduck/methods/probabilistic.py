"""Clusters for probabilistic k-anonymity (Senavirathne and Torra 2021, section 4): records that are alike, k or more.

MDAV compares each cluster with all records that are left. Of more than MOST_COMPARED combinations, blocks are made
first, as Mondrian cuts, and records are compared within their block.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from anonduck.methods.coded_records import WHOLE, CodedRecords, MixedColumn, MixedRecords, PlacedColumn
from anonduck.methods.dissimilarity import MOST_LISTED, Dissimilarity, Distances, Together, ahmad_dey, gower
from anonduck.methods.method import Remark, Tell, unremarked, untold
from anonduck.methods.mondrian import mondrian

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


MOST_COMPARED = 50_000
"""Combinations that are all compared."""

IN_BLOCK = 10_000
"""Combinations of a block, where there are more."""

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
    tell: Tell = untold,
    remark: Remark = unremarked,
) -> Clusters:
    """Clusters of k to 2k - 1 records each, of at least k records; ``together`` is for Ahmad and Dey alone."""
    blocks = _blocks(data, k, seed, most)
    if len(blocks) > 1:
        largest = max(len(block) for block in blocks)
        remark(
            f"records were compared within {len(blocks):,} blocks of at most {largest:,} combinations, made as "
            "Mondrian cuts; nearer ones in other blocks were not looked at"
        )
    if dissimilarity == "ahmad-dey":
        _remark_long(data, remark)
    measure = MEASURES[dissimilarity](data, together)
    parts, done = [], 0
    for number, block in enumerate(blocks):
        codes = [codes[block] for codes in data.codes]
        random = np.random.default_rng([seed, number])

        def told(more: int, before: int = done) -> None:
            tell("clustering records", before + more, data.total)

        found = mdav(Distances(measure, codes), data.records[block], k, random, told)
        parts.append(Clusters(found.cluster, block[found.combination], found.records))
        done += int(data.records[block].sum())
    tell("clustering records", data.total, data.total)
    return joined(parts)


def _remark_long(data: MixedRecords, remark: Remark) -> None:
    long = sum(1 for column in data.columns if column.numbers is None and column.size > MOST_LISTED + 1)
    if long:
        remark(
            f"{long:,} columns have more than {MOST_LISTED:,} values each, which are compared as equal or not, and not "
            "by what occurs with them"
        )


def _blocks(data: MixedRecords, k: int, seed: int, most: int) -> list[np.ndarray]:
    """All combinations up to ``most``; of more, blocks of at most IN_BLOCK, each with k records."""
    every = np.arange(len(data.records))
    if len(every) <= most:
        return [every]
    most = min(most, IN_BLOCK)
    classes = mondrian(_placed(data), max(k, most // 2), None, seed=seed)
    order = np.argsort(classes, kind="stable")
    ends = np.cumsum(np.bincount(classes))[:-1]
    return [part for block in np.split(order, ends) for part in _parts(block, data.records, k, most)]


def _parts(block: np.ndarray, records: np.ndarray, k: int, most: int) -> list[np.ndarray]:
    """A block that Mondrian could not cut far enough, in the order of its combinations, in parts with k records."""
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
    """The same for Mondrian: numbers in their order, categories under a root."""
    return CodedRecords(tuple(map(_flat, data.columns)), data.codes, data.records)


def _flat(column: MixedColumn) -> PlacedColumn:
    place = np.arange(column.size)
    nodes = np.vstack([place, np.zeros_like(place)])
    widths = np.vstack([np.zeros_like(place), np.full_like(place, WHOLE)])
    leaves = np.vstack([np.ones_like(place), np.full_like(place, max(column.size, 1))])
    return PlacedColumn(place, nodes, widths, leaves, ordered=column.numbers is not None)
