"""`models: []` with a class: what is chosen by is what there is, and a score that nothing measures is refused."""

import numpy as np
import pandas as pd
import pytest

from anonduck import Project
from anonduck.errors import ConfigError


def people():
    drawn = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": drawn.integers(20, 60, 300),
            "town": drawn.choice(list("abcd"), 300),
            "buys": drawn.choice(["y", "n"], 300),
        }
    )


@pytest.mark.parametrize(
    "keys",
    [
        {},
        pytest.param({"search": "rfd"}, marks=pytest.mark.slow),
        pytest.param({"methods": ["rules", "mondrian"]}, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_a_run_chooses_by_information_gain_and_says_so(tmp_path, keys):
    with Project(source=people(), class_="buys", models=[], **keys) as one:
        done = one.run(tmp_path / "out.parquet", report=False)
    assert done.reason.replace("_", " ").startswith("best information gain")
    assert done.weighed_by == "information_gain"


def test_a_score_needs_a_model(tmp_path):
    with (
        Project(source=people(), class_="buys", models=[], select="accuracy") as one,
        pytest.raises(ConfigError, match="'accuracy' is a score of models, and `models` is empty; name one"),
    ):
        one.run(tmp_path / "out.parquet", report=False)
