"""The audit against files written by hand, by DuckDB, and against a count in Python."""

import gzip
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import duckdb
import pandas as pd
import pytest
from examples import examples
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from anonduck.auditing.audit import audit
from anonduck.auditing.report import CLOSING
from anonduck.database.connection import Database
from anonduck.errors import AuditError
from anonduck.statements import Statement

ODD_NAMES = [
    'a "quote"',
    "it's",
    "two words",
    "a.b",
    "select",
    "年齢",
    "x" * 200,
    "release",
    "records",
    "#records",
    "1",
]


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8", newline="")
    return path


def copy(path: Path, select: str, options: str = "") -> Path:
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({select}) TO '{path}' {options}")
    return path


# -- k and the classes -------------------------------------------------------------------------------------------------


def test_direct_identifiers_are_counted_in_each_text_column_and_never_printed(tmp_path):
    notes = ["call +39 06 1234567", "ada@example.org or http://example.org", "well", "well"] * 5
    frame = pd.DataFrame({"age": range(20), "note": notes, "job": ["nurse"] * 20})
    for ending, write in (("csv", frame.to_csv), ("parquet", frame.to_parquet)):
        write(tmp_path / f"a.{ending}", index=False)
        report = audit(tmp_path / f"a.{ending}", ["job"])
        assert report.as_json()["direct_identifiers"] == {"note": {"emails": 5, "phones": 5, "urls": 5}}
        (warning,) = (words for words in report.warnings if "direct identifiers" in words)
        assert "e-mail addresses in 25%, telephone numbers in 25%, web addresses in 25% of its cells" in warning
        assert not re.search("ada|1234|example", json.dumps(report.as_json()))
    assert "direct_identifiers" not in audit(tmp_path / "a.csv", ["job"], measures="required").as_json()


def test_k_is_the_smallest_class_and_null_is_a_value(tmp_path):
    # classes by (age, sex): (30, f) x 2, (NULL, f) x 3, (NULL, NULL) x 1
    rows = "(30, 'f', 1), (30, 'f', 0), (NULL, 'f', 1), (NULL, 'f', 0), (NULL, 'f', 0), (NULL, NULL, 1)"
    path = copy(tmp_path / "r.parquet", f"SELECT * FROM (VALUES {rows}) t(age, sex, churned)")
    report = audit(path, class_="churned", requirements={"k": 3}, measures="required")
    assert report.as_json() == {
        "file": str(path),
        "rows": 6,
        "classes": 3,
        "k": 1,
        "average_class": 2.0,
        "largest_class": 3,
        "records_alone": 1,
        "records_under_required_k": 3,
        "class_sizes": [
            {"from": 1, "to": 1, "classes": 1, "records": 1},
            {"from": 2, "to": 3, "classes": 2, "records": 5},
        ],
        "columns": ["age", "sex", "churned"],
        "quasi_identifiers": ["age", "sex"],
        "kept": {"churned": {"rare": 0}},
        "rare_under": 3,
        "unique_with_kept": 4,
        "measures": {"k": {"reached": 1}},
        "requirements": [{"name": "k", "required": 3, "reached": 1, "met": False}],
        "met": False,
        "warnings": ["k is 1: 1 of 6 records are alone in their class and can be singled out"],
        "closing": CLOSING,
    }
    json.dumps(report.as_json())


@pytest.mark.slow
def test_named_quasi_identifiers_are_the_only_ones(tmp_path):
    path = write(tmp_path / "r.csv", "a,b,c\nx,1,p\nx,2,p\n")
    assert (audit(path).k, audit(path, ["a", "c"]).k, audit(path, insensitive=["b"]).k) == (1, 2, 2)
    assert audit(path, sensitive=["b"], class_="c").quasi_identifiers == ("a",)


def test_without_quasi_identifiers_all_records_are_one_class(tmp_path):
    report = audit(write(tmp_path / "r.csv", "a,b\nx,1\ny,2\nz,3\n"), sensitive=["a"], class_="b")
    assert (report.quasi_identifiers, report.classes, report.k) == ((), 1, 3)


