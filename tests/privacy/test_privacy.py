"""The privacy models: against brute force on random tables, against each other, and against ARX's known answers."""

import csv
import json
from itertools import pairwise
from math import inf, isclose

import pandas as pd
import privacy_oracle as oracle
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck.auditing.audit import audit
from anonduck.cli.app import run
from anonduck.errors import AuditError
from anonduck.privacy import relations
from anonduck.privacy.audited_engine import DuckDBFile
from anonduck.privacy.lookup import paths
from anonduck.privacy.measures import PrivacyMeasure, worst_attribute
from anonduck.privacy.models import MODELS
from anonduck.privacy.requirement import ask, read_requirement
from anonduck.statements import Statement, statement
from anonduck.statements.expansion import quoted
from anonduck.statements.relations import rows_of, view_of

ODD = ["class", 'odd "name', "#records"]  # quasi-identifiers
SENSITIVE, PERSON = "value, records", "person"
QUASI = len(ODD)
JOINT = ("l", "entropy_l", "recursive_l", "frequency_l")
PATHS = {
    "1": ("1", "A", "R"),
    "2": ("2", "A", "R"),
    "3": ("3", "B", "R"),
    "10": ("10", "B", "R"),
    None: (None, None, "R"),
}

quasi_values = st.sampled_from(["x", "y", None])
sensitive_values = st.sampled_from(["1", "2", "3", "10", None])
persons = st.sampled_from([1, 2, 3, 4, None])
row = st.tuples(quasi_values, quasi_values, quasi_values, sensitive_values, persons)


@st.composite
def tables(draw, max_rows=25):
    """Rows of few quasi-identifier values with duplicates and NULLs, so that classes are of all sizes."""
    distinct = draw(st.lists(row, min_size=1, max_size=8))
    return draw(st.lists(st.sampled_from(distinct), min_size=1, max_size=max_rows))


def frame(rows):
    columns = [*ODD, SENSITIVE, PERSON]
    return pd.DataFrame(
        {
            name: pd.array([row[i] for row in rows], dtype="Int64" if name == PERSON else "string")
            for i, name in enumerate(columns)
        }
    )


def taxonomy():
    return pd.DataFrame([path for value, path in PATHS.items() if value is not None])


def audited(shared, rows, **options):
    defaults = {"quasi_identifiers": ODD, "sensitive": [SENSITIVE], "insensitive": [PERSON], "database": shared}
    return audit(frame(rows), **{**defaults, **options})


def reached(report):
    """What a report reaches, one number per model or a dictionary of several."""
    found = {}
    for name, measured in report.measures.items():
        numbers = dict(measured.numbers)
        found[name] = next(iter(numbers.values())) if len(numbers) == 1 else numbers
    return found


def same(one, other):
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


def assert_same(found, expected):
    for name, value in expected.items():
        assert same(found[name], value), f"{name}: {found[name]}, by definition {value}"


# -- by definition -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@examples(25)
@given(rows=tables(), least=st.integers(2, 4))
def test_models_of_sensitive_values_equal_their_definitions(shared, rows, least):
    report = audited(
        shared, rows, taxonomies={SENSITIVE: taxonomy()}, requirements={"recursive_l": (least, 3), "lkc": (least, 1, 1)}
    )
    expected = oracle.sensitive_models(rows, QUASI, QUASI, least=least, paths=PATHS, order=int)
    found = reached(report)
    if {r[QUASI] for r in rows} == {None}:  # no value says whether there is an order
        del expected["t_ordered"]
        assert "t_ordered" not in found
    assert_same(found, expected)
    assert {name for name, model in MODELS.items() if "sensitive" in model.needs} >= set(expected)


VALUE_MODELS = ("alpha", "beta", "enhanced_beta", "delta_disclosure", "lkc")
"""The models that bound single values."""

named_values = st.lists(sensitive_values, min_size=1, unique=True)


