"""What a privacy model or risk is: the numbers of a requirement on it, and how it is measured."""

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
    """A number of a requirement: a bound (at least, at most, less than), or a parameter of the measure.

    A parameter has a ``default``, used if nothing is required. A unit is an optional parameter: the base of the
    logarithm of the bound, e if not given.
    """

    name: str
    kind: str
    whole: bool = False
    lowest: float = 0
    highest: float | None = None
    default: int | None = None


@dataclass(frozen=True)
class PrivacyModel:
    """A privacy model or risk, and how it is measured.

    ``reads`` is what its query in sql/privacy reads and returns:

    - ``classes``: one row with all bounds;
    - ``cells``: a row per class, of which the worst counts;
    - ``summary``: one row, from the cells;
    - ``subsets``: the frequency set, once per subset of quasi-identifiers;
    - ``sizes``: the class sizes, from which it is estimated;
    - ``persons``: the persons of the records;
    - ``overlaps``: pairs of classes of two releases;
    - ``kept``: the values of kept columns, for a written file only.

    ``needs`` names the inputs it needs. Properties that searches rely on:

    - ``monotone``: generalizing all records further never makes it worse.
    - ``local``: whether a class meets it depends on that class alone, so suppressing other classes changes nothing.
    - ``absorbing``: a class that meets it still does with any records added, so the records in failing classes never
      grow when all records are generalized further.
    - ``joint``: for several sensitive attributes it is also defined with the others as quasi-identifiers.
    - ``by_value``: it bounds each sensitive value by itself, so it can be required of chosen values only.
    - ``upper_end``: it is estimated, and the upper end of an interval is judged.
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
        """Whether it is decided class by class, so that failing classes can be suppressed."""
        return self.local or self.reads == "cells"

    @property
    def bounds(self) -> tuple[Argument, ...]:
        """The numbers that are measured and compared."""
        return tuple(argument for argument in self.arguments if argument.kind not in (PARAMETER, UNIT))

    @property
    def parameters(self) -> tuple[Argument, ...]:
        """The numbers that define the measure."""
        return tuple(argument for argument in self.arguments if argument.kind in (PARAMETER, UNIT))

    @property
    def defaults(self) -> Mapping[str, int | None]:
        """The parameters used if nothing is required."""
        return {argument.name: argument.default for argument in self.parameters}

    @property
    def at_most(self) -> bool:
        """Whether smaller is safer, by its first bound."""
        return self.bounds[0].kind != AT_LEAST

    def worst(self, reached: Sequence[Mapping[str, float]]) -> dict[str, float]:
        """The worst of each bound over several sensitive attributes."""
        return {
            bound.name: (min if bound.kind == AT_LEAST else max)(one[bound.name] for one in reached)
            for bound in self.bounds
        }


SENSITIVE = frozenset({"sensitive"})
POPULATION = frozenset({"population"})

INPUTS: Mapping[str, str] = {
    "sensitive": "a sensitive attribute (`--sensitive COLUMN`)",
    "order": "a sensitive attribute whose values are all numbers, or all dates, or whose `order` is declared",
    "taxonomy": "the taxonomy of a sensitive attribute (`--taxonomy COLUMN=FILE`)",
    "population": "a table of the population (`--population FILE`)",
    "earlier": "an earlier release of the same people (`--against FILE`)",
    "entity": "the key of a person (`--entity COLUMN`)",
    "sampling_fraction": "the share of the population that is in the release (`--sampling-fraction F`)",
    "kept": "a written release, whose kept columns are counted",
}
"""The inputs that a model can need, and how each is given."""
