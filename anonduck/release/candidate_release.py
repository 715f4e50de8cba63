"""Releases by a candidate of the offer: a rule, or what a method finds at the k of the candidate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from anonduck.config.ways import TYPICAL
from anonduck.errors import NoRuleMeetsRequirement, ReleaseJudgedUnder
from anonduck.methods.recodings import Recoding
from anonduck.offer.candidates import IDENTIFIER, Candidate
from anonduck.offer.choice import choose, misses, scored_by
from anonduck.offer.found_again import candidate_again
from anonduck.release.by_recoding import method_origin, release_recoding, release_rule
from anonduck.release.last_recoding import last_candidate
from anonduck.release.lock import Locked, lock_recoding, lock_release
from anonduck.release.plan import AS_CONFIGURED, ReleaseSettings
from anonduck.release.policy_floors import refuse_text
from anonduck.release.release import Release
from anonduck.release.rule_choice import listed, release_choice
from anonduck.release.script import FoundRecoding
from anonduck.release.script_text import TextOptions
from anonduck.release.sql_texts import release_texts
from anonduck.release.target import ReleaseTarget
from anonduck.rules.selection import Choice
from anonduck.search.stored_rules import discovered
from anonduck.taxonomy.kept import KeptTaxonomies
from anonduck.workspace import Workspace


def kept_candidate(workspace: Workspace, identifier: str) -> Candidate:
    """The candidate ``M3`` of the last offer; raises RuleError as ``candidate_again`` does."""
    return candidate_again(workspace, discovered(workspace), identifier)


def release_candidate(
    workspace: Workspace,
    candidate: Candidate,
    target: ReleaseTarget | None,
    settings: ReleaseSettings,
    recoding: Recoding | None = None,
) -> Release:
    """Release by a candidate: a rule, or what its method finds at its k; or by a recoding that it found before."""
    settings = replace(settings, offered=candidate.measured)
    if candidate.levels is not None:
        return release_rule(workspace, candidate.id, target, settings)
    origin = method_origin(workspace, candidate.method, candidate.settings)
    return release_recoding(workspace, recoding, origin, target, _required(workspace, candidate, settings))


def _found(workspace: Workspace, candidate: Candidate, settings: ReleaseSettings) -> Release:
    """A release by what the method of a candidate finds, with that."""
    return release_candidate(workspace, candidate, None, replace(settings, dry_run=True, as_data=True))


def _required(workspace: Workspace, candidate: Candidate, settings: ReleaseSettings) -> ReleaseSettings:
    """The settings with what a candidate shows, and the k that it is found for, which its labels are made for too.

    What was kept with its taxonomies is released while it meets what the config requires, as a rule is.
    """
    asked, found_for = dict(settings.requirement or {}), None
    stricter = candidate.k_required > workspace.config.in_persons().requirement.k
    if settings.kept is None and stricter and "k" not in asked:
        asked["k"] = found_for = candidate.k_required
    by_column = workspace.config.shown_columns is not None and candidate.shows == TYPICAL
    show = settings.show or (None if by_column else candidate.shows)
    return replace(settings, requirement=asked, candidate=candidate.id, found_for=found_for, show=show)


def candidate_texts(
    workspace: Workspace,
    candidate: Candidate,
    options: TextOptions,
    name: str | None = None,
    settings: ReleaseSettings = AS_CONFIGURED,
) -> dict[str, str]:
    """The texts of the release by a candidate that is no rule; raises as ``release_texts`` does.

    They demand what the config requires, as a run by what is locked does, whatever k the candidate was found for.
    """
    refuse_text(workspace)
    found = _found(workspace, candidate, settings)
    settings = replace(settings, offered=candidate.measured, kept=found.kept)
    assert found.recoding is not None  # what is offered is classes or cuts of nodes, which can be kept
    origin = method_origin(workspace, candidate.method, candidate.settings)
    of = FoundRecoding(found.recoding, origin, f"{candidate.id} ({candidate.words})")
    return release_texts(workspace, of, options, name, _required(workspace, candidate, settings))


def lock_candidate(
    workspace: Workspace,
    candidate: Candidate,
    recoding: Recoding | None = None,
    kept: KeptTaxonomies | None = None,
) -> Locked:
    """Lock a candidate that is no rule, or what it found before, at the k that it was found for.

    Raises as ``lock_recoding`` does.
    """
    stricter = candidate.k_required > workspace.config.in_persons().requirement.k
    if recoding is None:
        found = _found(workspace, candidate, AS_CONFIGURED)
        recoding, kept = found.recoding, found.kept
    origin = method_origin(workspace, candidate.method, candidate.settings)
    by_column = workspace.config.shown_columns is not None and candidate.shows == TYPICAL
    show, k = None if by_column else candidate.shows, candidate.k_required if stricter else None
    return lock_recoding(workspace, recoding, origin, show, candidate.measured, k, kept)


def release_candidates(
    workspace: Workspace, candidates: Sequence[Candidate], release: Callable[[Choice[Candidate]], Release]
) -> tuple[Choice[Candidate], Release]:
    """Release by the candidate that ``select`` chooses, or by the next one where a release alone shows that it misses
    the requirement.

    Raises NoRuleMeetsRequirement where none can be chosen, and as ``release_choice`` does.
    """
    if choose(candidates, workspace.config) is None:
        raise NoRuleMeetsRequirement(_why_none(workspace, candidates))

    def next_choice(refused: Sequence[tuple[Candidate, ReleaseJudgedUnder]]) -> Choice[Candidate] | None:
        gone = {one.id for one, _ in refused}
        choice = choose([one for one in candidates if one.id not in gone], workspace.config)
        if choice is None or not refused:
            return choice
        return replace(choice, reason=f"{choice.reason}; {listed(refused)}")

    return release_choice(next_choice, release, "candidate", workspace.reporter)


def _why_none(workspace: Workspace, candidates: Sequence[Candidate]) -> str:
    """Why no candidate can be chosen, and what to do."""
    able = [one for one in candidates if one.failed is None and one.may_be_taken]
    if not able:
        why = next((one.failed for one in candidates if one.failed is not None), "no rule was found")
        return f"none of {len(candidates)} candidates meets the requirement; the first: {why}"
    missed = {one.id: misses(one, workspace.config.requirement) for one in able}
    if all(missed.values()):
        nearest = min(able, key=lambda one: (len(missed[one.id]), -one.detail))
        return (
            f"none of {len(able)} candidates has what is required of a choice; the nearest, {nearest.id}, misses "
            f"{', '.join(missed[nearest.id])}. Require less, or name more `methods` in the config"
        )
    return (
        f"no candidate has a value of {scored_by(candidates, workspace.config)}, by which the config selects; `select: "
        "loss` chooses by detail, and `models` and `holdout` in the config measure expected scores"
    )


def lock_named(workspace: Workspace, named: str | Mapping[str, int] | None) -> Locked:
    """Lock a rule, a candidate or a method, or with None what ``run`` releases by; raises as ``lock_release`` does."""
    if isinstance(named, str) and IDENTIFIER.fullmatch(named.strip()):
        return lock_candidate(workspace, kept_candidate(workspace, named.strip()))
    last = last_candidate(workspace) if named is None and workspace.config.chooses_among_candidates else None
    return lock_release(workspace, named) if last is None else lock_candidate(workspace, *last)
