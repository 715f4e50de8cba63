"""Methods that find a rule, on a lattice that is a table of answers."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck.errors import ConfigError
from anonduck.methods.algorithms import ALGORITHMS
from anonduck.methods.full_domain import datafly, incognito, ola
from anonduck.methods.method import at_most_k, no_suppression
from anonduck.methods.registry import METHODS, method_named


@dataclass
class Lattice:
    """``found`` are the vectors that meet what is required."""

    distinct: list
    found: set
    asked: list = field(default_factory=list)

    @property
    def highest(self):
        return tuple(len(counts) - 1 for counts in self.distinct)

    def meets(self, vector):
        self.asked.append(vector)
        return vector in self.found

    def cheapest(self, measure):
        return (measure,)


def by_hand(distinct, meets, ranks):
    levels = [0] * len(distinct)
    while not meets(tuple(levels)):
        rising = [
            (-counts[level], rank, column)
            for column, (counts, level, rank) in enumerate(zip(distinct, levels, ranks, strict=True))
            if level < len(counts) - 1
        ]
        if not rising:
            return None
        levels[min(rising)[2]] += 1
    return tuple(levels)


COUNTS = st.lists(st.integers(1, 5), min_size=1, max_size=4).map(lambda one: sorted(one, reverse=True))


@examples(100)
@given(st.lists(COUNTS, min_size=1, max_size=3), st.data(), st.integers(0, 3))
def test_the_column_with_most_distinct_values_rises_first(distinct, data, seed):
    lattice = Lattice(distinct, set())
    lattice.found = data.draw(st.sets(st.tuples(*(st.integers(0, top) for top in lattice.highest)), max_size=4))
    ranks, told = np.random.default_rng(seed).permutation(len(distinct)).tolist(), []
    found = datafly(lattice, seed=seed, progress=lambda *one: told.append(one))
    assert found == by_hand(distinct, lattice.found.__contains__, ranks)
    assert [sum(vector) for vector in lattice.asked] == list(range(len(lattice.asked)))
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)


def test_who_is_left_out():
    assert at_most_k(5, 100, suppress=False) is None
    assert at_most_k(5, 100, suppress=True) == 0.05
    assert at_most_k(5, 3, suppress=True) == 1
    assert at_most_k(5, 0, suppress=True) is None
    assert no_suppression(5, 100, height=True) == 0


def test_names_of_the_search():
    lattice = Lattice([[1]], set())
    assert ola(lattice, seed=0) == ("loss",)
    assert ola(lattice, seed=0, entropy=True) == ("nonuniform_entropy",)
    assert incognito(lattice, seed=0) == ("height",)
    assert incognito(lattice, seed=0, height=False) == ("loss",)


@pytest.mark.parametrize(
    ("name", "options"), [("datafly", ["suppress"]), ("ola", ["entropy"]), ("incognito", ["height"]), ("tds", [])]
)
def test_options_are_those_of_the_method(name, options):
    method = method_named(name)
    assert list(method.resolve_options()) == options
    with pytest.raises(ConfigError, match="has no option 'strict'"):
        method.resolve_options({"strict": True})
    assert METHODS[name].as_json()["recoding"] in ("levels", "cuts")


def test_every_method_has_its_algorithm():
    assert ALGORITHMS.keys() == METHODS.keys()


CLASSES = {"numbers": "nodes"}
DEFAULTS = {
    "mondrian": {"strict": True, "splits": "width", **CLASSES},
    "tds": {},
    "pais": {},
    "datafly": {"suppress": False},
    "ola": {"entropy": False},
    "incognito": {"height": True},
    "sequential": CLASSES,
    "topdown": CLASSES,
    "guided": {"detail": 1.0, "diverse": 1, **CLASSES},
    "flexible": {"weights": "table-5", "levels": "rule", "threshold": "quartile", "join": True, "missing": "keep",
                 "outliers": ""},
    "nsvdist": {"l": 1.0, "loss": "lm", "intervals": True, "repair": False, "frequencies": False, "clusters": 0},
    "probabilistic": {"dissimilarity": "gower", "blocks": "", "top": "", "levels": "", "unique": True},
}  # fmt: skip
TEXTS = {"outliers", "blocks", "top", "levels"}


def test_methods_are_listed_with_their_defaults():
    """A config that names a method alone gets these."""
    assert {name: METHODS[name].resolve_options() for name in METHODS} == DEFAULTS
    for name, method in METHODS.items():
        listed = {one["name"]: one for one in method.as_json()["options"]}
        assert {key: one["default"] for key, one in listed.items()} == DEFAULTS[name]
        texts = {key for key, one in listed.items() if one.get("text")}
        assert texts == {key for key in listed if key in TEXTS and DEFAULTS[name][key] == ""}
