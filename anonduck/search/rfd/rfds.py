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
CHECKED_MASKS = 1 << 17  # pairs of masks that are compared at once, as many as a processor's cache holds
LEAST_LEFT_OUT = 16  # a bit divides pairs if it leaves out one of so many,
SPREAD = 256  # as far as so many masks of either side show
STEP = 4_000  # comparisons that take as long as what a step of a search does beside these
ADMITTED = -1  # in place of the attribute that keeps a pattern out


@dataclass(frozen=True)
class RfdSet:
    """The RFDs of one coverage as level vectors, and whether they are all there are.

    ``admissible_complete`` says whether at least all admissible ones are there: where the bound cuts the search, a
    second one leaves out every branch whose vectors cannot be admissible any more. ``stopped`` says that a limit
    ended it first.
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
    spend: Callable[[int], None] = lambda comparisons: None,
) -> RfdSet:
    """All maximal level vectors that admit none of ``patterns``, at most ``max_rfds``; the vector of roots is no RFD.

    Args:
        patterns: distances of class-differing patterns, shape (patterns, attributes).
        roots: root level of each attribute; a vector at the root leaves the attribute out.
        max_rfds: bounds the output; one more vector found marks the result incomplete.
        admissible: a property that a vector loses at most once as its levels fall, such as k >= 5. Where the bound cuts
            the search, up to ``max_rfds`` admissible vectors are searched apart and added.
        over: whether the search is to end, which marks the result incomplete too. What was found by then are RFDs;
            before the minimal patterns are known there are none.
        spend: receives how many comparisons of patterns were made since it was called last.

    Paper: Caruccio et al. 2022, section 6.1, "RFD Extraction" (the role of DOMINO).
    """
    if len(patterns) == 0:
        return RfdSet((), 0, True)
    scale = Thermometer(roots)
    minimal = minimal_patterns(scale.encode(patterns), over, spend)
    if minimal is None:
        return RfdSet((), 0, False, False, stopped=True)
    found, complete = _bounded(_maximal_vectors(minimal, scale, None, over, spend), max_rfds)
    if complete or admissible is None:
        return RfdSet(tuple(sorted(found)), len(minimal), complete, complete, stopped=not complete and over())
    wanted, all_wanted = _bounded(_maximal_vectors(minimal, scale, admissible, over, spend), max_rfds)
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


def minimal_patterns(
    masks: np.ndarray,
    over: Callable[[], bool] = lambda: False,
    spend: Callable[[int], None] = lambda comparisons: None,
) -> np.ndarray | None:
    """The masks that contain no other mask, each once, fewest levels first; None if ``over`` ended it first."""
    import numpy as np

    remaining = np.unique(masks, axis=0)
    weight = np.bitwise_count(remaining).sum(axis=1)
    order = np.argsort(weight, kind="stable")
    remaining, weight = remaining[order], weight[order]
    kept: list[np.ndarray] = []
    while len(remaining):
        lightest = remaining[weight == weight[0]]
        kept.append(lightest)
        left = _without_supersets(remaining, weight, lightest, over, spend)
        if left is None:
            return None
        remaining, weight = left
    return np.concatenate(kept)


def _without_supersets(
    masks: np.ndarray,
    weight: np.ndarray,
    of: np.ndarray,
    over: Callable[[], bool],
    spend: Callable[[int], None],
) -> tuple[np.ndarray, np.ndarray] | None:
    """The masks that are heavier than the first and contain none of ``of``; None if ``over`` ended it first."""
    beyond = weight > weight[0]
    masks, weight = masks[beyond], weight[beyond]
    contained = _containing(masks, of, over, spend)
    return None if contained is None else (masks[~contained], weight[~contained])


def _containing(
    masks: np.ndarray, of: np.ndarray, over: Callable[[], bool], spend: Callable[[int], None]
) -> np.ndarray | None:
    """Which ``masks`` contain one of ``of``; None if ``over`` ended it first.

    One that has a bit is contained only where that bit is set. So the pairs are divided at the bit that leaves out most
    of them, again and again, until they are few or no bit helps.
    """
    import numpy as np

    found = np.zeros(len(masks), dtype=bool)
    pairs = [(np.arange(len(masks)), np.arange(len(of)))]
    while pairs:
        if over():
            return None
        holders, held = pairs.pop()
        holders = holders[~found[holders]]
        number = len(holders) * len(held)
        spend(STEP + len(holders) + len(held))
        if number == 0:
            continue
        limb, bit, left_out = _dividing_bit(masks[_spread(holders)], of[_spread(held)])
        if number > CHECKED_MASKS and left_out * LEAST_LEFT_OUT >= 1:
            has = of[held, limb] & bit != 0
            may = masks[holders, limb] & bit != 0
            pairs += [(holders, held[~has]), (holders[may], held[has])]
            continue
        spend(number)
        step = max(1, CHECKED_MASKS // len(held))
        for start in range(0, len(holders), step):
            some = holders[start : start + step]
            found[some] = _contain_one(masks[some], of[held])
    return found


def _spread(places: np.ndarray) -> np.ndarray:
    """Some of the places, from all over them."""
    return places[:: 1 + len(places) // SPREAD]


def _dividing_bit(masks: np.ndarray, of: np.ndarray) -> tuple[int, np.int64, float]:
    """The limb and bit that some of ``of`` have and ``masks`` lack in most pairs, and the share of these."""
    import numpy as np

    bits = np.int64(1) << np.arange(LIMB_BITS)
    lacking = (masks[:, :, None] & bits == 0).mean(axis=0)
    left_out = lacking * (of[:, :, None] & bits != 0).mean(axis=0)
    limb, place = np.unravel_index(int(left_out.argmax()), left_out.shape)
    return int(limb), bits[place], float(left_out[limb, place])


def _contain_one(masks: np.ndarray, of: np.ndarray) -> np.ndarray:
    """Which ``masks`` contain one of ``of``, pair by pair."""
    contained = (of[:, 0] & ~masks[:, 0, None]) == 0
    for limb in range(1, masks.shape[1]):
        contained &= (of[:, limb] & ~masks[:, limb, None]) == 0
    found: np.ndarray = contained.any(axis=1)
    return found


def _maximal_vectors(
    minimal: np.ndarray,
    scale: Thermometer,
    admissible: Callable[[LevelVector], bool] | None,
    over: Callable[[], bool],
    spend: Callable[[int], None],
) -> Iterator[LevelVector | None]:
    """Depth-first search that yields each maximal vector once, and None last if ``over`` ended it first.

    A node is a vector with a floor under each attribute. A pattern that the vector still admits is excluded by lowering
    one attribute under the pattern's distance; the branches before it keep that attribute at or above the distance
    (the floor), so that branches never meet. Levels only fall along a branch, so a lowered level is final only if
    some pattern is kept out by it alone; a branch in which no pattern can do that any more, at this level or a lower
    one, is cut. Where no pattern is admitted, that test says just that no level can be raised: the vector is maximal.
    """
    import numpy as np

    columns = [scale.decode(minimal, attribute).astype(np.int16) for attribute in range(len(scale.roots))]
    distances = np.column_stack(columns)
    roots = scale.roots
    everything = _Near(np.arange(len(minimal)), np.full(len(minimal), ADMITTED, dtype=np.int16))
    stack: list[tuple[LevelVector, LevelVector, _Near, int | None]] = [(roots, (0,) * len(roots), everything, None)]
    while stack:
        if over():
            yield None
            return
        levels, floors, near, attribute = stack.pop()
        spend(STEP + len(near.places))
        if attribute is not None:
            near = near.lowered(attribute, columns[attribute], levels[attribute])
            lowered = [one for one, level in enumerate(levels) if level < roots[one]]
            spend(len(near.places) * len(lowered))
            if not all(near.needs(one, columns[one], levels[one], floors[one]) for one in lowered):
                continue
            if admissible is not None and not admissible(levels):
                continue
        admitted = near.places[near.alone == ADMITTED]
        if len(admitted) == 0:
            yield levels
            continue
        branches: list[tuple[LevelVector, LevelVector, _Near, int | None]] = []
        raised = list(floors)
        for attribute, distance in enumerate(_narrowest(distances[admitted], floors).tolist()):
            if distance > floors[attribute]:
                below = (*levels[:attribute], distance - 1, *levels[attribute + 1 :])
                branches.append((below, tuple(raised), near, attribute))
                raised[attribute] = distance
        stack.extend(reversed(branches))


@dataclass(frozen=True, eq=False)
class _Near:
    """The patterns that at most one attribute keeps out: their places, and which attribute does, ADMITTED for none.

    Those that two attributes keep out stay so as levels fall, and no level is needed because of them.
    """

    places: np.ndarray
    alone: np.ndarray

    def lowered(self, attribute: int, distances: np.ndarray, level: int) -> _Near:
        """What is left of them once ``attribute`` has fallen to ``level``."""
        import numpy as np

        out = distances[self.places] > level
        left = ~out | (self.alone == ADMITTED) | (self.alone == attribute)
        alone = np.where(out, np.int16(attribute), self.alone)
        return _Near(self.places[left], alone[left])

    def needs(self, attribute: int, distances: np.ndarray, level: int, floor: int) -> bool:
        """Whether some pattern may be kept out by this attribute alone, at its level or a lower one above its floor."""
        may = distances[self.places[(self.alone == ADMITTED) | (self.alone == attribute)]]
        return bool(((may > floor) & (may <= level + 1)).any())


def _narrowest(admitted: np.ndarray, floors: LevelVector) -> np.ndarray:
    """The pattern that leaves the fewest branches."""
    import numpy as np

    branches = (admitted > np.asarray(floors)).sum(axis=1)
    pattern: np.ndarray = admitted[int(np.argmin(branches))]
    return pattern
