"""How many examples and parameters a test takes: all at night, some of them else; conftest.py has the profiles."""

from collections.abc import Sequence
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

ALL = 100
FEWEST = 3
THROUGH_SQL = st.sampled_from([False] * 19 + [True])
"""Whether a draw goes through SQL too: one in twenty, as the algorithm itself is asked in all of them."""


def examples(full: int, **more: Any) -> settings:
    """Settings of a property test that takes ``full`` examples at night, and its share of them else."""
    share = full * settings().max_examples // ALL
    return settings(max_examples=max(share, min(full, FEWEST)), **more)


def spread(number: int, count: int) -> set[int]:
    """The places of ``number`` of ``count`` parameters, evenly spread, the first one among them."""
    return {place * count // number for place in range(number)}


def tier(numbers: Sequence[int], count: int) -> list[str]:
    """The mark of each of ``count`` parameters: none for the first number of them, ``slow`` for the others up to the
    second number, ``nightly`` for the rest; where there is no second number, the rest are slow."""
    first = spread(numbers[0], count)
    second = spread(max(numbers[1], numbers[0]), count) if len(numbers) > 1 else set(range(count))
    return ["" if place in first else "slow" if place in second else "nightly" for place in range(count)]
