"""The tables of docs/search.md in Markdown, from the results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from benchmarks.real_data.data_sets import DATA_SETS
from benchmarks.real_data.markdown import bits, points, table
from benchmarks.real_data.results import read_result

KS = (2, 5, 10, 20, 50, 100, 200, 500)
MEASURES = {"accuracy": points, "balanced_accuracy": points, "information_gain": bits}
SEARCHES = {
    "rfd": "RFDs alone, `--search rfd`",
    "pool": "RFDs, joined across coverages, `--pool`",
    "tolerant": "+ tolerant, `--combine tolerant`",
    "refined": "+ refined, `--search combined`",
    "both": "+ tolerant + refined, `--combine` both",
}
GAPS = ("accuracy, points", "balanced accuracy, points", "information gain, bits")
Result = dict[str, Any]


def make_frontier_tables(results: Path) -> dict[str, str]:
    """Every table for which there are results, by its marker."""
    paths = {name: results / f"{name}-frontier.json" for name in DATA_SETS}
    found = {name: read_result(path) for name, path in paths.items() if path.exists()}
    tables = {f"frontier-{name}": by_k(result) for name, result in found.items()}
    if found:
        of_paper = list(found.values())
        tables |= {"gaps": gaps(of_paper, SEARCHES), "costs": costs(of_paper), "variants": variants(of_paper)}
    others = results / "other-frontiers.json"
    if others.exists():
        measured = list(read_result(others).values())
        tables["other-gaps"] = gaps(measured, {name: SEARCHES[name] for name in ("rfd", "tolerant", "refined", "both")})
    return tables


def gaps(found: Sequence[Result], searches: dict[str, str]) -> str:
    """One row per table and search: rules, and the mean and largest gap to the best of all rules, by measure."""
    rows = []
    for result in found:
        rows.append([result["title"], "every rule", f"{len(result['rules']):,}", *[""] * len(MEASURES)])
        for name, title in searches.items():
            places = result["searches"][name]["rules"]
            rows.append([result["title"], title, f"{len(places):,}", *_mean_and_largest(result, places)])
    return table(["data", "search", "rules", *GAPS], rows)


def by_k(result: Result) -> str:
    """For each k the best of all rules in each measure, of those of RFDs, and of those of the default."""
    every = range(len(result["rules"]))
    chosen = [every, result["searches"]["rfd"]["rules"], result["searches"]["refined"]["rules"]]
    rows = [
        [
            f"{k:,}",
            *(" · ".join(MEASURES[name](_best(result, places, name, k)) for name in MEASURES) for places in chosen),
        ]
        for k in _ks(result)
    ]
    return table(["k at least", "of every rule", "of the rules of RFDs", "of the default"], rows)


def costs(found: Sequence[Result]) -> str:
    """One row per data set and search: what it adds, what it looks at, and the seconds of looking and training."""
    rows = []
    for result in found:
        begun = set(result["searches"]["rfd"]["rules"])
        for name, title in SEARCHES.items():
            if name == "rfd":
                continue
            search = result["searches"][name]
            added = [place for place in search["rules"] if place not in begun]
            rows.append(
                [
                    result["title"],
                    title,
                    f"{len(added):,}",
                    f"{search['tried']:,}",
                    f"{search['seconds']:.1f}",
                    f"{_seconds(result, added):.1f}",
                ]
            )
        every = range(len(result["rules"]))
        seconds = [f"{result['seconds_to_enumerate']:.1f}", f"{_seconds(result, every):.1f}"]
        rows.append([result["title"], "every rule", f"{len(every) - len(begun):,}", "", *seconds])
    return table(["data", "search", "rules added", "level vectors tried", "CPU seconds to find", "to train"], rows)


def variants(found: Sequence[Result]) -> str:
    """One row per data set and variant of the refining."""
    rows = []
    for result in found:
        for name, search in result["variants"].items():
            cells = [f"{search['tried']:,}", f"{len(search['rules']):,}", *_mean_and_largest(result, search["rules"])]
            rows.append([result["title"], name, *cells])
    return table(["data", "refining", "level vectors tried", "rules", *GAPS], rows)


def _seconds(result: Result, places: Sequence[int]) -> float:
    return float(sum(result["rules"][place]["seconds"] for place in places))


def _mean_and_largest(result: Result, places: Sequence[int]) -> list[str]:
    """For each measure the mean and, in brackets, the largest gap over the k that any rule reaches.

    Accuracies come with the standard error of the difference over the folds, which are the same for all rules.
    """
    cells = []
    for name, shown in MEASURES.items():
        gaps = [_gap(result, places, name, k) for k in _ks(result)]
        largest = max(gaps, key=lambda gap: gap.value)
        told = Gap(mean(gap.value for gap in gaps), np.mean([gap.folds for gap in gaps], axis=0))
        cells.append(f"{told.shown(shown)} ({largest.shown(shown)})")
    return cells


@dataclass(frozen=True, eq=False)
class Gap:
    """How far a search is behind the best there is: over all folds, and in each fold (folds,) where that is known."""

    value: float
    folds: np.ndarray

    def shown(self, as_text: Callable[[float], str]) -> str:
        """The gap, and its standard error where there is a gap."""
        if len(self.folds) < 2 or not self.value:
            return as_text(self.value)
        return f"{as_text(self.value)} ± {as_text(float(self.folds.std(ddof=1) / sqrt(len(self.folds))))}"


def _gap(result: Result, places: Sequence[int], measure: str, least: int) -> Gap:
    """The gap at a k; a search that has the best rule, or one that equals it, is not behind in any fold."""
    every = range(len(result["rules"]))
    best, found = _best_rule(result, every, measure, least), _best_rule(result, places, measure, least)
    value = _value(result, best, measure) - _value(result, found, measure)
    if measure not in (best or {}).get("folds", {}):
        return Gap(value, np.empty(0))
    of_best = np.asarray((best or {})["folds"][measure])
    of_found = found["folds"][measure] if found else _value(result, None, measure)
    return Gap(value, of_best - of_found if value else np.zeros(len(of_best)))


def _ks(result: Result) -> list[int]:
    """The k of the tables that any rule reaches."""
    largest = max(rule["k"] for rule in result["rules"])
    return [k for k in KS if k <= largest]


def _best(result: Result, places: Sequence[int], measure: str, least: int) -> float:
    """The best value of the rules that reach a k; without such a rule, that of naming the majority class."""
    return _value(result, _best_rule(result, places, measure, least), measure)


def _best_rule(result: Result, places: Sequence[int], measure: str, least: int) -> Result | None:
    """The best of the rules that reach a k."""
    reached = [rule for place in places if (rule := result["rules"][place])["k"] >= least]
    return max(reached, key=lambda rule: rule[measure], default=None)


def _value(result: Result, rule: Result | None, measure: str) -> float:
    """What a rule has of a measure; None stands for naming the majority class."""
    of_none = {"accuracy": result["majority_share"], "balanced_accuracy": 1 / result["class_values"]}
    return float(of_none.get(measure, 0.0) if rule is None else rule[measure])
