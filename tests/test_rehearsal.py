"""The rehearsal of nights finds what is planted: rows of nobody's night, small classes, a job without a gate."""

import sys
from pathlib import Path
from random import Random

import pytest

NAIVE = """
import pyarrow as pa, pyarrow.parquet as pq, sys
from rehearsing.records import KEPT, QUASI, recoded
rows = [dict(zip((*QUASI, *KEPT), recoded(one))) for one in pq.read_table("exports").to_pylist()]
pq.write_table(pa.Table.from_pylist(rows), "out/persons.parquet")
"""


@pytest.fixture(scope="module")
def rehearsing():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(Path(__file__).parents[1] / "benchmarks")
        import rehearsing.jobs
        import rehearsing.records

        yield rehearsing


@pytest.fixture
def records(rehearsing):
    return rehearsing.records.partition(5, Random(1))  # noqa: S311


def shown(rehearsing, records):
    names = (*rehearsing.records.QUASI, *rehearsing.records.KEPT)
    return [dict(zip(names, rehearsing.records.recoded(one), strict=True)) for one in records]


def without(row, name):
    return {one: value for one, value in row.items() if one != name}


def test_rows_of_the_locked_rule_have_no_fault(rehearsing, records):
    assert rehearsing.records.faults(shown(rehearsing, records), records, locked=True) == []


@pytest.mark.parametrize(
    ("plant", "words"),
    [
        (lambda rows: rows[1:], "1 of"),
        (lambda rows: [*rows, rows[0]], "1 of"),
        (lambda rows: [row | {"zip": row["zip"] and row["zip"][:1] + "****"} for row in rows], "what the locked rule"),
        (lambda rows: [{**rows[0], "zip": "10123"}, *rows[1:]], "k = 1"),
        (lambda rows: [row | {"illness": "flu"} for row in rows], "l = 1"),
        (lambda rows: [row | {"person": "P"} for row in rows], "not to be released: ['person']"),
        (
            lambda rows: [{name: row[name] for name in row if name != "zip"} for row in rows],
            "rule are missing: ['zip']",
        ),
        (lambda rows: [{name: row[name] for name in row if name != "churned"} for row in rows], "no column"),
        (lambda rows: [], "nothing is published"),
    ],
)
def test_what_is_wrong_with_published_rows_is_found(rehearsing, records, plant, words):
    found = rehearsing.records.faults(plant(shown(rehearsing, records)), records, locked=True)
    assert any(words in fault for fault in found), found


@pytest.mark.slow
def test_a_job_without_a_gate_is_found(rehearsing, tmp_path):
    class Naive(rehearsing.jobs.Job):
        own = watched = False

        def prepare(self):
            self.environment["PYTHONPATH"] = str(Path(rehearsing.__file__).parents[1])

        def command(self):
            return [sys.executable, "-c", NAIVE]

    import rehearsal

    played = rehearsal.Rehearsal(Naive(tmp_path), 9, Random(1))  # noqa: S311
    played.events = ["first", "outliers", "few"]
    first, outliers, few = played.perform()
    assert first.findings == []
    assert "a night that cannot succeed did" in outliers.findings
    assert any("k = 2" in one for one in outliers.findings)
    assert any("are not of tonight's records" in one for one in few.findings)
