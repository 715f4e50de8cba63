"""What is noise between scores by fold, which rules tie, what tells nothing, and the choice within a standard error."""

import math
import statistics
from dataclasses import replace

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, t

from anonduck.config.reading import make_config
from anonduck.errors import ConfigError, RuleError
from anonduck.rules.frontier import frontier, frontier_rules, marked
from anonduck.rules.noise import (
    NOTHING,
    TIE,
    chance_of_more,
    corrected_error,
    corrected_t,
    is_better,
    moderated_error,
    standard_error,
)
from anonduck.rules.rule import Measures, Rule
from anonduck.rules.selection import choose

K_AND_ACCURACY = ("k", "accuracy")
WAVE = [0.02, -0.02] * 5


def rule(number, k, folds, *, nothing=False, gain=0.0, balanced=None, associated=None):
    accuracy = statistics.mean(folds)
    balanced = folds if balanced is None else balanced
    return Rule(
        f"R{number}",
        {"a": number},
        {"0.1": "extracted"},
        (),
        Measures(k, 3, gain, gain, 0, 0.0),
        {"tree": accuracy},
        {"tree": standard_error(folds)},
        {"tree": statistics.mean(balanced)},
        {"loss": accuracy},
        fold_accuracy={"tree": tuple(folds)},
        fold_balanced_accuracy={"tree": tuple(balanced)},
        tells_nothing=nothing,
        associated=associated,
    )


def around(mean, wave=WAVE):
    """Ten folds with that mean; those of two rules differ by as much in each."""
    return [mean + one for one in wave]


def shaken(mean, by=0.01):
    """Ten folds with that mean, whose difference from ``around`` spreads by about ``by``."""
    return [mean + one + (by if number % 4 < 2 else -by) for number, one in enumerate(WAVE[:8])] + [mean, mean]


def tied(rules, objectives=K_AND_ACCURACY):
    return {one.id: one.tied_with for one in frontier_rules(rules, objectives, ["tree"]) if one.tied_with}


# -- the test ----------------------------------------------------------------------------------------------------------

folds_of_ten = st.lists(st.integers(-50, 50).map(lambda n: n / 100), min_size=2, max_size=12)


@given(folds_of_ten)
@examples(100)
def test_the_statistic_is_that_of_nadeau_and_bengio(differences):
    folds, spread = len(differences), statistics.stdev(differences)
    if spread < 1e-9:
        mean = statistics.mean(differences)
        assert corrected_t(differences) == (0 if abs(mean) < 1e-12 else math.copysign(math.inf, mean))
        return
    expected = statistics.mean(differences) / math.sqrt((1 / folds + (1 / folds) / (1 - 1 / folds)) * spread**2)
    assert corrected_t(differences) == pytest.approx(expected)
    for chance in (TIE, NOTHING):
        found = is_better(differences, [0.0] * folds, chance)
        assert found == (t.sf(expected, folds - 1) < chance)


@given(st.floats(-60, 60), st.integers(1, 200))
@examples(100)
def test_the_chance_is_that_of_students_t(value, degrees):
    assert chance_of_more(value, degrees) == pytest.approx(t.sf(value, degrees), rel=1e-6, abs=1e-12)


def test_the_chance_of_more_than_an_infinite_statistic():
    assert chance_of_more(math.inf, 4) == 0
    assert chance_of_more(-math.inf, 4) == 1


def test_one_fold_tells_of_no_spread():
    assert not is_better([1.0], [0.0])
    assert corrected_t([]) == 0


def test_folds_are_compared_pair_by_pair():
    assert is_better(around(0.81), around(0.80)), "the same difference in each fold, however folds differ among them"
    assert not is_better(around(0.81), around(0.80, WAVE[::-1])), "the same means, but other folds are better"


@pytest.mark.slow
@pytest.mark.parametrize(("spread", "folds"), [(0.01, 10), (0.05, 10), (0.05, 5)])
def test_differences_that_are_noise_are_seldom_taken_for_real(spread, folds):
    random = np.random.default_rng(3)
    taken = sum(corrected_t(random.normal(0, spread, folds)) > t.isf(TIE, folds - 1) for _ in range(2_000))
    assert taken <= 2_000 * TIE


