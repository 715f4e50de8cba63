"""Interval taxonomies: groups of neighbouring leaves, pairs above, and bounds that depend on no rare value."""

import datetime as dt
import math
from bisect import bisect_left, bisect_right
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import pytest
from bounds_oracle import allowed, nearest, roundest, supported
from examples import examples
from hypothesis import example, given
from hypothesis import strategies as st

from anonduck.database.connection import Database
from anonduck.errors import TaxonomyError
from anonduck.statements import Statement
from anonduck.taxonomy.bounds import OpenEnds
from anonduck.taxonomy.builders.grids import build_breaks, build_log, build_width
from anonduck.taxonomy.builders.intervals import build_intervals, build_quantiles
from anonduck.taxonomy.catalog import prepare

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
    if written == ["*"]:
        return []
    assert written[0].startswith("(-inf, ")
    assert written[-1].endswith(", inf)")
    uppers = [label.removesuffix(")").split(", ")[1] for label in written[:-1]]
    assert uppers == [label.removeprefix("[").split(", ")[0] for label in written[1:]]
    return uppers


def check_tree(rows, count):
    """Levels nest, neighbours share nodes, and one label stands for one node of a level."""
    texts, codes = labels(rows)
    assert [path[0] for path in codes] == list(range(1, count + 1))
    codes = [path[1:] for path in codes]
    assert all(row[-1] == "*" for row in texts)
    assert {row[-1] for row in codes} == {1}
    for level in range(len(texts[0])):
        along = [path[level] for path in codes]
        assert along == sorted(along)
        assert set(along) <= set(range(1, max(along) + 1))
        nodes = {(row[level], path[level]) for row, path in zip(texts, codes, strict=True)}
        assert len(nodes) == len(set(along)) == len({label for label, _ in nodes})
        if level:
            assert len({(path[level - 1], path[level]) for path in codes}) == len({path[level - 1] for path in codes})


@pytest.mark.slow
@pytest.mark.some(5)
@pytest.mark.parametrize(
    ("kind", "below", "above", "bound"),
    [
        ("INTEGER", "34", "35", "35"),
        ("INTEGER", "15", "38", "20"),
        ("UBIGINT", "18446744073709551613", "18446744073709551615", "18446744073709551615"),
        ("BIGINT", "9007199254740992", "9007199254740993", "9007199254740993"),
        (
            "HUGEINT",
            "170141183460469231731687303715884105726",
            "170141183460469231731687303715884105727",
            "170141183460469231731687303715884105727",
        ),
        (
            "DECIMAL(38,10)",
            "1234567890123456789012345678.1234567890",
            "1234567890123456789012345678.1234567891",
            "1234567890123456789012345678.1234567891",
        ),
        ("DECIMAL(9,6)", "0.000040", "0.000044", "0.000044"),
        ("DOUBLE", "0.00004", "0.000044", "0.000044"),
        ("DOUBLE", "0.1", "0.10000000000000002", "0.10000000000000002"),
        ("DOUBLE", "1e-300", "1e300", "1e300"),
        ("DOUBLE", "-1e-300", "0", "0"),
        ("FLOAT", "0.1", "0.2", "0.2"),
        ("DATE", "2019-12-31", "2020-01-01", "2020-01-01"),
        ("DATE", "1999-05-05", "2020-05-01", "2000-01-01"),
        ("DATE", "2020-01-02", "infinity", "2100-01-01"),
        ("DATE", "-infinity", "infinity", "2000-01-01"),
        ("TIMESTAMP", "2020-01-01 10:20:00", "2020-01-01 10:40:00", "2020-01-01 10:40:00"),
        ("TIMESTAMP", "2020-01-01 00:00:00.000001", "2020-01-01 00:00:00.000002", "2020-01-01 00:00:00.000002"),
        (
            "TIMESTAMP_NS",
            "2020-01-01 00:00:00.000000001",
            "2020-01-01 00:00:00.000000009",
            "2020-01-01 00:00:00.000000009",
        ),
        ("TIMESTAMP WITH TIME ZONE", "2020-01-01 22:00:00+00", "2020-01-02 05:00:00+00", "2020-01-02 00:00:00+00"),
        ("TIME", "11:00:00", "12:00:00", "12:00:00"),
        ("TIME", "23:59:59", "24:00:00", "24:00:00"),
    ],
)
def test_bound_of_a_gap(kind, below, above, bound):
    rows, bounds = build(kind, [(below, 9), (above, LABEL_K)], size=1)
    assert cuts(rows) == [bound]
    assert [code for code, _ in bounds] == [1, 2]
    rows, bounds = build(kind, [(below, 9), (above, LABEL_K - 1)], size=1)
    assert [row[1:-2] for row in rows] == [("*",), ("*",)]
    assert [code for code, _ in bounds] == [1]


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


