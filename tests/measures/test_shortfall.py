"""What blocks a requirement, against counts of the rows themselves and against the release that it promises."""

from collections import Counter
from fractions import Fraction

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import coded, generalized, people, project, tables

from anonduck.errors import RequirementNotMet
from anonduck.measures.requirement import Requirement
from anonduck.measures.shortfall import Shortfall, round_share, shortfall
from anonduck.privacy import relations
from anonduck.privacy.requirement import ask
from anonduck.statements.pipeline.column_names import code_column


@pytest.mark.slow
@given(tables(max_rows=14), st.integers(2, 5))
@examples(40)
def test_the_records_of_small_classes_are_counted(shared, table, k):
    names, paths, rows = table
    coded(shared, names, paths, rows)
    found = shortfall(
        shared, "coded_frequency_set", [code_column(name, 0) for name in names], [], Requirement(ask({"k": k}))
    )
    relations.forget(shared)
    sizes = Counter(row[:-1] for row in generalized(names, paths, rows, [0] * len(names))).values()
    failing = sum(size for size in sizes if size < k)
    assert (found.failing, found.records, found.k, found.left) == (failing, len(rows), k, ())
    if found.suppression is not None:
        assert Fraction(str(found.suppression)) >= Fraction(failing, len(rows))
    else:
        assert failing == len(rows) or failing > len(rows) * 0.1 - 1e-9


@given(st.integers(0, 10_000), st.integers(1, 10_000))
@examples(200)
def test_a_share_is_rounded_up_to_a_thousandth(part, more):
    records = part + more
    share = Fraction(str(round_share(part, records)))
    assert share - Fraction(1, 1000) < Fraction(part, records) <= share
    assert (share * 1000).denominator == 1


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (Shortfall(12, 45_211, "k >= 10", 10), "12 of 45,211 records are in classes under 10; `suppression: 0.001` wo"),
        (Shortfall(1, 100, "k >= 5, l >= 2"), "1 of 100 records is in a class that fails k >= 5, l >= 2; `suppression"),
        (Shortfall(50, 100, "k >= 5", 5), "50 of 100 records are in classes under 5, more than suppression should"),
        (Shortfall(2, 100, "k >= 5", left=("x = 1",)), "that fail k >= 5; without them it would still miss x = 1"),
        (Shortfall(0, 100, "k >= 5", left=("x = 1",)), "x = 1"),
    ],
)
def test_what_blocks_is_said(found, text):
    assert text in found.text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "required"),
    [
        ({}, {"k": 8}),
        ({"sensitive": ["note"], "insensitive": []}, {"k": 5, "l": 3}),
        ({"sensitive": ["note"], "insensitive": []}, {"k": 2, "t": 0.3}),
    ],
    ids=["k", "l", "t"],
)
def test_the_share_that_is_offered_would_do(tmp_path, more, required):
    with project(people(500), requirement=required, **more) as one:
        rule = {"age": 2, "job": 1}
        blocked = one.release(rule, dry_run=True).blocked
        assert blocked.suppression is not None
        offer = f"`--require suppression={blocked.suppression:g}` would do. Choose a rule with coarser"
        with pytest.raises(RequirementNotMet) as refused:
            one.release(rule, tmp_path / "r.csv")
        assert f"; nothing was written. {blocked.failing} of 500 records" in str(refused.value)
        assert offer in str(refused.value)
        done = one.release(rule, tmp_path / "r.csv", requirement={"suppression": blocked.suppression})
        assert done.suppressed == blocked.failing
        assert done.blocked is None
        less = (blocked.failing - 1) / 500
        with pytest.raises(RequirementNotMet):
            one.release(rule, tmp_path / "r.csv", requirement={"suppression": less}, overwrite=True)
