"""What models made of a rule, as the receipt of its release tells it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anonduck.database import Database
from anonduck.expected import kept_expected
from anonduck.rules import Rule, literal
from anonduck.store import last_choice, read_discovery


def scores_of(database: Database, levels: Mapping[str, int]) -> dict[str, Any]:
    """What models made of a rule, as its receipt tells it: on the records that the search saw, and what is expected of
    it on others; None where it was not measured."""
    stored, choice = read_discovery(database), last_choice(database)
    rule = next((one for one in stored.rules if dict(one.levels) == dict(levels)), None) if stored else None
    found = (kept_expected(database) or {}).get(literal(levels))
    if found is None and choice is not None and choice.levels == dict(levels):
        found = choice.expected
    return {"expected": found or None, "in_sample": _in_sample(rule) if rule and rule.accuracy else None}


def _in_sample(rule: Rule) -> dict[str, dict[str, float | None]]:
    return {
        model: {
            "accuracy": accuracy,
            "balanced_accuracy": rule.balanced_accuracy.get(model),
            "error": rule.accuracy_error.get(model),
        }
        for model, accuracy in rule.accuracy.items()
    }
