"""Arrow tables that are made of their bytes hold what PyArrow would make, and load no pandas."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonduck.database.arrow_tables import arrow_table

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@given(st.lists(st.none() | TEXT))
def test_texts_are_those_of_pyarrow(texts):
    assert arrow_table({"a": texts}).column("a").combine_chunks().equals(pa.array(texts, pa.large_string()))


@pytest.mark.parametrize("kind", ["int8", "int32", "int64", "float64"])
@pytest.mark.parametrize("count", [0, 1, 9])
def test_numbers_are_those_of_pyarrow(kind, count):
    numbers = np.arange(2 * count, dtype=kind)[::2]
    found = arrow_table({"n": numbers, "t": ["x"] * count})
    assert found.column("n").to_pylist() == numbers.tolist()
    assert found.schema.field("n").type == pa.from_numpy_dtype(numbers.dtype)
    assert found.num_rows == count


def test_no_pandas_is_loaded_to_make_one():
    code = (
        "import sys, numpy as np; from anonduck.database.arrow_tables import arrow_table;"
        "arrow_table({'n': np.arange(3), 't': ['a', None, 'b']}); print('pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
