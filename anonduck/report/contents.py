"""The content of the report as one JSON document: rules, measures, taxonomies and class sizes, all of
them aggregates.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anonduck.comparison.charts import charts
from anonduck.comparison.comparability import footnotes
from anonduck.comparison.comparison import Comparison
from anonduck.comparison.model_scores import SCORES, value
from anonduck.comparison.stored_rows import last_comparison
from anonduck.evaluation.workload import workload_lines
from anonduck.frequency.floors import read_floor
from anonduck.offer.candidates import Candidate, kept_offer
from anonduck.offer.choice import choose
from anonduck.offer.nested_choice import expected_of_choice
from anonduck.release.last_recoding import last_candidate
from anonduck.release.made_releases import comparable_releases
from anonduck.report.class_sizes import class_sizes
from anonduck.report.decision import RELEASED, Recommendation, decision_of, recommend
from anonduck.report.described import Beside, of_candidate, of_release, of_rule
from anonduck.report.evidence import found_in
from anonduck.report.objectives import value_of, weigh, weigh_three, with_scales
from anonduck.report.page import words
from anonduck.report.taxonomy_drawing import draw_taxonomies
from anonduck.rules.rule import Rule, literal
from anonduck.search.expected import expected_rules
from anonduck.search.freshness import refuse_changed, tell_stale
from anonduck.search.proofs import floor_words
from anonduck.search.store import StoredDiscovery, read_last_choice
from anonduck.search.stored_rules import discovered
from anonduck.words import __version__
from anonduck.workspace import Workspace

TYPICAL_WORDS = "; each class shows typical values, and models were tested on records as they came"
SHOWN = ("method", "protocol", "k_required", "status", "reason", "k", "classes", "suppressed", "comparable", "note")
MOST_RULES = 1_200
"""Rules on the page, those on a frontier first."""
MOST_SIZED = 150
"""Rules with class sizes on the page."""


def comparison_of(workspace: Workspace, records: int | None = None) -> dict[str, Any] | None:
    """The last comparison as JSON; None if there is none, or not of this number of ``records``, if given."""
    document = last_comparison(workspace)
    if document is None or records not in (None, document["records"]):
        return None
    found = Comparison.from_json(document)
    return {
        "models": list(found.models),
        "scores": list(SCORES),
        "protocols": dict(found.protocols),
        "rows": [_row(row, found) for row in found.rows],
        "notes": [f"{protocol}: {line}" for protocol in found.protocols for line in _notes(found, protocol)],
        "charts": charts(found),
    }


def _notes(found: Comparison, protocol: str) -> list[str]:
    """Notes on the rows of a protocol, one line per kind."""
    rows = [row for row in found.rows if row["protocol"] == protocol]
    return [f"{', '.join(note.methods)}: {note.text}" for note in footnotes(rows)]


def table_of(compared: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """The head and rows of a comparison as a plain table."""
    scored = [(model, score) for model in compared["models"] for score in compared["scores"]]
    head = ["method", "protocol", "k asked", "k", "classes", "left out", "NCP", "marketer risk"]
    head += [f"{model} {score.replace('_', ' ')}" for model, score in scored] + ["note"]
    return head, [_line(row, scored) for row in compared["rows"]]


def _line(row: Mapping[str, Any], scored: Sequence[tuple[str, str]]) -> list[str]:
    counts = ["" if row[name] is None else f"{row[name]:,}" for name in ("k_required", "k", "classes", "suppressed")]
    shares = [row["ncp"], row["risk"], *(row["scores"][model][score] for model, score in scored)]
    note = "" if row["reason"] is None else f"{row['status']}: {row['reason']}"
    return [row["method"], row["protocol"], *counts, *("" if one is None else f"{one:.4f}" for one in shares), note]


def _row(row: Mapping[str, Any], found: Comparison) -> dict[str, Any]:
    scores = {model: {score: value(row, model, score) for score in SCORES} for model in found.models}
    lost = {"ncp": row["measures"].get("ncp"), "risk": row["risks"].get("marketer_risk")}
    return {**{name: row[name] for name in SHOWN}, **lost, "scores": scores}


def gather(
    workspace: Workspace,
    chosen: Mapping[str, int] | None = None,
    beside: Beside | None = None,
) -> dict[str, Any]:
    """The document of the stored discovery, and of the release that it stands ``beside``.

    Without one it is of the levels ``chosen``, by default the last choice, else of what the config chooses.
    Raises RuleError if nothing was discovered, or the decision database no longer holds what the rules were found on.
    """
    stored, database = discovered(workspace), workspace.database
    refuse_changed(workspace, stored)
    stale = tell_stale(workspace, stored)
    measures = with_scales(workspace, stored, weigh(stored.rules, stored.summary))
    released = _identifier(stored, _levels_of(beside) if beside else chosen or read_last_choice(database))
    candidates = kept_offer(workspace, stored)
    chosen_one = _chosen_of(workspace, candidates, released, beside)
    advice = recommend(
        workspace.config, stored, [one["key"] for one in measures], stored.rule(released) if released else None
    )
    opened = (
        [rule.id for rule in (advice.rule, advice.safer, advice.useful) if isinstance(rule, Rule)] if advice else []
    )
    models = stored.summary["models"]
    three = weigh_three(stored.rules, measures, models)
    leading = [*opened, *(one for measure in measures for one in measure["frontier"]), *three]
    rules = _shown(stored.rules, leading)
    taxonomies, floor = workspace.taxonomies, read_floor(database)
    expected = expected_rules(database)
    required = workspace.config.requirement
    persons = workspace.person_counts(required.k, (), required.linked_k)
    described = _described(workspace, stored, beside, chosen_one, advice, expected)
    workload = None if beside is None else beside.release.owner.get("workload")
    return {
        "anonduck": __version__,
        "source": workspace.config.source,
        "source_day": found_in(stored),
        "found_day": stored.made_on,
        "decision": decision_of(advice) if advice else None,
        "release": described,
        "records": stored.summary["rows"],
        "class": stored.settings["class"],
        "kept": [*workspace.config.sensitive, *workspace.config.insensitive],
        "kept_lines": [] if beside is not None or described is None else described["kept_lines"],
        "sensitive": list(workspace.config.sensitive),
        "identifiers": [*workspace.config.left_out, *workspace.config.drop],
        "requirement": {**stored.summary["requirement"], "k": workspace.config.requirement.k},
        "entity": None if persons is None else persons.as_json(),
        "coverages": [
            {name: one[name] for name in ("coverage", "rfds", "rules", "incomplete")}
            for one in stored.summary["coverages"]
        ],
        "explanation": stored.summary["explanation"],
        "floor": floor_words(stored.summary),
        "stale": stale,
        "models": models,
        "test_on": stored.summary["test_on"],
        "baseline": stored.summary["baseline"],
        "measures": measures,
        "three": three,
        "rules": [
            _rule(rule, measures, models) | _explained(rule, stored) | {"expected": expected.get(literal(rule.levels))}
            for rule in rules
        ],
        "suppression_curve": list(_suppressed(stored, measures)),
        "releases": list(_made(workspace, stored, measures)),
        "comparison": comparison_of(workspace, stored.summary["rows"]),
        "candidates": [one.as_json() for one in candidates],
        "chosen": None
        if chosen_one is None
        else {"id": chosen_one.candidate.id, "reason": chosen_one.reason, "expected": chosen_one.expected},
        "workload": workload and {**workload, "lines": workload_lines(workload)},
        "rules_found": len(stored.rules),
        "opened": next(iter(opened), None),
        "released": released,
        "attributes": draw_taxonomies(
            database,
            {name: taxonomies[name] for name in stored.settings["nodes"]},
            k=workspace.config.requirement.k,
            records=stored.summary["rows"],
            floor=floor,
        ),
        "sizes": class_sizes(workspace, stored, rules[:MOST_SIZED]),
        "command": release_command(workspace),
        "words": words(),
    }


@dataclass(frozen=True)
class ChosenOne:
    """The candidate that was released, or that the config chooses, why, and what is expected of it by model."""

    candidate: Candidate
    reason: str
    expected: Mapping[str, Mapping[str, Any]]


def _chosen_of(
    workspace: Workspace, candidates: Sequence[Candidate], released: str | None, beside: Beside | None
) -> ChosenOne | None:
    """Beside a release the candidate that it is, if any; else the one released last, or that the config chooses."""
    choice = choose(candidates, workspace.config)
    if beside is not None:
        found = next((one for one in candidates if _is(one, beside.candidate, released)), None)
        return None if found is None else ChosenOne(found, beside.reason, beside.expected)
    last = last_candidate(workspace) if candidates else None
    for one in candidates:
        if one.id == released or (last is not None and one == last[0]):
            why = RELEASED if choice is None or choice.chosen != one else f"{RELEASED}: {choice.reason}"
            return _of_offer(workspace, candidates, one, why)
    if choice is None or released is not None:
        return None
    return _of_offer(workspace, candidates, choice.chosen, choice.reason)


def _is(one: Candidate, made: Candidate | None, rule: str | None) -> bool:
    """Whether a candidate of the offer is the one that was released, which may be of an earlier offer, or the rule."""
    return one.id == rule or (made is not None and _said(one) == _said(made))


def _said(one: Candidate) -> tuple[object, ...]:
    return one.id, one.label, one.shows, one.k, one.classes


def _of_offer(workspace: Workspace, candidates: Sequence[Candidate], one: Candidate, reason: str) -> ChosenOne:
    return ChosenOne(one, reason, expected_of_choice(one, candidates, workspace.config))


def _described(
    workspace: Workspace,
    stored: StoredDiscovery,
    beside: Beside | None,
    chosen: ChosenOne | None,
    advice: Recommendation | None,
    expected: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any] | None:
    """What the page says of the release that it stands beside, else of what is recommended; None without either."""
    if beside is not None:
        found = of_release(workspace, beside, stored)
        of_rules = None if found["levels"] is None else _identifier(stored, found["levels"])
        told_already = chosen is not None or of_rules is not None  # why it was taken
        return {**found, "id": of_rules or found["id"], "reason": "" if told_already else found["reason"]}
    if chosen is not None and chosen.candidate.levels is None:
        return of_candidate(workspace, stored, chosen.candidate, chosen.expected)
    if chosen is not None:
        return of_rule(workspace, stored, stored.rule(chosen.candidate.id), chosen.expected)
    if advice is None:
        return None
    return of_rule(workspace, stored, advice.rule, expected.get(literal(advice.rule.levels), {}))


def _levels_of(beside: Beside) -> Mapping[str, int]:
    """The levels of a release by a rule; none of others."""
    rule = beside.release.receipt["rule"]
    return {} if rule is None else rule["levels"]


def _suppressed(stored: StoredDiscovery, measures: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The rules that more suppression would allow, with the measures that are known of them."""
    for point in stored.summary["suppression_curve"]:
        for line in point["rules"]:
            values = {"information_gain": line["information_gain"]}
            for score in ("accuracy", "balanced_accuracy"):
                values |= {f"{score}.{model}": value for model, value in line[score].items()}
            known = {name: float(f"{value:.6g}") for name, value in values.items()}
            shown = {name: line[name] for name in ("literal", "k", "suppressed")}
            named = [known.get(measure["key"]) for measure in measures]
            yield {**shown, "share": point["suppression"], "values": named}