@pytest.mark.parametrize("number", [2**127, 2**128 - 1])
def test_integers_that_no_bounds_are_counted_with_are_refused(number):
    held = [(str(number), 9), ("7", 9)]
    with pytest.raises(TaxonomyError, match=r"x is UHUGEINT and holds values over 2\^127 - 1; intervals .*`x: \{width"):
        build("UHUGEINT", held)
    with pytest.raises(TaxonomyError, match=r"2\^127 - 1; quantiles take"):
        build_quantiles(DATABASE, "x", "UHUGEINT", [2], frequency="frequency_set", label_k=LABEL_K)


def test_the_largest_integers_that_bounds_are_counted_with_are_parted():
    rows, _ = build("UHUGEINT", [("7", 9), (str(2**127 - 1), 9)], size=1)
    assert [row[1] for row in rows] == [f"(-inf, 1{'0' * 38})", f"[1{'0' * 38}, inf)"]
    assert build("UHUGEINT", [(None, 1)])[0] == []


def test_text_has_no_intervals():
    with pytest.raises(TaxonomyError, match=r"column x is VARCHAR; intervals need numbers, dates or times"):
        build("VARCHAR", [("a", 1)])


@pytest.mark.slow
@examples(40)
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
    check_tree(rows, len(held))
    exactly = [(Fraction(value), n) for value, n in held]
    expected = nearest(*allowed(exactly, LABEL_K, roundest, lambda rare: supported(rare, 0, LABEL_K)), size)
    assert [Fraction(Decimal(text)) for text in cuts(rows)] == expected
    assert [int(lower) for _, lower in bounds[1:]] == expected
    for value in unseen:
        code = bisect_right([int(lower) for _, lower in bounds[1:]], value) + 1
        assert code == bisect_right(expected, value) + 1


finite = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.decimals(-1000, 1000, places=2).map(float),
    st.floats(0, 1, allow_subnormal=False),
)


@pytest.mark.slow
@examples(24)
@given(st.dictionaries(finite, st.integers(1, 4), min_size=6, max_size=40), st.booleans())
@example({0.0: 1, 1.0: 1, 2.0: 1, 1.1505048865148169e-110: 3, -1.0: 2, -2.0: 2}, True)  # far finer than -1
def test_doubles_against_the_oracle(records, neighbours):
    records = {value + 0.0: n for value, n in records.items()}
    if neighbours:
        records |= {math.nextafter(value, math.inf): 1 for value in records if abs(value) < 1e300}
    held = sorted(records.items())
    rows, bounds = build("DOUBLE", [(repr(value), n) for value, n in held], size=2)
    check_tree(rows, len(held))
    exactly = [(exact(value), n) for value, n in held]
    expected = nearest(*allowed(exactly, LABEL_K, roundest, lambda rare: supported(rare, -345, LABEL_K)), 2)
    assert [exact_text(text) for text in cuts(rows)] == expected
    values = [value for value, _ in held]
    for (_, lower), text, bound in zip(bounds[1:], cuts(rows), expected, strict=True):
        above = values[bisect_left([value for value, _ in exactly], bound)]
        assert float(lower) == float(text) or (float(lower) == above and float(text) < above)


def exact(value):
    return Fraction(Decimal(repr(value)))


def exact_text(text):
    return Fraction(Decimal(text))


@pytest.mark.slow
@examples(30)
@given(st.sets(st.floats(width=32).filter(lambda value: not math.isnan(value)), min_size=3, max_size=20), st.booleans())
def test_every_float_finds_its_own_interval(values, with_nan):
    held = sorted({value + 0.0 for value in values}) + [math.nan] * with_nan
    rows, bounds = build("FLOAT", [(repr(value), 1 + at % LABEL_K) for at, value in enumerate(held)], size=2)
    found = ask(
        """SELECT code_1 = (
            SELECT bounded.code_1 FROM bounds.x AS bounded WHERE lower IS NULL OR lower <= leaf.value
            ORDER BY lower DESC NULLS LAST LIMIT 1
        ) FROM taxonomy.x AS leaf"""
    )
    assert found == [(True,)] * len(held)
    assert {row[1] for row in rows} <= {label for _, _, label in ask("SELECT code_1, lower, level_1 FROM bounds.x")}
    assert all(lower is not None for _, lower in bounds[1:])


APART = ["-inf", "inf", "nan"]


