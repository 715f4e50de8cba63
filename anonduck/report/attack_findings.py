"""What attacks on a release found, as a part of its certificate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from anonduck.report.markup import Markup, element, table


def attack_findings(attacks: Mapping[str, Any]) -> Iterator[Markup]:
    """Each attempt beside its control, and in sentences what skewed classes and notes tell."""
    rows = [
        [
            one["question"],
            one["attack"] + (f", {one['about']}" if one["about"] else ""),
            f"{one['success_rate']:.4f}",
            "" if one["control_rate"] is None else f"{one['control_rate']:.4f}",
            *(_shown(one.get(name)) for name in ("baseline_rate", "excess", "excess_normalised")),
            one["words"],
        ]
        for one in attacks["attacks"]
    ]
    heads = ["right", "control", "plain guess", "excess", "normalised", "what it means"]
    yield table(["question", "attack", *heads], rows)
    skewed = [f"{one['about']}: {one['words']}" for one in attacks.get("skewed_classes", [])]
    told = [*attacks.get("notes", []), *attacks["closing"]]
    if attacks.get("comparisons"):
        yield element("p", f"An excess counts as a finding if chance does not explain it: {_together(attacks)}.")
    yield element("ul", *(element("li", sentence) for sentence in (*skewed, *told)))


def _together(attacks: Mapping[str, Any]) -> str:
    return (
        f"intervals have {100 * attacks['confidence']:.3g} % confidence for all {attacks['comparisons']} attacks "
        "jointly. It is measured against the control group, or against the plain guess where the attack looks for a "
        "person's own row"
    )


def _shown(rate: float | None) -> str:
    return "" if rate is None else f"{rate:.4f}"
