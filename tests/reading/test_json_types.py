"""JSON files: all files and all rows decide the types, and what a release shows is what the files write."""

import json
from collections import Counter
from datetime import date, datetime
from decimal import Decimal

import duckdb
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from read_sources import opened, released, values

from anonduck.errors import SourceError


def written(folder, *files, ending="jsonl"):
    """Files of lines, each with a value of ``x``, given as Python has it."""
    for number, held in enumerate(files):
        lines = [json.dumps({"x": value, "y": 1, "c": "ab"[at % 2]}) for at, value in enumerate(held)]
        (folder / f"p{number:02}.{ending}").write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize(
    ("first", "last", "kind", "expected"),
    [
        (1, 2.5, "DOUBLE", {1.0: 40, 2.5: 1}),
        (1, 2, "BIGINT", {1: 40, 2: 1}),
        (True, 2, "VARCHAR", {"true": 40, "2": 1}),
        ("10115", 10115, "VARCHAR", {"10115": 41}),
        (1, "01069", "VARCHAR", {"1": 40, "01069": 1}),
        (date(2024, 1, 5).isoformat(), "none", "VARCHAR", {"2024-01-05": 40, "none": 1}),
        (1, None, "BIGINT", {1: 40, None: 1}),
    ],
)
def test_the_forty_first_file_has_its_say(tmp_path, first, last, kind, expected):
    written(tmp_path, *[[first]] * 40, [last])
    assert values(tmp_path, "*.jsonl")[:2] == (kind, Counter(expected))


KEPT = [
    "2024-01", "2024-1-5", "24-01-05", "05.01.2024", "12:00", "epoch", " 2024-01-05 ", "01069", "1e5", "", "null",
    "true", "NaN", "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", "2024-02-30", "2024-01-05T10:00:00.123456789", 'a"b\n\u00e9',
]  # fmt: skip


@pytest.mark.parametrize("text", KEPT)
def test_texts_stay_as_they_are_written(tmp_path, text):
    written(tmp_path, [text, text], [text])
    assert values(tmp_path, "*.jsonl")[:2] == ("VARCHAR", Counter({text: 3}))


@pytest.mark.parametrize(
    ("held", "kind", "expected"),
    [
        (["2024-01-05", "2024-02-06", None], "DATE", [date(2024, 1, 5), date(2024, 2, 6), None]),
        (["2024-01-05", "2024-01-05 10:00:00"], "VARCHAR", ["2024-01-05", "2024-01-05 10:00:00"]),
        (["2024-01-05 10:00:00"], "TIMESTAMP", [datetime(2024, 1, 5, 10)]),
        pytest.param(
            ["2024-01-05T10:00:00", "2024-01-05T10:00:01"],
            "TIMESTAMP",
            [datetime(2024, 1, 5, 10, 0, s) for s in (0, 1)],
            marks=pytest.mark.newest,  # DuckDB 1 takes them as texts
        ),
        ([2**64 - 1, -1], "HUGEINT", [2**64 - 1, -1]),
        ([10**29 + 1, 3], "HUGEINT", [10**29 + 1, 3]),
        ([2**53 + 1, 0.5], "VARCHAR", [str(2**53 + 1), "0.5"]),
        ([2**53, 0.5], "DOUBLE", [2.0**53, 0.5]),
        ([10**40], "VARCHAR", [str(10**40)]),
        ([None, None], "VARCHAR", [None, None]),
        ([{"a": "2024-1-5"}], "STRUCT(a VARCHAR)", None),
        ([{"a": 1}, {"a": "q"}], "STRUCT(a VARCHAR)", None),
        ([1, [1], {"q": "z"}], "VARCHAR", ["1", "[1]", '{"q":"z"}']),
    ],
)
def test_the_type_that_all_rows_are_written_as(tmp_path, held, kind, expected):
    written(tmp_path, held)
    rows = [row["x"] for row in opened(tmp_path, "*.jsonl")[1]]
    assert opened(tmp_path, "*.jsonl")[0]["x"] == kind
    assert expected is None or Counter(rows) == Counter(expected)
    if kind == "STRUCT(a VARCHAR)":
        assert [row["a"] for row in rows] == [str(one["a"]) for one in held]


