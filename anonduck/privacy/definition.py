"""What a privacy model or a risk is: the numbers that are required of it, and how it is measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

AT_LEAST = "at least"
AT_MOST = "at most"
LESS_THAN = "less than"
PARAMETER = "parameter"
UNIT = "unit"


@dataclass(frozen=True)
class Argument:
    """A number of a requirement: a bound (at least, at most, less than), or a parameter of what is measured.

    A parameter has a ``default``, with which the model is measured when nothing is required of it. A unit is a
    parameter that may be left out: the base of the logarithm in which the bound is told, e if none is given.
    """

    name: str
    kind: str
    whole: bool = False
    lowest: float = 0
    highest: float | None = None
    default: int | None = None


@dataclass(frozen=True)
class PrivacyModel:
    """A privacy model or a risk, and how it is measured.

    ``reads`` says what its query in sql/privacy reads and gives: ``classes`` one row of all bounds; ``cells`` a row per
    class, of which the worst counts; ``summary`` one row from the cells; ``subsets`` the frequency set, once per subset
    of quasi-identifiers; ``sizes`` the class sizes, from which it is estimated; ``persons`` whose the records are;
    ``overlaps`` pairs of classes of two releases; ``kept`` the values of kept columns, so that a written file alone is
    asked, and no search. ``needs`` names what must be given. ``monotone``: generalizing all records further never makes
    it worse. ``local``: whether a class meets it depends on that class alone, so that leaving out other classes changes
    nothing. ``absorbing``: a class that meets it still does with any records added, so that the records in classes that
    fail never grow when all are generalized further.
    ``joint``: for several sensitive attributes it is also defined with the others as quasi-identifiers. ``by_value``:
    it bounds what is learned of each sensitive value by itself, so that it can be asked of chosen values alone.
    ``upper_end``: it is estimated, and what is measured and judged is the upper end of an interval.
    """

    name: str
    title: str
    arguments: tuple[Argument, ...]
    reads: str
    formula: str
    source: str
    needs: frozenset[str] = frozenset()
    tables: tuple[str, ...] = ("cells",)
    monotone: bool = True
    local: bool = False
    absorbing: bool = False
    joint: bool = False
    by_value: bool = False
    upper_end: bool = False

    @property
    def class_wise(self) -> bool:
        """Whether it is decided class by class, so that the classes that fail can be left out."""
        return self.local or self.reads == "cells"

    @property
    def bounds(self) -> tuple[Argument, ...]:
        """The numbers that are measured and compared."""
        return tuple(argument for argument in self.arguments if argument.kind not in (PARAMETER, UNIT))

    @property
    def parameters(self) -> tuple[Argument, ...]:
        """The numbers that say what is measured."""
        return tuple(argument for argument in self.arguments if argument.kind in (PARAMETER, UNIT))

    @property
    def defaults(self) -> Mapping[str, int | None]:
        """The parameters with which it is measured when nothing is required."""
        return {argument.name: argument.default for argument in self.parameters}

    @property
    def at_most(self) -> bool:
        """Whether smaller is safer, by its first bound."""
        return self.bounds[0].kind != AT_LEAST

    def worst(self, reached: Sequence[Mapping[str, float]]) -> dict[str, float]:
        """Of what several sensitive attributes reach, the worst of each bound."""
        return {
            bound.name: (min if bound.kind == AT_LEAST else max)(one[bound.name] for one in reached)
            for bound in self.bounds
        }


SENSITIVE = frozenset({"sensitive"})
POPULATION = frozenset({"population"})

INPUTS: Mapping[str, str] = {
    "sensitive": "a sensitive attribute (`sensitive=[COLUMN]`)",
    "order": "a sensitive attribute whose values are all numbers, or all dates",
    "taxonomy": "the taxonomy of a sensitive attribute (`taxonomies={COLUMN: FILE}`)",
    "population": "a table of the population (`population=FILE`)",
    "earlier": "an earlier release of the same people (`against=FILE`)",
    "entity": "the key of a person (`entity=COLUMN`)",
    "sampling_fraction": "the share of the population that is in the release (`sampling_fraction=F`)",
    "kept": "a written release, whose kept columns are counted",
}
"""What a model can need, and how it is given."""
