"""The default discovery: exact first. All level vectors by falling k, and where that is too much, RFDs beside it.

Where the frontier of every measure is proven, it is what is offered. Where it is not, what was found joins the rules of
RFDs and those that moves lead to, all trained and measured alike, and each rule says what no rule with at least its k
exceeds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import TYPE_CHECKING

from anonduck.config.config import Config
from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.frequency.floors import read_floor
from anonduck.frequency.patterns import PairJoin
from anonduck.measures.judge import RuleJudge
from anonduck.measures.measures import measure_totals
from anonduck.measures.requirement import Requirement
from anonduck.rules.frontier import better_first, objective
from anonduck.rules.rounding import DIGITS
from anonduck.rules.rule import AUTO, LATTICE, LevelVector, Rule, RuleSpace
from anonduck.search.added_rules import AddedRules
from anonduck.search.budgets import limit_work
from anonduck.search.discovery import (
    MEASURED_AFTER,
    Discovery,
    budget_used,
    joined,
    kept_rows,
    mark_frontier,
    mine,
    number_rules,
    widen_rules,
    with_utility,
)
from anonduck.search.explanation import explain_no_rule, kept_in_vain, nearest_of
from anonduck.search.frontier_search import FoundFrontiers, FrontierFinder, leading_goal
from anonduck.search.lattice.costs import at_most_whole
from anonduck.search.lattice.frontiers import BestCosts
from anonduck.search.lattice.limits import SearchLimits
from anonduck.search.listed_rules import affordable
from anonduck.search.mining import CoverageResult
from anonduck.search.training import baseline_within, train_rules
from anonduck.taxonomy.catalog import Taxonomy

if TYPE_CHECKING:
    from anonduck.models.scores import Score

EXACT_SHARE = 0.6  # of the limits, for the search of all level vectors; more where only models are left to be trained
PAIRS_SHARE = 0.5  # of the work that is left after that, for the join of pairs at most
PAIRS_A_VECTOR = 10_000  # pairs of records that take as long as a level vector
BOUNDED_AFTER = 0.1  # of what is left after that, kept for the bounds of what no search looked at


@dataclass(frozen=True)
class _OfRfds:
    """What RFDs gave beside the exact search."""

    pairs: PairJoin | None = None
    mined: Sequence[CoverageResult] = ()
    widened: AddedRules | None = None
    rules: Sequence[Rule] = field(default_factory=tuple)


def discover_exact_first(
    database: Database,
    config: Config,
    taxonomies: Mapping[str, Taxonomy],
    quasi_identifiers: Sequence[str],
    *,
    requirement: Requirement,
    limits: SearchLimits | None = None,
    reporter: Reporter = Reporter(),
) -> Discovery:
    """From ``coded_frequency_set`` to the rules of the frontiers, measured, and how far they are proven.

    Args:
        database: holds ``coded_frequency_set`` (see anonduck.frequency.frequency_set) and the lookup tables.
        config: measures, models, budget, and what RFDs are mined by.
        taxonomies: one for each quasi-identifier.
        quasi_identifiers: the attributes of the rules, in the order of the source.
        requirement: what the rules must meet.
        limits: the clock of the whole discovery; by default the config's time limit, from now on.
        reporter: is told of bounds and progress.
    """
    from anonduck.models.cross_validation import check_models

    check_models(config.models)
    chosen = {name: taxonomies[name] for name in quasi_identifiers}
    roots = {name: taxonomy.root for name, taxonomy in chosen.items()}
    space = RuleSpace.keeping(roots, requirement.keep, read_floor(database))
    totals = measure_totals(database)
    judge = RuleJudge(database, space, requirement, totals)
    limits = limits or SearchLimits(config.time_limit)
    baseline = baseline_within(limits, database, roots, taxonomies, config.models, totals, reporter)
    limits = limit_work(limits, database, config, len(quasi_identifiers))
    searching = limits.but(MEASURED_AFTER)
    limits.begin("searching all rules")
    finder = FrontierFinder(database, config, chosen, judge, searching, reporter)
    finder.search.solve(searching.part(EXACT_SHARE), searching)
    beside = _OfRfds()
    if not finder.falling.complete or config.named_coverage is not None:
        limits.begin("mining RFDs and refining rules")
        beside = _of_rfds(finder, roots, searching.but(BOUNDED_AFTER))
        beside = replace(beside, rules=_affordable(beside.rules, finder, limits))
        vectors = [space.vector(rule.levels) for rule in beside.rules]
        finder.search.see(vectors, searching)
        finder.search.train(searching)
    limits.begin("bounding what is left")
    found = finder.found(searching)
    limits.begin("measuring rules and training models")
    rules = _rules(found, beside.rules, judge, config)
    rules = with_utility(database, rules, chosen, config, reporter, judge, limits.over_time)

    def known(rule: Rule) -> Mapping[str, Score]:
        return found.scores.get(space.vector(rule.levels), {})

    def rows_of(rule: Rule) -> str:
        return kept_rows(rule, judge)

    rules = train_rules(database, rules, taxonomies, config, reporter, rows_of, known, limits.over_time)
    rules = with_bounds(rules, found, config)
    nearest = "" if rules else nearest_of(finder.nearest(), judge)
    discovery = Discovery(
        rules=mark_frontier(rules, config.models),
        coverages=tuple(item.summary() for item in beside.mined),
        pair_join=beside.pairs,
        totals=totals,
        baseline=baseline,
        models=tuple(config.models),
        min_k=requirement.k,
        test_on=config.test_on,
        rfds=tuple(line for item in beside.mined for line in item.rfd_lines(space)),
        explanation="" if rules else _explanation(found, beside, judge, nearest),
        requirement=requirement.as_json(),
        k_counts=tuple(config.k_counts),
        search=AUTO,
        combined=None if beside.widened is None else beside.widened.summary,
        nearest=nearest,
        exact=found.as_json(requirement.k),
        proven=found.proven,
        proven_from_k=_proven_from(found, requirement.k),
        budget=budget_used(limits, config),
        cut=None if found.proven else limits.work.cut,
    )
    judge.forget()
    return discovery


def _of_rfds(finder: FrontierFinder, roots: Mapping[str, int], limits: SearchLimits) -> _OfRfds:
    """Rules of RFDs, of their joins, and of moves from these and from what the exact search found."""
    database, config, judge, reporter = finder.database, finder.config, finder.judge, finder.reporter
    units = limits.units_left
    most_pairs = None if units is None else int(units * PAIRS_SHARE) * PAIRS_A_VECTOR
    pairs = joined(database, roots, config, reporter, limits, most_pairs)
    limits.work.spend(pairs.pairs // PAIRS_A_VECTOR)
    mined, pooled = mine(database, config, pairs, judge, judge.requirement.k, reporter, limits)
    widened = widen_rules(database, config, finder.taxonomies, judge, mined, pooled, judge.totals, reporter, limits)
    return _OfRfds(pairs, mined, widened, number_rules(mined, pooled, judge, widened))


def _affordable(rules: Sequence[Rule], finder: FrontierFinder, limits: SearchLimits) -> list[Rule]:
    """Those that what is kept of the limits can measure."""
    vectors = [finder.judge.space.vector(rule.levels) for rule in rules]
    kept = limits.part(MEASURED_AFTER)
    return affordable(dict(zip(vectors, rules, strict=True)), finder.config.models, kept, finder.reporter)


def _rules(found: FoundFrontiers, others: Sequence[Rule], judge: RuleJudge, config: Config) -> list[Rule]:
    """The rules of the frontiers, the best by ``select`` first, then by falling k; after them those of RFDs."""
    lead = found.frontiers[leading_goal(config)].points
    vectors = {point.vector: point.k for one in found.frontiers.values() for point in one.points}
    best = lead[-1].vector if lead else None
    first = sorted(vectors, key=lambda one: (one != best, -vectors[one], one))
    given: dict[LevelVector, Rule] = {judge.space.vector(rule.levels): rule for rule in others}
    ids = {vector: f"R{number}" for number, vector in enumerate(dict.fromkeys([*first, *given]), start=1)}
    renamed = {rule.id: ids[vector] for vector, rule in given.items()}
    rules = []
    for vector, identifier in ids.items():
        rule = given.get(vector) or _of_lattice(vector, judge)
        parents = tuple(renamed[parent] for parent in rule.parents if parent in renamed)
        rules.append(replace(rule, id=identifier, parents=parents))
    return rules


def _of_lattice(vector: LevelVector, judge: RuleJudge) -> Rule:
    return Rule(
        id="",
        levels=judge.space.named(vector),
        origins={LATTICE: LATTICE},
        parents=(),
        measures=judge.verdict(vector).measures,
    )


def with_bounds(rules: Sequence[Rule], found: FoundFrontiers, config: Config) -> list[Rule]:
    """The rules with what no rule of at least their k exceeds, by measure, and whether the best of them reach that."""
    reached = {name: BestCosts() for name in found.frontiers}
    for name, best in reached.items():
        read = objective(name, config.models)
        for rule in rules:
            if (value := read(rule)) is not None:
                best.add(rule.measures.k, -better_first(name, float(value)))
    return [_bounded(rule, reached, found) for rule in rules]


def _bounded(rule: Rule, reached: Mapping[str, BestCosts], found: FoundFrontiers) -> Rule:
    k, bounds, proven = rule.measures.k, {}, True
    for name, best in reached.items():
        least = best.at(k)
        left = found.bound(name, k)
        if left is not None and -better_first(name, round(left, DIGITS)) < least:
            least, proven = -better_first(name, left), False
        if isfinite(least):
            bounds[name] = at_most_whole(name, round(better_first(name, -least), DIGITS))
    return replace(rule, bounds=bounds, proven=proven)


def _proven_from(found: FoundFrontiers, k: int) -> int | None:
    """The k from which up the frontiers are proven, at least the required one; None where they are for no k."""
    start = max(k, found.proven_from)
    largest = max((point.k for one in found.frontiers.values() for point in one.points), default=0)
    return start if found.proven or start <= largest else None


def _explanation(found: FoundFrontiers, beside: _OfRfds, judge: RuleJudge, nearest: str) -> str:
    requirement = judge.requirement
    blocked = kept_in_vain(judge)
    if blocked:
        return blocked
    if found.complete:
        return (
            f"no rule: none of the {found.nodes:,} level vectors below the roots meets {requirement.text}; the "
            f"nearest, {nearest}. Try a weaker requirement, more suppression, or coarser taxonomies"
        )
    if beside.mined:
        return explain_no_rule(beside.mined, requirement.k, judge, beside.widened)
    return (
        f"no rule: none of the {found.evaluated:,} level vectors that were evaluated meets {requirement.text}. Try a "
        "larger `budget=N`, a weaker requirement, more suppression, or coarser taxonomies"
    )
