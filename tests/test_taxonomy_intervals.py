"""Interval taxonomies: groups of neighbouring leaves, pairs above, and round bounds that tell no rare value."""

import datetime as dt
import math
from bisect import bisect_left, bisect_right
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonduck.database import Database
from anonduck.errors import TaxonomyError
from anonduck.statements import Statement
from anonduck.statements.builder_taxonomy import built_taxonomy, renumbered_taxonomy
from anonduck.taxonomy.catalog import prepare
from anonduck.taxonomy.intervals import build_intervals

GOLDEN = Path(__file__).parent / "golden"
DATABASE = Database()
LABEL_K = 3


def ask(sql, parameters=None):
    return DATABASE.rows(Statement("test", sql, frozenset(parameters or {})), parameters)


def build(kind, held, *, column="x", size=5, label_k=LABEL_K):
    """Build the intervals of values with their records; the rows of the taxonomy, and its bounds, values as text."""
    prepare(DATABASE)
    quoted = column.replace('"', '""')
    ask(
        f"""CREATE OR REPLACE TEMP TABLE frequency_set AS
        SELECT unnest($texts::VARCHAR[])::{kind} AS "{quoted}@value", unnest($records::BIGINT[]) AS "#records" """,
        {"texts": [text for text, _ in held], "records": [records for _, records in held]},
    )
    build_intervals(DATABASE, column, kind, frequency="frequency_set", size=size, label_k=label_k)
    rows = ask(f'SELECT * REPLACE (value::VARCHAR AS value) FROM taxonomy."{quoted}" ORDER BY code_0')
    return rows, ask(f'SELECT code_1, lower::VARCHAR FROM bounds."{quoted}" ORDER BY code_1')


def labels(rows):
    root = (len(rows[0]) - 2) // 2
    return [row[1 : root + 1] for row in rows], [row[root + 1 :] for row in rows]


def cuts(rows):
    """The bounds between the level-1 intervals, as they are written."""
    written = list(dict.fromkeys(row[1] for row in rows))
    assert written[0].startswith("(-inf, ")
    assert written[-1].endswith(", inf)")
    uppers = [label.removesuffix(")").split(", ")[1] for label in written[:-1]]
    assert uppers == [label.removeprefix("[").split(", ")[0] for label in written[1:]]
    return uppers


def roundest(below, above, touches):
    """Oracle: the roundest number x with below < x < above, or x = above where that may be told."""
    if below < 0 < above or (above == 0 and touches):
        return Fraction(0)
    largest = Decimal(max(abs(below), abs(above)).numerator) / Decimal(max(abs(below), abs(above)).denominator)
    for power in range(largest.adjusted() + 1, -350, -1):
        for step in (5 * Fraction(10) ** power, 2 * Fraction(10) ** power, Fraction(10) ** power):
            times = math.floor(above / step)
            times -= times * step == above and not touches
            if times * step > below:
                return times * step
    raise AssertionError((below, above))


def gaps(held, size):
    return [(held[at - 1], held[at]) for at in range(size, len(held), size)]


