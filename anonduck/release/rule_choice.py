"""The choice of what a release is made by, and of the next one where a release misses what no search judges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from anonduck.database.progress import Reporter
from anonduck.errors import NoRuleMeetsRequirement, ReleaseJudgedUnder, RequirementNotMet
from anonduck.measures.requirement import requirement_of
from anonduck.offer.candidates import Candidate
from anonduck.release.release import Release
from anonduck.rules.rule import Rule, literal
from anonduck.rules.selection import Choice, choose
from anonduck.search.store import StoredDiscovery
from anonduck.statements import line
from anonduck.words import counted
from anonduck.workspace import Workspace

TRIES = 10
"""So many choices are tried at most: each try recodes the source once."""
Offered = TypeVar("Offered", Rule, Candidate)


def release_choice(
    next_choice: Callable[[Sequence[tuple[Offered, ReleaseJudgedUnder]]], Choice[Offered] | None],
    release: Callable[[Choice[Offered]], Release],
    noun: str,
    reporter: Reporter,
) -> tuple[Choice[Offered], Release]:
    """Release by the first choice that a release does not refuse.

    Args:
        next_choice: chooses by what was refused so far; None where nothing is left.
        release: makes the release of a choice; it raises ReleaseJudgedUnder where another choice may be released.
        noun: what is chosen, in words.
        reporter: hears of each refusal.

    Raises RequirementNotMet where each release that was tried is refused, at most TRIES of them.
    """
    refused: list[tuple[Offered, ReleaseJudgedUnder]] = []
    while len(refused) < TRIES and (choice := next_choice(refused)) is not None:
        try:
            return choice, release(choice)
        except ReleaseJudgedUnder as error:
            refused.append((choice.chosen, error))
            reporter.announce(f"{listed(refused[-1:])}; choosing the next {noun}")
    tried = f"no more than {counted(TRIES, f'{noun} is', f'{noun}s are')} tried"
    why = tried if len(refused) == TRIES else f"no other {noun} that was found meets it"
    raise RequirementNotMet(f"{listed(refused)}; {why}. The best of them: {refused[0][1]}")


def listed(refused: Sequence[tuple[Offered, ReleaseJudgedUnder]]) -> str:
    """What was refused, and what it reached."""
    return "; ".join(f"{one.id} was refused: {error.reached}" for one, error in refused)


def release_rules(
    workspace: Workspace, stored: StoredDiscovery, release: Callable[[Choice[Rule]], Release]
) -> tuple[Choice[Rule], Release]:
    """Release by the chosen rule, or by the next one where a release alone shows that it misses the requirement.

    Raises NoRuleMeetsRequirement where no rule can be chosen, and as ``release_choice`` does.
    """
    first = choose_rule(workspace, stored)

    def next_choice(refused: Sequence[tuple[Rule, ReleaseJudgedUnder]]) -> Choice[Rule] | None:
        if not refused:
            return first
        left: Sequence[Rule] = stored.rules
        for one, _ in refused:
            left = _may_meet(workspace, left, one)
        choice = _choice(workspace, stored, left)
        if choice is None:
            return None
        best = "best rule" if workspace.config.within_of_rules is None else "next choice"
        reason = f"{choice.reason}; {listed(refused)}; {choice.chosen.id} is the {best} that meets it"
        return replace(choice, reason=reason)

    return release_choice(next_choice, release, "rule", workspace.reporter)


def _may_meet(workspace: Workspace, rules: Sequence[Rule], refused: Rule) -> list[Rule]:
    """The rules that a refused one does not rule out.

    Persons who are alike by a rule are alike by each coarser one. So a rule that is as fine or finer in each column has
    no larger linked_k, unless records are left out, which differ from rule to rule.
    """
    if requirement_of(workspace.config, workspace.folder).suppression:
        return [rule for rule in rules if rule.id != refused.id]
    return [rule for rule in rules if not _as_fine(rule, refused)]


def _as_fine(rule: Rule, other: Rule) -> bool:
    """Whether a rule shows each column at the level of another or a lower one; columns not named are at their root."""
    return all(name in rule.levels and rule.levels[name] <= level for name, level in other.levels.items())


def choose_rule(workspace: Workspace, stored: StoredDiscovery) -> Choice[Rule]:
    """The rule that the config's ``select`` chooses of all that meet the requirement; larger k breaks ties.

    Raises NoRuleMeetsRequirement naming the nearest miss.
    """
    choice = _choice(workspace, stored, stored.rules)
    if choice is None:
        raise NoRuleMeetsRequirement(_nearest_miss(workspace, stored, workspace.config.requirement.k))
    return choice


def _choice(workspace: Workspace, stored: StoredDiscovery, rules: Sequence[Rule]) -> Choice[Rule] | None:
    config = workspace.config
    models, within = stored.summary["models"], config.within_of_rules
    return choose(rules, config.select, models, k=config.requirement.k, within=within)


def _nearest_miss(workspace: Workspace, stored: StoredDiscovery, k: int) -> str:
    offer = stored.summary["offer"]
    if offer:
        return f"{_without_offer(workspace, stored, k)}. As it is, {offer}"
    return _without_offer(workspace, stored, k)


def _without_offer(workspace: Workspace, stored: StoredDiscovery, k: int) -> str:
    requirement = requirement_of(workspace.config, workspace.folder)
    if requirement.keep and not stored.rules:
        return str(stored.summary["explanation"])
    if not requirement.plain and stored.summary["nearest"]:
        return (
            f"no rule meets {requirement.text}; the nearest, {stored.summary['nearest']}. Lower the requirement, allow "
            "more suppression, use a smaller `--coverage C` (coarser rules), or coarser taxonomies"
        )
    if stored.summary["exact"] and stored.summary["nearest"]:
        return (
            f"no rule meets k = {k}; the nearest, {stored.summary['nearest']}. Lower the requirement, allow "
            "more suppression, or use coarser taxonomies"
        )
    text = "SELECT literal, k FROM rfds ORDER BY k DESC, literal LIMIT 1"
    nearest = workspace.database.rows(line("release/rule_choice._without_offer", text))
    if not nearest and stored.rules:
        best = max(stored.rules, key=lambda rule: rule.measures.k)
        nearest = [(literal(best.levels), best.measures.k)]
    if not nearest:
        return f"no rule meets k = {k}: {stored.summary['explanation'] or 'nothing was discovered'}"
    rule, reached = nearest[0]
    return (
        f"no rule meets k = {k}; the nearest, {rule}, reaches k = {reached}. "
        f"Lower the requirement, use a smaller `--coverage C` (coarser rules), or coarser taxonomies"
    )