@pytest.mark.slow
@examples(25)
@given(rows=tables(), named=named_values, harmless=st.booleans(), by_person=st.booleans(), least=st.integers(1, 3))
def test_models_of_chosen_values_equal_their_definitions(shared, rows, named, harmless, by_person, least):
    choice = {"except": named} if harmless else named
    roles = {"entity": PERSON, "insensitive": []} if by_person else {}
    asked = {"lkc": (least, 1, 1), "delta_disclosure": {"delta": 1, "log": 2}}
    roles |= {"sensitive_values": {SENSITIVE: choice}, "allow_absent": True}
    report = audited(shared, rows, requirements=asked, **roles)
    person = QUASI + 1 if by_person else None
    expected = oracle.value_models(
        rows, QUASI, QUASI, concerns=lambda s: (s in named) is not harmless, person=person, least=least, log=2
    )
    assert_same(reached(report), expected)
    assert {name for name, model in MODELS.items() if model.by_value} == set(VALUE_MODELS) == set(expected)
    every = (
        oracle.person_models(rows, QUASI, QUASI, person) if by_person else oracle.sensitive_models(rows, QUASI, QUASI)
    )
    assert_same(reached(report), {name: every[name] for name in every if name not in VALUE_MODELS})
    held = {r[QUASI] for r in rows}
    there = [value for value in named if value in held]
    document = report.as_json()
    assert document["sensitive_values"] == {SENSITIVE: {"except": there} if harmless else there}
    absent = [warning for warning in document["warnings"] if "occur in the file" in warning]
    assert len(absent) == (len(there) < len(named))
    assert not any(f"{value!r}" in warning for warning in absent for value in named)


@pytest.mark.slow
@examples(25)
@given(rows=tables(), least=st.integers(2, 4))
def test_models_of_persons_equal_their_definitions(shared, rows, least):
    asked = {"recursive_l": (least, 3)}
    report = audited(
        shared, rows, entity=PERSON, insensitive=[], taxonomies={SENSITIVE: taxonomy()}, requirements=asked
    )
    expected = oracle.person_models(rows, QUASI, QUASI, QUASI + 1, least=least, paths=PATHS, order=int)
    if {r[QUASI] for r in rows} == {None}:
        del expected["t_ordered"]
    assert_same(reached(report), expected | oracle.value_models(rows, QUASI, QUASI, person=QUASI + 1))


@pytest.mark.slow
@examples(8)
@given(rows=tables())
def test_persons_where_other_sensitive_attributes_are_quasi_identifiers(shared, rows):
    wide = [(*r, number % 3) for number, r in enumerate(rows)]
    table = frame(rows).assign(other=[r[5] for r in wide])
    roles = {"sensitive": [SENSITIVE, "other"], "entity": PERSON, "multiple_sensitive": "joint"}
    report = audit(table, ODD, **roles, database=shared)
    expected = oracle.person_models([(*r[:QUASI], r[5], r[3], r[4]) for r in wide], QUASI + 1, QUASI + 1, QUASI + 2)
    for name in JOINT:
        found = report.measures[name].attributes[SENSITIVE][MODELS[name].bounds[0].name]
        assert same(found, expected[name]), name


def test_a_person_of_many_records_hides_nobody(shared):
    # class x: person 1 has ten records of ten values, persons 2 to 5 one of the value a each: all five have a
    table = pd.DataFrame({"q": "x", "s": [*"abcdefghij", *"aaaa"], "who": [1] * 10 + [2, 3, 4, 5]})
    roles = {"quasi_identifiers": ["q"], "sensitive": ["s"], "database": shared}
    records = reached(audit(table, insensitive=["who"], **roles))
    persons = reached(audit(table, entity="who", **roles))
    assert (records["l"], records["alpha"]) == (10, pytest.approx(5 / 14))
    assert (persons["k"], persons["l"], persons["alpha"], persons["pd"], persons["ha"]) == (5, 1, 1, 1, 1)
    # the units of the five: a has 4 + 1/10, the others 1/10 each
    assert persons["recursive_l"] == pytest.approx(4.1 / 0.9)


def test_a_harmless_value_is_no_finding(shared):
    # class x holds none alone, class y hiv in one of four
    table = pd.DataFrame({"q": list("xxxxyyyy"), "s": pd.array(["none"] * 7 + ["hiv"], dtype="string")})
    roles = {"quasi_identifiers": ["q"], "sensitive": ["s"], "requirements": {"alpha": 0.5}, "database": shared}
    assert not audit(table, **roles).met
    for choice in (["hiv"], {"except": ["none"]}):
        report = audit(table, sensitive_values={"s": choice}, **roles)
        found = reached(report)
        assert report.met
        assert (found["alpha"], found["lkc"]["c"], found["beta"]) == (0.25, 0.25, 1)  # hiv: 1/4 in y, 1/8 in all
        assert found["delta_disclosure"] == inf  # x lacks hiv
        assert (found["l"], found["pd"]) == (1, pytest.approx(0.875))  # of all values, whatever is named