def check_tree(rows, count, size):
    texts, codes = labels(rows)
    root = len(texts[0])
    assert len(rows) == count
    assert all(row[-1] == "*" for row in texts)
    assert {row[-1] for row in codes} == {1}
    assert root == 1 or len({row[-2] for row in codes}) == 2
    for at, path in enumerate(codes):
        assert path[0] == at + 1
        if root > 1:
            assert path[1] == at // size + 1
        assert all(path[level] == (path[level - 1] + 1) // 2 for level in range(2, root + 1))
    for level in range(root):
        assert len({(row[level], path[level + 1]) for row, path in zip(texts, codes, strict=True)}) == len(
            {path[level + 1] for path in codes}
        )


def test_ages_by_hand():
    held = [(age, 5) for age in ("17", "18", "19", "20", "21", "34", "35", "36", "40", "41", "90", None)]
    rows, bounds = build("INTEGER", held, label_k=5)
    young, middle, old = ("(-inf, 30)", "(-inf, 50)"), ("[30, 50)", "(-inf, 50)"), ("[50, inf)", "[50, inf)")
    assert rows == [
        ("17", *young, "*", 1, 1, 1, 1),
        ("18", *young, "*", 2, 1, 1, 1),
        ("19", *young, "*", 3, 1, 1, 1),
        ("20", *young, "*", 4, 1, 1, 1),
        ("21", *young, "*", 5, 1, 1, 1),
        ("34", *middle, "*", 6, 2, 1, 1),
        ("35", *middle, "*", 7, 2, 1, 1),
        ("36", *middle, "*", 8, 2, 1, 1),
        ("40", *middle, "*", 9, 2, 1, 1),
        ("41", *middle, "*", 10, 2, 1, 1),
        ("90", *old, "*", 11, 3, 2, 1),
    ]
    assert bounds == [(1, None), (2, "30"), (3, "50")]


@pytest.mark.parametrize(
    ("kind", "below", "above", "rare", "frequent"),
    [
        ("INTEGER", "34", "35", "34.5", "35"),
        ("INTEGER", "-35", "-34", "-34.5", "-34"),
        ("INTEGER", "-1", "0", "-0.5", "0"),
        ("INTEGER", "15", "38", "20", "20"),
        ("INTEGER", "1999", "2001", "2000", "2000"),
        ("UBIGINT", "18446744073709551613", "18446744073709551615", "18446744073709551614", "18446744073709551615"),
        ("BIGINT", "9007199254740992", "9007199254740993", "9007199254740992.5", "9007199254740993"),
        (
            "HUGEINT",
            "170141183460469231731687303715884105726",
            "170141183460469231731687303715884105727",
            "170141183460469231731687303715884105726.5",
            "170141183460469231731687303715884105727",
        ),
        (
            "HUGEINT",
            "-170141183460469231731687303715884105728",
            "-170141183460469231731687303715884105727",
            "-170141183460469231731687303715884105727.5",
            "-170141183460469231731687303715884105727",
        ),
        (
            "DECIMAL(38,10)",
            "1234567890123456789012345678.1234567890",
            "1234567890123456789012345678.1234567891",
            "1234567890123456789012345678.12345678905",
            "1234567890123456789012345678.1234567891",
        ),
        ("DECIMAL(9,6)", "0.000040", "0.000044", "0.000042", "0.000044"),
        ("DOUBLE", "0.00004", "0.000044", "0.000042", "0.000044"),
        ("DOUBLE", "0.1", "0.10000000000000002", "0.10000000000000001", "0.10000000000000002"),
        ("DOUBLE", "1e-300", "1e300", "5e299", "1e300"),
        ("DOUBLE", "-1e-300", "0", "-5e-301", "0"),
        ("DOUBLE", "-inf", "-3", "-20", "-20"),
        ("DOUBLE", "3", "inf", "20", "20"),
        ("DOUBLE", "-inf", "inf", "0", "0"),
        ("DOUBLE", "inf", "nan", ">inf", ">inf"),
        ("DOUBLE", "-3", "nan", "0", "0"),
        ("FLOAT", "0.1", "0.2", "0.15", "0.2"),
        ("DATE", "2019-12-31", "2020-01-01", "2019-12-31 12:00:00", "2020-01-01"),
        ("DATE", "1999-05-05", "2020-05-01", "2000-01-01", "2000-01-01"),
        ("DATE", "2020-01-02", "infinity", "2100-01-01", "2100-01-01"),
        ("DATE", "-infinity", "infinity", "2000-01-01", "2000-01-01"),
        ("TIMESTAMP", "2020-01-01 10:20:00", "2020-01-01 10:40:00", "2020-01-01 10:39:00", "2020-01-01 10:40:00"),
        (
            "TIMESTAMP",
            "2020-01-01 00:00:00.000001",
            "2020-01-01 00:00:00.000002",
            "2020-01-01 00:00:00.0000015",
            "2020-01-01 00:00:00.000002",
        ),
        (
            "TIMESTAMP_NS",
            "2020-01-01 00:00:00.000000001",
            "2020-01-01 00:00:00.000000009",
            "2020-01-01 00:00:00.000000002",
            "2020-01-01 00:00:00.000000009",
        ),
        (
            "TIMESTAMP WITH TIME ZONE",
            "2020-01-01 22:00:00+00",
            "2020-01-02 05:00:00+00",
            "2020-01-02 00:00:00+00",
            "2020-01-02 00:00:00+00",
        ),
        ("TIME", "11:00:00", "12:00:00", "11:59:00", "12:00:00"),
        ("TIME", "23:59:59", "24:00:00", "23:59:59.999", "24:00:00"),
    ],
)
def test_bound_of_a_gap(kind, below, above, rare, frequent):
    for records, expected in ((LABEL_K - 1, rare), (LABEL_K, frequent)):
        rows, bounds = build(kind, [(below, 9), (above, records)], size=1)
        assert cuts(rows) == [expected]
        assert [code for code, _ in bounds] == [1, 2]


def test_fewer_leaves_than_a_group_have_only_the_root():
    for kind, texts in (
        ("BOOLEAN", ["false", "true"]),
        ("INTEGER", ["7"]),
        ("DATE", ["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-04", "2020-01-05"]),
    ):
        rows, bounds = build(kind, [(text, 1) for text in [*texts, None]])
        assert rows == [(text, "*", at, 1) for at, text in enumerate(texts, 1)]
        assert bounds == [(1, None)]


def test_only_null_is_an_empty_taxonomy():
    assert build("DOUBLE", [(None, 9)]) == ([], [(1, None)])
    assert ask("SELECT column_name FROM (DESCRIBE taxonomy.x)") == [("value",), ("level_1",), ("code_0",), ("code_1",)]


def test_text_has_no_intervals():
    with pytest.raises(TaxonomyError, match=r"column x is VARCHAR; intervals need numbers, dates or times"):
        build("VARCHAR", [("a", 1)])


@pytest.mark.parametrize(
    "column", ['a "quoted" one', "with.dots", "select", "größe 年齢", "x" * 200, "value", "code_1"]
)
def test_odd_column_names(column):
    rows, bounds = build("INTEGER", [(str(i), 9) for i in range(6)], column=column)
    assert [row[1] for row in rows] == ["(-inf, 5)"] * 5 + ["[5, inf)"]
    assert bounds == [(1, None), (2, "5")]


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(
        st.one_of(st.integers(-60, 60), st.integers(-(2**127), 2**127 - 1)), st.integers(1, 4), max_size=60
    ),
    st.integers(2, 6),
    st.lists(st.integers(-70, 70), max_size=5),
)
def test_integers_against_the_oracle(records, size, unseen):
    held = sorted(records.items())
    rows, bounds = build("HUGEINT", [(str(value), n) for value, n in held], size=size)
    assert [int(row[0]) for row in rows] == [value for value, _ in held]
    if not rows:
        return
    check_tree(rows, len(held), size)
    if len(held) <= size:
        return
    expected = [roundest(Fraction(a), Fraction(b), n >= LABEL_K) for (a, _), (b, n) in gaps(held, size)]
    assert [Fraction(Decimal(text)) for text in cuts(rows)] == expected
    assert [int(lower) for _, lower in bounds[1:]] == [math.ceil(bound) for bound in expected]
    for value in unseen:
        code = bisect_right([int(lower) for _, lower in bounds[1:]], value) + 1
        assert code == bisect_right(expected, value) + 1
    rare = {str(value) for value, n in held if n < LABEL_K}
    assert not rare & {part for row in labels(rows)[0] for label in row for part in label.strip("[()").split(", ")}