@pytest.mark.slow
@examples(20)
@given(
    st.dictionaries(st.integers(-40, 40).map(float), st.integers(1, 4), min_size=4, max_size=20),
    st.sets(st.sampled_from(APART), min_size=1),
    st.sampled_from(["FLOAT", "DOUBLE"]),
)
def test_infinities_and_nan_have_nodes_of_their_own(records, others, kind):
    """At every level under the root, called as they are; all other labels are those of a column without them."""
    numbers = [(repr(value), n) for value, n in sorted(records.items())]
    alone, _ = build(kind, numbers, size=2)
    rows, bounds = build(kind, [*numbers, *((text, 1) for text in others)], size=2)
    root = len(labels(rows)[0][0])
    found = {row[0]: path for row, path in zip(rows, labels(rows)[0], strict=True)}
    for text in others:
        assert found.pop(text) == (*[text] * (root - 1), "*")
    assert found == {row[0]: path for row, path in zip(alone, labels(alone)[0], strict=True)}
    for level in range(root):
        nodes = {(path[level], codes[level + 1]) for path, codes in zip(*labels(rows), strict=True)}
        assert len(nodes) == len({label for label, _ in nodes}) == len({code for _, code in nodes})
    if root > 1:
        assert [lower for _, lower in bounds if lower in APART] == ["inf", "nan"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("builder", "given_as", "levels"),
    [
        (build_quantiles, [3, 2], (["under 3", "[3, 10)", "10 and over"], ["under 3", "3 and over"])),
        (build_width, [10, 40], (["[0, 10)", "[10, 20)", "[30, 40)"], ["[0, 40)"])),
        (build_log, 10, (["[1, 10)", "[10, 100)"],)),
        (build_breaks, [[5, 20], [20]], (["under 5", "[5, 20)", "20 and over"], ["under 20", "20 and over"])),
    ],
)
def test_every_builder_of_intervals_sets_infinities_and_nan_apart(builder, given_as, levels):
    held = [(text, 4) for text in ("-inf", "1", "2", "3", "12", "30", "inf", "nan")]
    build("DOUBLE", held)
    more = {"label_k": LABEL_K} if builder is build_quantiles else {"ends": OpenEnds()}
    root = builder(DATABASE, "x", "DOUBLE", given_as, frequency="frequency_set", **more)
    for level in range(1, root):
        found = [label for (label,) in ask(f"SELECT level_{level} FROM taxonomy.x ORDER BY code_0")]
        assert [found[0], *found[-2:]] == APART
        assert list(dict.fromkeys(found[1:-2])) == levels[level - 1]
    assert root == len(levels) + 1


@pytest.mark.slow
def test_numbers_of_many_sizes_are_parted_on_the_steps_that_their_digits_reach(monkeypatch):
    """A number that a step is larger than is counted, not looked at: sizes from 1e-300 to 1e299 cost each value few."""
    looked_at = []
    run = Database.run

    def counting(self, query, *arguments):
        run(self, query, *arguments)
        if query.name == "taxonomy/builders/split_cells_of_numbers.sql":
            looked_at.extend(self.rows(Statement("test", "SELECT value FROM split_cells")))

    monkeypatch.setattr(Database, "run", counting)
    held = [
        (f"{sign}{digit}.5e{size}", 2) for size in range(-300, 300, 7) for digit in range(1, 9) for sign in ("", "-")
    ]
    rows, bounds = build("DOUBLE", [*held, (None, 1)])
    assert len(bounds) > len(held) // 20
    assert {value for (value,) in looked_at} == {float(text) for text, _ in held[: len(rows)]}
    assert max(Counter(looked_at).values()) <= 3


DAYS = [dt.date(1895, 1, 1) + dt.timedelta(days=at) for at in range(80_000)]
UNITS = [
    [day for day in DAYS if day.day == day.month == 1 and day.year % 100 == 0],
    [day for day in DAYS if day.day == day.month == 1 and day.year % 10 == 0],
    [day for day in DAYS if day.day == day.month == 1],
    [day for day in DAYS if day.day == 1 and day.month in (1, 4, 7, 10)],
    [day for day in DAYS if day.day == 1],
    DAYS,
]


def coarsest(below, above):
    """Oracle: the last start of the coarsest calendar unit between two days."""
    for starts in UNITS:
        end = bisect_right(starts, above)
        if end and starts[end - 1] > below:
            return starts[end - 1]
    raise AssertionError((below, above))


def supported_days(rare):
    """Oracle: the starts of units that LABEL_K rare records lie beside, within one unit on either side."""
    found = set()
    for starts in UNITS:
        cells = Counter()
        for day, records in rare:
            cells[bisect_right(starts, day)] += records
        found |= {starts[at - 1] for at in cells if at and min(cells[at], cells[at - 1]) >= LABEL_K}
    return found


@pytest.mark.slow
@examples(40)
@given(
    st.one_of(
        st.dictionaries(st.dates(dt.date(1905, 1, 1), dt.date(2030, 1, 1)), st.integers(1, 4), min_size=6, max_size=60),
        st.dictionaries(st.dates(dt.date(2019, 9, 1), dt.date(2020, 3, 1)), st.integers(1, 3), min_size=6, max_size=60),
    )
)
def test_dates_against_the_oracle(records):
    held = sorted(records.items())
    rows, bounds = build("DATE", [(str(day), n) for day, n in held])
    check_tree(rows, len(held))
    expected = [str(day) for day in nearest(*allowed(held, LABEL_K, coarsest, supported_days), 5)]
    assert cuts(rows) == expected
    assert [lower for _, lower in bounds[1:]] == expected
