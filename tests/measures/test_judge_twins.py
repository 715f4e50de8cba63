"""Every requirement that is judged in SQL and once more in memory: both come to one verdict and leave out the same."""

from dataclasses import replace
from itertools import product

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from judging import CLASS_WISE, ILL, ILLNESSES, OF_ALL, TREE, demands, judged_tables, judges

from anonduck.config.requirement import AUDIT_ONLY, OF_PERSONS
from anonduck.errors import AuditError
from anonduck.measures.criteria import Criteria
from anonduck.measures.judge import RuleJudge
from anonduck.measures.memory_judge import least_left_out
from anonduck.measures.memory_measures import rule_measurer
from anonduck.measures.numpy_requirements import TWINS
from anonduck.privacy.lookup import paths as listed_paths
from anonduck.privacy.models import MODELS
from anonduck.privacy.requirement import ask
from anonduck.search.lattice_tables import read_class_table
from anonduck.statements import Statement
from anonduck.statements.pipeline.builder_frequency import code_column


def told(verdict):
    """What a verdict says of each requirement, its numbers apart."""
    return [(one.name, one.attribute, one.met) for one in verdict.reached]


def numbers_of(verdict):
    return [number for one in verdict.reached for number in one.numbers.values()]


def staying_in_sql(judge, vector, suppressed):
    """The rows of the frequency set that stay, as leaf codes (and class, where k counts it)."""
    leaves = [code_column(name, 0) for name in judge.space.attributes] + ["#class"] * judge.demand.with_class
    listed = ", ".join('"' + name.replace('"', '""') + '"' for name in leaves)
    query = f"SELECT DISTINCT {listed} FROM {judge.kept(vector, suppressed)}"
    return set(judge.database.rows(Statement("staying", query)))


def staying_in_memory(judge, vector, left_out):
    levels = (*vector, 0) if judge.demand.with_class else vector
    table = judge.table
    rows = list(zip(*(column.tolist() for column in table.leaves.columns), strict=True))
    rolled = table.at(levels)
    classes = table.rows_of_leaves(levels)
    if rolled.starts is not None:
        classes = rolled.starts.searchsorted(classes, side="right") - 1
    return {row for row, out in zip(rows, left_out[classes].tolist(), strict=True) if not out}


@pytest.mark.slow
@given(table=judged_tables(), demand=demands(), data=st.data())
@examples(40)
def test_the_judge_in_memory_is_the_judge_in_sql(shared, table, demand, data):
    query, judge, _ = judges(shared, table, demand)
    twin = judge.in_memory
    releasing = [v for v in product(*(range(root + 1) for root in query.space.roots)) if v != query.space.roots]
    for vector in data.draw(st.lists(st.sampled_from(releasing), min_size=1, max_size=3, unique=True)):
        try:
            expected = query.verdict(vector)
        except AuditError as error:
            with pytest.raises(AuditError, match=str(error)[:60].replace("(", r"\(")):
                twin.verdict(vector)
            continue
        found = twin.verdict(vector)
        assert twin.holds(vector) == query.holds(vector)
        assert (found.met, found.suppressed) == (expected.met, expected.measures.suppressed)
        assert told(found) == told(expected)
        assert numbers_of(found) == pytest.approx(numbers_of(expected), rel=1e-9, abs=1e-9)
        assert found.k == expected.measures.k
        if found.left_out is None:
            assert not found.suppressed or not demand.allows(found.suppressed, query.records)
            continue
        staying = staying_in_sql(query, vector, found.suppressed)
        assert staying_in_memory(twin, vector, found.left_out) == staying


