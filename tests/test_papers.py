"""The pages of papers: written whole from their result files, which name the code that they are of."""

from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[1]
NAMES = ["rfd", "nsvdist", "probabilistic", "flexible"]


@pytest.fixture(autouse=True)
def _benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)


@pytest.fixture
def some(monkeypatch, tmp_path):
    """A small result, with a text of its own."""
    from benchmarks.papers import measured, page

    monkeypatch.setattr(measured, "ROOT", tmp_path)
    monkeypatch.setattr(measured, "RESULTS", tmp_path)
    monkeypatch.setattr(page, "TEXTS", tmp_path)
    found = measured.Measured("some", "python benchmarks/papers.py some")
    found.compare("Table 1", "adult", 0.5, 0.51, digits=2, near=0.05)
    found.facts["records"] = "1,000"
    found.table("rows", ["k", "loss"], [["5", "0.1"]])
    return found


def write(tmp_path, text):
    (tmp_path / "some.md").write_text(text, encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_the_page_is_what_its_result_and_text_make(name):
    """Each number of it is then of the result file, as the text may have none, and no cell of a table is empty."""
    from benchmarks.papers.measured import load
    from benchmarks.papers.page import PAGES, page_text

    assert (PAGES / f"{name}.md").read_text(encoding="utf-8") == page_text(load(name)), (
        f"`python benchmarks/papers.py {name} --page` writes the page from its result"
    )


@pytest.mark.nightly
@pytest.mark.parametrize("name", NAMES)
def test_the_result_is_of_the_code_as_it_is(name):
    from benchmarks.papers.measured import load

    changed = load(name).changed()
    assert not changed, f"`python benchmarks/papers.py {name}` has to run again: {', '.join(changed)} changed"


FULL = "{{records}} records\n\n{{compared Table 1}}\n\n{{table rows}}\n"


def test_a_text_is_filled_from_the_result(some, tmp_path):
    from benchmarks.papers.page import page_text

    write(tmp_path, FULL)
    assert page_text(some) == (
        "1,000 records\n\n| cell | paper | here | difference | verdict |\n| --- | --- | --- | --- | --- |\n"
        "| adult | 0.50 | 0.51 | +0.01 | near |\n\n| k | loss |\n| --- | --- |\n| 5 | 0.1 |\n"
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"about 3 records\n{FULL}", "has '3' outside a slot"),
        (f"it has 0.5\n{FULL}", "has '0.5' outside a slot"),
        (f"{{{{unknown}}}}\n{FULL}", "nothing for the slot 'unknown'"),
        ("{{compared Table 1}}\n{{records}}", "shows no table rows"),
        ("{{table rows}}\n{{records}}", "shows no comparisons of Table 1"),
        (f"{FULL}{{{{compared Table 9}}}}", "nothing for the slot 'compared Table 9'"),
    ],
)
def test_a_text_with_a_number_of_its_own_or_a_slot_without_a_value_is_refused(some, tmp_path, text, words):
    from benchmarks.papers.page import page_text

    write(tmp_path, text)
    with pytest.raises(ValueError, match=words):
        page_text(some)


def test_a_grid_has_a_row_for_first_parts_of_cells_and_a_column_for_last_ones(some):
    from benchmarks.papers.page import grid

    for row, column, ours in (("adult, tree", "nsvdist", 0.52), ("adult, tree", "pais", 0.9), ("cmc", "pais", 0.5)):
        some.compare("Table 4", f"{row}, {column}", 0.5, ours, digits=2, near=0.05)
    found = [one for one in some.comparisons if one.where == "Table 4"]
    assert grid(found[:2]) == (
        "| paper, here: difference | nsvdist | pais |\n| --- | --- | --- |\n"
        "| adult, tree | 0.50, 0.52: +0.02 near | 0.50, 0.90: +0.40 differs |"
    )
    with pytest.raises(ValueError, match="an empty cell"):
        grid(found)
    some.missing("Table 4", "cmc, nsvdist", "no data")
    with pytest.raises(ValueError, match="a grid of Table 4 has a place for one reason, and there are 2"):
        grid(some.comparisons[1:])
    assert grid(some.comparisons[-1:]).endswith("not possible |\n\nHere: no data.")


def test_a_table_that_is_too_long_for_the_page_is_named_there(some, tmp_path):
    from benchmarks.papers.page import page_text, printed

    some.table("at each k", ["k", "loss"], [["7", "0.7"]])
    write(tmp_path, FULL + "\n{{printed at each k}}\n")
    assert page_text(some).endswith("\nThe command prints the table `at each k`.\n")
    assert "| 7 | 0.7 |" in printed(some)
    write(tmp_path, FULL)
    with pytest.raises(ValueError, match="shows no table at each k"):
        page_text(some)


def test_places_of_the_paper_and_code_may_have_numbers(some, tmp_path):
    from benchmarks.papers.page import page_text

    write(tmp_path, f"Section 5.2, Figures 3 and 4, `--set k=5` and macro F1\n{FULL}")
    assert page_text(some).startswith("Section 5.2")


def test_an_empty_cell_is_refused(some, tmp_path):
    from benchmarks.papers.page import page_text

    some.table("rows", ["k", "loss"], [["5", ""]])
    write(tmp_path, FULL)
    with pytest.raises(ValueError, match="an empty cell"):
        page_text(some)


@pytest.mark.parametrize(
    ("ours", "verdict"), [(0.504, "equal"), (0.549, "near"), (0.45, "near"), (0.551, "differs"), (0.4, "differs")]
)
def test_the_verdict_is_by_the_printed_digits_and_what_is_near(some, ours, verdict):
    some.compare("Table 2", "adult", 0.5, ours, digits=2, near=0.05)
    assert some.comparisons[-1].verdict == verdict


def test_a_result_is_older_than_code_that_does_something_else(some, tmp_path):
    from benchmarks.papers.measured import load

    code = tmp_path / "code.py"
    code.write_text('"""Words."""\n\n\ndef one():\n    """More."""\n    return 1\n')
    some.of_code("code.py")
    some.save()
    assert load("some").changed() == []
    code.write_text('"""Other words."""\n\n\ndef one():\n    # a comment\n    return 1\n')
    assert load("some").changed() == []
    code.write_text("def one():\n    return 2\n")
    assert load("some").changed() == ["code.py"]
    code.unlink()
    assert load("some").changed() == ["code.py"]
    with pytest.raises(FileNotFoundError):
        some.of_code("none.py")


@pytest.mark.parametrize("where", ["", "/nowhere"])
def test_the_folder_of_the_tables_is_that_of_the_tests_or_said_to_be_absent(monkeypatch, where):
    from benchmarks.real_data.folder import data

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