def _made(
    workspace: Workspace, stored: StoredDiscovery, measures: Sequence[Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    """The releases that methods made of the same records, with their measures."""
    for one in comparable_releases(workspace, stored.summary["rows"]):
        values = [one.value(measure["key"]) for measure in measures]
        yield {
            "file": one.file.rpartition("/")[2],
            "name": one.receipt["method"]["name"],
            "method": one.receipt["method"]["words"] + (TYPICAL_WORDS if one.shows_typical else ""),
            "k": one.receipt["k"],
            "classes": one.receipt["classes"],
            "suppressed": one.receipt["suppressed"],
            "values": [None if value is None else float(f"{value:.6g}") for value in values],
        }


def release_command(workspace: Workspace) -> str:
    """The command, or the Python call, that releases a rule, called ``RULE``."""
    if workspace.config_path is None:
        return 'project.release("RULE", "released.parquet")'
    named = "" if str(workspace.config_path) == "anonduck.yml" else f" -p {shlex.quote(str(workspace.config_path))}"
    return f"anonduck release RULE{named} -o released.parquet"


def _identifier(stored: StoredDiscovery, levels: Mapping[str, int] | None) -> str | None:
    return next((rule.id for rule in stored.rules if dict(rule.levels) == levels), None)


def _shown(rules: Sequence[Rule], first: Iterable[str]) -> list[Rule]:
    """The rules of the page: the ``first`` ones with their parents, then the others in order."""
    by_id = {rule.id: rule for rule in rules}
    leading = [by_id[identifier] for identifier in dict.fromkeys(first)]
    parents = [by_id[parent] for rule in leading for parent in rule.parents]
    return list({rule.id: rule for rule in [*leading, *parents, *rules]}.values())[:MOST_RULES]


def _rule(rule: Rule, measures: Sequence[Mapping[str, Any]], models: Sequence[str]) -> dict[str, Any]:
    return {
        "id": rule.id,
        "levels": dict(rule.levels),
        "literal": literal(rule.levels),
        "origin": rule.origin,
        "origins": dict(rule.origins),
        "parents": list(rule.parents),
        "k": rule.measures.k,
        "classes": rule.measures.classes,
        "suppressed": rule.measures.suppressed,
        "nothing": bool(rule.tells_nothing),
        "privacy": dict(rule.measures.privacy),
        "values": [value_of(rule, measure["key"], models) for measure in measures],
        "errors": {model: float(f"{error:.3g}") for model, error in rule.accuracy_error.items()},
    }


def _explained(rule: Rule, stored: StoredDiscovery) -> dict[str, Any]:
    """The dependency behind a rule, in sentences, and the information that its columns keep."""
    kept = {name: share for name, share in rule.information_kept.items() if name in rule.levels}
    return {
        "dependency": stored.in_words(rule),
        "information_kept": {name: share and float(f"{share:.6g}") for name, share in kept.items()},
        "information_kept_overall": rule.information_kept_overall,
    }
