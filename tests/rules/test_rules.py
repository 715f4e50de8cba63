"""Rules as literals, and levels against taxonomies."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anonduck.errors import RuleError
from anonduck.rules.rule import RuleSpace, check_levels, literal, parse_literal

NAMES = st.text(min_size=1, max_size=20)


@given(st.dictionaries(NAMES, st.integers(0, 99), min_size=1, max_size=5))
@example({'"': 0, '""': 1, ",": 2, "=": 3, " ": 4, 'a"b': 5, '"a"': 6})
@example({"x" * 200: 0, "R12": 1, "=1": 2, "a=1,b": 3, "\n": 4, "\u00a0": 5})
def test_a_literal_round_trips(levels):
    text = literal(levels)
    assert parse_literal(text) == levels
    assert list(parse_literal(text)) == list(levels)
    assert "=" in text


@given(st.text(max_size=30))
def test_any_text_is_a_rule_or_a_rule_error(text):
    try:
        levels = parse_literal(text)
    except RuleError:
        return
    assert levels
    assert all(isinstance(level, int) and level >= 0 for level in levels.values())
    assert parse_literal(literal(levels)) == levels


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("age=3", {"age": 3}),
        (" age = 3 , sex=0 ", {"age": 3, "sex": 0}),
        ('"age"=3', {"age": 3}),
        ('"a ""b"", c" = 2', {'a "b", c': 2}),
        ('"=,"=1,имя=2', {"=,": 1, "имя": 2}),
    ],
)
def test_literals_by_hand(text, levels):
    assert parse_literal(text) == levels


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("  ", "empty"),
        (
            "age",
            """no attribute=level at 'age'; write age=3,"odd name"=0, or an id as lists show it: R1 of a rule, M1""",
        ),
        ("m1", "or an id as lists show it: R1 of a rule, M1 of another candidate"),
        ("age=", "whole number"),
        ("age=x", "whole number"),
        ("age=-1", "whole number"),
        ("age=1.5", "whole number"),
        ("age=²", "whole number"),
        ("age=0 OR 1=1", "whole number"),
        ("age=1,", "ends in a comma"),
        ("age=1,,sex=2", "no attribute=level"),
        ("=1", "no attribute=level"),
        ("age=1,age=2", "twice"),
        ('"age=1', "not closed"),
        ('"age"', "no level for"),
        ('"age"1', "no level for"),
    ],
)
def test_what_is_no_literal(text, message):
    with pytest.raises(RuleError, match=message):
        parse_literal(text)


def test_levels_are_checked_and_roots_left_out_in_the_order_of_the_source():
    roots = {"age": 3, "sex": 1, "job": 2}
    assert check_levels({"job": 0, "sex": 1, "age": 2}, roots) == {"age": 2, "job": 0}
    assert list(check_levels({"job": 0, "age": 2}, roots)) == ["age", "job"]
    assert check_levels({"age": 3}, roots) == {}
    with pytest.raises(RuleError, match=r"'town', which is not a quasi-identifier; those are 'age', 'sex', 'job'"):
        check_levels({"town": 0}, roots)
    with pytest.raises(RuleError, match=r"'age' level 4; its taxonomy has levels 0 to 3"):
        check_levels({"age": 4}, roots)
    for level in ("*", 1.5, None, True):
        with pytest.raises(
            RuleError, match=f"gives 'age' level {re.escape(repr(level))}; its taxonomy has levels 0 to 3"
        ):
            check_levels({"age": level}, roots)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=5), st.data())
def test_a_vector_names_just_the_attributes_under_their_root(roots, data):
    space = RuleSpace(tuple(f"a{i}" for i in range(len(roots))), tuple(roots))
    vector = data.draw(st.tuples(*(st.integers(0, root) for root in roots)))
    named = space.named(vector)
    assert all(level < roots[int(name[1:])] for name, level in named.items())
    assert space.vector(named) == vector
