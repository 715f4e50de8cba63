"""The measures that the report compares with k: name, direction, baseline, frontier, and scale."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from anonduck.measures.rule_utility import utility_of
from anonduck.report.certified_utility import OF_ONE
from anonduck.rules.frontier import SMALLER_IS_BETTER, frontier, frontier_rules, is_judged, objective
from anonduck.rules.measure_names import UTILITY
from anonduck.rules.rule import Rule
from anonduck.search.proofs import is_proven, searched_as
from anonduck.search.searched_records import StoredRecords
from anonduck.search.store import StoredDiscovery
from anonduck.search.stored_rules import config_of, judge_of
from anonduck.workspace import Workspace

BY_MODEL = {"accuracy": "accuracy", "balanced_accuracy": "balanced accuracy"}
BY_MODEL_LAST = {"macro_f1": ("macro F1", "0 to 1"), "roc_auc": ("ROC AUC", "0.5 is chance, 1 perfect")}
FIRST_UTILITY = "loss"
IN_SAMPLE = "of {model}, in-sample: 10-fold cross-validation on the records that the rules were found on"
GAIN = "information_gain"


def weigh(rules: Sequence[Rule], summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The measures that some rule has, the most requested first.

    Each has a ``key`` as ``frontier --objective`` takes it, a ``name``, its ``meaning``, ``smaller`` (is better),
    ``share`` (of one), reference ``lines``, the ids of its ``frontier`` with k, which of these have ``ties`` with rules
    of a larger k, and whether rules that reveal nothing are left ``off`` it. ``proven``: no existing rule beats that
    frontier, None if not searched.
    """
    models = summary["models"]
    found = []
    for key, name, meaning in _named(models):
        read = objective(key, models)
        if all(read(rule) is None for rule in rules):
            continue
        kept = frontier_rules(rules, ("k", key), models)
        found.append(
            {
                "key": key,
                "name": name,
                "meaning": meaning,
                "smaller": key in SMALLER_IS_BETTER,
                "share": key.partition(".")[0] in ("accuracy", "balanced_accuracy"),
                "lines": list(_lines(key, summary["baseline"])),
                "frontier": sorted((rule.id for rule in kept), key=lambda identifier: int(identifier[1:])),
                "ties": {rule.id: list(rule.tied_with) for rule in kept if rule.tied_with},
                "off": is_judged(key, models),
                "proven": None if searched_as(key, summary) is None else is_proven(key, summary),
            }
        )
    return found


def weigh_three(rules: Sequence[Rule], measures: Sequence[Mapping[str, Any]], models: Sequence[str]) -> list[str]:
    """The ids of the frontier of k, the first measure and information gain (Caruccio et al. 2022, Figures 28 to 30).

    Empty if no model was measured, because then there are only two measures.
    """
    first = next((measure["key"] for measure in measures if measure["key"] != GAIN), None)
    if not models or first is None or not rules:
        return []
    kept = frontier(rules, ("k", first, GAIN), models)
    return sorted(kept, key=lambda identifier: int(identifier[1:]))


def value_of(rule: Rule, key: str, models: Sequence[str]) -> float | None:
    """A measure of a rule to six digits; None if it was not measured."""
    value = objective(key, models)(rule)
    return None if value is None else float(f"{value:.6g}")


def _named(models: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    several = len(models) > 1
    for model in models:
        for base, name in BY_MODEL.items():
            yield (
                f"{base}.{model}",
                f"{name} ({model})" if several else name,
                IN_SAMPLE.format(model=model),
            )
    yield GAIN, "information gain", "bits of information that the groups give about the class"
    for name in sorted(UTILITY, key=lambda one: one != FIRST_UTILITY):
        yield name, name.replace("_", " "), UTILITY[name].meaning
    for model in models:
        for base, (name, scale) in BY_MODEL_LAST.items():
            yield (
                f"{base}.{model}",
                f"{name} ({model})" if several else name,
                f"{scale}; {IN_SAMPLE.format(model=model)}",
            )


def _lines(key: str, baseline: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Reference lines: the measure on ungeneralized records, and that of always guessing the majority class."""
    base, _, model = key.partition(".")
    if base in baseline and model in baseline[base]:
        yield {"name": "baseline (ungeneralized)", "value": baseline[base][model]}
    if base == "accuracy" and baseline["class"]["majority_share"] is not None:
        yield {"name": "majority class", "value": baseline["class"]["majority_share"]}


def with_scales(
    workspace: Workspace, stored: StoredDiscovery, measures: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """The measures with ``share``, whether they are shares, and ``most``, the largest value that others can reach.

    For a utility measure that is its value for a rule that hides every column; for information gain the entropy of the
    class. None if a measure has no such bound.
    """
    measures = list(measures)
    sums = [one["key"] for one in measures if one["key"] in UTILITY and one["key"] not in OF_ONE]
    hidden = hiding_everything(workspace, stored, sums) if sums else {}
    most = {**hidden, GAIN: stored.summary["baseline"]["class"].get("entropy")}
    return [
        {
            **one,
            "share": one["share"] or one["key"].partition(".")[0] in OF_ONE,
            "most": most.get(one["key"]) or None,
        }
        for one in measures
    ]


def hiding_everything(workspace: Workspace, stored: StoredDiscovery, names: Iterable[str]) -> dict[str, float]:
    """Utility measures of a rule that drops every quasi-identifier, on the records on which rules were found."""
    judge = judge_of(workspace, stored)
    known = workspace.taxonomies
    taxonomies = {name: known[name] for name in judge.space.attributes}
    columns = StoredRecords(workspace.database, taxonomies, judge.records).columns
    return utility_of(columns, config_of(workspace, stored), judge)({}, 0, list(names))
