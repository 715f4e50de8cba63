"""Types of CSV columns: what the view `source` holds is what the file says, in each of its records."""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck import Project, audit
from anonduck.cli.app import run
from anonduck.config.reading import make_config
from anonduck.database.connection import Database
from anonduck.errors import ConfigError, SourceError
from anonduck.source.source import Source, open_source
from anonduck.statements import Statement


def written(path: Path, columns: dict[str, Sequence[str]]) -> Path:
    """A CSV file of columns of texts."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(columns)
    lines.writerows(zip(*columns.values(), strict=True))
    path.write_text(text.getvalue(), encoding="utf-8")
    return path


@pytest.fixture
def opened(database: Database, tmp_path: Path):
    def opening(texts: Sequence[str], **config: object) -> tuple[str, list[object]]:
        written(tmp_path / "t.csv", {"value": list(texts), "c": ["a"] * len(texts)})
        found = open_source(database, make_config({"source": "t.csv", "class": "c", **config}), tmp_path)
        return found.columns[0].type, [row[0] for row in rows_of(database)]

    return opening


def rows_of(database: Database) -> list[tuple[object, ...]]:
    return database.rows(Statement("test", "SELECT * FROM source"))


# what Python says of the texts, without anonduck
@pytest.mark.parametrize(
    ("texts", "kind", "values"),
    [
        (["01069", "1069"], "VARCHAR", ["01069", "1069"]),
        (["007", "7"], "VARCHAR", ["007", "7"]),
        (["+49", "49"], "VARCHAR", ["+49", "49"]),
        (["10.1", "10.10"], "VARCHAR", ["10.1", "10.10"]),
        (["250.0", "250.00", "401.9"], "VARCHAR", ["250.0", "250.00", "401.9"]),
        (["250.00", "401.9"], "VARCHAR", ["250.00", "401.9"]),
        (["1e2", "100"], "VARCHAR", ["1e2", "100"]),
        ([".5", "0.5"], "VARCHAR", [".5", "0.5"]),
        (["0.1234567890123456789", "1.5"], "VARCHAR", ["0.1234567890123456789", "1.5"]),
        (["9" * 40, "1"], "VARCHAR", ["9" * 40, "1"]),
        (["0x1F", "1"], "VARCHAR", ["0x1F", "1"]),
        (["1_000", "2"], "VARCHAR", ["1_000", "2"]),
        (["16.07.45", "01.02.03"], "VARCHAR", ["16.07.45", "01.02.03"]),
        (["2024-01-05", "2024/01/06"], "VARCHAR", ["2024-01-05", "2024/01/06"]),
        (["31.02.2024", "01.02.2024"], "VARCHAR", ["31.02.2024", "01.02.2024"]),
        (["yes", "no"], "VARCHAR", ["yes", "no"]),
        (["1.50", "2.25"], "DECIMAL(18,2)", [Decimal("1.50"), Decimal("2.25")]),
        (["12345678901234567.25", "1.10"], "DECIMAL(38,2)", [Decimal("12345678901234567.25"), Decimal("1.10")]),
        (["18.5", "19", "20.25"], "DOUBLE", [18.5, 19.0, 20.25]),
        (["19.0", "20.25", "-3.5"], "DOUBLE", [19.0, 20.25, -3.5]),
        ([".5", "1.25"], "DOUBLE", [0.5, 1.25]),
        (["1e-05", "0.25"], "DOUBLE", [0.00001, 0.25]),
        (["0.30000000000000004", "0.5"], "DOUBLE", [0.30000000000000004, 0.5]),
        (["9007199254740993", "1.5"], "VARCHAR", ["9007199254740993", "1.5"]),
        (["1e-400", "1.5"], "VARCHAR", ["1e-400", "1.5"]),
        (["123456789012.345", "2.5", "7"], "DOUBLE", [123456789012.345, 2.5, 7.0]),
        (["0", "-7", "12"], "BIGINT", [0, -7, 12]),
        ([" 5", "6"], "BIGINT", [5, 6]),
        (["12345678901234567890", "1"], "HUGEINT", [12345678901234567890, 1]),
        (["01/02/2024", "13/02/2024"], "DATE", [date(2024, 2, 1), date(2024, 2, 13)]),
        (["01/02/2024", "01/13/2024"], "DATE", [date(2024, 1, 2), date(2024, 1, 13)]),
        (["2024-01-05", ""], "DATE", [date(2024, 1, 5), None]),
        (["2024-01-05T10:00:00", "2024-01-05 10:00"], "TIMESTAMP", [datetime(2024, 1, 5, 10)] * 2),
        (["05.01.2024 10:00:00"], "TIMESTAMP", [datetime(2024, 1, 5, 10)]),
        (["01/13/2024 22:00:00"], "TIMESTAMP", [datetime(2024, 1, 13, 22)]),
        (["2024.01.13"], "DATE", [date(2024, 1, 13)]),
        (["0000-01-01"], "VARCHAR", ["0000-01-01"]),
        (["10:30", "23:59:59"], "TIME", [time(10, 30), time(23, 59, 59)]),
        (["", ""], "VARCHAR", [None, None]),
    ],
)
def test_what_a_column_is(opened, texts, kind, values):
    assert opened(texts) == (kind, values)


@pytest.mark.parametrize(
    ("usual", "last", "kind"),
    [
        ("1069", "01069", "VARCHAR"),
        ("2", "2.5", "DOUBLE"),
        ("7", "007", "VARCHAR"),
        ("1234", "1234.5", "DOUBLE"),
        ("1.25", "1.5", "DOUBLE"),
        ("1.25", "1.250", "VARCHAR"),
        ("12", "N/A", "VARCHAR"),
        ("12", "\u00a07", "VARCHAR"),
        ("1.25", "7.5\u2009", "VARCHAR"),
        ("NaN", "\t7", "VARCHAR"),
        ("1.25", "3", "DOUBLE"),
        ("1.25", "01.25", "VARCHAR"),
        ("2024-01-05", "unknown", "VARCHAR"),
        ("2024-01-05", "infinity", "VARCHAR"),
        ("2024-01-05", "0000-01-05", "VARCHAR"),
        ("2024-01-05", "12024-01-05", "VARCHAR"),
        ("2024-01-05", "2024/01/05", "VARCHAR"),
        ("2024-01-05", "2024-1-5", "DATE"),
        ("01.02.2024", "02.13.2024", "DATE"),
        ("", "12.50", "DECIMAL(18,2)"),
        ("", "2024-01-05", "DATE"),
    ],
)
def test_the_last_of_many_records_decides(opened, usual, last, kind):
    taken, values = opened([usual] * 30_000 + [last])
    assert taken == kind
    shown = {"VARCHAR": str, "DOUBLE": float, "DECIMAL(18,2)": Decimal}.get(kind)
    if shown is not None:
        assert values == [shown(usual) if usual else None] * 30_000 + [shown(last)]


def test_types_of_the_config_override(opened):
    assert opened(["01069", "1069"], types={"value": "BIGINT"}) == ("BIGINT", [1069, 1069])
    assert opened(["10", "20"], types={"value": "VARCHAR"}) == ("VARCHAR", ["10", "20"])
    assert opened(["10.1", "10.10"], types={"value": "DOUBLE"}) == ("DOUBLE", [10.1, 10.1])


def test_a_stated_type_leaves_the_types_of_other_columns(database, tmp_path):
    written(tmp_path / "t.csv", {"a": ["x", "y"], "b": ["5.", "6"], "row": ["1", "2"], "c": ["u", "v"]})
    source = open_source(database, make_config({"source": "t.csv", "class": "c", "types": {"a": "VARCHAR"}}), tmp_path)
    assert [column.type for column in source.columns] == ["VARCHAR", "DOUBLE", "BIGINT", "VARCHAR"]


def test_amounts_with_separators(opened):
    given = {"csv": {"delim": ",", "thousands": ".", "decimal_separator": ","}}
    texts = ["18.582,97", "1.234,50", "7,00", "-12.345.678,90"]
    assert opened(texts, **given) == ("DECIMAL(18,2)", [Decimal(t.replace(".", "").replace(",", ".")) for t in texts])
    assert opened(["1.234", "12", "7,5"], **given) == ("DOUBLE", [1234.0, 12.0, 7.5])
    assert opened(["1.234", "12"], **given) == ("BIGINT", [1234, 12])
    assert opened(["18.582,97", "12.34"], **given)[0] == "VARCHAR"  # no group of thousands has two digits


def test_empty_fields_are_null_beside_other_markers(opened):
    assert opened(["1", "NA", ""], csv={"nullstr": "NA"}) == ("BIGINT", [1, None, None])


# -- several files -----------------------------------------------------------------------------------------------------


def test_many_files_are_read_by_name_and_by_all_their_records(database, tmp_path):
    for number in range(12):
        last = {"half": ["2.5"], "zip": ["01069"], "age": ["3"]}  # another order, and other types
        own = last if number == 11 else {"age": ["1"], "zip": ["1069"], "half": ["2"]}
        written(tmp_path / f"{number:02}.csv", {**own, "c": ["a"]})
    source = open_source(database, make_config({"source": "*.csv", "class": "c"}), tmp_path)
    assert [(one.name, one.type) for one in source.columns] == [
        ("age", "BIGINT"),
        ("zip", "VARCHAR"),
        ("half", "DOUBLE"),
        ("c", "VARCHAR"),
    ]
    assert sorted(rows_of(database)) == sorted([(1, "1069", 2.0, "a")] * 11 + [(3, "01069", 2.5, "a")])


# -- the same table by each way ----------------------------------------------------------------------------------------

CODES = ["10.1", "10.10", "250.0", "250.00"]
ZIPS = ["01069", "1069", "04109", "80331"]


@pytest.fixture
def export(tmp_path: Path) -> Path:
    columns = {"code": CODES * 10, "zip": [one for one in ZIPS for _ in range(10)], "c": ["a", "b"] * 20}
    return written(tmp_path / "export.csv", columns)


def released(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return sorted(csv.DictReader(file), key=str)


def test_a_release_shows_what_the_file_says(export, tmp_path, out):
    with Project(source=export, class_="c", requirement={"k": 1}) as project:
        project.release({"code": 0, "zip": 0}, out / "python.csv")
    (tmp_path / "anonduck.yml").write_text(f"source: {export}\nclass: c\nrequirement: {{k: 1}}\n", encoding="utf-8")
    config = ["-p", str(tmp_path / "anonduck.yml")]
    assert run(["release", "code=0,zip=0", "-o", str(out / "cli.csv"), *config]) == 0
    again = ["release", "code=0,zip=0", "--source", str(export), "-o", str(out / "again.csv"), *config]
    assert run(again) == 0
    expected = released(export)
    assert [released(out / f"{name}.csv") for name in ("python", "cli", "again")] == [expected] * 3
    found = audit(export, quasi_identifiers=["code", "zip"], class_="c").as_json()
    assert found["classes"] == len({(row["code"], row["zip"]) for row in expected})


# -- any table ---------------------------------------------------------------------------------------------------------

NUMBERS = st.one_of(
    st.integers(-200, 200).map(str),
    st.integers(0, 200).map(lambda n: f"0{n}"),
    st.decimals(-100, 100, places=2).map(str),
    st.decimals(-100, 100, places=1).map(str),
    st.floats(-1e6, 1e6, allow_subnormal=False).map(repr),
    st.sampled_from(["1e2", "100", "100.0", "100.00", ".5", "0.5", "5.", "+1", "-0", "-0.0", " 7", "7", "1E5", ""]),
    st.integers(10**17, 10**39).map(str),
)
DATES = st.one_of(
    st.dates(date(1900, 1, 1), date(2100, 1, 1)).map(str),
    st.dates(date(1900, 1, 1), date(2100, 1, 1)).map(lambda day: day.strftime("%d.%m.%Y")),
    st.sampled_from(["16.07.45", "31.02.2024", "2024-01", "10:30", "", "unknown"]),
)


def number_of(text: str) -> Decimal:
    return Decimal(text.strip())


@examples(200)
@given(st.lists(st.sampled_from(["0", "1", "2"]).flatmap(lambda _: NUMBERS), min_size=1, max_size=6))
def test_numbers_are_the_numbers_of_their_texts(tmp_path_factory, texts):
    """No digit is lost, and no two texts become one value, but for blanks and the sign of zero."""
    kind, values = _read(tmp_path_factory, texts)
    assert len(values) == len(texts)
    if kind == "VARCHAR":
        assert values == [text or None for text in texts]
        return
    expected = [number_of(text) if text else None for text in texts]
    found = [None if value is None else Decimal(repr(value) if kind == "DOUBLE" else str(value)) for value in values]
    assert found == expected
    distinct = {text.strip().removeprefix("-") if not number_of(text) else text.strip() for text in texts if text}
    assert len({value for value in values if value is not None}) == len(distinct)
    assert not any(text.strip().lstrip("-").startswith(("+", "00", "01")) for text in texts)


@examples(100)
@given(st.lists(DATES, min_size=1, max_size=5))
def test_dates_are_the_days_of_their_texts(tmp_path_factory, texts):
    kind, values = _read(tmp_path_factory, texts)
    if kind == "VARCHAR":
        assert values == [text or None for text in texts]
    if kind == "DATE":
        read = [None if not text else _day(text) for text in texts]
        assert values == read


def _day(text: str) -> date:
    return date.fromisoformat(text) if "-" in text else datetime.strptime(text, "%d.%m.%Y").date()


def _read(tmp_path_factory, texts: Sequence[str]) -> tuple[str, list[object]]:
    folder = tmp_path_factory.mktemp("t", numbered=True)
    written(folder / "t.csv", {"value": list(texts), "c": ["a"] * len(texts)})
    with _database() as database:
        source: Source = open_source(database, make_config({"source": "t.csv", "class": "c"}), folder)
        return source.columns[0].type, [row[0] for row in rows_of(database)]


@contextlib.contextmanager
def _database() -> Iterator[Database]:
    opened = Database()
    try:
        yield opened
    finally:
        opened.close()


def test_a_stated_type_that_does_not_fit_is_refused(opened):
    with pytest.raises((SourceError, ConfigError), match="value"):
        opened(["1", "x"], types={"value": "BIGINT"})


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
def test_what_some_files_lack_is_said_of_any_encoding(database, tmp_path, encoding):
    for name, text in (("1", "age,town,c\n1,Rome,a\n"), ("2", "age,c\n2,b\n")):
        (tmp_path / f"{name}.csv").write_bytes(text.encode(encoding))
    with pytest.raises(SourceError, match=r"^the files of .*'town' is not in 2\.csv"):
        open_source(database, make_config({"source": "?.csv", "class": "c"}), tmp_path)


def test_columns_that_some_files_lack(database, tmp_path):
    written(tmp_path / "1.csv", {"age": ["1"], "c": ["a"]})
    written(tmp_path / "2.csv", {"C": ["b"], "town": ["Rome"], "age": ["2"]})
    with pytest.raises(SourceError, match=r"^the files .*'town' is not in 1\.csv.*missing_columns: null"):
        open_source(database, make_config({"source": "?.csv", "class": "c"}), tmp_path)
    open_source(database, make_config({"source": "?.csv", "class": "c", "missing_columns": None}), tmp_path)
    assert sorted(rows_of(database), key=str) == [(1, "a", None), (2, "b", "Rome")]


def test_columns_in_the_names_of_folders_keep_their_texts(database, tmp_path):
    for zip_, columns in (("1069", {"age": ["1"], "c": ["a"]}), ("01069", {"c": ["b"], "age": ["2"]})):
        (tmp_path / f"zip={zip_}").mkdir()
        written(tmp_path / f"zip={zip_}" / "t.csv", columns)
    open_source(database, make_config({"source": "*/t.csv", "class": "c"}), tmp_path)
    assert sorted(rows_of(database)) == [("a", 1, "1069"), ("b", 2, "01069")]


@pytest.mark.parametrize(("texts", "kind"), [(["1", "2.5"], "BIGINT"), (["1", "2.567"], "DECIMAL(9,2)")])
def test_a_stated_type_rounds_nothing(opened, texts, kind):
    with pytest.raises(ConfigError, match=r"types\.value: 1 value would be rounded to"):
        opened(texts, types={"value": kind})


def test_a_stated_column_moves_no_other(database, tmp_path):
    """The first texts of each column are its own, whichever columns have a type in the config."""
    written(
        tmp_path / "t.csv",
        {"born": ["16.07.45", "17.08.46"], "age": ["45", "46"], "half": ["1.5", "2"], "c": ["a", "b"]},
    )
    for stated in ({"born": "VARCHAR"}, {"age": "BIGINT"}, {"half": "DOUBLE", "born": "VARCHAR"}):
        source = open_source(database, make_config({"source": "t.csv", "class": "c", "types": stated}), tmp_path)
        assert [one.type for one in source.columns] == ["VARCHAR", "BIGINT", "DOUBLE", "VARCHAR"]


def test_dates_that_may_be_read_both_ways_are_read_as_the_others(database, tmp_path):
    both, month = ["05/01/2024", "03/04/2024"], ["02/13/2024", "02/03/2024"]
    written(tmp_path / "t.csv", {"a": both, "b": month, "c": ["x", "y"]})
    source = open_source(database, make_config({"source": "t.csv", "class": "c"}), tmp_path)
    assert [one.type for one in source.columns] == ["DATE", "DATE", "VARCHAR"]
    assert rows_of(database) == [
        (*(datetime.strptime(text, "%m/%d/%Y").date() for text in pair), c)
        for pair, c in zip(zip(both, month, strict=True), ("x", "y"), strict=True)
    ]
    assert not source.reasons
    written(tmp_path / "t.csv", {"a": both, "c": ["x", "y"]})
    alone = open_source(database, make_config({"source": "t.csv", "class": "c"}), tmp_path)
    assert "the day first" in alone.reasons["a"]


def test_a_format_of_the_config_makes_dates_of_digits(opened):
    texts = ["20240213", "20231231"]
    assert opened(texts, csv={"dateformat": "%Y%m%d"}) == ("DATE", [date(2024, 2, 13), date(2023, 12, 31)])
    assert opened(texts) == ("BIGINT", [20240213, 20231231])
    assert opened(["20240213", "99999999"], csv={"dateformat": "%Y%m%d"}) == ("BIGINT", [20240213, 99999999])


@pytest.mark.parametrize(
    "given", [{"thousands": "1"}, {"thousands": "."}, {"thousands": ",", "decimal_separator": ","}]
)
def test_separators_that_would_change_numbers_are_refused(opened, given):
    with pytest.raises(ConfigError, match="thousands"):
        opened(["11.5", "21.5"], csv=given)
