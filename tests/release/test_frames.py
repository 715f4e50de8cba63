"""A release as a table: the rows of its file, audited and refused as it is."""

import pandas as pd
import pytest
from oracles import people, project

from anonduck.auditing.audit import audit
from anonduck.errors import RequirementNotMet, RuleError


def lines(table):
    """The rows of a table as sortable texts, a missing value as one and the two zeros told apart."""
    return sorted(repr(tuple(None if pd.isna(one) else one for one in row)) for row in table.itertuples(index=False))


@pytest.mark.slow
def test_a_release_comes_back_as_the_rows_of_its_file(tmp_path):
    with project(people(200), requirement={"k": 3, "suppression": 0.3}, models=[]) as one:
        release = one.release({"age": 2, "job": 0}, tmp_path / "r.parquet")
        table = one.apply({"age": 2, "job": 0})
        kept = one.apply({"age": 2, "job": 0}, keep_roots=True)
    written = pd.read_parquet(tmp_path / "r.parquet")
    assert lines(table) == lines(written)
    assert table.columns.tolist() == written.columns.tolist()
    assert table.map(lambda one: None if pd.isna(one) else one).equals(
        written.map(lambda one: None if pd.isna(one) else one)
    )
    told = table.attrs["receipt"]
    assert (told["rows"], told["k"], told["suppressed"]) == (release.rows, release.k, release.suppressed)
    assert "sha256" not in told
    assert audit(table, ["age", "job"], insensitive=["note"], class_="class").k == release.k
    assert set(kept["rate"]) == {"*"}
    table.to_parquet(tmp_path / "again.parquet")


def test_whole_numbers_with_null_stay_whole():
    with project(people(200), requirement={"k": 1}, models=[]) as one:
        table = one.apply({"age": 0})
    assert table["age"].isna().any()
    assert str(table["age"].dtype) == "Int64"


@pytest.mark.slow
def test_a_table_is_refused_as_a_release_is():
    with project(people(60), requirement={"k": 30}, models=[]) as one:
        with pytest.raises(RequirementNotMet, match="under the required 30; nothing was written"):
            one.apply({"age": 0, "job": 0})
        assert one.apply({"job": 1}, requirement={"k": 2}).attrs["receipt"]["k"] >= 2
        with pytest.raises(RuleError, match="not a quasi-identifier"):
            one.apply({"note": 0})