def test_a_moderated_error_covers_nearly_as_often_as_a_normal_one():
    """Where the correction is right, the plain one covers as Student's t of four degrees does: 63 % of the draws."""
    random, overlap, draws = np.random.default_rng(5), 1 / 4, 4_000
    scores = random.normal(0.7, 0.06, (draws, 5))
    off = np.abs(random.normal(0, 0.06 * (1 / 5 + overlap) ** 0.5, draws))
    plain = [corrected_error(one, overlap) for one in scores.tolist()]
    moderated = [moderated_error(one, 0.06**2, overlap) for one in scores.tolist()]
    assert np.mean(off <= plain) == pytest.approx(1 - 2 * t.sf(1, 4), abs=0.02)
    assert np.mean(off <= moderated) > np.mean(off <= plain) + 0.02
    assert np.mean(off <= moderated) < norm.cdf(1) - norm.cdf(-1) + 0.01
    assert moderated_error([0.7], 0.01, overlap) == 0


# -- ties --------------------------------------------------------------------------------------------------------------


def test_what_another_objective_gains_is_no_tie():
    rules = [rule(1, 100, around(0.80), gain=0.1), rule(2, 50, shaken(0.801), gain=0.2)]
    assert tied(rules) == {"R2": ("R1",)}
    assert tied(rules, ("k", "accuracy", "information_gain")) == {}
    assert tied(rules, ("k", "information_gain")) == {}, "which has no spread over folds"
    assert tied(rules, ("information_gain", "accuracy")) == {}, (
        "a larger k is nothing to prefer where it is no objective"
    )


def test_rules_without_folds_do_not_tie():
    old = [Rule(f"R{k}", {"a": 0}, {}, (), Measures(k, 1, 0, 0, 0, 0), {"tree": 1 - k / 100}) for k in (5, 9)]
    assert tied(old) == {}


scores = st.integers(0, 3).map(lambda n: n / 4)
some_rules = st.lists(
    st.tuples(st.integers(1, 4), st.lists(scores, min_size=4, max_size=4), st.booleans()), max_size=8
).map(lambda rows: [rule(n, k, folds, nothing=nothing) for n, (k, folds, nothing) in enumerate(rows, start=1)])


@given(some_rules)
@examples(150)
def test_marks_are_as_defined(rules):
    found = {one.id: one for one in marked(rules, K_AND_ACCURACY, ["tree"])}
    telling = [one for one in rules if not one.tells_nothing]
    kept = frontier(telling, K_AND_ACCURACY, ["tree"])
    assert {name for name, one in found.items() if one.on_frontier} == set(kept)
    stands = []
    for one in sorted((one for one in rules if one.id in kept), key=lambda one: -one.measures.k):
        ties = tuple(
            other.id
            for other in stands
            if other.measures.k > one.measures.k
            and not is_better(one.fold_accuracy["tree"], other.fold_accuracy["tree"])
        )
        assert found[one.id].tied_with == ties
        if not ties:
            stands.append(one)
    exact = frontier(rules, K_AND_ACCURACY, ["tree"])
    everything = frontier_rules(rules, K_AND_ACCURACY, ["tree"], everything=True)
    assert {one.id for one in everything} == set(exact) | set(kept)
    assert {one.id for one in everything if not one.on_frontier} == {
        one.id for one in rules if one.tells_nothing
    } & set(exact)


# -- what tells nothing ------------------------------------------------------------------------------------------------


def test_what_tells_nothing_is_off_the_frontiers_that_are_about_it():
    rules = [rule(1, 1000, around(0.8), nothing=True), rule(2, 100, around(0.79)), rule(3, 10, around(0.9))]

    def ids(objectives, **options):
        return [one.id for one in frontier_rules(rules, objectives, ["tree"], **options)]

    assert ids(K_AND_ACCURACY) == ["R2", "R3"], "a rule that only one that tells nothing dominates is on it"
    assert ids(K_AND_ACCURACY, everything=True) == ["R1", "R2", "R3"]
    assert ids(("k", "balanced_accuracy")) == ["R2", "R3"]
    assert ids(("k", "loss"))[0] == "R1", "which is about the values that stay, not about the class"
    assert not any(one.on_frontier for one in marked(rules[:1], K_AND_ACCURACY, ["tree"]))


