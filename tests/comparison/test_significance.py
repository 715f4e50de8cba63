"""Ranks over data sets: the example of Demsar 2006, and scipy's Friedman test."""

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck.comparison.comparison import Comparison
from anonduck.comparison.significance import rank_test, rank_tests
from anonduck.errors import ConfigError

METHODS = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")
TABLE_6 = """
0.763 0.768 0.771 0.798
0.599 0.591 0.590 0.569
0.954 0.971 0.968 0.967
0.628 0.661 0.654 0.657
0.882 0.888 0.886 0.898
0.936 0.931 0.916 0.931
0.661 0.668 0.609 0.685
0.583 0.583 0.563 0.625
0.775 0.838 0.866 0.875
1.000 1.000 1.000 1.000
0.940 0.962 0.965 0.962
0.619 0.666 0.614 0.669
0.972 0.981 0.975 0.974
0.957 0.978 0.946 0.970
"""
"""AUC on 14 data sets. The ranks of the paper part C4.5+cf and C4.5+m+cf on voting, which it prints as 0.975 each."""

AUC = np.array([[float(one) for one in line.split()] for line in TABLE_6.split("\n") if line])


def test_the_example_of_the_paper():
    found = rank_test(METHODS, AUC, "C4.5")
    assert [round(rank, 3) for rank in found.mean_ranks.values()] == [3.143, 2.0, 2.893, 1.964]
    assert found.chi_square == pytest.approx(9.28, abs=0.01)
    assert found.f == pytest.approx(3.69, abs=0.01)
    assert found.f_p < 0.05
    assert found.critical_difference == pytest.approx(1.16, abs=0.01)
    assert found.holm["C4.5+m+cf"] == pytest.approx(3 * 0.016, abs=0.002)
    assert found.holm["C4.5+m"] == pytest.approx(2 * 0.019, abs=0.011)
    assert found.holm["C4.5+cf"] == pytest.approx(0.607, abs=0.002)
    assert [name for name, p in found.holm.items() if p < 0.05] == ["C4.5+m", "C4.5+m+cf"]


@examples(30)
@given(st.integers(3, 6), st.integers(2, 9), st.integers(0, 1000))
def test_friedman_is_that_of_scipy(methods, data_sets, seed):
    from scipy.stats import friedmanchisquare

    values = np.random.default_rng(seed).random((data_sets, methods))
    found = rank_test([str(one) for one in range(methods)], values, "0")
    theirs = friedmanchisquare(*values.T)
    assert found.chi_square == pytest.approx(theirs.statistic)
    assert found.p == pytest.approx(theirs.pvalue)


def test_the_same_ranks_everywhere_have_an_infinite_f():
    found = rank_test(["a", "b", "c"], np.array([[3.0, 2.0, 1.0]] * 4), "a")
    assert (found.f, found.f_p) == (None, 0.0)
    assert dict(found.mean_ranks) == {"a": 1.0, "b": 2.0, "c": 3.0}


@pytest.mark.parametrize(
    ("methods", "values", "control"),
    [(["a"], [[1.0], [2.0]], "a"), (["a", "b"], [[1.0, 2.0]], "a"), (["a", "b"], [[1.0, 2.0]] * 3, "c")],
)
def test_what_cannot_be_tested_is_refused(methods, values, control):
    with pytest.raises(ConfigError):
        rank_test(methods, np.array(values), control)


def compared(name, reached):
    """A comparison of a data set: by method, at k = 5 and 10, the accuracy that it reaches; None where it failed."""
    rows = [
        {
            "method": method,
            "protocol": "released",
            "k_required": k,
            "models": {} if number is None else {"tree": {"accuracy": {"value": number}}},
        }
        for method, of_k in reached.items()
        for k, number in zip((5, 10), of_k, strict=True)
    ]
    baseline = {"tree": {"accuracy": {"value": len(name) / 10}}}
    return Comparison(name, 100 + len(name), ("tree",), {"released": ""}, tuple(rows), baseline, 0.5, 10, 0)


def test_rules_are_a_control_and_a_k_at_which_they_failed_has_no_test():
    one = compared("a", {"rules by accuracy": (0.8, 0.7), "tds": (0.7, 0.6), "mondrian": (0.9, 0.8)})
    other = compared("bb", {"rules by accuracy": (0.8, None), "tds": (0.7, 0.6), "mondrian": (0.9, 0.8)})
    assert [(test["k"], test["control"]) for test in rank_tests([one, other], "rules")] == [(5, "rules by accuracy")]
    assert {test["k"] for test in rank_tests([one, other])} == {5, 10}
    with pytest.raises(ConfigError, match="none of"):
        rank_tests([one, other], "nobody")


def test_a_data_set_counts_once():
    one = compared("a", {"tds": (0.7, 0.6), "mondrian": (0.9, 0.8)})
    with pytest.raises(ConfigError, match="the same data set"):
        rank_tests([one, one])
