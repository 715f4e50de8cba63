"""k over all rows of a person: against brute force on random tables, and on tables written by hand."""

import json

import pandas as pd
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from privacy_oracle import linked_people

from anonduck.auditing.audit import audit
from anonduck.cli.app import run
from anonduck.errors import AuditError

row = st.tuples(
    st.sampled_from(["p", "q", None]), st.sampled_from([1, 2, None]), st.sampled_from(["a", "b", "c", "d", None])
)


def visits(rows):
    return pd.DataFrame(
        {
            'odd "class': pd.array([one[0] for one in rows], dtype="string"),
            "n": pd.array([one[1] for one in rows], dtype="Int64"),
            "person": pd.array([one[2] for one in rows], dtype="string"),
        }
    )


@pytest.mark.slow
@examples(60)
@given(rows=st.lists(row, min_size=1, max_size=12))
def test_linked_k_is_that_of_the_definition(shared, rows):
    report = audit(visits(rows), entity="person", measures="required", database=shared)
    sizes = linked_people(rows)
    measured = report.measures["linked_k"]
    assert measured.numbers == {"linked_k": min(sizes)} == {"linked_k": report.linked_k}
    assert measured.details == {"persons": len(sizes), "persons_alone": sizes.count(1)}
    assert report.linked_k <= report.k


def test_rows_count_as_often_as_a_person_has_them(shared):
    """1 and 2 have the same set of rows, and 2 one of them twice; 3 has nothing but NULL, as nobody else."""
    rows = [("p", 1, "1"), ("q", 1, "1"), ("p", 1, "2"), ("q", 1, "2"), ("q", 1, "2"), (None, None, "3")]
    assert audit(visits(rows), entity="person", database=shared).linked_k == 1
    assert audit(visits(rows[:4]), entity="person", database=shared).linked_k == 2
    alike = audit(visits(rows), [], insensitive=['odd "class', "n"], entity="person", database=shared)
    assert (alike.k, alike.linked_k) == (3, 1)  # no quasi-identifiers: only how many rows one has


def test_it_needs_the_key(shared):
    with pytest.raises(AuditError, match=r"linked_k needs the key of a person .`--entity COLUMN`"):
        audit(visits([("p", 1, "1")]), requirements={"linked_k": 2}, database=shared)
    assert "linked_k" not in audit(visits([("p", 1, "1")]), database=shared).as_json()


def test_the_command_names_it_beside_k_and_fails_under_what_is_required(tmp_path, capsys):
    rows = [(word, 1, person) for person in "1234" for word in "pq"] + [("p", 1, "5"), ("p", 1, "6"), ("q", 1, "7")]
    path = tmp_path / "visits.parquet"
    visits(rows).to_parquet(path)
    base = ["audit", str(path), "--entity", "person", "--require", "k=5", "--require", "linked_k=2"]
    assert run(base) == 1
    printed = capsys.readouterr().out
    assert "k >= 5: met (5)" in printed
    assert "linked_k >= 2: NOT met (1)" in printed
    assert "shared by 1 person at least, and 1 of 7 persons share theirs with nobody" in printed
    assert run([*base[:4], "--require", "linked_k=1", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["k"], document["linked_k"]) == (5, 1)
    assert document["measures"]["linked_k"] == {"reached": 1, "persons": 7, "persons_alone": 1}
