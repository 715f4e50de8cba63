"""The fuzzer finds what is planted: a fuzzer that cannot find anything is worthless."""

import shutil
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

QUASI = ["a", "a", "a", "b", "b", "b", "b", None, None, None, "c"]
DISEASES = ["flu", "flu", "gout", "flu", "gout", "flu", "gout", "flu", "gout", "gout", "Tk2xmumps"]
KINDS = {"job": "VARCHAR", "class": "INTEGER", "disease": "VARCHAR", "customer": "VARCHAR", "tag": "INTEGER"}


@pytest.fixture(scope="module")
def fuzzing():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(Path(__file__).parents[1] / "benchmarks")
        import fuzzing.hidden
        import fuzzing.ways

        yield fuzzing


@pytest.fixture(scope="module")
def made(fuzzing, tmp_path_factory):
    """A release of a table whose last record, with values of its own, is left out."""
    folder = tmp_path_factory.mktemp("fuzz")
    (folder / "out").mkdir()
    size = len(QUASI)
    held = {
        "job": ("quasi", QUASI, ()),
        "class": ("class", ["1"] * size, ()),
        "disease": ("sensitive", DISEASES, ("Tk2xmumps",)),
        "customer": ("identifier", [f"Id{n}x" for n in range(size)], [f"Id{n}x" for n in range(size)]),
        "tag": ("insensitive", [str(1000 + n) for n in range(size)], ()),
    }
    Column, Table = fuzzing.tables.Column, fuzzing.tables.Table  # noqa: N806 - classes of a module that is not on the path
    columns = [
        Column(name, KINDS[name], role, list(texts), frozenset(tokens)) for name, (role, texts, tokens) in held.items()
    ]
    table = Table(folder, "parquet", columns, {}, tag="tag")
    roles = {
        "identifiers": ["customer"],
        "sensitive": ["disease"],
        "insensitive": ["tag"],
        "quasi_identifiers": ["job"],
    }
    table.keys = {"class": "class", **roles, "requirement": {"k": 3, "l": 2, "suppression": 0.1}, "models": []}
    fuzzing.tables.write_source(table)
    job = fuzzing.commands.Job("release", "out/r.parquet", {"job": 0})
    outcome = fuzzing.commands.perform(table, job)
    assert outcome.code == 0, outcome.err
    return fuzzing.released.released(table, folder, job, outcome)


def found(fuzzing, made):
    return [*fuzzing.checks.check_release(made), *fuzzing.hidden.check_hidden(made)]


@pytest.mark.slow
def test_nothing_is_found_in_a_release_that_is_as_it_says(fuzzing, made):
    assert made.rows == 10
    assert found(fuzzing, made) == []
    assert [*fuzzing.covers.check_covers(made)] == []


def changed(made, name, row, value):
    column = list(made.columns[name])
    column[row] = value
    return replace(made, columns={**made.columns, name: column})


PLANTS = {
    "a k that is too large": (lambda made: replace(made, receipt={**made.receipt, "k": 4}), "false promise"),
    "a class of two": (lambda made: changed(made, "job", 0, "z"), "not met"),
    "a value of somebody else": (lambda made: changed(made, "disease", 0, "Flu"), "value"),
    "a NULL that became a value": (
        lambda made: changed(made, "job", made.columns["job"].index(None), "b"),
        "null",
    ),
    "a row that is not there": (
        lambda made: replace(made, columns={name: held[1:] for name, held in made.columns.items()}),
        "miscounted",
    ),
    "rare values that are not told": (
        lambda made: replace(made, receipt={**made.receipt, "unique_with_kept": 0}),
        "false promise",
    ),
    "an identifier as a column": (
        lambda made: replace(made, columns={**made.columns, "customer": ["x"] * made.rows}),
        "column",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("plant", PLANTS)
def test_a_planted_fault_is_found(fuzzing, made, plant):
    change, kind = PLANTS[plant]
    assert kind in {one.kind for one in found(fuzzing, change(made))}


@pytest.mark.parametrize("suffix", ["", ".receipt.json", ".dictionary.md"])
def test_a_hidden_text_is_found_in_each_file(fuzzing, made, tmp_path, suffix):
    for file in Path(made.target).parent.iterdir():
        shutil.copy(file, tmp_path)
    copy = replace(made, target=str(tmp_path / "r.parquet"))
    assert [*fuzzing.hidden.check_hidden(copy)] == []
    for hidden in ("Tk2xmumps", "Id3x"):
        name = tmp_path / f"r.parquet{suffix}"
        if suffix:
            name.write_text(hidden)
        else:
            rewritten(name, hidden)
        assert [one.kind for one in fuzzing.hidden.check_hidden(copy)] == ["leak"]


def rewritten(path, hidden):
    """The same rows in a Parquet file whose dictionary lists a text that no row holds."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.ParquetFile(path).read()
    codes = pa.array([0] * table.num_rows, pa.int32())
    listed = pa.DictionaryArray.from_arrays(codes, pa.array(["flu", hidden]))
    pq.write_table(table.set_column(table.column_names.index("disease"), "disease", listed), path)


def test_an_exit_code_that_is_none_and_a_file_that_is_left_are_found(fuzzing):
    outcome = fuzzing.commands.Outcome
    check = fuzzing.checks.check_ending
    assert [one.kind for one in check({}, {"out.parquet": 1}, outcome(1))] == ["files left"]
    assert [one.kind for one in check({}, {}, outcome(4))] == ["exit 4"]
    assert [*check({}, {"out.parquet": 1}, outcome(0))] == []


@pytest.mark.slow
def test_whole_cases_find_nothing(fuzzing, tmp_path):
    import fuzz

    for number in range(3):
        folder = tmp_path / str(number)
        folder.mkdir()
        random = Random(f"1 {number}")  # noqa: S311 - it must come back
        case = fuzzing.case.Case(random, fuzzing.tables.drawn_table(random, folder))
        fuzz.play(case)
        assert case.done
        assert case.findings == []