@pytest.mark.slow
def test_a_bound_of_values_that_are_nowhere_is_no_bound(shared, tmp_path, capsys):
    table = pd.DataFrame({"q": list("aabb"), "s": ["none", "none", "hiv", None]})
    roles = {"quasi_identifiers": ["q"], "sensitive": ["s"], "database": shared}
    for asked in ({"alpha": 0.1}, {"lkc": (1, 1, 0.1)}, {"k": 2, "beta": 1}):
        with pytest.raises(AuditError, match="named for the sensitive column 's' does not occur in the file") as caught:
            audit(table, sensitive_values={"s": ["HIV"]}, requirements=asked, **roles)
        assert "HIV" not in str(caught.value)
        report = audit(table, sensitive_values={"s": ["HIV"]}, requirements=asked, allow_absent=True, **roles)
        assert report.met
        assert any("does not occur" in warning for warning in report.warnings)
    for named, asked in ((["HIV"], {"k": 2}), (["HIV", "hiv"], {"alpha": 0.5}), ({"except": ["HIV"]}, {"alpha": 1})):
        report = audit(table, sensitive_values={"s": named}, requirements=asked, **roles)
        assert any("does not occur" in warning for warning in report.warnings)
    table.to_csv(tmp_path / "r.csv", index=False)
    options = ["-q", "q", "--sensitive", "s", "--sensitive-value", "s=HIV", "--require", "alpha=0.1"]
    assert run(["audit", str(tmp_path / "r.csv"), *options]) == 2
    out, err = capsys.readouterr()
    assert "met" not in out
    assert "--allow-absent" in err
    assert run(["audit", str(tmp_path / "r.csv"), *options, "--allow-absent"]) == 0
    assert "warning: the value named" in capsys.readouterr().err


def test_null_among_chosen_values(shared):
    table = pd.DataFrame({"q": list("xxyy"), "s": pd.array([None, None, "a", None], dtype="string")})
    roles = {"quasi_identifiers": ["q"], "sensitive": ["s"], "database": shared}
    alphas = {
        choice: reached(audit(table, sensitive_values={"s": given}, **roles))["alpha"]
        for choice, given in (
            ("null", [None]),
            ("a", ["a"]),
            ("not null", {"except": [None]}),
            ("not a", {"except": ["a"]}),
        )
    }
    assert alphas == {"null": 1, "a": 0.5, "not null": 0.5, "not a": 1}


def test_values_are_compared_as_texts(shared):
    table = pd.DataFrame({"q": list("xxyy"), "s": [1, 2, 1, 1], "b": [True, False, True, True]})
    for column, value in (("s", 2), ("s", "2"), ("b", False)):
        roles = {"quasi_identifiers": ["q"], "sensitive": ["s", "b"], "database": shared}
        found = audit(table, sensitive_values={column: [value]}, **roles).measures["alpha"].attributes
        assert found[column]["alpha"] == 0.5


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"q": ["x"]}, "sensitive values are named of 'q', which is not a sensitive column"),
        ({"s": []}, r"the sensitive values of 's' must be a list of values, such as \[hiv, cancer\], or all but some"),
        ({"s": "secret"}, "must be a list of values"),
        ({"s": {"but": ["secret"]}}, "must be a list of values"),
        ({"s": {"except": []}}, "must be a list of values"),
    ],
)
def test_choices_that_are_none(shared, given, words):
    table = pd.DataFrame({"q": ["x"], "s": ["a"]})
    with pytest.raises(AuditError, match=words) as caught:
        audit(table, ["q"], sensitive=["s"], sensitive_values=given, database=shared)
    assert "secret" not in str(caught.value)


