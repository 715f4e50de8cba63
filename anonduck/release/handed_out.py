"""What is handed out with a release, and what its owner alone keeps.

The owner's file holds all that is known of a release. The receipt holds of it what follows from the released file and
from what was asked, so that it is the same whatever the source holds that the release does not show. What is listed
here may be handed out; anything else stays with the owner. The fingerprints of the source, of its taxonomies and of
assigned classes do change with hidden values: they are HMACs, which show nothing without the key.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from anonduck.release.target import ReleaseTarget

RECEIPT = (
    "rule",
    "recoding",
    "method",
    "proven_by",
    "reason",
    "rows",
    "classes",
    "k",
    "suppressed",
    "requirements",
    "entity",
    "policy",
    "columns",
    "dependency",
    "unknown_values",
    "sensitive_values",
    "value_frequencies",
    "fingerprints",
    "versions",
    "warnings",
    "kept",
    "rare_under",
    "unique_with_kept",
    "file",
    "sha256",
    "sha256_of",
    "sha256_columns",
    "files",
)
METHOD = ("name", "options", "model", "blocks", "words", "attacks", "fingerprint")
COLUMN = (
    "name",
    "role",
    "level",
    "taxonomy",
    "at_levels",
    "words",
    "groups",
    "labels",
    "label_records",
    "labels_omitted",
    "omitted_records",
    "rarer_values",
    "rarer_records",
    "block",
    "unique",
    "top",
    "shows",
    "rare",
    "of",
    "bound",
)
ENTITY = ("k", "records", "at_most", "by_records", "linked_k", "unique_with_kept")
UNKNOWN: Mapping[str, Any] = {"expected": None, "utility": None, "unmapped": {}, "remarks": []}
"""What only an owner's file holds, where there is none."""

AT_ROOT = "the label of its root alone"
BY_ORIGINAL = "by_original"
"""Marks a line of ``requirements`` whose number is of the original, of which a receipt says that it is reached."""


def as_text(document: Mapping[str, Any]) -> str:
    """A receipt or an owner's file as JSON text."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def handed_out(known: Mapping[str, Any], *, written: bool = True) -> dict[str, Any]:
    """The receipt, of all that is known of a release; of one that is not ``written``, with what was counted by whose
    the rows are, in place of the bound that may be told."""
    shown = _only(known, RECEIPT)
    shown["method"] = _only(known["method"], METHOD)
    shown["requirements"] = [_line(one, told=not written) for one in known["requirements"]]
    shown["columns"] = [_column(one) for one in known["columns"]]
    if known.get("chosen_by") is not None:  # the id and how it was chosen depend on all that were found
        shown["reason"] = known["chosen_by"]
        if "recoding" in known:
            shown["recoding"] = {**known["recoding"], "id": None}
        shown["rule"] = None if known["rule"] is None else {**known["rule"], "id": None}
    if "entity" in known:
        shown["entity"] = _only(known["entity"], ENTITY)
    return shown


def owners(target: ReleaseTarget, receipt: Mapping[str, Any]) -> Mapping[str, Any]:
    """All that is known of a release by its owner's file; by its receipt where there is no such file of the release."""
    try:
        found = json.loads(target.owner.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        found = None
    same = isinstance(found, dict) and found.get("sha256") == receipt["sha256"]
    return found if same else {**UNKNOWN, **receipt}


def _only(document: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name in names}


def _line(line: Mapping[str, Any], *, told: bool) -> dict[str, Any]:
    shown = {name: value for name, value in line.items() if name != BY_ORIGINAL}
    return {**shown, "reached": line["required"], "at_least": True} if line.get(BY_ORIGINAL) and not told else shown


def _column(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Without the height of the taxonomy, which values may raise that no released record holds."""
    shown, root = _only(entry, COLUMN), entry.get("levels")
    if "at_levels" in entry:
        shown["at_levels"] = {"root" if name == str(root) else name: n for name, n in entry["at_levels"].items()}
    if root is not None and entry["level"] == root:
        return {**shown, "level": None, "words": AT_ROOT}
    return shown
