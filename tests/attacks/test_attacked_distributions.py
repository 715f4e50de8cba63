"""An attack on single values refuses a release by distributions, whatever role their column is given."""

import json

import pandas as pd
import pytest

from anonduck.attacks.attack import attack
from anonduck.errors import AuditError

ORIGINAL = pd.DataFrame({"age": [30, 31, 40, 41], "ill": ["flu", "flu", "cold", "flu"]})
SHARES = {"flu": 0.75, "cold": 0.25}


@pytest.mark.parametrize("roles", [{}, {"class_": "ill"}, {"sensitive": ["ill"]}])
def test_distributions_are_refused(roles):
    release = pd.DataFrame({"age": ["[30, 50)"] * 4, "ill": [json.dumps(SHARES)] * 4})
    with pytest.raises(AuditError, match="'ill' of the release holds distributions"):
        attack(release, ORIGINAL, **roles)


def test_maps_of_a_parquet_file_are_refused(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    maps = pa.array([list(SHARES.items())] * 4, type=pa.map_(pa.string(), pa.float64()))
    pq.write_table(pa.table({"age": ["[30, 50)"] * 4, "ill": maps}), tmp_path / "out.parquet")
    with pytest.raises(AuditError, match="holds distributions"):
        attack(tmp_path / "out.parquet", ORIGINAL, class_="ill")
