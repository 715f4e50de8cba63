"""The recoding that a method found for the last `run`, kept in the decision database for the next export.

Swaps and distributions are drawn anew for each release, and so are not kept. Neither are classes that show intervals of
their own, or those of a method that weighs columns by the records.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anonduck.database.documents import LAST_RECODING, forget_documents, keep_document, kept_document
from anonduck.frequency.taxonomies import taxonomies_of
from anonduck.methods.registry import method_named
from anonduck.release.stored_recoding import StoredLevels, StoredRecoding, recoding_from_json
from anonduck.taxonomy.catalog import trees
from anonduck.workspace import Workspace


def keep_recoding(workspace: Workspace, recoding: StoredRecoding | None) -> None:
    """Keep what the config's method found, with the taxonomies as they are now; None forgets what was kept."""
    database = workspace.database
    if recoding is None:
        forget_documents(database, LAST_RECODING)
        return
    grouped = trees(database, recoding.columns)
    keep_document(database, LAST_RECODING, {**_found_by(workspace), "trees": grouped, "recoding": recoding.as_json()})


def last_recoding(workspace: Workspace) -> StoredRecoding | None:
    """The kept recoding, if it still means the same; None where there is none.

    That other options, roles or taxonomies make it mean something else is announced.
    """
    document = kept_document(workspace.database, LAST_RECODING)
    if document is None:
        return None
    recoding = recoding_from_json(document["recoding"])
    other = _other(workspace, document, recoding)
    if not other:
        return recoding
    workspace.reporter.announce(f"{other} since the last recoding by a method; finding it anew")
    return None


def _other(workspace: Workspace, document: Mapping[str, Any], recoding: StoredRecoding) -> str:
    """What is other than it was; empty where the recoding can be applied."""
    found_by, quasi = _found_by(workspace), workspace.roles.quasi_identifiers
    if any(document[name] != value for name, value in found_by.items()):
        return "the method or one of its options changed"
    columns = set(recoding.columns)
    if not (columns <= set(quasi) if isinstance(recoding, StoredLevels) else columns == set(quasi)):
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
        "options": method_named(config.method).resolve_options(config.methods.get(config.method, {})),
    }
