"""What a certificate rests on: the receipt beside a release that the file still agrees with, and attacks on it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from anonduck.database.fingerprints import files_fingerprint, fingerprint_key
from anonduck.errors import AnonduckError, ConfigError, ReleaseError
from anonduck.release.engine_target import EngineTarget
from anonduck.release.handed_out import owners
from anonduck.release.target import ReleaseTarget, sha256_of
from anonduck.search.store import StoredDiscovery, read_discovery
from anonduck.workspace import Workspace

NEEDED = ("rule", "rows", "classes", "k", "suppressed", "requirements", "columns", "fingerprints", "versions", "sha256")

Recount = Callable[[EngineTarget, Mapping[str, Any]], str]
"""Has an engine count the rows of a release again, and compares them with its receipt; returns the engine's name."""


@dataclass(frozen=True)
class Evidence:
    """The name of a release, its receipt, whether the file was compared with it, the attacks' report if given, and the
    day on which the file was written (None for a table, whose file may hold others), and the data dictionary if it is
    beside the receipt and of the same file. ``owner`` is all that is known of the release, or the receipt where its
    owner's file is gone. ``counted_by`` is the engine that counted its rows again, if one did."""

    name: str
    receipt: Mapping[str, Any]
    compared: bool
    attacks: Mapping[str, Any] | None
    day: str | None = None
    dictionary: Mapping[str, Any] | None = None
    counted_by: str = ""
    owner: Mapping[str, Any] = field(default_factory=dict)

    @property
    def in_engine(self) -> bool:
        """Whether an engine wrote it."""
        return "sha256_columns" in self.receipt


def read_evidence(target: ReleaseTarget, attacks: Path | None = None, recount: Recount | None = None) -> Evidence:
    """Read the receipt beside a release; raises ReleaseError if it is not there or describes another file.

    ``attacks`` is a file with an attack's report as JSON; ConfigError if it is about another release. ``recount`` has
    an engine count again what it wrote; without it, that is not compared.
    """
    receipt = _read(target.receipt, "a receipt", ReleaseError)
    if any(name not in receipt for name in NEEDED):
        raise ReleaseError(f"{target.receipt} is not a receipt of anonduck; release the file again")
    in_engine = isinstance(target, EngineTarget)
    if in_engine and receipt.get("file") != target.text:
        raise ReleaseError(f"{target.receipt} is not the receipt of {target.text}; move it away, and release again")
    counted_by = recount(target, receipt) if isinstance(target, EngineTarget) and recount is not None else ""
    compared = target.kind != "table" and not in_engine
    if compared:
        if not target.path.is_file():
            raise ReleaseError(f"there is no release {target.path}; a certificate needs the released file")
        if sha256_of(target.path) != receipt["sha256"]:
            raise ReleaseError(
                f"{target.path} is not the file that {target.receipt.name} describes: its SHA-256 differs. It was "
                "changed after the release; release it again"
            )
    day = changed_on([target.path]) if compared else None
    name = str(receipt.get("file", target.path.name))
    told, dictionary = _attacks(attacks, target.path.name), _dictionary(target.dictionary, receipt)
    owner = owners(target, receipt)
    return Evidence(name, receipt, compared or bool(counted_by), told, day, dictionary, counted_by, owner)


def _dictionary(path: Path, receipt: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The data dictionary; None where there is none, or one of another file, as from before a release was made anew."""
    if not path.exists():
        return None
    document = _read(path, "a data dictionary", ReleaseError)
    return document if document.get("sha256") == receipt["sha256"] and "columns" in document else None


def _attacks(path: Path | None, released: str) -> Mapping[str, Any] | None:
    if path is None:
        return None
    document = _read(path, "what `attack(...).as_json()` tells", ConfigError)
    if not {"attacks", "closing", "file"} <= set(document):
        raise ConfigError(f"{path} is not what `attack(...).as_json()` tells; write that to a file as JSON")
    about = Path(str(document["file"]).partition("::")[0]).name
    if about != released:
        raise ConfigError(f"{path} is about attacks on {about}, not on {released}; give the file about this release")
    return document


def _read(path: Path, what: str, error: type[ConfigError] | type[ReleaseError]) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as reason:
        raise error(f"{path} cannot be read: {reason.strerror}; it should hold {what}") from None
    except ValueError:
        raise error(f"{path} is not JSON; it should hold {what}") from None
    if not isinstance(document, dict):
        raise error(f"{path} is not a JSON object; it should hold {what}")
    return document


NANOSECONDS = 1_000_000_000


def changed_on(paths: Iterable[Path]) -> str | None:
    """The day on which the last of these files was changed, such as 2026-03-01; None without any that is there."""
    times = [path.stat().st_mtime_ns for path in paths if path.is_file()]
    return day_of(max(times)) if times else None


def day_of(nanoseconds: int) -> str:
    """The day of a time since 1970."""
    return datetime.fromtimestamp(nanoseconds / NANOSECONDS, UTC).date().isoformat()


def source_day(workspace: Workspace, fingerprint: str) -> str | None:
    """The day of the files of the source that has this fingerprint; None where they are neither those of the discovery
    nor those that are there now, or where there are none."""
    stored = read_discovery(workspace.database)
    if stored is not None and stored.settings.get("content") == fingerprint:
        return found_in(stored)
    try:
        files = workspace.source.files
    except AnonduckError:
        return None
    same = bool(files) and files_fingerprint(fingerprint_key(workspace.database), files) == fingerprint
    return changed_on(files) if same else None


def found_in(stored: StoredDiscovery) -> str | None:
    """The day of the source's files as they were when rules were found; None for a source that had no files."""
    files: Sequence[Sequence[Any]] = stored.settings.get("files", ())
    return day_of(max(int(time) for _, _, time in files)) if files else None
