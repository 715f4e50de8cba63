"""How many persons of the population are unique, estimated from the class sizes of a sample.

All estimates read the number of classes of each size. N is the size of the population, n that of the sample and
f = n / N the sampling fraction; u is the number of classes, c_i the number of classes with i persons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import exp, lgamma, log
from typing import Any

from anonduck.privacy.uniqueness_interval import interval
from anonduck.rules.rounding import rounded

SMALL_FRACTION = 0.1  # up to it, Dankar et al. (2012) trust Pitman's model
Sizes = Mapping[int, int]


def zayatz(sizes: Sizes, fraction: float) -> float | None:
    """Population uniques by Zayatz (1991): c_1 / f times the chance that a sample unique is a population unique.

    That chance takes the sample's class sizes for the population's: P(1 of 1 drawn) c_1 over the sum over i of
    P(1 of i drawn) c_i, drawing n of N without replacement.
    """
    drawn = sum(size * classes for size, classes in sizes.items())
    population = drawn / fraction
    chances = {size: _one_drawn(size, drawn, population) for size in sizes}
    total = sum(chances[size] * classes for size, classes in sizes.items())
    return sizes[1] / fraction * chances[1] * sizes[1] / total


def _one_drawn(size: int, drawn: int, population: float) -> float:
    """The chance that exactly one of ``size`` persons is among ``drawn`` of ``population``."""
    rest = population - drawn
    if rest < size - 1:
        return 0.0
    chance = lgamma(rest + 1) - lgamma(rest - size + 2) + lgamma(population - size + 1) - lgamma(population + 1)
    return size * drawn * exp(chance)


def pitman(sizes: Sizes, fraction: float) -> float | None:
    """Population uniques by Pitman's sampling formula, fitted by maximum likelihood (Hoshino 2001); None without a
    solution.

    The expected number of uniques in the population is N Gamma(theta + 1) Gamma(theta + alpha + N - 1) / (Gamma(theta +
    alpha) Gamma(theta + N)), which for a large N is Hoshino's N^alpha Gamma(theta + 1) / Gamma(theta + alpha).
    """
    fitted = pitman_fit(sizes)
    drawn = sum(size * classes for size, classes in sizes.items())
    return None if fitted is None else pitman_uniques(*fitted, drawn / fraction)


def pitman_fit(sizes: Sizes) -> tuple[float, float] | None:
    """Theta and alpha of Pitman's sampling formula by maximum likelihood; None if the best lies on a bound.

    They maximize sum over i < u of ln(theta + i alpha) - sum over i < n of ln(theta + i) + sum over classes of sum over
    j < size of ln(j - alpha). If the likelihood is largest on a bound, it would grow further outside.
    """
    from scipy.optimize import minimize

    drawn = sum(size * classes for size, classes in sizes.items())
    if sum(sizes.values()) in (1, drawn):  # likelihood is largest at the edge: all alike, or all different
        return None
    misfit = _pitman_misfit(sizes)
    bounds = [(-5.0, log(drawn) + 10), (1e-4, 1 - 1e-6)]
    starts = [(log(sum(sizes.values())), alpha) for alpha in (0.1, 0.5, 0.9)]
    found = [minimize(misfit, start, jac=True, method="L-BFGS-B", bounds=bounds, tol=1e-12) for start in starts]
    best = min((one for one in found if one.success), key=lambda one: float(one.fun), default=None)
    if best is None or not all(low < at < high for at, (low, high) in zip(best.x, bounds, strict=True)):
        return None
    return exp(best.x[0]), float(best.x[1])


def _pitman_misfit(sizes: Sizes) -> Callable[[tuple[float, float]], tuple[float, tuple[float, float]]]:
    """Minus the mean log-likelihood and its gradient, as a function of ln theta and alpha."""
    import numpy as np
    from scipy.special import digamma, gammaln

    drawn, classes = sum(size * classes for size, classes in sizes.items()), sum(sizes.values())
    size, count = np.array(list(sizes), dtype=float), np.array(list(sizes.values()), dtype=float)

    def misfit(point: tuple[float, float]) -> tuple[float, tuple[float, float]]:
        theta, alpha = exp(point[0]), point[1]
        ratio = theta / alpha
        grown = (classes - 1) * log(alpha) + gammaln(ratio + classes) - gammaln(ratio + 1)
        drawn_all = gammaln(theta + drawn) - gammaln(theta + 1)
        filled = (count * (gammaln(size - alpha) - gammaln(1 - alpha))).sum()
        steps = (digamma(ratio + classes) - digamma(ratio + 1)) / alpha
        by_theta = digamma(theta + drawn) - digamma(theta + 1) - steps
        by_alpha = ratio * steps - (classes - 1) / alpha + (count * (digamma(size - alpha) - digamma(1 - alpha))).sum()
        return float(drawn_all - grown - filled) / drawn, (theta * by_theta / drawn, by_alpha / drawn)

    return misfit


def pitman_uniques(theta: float, alpha: float, population: float) -> float:
    """The expected uniques among ``population`` persons under Pitman's sampling formula."""
    grown = lgamma(theta + alpha + population - 1) - lgamma(theta + population)
    return population * exp(lgamma(theta + 1) - lgamma(theta + alpha) + grown)


