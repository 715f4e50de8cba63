"""The first line of CSV names the columns, or the run stops: no person is lost as a header, and no header refused."""

import csv
import io

import pytest
from bad_inputs import accepted, refused
from hypothesis import given
from hypothesis import strategies as st

from anonduck import Project, audit
from anonduck.config.reading import make_config
from anonduck.database.connection import Database
from anonduck.database.first_lines import FirstLine, doubted
from anonduck.errors import SourceError
from anonduck.source import csv_heads
from anonduck.source.source import open_source
from anonduck.statements import Statement

ALL = Statement("all", "SELECT * FROM source")
RECORD = "looks like a record, not like a header"
LETTERS = "".join(f"{20 + i % 7},{'abc'[i % 3]},{'xyz'[i % 3]}\n" for i in range(42))
NUMBERS = "".join(f"{i},{30 + i % 5},{'Rome' if i % 2 else 'Oslo'}\n" for i in range(40))


def opened(folder, *texts, source="s*.csv", **csv_options):
    """The columns and records of a source of so many files."""
    for place, text in enumerate(texts):
        (folder / f"s{place}.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    database = Database()
    try:
        config = make_config({"source": source if len(texts) > 1 else "s0.csv", "class": "c", "csv": csv_options})
        found = open_source(database, config, folder)
        return [column.name for column in found.columns], database.rows(ALL)
    finally:
        database.close()


def read(text, delim=","):
    names, *rows = csv.reader(io.StringIO(text, newline=""), delimiter=delim)
    return names, [tuple(row) for row in rows]


@pytest.mark.parametrize(
    "text",
    [
        "a,b,y\n" + LETTERS,
        "a,b,y\n" + "1,b,y\n2,a,y\n",
        '"a","b","y"\n' + '1,"b","y"\n2,"a","y"\n',
        "a,b,y\n1,b,y\n",
        "a,b,y\n" + "1,b,y\n,y,b\nN/A,b,y\n".replace("N/A", "n/a"),
        "born,b,y\n" + "1987-01-02,b,y\n1990-03-04,y,b\n",
        "zip,b,y\n" + "01069,b,y\n10115,y,b\n",
        "flag,y\n0,y\n1,n\n0,y\n",
        "name,town\n" + "".join(f"n{i},t{i}\n" for i in range(40)),
    ],
)
def test_a_header(tmp_path, text):
    names, rows = opened(tmp_path, text)
    assert names == read(text)[0]
    assert len(rows) == len(read(text)[1])
    assert [row[1:] for row in rows] == [row[1:] for row in read(text)[1]]


@pytest.mark.parametrize(
    "text",
    [
        *(f"{mark},34,Rome\n" + NUMBERS for mark in ("N/A", "NULL", "na", "-", "?", "unknown", "x")),
        "N/A,b,x\n" + LETTERS,
        "N/A,Smith,Via Roma\n" + "".join(f"{i},n{i},s{i}\n" for i in range(40)),
        "Smith,N/A,Rome\n" + "".join(f"n{i},{i},t{i}\n" for i in range(40)),
        "34,b,Rome\n" + NUMBERS,
        "1987-01-02,b,x\n1988-01-02,b,x\n",
        "b,x\n" + "b,x\na,y\n" * 9,
        "<5,b,x\n" + LETTERS,
        "a,b,y\n1,b,y\na,b,y\n2,b,y\n",
        "1,2,3\n4,5,6\n",
    ],
)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_record_is_not_lost(tmp_path, text, ends):
    text = text.replace("\n", ends)
    with pytest.raises(SourceError, match=RECORD) as error:
        opened(tmp_path, text)
    assert not any(field in str(error.value) for field in ("Smith", "Rome", "1987", "34"))
    names, rows = opened(tmp_path, text, header=False)
    first = next(csv.reader(io.StringIO(text)))
    assert names == [f"column{place}" for place in range(len(first))]
    assert len(rows) == len(read(text)[1]) + 1


def test_who_knows_better_says_so(tmp_path):
    text = "2019,2020,c\n1,2,y\n3,4,n\n"
    with pytest.raises(SourceError, match="2 of its 3 fields are like values of their columns"):
        opened(tmp_path, text)
    assert opened(tmp_path, text, header=True) == (["2019", "2020", "c"], [(1, 2, "y"), (3, 4, "n")])


def test_a_text_that_stands_for_null_is_no_name(tmp_path):
    text = "void,b,x\n" + LETTERS
    assert opened(tmp_path, text)[0] == ["void", "b", "x"]
    with pytest.raises(SourceError, match=RECORD):
        opened(tmp_path, text, nullstr=["void"])


@pytest.mark.slow
@pytest.mark.parametrize("last", ["", "foo,b,x\n", "a,b,y\n", "N/A,b,y\n", ",b,y\n"])
def test_all_records_must_prove_what_the_first_ones_doubt(tmp_path, last):
    text = "a,b,y\n" + "".join(f"{i},{'aby'[i % 3]},{'aby'[i % 3]}\n" for i in range(2 * csv_heads.LOOKED_AT)) + last
    if last in ("foo,b,x\n", "a,b,y\n"):
        with pytest.raises(SourceError, match=RECORD):
            opened(tmp_path, text)
        return
    names, rows = opened(tmp_path, text)
    assert (names, len(rows)) == (["a", "b", "y"], 2 * csv_heads.LOOKED_AT + bool(last))


# -- what stands before a header ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("above", ["", "\n", "\n\n\n", "  \n\n"])
@pytest.mark.parametrize("header", ["alter,größe,c", '"alter","größe","c"'])
def test_blank_lines_and_byte_order_marks_are_no_part_of_it(tmp_path, encoding, above, header):
    text = f"{above}{header}\n31,a,x\n32,b,y\n"
    assert opened(tmp_path, text.encode(encoding)) == (["alter", "größe", "c"], [(31, "a", "x"), (32, "b", "y")])


def test_blank_lines_above_a_file_without_a_header(tmp_path):
    assert opened(tmp_path, "\n\n1,a\n2,b\n", header=False)[1] == [(1, "a"), (2, "b")]


# -- several files -----------------------------------------------------------------------------------------------------

ONE = "age,b,c\n1,b,x\n2,a,y\n"


@pytest.mark.parametrize("second", ["3,b,x\n4,a,y\n", "4,age,x\n5,b,y\n", "q,w,e\n1,a,x\n", "N/A,b,c\n3,a,x\n"])
@pytest.mark.parametrize("options", [{}, {"header": True}])
def test_a_further_file_without_the_header_loses_nobody(tmp_path, second, options):
    with pytest.raises(SourceError, match=r"the first line of s1\.csv is not the header that s0\.csv has") as error:
        opened(tmp_path, ONE, second, **options)
    assert "4,age" not in str(error.value)


def test_files_with_the_header_each(tmp_path):
    names, rows = opened(tmp_path, ONE, '"age","b","c"\n3,c,x\n', ONE)
    assert (names, [row[0] for row in rows]) == (["age", "b", "c"], [1, 2, 3, 1, 2])


def test_files_without_a_header(tmp_path):
    assert opened(tmp_path, "1,a\n", "2,b\n", header=False)[1] == [(1, "a"), (2, "b")]


def test_files_that_begin_with_other_numbers_of_blank_lines(tmp_path):
    with pytest.raises(SourceError, match=r"s0\.csv begins with 0 blank lines and s1\.csv with 2"):
        opened(tmp_path, ONE, "\n\n" + ONE)


# -- audits ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", ["N/A,b,x\n", "37,b,x\n"])
def test_an_audit_says_that_a_record_is_read_as_names(tmp_path, first):
    (tmp_path / "r.csv").write_text(first + LETTERS)
    said = "the first line of r.csv looks like a record, and is read as the names of the columns"
    assert said in audit(tmp_path / "r.csv").warnings
    (tmp_path / "r.csv").write_text("a,b,y\n" + LETTERS)
    assert said not in audit(tmp_path / "r.csv").warnings


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
def test_an_audit_skips_blank_lines(tmp_path, encoding):
    (tmp_path / "r.csv").write_bytes(("\n \na,b,y\n" + LETTERS).encode(encoding))
    found = audit(tmp_path / "r.csv", ["a"])
    assert (found.columns, found.rows, found.k) == (("a", "b", "y"), 42, 6)


# -- ways in -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_command_takes_it(capsys, tmp_path):
    (tmp_path / "s.csv").write_text("a,b,y\n" + LETTERS)
    accepted(capsys, tmp_path, "init", "s.csv", "--class", "y", "-q", "a", "-q", "b")
    accepted(capsys, tmp_path, "release", "a=0,b=0", "-o", "o.csv", "--require", "k=1")
    (tmp_path / "t.csv").write_text("N/A,b,x\n" + LETTERS)
    words = r"first line of t\.csv looks like a record"
    refused(capsys, tmp_path, words, "release", "a=0,b=0", "-o", "p.csv", "--require", "k=1", "--source", "t.csv")
    with (
        pytest.raises(SourceError, match=RECORD),
        Project(source=tmp_path / "t.csv", class_="x") as project,
    ):
        project.sql({"b": 0})


# -- properties --------------------------------------------------------------------------------------------------------


def test_the_rule():
    below = [["1", "a", "x"], ["2", "b", "y"]]
    assert doubted(FirstLine(["a", "b", "y"], below)) == []
    assert doubted(FirstLine(["n/a", "c", "z"], below)) == [0]
    assert doubted(FirstLine(["3", "c", "z"], below)) == [0]
    assert doubted(FirstLine(["3", "c", "z"], [])) == [0]
    assert doubted(FirstLine(["a", "a", "x"], below)) == [1, 2]
    assert doubted(FirstLine(["a", "b"], [["a", "b"], ["1", "b"]])) == [0, 1]


VALUES = st.one_of(st.integers(0, 99).map(str), st.sampled_from(["", "N/A", "a", "b", "c"]))


@given(st.lists(st.tuples(VALUES, VALUES, st.integers(0, 9).map(str)), min_size=2, max_size=8))
def test_no_record_with_a_number_or_a_marker_is_a_header(records):
    """The third column holds numbers: whichever record comes first, it is doubted."""
    assert doubted(FirstLine(records[0], records[1:]))


@given(st.lists(st.tuples(st.integers(0, 999).map(str), st.sampled_from("ab")), min_size=1, max_size=8))
def test_words_over_numbers_are_a_header(records):
    assert not doubted(FirstLine(["a", "b"], records))
