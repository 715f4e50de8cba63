"""How far rules are from the best there are: what a search of the lattice finds at each k, beside what a rule has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from anonduck.errors import ConfigError
from anonduck.frontier import better_first, objective
from anonduck.lattice.goals import GOALS
from anonduck.lattice.problem import Point
from anonduck.lattice.promising import SCORES
from anonduck.lattice.searching import Searched, goal_name, search_lattice
from anonduck.rules import Rule
from anonduck.stored_rules import judge_of, refuse_changed

if TYPE_CHECKING:
    from anonduck.project import Project
    from anonduck.store import Stored

DIGITS = 12


@dataclass(frozen=True)
class Gap:
    """The best that is known of the rules with at least a rule's k, how much better that is than the rule, and what no
    rule is better than: ``best`` itself where that is proven, None where nothing is known."""

    best: float
    gap: float
    bound: float | None


@dataclass(frozen=True)
class Gaps:
    """By the id of a rule and by measure, how far it is from the best; and by measure, how the lattice was searched."""

    rules: Mapping[str, Mapping[str, Gap]]
    searches: Mapping[str, Mapping[str, Any]]

    def of(self, identifier: str) -> dict[str, dict[str, Any]]:
        """The gaps of a rule, as ``frontier --gap --json`` prints them."""
        return {name: asdict(gap) for name, gap in self.rules[identifier].items()}


def measure_gaps(
    project: Project, stored: Stored, rules: Sequence[Rule], measures: Sequence[str], time_limit: float | None
) -> Gaps:
    """Search the lattice of the stored discovery for the frontier of k and each measure, and compare the rules to it.

    Args:
        project: its decision database holds what the rules were found on; RuleError if not.
        stored: the discovery that the rules are of.
        rules: the rules to compare.
        measures: objectives of a frontier other than k; ConfigError for one that is not searched for.
        time_limit: seconds for each measure.
    """
    refuse_changed(project, stored)
    models = stored.summary["models"]
    config = project.config.model_copy(
        update={"models": models, "lattice_frontier": True, "test_on": stored.summary["test_on"]}
    )
    taxonomies = {name: project.taxonomies[name] for name in stored.settings["nodes"]}
    found: dict[str, dict[str, Gap]] = {rule.id: {} for rule in rules}
    searches = {}
    for name in measures:
        asked = config.model_copy(update={"select": name, "time_limit": time_limit or config.time_limit})
        if goal_name(asked) != name:
            known = ", ".join([*GOALS, *(SCORES if models else ())])
            raise ConfigError(f"the best possible {name} is not known of these rules; it is of {known}")
        judge = judge_of(project, stored, stored.summary["requirement"])
        searched = search_lattice(project.database, asked, taxonomies, judge)
        judge.forget()
        searches[name] = searched.as_json()
        read = objective(name, models)
        for rule in rules:
            value = read(rule)
            if value is not None:
                found[rule.id][name] = _gap(name, rule, float(value), searched)
    return Gaps(found, searches)


def _gap(name: str, rule: Rule, value: float, searched: Searched) -> Gap:
    reached = _best_cost(searched.points, rule.measures.k)
    best = value if reached is None else searched.measure(reached)
    if better_first(name, best) < better_first(name, value):
        best = value
    return Gap(
        best=round(best, DIGITS),
        gap=round(abs(best - value), DIGITS),
        bound=_bound(name, rule, best, searched),
    )


def _bound(name: str, rule: Rule, best: float, searched: Searched) -> float | None:
    """What no rule with at least this k is better than."""
    if searched.frontier == "exact":
        return round(best, DIGITS)
    if searched.left is None:
        return None
    left = _best_cost(searched.left, rule.measures.k)
    if left is None:
        return round(best, DIGITS)
    bound = searched.measure(left)
    return round(bound if better_first(name, bound) > better_first(name, best) else best, DIGITS)


def _best_cost(points: Sequence[Point], k: int) -> float | None:
    """The smallest cost of those with at least such a k."""
    return min((point.cost for point in points if point.k >= k), default=None)
