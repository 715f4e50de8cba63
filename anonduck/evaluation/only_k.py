"""What is refused of requirements where k alone can be met: of swapped values, and of distributions."""

from __future__ import annotations

from collections.abc import Sequence

from anonduck.errors import ConfigError
from anonduck.measures.requirement import Requirement
from anonduck.methods.method import Method
from anonduck.methods.permutation import LEAST_K


def refuse_all_but_k(method: Method, requirement: Requirement, why: str, but: Sequence[str] = ()) -> None:
    """Raise ConfigError where more than k is required, ``but`` for some, which ``why`` says that the method cannot
    meet."""
    asked = (*requirement.own, *requirement.of_file)
    other = [one.model.name for one in asked if one.model.name not in ("k", *but)]
    if other:
        raise ConfigError(
            f"{method.name} meets k{why} cannot meet {', '.join(other)}. Take that out of the config, or choose "
            "another method"
        )


def refuse_unmet(method: Method, requirement: Requirement, *, but: Sequence[str] = (), shows: str = "") -> None:
    """Raise ConfigError for what swapping cannot meet, ``but`` for some; ``shows`` is how the method swaps, if else it
    does not."""
    refuse_all_but_k(method, requirement, f" {shows}for clusters that no file shows, and", but)
    if requirement.k < LEAST_K:
        raise ConfigError(
            f"{method.name} {shows}takes a k of {LEAST_K} or more, not {requirement.k}: two records have but one other "
            "order, so that whole records would change places"
        )


WITHIN_CLASSES = "with swapped values "
"""How a method with classes swaps."""
