"""A C4.5 tree on nominal values: each split has one branch per value, as J48 grows it where numbers are read as names.

A check for docs/real-data.md, not a model of anonduck: the paper's baseline accuracies may come from such a tree. After
Quinlan's C4.5 (1993): gain ratio among attributes of at least average gain, two branches of two records or more,
pessimistic pruning at a confidence of 0.25 by replacing subtrees; a value that a node never saw takes its majority.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

LEAST_RECORDS = 2
Z = 0.6744897501960817  # the normal quantile of 1 - 0.25


@dataclass
class Node:
    """A majority class, and for an inner node the attribute that it splits by and a child for each value seen."""

    majority: int
    errors: float
    attribute: int = -1
    children: dict[int, Node] = field(default_factory=dict)


def cross_validated_accuracy(codes: np.ndarray, classes: np.ndarray, folds: np.ndarray) -> float:
    """The share of records predicted right by trees that were grown on the other folds.

    ``codes`` (cells, attributes) values as numbers from 0, ``classes`` (cells,), ``folds`` (cells, folds) records.
    """
    right = 0
    for fold in range(folds.shape[1]):
        weights = folds.sum(axis=1) - folds[:, fold]
        trained = np.flatnonzero(weights)
        root = grow(codes[trained], classes[trained], weights[trained])
        for cell in np.flatnonzero(folds[:, fold]):
            right += int(folds[cell, fold]) * (predict(root, codes[cell]) == classes[cell])
    return right / int(folds.sum())


def grow(codes: np.ndarray, classes: np.ndarray, weights: np.ndarray) -> Node:
    """Grow and prune the tree of some weighted cells."""
    counts = np.bincount(classes, weights=weights)
    majority, total = int(counts.argmax()), float(counts.sum())
    wrong = total - float(counts.max())
    leaf = Node(majority, wrong + extra_errors(total, wrong))
    if wrong == 0 or total < 2 * LEAST_RECORDS:
        return leaf
    attribute = best_attribute(codes, classes, weights)
    if attribute < 0:
        return leaf
    order = np.argsort(codes[:, attribute], kind="stable")
    values, starts = np.unique(codes[order, attribute], return_index=True)
    node = Node(majority, 0.0, attribute)
    for value, part in zip(values.tolist(), np.split(order, starts[1:]), strict=True):
        node.children[value] = grow(codes[part], classes[part], weights[part])
    node.errors = sum(child.errors for child in node.children.values())
    return leaf if leaf.errors <= node.errors + 0.1 else node


def best_attribute(codes: np.ndarray, classes: np.ndarray, weights: np.ndarray) -> int:
    """The attribute of the best gain ratio among those of at least average gain; -1 where none splits."""
    before = entropy(np.bincount(classes, weights=weights)[None, :])
    gains, ratios = np.full(codes.shape[1], -1.0), np.full(codes.shape[1], -1.0)
    for attribute in range(codes.shape[1]):
        table = crossed(codes[:, attribute], classes, weights)
        sizes = table.sum(axis=1)
        if (sizes >= LEAST_RECORDS).sum() < 2:
            continue
        gain = (before - entropy(table)) / sizes.sum()
        split = entropy(sizes[None, :]) / sizes.sum()
        if gain > 1e-9 and split > 0:
            gains[attribute], ratios[attribute] = gain, gain / split
    useful = gains > 0
    if not useful.any():
        return -1
    ratios[gains < gains[useful].mean() - 1e-3] = -1.0
    return int(ratios.argmax())


def crossed(values: np.ndarray, classes: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Records by value (those that occur) and class."""
    _, rows = np.unique(values, return_inverse=True)
    width = int(classes.max()) + 1
    counts = np.bincount(rows * width + classes, weights=weights, minlength=(int(rows.max()) + 1) * width)
    return counts.reshape(-1, width)


def entropy(table: np.ndarray) -> float:
    """The summed entropy of the rows of a table of counts, each times its records, in bits."""
    sizes = table.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.where(table > 0, table * np.log2(table / sizes), 0.0)
    return float(-parts.sum())


def extra_errors(total: float, wrong: float) -> float:
    """The errors that C4.5 adds to a leaf: up to the upper confidence limit of its error rate."""
    if total == 0:
        return 0.0
    if wrong < 1:
        base = total * (1 - 0.25 ** (1 / total))
        return base if wrong == 0 else base + wrong * (extra_errors(total, 1.0) - base)
    if wrong + 0.5 >= total:
        return max(total - wrong, 0.0)
    rate = (wrong + 0.5) / total
    spread = Z * np.sqrt(rate / total - rate * rate / total + Z * Z / (4 * total * total))
    return float((rate + Z * Z / (2 * total) + spread) / (1 + Z * Z / total) * total - wrong)


def predict(node: Node, values: np.ndarray) -> int:
    """The class of a record."""
    while node.attribute >= 0:
        child = node.children.get(int(values[node.attribute]))
        if child is None:
            break
        node = child
    return node.majority