def test_a_notice_says_that_values_of_several_kinds_are_text(tmp_path):
    written(tmp_path, ["10115", 10115])
    (remark,) = values(tmp_path, "*.jsonl")[2]
    assert remark == "column 'x' holds values of several kinds, such as numbers and texts, and is read as text"
    assert values(tmp_path, "*.jsonl", types={"x": "VARCHAR"})[2] == ()
    written(tmp_path, [2**53 + 1, 0.5])
    assert "more digits than a number of DuckDB keeps" in values(tmp_path, "*.jsonl")[2][0]


def test_a_text_that_is_asked_for_is_that_of_the_file(tmp_path):
    written(tmp_path, [1, 2.5], [3])
    assert values(tmp_path, "*.jsonl", types={"x": "text"})[:2] == ("VARCHAR", Counter(["1", "2.5", "3"]))
    written(tmp_path, ["2024-01-05"], ["2024-01-06"])
    assert values(tmp_path, "*.jsonl", types={"x": "text"})[1] == Counter(["2024-01-05", "2024-01-06"])


def test_where_and_types_see_the_values_of_all_files(tmp_path):
    written(tmp_path, *[[1]] * 40, [2.5])
    assert values(tmp_path, "*.jsonl", where="x > 1.2")[1] == Counter([2.5])
    assert values(tmp_path, "*.jsonl", types={"x": "DECIMAL(4,1)"})[0] == "DECIMAL(4,1)"


@pytest.mark.parametrize("indent", [None, 2])
def test_a_file_of_one_array_beside_lines(tmp_path, indent):
    (tmp_path / "a.json").write_text(json.dumps([{"x": 1, "y": "a"}, {"y": "b", "x": "01"}], indent=indent))
    (tmp_path / "b.json").write_text('{"x": 2, "y": "c"}\n{"y": "d"}\n')
    assert values(tmp_path, "*.json")[:2] == ("VARCHAR", Counter(["1", "01", "2", None]))


def test_a_key_that_a_line_or_a_file_lacks_is_null(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"x": 1, "y": 1}\n{"y": 2}\n')
    (tmp_path / "b.jsonl").write_text('{"y": 3}\n{"y": 4, "z": "q"}\n')
    _, rows, remarks = opened(tmp_path, "*.jsonl")
    assert {row["y"]: (row["x"], row["z"]) for row in rows} == {
        1: (1, None),
        2: (None,) * 2,
        3: (None,) * 2,
        4: (None, "q"),
    }
    assert remarks == ()


def test_rows_of_many_keys_have_a_column_each(tmp_path):
    (tmp_path / "a.jsonl").write_text("".join(json.dumps({"x": 1, f"k{at}": at}) + "\n" for at in range(300)))
    types, rows, _ = opened(tmp_path, "a.jsonl")
    assert len(types) == 301
    assert sum(value is not None for row in rows for value in row.values()) == 600


@pytest.mark.parametrize(
    "lines", [['{"x": 1, "X": 2, "y": 1}'], ['{"x": 1, "y": 1}', '{"X": 2, "y": 1}']], ids=["line", "lines"]
)
def test_keys_that_differ_in_case_alone_stop_the_run(tmp_path, lines):
    (tmp_path / "a.jsonl").write_text("\n".join(lines) + "\n")
    with pytest.raises(SourceError, match=r"source a\.jsonl has two columns named 'x'"):
        opened(tmp_path, "a.jsonl")
    (tmp_path / "a.jsonl").write_text('{"x": 1, "x_1": 2}\n')
    assert opened(tmp_path, "a.jsonl")[0] == {"x": "BIGINT", "x_1": "BIGINT"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("held", "texts"),
    [
        (["10115", 10115], {"10115"}),
        ([1, 2.5], {"1.0", "2.5"}),
        (["2024-01", "2024-02"], {"2024-01", "2024-02"}),
        (["01069", 1069], {"01069", "1069"}),
    ],
)
def test_each_way_to_a_release_shows_the_values_of_the_files(capsys, tmp_path, held, texts):
    written(tmp_path, *[held[:1]] * 34, held[1:])
    assert set(released(capsys, tmp_path, "*.jsonl")) == texts
    assert set(released(capsys, tmp_path, "*.jsonl", types={"x": "VARCHAR"})) == {
        one.removesuffix(".0") for one in texts
    }


