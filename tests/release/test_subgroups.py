"""Who is left out, by value of a column: counted over the records, and without small numbers."""

from collections import Counter

import pandas as pd
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import people

from anonduck import Project
from anonduck.errors import ConfigError
from anonduck.evaluation.subgroups import NOT_COUNTED, Subgroup, shown_and_others, subgroup_lines

SETTINGS = {"class_": "class", "identifiers": ["id"], "insensitive": ["note"], "models": [], "holdout": 0}
GROUPED = {"age": {"intervals": 8}, "job": {"clusters": True}}


def opened(frame, k=4, **settings):
    settings = {"taxonomies": GROUPED, "requirement": {"k": k, "suppression": 0.5}, **SETTINGS, **settings}
    return Project(source=frame, **settings)


groups = st.lists(st.tuples(st.integers(1, 40), st.integers(0, 40)), min_size=1, max_size=8)


@examples(100)
@given(groups, st.integers(1, 8))
def test_no_small_number_is_shown_and_none_is_lost(drawn, k):
    given_groups = [
        Subgroup((str(at),), records, min(suppressed, records)) for at, (records, suppressed) in enumerate(drawn)
    ]
    shown, others = shown_and_others(given_groups, k)
    parts = [*shown, *([others] if others else [])]
    for one in parts:
        for number in (one.records, one.suppressed, one.records - one.suppressed):
            assert number == 0 or number >= k
    if not parts:
        together = given_groups[0]
        for one in given_groups[1:]:
            together = together.with_another(one)
        assert not together.is_shown(k)
        return
    assert sum(one.records for one in parts) == sum(one.records for one in given_groups)
    assert sum(one.suppressed for one in parts) == sum(one.suppressed for one in given_groups)
    assert sorted(value for one in parts for value in one.values) == sorted(one.values[0] for one in given_groups)
    if all(one.is_shown(k) for one in given_groups):
        assert shown == given_groups


@pytest.mark.slow
@pytest.mark.parametrize("column", ["job", "note", "class", "age"])
def test_records_left_out_by_a_rule_are_those_of_small_classes(column):
    frame = people(300)
    frame["wage"] = [at % 7 for at in range(300)]
    with opened(frame, k=3, subgroups=[column], taxonomies={"wage": {"intervals": 7}}) as one:
        made = one.release({"wage": 0, "rate": 0, "job": 0}, dry_run=True)
        zero = frame["rate"].where(frame["rate"] != 0, 0.0).astype(str)
        classes = list(zip(frame["wage"], zero, frame["job"].where(frame["job"].notna(), None), strict=True))
        sizes = Counter(classes)
    left_out = [sizes[one] < 3 for one in classes]
    assert 0 < made.suppressed == sum(left_out)
    (line,) = made.owner["subgroups"]
    values = [None if pd.isna(value) else str(value) for value in frame[column]]
    counted = [
        Subgroup(
            (value,), values.count(value), sum(out for out, own in zip(left_out, values, strict=True) if own == value)
        )
        for value in sorted(set(values), key=str)
    ]
    shown, others = shown_and_others(counted, 3)
    assert {one["value"]: (one["records"], one["suppressed"]) for one in line["values"]} == {
        one.values[0]: (one.records, one.suppressed) for one in shown
    }
    assert (line["others"] and line["others"]["records"]) == (others and others.records)
    shares = [one["share"] for one in line["values"]]
    assert shares == sorted(shares, reverse=True)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["mondrian", "tds", "datafly", "flexible", "probabilistic"])
def test_methods_release_the_same_bytes_and_count_all_that_is_left_out(tmp_path, method):
    frame = people(300)
    options = {"sensitive": ["note"], "insensitive": []} if method == "flexible" else {}
    with opened(frame, **options) as one:
        plain = one.anonymize(method, tmp_path / "plain.csv")
    with opened(frame, subgroups=["note", "job"], **options) as one:
        made = one.anonymize(method, tmp_path / "asked.csv")
    if method != "probabilistic":  # whose seed is drawn anew
        assert (tmp_path / "plain.csv").read_bytes() == (tmp_path / "asked.csv").read_bytes()
    assert "subgroups" not in made.receipt
    assert "subgroups" not in plain.owner
    for line in made.owner["subgroups"]:
        if method == "probabilistic":
            assert line["reason"] == NOT_COUNTED
            continue
        parts = [*line["values"], *([line["others"]] if line["others"] else [])]
        assert parts
        assert sum(part["records"] for part in parts) == 300
        assert sum(part["suppressed"] for part in parts) == made.suppressed


def test_a_column_that_is_not_there_or_tells_persons_apart_is_refused():
    missing = pytest.raises(ConfigError, match=r"subgroups: .* no column 'region'")
    with opened(people(60), subgroups=["region"]) as one, missing:
        one.release({"job": 0}, dry_run=True)
    with pytest.raises(ConfigError, match="'id' tells persons apart"):
        opened(people(60), subgroups=["id"])
    with pytest.raises(ConfigError, match="stays in spark"):
        Project(source="table:people", engine={"kind": "spark"}, class_="class", subgroups=["sex"])


def test_two_lines_at_most_say_who_is_left_out():
    line = {
        "column": "sex",
        "reason": None,
        "values": [
            {"value": "f", "records": 50, "suppressed": 10, "share": 0.2},
            {"value": None, "records": 30, "suppressed": 0, "share": 0.0},
        ],
        "others": {"number": 2, "records": 9, "suppressed": 0, "share": 0.0},
    }
    nobody = {**line, "values": line["values"][1:]}
    assert subgroup_lines([line]) == ["left out by sex: f 20.0%, nobody of 3 values"]
    assert subgroup_lines([nobody, {**nobody, "column": "region"}]) == ["left out by sex, region: nobody"]
    assert len(subgroup_lines([line] * 5)) == 2
    assert subgroup_lines([line] * 5)[-1].endswith("and by 3 more in the owner's file")
    assert subgroup_lines(None) == []
