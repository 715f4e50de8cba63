"""How useful a release is, for the owner's page: what was lost, and what models reach, with how it was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from anonduck.report.certificate_sections import same_rule
from anonduck.report.page import Markup, element, table
from anonduck.rules.measure_names import UTILITY
from anonduck.rules.rule import Rule
from anonduck.search.store import StoredDiscovery, read_discovery
from anonduck.workspace import Workspace

NOT_MEASURED = (
    "It was not measured. A discovery measures its rules on the same records, and what models reach on people whom "
    "they have not seen."
)
SCORED = ["model", "accuracy", "balanced", "accuracy, ungeneralized", "balanced, ungeneralized"]
OF_ONE = ("loss", "ncp", "precision", "classification_metric")
"""Measures that are shares themselves."""
A_RECORD = ("distortion", "nonuniform_entropy")
"""Sums over the cells of all records."""


def utility_of(workspace: Workspace, owner: Mapping[str, Any]) -> Iterator[Markup]:
    """The scores and measures in a release's owner's file, or that there are none."""
    stored = read_discovery(workspace.database)
    rule = None if stored is None else same_rule(workspace.database, stored, owner)
    utility = owner["utility"]
    if owner["expected"]:
        yield from _models(owner["expected"])
    if utility:
        yield from measured(utility, owner["rows"] + owner["suppressed"])
    elif stored is not None and rule is not None:
        yield from _of_rule(stored, rule)
    elif not owner["expected"]:
        yield element("p", NOT_MEASURED)


def _models(expected: Mapping[str, Mapping[str, Any]]) -> Iterator[Markup]:
    """The expected scores of models on unseen records."""
    yield table(SCORED, [[model, *_scores(score)] for model, score in expected.items()])
    for protocol in dict.fromkeys(one["protocol"] for one in expected.values()):
        yield element("p", f"On unseen records: measured by {protocol}.")
    shares = {one["majority"] for one in expected.values() if one.get("majority") is not None}
    if shares:
        yield element(
            "p", f"Always naming the most frequent class value is right for {_percent(min(shares))} of the records."
        )


def _scores(score: Mapping[str, Any]) -> list[str]:
    baseline = score.get("baseline") or {}
    error = score.get("error")
    spread = "" if error is None or score["accuracy"] is None else f" ± {100 * error:.1f}"
    return [
        _percent(score["accuracy"]) + spread,
        _percent(score.get("balanced_accuracy")),
        *(_percent(baseline.get(name)) for name in ("accuracy", "balanced_accuracy")),
    ]


def _of_rule(stored: StoredDiscovery, rule: Rule) -> Iterator[Markup]:
    """What the discovery measured of the rule, with the unit of each number."""
    bits, rows = stored.summary["baseline"]["class"].get("entropy", 0.0), []
    if rule.has_class:
        rows.append(
            [
                "information gain",
                f"{rule.measures.information_gain:.4f} of {bits:.4f} bits",
                "bits that the groups give about the class, of all that it has",
            ]
        )
    rows += [[name, _percent(rule.utility[name]), UTILITY[name].meaning] for name in ("loss",) if name in rule.utility]
    rows += [
        [f"information of {name}", _percent(share), "share of the column's entropy that is left"]
        for name, share in rule.information_kept.items()
        if name in rule.levels and share is not None
    ]
    yield table(["measure", "value", "what it is"], rows)


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"


def measured(utility: Mapping[str, Any], records: int) -> Iterator[Markup]:
    """The measures of a release by classes.

    ``records`` is the number of records of the source.
    """
    known = utility["information_gain"]
    gain = [] if known is None else [["information gain", shown(known), "bits that the groups give about the class"]]
    rows = [
        [name.replace("_", " "), in_scale(name, value, records), UTILITY[name].meaning]
        for name, value in utility["measures"].items()
    ]
    yield table(["measure", "value", "what it is"], [*gain, *rows])


def in_scale(name: str, value: float | None, records: int) -> str:
    """A utility measure as a share or per record, so that tables of any size can be compared."""
    if value is None:
        return ""
    if name in OF_ONE:
        return f"{100 * value:.1f} %"
    if name == "discernibility":
        return f"{100 * value / records**2:.3g} % of the square of all records"
    return f"{value / records:.4g} a record" if name in A_RECORD else f"{value:.4g}"


def shown(value: float | None) -> str:
    """A number with four digits; empty if it was not measured."""
    return "" if value is None else f"{value:.4g}"
