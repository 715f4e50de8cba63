"""Regions of combinations: what dividing them by sides makes, whether rows and sides fit into one number or not."""

import numpy as np
import pytest

from anonduck.methods import regions
from anonduck.methods.regions import Regions, divided


@pytest.mark.parametrize("largest", [1 << 62, 0], ids=["one number", "too large"])
def test_each_side_of_a_region_becomes_one(monkeypatch, largest):
    """In the order of regions, then of sides; the rows of a side stay in their order."""
    monkeypatch.setattr(regions, "LARGEST", largest)
    random = np.random.default_rng(2)
    rows, sides = random.permutation(60), random.integers(0, 3, 60)
    of = Regions(rows, np.array([0, 1, 25, 40]))
    found = divided(of, sides)
    expected = [
        [int(row) for row, region, side in zip(rows, of.of_row, sides, strict=True) if (region, side) == (own, one)]
        for own in range(4)
        for one in range(3)
    ]
    parts = [part.tolist() for part in np.split(found.rows, found.starts[1:])]
    assert parts == [part for part in expected if part]


def test_of_no_rows_there_is_no_region():
    """As where all regions are final."""
    nothing = np.zeros(0, dtype=np.int64)
    found = divided(Regions(nothing, nothing), nothing)
    assert not len(found.rows)
    assert not len(found.starts)
