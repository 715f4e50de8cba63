"""What the report says of one release: of the file that it stands beside, or else of what is recommended.

Of a file, all of it comes from the file and its documents, whatever made it. Of a rule or another candidate that was
not written, what is known of it stands here, and what only a file shows is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from anonduck.init.profile import rare_records
from anonduck.methods.method import PROTECTS
from anonduck.methods.registry import METHODS
from anonduck.offer.candidates import Candidate, learner_of
from anonduck.privacy.kept_columns import LEAST, KeptColumns, kept_lines
from anonduck.release.handed_out import AT_ROOT
from anonduck.release.release import Release
from anonduck.report.class_sizes import class_sizes
from anonduck.report.example_rows import FileLabels, rows_by_labels, rows_by_rule
from anonduck.report.inferred import inferred_in, shows_classes
from anonduck.report.left_out import left_out_of
from anonduck.rules.rule import Rule, literal
from anonduck.search.freshness import can_be_opened
from anonduck.search.store import StoredDiscovery
from anonduck.taxonomy.paths import LOOKUP
from anonduck.words import counted
from anonduck.workspace import Workspace

QUASI_IDENTIFIER, AS_IT_IS = "quasi-identifier", "as it is"
SWAPPED, TYPICAL, RANGES, DISTRIBUTIONS = "swapped", "typical", "ranges", "distributions"


@dataclass(frozen=True)
class Beside:
    """The release that a report stands beside, the candidate that it is, if any, and what is expected of it by model.

    ``reason`` says why it was taken.
    """

    release: Release
    candidate: Candidate | None = None
    expected: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    reason: str = ""


def of_release(workspace: Workspace, beside: Beside, stored: StoredDiscovery | None) -> dict[str, Any]:
    """What is said of a written release, as JSON.

    ``id`` and ``called`` name what made it, ``file`` the file. ``columns`` are the quasi-identifiers that it shows,
    each with how it shows its values, ``hidden`` those that it does not. ``local`` says whether records with one value
    may have several labels. ``alike`` has by column of the class and of sensitive values the classes, and the records,
    that have one value of it in common; None where no file can be read.
    """
    made, receipt = beside.release, beside.release.receipt
    columns, levels = receipt["columns"], (receipt["rule"] or {}).get("levels")
    shows = _shows(receipt)
    spread = "class" if shows == DISTRIBUTIONS else None  # which shows how often a value occurs
    kept = [one for one in columns if one["role"] not in (QUASI_IDENTIFIER, spread)]
    counts = [one["name"] for one in columns if one["role"] == QUASI_IDENTIFIER]
    known = _known_columns(made)
    return {
        "file": receipt["file"],
        **_named(made.owner, beside.candidate),
        "reason": beside.reason,
        "shows": shows,
        "local": _is_local(receipt),
        "records": made.rows,
        "k": made.k,
        "cluster": int((receipt.get("method") or {}).get("model", {}).get("probabilistic_k", 0)),
        "classes": made.classes,
        "suppressed": made.suppressed,
        "requirements": [
            {
                name: line[name]
                for name in ("name", "required", "reached", "met", "at_most", "attribute")
                if name in line
            }
            for line in receipt["requirements"]
        ],
        "entity": made.owner.get("entity"),
        "counted": counts,
        "columns": [{"name": name, "how": one.how} for name, one in known.items()],
        "hidden": [name for name in workspace.roles.quasi_identifiers if name not in known],
        "class": workspace.config.class_,
        "kept": [one["name"] for one in kept],
        "kept_lines": kept_lines(receipt),
        "identifiers": _identifiers(workspace),
        "warnings": list(receipt.get("warnings", [])),
        "examples": _examples(workspace, known, levels),
        "left_out": left_out_of(workspace, stored, levels, made.suppressed),
        "groups_left_out": made.owner.get("subgroups"),
        "alike": _alike(made),
        **_scores(beside.candidate, beside.expected),
    }


def of_rule(workspace: Workspace, stored: StoredDiscovery, rule: Rule, expected: Mapping[str, Any]) -> dict[str, Any]:
    """The same of a rule that was not written."""
    k = workspace.config.requirement.k
    made = workspace.taxonomies
    taxonomies = {name: made[name] for name in stored.settings["nodes"]}
    columns = [
        {"name": name, "how": _grouped(level, taxonomies[name].nodes[level])} for name, level in rule.levels.items()
    ]
    return _unwritten(workspace, stored, rule.measures.k, list(rule.levels)) | {
        "id": rule.id,
        "called": literal(rule.levels),
        "made": f"the rule {literal(rule.levels)}: {PROTECTS['levels']}",
        "levels": dict(rule.levels),
        "records": stored.summary["rows"] - rule.measures.suppressed,
        "classes": rule.measures.classes,
        "suppressed": rule.measures.suppressed,
        "columns": columns,
        "examples": rows_by_rule(workspace.database, taxonomies, rule.levels, k),
        "left_out": left_out_of(workspace, stored, rule.levels, rule.measures.suppressed),
        "alike": _alike_of_rule(workspace, stored, rule),
        **_scores(None, expected),
    }


def of_candidate(
    workspace: Workspace, stored: StoredDiscovery, one: Candidate, expected: Mapping[str, Any]
) -> dict[str, Any]:
    """The same of a candidate that is no rule; what a record shows of its columns only a release tells."""
    return _unwritten(workspace, stored, one.k, one.columns) | {
        "id": one.id,
        "called": one.words,
        "made": f"{one.words}: {PROTECTS[one.kind]}",
        "levels": None,
        "shows": one.shows,
        "records": stored.summary["rows"] - one.suppressed,
        "cluster": one.k if one.shows == SWAPPED else 0,
        "classes": one.classes,
        "suppressed": one.suppressed,
        "columns": [
            {"name": name, "how": f"({100 * one.detail_by_column[name]:.1f} % of its detail)"} for name in one.columns
        ],
        "groups_left_out": one.subgroups,
        **_scores(one, expected),
    }


def _unwritten(workspace: Workspace, stored: StoredDiscovery, k: int, shown: Sequence[str]) -> dict[str, Any]:
    """What is said of each recoding that was not written."""
    config = workspace.config
    classes = [stored.settings["class"]] if stored.has_class else []
    return {
        "file": None,
        "reason": "",
        "shows": RANGES,
        "local": False,
        "k": k,
        "cluster": 0,
        "requirements": [
            {"name": "k", "required": config.requirement.k, "reached": k, "met": k >= config.requirement.k}
        ],
        "entity": stored.summary.get("entity"),
        "counted": list(shown),
        "hidden": [name for name in stored.settings["nodes"] if name not in shown],
        "class": next(iter(classes), None),
        "kept": [*classes, *config.sensitive, *config.insensitive],
        "kept_lines": _kept_lines(workspace, stored),
        "identifiers": _identifiers(workspace),
        "warnings": [],
        "examples": None,
        "left_out": [],
        "groups_left_out": None,
        "alike": None,
    }


def _kept_lines(workspace: Workspace, stored: StoredDiscovery) -> list[str]:
    """Which values of kept columns are rare among all records, as sentences without a stop."""
    if not can_be_opened(workspace):
        return ["kept columns: not measured, because the source cannot be opened"]
    k = workspace.config.requirement.k
    names = [*([stored.settings["class"]] if stored.has_class else []), *workspace.roles.kept]
    rare = rare_records(workspace.source.engine, names, k=max(k, LEAST), entity=None)
    return KeptColumns(rare, max(k, LEAST)).lines


def _identifiers(workspace: Workspace) -> list[str]:
    return [*workspace.config.left_out, *workspace.config.drop]


def _named(receipt: Mapping[str, Any], candidate: Candidate | None) -> dict[str, Any]:
    """What made a release: its id, what it is called, and what that promises, in words."""
    rule, method = receipt["rule"], receipt.get("method") or {}
    if rule is not None:
        found_by = f", found by {method['name']}" if method.get("words") else ""
        made = f"the rule {rule['literal']}{found_by}: {PROTECTS['levels']}"
        return {"id": rule["id"], "called": rule["literal"], "made": made, "levels": rule["levels"]}
    shows = _shows(receipt)
    beside = f", {shows} values" if shows == TYPICAL or (shows == SWAPPED and "recoding" in receipt) else ""
    called = f"{method['name']}{beside}" if candidate is None else candidate.words
    identifier = None if candidate is None else candidate.id
    return {"id": identifier, "called": called, "made": method["words"], "levels": None}


def _is_local(receipt: Mapping[str, Any]) -> bool:
    """Whether records with one value may have several labels, as their classes were made one by one."""
    method = METHODS.get((receipt.get("method") or {}).get("name", ""))
    return receipt["rule"] is None and (method is None or method.recoding != "cuts")


def _shows(receipt: Mapping[str, Any]) -> str:
    """What the cells of a release are: ranges, typical values, swapped values, or those of distributions."""
    model = (receipt.get("method") or {}).get("model", {})
    if "probabilistic_k" in model:
        return SWAPPED
    if "non_homogeneous_k" in model:
        return DISTRIBUTIONS
    return str((receipt.get("recoding") or {}).get("shows", RANGES))


# -- columns -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class KnownColumn:
    """A quasi-identifier that a file shows: its entries in the receipt, two of ranges by their ends; the labels that
    the dictionary lists, and how many more it counts."""

    name: str
    entries: Sequence[Mapping[str, Any]]
    groups: Sequence[Mapping[str, Any]] = ()
    omitted: int = 0

    @property
    def how(self) -> str:
        """How the column shows its values, in words after its name."""
        (entry, *_), many = self.entries, len(self.groups) + self.omitted
        if entry.get("words") == AT_ROOT:
            return "with one label for all records"
        if "bound" in entry:
            return "by the ends of ranges"
        if "block" in entry:
            return "by values that changed places between similar records"
        if entry.get("shows") == TYPICAL:
            return "by typical values"
        if entry["level"] == 0 or set(entry.get("at_levels", ())) == {"0"}:
            return AS_IT_IS
        return f"in {counted(many, 'label', 'labels')}" if many else ""

    @property
    def _names(self) -> str:
        return " and ".join(entry["name"] for entry in self.entries)

    @property
    def labels(self) -> FileLabels:
        """The labels with what they stand for; of a column whose labels stand for no values, what stands in a cell."""
        (entry, *_) = self.entries
        words = (
            f"between {self._names}"
            if "bound" in entry
            else "a value of a similar record"
            if "block" in entry
            else "the typical value of a class"
            if entry.get("shows") == TYPICAL
            else ""
        )
        records = {one["label"]: one.get("records", 0) for one in self.groups}
        return FileLabels(records, {one["label"]: one.get("members", ()) for one in self.groups}, words)


def _known_columns(made: Release) -> dict[str, KnownColumn]:
    """The quasi-identifiers that a file shows, by receipt and dictionary."""
    entries: dict[str, list[Mapping[str, Any]]] = {}
    for entry in made.receipt["columns"]:
        if entry["role"] == QUASI_IDENTIFIER:
            entries.setdefault(entry.get("of", entry["name"]), []).append(entry)
    described = {one["name"]: one for one in (made.dictionary or {"columns": ()})["columns"]}
    return {
        name: KnownColumn(
            name,
            several,
            [one for one in described.get(name, {}).get("groups", ()) if one["label"] is not None],
            described.get(name, {}).get("groups_omitted", 0),
        )
        for name, several in entries.items()
    }


def _grouped(level: int, groups: int) -> str:
    """How a level of a column is shown, in words."""
    return AS_IT_IS if level == 0 else f"in {counted(groups, 'group', 'groups')}"


def _examples(
    workspace: Workspace, known: Mapping[str, KnownColumn], levels: Mapping[str, int] | None
) -> dict[str, Any] | None:
    """Made-up rows before and after; None where the decision database has no values of the columns."""
    database, k = workspace.database, workspace.config.requirement.k
    held, made = database.types_in(LOOKUP), workspace.taxonomies
    quasi = workspace.roles.quasi_identifiers
    taxonomies = {name: made[name] for name in quasi if name in held and name in made}
    if not set(known) <= set(taxonomies):
        return None
    if levels is not None:
        return rows_by_rule(database, taxonomies, levels, k)
    return rows_by_labels(database, taxonomies, {name: one.labels for name, one in known.items()}, k)


# -- what the classes of a file have in common -------------------------------------------------------------------------


def _alike(made: Release) -> list[dict[str, Any]] | None:
    """By column the classes, and their records, that have one value of it in common; None where classes show nothing,
    or the file is in an engine."""
    if "sha256_columns" in made.receipt or not shows_classes(made.receipt):
        return None
    found = inferred_in(made.target, made.receipt)
    return [{"column": name, "classes": one["classes"], "records": one["records"]} for name, one in found.items()]


def _alike_of_rule(workspace: Workspace, stored: StoredDiscovery, rule: Rule) -> list[dict[str, Any]] | None:
    """The same of the class by a rule that was not written."""
    sizes = class_sizes(workspace, stored, [rule]).get(rule.id)
    if not sizes or not stored.has_class:
        return None
    classes, records = (sum(row[at] for row in sizes) for at in (3, 4))
    return [{"column": stored.settings["class"], "classes": classes, "records": records}]


# -- what models find --------------------------------------------------------------------------------------------------


def _scores(candidate: Candidate | None, expected: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The score to expect of the model that is named first, and what is guessed of people in the release, where that
    was measured."""
    learner = learner_of(expected)
    score = expected.get(learner)
    return {
        "learner": learner or None,
        "expected": None if score is None else dict(score),
        "inference": None if candidate is None else candidate.inference,
    }
