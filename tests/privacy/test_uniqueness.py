"""Population uniqueness: estimates against hand-worked, simulated and ARX's answers, the interval against the truth."""

from collections import Counter
from math import comb, exp, gamma, lgamma, log

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.stats import binom

from anonduck.auditing.audit import audit
from anonduck.cli.figures import reached_words
from anonduck.privacy import uniqueness as estimates
from anonduck.privacy.uniqueness_interval import WITHIN, interval


def sampled(population, fraction, seed=1):
    """The class sizes of a sample, drawn without replacement, of a population given by its class sizes."""
    drawn = np.random.default_rng(seed).multivariate_hypergeometric(
        population, round(sum(population) * fraction), method="marginals"
    )
    return dict(Counter(int(size) for size in drawn if size))


@pytest.mark.slow
@pytest.mark.parametrize("fraction", [0.2, 0.5, 0.9])  # under it SNB is poor; Dankar's rule then takes another
def test_estimates_come_near_the_truth(fraction):
    # classes of 1 + X persons, X negative binomial: what SNB assumes
    sizes = 1 + np.random.default_rng(0).negative_binomial(0.3, 0.1, 20_000)
    truth = float((sizes == 1).sum() / sizes.sum())
    found = estimates.population_uniqueness(sampled(sizes, fraction), fraction)
    assert truth / 2 < found["snb"] < truth * 2
    assert found["zayatz"] > truth / 4
    lowest, highest = found["interval"]
    assert lowest <= truth <= highest == found["population_uniqueness"]


def test_of_a_whole_population_the_uniques_are_counted():
    found = estimates.population_uniqueness({1: 30, 2: 20, 5: 10}, 1.0)
    assert found["zayatz"] == pytest.approx(30 / 120)
    assert found["snb"] == pytest.approx(30 / 120)
    assert found["interval"] == [30 / 120, 30 / 120]


def test_no_sample_uniques_no_population_uniques():
    found = estimates.population_uniqueness({2: 5}, 0.1)
    assert (found["population_uniqueness"], found["estimate"]) == (0, "no sample uniques")
    assert found["interval"] == [0, 0]


# unique persons, and the sizes of all other classes: every estimate is far under the truth at a fifth of the last
MODEL_FREE = {
    "half of the persons unique, the others by the hundred": (20_000, [100] * 200, 0.05),
    "a fifth unique, the others by twenties": (8_000, [20] * 1_600, 0.2),
    "one in fifty unique, the others by fifties": (800, [50] * 784, 0.2),
    "pairs alone": (0, [2] * 20_000, 0.2),
    "a few large classes": (300, [2, 3, 5, 8, 13, 400, 700] * 10, 0.1),
}


@pytest.mark.slow
@pytest.mark.parametrize("population", MODEL_FREE)
def test_the_interval_covers_where_no_estimate_does(population):
    uniques, others, fraction = MODEL_FREE[population]
    sizes = np.array([1] * uniques + others)
    truth = uniques / sizes.sum()
    found = [interval(sampled(sizes, fraction, seed), fraction) for seed in range(4)]
    assert all(lowest <= truth <= highest for lowest, highest in found)
    assert max(highest for _, highest in found) < truth + 0.2  # and it says something


@pytest.mark.slow
def test_estimates_can_all_be_under_the_truth():
    uniques, others, fraction = MODEL_FREE["a fifth unique, the others by twenties"]
    found = estimates.population_uniqueness(sampled([1] * uniques + others, fraction), fraction)
    truth = uniques / (uniques + sum(others))
    assert max(found[name] for name in estimates.ESTIMATES if found[name] is not None) < truth / 2
    assert found["population_uniqueness"] >= truth


def test_a_small_sample_shows_nothing():
    assert interval({1: 240, 2: 1}, 0.005) == (0, 1)
    assert interval({2: 3}, 1) == (0, 0)
    assert interval({1: 2, 2: 3}, 1) == (0.25, 0.25)


