"""The audit with the original: Definition 3.3 and matching, by the paper's example and by brute force."""

import json
from collections import Counter
from itertools import permutations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from examples import THROUGH_SQL, examples
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from anonduck.auditing.cover import _improved, largest_matching
from anonduck.auditing.cover import labels_over as covers_of
from anonduck.auditing.original import ClassInference, audit_original, compared
from anonduck.errors import AuditError
from anonduck.privacy.distributions import read_distributions

ORIGINAL = pd.DataFrame(
    {
        "age": [30, 21, 21, 55, 47],
        "zipcode": ["10055", "10055", "10023", "10165", "10224"],
        "disease": ["measles", "flu", "angina", "flu", "diabetes"],
    }
)
TABLE_2 = [
    ("[21, 31)", "10055", {"measles": 0.5, "flu": 0.5}),
    ("21", "100**", {"flu": 0.5, "angina": 0.5}),
    ("[21, 31)", "100**", {"angina": 0.5, "measles": 0.5}),
    ("[47, 56)", "10***", {"flu": 0.5, "diabetes": 0.5}),
    ("[47, 56)", "10***", {"flu": 0.5, "diabetes": 0.5}),
]
ZIPS = pd.DataFrame(
    [(zipcode, f"{zipcode[:3]}**", f"{zipcode[:2]}***") for zipcode in ("10055", "10023", "10165", "10224")],
    columns=["value", "level_1", "level_2"],
)


def held_against(rows, original=ORIGINAL, **requirements):
    release = pd.DataFrame(rows, columns=["age", "zipcode", "disease"])
    release["disease"] = [json.dumps(shares) for shares in release["disease"]]
    return audit_original(
        release, original, distribution="disease", requirements=requirements, taxonomies={"zipcode": ZIPS}
    )


def test_table_2_is_a_2_2_anonymization_of_table_1():
    report = held_against(TABLE_2, k=2, l=2)
    assert report.met
    assert report.degrees.covered.tolist() == [2, 2, 2, 2, 2]
    assert report.l == 2
    assert not report.one_valued
    assert [line["reached"] for line in report.requirements] == [2, 2]
    assert not held_against(TABLE_2, k=3).met


def changed(row, **shares):
    age, zipcode, _ = TABLE_2[row]
    return [*TABLE_2[:row], (age, zipcode, shares), *TABLE_2[row + 1 :]]


def test_one_whose_largest_share_is_over_1_by_l_misses_l():
    report = held_against(changed(0, measles=0.6, flu=0.4), k=2, l=2)
    assert not report.met
    assert [line["met"] for line in report.requirements] == [True, False]
    assert "distribution_l" in report.failed


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        pytest.param(
            [TABLE_2[0], *changed(1, flu=0.5, measles=0.5)[1:2], *changed(2, flu=0.5, measles=0.5)[2:]],
            "no generalization of the original: 1 of its 5",
            id="support",
        ),
        pytest.param(changed(0, measles=0.5, flu=0.4), "not 1 in sum", id="sum"),
        pytest.param(changed(0, measles=1.5, flu=-0.5), "not from 0 to 1", id="share"),
        pytest.param(
            [*TABLE_2[:3], ("55", "10165", {"flu": 1.0}), ("55", "10***", {"flu": 1.0})], "1 of its 5", id="matching"
        ),
        pytest.param(TABLE_2[:4], "4 records and the original 5", id="records"),
        pytest.param([*TABLE_2[:4], ("47", "1****", {"diabetes": 1.0})], "give its taxonomy", id="label"),
    ],
)
def test_what_is_no_generalization_is_refused(rows, words):
    with pytest.raises(AuditError, match=words):
        held_against(rows)


def test_what_is_no_distribution_is_refused():
    for text in ("flu", '{"flu": "all"}', '{"flu": true}', '{"flu": 0.5, "cold": "half"}', "[1]", "{}", None):
        with pytest.raises(AuditError, match="'disease' does not hold distributions"):
            read_distributions(['{"flu": 1}', text], "disease")
    release = ORIGINAL.assign(disease=pd.array(["flu"] * 5, dtype="string"))
    with pytest.raises(AuditError, match="does not hold distributions"):
        audit_original(release, ORIGINAL, distribution="disease")


@st.composite
def releases(draw):
    """Originals of two columns and a class, and for each a released record that covers it, in another order."""
    count = draw(st.integers(1, 6))
    value = st.sampled_from([None, "1", "2", "3"])
    originals = draw(st.lists(st.tuples(value, value, st.sampled_from("xyz")), min_size=count, max_size=count))
    rows = []
    for first, second, outcome in draw(st.permutations(originals)):
        support = sorted({outcome, *draw(st.sets(st.sampled_from("xyz")))})
        shares = {one: 1 / len(support) for one in support}
        rows.append((draw(labels_over(first)), draw(labels_over(second)), shares))
    return originals, rows


def labels_over(value):
    if value is None:
        return st.sampled_from([None, "*"])
    number = int(value)
    return st.sampled_from([value, "*", f"[{number}, {number + 2})", f"(-inf, {number + 1})", f"[{number - 1}, inf)"])


