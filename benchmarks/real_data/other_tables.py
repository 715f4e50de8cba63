"""Two more tables of docs/real-data.md: the taxonomies beside Table 7, and Electricity in the order of time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import mean, stdev
from typing import Any

from anonduck.rules.rule import literal
from benchmarks.real_data.data_sets import DataSet
from benchmarks.real_data.markdown import points, table
from benchmarks.real_data.paper import TABLE_7

Result = dict[str, Any]
KS = (2, 100, 500)
WAYS = {
    "random": "folds at random",
    "stretches": "stretches of days, trained on the others",
    "past": "the next stretch, trained on the past",
}

SHORT = {"random": "at random", "past": "on the next stretch"}


def taxonomies(found: Sequence[tuple[DataSet, Result]]) -> str:
    """One row per attribute: type, domain and levels here and in Table 7 of the paper; the nodes of each level."""
    rows = []
    for item, result in found:
        for name, nodes in result["nodes"].items():
            kind, domain, levels = TABLE_7[item.name][name]
            rows.append(
                [
                    item.title,
                    name,
                    _beside(result["types"][name], kind),
                    _beside(f"{result['distinct'][name]:,}", f"{domain:,}"),
                    _beside(str(len(nodes)), str(levels)),
                    " · ".join(f"{count:,}" for count in nodes),
                ]
            )
    names = ["data", "attribute", "type", "domain size", "taxonomy levels", "nodes of each level, leaves first"]
    return table(names, rows)


def _beside(ours: str, paper: str) -> str:
    return ours if ours == paper else f"{ours} (paper: {paper})"


def over_time(result: Result) -> str:
    """What models reach on folds at random and in the order of time; rules that are the best in one of the ways."""
    rows = [
        [
            "naming the majority class",
            "",
            points(result["majority"]["random"]),
            "",
            points(result["majority"]["past"]),
            "",
        ],
        ["ungeneralized data", "", *_accuracies(result["baseline"]), ""],
    ]
    for least in KS:
        reached = [rule for rule in result["rules"] if rule["k"] >= least]
        best = {way: max(reached, key=lambda rule, way=way: mean(rule[way])) for way in ("random", "past")}
        chosen: dict[str, tuple[str, Result]] = {}
        for way, rule in best.items():
            name = literal(rule["levels"])
            words = f"{chosen[name][0]} and {SHORT[way]}" if name in chosen else SHORT[way]
            chosen[name] = (words, rule)
        for name, (words, rule) in chosen.items():
            ahead = [one - other for one, other in zip(rule["past"], result["baseline"]["past"], strict=True)]
            cells = [f"{rule['k']:,}", *_accuracies(rule), _mean_and_error(ahead)]
            rows.append([f"k >= {least}, the best {words}: `{name}`", *cells])
    return table(["rule", "k", *WAYS.values(), "there, less the ungeneralized data"], rows)


def _accuracies(scores: Mapping[str, Any]) -> list[str]:
    """The mean over the folds with its standard error, of each way."""
    return [_mean_and_error(scores[way]) for way in WAYS]


def _mean_and_error(values: Sequence[float]) -> str:
    return f"{points(mean(values))} ± {points(stdev(values) / sqrt(len(values)))}"
