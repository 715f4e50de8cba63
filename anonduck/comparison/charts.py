"""The files of a comparison: JSON, CSV, and its charts, specified for Vega-Lite."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from anonduck.comparison.comparison import Comparison
from anonduck.comparison.model_scores import SCORES, value
from anonduck.database.private_file import whole_file, write_private
from anonduck.errors import ConfigError

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
WIDTH, HEIGHT, SCALE = 340, 240, 1.5
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#b0559b", "#7d5f00", "#56b4e9", "#6e7781", "#c8432b", "#00805c", "#7a4b9a"]
SHAPES = ["circle", "diamond", "square", "triangle-up", "cross", "triangle-down"]
TITLES = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "macro_f1": "macro F1",
    "roc_auc": "ROC AUC",
    "loss": "loss",
    "ncp": "NCP (loss)",
    "information_gain": "information gain (bits)",
    "marketer_risk": "marketer risk",
    "prosecutor_risk": "prosecutor risk",
    "cpu_seconds": "seconds of the processor (without the search for rules)",
    "memory_mb": "memory (MB)",
}


DOCUMENT, TABLE = "compare.json", "compare.csv"


def check_folder(folder: Path, *, overwrite: bool) -> None:
    """Raise ConfigError if the files cannot go there, before any work is done."""
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{folder} is a file; name a folder for the comparison")
    if (folder / DOCUMENT).exists() and not overwrite:
        raise ConfigError(f"{folder / DOCUMENT} exists; `--overwrite` replaces it")


def write_comparison(
    comparison: Comparison, folder: Path, *, overwrite: bool, announce: Callable[[str], None]
) -> list[Path]:
    """Write all files into a folder, which is made; returns their paths. Raises ConfigError where one cannot be."""
    check_folder(folder, overwrite=overwrite)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{folder} cannot be made: {error.strerror}; name another folder") from None
    text = json.dumps(comparison.as_json(), indent=2, ensure_ascii=False) + "\n"
    write_private(folder / DOCUMENT, text, overwrite=overwrite)
    write_private(folder / TABLE, comparison.to_frame().to_csv(index=False), overwrite=True)
    return [folder / DOCUMENT, folder / TABLE, *_draw(comparison, folder, announce)]


def _draw(comparison: Comparison, folder: Path, announce: Callable[[str], None]) -> list[Path]:
    try:
        import vl_convert
    except ImportError:
        announce("no charts are drawn, for which vl-convert-python is needed: pip install 'anonduck[charts]'")
        return []
    written = []
    for name, chart in charts(comparison).items():
        pictures: dict[str, Any] = {
            "svg": vl_convert.vegalite_to_svg(chart).encode(),
            "png": vl_convert.vegalite_to_png(chart, scale=SCALE),
        }
        for suffix, picture in pictures.items():
            path = folder / f"{name}.{suffix}"
            with whole_file(path, ConfigError) as temporary:
                temporary.write_bytes(picture)
            written.append(path)
    return written


def charts(comparison: Comparison) -> dict[str, dict[str, Any]]:
    """By name, such as ``released-roc_auc``, a specification with its data; what no row has is not drawn."""
    found = {}
    for protocol in comparison.protocols:
        for measure in TITLES:
            panels = [panel for panel in _panels(comparison, protocol, measure) if panel["data"]["values"]]
            if panels:
                found[f"{protocol}-{measure}"] = _beside(panels, f"{comparison.source}, {protocol}")
    return found


def _beside(panels: list[dict[str, Any]], title: str) -> dict[str, Any]:
    return {
        "$schema": SCHEMA,
        "background": "white",
        "title": title,
        "hconcat": panels,
        "config": {
            "view": {"stroke": None},
            "axis": {"gridColor": "#e5e7ea", "titleFontWeight": "normal"},
            "legend": {"orient": "bottom", "columns": 4, "title": None},
        },
    }


def _panels(comparison: Comparison, protocol: str, measure: str) -> Iterator[dict[str, Any]]:
    if measure in SCORES:
        for model in comparison.models:
            whole = comparison.baseline.get(model, {}).get(measure, {}).get("value")
            yield _panel(comparison, protocol, measure, model, whole)
    else:
        yield _panel(comparison, protocol, measure, "", None)


def _panel(comparison: Comparison, protocol: str, measure: str, model: str, whole: float | None) -> dict[str, Any]:
    names = list(dict.fromkeys(_called(row) for row in comparison.rows if row["protocol"] == protocol))
    points = [
        {"method": _called(row), "k": row["k_required"] or row["k"], "value": number}
        for row in comparison.rows
        if row["protocol"] == protocol and row["k"] and (number := _value(row, measure, model)) is not None
    ]
    colour = {"domain": names, "range": [COLOURS[at % len(COLOURS)] for at in range(len(names))]}
    shape = {"domain": names, "range": [SHAPES[at % len(SHAPES)] for at in range(len(names))]}
    layers = [
        {
            "mark": {"type": "line", "point": {"filled": True, "size": 45}},
            "encoding": {
                "x": {
                    "field": "k",
                    "type": "quantitative",
                    "scale": {"type": "log", "nice": False},
                    "title": "k",
                    "axis": {"format": "~s", "tickCount": 5, "grid": False},
                },
                "y": {
                    "field": "value",
                    "type": "quantitative",
                    "scale": {"zero": False},
                    "title": f"{TITLES[measure]}{f' of {model}' if model else ''}",
                },
                "color": {"field": "method", "type": "nominal", "scale": colour},
                "shape": {"field": "method", "type": "nominal", "scale": shape},
            },
        }
    ]
    if whole is not None and points:
        layers.append(_baseline(whole))
    return {"width": WIDTH, "height": HEIGHT, "data": {"values": points}, "layer": layers}


def _called(row: Mapping[str, Any]) -> str:
    """The name of a line; one whose k is none of its file is no rival of the others at that k."""
    name: str = row["method"]
    return name if row["comparable"] else f"{name} (not comparable)"


def _baseline(whole: float) -> dict[str, Any]:
    """A level line for the ungeneralized data."""
    return {
        "data": {"values": [{"value": whole}]},
        "mark": {"type": "rule", "color": "#8a9099", "strokeDash": [3, 3]},
        "encoding": {"y": {"field": "value", "type": "quantitative"}},
    }


def _value(row: Mapping[str, Any], measure: str, model: str) -> float | None:
    if measure in SCORES:
        return value(row, model, measure)
    plain = {**row, **row["measures"], **row["risks"]}.get(measure)
    return plain if isinstance(plain, (int, float)) else None