def test_of_several_attributes_the_worst_is_named(shared):
    table = pd.DataFrame({"q": list("xxyy"), "fine": list("abab"), "bad": list("aaab")})
    roles = {"quasi_identifiers": ["q"], "database": shared}
    asked = {"l": 2, "lkc": (1, 2, 0.5), "k": 2}
    report = audit(table, sensitive=["fine", "bad"], requirements=asked, **roles)
    assert [line.get("attribute") for line in report.as_json()["requirements"]] == ["bad", "bad", None]
    alone = audit(table, sensitive=["bad"], insensitive=["fine"], requirements=asked, **roles)
    assert not any("attribute" in line for line in alone.as_json()["requirements"])
    assert report.measures["lkc"].parameters == {"l": 1}
    three = audit(
        table.assign(worse=list("aabb")), sensitive=["fine", "bad", "worse"], **roles, requirements={"t": 0.9}
    )
    assert three.measures["t"].worst == "worse"


def test_the_average_of_classes_is_not_the_share_of_right_guesses(shared):
    # nine classes of one record, one class of a hundred with two values: 0.95 of the average class, 59 of 109 records
    table = pd.DataFrame({"q": [*range(9), *[9] * 100], "s": ["a"] * 9 + ["a", "b"] * 50})
    measured = audit(table, ["q"], sensitive=["s"], database=shared).measures["pd"]
    assert measured.numbers["pd"] == pytest.approx(0.95)
    assert measured.details == {"highest": 1.0, "right_guesses": pytest.approx(59 / 109)}


@pytest.mark.slow
@examples(20)
@given(rows=tables(), others=st.lists(row, max_size=15), by_person=st.booleans())
def test_models_of_class_sizes_equal_their_definitions(shared, rows, others, by_person):
    population = rows[1:] + others  # may lack the first record: such a population is told apart, not trusted
    if not population:
        population = rows
    roles = {"entity": PERSON, "insensitive": []} if by_person else {}
    report = audited(shared, rows, population=frame(population)[ODD], **roles)
    expected = oracle.record_models(rows, QUASI, person=QUASI + 1 if by_person else None, population=population)
    found = reached(report)
    for risk in ("prosecutor", "journalist"):
        details = report.measures[f"{risk}_risk"].details
        found |= {f"{risk}_{name}": details[name] for name in ("average", "at_risk")}
    assert_same(found, expected)
    assert report.k == expected["k"]
    assert any("population lacks" in warning for warning in report.warnings) is (expected["k_map"] == 0)


@pytest.mark.slow
@examples(8)
@given(rows=tables())
def test_other_sensitive_attributes_as_quasi_identifiers(shared, rows):
    other = PERSON  # a second sensitive attribute, with NULLs
    report = audited(shared, rows, sensitive=[SENSITIVE, other], insensitive=[], multiple_sensitive="joint")
    first = oracle.sensitive_models([(*r[:QUASI], r[4], r[3]) for r in rows], QUASI + 1, QUASI + 1)
    second = oracle.sensitive_models([(*r[:QUASI], r[3], r[4]) for r in rows], QUASI + 1, QUASI + 1)
    for name in JOINT:
        numbers = {column: dict(found) for column, found in report.measures[name].attributes.items()}
        bound = MODELS[name].bounds[0].name
        assert same(numbers[SENSITIVE][bound], first[name])
        assert same(numbers[other][bound], second[name])
    alone = oracle.sensitive_models(rows, QUASI, QUASI)["t"], oracle.sensitive_models(rows, QUASI, QUASI + 1)["t"]
    assert same(reached(report)["t"], max(alone))


@pytest.mark.slow
@examples(8)
@given(rows=tables())
def test_of_several_sensitive_attributes_the_worst_counts(shared, rows):
    report = audited(shared, rows, sensitive=[SENSITIVE, PERSON], insensitive=[])
    each = [oracle.sensitive_models(rows, QUASI, column) for column in (QUASI, QUASI + 1)]
    for name in ("l", "entropy_l", "recursive_l", "alpha", "t", "delta_disclosure"):
        worst = (max if MODELS[name].at_most else min)(one[name] for one in each)
        assert same(reached(report)[name], worst)
        assert list(report.measures[name].attributes) == [SENSITIVE, PERSON]


