"""The figures of docs/papers/rfd.md: Figures 4 to 18 and 25 to 30 of the paper once more, on the same axes.

As in the paper k counts the class, and only rules with k >= 2 are drawn. Each picture has a panel for each data set.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import vl_convert

from benchmarks.real_data import panels
from benchmarks.real_data.data_sets import COVERAGES, DATA_SETS, MIN_K, DataSet
from benchmarks.real_data.markdown import percent
from benchmarks.real_data.results import read_result

ORDER = ("electricity", "adult", "bank")
SCALE = 1.25
MOST_BYTES = 200_000
COUNTED = "k_with_class"
Result = dict[str, Any]
Read = Callable[[Result], float | None]

MEASURES: dict[str, Read] = {
    "accuracy, tree": lambda rule: rule["accuracy"]["tree"],
    "balanced, tree": lambda rule: rule["balanced_accuracy"]["tree"],
    "accuracy, svm": lambda rule: rule["accuracy"].get("svm"),
    "balanced, svm": lambda rule: rule["balanced_accuracy"].get("svm"),
    "information gain": lambda rule: rule["information_gain"],
    "corrected": lambda rule: rule["information_gain_corrected"],
}


@dataclass(frozen=True)
class Found:
    """A data set and its rules that keep k >= 2 with the class counted, by coverage in ``origins``."""

    item: DataSet
    result: Result

    def rules(self, coverage: float) -> list[Result]:
        """The rules of a coverage."""
        return [rule for rule in self.result["rules"] if f"{coverage:g}" in rule["origins"]]

    def frontier(self, coverage: float) -> frozenset[str]:
        """The ids of its rules on the frontier of k, accuracy of the tree and information gain."""
        (counted,) = (one for one in self.result["with_class"] if one["coverage"] == coverage)
        return frozenset(counted["on_frontier"])


def with_class(result: Result) -> Result:
    """A result with only the rules, by coverage, that keep k >= 2 when the class counts as an attribute."""
    rules = []
    for rule in result["rules"]:
        origins = {
            f"{counted['coverage']:g}": counted["origins"][rule["id"]]
            for counted in result["with_class"]
            if rule["id"] in counted["origins"]
        }
        rules.append({**rule, "origins": origins})
    return {**result, "rules": rules}


def draw_figures(folder: Path, results: Path, say: Callable[[str], None]) -> None:
    """Draw every figure for which there are results as a PNG; ValueError for one that grows too large."""
    paths = {name: results / f"{name}.json" for name in ORDER}
    found = [Found(DATA_SETS[name], with_class(read_result(path))) for name, path in paths.items() if path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for name, figure in FIGURES.items():
        drawn = [panel for one in found if (panel := figure(one)) is not None]
        if drawn:
            _write(folder / f"{name}.png", panels.beside(drawn), say)


def _write(path: Path, chart: Mapping[str, Any], say: Callable[[str], None]) -> None:
    picture = vl_convert.vegalite_to_png(dict(chart), scale=SCALE)
    if len(picture) > MOST_BYTES:
        raise ValueError(f"{path.name} has {len(picture):,} bytes; {MOST_BYTES:,} are allowed. Lower SCALE")
    path.write_bytes(picture)
    say(f"{path.name}: {len(picture):,} bytes")


# -- each figure's panel of a data set ---------------------------------------------------------------------------------


def boxes(measure: str, title: str) -> Callable[[Found], panels.Panel | None]:
    """Figures 4 to 12: extracted and combined rules by coverage."""
    read = MEASURES[measure]

    def panel(found: Found) -> panels.Panel | None:
        rows = [
            {"coverage": percent(coverage), "rules": words, "value": value}
            for coverage in COVERAGES
            for rule in found.rules(coverage)
            for words in [ORIGINS[rule["origins"][f"{coverage:g}"]]]
            if (value := read(rule)) is not None
        ]
        return panels.boxes(found.item.title, rows, list(ORIGINS.values()), _coverages(), title) if rows else None

    return panel


ORIGINS = {"extracted": "extracted rules", "joined": "combined rules"}


def best_by_k(
    measure: str, title: str, lines: Callable[[Result], dict[str, float]]
) -> Callable[[Found], panels.Panel | None]:
    """Figures 13 to 18: by coverage the best value of the rules that reach a k, and where they end; baselines."""
    read = MEASURES[measure]

    def panel(found: Found) -> panels.Panel | None:
        steps = [
            {"coverage": percent(coverage), **step}
            for coverage in COVERAGES
            for step in best_steps(found.rules(coverage), read)
        ]
        levels = [{"name": name, "value": value} for name, value in lines(found.result).items()]
        return panels.steps(found.item.title, steps, levels, _coverages(), title)

    return panel


def best_steps(rules: Sequence[Result], read: Read) -> list[dict[str, Any]]:
    """The best value for each k at which it may change, from k = 2 on; ``last`` marks the largest k."""
    ks = sorted({MIN_K, *(rule[COUNTED] for rule in rules)}) if rules else []
    values = {k: [value for rule in rules if rule[COUNTED] >= k and (value := read(rule)) is not None] for k in ks}
    return [{"k": k, "value": max(values[k]), "last": k == ks[-1]} for k in ks if values[k]]


def baselines(result: Result) -> dict[str, float]:
    """What models reach on the ungeneralized data, and the majority class."""
    base = result["baseline"]
    return {
        "tree, ungeneralized data": base["accuracy"]["tree"],
        "C4.5, all values nominal": result["nominal_baseline"],
        "majority class": base["class"]["majority_share"],
    }


def counts_by_k(found: Found) -> panels.Panel | None:
    """Figures 25 to 27: the rules that reach a k, all of them and those of the frontier."""
    rows = []
    for coverage in COVERAGES:
        rules, front = found.rules(coverage), found.frontier(coverage)
        ks = sorted({MIN_K, *(rule[COUNTED] for rule in rules)}) if rules else []
        for k in ks:
            reached = [rule["id"] for rule in rules if rule[COUNTED] >= k]
            told = {"coverage": percent(coverage), "k": k}
            rows += [{**told, "of": "all rules", "rules": len(reached)}]
            rows += [{**told, "of": "rules on the frontier", "rules": len(front.intersection(reached))}]
    return panels.counts(found.item.title, rows, ["all rules", "rules on the frontier"], _coverages())


def frontier_of_three(found: Found) -> panels.Panel | None:
    """Figures 28 to 30: the rules of 5 % by k, accuracy and information gain, and the frontier of the three."""
    front = found.frontier(COVERAGES[0])
    rows = [
        {
            "k": rule[COUNTED],
            "accuracy": rule["accuracy"]["tree"],
            "gain": rule["information_gain"],
            "frontier": rule["id"] in front,
        }
        for rule in found.rules(COVERAGES[0])
    ]
    return panels.three(found.item.title, rows) if rows else None


def _coverages() -> list[str]:
    return [percent(coverage) for coverage in COVERAGES]


FIGURES: Mapping[str, Callable[[Found], panels.Panel | None]] = {
    "figures-04-06": boxes("accuracy, tree", "accuracy of the tree"),
    "figures-07-09": boxes("accuracy, svm", "accuracy of the svm"),
    "figures-10-12": boxes("information gain", "information gain, bits"),
    "figures-13-15": best_by_k("accuracy, tree", "best accuracy of the tree", baselines),
    "figures-16-18": best_by_k("information gain", "best information gain, bits", lambda _: {}),
    "figures-25-27": counts_by_k,
    "figures-28-30": frontier_of_three,
}
