"""Whether the weights of usefulness help, from what a comparison measured."""

import pytest

from anonduck.comparison.comparison import Comparison
from anonduck.comparison.weights_help import MODEL, UNWEIGHTED, WEIGHTED, help_of


def compared(weighted, unweighted):
    """A comparison in which both readings have the same areas by fold; None for a row that failed."""
    rows = []
    for method, folds in (*((one, weighted) for one in WEIGHTED.values()), (UNWEIGHTED, unweighted)):
        known = [one for one in folds or () if one is not None]
        scores = {MODEL: {"roc_auc": {"value": sum(known) / len(known), "folds": folds}}} if known else None
        rows.append(
            {"method": method, "models": scores, "reason": None if known else "it failed", "models_reason": None}
        )
    return Comparison("s", 10, (MODEL,), {}, tuple(rows), {}, None, len(unweighted or ()), 0)


@pytest.mark.parametrize(
    ("weighted", "unweighted", "expected"),
    [
        ([0.8, 0.7, 0.9], [0.6, 0.5, 0.7], True),
        ([0.6, 0.5, 0.7], [0.6, 0.5, 0.7], False),
        ([0.5, 0.5, 0.5], [0.6, 0.7, 0.8], False),
        ([0.9, 0.5, 0.61], [0.6, 0.6, 0.6], False),  # better in the mean, by less than its error
        ([0.7, 0.6, 0.8], [0.6, 0.6, 0.7], False),  # better by .067, which is 1.26 errors
    ],
)
def test_weights_help_where_the_difference_is_above_its_error(weighted, unweighted, expected):
    assert [one["help"] for one in help_of(compared(weighted, unweighted))] == [expected, expected]


def test_the_error_counts_that_folds_share_what_they_learn_from():
    """Differences of .3, -.1 and .01: variance .0427, by 1/3 + 1/2 of it .0356, whose root is .1886."""
    (one, _) = help_of(compared([0.9, 0.5, 0.61, None], [0.6, 0.6, 0.6, 0.9]))
    assert (one["difference"], one["error"]) == (pytest.approx(0.07), pytest.approx(0.1886, abs=1e-4))


def test_one_fold_has_no_error_and_no_verdict():
    (one, _) = help_of(compared([0.9, None], [0.6, 0.7]))
    assert (one["help"], one["difference"]) == (None, None)
    assert one["reason"].startswith("fewer than two folds")


def test_a_release_that_failed_has_no_verdict():
    (one, _) = help_of(compared(None, [0.6, 0.7]))
    assert (one["help"], one["reason"]) == (None, "it failed")
