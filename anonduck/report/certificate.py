"""The certificate of a release: what was asked and reached, of which file, for whom, as a page to print and to sign."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from anonduck.database.private_file import write_private
from anonduck.errors import AnonduckError, ConfigError
from anonduck.privacy.chosen_values import chosen_words
from anonduck.release.script import release_query
from anonduck.release.target import ReleaseTarget
from anonduck.report.attack_findings import attack_findings
from anonduck.report.contents import words
from anonduck.report.dictionary_section import dictionary_section
from anonduck.report.evidence import Evidence, read_evidence
from anonduck.report.markup import Markup, element, sheet, table, together
from anonduck.report.page import filled, policy, web
from anonduck.report.utility_tables import measured
from anonduck.source.protected_files import ProtectedFiles
from anonduck.version import __version__
from anonduck.workspace import Workspace

MOST_LABELS = 40
NOT_STATED = "not stated; set publication in the config"


def write_certificate(
    workspace: Workspace, release: ReleaseTarget, path: Path, *, attacks: Path | None = None, overwrite: bool = False
) -> Path:
    """Write the certificate of a released file from the receipt beside it; returns its path.

    ``attacks`` is what ``anonduck attack --json`` printed about the release. Raises ReleaseError if there is no receipt
    or it describes another file, and ConfigError if the certificate or the attacks' file cannot be used.
    """
    evidence = read_evidence(release, attacks)
    _refuse_evidence(workspace, release, path, attacks)
    text = filled(
        "certificate.html",
        title=html.escape(f"certificate of {evidence.name}"),
        policy=policy([]),
        style=web("page.css"),
        head=element("p", f"{evidence.name}, made and audited by anonduck {evidence.receipt['versions']['anonduck']}."),
        sections=together(_sections(workspace, evidence)),
        foot=element("p", f"Written by anonduck {__version__} from the receipt beside the release."),
    )
    write_private(path, text, overwrite=overwrite)
    return path


def _refuse_evidence(workspace: Workspace, release: ReleaseTarget, path: Path, attacks: Path | None) -> None:
    """Raise ConfigError if the certificate would replace what the workspace, or the certificate itself, stands on."""
    documents = {release.receipt: "the receipt", release.dictionary: "the data dictionary"}
    rests = {release.path: "the release", **documents, **({attacks: "the attacks' report"} if attacks else {})}
    workspace.refuse_protected(path)
    ProtectedFiles(rests).refuse([path], ConfigError)


def _sections(workspace: Workspace, evidence: Evidence) -> Iterator[Markup]:
    yield from evidence_sections(workspace, evidence)
    yield _section("Decision", _signatures())


def evidence_sections(workspace: Workspace, evidence: Evidence) -> Iterator[Markup]:
    """What a receipt, and attacks if some were tried, tell of a release."""
    receipt = evidence.receipt
    yield _section("What was released", _released(evidence))
    yield _section("Recipient and purpose", _publication(workspace))
    yield _section("Requirements and results", _requirements(receipt), _bounded_values(receipt), _warnings(receipt))
    if receipt.get("expected") or receipt.get("in_sample"):
        yield _section("Model accuracy", *_models(receipt))
    if receipt.get("utility"):
        yield _section("What it keeps", *measured(receipt["utility"]))
    yield _section("Columns", _columns(receipt), _left_out(workspace, receipt))
    if evidence.dictionary is not None:
        yield _section("Groups of values", *dictionary_section(evidence.dictionary))
    yield _section("Remaining risks", *_risks(workspace, receipt))
    if evidence.attacks is not None:
        yield _section("Attacks tried", *attack_findings(evidence.attacks))
    yield _section("How it was made", *_query(workspace, receipt))
    yield _section("Versions and fingerprints", _versions(receipt))


def _section(title: str, *parts: str) -> Markup:
    return element("section", element("h2", title), *parts)


def _released(evidence: Evidence) -> Markup:
    receipt = evidence.receipt
    suppressed = receipt["suppressed"]
    return sheet(
        [
            ("File", evidence.name),
            (f"SHA-256 {receipt.get('sha256_of', 'of the file')}", receipt["sha256"]),
            ("Compared with the current file", "equal" if evidence.compared else "not compared: it is a table"),
            ("Records", f"{receipt['rows']:,}"),
            *([("Records left out", f"{suppressed:,}")] if suppressed else []),
            ("Groups of records that look alike", f"{receipt['classes']:,}"),
            ("Smallest group", f"k = {receipt['k']:,}"),
            *_made_by(receipt),
        ]
    )


def _made_by(receipt: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The rule, with the method that found it if one did; for any other kind of recoding what its receipt says."""
    rule, told = receipt["rule"], receipt.get("method", {}).get("words", "")
    if rule is not None:
        yield "Rule", (f"{rule['id']}: " if rule["id"] else "") + rule["literal"]
    if told:
        yield "Method" if rule is None else "Rule found by", told