@pytest.mark.slow
@given(table=judged_tables(), demand=demands(), data=st.data())
@examples(30)
def test_a_judge_of_many_vectors_gives_the_verdicts_of_sql_and_keeps_the_same_rows(shared, table, demand, data):
    query, _, taxonomies = judges(shared, table, demand)
    held = read_class_table(shared, taxonomies, query.records)
    whole = rule_measurer(shared, query.space, query.whole.totals, held, with_class=demand.with_class)
    many = RuleJudge(shared, query.space, whole, demand, query.records, table=held)
    releasing = [v for v in product(*(range(root + 1) for root in query.space.roots)) if v != query.space.roots]
    for vector in data.draw(st.lists(st.sampled_from(releasing), min_size=1, max_size=3, unique=True)):
        assert same_measures(many.whole(vector), query.whole(vector))
        try:
            expected = query.verdict(vector)
        except AuditError:
            continue
        found = many.verdict(vector)
        assert same_measures(found.measures, expected.measures)
        assert told(found) == told(expected)
        assert numbers_of(found) == pytest.approx(numbers_of(expected), rel=1e-9, abs=1e-9)
        assert found.unmet == expected.unmet
        if demand.allows(found.measures.suppressed, query.records):
            given = vector, found.measures.suppressed
            assert staying_in_sql(many, *given) == staying_in_sql(query, *given)


def same_measures(one, other):
    """Whether all measures are equal, those in bits but for the rounding of sums."""
    bits = ("information_gain", "information_gain_corrected")
    rest = {"privacy": {}, **dict.fromkeys(bits, 0.0)}
    assert [getattr(one, name) for name in bits] == pytest.approx([getattr(other, name) for name in bits], abs=2e-6)
    return replace(one, **rest) == replace(other, **rest)


def test_each_requirement_of_a_config_has_a_twin():
    of_file = {name for name, model in MODELS.items() if model.reads == "kept"}
    assert set(MODELS) == TWINS | set(AUDIT_ONLY) | set(OF_PERSONS) | of_file
    asked = {name for one in (*CLASS_WISE, *OF_ALL) for name in one}
    assert asked | {"k"} == TWINS


ROWS = [(number % 4, "xy"[number % 3 == 0]) for number in range(24)]
SMALL = (["a"], {"a": {value: (f"g{value // 2}", "*") for value in range(4)}}, ROWS)


def small(secrets, **asked):
    return (*SMALL, {ILL: secrets}), Criteria(ask({"k": 1, **asked}), 0.0, (ILL,))


def test_what_does_not_fit_is_judged_in_sql(database):
    table, demand = small(ILLNESSES[:3] * 8, l=2)
    query, judge, _ = judges(database, table, demand)
    rows = len(judge.in_memory.table.leaves.records)

    def with_room(rows):
        return RuleJudge(database, query.space, query.whole, demand, query.records, memory_rows=rows).in_memory

    assert with_room(3 * rows) is not None
    assert with_room(3) is None


def test_a_taxonomy_that_lacks_a_value_is_refused_in_sql(database):
    table, demand = small(["1", "gout", None] * 8, t_hierarchical=0.5)
    query, judge, _ = judges(database, table, replace(demand, paths={ILL: listed_paths(ILL, TREE)}))
    assert judge.in_memory is None
    with pytest.raises(AuditError, match="lacks 1 of the column's values"):
        query.verdict((0,))


@pytest.mark.slow
def test_a_class_that_compares_badly_once_others_are_left_out_is_left_out_too(database):
    """Without the 24 records that all have a 1, the class of six 1s and two 2s is no longer like the rest."""
    held = {0: "1" * 24, 1: "1" * 6 + "2" * 2, 2: ("1" * 2 + "2" * 6) * 2, 3: ("1" * 2 + "2" * 6) * 2}
    rows = [(value, "xy"[number % 2]) for value, ill in held.items() for number in range(len(ill))]
    table = (*SMALL[:2], rows, {ILL: [one for ill in held.values() for one in ill]})
    for share, left_out in ((0.6, 32), (0.4, 32)):
        query, judge, _ = judges(database, table, Criteria(ask({"k": 1, "t": 0.35}), share, (ILL,)))
        twin = judge.in_memory
        assert twin.verdict((0,)).suppressed == query.verdict((0,)).measures.suppressed == left_out
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
        demand = Criteria(ask({"k": 1, **asked}), share, (ILL,))
        query, judge, _ = judges(database, table, demand)
        twin = judge.in_memory
        assert least_left_out(twin._classes((1,)), demand) == pytest.approx(left_out, abs=1e-5)
        assert twin.is_hopeless((1,)) is (left_out > 20 * share)
        assert twin.holds((1,))
        assert query.verdict((0,)).met is (share == 0.6)
