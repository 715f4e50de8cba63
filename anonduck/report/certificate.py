"""The certificate of a release: what was required and reached, of which file, for whom, as a page to print and sign.

It may accompany the release. With the owner's file or attacks, it is for the owner only.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from anonduck.attacks.intruder_report import OWNERS_KEY
from anonduck.config.persons import PersonCounts, persons_in
from anonduck.database.private_file import write_private
from anonduck.errors import AnonduckError, ConfigError
from anonduck.privacy.chosen_values import chosen_words
from anonduck.privacy.kept_columns import kept_lines
from anonduck.release.dictionary_text import share_words
from anonduck.release.recount import refuse_recounted
from anonduck.release.script import release_query
from anonduck.release.target import ReleaseTarget
from anonduck.report.attacked import attacks_on
from anonduck.report.certificate_facts import SHOWN, Facts, certificate_document, facts_of
from anonduck.report.certificate_sections import (
    attack_findings,
    column_sections,
    intruder_findings,
    shown_section,
)
from anonduck.report.certified_utility import utility_of
from anonduck.report.evidence import Evidence, read_evidence, source_day
from anonduck.report.inferred import candidate_of, inferred_words, points, unseen_words
from anonduck.report.page import Markup, document_page, element, sheet, table, together, words
from anonduck.source.protected_files import ProtectedFiles
from anonduck.words import __version__
from anonduck.workspace import Workspace

NOT_STATED = "not stated; set publication in the config"
BLANK = "________________"
SIGNED = ("Name and role", "Place and date", "Signature")
DIGITS_SIGNED = 12
INFERENCE = "Can something be inferred about a person?"
QUESTIONS = ("Can a person be singled out?", "Can records be linked to a person?", INFERENCE)
FOR_OWNER = (
    "For the data owner alone: this page has figures that do not follow from the release, and hidden values may follow "
    "from them. Hand out a certificate without the owner's file and without attacks."
)
UNATTACKED = (
    "No attack on this release is reported here. anonduck attack tries to single out, to link and to infer; what it "
    "finds can be added to this page."
)


UNCHECKED = (
    "It was checked against no earlier release. If the same people are in another one, somebody who has both learns "
    "more than either shows."
)


def write_certificate(
    workspace: Workspace,
    release: ReleaseTarget,
    path: Path,
    *,
    attacks: Path | None = None,
    against: Sequence[Path] = (),
    owner: bool = False,
    overwrite: bool = False,
    words: Mapping[str, str | None] = MappingProxyType({}),
) -> Path:
    """Write the certificate of a released file from the receipt beside it; returns its path.

    With ``owner`` it includes the owner's file, and what attacks find, which are run now unless ``attacks``, the output
    of ``anonduck attack --json`` about the release, is given. With either, the page says that it is for the owner only.
    ``against`` are earlier releases of the same people to check it against, ``words`` what people vouch for in place of
    the config's ``reviewed`` and ``accepted_unattacked``.

    Raises:
        ReleaseError: there is no receipt, or it describes another file or other rows than the project's engine counts.
        ConfigError: the certificate, the attacks' file or one of the words cannot be used.
    """
    evidence = read_evidence(release, attacks, partial(refuse_recounted, workspace))
    _refuse_evidence(workspace, release, path, attacks)
    if owner and evidence.attacks is None:
        evidence = replace(evidence, attacks=attacks_on(workspace, evidence))
    facts = facts_of(workspace, release, evidence, against, words)
    if path.suffix.lower() == ".json":
        document = certificate_document(workspace, evidence, facts, owner=owner)
        write_private(path, json.dumps(document, indent=2, ensure_ascii=False) + "\n", overwrite=overwrite)
        workspace.reporter.announce(_readiness(facts))
        return path
    text = document_page(
        "Certificate of a release",
        title=f"certificate of {evidence.name}",
        head=element("p", f"{evidence.name}, made and audited by anonduck {evidence.receipt['versions']['anonduck']}."),
        sections=together(_sections(workspace, evidence, facts, owner)),
        foot=element("p", f"Written by anonduck {__version__} from the receipt beside the release."),
    )
    write_private(path, text, overwrite=overwrite)
    workspace.reporter.announce(_readiness(facts))
    return path


def _readiness(facts: Facts) -> str:
    """Whether the certificate can be signed, in a sentence."""
    if facts.missing:
        return f"not ready to be signed: {'; '.join(facts.missing)}"
    until = "" if facts.review_by is None else f", and holds until {facts.review_by}"
    return f"ready to be signed{until}" + ("" if facts.useless is None else f"; but {facts.useless}")


def _refuse_evidence(workspace: Workspace, release: ReleaseTarget, path: Path, attacks: Path | None) -> None:
    """Raise ConfigError if the certificate would overwrite a file of the workspace or of its own evidence."""
    documents = {release.receipt: "the receipt", release.dictionary: "the data dictionary"}
    documents[release.owner] = "the owner's file"
    rests = {release.path: "the release", **documents, **({attacks: "the attacks' report"} if attacks else {})}
    workspace.refuse_protected(path)
    ProtectedFiles(rests).refuse([path], ConfigError)


def _sections(workspace: Workspace, evidence: Evidence, facts: Facts, owner: bool) -> Iterator[Markup]:
    if owner or evidence.attacks is not None:
        yield element("p", FOR_OWNER)
    yield _section("Ready to sign" if not facts.missing else "Not ready to sign", *_standing(facts, owner))
    yield from evidence_sections(workspace, evidence, owner=owner)
    if facts.report is not None:
        yield _section("How many records look alike, counted in the file", *_counted(facts))
    yield _section("Earlier releases of the same people", *_earlier(facts))
    yield _section("Who decided, and who read it", facts.vouched.markup)
    yield _section("Decision", *_decision(workspace, evidence))


def evidence_sections(workspace: Workspace, evidence: Evidence, *, owner: bool) -> Iterator[Markup]:
    """The sections of a release: its receipt, attacks if any, and with ``owner`` the owner's file."""
    receipt = evidence.receipt
    yield _section("What was released", _released(workspace, evidence))
    yield _section("Recipient and purpose", _publication(workspace, evidence))
    yield _section("Requirements and results", _requirements(receipt), _bounded_values(receipt), _warnings(receipt))
    if owner:
        remarks = element("ul", *(element("li", remark) for remark in evidence.owner["remarks"]))
        yield _section("What it keeps (for the owner alone)", *utility_of(workspace, evidence.owner), remarks)
    yield _section("Columns", *column_sections(workspace, evidence))
    yield _section("What each column shows", *shown_section(receipt, evidence.dictionary))
    yield _section("Remaining risks", *_risks(receipt, evidence.inferred))
    if owner:
        words = unseen_words(workspace.config.class_, candidate_of(workspace, evidence.owner))
        yield _section("Inference on people who are not in it (for the owner alone)", element("p", words))
    findings = [element("p", UNATTACKED)] if not evidence.attacks else attack_findings(evidence.attacks, receipt)
    yield _section("Attacks tried", *findings)
    if owner and evidence.owner.get(OWNERS_KEY):
        yield _section("A motivated intruder (for the owner alone)", *intruder_findings(evidence.owner[OWNERS_KEY]))
    yield _section("How it was made", *_query(workspace, receipt))
    yield _section("Versions and fingerprints", _versions(receipt))


