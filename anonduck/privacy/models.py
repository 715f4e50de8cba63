"""The privacy models and risks: one entry each, with its formula, its source and what is known about it.

In the formulas a class is an equivalence class of n records; p(s) is the share of the sensitive value s in the class
and q(s) its share in the whole release; r_1 >= r_2 >= ... are the records of the class's values.
"""

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
class Model:
    """A privacy model or a risk, and how it is measured.

    ``reads`` says what its query in sql/privacy reads and gives: ``classes`` one row of all bounds; ``cells`` a row per
    class, of which the worst counts; ``summary`` one row from the cells; ``subsets`` the frequency set, once per subset
    of quasi-identifiers; ``sizes`` the class sizes, from which it is estimated; ``overlaps`` pairs of classes of two
    releases. ``needs`` names what must be given.
    ``monotone``: generalizing all records further never makes it worse. ``local``: whether a class meets it depends on
    that class alone, so that leaving out other classes changes nothing. ``absorbing``: a class that meets it still does
    with any records added, so that the records in classes that fail never grow when all are generalized further.
    ``joint``: for several sensitive attributes it is also defined with the others as quasi-identifiers. ``by_value``:
    it bounds what is learned of each sensitive value by itself, so that it can be asked of chosen values alone.
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


def _whole(name: str) -> tuple[Argument, ...]:
    return (Argument(name, AT_LEAST, whole=True, lowest=1),)


def _at_least(name: str) -> tuple[Argument, ...]:
    return (Argument(name, AT_LEAST, lowest=1),)


def _at_most(name: str, highest: float | None = None) -> tuple[Argument, ...]:
    return (Argument(name, AT_MOST, highest=highest),)


_ALL = (
    Model(
        "k",
        "k-anonymity",
        _whole("k"),
        "classes",
        "min over classes of n",
        "Samarati 2001, Sweeney 2002; over persons: distinct values of the entity column",
        tables=("classes",),
        local=True,
        absorbing=True,
    ),
    Model(
        "l",
        "distinct l-diversity",
        _whole("l"),
        "cells",
        "min over classes of the number of distinct s",
        "Machanavajjhala et al. 2007",
        SENSITIVE,
        local=True,
        absorbing=True,
        joint=True,
    ),
    Model(
        "entropy_l",
        "entropy l-diversity",
        _at_least("entropy_l"),
        "cells",
        "min over classes of exp(-sum over s of p(s) ln p(s))",
        "Machanavajjhala et al. 2007",
        SENSITIVE,
        local=True,
        joint=True,
    ),
    Model(
        "recursive_l",
        "recursive (c,l)-diversity",
        (Argument("l", PARAMETER, whole=True, lowest=2, default=2), Argument("c", LESS_THAN)),
        "cells",
        "max over classes of r_1 / (r_l + r_(l+1) + ... + r_m), which must be less than c",
        "Machanavajjhala et al. 2007",
        SENSITIVE,
        local=True,
        joint=True,
    ),
    Model(
        "frequency_l",
        "l-diversity by frequency",
        _at_least("frequency_l"),
        "cells",
        "min over classes of 1 / max over s of p(s)",
        "Wong et al. 2006, Xiao and Tao 2006",
        SENSITIVE,
        local=True,
        joint=True,
    ),
    Model(
        "alpha",
        "alpha of (alpha,k)-anonymity",
        _at_most("alpha", 1),
        "cells",
        "max over classes and s of p(s)",
        "Wong et al. 2006",
        SENSITIVE,
        local=True,
        by_value=True,
    ),
    Model(
        "t",
        "t-closeness, equal distance",
        _at_most("t", 1),
        "cells",
        "max over classes of 1/2 sum over s of |p(s) - q(s)|",
        "Li et al. 2007, section 5.2",
        SENSITIVE,
    ),
    Model(
        "t_ordered",
        "t-closeness, ordered distance",
        _at_most("t_ordered", 1),
        "cells",
        "max over classes of 1/(m-1) sum over i of |sum over j <= i of (p(s_j) - q(s_j))|, s_1 < ... < s_m",
        "Li et al. 2007, section 5.1",
        frozenset({"sensitive", "order"}),
        ("cells", "ranks"),
    ),
    Model(
        "t_hierarchical",
        "t-closeness, hierarchical distance",
        _at_most("t_hierarchical", 1),
        "cells",
        "max over classes of sum over inner nodes N of height(N)/H min(excess(N), lack(N)), of N's children",
        "Li et al. 2007, section 5.2",
        frozenset({"sensitive", "taxonomy"}),
        ("cells", "paths"),
    ),
    Model(
        "beta",
        "basic beta-likeness",
        _at_most("beta"),
        "cells",
        "max over classes and s of (p(s) - q(s)) / q(s)",
        "Cao and Karras 2012",
        SENSITIVE,
        by_value=True,
    ),
    Model(
        "enhanced_beta",
        "enhanced beta-likeness",
        _at_most("enhanced_beta"),
        "cells",
        "max over classes and s of (p(s) - q(s)) / q(s); infinite where that exceeds -ln q(s)",
        "Cao and Karras 2012",
        SENSITIVE,
        by_value=True,
    ),
    Model(
        "delta_disclosure",
        "delta-disclosure privacy",
        (Argument("delta", AT_MOST), Argument("log", UNIT, whole=True, lowest=2)),
        "cells",
        "max over classes and s of |log(p(s) / q(s))|, to the base e if none is given; infinite where a class lacks s",
        "Brickell and Shmatikov 2008",
        SENSITIVE,
        by_value=True,
    ),
    Model(
        "lkc",
        "LKC-privacy",
        (
            Argument("l", PARAMETER, whole=True, lowest=1, default=2),
            Argument("k", AT_LEAST, whole=True, lowest=1),
            Argument("c", AT_MOST, highest=1),
        ),
        "subsets",
        "over all groups that agree in L quasi-identifiers: min records >= K, max p(s) <= C",
        "Mohammed et al. 2009",
        SENSITIVE,
        by_value=True,
    ),
    Model(
        "k_map",
        "k-map",
        _whole("k_map"),
        "classes",
        "min over released classes of F, the persons of the population in the class",
        "Sweeney 2001",
        POPULATION,
        tables=("classes",),
    ),
    Model(
        "delta_presence",
        "delta-presence",
        (Argument("min", AT_LEAST, highest=1), Argument("max", AT_MOST, highest=1)),
        "classes",
        "min and max over the population's classes of n / F",
        "Nergiz et al. 2007",
        POPULATION,
        tables=("classes",),
    ),
    Model(
        "prosecutor_risk",
        "prosecutor risk",
        (Argument("highest", AT_MOST, highest=1),),
        "classes",
        "max over classes of 1/n; average over records of 1/n; share of records with 1/n over the threshold",
        "El Emam 2013",
        tables=("classes",),
        local=True,
        absorbing=True,
    ),
    Model(
        "journalist_risk",
        "journalist risk",
        (Argument("highest", AT_MOST, highest=1),),
        "classes",
        "max over classes of 1/F; max(J / sum of F, average over records of 1/F); share of records over the threshold",
        "El Emam 2013",
        POPULATION,
        tables=("classes",),
    ),
    Model(
        "marketer_risk",
        "marketer risk",
        (Argument("average", AT_MOST, highest=1),),
        "classes",
        "average over records of 1/F; of 1/n without a population",
        "El Emam 2013",
        tables=("classes",),
    ),
    Model(
        "sample_uniqueness",
        "sample uniqueness",
        _at_most("sample_uniqueness", 1),
        "classes",
        "records in classes of one person / records",
        "Skinner and Elliot 2002",
        tables=("classes",),
    ),
    Model(
        "population_uniqueness",
        "population uniqueness",
        _at_most("population_uniqueness", 1),
        "sizes",
        "estimated unique persons of the population / its size, by Zayatz, Pitman or SNB as Dankar et al. choose",
        "Zayatz 1991; Hoshino 2001; Chen and Keller-McNulty 1998; Dankar et al. 2012",
        frozenset({"sampling_fraction"}),
        ("classes",),
        monotone=False,
    ),
    Model(
        "homogeneous_classes",
        "homogeneous classes",
        _at_most("homogeneous_classes", 1),
        "summary",
        "classes with one distinct s / classes",
        "Machanavajjhala et al. 2007",
        SENSITIVE,
        monotone=False,
    ),
    Model(
        "ha",
        "records in homogeneous classes (HA)",
        _at_most("ha", 1),
        "summary",
        "1/N sum over classes with one distinct s of n",
        "Majeed and Hwang 2023, equation 21",
        SENSITIVE,
    ),
    Model(
        "pd",
        "probabilistic disclosure (PD)",
        _at_most("pd", 1),
        "summary",
        "average over classes, each counting alike, of max over s of p(s)",
        "Majeed and Hwang 2023, equation 20, of the surest pattern of a class",
        SENSITIVE,
        monotone=False,
    ),
    Model(
        "composition",
        "k over this and an earlier release",
        _whole("composition"),
        "overlaps",
        "min over pairs of classes a, b with a common person of sum over kept values v of min(n_a(v), n_b(v))",
        "Ganta et al. 2008",
        frozenset({"earlier"}),
        ("overlaps",),
        monotone=False,
    ),
)

MODELS: Mapping[str, Model] = {model.name: model for model in _ALL}
"""Every privacy model and risk by the name that ``requirements`` and the config use."""

INPUTS: Mapping[str, str] = {
    "sensitive": "a sensitive attribute (`sensitive=[COLUMN]`)",
    "order": "a sensitive attribute whose values are all numbers, or all dates",
    "taxonomy": "the taxonomy of a sensitive attribute (`taxonomies={COLUMN: FILE}`)",
    "population": "a table of the population (`population=FILE`)",
    "earlier": "an earlier release of the same people (`against=FILE`)",
    "sampling_fraction": "the share of the population that is in the release (`sampling_fraction=F`)",
}
"""What a model can need, and how it is given."""
