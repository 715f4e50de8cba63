"""What columns tell of one another, against counts record by record."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck.database.connection import Database
from anonduck.init.column_relations import ColumnRelations, by_first_record, relations_of, share_predicted
from anonduck.init.profile import profile
from anonduck.init.proposal import propose
from anonduck.source.engine import DuckDBSource

FEW = st.integers(0, 4)


def told_by_the_others(values, classes):
    """The same share record by record: of those that naming the majority class gets wrong, how many are told right."""
    right = 0
    for place, (value, own) in enumerate(zip(values, classes, strict=True)):
        others = Counter(c for n, (v, c) in enumerate(zip(values, classes, strict=True)) if v == value and n != place)
        ranked = others.most_common()
        clear = bool(ranked) and (len(ranked) == 1 or ranked[0][1] > ranked[1][1])
        right += clear and ranked[0][0] == own
    majority = Counter(classes).most_common(1)[0][1]
    return 0.0 if len(classes) - majority < 5 else (right - majority) / (len(classes) - majority)


@examples(120)
@given(records=st.lists(st.tuples(FEW, st.integers(0, 2)), min_size=1, max_size=40))
def test_the_class_is_told_by_the_other_records_of_a_value(records):
    values, classes = (np.array(column) for column in zip(*records, strict=True))
    assert share_predicted(values, classes) == pytest.approx(told_by_the_others(values.tolist(), classes.tolist()))


@examples(120)
@given(one=st.lists(FEW, min_size=1, max_size=12), other=st.lists(FEW, min_size=12, max_size=12))
def test_columns_group_records_alike_exactly_if_each_value_stands_for_one_of_the_other(one, other):
    other = other[: len(one)]
    pairs = set(zip(one, other, strict=True))
    alike = len(pairs) == len(set(one)) == len(set(other))

    def grouping(values):
        return by_first_record(np.unique(values, return_inverse=True)[1]).tolist()

    assert (grouping(one) == grouping(other)) == alike


def related(table, class_="class"):
    database = Database()
    database.register("source", table)
    profiles = profile(DuckDBSource(database))
    found = relations_of(database, profiles, class_)
    database.close()
    return found, propose(profiles, class_, relations=found)


def table(records=60, **columns):
    numbers = np.arange(records)
    made = {name: [value(int(i)) for i in numbers] for name, value in columns.items()}
    return pd.DataFrame({**made, "class": ["yes" if i % 3 == 0 else "no" for i in numbers]})


@pytest.mark.slow
def test_columns_that_give_the_class_away():
    found, proposal = related(
        table(
            status=lambda i: "gone" if i % 3 == 0 else ("here", "new")[i % 2],
            left_on=lambda i: f"2024-01-{i % 28 + 1:02}" if i % 3 == 0 else None,
            nearly=lambda i: 0 if i % 3 == 0 and i != 3 else i % 2 + 1,
            single=lambda i: i / 7,
            plan=lambda i: "ABC"[i % 5 % 3],
        )
    )
    assert set(found.gives_away) == {"status", "left_on"}
    assert found.gives_away["status"] == "its value tells the class"
    assert found.gives_away["left_on"] == "whether it is NULL tells the class"
    assert {one.profile.name for one in proposal.of_role("drop")} == {"status", "left_on"}
    assert all("gives the class away" in one.reason for one in proposal.of_role("drop"))


@pytest.mark.slow
def test_something_is_left_to_generalize():
    _, proposal = related(table(status=lambda i: ("gone", "here", "new")[i % 3], same=lambda _: 1))
    assert [one.profile.name for one in proposal.of_role("quasi_identifiers")] == ["status"]
    (kept,) = proposal.of_role("quasi_identifiers")
    assert kept.reason.endswith(
        "gives the class away: its value tells the class; no other column is left to generalize"
    )
    assert kept.taxonomy
    assert [one.profile.name for one in proposal.of_role("drop")] == ["same"]


def test_a_share_is_named_where_not_all_are_told():
    found, _ = related(table(1200, status=lambda i: int(i % 3 == 0 and i > 8)))
    assert (
        found.gives_away["status"]
        == "its value tells the class of 99.2% of the records that are not in the largest class"
    )


def test_columns_that_repeat_another():
    names = "abcdef"
    found, proposal = related(
        table(
            code=lambda i: i * i % 7,
            words=lambda i: names[i * i % 7 % 6] + str(i * i % 7),
            copy=lambda i: i * i % 7,
            exact=lambda i: i / 7,
            exact_too=lambda i: i / 7,
            otherwise=lambda i: (60 - i) / 11,
            rare=lambda i: int(i == 7),
            rare_too=lambda i: int(i != 7) * 5,
            holes=lambda i: None if i % 4 == 0 else i % 4,
            holes_too=lambda i: "x" if i % 4 == 0 else "yz-"[i % 4 - 1],
        )
    )
    assert dict(found.same) == {
        "words": ("code", False),
        "copy": ("code", True),
        "exact_too": ("exact", True),
        "holes_too": ("holes", False),
    }
    assert {one.profile.name for one in proposal.of_role("drop")} == set(found.same)
    assert "the same values as 'code'" in {one.reason for one in proposal.columns}
    assert "says the same as 'code' in other words, value by value" in {one.reason for one in proposal.columns}


def test_the_other_of_two_stays_where_one_is_left_out_already():
    _, proposal = related(table(code=lambda i: i % 7, copy=lambda i: i % 7))
    assert [one.role for one in proposal.columns][:2] == ["quasi_identifiers", "drop"]
    database = Database()
    database.register("source", table(code=lambda i: i % 7, copy=lambda i: i % 7))
    profiles = profile(DuckDBSource(database))
    relations = relations_of(database, profiles, "class")
    database.close()
    dropped = propose(profiles, "class", drop=["code"], relations=relations)
    assert [one.role for one in dropped.columns][:2] == ["drop", "quasi_identifiers"]


def test_of_few_records_and_of_constant_ones_nothing_is_told():
    assert related(table(19, a=lambda i: i % 3))[0] == ColumnRelations()
    found, _ = related(table(60, a=lambda i: 1, b=lambda i: 1))
    assert found == ColumnRelations()
