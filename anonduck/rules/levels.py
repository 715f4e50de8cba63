"""Level vectors that are one level away from one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
