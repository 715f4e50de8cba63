"""Whether methods differ over data sets: Friedman's test, and each method against a control (Demsar 2006).

Demsar, Statistical comparisons of classifiers over multiple data sets, JMLR 7 (2006), section 3.2. Data sets have to be
independent of each other, so that the values of k of one data set are no blocks: each k is a test of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from anonduck.comparison.comparability import comparable
from anonduck.comparison.comparison import Comparison
from anonduck.comparison.model_scores import SCORES, value
from anonduck.errors import ConfigError

LEVEL = 0.05


@dataclass(frozen=True)
class RankTest:
    """What ranks say of ``methods`` over so many ``data_sets``; rank 1 is the best.

    ``chi_square`` is Friedman's statistic with its ``p``, ``f`` that of Iman and Davenport with ``f_p``: None where it
    is infinite, as ranks are the same in all data sets. ``critical_difference`` is that of Bonferroni and Dunn at the
    level 0.05: a method whose mean rank is further from the ``control``'s differs from it. ``holm`` has by method its p
    against the control, adjusted by Holm.
    """

    methods: tuple[str, ...]
    data_sets: int
    mean_ranks: Mapping[str, float]
    chi_square: float
    p: float
    f: float | None
    f_p: float
    control: str
    critical_difference: float
    holm: Mapping[str, float]

    def as_json(self) -> dict[str, Any]:
        """The test as a JSON document."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__} | {"methods": list(self.methods)}


def rank_test(methods: Sequence[str], values: np.ndarray, control: str) -> RankTest:
    """Compare methods by their ``values`` (data sets, methods), of which larger ones are better.

    Raises ConfigError for fewer than two methods or data sets, and for a control that is none of the methods.
    """
    data_sets, count = values.shape
    if count < 2 or data_sets < 2:
        raise ConfigError(
            f"a test over data sets needs two methods and two data sets that have both; got {count} and {data_sets}"
        )
    if control not in methods:
        raise ConfigError(f"the control {control!r} is none of {', '.join(methods)}")
    means = _ranks(values).mean(axis=0)
    chi, p = _friedman(means, data_sets)
    f, f_p = _iman_davenport(chi, data_sets, count)
    error = sqrt(count * (count + 1) / (6 * data_sets))
    return RankTest(
        methods=tuple(methods),
        data_sets=data_sets,
        mean_ranks={name: float(mean) for name, mean in zip(methods, means, strict=True)},
        chi_square=chi,
        p=p,
        f=f,
        f_p=f_p,
        control=control,
        critical_difference=_dunn(count) * error,
        holm=_holm(methods, means, control, error),
    )


def _ranks(values: np.ndarray) -> np.ndarray:
    """The rank of each value in its row, 1 for the largest; equal values share their mean rank."""
    smaller = (values[:, None, :] > values[:, :, None]).sum(axis=2)
    equal = (values[:, None, :] == values[:, :, None]).sum(axis=2)
    found: np.ndarray = smaller + (equal + 1) / 2
    return found


def _friedman(means: np.ndarray, data_sets: int) -> tuple[float, float]:
    from scipy.special import chdtrc

    count = len(means)
    chi = 12 * data_sets / (count * (count + 1)) * (float((means**2).sum()) - count * (count + 1) ** 2 / 4)
    chi = max(0.0, chi)
    return chi, float(chdtrc(count - 1, chi))


def _iman_davenport(chi: float, data_sets: int, count: int) -> tuple[float | None, float]:
    from scipy.special import fdtrc

    rest = data_sets * (count - 1) - chi
    if rest <= 1e-12:
        return None, 0.0
    f = (data_sets - 1) * chi / rest
    return f, float(fdtrc(count - 1, (count - 1) * (data_sets - 1), f))


def _dunn(count: int) -> float:
    """The critical value of Bonferroni and Dunn for so many methods, the control among them (Demsar 2006, table 5b)."""
    from scipy.special import ndtri

    return float(ndtri(1 - LEVEL / (2 * (count - 1))))


def _holm(methods: Sequence[str], means: np.ndarray, control: str, error: float) -> dict[str, float]:
    from scipy.special import ndtr

    own = means[list(methods).index(control)]
    plain = {
        name: 2 * float(ndtr(-abs(mean - own) / error))
        for name, mean in zip(methods, means, strict=True)
        if name != control
    }
    adjusted, largest = {}, 0.0
    for place, name in enumerate(sorted(plain, key=lambda one: plain[one])):
        largest = max(largest, min(1.0, (len(plain) - place) * plain[name]))
        adjusted[name] = largest
    return {name: adjusted[name] for name in plain}


def rank_tests(comparisons: Sequence[Comparison], control: str | None = None) -> list[dict[str, Any]]:
    """A test for each protocol, model, score and k that all comparisons have, of the methods that all of them have.

    The control of a test is by default the method of its best mean rank. Methods whose k is none of their file have no
    rank.
    """
    if len(comparisons) < 2:
        raise ConfigError("a test over data sets needs two comparisons or more, each of another data set")
    _refuse_twice(comparisons)
    called = None if control is None else _called(comparisons, control)
    found = list(_tests(comparisons, called))
    if not found and control is not None and list(_tests(comparisons, None)):
        raise ConfigError(f"the control {control!r} has no score that all comparisons have, beside another method")
    if not found:
        raise ConfigError("the comparisons have no two methods with the same protocol, model and k in common")
    return found


def _refuse_twice(comparisons: Sequence[Comparison]) -> None:
    """Raise ConfigError where two comparisons are of the same records: data sets have to be independent."""
    for place, one in enumerate(comparisons):
        for other in comparisons[:place]:
            same = (one.records, one.majority_share, one.baseline) == (
                other.records,
                other.majority_share,
                other.baseline,
            )
            if same and (one.baseline or one.source == other.source):
                raise ConfigError(
                    f"two of the comparisons are of the same data set ({other.source} and {one.source}); name one of "
                    "each data set"
                )


def _called(comparisons: Sequence[Comparison], control: str) -> str:
    """The method that a control names: itself, or with ``rules`` the only rules, whatever they were picked by."""
    names: list[str] = list(dict.fromkeys(row["method"] for one in comparisons for row in one.rows))
    if control in names:
        return control
    found = [name for name in names if name.startswith(f"{control} by ")]
    if len(found) != 1:
        raise ConfigError(f"the control {control!r} is none of {', '.join(names)}")
    return found[0]


def _tests(comparisons: Sequence[Comparison], control: str | None) -> Iterator[dict[str, Any]]:
    first = comparisons[0]
    for protocol in first.protocols:
        for model in first.models:
            for k in sorted({row["k_required"] for row in first.rows if row["k_required"] is not None}):
                for score in SCORES:
                    tables = [_by_method(one, protocol, model, score, k) for one in comparisons]
                    methods = [name for name in tables[0] if all(name in table for table in tables)]
                    if len(methods) < 2 or (control is not None and control not in methods):
                        continue
                    values = np.array([[table[name] for name in methods] for table in tables])
                    best = methods[int(_ranks(values).mean(axis=0).argmin())]
                    tested = rank_test(methods, values, control or best)
                    yield {"protocol": protocol, "model": model, "k": k, "score": score, **tested.as_json()}


def _by_method(comparison: Comparison, protocol: str, model: str, score: str, k: int) -> dict[str, float]:
    return {
        row["method"]: number
        for row in comparable(comparison.rows)
        if row["protocol"] == protocol and row["k_required"] == k and (number := value(row, model, score)) is not None
    }
