"""Random samples of records, and specific records drawn from generalized ones.

Whoever has only a release, and predicts original records, trains on specific records drawn from it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

MOST_RECORDS = 100_000
_LARGEST = float(1 << 62)


def sample_records(records: np.ndarray, size: int, *, seed: int) -> np.ndarray:
    """How many records of each cell are in a simple random sample of ``size`` records; int64 of shape (cells,)."""
    ends = np.cumsum(records, dtype=np.int64)
    picked = np.random.default_rng(seed).choice(int(ends[-1]), size=size, replace=False, shuffle=False)
    return np.bincount(np.searchsorted(ends, picked, side="right"), minlength=len(records)).astype(np.int64)


def specific_records(
    leaves: np.ndarray,
    nodes: np.ndarray,
    classes: np.ndarray,
    records: np.ndarray,
    *,
    seed: list[int],
    over: Sequence[np.ndarray] | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw specific records from the generalized ones of a training part (Last et al. 2014, section 5.1).

    For each record, each attribute independently gets a leaf of its node, drawn from the distribution of these leaves
    in the training part; the class stays. Of more than MOST_RECORDS records, a random sample of that size is used.

    ``leaves`` and ``nodes`` (cells, attributes) are codes, ``classes`` (cells,), ``records`` (cells,) training counts.
    ``over`` is needed if nodes of different levels occur: for each attribute the nodes over each leaf, of shape
    (leaves + 1, levels), which may repeat. Without it the leaves of a node are those of the cells that show it.
    Returns the distinct drawn leaves (rows, attributes) and classes (rows,), with their records (rows,).
    """
    random = np.random.default_rng(seed)
    ends = np.cumsum(records)
    if ends[-1] > MOST_RECORDS:
        picked = random.choice(int(ends[-1]), size=MOST_RECORDS, replace=False, shuffle=False)
        owners = np.searchsorted(ends, picked, side="right")
    else:
        owners = np.repeat(np.arange(len(records)), records)
    sampled = np.empty((len(owners), leaves.shape[1] + 1), dtype=np.int64)
    sampled[:, -1] = classes[owners]
    for attribute in range(leaves.shape[1]):
        held, shown = leaves[:, attribute], nodes[:, attribute]
        lenders = (held, shown, records) if over is None else _under(held, records, over[attribute])
        sampled[:, attribute] = _lent(*lenders, shown[owners], random)
    distinct, counts = _distinct(sampled)
    return distinct[:, :-1], distinct[:, -1], counts


def _distinct(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct rows of codes in order, and their counts; rows are packed into one number each where that fits."""
    sizes = rows.max(axis=0, initial=0) + 1
    if np.prod(sizes.astype(np.float64)) >= _LARGEST:
        return np.unique(rows, axis=0, return_counts=True)
    numbers, counts = np.unique(np.ravel_multi_index(tuple(rows.T), tuple(sizes)), return_counts=True)
    return np.column_stack(np.unravel_index(numbers, tuple(sizes))), counts


def _under(leaves: np.ndarray, records: np.ndarray, over: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each leaf with each of the nodes over it and its training records: leaves, nodes and records (pairs,)."""
    held = np.bincount(leaves, records, len(over)).astype(np.int64)
    nodes = np.sort(over, axis=1)
    first = np.hstack([np.ones((len(nodes), 1), dtype=bool), nodes[:, 1:] != nodes[:, :-1]])
    leaf = np.nonzero(first)[0]
    return leaf, nodes[first], held[leaf]


def _lent(
    leaves: np.ndarray, nodes: np.ndarray, records: np.ndarray, asked: np.ndarray, random: np.random.Generator
) -> np.ndarray:
    """A leaf for each of the ``asked`` nodes: the leaf of a random record of the node."""
    order = np.argsort(nodes, kind="stable")
    ends = np.cumsum(records[order])
    sizes = np.bincount(nodes, records).astype(np.int64)
    starts = np.cumsum(sizes) - sizes
    picked = starts[asked] + random.integers(0, sizes[asked])
    lent: np.ndarray = leaves[order[np.searchsorted(ends, picked, side="right")]]
    return lent
