"""RFDs mined coverage by coverage: the most frequent distance patterns, their RFDs, and what rules of these join to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from anonduck.config.config import Config
from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.frequency.pattern_coverage import CoveredPatterns, class_differing_patterns, cover
from anonduck.frequency.patterns import PairJoin, forget_patterns
from anonduck.rules.rule import LevelVector, Measures, RuleSpace, literal
from anonduck.search.lattice.limits import SearchLimits
from anonduck.search.rfd.joining import JoinResult, MonotoneProperty, join_rules
from anonduck.search.rfd.rfds import RfdSet, discover_rfds


@dataclass(frozen=True)
class CoverageResult:
    """What one coverage gave: its patterns, its RFDs with their measures, and the rules at or above the minimal k.

    Where finer rules can regain a requirement, rules that miss it are among these too. Columns that must stay
    and are not in an RFD have the highest level that they may have in its rule.
    """

    covered: CoveredPatterns
    rfds: RfdSet
    measures: Mapping[LevelVector, Measures]
    extracted: tuple[LevelVector, ...]
    joined: JoinResult

    def rfd_lines(self, space: RuleSpace) -> list[dict[str, Any]]:
        """Each RFD with its k and how far it holds on all pairs."""
        lines = []
        for vector in self.rfds.vectors:
            levels, m = space.named(vector), self.measures[vector]
            line = {"coverage": self.covered.coverage, "levels": levels, "literal": literal(levels), "k": m.k}
            lines.append({**line, "violating_pairs": m.violating_pairs, "violating_share": m.violating_share})
        return lines

    def summary(self) -> dict[str, Any]:
        """The counts, as ``discover --json`` prints them."""
        return {
            "coverage": self.covered.coverage,
            "last_count": self.covered.threshold,
            "coverage_reached": self.covered.reached,
            "patterns_exact": self.covered.exact,
            "pairs": self.covered.pairs,
            "patterns": self.covered.patterns,
            "class_differing": self.covered.class_differing,
            "minimal_class_differing": self.rfds.minimal_patterns,
            "rfds": len(self.rfds.vectors),
            "rfds_complete": self.rfds.complete,
            "rfds_at_min_k_complete": self.rfds.admissible_complete,
            "rfds_at_min_k": len(self.extracted),
            "joined_per_round": list(self.joined.per_round),
            "joins_complete": self.joined.complete,
            "candidates_left": self.joined.left,
            "rules": len(self.extracted) + len(self.joined.parents),
            "incomplete": not (self.covered.reached and self.rfds.complete and self.joined.complete),
        }


def mine_coverages(
    database: Database,
    config: Config,
    space: RuleSpace,
    joined_pairs: PairJoin,
    measure: Callable[[LevelVector], Measures],
    *,
    min_k: int,
    reaches: MonotoneProperty,
    reporter: Reporter,
    limits: SearchLimits,
) -> list[CoverageResult]:
    """For each coverage: its most frequent patterns, their RFDs, the rules that have what is required, and their joins.

    ``reaches`` is what the rules must have, ``min_k`` and more, and no finer rule regains. ``limits`` are those of all
    coverages together. The patterns are forgotten then.
    """
    mined: list[CoverageResult] = []
    for coverage in config.coverage:
        covered = cover(database, joined_pairs, coverage, config.coverage_over)
        same = next((one for one in mined if one.covered.threshold == covered.threshold), None)
        found = same or _mine(database, config, space, covered, measure, reaches, reporter, limits)
        mined.append(replace(found, covered=covered))
        _announce_cover(mined[-1].covered, joined_pairs, config, reporter)
        _announce_rfds(mined[-1], config, min_k, limits, reporter)
        _announce_bound(mined[-1].joined, f"coverage {coverage:g}", config, limits, reporter)
    forget_patterns(database)
    return mined


def _mine(
    database: Database,
    config: Config,
    space: RuleSpace,
    covered: CoveredPatterns,
    measure: Callable[[LevelVector], Measures],
    reaches: MonotoneProperty,
    reporter: Reporter,
    limits: SearchLimits,
) -> CoverageResult:
    """What the patterns of a coverage give; coverages that end at the same pattern, by ties, give the same."""
    roots = dict(zip(space.attributes, space.roots, strict=True))
    patterns = class_differing_patterns(database, roots, covered.threshold)
    over, compare = limits.over, limits.work.compare
    rfds = discover_rfds(patterns, space.roots, config.max_rfds, reaches, over=over, spend=compare)
    measures: dict[LevelVector, Measures] = {}
    for number, vector in enumerate(rfds.vectors, start=1):
        if over():
            rfds = replace(rfds, vectors=tuple(measures), complete=False, admissible_complete=False, stopped=True)
            break
        measures[vector] = measure(vector)
        reporter.progress(f"measuring RFDs at {covered.coverage:g}", number, len(rfds.vectors))
    whole = dict.fromkeys(space.completed(vector) for vector in rfds.vectors)
    extracted = tuple(vector for vector in whole if reaches.holds(vector))
    joined = join_rules(extracted, space.roots, reaches, config.max_rules, over=over)
    return CoverageResult(covered, rfds, measures, extracted, joined)


def _announce_cover(covered: CoveredPatterns, join: PairJoin, config: Config, reporter: Reporter) -> None:
    total = join.class_differing_pairs if config.coverage_over == "class_differing" else join.pairs
    if not covered.reached and total:
        reporter.announce(
            f"coverage {covered.coverage:g}: the {covered.patterns:,} distance patterns that are frequent enough to be "
            f"counted cover a share of {covered.pairs / total:.3f}; this coverage is incomplete"
        )


def _announce_rfds(mined: CoverageResult, config: Config, min_k: int, limits: SearchLimits, reporter: Reporter) -> None:
    rfds = mined.rfds
    if rfds.stopped:
        reporter.announce(
            f"coverage {mined.covered.coverage:g}: {limits.reason} after {len(rfds.vectors):,} RFDs of "
            f"{mined.covered.class_differing:,} class-differing patterns; this coverage is incomplete. "
            f"{limits.option} changes the bound"
        )
    elif not rfds.complete:
        reached = "all that reach" if rfds.admissible_complete else f"{config.max_rfds:,} that reach"
        reporter.announce(
            f"coverage {mined.covered.coverage:g}: more than {config.max_rfds:,} RFDs ({rfds.minimal_patterns:,} "
            f"minimal class-differing patterns); {reached} k = {min_k} were searched separately. This coverage "
            "is incomplete; change the bound with `--max-rfds N`"
        )


def _announce_bound(joined: JoinResult, whose: str, config: Config, limits: SearchLimits, reporter: Reporter) -> None:
    if joined.stopped:
        reporter.announce(
            f"{whose}: {limits.reason} with at least {joined.left:,} candidates left in a round of joins; it is "
            f"incomplete. {limits.option} changes the bound; a larger `--min-k K` gives fewer rules"
        )
    elif not joined.complete:
        reporter.announce(
            f"{whose}: joining reached {config.max_rules:,} rules with {joined.left:,} candidates left in its round; "
            "it is incomplete. `--max-rules N` changes the bound; a larger `--min-k K` gives fewer rules"
        )
