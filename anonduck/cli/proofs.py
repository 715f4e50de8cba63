"""What of a frontier is proven, in a line or two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anonduck.cli.terminal import say


def print_proof(summary: Mapping[str, Any]) -> None:
    """What an exact search proved, and what ended it before it proved all."""
    for line in proof_lines(summary):
        say(line)


def proof_lines(summary: Mapping[str, Any]) -> list[str]:
    """The same as lines, from the summary of a discovery."""
    exact = summary["exact"]
    measures = _listed([_words(name) for name in exact["measures"]])
    looked = f"{exact['evaluated']:,} of {exact['nodes']:,} level vectors evaluated"
    if exact["trained"]:
        looked += f", models trained for {exact['trained']:,}"
    if summary["proven"]:
        return [f"the frontier is proven: no rule with k >= {summary['min_k']:,} is better in {measures}", looked]
    start = summary["proven_from_k"]
    first = "nothing is proven" if start is None else f"proven for k >= {start:,}: no rule is better in {measures}"
    limits = _listed([f"{_words(name)} of {bound:.4f}" for name, bound in _finite(exact["bounds"])])
    below = "any k" if start is None else "a smaller k"
    bound = f"; at {below}, none exceeds {limits}" if limits else ""
    return [first + bound, f"{looked}; {_cut(summary)}"]


def _finite(bounds: Mapping[str, float]) -> list[tuple[str, float]]:
    return [(name, bound) for name, bound in bounds.items() if abs(bound) != float("inf")]


def _cut(summary: Mapping[str, Any]) -> str:
    cut, budget = summary["cut"], summary["budget"]
    if cut["by"] == "time":
        return f"the time limit of {budget['time_limit']:g} s ended the search (--time-limit)"
    return f"the budget of {budget['limit']:,} ended the search (--budget)"


def _words(name: str) -> str:
    score, _, model = name.partition(".")
    return score.replace("_", " ") + (f" ({model})" if model else "")


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}" if words else ""
