"""Advice on wide tables, against counts and logarithms of the rows themselves."""

from collections import Counter
from itertools import combinations
from math import log, log2

import numpy as np
import pandas as pd
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import people, project

from anonduck.cli.app import run
from anonduck.config.reading import read_config
from anonduck.init import advice as advice_room
from anonduck.init import shared_information
from anonduck.init.advice import advice_of

ODD = ["a", 'b "c"', "select", "d\ne"]


def under(rows, k):
    """The rows that fewer than k rows are equal to."""
    return sum(n for n in Counter(rows).values() if n < k)


def rows_of(columns, names):
    """The rows as the named columns tell them; all are alike without any."""
    return [tuple(columns[name][at] for name in names) for at in range(len(next(iter(columns.values()))))]


def told(left, right):
    """The share of what the left column tells that the right one tells, corrected by Miller and Madow."""
    n = len(left)

    def entropy(values):
        return -sum(c / n * log2(c / n) for c in Counter(values).values())

    both = list(zip(left, right, strict=True))
    bias = (len(set(both)) - len(set(left)) - len(set(right)) + 1) / (2 * n * log(2))
    mutual = max(0.0, entropy(left) + entropy(right) - entropy(both) - bias)
    return min(1.0, mutual / entropy(left)) if entropy(left) else 0.0


@st.composite
def columns(draw):
    count, rows = draw(st.integers(1, 4)), draw(st.integers(1, 25))
    return [draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows)) for _ in range(count)]


@given(columns(), st.integers(2, 4))
@examples(100)
def test_advice_equals_brute_force(drawn, k):
    names = ODD[: len(drawn)]
    ranks = [np.unique(one, return_inverse=True)[1] + 1 for one in drawn]
    found = advice_of(names, ranks, [True] * len(drawn), k=k)
    rows = list(zip(*drawn, strict=True))
    assert (found.records, found.under_k) == (len(rows), under(rows, k))
    by_name = dict(zip(names, drawn, strict=True))
    for one in found.columns:
        values = by_name[one.column]
        counts = Counter(values)
        others = [name for name in names if name != one.column]
        pairs = list(combinations(values, 2))
        assert one.under_k == sum(counts[v] < k for v in values)
        assert one.unique == sum(counts[v] == 1 for v in values)
        assert one.separation == pytest.approx(sum(a != b for a, b in pairs) / len(pairs) if pairs else 0, abs=1e-6)
        assert one.under_k_without == under(rows_of(by_name, others), k)
    close = {(p.column, p.proxy): (p.share, p.back) for p in found.proxies}
    for one, other in combinations(names, 2):
        shares = told(by_name[one], by_name[other]), told(by_name[other], by_name[one])
        known = close.get((one, other)) or close.get((other, one))
        if abs(max(shares) - advice_room.PROXY) > 1e-6:
            assert (known is not None) == (max(shares) > advice_room.PROXY)
        if known:
            assert known == pytest.approx((max(shares), min(shares)), abs=1e-6)
    rest = [name for name in names if name not in found.leave_out]
    assert rest
    assert found.under_k_without == under(rows_of(by_name, rest), k)
    kept = [name for name in names if name not in found.half_without]
    assert not kept or 2 * under(rows_of(by_name, kept), k) < len(rows)


@given(columns(), st.integers(2, 4), st.sampled_from([0.1, 0.5, 1.0]))
@examples(60)
def test_rare_values_are_those_of_columns_where_hardly_any_is(drawn, k, most):
    names = ODD[: len(drawn)]
    ranks = [np.unique(one, return_inverse=True)[1] + 1 for one in drawn]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(advice_room, "RARE", most)
        found = advice_of(names, ranks, [True] * len(drawn), k=k)
    few = [[Counter(one)[value] < k for value in one] for one in drawn]
    rare = [name for name, one in zip(names, few, strict=True) if 0 < sum(one) <= most * len(one)]
    assert list(found.rare_in) == rare
    chosen = [one for name, one in zip(names, few, strict=True) if name in rare]
    assert found.rare == sum(map(any, zip(*chosen, strict=True)))


