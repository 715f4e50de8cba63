"""Exports that cannot be read, or are not what they seem: each has its own message, and nothing is lost or told."""

import gzip

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from bad_inputs import CONFIG, GOOD, RELEASE, ROWS, accepted, check_words, laid_out, refused, shell

from anonduck import Project, audit
from anonduck.database.private_file import write_private
from anonduck.errors import AnonduckError, SourceError
from anonduck.init.init import initialize
from anonduck.release.target import target_of

LATIN = GOOD.replace("baker", "bäcker").encode("latin-1")
DOS = GOOD.replace("baker", "bücker").encode("cp850")
NO_ENCODING = (
    r"s\.csv is not UTF-8, UTF-16 or Windows-1252; name its encoding, such as `csv: \{encoding: cp850\}` in the "
    r"config, or `--csv encoding=cp850` at init"
)
NO_RECORDS = "no records"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", r"the source file s\.csv is empty"),
        ("age,job,c\n", NO_RECORDS),
        ("age,job,c", NO_RECORDS),
        ("\n\n\n", "no name for its column 1"),
        (GOOD.replace(",", "~"), r"has one column; a class .*set `csv: \{delim: ';'\}`"),
        ("age\n1\n2\n", "has one column; a class and at least one quasi-identifier are needed"),
        (GOOD + "ZZSECRET,1\n", "broken: with the separator ',', line 44 has 2 fields where 3 are expected"),
        (GOOD + "21,ZZSECRET,no,98765432123\n", "line 44 has 4 fields where 3 are expected"),
        ("age,job,c\n" + "1,ZZSECRET,3,4\n" * 9, "line 2 has 4 fields where 3 are expected"),
        (GOOD + '21,"ZZSECRET,no\n', "line 44 opens a quote that is not closed"),
        ("age,,c\n1,2,3\n", "no name for its column 2"),
        ("age,  ,c\n1,2,3\n", "no name for its column 2"),
        (f"age,{'ZZSECRET' * 200},c\n1,2,3\n", "a name of 1,600 characters for its column 2, and the most is 1,000"),
        (
            'age,"job\n21,ZZSECRET,no\n22,98765432123",c\n1,2,3\n4,5,6\n',
            "name of its column 2: a quote may be left open",
        ),
        (DOS, NO_ENCODING),
        (GOOD.replace("age", "üge").encode("cp850"), NO_ENCODING),
        (GOOD.encode("utf-16")[:-1], "s.csv begins like UTF-16, and not all of it is"),
        (GOOD.encode().replace(b"cook", "köch".encode()) + LATIN, "is partly UTF-8 and partly not: line 45 is not"),
    ],
)
def test_csv(capsys, tmp_path, content, words):
    refused(capsys, laid_out(tmp_path, {"s.csv": content}), words)


LONG = "x" * 300


@pytest.mark.parametrize(
    ("content", "csv", "words"),
    [
        ("age,job,c\n1," + "ZZSECRET" * 300_000 + ",y\n", "", r"a line is longer than 2,000,000 bytes"),
        (bytes(range(256)) * 40, "", r"s\.csv is not text, as it holds bytes that are 0, so not CSV"),
        (GOOD, "csv: {skip: 1000}", r"csv\.skip: 1,000 lines are to be skipped, and s\.csv has 43"),
        (GOOD, "csv: {skip: 7}", r"first line of s\.csv, after 7 that are skipped, looks like a record.*3 of its 3"),
        ("ZZSECRET,ZZNAME\n" * 4, "", "looks like a record, not like a header: 2 of its 2 fields"),
        ("98765432123,ZZNAME\n", "", "looks like a record, not like a header: 1 of its 2 fields"),
        ("2020-01-05,ZZNAME\n2020-01-06,b\n", "", "looks like a record, not like a header: 1 of its 2 fields"),
    ],
)
def test_csv_that_is_not_what_it_seems(capsys, tmp_path, content, csv, words):
    folder = laid_out(tmp_path, {"s.csv": content}, f"source: s.csv\nclass: c\n{csv}\n")
    refused(capsys, folder, words)


def test_one_column_without_a_class_is_told_to_need_another(capsys, tmp_path):
    refused(capsys, laid_out(tmp_path, {"s.csv": "age\n1\n2\n"}, "source: s.csv\n"), "at least two columns are needed")


def test_a_header_of_numbers_is_taken_where_the_config_says_that_it_is_one(tmp_path):
    (tmp_path / "s.csv").write_text("2019,2020,c\n" + "1,2,y\n3,4,n\n" * 20)
    given = {"source": str(tmp_path / "s.csv"), "class_": "c", "quasi_identifiers": ["2019", "2020"]}
    with pytest.raises(SourceError, match="2 of its 3 fields"), Project(**given) as project:
        project.sql({"2019": 0})
    with Project(csv={"header": True}, **given) as project:
        assert '"2019"' in project.sql({"2019": 0})


