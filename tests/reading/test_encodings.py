"""CSV in each encoding is read to the values that Python's csv module reads from the text, by every way in."""

import codecs
import csv
import gzip
import io

import pandas as pd
import pyarrow as pa
import pytest
from bad_inputs import accepted, refused, told
from hypothesis import given
from hypothesis import strategies as st

from anonduck import Project, audit
from anonduck.config.reading import make_config, read_config
from anonduck.database.connection import Database
from anonduck.database.encodings import encoded, known_encoding, read_text
from anonduck.errors import ConfigError, SourceError
from anonduck.source.source import open_source
from anonduck.statements import Statement

ALL = Statement("all", "SELECT * FROM source")
NAMES = ("Müller €", "Ångström", "„Bär“", "plain")
TEXT = "firm;town;c\n" + "".join(f"{NAMES[i % 4]};Café {i % 3};{'ab'[i % 2]}\n" for i in range(24))
WESTERN = TEXT.replace("€", "E").replace("„", '""').replace("“", '""').replace('""Bär""', '"""Bär"""')
FOUND = {
    "utf-8": None,
    "utf-8-sig": None,
    "utf-16": "utf-16",
    "utf-16-le": "utf-16",
    "utf-16-be": "utf-16",
    "cp1252": "windows-1252",
}
NOTICE = {"utf-16": "read as UTF-16,", "windows-1252": "read as Windows-1252,"}


def values(text):
    """What Python reads, without the header."""
    return [tuple(row) for row in csv.reader(io.StringIO(text, newline=""), delimiter=";")][1:]


def opened(folder, name, **settings):
    """The records of a source, and what is said of it."""
    database = Database()
    try:
        source = open_source(database, make_config({"source": name, "class": "c", **settings}), folder)
        return database.rows(ALL), source
    finally:
        database.close()


@pytest.mark.parametrize("encoding", FOUND)
@pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
def test_the_encoding_of_a_source_is_found(tmp_path, encoding, ending):
    packed = TEXT.encode(encoding)
    if ending == ".gz":
        packed = gzip.compress(packed, mtime=0)
    if ending == ".zst":
        packed = pa.compress(packed, codec="zstd", asbytes=True)
    (tmp_path / f"s.csv{ending}").write_bytes(packed)
    rows, source = opened(tmp_path, f"s.csv{ending}")
    assert rows == values(TEXT)
    assert source.encoding == FOUND[encoding]
    said = NOTICE.get(FOUND[encoding])
    assert not source.remarks if said is None else said in source.remarks[0]


@pytest.mark.parametrize("encoding", ["latin-1", "iso-8859-1", "cp1252", "Windows-1252"])
@pytest.mark.parametrize("text", [TEXT, WESTERN])
def test_latin_1_is_a_name_of_windows_1252(tmp_path, encoding, text):
    (tmp_path / "s.csv").write_bytes(text.encode("cp1252"))
    rows, source = opened(tmp_path, "s.csv", csv={"encoding": encoding})
    assert rows == values(text)
    assert source.remarks == ()


@pytest.mark.parametrize(
    ("written", "named"),
    [("utf-8", "UTF8"), ("utf-16", "UTF16"), ("utf-16-be", "utf-16"), ("utf-16-le", "utf_16_le"), ("cp850", "850")],
)
def test_named_encodings(tmp_path, written, named):
    text = "name;town;c\n" + "Müller;Bär;a\nMeier;Ähre;b\n" * 3
    (tmp_path / "s.csv").write_bytes(text.encode(written))
    assert opened(tmp_path, "s.csv", csv={"encoding": named})[0] == values(text)


@pytest.mark.parametrize(
    ("written", "named"),
    [
        *(("utf-8", name) for name in ("utf-16", "utf-16-le", "latin-1")),
        *(("utf-16", name) for name in ("utf-8", "cp1252", "cp850")),
        *(("cp1252", name) for name in ("utf-8", "utf-16", "utf-16-be")),
    ],
)
def test_a_wrong_name_is_refused_and_the_advice_is_another(tmp_path, written, named):
    (tmp_path / "s.csv").write_bytes(WESTERN.encode(written))
    with pytest.raises(SourceError, match=r"as which it is to be read; leave `encoding` out") as error:
        opened(tmp_path, "s.csv", csv={"encoding": named})
    assert f"encoding: {named}" not in str(error.value)
    assert "Müller" not in str(error.value)


