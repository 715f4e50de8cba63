"""Rules beside those of RFDs that move the frontier: of tolerant RFDs, and of moving rules by one level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field
from typing import Any

from anonduck.config.config import Config
from anonduck.database.progress import Reporter
from anonduck.rules.rule import REFINED, TOLERANT, LevelVector
from anonduck.search.lattice.limits import SearchLimits
from anonduck.search.lattice.local_search import DEPTH, ObjectiveValues, down_and_up_under, first_frontiers, refine
from anonduck.search.quick_measures import QuickMeasurer, QuickMeasures
from anonduck.search.rfd.tolerant_rfds import VectorCounts, tolerant_rfds

COUNTING, MOVING = "counting tolerant RFDs", "moving rules by one level"


@dataclass(frozen=True)
class AddedRules:
    """The rules that were added: those of tolerant RFDs with their tolerance, those of moves with the rule that they
    were reached from (None for the rule that names nothing); and how they were found. ``tried`` counts level vectors
    that were looked at; ``met`` says whether any of them met what is required."""

    tolerances: Mapping[LevelVector, float] = field(default_factory=dict)
    parents: Mapping[LevelVector, LevelVector | None] = field(default_factory=dict)
    summary: Mapping[str, Any] = field(default_factory=dict)
    tried: int = 0
    met: bool = False


def widen(
    rules: Sequence[LevelVector],
    prober: QuickMeasurer,
    config: Config,
    *,
    differing_pairs: int,
    limits: SearchLimits | None = None,
    reporter: Reporter = Reporter(),
) -> AddedRules:
    """Rules that stand on one of the first frontiers of k and what the equivalence classes tell of the class.

    A rule counts by its information gain, by the majority shares of its classes (see ``ClassInformation``), and by the
    utility that rules are selected by; one that tells nothing of the class is not added. Where there are no rules to
    begin with, those of tolerant RFDs take their place, whether the config asks for them or not.

    Args:
        rules: the rules of RFDs; all of them meet what is required.
        prober: looks at level vectors.
        config: what is combined, and the bound on vectors that are tried.
        differing_pairs: pairs of records that differ in class; without any no rule can predict.
        limits: when to stop; by default the config's time limit, from now on.
        reporter: receives announcements of bounds and progress.
    """
    if not differing_pairs:
        return AddedRules()
    search = _Search(prober, config, reporter, limits or SearchLimits(config.time_limit))
    summary: dict[str, Any] = {}
    tolerances: Mapping[LevelVector, float] = {}
    parents: Mapping[LevelVector, LevelVector | None] = {}
    if TOLERANT in config.combine or not rules:
        tolerances, summary[TOLERANT] = search.tolerant(rules, differing_pairs)
    if REFINED in config.combine:
        parents, summary[REFINED] = search.refined([*rules, *tolerances])
    for stage in (COUNTING, MOVING):
        reporter.progress(stage, 1, 1)  # however much of their bound they took
    _announce_bounds(summary, search.clock, reporter)
    seen = prober.known.values()
    return AddedRules(tolerances, parents, summary, len(seen), any(one is not None and one.met for one in seen))


class _Search:
    """Both searches on the same looks at level vectors, within one time limit."""

    def __init__(self, prober: QuickMeasurer, config: Config, reporter: Reporter, limits: SearchLimits) -> None:
        self.prober = prober
        self.config = config
        self.reporter = reporter
        self.clock = limits

    def tolerant(
        self, rules: Sequence[LevelVector], differing_pairs: int
    ) -> tuple[dict[LevelVector, float], Mapping[str, Any]]:
        """The tolerances of tolerant RFDs that stand on a first frontier and are no rules yet, and what was done."""
        judge, most = self.prober.judge, self.config.max_tried
        found = tolerant_rfds(
            judge.space.coarsest,
            self._count,
            differing_pairs,
            judge.requirement.k,
            most,
            over=self.clock.over,
            with_coarsest=bool(judge.space.caps),
        )
        points = {vector: point for vector in (*rules, *found.tolerances) if (point := self._point(vector)) is not None}
        kept = set(first_frontiers(points, DEPTH)).difference(rules)
        added = {v: share for v, share in found.tolerances.items() if v in kept and points[v].listed}
        return added, {
            "tried": found.evaluated,
            "thresholds": list(found.thresholds),
            "rfds": len(found.tolerances),
            "added": len(added),
            "complete": found.complete,
        }

    def refined(
        self, start: Sequence[LevelVector]
    ) -> tuple[Mapping[LevelVector, LevelVector | None], Mapping[str, Any]]:
        """The vectors that moves lead to, each with the one that it was reached from, and what was done."""
        found = refine(
            start,
            self.prober.judge.space.roots,
            self._point,
            max_visited=self.config.max_tried,
            over=self.clock.over,
            moves=down_and_up_under(self.prober.judge.space.coarsest, self.prober.judge.space.finest),
        )
        return found.parents, {"tried": found.visited, "added": len(found.parents), "complete": found.complete}

    def _point(self, vector: LevelVector) -> ObjectiveValues | None:
        """Where a rule stands; None for a vector that is none."""
        probe = self._probe(vector, MOVING)
        if probe is None or not probe.met:
            return None
        selected = () if probe.selected is None else (probe.selected,)
        return ObjectiveValues(
            probe.k, (*astuple(probe.information), *selected), listed=probe.information.information_gain > 0
        )

    def _count(self, vector: LevelVector) -> VectorCounts | None:
        probe = self._probe(vector, COUNTING)
        return None if probe is None else VectorCounts(probe.k, probe.violating_pairs, probe.met)

    def _probe(self, vector: LevelVector, stage: str) -> QuickMeasures | None:
        most = self.config.max_tried
        if vector not in self.prober.known:
            self.clock.work.evaluate()
        self.reporter.progress(stage, min(len(self.prober.known), most), most)
        return self.prober(vector)


def _announce_bounds(summary: Mapping[str, Mapping[str, Any]], limits: SearchLimits, reporter: Reporter) -> None:
    changes = f"{limits.option} changes" if limits.over() else "`--max-tried N` changes"
    for part, found in summary.items():
        if not found["complete"]:
            reporter.announce(
                f"{part} rules: the search stopped after {found['tried']:,} level vectors; there may be better ones. "
                f"{changes} its bound"
            )
