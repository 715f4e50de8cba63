"""Sections that certificate and report share: released columns, the data dictionary, attacks; and whether the decision
database still holds what the release was made with.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from anonduck.database.connection import Database
from anonduck.database.fingerprints import fingerprint_key, text_fingerprint
from anonduck.errors import AnonduckError
from anonduck.release.dictionary_text import share_words
from anonduck.release.handed_out import AT_ROOT
from anonduck.release.shown_values import label_rows
from anonduck.release.value_groups import ITSELF, MISSING
from anonduck.report.coverage import covered_by_one, quasi_identifiers_of
from anonduck.report.evidence import Evidence
from anonduck.report.page import Markup, element, sheet, table
from anonduck.rules.rule import Rule
from anonduck.search.store import StoredDiscovery
from anonduck.taxonomy.catalog import Taxonomy, digests, stored_taxonomies
from anonduck.words import counted
from anonduck.workspace import Workspace

KINDS = {
    "intervals": "intervals",
    "clusters": "clusters of values that go together",
    "computed": "computed from the value",
    "file": "as given",
}
"""What a taxonomy is, by its kind in the register."""
MOST_ROWS = 20
RARER = "rarer value"


def column_sections(workspace: Workspace, evidence: Evidence) -> Iterator[Markup]:
    """The section "Columns": a table of the released columns, and the names of the others."""
    receipt = evidence.receipt
    taxonomies = same_taxonomies(workspace.database, receipt)
    rows = [_column(one, taxonomies.get(one.get("of", one["name"]))) for one in receipt["columns"]]
    yield table(["column", "role", "level", "taxonomy", "shows"], rows)
    yield _not_released(workspace, receipt)


def _column(column: Mapping[str, Any], taxonomy: Taxonomy | None) -> list[str]:
    many = sum(1 for _ in label_rows(column)) + column.get("labels_omitted", 0) + column.get("rarer_values", 0)
    shown = "; ".join(filter(None, [column.get("words", ""), counted(many, "value", "values") if many else ""]))
    if column["role"] != "quasi-identifier":
        return [column["name"], column["role"], "", "", shown]
    level = _level(column) if "taxonomy" in column else ""
    return [column["name"], column["role"], level, taxonomy_words(column.get("taxonomy", ""), taxonomy), shown]


def taxonomy_words(kind: str, taxonomy: Taxonomy | None) -> str:
    """What a taxonomy is: its origin if the decision database still has it, else its kind."""
    named = KINDS.get(kind, kind)
    if taxonomy is None or not taxonomy.origin:
        return named
    if taxonomy.origin.startswith(kind):
        return taxonomy.origin
    return f"{named}: {taxonomy.origin}"


def _level(column: Mapping[str, Any]) -> str:
    """The level of a column, or the levels of its nodes, and whether it has free intervals."""
    if column.get("words") == AT_ROOT:
        return "root (one label for all records)"
    at_levels = column.get("at_levels", {})
    numbers = [level for level in at_levels if level != "intervals"] if column["level"] is None else [column["level"]]
    free = ["free intervals"] if "intervals" in at_levels else []
    levels = [", ".join(map(str, numbers))] if numbers else []
    return " and ".join([*levels, *free])


def _not_released(workspace: Workspace, receipt: Mapping[str, Any]) -> Markup:
    held = {column.get("of", column["name"]) for column in receipt["columns"]}
    absent = [name for name in _quasi_identifiers(workspace) if name not in held]
    parts = [
        ("Columns that are not in it", absent),
        ("Never released", [*workspace.config.left_out, *workspace.config.drop]),
    ]
    return sheet([(words, ", ".join(names)) for words, names in parts if names])


def _quasi_identifiers(workspace: Workspace) -> Sequence[str]:
    """The quasi-identifiers of the config or the source; those with a taxonomy if the source is missing."""
    if workspace.config.quasi_identifiers is not None:
        return workspace.config.quasi_identifiers
    try:
        return workspace.roles.quasi_identifiers
    except AnonduckError:
        return list(stored_taxonomies(workspace.database))


def same_taxonomies(database: Database, receipt: Mapping[str, Any]) -> dict[str, Taxonomy]:
    """The stored taxonomies that the release was made with, by column; compared by the fingerprints in the receipt."""
    stored, key = stored_taxonomies(database), fingerprint_key(database)
    fingerprints = {name: one for name, one in receipt["fingerprints"]["taxonomies"].items() if name in stored}
    now = digests(database, fingerprints)
    return {
        name: stored[name]
        for name, fingerprint in fingerprints.items()
        if text_fingerprint(key, now[name]) == fingerprint
    }


def same_rule(database: Database, stored: StoredDiscovery, receipt: Mapping[str, Any]) -> Rule | None:
    """The release's rule in a discovery of the same records with the same taxonomies; None if there is none."""
    if receipt["rule"] is None or stored.settings["content"] != receipt["fingerprints"]["source"]:
        return None
    levels = receipt["rule"]["levels"]
    if not set(levels) <= set(same_taxonomies(database, receipt)):
        return None
    return next((rule for rule in stored.rules if dict(rule.levels) == dict(levels)), None)