# -- the choice --------------------------------------------------------------------------------------------------------


def test_the_largest_k_within_one_standard_error_is_chosen():
    rules = [
        rule(1, 1000, around(0.70)),
        rule(2, 300, around(0.795)),
        rule(3, 200, around(0.797)),
        rule(4, 10, around(0.80)),
    ]
    error = standard_error(around(0.80))
    assert 0.005 < error < 0.007
    best, near = choose(rules, "accuracy", ["tree"], k=5), choose(rules, "accuracy", ["tree"], k=5, within="1se")
    assert best.chosen.id == "R4"
    assert near.chosen.id == "R2"
    assert near.reason == (
        "largest k within one standard error of the best accuracy among the rules that meet the requirement: 0.7950 "
        f"with k = 300; the best, R4, has 0.8000 +- {error:.4f} with k = 10"
    )
    assert choose(rules, "accuracy.tree", ["tree"], k=250, within="1se").chosen.id == "R2"
    assert "it is the best itself" in choose(rules[3:], "accuracy", ["tree"], k=5, within="1se").reason
    assert choose(rules, "balanced_accuracy", ["tree"], k=5, within="1se").chosen.id == "R2"
    assert choose(rules, "accuracy", ["tree"], k=5000, within="1se") is None


def test_the_largest_k_within_a_number_of_the_best_is_chosen_whatever_the_measure():
    rules = [rule(1, 1000, around(0.70)), rule(2, 300, around(0.79)), rule(3, 10, around(0.80))]
    near = choose(rules, "accuracy", ["tree"], k=5, within=0.01)  # 0.80 - 0.79 is a little more than 0.01 in binary
    assert near.reason == (
        "largest k within 0.01 of the best accuracy among the rules that meet the requirement: 0.7900 with k = 300; "
        "the best, R3, has 0.8000 with k = 10"
    )
    assert choose(rules, "accuracy", ["tree"], k=5, within=0.0).chosen.id == "R3"
    assert choose(rules, "accuracy", ["tree"], k=5, within=0.2).chosen.id == "R1"
    lossy = [replace(one, utility={"loss": loss}) for one, loss in zip(rules, (0.5, 0.32, 0.3), strict=True)]
    assert choose(lossy, "loss", ["tree"], k=5, within=0.05).chosen.id == "R2"


def test_a_rule_below_the_required_k_is_never_the_best_of_the_error():
    rules = [rule(1, 100, around(0.70)), rule(2, 20, around(0.701)), rule(3, 2, around(0.9))]
    assert choose(rules, "accuracy", ["tree"], k=5, within="1se").chosen.id == "R1"


def test_a_rule_that_tells_nothing_is_chosen_only_where_all_do():
    rules = [rule(1, 1000, around(0.8), nothing=True), rule(2, 10, around(0.799))]
    assert choose(rules, "accuracy", ["tree"], k=5).chosen.id == "R2"
    assert choose(rules, "accuracy", ["tree"], k=5, within="1se").chosen.id == "R2"
    assert choose(rules, "k", ["tree"], k=5).chosen.id == "R1"
    alone = choose(rules, "accuracy", ["tree"], k=500)
    assert alone.chosen.id == "R1"
    assert alone.reason.endswith(
        "; it tells nothing of the class, and no other rule that was found and measured does more"
    )


