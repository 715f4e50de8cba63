"""The scores of models for a rule, as the receipt of its release prints them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from anonduck.rules.rule import Rule, literal
from anonduck.search.expected import kept_expected
from anonduck.search.freshness import stale
from anonduck.search.store import last_choice, read_discovery
from anonduck.workspace import Workspace

OF_RECORDS = {"source", "where", "class", "types", "csv", "timezone", "nulls"}
"""What decides which records there are, and what they hold."""

EARLIER_CONFIG = "records by an earlier config"
"""Stands for their fingerprint, which no source has."""


@dataclass(frozen=True)
class RuleScores:
    """What is expected of a rule by model, what it reached on the records that it was found on, and the fingerprints of
    the records that the two are of, empty or None where those are no files; None where it was not measured."""

    expected: Mapping[str, Mapping[str, Any]] | None = None
    expected_of: str = ""
    in_sample: Mapping[str, Mapping[str, Any]] | None = None
    in_sample_of: str | None = None

    def for_records(self, content: str) -> dict[str, Any]:
        """``expected`` and ``in_sample`` as the receipt of a release of records with this fingerprint tells them.

        What was expected of earlier or other records says so; what was reached on them says nothing here. ``expected``
        has no reason to hold for records whose class depends on the columns in another way.
        """
        of = "this export" if self.expected_of in ("", content) else "another export, on which the rule was selected"
        expected = {model: {**score, "measured_on": of} for model, score in (self.expected or {}).items()}
        same = self.in_sample_of in (None, content)
        return {"expected": expected or None, "in_sample": self.in_sample if same else None}


def scores_of(workspace: Workspace, levels: Mapping[str, int]) -> RuleScores:
    """What models made of a rule, by the decision database; nothing where its levels meant something else then."""
    database = workspace.database
    stored, choice, kept = read_discovery(database), last_choice(database), kept_expected(database)
    changed = set(stale(workspace, stored)) if stored else set()
    if changed & {f"taxonomies.{name}" for name in levels}:
        return RuleScores()
    rule = next((one for one in stored.rules if dict(one.levels) == dict(levels)), None) if stored else None
    found, content = (kept.rules.get(literal(levels)), str(kept.asked["content"])) if kept else (None, "")
    if kept is None and choice is not None and choice.levels == dict(levels):
        found, content = choice.expected.get("models"), choice.expected.get("content", "")
    if changed & OF_RECORDS:
        return RuleScores(found, EARLIER_CONFIG)
    if stored is None or rule is None or not rule.accuracy:
        return RuleScores(found, content)
    return RuleScores(found, content, _in_sample(rule, stored.summary["baseline"]), stored.settings["content"])


def _in_sample(rule: Rule, baseline: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The scores of a rule by model, beside those on the ungeneralized records and the share of the majority class."""
    return {
        model: {
            "accuracy": accuracy,
            "balanced_accuracy": rule.balanced_accuracy.get(model),
            "error": rule.accuracy_error.get(model),
            "baseline": {name: baseline[name].get(model) for name in ("accuracy", "balanced_accuracy")},
            "majority_share": baseline["class"]["majority_share"],
        }
        for model, accuracy in rule.accuracy.items()
    }
