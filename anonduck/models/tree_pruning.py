"""Cost-complexity pruning of grown trees (Breiman et al. 1984, chapter 3), all alphas at once.

At ``alpha`` a split is kept where it lowers the entropy of all records by more than ``alpha`` bits, on average over the
splits of the best subtree that it opens. So each split has one alpha from which on it is pruned, and no split has a
larger one than those above it: the weakest links in their order. It is found by pooling: of the groups of splits below
a node, the ones that gain more on average than the node's own group join that, the best ones first.

A tree names classes by one subtree and ranks by another. The subtree that is right most often is small, down to the
root alone where most records have one class: it ranks hardly anybody. So records are ranked by the subtree with the
best log loss, and of equal ones by the largest, with the class shares of its leaves moved towards equal ones (Provost
and Domingos 2003, Tree induction for probability-based ranking: no pruning by accuracy, and Laplace's correction).
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


def held_records(grown: GrownTrees, truth: np.ndarray, records: np.ndarray) -> np.ndarray:
    """The predicted ``records`` (cells, parts) that fall into each node, by class: (nodes, parts, classes)."""
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
    return held


def right_when_pruned(grown: GrownTrees, held: np.ndarray) -> np.ndarray:
    """By how many of the records ``held`` in each node, (nodes, parts, classes), it is right for more, or fewer, as a
    leaf than its children are as leaves: (nodes, parts), 0 for leaves."""
    return _gained(grown, held[np.arange(len(held)), :, grown.counts.argmax(axis=1)])


def likelier_when_pruned(grown: GrownTrees, held: np.ndarray) -> np.ndarray:
    """By how many bits the classes of the records ``held`` in each node are likelier by its smoothed shares than by
    those of its children: (nodes, parts), 0 for leaves."""
    return _gained(grown, np.einsum("npc,nc->np", held, np.log2(smoothed(grown.counts))))


def smoothed(counts: np.ndarray) -> np.ndarray:
    """The share of each class among records counted by class, (..., classes), with one record more of each (Laplace).

    >>> smoothed(np.array([[0.0, 2.0], [0.0, 98.0]])).round(2).tolist()
    [[0.25, 0.75], [0.01, 0.99]]
    """
    more: np.ndarray = counts + 1
    shares: np.ndarray = more / more.sum(axis=-1, keepdims=True)
    return shares


def _gained(grown: GrownTrees, scores: np.ndarray) -> np.ndarray:
    """How much more each node, (nodes, parts), scores as a leaf than its children do as leaves; 0 for leaves."""
    change: np.ndarray = np.where(grown.inner[:, None], scores, 0.0)
    below = grown.levels[1]
    np.subtract.at(change, grown.parents[below:], scores[below:])
    return change


def untuned_alpha(records: float) -> float:
    """The alpha where a training part has too few folds to choose one by, in bits of a record: log2(n) / n.

    A split then has to gain log2(n) bits of all n records together: 5e-4 a record for 30,000 records, 8e-3 for 1,300.
    """
    return float(np.log2(records) / records) if records > 1 else 0.0


def best_alpha(tried: np.ndarray, alphas: np.ndarray, changes: np.ndarray, *, largest: bool = True) -> float:
    """The alpha of those tried, in order, at which the score is best; of equal ones the largest, or the smallest.

    ``alphas`` are those from which on some nodes are pruned, ``changes`` by how much the score is better then, such as
    by how many more records are right.
    """
    order = np.argsort(alphas, kind="stable")
    scores = np.r_[0.0, np.cumsum(changes[order])][np.searchsorted(alphas[order], tried, side="right")]
    return float(tried[len(scores) - 1 - scores[::-1].argmax() if largest else scores.argmax()])


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
