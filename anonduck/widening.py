"""Rules beside those of RFDs that move the frontier: of tolerant RFDs, and of moving rules by one level."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from typing import Any

from anonduck.config import Config
from anonduck.probing import Prober
from anonduck.refining import DEPTH, Point, first_frontiers, refine
from anonduck.reporting import Reporter
from anonduck.rules import REFINED, TOLERANT, Levels
from anonduck.tolerant import Counted, Tolerant, tolerant_rfds


@dataclass(frozen=True)
class Widened:
    """The rules that were added: those of tolerant RFDs with their tolerance, those of moves with the rule that they
    were reached from (None for the rule that names nothing); how they were found, and whether any level vector that was
    tried met what is required."""

    tolerances: Mapping[Levels, float] = field(default_factory=dict)
    parents: Mapping[Levels, Levels | None] = field(default_factory=dict)
    summary: Mapping[str, Any] = field(default_factory=dict)
    met: bool = False


def widen(
    rules: Sequence[Levels],
    prober: Prober,
    config: Config,
    *,
    differing_pairs: int,
    selected: Callable[[Levels], float] | None = None,
    reporter: Reporter = Reporter(),
) -> Widened:
    """Rules that stand on one of the first frontiers of k and what the equivalence classes tell of the class.

    A rule counts by its information gain, by the shares of records that the majorities of its classes tell right
    (anonduck.probing.Told), and by ``selected``; one that tells nothing of the class is not added. Where there are no
    rules to begin with, those of tolerant RFDs take their place, whether the config asks for them or not.

    Args:
        rules: the rules of RFDs; all of them meet what is required.
        prober: looks at level vectors.
        config: what is combined, and the bound on vectors that are tried.
        differing_pairs: pairs of records that differ in class; without any there is nothing to tell.
        selected: a measure that rules are to be selected by, larger is better, where it is another.
        reporter: is told of bounds and progress.
    """
    if not differing_pairs:
        return Widened()
    search = _Search(prober, config, selected, reporter)
    summary: dict[str, Any] = {}
    tolerances: Mapping[Levels, float] = {}
    if "tolerant" in config.combine or not rules:
        found = search.tolerant(differing_pairs)
        known = set(rules)
        tolerances = {vector: share for vector, share in found.tolerances.items() if vector not in known}
        tolerances = search.best({*rules, *tolerances}, tolerances)
        summary[TOLERANT] = {
            "tried": found.evaluated,
            "thresholds": list(found.thresholds),
            "rfds": len(found.tolerances),
            "added": len(tolerances),
            "complete": found.complete,
        }
    parents: Mapping[Levels, Levels | None] = {}
    if REFINED in config.combine:
        refined = refine([*rules, *tolerances], prober.judge.space.roots, search.point, max_visited=config.max_tried)
        parents = {vector: above for vector, above in refined.parents.items() if search.tells(vector)}
        summary[REFINED] = {"tried": refined.visited, "added": len(parents), "complete": refined.complete}
    met = any(probe is not None and probe.met for probe in prober.known.values())
    widened = Widened(tolerances, parents, summary, met)
    _announce_bounds(widened, config, reporter)
    return widened


class _Search:
    """What both searches ask of a level vector, with progress."""

    def __init__(
        self, prober: Prober, config: Config, selected: Callable[[Levels], float] | None, reporter: Reporter
    ) -> None:
        self.prober = prober
        self.config = config
        self.selected = selected
        self.reporter = reporter

    def tolerant(self, differing_pairs: int) -> Tolerant:
        """The tolerant RFDs that meet what is required."""
        judge = self.prober.judge
        return tolerant_rfds(judge.space.roots, self._count, differing_pairs, judge.demand.k, self.config.max_tried)

    def best(self, among: set[Levels], chosen: Mapping[Levels, float]) -> dict[Levels, float]:
        """Those of ``chosen`` that tell something and stand on one of the first frontiers ``among`` all."""
        points = {vector: point for vector in among if (point := self.point(vector)) is not None}
        kept = set(first_frontiers(points, DEPTH))
        return {vector: share for vector, share in chosen.items() if vector in kept and self.tells(vector)}

    def point(self, vector: Levels) -> Point | None:
        """Where a rule stands; None for a vector that is none."""
        probe = self._probe(vector, "moving rules by one level")
        if probe is None or not probe.met:
            return None
        selected = () if self.selected is None else (self.selected(vector),)
        return Point(probe.k, (*astuple(probe.told), *selected))

    def tells(self, vector: Levels) -> bool:
        """Whether a rule tells anything of the class."""
        probe = self.prober(vector)
        return probe is not None and probe.told.information_gain > 0

    def _count(self, vector: Levels) -> Counted | None:
        probe = self._probe(vector, "counting tolerant RFDs")
        return None if probe is None else Counted(probe.k, probe.violating_pairs, probe.met)

    def _probe(self, vector: Levels, stage: str) -> Any:
        self.reporter.progress(stage, min(len(self.prober.known), self.config.max_tried), self.config.max_tried)
        return self.prober(vector)


def _announce_bounds(widened: Widened, config: Config, reporter: Reporter) -> None:
    for part, found in widened.summary.items():
        if not found["complete"]:
            reporter.announce(
                f"{part} rules: the search was ended after {found['tried']:,} level vectors; there may be better ones. "
                "`--max-tried N` moves the bound"
            )
