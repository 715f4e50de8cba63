"""The nearest point of a hull: by hand, and against many points of it."""

import numpy as np
import pytest

from anonduck.privacy.uniqueness_interval import nearest


@pytest.mark.parametrize(
    ("points", "found", "first"),
    [
        ([[3, 4]], 25, 1),
        ([[1, 1], [1, -1]], 1, 0.5),
        ([[5, 5], [1, 1], [1, -1], [1, -1]], 1, 0),  # one of them twice
        ([[-1, -1], [2, -1], [-1, 2]], 0, 1 / 3),  # the origin is inside
        ([[0, 0], [0, 0]], 0, 1),
        ([[3, 3], [1, 1], [1, 3]], 2, 0),
        ([[4, 0], [1, 1], [1, -2]], 1, 0),
    ],
)
def test_by_hand(points, found, first):
    here = nearest(np.array(points, dtype=float).T)
    assert (here.found, here.first) == pytest.approx((found, first), abs=1e-9)
    assert here.at_least == pytest.approx(found, abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_no_point_of_the_hull_is_nearer(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(2, 1, (3, 8)) * [[1], [10], [1000]]
    here = nearest(points)
    tried = points @ rng.dirichlet(np.full(8, 0.3), 20_000).T
    assert here.at_least <= here.found <= (tried**2).sum(axis=0).min()
    assert here.at_least == pytest.approx(here.found, rel=1e-6, abs=1e-9)
