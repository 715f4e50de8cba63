"""How measures are rounded: to so many digits after the point that sums in another order come to the same number."""

from __future__ import annotations

from typing import Any

DIGITS = 12


def rounded(value: Any) -> Any:
    """A share without the digits that depend on the order of a sum, and so on the number of threads."""
    return round(value, DIGITS) if isinstance(value, float) else value
