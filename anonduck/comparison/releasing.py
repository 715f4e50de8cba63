"""Releases a source as a contestant does, without writing: the method's own release, or that of the best rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from anonduck.comparison.question import Contestant
from anonduck.errors import RuleError
from anonduck.release.found_classes import release_by_method
from anonduck.release.job import checked_levels, release_by
from anonduck.release.recoding import Ground, Recipe, Recoding
from anonduck.release.release import Release
from anonduck.release.rule_recoding import found_recoding
from anonduck.rules.rule import METHOD, Rule
from anonduck.rules.selection import choose

if TYPE_CHECKING:
    from anonduck.search.store import StoredDiscovery
    from anonduck.workspace import Workspace

Reading = Callable[..., None]


def release_contestant(
    workspace: Workspace, contestant: Contestant, k: int, reading: Reading, found: StoredDiscovery | None
) -> Release:
    """The release of a contestant at ``k``, read by ``reading`` and not written; ``found`` has the rules.

    A rule is released with the labels of the k that the config requires, as it was found, and has at least ``k``.
    """
    if contestant.by is None:
        return release_by_method(
            workspace, contestant.name, None, k=k, settings=contestant.settings, dry_run=True, reading=reading
        )
    rule, reason = best_rule_at(found, contestant.by, k)
    method = {**METHOD, "words": reason}

    def make(ground: Ground) -> Recoding:
        return found_recoding(ground, checked_levels(rule.levels, ground.roles, ground.taxonomies), method)

    asked: dict[str, Any] = {"k": min(k, workspace.config.requirement.k)}
    return release_by(workspace, Recipe(make), None, dry_run=True, requirement=asked, reading=reading)


def best_rule_at(found: StoredDiscovery | None, by: str, k: int) -> tuple[Rule, str]:
    """The best rule by a measure among those of at least ``k``, and why; raises RuleError where there is none."""
    assert found is not None  # a comparison of rules begins with those that were found
    choice = choose(found.rules, by, found.summary["models"], k=k)
    if choice is None:
        raise RuleError(f"no rule that was found has k >= {k:,} and a {by}")
    return choice.rule, choice.reason