def shown_section(receipt: Mapping[str, Any], dictionary: Mapping[str, Any] | None) -> Iterator[Markup]:
    """What each column shows in how many records, as the receipt counts it in the file; what a label stands for says
    the data dictionary."""
    described = {} if dictionary is None else {column["name"]: column for column in dictionary["columns"]}
    for column in receipt["columns"]:
        groups = described.get(column["name"], {}).get("groups", ())
        rows = list(_shown_rows(column, {group["label"]: group["words"] for group in groups}, receipt["rows"]))
        if rows:
            yield element("h3", column["name"])
            yield table(["shown as", "stands for", "records", "share of records"], rows, whole=True)


def _shown_rows(column: Mapping[str, Any], words: Mapping[str | None, str], records: int) -> Iterator[list[str]]:
    """The first labels of a column, and what is left of it, which are all records of the release together."""
    rows = list(label_rows(column))
    for label, held in rows[:MOST_ROWS]:
        stands = words.get(label, "")
        yield _row("no value" if label is None else label, "" if stands in (ITSELF, MISSING) else stands, held, records)
    rest = rows[MOST_ROWS:]
    more = [
        (f"{len(rest):,} more in the dictionary", sum(held for _, held in rest)),
        (f"{column.get('labels_omitted', 0):,} more, which are not listed", column.get("omitted_records", 0)),
        (counted(column.get("rarer_values", 0), RARER, f"{RARER}s"), column.get("rarer_records", 0)),
    ]
    yield from (_row(f"{name}", "", held, records) for name, held in more if held)


def _row(shown: str, stands_for: str, held: int, records: int) -> list[str]:
    return [shown, stands_for, f"{held:,}", share_words(held / records)]


def attack_findings(attacks: Mapping[str, Any], receipt: Mapping[str, Any]) -> Iterator[Markup]:
    """Each attack with the columns that it covered, beside its control group; attackers with the same figures are one
    row. Skewed classes and notes as sentences."""
    if "untried" in attacks:
        yield element("p", f"{attacks['untried'][0].upper()}{attacks['untried'][1:]}.")
        return
    heads = ["question", "attack", "columns", "right", "control", "plain guess", "excess", "normalised"]
    rows = _attempts(attacks, quasi_identifiers_of(receipt))
    yield table(heads, [cells for cells, _ in rows], whole=True)
    yield element("ul", *(element("li", f"{cells[1]}: {words}") for cells, words in rows))
    skewed = [f"{one['about']}: {one['words']}" for one in attacks.get("skewed_classes", [])]
    notes = attack_notes(attacks)
    if attacks.get("comparisons"):
        yield element("p", f"An excess counts as a finding if chance does not explain it: {_together(attacks)}.")
    yield element("ul", *(element("li", sentence) for sentence in (*skewed, *notes)))


def _attempts(attacks: Mapping[str, Any], shown: Sequence[str]) -> list[tuple[list[str], str]]:
    """A row for each attack, or for several that found the same about the same columns; and what it means, in words."""
    attackers: dict[tuple[str, ...], list[str]] = {}
    for one in attacks["attacks"]:
        covered = covered_by_one(one, attacks)
        figures = (_shown(one.get(name)) for name in ("control_rate", "baseline_rate", "excess", "excess_normalised"))
        cells = (f"{one['success_rate']:.4f}", *figures, one["words"])
        key = (one["question"], one["about"] or "", _reach(shown, covered), *cells)
        attackers.setdefault(key, []).append(one["attack"])
    return [
        ([question, "; ".join(names) + (f", {about}" if about else ""), *cells], words)
        for (question, about, *cells, words), names in attackers.items()
    ]


def _reach(shown: Sequence[str], covered: Sequence[str]) -> str:
    """Which of the shown columns an attack covered, and which not."""
    others = [name for name in shown if name not in covered]
    reached = ", ".join(name for name in shown if name in covered) or "none"
    return f"{reached}; not attacked: {', '.join(others)}" if others else reached


def attack_notes(attacks: Mapping[str, Any]) -> list[str]:
    """What has to be known to read the findings; why there are none, where nothing was attacked."""
    return [attacks["untried"]] if "untried" in attacks else [*attacks.get("notes", []), *attacks["closing"]]


def intruder_findings(found: Mapping[str, Any]) -> Iterator[Markup]:
    """What somebody finds who looks for named people, by the confidence of claims: counts and shares, no names."""
    for sentence in found["words"]:
        yield element("p", f"{sentence[0].upper()}{sentence[1:]}.")
    rows = [
        [
            f"{band['least_confidence']:g} or more",
            f"{band['claims']:,}",
            f"{band['right']:,.1f}",
            _shown(band["rate"]),
            f"{_shown(band['rate_low'])} to {_shown(band['rate_high'])}" if band["claims"] else "",
        ]
        for band in found["bands"]
    ]
    yield table(["confidence", "claims", "right", "share right", "interval"], rows)
    curve = ", ".join(f"{one['right']:,.1f} of {one['claims']:,}" for one in found["effort"])
    yield element("p", f"Right among the most confident claims: {curve}.")


def _together(attacks: Mapping[str, Any]) -> str:
    return (
        f"intervals have {100 * attacks['confidence']:.3g} % confidence for all {attacks['comparisons']} attacks "
        "jointly. It is measured against the control group, or against the plain guess where the attack looks for a "
        "person's own row"
    )


def _shown(rate: float | None) -> str:
    return "" if rate is None else f"{rate:.4f}"
