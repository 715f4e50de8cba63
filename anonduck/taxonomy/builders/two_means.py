"""Recursive 2-means without chance: the same vectors give the same tree, whatever the machine's threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    Vectors = np.ndarray
    Node = tuple[int, ...]

DEEPEST = 8
AXIS_ROUNDS = 30
LLOYD_ROUNDS = 100


def partitions(vectors: Vectors, deepest: int = DEEPEST) -> list[list[Node]]:
    """Split all rows in two, again and again: the nodes of each depth, the root first (section 6.1).

    A node is the ascending numbers of its rows; nodes stand in the order of their first row. A node of one row, or of
    identical rows, is not split and repeats at the depths below. A last depth of single rows only is left out.
    """
    depths: list[list[Node]] = [[tuple(range(len(vectors)))]]
    while len(depths) <= deepest:
        nodes = sorted(part for node in depths[-1] for part in _split(vectors, node))
        if len(nodes) == len(depths[-1]):
            break
        depths.append(nodes)
    if len(depths) > 1 and all(len(node) == 1 for node in depths[-1]):
        depths.pop()
    return depths


def _split(vectors: Vectors, node: Node) -> list[Node]:
    members = vectors[list(node)]
    if len(node) < 2 or (members == members[0]).all():
        return [node]
    side = _lloyd(members, _axis_side(members))
    halves = [tuple(row for row, at in zip(node, side, strict=True) if at == which) for which in (False, True)]
    return [half for half in halves if half]


def _axis_side(members: Vectors) -> Vectors:
    """On which side of the mean each row lies along the first principal axis (found by power iteration)."""
    import numpy as np

    centred = members - members.mean(axis=0)
    axis = centred[int(np.argmax((centred**2).sum(axis=1).round(12)))]
    for _ in range(AXIS_ROUNDS):
        axis = axis / np.sqrt((axis**2).sum())
        axis = np.einsum("ij,i->j", centred, np.einsum("ij,j->i", centred, axis))
    along = np.einsum("ij,j->i", centred, axis)
    side: Vectors = (along / np.abs(along).max()).round(9) > 0
    return side


def _lloyd(members: Vectors, side: Vectors) -> Vectors:
    """Move each row to the nearer of the two means until none moves; a tie goes to the first mean."""
    for _ in range(LLOYD_ROUNDS):
        first, second = members[~side].mean(axis=0), members[side].mean(axis=0)
        nearer = (((members - first) ** 2).sum(axis=1) - ((members - second) ** 2).sum(axis=1)).round(12) > 0
        if (nearer == side).all() or nearer.all() or not nearer.any():
            break
        side = nearer
    return side