@pytest.mark.parametrize(
    ("values", "ordered"),
    [
        (["2", "10", None], True),
        (["2020-01-31", "2019-12-01"], True),
        (["low", "high"], False),
        (["1", "high"], False),
        ([None, None], False),
    ],
)
def test_an_order_is_one_of_numbers_or_dates(shared, values, ordered):
    table = pd.DataFrame({"q": range(len(values)), "s": pd.array(values, dtype="string")})
    report = audit(table, ["q"], sensitive=["s"], database=shared)
    assert ("t_ordered" in report.measures) is ordered
    if not ordered:
        with pytest.raises(
            AuditError, match=r"needs a sensitive attribute.*whose values are all numbers, or all dates"
        ):
            audit(table, ["q"], sensitive=["s"], database=shared, requirements={"t_ordered": 0.5})


# -- a table written by hand -------------------------------------------------------------------------------------------


def test_a_table_by_hand(shared):
    # class x: a a b NULL; class y: a b; all: a 3/6, b 2/6, NULL 1/6
    table = pd.DataFrame({"q": list("xxxxyy"), "s": pd.array(["a", "a", "b", None, "a", "b"], dtype="string")})
    found = reached(audit(table, ["q"], sensitive=["s"], database=shared))
    assert found["l"] == 2
    assert found["entropy_l"] == pytest.approx(2)
    assert found["recursive_l"] == pytest.approx(1)  # r_1 / (r_2 + r_3) = 2 / 2 in x, 1 / 1 in y
    assert found["frequency_l"] == pytest.approx(2)
    assert found["alpha"] == pytest.approx(1 / 2)
    assert found["t"] == pytest.approx(1 / 6)  # y: b has 1/6 more
    assert found["beta"] == pytest.approx(1 / 2)  # y: b; x: NULL (1/4 - 1/6) / (1/6)
    assert found["delta_disclosure"] == inf  # y lacks NULL
    assert found["pd"] == pytest.approx(1 / 2)
    assert found["ha"] == 0


def test_hierarchical_distance_by_hand(shared):
    # class x holds a1 alone, y b1 alone: half of all is moved from A to B over the root, of height 2 of 2
    table = pd.DataFrame({"q": list("xxyy"), "s": ["a1", "a1", "b1", "b1"]})
    lines = pd.DataFrame([("a1", "A", "*"), ("a2", "A", "*"), ("b1", "B", "*")])
    far = audit(table, ["q"], sensitive=["s"], taxonomies={"s": lines}, database=shared)
    assert reached(far)["t_hierarchical"] == pytest.approx(0.5)
    near = audit(table.replace("b1", "a2"), ["q"], sensitive=["s"], taxonomies={"s": lines}, database=shared)
    assert reached(near)["t_hierarchical"] == pytest.approx(0.25)


# -- metamorphic -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@examples(8)
@given(one=tables(12), other=tables(12))
def test_of_two_disjoint_tables_the_worse_counts(shared, one, other):
    moved = [("elsewhere", *r[1:]) for r in other]
    alone = reached(audited(shared, one)), reached(audited(shared, moved))
    merged = reached(audited(shared, one + moved))
    for name in [name for name, model in MODELS.items() if model.local and name in merged]:
        worst = (max if MODELS[name].at_most else min)(found[name] for found in alone)
        assert same(merged[name], worst), name


CAN_FALL_BACK = {"population_uniqueness", "homogeneous_classes", "pd", "composition"}


def test_which_models_are_monotone():
    assert {name for name, model in MODELS.items() if not model.monotone} == CAN_FALL_BACK


def test_which_models_have_which_properties():
    # l-diversity's definition with several sensitive attributes (Machanavajjhala et al. 2007)
    assert {name for name, model in MODELS.items() if model.joint} == set(JOINT)
    # a class alone decides; t, delta-disclosure and population models compare it with others
    decided_by_a_class = {*JOINT, "k", "alpha", "prosecutor_risk"}
    assert {name for name, model in MODELS.items() if model.local} == decided_by_a_class
    assert {name for name, model in MODELS.items() if model.absorbing} == {"k", "l", "prosecutor_risk"}


