"""What an exact search proved of the stored rules: by measure, by rule, and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anonduck.rules.rule import literal


def searched_as(name: str, summary: Mapping[str, Any]) -> str | None:
    """The name that an exact search has for an objective; None where it was not searched for.

    >>> searched_as("accuracy.tree", {"exact": {"measures": ["accuracy"]}, "models": ["tree"]})
    'accuracy'
    """
    exact = summary["exact"]
    if not exact:
        return None
    score, _, model = name.partition(".")
    plain = score if model and model == next(iter(summary["models"]), None) else name
    return next((one for one in (name, plain) if one in exact["measures"]), None)


def is_proven(name: str, summary: Mapping[str, Any]) -> bool:
    """Whether the frontier of k and an objective is proven at every k."""
    return searched_as(name, summary) in (summary["exact"] or {}).get("proven", ())


def floor_words(summary: Mapping[str, Any]) -> str:
    """Where the search started, if not at the values as they came; else nothing."""
    if not summary["floor"]:
        return ""
    return (
        f"the search started at the floor {literal(summary['floor'])}: the records make too many distinct combinations "
        "for finer levels, and no rule was looked for there"
    )


def proof_lines(summary: Mapping[str, Any]) -> list[str]:
    """What is proven and what ended the search, in two lines; where there is no rule, what ended it alone."""
    exact = summary["exact"]
    looked = f"{exact['evaluated']:,} of {exact['nodes']:,} level vectors evaluated"
    if exact["trained"]:
        looked += f", models trained for {exact['trained']:,}"
    if summary["explanation"]:
        return [] if exact["complete"] else [looked + _cut(summary)]
    measures = _listed([_words(name) for name in exact["measures"]])
    rules = "rules from the floor up" if summary["floor"] else "rules"
    if summary["proven"]:
        return [
            f"the frontier is proven: of all {rules} with k >= {summary['min_k']:,}, none beats it in {measures}",
            f"{looked}; none of the others can do better",
        ]
    start = summary["proven_from_k"]
    if start is None:
        first = "the frontier is not proven at any k: there may be better rules"
    else:
        first = f"the frontier is proven for k >= {start:,}: of all {rules} with such a k, none beats it in {measures}"
        first += "; at a smaller k there may be better rules"
    if exact["optimal"]:
        first += f"; the best {_words(exact['optimal'])} is proven"
    return [first, looked + _cut(summary)]


def _cut(summary: Mapping[str, Any]) -> str:
    cut, budget = summary["cut"], summary["budget"]
    if cut is None:
        return ""
    if cut["by"] == "time":
        return (
            f"; the time limit of {budget['time_limit']:g} s ended the search: "
            "`anonduck discover --time-limit SECONDS` sets it"
        )
    return f"; the budget of {budget['limit']:,} ended the search: `anonduck discover --budget N` sets it"


def _words(name: str) -> str:
    score, _, model = name.partition(".")
    return score.replace("_", " ") + (f" ({model})" if model else "")


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}" if words else ""
