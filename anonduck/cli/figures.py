"""Numbers and requirements in words."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anonduck.privacy.requirement import CriterionResult


def reached(value: Any) -> str:
    """What is reached, as it stands in JSON: a number, several by name, or nothing."""
    if value is None:
        return ""
    return numbers(value) if isinstance(value, Mapping) else number(value)


def requirement(line: Mapping[str, Any]) -> str:
    """What a line of a receipt requires: what was asked, where a candidate was found for more."""
    required = line.get("asked", line["required"])
    if isinstance(required, Mapping):
        return f"{line['name']} ({', '.join(f'{name} = {number(value)}' for name, value in required.items())})"
    return f"{line['name']} {'<=' if line.get('at_most') else '>='} {required}"


def numbers(found: Mapping[str, Any]) -> str:
    """What is reached: one number, or several by name."""
    if len(found) == 1:
        return number(next(iter(found.values())))
    return ", ".join(f"{name} = {number(value)}" for name, value in found.items())


def reached_words(reached: CriterionResult) -> str:
    """What is reached, whether that is an end of an interval, and of several sensitive attributes by which.

    A lower bound that does not show what is required comes with the upper one.
    """
    worst = "" if reached.attribute is None else f", column {reached.attribute!r}"
    if reached.upper is not None and not reached.met:
        most = "no pair of classes compares" if reached.upper == inf else f"at most {number(reached.upper)}"
        return f"not shown, {most}" if reached.not_shown else most
    end = ", upper end of its interval" if reached.asked.model.upper_end else ""
    return numbers(reached.numbers) + end + worst


def number(value: float | str | list[float]) -> str:
    """A number as a person reads it, or the two ends of an interval; words stay."""
    if isinstance(value, list):
        return " to ".join(map(number, value))
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}"
    if value == float("inf"):
        return "infinite"
    return f"{value:,.2f}" if value >= 10 else f"{value:.4g}"
