"""How many examples and parameters a test takes: all in a full run, some of them else; conftest.py has the profiles."""

from typing import Any

from hypothesis import settings

ALL = 100
FEWEST = 3


def examples(full: int, **more: Any) -> settings:
    """Settings of a property test that takes ``full`` examples in a full run, and its share of them else."""
    share = full * settings().max_examples // ALL
    return settings(max_examples=max(share, min(full, FEWEST)), **more)


def spread(number: int, count: int) -> set[int]:
    """The places of ``number`` of ``count`` parameters, evenly spread, the first one among them."""
    return {place * count // number for place in range(number)}
