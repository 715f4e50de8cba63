"""The smallest sets of columns that single out most records, against all sets; and what the command says."""

import json
from collections import Counter
from itertools import combinations
from math import ceil

import numpy as np
import pandas as pd
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck import Project
from anonduck.cli.app import run
from anonduck.errors import ConfigError
from anonduck.init import identifying
from anonduck.init.identifying import LISTED, identifying_of


def singled(columns, chosen):
    counts = Counter(zip(*(columns[number] for number in chosen), strict=True))
    return sum(1 for count in counts.values() if count == 1)


@st.composite
def tables(draw):
    rows = draw(st.integers(1, 12))
    column = st.lists(st.integers(1, 4), min_size=rows, max_size=rows)
    return draw(st.lists(column, min_size=1, max_size=5))


def ranked(columns):
    return [np.unique(column, return_inverse=True)[1] + 1 for column in columns]


@examples(100)
@given(tables(), st.sampled_from([0.3, 0.5, 0.9, 0.99, 1]))
def test_sets_are_all_of_the_least_size(columns, share):
    names, every = [f"c{number}" for number in range(len(columns))], range(len(columns))
    found = identifying_of(names, ranked(columns), share=share)
    records, together = len(columns[0]), singled(columns, every)
    assert found.together == round(together / records, 6)
    if not together:
        assert found.sets == ()
        return
    enough = ceil(share * (records if together >= share * records else together))
    sizes = {size: [one for one in combinations(every, size) if singled(columns, one) >= enough] for size in every[1:]}
    least = next((sets for sets in sizes.values() if sets), [tuple(every)])
    assert found.smallest
    assert {one.columns for one in found.sets} == {tuple(names[n] for n in one) for one in least}
    assert [one.share for one in found.sets] == sorted((one.share for one in found.sets), reverse=True)


@examples(50)
@given(tables())
def test_columns_alone_are_counted_pair_by_pair(columns):
    found = identifying_of([str(number) for number in range(len(columns))], ranked(columns))
    for column, one in zip(columns, found.columns, strict=True):
        pairs = list(combinations(column, 2))
        apart = sum(a != b for a, b in pairs) / len(pairs) if pairs else 0.0
        assert one.separation == pytest.approx(apart, abs=1e-6)
        assert one.distinction == pytest.approx(len(set(column)) / len(column), abs=1e-6)
        assert one.unique == pytest.approx(singled([column], [0]) / len(column), abs=1e-6)


def test_where_too_many_sets_would_be_looked_at_one_is_minimal(monkeypatch):
    monkeypatch.setattr(identifying, "MOST_TRIED", 20)
    rows = np.random.default_rng(0).integers(1, 3, (12, 40))
    found = identifying_of(list("abcdefghijkl"), list(rows), share=0.9)
    assert not found.smallest
    (one,) = found.sets
    assert "there may be smaller sets" in found.lines[1]
    chosen = ["abcdefghijkl".index(name) for name in one.columns]
    enough = ceil(0.9 * 40)
    assert all(singled(rows.tolist(), [n for n in chosen if n != left]) < enough for left in chosen)


def test_many_sets_are_not_all_listed():
    found = identifying_of([str(n) for n in range(LISTED + 5)], [np.arange(1, 10)] * (LISTED + 5))
    assert (len(found.sets), found.omitted) == (LISTED, 5)
    assert found.lines[-1] == "and 5 more"


@pytest.mark.slow
def test_the_command_and_the_library_look_at_quasi_identifiers_and_insensitive_columns(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(
        {
            "id": range(20),
            "a": [n // 5 for n in range(20)],
            "b": [n % 5 for n in range(20)],
            "c": 1,
            "y": list("pq") * 10,
        }
    )
    frame.to_parquet("t.parquet")
    (tmp_path / "anonduck.yml").write_text("source: t.parquet\nclass: y\nidentifiers: [id]\ninsensitive: [c]\n")
    assert run(["quasi-identifiers", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["column"] for one in found["columns"]] == ["a", "b", "c"]
    assert found["sets"] == [{"columns": ["a", "b"], "share": 1.0}]
    assert run(["quasi-identifiers", "--share", "0.5"]) == 0
    told = capsys.readouterr().out
    assert "it takes 2 of them to single out 50% of the records" in told
    with Project("anonduck.yml") as project, pytest.raises(ConfigError, match="over 0 and at most 1"):
        project.identifying_columns(share=0)
    with Project(source=frame[:0], class_="y") as project:
        assert project.identifying_columns() is None