@pytest.mark.slow
@examples(12)
@given(rows=tables(), others=st.lists(row, max_size=10), merged=st.sets(quasi_values), dropped=st.integers(0, 2))
def test_generalizing_never_makes_a_monotone_model_worse(shared, rows, others, merged, dropped):
    def general(records):
        kept = [[("*" if value in merged else value) for value in r[:QUASI]] for r in records]
        return [
            (*("*" if i == dropped else v for i, v in enumerate(k)), *r[QUASI:])
            for k, r in zip(kept, records, strict=True)
        ]

    population = rows + others
    measured = []
    for records, known in ((rows, population), (general(rows), general(population))):
        report = audited(shared, records, population=frame(known)[ODD], taxonomies={SENSITIVE: taxonomy()})
        measured.append(report.measures)
    before, after = measured
    for name in before:
        model = MODELS[name]
        for bound in model.bounds if model.monotone else ():
            fine, coarse = before[name].numbers[bound.name], after[name].numbers[bound.name]
            ok = coarse >= fine - 1e-9 if bound.kind == "at least" else coarse <= fine + 1e-9
            assert ok, f"{name} ({bound.name}) was {fine} and is {coarse}"


# -- requirements ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("required", "met"),
    [
        ({"k": 2}, True),
        ({"k": 3}, False),
        ({"l": 2, "entropy_l": 2, "frequency_l": 2}, True),
        ({"entropy_l": 2.01}, False),
        ({"recursive_l": {"l": 2, "c": 1}}, False),  # must be less than c
        ({"recursive_l": {"l": 2, "c": 1.01}}, True),
        ({"recursive_l": (3, 99)}, False),
        ({"alpha": 0.5, "t": 0.17}, True),
        ({"t": 0.16}, False),
        ({"delta_disclosure": 99}, False),
        ({"delta_disclosure": (99, 2)}, False),
        ({"lkc": (1, 2, 0.5)}, True),
        ({"lkc": {"l": 1, "k": 3, "c": 0.5}}, False),
        ({"lkc": {"l": 1, "k": 2, "c": 0.4}}, False),
        ({"prosecutor_risk": 0.5, "marketer_risk": 1 / 3, "sample_uniqueness": 0}, True),
        ({"prosecutor_risk": 0.49}, False),
    ],
)
def test_requirements(shared, required, met):
    table = pd.DataFrame({"q": list("xxxxyy"), "s": pd.array(["a", "a", "b", None, "a", "b"], dtype="string")})
    report = audit(table, ["q"], sensitive=["s"], requirements=required, measures="required", database=shared)
    assert report.met is met
    assert [line["name"] for line in report.as_json()["requirements"]] == list(required)
    assert list(report.measures) == [name for name in MODELS if name in required]


def test_lines_of_requirements(shared):
    table = pd.DataFrame({"q": list("xxyy"), "s": list("abaa")})
    asked = {"k": 2, "t": 0.5, "recursive_l": (2, 3), "delta_disclosure": 1}
    document = audit(table, ["q"], sensitive=["s"], requirements=asked, database=shared).as_json()
    assert document["requirements"] == [
        {"name": "k", "required": 2, "reached": 2, "met": True},
        {"name": "t", "required": 0.5, "reached": 0.25, "met": True, "at_most": True},
        {"name": "recursive_l", "required": {"l": 2, "c": 3}, "reached": "infinite", "met": False, "at_most": True},
        {"name": "delta_disclosure", "required": 1, "reached": "infinite", "met": False, "at_most": True},
    ]
    assert json.loads(json.dumps(document, allow_nan=False)) == document


@pytest.mark.parametrize(
    ("text", "read"),
    [("k=5", ("k", 5)), (" t = 0.2 ", ("t", 0.2)), ("recursive_l=3,2", ("recursive_l", [3, 2])), ("k=5.0", ("k", 5.0))],
)
def test_requirements_are_read_from_text(text, read):
    assert read_requirement(text) == read


@pytest.mark.parametrize("text", ["k", "k=", "=5", "k=five", "k=1,", ""])
def test_text_that_is_no_requirement(text):
    with pytest.raises(AuditError, match="a requirement is NAME=NUMBER"):
        read_requirement(text)


