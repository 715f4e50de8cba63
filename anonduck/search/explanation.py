"""Why a discovery found no rule: what was missing, what came nearest, and what to try next."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from anonduck.measures.judge import RuleJudge, RuleResult
from anonduck.rules.levels import one_level_finer
from anonduck.rules.rule import LevelVector, literal
from anonduck.search.added_rules import AddedRules
from anonduck.search.mining import CoverageResult


def explain_no_rule(mined: Sequence[CoverageResult], min_k: int, judge: RuleJudge, widened: AddedRules | None) -> str:
    """Why there is no rule, and what to try next."""
    blocked = kept_in_vain(judge)
    if blocked:
        return blocked
    if widened is None or not widened.summary:
        return _no_rfd(mined, min_k, judge)
    tried = f"none of the {widened.tried:,} level vectors tried"
    if widened.met:
        beyond = f"beyond RFDs, {tried} meets {judge.requirement.text} and tells anything about the class"
        return f"{_no_rfd(mined, min_k, judge)}; {beyond}"
    return (
        f"no rule meets {judge.requirement.text}: {tried} does; the nearest, {nearest_miss(mined, judge, widened)}. "
        "Try a weaker requirement, more suppression, or coarser taxonomies"
    )


def kept_in_vain(judge: RuleJudge) -> str:
    """What a rule would meet that did not keep the columns that must stay; empty where that does not help."""
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


def _no_rfd(mined: Sequence[CoverageResult], min_k: int, judge: RuleJudge) -> str:
    """Why RFDs give no rule."""
    if mined and not any(item.covered.reached or item.covered.class_differing for item in mined):
        return (
            "no rule: hardly two pairs of records have the same distance pattern, so that no RFDs hold on the most "
            "frequent ones. Try `search='lattice'`, which needs no pairs, or fewer quasi-identifiers"
        )
    if any(item.rfds.stopped for item in mined) and not any(item.rfds.vectors for item in mined):
        return (
            "no rule: the search was ended before the RFDs were found. Try `search='lattice'`, which needs none, a "
            "smaller `coverage=C`, a larger `budget=N`, or a larger `time_limit=SECONDS`"
        )
    if not any(item.covered.class_differing for item in mined):
        return (
            "no rule: no pair with one of the most frequent distance patterns differs in class. "
            "Try a larger `coverage=C`, or `coverage_over: class_differing` for a rare class"
        )
    if not any(item.rfds.vectors for item in mined):
        return (
            "no rule: records that are equal in all quasi-identifiers differ in class, and that pattern is among the "
            "most frequent, so no generalization separates it. Try a smaller `coverage=C`, or more informative "
            "quasi-identifiers"
        )
    if not judge.requirement.plain:
        return (
            f"no rule meets {judge.requirement.text}: the nearest RFD, {nearest_miss(mined, judge, None)}. "
            "Try a smaller `coverage=C` (coarser rules), a weaker requirement, more suppression, or coarser taxonomies"
        )
    best = max(m.k for item in mined for m in item.measures.values())
    return (
        f"no rule: the RFDs reach k = {best} at most, below the required {min_k}. "
        "Try a smaller `coverage=C` (coarser rules), a smaller `min_k=K`, or coarser taxonomies"
    )


def nearest_miss(mined: Sequence[CoverageResult], judge: RuleJudge, widened: AddedRules | None) -> str:
    """The RFD or joined vector that misses least, and what it reaches; empty if there is none.

    A combined search has tried each attribute alone at its coarsest level too.
    """
    space = judge.space
    vectors = {space.completed(vector) for item in mined for vector in (*item.rfds.vectors, *item.joined.parents)}
    if widened is not None and widened.summary:
        vectors |= {space.coarsest} if space.caps else set(one_level_finer(space.roots, space.finest))
    return nearest_of(vectors, judge)


def nearest_of(vectors: Collection[LevelVector], judge: RuleJudge) -> str:
    """The vector that misses least, and what it reaches; empty if there is none."""
    if not vectors:
        return ""

    def near(vector: LevelVector) -> tuple[Any, ...]:
        verdict: RuleResult = judge.verdict(vector)
        measures = verdict.measures
        return (*verdict.nearness, -measures.suppressed, measures.k, tuple(-level for level in vector))

    best = max(vectors, key=near)
    return f"{literal(judge.space.named(best))}, reaches {', '.join(judge.verdict(best).unmet)}"
