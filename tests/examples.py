"""How many examples a property test takes: all in a full run, a share of them else; conftest.py has the profiles."""

from typing import Any

from hypothesis import settings

ALL = 100
FEWEST = 3


def examples(full: int, **more: Any) -> settings:
    """Settings of a property test that takes ``full`` examples in a full run, and under a profile of fewer its share.

    >>> [examples(full).max_examples * ALL <= max(full * settings().max_examples, FEWEST * ALL) for full in (2, 9, 300)]
    [True, True, True]
    """
    share = full * settings().max_examples // ALL
    return settings(max_examples=max(share, min(full, FEWEST)), **more)