@pytest.mark.parametrize(
    ("required", "message"),
    [
        ({"z": 1}, "unknown requirement 'z'; requirements are k, linked_k, l"),
        ({"k": 0}, "k must be a whole number of 1 or more; it is 0"),
        ({"k": 2.5}, "k must be a whole number"),
        ({"k": True}, "k must be a whole number"),
        ({"t": 1.1}, "t must be a number from 0 to 1; it is 1.1"),
        ({"t": float("nan")}, "t must be a number"),
        ({"recursive_l": 3}, "recursive_l takes the numbers l, c; it is 3"),
        ({"recursive_l": {"l": 3}}, "recursive_l takes the numbers l, c"),
        ({"recursive_l": (1, 2)}, r"recursive_l \(l\) must be a whole number of 2 or more"),
        ({"delta_presence": (0.1, 2)}, r"delta_presence \(max\) must be a number from 0 to 1"),
        ({"k": (1, 2)}, "k takes one number"),
        ({"lkc": (2, 2.5, 0.5)}, r"lkc \(k\) must be a whole number of 1 or more"),
        ({"prosecutor_risk": 1.5}, "prosecutor_risk must be a number from 0 to 1"),
        ({"journalist_risk": 1.5}, "journalist_risk must be a number from 0 to 1"),
        ({"marketer_risk": 1.5}, "marketer_risk must be a number from 0 to 1"),
    ],
)
def test_requirements_that_cannot_be(required, message):
    with pytest.raises(AuditError, match=message):
        ask(required)


@pytest.mark.parametrize(
    ("name", "number", "lacking"),
    [
        ("l", 2, "--sensitive"),
        ("t_hierarchical", 0.2, "--taxonomy"),
        ("k_map", 5, "--population"),
        ("journalist_risk", 0.2, "--population"),
        ("population_uniqueness", 0.01, "--sampling-fraction"),
    ],
)
def test_a_requirement_that_lacks_its_input(shared, name, number, lacking):
    with pytest.raises(AuditError, match=f"{name} needs .*{lacking}"):
        audit(pd.DataFrame({"q": [1]}), requirements={name: number}, database=shared)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sampling_fraction": 0}, "greater than 0 and at most 1"),
        ({"risk_threshold": 2}, "between 0 and 1"),
        ({"multiple_sensitive": "both"}, "'each' or 'joint'"),
        ({"measures": "none"}, "'all' or 'required'"),
        ({"taxonomies": {"q": pd.DataFrame([("a", "*")])}}, "'q', which is not a sensitive column"),
        ({"sensitive": ["s"], "taxonomies": {"s": pd.DataFrame([("a", "*")])}}, "lacks 1 of the column's values"),
        (
            {"sensitive": ["s"], "taxonomies": {"s": pd.DataFrame([("b", "*"), ("a", "*"), ("a", "-")])}},
            "more than one path",
        ),
        ({"sensitive": ["s"], "taxonomies": {"s": 3}}, "is a int; allowed are a CSV file or a pandas DataFrame"),
        ({"sensitive": ["s"], "taxonomies": {"s": "none.csv"}}, "none.csv, cannot be read"),
        ({"population": pd.DataFrame({"p": [1]})}, "the population has no column 'q'"),
        ({"entity": "nobody"}, "no column 'nobody'"),
    ],
)
def test_bad_options(shared, options, message):
    table = pd.DataFrame({"q": [1, 1], "s": ["a", "secret"]})
    with pytest.raises(AuditError, match=message) as caught:
        audit(table, ["q"], database=shared, **options)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a;A;*\nb;A;*\nc;B;*\n", 0.25),
        ("value,level_1,level_2\na,A,*\nb,A,*\nc,B,*\n", 0.25),
        ("a,A\nb,A\nc,B\n", 0.25),  # a root is added
        ("a\nb\nc\n", 0.5),  # no inner level: equal distance
        ("a,*\nb,*\nc,*\n\n", 0.5),
    ],
)
def test_forms_of_taxonomy_files(shared, tmp_path, text, expected):
    path = tmp_path / "taxonomy.csv"
    path.write_text(text, encoding="utf-8")
    table = pd.DataFrame({"q": list("xxyy"), "s": list("aabb")})
    report = audit(table, ["q"], sensitive=["s"], taxonomies={"s": path}, database=shared)
    assert reached(report)["t_hierarchical"] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no lines"),
        ("a,*\nb\n", "2 fields in its first line and another number in line 2"),
        ('a,"' + "x" * 200_000, "no lines"),  # an open quote, and more than a field may hold
    ],
)
def test_taxonomy_files_that_are_none(tmp_path, text, words):
    path = tmp_path / "taxonomy.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(AuditError, match=f"the taxonomy of 's' has {words}"):
        audit(pd.DataFrame({"s": ["a"]}), sensitive=["s"], taxonomies={"s": path})


