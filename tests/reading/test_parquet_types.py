"""Parquet files of different types: what a release shows is what each file says, or the run stops."""

from collections import Counter
from datetime import date, datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from bad_inputs import told
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from read_sources import opened, released, values

from anonduck import Project, anonymize, audit
from anonduck.config.reading import make_config, replaced
from anonduck.errors import AuditError, ConfigError, SourceError
from anonduck.source.missing_columns import check_columns

WHOLE, REAL, TEXT = pa.int64(), pa.float64(), pa.string()
DAYS = [date(2024, 1, 5), date(2024, 2, 6)]
NOON, MIDNIGHT = datetime(2024, 1, 5, 12), datetime(2024, 1, 5)


def written(folder, *columns, names=("jan", "feb", "mar")):
    """Files with a column ``x`` each, as pairs of values and their Arrow type."""
    folder.mkdir(exist_ok=True)
    for name, (held, kind) in zip(names, columns, strict=False):
        size = len(held)
        table = {"x": pa.array(held, kind), "y": pa.array([1] * size), "c": pa.array(["a", "b"] * size)[:size]}
        pq.write_table(pa.table(table), folder / f"{name}.parquet")


CASES = [
    pytest.param(([1, 2], WHOLE), ([1.4, 2.5, None], REAL), "DOUBLE", [1.0, 2.0, 1.4, 2.5, None], id="decimals"),
    pytest.param(([1, 2], WHOLE), ([3.0, None], REAL), "BIGINT", [1, 2, 3, None], id="whole-numbers-as-decimals"),
    pytest.param(([1, 2], pa.int32()), ([1 << 40], REAL), "BIGINT", [1, 2, 1 << 40], id="wider-whole-numbers"),
    pytest.param(([1069], WHOLE), (["01069"], TEXT), "VARCHAR", ["1069", "01069"], id="codes"),
    pytest.param(([1069.0, 1.5], REAL), (["01069"], TEXT), "VARCHAR", ["1069", "1.5", "01069"], id="float-codes"),
    pytest.param(([NOON], pa.timestamp("us")), ([DAYS[0]], pa.date32()), "TIMESTAMP", [NOON, MIDNIGHT], id="times"),
    pytest.param(([MIDNIGHT], pa.timestamp("us")), (DAYS, pa.date32()), "DATE", [DAYS[0], *DAYS], id="only-days"),
    pytest.param(
        ([Decimal("1.49")], pa.decimal128(9, 2)), ([3], WHOLE), "DECIMAL(21,2)", [Decimal("1.49"), Decimal(3)],
        id="amounts-beside-whole-numbers",
    ),
    pytest.param(
        ([Decimal("1.49")], pa.decimal128(9, 2)), ([Decimal("1.4999")], pa.decimal128(12, 4)), "DECIMAL(12,4)",
        [Decimal("1.49"), Decimal("1.4999")], id="amounts-of-two-scales",
    ),
    pytest.param(
        ([Decimal("1.5")], pa.decimal128(38, 30)), ([10**12], WHOLE), "VARCHAR",
        ["1.500000000000000000000000000000", "1000000000000"], id="amounts-too-wide-together",
    ),
    pytest.param(([True], pa.bool_()), ([0, 1, 2], WHOLE), "VARCHAR", ["true", "0", "1", "2"], id="0-1-2"),
    pytest.param(([2**53 + 1], WHOLE), ([0.5], REAL), "VARCHAR", ["9007199254740993", "0.5"], id="beyond-2-to-53"),
    pytest.param(([2**53], WHOLE), ([0.5], REAL), "DOUBLE", [2.0**53, 0.5], id="2-to-53"),
    pytest.param(([1.5], pa.float32()), ([1.4], REAL), "DOUBLE", [1.5, 1.4], id="float-and-double"),
    pytest.param(([1.5], pa.float32()), ([2**24 + 1], WHOLE), "DOUBLE", [1.5, 2.0**24 + 1], id="float-and-whole"),
    pytest.param(([2**64 - 1], pa.uint64()), ([-1], WHOLE), "HUGEINT", [2**64 - 1, -1], id="unsigned"),
    pytest.param(([1], pa.int8()), ([300], pa.uint16()), "INTEGER", [1, 300], id="small-numbers"),
    pytest.param(([None, None], pa.null()), ([1.5], REAL), "DOUBLE", [None, None, 1.5], id="nothing-but-null"),
    pytest.param(([None], REAL), (["a"], TEXT), "VARCHAR", [None, "a"], id="empty-column-of-pandas"),
    pytest.param(([None], TEXT), ([7], WHOLE), "BIGINT", [None, 7], id="empty-texts"),
    pytest.param(([float("nan")], REAL), ([7], WHOLE), "DOUBLE", ["nan", 7.0], id="nan"),
    pytest.param(([1], pa.timestamp("ns")), ([NOON], pa.timestamp("us")), "TIMESTAMP_NS", None, id="nanoseconds"),
    pytest.param(([1000], pa.timestamp("ns")), ([NOON], pa.timestamp("us")), "TIMESTAMP",
                 [datetime(1970, 1, 1, 0, 0, 0, 1), NOON], id="nanoseconds-of-whole-microseconds"),
    pytest.param(([1], pa.timestamp("ns")), ([datetime(9999, 1, 1)], pa.timestamp("us")), "VARCHAR",
                 ["1970-01-01 00:00:00.000000001", "9999-01-01 00:00:00"], id="times-too-far-apart"),
    pytest.param(([NOON], pa.timestamp("us", "UTC")), ([NOON], pa.timestamp("us")), "VARCHAR",
                 ["2024-01-05 12:00:00+00", "2024-01-05 12:00:00"], id="zones"),
    pytest.param(([{"a": 1}], pa.struct({"a": WHOLE})), ([{"a": 1.5, "b": "q"}], pa.struct({"a": REAL, "b": TEXT})),
                 "VARCHAR", ["{'a': 1}", "{'a': 1.5, 'b': q}"], id="nested"),
    pytest.param((["a"], pa.dictionary(pa.int8(), TEXT)), (["b"], TEXT), "VARCHAR", ["a", "b"], id="categories"),
]  # fmt: skip


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(("first", "second", "kind", "expected"), CASES)
def test_the_type_that_holds_all_values_in_either_order(tmp_path, first, second, kind, expected, turned):
    written(tmp_path, *((second, first) if turned else (first, second)))
    found, held, remarks = values(tmp_path, "*.parquet")
    held = Counter({"nan" if str(value) == "nan" else value: times for value, times in held.items()})
    assert found == kind
    assert expected is None or held == Counter(expected)
    assert any("column 'x' is read as text" in remark for remark in remarks) == (
        kind == "VARCHAR" and first[0] not in ([None], ["a"])
    )