def over(label, value):
    if label in {"*", value}:
        return True
    if label is None or value is None or "," not in label:
        return False
    low, high = label[1:-1].split(", ")
    return float(low) <= float(value) < float(high)


def distinct_rows(rows):
    """The distinct rows in their order, NULL last, and how many records have each, as the audit reads them."""
    counts = Counter(rows)
    ordered = sorted(counts, key=lambda row: [(value is None, value or "") for value in row])
    columns = [*zip(*ordered, strict=True), [counts[row] for row in ordered]]
    return pa.table([pa.array(column) for column in columns], [f"a_{number}" for number in range(len(columns))])


def report_of(originals, rows, asked, *, through_sql, others=None):
    """The report on released rows; ``through_sql`` has the tables read by the database."""
    names = ["a", 'b "c"', "out"]
    rows = [(*labels, json.dumps(shares)) for *labels, shares in rows]
    if not through_sql:
        held = None if others is None else distinct_rows(others)
        return compared(None, names[:2], distinct_rows(rows), distinct_rows(originals), asked, {}, "out", held)
    frames = (pd.DataFrame(table, columns=names) for table in (rows, originals))
    held = None if others is None else pd.DataFrame(others, columns=names)
    return audit_original(*frames, distribution="out", requirements=asked, held_out=held)


@examples(120)
@given(releases(), st.integers(1, 4), THROUGH_SQL)
def test_degrees_are_those_of_brute_force(drawn, k, through_sql):
    originals, rows = drawn
    covers = [
        [over(one, first) and over(other, second) and outcome in shares for first, second, outcome in originals]
        for one, other, shares in rows
    ]
    matchings = [
        order for order in permutations(range(len(rows))) if all(covers[row][at] for row, at in enumerate(order))
    ]
    possible = {(row, at) for order in matchings for row, at in enumerate(order)}
    report = report_of(originals, rows, {"k": k}, through_sql=through_sql)
    covered, covering = np.sum(covers, axis=1), np.sum(covers, axis=0)
    left = [sum((row, at) in possible for row in range(len(rows))) for at in range(len(rows))]
    assert sorted(report.degrees.covered) == sorted(covered)
    assert sorted(report.degrees.covering) == sorted(covering)
    assert sorted(report.degrees.matched) == sorted(left)
    assert report.met == (min(covered) >= k)
    found = report.as_json()["original"]
    assert found["after_matching"]["under"] == round(float(np.mean(np.array(left) < k)), 6)
    assert found["one_valued"] == round(float(np.mean([len(shares) == 1 for _, _, shares in rows])), 6)
    assert report.l == pytest.approx(min(len(shares) for _, _, shares in rows))


def test_pairs_that_are_too_many_are_not_matched(monkeypatch):
    monkeypatch.setattr("anonduck.auditing.cover.MOST_EDGES", 5)
    report = held_against(TABLE_2, k=2)
    assert report.met
    assert report.as_json()["original"]["after_matching"] is None
    assert any("too many to be matched" in warning for warning in report.warnings)


def test_only_k_and_l_can_be_required():
    with pytest.raises(AuditError, match="k and l can be required, not 't'"):
        held_against(TABLE_2, t=0.1)


@examples(200)
@given(st.integers(1, 12), st.floats(0, 0.5), st.integers(0, 10_000))
def test_a_matching_is_a_largest_one(count, share, seed):
    edges = np.random.default_rng(seed).random((count, count)) < share
    starts, columns = np.r_[0, np.cumsum(edges.sum(axis=1))], np.nonzero(edges)[1]
    found = largest_matching(starts, columns)
    matched = np.flatnonzero(found >= 0)
    assert len(set(found[matched].tolist())) == len(matched)
    assert edges[matched, found[matched]].all()
    largest = maximum_bipartite_matching(csr_array(edges.astype(np.int8)), "column")
    assert len(matched) == (largest >= 0).sum()


@examples(200)
@given(st.integers(2, 10), st.floats(0.1, 0.6), st.floats(0, 1), st.integers(0, 10_000))
def test_any_matching_is_improved_until_it_is_a_largest_one(count, share, kept, seed):
    """The first matching of `largest_matching` leaves little to improve; another is given here."""
    random = np.random.default_rng(seed)
    edges = random.random((count, count)) < share
    starts, columns = np.r_[0, np.cumsum(edges.sum(axis=1))], np.nonzero(edges)[1]
    of_row, of_column = np.full(count, -1), np.full(count, -1)
    for row in random.permutation(count):
        free = [column for column in np.flatnonzero(edges[row]) if of_column[column] < 0]
        if free and random.random() < kept:
            of_row[row], of_column[free[-1]] = free[-1], row
    before = (of_row >= 0).sum()
    while _improved(starts, columns, of_row, of_column):
        assert (of_row >= 0).sum() > before
        before = (of_row >= 0).sum()
    matched = np.flatnonzero(of_row >= 0)
    assert edges[matched, of_row[matched]].all()
    assert of_column[of_row[matched]].tolist() == matched.tolist()
    assert len(matched) == (maximum_bipartite_matching(csr_array(edges.astype(np.int8)), "column") >= 0).sum()