def snb(sizes: Sizes, fraction: float) -> float | None:
    """Population uniques by the slide negative binomial model (Chen and Keller-McNulty 1998); None without a solution.

    A class of the population has 1 + X persons, X negative binomial with alpha and beta; K classes are estimated as
    Haas and Stokes (1998) do after Shlosser. alpha and beta make c_1 and c_2 what is expected of a sample; the uniques
    are K beta^alpha.
    """
    from scipy.optimize import least_squares

    classes = population_classes(sizes, fraction)
    wanted = (sizes[1], sizes.get(2, 0))

    def misfit(point: tuple[float, float]) -> list[float]:
        expected = snb_expected(exp(point[0]), point[1], classes, fraction)
        return [(one - other) / wanted[0] for one, other in zip(expected, wanted, strict=True)]

    bounds = ([-12.0, 1e-9], [12.0, 1 - 1e-9])
    for start in ((-1.0, 0.1), (0.0, 0.5), (2.0, 0.9)):
        found = least_squares(misfit, start, bounds=bounds, xtol=1e-14, ftol=1e-14, gtol=1e-14)
        if max(abs(found.fun)) < 1e-6:
            return float(classes * found.x[1] ** exp(found.x[0]))
    return None


def snb_expected(alpha: float, beta: float, classes: float, fraction: float) -> tuple[float, float]:
    """The expected c_1 and c_2 of a sample from ``classes`` population classes under the model of ``snb``."""
    missed = (1 - fraction) * (1 - beta)
    ones = classes * fraction * (beta / (1 - missed)) ** alpha * (alpha * missed / (1 - missed) + 1)
    twos = classes * alpha * beta**alpha * fraction**2 * (1 - beta) * (2 - (1 - alpha) * missed)
    return ones, twos / (2 * (1 - missed) ** (alpha + 2))


def population_classes(sizes: Sizes, fraction: float) -> float:
    """The number of classes in the population (Haas and Stokes 1998, their third form of Shlosser's estimator)."""
    f, rest = fraction, 1 - fraction
    observed = sum(sizes.values())
    if rest == 0:
        return observed
    seen_twice = sum(i * f * f * (1 - f * f) ** (i - 1) * c for i, c in sizes.items())
    at_all = sum(((1 - f * f) ** i - rest**i) * c for i, c in sizes.items())
    never = sum(rest**i * c for i, c in sizes.items())
    once = sum(i * f * rest ** (i - 1) * c for i, c in sizes.items())
    return observed + sizes.get(1, 0) * seen_twice / at_all * (never / once) ** 2


def dankar(estimates: Mapping[str, float | None], fraction: float) -> str | None:
    """Which estimate to use (Dankar et al. 2012): Pitman's up to a fraction of 0.1, else the smaller of Zayatz's and
    SNB's.

    If the chosen one has no solution, Zayatz's is used.
    """
    if fraction <= SMALL_FRACTION and estimates["pitman"] is not None:
        return "pitman"
    slide, first = estimates["snb"], estimates["zayatz"]
    if fraction > SMALL_FRACTION and slide is not None and first is not None and slide <= first:
        return "snb"
    return "zayatz" if first is not None else None


ESTIMATES: Mapping[str, Callable[[Sizes, float], float | None]] = {"zayatz": zayatz, "pitman": pitman, "snb": snb}


def population_uniqueness(sizes: Sizes, fraction: float) -> dict[str, float | str | list[float] | None]:
    """The unique persons as a share of the population: the upper end of the interval, the interval, and each estimate.

    ``estimate`` names the estimate that Dankar's rule uses; one without a solution is None. If nobody in the sample is
    unique, nobody in it is unique in the population, and all are 0.
    """
    population = sum(size * classes for size, classes in sizes.items()) / fraction
    if not sizes.get(1):
        nobody = dict.fromkeys(("population_uniqueness", *ESTIMATES), 0.0)
        return {**nobody, "interval": [0.0, 0.0], "estimate": "no sample uniques"}
    lowest, highest = map(rounded, interval(sizes, fraction))
    uniques = {name: estimate(sizes, fraction) for name, estimate in ESTIMATES.items()}
    shares = {name: None if one is None else min(1.0, one / population) for name, one in uniques.items()}
    reached = {"population_uniqueness": highest, "interval": [lowest, highest]}
    return {**reached, **shares, "estimate": dankar(shares, fraction)}


def differing(found: Mapping[str, Any]) -> Iterator[str]:
    """A warning if the estimates of ``population_uniqueness`` differ by more than a factor of two."""
    shares = sorted((found[name], name) for name in ESTIMATES if found[name] is not None)
    (least, low), (most, high) = shares[0], shares[-1]
    if most > 2 * least:
        yield (
            f"the estimates of population uniqueness run from {least:.3g} ({low}) to {most:.3g} ({high}), more than a "
            "factor of two apart: rely on none of them, but on the interval"
        )