@pytest.mark.parametrize(
    "asked",
    [
        lambda folder: Project(source=f"{LONG}.csv", class_="c"),
        lambda folder: Project(source="s.csv", class_="c", database=f"{LONG}.duckdb").discover(),
        lambda folder: Project(folder / LONG / "anonduck.yml"),
        lambda folder: audit(f"{LONG}.parquet"),
        lambda folder: initialize(folder / f"{LONG}.yml", "s.csv", "c", here=folder),
        lambda folder: initialize(folder / "a.yml", f"{LONG}.csv", "c", here=folder),
        lambda folder: target_of(f"{LONG}/r.csv", folder),
        lambda folder: write_private(folder / f"{LONG}.html", "", overwrite=False),
    ],
)
def test_a_path_that_no_file_can_have(tmp_path, asked):
    with pytest.raises(AnonduckError, match=r"'.{40}\.\.\.' cannot be the path of a file: a name in it has 30"):
        asked(tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        (
            "s.parquet",
            "ZZSECRET is no Parquet",
            r"s\.parquet cannot be read as parquet; check that it is one and whole",
        ),
        ("s.parquet", b"PAR1" + bytes(100) + b"PAR1", "cannot be read as parquet"),
        ("s.parquet", b"", "is empty"),
        ("s.json", "{ZZSECRET", "cannot be read as json"),
        ("s.json", "[1, 2]", "has one column"),
        ("s.csv.gz", GOOD, r"s\.csv\.gz cannot be read as CSV.*not a GZIP"),
        ("s.ods", GOOD, "is a spreadsheet; save its sheet as CSV"),
        ("s.xlsx", GOOD, "cannot be read as xlsx; check that it is one and whole"),
        ("s.dat", GOOD, r"no known ending; allowed are \.csv, .*FILE\.duckdb::table"),
        ("s", GOOD, "no known ending"),
        ("s.csv/x.csv", GOOD, "is a directory; name the files in it"),
        ("other.csv", GOOD, "there is no file s.csv; a source is a path or a glob, relative to "),
    ],
)
def test_files(capsys, tmp_path, name, content, words):
    source = "s.csv" if name in ("s.csv/x.csv", "other.csv") else name
    refused(capsys, laid_out(tmp_path, {name: content}, f"source: {source}\nclass: c\n"), words)


@pytest.mark.parametrize(
    ("files", "source", "words"),
    [
        ({"a.csv": GOOD}, "x*.csv", r"there is no file x\*\.csv"),
        ({"a.csv": GOOD, "b.csv": "age,c\n1,yes\n"}, "[ab].csv", "do not have the same columns"),
        ({"e/a.csv": GOOD, "e/b.parquet": "x"}, "e/*", r"2 files of several endings \(\.csv, \.parquet\)"),
    ],
)
def test_globs(capsys, tmp_path, files, source, words):
    refused(capsys, laid_out(tmp_path, files, f"source: '{source}'\nclass: c\n"), words)


@pytest.mark.slow
@pytest.mark.some(3)
@pytest.mark.parametrize(
    ("content", "options"),
    [
        (GOOD.replace(",", "|"), ""),
        (b"\xef\xbb\xbf" + GOOD.encode(), ""),
        (LATIN, "csv: {encoding: latin-1}"),
        (LATIN, ""),
        (DOS, "csv: {encoding: cp850}"),
        (GOOD.encode("utf-16"), "csv: {encoding: utf-16}"),
        (ROWS, "csv: {header: false}"),
        (GOOD.replace("\n", "\r\n"), ""),
    ],
)
def test_odd_csv_that_works(capsys, tmp_path, content, options):
    config = CONFIG.replace("class: c", "class: column2") if "header" in options else CONFIG
    rule = "column0=0" if "header" in options else "age=0"
    folder = laid_out(tmp_path, {"s.csv": content}, config + options)
    assert "42 records in 7 equivalence classes, k = 6" in accepted(
        capsys, folder, "release", rule, "-o", "o.csv", "--require", "k=1"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("{encoding: klingon}", r"csv\.encoding: there is no encoding 'klingon'; leave it out"),
        ("{delim: ';'}", r"has one column; .* its header holds the separator ',': set `csv: \{delim: ','\}`"),
        ("{delim: ',,,,,,,,,'}", "cannot be read as CSV; set what it is written with under `csv:`"),
        ("{encoding: utf-16}", "is not UTF-16, as which it is to be read; leave `encoding` out"),
        ("{quote: ab}", "cannot be read as CSV"),
        ("{skip: 10000}", "lines are to be skipped"),
        ("{dateformat: '%Q'}", "cannot be read as CSV"),
        ("{decimal_separator: x}", r"csv\.decimal_separator: it should be '\.' or ','"),
    ],
)
def test_csv_options(capsys, tmp_path, options, words):
    refused(capsys, laid_out(tmp_path, {"s.csv": GOOD}, CONFIG + f"csv: {options}"), words)


