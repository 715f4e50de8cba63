"""What an exact search proved of the stored rules: by measure, by rule, and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anonduck.rules.frontier import SMALLER_IS_BETTER, better_first, objective
from anonduck.rules.measure_names import SHARES
from anonduck.rules.rule import Rule, literal


def bounded_as(name: str, summary: Mapping[str, Any]) -> str | None:
    """The name that an objective is bounded by in an exact search; None where it was not searched for.

    >>> bounded_as("accuracy.tree", {"exact": {"measures": ["accuracy"]}, "models": ["tree"]})
    'accuracy'
    """
    exact = summary.get("exact")
    if not exact:
        return None
    score, _, model = name.partition(".")
    plain = score if model and model == next(iter(summary["models"]), None) else name
    return next((one for one in (name, plain) if one in exact["measures"]), None)


def is_proven(name: str, summary: Mapping[str, Any]) -> bool:
    """Whether the frontier of k and an objective is proven at every k."""
    known = bounded_as(name, summary)
    return known is not None and known not in summary["exact"]["bounds"]


def best_at(rules: Sequence[Rule], name: str, models: Sequence[str], k: int) -> float | None:
    """The best of the rules with at least such a k by an objective; None where none has it."""
    read = objective(name, models)
    values = [float(value) for rule in rules if rule.measures.k >= k and (value := read(rule)) is not None]
    return max(values, key=lambda value: better_first(name, value), default=None)


def open_bounds(
    rules: Sequence[Rule], found: Sequence[Rule], name: str, summary: Mapping[str, Any]
) -> dict[str, float | None]:
    """By the id of each rule that a better one may exist for at its k or a larger one, what none exceeds in a measure
    (or undercuts, where less is better); None where nothing bounds it. Rules for which the best found is proven are
    left out.

    Args:
        rules: the rules to explain.
        found: all that were found.
        name: an objective that ``bounded_as`` knows.
        summary: that of the discovery.
    """
    if is_proven(name, summary):
        return {}
    known = bounded_as(name, summary)
    bounds = {rule.id: rule.bounds.get(known or name) for rule in rules}
    best = {rule.id: best_at(found, name, summary["models"], rule.measures.k) for rule in rules}
    return {
        identifier: bound
        for identifier, bound in bounds.items()
        if bound is None or (reached := best[identifier]) is None or _is_better(name, bound, reached)
    }


def _is_better(name: str, one: float, other: float) -> bool:
    return better_first(name, one) > better_first(name, other)


def floor_words(summary: Mapping[str, Any]) -> str:
    """Where the search started, if not at the values as they came; else nothing."""
    if not summary.get("floor"):
        return ""
    return (
        f"the search started at the floor {literal(summary['floor'])}: the records make too many distinct combinations "
        "for finer levels, and no rule was looked for there"
    )


def proof_lines(summary: Mapping[str, Any]) -> list[str]:
    """What is proven, what bounds the rest and what ended the search, in two or three lines; where there is no rule,
    what ended it alone."""
    exact = summary["exact"]
    looked = f"{exact['evaluated']:,} of {exact['nodes']:,} level vectors evaluated"
    if exact["trained"]:
        looked += f", models trained for {exact['trained']:,}"
    if summary["explanation"]:
        return [] if exact["complete"] else [looked + _cut(summary)]
    measures = _listed([_words(name) for name in exact["measures"]], "or")
    rules = "rules from the floor up" if summary.get("floor") else "rules"
    if summary["proven"]:
        return [
            f"the frontier is proven: of all {rules} with k >= {summary['min_k']:,}, none beats it in {measures}",
            f"{looked}; none of the others can do better",
        ]
    start = summary["proven_from_k"]
    if start is None:
        first = "the frontier is not proven at any k"
    else:
        first = f"the frontier is proven for k >= {start:,}: of all {rules} with such a k, none beats it in {measures}"
    if exact["optimal"]:
        first += f"; the best {_words(exact['optimal'])} is proven"
    return [first, _bounds(summary), looked + _cut(summary)]


def _bounds(summary: Mapping[str, Any]) -> str:
    """What no rule at all exceeds, where the frontier is not proven."""
    where = "" if summary["proven_from_k"] is None else "at a smaller k "
    bounds = summary["exact"]["bounds"]
    known = {name: bound for name, bound in bounds.items() if bound is not None and not _is_whole(name, bound)}
    parts = []
    for words, less in (("exceeds", False), ("is under", True)):
        limits = [f"{_words(name)} {bound:.4f}" for name, bound in known.items() if _is_less(name) == less]
        parts += [f"none {words} {_listed(limits, 'or')}"] if limits else []
    unknown = [_words(name) for name in bounds if name not in known]
    parts += [f"nothing bounds {_listed(unknown, 'and')}"] if unknown else []
    return f"{where}there may be better rules" + (f", but {'; '.join(parts)}" if parts else "")


def _is_whole(name: str, bound: float) -> bool:
    """Whether a bound says nothing: no share of the records is larger."""
    return bound >= 1 and name.partition(".")[0] in SHARES


def _is_less(name: str) -> bool:
    return name.partition(".")[0] in SMALLER_IS_BETTER


def _cut(summary: Mapping[str, Any]) -> str:
    cut, budget = summary["cut"], summary["budget"]
    if cut is None:
        return ""
    if cut["by"] == "time":
        return f"; the time limit of {budget['time_limit']:g} s ended the search: `--time-limit SECONDS` sets it"
    return f"; the budget of {budget['limit']:,} ended the search: `--budget N` sets it"


def _words(name: str) -> str:
    score, _, model = name.partition(".")
    return score.replace("_", " ") + (f" ({model})" if model else "")


def _listed(words: Sequence[str], last: str) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}" if words else ""
