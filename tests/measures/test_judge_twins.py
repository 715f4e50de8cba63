"""Every requirement that is judged in SQL and once more in memory: both come to one verdict and leave out the same."""

from dataclasses import replace
from itertools import product

import pandas as pd
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import CLASS, coded, tables

from anonduck.config.requirement import AUDIT_ONLY
from anonduck.errors import AuditError
from anonduck.frequency.frequency_set import make_coded_sensitive
from anonduck.measures.criteria import Criteria
from anonduck.measures.judge import RuleJudge
from anonduck.measures.measures import RuleMeasurer, measure_totals
from anonduck.measures.numpy_requirements import TWINS
from anonduck.privacy.chosen_values import ValueChoice
from anonduck.privacy.lookup import paths as listed_paths
from anonduck.privacy.models import MODELS
from anonduck.privacy.requirement import ask
from anonduck.rules.rule import RuleSpace
from anonduck.source.source import Roles
from anonduck.statements import Statement
from anonduck.statements.pipeline.builder_frequency import code_column

ILL, WAGE = 'the "illness', "wage, net"
ILLNESSES = ["1", "2", "3", "10", None]
WAGES = {
    "numbers": ["2.5", "-1", "30", None],
    "dates": ["2024-02-01", "2023-11-05", None],
    "names": ["low", "x", "", None],
}
TREE = pd.DataFrame(
    [["1", "few", "*"], ["2", "few", "*"], ["3", "some", "*"], ["10", "many", "*"], ["11", "many", "*"]]
)
STRANGE = 99

CLASS_WISE = [
    *({"l": least} for least in (1, 2, 3)),
    *({"entropy_l": least} for least in (1.5, 1.9)),
    *({"recursive_l": {"l": least, "c": c}} for least, c in ((2, 2), (2, 1.5), (3, 2), (4, 3))),
    *({"frequency_l": least} for least in (1.5, 2.0)),
    *({"alpha": share} for share in (0.5, 0.7)),
    *({"t": distance} for distance in (0.2, 0.4)),
    *({"t_ordered": distance} for distance in (0.15, 0.3)),
    *({"t_hierarchical": distance} for distance in (0.15, 0.35)),
    *({name: gain} for name in ("beta", "enhanced_beta") for gain in (0.5, 1.5)),
    *({"delta_disclosure": bound} for bound in (0.8, {"delta": 1.5, "log": 2})),
    {"prosecutor_risk": 0.4},
]
OF_ALL = [
    *(
        {name: share}
        for name in ("marketer_risk", "sample_uniqueness", "homogeneous_classes", "ha")
        for share in (0.3,)
    ),
    {"pd": 0.7},
    {"lkc": {"l": 1, "k": 2, "c": 0.8}},
    {"lkc": {"l": 2, "k": 2, "c": 0.6}},
]
choices = st.builds(
    ValueChoice, st.lists(st.sampled_from(ILLNESSES), min_size=1, unique=True).map(tuple), st.booleans()
)


@st.composite
def judged_tables(draw):
    """A table with NULLs, duplicates, maybe values that no taxonomy knows, and two sensitive columns beside it."""
    names, paths, rows = draw(tables(max_rows=20, max_attributes=3, max_values=3))
    rows += [(STRANGE, *row[1:]) for row in rows[: draw(st.integers(0, 2))]]
    wages = WAGES[draw(st.sampled_from(sorted(WAGES)))]
    secrets = {
        name: draw(st.lists(st.sampled_from(values), min_size=len(rows), max_size=len(rows)))
        for name, values in ((ILL, ILLNESSES[: draw(st.integers(2, 5))]), (WAGE, wages))
    }
    return names, paths, rows, secrets


@st.composite
def demands(draw):
    """One to three requirements beside k, of one or two sensitive columns, with what else a config can say of them."""
    asked = {"k": draw(st.integers(1, 3))}
    for one in draw(st.lists(st.sampled_from([*CLASS_WISE, *OF_ALL]), min_size=1, max_size=3)):
        asked |= one
    reads = any("sensitive" in MODELS[name].needs for name in asked)
    sensitive = draw(st.sampled_from([(ILL,), (ILL, WAGE)])) if reads else ()
    chosen = {ILL: draw(choices)} if draw(st.booleans()) else {}
    paths = {ILL: listed_paths(ILL, TREE)} if reads else {}
    suppression = draw(st.sampled_from([0.0, 0.2, 0.5, 0.9]))
    return Criteria(ask(asked), suppression, sensitive, paths=paths, chosen=chosen, with_class=draw(st.booleans()))


