"""Every measure that is computed in SQL and once more in numpy: both give the same number, whatever is left out."""

from itertools import product

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import as_measure, best_by_hand, records_of, tables
from test_lattice import opened

from anonduck.measures.measures import contingency
from anonduck.measures.numpy_measures import violating_pairs
from anonduck.measures.rule_utility import utility_of
from anonduck.rules.measure_names import UTILITY
from anonduck.search.lattice.costs import GOALS, make_goal
from anonduck.search.score_goals import SCORES, ScoreGoal
from anonduck.statements import statement
from anonduck.statements.pipeline.column_names import code_column

QUERY_ONLY = {"kl_divergence", "mutual_information_loss"}
OF_RULES = ("k", "violating_pairs")
PAIRS = (*GOALS, *SCORES, *OF_RULES)
STRANGE = 99


class Queries:
    """Each measure of a level vector by its query of sql/."""

    def __init__(self, database, config, taxonomies, judge):
        self.database, self.taxonomies, self.judge = database, taxonomies, judge
        self.utility = utility_of(records_of(database, taxonomies, judge).columns, config, judge)

    def __call__(self, name, vector, suppressed):
        levels = self.judge.space.named(vector)
        if name in UTILITY:
            return self.utility(levels, suppressed, [name])[name]
        if name in SCORES:
            bound = contingency(self.database, levels, self.taxonomies, rows=self.judge.kept(vector, suppressed))
            return best_by_hand(bound, name == SCORES[1])
        rows = self.judge.kept(vector, suppressed)
        columns = {"attributes": [code_column(attribute, level) for attribute, level in levels.items()]}
        query = statement("measures/rule.sql", columns=columns, table={"coded": rows})
        k, _, _, _, conditional, violating = self.database.row(query)
        share, prior, _ = self.database.row(statement("measures/kept_prior.sql", table={"coded": rows}))
        found = {"k": k, "violating_pairs": violating, "information_gain": max(0.0, prior - share * conditional)}
        return found[name]


class Twins:
    """Each measure of a level vector by its twin on the frequency set in memory."""

    def __init__(self, database, config, taxonomies, judge, name):
        self.k = judge.requirement.k
        cost = name if name in GOALS else "loss"
        records = records_of(database, taxonomies, judge)
        attributes = records.attributes(cost)
        if name in SCORES:
            self.table, classes = records.folded
            self.goal = ScoreGoal(name, name == SCORES[1], classes)
        else:
            names, each = list(attributes), list(attributes.values())
            self.goal = make_goal(cost, names, each, k=config.requirement.k, weights=config.weights)
            self.table = records.table(with_class=self.goal.needs_class or name not in GOALS)

    def __call__(self, name, vector, suppressed):
        rolled = self.table.at(vector)
        failing = rolled.sizes < self.k if suppressed else None
        if name == "violating_pairs":
            return violating_pairs(rolled)
        if name == "k":
            return int(rolled.sizes.min())
        return as_measure(name, self.goal.of(self.table, rolled, failing))


@st.composite
def cases(draw):
    """A table with NULLs, maybe with values that its taxonomies do not know; k; the share that may be left out."""
    names, paths, rows = draw(tables(max_rows=12, max_attributes=2))
    strange = [(STRANGE, *row[1:]) for row in rows[: draw(st.integers(0, 3))]]
    return (names, paths, rows + strange), draw(st.integers(2, 4)), draw(st.sampled_from([0.0, 0.6]))


@pytest.mark.some(5)
@pytest.mark.parametrize("name", PAIRS)
@given(case=cases())
@examples(5)
def test_a_twin_is_its_query(shared, name, case):
    table, k, suppression = case
    opened_ = opened(shared, table, {"k": k}, suppression, weights={table[0][0]: 2.5})
    judge = opened_[2]
    query, twin = Queries(shared, *opened_), Twins(shared, *opened_, name)
    for vector in product(*(range(root + 1) for root in judge.space.roots)):
        suppressed = judge.verdict(vector).measures.suppressed
        if (
            vector == judge.space.roots
            or suppressed == judge.records
            or not judge.requirement.allows(suppressed, judge.records)
        ):
            continue  # nothing is released
        if suppressed and name in OF_RULES:
            continue  # of the records that stay, these have no twin
        assert twin(name, vector, suppressed) == pytest.approx(query(name, vector, suppressed), abs=1e-9)


def test_each_measure_has_a_twin_or_is_known_to_have_none():
    assert set(UTILITY) == {name for name in GOALS if name != "information_gain"} | QUERY_ONLY