@pytest.mark.parametrize("name", ["klingon", "rot13", "base64"])
def test_what_is_no_encoding(tmp_path, name):
    (tmp_path / "s.csv").write_text(TEXT)
    with pytest.raises(ConfigError, match=rf"csv\.encoding: there is no encoding '{name}'"):
        opened(tmp_path, "s.csv", csv={"encoding": name})


def test_a_first_megabyte_of_ascii_hides_nothing(tmp_path):
    start, end = "name;c\n" + "plain;a\n" * 200_000, "Müller €;b\n"
    (tmp_path / "s.csv").write_bytes((start + end).encode("cp1252"))
    rows, source = opened(tmp_path, "s.csv")
    assert (len(rows), rows[-1]) == (200_001, ("Müller €", "b"))
    assert source.encoding == "windows-1252"


def test_files_of_several_encodings(tmp_path):
    for name, encoding in (("a", "utf-8"), ("b", "cp1252"), ("c", "utf-16-be")):
        (tmp_path / f"{name}.csv").write_bytes(TEXT.encode(encoding))
    rows, source = opened(tmp_path, "*.csv")
    assert rows == values(TEXT) * 3
    assert source.encoding is None
    assert [remark.partition(",")[0] for remark in source.remarks] == [
        "b.csv is read as Windows-1252",
        "c.csv is read as UTF-16",
    ]


def test_an_encoding_holds_for_files_of_ascii_beside_it(tmp_path):
    (tmp_path / "a.csv").write_text("name;c\nplain;a\n")
    (tmp_path / "b.csv").write_bytes("name;c\nMüller €;b\n".encode("cp1252"))
    rows, source = opened(tmp_path, "*.csv")
    assert rows == [("plain", "a"), ("Müller €", "b")]
    assert source.encoding == "windows-1252"
    assert opened(tmp_path, "*.csv", csv={"encoding": "windows-1252"})[0] == rows


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (TEXT.encode() + "Bär;x;a\n".encode("cp1252"), r"partly UTF-8 and partly not: line 26 is not\. .*windows-1252"),
        ("name;c\nMüller;a\n".encode("cp850"), r"not UTF-8, UTF-16 or Windows-1252; .*`csv: \{encoding: cp850\}`"),
        (TEXT.encode("utf-16")[:-1], "begins like UTF-16, and not all of it is"),
        (bytes(range(256)) * 8, "is not text, as it holds bytes that are 0"),
        (b"name;c\nM\xfcller;\x01\x02\n", "not UTF-8, UTF-16 or Windows-1252"),
    ],
)
def test_what_is_of_no_encoding_that_can_be_found(tmp_path, content, words):
    (tmp_path / "s.csv").write_bytes(content)
    with pytest.raises(SourceError, match=words) as error:
        opened(tmp_path, "s.csv")
    assert "ller" not in str(error.value)


def test_copies_in_utf_8_are_private_and_go(tmp_path):
    (tmp_path / "s.csv").write_bytes(TEXT.encode("utf-16-be"))
    database = Database(tmp_path / "d.duckdb")
    open_source(database, make_config({"source": "s.csv", "class": "c"}), tmp_path)
    (copy,) = tmp_path.rglob("*/s.csv")
    assert copy.read_text() == TEXT
    assert all(folder.stat().st_mode & 0o077 == 0 for folder in (copy.parent, copy.parent.parent))
    database.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d.duckdb", "s.csv"]


# -- ways in -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["cp1252", "utf-16-be"])
def test_a_run_after_init_reads_the_same(capsys, tmp_path, encoding):
    (tmp_path / "s.csv").write_bytes(TEXT.encode(encoding))
    said = accepted(capsys, tmp_path, "init", "s.csv", "--class", "c", "-q", "firm", "-q", "town")
    assert f"s.csv is {NOTICE[FOUND[encoding]]} which was found from its bytes" in said
    assert read_config(tmp_path / "anonduck.yml").csv.encoding == FOUND[encoding]
    said = accepted(capsys, tmp_path, "release", "firm=0,town=0", "-o", "o.csv", "--require", "k=1")
    assert "was found" not in said
    released = pd.read_csv(tmp_path / "o.csv")
    assert sorted(map(tuple, released[["firm", "town", "c"]].to_numpy())) == sorted(values(TEXT))
    (tmp_path / "t.csv").write_bytes((TEXT + TEXT.partition("\n")[2]).encode(encoding))
    rule = ("release", "firm=0,town=0", "--require", "k=1")
    accepted(capsys, tmp_path, *rule, "-o", "p.csv", "--source", "t.csv")
    released = pd.read_csv(tmp_path / "p.csv")
    assert sorted(map(tuple, released[["firm", "town", "c"]].to_numpy())) == sorted(2 * values(TEXT))


