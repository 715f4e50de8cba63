"""The search of all frontiers at once, against every level vector there is, cut wherever it can be cut."""

from collections import Counter
from itertools import product

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck.search.lattice.falling_search import FallingSearch, GoalOutcome
from anonduck.search.lattice.frontiers import BestCosts, FrontierSearch, SearchGoal
from anonduck.search.lattice.limits import SearchLimits

ROOTS = (2, 3, 2)
CUTS = 6  # of 100 places where the budget can end
PATHS = [
    {value: (value, value // 2, 0) for value in range(4)},
    {value: (value, value // 2, value // 4, 0) for value in range(6)},
    {value: (value, 0 if value is None else value // 2, 0) for value in (None, 0, 1, 2, 3)},
]
GOALS = [
    SearchGoal("told"),
    SearchGoal("score", "tree"),
    SearchGoal("other", "tree"),
    SearchGoal("score.bayes", "bayes"),
]


class Table:
    """A small table, and what a level vector costs on it by all goals, plainly."""

    def __init__(self, rows, k, suppression, misses=()):
        self.rows, self.k = rows, k
        self.allowed = int(suppression * len(rows))
        self.misses = set(misses)

    def classes(self, vector):
        cells = Counter()
        for *values, kind in self.rows:
            cells[tuple(path[v][at] for path, v, at in zip(PATHS, values, vector, strict=True)), kind] += 1
        found = {}
        for (cell, kind), records in cells.items():
            found.setdefault(cell, {})[kind] = records
        return list(found.values())

    def told(self, classes):
        """Minus the records of the most frequent kind of each class."""
        return -float(sum(max(one.values()) for one in classes))

    def promises(self, classes):
        told = self.told(classes)
        weights = {"x": 1.0, "y": 2.5}
        balanced = -sum(max(n * weights[kind] for kind, n in one.items()) for one in classes)
        return (told, told, balanced, told)

    def measured(self, vector, model):
        """What a model really reaches: less than is promised, by no rule."""
        _, score, other, two = self.seen(vector).costs
        lost = [(sum(vector) * 7 + vector[0] * 3 + len(model) * 5 + n * 2) % 5 for n in range(2)]
        return (
            {"score": score + lost[0], "other": other + lost[1]} if model == "tree" else {"score.bayes": two + lost[0]}
        )

    def seen(self, vector):
        classes = self.classes(vector)
        sizes = sorted(sum(one.values()) for one in classes)
        reach = max(k for k in range(1, sizes[-1] + 1) if sum(n for n in sizes if n < k) <= self.allowed)
        if reach < self.k:
            return GoalOutcome(False, True, reach)
        stay = [one for one in classes if sum(one.values()) >= self.k]
        if vector in self.misses:
            return GoalOutcome(False, False, reach)
        k = min(sum(one.values()) for one in stay)
        return GoalOutcome(True, False, reach, k, self.promises(stay))

    def every(self):
        """k and true costs, by goal, of each vector that meets what is required."""
        found = {}
        for vector in product(*(range(root + 1) for root in ROOTS)):
            seen = self.seen(vector)
            if vector != ROOTS and seen.met:
                costs = {**self.measured(vector, "tree"), **self.measured(vector, "bayes"), "told": seen.costs[0]}
                found[vector] = (seen.k, costs)
        return found


def search(table, budget, share=1.0):
    limits = SearchLimits(None, budget)

    def seen(vector):
        limits.work.evaluate()
        return table.seen(vector)

    def train(vector, model):
        limits.work.train([model])
        return table.measured(vector, model)

    made = FrontierSearch(FallingSearch(ROOTS, seen), GOALS, train)
    made.solve(limits.until(share))
    return made, made.frontiers(), limits


def best(found, name, k):
    return min((costs[name] for at, costs in found.values() if at >= k), default=float("inf"))


def check(table, every, frontiers):
    """What is claimed holds of every vector there is: exact from some k up."""
    for one in frontiers:
        name = one.goal.name
        for point in one.points:
            assert every[point.vector][0] == point.k
            assert every[point.vector][1][name] == pytest.approx(point.cost)
        for k in range(1, len(table.rows) + 2):
            reached = min((point.cost for point in one.points if point.k >= k), default=float("inf"))
            left = min((point.cost for point in one.left if point.k >= k), default=float("inf"))
            true = best(every, name, k)
            assert min(reached, left) <= true + 1e-9
            assert one.proven_at(k) or k < one.proven_from
            if one.proven_at(k):
                assert reached == pytest.approx(true)


ROWS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 5), st.sampled_from([None, 0, 1, 2, 3]), st.sampled_from("xy")),
    min_size=4,
    max_size=24,
)


@given(ROWS, st.integers(1, 4), st.sampled_from([0.0, 0.2, 0.4]), st.data())
@examples(160)
def test_claims_hold_wherever_the_budget_cuts(rows, k, suppression, data):
    lattice = [vector for vector in product(*(range(root + 1) for root in ROOTS)) if vector != ROOTS]
    misses = data.draw(st.lists(st.sampled_from(lattice), max_size=4))
    table = Table(rows, k, suppression, misses)
    every = table.every()
    whole, frontiers, limits = search(table, None)
    check(table, every, frontiers)
    assert whole.search.complete
    assert not any(one.left for one in frontiers)
    last = limits.work.units + 40
    for part in data.draw(st.lists(st.integers(0, 99), min_size=CUTS, max_size=CUTS, unique=True)):
        budget = 1 + part * last // 100
        share = (0.3, 0.6, 1.0)[part % 3]
        cut, found, spent = search(table, budget, share)
        check(table, every, found)
        assert spent.work.units <= budget + 210  # a model
        again = search(table, budget, share)[1]
        assert again == found
        if not cut.search.complete:
            largest = cut.search.largest_left
            assert largest == -1 or all(v in cut.search.known for v, (at, _) in every.items() if at > largest)


@given(ROWS, st.integers(1, 4), st.sampled_from([0.0, 0.3]))
@examples(30)
def test_every_vector_that_is_not_hopeless_is_seen_once_and_by_falling_reach(rows, k, suppression):
    table = Table(rows, k, suppression)
    asked = []

    def seen(vector):
        asked.append(vector)
        return table.seen(vector)

    falling = FallingSearch(ROOTS, seen)
    steps = 0
    while not falling.run(lambda most=steps: len(asked) > most):
        steps += 1
        largest = falling.largest_left
        assert largest == -1 or all(v in asked for v in table.every() if table.seen(v).reach > largest)
    assert len(asked) == len(set(asked))
    hopeless = {v for v in product(*(range(root + 1) for root in ROOTS)) if v != ROOTS and table.seen(v).hopeless}
    assert {v for v in asked if not table.seen(v).hopeless} == {
        v for v in product(*(range(root + 1) for root in ROOTS)) if v != ROOTS and v not in hopeless
    }


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9)), max_size=12))
@examples(60)
def test_the_best_at_each_k(points):
    kept = BestCosts()
    for number, (k, cost) in enumerate(points, start=1):
        kept.add(k, float(cost))
        for at in range(11):
            assert kept.at(at) == min((c for one, c in points[:number] if one >= at), default=float("inf"))


def test_limits_end_with_time_or_with_work():
    limits = SearchLimits(None, 100)
    part, late = limits.until(0.5), limits.until(0.8)
    assert limits.work.cut is None
    limits.work.evaluate(20)
    limits.work.train(["tree"])
    assert part.over()
    assert limits.work.cut == {"by": "budget", "at": {"vectors": 20, "models": 1, "work": 50}}
    assert not late.over()
    limits.work.evaluate(30)
    assert late.over()
    assert not limits.over()
    assert SearchLimits(1e-9, 10).over()
    assert SearchLimits(1e-9, 10).over_time()
    assert not SearchLimits(60.0, 0).over_time()
    assert not SearchLimits().over()