def _publication(workspace: Workspace) -> Markup:
    told = workspace.config.publication
    return sheet([("Recipient", told.recipient or NOT_STATED), ("Purpose", told.purpose or NOT_STATED)])


def _requirements(receipt: Mapping[str, Any]) -> Markup:
    rows = [
        [
            line["name"],
            f"{'at most' if line.get('at_most') else 'at least'} {_number(line['required'])}",
            _number(line["reached"]) + (f" (column {line['attribute']})" if "attribute" in line else ""),
            "met" if line["met"] else "NOT met",
            f"lowered from {_number(line['configured'])}" if line["lowered"] else "",
        ]
        for line in receipt["requirements"]
    ]
    return table(["measure", "required", "reached", "", "note"], rows)


def _models(receipt: Mapping[str, Any]) -> Iterator[Markup]:
    """What models are expected to reach on others, and what they reached on the records that the rule was found on."""
    expected, seen = receipt.get("expected") or {}, receipt.get("in_sample") or {}
    rows = [
        [
            model,
            _with_error(expected.get(model)),
            _with_error((expected.get(model) or {}).get("baseline")),
            _with_error(seen.get(model)),
        ]
        for model in dict.fromkeys([*expected, *seen])
    ]
    yield table(["model", "expected accuracy", "baseline (ungeneralized)", "in-sample accuracy"], rows)
    for protocol in dict.fromkeys(one["protocol"] for one in expected.values()):
        yield element("p", f"Expected accuracy is that on unseen records, measured by {protocol}.")
    yield element(
        "p",
        "In-sample accuracy is measured on the records that the release was made of, and so is too optimistic."
        + ("" if expected else " Accuracy on unseen records was not measured."),
    )


def _with_error(score: Mapping[str, Any] | None) -> str:
    if not score or score["accuracy"] is None:
        return ""
    error = score.get("error")
    return f"{score['accuracy']:.4f}" + ("" if error is None else f" +- {error:.4f}")


def _bounded_values(receipt: Mapping[str, Any]) -> Markup:
    """The sensitive values that bounds of single values count, of those that are released."""
    rows = [
        (f"Values of {name} checked by alpha, lkc, beta and delta_disclosure", chosen_words(given))
        for name, given in receipt.get("sensitive_values", {}).items()
    ]
    return sheet(rows) if rows else together([])


def _warnings(receipt: Mapping[str, Any]) -> Markup:
    return element("ul", *(element("li", warning) for warning in receipt.get("warnings", [])))


def _columns(receipt: Mapping[str, Any]) -> Markup:
    return table(["column", "role", "level", "taxonomy", "labels"], [_column(one) for one in receipt["columns"]])


def _column(column: Mapping[str, Any]) -> list[str]:
    if column["role"] != "quasi-identifier":
        return [column["name"], column["role"], "", "", column["words"]]
    labels = column.get("labels")
    if labels is None:
        shown = column.get("words", "")
    else:
        more = len(labels) - MOST_LABELS + column.get("labels_omitted", 0)
        shown = ", ".join("no value" if label is None else str(label) for label in labels[:MOST_LABELS])
        shown += f" and {more:,} more" if more > 0 else ""
    level = _level(column) if "levels" in column else ""
    return [column["name"], column["role"], level, column.get("taxonomy", ""), shown]


def _level(column: Mapping[str, Any]) -> str:
    """The level of a column, or the levels of its nodes, of all that there are; and whether it has free intervals."""
    at_levels = column.get("at_levels", {})
    numbers = [level for level in at_levels if level != "intervals"] if column["level"] is None else [column["level"]]
    free = ["free intervals"] if "intervals" in at_levels else []
    return " and ".join([*([f"{', '.join(map(str, numbers))} of {column['levels']}"] if numbers else []), *free])


