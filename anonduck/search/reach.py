"""The reach of a level vector: the largest k at which no more records than may be left out are in classes under it.

Classes only part as levels fall: neither the k of the records that stay nor that of a finer vector exceeds it.
"""

from __future__ import annotations

from math import floor

import numpy as np

from anonduck.measures.requirement import Requirement


def allowed(requirement: Requirement, records: int) -> int:
    """The most records that may be left out."""
    most = min(records, floor(requirement.suppression * records) + 1)
    while most > 0 and not requirement.allows(most, records):
        most -= 1
    return most


def reach_of(sizes: np.ndarray, most: int) -> int:
    """The largest k at which no more than ``most`` records are in classes under it; where all may be left out, the
    largest size."""
    if not most:
        return int(sizes.min())
    ordered = np.sort(sizes)
    place = int(np.searchsorted(np.cumsum(ordered), most, side="right"))
    return int(ordered[min(place, len(ordered) - 1)])
