"""What is measured of papers, and how it is printed."""

from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def _benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)


@pytest.fixture
def some():
    from benchmarks.papers.measured import Measured

    found = Measured("some")
    found.compare("Table 1", "adult", 0.5, 0.51, digits=2, near=0.05)
    found.facts["records"] = "1,000"
    found.table("rows", ["k", "loss"], [["5", "0.1"]])
    return found


def test_all_that_was_measured_is_printed(some):
    assert some.text.splitlines() == [
        "| where | cell | paper | here | difference | verdict | why |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        "| Table 1 | adult | 0.50 | 0.51 | +0.01 | near | - |",
        "",
        "rows",
        "",
        "| k | loss |",
        "| --- | --- |",
        "| 5 | 0.1 |",
        "",
        "records: 1,000",
        "python benchmarks/papers.py some: 0 equal, 1 near, 0 differs, 0 not possible",
    ]


def test_an_empty_cell_is_refused(some):
    with pytest.raises(ValueError, match="an empty cell"):
        some.table("rows", ["k", "loss"], [["5", ""]])


@pytest.mark.parametrize(
    ("ours", "verdict"), [(0.504, "equal"), (0.549, "near"), (0.45, "near"), (0.551, "differs"), (0.4, "differs")]
)
def test_the_verdict_is_by_the_printed_digits_and_what_is_near(some, ours, verdict):
    some.compare("Table 2", "adult", 0.5, ours, digits=2, near=0.05)
    assert some.comparisons[-1].verdict == verdict


@pytest.mark.parametrize("where", ["", "/nowhere"])
def test_the_folder_of_the_tables_is_that_of_the_tests_or_said_to_be_absent(monkeypatch, where):
    from benchmarks.data_sets import data

    monkeypatch.setenv("ANONDUCK_DATA", where)
    default = ROOT.parent / "shared" / "data"
    if not where and (default / "adult.csv").is_file():
        assert data() == default
    else:
        with pytest.raises(SystemExit, match=f"no adult.csv in {where or default}; set ANONDUCK_DATA to the folder"):
            data()


def test_no_benchmark_asks_the_environment_itself():
    """It would end with a KeyError where ANONDUCK_DATA is not set."""
    asking = [path for path in (ROOT / "benchmarks").rglob("*.py") if 'environ["ANONDUCK_DATA"]' in path.read_text()]
    assert asking == []


def test_the_share_that_a_set_singles_out_is_of_all_records():
    """Of the records that are printed beside it; the set is chosen on those that are released."""
    from benchmarks.papers.swapping import singled_out

    table = pd.DataFrame({"age": [1, 1, 2, None, None, 3], "job": ["a", "a", "b", None, None, "c"]})
    assert singled_out(table) == pytest.approx(2 / 6)
