"""The best there is at each k of a frontier: its rules, and releases by methods that were asked for beside them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from anonduck.comparison.comparability import comparable, marks
from anonduck.comparison.comparison import Comparison
from anonduck.comparison.job import compare
from anonduck.comparison.model_scores import SCORES, value
from anonduck.comparison.question import FRONTIER, RULES, contestants_of
from anonduck.database.documents import OFFERS, keep_document, kept_document
from anonduck.database.fingerprints import fingerprint_key, text_fingerprint
from anonduck.errors import ConfigError
from anonduck.methods.method import ATTACKS, PROTECTS
from anonduck.methods.registry import METHODS
from anonduck.rules.frontier import best_rule, better_first, objective
from anonduck.rules.measure_names import RELEASED
from anonduck.rules.rule import literal

if TYPE_CHECKING:
    from anonduck.search.store import StoredDiscovery
    from anonduck.workspace import Workspace

ROUND = (2, 5, 10, 20, 50, 100, 200, 500)


def check_offers(methods: Sequence[str]) -> None:
    """Raise ConfigError for what is no method that can be offered beside rules."""
    if RULES in methods:
        raise ConfigError(f"{RULES} are what a discovery finds; name the methods to offer beside them")
    contestants_of(methods, [])


def make_offers(workspace: Workspace, stored: StoredDiscovery, methods: Sequence[str]) -> list[dict[str, Any]]:
    """Measure releases by methods at each k of the frontier of a discovery just made, and at round ones up to 500.

    A method does more at a k of its own than at the next larger one of a rule, and may reach a k that no rule does.
    What is found is kept for the discovery. A method whose k is none of its file is measured, and never the best.

    Returns the rows. Where the frontier has no rule, nothing is measured, and that is announced.
    """
    if not any(rule.on_frontier for rule in stored.rules):
        workspace.reporter.announce(
            f"nothing is offered by {', '.join(methods)}, as no rule is on the frontier, at whose k methods are "
            f"measured; `project.compare(methods={list(methods)})` measures them at the required k"
        )
        return []
    workspace = workspace.counting_records()
    for name in methods:
        if not marks(name, "method", RELEASED)["comparable"]:
            workspace.reporter.announce(f"{name} is measured, and not offered: its k is none of its file")
    ks = _round_ks(workspace.config.requirement.k, stored)
    found = compare(workspace, methods, ks, at=FRONTIER, models=stored.summary["models"], reported=False)
    keep_document(workspace.database, OFFERS, found.as_json(), _identity(workspace, stored), alone=True)
    return [dict(row) for row in found.rows]


def _round_ks(required: int, stored: StoredDiscovery) -> list[int]:
    """The round values of k, from the required one up to what the records allow."""
    return [k for k in ROUND if required <= k <= stored.summary["rows"]]


def _identity(workspace: Workspace, stored: StoredDiscovery) -> str:
    """What identifies a discovery: what it depended on, and what it found."""
    told = [stored.settings, [[rule.id, dict(rule.levels), rule.measures.k] for rule in stored.rules]]
    return text_fingerprint(fingerprint_key(workspace.database), json.dumps(told, sort_keys=True, default=str))


def kept_offers(workspace: Workspace, stored: StoredDiscovery) -> Comparison | None:
    """What methods came to beside the rules of this discovery; None where none was asked."""
    document = kept_document(workspace.database, OFFERS, _identity(workspace, stored))
    return None if document is None else Comparison.from_json(document)


def best_offers(workspace: Workspace, stored: StoredDiscovery, measure: str) -> list[dict[str, Any]]:
    """At each k that methods were asked for, the best of all that reach it by a measure, a rule or a method's release.

    With what its kind protects, how it can be attacked, and the best rule beside it. Empty where no method was asked.
    """
    compared, models = kept_offers(workspace, stored), stored.summary["models"]
    if compared is None:
        return []
    ks = sorted({row["k_required"] for row in compared.rows}, reverse=True)
    return [one for k in ks if (one := _best(stored, compared, measure, models, k)) is not None]


def _best(
    stored: StoredDiscovery, compared: Comparison, measure: str, models: Sequence[str], k: int
) -> dict[str, Any] | None:
    read, rule = objective(measure, models), best_rule(stored.rules, measure, models, k=k)
    by_rule = None if rule is None else float(read(rule) or 0.0)
    found: list[dict[str, Any]] = []
    if rule is not None:
        found.append(_offer(f"{rule.id} ({literal(rule.levels)})", "levels", rule.measures.k, by_rule))
    for row in comparable(compared.rows):
        number = _reached(row, measure, models)
        if row["k"] is not None and row["k"] >= k and number is not None:
            kind = METHODS[row["method"].partition(":")[0]].recoding
            found.append(_offer(row["method"], kind, row["k"], number))
    if not found:
        return None
    best = max(found, key=lambda one: better_first(measure, one["value"]))
    return {"k": k, "measure": measure, **best, "best_rule": None if rule is None else rule.id, "by_rule": by_rule}


def _offer(name: str, kind: str, k: int, number: float | None) -> dict[str, Any]:
    words = {"protects": PROTECTS[kind], "attacks": ATTACKS[kind]}
    return {"method": name, "recoding": kind, "k_reached": k, "value": number, **words}


def _reached(row: Mapping[str, Any], measure: str, models: Sequence[str]) -> float | None:
    score, _, model = measure.partition(".")
    if score in SCORES:
        return value(row, model or next(iter(models), ""), score)
    found: float | None = row["measures"].get(measure, row.get(measure))
    return found
