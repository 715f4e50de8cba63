"""Candidates found again by their id, whatever the config says since: what a change made of them, and what has their
place in a newer offer.

A method finds the recoding of a candidate anew at each release. So the id stands for a method with its options, a k,
and what decides what that finds; what the offer measured of it is of the config that the offer was made for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING, Any

from anonduck.config.ways import SWAPPED, TYPICAL
from anonduck.database.documents import OFFER, keep_document, kept_document
from anonduck.errors import RuleError
from anonduck.measures.numpy_requirements import LKC
from anonduck.methods.registry import method_named
from anonduck.offer.candidates import Candidate, candidate_named, identity, keep_candidates, stored_candidates
from anonduck.privacy.models import MODELS
from anonduck.search.freshness import changed_taxonomies, same_plan, tell_stale, why_changed
from anonduck.words import listed_names

if TYPE_CHECKING:
    from anonduck.config.config import Config
    from anonduck.search.store import StoredDiscovery
    from anonduck.workspace import Workspace

ALWAYS = ("class_", "entity", "seed")
"""Keys of the config that decide what any method finds."""
WEIGHED = ("sensitive", "sensitive_values", "order")
"""Keys that do where sensitive values decide where classes end."""
OF_FIGURES = ("requirement", "holdout", "models", "select", "methods", "show", "blocks", "subgroups", "workload")
"""Keys that figures depend on, beside the discovery (see ``identity``)."""
OF_RECORDS = ("k", "kept_rare", "linked_k")
"""Requirements that no class is steered by but through k, which a candidate has itself."""


def keep_offer(workspace: Workspace, stored: StoredDiscovery, candidates: Sequence[Candidate]) -> None:
    """Keep the candidates of a discovery and config as the last offer, and what these were."""
    database = workspace.database
    before, (_, earlier) = (kept_document(database, OFFER) or {"before": {}})["before"], stored_candidates(database)
    known = before | {one.id: _meaning(one) for one in earlier if one.levels is None}
    now = {one.id: _meaning(one) for one in candidates}
    keep_candidates(database, candidates, identity(workspace, stored))
    config = workspace.written.in_persons().model_dump(mode="json", by_alias=True)
    others = {name: meaning for name, meaning in known.items() if now.get(name) != meaning}
    keep_document(database, OFFER, {"settings": stored.settings, "config": config, "before": others})


def offered_candidate(workspace: Workspace, stored: StoredDiscovery, identifier: str) -> tuple[Candidate, str]:
    """The candidate ``M3`` of the last offer, and in words why its figures are of another config; empty where they are
    of this one.

    Raises RuleError where the last offer has none, with the id that has its place.
    """
    document, (of, found) = kept_document(workspace.database, OFFER), stored_candidates(workspace.database)
    if document is None or not found:
        raise RuleError(
            f"there is no candidate {identifier}: no offer was made; `anonduck discover --method NAME` makes one"
        )
    earlier = _in_earlier_offer(document, found, identifier)
    try:
        one = candidate_named(found, identifier)
    except RuleError as error:
        raise RuleError(f"{error}. {earlier}" if earlier else str(error)) from None
    if earlier:
        workspace.reporter.announce(f"{identifier} is {_words(one)}. {earlier}")
    if of == identity(workspace, stored):
        return one, ""
    changed = _changed_keys(document["config"], workspace.written)
    why = f"{', '.join(changed)} changed in the config" if changed else "rules were searched anew"
    return one, f"{identifier} was measured before {why}"


def candidate_again(workspace: Workspace, stored: StoredDiscovery, identifier: str) -> Candidate:
    """The candidate ``M3`` of the last offer, to be found and judged anew; without figures where these are of another
    config. That, or what else changed since, is announced.

    Raises RuleError as ``offered_candidate`` does, and where something changed that makes it another candidate.
    """
    one, why = offered_candidate(workspace, stored, identifier)
    document = kept_document(workspace.database, OFFER) or {}
    if changes := list(_changes(workspace, document, replace(stored, settings=document["settings"]), one)):
        raise RuleError(
            f"{identifier} ({_words(one)}) is not what was offered: {'; '.join(changes)}. Undo the change, or have it "
            f"offered anew: `anonduck discover --method {quote(one.label)}`"
        )
    if not why:
        tell_stale(workspace, stored)
        return one
    workspace.reporter.announce(f"{why}; what it comes to is found and judged anew")
    return Candidate(one.id, one.method, one.settings, one.k_required, shows=one.shows)


def _meaning(one: Candidate) -> dict[str, Any]:
    """What the id of a candidate stands for."""
    return {"method": one.method, "settings": dict(one.settings), "k_required": one.k_required, "shows": one.shows}


def _words(one: Candidate) -> str:
    return f"{one.words} for k = {one.k_required:,}"


def _in_earlier_offer(document: Mapping[str, Any], found: Sequence[Candidate], identifier: str) -> str:
    """What an id stood for in an earlier offer, and which has that now; empty where it stood for the same."""
    meaning = document["before"].get(identifier)
    if meaning is None:
        return ""
    now = next((one.id for one in found if _meaning(one) == meaning), None)
    is_now = "is not offered any more" if now is None else f"is {now} now"
    return f"In an earlier offer {identifier} was {_words(Candidate(identifier, **meaning))}, which {is_now}"


def _changed_keys(then: Mapping[str, Any], config: Config) -> list[str]:
    """The keys that figures depend on and that say otherwise than when the offer was made."""
    now = config.in_persons().model_dump(mode="json", by_alias=True)
    return [f"`{name}`" for name in OF_FIGURES if then.get(name) != now[name]]


def _changes(
    workspace: Workspace, document: Mapping[str, Any], stored: StoredDiscovery, one: Candidate
) -> Iterator[str]:
    """What changed of all that decides what the method of a candidate finds; ``stored`` was offered beside it."""
    from anonduck.config.config import Config

    then, now, method = (
        Config.model_validate(document["config"]),
        workspace.written.in_persons(),
        method_named(one.method),
    )
    options = [method.resolve_options(each.method_options.get(one.method, {}), one.settings) for each in (then, now)]
    if options[0] != options[1]:
        other = [name for name in options[0] if options[0][name] != options[1][name]]
        yield f"{', '.join(f'`{name}`' for name in other)} of the method {one.method} changed in the config"
    if one.k_required < now.requirement.k:
        yield f"it was found for k = {one.k_required:,}, and the config now requires {now.requirement.k:,}"
    steering = [_steering(each, method.recoding) for each in (then, now)]
    for name in sorted(
        name for name in {**steering[0], **steering[1]} if steering[0].get(name) != steering[1].get(name)
    ):
        before, required = (_shown(each.get(name)) for each in steering)
        yield f"`{name}` under `requirement`, by which classes are found, was {before} and is {required}"
    by_values = method.weighed or any(steering)
    for key in (*ALWAYS, *(WEIGHED if by_values else ())):
        if getattr(then, key) != getattr(now, key):
            yield f"`{key.strip('_')}` changed in the config"
    yield from _other_way(then, now, one)
    yield from _other_columns(workspace, stored)


def _steering(config: Config, recoding: str) -> dict[str, Any]:
    """What is required beside k of classes while they are found; of cuts, which all classes decide together, all."""
    return {
        name: value
        for name, value in config.requirement.asked.items()
        if name not in OF_RECORDS and (recoding == "cuts" or MODELS[name].class_wise or name == LKC)
    }


def _shown(value: Any) -> str:
    return "not required" if value is None else str(value)


def _other_way(then: Config, now: Config, one: Candidate) -> Iterator[str]:
    """Where the config no longer shows classes as the candidate does."""
    if one.shows not in now.ways:
        yield f"`show` no longer names {one.shows}"
    elif one.shows == TYPICAL and then.shown_columns != now.shown_columns:
        yield "`show` names other columns"
    elif one.shows == SWAPPED and then.blocks != now.blocks:
        yield "`blocks` changed in the config"


def _other_columns(workspace: Workspace, stored: StoredDiscovery) -> Iterator[str]:
    """Quasi-identifiers that are new or gone, and those that are generalized otherwise than for another k alone."""
    then, now = list(stored.settings["nodes"]), list(workspace.roles.quasi_identifiers)
    for some, others, what in ((now, then, "new"), (then, now, "gone")):
        if names := [repr(name) for name in some if name not in others]:
            yield f"of the quasi-identifiers {listed_names(names)} {'are' if len(names) > 1 else 'is'} {what}"
    same_k = stored.settings["label_k"] == workspace.config.requirement.k
    for name in changed_taxonomies(workspace, stored):
        if same_k or not same_plan(workspace, stored, name):
            yield why_changed(workspace, stored, name)
