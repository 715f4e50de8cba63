"""The evidence of a certificate: the receipt beside a release that still fits the file, attacks on it, and dates.

Dates are in UTC and come from files. Receipts hold none, so that the same rule on the same source gives the same
release byte for byte, whenever it is made.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from anonduck.database.fingerprints import files_fingerprint, fingerprint_key
from anonduck.errors import AnonduckError, ConfigError, ReleaseError
from anonduck.release.delta_target import PREFIX
from anonduck.release.engine_target import EngineTarget
from anonduck.release.handed_out import owners
from anonduck.release.target import ReleaseTarget, sha256_of
from anonduck.report.inferred import inferred_in
from anonduck.search.store import StoredDiscovery, read_discovery
from anonduck.workspace import Workspace

NEEDED = ("rule", "rows", "classes", "k", "suppressed", "requirements", "columns", "fingerprints", "versions", "sha256")

Recount = Callable[[EngineTarget, Mapping[str, Any]], str]
"""Has an engine count the rows of a release again, and compares them with its receipt; returns the engine's name."""
NANOSECONDS = 1_000_000_000


@dataclass(frozen=True)
class Evidence:
    """What a certificate rests on.

    ``compared``: the file was compared with its receipt. ``attacks`` is the attacks' report, if given. ``day`` is when
    the file was written, None for a table, whose file may hold others. ``dictionary`` is the data dictionary, if it
    lies beside the receipt and describes the same file. ``owner`` is the receipt with the owner's file, or the receipt
    alone if that is missing. ``counted_by`` names the engine that counted the rows again, if one did. ``inferred`` is
    what the groups of the file tell of the class and of sensitive columns; empty where it was not compared.
    """

    name: str
    receipt: Mapping[str, Any]
    compared: bool
    attacks: Mapping[str, Any] | None
    day: str | None = None
    dictionary: Mapping[str, Any] | None = None
    counted_by: str = ""
    owner: Mapping[str, Any] = field(default_factory=dict)
    inferred: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @property
    def in_engine(self) -> bool:
        """Whether an engine wrote the release."""
        return "sha256_columns" in self.receipt


def read_evidence(target: ReleaseTarget, attacks: Path | None = None, recount: Recount | None = None) -> Evidence:
    """Read the receipt beside a release. Raises ReleaseError if it is missing or describes another file.

    ``attacks`` is a file with an attack report as JSON; ConfigError if it is about another release. ``recount`` makes
    an engine count its rows again; without it they are not compared.
    """
    receipt = _read(target.receipt, "a receipt", ReleaseError)
    if any(name not in receipt for name in NEEDED):
        raise ReleaseError(f"{target.receipt} is not a receipt of anonduck; release the file again")
    in_engine = isinstance(target, EngineTarget)
    if in_engine and receipt.get("file") != target.text:
        raise ReleaseError(f"{target.receipt} is not the receipt of {target.text}; move it away, and release again")
    counted_by = recount(target, receipt) if isinstance(target, EngineTarget) and recount is not None else ""
    compared = target.kind != "table" and not in_engine
    held = target.held if compared else None
    if compared:
        if held is None:
            raise ReleaseError(f"there is no release {target.path}; a certificate needs the released file")
        if sha256_of(held) != receipt["sha256"]:
            raise ReleaseError(
                f"{target.path} is not the file that {target.receipt.name} describes: its SHA-256 differs. It was "
                "changed after the release; release it again"
            )
    day = changed_on([held]) if held is not None else None
    name = str(receipt.get("file", target.path.name))
    attack_report, dictionary = _attacks(attacks, target.path.name), _dictionary(target.dictionary, receipt)
    owner, inferred = owners(target, receipt), inferred_in(target.text, receipt) if compared else {}
    compared = compared or bool(counted_by)
    return Evidence(name, receipt, compared, attack_report, day, dictionary, counted_by, owner, inferred)


def _dictionary(path: Path, receipt: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The data dictionary; None if it is missing or describes another file, such as an earlier release."""
    if not path.exists():
        return None
    document = _read(path, "a data dictionary", ReleaseError)
    return document if document.get("sha256") == receipt["sha256"] and "columns" in document else None


def read_attacks(path: Path) -> tuple[Mapping[str, Any], str]:
    """A report of attacks as JSON, and the name of the file that was attacked. Raises ConfigError for another file."""
    document = _read(path, "the output of `anonduck attack --json`", ConfigError)
    if not {"attacks", "closing", "file"} <= set(document):
        raise ConfigError(f"{path} is not the output of `anonduck attack --json`; write that to a file as JSON")
    return document, Path(str(document["file"]).removeprefix(PREFIX).partition("::")[0]).name


def _attacks(path: Path | None, released: str) -> Mapping[str, Any] | None:
    if path is None:
        return None
    document, about = read_attacks(path)
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


def changed_on(paths: Iterable[Path]) -> str | None:
    """The day on which the latest of these files changed, such as 2026-03-01; None if none exists."""
    times = [path.stat().st_mtime_ns for path in paths if path.is_file()]
    return day_of(max(times)) if times else None


def day_of(nanoseconds: int) -> str:
    """The day of a time since 1970."""
    return datetime.fromtimestamp(nanoseconds / NANOSECONDS, UTC).date().isoformat()


def source_day(workspace: Workspace, fingerprint: str) -> str | None:
    """The day of the source's files with this fingerprint; None if neither the discovery nor the current
    files have it.
    """
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
    """The day of the source's files when rules were found; None for a source without files."""
    files: Sequence[Sequence[Any]] = stored.settings.get("files", ())
    return day_of(max(int(time) for _, _, time in files)) if files else None
