"""The strategies of a discovery: rules of RFDs, or of all frontiers at once.

A strategy returns level vectors with where they come from. What they cost and how they compare is measured
alike for all of them (anonduck.search.discovery).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from anonduck.config.config import Config
from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.frequency.patterns import TIME_UP, PairJoin, join_pairs
from anonduck.measures.judge import VectorJudge
from anonduck.rules.rule import AUTO, LATTICE, RFD, LevelVector, Measures
from anonduck.search.budgets import affordable
from anonduck.search.explanation import SearchedVectors, missed_by_rfds
from anonduck.search.frontier_search import FoundFrontiers, FrontierFinder, leading_goal
from anonduck.search.lattice.limits import FIRST, SECOND, SearchLimits
from anonduck.search.mining import CoverageResult, mine_coverages
from anonduck.search.rfd.joining import MonotoneProperty
from anonduck.search.searched_records import SearchedRecords

if TYPE_CHECKING:
    from anonduck.models.scores import Score

PAIRS_A_VECTOR = 10_000  # pairs of records that take as long as a level vector

Origins = dict[LevelVector, dict[str, str]]
Parents = dict[LevelVector, tuple[LevelVector, ...]]


@dataclass(frozen=True)
class SearchSetting:
    """What every strategy is given: counted records, what is required of rules, and the limits of the discovery.

    ``picked_by`` are the measures that rules are picked by afterwards, where that is all they are for.
    """

    config: Config
    records: SearchedRecords
    judge: VectorJudge
    limits: SearchLimits
    reporter: Reporter
    picked_by: Collection[str] | None = None

    @property
    def searching(self) -> SearchLimits:
        """The limits of the search; what is left after it measures the rules that it found."""
        return self.limits.until(SECOND)


@dataclass(frozen=True)
class FoundRules:
    """What a strategy found; every vector meets what is required.

    ``origins`` has the vectors in the order of their numbers, with where each comes from (see ``Rule.origins``);
    ``parents`` the rules that it was joined from; ``scores`` what the search measured of models. ``frontiers`` say what
    is proven, None where nothing is. ``exhausted`` says that no limit changed the result. The other
    fields are what ``Discovery`` stores of a strategy.
    """

    origins: Origins
    searched: SearchedVectors
    parents: Parents = field(default_factory=dict)
    scores: Mapping[LevelVector, Mapping[str, Score]] = field(default_factory=dict)
    frontiers: FoundFrontiers | None = None
    pair_join: PairJoin | None = None
    proven: bool = False
    proven_from_k: int | None = None
    exhausted: bool = False


# -- RFDs --------------------------------------------------------------------------------------------------------------


def by_rfds(setting: SearchSetting) -> FoundRules:
    """Rules of RFDs and of their joins."""
    setting.limits.begin("mining RFDs")
    return _of_rfds(setting, setting.searching)


def _of_rfds(setting: SearchSetting, limits: SearchLimits, most_pairs: int | None = None) -> FoundRules:
    """What RFDs give within ``limits``, of ``most_pairs`` pairs of records at most."""
    config, judge, reporter = setting.config, setting.judge, setting.reporter
    with setting.records.for_pairs() as database:
        joined_pairs = join_pairs(
            database,
            dict(zip(judge.space.attributes, judge.space.roots, strict=True)),
            config,
            announce=reporter.announce,
            progress=lambda done, total: reporter.progress("joining pairs", done, total),
            over=limits.over_time,
            most_pairs=most_pairs,
        )
        if most_pairs is not None:
            limits.work.spend(joined_pairs.pairs // PAIRS_A_VECTOR)
        mined = _mine(setting, database, joined_pairs, limits)
    origins, parents = rfd_origins(mined, judge)
    return FoundRules(
        origins=origins,
        parents=parents,
        pair_join=joined_pairs,
        searched=SearchedVectors(
            mined=mined, in_time=joined_pairs.reason != TIME_UP, nearest=missed_by_rfds(mined, judge.space)
        ),
    )


def _mine(
    setting: SearchSetting, database: Database, joined_pairs: PairJoin, limits: SearchLimits
) -> list[CoverageResult]:
    """What the coverages give."""
    judge, config, reporter = setting.judge, setting.config, setting.reporter
    seen: set[LevelVector] = set()

    def counted(vector: LevelVector) -> Measures:
        if vector not in seen:
            seen.add(vector)
            limits.work.evaluate()
        return judge.whole(vector)

    def holds(vector: LevelVector) -> bool:
        found = counted(vector)
        return found.k >= k if judge.requirement.plain else judge.holds(vector)

    k = judge.requirement.k
    given = (database, config, judge.space, joined_pairs, judge.whole)
    return mine_coverages(*given, min_k=k, reaches=MonotoneProperty(holds), reporter=reporter, limits=limits)


def rfd_origins(mined: Sequence[CoverageResult], judge: VectorJudge) -> tuple[Origins, Parents]:
    """Where each rule comes from, by coverage, and the two vectors that it was first joined from.

    Rules come in the order of their numbers: by coverage, extracted before joined, largest k first among extracted. A
    vector that does not meet what is required is no rule, though rules may be joined from it.
    """
    origins: Origins = {}
    parents: Parents = {}
    for item in mined:
        key = f"{item.covered.coverage:g}"
        for vector in sorted(item.extracted, key=lambda v: (-judge.verdict(v).measures.k, v)):
            origins.setdefault(vector, {})[key] = "extracted"
        for vector, pair in item.joined.parents.items():
            origins.setdefault(vector, {})[key] = "joined"
            parents.setdefault(vector, pair)
    return {vector: by for vector, by in origins.items() if judge.verdict(vector).met}, parents


# -- all frontiers, exact first ----------------------------------------------------------------------------------------


def exact_first(setting: SearchSetting) -> FoundRules:
    """All level vectors by falling k, and where that is too much, what single moves from the best of them lead to.

    ``frontiers`` say from which k up each is proven. Where the config names coverages, the rules of their RFDs are
    offered beside them.
    """
    config, judge, limits = setting.config, setting.judge, setting.limits
    searching = setting.searching
    limits.begin("searching all rules")
    finder = FrontierFinder(setting.records, config, judge, searching, setting.reporter, setting.picked_by)
    with_rfds = config.named_coverage is not None and config.class_ is not None
    finder.search.solve(searching.until(FIRST) if with_rfds else searching)
    beside = FoundRules({}, SearchedVectors())
    if with_rfds:
        limits.begin("mining RFDs")
        mining = searching.until(SECOND)
        units = mining.units_left
        mined = _of_rfds(setting, mining, None if units is None else int(units * FIRST) * PAIRS_A_VECTOR)
        beside = _affordable(mined, setting)
        finder.search.see(beside.origins, searching)
        finder.search.train(searching)
    found = finder.found()
    first = _by_falling_k(found, leading_goal(config))
    searched = replace(
        beside.searched, nodes=found.nodes, evaluated=found.evaluated, complete=found.complete, nearest=finder.nearest()
    )
    return FoundRules(
        origins={vector: {LATTICE: LATTICE} for vector in first} | beside.origins,
        searched=searched,
        parents=beside.parents,
        pair_join=beside.pair_join,
        scores=found.scores,
        frontiers=found,
        proven=found.proven,
        proven_from_k=_proven_from(found, judge.requirement.k),
        exhausted=found.proven,
    )


def _affordable(beside: FoundRules, setting: SearchSetting) -> FoundRules:
    """The rules of RFDs that what is kept of the limits can measure; parents are named where they are among these."""
    measures = {vector: setting.judge.verdict(vector).measures for vector in beside.origins}
    budget = setting.limits.budget
    left = None if budget is None else int(budget * (1 - SECOND))
    kept = affordable(measures, setting.config.models, left, setting.reporter)
    return replace(
        beside,
        origins={vector: beside.origins[vector] for vector in kept},
        parents={vector: tuple(one for one in beside.parents.get(vector, ()) if one in kept) for vector in kept},
    )


def _by_falling_k(found: FoundFrontiers, leading: str) -> list[LevelVector]:
    """The vectors of the frontiers, the best by the leading goal first, then by falling k."""
    lead = found.frontiers[leading].points
    vectors = {point.vector: point.k for one in found.frontiers.values() for point in one.points}
    best = lead[-1].vector if lead else None
    return sorted(vectors, key=lambda one: (one != best, -vectors[one], one))


def _proven_from(found: FoundFrontiers, k: int) -> int | None:
    """The k from which up the frontiers are proven, at least the required one; None where they are for no k."""
    start = max(k, found.proven_from)
    largest = max((point.k for one in found.frontiers.values() for point in one.points), default=0)
    return start if found.proven or start <= largest else None


STRATEGIES: Mapping[str, Callable[[SearchSetting], FoundRules]] = {
    AUTO: exact_first,
    RFD: by_rfds,
}
"""By the name of a search, what finds its rules."""
