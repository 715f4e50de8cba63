"""Joining rules: Definition 6 and Algorithm 1 of Caruccio et al. 2022."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from anonduck.rules.rule import LevelVector

if TYPE_CHECKING:
    import numpy as np

Admissible = Callable[[LevelVector], bool]


@dataclass
class JoinResult:
    """What a coverage's rules join to: each new vector with its first parents, rounds, and whether that is all.

    ``per_round`` counts new rules of each round, the last one 0 when nothing new was found; ``left`` counts
    candidates that a bound left unmeasured in the round that it ended, ``stopped`` says that it was the
    limits of the whole search that ended it.
    """

    parents: dict[LevelVector, tuple[LevelVector, LevelVector]] = field(default_factory=dict)
    per_round: list[int] = field(default_factory=list)
    complete: bool = True
    left: int = 0
    stopped: bool = False


def join_rules(
    extracted: Sequence[LevelVector],
    roots: Sequence[int],
    admissible: Admissible,
    max_rules: int,
    *,
    over: Callable[[], bool] = lambda: False,
) -> JoinResult:
    """Algorithm 1 from its line 12: join the rules of the last round pairwise until nothing new is admissible.

    Args:
        extracted: vectors of the rules to start from, all of them admissible.
        roots: root level of each attribute.
        admissible: whether a vector meets the threshold on k; asked once per new vector.
        max_rules: bounds extracted and joined rules together; reaching it marks the result incomplete.
        over: whether the time is up, which marks the result incomplete too.
    """
    result = JoinResult()
    known = set(extracted)
    refused: set[LevelVector] = set()
    last = list(dict.fromkeys(extracted))
    while last:
        fresh: list[LevelVector] = []
        candidates = _candidates(last, roots, over)
        for number, (vector, parents) in enumerate(candidates):
            if vector in known or vector in refused:
                continue
            if len(known) >= max_rules or over():
                result.complete = False
                result.stopped = len(known) < max_rules
                result.left = sum(v not in known and v not in refused for v, _ in candidates[number:])
                result.per_round.append(len(fresh))
                return result
            if not admissible(vector):
                refused.add(vector)
                continue
            known.add(vector)
            fresh.append(vector)
            result.parents[vector] = parents
        result.per_round.append(len(fresh))
        last = fresh
    return result


def _candidates(
    rules: Sequence[LevelVector], roots: Sequence[int], over: Callable[[], bool]
) -> list[tuple[LevelVector, tuple[LevelVector, LevelVector]]]:
    """Each vector that two compatible rules join to, once, with its first two parents; some of them if time is up."""
    import numpy as np

    matrix = np.asarray(rules, dtype=np.int16)
    top = np.asarray(roots, dtype=np.int16)
    found: dict[LevelVector, tuple[LevelVector, LevelVector]] = {}
    for i in range(len(rules) - 1):
        if found and over():
            break
        for j, vector in _joined_with(matrix, i, top):
            found.setdefault(vector, (rules[i], rules[j]))
    return list(found.items())


def _joined_with(matrix: np.ndarray, i: int, top: np.ndarray) -> list[tuple[int, LevelVector]]:
    """The vectors that rule ``i`` joins to with the later rules compatible with it."""
    import numpy as np

    one, others = matrix[i], matrix[i + 1 :]
    fits = ((others == one) | (others == top) | (one == top)).all(axis=1)
    vectors = np.minimum(others[fits], one)
    return [(i + 1 + int(j), tuple(v)) for j, v in zip(np.flatnonzero(fits), vectors.tolist(), strict=True)]


class MonotoneProperty:
    """Whether vectors have a property that no finer vector regains, such as k >= 5: asked of ``holds`` only where no
    coarser vector was found without it."""

    def __init__(self, holds: Admissible) -> None:
        self.holds = holds
        self.failed: list[LevelVector] = []
        self._failed_array: np.ndarray | None = None

    def __call__(self, vector: LevelVector) -> bool:
        """Whether the vector has the property."""
        if self._is_below_a_failed_one(vector):
            return False
        if self.holds(vector):
            return True
        self.failed.append(vector)
        self._failed_array = None
        return False

    def _is_below_a_failed_one(self, vector: LevelVector) -> bool:
        import numpy as np

        if not self.failed:
            return False
        if self._failed_array is None:
            self._failed_array = np.asarray(self.failed, dtype=np.int16)
        return bool((self._failed_array >= np.asarray(vector, dtype=np.int16)).all(axis=1).any())
