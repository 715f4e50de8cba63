"""What init says of columns that would be kept as they are and single records out."""

from collections import Counter, defaultdict

import pandas as pd
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck.config.reading import read_config
from anonduck.init.init import initialize
from anonduck.init.profile import ColumnProfile, rare_records
from anonduck.init.proposal import may_be_kept, propose
from anonduck.source.engine import DuckDBSource
from anonduck.statements import Statement


def court():
    """Court records: descriptions with a long tail, days with NULLs and rare ones, three records of each age."""
    numbers = range(60)
    charge = [f"rare {n}" if n < 7 else "theft" if n % 2 else "battery" for n in numbers]
    days = pd.array([None if n % 10 == 3 else n if n > 57 else n % 3 for n in numbers], dtype="Int64")
    known = {"age": [20 + n % 20 for n in numbers], "charge_desc": charge, "days_b_screening_arrest": days}
    return pd.DataFrame(known | {"again": [n % 3 > 0 for n in numbers]})


def column(name, distinct=30, rows=1_000):
    return ColumnProfile(name, "VARCHAR", rows, 0, distinct, 3, 9, 0.0, 0.0)


@pytest.mark.parametrize(("rare", "role"), [(0, "sensitive"), (1, "quasi_identifiers"), (169, "quasi_identifiers")])
def test_a_rare_value_is_none_to_keep(rare, role):
    (found, *_) = propose(
        [column("c_charge_desc"), column("y"), column("age")], "y", rare={"c_charge_desc": rare}
    ).columns
    assert (found.role, found.taxonomy is None) == (role, rare == 0)
    words = f"values this exact would single records out ({rare} record{'s hold' if rare > 1 else ' holds'} a value"
    assert (words in found.reason) == (rare > 0)


def test_few_records_tell_nothing_of_rare_values():
    assert [may_be_kept(column("diagnosis", rows=rows), []) for rows in (19, 20)] == [False, True]
    assert [may_be_kept(column("note"), given) for given in ([], ["note"])] == [False, True]


@pytest.mark.slow
def test_the_look_alike_of_court_records_keeps_nothing_and_warns_of_what_was_asked(tmp_path):
    court().to_parquet(tmp_path / "court.parquet")
    path = tmp_path / "anonduck.yml"
    first = initialize(path, "court.parquet", "again", here=tmp_path)
    roles = {one["name"]: one["role"] for one in first.columns}
    assert (roles["charge_desc"], roles["days_b_screening_arrest"]) == ("quasi_identifiers", "quasi_identifiers")
    assert first.warnings == ()
    asked = {"sensitive": ["charge_desc"], "insensitive": ["age"], "overwrite": True}
    second = initialize(path, "court.parquet", "again", here=tmp_path, **asked)
    assert second.warnings == (
        "column 'age' is kept as given; 60 records hold a value that fewer than 5 hold: it singles them out",
        "column 'charge_desc' is kept as given; 7 records hold a value that fewer than 5 hold: it singles them out",
    )
    assert second.as_json()["warnings"] == list(second.warnings)
    config = read_config(path)
    assert (config.sensitive, config.insensitive) == (["charge_desc"], ["age"])


ODD = 'a "b"@value'
ROWS = st.lists(
    st.tuples(st.sampled_from(["a", "b", None]), st.sampled_from(["p", "q", None])), min_size=1, max_size=12
)


@examples(30)
@given(rows=ROWS, k=st.integers(1, 5), persons=st.booleans())
def test_rare_records_are_counted_by_their_definition(shared, rows, k, persons):
    shared.register("held", pd.DataFrame(rows, columns=[ODD, "who"], dtype="string"))
    shared.run(Statement("test source", "CREATE OR REPLACE TEMP VIEW source AS FROM held"))
    entity = "who" if persons else None
    holders = defaultdict(set)
    for number, (value, who) in enumerate(rows):
        holders[value].add(who if persons else number)
    wanted = sum(n for value, n in Counter(value for value, _ in rows).items() if len(holders[value]) < k)
    assert rare_records(DuckDBSource(shared), [ODD], k=k, entity=entity) == {ODD: wanted}