def _standing(facts: Facts, owner: bool) -> Iterator[Markup]:
    """What is missing for a signature, or that nothing is; for the owner, that models make nothing of the release; and
    until when it holds.
    """
    if facts.missing:
        yield element("ul", *(element("li", f"{one[0].upper()}{one[1:]}.") for one in facts.missing))
    else:
        yield element("p", "Every requirement is met, recipient and purpose are stated, and the config was read.")
        yield element("p", f"{facts.vouched.attacked_words[0].upper()}{facts.vouched.attacked_words[1:]}.")
    if owner and facts.useless is not None:
        yield element("p", f"{facts.useless[0].upper()}{facts.useless[1:]}.")
    if facts.review_by is not None:
        yield element("p", f"It holds until {facts.review_by}; the release has to be looked at again by then.")


def _counted(facts: Facts) -> Iterator[Markup]:
    """The classes by size, and what each sensitive column reaches, as an audit of the file finds them."""
    rows = [[f"{one['from']:,} to {one['to']:,}", f"{one['classes']:,}", f"{one['records']:,}"] for one in facts.bands]
    yield table(["records that look alike", "groups", "records in them"], rows)
    if facts.sensitive:
        reached = [
            [column, *(_number(numbers[name]) if name in numbers else "" for name in SHOWN)]
            for column, numbers in facts.sensitive.items()
        ]
        yield table(["sensitive column", *SHOWN.values()], reached)


