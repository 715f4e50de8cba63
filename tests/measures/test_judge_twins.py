"""Every requirement, judged of the classes of a rule and by the queries that audits ask: both come to one verdict."""

from dataclasses import replace
from itertools import product

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from judging import CLASS_WISE, ILL, OF_ALL, TREE, judged_tables, judges, requirements, rows_of

from anonduck.config.requirement import AUDIT_ONLY, OF_PERSONS
from anonduck.errors import AuditError
from anonduck.measures.class_judge import least_left_out
from anonduck.measures.numpy_requirements import TWINS
from anonduck.measures.requirement import Requirement
from anonduck.privacy.lookup import paths as listed_paths
from anonduck.privacy.models import MODELS
from anonduck.privacy.requirement import ask


def told(reached):
    """What is said of each requirement, its numbers apart."""
    return [(one.name, one.attribute, one.met) for one in reached]


def numbers_of(reached):
    return [number for one in reached for number in one.numbers.values()]


@pytest.mark.slow
@given(table=judged_tables(), requirement=requirements(), data=st.data())
@examples(40)
def test_a_rule_is_judged_as_the_queries_do_and_leaves_out_the_same(shared, table, requirement, data):
    query, judge, _ = judges(shared, table, requirement)
    releasing = [v for v in product(*(range(root + 1) for root in query.space.roots)) if v != query.space.roots]
    for vector in data.draw(st.lists(st.sampled_from(releasing), min_size=1, max_size=3, unique=True)):
        try:
            expected = query.verdict(vector)
        except AuditError as error:
            with pytest.raises(AuditError, match=str(error)[:60].replace("(", r"\(")):
                judge.verdict(vector)
            continue
        found = judge.verdict(vector)
        measured = len(found.reached) == len(requirement.asked)
        assert found.measures.suppressed == expected.suppressed or not found.reached
        if expected.reached and measured:
            assert told(found.reached) == told(expected.reached)
            assert numbers_of(found.reached) == pytest.approx(numbers_of(expected.reached), rel=1e-9, abs=1e-9)
            staying = rows_of(shared, judge.kept(vector, found.measures.suppressed), judge.space)
            assert staying == query.staying(vector)
            assert found.met is all(one.met for one in expected.reached)
        else:
            assert not found.met
            assert not all(one.met for one in expected.reached) or not expected.reached


def test_each_requirement_of_a_config_has_a_twin():
    of_file = {name for name, model in MODELS.items() if model.reads == "kept"}
    assert set(MODELS) == TWINS | set(AUDIT_ONLY) | set(OF_PERSONS) | of_file
    asked = {name for one in (*CLASS_WISE, *OF_ALL) for name in one}
    assert asked | {"k"} == TWINS


ROWS = [(number % 4, "xy"[number % 3 == 0]) for number in range(24)]
SMALL = (["a"], {"a": {value: (f"g{value // 2}", "*") for value in range(4)}}, ROWS)


def small(secrets, **asked):
    return (*SMALL, {ILL: secrets}), Requirement(ask({"k": 1, **asked}), 0.0, (ILL,))


def test_a_taxonomy_that_lacks_a_value_is_refused(database):
    table, requirement = small(["1", "gout", None] * 8, t_hierarchical=0.5)
    query, judge, _ = judges(database, table, replace(requirement, paths={ILL: listed_paths(ILL, TREE)}))
    for one in (judge, query):
        with pytest.raises(AuditError, match="lacks 1 of the column's values"):
            one.verdict((0,))


@pytest.mark.slow
def test_a_class_that_compares_badly_once_others_are_left_out_is_left_out_too(database):
    """Without the 24 records that all have a 1, the class of six 1s and two 2s is no longer like the rest."""
    held = {0: "1" * 24, 1: "1" * 6 + "2" * 2, 2: ("1" * 2 + "2" * 6) * 2, 3: ("1" * 2 + "2" * 6) * 2}
    rows = [(value, "xy"[number % 2]) for value, ill in held.items() for number in range(len(ill))]
    table = (*SMALL[:2], rows, {ILL: [one for ill in held.values() for one in ill]})
    for share, left_out in ((0.6, 32), (0.4, 32)):
        query, judge, _ = judges(database, table, Requirement(ask({"k": 1, "t": 0.35}), share, (ILL,)))
        twin = judge.classes
        assert twin.verdict((0,)).suppressed == query.verdict((0,)).suppressed == left_out
        assert twin.verdict((0,)).met is (share > 0.5)
        assert twin.holds((0,))
    assert twin.verdict((0,)).left_out is None


@pytest.mark.slow
@pytest.mark.parametrize("asked", [{"alpha": 0.5}, {"frequency_l": 2}, {"t": 0.25}])
def test_what_any_finer_rule_has_to_leave_out_is_known_of_a_coarser_one(database, asked):
    """Of eight 1s and two 2s in one class, finer classes that are half of each keep four, and no others keep more.

    The other class has two 1s and eight 2s, so that half of all records have each value.
    """
    values = {0: "1212", 1: "111111", 2: "2121", 3: "222222"}
    rows = [(value, "x") for value, ill in values.items() for _ in ill]
    paths = {"a": {value: (f"g{value // 2}", "*") for value in values}}
    table = (["a"], paths, rows, {ILL: [one for ill in values.values() for one in ill]})
    left_out = 12 if asked != {"t": 0.25} else 20 * (0.3 - 0.25) / 0.75
    for share in (0.05, 0.5, 0.6):
        requirement = Requirement(ask({"k": 1, **asked}), share, (ILL,))
        query, judge, _ = judges(database, table, requirement)
        twin = judge.classes
        assert least_left_out(twin._classes((1,)), requirement) == pytest.approx(left_out, abs=1e-5)
        assert twin.is_hopeless((1,)) is (left_out > 20 * share)
        assert twin.holds((1,))
        assert bool(query.verdict((0,)).reached) is judge.verdict((0,)).met is (share == 0.6)