def judges(database, table, demand):
    """The judge in SQL alone, and its twin."""
    names, paths, rows, secrets = table
    taxonomies = coded(database, names, paths, rows)
    columns = {f"{name}@value": pd.array([row[i] for row in rows], dtype="Int64") for i, name in enumerate(names)}
    frame = pd.DataFrame({**columns, f"{CLASS}@value": pd.array([row[-1] for row in rows], dtype="string")})
    for name in demand.sensitive:
        frame[f"{name}@value"] = pd.array(secrets[name], dtype="string")
    frame["#records"] = 1
    database.register("given_rows", frame)
    database.run(Statement("sensitive", "CREATE OR REPLACE TABLE sensitive_set AS FROM given_rows"))
    database.unregister("given_rows")
    called = {name: f"s_{number}" for number, name in enumerate(demand.sensitive, start=1)}
    make_coded_sensitive(database, Roles(CLASS, tuple(names)), taxonomies, called)
    space = RuleSpace(tuple(names), tuple(taxonomies[name].root for name in names))
    totals = measure_totals(database)
    whole = RuleMeasurer(database, space, totals, with_class=demand.with_class)
    alone = RuleJudge(database, space, whole, demand, totals.records, memory_rows=-1)
    assert alone.in_memory is None
    return alone, RuleJudge(database, space, whole, demand, totals.records).in_memory


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


@given(table=judged_tables(), demand=demands(), data=st.data())
@examples(150)
def test_the_judge_in_memory_is_the_judge_in_sql(shared, table, demand, data):
    query, twin = judges(shared, table, demand)
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


def test_each_requirement_of_a_config_has_a_twin():
    assert set(MODELS) == TWINS | set(AUDIT_ONLY)
    asked = {name for one in (*CLASS_WISE, *OF_ALL) for name in one}
    assert asked | {"k"} == TWINS


ROWS = [(number % 4, "xy"[number % 3 == 0]) for number in range(24)]
SMALL = (["a"], {"a": {value: (f"g{value // 2}", "*") for value in range(4)}}, ROWS)


def small(secrets, **asked):
    return (*SMALL, {ILL: secrets}), Criteria(ask({"k": 1, **asked}), 0.0, (ILL,))


def test_what_does_not_fit_is_judged_in_sql(database):
    table, demand = small(ILLNESSES[:3] * 8, l=2)
    query, twin = judges(database, table, demand)
    assert twin is not None
    rows = len(twin.table.leaves.records)

    def with_room(rows):
        return RuleJudge(database, query.space, query.whole, demand, query.records, memory_rows=rows).in_memory

    assert with_room(3 * rows) is not None
    assert with_room(3) is None


def test_a_taxonomy_that_lacks_a_value_is_refused_in_sql(database):
    table, demand = small(["1", "gout", None] * 8, t_hierarchical=0.5)
    query, twin = judges(database, table, replace(demand, paths={ILL: listed_paths(ILL, TREE)}))
    assert twin is None
    with pytest.raises(AuditError, match="lacks 1 of the column's values"):
        query.verdict((0,))


def test_a_class_that_compares_badly_once_others_are_left_out_is_left_out_too(database):
    """Without the 24 records that all have a 1, the class of six 1s and two 2s is no longer like the rest."""
    held = {0: "1" * 24, 1: "1" * 6 + "2" * 2, 2: ("1" * 2 + "2" * 6) * 2, 3: ("1" * 2 + "2" * 6) * 2}
    rows = [(value, "xy"[number % 2]) for value, ill in held.items() for number in range(len(ill))]
    table = (*SMALL[:2], rows, {ILL: [one for ill in held.values() for one in ill]})
    for share, left_out in ((0.6, 32), (0.4, 32)):
        query, twin = judges(database, table, Criteria(ask({"k": 1, "t": 0.35}), share, (ILL,)))
        assert twin.verdict((0,)).suppressed == query.verdict((0,)).measures.suppressed == left_out
        assert twin.verdict((0,)).met is (share > 0.5)
        assert twin.holds((0,))
    assert twin.verdict((0,)).left_out is None