@pytest.mark.parametrize(("names", "words"), [(["age", "Age"], "two columns named 'Age'"), (["", "b"], "no name")])
def test_parquet_names_that_duckdb_would_change(capsys, tmp_path, names, words):
    table = pa.table([pa.array([1, 2]), pa.array([[3], [4]]), pa.array(["x", "y"])], names=[*names, "c"])
    pq.write_table(table, tmp_path / "s.parquet")
    refused(capsys, laid_out(tmp_path, {}, "source: s.parquet\nclass: c\n"), words)


@pytest.mark.slow
def test_parquet_names_under_a_nested_column_are_not_its_own(capsys, tmp_path):
    pq.write_table(pa.table({"s": [{"age": 1}] * 4, "age": [1, 1, 2, 2], "c": list("abab")}), tmp_path / "s.parquet")
    accepted(capsys, laid_out(tmp_path, {}, "source: s.parquet\nclass: c\nidentifiers: [s]\n"))


@pytest.mark.slow
@pytest.mark.some(7)
@pytest.mark.parametrize("kind", ["BIGINT", "DATE", "TINYINT"])
@pytest.mark.parametrize("value", ["ZZSECRET", "98765432123456789", 'ZZSECRET\nZZSECRET\'s "ZZSECRET"'])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_type_that_the_data_do_not_fit_shows_no_value(capsys, tmp_path, kind, value, ending):
    if kind == "BIGINT" and value.isdecimal():
        value = "98765432123" * 3
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT i % 5 AS age, '3' AS job, i % 2 AS c FROM range(50) r(i)")
        connection.execute("UPDATE t SET job = ? WHERE age = 3", [value])
        connection.execute(f"COPY t TO '{tmp_path}/s.{ending}'")
    folder = laid_out(tmp_path, {}, f"source: s.{ending}\nclass: c\ntypes: {{job: {kind}}}\n")
    text = refused(capsys, folder, "'?job'? of the source holds a value.*does not fit its type", *_rule("job=0"))
    assert "Set the column's type" in text


def _rule(rule):
    return "release", rule, "-o", "o.csv", "--require", "k=1"


def test_a_stated_type_that_a_value_far_down_does_not_fit(tmp_path):
    text = "age,c\n" + "".join(f"{i % 9},{'ab'[i % 2]}\n" for i in range(30_000)) + "ZZSECRET,a\n"
    laid_out(tmp_path, {"s.csv": text}, None)
    with Project(source=tmp_path / "s.csv", class_="c", types={"age": "BIGINT"}) as project:
        with pytest.raises(SourceError, match="column 'age' of the source holds a value in line 30002") as failure:
            project.release({"age": 0}, tmp_path / "o.csv")
        check_words(str(failure.value), "types: {column: VARCHAR}")
    assert not (tmp_path / "o.csv").exists()


@pytest.mark.slow
def test_a_source_database_that_another_process_writes(capsys, tmp_path):
    held = tmp_path / "shop.duckdb"
    with duckdb.connect(str(held)) as connection:
        connection.execute("CREATE TABLE t AS SELECT i % 5 AS age, i % 2 AS c FROM range(50) r(i)")
        laid_out(tmp_path, {}, "source: shop.duckdb::t\nclass: c\n")
        result = shell(tmp_path, *RELEASE)
        assert result.returncode == 6
        check_words(result.stderr.decode(), "is open in another process for writing; wait for it to end")
        assert not (tmp_path / "o.csv").exists()
    accepted(capsys, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("shop.duckdb", r"is a database; name its table, such as shop\.duckdb::main\.customers"),
        ("shop.duckdb::nope", r"has no table or view main\.nope; it has main\.t"),
        ("shop.duckdb::a.b.c.d", "is not a table's name"),
        ("'shop.duckdb::'", "is not a table's name"),
        ("anonduck.yml::t", "is not a DuckDB database"),
        ("gone.duckdb::t", "there is no file"),
        (".::t", "is a directory"),
        ("anonduck.duckdb::rules", "is the decision database itself"),
    ],
)
def test_tables(capsys, tmp_path, source, words):
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS age, 2 AS c")
    refused(capsys, laid_out(tmp_path, {}, f"source: {source}\nclass: c\n"), words)


@pytest.mark.slow
def test_compressed_csv_works(capsys, tmp_path):
    accepted(capsys, laid_out(tmp_path, {"s.csv.gz": gzip.compress(GOOD.encode())}, "source: s.csv.gz\nclass: c\n"))