def test_null_has_a_path_of_its_own_to_the_root():
    found = paths("s", pd.DataFrame([("a", "A", "1", "*"), ("b", "B", "1", "*"), ("c", "C", "2", "*")]))
    of_null = found[found["value"].isna()].sort_values("level")
    steps = list(zip(of_null["node"], of_null["parent"], strict=True))
    assert of_null["level"].tolist() == [0, 1, 2]
    assert all(parent == following for (_, parent), (following, _) in pairwise(steps))
    named = found[found["value"].notna()]
    assert not {node for node, _ in steps} & set(named["node"])
    assert steps[-1][1] == named["parent"].iloc[-1], "the root is that of all values"


def test_the_worst_attribute_is_the_first_that_reaches_the_number():
    reached = {"a": {"l": 3}, "b": {"l": 2}, "c": {"l": 2}}
    for named, worst in ((("a", "b", "c"), "b"), (("c", "b"), "c"), (("b",), None)):
        numbers = {name: reached[name] for name in named}
        assert PrivacyMeasure(MODELS["l"], {"l": 2}, attributes=numbers).worst == worst
    found = worst_attribute(MODELS["recursive_l"], {"l": 3, "other": None}, {"s": {"c": 0.5}})
    assert (found.as_json()["parameters"], found.numbers) == ({"l": 3}, {"c": 0.5})


# -- ARX's known answers -----------------------------------------------------------------------------------------------

COLUMNS = [
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
]
OTHERS = [name for name in COLUMNS if name != "occupation"]


@pytest.fixture(scope="module")
def arx(data_dir):
    """Adult as ARX has it, and a function that generalizes columns of it to levels by ARX's hierarchies."""
    folder = data_dir / "arx"
    table = pd.read_csv(folder / "adult.csv", sep=";", dtype=str, keep_default_na=False)
    paths = {}
    for name in COLUMNS:
        with (folder / f"adult_hierarchy_{name}.csv").open(encoding="utf-8", newline="") as stream:
            paths[name] = {line[0]: line for line in csv.reader(stream, delimiter=";")}

    def generalized(levels):
        return table.assign(
            **{
                name: table[name].map({v: path[level] for v, path in paths[name].items()})
                for name, level in levels.items()
            }
        )

    return generalized


def test_arx_prosecutor_risk_of_the_raw_table(arx, shared):
    report = audit(arx({}), COLUMNS, database=shared)
    assert report.measures["prosecutor_risk"].details["average"] == pytest.approx(0.6465751607983555, rel=1e-9)


@pytest.mark.slow
def test_arx_entropy_5_diversity(arx, shared):
    levels = dict(zip(OTHERS, [1, 1, 1, 1, 3, 2, 2, 1], strict=True))
    required = {"entropy_l": 5}
    found = audit(arx(levels), OTHERS, sensitive=["occupation"], requirements=required, database=shared)
    assert found.met
    finer = audit(arx(levels | {"age": 0}), OTHERS, sensitive=["occupation"], requirements=required, database=shared)
    assert not finer.met


def test_arx_closeness_with_suppression(arx, shared):
    table = arx(dict(zip(OTHERS, [1, 4, 1, 0, 3, 2, 2, 1], strict=True)))
    shared.register("arx_table", table)
    shared.run(view_of(rows_of(quoted("arx_table")), "release"))
    relations.scan_release(DuckDBFile(shared), OTHERS, ["occupation"], None)
    relations.number_classes(shared, len(OTHERS), 1, persons=False, population=False)
    relations.make_cells(shared, "s_1")
    closeness = statement("privacy/t.sql", table={"cells": "cells"}).sql
    failing = f"SELECT class FROM classes JOIN ({closeness}) USING (class) WHERE records < 5 OR reached > 0.2"
    left_out = Statement("left out", f"SELECT sum(records)::BIGINT FROM classes WHERE class IN ({failing})")
    assert shared.value(left_out) == 848
    relations.forget(shared)
    shared.run(Statement("forget", "DROP VIEW temp.release"))
    shared.unregister("arx_table")
