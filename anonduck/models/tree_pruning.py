"""Cost-complexity pruning of grown trees (Breiman et al. 1984, chapter 3), all alphas at once.

At ``alpha`` a split is kept where it lowers the entropy of all records by more than ``alpha`` bits, on average over the
splits of the best subtree that it opens. So each split has one alpha from which on it is pruned, and no split has a
larger one than those above it: the weakest links in their order. It is found by pooling: of the groups of splits below
a node, the ones that gain more on average than the node's own group join that, the best ones first.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from anonduck.models.trees import GrownTrees, risk
from anonduck.rules.rounding import DIGITS


def pruned_from(grown: GrownTrees) -> np.ndarray:
    """The alpha from which on each node is a leaf or gone (nodes,), 0 for leaves: pruned where it is <= alpha."""
    gains, splits = _gains(grown), np.ones(len(grown.parents))
    joined = np.full(len(gains), -1)
    inner = grown.inner
    groups = owners = np.empty(0, dtype=np.int64)
    for start, end in _levels(grown)[::-1]:
        order = np.lexsort((-gains[groups] / splits[groups], owners))
        groups, owners = groups[order], owners[order]
        gained, held = _before(gains, groups, owners), _before(splits, groups, owners)
        joins = gains[groups] * held > gained * splits[groups]
        joined[groups[joins]] = owners[joins]
        np.add.at(gains, owners[joins], gains[groups[joins]])
        np.add.at(splits, owners[joins], splits[groups[joins]])
        tops = start + np.flatnonzero(inner[start:end])
        groups, owners = np.r_[groups[~joins], tops], np.r_[owners[~joins], tops]
        owners = grown.parents[owners]
    alphas = np.round(gains / splits, DIGITS)
    for start, end in _levels(grown)[1:]:
        level, above = joined[start:end], grown.parents[start:end]
        own = np.minimum(alphas[start:end], alphas[above])
        alphas[start:end] = np.where(level >= 0, alphas[level], own)
    found: np.ndarray = alphas
    return found


def candidates(alphas: np.ndarray) -> np.ndarray:
    """The alphas that stand for all prunings of a tree: 0, the geometric means of neighbouring ones, and
    infinity for the root alone (Breiman et al. 1984, section 3.4.2)."""
    path = np.r_[0.0, np.unique(alphas[alphas > 0])]
    tried: np.ndarray = np.r_[np.sqrt(path[:-1] * path[1:]), np.inf]
    return tried


def right_when_pruned(grown: GrownTrees, truth: np.ndarray, records: np.ndarray) -> np.ndarray:
    """By how many records each node is right for more, or fewer, as a leaf than its children are as leaves.

    ``records`` (cells, parts) are the predicted records; returns (nodes, parts), 0 for leaves.
    """
    classes, parts = grown.counts.shape[1], records.shape[1]
    keys = grown.leaves * classes + truth
    held = np.empty((parts, len(grown.parents) * classes))
    for part in range(parts):
        counted = np.flatnonzero(records[:, part])
        times = np.tile(records[counted, part], len(grown.leaves))
        held[part] = np.bincount(keys[:, counted].ravel(), times, len(held[part]))
    held = held.reshape(parts, -1, classes).swapaxes(0, 1)
    for start, end in _levels(grown)[:0:-1]:
        np.add.at(held, grown.parents[start:end], held[start:end])
    right = held[np.arange(len(held)), :, grown.counts.argmax(axis=1)]
    change: np.ndarray = np.where(grown.inner[:, None], right, 0.0)
    below = grown.levels[1]
    np.subtract.at(change, grown.parents[below:], right[below:])
    return change


def untuned_alpha(records: float) -> float:
    """The alpha where a training part has too few folds to choose one by, in bits of a record: log2(n) / n.

    A split then has to gain log2(n) bits of all n records together: 5e-4 a record for 30,000 records, 8e-3 for 1,300.
    """
    return float(np.log2(records) / records) if records > 1 else 0.0


def best_alpha(tried: np.ndarray, alphas: np.ndarray, changes: np.ndarray) -> float:
    """The alpha of those tried, in order, at which most records are predicted right; of equal ones the largest.

    ``alphas`` are those from which on some nodes are pruned, ``changes`` how many more records are right then.
    """
    order = np.argsort(alphas, kind="stable")
    right = np.r_[0.0, np.cumsum(changes[order])][np.searchsorted(alphas[order], tried, side="right")]
    return float(tried[len(right) - 1 - right[::-1].argmax()])


def pruned_leaves(grown: GrownTrees, alphas: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """The node that each cell falls into when each tree is pruned at the alpha chosen for it: (trees, cells)."""
    gone = alphas <= chosen[grown.trees]
    stands = np.arange(len(alphas))
    for start, end in _levels(grown)[1:]:
        above = grown.parents[start:end]
        stands[start:end] = np.where(gone[above], stands[above], stands[start:end])
    leaves: np.ndarray = stands[grown.leaves]
    return leaves


def _levels(grown: GrownTrees) -> list[tuple[int, int]]:
    return list(pairwise(grown.levels))


def _gains(grown: GrownTrees) -> np.ndarray:
    """How many bits a record of the tree's each split gains by itself, on average; 0 for leaves."""
    risks = risk(grown.counts)
    gains = np.where(grown.inner, risks, 0.0)
    below = grown.levels[1]
    np.subtract.at(gains, grown.parents[below:], risks[below:])
    records = grown.counts[:below].sum(axis=1)[grown.trees]
    shares: np.ndarray = np.maximum(np.round(gains / records, DIGITS + 2), 0.0)
    return shares


def _before(amounts: np.ndarray, groups: np.ndarray, owners: np.ndarray) -> np.ndarray:
    """The amount of each group's owner and of those groups of the owner that come before it."""
    running = np.cumsum(amounts[groups]) - amounts[groups]
    first = np.r_[True, owners[1:] != owners[:-1]][: len(owners)]
    starts = np.flatnonzero(first)[np.cumsum(first) - 1]
    before: np.ndarray = amounts[owners] + running - running[starts]
    return before
