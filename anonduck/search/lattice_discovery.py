"""A discovery by the search of the lattice: the same measures, models, frontier and store as for rules of RFDs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anonduck.config.config import Config
from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.frequency.floors import read_floor
from anonduck.measures.judge import RuleJudge
from anonduck.measures.measures import measure_totals
from anonduck.measures.requirement import Requirement
from anonduck.rules.rule import LATTICE, Rule, RuleSpace
from anonduck.search.budgets import limit_work
from anonduck.search.discovery import MEASURED_AFTER, Discovery, budget_used, kept_rows, mark_frontier, with_utility
from anonduck.search.explanation import kept_in_vain
from anonduck.search.lattice.limits import SearchLimits
from anonduck.search.lattice_search import LatticeSearch, search_lattice
from anonduck.search.training import baseline_within, train_rules
from anonduck.taxonomy.catalog import Taxonomy


def discover_in_lattice(
    database: Database,
    config: Config,
    taxonomies: Mapping[str, Taxonomy],
    quasi_identifiers: Sequence[str],
    *,
    requirement: Requirement,
    limits: SearchLimits | None = None,
    reporter: Reporter = Reporter(),
) -> Discovery:
    """From ``coded_frequency_set`` to the optimal rule and the rules of the frontier, measured.

    Args:
        database: holds ``coded_frequency_set`` (see anonduck.frequency.frequency_set) and the lookup tables.
        config: the measure to be best in (``select``), the time limit, models and measures.
        taxonomies: one for each quasi-identifier.
        quasi_identifiers: the attributes of the rules, in the order of the source.
        requirement: what the rules must meet.
        limits: when to stop; by default the config's time limit, from now on.
        reporter: is told of bounds and progress.
    """
    if config.models:
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
    reporter.progress("searching the lattice", 0, 0)
    searched = search_lattice(database, config, chosen, judge, clock=searching)
    reporter.progress("searching the lattice", 1, 1)
    _announce(searched, config, reporter)
    limits.begin("measuring rules and training models")
    rules = _numbered(searched, judge)
    rules = with_utility(database, rules, chosen, config, reporter, judge, limits.over_time)
    rows_of = lambda rule: kept_rows(rule, judge)  # noqa: E731
    rules = train_rules(database, rules, taxonomies, config, reporter, rows_of, over=limits.over_time)
    explanation = "" if rules else kept_in_vain(judge) or _explanation(searched, requirement)
    judge.forget()
    return Discovery(
        rules=mark_frontier(rules, config.models),
        coverages=(),
        pair_join=None,
        totals=totals,
        baseline=baseline,
        models=tuple(config.models),
        min_k=requirement.k,
        test_on=config.test_on,
        explanation=explanation,
        requirement=requirement.as_json(),
        k_counts=tuple(config.k_counts),
        search=LATTICE,
        lattice=_summary(searched, rules, config),
        proven=searched.optimum.proven and searched.frontier == "exact",
        proven_from_k=requirement.k if searched.optimum.proven and searched.frontier == "exact" else None,
        budget=budget_used(limits, config),
        cut=None if searched.optimum.proven and searched.frontier in ("exact", "none") else limits.work.cut,
    )


def _numbered(searched: LatticeSearch, judge: RuleJudge) -> list[Rule]:
    return [
        Rule(
            id=f"R{number}",
            levels=judge.space.named(vector),
            origins={LATTICE: LATTICE},
            parents=(),
            measures=judge.verdict(vector).measures,
        )
        for number, vector in enumerate(searched.vectors, start=1)
    ]


def _summary(searched: LatticeSearch, rules: Sequence[Rule], config: Config) -> dict[str, Any]:
    optimum = rules[0].id if rules else None
    return {"optimum": optimum, **searched.as_json(), "time_limit": config.time_limit}


def _announce(searched: LatticeSearch, config: Config, reporter: Reporter) -> None:
    if searched.goal != config.select and config.models:
        reporter.announce(
            f"the lattice cannot be searched by {config.select}: it is searched by {searched.goal.replace('_', ' ')}, "
            f"and {config.select} is measured for the rules found"
        )
    if not searched.optimum.proven:
        reporter.announce(
            f"the lattice search stopped after {config.time_limit:g} s: {searched.assessed:,} of {searched.nodes:,} "
            "level vectors were evaluated, and the best found is not proven to be the optimum. `time_limit=SECONDS` "
            "gives it more time"
        )
    elif searched.frontier == "best found":
        reporter.announce(
            "the optimum is proven; the other rules are the best found on the way and are not proven to be the whole "
            "frontier"
        )


def _explanation(searched: LatticeSearch, requirement: Requirement) -> str:
    if searched.optimum.proven:
        return (
            f"no rule: none of the {searched.nodes:,} level vectors below the roots meets {requirement.text}. Try a "
            "weaker requirement, more suppression, or coarser taxonomies"
        )
    return (
        f"no rule: none of the {searched.assessed:,} level vectors that were evaluated meets {requirement.text}. Try a "
        "longer `time_limit=SECONDS`, a weaker requirement, more suppression, or coarser taxonomies"
    )