@pytest.mark.some(12)
@pytest.mark.parametrize("name", ODD_NAMES)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_any_column_name_works(tmp_path, name, suffix):
    frame = pd.DataFrame({name: ["v", "v", "w"], "other": [1, 1, 1]})
    with duckdb.connect() as connection:
        connection.register("registered", frame)
        connection.execute(f"COPY (FROM registered) TO '{tmp_path}/r.{suffix}'")
    report = audit(tmp_path / f"r.{suffix}")
    assert (report.columns, report.rows, report.classes, report.k) == ((name, "other"), 3, 2, 1)
    assert audit(tmp_path / f"r.{suffix}", ["other"], insensitive=[name]).k == 3


cells = st.one_of(st.none(), st.sampled_from(["", "a", "NULL", '"', ",", ";", "\n", "1", "1.0", "yes", " "]))


@pytest.mark.slow
@examples(25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=30), suffix=st.sampled_from(["csv", "parquet"])
)
def test_equal_to_a_count_in_python(tmp_path, rows, suffix):
    frame = pd.DataFrame(rows, columns=["a", "b", "c"], dtype=object)
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t (a VARCHAR, b VARCHAR, c VARCHAR)")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", [list(row) for row in rows])
        connection.execute(f"COPY t TO '{tmp_path}/r.{suffix}'")
    sizes = Counter((a, b) for a, b, _ in rows)
    for target in (tmp_path / f"r.{suffix}", frame):
        report = audit(target, ["a", "b"], requirements={"k": 3})
        assert (report.rows, report.classes, report.k) == (len(rows), len(sizes), min(sizes.values()))
        assert report.sizes.largest == max(sizes.values())
        assert report.sizes.alone == sum(size == 1 for size in sizes.values())
        assert report.sizes.under_required == sum(size for size in sizes.values() if size < 3)


# -- CSV ---------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_csv_is_text_and_nothing_else(tmp_path):
    # read as numbers, dates or booleans, each pair would be one value
    path = write(tmp_path / "r.csv", "n,d,b\n1,2020-01-02,yes\n1.0,2020-1-2,true\n01,02/01/2020,t\n")
    assert audit(path, ["n"]).classes == audit(path, ["d"]).classes == audit(path, ["b"]).classes == 3


@pytest.mark.parametrize("select", ["SELECT a", "SELECT a, 1 AS b"])
def test_csv_written_by_duckdb_keeps_empty_text_and_null_apart(tmp_path, select):
    path = copy(tmp_path / "r.csv", f"{select} FROM (VALUES (''), (NULL), (NULL), ('x')) t(a)")
    report = audit(path)
    assert (report.rows, report.classes, report.sizes.largest) == (4, 3, 2)


def test_the_first_line_is_the_header_even_if_it_looks_like_data(tmp_path):
    report = audit(write(tmp_path / "r.csv", "1,2\n1,2\n1,2\n"))
    assert (report.columns, report.rows) == (("1", "2"), 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text", "columns"),
    [
        ("comma.csv", "a,b\n1,2\n1,2\n", ("a", "b")),
        ("semicolon.csv", 'a;b\n"1,5";2\n"1,5";2\n', ("a", "b")),
        ("decimal_commas.csv", "a;b;c\n1,5;2,5;0\n1,5;2,5;0\n", ("a", "b", "c")),
        ("pipe.csv", "a|b\n1|2\n1|2\n", ("a", "b")),
        ("tab.csv", "a\tb\n1\t2\n1\t2\n", ("a", "b")),
        ("tab.tsv", "a,x\tb\n1\t2\n1\t2\n", ("a,x", "b")),
        ("one.csv", "a\n1;2\n1;2\n", ("a",)),
        ("bom.csv", "\ufeffa,b\n1,2\n1,2\n", ("a", "b")),
        ("crlf.csv", "a,b\r\n1,2\r\n1,2\r\n", ("a", "b")),
        ("quoted.csv", '"a,1","b\n2"\n"x\ny",2\n"x\ny",2\n', ("a,1", "b\n2")),
    ],
)
def test_separator_and_header_are_found(tmp_path, name, text, columns):
    report = audit(write(tmp_path / name, text))
    assert (report.columns, report.rows, report.k) == (columns, 2, 2)