@pytest.mark.slow
def test_a_project_reads_it(tmp_path):
    (tmp_path / "s.csv").write_bytes(TEXT.encode("cp1252"))
    with Project(source=tmp_path / "s.csv", class_="c", requirement={"k": 1}) as project:
        project.release({"firm": 0, "town": 0}, tmp_path / "o.parquet")
    released = pd.read_parquet(tmp_path / "o.parquet")
    assert sorted(map(tuple, released[["firm", "town", "c"]].to_numpy())) == sorted(values(TEXT))


@pytest.mark.parametrize("encoding", FOUND)
def test_an_audit_reads_it(tmp_path, encoding):
    (tmp_path / "s.csv").write_bytes(TEXT.encode(encoding))
    (tmp_path / "plain.csv").write_text(TEXT)
    found, plain = (audit(tmp_path / name, ["firm", "town"]) for name in ("s.csv", "plain.csv"))
    assert (found.rows, found.k, found.columns) == (plain.rows, plain.k, plain.columns)
    said = [warning for warning in found.warnings if "which was found from its bytes" in warning]
    assert len(said) == (FOUND[encoding] is not None)


def test_an_audit_says_it_once_of_each_file(capsys, tmp_path):
    for name in ("s", "t"):
        (tmp_path / f"{name}.csv").write_bytes(TEXT.encode("cp1252"))
    said = told(capsys, tmp_path, "audit", "s.csv", "-q", "firm", "--against", "t.csv")[1]
    assert [said.count(f"{name}.csv is read as Windows-1252") for name in ("s", "t")] == [1, 1]


def test_lines_of_a_large_file_are_not_counted_as_utf_8(tmp_path):
    line = "Müller plain text that repeats;a\n"
    (tmp_path / "s.csv").write_bytes(("name;c\n" + line * 600_000).encode("cp1252"))
    assert audit(tmp_path / "s.csv", ["name"]).k == 600_000


def test_the_notice_of_the_command_is_not_the_setting_that_is_set(capsys, tmp_path):
    (tmp_path / "s.csv").write_bytes("name;c\nMüller;a\n".encode("cp850"))
    said = refused(capsys, tmp_path, "leave `encoding` out", "init", "s.csv", "--csv", "encoding=latin-1")
    assert "encoding=latin-1" not in said


# -- properties --------------------------------------------------------------------------------------------------------

LETTERS = "abzABZ019 ,\"'éüßñÄÖ€„“ŠžŸ½°"
FIELDS = st.text(LETTERS, min_size=1, max_size=6)


@pytest.mark.slow
@given(
    st.lists(st.tuples(FIELDS, FIELDS), min_size=1, max_size=12),
    st.sampled_from(sorted(FOUND)),
    st.sampled_from(["\n", "\r\n"]),
)
def test_a_table_is_read_as_python_reads_it(tmp_path_factory, records, encoding, ends):
    folder = tmp_path_factory.mktemp("table")
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=";", lineterminator=ends, quoting=csv.QUOTE_ALL)
    writer.writerows([("näme", "tówn", "c"), *((*one, "a") for one in records)])
    (folder / "s.csv").write_bytes(text.getvalue().encode(encoding))
    types = {"näme": "VARCHAR", "tówn": "VARCHAR"}
    rows, source = opened(folder, "s.csv", types=types, csv={"header": True, "delim": ";"})
    assert [column.name for column in source.columns] == ["näme", "tówn", "c"]
    assert rows == values(text.getvalue())


@given(st.text(st.characters(codec="cp1252", exclude_characters="\0"), max_size=40))
def test_a_text_is_never_read_as_another(tmp_path_factory, text):
    """It is found, or refused as what may be two encodings, or as no text."""
    file = tmp_path_factory.mktemp("text") / "s.txt"
    file.write_bytes(text.encode("cp1252"))
    try:
        found = read_text(file)
    except SourceError:
        return
    utf_8 = encoded(file).name == "utf-8"
    assert found == (text.encode("cp1252").decode("utf-8-sig") if utf_8 else text)


def test_names_of_encodings():
    for name in ("utf-8", "UTF8", "utf_8_sig", "ascii"):
        assert known_encoding(name) == "utf-8"
    assert known_encoding("utf-16-le") == codecs.lookup("UTF-16LE").name