finite = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.decimals(-1000, 1000, places=2).map(float),
    st.floats(0, 1, allow_subnormal=False),
)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(finite, st.integers(1, 4), min_size=6, max_size=40), st.booleans(), st.booleans())
def test_doubles_against_the_oracle(records, neighbours, odd):
    records = {value + 0.0: n for value, n in records.items()}
    if neighbours:
        records |= {math.nextafter(value, math.inf): 1 for value in records if abs(value) < 1e300}
    held = sorted(records.items())
    extra = [("inf", 1), ("nan", 1)] if odd else []
    rows, bounds = build("DOUBLE", [(repr(value), n) for value, n in held] + extra, size=2)
    check_tree(rows, len(held) + len(extra), 2)
    finite_gaps = gaps(held, 2)
    expected = [roundest(exact(a), exact(b), n >= LABEL_K) for (a, _), (b, n) in finite_gaps]
    assert [exact_text(text) for text in cuts(rows)[: len(expected)]] == expected
    for ((below, _), (above, _)), (_, lower), text in zip(finite_gaps, bounds[1:], cuts(rows), strict=False):
        assert below < float(lower) <= above
        assert float(lower) == float(text) or (float(lower) == above and float(text) in (below, above))


def exact(value):
    return Fraction(Decimal(repr(value)))


