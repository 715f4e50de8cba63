"""The point of a convex hull that is nearest to the origin (Wolfe 1976): least squares over shares that sum to 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, Any]

MOST_STEPS = 1000
CLOSE = 1e-9  # relative to the squared distance
NOTHING = 1e-13  # a smaller share is 0


@dataclass(frozen=True)
class Nearest:
    """The smallest squared distance ``found``, what it is ``at_least``, and the share of the ``first`` point in it."""

    found: float
    at_least: float
    first: float


def nearest(points: Array) -> Nearest:
    """Find the nearest point of the hull of the columns; ``at_least`` holds also where rounding ends the search early.

    A point x with squared length L is proven to be within 2 (L - min over columns p of x p) of the smallest.
    """
    import numpy as np

    chosen, shares, at_least = [int((points**2).sum(axis=0).argmin())], np.ones(1), 0.0
    for _ in range(MOST_STEPS):
        here = points[:, chosen] @ shares
        found, along = float(here @ here), here @ points
        entering = int(along.argmin())
        gap = found - float(along[entering])
        at_least = max(at_least, found - 2 * gap)
        if gap <= CLOSE * found or entering in chosen:
            break
        chosen, shares = _inside(points, [*chosen, entering], np.append(shares, 0.0))
    return Nearest(found, min(at_least, found), float(shares[chosen.index(0)]) if 0 in chosen else 0.0)


def _inside(points: Array, chosen: list[int], shares: Array) -> tuple[list[int], Array]:
    """Move to the nearest point of the plane through the chosen ones, and drop each that the hull's border cuts off."""
    import numpy as np

    while True:
        corners = points[:, chosen]
        others = np.linalg.lstsq(corners[:, 1:] - corners[:, :1], -corners[:, 0], rcond=None)[0]
        wanted = np.array([1 - others.sum(), *others])
        if (wanted > NOTHING).all():
            return chosen, wanted
        steps = np.full(len(shares), np.inf)
        leaving = wanted <= NOTHING
        steps[leaving] = shares[leaving] / (shares[leaving] - wanted[leaving] + NOTHING)
        shares = shares + steps.min() * (wanted - shares)
        stays = shares > NOTHING
        stays[steps.argmin()] = False  # one at least, so that this ends
        chosen = [one for one, kept in zip(chosen, stays, strict=True) if kept]
        shares = shares[stays] / shares[stays].sum()
