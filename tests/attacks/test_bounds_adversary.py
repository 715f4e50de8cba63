"""Somebody who knows this code and all records but one learns from labels of intervals where that one lies no better
than among k records."""

import csv
import math
from fractions import Fraction

import duckdb
import pandas as pd
import pytest
from bounds_oracle import allowed, nearest, roundest, supported
from examples import examples
from hypothesis import assume, given
from hypothesis import strategies as st

from anonduck import Project
from anonduck.database.connection import Database
from anonduck.release.mapping import read_mapping
from anonduck.statements import Statement
from anonduck.taxonomy.builders.intervals import build_intervals
from anonduck.taxonomy.catalog import prepare

DATABASE = Database()


def guessed_cuts(held, k, size):
    """The bounds of the finest level, as the adversary computes them for a guess."""
    exactly = [(Fraction(value), records) for value, records in sorted(held.items())]
    return nearest(*allowed(exactly, k, roundest, lambda rare: supported(rare, 0, k)), size)


def built_cuts(held, k, size, kind="INTEGER"):
    """The labels of the finest level, as anonduck makes them."""
    prepare(DATABASE)
    ask = Statement(
        "test",
        f"""CREATE OR REPLACE TEMP TABLE frequency_set AS
        SELECT unnest($texts::VARCHAR[])::{kind} AS "x@value", unnest($records::BIGINT[]) AS "#records" """,
        frozenset({"texts", "records"}),
    )
    texts = [None if value is None else str(value) for value in held]
    DATABASE.run(ask, {"texts": texts, "records": list(held.values())})
    build_intervals(DATABASE, "x", kind, frequency="frequency_set", size=size, label_k=k)
    labels = dict.fromkeys(label for (label,) in DATABASE.rows(Statement("test", LABELS)))
    return [label[1:].split(", ")[0] for label in labels][1:]


LABELS = "SELECT level_1 FROM taxonomy.x ORDER BY code_0"


def records_within(held, free, alike):
    """The records among which the adversary places the unknown one, which is among them.

    ``alike`` are the places that give the labels that were seen, of those that are ``free``. The adversary knows that
    the record lies between the nearest places under and over them that would give others.
    """
    under = max((place for place in free if place < min(alike)), default=-math.inf)
    over = min((place for place in free if place > max(alike)), default=math.inf)
    return 1 + sum(records for value, records in held.items() if under < value < over)


@examples(60)
@given(
    st.sampled_from([2, 3, 5]).flatmap(
        lambda k: st.tuples(
            st.just(k),
            st.dictionaries(st.integers(-20, 60), st.sampled_from([1, 1, 2, k, k + 3]), min_size=5, max_size=40),
        )
    ),
    st.integers(1, 5),
)
def test_no_bound_places_a_rare_value_among_fewer_than_k(given_table, size):
    k, held = given_table
    assume(sum(held.values()) >= k)
    free = [place for place in range(-20, 61) if place not in held]
    seen = {place: tuple(guessed_cuts({**held, place: 1}, k, size)) for place in free}
    for cuts in set(seen.values()):
        alike = [place for place in free if seen[place] == cuts]
        assert records_within(held, free, alike) >= k, (held, alike, cuts)


@pytest.mark.slow
@examples(25)
@given(st.dictionaries(st.integers(-20, 60), st.sampled_from([1, 2, 3, 6]), min_size=5, max_size=40), st.integers(1, 5))
def test_the_adversary_computes_the_bounds_that_are_built(held, size):
    assert [Fraction(text) for text in built_cuts({**held, None: 2}, 3, size)] == guessed_cuts(held, 3, size)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "common", "places"),
    [
        ("INTEGER", [20, 21, 40, 41], [22, 23, 28, 29]),
        ("DECIMAL(10,2)", ["20.00", "21.50", "40.00"], ["21.51", "23.00", "29.99"]),
        ("DOUBLE", [0.2, 0.25, 4.5], [0.26, 0.3000000001, 3.999999]),
        ("FLOAT", [1.5e9, 2.5e9, 6.5e9], [2500000256.0, 3200000256.0, 4999999488.0]),
        ("HUGEINT", [2**100, 2**101, 2**110], [2**101 + 1, 2**102, 2**108]),
        ("DATE", ["2001-03-04", "2001-03-05", "2019-05-05"], ["2001-03-06", "2005-06-07", "2009-12-31"]),
        ("TIMESTAMP", ["2020-01-01 10:20:00", "2020-01-01 12:40:00"], ["2020-01-01 10:20:01", "2020-01-01 11:59:59"]),
        ("TIME", ["10:20:00", "12:40:00"], ["10:20:00.000001", "11:59:59"]),
    ],
)
def test_where_a_rare_value_lies_moves_no_bound(kind, common, places):
    found = {tuple(built_cuts({**dict.fromkeys(common, 5), place: 1, None: 1}, 5, 1, kind)) for place in places}
    assert len(found) == 1
    (cuts,) = found
    assert cuts
    assert not set(cuts) & {str(place) for place in places}


