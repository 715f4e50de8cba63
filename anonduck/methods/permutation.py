"""Permute blocks of columns within clusters (Senavirathne and Torra 2021, section 4 and Algorithm 2).

Columns of a block move together, so that their relation is kept. By default, blocks are pairs of columns ordered by
their mutual information with the class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from anonduck.errors import ConfigError


def mutual_information(counts: np.ndarray) -> float:
    """Mutual information of two columns (equation 3) in bits; ``counts`` are records by value of both."""
    total = counts.sum()
    if not total:
        return 0.0
    one, other = counts.sum(axis=1, keepdims=True), counts.sum(axis=0, keepdims=True)
    there = counts > 0
    both = (one * other)[there]
    return float((counts[there] * np.log2(counts[there] * float(total) / both)).sum() / total)


def information_lost(before: Sequence[np.ndarray], after: Sequence[np.ndarray]) -> float:
    """The mean over pairs of columns of the mutual information that they lose, in bits (section 5.1).

    ``before`` and ``after`` have the codes of each column, each (records,).
    """
    pairs = list(combinations(range(len(before)), 2))
    lost = sum(_information(before[one], before[two]) - _information(after[one], after[two]) for one, two in pairs)
    return lost / len(pairs)


def _information(one: np.ndarray, other: np.ndarray) -> float:
    """Of the pairs that occur: a table of all pairs would not fit."""
    width = int(other.max(initial=0)) + 1
    keys, both = np.unique(one.astype(np.int64) * width + other, return_counts=True)
    chance = np.bincount(one)[keys // width] * (np.bincount(other)[keys % width] / len(one))
    return float((both * np.log2(both / chance)).sum() / len(one))


def paired(information: Mapping[str, float]) -> list[list[str]]:
    """Columns in pairs by falling information; ties keep their order, and an odd last column joins the last pair."""
    order = sorted(information, key=lambda name: -information[name])
    pairs = [order[first : first + 2] for first in range(0, len(order), 2)]
    if len(pairs) > 1 and len(pairs[-1]) == 1:
        pairs[-2:] = [pairs[-2] + pairs[-1]]
    return pairs


def whole_blocks(blocks: Sequence[Sequence[str]], names: Sequence[str]) -> list[list[str]]:
    """The blocks, and each column that none of them holds by itself, in the order of the columns that are first.

    Raises ConfigError for a column that is none of them, or stands in two blocks, and for one block of all.

    >>> whole_blocks([["job", "age"]], ["age", "pay", "job"])
    [['job', 'age'], ['pay']]
    """
    of = {name: list(block) for block in blocks for name in block}
    check_blocks([*blocks, *([name] for name in names if name not in of)], names)
    found = [of.get(name, [name]) for name in names]
    whole = [block for at, block in enumerate(found) if block not in found[:at]]
    if len(whole) == 1 and len(names) > 1:
        raise ConfigError("one block of all quasi-identifiers would leave whole records as they are; leave some out")
    return whole


def check_blocks(blocks: Sequence[Sequence[str]], names: Sequence[str]) -> None:
    """Raise ConfigError unless each column is in exactly one block."""
    named = [name for block in blocks for name in block]
    for name in named:
        if name not in names:
            raise ConfigError(f"the blocks name {name!r}, which is no quasi-identifier of the release")
        if named.count(name) > 1:
            raise ConfigError(f"the blocks name {name!r} twice; a column is permuted with one block")
    missing = [name for name in names if name not in named]
    if missing:
        raise ConfigError(f"no block holds {', '.join(map(repr, missing))}; name each quasi-identifier in one block")


LEAST_K = 3
"""The least k. Two records have only one other order, so all blocks would move together: whole records would swap."""


@dataclass(frozen=True, eq=False)
class Permuted:
    """The result of a permutation, by block: ``sources`` (records,) is the record whose values each record shows;
    ``unchanged`` (clusters,) whether all records of a cluster are equal in the block, so that no permutation shows."""

    sources: tuple[np.ndarray, ...]
    unchanged: tuple[np.ndarray, ...]

    @property
    def homogeneous(self) -> np.ndarray:
        """Whether all records of a cluster are equal in every block."""
        found: np.ndarray = np.logical_and.reduce(self.unchanged)
        return found


def permuted(cluster: np.ndarray, values: Sequence[np.ndarray], random: np.random.Generator) -> Permuted:
    """Permute each block within each cluster, and draw again where nothing changed.

    ``cluster`` (records,) is the cluster of each record, from 0; ``values`` has for each block a number for the values
    of each record (records,), equal for records with equal values.
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
    """Deal the records of each combination (``of_record``) to its clusters at random, ``counts`` records to each."""
    order = np.argsort(combinations, kind="stable")
    places = np.repeat(clusters[order], counts[order])
    records = np.lexsort((random.random(len(of_record)), of_record))
    found = np.empty(len(of_record), dtype=np.int64)
    found[records] = places
    return found
