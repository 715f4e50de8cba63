"""How far rules are from the best there are: what a search of the lattice finds at each k, beside what a rule has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from anonduck.config.config import Config
from anonduck.config.selection import Selection
from anonduck.errors import ConfigError
from anonduck.measures.judge import VectorJudge
from anonduck.measures.rule_utility import utility_of
from anonduck.rules.frontier import better_first, is_score, objective
from anonduck.rules.measure_names import GENERALIZED, UTILITY
from anonduck.rules.rounding import DIGITS
from anonduck.rules.rule import Rule
from anonduck.search.freshness import refuse_changed, refuse_measured_otherwise
from anonduck.search.lattice.costs import GOALS
from anonduck.search.lattice.problem import FrontierPoint
from anonduck.search.lattice_search import LatticeSearch, goal_name, search_lattice
from anonduck.search.proofs import best_at, bounded_as, is_proven, open_bounds
from anonduck.search.score_goals import SCORES, wanted_score
from anonduck.search.searched_records import SearchedRecords, StoredRecords, kept_contingency
from anonduck.search.store import StoredDiscovery
from anonduck.search.stored_rules import config_of, judge_of
from anonduck.search.training import model_scores
from anonduck.workspace import Workspace


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
    workspace: Workspace,
    stored: StoredDiscovery,
    rules: Sequence[Rule],
    measures: Sequence[str],
    time_limit: float | None,
) -> Gaps:
    """Search the lattice of the stored discovery for the frontier of k and each measure, and compare the rules to it.

    Args:
        workspace: its decision database holds what the rules were found on; RuleError if not.
        stored: the discovery that the rules are of; they are compared with all that meet what was required then.
        rules: the rules to compare.
        measures: objectives of a frontier other than k; ConfigError for one that is not searched for.
        time_limit: seconds for each measure.

    What the discovery proved or bounded is not searched for again, but for a bound where ``time_limit`` is given.
    """
    refuse_changed(workspace, stored)
    config = config_of(workspace, stored).model_copy(
        update={"lattice_frontier": True, "time_limit": time_limit or workspace.config.time_limit}
    )
    known = workspace.taxonomies
    taxonomies = {name: known[name] for name in stored.settings["nodes"]}
    found: dict[str, dict[str, Gap]] = {rule.id: {} for rule in rules}
    searches = {}
    for name in measures:
        if is_proven(name, stored.summary) or (bounded_as(name, stored.summary) and time_limit is None):
            searches[name] = _stored_search(name, stored)
            for rule in rules:
                if (value := objective(name, config.models)(rule)) is not None:
                    found[rule.id][name] = _stored_gap(name, rule, float(value), stored)
            continue
        asked = config.model_copy(update={"selection": Selection(measure=name)})
        _refuse_unbounded(name, asked)
        read = objective(name, config.models)
        values = [(rule, float(value)) for rule in rules if (value := read(rule)) is not None]
        judge = judge_of(workspace, stored)
        # of scores, which take long, only the last rule's is measured again
        again = values if name in GOALS else values[-1:]
        records = StoredRecords(workspace.database, taxonomies, judge.records)
        refuse_measured_otherwise(name, again, _again(records, asked, judge))
        searched = search_lattice(records, asked, judge)
        searches[name] = searched.as_json()
        for rule, value in values:
            found[rule.id][name] = _gap(name, rule, value, searched)
    return Gaps(found, searches)


def _stored_gap(name: str, rule: Rule, value: float, stored: StoredDiscovery) -> Gap:
    """How far a rule is from the best that the discovery found, and the bound that it has."""
    summary = stored.summary
    best = best_at(stored.rules, name, summary["models"], rule.measures.k)
    best = value if best is None else best
    open_ = open_bounds([rule], stored.rules, name, summary)
    return Gap(round(best, DIGITS), round(abs(best - value), DIGITS), open_.get(rule.id, round(best, DIGITS)))


def _stored_search(name: str, stored: StoredDiscovery) -> dict[str, Any]:
    """How the discovery searched for a measure, as a search of the lattice for it alone reports it."""
    summary = stored.summary
    exact, proven = summary["exact"], is_proven(name, summary)
    best = best_at(stored.rules, name, summary["models"], 0)
    bound = best if proven else exact["bounds"][bounded_as(name, summary)]
    return {
        "objective": name,
        "optimal": proven,
        "value": best,
        "bound": bound,
        "gap": None if bound is None or best is None else abs(best - bound),
        "frontier": "exact" if proven else "best found",
        "nodes": exact["nodes"],
        "evaluated": exact["evaluated"],
        "trained": exact["trained"] if is_score(name) else None,
        "pruned": exact["nodes"] - exact["evaluated"] if proven else None,
    }


def _refuse_unbounded(name: str, config: Config) -> None:
    """Raise ConfigError for a measure that is not searched for."""
    if goal_name(config) == name:
        return
    scores = config.models and config.test_on == GENERALIZED
    why = ""
    if config.models and not scores and name.partition(".")[0] in SCORES:
        why = ", because their models were tested on original records (`test_on: original`)"
    raise ConfigError(
        f"the best possible {name} cannot be found for these rules{why}; it can for "
        + ", ".join([*GOALS, *(SCORES if scores else ())])
    )


def _again(records: SearchedRecords, config: Config, judge: VectorJudge) -> Callable[[Rule], float]:
    """What measures ``select`` of a rule as discovery does."""
    name, wanted = config.select, wanted_score(config)
    if wanted is not None:

        def score(rule: Rule) -> float:
            table = kept_contingency(records, judge, rule.levels, rule.measures.suppressed)
            return float(model_scores(table, [wanted.model], seed=config.seed)[wanted.model][wanted.score])

        return score
    if name in UTILITY:
        measure = utility_of(records.columns, config, judge)
        return lambda rule: measure(rule.levels, rule.measures.suppressed, [name])[name]
    return lambda rule: judge.verdict(judge.space.vector(rule.levels)).measures.information_gain


def _gap(name: str, rule: Rule, value: float, searched: LatticeSearch) -> Gap:
    reached = _best_cost(searched.points, rule.measures.k)
    best = value if reached is None else searched.measure(reached)
    if better_first(name, best) < better_first(name, value):
        best = value
    return Gap(
        best=round(best, DIGITS),
        gap=round(abs(best - value), DIGITS),
        bound=_bound(name, rule, best, searched),
    )


def _bound(name: str, rule: Rule, best: float, searched: LatticeSearch) -> float | None:
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


def _best_cost(points: Sequence[FrontierPoint], k: int) -> float | None:
    """The smallest cost of those with at least such a k."""
    return min((point.cost for point in points if point.k >= k), default=None)