def _earlier(facts: Facts) -> Iterator[Markup]:
    """The earlier releases that it was checked against, and what both reveal together."""
    if not facts.earlier:
        yield element("p", UNCHECKED)
    for name, found in facts.earlier.items():
        yield element("p", f"{name}: {found['words']}.")


def _section(title: str, *parts: str) -> Markup:
    return element("section", element("h2", title), *parts)


def _released(workspace: Workspace, evidence: Evidence) -> Markup:
    receipt = evidence.receipt
    day = source_day(workspace, receipt["fingerprints"]["source"])
    suppressed = receipt["suppressed"]
    return sheet(
        [
            ("Table or folder" if evidence.in_engine else "File", evidence.name),
            *([("Released on", evidence.day)] if evidence.day else []),
            *([("Source as of", day)] if day else []),
            (f"SHA-256 {receipt.get('sha256_of', 'of the file')}", receipt["sha256"]),
            _compared(evidence),
            ("Records", f"{receipt['rows']:,}"),
            *([("Records left out", f"{suppressed:,}")] if suppressed else []),
            ("Groups of records that look alike", f"{receipt['classes']:,}"),
            ("Smallest group", f"k = {receipt['k']:,}"),
            *_told(evidence),
            *_clusters(receipt),
            *_made_by(receipt),
        ]
    )


def _told(evidence: Evidence) -> Iterator[tuple[str, str]]:
    """What the groups tell of the class and of sensitive columns."""
    if evidence.inferred:
        shares = [f"{name} {share_words(one['alike'])} of the records" for name, one in evidence.inferred.items()]
        gains = [f"{name} {points(one['gain'])} points" for name, one in evidence.inferred.items()]
        yield "In groups of one value", "; ".join(shares)
        yield "Largest gain of a guess over the file's frequencies", "; ".join(gains)


def _compared(evidence: Evidence) -> tuple[str, str]:
    """Whether the release still is what its receipt describes."""
    if evidence.counted_by:
        return "Compared with the current rows", f"equal; {evidence.counted_by} counted them again"
    if evidence.in_engine:
        return "Compared with the current rows", "not compared: they are in an engine; its certificate compares them"
    return "Compared with the current file", "equal" if evidence.compared else "not compared: it is a table"


