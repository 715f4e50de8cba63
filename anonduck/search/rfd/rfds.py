"""RFD discovery: all maximal level vectors that admit no class-differing distance pattern.

A level vector L admits a pattern d if d <= L in every attribute: such a pair falls together under the rule. An RFD
``X_phi -> class<=0`` holds on the covered pairs just if L admits no class-differing pattern among them, and it is
minimal just if no level of L can be raised. This is the dualization of an antichain in a product of chains: the
minimal-transversal problem of hypergraphs with levels for vertices.

Vectors are kept as thermometers: an attribute with root r takes r bits, and level v sets the v lowest of them, so that
``d <= L`` is ``d & ~L == 0``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anonduck.rules.rule import LevelVector

if TYPE_CHECKING:
    import numpy as np

LIMB_BITS = 62
CHECKED_MASKS = 4_000_000


@dataclass(frozen=True)
class RfdSet:
    """The RFDs of one coverage as level vectors, and whether they are all there are.

    ``admissible_complete`` says whether at least all admissible ones are there: where the bound cuts the search, a
    second one leaves out every branch whose vectors cannot be admissible any more. ``stopped`` says that the time
    was up first.
    """

    vectors: tuple[LevelVector, ...]
    minimal_patterns: int
    complete: bool
    admissible_complete: bool = True
    stopped: bool = False


def discover_rfds(
    patterns: np.ndarray,
    roots: Sequence[int],
    max_rfds: int,
    admissible: Callable[[LevelVector], bool] | None = None,
    *,
    over: Callable[[], bool] = lambda: False,
) -> RfdSet:
    """All maximal level vectors that admit none of ``patterns``, at most ``max_rfds``; the vector of roots is no RFD.

    Args:
        patterns: distances of class-differing patterns, shape (patterns, attributes).
        roots: root level of each attribute; a vector at the root leaves the attribute out.
        max_rfds: bounds the output; one more vector found marks the result incomplete.
        admissible: a property that a vector loses at most once as its levels fall, such as k >= 5. Where the bound cuts
            the search, up to ``max_rfds`` admissible vectors are searched apart and added.
        over: whether the time is up, which marks the result incomplete too. What was found by then are RFDs; before
            the minimal patterns are known there are none.

    Paper: Caruccio et al. 2022, section 6.1, "RFD Extraction" (the role of DOMINO).
    """
    if len(patterns) == 0:
        return RfdSet((), 0, True)
    scale = Thermometer(roots)
    minimal = minimal_patterns(scale.encode(patterns), over)
    if minimal is None:
        return RfdSet((), 0, False, False, stopped=True)
    found, complete = _bounded(_maximal_vectors(minimal, scale, None, over), max_rfds)
    if complete or admissible is None:
        return RfdSet(tuple(sorted(found)), len(minimal), complete, complete, stopped=not complete and over())
    wanted, all_wanted = _bounded(_maximal_vectors(minimal, scale, admissible, over), max_rfds)
    stopped = not all_wanted and over()
    return RfdSet(tuple(sorted({*found, *wanted})), len(minimal), False, all_wanted, stopped)


def _bounded(vectors: Iterator[LevelVector | None], most: int) -> tuple[list[LevelVector], bool]:
    """At most so many vectors, and whether there are no more; None among them says that there may be."""
    found: list[LevelVector] = []
    for vector in vectors:
        if vector is None or len(found) == most:
            return found, False
        found.append(vector)
    return found, True


class Thermometer:
    """Level vectors as bit masks, in limbs of 62 bits when the levels are many."""

    def __init__(self, roots: Sequence[int]) -> None:
        self.roots = tuple(roots)
        self.places: list[tuple[int, int]] = []
        limb, used = 0, 0
        for root in self.roots:
            if used + root > LIMB_BITS:
                limb, used = limb + 1, 0
            self.places.append((limb, used))
            used += root
        self.limbs = limb + 1

    def encode(self, vectors: np.ndarray) -> np.ndarray:
        """Masks of level vectors, shape (vectors, limbs) int64."""
        import numpy as np

        masks = np.zeros((len(vectors), self.limbs), dtype=np.int64)
        for attribute, (limb, shift) in enumerate(self.places):
            bars = (np.int64(1) << vectors[:, attribute].astype(np.int64)) - 1
            masks[:, limb] |= bars << shift
        return masks

    def decode(self, masks: np.ndarray, attribute: int) -> np.ndarray:
        """Levels of one attribute from masks."""
        import numpy as np

        limb, shift = self.places[attribute]
        levels: np.ndarray = np.bitwise_count((masks[:, limb] >> shift) & ((1 << self.roots[attribute]) - 1))
        return levels


def minimal_patterns(masks: np.ndarray, over: Callable[[], bool] = lambda: False) -> np.ndarray | None:
    """The masks that contain no other mask, each once, fewest levels first; None if the time was up first."""
    import numpy as np

    remaining = np.unique(masks, axis=0)
    weight = np.bitwise_count(remaining).sum(axis=1)
    order = np.argsort(weight, kind="stable")
    remaining, weight = remaining[order], weight[order]
    kept: list[np.ndarray] = []
    while len(remaining):
        lightest = remaining[weight == weight[0]]
        kept.append(lightest)
        left = _without_supersets(remaining, weight, lightest, over)
        if left is None:
            return None
        remaining, weight = left
    return np.concatenate(kept)


def _without_supersets(
    masks: np.ndarray, weight: np.ndarray, of: np.ndarray, over: Callable[[], bool]
) -> tuple[np.ndarray, np.ndarray] | None:
    import numpy as np

    beyond = weight > weight[0]
    masks, weight = masks[beyond], weight[beyond]
    keep = np.ones(len(masks), dtype=bool)
    step = max(1, CHECKED_MASKS // max(1, len(of) * masks.shape[1]))
    for start in range(0, len(masks), step):
        if over():
            return None
        part = masks[start : start + step]
        contained = ((of[None, :, :] & ~part[:, None, :]) == 0).all(axis=2).any(axis=1)
        keep[start : start + step] = ~contained
    return masks[keep], weight[keep]


def _maximal_vectors(
    minimal: np.ndarray,
    scale: Thermometer,
    admissible: Callable[[LevelVector], bool] | None,
    over: Callable[[], bool],
) -> Iterator[LevelVector | None]:
    """Depth-first search that yields each maximal vector once, and None last if the time was up first.

    A node is a vector with a floor under each attribute. A pattern that the vector still admits is excluded by lowering
    one attribute under the pattern's distance; the branches before it keep that attribute at or above the distance
    (the floor), so that branches never meet. Levels only fall along a branch, so a lowered level is final only if
    some pattern is kept out by it alone; a branch in which no pattern can do that any more, at this level or a lower
    one, is cut. Where no pattern is admitted, that test says just that no level can be raised: the vector is maximal.
    """
    import numpy as np

    columns = [scale.decode(minimal, attribute).astype(np.int64) for attribute in range(len(scale.roots))]
    distances = np.column_stack(columns)
    roots = scale.roots
    stack: list[tuple[LevelVector, LevelVector, np.ndarray]] = [(roots, (0,) * len(roots), np.arange(len(minimal)))]
    while stack:
        if over():
            yield None
            return
        levels, floors, admitted = stack.pop()
        if len(admitted) == 0:
            yield levels
            continue
        pattern = _narrowest(distances[admitted], floors)
        branches = []
        raised_floors = list(floors)
        for attribute, distance in enumerate(pattern.tolist()):
            if distance == 0 or floors[attribute] >= distance:
                continue
            lowered = (*levels[:attribute], distance - 1, *levels[attribute + 1 :])
            if _each_lowered_level_can_be_needed(distances, lowered, tuple(raised_floors), roots) and (
                admissible is None or admissible(lowered)
            ):
                still = admitted[distances[admitted, attribute] < distance]
                branches.append((lowered, tuple(raised_floors), still))
            raised_floors[attribute] = max(raised_floors[attribute], distance)
        stack.extend(reversed(branches))


def _narrowest(admitted: np.ndarray, floors: LevelVector) -> np.ndarray:
    """The pattern that leaves the fewest branches."""
    import numpy as np

    branches = (admitted > np.asarray(floors)).sum(axis=1)
    pattern: np.ndarray = admitted[int(np.argmin(branches))]
    return pattern


def _each_lowered_level_can_be_needed(
    distances: np.ndarray, levels: LevelVector, floors: LevelVector, roots: Sequence[int]
) -> bool:
    """Whether each level under its root, or a lower one above its floor, may still be one that cannot be raised."""
    import numpy as np

    over = distances > np.asarray(levels)
    count = over.sum(axis=1)
    near = distances[count <= 1]
    over, count = over[count <= 1], count[count <= 1]
    for attribute, level in enumerate(levels):
        if level == roots[attribute]:
            continue
        distance = near[:, attribute]
        elsewhere = count - over[:, attribute]
        if not ((elsewhere == 0) & (distance > floors[attribute]) & (distance <= level + 1)).any():
            return False
    return True