def exact_text(text):
    return Fraction(Decimal(text))


@settings(max_examples=30, deadline=None)
@given(st.sets(st.floats(width=32).filter(lambda value: not math.isnan(value)), min_size=3, max_size=20), st.booleans())
def test_every_float_finds_its_own_interval(values, with_nan):
    held = sorted({value + 0.0 for value in values}) + [math.nan] * with_nan
    rows, bounds = build("FLOAT", [(repr(value), 1) for value in held], size=2)
    check_tree(rows, len(held), 2)
    found = ask(
        """SELECT code_1 = (
            SELECT bounded.code_1 FROM bounds.x AS bounded WHERE lower IS NULL OR lower <= leaf.value
            ORDER BY lower DESC NULLS LAST LIMIT 1
        ) FROM taxonomy.x AS leaf"""
    )
    assert found == [(True,)] * len(held)
    assert len(bounds) == -(-len(held) // 2)


DAYS = [dt.date(1895, 1, 1) + dt.timedelta(days=at) for at in range(50_000)]
UNITS = [
    [day for day in DAYS if day.day == day.month == 1 and day.year % 100 == 0],
    [day for day in DAYS if day.day == day.month == 1 and day.year % 10 == 0],
    [day for day in DAYS if day.day == day.month == 1],
    [day for day in DAYS if day.day == 1 and day.month in (1, 4, 7, 10)],
    [day for day in DAYS if day.day == 1],
    DAYS,
]


def coarsest(below, above, touches):
    """Oracle: the last start of the coarsest calendar unit between two days."""
    for starts in UNITS:
        end = (bisect_right if touches else bisect_left)(starts, above)
        if end and starts[end - 1] > below:
            return str(starts[end - 1])
    return f"{below} 12:00:00"


@settings(max_examples=40, deadline=None)
@given(
    st.dictionaries(
        st.dates(dt.date(1895, 1, 1), dt.date(2030, 1, 1)), st.integers(1, 4), min_size=6, max_size=60
    ).filter(lambda records: len(records) > 5)
)
def test_dates_against_the_oracle(records):
    held = sorted(records.items())
    rows, bounds = build("DATE", [(str(day), n) for day, n in held])
    check_tree(rows, len(held), 5)
    expected = [coarsest(below, above, n >= LABEL_K) for (below, _), (above, n) in gaps(held, 5)]
    assert cuts(rows) == expected
    lowers = [
        str(above) if "12:00" in text else text for text, (_, (above, _)) in zip(expected, gaps(held, 5), strict=True)
    ]
    assert [lower for _, lower in bounds[1:]] == lowers


def test_the_order_of_the_rows_does_not_matter():
    held = [(str(value), value % 4 + 1) for value in range(0, 300, 7)]
    assert build("INTEGER", held) == build("INTEGER", held[::-1])


@pytest.mark.parametrize(
    ("golden", "built"),
    [
        ("built_taxonomy.sql", built_taxonomy('a "b" c', 3)),
        ("renumbered_taxonomy.sql", renumbered_taxonomy('a "b" c', [2, 5])),
    ],
)
def test_built_sql_is_golden(golden, built):
    assert built.sql + "\n" == (GOLDEN / golden).read_text(encoding="utf-8")
