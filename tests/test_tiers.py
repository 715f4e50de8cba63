"""The tiers of tests: what plain pytest leaves out, and that it leaves out no whole module."""

import ast
from pathlib import Path

import pytest
from examples import ALL, FEWEST, examples, spread, tier
from hypothesis import settings

HERE = Path(__file__).parent
IN_A_BROWSER = ("test_report_browser.py", "test_explorer_browser.py")
IN_SPARK = (
    "test_spark_cluster.py",
    "test_spark_release.py",
    "test_spark_connect.py",
)  # each waits for a session of Spark


@pytest.mark.parametrize(
    ("number", "count", "kept"),
    [(1, 7, {0}), (3, 9, {0, 3, 6}), (3, 4, {0, 1, 2}), (4, 4, {0, 1, 2, 3}), (5, 2, {0, 1})],
)
def test_parameters_are_evenly_spread(number, count, kept):
    assert spread(number, count) == kept


@pytest.mark.parametrize(
    ("numbers", "marks"),
    [
        ((2,), ["", "slow", "", "slow"]),
        ((1, 2), ["", "nightly", "slow", "nightly"]),
        ((0, 1), ["slow", "nightly", "nightly", "nightly"]),
        ((2, 9), ["", "slow", "", "slow"]),
        ((3, 1), ["", "", "", "nightly"]),
    ],
)
def test_each_parameter_runs_in_one_tier(numbers, marks):
    assert tier(numbers, 4) == marks


def test_a_profile_takes_its_share_of_the_examples():
    share = settings().max_examples / ALL
    assert examples(300).max_examples == int(300 * share)
    assert examples(2).max_examples == 2 * max(share, 1)
    assert examples(FEWEST).max_examples >= FEWEST


def marks(decorators):
    """The names of the marks of a test."""
    called = [one.func if isinstance(one, ast.Call) else one for one in decorators]
    return {one.attr for one in called if isinstance(one, ast.Attribute)}


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(HERE.rglob("test_*.py")), ids=lambda path: path.name)
def test_plain_pytest_runs_something_of_each_module(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    tests = [one for one in tree.body if isinstance(one, ast.FunctionDef) and one.name.startswith("test_")]
    fast = [one.name for one in tests if "slow" not in marks(one.decorator_list)]
    whole = "pytest.mark.slow," in path.read_text(encoding="utf-8").partition("\ndef ")[0]
    assert whole == (path.name in IN_A_BROWSER)
    assert fast or path.name in IN_SPARK