def test_a_separator_can_be_given(tmp_path):
    path = write(tmp_path / "r.csv", "a,x#b\n1#2\n1#2\n")
    assert audit(path, delim="#").columns == ("a,x", "b")


def test_compressed_csv(tmp_path):
    path = tmp_path / "r.csv.gz"
    path.write_bytes(gzip.compress(b"a;b\n1;2\n1;2\n"))
    assert (audit(path).columns, audit(path).k) == (("a", "b"), 2)


# -- what else can be audited ------------------------------------------------------------------------------------------


def test_a_table_in_a_duckdb_file_is_only_read(tmp_path):
    path = tmp_path / "w.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute('CREATE TABLE "odd.name" AS SELECT 1 AS a FROM range(3)')
        connection.execute("CREATE SCHEMA s; CREATE VIEW s.v AS SELECT 2 AS b UNION ALL SELECT NULL")
    before = path.read_bytes()
    assert audit(f"{path}::odd.name").k == 3
    assert audit(f"{path}::s.v").columns == ("b",)
    assert (path.read_bytes(), [p.name for p in tmp_path.iterdir()]) == (before, ["w.duckdb"])
    with pytest.raises(AuditError, match=r"no table 'nope'; it has 'main.odd.name', 's.v'"):
        audit(f"{path}::nope")


def test_tables_in_memory():
    pyarrow, polars = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    data = {"a": ["x", "x", None], "b": [1, 1, None]}
    for table in (pd.DataFrame(data), pyarrow.table(data), polars.DataFrame(data)):
        report = audit(table)
        assert (report.file, report.rows, report.classes, report.k) == (None, 3, 2, 1)


def test_patterns_and_partitions_in_a_path_are_only_a_name(tmp_path):
    folder = tmp_path / "year=2020"
    folder.mkdir()
    write(folder / "r1.csv", "a\nx\ny\n")
    report = audit(write(folder / "r*.csv", "a\nx\nx\nx\n"))
    assert (report.columns, report.rows) == (("a",), 3)
    assert audit(copy(folder / "[r].parquet", "SELECT 1 AS a")).columns == ("a",)


def test_a_given_database_is_left_as_it_was(tmp_path):
    path = write(tmp_path / "r.csv", "a\nx\nx\n")
    database = Database()
    with pytest.raises(AuditError):
        audit(path, ["missing"], database=database)
    assert audit(path, database=database).k == audit(path, database=database).k == 2
    kinds = ("view", "table")
    left = [
        database.rows(Statement("left", f"SELECT {kind}_name FROM duckdb_{kind}s() WHERE NOT internal"))
        for kind in kinds
    ]
    database.close()
    assert left == [[], []]


# -- warnings ----------------------------------------------------------------------------------------------------------


def test_nulls_are_one_value_and_single_nobody_out(tmp_path):
    path = copy(tmp_path / "r.parquet", "SELECT 1 AS a, CASE WHEN i > 3 THEN i END AS note FROM range(30) t(i)")
    assert audit(path, ["a"]).warnings == ()  # 26 values and NULL in 30 records: 90 %, not more