def test_the_upper_end_by_another_solver():
    sizes, fraction = {1: 12, 2: 7, 3: 6, 4: 1}, 0.5  # 48 persons of 96; four ranges of sizes: 1, 2, 3, more
    observed, population = np.array([12, 7, 6, 1]), np.array([*range(1, 20), 30, 50, 96])
    expected = np.vstack([binom.pmf([[1], [2], [3]], population, fraction), binom.sf(3, population, fraction)])

    def misfit(shares):
        return (((observed - (expected * 96 / population) @ shares) ** 2) / (observed + 2)).sum()

    whole = {"type": "eq", "fun": lambda shares: shares.sum() - 1}
    options = {"method": "SLSQP", "bounds": [(0, 1)] * len(population)}
    closest = minimize(misfit, np.full(len(population), 1 / len(population)), constraints=[whole], **options)
    within = {"type": "ineq", "fun": lambda shares: closest.fun + WITHIN - misfit(shares)}
    furthest = minimize(lambda shares: -shares[0], closest.x, constraints=[whole, within], **options)
    assert interval(sizes, fraction)[1] == pytest.approx(furthest.x[0], rel=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sizes", "fraction"), [({1: 236, 2: 4}, 0.005), ({1: 10, 50: 4}, 0.5), ({1: 3, 7: 9}, 0.01), ({1: 1}, 0.5)]
)
def test_estimates_without_a_solution_leave_the_interval(sizes, fraction):
    found = estimates.population_uniqueness(sizes, fraction)
    lowest, highest = found["interval"]
    assert 0 <= lowest <= highest <= 1
    assert found["population_uniqueness"] == highest


@pytest.mark.slow
def test_a_fit_of_pitman_on_its_bound_is_none():
    sizes = {1: 456, 2: 16}  # the likelihood grows as alpha falls to 0
    assert estimates.pitman_fit(sizes) is None
    assert estimates.population_uniqueness(sizes, 0.01)["estimate"] == "zayatz"


def test_a_gradient_of_pitman_by_differences():
    misfit = estimates._pitman_misfit({1: 30, 2: 9, 3: 4, 7: 2})
    point, step = (3.0, 0.4), 1e-6
    for at in (0, 1):
        moved = [tuple(x + sign * step * (i == at) for i, x in enumerate(point)) for sign in (1, -1)]
        slope = (misfit(moved[0])[0] - misfit(moved[1])[0]) / (2 * step)
        assert misfit(point)[1][at] == pytest.approx(slope, rel=1e-6)


def likelihood(sizes, theta, alpha):
    """The logarithm of Pitman's sampling formula, but for what does not depend on theta and alpha."""
    classes, drawn = sum(sizes.values()), sum(size * count for size, count in sizes.items())
    filled = sum(count * log(j - alpha) for size, count in sizes.items() for j in range(1, size))
    return sum(log(theta + i * alpha) for i in range(classes)) - sum(log(theta + i) for i in range(drawn)) + filled


def test_a_fit_of_pitman_is_likelier_than_its_neighbours():
    sizes = {1: 30, 2: 9, 3: 4, 7: 2}
    theta, alpha = estimates.pitman_fit(sizes)
    best = likelihood(sizes, theta, alpha)
    for other in ((theta * 1.02, alpha), (theta / 1.02, alpha), (theta, alpha + 0.005), (theta, alpha - 0.005)):
        assert likelihood(sizes, *other) < best - 1e-6
    expected = estimates.pitman_uniques(theta, alpha, 74 / 0.1)
    assert estimates.pitman(sizes, 0.1) == pytest.approx(expected)


def test_classes_of_the_population_by_hand():
    # Haas and Stokes: 4 + 3 (0.25 * 3 + 0.375) / (0.25 * 3 + 0.3125) (1.75 / 2)^2
    assert estimates.population_classes({1: 3, 2: 1}, 0.5) == pytest.approx(4 + 3 * 1.125 / 1.0625 * (1.75 / 2) ** 2)


@pytest.mark.parametrize(("pitman", "warned"), [(0.2, True), (0.45, False), (None, False), (0.0, True)])
def test_estimates_that_differ_by_more_than_a_factor_of_two_are_told(pitman, warned):
    told = list(estimates.differing({"zayatz": 0.9, "pitman": pitman, "snb": 0.8}))
    assert len(told) == warned
    assert all("0.9 (zayatz)" in words and "(pitman)" in words for words in told)


@pytest.mark.slow
def test_population_uniqueness_is_judged_by_the_upper_end(shared):
    table = pd.DataFrame({"a": [*range(80), *[None] * 2, *[100] * 5, *[200, 300, 400, 500] * 2, *[600] * 3]})
    report = audit(table, ["a"], sampling_fraction=0.002, requirements={"population_uniqueness": 0.4}, database=shared)
    measured = report.measures["population_uniqueness"]
    _, highest = measured.details["interval"]
    assert measured.details["pitman"] < 0.4 < highest == measured.numbers["population_uniqueness"]
    (line,) = report.as_json()["requirements"]
    assert (line["met"], line["reached"], line["upper_end"]) == (False, highest, True)
    assert reached_words(report.requirements[0]).endswith(", upper end of its interval")
    assert any("factor of two" in words for words in report.warnings)


