"""What was looked at when nothing had changed since a discovery, so that lists need not open the source again.

It is kept for a source that is one plain file: its size and time of change, those of taxonomy files, the config, the
discovery, and the taxonomies of the decision database. Where all are the same, so is what they lead to.
"""

from __future__ import annotations

import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonduck.database.documents import LAST_LOOK, keep_document, kept_document
from anonduck.database.fingerprints import fingerprint_key, json_fingerprint
from anonduck.taxonomy.catalog import entries, trees
from anonduck.words import __version__

if TYPE_CHECKING:
    from anonduck.search.store import StoredDiscovery
    from anonduck.workspace import Workspace


def plain_file(workspace: Workspace) -> Path | None:
    """The one file that the project's own source is; None for a glob, a table, another export, or what is not there."""
    text = workspace.essentials.source
    elsewhere = workspace.essentials.elsewhere or workspace.session.connection is not None
    if elsewhere or workspace.export is not None or workspace.data is not None or not text or glob.has_magic(text):
        return None
    path = workspace.folder / text
    return path if path.is_file() else None


def looked_at(workspace: Workspace, stored: StoredDiscovery) -> str | None:
    """A fingerprint of all that decides whether a discovery still holds; None where the source has to be asked."""
    source, config = plain_file(workspace), workspace.essentials
    if source is None or config.has_entity:
        return None
    files = [source, *(workspace.folder / Path(name).expanduser() for name in config.taxonomy_files)]
    known = entries(workspace.database)
    depended: list[Any] = [
        __version__,
        config.keys,
        [stored.settings, stored.summary, stored.config, stored.made_on],
        [_status(path) for path in files],
        [[name, one.options, one.digest, repr(one.taxonomy)] for name, one in sorted(known.items())],
        trees(workspace.database, sorted(known)),
    ]
    return json_fingerprint(fingerprint_key(workspace.database), depended)


def nothing_changed(workspace: Workspace, looked: str | None) -> bool:
    """Whether this is what was looked at last, when nothing had changed."""
    return looked is not None and kept_document(workspace.database, LAST_LOOK) == {"looked": looked}


def keep_look(workspace: Workspace, looked: str) -> None:
    """Keep that nothing had changed when this was looked at."""
    keep_document(workspace.database, LAST_LOOK, {"looked": looked})


def _status(path: Path) -> list[Any]:
    """Name, bytes and time of change of a file; its name alone where it is not there."""
    if not path.is_file():
        return [str(path)]
    status = path.stat()
    return [str(path), status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]