RELEASED = [
    (([1500, 1800], WHOLE), ([1500.99, None], REAL), {"1500.0", "1800.0", "1500.99", ""}),
    (([1069], WHOLE), (["01069"], TEXT), {"1069", "01069"}),
    (([True], pa.bool_()), ([2], WHOLE), {"true", "2"}),
    (([Decimal("1.49")], pa.decimal128(9, 2)), ([3], WHOLE), {"1.49", "3.00"}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("first", "second", "texts"), RELEASED)
def test_each_way_to_a_release_shows_the_values_of_the_files(capsys, tmp_path, first, second, texts):
    written(tmp_path, first, second)
    assert set(released(capsys, tmp_path, "*.parquet")) == texts


@pytest.mark.slow
def test_a_locked_run_shows_the_values_of_the_files(capsys, tmp_path):
    rows = 60
    written(tmp_path, (list(range(rows)), WHOLE))
    (tmp_path / "anonduck.yml").write_text(
        "source: '*.parquet'\nclass: c\nquasi_identifiers: [y]\nsensitive: [x]\nrequirement: {k: 2}\n"
    )
    assert told(capsys, tmp_path, "lock", "y=0")[0] == 0
    written(tmp_path, ([1500.99] * rows, REAL), names=["feb"])
    code, text = told(capsys, tmp_path, "run", "--locked", "-o", "o.csv", "--no-report")
    assert code == 0, text
    shown = (tmp_path / "o.csv").read_text()
    assert shown.count("1500.99") == rows
    assert "1501" not in shown


def test_a_text_that_is_asked_for_is_that_of_each_file(tmp_path):
    written(tmp_path, ([1, 2], WHOLE), ([1.4, 2.0], REAL), (["01069"], TEXT))
    kind, held, remarks = values(tmp_path, "*.parquet", types={"x": "text"})
    assert (kind, held, remarks) == ("VARCHAR", Counter({"1": 1, "2": 2, "1.4": 1, "01069": 1}), ())
    written(tmp_path, (DAYS, pa.date32()), ([NOON], pa.timestamp("us")), ([None], pa.null()))
    _, held, _ = values(tmp_path, "*.parquet", types={"x": "VARCHAR"})
    assert held == Counter(["2024-01-05", "2024-02-06", "2024-01-05 12:00:00", None])


def test_where_and_types_see_the_values_of_all_files(tmp_path):
    written(tmp_path, ([1, 2], WHOLE), ([1.4, 2.5], REAL))
    assert values(tmp_path, "*.parquet", where="x > 1.2")[1] == Counter([2.0, 1.4, 2.5])
    asked = values(tmp_path, "*.parquet", types={"x": "DECIMAL(9,2)"}, where="x > 1.2")
    assert asked[:2] == ("DECIMAL(9,2)", Counter(map(Decimal, ["2", "1.4", "2.5"])))


def test_a_notice_names_column_files_and_types(tmp_path):
    written(tmp_path, ([1], WHOLE), (["a"], TEXT), (["b"], TEXT))
    pq.write_table(pa.table({"x": ["d"], "y": [1], "c": ["a"]}), tmp_path / "apr.parquet")
    (remark,) = values(tmp_path, "*.parquet")[2]
    assert remark == (
        "column 'x' is read as text, as no other type holds the values of all files: VARCHAR in apr.parquet, "
        "feb.parquet and 1 more; BIGINT in jan.parquet"
    )
    written(tmp_path / "days", ([NOON], pa.timestamp("us")), (DAYS, pa.date32()))
    (remark,) = values(tmp_path / "days", "*.parquet")[2]
    assert "read as TIMESTAMP, so that a date shows midnight: DATE in feb.parquet; TIMESTAMP in jan.parquet" in remark


def test_columns_are_read_by_name_whatever_their_order_and_case(tmp_path):
    pq.write_table(pa.table({"x": [1], "y": [2], "c": ["a"]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"C": ["b"], "Y": [4.5], "X": [3]}), tmp_path / "2.parquet")
    types, rows, _ = opened(tmp_path, "*.parquet")
    assert types == {"x": "BIGINT", "y": "DOUBLE", "c": "VARCHAR"}
    assert sorted(tuple(row.values()) for row in rows) == [(1, 2.0, "a"), (3, 4.5, "b")]


def test_names_of_folders_stay_columns_beside_files_of_other_types(tmp_path):
    for part, kind in (("year=2023", WHOLE), ("year=2024", REAL)):
        (tmp_path / part).mkdir()
        pq.write_table(pa.table({"x": pa.array([1], kind), "c": ["a"]}), tmp_path / part / "p.parquet")
    types, rows, _ = opened(tmp_path, "*/*.parquet")
    assert types["year"] == "BIGINT"
    assert Counter(row["year"] for row in rows) == Counter([2023, 2024])


def test_bytes_beside_texts_stop_the_run(tmp_path):
    written(tmp_path, ([b"\xff"], pa.binary()), (["a"], TEXT))
    with pytest.raises(SourceError, match=r"column 'x' holds bytes .*VARCHAR in feb.parquet; BLOB in jan.parquet"):
        opened(tmp_path, "*.parquet")


def lacking(folder):
    """Two files, of which only the later one has the column ``more``."""
    pq.write_table(pa.table({"x": [1], "y": [1], "c": ["a"]}), folder / "a.parquet")
    pq.write_table(pa.table({"x": [2], "y": [1], "c": ["b"], "more": [7]}), folder / "b.parquet")


def test_a_column_that_a_file_lacks_stops_the_run_or_is_null(tmp_path):
    lacking(tmp_path)
    with pytest.raises(SourceError, match=r"'more' is not in a.parquet.*`missing_columns: null`"):
        opened(tmp_path, "*.parquet")
    for key in (None, "null"):
        _, rows, remarks = opened(tmp_path, "*.parquet", missing_columns=key)
        assert {row["x"]: row["more"] for row in rows} == {1: None, 2: 7}
        assert remarks == ("column 'more' is NULL in the records of a.parquet, which lacks it",)


@pytest.mark.slow
@pytest.mark.parametrize("key", ["null", "'null'", "", "~"])
def test_a_written_config_lets_a_column_be_missing(capsys, tmp_path, key):
    lacking(tmp_path)
    text = f"source: '*.parquet'\nclass: c\nquasi_identifiers: [y]\nsensitive: [more]\nmissing_columns: {key}\n"
    (tmp_path / "anonduck.yml").write_text(text)
    code, text = told(capsys, tmp_path, "release", "y=0", "--require", "k=1", "-o", "o.csv")
    assert code == 0, text
    assert sorted((tmp_path / "o.csv").read_text().split()) == ["1,a,", "1,b,7", "y,c,more"]


@pytest.mark.slow
def test_init_stops_at_a_missing_column_or_writes_the_key(capsys, tmp_path):
    lacking(tmp_path)
    code, text = told(capsys, tmp_path, "init", "*.parquet", "--class", "c")
    assert code == 2
    assert "`--missing-columns null` at init" in text
    assert not (tmp_path / "anonduck.yml").exists()
    assert told(capsys, tmp_path, "init", "*.parquet", "--class", "c", "-q", "y", "--missing-columns", "null")[0] == 0
    assert "\nmissing_columns: null\n" in (tmp_path / "anonduck.yml").read_text()
    assert told(capsys, tmp_path, "release", "y=0", "--require", "k=1", "-o", "o.csv")[0] == 0


def test_an_audited_folder_is_read_by_the_same_types(tmp_path):
    written(tmp_path, ([1, 1], WHOLE), ([1.4, 2.5], REAL))
    assert audit(tmp_path, ["x"]).classes == 3
    written(tmp_path, ([1069, 1069], WHOLE), (["01069", "1069"], TEXT))
    found = audit(tmp_path, ["x"])
    assert (found.k, found.classes) == (1, 2)
    pq.write_table(pa.table({"x": [1], "y": [1], "c": ["a"], "more": [7]}), tmp_path / "z.parquet")
    with pytest.raises(AuditError, match=r"'more' is not in feb.parquet, jan.parquet"):
        audit(tmp_path, ["x"])


KINDS = {
    pa.int8(): st.integers(-128, 127),
    pa.int64(): st.integers(-(2**63), 2**63 - 1),
    pa.uint64(): st.integers(0, 2**64 - 1),
    pa.float32(): st.floats(width=32, allow_nan=False),
    pa.float64(): st.floats(allow_nan=False) | st.integers(-5, 5).map(float),
    pa.bool_(): st.booleans(),
    pa.string(): st.sampled_from(["", "01", "1", "true", "1.5", "2024-01-05", "x"]),
    pa.date32(): st.dates(),
    pa.timestamp("us"): st.datetimes() | st.dates().map(lambda day: datetime(day.year, day.month, day.day)),
    pa.decimal128(9, 2): st.decimals(-1_000_000, 1_000_000, places=2),
    pa.decimal128(38, 20): st.decimals(-1_000_000, 1_000_000, places=20),
}
A_FILE = st.sampled_from(list(KINDS)).flatmap(
    lambda kind: st.tuples(st.lists(st.none() | KINDS[kind], min_size=1, max_size=4), st.just(kind))
)


def as_number_or_day(value):
    """A value as what it is exactly, so that it equals the same one of another type."""
    if isinstance(value, float):
        return Decimal(value)
    return datetime(value.year, value.month, value.day) if type(value) is date else value


def same(value, shown):
    """Whether a value of a file is shown: as itself, or as its text."""
    if value is None or shown is None:
        return value is shown
    if isinstance(shown, str):
        short = isinstance(value, float) and (float(shown) == value or np.float32(shown) == value)
        return short or text_of(value) == shown
    if isinstance(value, bool) or isinstance(shown, bool):
        return value is shown
    if isinstance(value, Decimal) and isinstance(shown, float):
        return float(value) == shown and Decimal(repr(shown)) == value
    return as_number_or_day(value) == as_number_or_day(shown)


def text_of(value):
    """A value as text."""
    return str(value).lower() if isinstance(value, bool) else f"{value:f}" if isinstance(value, Decimal) else str(value)


@examples(200, deadline=None)
@given(st.lists(A_FILE, min_size=2, max_size=4))
def test_any_files_are_read_with_their_values(tmp_path_factory, files):
    folder = tmp_path_factory.mktemp("files")
    for number, (held, kind) in enumerate(files):
        table = {"x": pa.array(held, kind), "at": [number * 10 + place for place in range(len(held))]}
        pq.write_table(pa.table(table), folder / f"{number}.parquet")
    _, rows, _ = opened(folder, "*.parquet")
    shown = {row["at"]: row["x"] for row in rows}
    there = {
        number * 10 + place: value
        for number in range(len(files))
        for place, value in enumerate(pq.read_table(folder / f"{number}.parquet").column("x").to_pylist())
    }
    assert shown.keys() == there.keys()
    assert not [(there[at], shown[at]) for at in there if not same(there[at], shown[at])]


def test_files_of_any_format_are_held_against_each_other_by_their_columns():
    files = {"a.csv": ["x", "y"], "b.csv": ["Y", "X", "z"], "c.csv": ["x", "y"], "d.csv": ["x"]}
    with pytest.raises(SourceError, match=r"'z' is not in a.csv, c.csv and 1 more") as error:
        check_columns(files, make_config({"source": "*.csv", "class": "c"}))
    assert "'Y' is not in d.csv" in str(error.value) or "'y' is not in d.csv" in str(error.value)
    check_columns(files, make_config({"source": "*.csv", "class": "c", "missing_columns": None}))
    check_columns({"a.csv": ["x"], "b.csv": ["X"]}, make_config({"source": "*.csv"}))


def test_the_key_outlives_each_way_that_a_config_goes():
    given = make_config({"source": "*.parquet", "missing_columns": None})
    assert given.missing_columns == "null"
    assert replaced(given, {"seed": 1}, whose="a test").missing_columns == "null"
    with pytest.raises(ConfigError, match="missing_columns"):
        make_config({"missing_columns": "NULL"})


@pytest.mark.slow
def test_python_takes_the_key_as_none(tmp_path):
    lacking(tmp_path)
    settings = {"source": f"{tmp_path}/*.parquet", "class_": "c", "quasi_identifiers": ["y"], "missing_columns": None}
    with Project(**settings, sensitive=["more"]) as project:
        project.release("y=0", tmp_path / "o.csv", requirement={"k": 1})
    assert "1,b,7" in (tmp_path / "o.csv").read_text()
    written(tmp_path / "many", ([1, 2] * 30, WHOLE))
    pq.write_table(
        pa.table({"x": [3] * 60, "y": [1] * 60, "c": ["a", "b"] * 30, "w": [7] * 60}), tmp_path / "many/f.parquet"
    )
    done = anonymize(tmp_path / "many" / "*.parquet", "c", k=2, missing_columns=None)
    assert len(done.frame) == 120
