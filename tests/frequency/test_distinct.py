"""Distinct combinations of codes, against NumPy's own, also where numbers for them do not fit into 64 bits."""

import numpy as np
import pytest

from anonduck.frequency.roll_up import distinct


@pytest.mark.parametrize("radix", [2, 1 << 20, 1 << 40], ids=["small", "sorted", "too large for one number"])
@pytest.mark.parametrize("columns", [1, 3, 7])
def test_distinct_combinations(radix: int, columns: int) -> None:
    """The first row of each combination, in their order, and whose each row is."""
    random = np.random.default_rng(columns)
    codes = random.choice(random.integers(0, radix, size=4), size=(300, columns))
    first, group = distinct(list(codes.T))
    _, expected, of_row = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    assert first.tolist() == expected.tolist()
    assert group.tolist() == of_row.ravel().tolist()


def test_no_row() -> None:
    """Where there is no row there is no combination."""
    first, group = distinct([np.zeros(0, dtype=np.int64)])
    assert not len(first)
    assert not len(group)