def test_of_rules_that_no_model_tells_anything_by_the_largest_gain_decides():
    rare = {"nothing": True, "associated": True}
    rules = [
        rule(1, 1000, around(0.9), nothing=True, associated=False, gain=0.03),
        rule(2, 100, around(0.9), gain=0.01, **rare),
        rule(3, 20, around(0.9), gain=0.02, **rare),
        rule(4, 30, around(0.89), gain=0.04, **rare),
        rule(5, 2, around(0.9), gain=0.05, **rare),
    ]
    choice = choose(rules, "accuracy", ["tree"], k=5)
    assert choice.chosen.id == "R3"
    assert "none of them is better than naming the majority class" in choice.reason
    assert choose(rules, "loss", ["tree"], k=5).chosen.id == "R4"
    assert choose(rules[:1], "accuracy", ["tree"], k=5).chosen.id == "R1"


def test_the_choice_says_what_ties_with_it():
    rules = marked([rule(1, 100, around(0.80)), rule(2, 50, shaken(0.805))], K_AND_ACCURACY, ["tree"])
    assert choose(rules, "accuracy", ["tree"], k=5).reason.endswith("; R1 with a larger k ties with it")


@pytest.mark.parametrize("name", ["information_gain", "k", "loss", "macro_f1", "roc_auc.tree"])
def test_no_error_is_made_up_for_a_measure_without_folds(name):
    with pytest.raises(ConfigError, match=f"{name} has no standard error"):
        choose([rule(1, 5, around(0.8))], name, ["tree"], k=1, within="1se")
    with pytest.raises(ConfigError, match=f"{name} has no standard error"):
        make_config({"class": "y", "select": {"measure": name, "within": "1se"}})


def test_an_error_of_ranks_is_known_of_candidates_alone():
    """Rules beside them are the best ones, as no error of theirs is known."""
    asked = {"class": "y", "select": {"measure": "roc_auc", "within": "1se"}}
    among = make_config({**asked, "methods": ["rules", "mondrian"]})
    assert (among.selection.within, among.within_of_rules) == ("1se", None)
    by_default = make_config({"class": "y", "select": {"measure": "auto", "within": "1se"}})
    assert (by_default.select, by_default.within_of_rules) == ("accuracy", "1se")
    with pytest.raises(ConfigError, match="information_gain has no standard error"):
        make_config(
            {"class": "y", "methods": ["mondrian"], "models": [], "select": {"measure": "auto", "within": "1se"}}
        )


def test_rules_stored_without_folds_are_not_chosen_within_an_error():
    old = Rule("R1", {"a": 0}, {}, (), Measures(5, 1, 0, 0, 0, 0), {"tree": 0.7}, {"tree": 0.1})
    with pytest.raises(RuleError, match=r"stored without its folds.*anonduck discover"):
        choose([old], "accuracy", ["tree"], k=1, within="1se")


# -- the config --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given_",
    [
        "loss",
        {"measure": "accuracy.tree", "within": "1se"},
        {"measure": "loss", "within": 0.02},
        {"measure": "k"},
    ],
)
def test_select_is_a_text_or_a_mapping_and_is_written_as_it_was(given_):
    config = make_config({"class": "y", "select": given_})
    measure = given_ if isinstance(given_, str) else given_["measure"]
    assert config.select == measure
    written = config.model_dump(mode="json", by_alias=True, exclude_none=True)
    assert written["select"] == (measure if given_ == {"measure": "k"} else given_)
    assert make_config(written) == config


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        (5, "select: it should be a measure, such as `accuracy`, or"),
        (
            {"measure": "accuracy", "within": "2se"},
            r"select\.within: it should be '1se', or a number from 0 to under 1",
        ),
        (
            {"measure": "accuracy", "within": "0.01"},
            r"select\.within: it should be '1se', or a number from 0 to under 1, such as 0.01; it is '0.01'",
        ),
        *[({"measure": "loss", "within": wrong}, r"select\.within: it should be") for wrong in (1, -0.01, True)],
        ({"within": "1se"}, r"select\.measure"),
        ({"measure": "accuracy", "k": 5}, "unknown key select.k; known keys are measure, within"),
    ],
)
def test_a_select_that_cannot_be_is_refused(given_, said):
    with pytest.raises(ConfigError, match=said):
        make_config({"class": "y", "select": given_})
