"""A source with so many records of each person: as many as may be, the same ones in any order, by two ways alike."""

from collections import Counter, defaultdict

import duckdb
import pandas as pd
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck import Project
from anonduck.statements import Statement

NAMES = ("least", "entity", "records", "hashes", "room", "last", 'a "b", c', "hash")
VALUES = st.sampled_from([None, 0.0, -0.0, float("nan"), 1.5])


def bags(frame, path, **settings):
    """The rows of the view of a source, and those of its query alone, as bags of texts."""
    frame.to_parquet(path, index=False)
    with Project(source=path, models=[], **settings) as one:
        query = one.source.relation_sql
        return [Counter(map(repr, one.database.rows(Statement(text, text)))) for text in ("FROM source", query)]


def unsigned(bag):
    found = Counter()
    for row, count in bag.items():
        found[row.replace("-0.0", "0.0")] += count
    return found


@pytest.mark.slow
@examples(20)
@given(
    st.lists(st.tuples(st.integers(0, 3), VALUES, st.sampled_from("ab")), min_size=2, max_size=30),
    st.integers(1, 4),
    st.permutations(NAMES),
    st.randoms(use_true_random=False),
)
def test_as_many_records_as_may_be_whatever_their_order(tmp_path_factory, rows, at_most, names, chance):
    who, value, class_ = names[:3]
    frame = pd.DataFrame(rows, columns=[who, value, class_])
    settings = {"class_": class_, "entity": {"column": who, "at_most": at_most}}
    path = tmp_path_factory.mktemp("bounded") / "t.parquet"
    view, text = bags(frame, path, **settings)
    assert view == text
    assert view <= unsigned(Counter(map(repr, duckdb.sql(f"FROM '{path}'").fetchall())))
    held = defaultdict(int)
    for row, count in view.items():
        held[int(row[1:].split(",")[0])] += count
    assert held == {one: min(count, at_most) for one, count in Counter(frame[who]).items()}
    order = list(range(len(rows)))
    chance.shuffle(order)
    shuffled, _ = bags(frame.iloc[order], path, **settings, threads=1)
    assert shuffled == view


def test_where_comes_first_and_nothing_is_chosen_of_what_it_leaves_out(tmp_path):
    frame = pd.DataFrame({"who": ["a"] * 6, "age": range(6), "c": list("xyxyxy")})
    view, text = bags(
        frame, tmp_path / "t.parquet", class_="c", entity={"column": "who", "at_most": 2}, where="age > 3"
    )
    assert view == text == Counter(["('a', 4, 'x')", "('a', 5, 'y')"])


@pytest.mark.slow
def test_records_that_came_since_are_bounded_in_the_next_job(tmp_path):
    frame = pd.DataFrame({"who": list("aabbcc"), "age": [1, 2, 1, 2, 1, 2], "c": list("xyxyxy")})
    frame.to_parquet(tmp_path / "t.parquet")
    settings = {"class_": "c", "entity": {"column": "who", "at_most": 2}, "requirement": {"k": 2}, "models": []}
    with Project(source=tmp_path / "t.parquet", **settings) as one:
        assert one.release({"age": 0}, None, dry_run=True).owner["entity"]["left_out"] == 0
        more = pd.DataFrame({"who": ["a"] * 9, "age": [1] * 9, "c": ["x"] * 9})
        pd.concat([frame, more]).to_parquet(tmp_path / "t.parquet")
        made = one.release({"age": 0}, None, dry_run=True)
        assert (made.rows, made.owner["entity"]["left_out"], made.owner["entity"]["at_most"]) == (6, 9, 2)


@pytest.mark.parametrize("most", [100_000, 100_001])
def test_how_many_there_may_be(tmp_path, most):
    frame = pd.DataFrame({"who": list("aab"), "age": [1, 2, 3], "c": list("xyx")})
    settings = {"class_": "c", "entity": {"column": "who", "at_most": most}}
    if most > 100_000:
        with pytest.raises(ValueError, match="less than or equal to 100000"):
            bags(frame, tmp_path / "t.parquet", **settings)
        return
    view, _ = bags(frame, tmp_path / "t.parquet", **settings)
    assert view.total() == 3