# -- errors ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("r.xlsx", b"x", r"allowed are \.parquet, \.pq, \.csv.*duckdb::TABLE"),
        ("r.csv", b"", "is empty, without even a header"),
        ("r.parquet", b"", "is empty"),
        ("r.csv", b"a,b\n", "the file has no records"),
        ("r.csv", b"\n\n", "first line of .* is blank"),
        ("r.parquet", b"Alice 12345 " * 9, "cannot be read as Parquet: its content does not fit its format"),
        ("r.csv", b"a,b\n\x81,1\n", "is not UTF-8, UTF-16 or Windows-1252; save it as UTF-8"),
        ("r.csv", b"a,b,A\n1,2,3\n", "'a', 'A' more than once"),
        ("r.csv", b"a,,b,\n1,2,3,4\n", "leaves column 2, 4 of 4 without a name"),
        ("r.csv", b'a,"b\nAlice,12345\nAlice,1",c\n1,2,3\n', "name of its column 2: a quote may be left open"),
        ("r.csv", b"a;b\nAlice;2\n12345\n", "cannot be read as CSV with that header and separator"),
        ("long.csv", b"a;b\nAlice;2\n1;" + b"Alice" * 500_000, "a line is longer than 2,000,000 bytes"),
        ("r.csv.gz", b"Alice", "not a complete gzip file"),
        ("r.csv.gz", gzip.compress(b"a\nAlice\n" * 99, mtime=0)[:-9], "not a complete gzip file"),
        ("r.duckdb::t", b"Alice 12345", "cannot be"),
    ],
)
def test_bad_files_have_their_own_message(tmp_path, name, content, message):
    (tmp_path / name.partition("::")[0]).write_bytes(content)
    with pytest.raises(AuditError, match=message) as caught:
        audit(tmp_path / name)
    assert not re.search("Alice|12345", str(caught.value))


def test_bad_requests(tmp_path):
    path = write(tmp_path / "r.csv", "a,b\n1,2\n")
    for arguments, message in [
        ({"target": tmp_path}, "is a directory"),
        ({"target": tmp_path / "none.csv"}, "there is no file"),
        ({"target": 42}, "the audited table is a builtins.int; allowed are a path"),
        ({"quasi_identifiers": ["a", "zip"]}, "no column 'zip'; its columns are 'a', 'b'"),
        ({"class_": "A"}, "no column 'A'"),
        ({"quasi_identifiers": ["a"], "sensitive": ["a"]}, "'a' is named more than once"),
        ({"requirements": {"z": 1}}, "unknown requirement 'z'; requirements are k"),
        ({"requirements": {"k": 0}}, "whole number of 1 or more; it is 0"),
        ({"delim": ",,"}, "must be one character"),
    ]:
        with pytest.raises(AuditError, match=message):
            audit(**{"target": path, **arguments})


# -- the room ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_audit_imports_nothing_that_makes_releases():
    code = "import sys, anonduck.auditing.audit; print(*sorted(m for m in sys.modules if m.startswith('anonduck.')))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    rooms = {name.split(".")[1] for name in loaded}
    made_of = {
        "auditing",
        "database",
        "engines",
        "errors",
        "models",
        "privacy",
        "rules",
        "sql",
        "statements",
        "version",
        "words",
    }
    assert rooms <= made_of


def test_a_folder_of_parquet_files_is_one_table(tmp_path):
    """As Spark writes it, with files beside that are no parts; its audit is that of one file of the same rows."""
    table = pd.DataFrame({"a": [1, 1, 2, 2], "class": ["x", "y", "x", "y"]})
    folder = tmp_path / "out.parquet"
    folder.mkdir()
    for number in range(2):
        table.iloc[[number, number + 2]].to_parquet(folder / f"part-{number}.parquet", index=False)
    (folder / "_SUCCESS").touch()
    table.to_parquet(tmp_path / "whole.parquet", index=False)
    whole, parts = (
        audit(str(one), class_="class", requirements={"k": 2}).as_json() for one in (tmp_path / "whole.parquet", folder)
    )
    assert whole | {"file": ""} == parts | {"file": ""}
    assert parts["k"] == 2
    assert audit(f"{folder}/", class_="class").k == 2
    (folder / "country=IT").mkdir()
    with pytest.raises(AuditError, match="has folders beside its Parquet files"):
        audit(folder)


def test_a_file_without_a_header_is_audited_without_its_values_in_the_error(tmp_path):
    (tmp_path / "r.csv").write_text("37,Secret,2015-06-10\n38,b,2015-06-11\n")
    with pytest.raises(AuditError, match="its first line looks like a record") as refused:
        audit(tmp_path / "r.csv", ["age"])
    assert "Secret" not in str(refused.value)