def test_a_column_with_a_value_a_record_is_no_proxy_of_all_others():
    random = np.random.default_rng(1)
    unique, other = np.arange(1, 2001), random.integers(1, 9, 2000)
    assert advice_of(["id", "x"], [unique, other], [True, True], k=5).proxies == ()
    assert advice_of(["id", "x"], [unique, other], [False, True], k=5).proxies == ()
    (pair,) = advice_of(["id", "x"], [unique, (unique + 249) // 250], [True, True], k=5).proxies
    assert (pair.column, pair.proxy) == ("x", "id")


def test_pairs_that_are_screened_first_are_the_proxies_of_all_records(monkeypatch):
    random = np.random.default_rng(4)
    base = random.integers(0, 40, (6, 1500))
    noisy = [np.where(random.random(1500) < 0.15 * n, random.integers(0, 40, 1500), one) for n, one in enumerate(base)]
    flags = [base[0] % 2, base[1] // 20, np.zeros(1500, dtype=int)]
    ranks = [np.unique(one, return_inverse=True)[1] + 1 for one in (*base, *noisy, *flags)]
    names = [f"c{n}" for n in range(len(ranks))]
    whole = advice_of(names, ranks, [False] * len(ranks), k=5)
    steps = []
    monkeypatch.setattr(shared_information, "MOST_COMPARED", 0)
    monkeypatch.setattr(shared_information, "AT_ONCE", 4)
    monkeypatch.setattr(shared_information, "SCREENED", 500)
    screened = advice_of(names, ranks, [False] * len(ranks), k=5, progress=lambda *step: steps.append(step))
    assert screened == whole
    assert 5 < len(whole.proxies) < 40
    assert steps == [("comparing columns", done * (done - 1) // 2, 105) for done in (0, 4, 8, 12, 15)]


def wide(rows=300):
    random = np.random.default_rng(2)
    frame = pd.DataFrame({f"q{n}": random.integers(0, 3, rows) for n in range(12)})
    frame["exact"] = random.permutation(rows) // 2
    frame["rough"] = frame["q1"].map({0: "low", 1: "low", 2: "high"})
    frame.loc[:1, "rough"] = "odd"
    frame["class"] = random.choice(["yes", "no"], rows)
    return frame


@pytest.mark.slow
def test_init_advises_on_a_wide_table_and_names_no_value(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    wide().to_csv("wide.csv", index=False)
    assert run(["init", "wide.csv", "--class", "class"]) == 0
    said = capsys.readouterr().out
    text = (tmp_path / "anonduck.yml").read_text()
    for words in (
        "14 quasi-identifiers are many: each one more makes classes smaller. Measured on all 300 records:",
        "'exact' alone: 300 of 300 records (100%) have a value that fewer than 5 share",
        "'rough': ",
        "% of what it tells, 'q1' tells too",
        "in classes under 5 at the finest levels: 300 of 300 records (100%)",
        "leaving these columns out alone would change little",
    ):
        assert words in said
        assert words in text
    assert "odd" not in said.replace("'odd", "")
    assert "# requirement: {k: 5, suppression: 0.007}" in text
    assert "2 of 300 records have a rare value, one that fewer than 5 share, in 'rough'" in text
    assert read_config(tmp_path / "anonduck.yml").requirement.suppression == 0
    assert run(["advise"]) == 0
    assert "14 quasi-identifiers are many" in capsys.readouterr().out
    assert run(["init", "wide.csv", "--class", "class", "--overwrite", "--identifier", "exact", "--json"]) == 0
    assert '"suppression": 0.007' in capsys.readouterr().out


@pytest.mark.slow
def test_a_narrow_table_gets_no_advice_unasked(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    people().to_csv("p.csv", index=False)
    assert run(["init", "p.csv", "--class", "class"]) == 0
    assert "are many" not in capsys.readouterr().out
    assert "are many" not in (tmp_path / "anonduck.yml").read_text()
    with project(people()) as one:
        found = one.advise()
    assert {column.column for column in found.columns} == {"age", "job", "rate"}
    assert found.records == 400
    assert found.lines[0] == "3 quasi-identifiers, measured on all 400 records:"


def test_a_table_without_records_gets_none():
    with project(people()[:0]) as one:
        assert one.advise() is None