def test_neighbouring_rare_values_give_no_half_and_no_neighbour_as_bound():
    ages = dict.fromkeys(range(30, 50), 2)
    assert built_cuts(ages, 5, 5) == ["35", "40", "45"]
    assert built_cuts({**ages, 34: 1, 35: 1}, 5, 5) == ["35", "40", "45"]


def test_cents_of_a_person_are_no_bound():
    paid = {f"{euros}.{cents:02}": 1 for euros, cents in ((at * 997 % 5000, at * 31 % 100) for at in range(200))}
    cuts = built_cuts(paid, 5, 5, "DECIMAL(10,2)")
    assert len(cuts) > 10
    assert all(float(cut) % 10 == 0 for cut in cuts)


def test_floats_over_a_billion_show_no_rare_value():
    paid = {f"{1e9 + at * 64}": 1 for at in range(100)}
    cuts = built_cuts(paid, 5, 5, "FLOAT")
    assert len(cuts) > 5
    assert all(int(cut) % 100 == 0 for cut in cuts)


def test_tiny_numbers_are_parted_by_round_ones():
    cuts = built_cuts({f"{at}e-12": 1 for at in range(1, 101)}, 5, 5, "DOUBLE")
    assert [Fraction(cut) * 10**12 for cut in cuts] == list(range(10, 100, 5))


def test_nothing_is_cut_where_k_records_are_not_on_both_sides():
    assert built_cuts({20: 9, 90: 4}, 5, 1) == []
    assert built_cuts({20: 9, 90: 5}, 5, 1) == ["50"]


# -- a release ---------------------------------------------------------------------------------------------------------

REQUIREMENT = {"k": 5, "suppression": 0.2}


def people(*outliers):
    """People of two towns and six salaries, ten of each; and some, each of a town of their own, who are left out."""
    rows = [
        (town, salary, "yes" if at % 2 else "no")
        for town in ("Bari", "Lecce")
        for salary in range(30_000, 90_000, 10_000)
        for at in range(10)
    ]
    rows += [(f"far {at}", salary, "no") for at, salary in enumerate(outliers)]
    return pd.DataFrame(rows, columns=["town", "salary", "class"])


def opened(frame, **changes):
    settings_ = {"requirement": REQUIREMENT, "quasi_identifiers": ["town", "salary"], **changes}
    return Project(source=frame, class_="class", **{"taxonomies": {"salary": {"intervals": 2}}, **settings_})


def salaries(path):
    with path.open(newline="") as file:
        return {row["salary"] for row in csv.DictReader(file)}


LEFT_OUT = [
    [],
    [5_000_000],
    [90_000],
    [10],
    [45_000],
    [5_000_000] * 6,
    [250_000] * 6,
    [10] * 6 + [20] * 6,
    [10] * 6 + [20] * 6 + [7_000_000] * 6,
]
PARTS = [[[], *LEFT_OUT[at::3]] for at in (1, 2, 3)]


@pytest.mark.slow
@pytest.mark.some(1)
@pytest.mark.parametrize("left_out", PARTS)
def test_who_was_left_out_shows_in_no_label(tmp_path, left_out):
    released = set()
    for outliers in left_out:
        with opened(people(*outliers)) as one:
            release = one.release({"town": 0, "salary": 1}, tmp_path / "out.csv", overwrite=True)
        assert release.suppressed == len(outliers)
        released.add((tmp_path / "out.csv").read_text())
    assert len(released) == 1
    assert salaries(tmp_path / "out.csv") == {"(-inf, 50000)", "[50000, 70000)", "[70000, inf)"}


@pytest.mark.slow
@pytest.mark.parametrize("left_out", PARTS)
@pytest.mark.parametrize("kept", [{}, {"insensitive": ["note"]}])
def test_who_was_left_out_shows_in_no_node_of_a_class(tmp_path, kept, left_out):
    """Classes of one salary or of two, by town, and each record that is left out in a class of its own."""
    released = set()
    for outliers in left_out:
        frame = people(*outliers)
        frame.insert(0, "id", range(len(frame)))
        frame["note"] = "x"
        stays = len(frame) - len(outliers)
        bands = frame["salary"].replace({30_000: 40_000, 80_000: 70_000})
        groups = [f"{frame['town'][at]} {bands[at]}" if at < stays else f"left out {at}" for at in frame.index]
        classes = pd.DataFrame({"id": frame["id"], "class": groups})
        with opened(frame if kept else frame.drop(columns="note"), identifiers=["id"], **kept) as one:
            release = one.release(classes=classes, path=tmp_path / "out.csv", overwrite=True)
        assert release.suppressed == len(outliers)
        released.add((tmp_path / "out.csv").read_text())
    assert len(released) == 1
    assert salaries(tmp_path / "out.csv") == {"(-inf, 50000)", "50000", "60000", "[70000, inf)"}


