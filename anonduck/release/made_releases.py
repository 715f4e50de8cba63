"""Releases that methods made: kept in the decision database, so that the frontier and the report show them with rules.

Kept is what their owner's files say. A release counts as long as its receipt stands where it was written, unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonduck.database.documents import MADE_RELEASE, keep_document, kept_documents
from anonduck.errors import SourceError
from anonduck.search.freshness import content_fingerprint

if TYPE_CHECKING:
    from anonduck.database.connection import Database
    from anonduck.release.release import Release
    from anonduck.release.target import ReleaseTarget
    from anonduck.workspace import Workspace


@dataclass(frozen=True)
class MadeRelease:
    """A release by a method: its file, its receipt's file, the receipt, and what its owner knows beside it.

    ``same_records`` is whether it is of the source as it is now; None where that has no files to compare, or
    they are gone.
    """

    file: str
    receipt_path: Path
    receipt: Mapping[str, Any]
    owner: Mapping[str, Any]
    same_records: bool | None

    @property
    def utility(self) -> Mapping[str, Any]:
        """What it lost."""
        found: Mapping[str, Any] = self.owner["utility"] or {}
        return found

    def value(self, name: str) -> float | None:
        """What it reaches of an objective of the frontier; None where that was not measured."""
        if name == "k":
            return float(self.receipt["k"])
        if name == "information_gain":
            return self.utility.get(name)
        found: float | None = self.utility.get("measures", {}).get(name)
        return found

    @property
    def shows_typical(self) -> bool:
        """Whether its classes show typical values in the place of ranges."""
        return (self.receipt.get("recoding") or {}).get("shows") == "typical"

    def as_json(self) -> dict[str, Any]:
        """The release as ``anonduck frontier --json`` prints it: a shape of its own, without levels."""
        return {
            "file": self.file,
            "receipt_file": str(self.receipt_path),
            "method": {name: self.receipt["method"].get(name) for name in ("name", "options", "words")},
            "k": self.receipt["k"],
            "classes": self.receipt["classes"],
            "records": self.receipt["rows"],
            "suppressed": self.receipt["suppressed"],
            "same_records": self.same_records,
            "information_gain": self.utility.get("information_gain"),
            "utility": dict(self.utility.get("measures", {})),
        }


def keep_made(database: Database, target: ReleaseTarget, made: Release) -> None:
    """Keep a written release by a method in mind, in place of an earlier one in its file."""
    from anonduck.release.target import sha256_of

    document = {
        "file": made.target,
        "receipt_file": made.receipt_path,
        "sha256": sha256_of(target.receipt),
        "owner": dict(made.owner),
    }
    keep_document(database, MADE_RELEASE, document, made.target)


def made_releases(workspace: Workspace) -> list[MadeRelease]:
    """The releases by methods whose receipts stand as they were written, by falling k."""
    kept = list(kept_documents(workspace.database, MADE_RELEASE).values())
    content = _content(workspace) if kept else None
    found = []
    for document in kept:
        receipt = _unchanged(Path(document["receipt_file"]), document["sha256"])
        if receipt is not None:
            same = None if content is None else bool(receipt["fingerprints"]["source"] == content)
            place = Path(document["receipt_file"])
            found.append(MadeRelease(document["file"], place, receipt, document["owner"], same))
    return sorted(found, key=lambda one: (-one.receipt["k"], one.file))


def comparable_releases(workspace: Workspace, records: int) -> list[MadeRelease]:
    """The releases of the records of a discovery, which has so many, as far as that is known."""
    return [
        one
        for one in made_releases(workspace)
        if one.same_records is not False and one.receipt["rows"] + one.receipt["suppressed"] == records
    ]


def _content(workspace: Workspace) -> str | None:
    """A fingerprint of the source as it is now; None where it has no files, they are gone, or an engine sleeps."""
    if workspace.engine_sleeps:
        return None
    try:
        return content_fingerprint(workspace)
    except SourceError as error:
        if not error.missing:
            raise
        return None


def _unchanged(path: Path, sha256: str) -> dict[str, Any] | None:
    """The receipt, if it is there as it was written."""
    from anonduck.release.target import sha256_of

    if not path.is_file() or sha256_of(path) != sha256:
        return None
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
