"""The frontier as a chart: as text for a terminal, as a Vega-Lite specification for a notebook."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import log10
from typing import Any

from anonduck.release.made_releases import MadeRelease
from anonduck.report.page import web
from anonduck.rules.frontier import SMALLER_IS_BETTER, is_judged, objective
from anonduck.rules.rule import Rule, literal

COLOURS = {
    "ink": "#808890", "soft": "#808890", "limit": "#6e7781", "chosen": "#0b5cad", "paper": "#ffffff",
}  # fmt: skip
ORIGINS = {
    "extracted": ("#0072b2", "circle"),
    "joined": ("#d55e00", "diamond"),
    "lattice": ("#00805c", "triangle-up"),
}
BEHIND, ON_IT, TIED, LIMIT, BY_METHOD = "·", "●", "○", "┊", "◆"


def points(
    rules: Sequence[Rule],
    kept: Sequence[str],
    measure: str,
    models: Sequence[str],
    tied: Mapping[str, Sequence[str]] | None = None,
) -> list[dict[str, Any]]:
    """Each rule with the measure and its k, by falling k.

    ``kept`` are the ids on the frontier, ``tied`` those of them that tie with others of a larger k.
    """
    read, ties = objective(measure, models), tied or {}
    found = [
        {
            "id": rule.id,
            "literal": literal(rule.levels),
            "k": rule.measures.k,
            "value": float(value),
            "shown": f"{value:.4g}",
            "origin": rule.origin,
            "frontier": rule.id in kept,
            "tied": bool(ties.get(rule.id)),
            "place": _place(rule, rule.id in kept, ties.get(rule.id, ()), off=is_judged(measure, models)),
        }
        for rule in rules
        if (value := read(rule)) is not None
    ]
    return sorted(found, key=lambda point: (-point["k"], point["id"]))


def _place(rule: Rule, kept: bool, tied: Sequence[str], *, off: bool) -> str:
    """Where a rule lies relative to the frontier, in words."""
    if kept:
        return f"on it, ties with {', '.join(tied)}" if tied else "on it"
    return "off it, tells nothing" if off and rule.tells_nothing else "behind it"


def release_points(made: Sequence[MadeRelease], measure: str) -> list[dict[str, Any]]:
    """Each release by a method with the measure and its k; it is on no frontier of rules."""
    found = [(one, one.value(measure)) for one in made]
    return [
        {
            "id": one.receipt["method"]["name"],
            "file": one.file.rpartition("/")[2],
            "k": one.receipt["k"],
            "value": float(value),
            "shown": f"{value:.4g}",
            "method": one.receipt["method"]["name"],
            "frontier": False,
        }
        for one, value in found
        if value is not None
    ]


def text_chart(
    drawn: Sequence[Mapping[str, Any]], measure: str, *, required: int, width: int = 72, height: int = 16
) -> list[str]:
    """The lines of a chart of k (logarithmic) and a measure; rules on the frontier are named if there is room.

    >>> point = {"id": "R1", "k": 10, "value": 0.5, "frontier": True}
    >>> print(text_chart([point], "accuracy", required=5, width=20, height=2)[0])
          0.5 │┊                  ●
    """
    ends = [log10(max(1, k)) for k in (required, *(point["k"] for point in drawn))]
    low, high = min(ends), max(ends)
    values: list[float] = [point["value"] for point in drawn]
    bottom, top = min(values), max(values)
    grid = [[" "] * width for _ in range(height)]

    def column(k: int) -> int:
        return round((log10(max(1, k)) - low) / ((high - low) or 1) * (width - 1))

    def row(value: float) -> int:
        return round((top - value) / ((top - bottom) or 1.0) * (height - 1))

    for line in grid:
        line[column(required)] = LIMIT
    for point in sorted(drawn, key=lambda one: (one["frontier"], "method" in one)):
        mark = BY_METHOD if "method" in point else BEHIND
        if point["frontier"]:
            mark = TIED if point.get("tied") else ON_IT
        grid[row(point["value"])][column(point["k"])] = mark
    for point in drawn:
        if point["frontier"] or "method" in point:
            _name(grid[row(point["value"])], column(point["k"]), point["id"])
    labels = {0: f"{top:.4g}", height - 1: f"{bottom:.4g}"}
    lines = [f"{labels.get(number, ''):>9} │{''.join(line).rstrip()}" for number, line in enumerate(grid)]
    powers = {column(10**power): f"{10**power:,}" for power in range(1, 12) if low <= power <= high}
    tied = any(point.get("tied") for point in drawn)
    legend = _legend(measure, required, tied=tied, methods=any("method" in point for point in drawn))
    return [*lines, f"{'':9} └{'─' * width}", f"{'':11}{_axis(powers, width)}", f"{'':11}{legend}"]


def _name(line: list[str], at: int, name: str) -> None:
    """Write a name beside its point, to the right or left, where nothing else stands."""
    for start in (at + 2, at - 1 - len(name)):
        place = range(start, start + len(name))
        if start >= 0 and place.stop <= len(line) and all(line[i] in (" ", LIMIT) for i in place):
            line[start : place.stop] = name
            return


def _axis(labels: Mapping[int, str], width: int) -> str:
    line = [" "] * (width + 8)
    for at, label in labels.items():
        start = max(0, at - len(label) // 2)
        line[start : start + len(label)] = label
    return "".join(line).rstrip()


def _legend(measure: str, required: int, *, tied: bool, methods: bool) -> str:
    better = "smaller is better" if measure in SMALLER_IS_BETTER else "larger is better"
    ties = f"{TIED} of it, ties with a larger k, " if tied else ""
    by_method = f"{BY_METHOD} releases by methods, " if methods else ""
    marks = f"{ON_IT} frontier, {ties}{BEHIND} other rules, {by_method}{LIMIT} required k {required:,}"
    return f"k to the right, {measure} upwards ({better}); {marks}"


def notebook_chart(
    drawn: Sequence[Mapping[str, Any]], measure: str, *, required: int, made: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """The frontier chart of the report as a Vega-Lite specification with its data; ``made`` are releases."""
    ks = [required, *(point["k"] for point in (*drawn, *made))]
    values = [point["value"] for point in (*drawn, *made)]
    room = 0.04 * (max(values) - min(values) or abs(max(values)) or 1)
    domain = [max(0.8, min(ks) / 1.7), max(ks) * 1.5]
    origins = [name for name in ORIGINS if any(point["origin"] == name for point in drawn)]
    values_of_words = {
        **COLOURS,
        "origins": origins,
        "domain": domain,
        "range": [min(values) - room, max(values) + room],
        "reverse": measure in SMALLER_IS_BETTER,
        "title": measure,
        "measure": measure,
        "format": "~g",
    }
    chart: dict[str, Any] = _filled_in(json.loads(web("frontier.json")), values_of_words)
    chart["layer"] = [
        layer for layer in chart["layer"] if layer["data"]["name"] not in ("lines", "suppressed", "opened")
    ]
    if not made:
        chart["layer"] = [layer for layer in chart["layer"] if layer["data"]["name"] != "releases"]
    for layer in chart["layer"]:
        layer.pop("params", None)
    limit = {"from": domain[0], "to": required, "name": f"required k {required:,}"}
    return chart | {
        "datasets": {"rules": list(drawn), "limit": [limit], **({"releases": list(made)} if made else {})},
        "width": 640,
        "config": {"range": {"category": [ORIGINS[o][0] for o in origins], "symbol": [ORIGINS[o][1] for o in origins]}},
    }


def _filled_in(part: Any, values: Mapping[str, Any]) -> Any:
    """A specification with each ``$word`` replaced by its value."""
    if isinstance(part, dict):
        return {name: _filled_in(value, values) for name, value in part.items()}
    if isinstance(part, list):
        return [_filled_in(value, values) for value in part]
    return values.get(part[1:], part) if isinstance(part, str) and part.startswith("$") else part