@pytest.mark.slow
def test_pitman_is_where_the_likelihood_is_largest():
    rng = np.random.default_rng(3)  # a sample by Pitman's formula, person by person
    theta, alpha, sizes = 50.0, 0.4, []
    for drawn in range(3_000):
        weights = np.array([size - alpha for size in sizes] + [theta + alpha * len(sizes)]) / (drawn + theta)
        chosen = rng.choice(len(weights), p=weights / weights.sum())
        if chosen == len(sizes):
            sizes.append(1)
        else:
            sizes[chosen] += 1
    histogram = dict(Counter(sizes))
    expected = estimates.pitman_uniques(theta, alpha, 60_000)
    assert estimates.pitman(histogram, 0.05) == pytest.approx(expected, rel=0.25)
    assert estimates.pitman_uniques(theta, alpha, 3_000) == pytest.approx(histogram[1], rel=0.15)


def test_expected_uniques_of_pitman_by_recursion():
    theta, alpha, ones = 2.0, 0.3, 0.0
    classes = 0.0
    for drawn in range(200):
        new = (theta + alpha * classes) / (theta + drawn)
        lost = ones * (1 - alpha) / (theta + drawn)
        classes, ones = classes + new, ones + new - lost
    assert estimates.pitman_uniques(theta, alpha, 200) == pytest.approx(ones)


def test_zayatz_by_counting():
    sizes, fraction = {1: 6, 2: 3, 4: 2}, 0.25
    drawn, population = 20, 80
    one = {i: comb(i, 1) * comb(population - i, drawn - 1) / comb(population, drawn) for i in sizes}
    chance = one[1] * sizes[1] / sum(one[i] * c for i, c in sizes.items())
    assert estimates.zayatz(sizes, fraction) == pytest.approx(chance * sizes[1] / fraction)


def test_expected_sizes_of_snb_by_summing():
    alpha, beta, fraction = 0.7, 0.3, 0.2
    chance = [gamma(x + alpha) / gamma(alpha) / gamma(x + 1) * beta**alpha * (1 - beta) ** x for x in range(150)]
    for i, expected in enumerate(estimates.snb_expected(alpha, beta, 1, fraction), start=1):
        summed = sum(
            p * comb(x + 1, i) * fraction**i * (1 - fraction) ** (x + 1 - i) for x, p in enumerate(chance) if x + 1 >= i
        )
        assert expected == pytest.approx(summed)


@pytest.mark.parametrize(
    ("fraction", "zayatz", "pitman", "snb", "chosen"),
    [
        (0.1, 0.3, 0.2, 0.1, "pitman"),
        (0.1, 0.3, None, 0.1, "zayatz"),
        (0.2, 0.3, 0.2, 0.1, "snb"),
        (0.2, 0.3, 0.2, 0.4, "zayatz"),
        (0.2, 0.3, 0.2, None, "zayatz"),
    ],
)
def test_the_choice_of_dankar(fraction, zayatz, pitman, snb, chosen):
    assert estimates.dankar({"zayatz": zayatz, "pitman": pitman, "snb": snb}, fraction) == chosen


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fraction", "zayatz", "pitman"),  # as its TestRiskMetrics has them; SNB has no solution there
    [(0.01, None, 0.1446083531167384), (0.1, 0.3207402393466189, 0.27684993883653597), (0.2, 0.3577099234829125, None)],
)
def test_arx_population_uniqueness(data_dir, fraction, zayatz, pitman):
    table = pd.read_csv(data_dir / "arx" / "adult.csv", sep=";", dtype=str, keep_default_na=False)
    sizes = Counter(table.groupby(list(table.columns)).size())
    population = len(table) / fraction
    if zayatz is not None:
        assert estimates.zayatz(sizes, fraction) / population == pytest.approx(zayatz, rel=1e-9)
    if pitman is not None:  # ARX takes Hoshino's form for a large population
        theta, alpha = estimates.pitman_fit(sizes)
        uniques = exp(lgamma(theta + 1) - lgamma(theta + alpha)) * population**alpha
        assert uniques / population == pytest.approx(pitman, rel=1e-6)
