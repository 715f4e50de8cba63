"""Level vectors: those one level away from one, and all of them level by level from the roots down."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from anonduck.rules.rule import LevelVector


def one_level_finer(vector: LevelVector, finest: LevelVector = ()) -> Iterator[LevelVector]:
    """The vectors with one level less in one attribute, none under ``finest``."""
    for attribute, (level, least) in enumerate(zip(vector, finest or (0,) * len(vector), strict=True)):
        if level > least:
            yield (*vector[:attribute], level - 1, *vector[attribute + 1 :])


def one_level_coarser(vector: LevelVector, roots: Sequence[int]) -> Iterator[LevelVector]:
    """The vectors with one level more in one attribute."""
    for attribute, (level, root) in enumerate(zip(vector, roots, strict=True)):
        if level < root:
            yield (*vector[:attribute], level + 1, *vector[attribute + 1 :])


def level_by_level(roots: LevelVector, is_open: Callable[[LevelVector], bool]) -> Iterator[LevelVector]:
    """Each vector under the roots whose coarser neighbours are all open, coarser ones first.

    Where a vector that is not open has no open one below it, none is missed: the pruning of Apriori (Agrawal & Srikant
    1994), with levels for items. ``is_open`` is asked of a vector after it was yielded.
    """
    layer: dict[LevelVector, None] = {roots: None}
    while layer:
        finer: dict[LevelVector, None] = {}
        for vector in _candidates(layer, roots):
            yield vector
            if is_open(vector):
                finer[vector] = None
        layer = finer


def _candidates(layer: Collection[LevelVector], roots: LevelVector) -> Iterator[LevelVector]:
    """The vectors one level finer whose coarser neighbours are all in the layer, each once.

    A vector comes from the neighbour that is coarser in the last attribute in which it is under its root.
    """
    for vector in layer:
        last = max((a for a, (level, root) in enumerate(zip(vector, roots, strict=True)) if level < root), default=0)
        for attribute in range(last, len(roots)):
            if vector[attribute]:
                finer = (*vector[:attribute], vector[attribute] - 1, *vector[attribute + 1 :])
                if all(coarser in layer for coarser in one_level_coarser(finer, roots)):
                    yield finer