def _left_out(workspace: Workspace, receipt: Mapping[str, Any]) -> Markup:
    held = {column["name"] for column in receipt["columns"]}
    named = [name for name in workspace.config.quasi_identifiers or [] if name not in held]
    parts = [("Quasi-identifiers left out", named), ("Never released", workspace.config.identifiers)]
    return sheet([(words, ", ".join(names)) for words, names in parts if names])


def _risks(workspace: Workspace, receipt: Mapping[str, Any]) -> Iterator[Markup]:
    counted = receipt.get("k_counts", [])
    columns = [one["name"] for one in receipt["columns"] if one["role"] in ("quasi-identifier", *counted)]
    kept = [one["name"] for one in receipt["columns"] if one["role"] in ("sensitive", "insensitive")]
    sensitive = [one["name"] for one in receipt["columns"] if one["role"] == "sensitive"]
    privacy = [line for line in receipt["requirements"] if line["name"] not in ("k", "suppression")]
    k = receipt["k"]
    told = words()
    values = {
        "k": f"{k:,}",
        "others": f"{k - 1:,}",
        "columns": ", ".join(columns),
        "kept": ", ".join(kept),
        "highest": f"{100 / k:.2f} %",
        "average": f"{100 * receipt['classes'] / receipt['rows']:.2f} %",
        "sensitive": ", ".join(sensitive),
        "privacy": ", ".join(f"{line['name']} {_number(line['reached'])}" for line in privacy),
    }

    swapped = receipt["method"].get("clusters") if receipt["method"] else None
    if swapped:
        values |= {"cluster": f"{receipt['method']['smallest']:,}", "one_class": f"{receipt['method']['one_class']:,}"}
        values["clusters"] = f"{swapped:,}"

    def said(*names: str) -> list[Markup]:
        return [element("p", told[name].format_map(values)) for name in names]

    if swapped:
        yield _question("Can a person be singled out?", *said("singling_out_swapped"))
        yield _question("Can records be linked to a person?", *said("linkability_swapped"))
        yield _question("Can something be inferred about a person?", *said("inference_swapped"))
        yield element("h4", "Known limits of the method")
        yield element("ul", *(element("li", limit) for limit in told["limits"]))
        return
    singling = ["singling_out" if k > 1 else "singling_out_one", *(["singling_out_kept"] if kept else [])]
    measured = ["inference_measured"] if privacy else ["inference_unmeasured"] if sensitive else []
    yield _question("Can a person be singled out?", *said(*singling))
    yield _question("Can records be linked to a person?", *said("linkability"))
    yield _question("Can something be inferred about a person?", *said("inference", *measured))
    yield element("h4", "Known limits of the method")
    yield element("ul", *(element("li", limit) for limit in told["limits"]))


def _question(title: str, *parts: Markup) -> Markup:
    return element("div", element("h4", title), *parts, class_="question")


def _query(workspace: Workspace, receipt: Mapping[str, Any]) -> Iterator[Markup]:
    if receipt["rule"] is None:
        yield element("p", f"The release was made by {receipt['method']['words']}, which no single query does again.")
        return
    held = [one for one in receipt["columns"] if one["level"] is not None]
    try:
        text = release_query(
            workspace,
            receipt["rule"]["levels"],
            label_k=max((line["required"] for line in receipt["requirements"] if line["name"] == "k"), default=1),
            fingerprints=receipt["fingerprints"]["taxonomies"],
            keep_roots=any(one["level"] == one["levels"] for one in held),
            unmapped="root" if receipt["unmapped"] else workspace.config.unmapped,
        )
    except AnonduckError as error:
        yield element("p", f"Its SQL can no longer be written: {error}.")
        return
    yield element(
        "p",
        "The release is the result of this query on the source. Its lookup tables hold values of the source and stay "
        "in the decision database; anonduck sql writes them too.",
    )
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


def _signatures() -> Markup:
    roles: Sequence[str] = ("Data owner, date", "Reviewed by, date", "Received by, date")
    return element("div", *(element("div", role) for role in roles), class_="signatures")


def _number(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {_number(one)}" for name, one in value.items())
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return "" if value is None else str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"
