"""What of a frontier is proven, in lines and as columns of a table of rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from anonduck.cli.terminal import say

if TYPE_CHECKING:
    from anonduck.rules.rule import Rule

Column = Mapping[str, str]


def print_proof(summary: Mapping[str, Any]) -> None:
    """What an exact search proved, and what ended it before it proved all."""
    from anonduck.search.proofs import proof_lines

    for line in proof_lines(summary):
        say(line)


def bound_columns(
    rules: Sequence[Rule], found: Sequence[Rule], objectives: Sequence[str], summary: Mapping[str, Any]
) -> Mapping[str, Column]:
    """For each objective but k whose frontier is not proven, by a title, what the cell of each rule says."""
    from anonduck.rules.frontier import SMALLER_IS_BETTER
    from anonduck.search.proofs import bounded_as, open_bounds

    columns = {}
    for name in objectives:
        bounds = open_bounds(rules, found, name, summary) if bounded_as(name, summary) else {}
        if bounds:
            limit = "at least" if name in SMALLER_IS_BETTER else "at most"
            cells = {rule.id: _bound(bounds[rule.id]) if rule.id in bounds else "proven" for rule in rules}
            columns[f"{name.replace('_', ' ')} {limit}"] = cells
    return columns


def print_bounds(columns: Mapping[str, Column]) -> None:
    """What these columns mean, where there are any."""
    if columns:
        told = " or ".join(repr(name) for name in columns)
        say(f"no rule with at least a rule's k goes beyond what stands under {told}")


def _bound(bound: float | None) -> str:
    return "unknown" if bound is None else f"{bound:.4f}"
