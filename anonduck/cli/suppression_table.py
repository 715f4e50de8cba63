"""What a little suppression buys, as a table below the frontier and as a sentence after a discovery."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anonduck.cli.rule_tables import levels_in_pieces
from anonduck.cli.tables import print_table
from anonduck.cli.terminal import say


def print_suppression_curve(
    points: Sequence[Mapping[str, Any]], models: Sequence[str], nodes: Mapping[str, Sequence[int]]
) -> None:
    """Print the best rules found for each share that could be left out; nothing where none gains by it."""
    lines = [(point["suppression"], rule) for point in points for rule in point["rules"]]
    if not lines:
        return
    say("\nwith more records left out, the best found, not proven (`requirement: {suppression: ...}` allows it):")
    accuracy = [f"{model} accuracy" for model in models[:1]]
    columns = ["suppression", "k", "suppressed", "gain (bits)", *accuracy, "levels"]
    rows = [
        [
            f"{share:g}",
            f"{rule['k']:,}",
            f"{rule['suppressed']:,}",
            f"{rule['information_gain']:.4f}",
            *[_share(rule["accuracy"].get(model)) for model in models[:1]],
            levels_in_pieces(rule["levels"], nodes),
        ]
        for share, rule in lines
    ]
    print_table(columns, rows, right=columns[:-1], wraps="levels", give_way=["gain (bits)", "suppressed"])


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"