def _clusters(receipt: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The size of the clusters in which values were swapped, which the groups of the file do not show."""
    if _swapped(receipt):
        yield "Clusters in which values were swapped", f"of at least {_swapped(receipt):,} records"


def _swapped(receipt: Mapping[str, Any]) -> int:
    """The smallest cluster in which values were swapped; 0 without swaps."""
    return int((receipt.get("method") or {}).get("model", {}).get("probabilistic_k", 0))


def _made_by(receipt: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The rule, with the method that found it; for other recodings, the method in the receipt."""
    rule, made_by = receipt["rule"], receipt.get("method", {}).get("words", "")
    if rule is not None:
        yield "Rule", (f"{rule['id']}: " if rule["id"] else "") + rule["literal"]
    if made_by:
        yield "Method" if rule is None else "Rule found by", made_by
    if attacks := receipt.get("method", {}).get("attacks"):
        yield "Known attacks", attacks


def _publication(workspace: Workspace, evidence: Evidence) -> Markup:
    publication = workspace.config.publication
    stated = [("Recipient", publication.recipient or NOT_STATED), ("Purpose", publication.purpose or NOT_STATED)]
    return sheet([*stated, *_policy(evidence)])


def _policy(evidence: Evidence) -> Iterator[tuple[str, str]]:
    """The policy that the release stands under, and the day by which it has to be looked at again."""
    stands_under = evidence.receipt.get("policy")
    if stands_under is None:
        return
    yield "Audience", stands_under["audience"]
    floors = ", ".join(f"{name} {_number(floor)}" for name, floor in stands_under["floors"].items())
    yield "Policy", f"{stands_under['file']} (SHA-256 {stands_under['sha256'][:DIGITS_SIGNED]}…) asks for {floors}"
    if (days := stands_under["review_days"]) is not None:
        yield "To be reviewed", f"{days:,} days after the release"


def _requirements(receipt: Mapping[str, Any]) -> Markup:
    rows = [
        [
            line["name"],
            f"{'at most' if line.get('at_most') else 'at least'} {_number(line['required'])}",
            ("at least " if line.get("at_least") else "")
            + _number(line["reached"])
            + (f" (column {line['attribute']})" if "attribute" in line else ""),
            "met" if line["met"] else "NOT met",
            _note(line),
        ]
        for line in receipt["requirements"]
    ]
    persons = (
        [element("p", f"{line}.") for line in PersonCounts.of(receipt["entity"]).lines] if _persons(receipt) else []
    )
    kept = [element("p", f"{line}.") for line in kept_lines(receipt)]
    return together([table(["measure", "required", "reached", "result", "note"], rows), *persons, *kept])


def _note(line: Mapping[str, Any]) -> str:
    if line.get("by_policy"):
        return "by the sensitive values of the policy"
    return f"lowered from {_number(line['configured'])}" if line["lowered"] else ""


def _persons(receipt: Mapping[str, Any]) -> int:
    """The persons who are certain to be in the smallest group; 0 if records stand for persons."""
    entity = receipt.get("entity")
    return persons_in(receipt["k"], entity["at_most"]) if entity else 0


def _bounded_values(receipt: Mapping[str, Any]) -> Markup:
    """The released sensitive values that bounds of single values count."""
    rows = [
        (f"Values of {name} checked by alpha, lkc, beta and delta_disclosure", chosen_words(given))
        for name, given in receipt.get("sensitive_values", {}).items()
    ]
    return sheet(rows) if rows else together([])


def _warnings(receipt: Mapping[str, Any]) -> Markup:
    return element("ul", *(element("li", warning) for warning in receipt.get("warnings", [])))


def _risks(receipt: Mapping[str, Any], inferred: Mapping[str, Mapping[str, float]]) -> Iterator[Markup]:
    columns = [one["name"] for one in receipt["columns"] if one["role"] == "quasi-identifier"]
    kept = [one["name"] for one in receipt["columns"] if one["role"] in ("sensitive", "insensitive")]
    sensitive = [one["name"] for one in receipt["columns"] if one["role"] == "sensitive"]
    privacy = [line for line in receipt["requirements"] if line["name"] not in ("k", "suppression")]
    k, sentences = receipt["k"], words()
    persons = _persons(receipt) or k
    values = {
        "persons": f"{persons:,}",
        "at_most": f"{receipt['entity']['at_most']:,}" if "entity" in receipt else "1",
        "k": f"{persons:,}",
        "others": f"{k - 1:,}",
        "columns": ", ".join(columns),
        "kept": ", ".join(kept),
        "highest": f"{100 / persons:.2f} %",
        "average": f"{100 * receipt['classes'] / receipt['rows']:.2f} %",
        "sensitive": ", ".join(sensitive),
        "privacy": ", ".join(f"{line['name']} {_number(line['reached'])}" for line in privacy),
    }

    swapped = _swapped(receipt)
    values["cluster"] = f"{swapped:,}"
    if swapped:
        asked: list[tuple[str, ...]] = [("singling_out_swapped",), ("linkability_swapped",), ("inference_swapped",)]
    else:
        alike = "singling_out" if persons == k else "singling_out_persons"
        singling = (alike if persons > 1 else "singling_out_one", *(["singling_out_kept"] if kept else []))
        measured = ["inference_measured"] if privacy else ["inference_unmeasured"] if sensitive else []
        asked = [singling, ("linkability",), ("inference", *measured)]
    told = list(inferred_words(inferred))
    for question, names in zip(QUESTIONS, asked, strict=True):
        answers = [*(told if question == INFERENCE else []), *(sentences[name].format_map(values) for name in names)]
        parts = [element("p", words) for words in answers]
        yield element("div", element("h3", question), *parts, class_="question")
    yield element("h3", "Known limits of the method")
    yield element("ul", *(element("li", limit) for limit in sentences["limits"]))


def _query(workspace: Workspace, receipt: Mapping[str, Any]) -> Iterator[Markup]:
    if receipt["rule"] is None:
        yield element("p", f"The release was made by {receipt['method']['words']}, which no single query does again.")
        return
    named = receipt["rule"]["levels"]
    quasi = [one.get("of", one["name"]) for one in receipt["columns"] if one["role"] == "quasi-identifier"]
    at_root = [name for name in quasi if name not in named]
    own = [line for line in receipt["requirements"] if not line.get("by_policy")]
    required = {"suppression": 0.0} | {line["name"]: line["required"] for line in own}
    try:
        text = release_query(
            workspace,
            named,
            required=required,
            fingerprints=receipt["fingerprints"]["taxonomies"],
            keep_roots=bool(at_root),
            unmapped=receipt.get("unknown_values", workspace.config.unmapped),
        )
    except AnonduckError as error:
        yield element("p", f"Its SQL can no longer be written: {error}.")
        return
    yield element(
        "p",
        "The release is the result of this query on the source. Its lookup tables hold values of the source and stay "
        "in the decision database; anonduck sql writes them too.",
    )
    if len(set(quasi)) < len(quasi):
        yield element("p", "The query shows ranges as texts, of which the release has the ends as columns.")
    yield element("pre", text, class_="long")


def _versions(receipt: Mapping[str, Any]) -> Markup:
    fingerprints = receipt["fingerprints"]
    taxonomies = [(f"Taxonomy of {name}", digest) for name, digest in fingerprints["taxonomies"].items()]
    versions = ", ".join(f"{name} {version}" for name, version in receipt["versions"].items())
    return sheet(
        [
            ("Versions", versions),
            ("Fingerprints", fingerprints["algorithm"]),
            ("Source", str(fingerprints["source"])),
            *taxonomies,
        ]
    )


def _decision(workspace: Workspace, evidence: Evidence) -> Iterator[Markup]:
    """The sentences to sign, and who signs them."""
    publication = workspace.config.publication
    recipient, purpose = publication.recipient or BLANK, publication.purpose or BLANK
    digest = evidence.receipt["sha256"][:DIGITS_SIGNED]
    named = f"{evidence.name} (SHA-256 {digest}…)"
    yield _signed(
        f"I have read this certificate. I decide that {named} may be given to {recipient}, for this purpose: "
        f"{purpose}. I accept the risks that remain.",
        "Data owner",
    )
    yield _signed("I have checked this certificate and know of no reason against it.", "Reviewed by")
    yield _signed(
        f"I have received {named}. I use it for that purpose alone, join it to nothing that could identify people, "
        "try to identify nobody, and pass it on to nobody.",
        "Received by",
    )


def _signed(sentence: str, who: str) -> Markup:
    """A sentence with lines for a signature."""
    lines = element("div", *(element("div", line) for line in SIGNED), class_="signatures")
    return element("div", element("h3", who), element("p", sentence), lines, class_="signed")


def _number(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {_number(one)}" for name, one in value.items())
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return "" if value is None else str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"
