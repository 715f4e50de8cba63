"""Markdown tables and the numbers in them."""

from __future__ import annotations

from collections.abc import Sequence


def table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def points(share: float) -> str:
    """A share in percent with two digits after the point."""
    return f"{100 * share:.2f}"


def bits(value: float) -> str:
    """An information gain."""
    return f"{value:.3f}"


def percent(coverage: float) -> str:
    """A coverage."""
    return f"{coverage:.0%}".replace("%", " %")
