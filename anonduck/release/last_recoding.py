"""The recoding that a method found for the last `run`, kept in the decision database for the next export.

Swaps and distributions are drawn anew for each release, and so are not kept. Neither are classes that show intervals of
their own, or that are made of changed values.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anonduck.database.documents import LAST_RECODING, forget_documents, keep_document, kept_document
from anonduck.frequency.taxonomies import taxonomies_of
from anonduck.methods.recodings import APPLICABLE, Levels, Partition, Recoding, recoding_from_json
from anonduck.methods.registry import method_named, named_method
from anonduck.offer.candidates import RULES, Candidate, candidate_from_json
from anonduck.release.found_classes import weighed_columns
from anonduck.taxonomy.catalog import trees
from anonduck.taxonomy.kept import KeptTaxonomies, kept_from_json
from anonduck.workspace import Workspace

MISSED = "the last recoding of {} no longer meets the requirement"


def keep_recoding(
    workspace: Workspace,
    recoding: Recoding | None,
    candidate: Candidate | None = None,
    kept: KeptTaxonomies | None = None,
) -> None:
    """Keep what the config's method, or a candidate, found, with the taxonomies as they are now.

    ``kept`` are those that it was found by, where they are for a larger k than the config's.

    None, and what cannot be applied to other records, forgets what was kept.
    """
    database = workspace.database
    if not isinstance(recoding, APPLICABLE):
        forget_documents(database, LAST_RECODING)
        return
    grouped = trees(database, recoding.columns)
    found_by = _found_by(workspace) if candidate is None else _found_as(workspace, candidate)
    as_json = None if candidate is None else candidate.as_json()
    document: dict[str, Any] = {**found_by, "candidate": as_json, "trees": grouped}
    if kept is not None:
        document["kept"] = kept.to_json()
    keep_document(database, LAST_RECODING, {**document, "recoding": recoding.to_json()})


def _kept(workspace: Workspace) -> tuple[dict[str, Any], Recoding] | None:
    """The document of the kept recoding, and the recoding; None where there is none."""
    document = kept_document(workspace.database, LAST_RECODING)
    return None if document is None else (document, recoding_from_json(document["recoding"]))


def last_recoding(workspace: Workspace) -> Recoding | None:
    """The kept recoding, if it still means the same; None where there is none.

    That other options, roles or taxonomies make it mean something else is announced.
    """
    found = _kept(workspace)
    if found is None:
        return None
    document, recoding = found
    other = _other(workspace, document, recoding, _found_by(workspace))
    if not other:
        return recoding
    workspace.reporter.announce(f"{other} since the last recoding by a method; finding it anew")
    return None


def last_candidate(workspace: Workspace) -> tuple[Candidate, Recoding, KeptTaxonomies | None] | None:
    """The candidate of the last choice, its kept recoding if that still means the same, and the taxonomies that were
    kept with it; None where there is none.

    That the config no longer offers its method, or that roles or taxonomies make it mean something else, is announced.
    """
    found = _kept(workspace)
    if found is None or found[0].get("candidate") is None:
        return None
    document, recoding = found
    candidate = candidate_from_json(document["candidate"])
    kept, config = kept_from_json(document["kept"]) if "kept" in document else None, workspace.config
    offered = [named_method(name) for name in config.offered if name != RULES]
    if (candidate.method, dict(candidate.settings)) not in offered:
        other = f"`methods` no longer names {candidate.label}"
    elif candidate.shows not in config.ways:
        other = f"`show` no longer names {candidate.shows}"
    elif kept is None and config.records_for(candidate.k_required) > config.requirement.k:
        other = f"the taxonomies for its k of {candidate.k_required} were lost"
    elif kept is not None and kept.label_k < config.requirement.k:
        other = "the required k rose"
    else:
        other = _other(workspace, document, recoding, _found_as(workspace, candidate))
    if not other:
        return candidate, recoding, kept
    workspace.reporter.announce(f"{other} since the last choice; selecting again")
    return None


def _found_as(workspace: Workspace, candidate: Candidate) -> dict[str, Any]:
    """The method of a candidate and all its options."""
    method, config = method_named(candidate.method), workspace.config
    options = method.resolve_options(config.method_options.get(candidate.method, {}), candidate.settings)
    return {"method": candidate.method, "options": options}


def _other(workspace: Workspace, document: Mapping[str, Any], recoding: Recoding, found_by: Mapping[str, Any]) -> str:
    """What is other than it was; empty where the recoding can be applied."""
    quasi = workspace.roles.quasi_identifiers
    if any(document.get(name) != value for name, value in found_by.items()):
        return "the method or one of its options changed"
    columns, weighed = set(recoding.columns), weighed_columns(method_named(found_by["method"]), workspace.roles)
    if isinstance(recoding, Partition) and set(recoding.revealed) != set(weighed):
        return "the role of a sensitive column changed"
    if not (columns <= set(quasi) if isinstance(recoding, Levels) else columns == set(quasi)):
        return "the role of a column changed"
    taxonomies_of(workspace, recoding.columns, workspace.config.requirement.k)
    now = trees(workspace.database, recoding.columns)
    changed = [name for name in recoding.columns if now[name] != document["trees"][name]]
    return f"the taxonomy of {changed[0]!r} changed" if changed else ""


def _found_by(workspace: Workspace) -> dict[str, Any]:
    """The config's method and all its options."""
    config = workspace.config
    return {
        "method": config.method,
        "options": method_named(config.method).resolve_options(config.method_options.get(config.method, {})),
    }
