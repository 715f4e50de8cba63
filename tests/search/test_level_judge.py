"""What a level vector reaches by the sizes of its classes, against every k and every class."""

import numpy as np
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck.measures.requirement import Requirement
from anonduck.privacy.requirement import ask
from anonduck.search.level_judge import LevelJudge, allowed


@examples(600)
@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=8), st.integers(1, 9), st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0])
)
def test_k_alone_is_judged_by_sizes(sizes, k, share):
    records = sum(sizes)
    requirement = Requirement(ask({"k": k}), share)
    found = LevelJudge(requirement, None, records)((0,), np.array(sizes))
    assert allowed(requirement, records) == max(n for n in range(records + 1) if n / records <= share + 1e-9)
    under = {least: sum(size for size in sizes if size < least) for least in range(1, max(sizes) + 1)}
    assert found.reach == max(least for least, gone in under.items() if gone <= share * records + 1e-9)
    assert found.met == found.holds == (found.reach >= k)
    if found.met:
        assert found.k == min(size for size in sizes if size >= k)
        assert (found.left_out is None) == (min(sizes) >= k)
        assert found.left_out is None or found.left_out.tolist() == [size < k for size in sizes]
    else:
        assert (found.k, found.left_out) == (0, None)