@pytest.mark.parametrize(
    ("lines", "over_all"),
    [
        ([("value", "all"), ("a", "top"), ("b", "top")], True),
        ([("a", "top"), ("b", "top")], True),
        ([("value", "all"), ("a", "other"), ("b", "top"), ("c", "top")], False),
        ([("a", "x", "top"), ("b", "y", "top")], True),
    ],
)
def test_the_root_of_a_taxonomy_is_over_values_that_it_lacks(lines, over_all):
    found = covers_of("zip", ["top"], ["a", "b", "never named", None], pd.DataFrame(lines))
    assert found[0].tolist() == ([True] * 4 if over_all else [False, True, False, False])


def test_a_taxonomy_of_values_alone_has_no_root():
    lines = pd.DataFrame([("value",), ("a",)])
    assert covers_of("zip", ["a"], ["a", "b"], lines).tolist() == [[True, False]]


def inferred(classes, labels, shares):
    original = pd.DataFrame({"age": [10 + 10 * (one == "b") for one in classes], "out": classes})
    release = pd.DataFrame({"age": labels, "out": [json.dumps(one) for one in shares]})
    return audit_original(release, original, distribution="out").as_json()["original"]["inference"]


def test_naive_bayes_learns_the_class_of_a_release_that_tells_it():
    classes = ["a"] * 6 + ["b"] * 4
    told = inferred(classes, ["[10, 20)"] * 6 + ["[20, 30)"] * 4, [{one: 1.0} for one in classes])
    assert told == {"naive_bayes": 1.0, "baseline": 0.6, "lift": pytest.approx(1 / 0.6, abs=1e-6)}
    assert ClassInference(2 / 3, 1 / 3).as_json() == {"naive_bayes": 0.666667, "baseline": 0.333333, "lift": 2.0}


@examples(60)
@given(releases(), THROUGH_SQL)
def test_the_inference_is_that_of_naive_bayes_by_hand(drawn, through_sql):
    originals, rows = drawn
    found = report_of(originals, rows, {}, through_sql=through_sql).inference
    values = sorted({one[2] for one in originals})
    prior = {value: sum(shares.get(value, 0) for *_, shares in rows) for value in values}
    held = [sorted({one[at] for one in originals}, key=str) for at in (0, 1)]

    def chance(record, value):
        product = prior[value] / sum(prior.values())
        for at in (0, 1):
            mass = 0.0
            for row in rows:
                under = [one for one in held[at] if over(row[at], one)]
                mass += row[2].get(value, 0) / len(under) if record[at] in under else 0
            product *= max(mass / prior[value], 1e-9) if prior[value] else 1e-9
        return product

    right, possible = 0, 0
    for record in originals:
        chances = {value: chance(record, value) for value in values}
        best = [value for value in values if chances[value] >= max(chances.values()) * (1 - 1e-9)]
        right += best == [record[2]]
        possible += record[2] in best
    assert right <= round(found.naive_bayes * len(originals)) <= possible


KNOWN = pd.DataFrame({"age": [10] * 6 + [20] * 4, "out": ["a"] * 6 + ["b"] * 4})
TOLD = pd.DataFrame(
    {"age": ["[10, 20)"] * 6 + ["[20, 30)"] * 4, "out": [json.dumps({one: 1.0}) for one in KNOWN["out"]]}
)


def test_the_class_of_people_held_out_is_guessed_by_what_the_release_says():
    """Two of three are guessed right: one has an age that only its label knows, one has the other class."""
    others = pd.DataFrame({"age": [12, 20, 20], "out": ["a", "b", "a"]})
    told = audit_original(TOLD, KNOWN, distribution="out", held_out=others).as_json()["original"]["inference"]
    assert (told["naive_bayes"], told["excess"]) == (1.0, pytest.approx(1 / 3, abs=1e-6))
    assert told["held_out"]["naive_bayes"] == pytest.approx(2 / 3, abs=1e-6)
    assert told["held_out"]["baseline"] == pytest.approx(2 / 3, abs=1e-6)
    unknown = pd.DataFrame({"age": [55, 55], "out": ["a", "c"]})
    told = audit_original(TOLD, KNOWN, distribution="out", held_out=unknown).as_json()["original"]["inference"]
    assert told["held_out"]["naive_bayes"] == 0.5, "no label is over 55, so that the likeliest class is guessed"


@examples(30)
@given(releases(), THROUGH_SQL)
def test_people_held_out_who_are_those_of_the_original_are_guessed_as_often(drawn, through_sql):
    originals, rows = drawn
    told = report_of(originals, rows, {}, through_sql=through_sql, others=originals).inference
    assert told.held_out == ClassInference(told.naive_bayes, told.baseline)
    assert told.excess == 0


@pytest.mark.parametrize(
    ("others", "words"),
    [(KNOWN[:0], "held out has no rows"), (KNOWN[["age"]], "no column 'out'")],
)
def test_people_held_out_need_the_columns_and_a_row(others, words):
    with pytest.raises(AuditError, match=words):
        audit_original(TOLD, KNOWN, distribution="out", held_out=others)