VALUES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([*KEPT, "2024-01-05", "2024-01-05 10:00:00", "12:30:00"])
)


def same(value, shown):
    """Whether a value of a file is shown: as itself, or as the text that JSON or Python writes of it."""
    if isinstance(value, float) and isinstance(shown, str):
        return float(shown) == value
    if isinstance(shown, (str, bool)) or value is None or isinstance(value, bool):
        return (value if value is None or type(value) is type(shown) else str(json.dumps(value))) == shown
    return str(shown) == value if isinstance(value, str) else value == shown


@examples(200, deadline=None)
@given(st.lists(st.lists(VALUES, min_size=1, max_size=4), min_size=1, max_size=3))
def test_any_files_are_read_with_their_values(tmp_path_factory, files):
    folder, there = tmp_path_factory.mktemp("files"), {}
    for number, held in enumerate(files):
        rows = [{"at": number * 10 + place, "x": value} for place, value in enumerate(held)]
        (folder / f"{number}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        there |= {row["at"]: row["x"] for row in rows}
    shown = {row["at"]: row["x"] for row in opened(folder, "*.jsonl")[1]}
    assert shown.keys() == there.keys()
    assert not [(there[at], shown[at]) for at in there if not same(there[at], shown[at])]


# -- more digits than a double keeps -----------------------------------------------------------------------------------

LONG = "2.987843797150744974"


def lines(folder, *numbers):
    """A file of numbers as they are written."""
    (folder / "a.jsonl").write_text("".join(f'{{"x": {one}, "y": 1, "c": "a"}}\n' for one in numbers))


@pytest.mark.parametrize("numbers", [(LONG, "1.5"), (LONG, '"q"'), ("1.5", "1e400"), ("1.5", "1e-400"), ("1", LONG)])
@pytest.mark.parametrize("types", [{}, {"x": "VARCHAR"}])
def test_numbers_that_would_be_rounded_stop_the_run(tmp_path, numbers, types):
    lines(tmp_path, *numbers)
    with pytest.raises(
        SourceError, match=r"numbers of 'x' have more digits .*`types: \{x: DECIMAL\(38,18\)\}`"
    ) as error:
        opened(tmp_path, "a.jsonl", types=types)
    assert LONG not in str(error.value)


def test_a_stated_type_says_what_becomes_of_them(tmp_path):
    lines(tmp_path, LONG, "1.5", "1e2")
    assert values(tmp_path, "a.jsonl", types={"x": "DOUBLE"})[1] == Counter([float(LONG), 1.5, 100.0])


def test_a_stated_decimal_keeps_all_digits_or_is_refused(tmp_path):
    lines(tmp_path, LONG, "1.5", "1e2")
    if duckdb.__version__.startswith("1."):
        with pytest.raises(SourceError, match=r"'x' have more digits.*which this DuckDB makes of them first"):
            values(tmp_path, "a.jsonl", types={"x": "DECIMAL(38,18)"})
        return
    exact = Counter(map(Decimal, [LONG, "1.5", "100"]))
    assert values(tmp_path, "a.jsonl", types={"x": "DECIMAL(38,18)"})[:2] == ("DECIMAL(38,18)", exact)


def test_what_a_double_keeps_or_a_text_holds_is_read(tmp_path):
    kept = ["0.30000000000000004", "1E-5", "2.5000000000000000000000", "1e300", "0.10000000000000001", "-0.0"]
    lines(tmp_path, *kept)
    assert values(tmp_path, "a.jsonl")[:2] == ("DOUBLE", Counter(map(float, kept)))
    lines(tmp_path, f'"{LONG}"', '"\\"x\\": 1.2345678901234567891"', "1.5")
    assert values(tmp_path, "a.jsonl")[1] == Counter([LONG, '"x": 1.2345678901234567891', "1.5"])
