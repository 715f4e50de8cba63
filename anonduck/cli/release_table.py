"""Releases by methods as a table below the frontier of rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from anonduck.cli.tables import print_table
from anonduck.cli.terminal import say

if TYPE_CHECKING:
    from anonduck.release.made_releases import MadeRelease


def print_made_releases(made: Sequence[MadeRelease], models: Sequence[str], named: Sequence[str]) -> None:
    """Print what releases by methods reach, by falling k; nothing where there is none."""
    if not made:
        return
    say("\nreleases by methods, on the same records; they are no rules, and the frontier does not weigh them:")
    keys = ["information_gain"]
    keys += [f"{score}.{model}" for model in models for score in ("accuracy", "balanced_accuracy", "roc_auc")]
    keys += [name for name in dict.fromkeys([*named, "loss"]) if any(one.value(name, []) is not None for one in made)]
    columns = ["k", "classes", "suppressed", *map(_heading, keys), "method", "file"]
    rows = [
        [
            f"{one.receipt['k']:,}",
            f"{one.receipt['classes']:,}",
            f"{one.receipt['suppressed']:,}",
            *[_shown(one.value(key, list(models))) for key in keys],
            one.receipt["method"]["name"],
            one.file.rpartition("/")[2],
        ]
        for one in made
    ]
    print_table(columns, rows, right=columns[:-2])


def print_offers(offers: Sequence[Mapping[str, Any]]) -> None:
    """Print the best there is at each k, of rules and the methods that were asked; nothing where none was."""
    if not offers:
        return
    measure = offers[0]["measure"]
    say(f"\nthe best {measure.replace('_', ' ')} at each k, of rules and methods:")
    columns = ["k", measure, "by", "its k", "best rule", "its value"]
    rows = [
        [
            f"{one['k']:,}",
            _shown(one["value"]),
            one["method"],
            f"{one['k_reached']:,}",
            one["best_rule"] or "none",
            _shown(one["by_rule"]),
        ]
        for one in offers
    ]
    print_table(columns, rows, right=["k", measure, "its k", "its value"])
    for one in {one["recoding"]: one for one in offers}.values():
        who = "rules" if one["recoding"] == "levels" else one["method"]
        say(f"{who}: {one['protects']}. How it can be attacked: {one['attacks']}")


def _heading(key: str) -> str:
    score, _, model = key.partition(".")
    name = {"information_gain": "gain (bits)", "balanced_accuracy": "balanced", "roc_auc": "AUC"}.get(score, score)
    return f"{model} {name}".strip().replace("_", " ")


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"
