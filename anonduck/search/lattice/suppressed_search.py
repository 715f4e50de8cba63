"""The best level vectors that leaving out a share of the records makes possible: a local search that is cheap.

Steepest ascent: from the best of the vectors to start from, and from each attribute alone, down to finer ones, for as
long as few enough records are in classes that fail and a measure rises; then sideways, one attribute up and another one
down, and on from there. What comes out is the best found, not proven to be the best there is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from operator import ge

from anonduck.rules.levels import one_level_coarser, one_level_finer
from anonduck.rules.rule import LevelVector

FOLLOWED = 2  # of the vectors given to start from, the best ones that are followed
GAINED = 1e-12  # what a measure must rise by, over the rounding of sums


@dataclass(frozen=True)
class SuppressedVector:
    """What a look at a level vector shows: the records in classes that fail, and what the rule measures without them.

    ``measures``: larger is better; empty where too many records fail, or all. ``k`` is that of the others.
    """

    failing: int
    measures: tuple[float, ...] = ()
    k: int = 0


@dataclass(eq=False)
class Climb:
    """The search by one measure, number ``measure`` of ``SuppressedVector.measures``, where up to ``allowed`` records
    may be left out.

    ``look`` is asked more than once of a vector; ``over`` says whether the work is done that may be. No
    vector is looked at that is finer than ``finest`` in an attribute.
    """

    roots: LevelVector
    look: Callable[[LevelVector], SuppressedVector]
    measure: int
    allowed: int
    over: Callable[[], bool]
    finest: LevelVector = ()
    floor: LevelVector = field(init=False)

    def __post_init__(self) -> None:
        self.floor = tuple(self._finest(attribute) for attribute in range(len(self.roots)))
        self.look(self.floor)  # what is rolled up to it is what all others are rolled up from

    def best(self, starts: Iterable[LevelVector]) -> LevelVector | None:
        """The best vector reached from the starts or from any attribute alone; None if all fail."""
        given = self._ranked({start for start in starts if self._stands(start)})[:FOLLOWED]
        alone = [start for start in self._alone() if self._stands(start)]
        ends = {self._down(start) for start in dict.fromkeys([*given, *alone])}
        return self._first(self._sideways(end) for end in self._ranked(ends))

    def _alone(self) -> Iterator[LevelVector]:
        for attribute, level in enumerate(self.floor):
            yield self._with(attribute, level)

    def _with(self, attribute: int, level: int) -> LevelVector:
        return (*self.roots[:attribute], level, *self.roots[attribute + 1 :])

    def _finest(self, attribute: int) -> int:
        """The finest level of an attribute alone at which few enough records fail; no vector has a finer one."""
        root, least = self.roots[attribute], self.finest[attribute] if self.finest else 0
        return next((level for level in range(least, root) if self._stands(self._with(attribute, level))), root)

    def _finer(self, vector: LevelVector) -> Iterator[LevelVector]:
        return (one for one in one_level_finer(vector) if all(map(ge, one, self.floor)))

    def _stands(self, vector: LevelVector) -> bool:
        if vector == self.roots:
            return False
        seen = self.look(vector)
        return bool(seen.measures) and seen.failing <= self.allowed

    def _value(self, vector: LevelVector) -> float:
        return self.look(vector).measures[self.measure]

    def _ranked(self, vectors: Iterable[LevelVector]) -> list[LevelVector]:
        """By falling value; of equal ones, that with fewer records left out first."""
        return sorted(vectors, key=lambda one: (-round(self._value(one), 12), self.look(one).failing, one))

    def _first(self, vectors: Iterable[LevelVector]) -> LevelVector | None:
        return next(iter(self._ranked(vectors)), None)

    def _better(self, than: LevelVector, vectors: Iterable[LevelVector]) -> Iterator[LevelVector]:
        least = self._value(than) + GAINED
        for vector in vectors:
            if self.over():
                return
            if self._stands(vector) and self._value(vector) > least:
                yield vector

    def _down(self, vector: LevelVector) -> LevelVector:
        while (finer := self._first(self._better(vector, self._finer(vector)))) is not None:
            vector = finer
        return vector

    def _sideways(self, vector: LevelVector) -> LevelVector:
        """On from a vector that no finer one betters, through those one level coarser in one attribute."""
        while (better := self._exchanged(vector) or self._deeper(vector)) is not None:
            vector = self._down(better)
        return vector

    def _exchanged(self, vector: LevelVector) -> LevelVector | None:
        """The best with one level more in an attribute and one less in another."""
        exchanged = (
            finer
            for coarser in one_level_coarser(vector, self.roots)
            for finer in self._finer(coarser)
            if finer != vector
        )
        return self._first(self._better(vector, exchanged))

    def _deeper(self, vector: LevelVector) -> LevelVector | None:
        """The first better one that is reached from a coarser one by the way down."""
        for coarser in one_level_coarser(vector, self.roots):
            if self.over():
                return None
            if self._stands(coarser):
                found = self._down(coarser)
                if self._value(found) > self._value(vector) + GAINED:
                    return found
        return None


def unbeaten(vectors: Iterable[LevelVector], look: Callable[[LevelVector], SuppressedVector]) -> list[LevelVector]:
    """The vectors that no other one beats in k and all measures; the best by each measure come first.

    Of equal ones, that which leaves out the fewest records is taken.
    """
    points = {one: (*(round(value, 12) for value in look(one).measures), look(one).k) for one in vectors}
    kept: dict[tuple[float, ...], LevelVector] = {}
    for vector in sorted(points, key=lambda one: (tuple(-value for value in points[one]), look(one).failing, one)):
        if not any(_covers(other, points[vector]) for other in kept):  # what beats a vector comes before it
            kept[points[vector]] = vector
    measures = range(len(next(iter(kept))) - 1 if kept else 0)
    leading = [max(kept, key=lambda point: (point[at], point)) for at in measures]
    return [kept[point] for point in dict.fromkeys([*leading, *kept])]


def _covers(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return all(a >= b for a, b in zip(one, other, strict=True))
