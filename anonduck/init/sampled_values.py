"""Sampled columns as numbers, on which advice and identifying sets are computed: each value by its place among all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from anonduck.source.engine import SAMPLE, SourceEngine, blocks_of
from anonduck.statements.builder_source import value_ranks

if TYPE_CHECKING:
    import numpy as np

MOST_SAMPLED = 100_000  # what the source's engine samples
RANKED = 8  # columns that one statement ranks: each rank is computed beside all columns of the statement
SEED = 0


def sampled_ranks(
    engine: SourceEngine, names: Sequence[str], *, sampled: bool = False
) -> tuple[list[np.ndarray], bool] | None:
    """Rank the sampled values of columns, and say whether the source has more records; None without record or column.

    There is one array over the sampled records for each column: ranks from 1 on, NULL first. The source is scanned once
    for its sample, unless that is in the decision database already (``sampled``) and stays there.
    """
    if not names:
        return None
    if not sampled:
        engine.sample()
    try:
        blocks = [engine.database.arrays(value_ranks(block)) for block in blocks_of(names, RANKED)]
    finally:
        if not sampled:
            engine.database.drop(SAMPLE)
    ranks = [rank for block in blocks for rank in block.values()]
    if not len(ranks[0]):
        return None
    return ranks, len(ranks[0]) >= MOST_SAMPLED and engine.count() > len(ranks[0])


def codes_of(ranks: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The ranks as codes from 0 on."""
    import numpy as np

    return [np.asarray(rank, dtype=np.int64) - 1 for rank in ranks]


def random_keys(codes: Sequence[np.ndarray]) -> list[np.ndarray]:
    """A random number of 64 bits for each value of each column: the sum over columns identifies a combination.

    Two of 100,000 combinations have the same sum with a probability of less than one in a billion (Zobrist 1970).
    """
    import numpy as np

    random = np.random.default_rng(SEED)
    return [random.integers(0, 2**64, int(one.max()) + 1, dtype=np.uint64)[one] for one in codes]


def separation(counts: np.ndarray) -> float:
    """The share of the pairs of records whose values differ, given the records of each value (Motwani and Xu 2007)."""
    records = int(counts.sum())
    alike = int((counts * (counts - 1)).sum())
    return round(1 - alike / (records * (records - 1)), 6) if records > 1 else 0.0
