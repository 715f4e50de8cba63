"""The panels of the figures as Vega-Lite specifications."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Panel = dict[str, Any]
Rows = Sequence[Mapping[str, Any]]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
WIDTH, HEIGHT = 250, 190
RED, BLUE, GREY = "#c8432b", "#2b6cb0", "#8a9099"
FOUR = ["#0072b2", "#d55e00", "#009e73", "#b0559b"]
K_AXIS = {"title": "k, the class counted", "format": "~s", "tickCount": 5, "grid": False}


def beside(drawn: Sequence[Panel]) -> Panel:
    """Panels beside each other, each with scales of its own for what it measures."""
    return {
        "$schema": SCHEMA,
        "background": "white",
        "hconcat": list(drawn),
        "resolve": {"scale": {"color": "shared"}},
        "config": {
            "view": {"stroke": None},
            "axis": {"labelFontSize": 10, "titleFontSize": 11, "titleFontWeight": "normal", "gridColor": "#e5e7ea"},
            "legend": {"orient": "bottom", "labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": "normal"},
            "title": {"fontSize": 13, "fontWeight": "bold", "anchor": "start"},
        },
    }


def boxes(title: str, rows: Rows, kinds: Sequence[str], coverages: Sequence[str], measure: str) -> Panel:
    """A box of the values of each kind of rules at each coverage, with outliers as dots."""
    return {
        **_panel(title, rows),
        "mark": {"type": "boxplot", "extent": 1.5, "size": 15, "median": {"color": "white"}, "outliers": {"size": 12}},
        "encoding": {
            "x": {
                "field": "coverage",
                "type": "ordinal",
                "scale": {"domain": coverages},
                "title": "coverage",
                "axis": {"labelAngle": 0},
            },
            "xOffset": {"field": "rules", "type": "nominal", "scale": {"domain": kinds}},
            "y": {"field": "value", "type": "quantitative", "scale": {"zero": False}, "title": measure},
            "color": _named("rules", kinds, [RED, BLUE]),
        },
    }


def steps(title: str, rows: Rows, levels: Rows, coverages: Sequence[str], measure: str) -> Panel:
    """The best value at each k as steps, a dashed line where a coverage has no larger k, baselines as level lines."""
    colour = {"color": _named("coverage", coverages, FOUR)}
    level = {"y": {"field": "value", "type": "quantitative"}}
    return {
        **_panel(title, rows),
        "layer": [
            {
                "data": {"values": list(levels)},
                "mark": {"type": "rule", "color": GREY, "strokeDash": [2, 2]},
                "encoding": level,
            },
            {
                "data": {"values": list(levels)},
                "mark": {
                    "type": "text",
                    "align": "right",
                    "baseline": "bottom",
                    "dy": -2,
                    "fontSize": 9,
                    "color": GREY,
                },
                "encoding": {**level, "x": {"value": WIDTH}, "text": {"field": "name"}},
            },
            {
                "transform": [{"filter": "datum.last"}],
                "mark": {"type": "rule", "strokeDash": [5, 4], "opacity": 0.8},
                "encoding": {"x": _k(), **colour},
            },
            {
                "mark": {"type": "line", "interpolate": "step-before", "strokeWidth": 2, "opacity": 0.85},
                "encoding": {"x": _k(), "y": {**level["y"], "scale": {"zero": False}, "title": measure}, **colour},
            },
        ],
    }


def counts(title: str, rows: Rows, kinds: Sequence[str], coverages: Sequence[str]) -> Panel:
    """How many rules reach a k: one panel over the other, for each kind."""
    colour = {"color": _named("coverage", coverages, FOUR)}
    return {
        "vconcat": [
            {
                **_panel(f"{title}: {kind}", [row for row in rows if row["of"] == kind], height=130),
                "mark": {"type": "line", "interpolate": "step-before", "strokeWidth": 2, "opacity": 0.85},
                "encoding": {"x": _k(), "y": {"field": "rules", "type": "quantitative", "title": "rules"}, **colour},
            }
            for kind in kinds
        ]
    }


def three(title: str, rows: Rows) -> Panel:
    """Rules by accuracy and k, those of the frontier coloured by information gain, the others small and grey."""
    place = {
        "x": {
            "field": "accuracy",
            "type": "quantitative",
            "scale": {"zero": False},
            "title": "accuracy of the tree",
            "axis": {"tickCount": 5},
        },
        "y": _k(),
    }
    gain = {"field": "gain", "type": "quantitative", "title": "information gain, bits", "scale": {"scheme": "plasma"}}
    return {
        **_panel(title, rows),
        "layer": [
            {
                "transform": [{"filter": "!datum.frontier"}],
                "mark": {"type": "point", "size": 22, "color": GREY, "opacity": 0.7},
                "encoding": place,
            },
            {
                "transform": [{"filter": "datum.frontier"}],
                "mark": {
                    "type": "point",
                    "filled": True,
                    "size": 95,
                    "opacity": 1,
                    "stroke": "#333",
                    "strokeWidth": 0.7,
                },
                "encoding": {**place, "color": {**gain, "legend": {"gradientLength": 160, "tickCount": 4}}},
            },
        ],
        "resolve": {"scale": {"color": "independent"}},
    }


def _panel(title: str, rows: Rows, height: int = HEIGHT) -> Panel:
    return {"title": title, "width": WIDTH, "height": height, "data": {"values": list(rows)}}


def _k() -> dict[str, Any]:
    return {"field": "k", "type": "quantitative", "scale": {"type": "log", "nice": False}, "axis": K_AXIS}


def _named(field: str, names: Sequence[str], colours: Sequence[str]) -> dict[str, Any]:
    """Colours by name, the same in every panel."""
    scale = {"domain": list(names), "range": list(colours[: len(names)])}
    return {"field": field, "type": "nominal", "scale": scale, "title": None}
