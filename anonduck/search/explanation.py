"""Why a discovery found no rule: what was missing, what came nearest, and what to try next."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from anonduck.measures.judge import RuleJudge
from anonduck.rules.levels import one_level_finer
from anonduck.rules.rule import LevelVector, RuleSpace, literal
from anonduck.search.mining import CoverageResult


@dataclass(frozen=True)
class SearchedVectors:
    """What a search looked at, for the case that it finds no rule.

    ``mined`` are coverages whose RFDs were searched. Of ``nodes`` level vectors of the lattice, ``evaluated`` were
    looked at, and ``complete`` says whether the others cannot be rules; none of the three counts where the lattice was
    not searched. ``nearest`` are vectors one of which misses least. ``in_time`` says whether all pairs that were to be
    joined were joined before the time was up.
    """

    mined: Sequence[CoverageResult] = ()
    nodes: int = 0
    evaluated: int | None = None
    complete: bool = False
    nearest: Collection[LevelVector] = ()
    in_time: bool = True


def explain_no_rule(searched: SearchedVectors, judge: RuleJudge) -> str:
    """Why there is no rule, and what to try next."""
    blocked = _blocked_by_keep(judge)
    if blocked:
        return blocked
    if searched.evaluated is not None and (searched.complete or not searched.mined):
        return _none_in_lattice(searched, judge)
    return _no_rfd(searched, judge)


def _none_in_lattice(searched: SearchedVectors, judge: RuleJudge) -> str:
    looked_at = f"{searched.nodes:,} level vectors below the roots"
    more = ""
    if not searched.complete:
        looked_at = f"{searched.evaluated:,} level vectors that were evaluated"
        more = "a larger `--budget N` or `--time-limit SECONDS`, "
    miss = nearest_miss(searched.nearest, judge)
    nearest = f"; the nearest, {miss}" if miss and searched.complete else ""
    return (
        f"no rule: none of the {looked_at} meets {judge.requirement.text}{nearest}. Try {more}a weaker requirement, "
        "more suppression, or coarser taxonomies"
    )


def _blocked_by_keep(judge: RuleJudge) -> str:
    """Which rule would meet everything but ``keep``; empty where there is none one level under the roots."""
    for vector in one_level_finer(judge.space.roots, judge.space.finest) if judge.space.caps else ():
        verdict = judge.verdict(vector)
        if verdict.unmet and verdict.unmet == judge.space.dropped(vector):
            coarsest = judge.space.coarsest
            misses = ", ".join(judge.verdict(coarsest).unmet)
            reached = f", {literal(judge.space.named(coarsest))}, reaches {misses}" if misses else " does"
            return (
                f"no rule meets {judge.requirement.text}: the coarsest that keeps these columns{reached}. "
                f"{literal(judge.space.named(vector))} meets all but `keep`. Take a column out of `keep` or give it a "
                "higher level, lower the requirement, or allow more suppression"
            )
    return ""


def _no_rfd(searched: SearchedVectors, judge: RuleJudge) -> str:  # noqa: PLR0911 - one return for each reason
    """Why RFDs give no rule."""
    mined = searched.mined
    if not searched.in_time and not any(item.rfds.vectors for item in mined):
        return (
            "no rule: the time was up while pairs of records were joined, before RFDs could be found. Give it more, "
            "`--time-limit SECONDS`, join fewer pairs, `--sample N`, or try `--search auto`, which needs none"
        )
    if mined and not any(item.covered.reached or item.covered.class_differing for item in mined):
        return (
            "no rule: hardly two pairs of records have the same distance pattern, so that no RFDs hold on the most "
            "frequent ones. Try `--search auto`, which needs no pairs, or fewer quasi-identifiers"
        )
    if any(item.rfds.stopped for item in mined) and not any(item.rfds.vectors for item in mined):
        return (
            "no rule: the search was ended before the RFDs were found. Try `--search auto`, which needs none, a "
            "smaller `--coverage C`, a larger `--budget N`, or a larger `--time-limit SECONDS`"
        )
    if not any(item.covered.class_differing for item in mined):
        return (
            "no rule: no pair with one of the most frequent distance patterns differs in class. "
            "Try a larger `--coverage C`, or `coverage_over: class_differing` for a rare class"
        )
    if not any(item.rfds.vectors for item in mined):
        return (
            "no rule: records that are equal in all quasi-identifiers differ in class, and that pattern is among the "
            "most frequent, so no generalization separates it. Try a smaller `--coverage C`, or more informative "
            "quasi-identifiers"
        )
    if not judge.requirement.plain:
        nearest = nearest_miss(missed_by_rfds(mined, judge.space), judge)
        return (
            f"no rule meets {judge.requirement.text}: the nearest RFD, {nearest}. "
            "Try a smaller `--coverage C` (coarser rules), a weaker requirement, more suppression, or coarser "
            "taxonomies"
        )
    best = max(m.k for item in mined for m in item.measures.values())
    return (
        f"no rule: the RFDs reach k = {best} at most, below the required {judge.requirement.k}. "
        "Try a smaller `--coverage C` (coarser rules), a smaller `--min-k K`, or coarser taxonomies"
    )


def missed_by_rfds(mined: Sequence[CoverageResult], space: RuleSpace) -> set[LevelVector]:
    """The vectors of RFDs and of their joins."""
    return {space.completed(vector) for item in mined for vector in (*item.rfds.vectors, *item.joined.parents)}


def nearest_miss(vectors: Collection[LevelVector], judge: RuleJudge) -> str:
    """The vector that misses least of what is required, and what it reaches; empty if there is none."""
    if not vectors:
        return ""

    def near(vector: LevelVector) -> tuple[Any, ...]:
        verdict = judge.verdict(vector)
        measures = verdict.measures
        return (*verdict.nearness, -measures.suppressed, measures.k, tuple(-level for level in vector))

    best = max(vectors, key=near)
    return f"{literal(judge.space.named(best))}, reaches {', '.join(judge.verdict(best).unmet)}"
