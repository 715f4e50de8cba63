"""What a row of a comparison has of an audit and of a release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anonduck.rules.rule import literal

if TYPE_CHECKING:
    from anonduck.auditing.report import AuditReport
    from anonduck.release.release import Release


def risks_of(audited: AuditReport) -> dict[str, Any]:
    """What an audit reached beside k, by name."""
    return {name: one["reached"] for name, one in audited.as_json()["measures"].items() if name != "k"}


def described(release: Release) -> dict[str, Any]:
    """What a row tells of a release: its size, and its recoding in words."""
    rule, method = release.receipt["rule"], release.receipt["method"]
    return {
        "k": release.k,
        "classes": release.classes,
        "records": release.rows,
        "suppressed": release.suppressed,
        "rule": None if rule is None else literal(rule["levels"]),
        "words": method.get("words"),
    }
