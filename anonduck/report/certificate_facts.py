"""What a certificate states of a release beside its receipt: whether it can be signed, and what an audit of the file
finds; and the whole as JSON, for machines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any

from anonduck.attacks.intruder_report import OWNERS_KEY
from anonduck.auditing.audit import audit
from anonduck.auditing.report import AuditReport, composed_words
from anonduck.errors import ConfigError
from anonduck.offer.choice import learns
from anonduck.privacy.requirement import finite, plain
from anonduck.release.target import ReleaseTarget
from anonduck.report.certificate_sections import attack_notes
from anonduck.report.coverage import covered_by_one, quasi_identifiers_of
from anonduck.report.evidence import Evidence, source_day
from anonduck.report.inferred import candidate_of, shows_classes
from anonduck.report.vouched import Vouched, vouched_for
from anonduck.words import __version__
from anonduck.workspace import Workspace

FORMAT = 1
SHOWN = {"l": "distinct values", "entropy_l": "entropy l", "t": "t (equal distance)", "ha": "records told their value"}
"""The models of sensitive values that a certificate states of each sensitive column, whatever was required."""

COLUMN = (
    *("name", "role", "labels", "label_records", "labels_omitted", "omitted_records", "rarer_values", "rarer_records"),
)
"""What a certificate for machines has of each column."""

CONTEXT = {"dpv": "https://w3id.org/dpv#"}
MEASURE = "dpv:Deidentification"
"""The term of the Data Privacy Vocabulary of W3C's community group; whether data are anonymous is no tool's to say."""


@dataclass(frozen=True)
class Facts:
    """What is stated of a release beside its receipt.

    Attributes:
        missing: why the certificate cannot be signed yet, as sentences without a full stop; empty if it can.
        review_by: the day by which the release has to be looked at again, such as 2027-03-01, if one is named.
        report: the audit of the file by the receipt's roles; None where the file alone proves nothing of these.
        earlier: the earlier releases that it was checked against, each with what both reveal together.
        vouched: who decided the roles, who read the config, and what was attacked.
        useless: for the owner, that models make nothing of the release, as a sentence without a full stop; None where
            they do, or none was trained.
    """

    missing: tuple[str, ...]
    review_by: str | None
    report: AuditReport | None
    vouched: Vouched
    earlier: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    useless: str | None = None

    @property
    def bands(self) -> list[dict[str, int]]:
        """The classes and records by size of class: ``from``, ``to``, ``classes`` and ``records`` a row."""
        return [] if self.report is None else [band.as_json() for band in self.report.sizes.bands]

    @property
    def sensitive(self) -> dict[str, dict[str, Any]]:
        """What each sensitive column reaches, by model."""
        if self.report is None:
            return {}
        found: dict[str, dict[str, Any]] = {}
        for name in [name for name in SHOWN if name in self.report.measures]:
            for column, numbers in self.report.measures[name].attributes.items():
                found.setdefault(column, {})[name] = finite(plain(numbers))
        return found


def facts_of(
    workspace: Workspace,
    target: ReleaseTarget,
    evidence: Evidence,
    against: Sequence[Path] = (),
    words: Mapping[str, str | None] = MappingProxyType({}),
) -> Facts:
    """Audit the released file once more, alone and beside earlier releases, and see what is missing for a signature.

    ``words`` are what people vouch for in place of the config, for once. Raises AuditError, and ConfigError for words
    without a name or a day, and where the file cannot be compared with earlier ones.
    """
    review_by = _review_by(workspace, evidence)
    missing = tuple(_missing(workspace, evidence, review_by))
    vouched = vouched_for(workspace, evidence, words, otherwise_ready=not missing)
    missing = (*missing, *vouched.missing)
    report = _audited(workspace, target, evidence)
    if against and report is None:
        raise ConfigError(
            f"{evidence.name} cannot be checked against earlier releases: its file alone shows no classes; give none"
        )
    earlier = {}
    for path in against:
        beside = _audited(workspace, target, evidence, path)
        assert beside is not None
        measured = beside.measures.get("composition")
        details = {} if measured is None else measured.as_json()
        told = composed_words(details) if details else "no two classes can have a person in common"
        earlier[path.name] = {"words": told, **details}
    return Facts(missing, review_by, report, vouched, earlier, _useless(workspace, evidence.owner))


def _useless(workspace: Workspace, owner: Mapping[str, Any]) -> str | None:
    """That no model is expected to be better than chance, with the ROC AUC of each where it is known."""
    candidate = candidate_of(workspace, owner)
    expected = owner["expected"] or (candidate and candidate.expected) or {}
    known = [one for one in expected.values() if one.get("majority") is not None]
    if not known or any(learns(one) for one in known):
        return None
    areas = [f"{name} {one['roc_auc']:.3f}" for name, one in expected.items() if one["roc_auc"] is not None]
    ranked = f" (ROC AUC: {', '.join(areas)}; 0.5 is chance)" if areas else ""
    return (
        "no model that learns from it is right more often about other people than always naming the most frequent "
        f"class value, but for noise{ranked}; see whether it is of use before it goes out"
    )


def _missing(workspace: Workspace, evidence: Evidence, review_by: str | None) -> Iterator[str]:
    publication = workspace.config.publication
    for key, value in (("recipient", publication.recipient), ("purpose", publication.purpose)):
        if value is None:
            yield f"the config does not state the {key}: write `publication: {{{key}: ...}}`"
    for line in evidence.receipt["requirements"]:
        if not line["met"]:
            yield f"{line['name']} is not met"
        if line["lowered"]:
            yield f"{line['name']} was lowered for this release; the config requires more"
    if evidence.in_engine and not evidence.counted_by:
        yield "the rows in the engine were not counted again"
    if review_by is not None and review_by < datetime.now(UTC).date().isoformat():
        yield f"its review was due by {review_by}"


def _review_by(workspace: Workspace, evidence: Evidence) -> str | None:
    """The earlier of the config's day and of the policy's, which counts from the day of the release."""
    named = workspace.config.publication.review_by
    days = (evidence.receipt.get("policy") or {}).get("review_days")
    by_policy = None
    if days is not None and evidence.day is not None:
        by_policy = (date.fromisoformat(evidence.day) + timedelta(days=days)).isoformat()
    return min((day for day in (named, by_policy) if day is not None), default=None)


def _audited(
    workspace: Workspace, target: ReleaseTarget, evidence: Evidence, against: Path | None = None
) -> AuditReport | None:
    """The audit of a file; of a table, of swapped values and of distributions the file proves no class sizes."""
    if evidence.in_engine or not evidence.compared or not shows_classes(evidence.receipt):
        return None
    config = workspace.written
    return audit(
        target.text,
        receipt=str(target.receipt),
        against=None if against is None else str(against),
        threads=config.threads,
        memory_limit=config.memory_limit,
    )


def certificate_document(workspace: Workspace, evidence: Evidence, facts: Facts, *, owner: bool) -> dict[str, Any]:
    """The certificate as JSON-LD: what the page states, without its query; with ``owner`` what the owner's file holds.

    The terms ``dpv:hasRecipient``, ``dpv:hasPurpose`` and ``dpv:hasTechnicalMeasure`` are of W3C's Data Privacy
    Vocabulary.
    """
    receipt, publication = evidence.receipt, workspace.config.publication
    kept = ("rows", "classes", "k", "suppressed", "entity", "requirements", "policy", "kept", "rare_under")
    return {
        "@context": CONTEXT,
        "format": FORMAT,
        "file": evidence.name,
        "sha256": receipt["sha256"],
        "sha256_of": receipt.get("sha256_of", "of the file"),
        "released_on": evidence.day,
        "source_as_of": source_day(workspace, receipt["fingerprints"]["source"]),
        "review_by": facts.review_by,
        "dpv:hasRecipient": publication.recipient,
        "dpv:hasPurpose": publication.purpose,
        "dpv:hasTechnicalMeasure": MEASURE,
        "ready_to_sign": not facts.missing,
        "missing": list(facts.missing),
        **facts.vouched.as_json(),
        **{name: receipt[name] for name in kept if name in receipt},
        "class_sizes": facts.bands,
        "sensitive": facts.sensitive,
        "inferred": dict(evidence.inferred),
        "checked_against": dict(facts.earlier),
        "columns": [{name: one[name] for name in COLUMN if name in one} for one in receipt["columns"]],
        "warnings": list(receipt.get("warnings", [])),
        "for_owner_alone": owner or evidence.attacks is not None,
        **({name: evidence.owner.get(name) for name in ("utility", "remarks", OWNERS_KEY)} if owner else {}),
        **({"useless": facts.useless, "inference_gain": _unseen(workspace, evidence)} if owner else {}),
        "attacks": None if evidence.attacks is None else list(_attacks(evidence)),
        **({} if evidence.attacks is None else {"attack_notes": attack_notes(evidence.attacks)}),
        "versions": receipt["versions"],
        "fingerprints": receipt["fingerprints"],
        "written_by": f"anonduck {__version__}",
    }


def _unseen(workspace: Workspace, evidence: Evidence) -> Mapping[str, float] | None:
    """The inference gain that was measured on people who are not in the release."""
    candidate = candidate_of(workspace, evidence.owner)
    return None if candidate is None else candidate.inference


def _attacks(evidence: Evidence) -> Iterator[dict[str, Any]]:
    names = ("question", "attack", "about", "success_rate", "control_rate", "excess", "excess_normalised", "words")
    attacks, shown = evidence.attacks or {}, quasi_identifiers_of(evidence.receipt)
    for one in attacks.get("attacks", []):
        covered = covered_by_one(one, attacks)
        reach = {"covered": covered, "not_covered": [name for name in shown if name not in covered]}
        yield {name: one.get(name) for name in names} | reach