@pytest.mark.slow
@pytest.mark.some(1)
@pytest.mark.parametrize("kept", [{}, {"insensitive": ["note"]}])
def test_script_mapping_and_receipt_call_intervals_as_the_release_does(tmp_path, kept):
    frame = people(*[5_000_000] * 6)
    frame.loc[len(frame)] = [None, None, "no"]
    rule = {"town": 0, "salary": 1}
    (frame.assign(note="x") if kept else frame).to_parquet(tmp_path / "in.parquet")
    with opened(tmp_path / "in.parquet", **kept) as one:
        release = one.release(rule, tmp_path / "out.csv")
        script = one.sql(rule)
        mapping = read_mapping(one.workspace, rule)
    labels = salaries(tmp_path / "out.csv")
    assert labels == {"(-inf, 50000)", "[50000, 70000)", "[70000, inf)"}
    listed = next(column["labels"] for column in release.receipt["columns"] if column["name"] == "salary")
    assert set(listed) == labels
    assert {row[1] for row in duckdb.connect().execute(script).fetchall()} == labels
    mapped = mapping[mapping["column_name"] == "salary"]
    assert set(mapped.loc[mapped["old_value"].astype(float) < 1_000_000, "new_value"]) == labels


@pytest.mark.slow
def test_words_dates_and_single_intervals_are_opened_too(tmp_path):
    frame = people(*[5_000_000] * 6)
    with opened(frame, taxonomies={"salary": {"quantiles": [7]}}) as one:
        one.release({"town": 0, "salary": 1}, tmp_path / "words.csv")
    assert {"under 40000", "80000 and over"} <= salaries(tmp_path / "words.csv")
    frame["salary"] = [pd.Timestamp("2001-01-01") + pd.Timedelta(days=value / 100) for value in frame["salary"]]
    with opened(frame, taxonomies={"salary": {"quantiles": [7]}}) as one:
        one.release({"town": 0, "salary": 1}, tmp_path / "dates.csv")
    labels = salaries(tmp_path / "dates.csv")
    assert sum(label.startswith("before ") for label in labels) == 1
    assert sum(label.endswith(" and later") for label in labels) == 1
    lone = pd.concat([frame[frame["town"] == "far 0"].assign(town=f"far {at}") for at in range(10, 16)])
    with opened(pd.concat([frame.assign(salary=7), lone.assign(salary=3), lone.assign(salary=9)])) as one:
        one.release({"town": 0, "salary": 1}, tmp_path / "single.csv")
    assert salaries(tmp_path / "single.csv") == {"*"}


@pytest.mark.slow
def test_bounds_and_labels_of_the_owner_stay(tmp_path):
    frame = people(*[5_000_000] * 6)
    rule = {"town": 0, "salary": 1}
    with opened(frame, taxonomies={"salary": {"breaks": [50_000, 85_000]}}) as one:
        one.release(rule, tmp_path / "breaks.csv")
    assert salaries(tmp_path / "breaks.csv") == {"under 50000", "[50000, 85000)"}
    with opened(frame, taxonomies={"salary": {"intervals": 2, "top": 85_000}}) as one:
        one.release(rule, tmp_path / "top.csv")
    assert "[70000, 85000)" in salaries(tmp_path / "top.csv")
    with opened(frame) as one:
        one.sql(rule)
        edit = "UPDATE taxonomy.salary SET level_1 = 'the eighties' WHERE value >= 70000"
        one.database.run(Statement("test", edit))
        one.release(rule, tmp_path / "edited.csv")
    assert "the eighties" in salaries(tmp_path / "edited.csv")


@pytest.mark.slow
def test_powers_reach_further_than_the_values(tmp_path):
    labels = []
    for outliers in ([], [5_000_000], [5_000_000] * 6, [1] * 6):
        for level in (1, 2):
            with opened(people(*outliers), taxonomies={"salary": {"log": 2}}) as one:
                one.release({"town": 0, "salary": level}, tmp_path / "out.csv", overwrite=True)
            labels.append(salaries(tmp_path / "out.csv"))
    fine, coarse = {"[16384, 32768)", "[32768, 65536)", "[65536, 131072)"}, {"[16384, 65536)", "[65536, 262144)"}
    assert labels == [fine, coarse] * 4
