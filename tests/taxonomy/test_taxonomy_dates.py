"""Dates by units: labels against Python's datetime, chains against the calendar itself."""

import datetime as dt
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from labelling import check_tree, hold, labelled, options

from anonduck.errors import TaxonomyError
from anonduck.statements import Statement
from anonduck.taxonomy.builders.computed import complete_options, label_query, levels_of
from anonduck.taxonomy.builders.dates import NEXT, nested_chain

ALL_BUT_WEEKS = [unit for unit in NEXT if unit not in ("week", "weekday", "weekend")]
STAMPS = st.datetimes(dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59))
ZONED = "TIMESTAMP WITH TIME ZONE"


def named(stamp, unit):
    return names(stamp)[unit]


def names(stamp):
    """Oracle: what Python's datetime calls a moment, by unit."""
    year, days = f"{stamp.year:04d}", ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    week_year, week, weekday = stamp.isocalendar()
    spans = {size: stamp.year // size * size for size in (5, 10, 100)}
    return {
        "second": f"{year}-{stamp:%m-%dT%H:%M:%S}",
        "minute": f"{year}-{stamp:%m-%dT%H:%M}",
        "hour": f"{year}-{stamp:%m-%dT%H}",
        "day": f"{year}-{stamp:%m-%d}",
        "week": f"{week_year:04d}-W{week:02d}",
        "weekday": f"{weekday} {days[weekday - 1]}",
        "weekend": "Monday to Friday" if weekday < 6 else "Saturday and Sunday",
        "month": f"{year}-{stamp:%m}",
        "quarter": f"{year}-Q{(stamp.month + 2) // 3}",
        "half-year": f"{year}-H{(stamp.month + 5) // 6}",
        "year": year,
        "five-year": f"{spans[5]:04d}-{spans[5] + 4:04d}",
        "decade": f"{spans[10]:04d}s",
        "century": f"{spans[100]:04d}-{spans[100] + 99:04d}",
    }


def test_a_timestamp_at_every_unit(database):
    values = ["2020-05-17 14:05:09.5", "infinity", "-infinity", "0044-03-15 (BC) 01:00:00", None]
    paths = labelled(database, options(dates=ALL_BUT_WEEKS), values, "TIMESTAMP")
    assert paths[0][1:] == (
        *("2020-05-17T14:05:09", "2020-05-17T14:05", "2020-05-17T14", "2020-05-17", "2020-05", "2020-Q2", "2020-H1"),
        *("2020", "2020-2024", "2020s", "2000-2099", "*"),
    )
    assert paths[1] == ("infinity",) * 12 + ("*",)
    assert paths[2] == ("-infinity",) * 12 + ("*",)
    assert paths[3][5:] == ("-0043-03", "-0043-Q1", "-0043-H1", "-0043", "-0045..-0041", "-0050s", "-0100..-0001", "*")
    assert paths[4] == (None,) * 13


def test_dates_by_week_and_weekday(database):
    values = ["2021-01-01", "2021-01-03", "infinity", None]
    assert labelled(database, options(dates=["day", "week"]), values, "DATE") == [
        ("2021-01-01", "2021-01-01", "2020-W53", "*"),
        ("2021-01-03", "2021-01-03", "2020-W53", "*"),
        ("infinity", "infinity", "infinity", "*"),
        (None, None, None, None),
    ]
    assert labelled(database, options(dates=["weekday", "weekend"]), values[:2], "DATE") == [
        ("2021-01-01", "5 Friday", "Monday to Friday", "*"),
        ("2021-01-03", "7 Sunday", "Saturday and Sunday", "*"),
    ]


def test_nanoseconds_are_cut_off_not_rounded_and_early_seconds_are_read(database):
    """Versions of DuckDB round a nanosecond, or take the hour of a second, in other ways."""
    chain = ["second", "minute", "hour", "day", "year"]
    last = ("1999-12-31T23:59:59", "1999-12-31T23:59", "1999-12-31T23", "1999-12-31", "1999", "*")
    (path,) = labelled(database, options(dates=chain), ["1999-12-31 23:59:59.999999999"], "TIMESTAMP_NS")
    assert path[1:] == last
    written = options(dates=chain, format="%Y-%m-%d %H:%M:%S.%n")
    (path,) = labelled(database, written, ["1999-12-31 23:59:59.999999999"])
    assert path[1:] == last
    for column_type in ("TIMESTAMP_S", "TIMESTAMP_MS"):
        (path,) = labelled(database, options(dates=["hour", "year"]), ["1000-01-01 23:00:00"], column_type)
        assert path[1:] == ("1000-01-01T23", "1000", "*")


@pytest.mark.slow
@pytest.mark.parametrize("chain", [ALL_BUT_WEEKS, ["minute", "week"], ["hour", "day", "weekday", "weekend"]], ids=str)
def test_every_type_reaches_the_ends_of_time(database, chain):
    ends = {
        "TIMESTAMP": ["290309-12-22 (BC) 00:00:00", "294247-01-10 04:00:54.775806", "0001-01-01 (BC) 00:00:00"],
        "TIMESTAMP_S": ["290309-12-22 (BC) 00:00:00", "1969-12-31 23:59:59", "infinity"],
        "TIMESTAMP_MS": ["1969-12-31 23:59:59.999", "infinity", "-infinity"],
        "TIMESTAMP_NS": ["1677-09-22 00:00:00", "2262-04-11 23:47:16.854775806", "infinity"],
    }
    for column_type, values in ends.items():
        paths = labelled(database, options(dates=chain), [*values, None], column_type)
        assert all(path[-1] == "*" and None not in path for path in paths[:-1])
    days = [unit for unit in chain if unit not in ("second", "minute", "hour")]
    for path in labelled(database, options(dates=days), ["5877642-06-25 (BC)", "5881580-07-10", "-infinity"], "DATE"):
        assert path[-1] == "*"
        assert None not in path


@pytest.mark.slow
@examples(100)
@given(st.lists(st.none() | STAMPS, min_size=1), st.data())
def test_labels_are_those_of_datetime_and_make_a_tree(shared, stamps, data):
    chain = [data.draw(st.sampled_from(list(NEXT)))]
    while coarser := [unit for unit in NEXT if unit != chain[-1] and nests(chain[-1], unit)]:
        if data.draw(st.booleans()):
            break
        chain.append(data.draw(st.sampled_from(coarser)))
    texts = [None if stamp is None else stamp.isoformat(" ") for stamp in stamps]
    paths = labelled(shared, options(dates=chain), texts, "TIMESTAMP")
    check_tree(paths)
    for stamp, path in zip(stamps, paths, strict=True):
        if stamp is not None:
            assert path[1:-1] == tuple(named(stamp, unit) for unit in chain)


# -- chains ------------------------------------------------------------------------------------------------------------


def nests(finer, coarser):
    try:
        nested_chain([finer, coarser])
    except TaxonomyError:
        return False
    return True


@pytest.mark.slow
def test_a_chain_is_taken_just_where_the_calendar_nests():
    """Over fifty years of days, around a century's turn inside a week, and four hours of seconds."""
    start = dt.datetime(1960, 1, 1)
    moments = [start + dt.timedelta(days=day) for day in range(51 * 365)]
    moments += [start + dt.timedelta(seconds=7 * step) for step in range(2000)]
    called = [names(moment) for moment in moments]
    columns = {unit: [each[unit] for each in called] for unit in NEXT}
    for finer in NEXT:
        for coarser in NEXT:
            parents = {}
            within = all(parents.setdefault(a, b) == b for a, b in zip(columns[finer], columns[coarser], strict=True))
            fewer = len(set(columns[coarser])) < len(set(columns[finer]))
            assert nests(finer, coarser) == (within and fewer), (finer, coarser)


@pytest.mark.parametrize(
    ("chain", "words"),
    [
        (["day", "week", "month"], "week does not nest in month: a week can begin in one month.*without (week|month)"),
        (["week", "year"], "week does not nest in year: .* next"),
        (["weekday", "month"], "weekday does not nest in month: the same weekday comes back"),
        (["year", "month"], "finest unit comes first. A chain that works: \\[month, year\\]"),
        (["day", "day"], "is listed twice"),
        (["fortnight"], "no unit fortnight; it takes a chain of second, minute"),
        (["hour"], "no time of day"),
    ],
)
def test_a_chain_that_does_not_nest_is_refused_with_the_reason(chain, words):
    with pytest.raises(TaxonomyError, match=words):
        levels_of(options(dates=chain), "DATE")


def test_units_may_be_written_in_other_ways():
    assert nested_chain(["Day", "ISO week"]) == ["day", "week"]
    assert nested_chain(["half year", "YEAR", "five_year"]) == ["half-year", "year", "five-year"]


# -- zones and texts ---------------------------------------------------------------------------------------------------


@examples(30)
@given(
    st.lists(st.datetimes(dt.datetime(1971, 1, 1), dt.datetime(2030, 1, 1)), min_size=1),
    st.sampled_from(["Europe/Rome", "America/New_York", "Asia/Kolkata", "UTC"]),
)
def test_times_with_zone_are_read_on_the_clock_of_the_zone(shared, stamps, zone):
    try:
        clock = ZoneInfo(zone)
    except ZoneInfoNotFoundError:
        pytest.skip("Python has no time zones here")
    chosen = options(dates=["minute", "day"], zone=zone)
    hold(shared, [f"{stamp.isoformat(' ')}+00" for stamp in stamps], ZONED)
    complete_options(shared, chosen, ZONED, "held")
    query = label_query(chosen, ZONED, "held")
    rows = shared.rows(Statement("test", f"SELECT level_1, level_2 FROM ({query.sql})"))
    local = [stamp.replace(tzinfo=dt.UTC).astimezone(clock) for stamp in stamps]
    assert rows == [(named(moment, "minute"), named(moment, "day")) for moment in local]


def test_text_is_read_by_its_format(database):
    values = ["17.05.2020 14:05", "31.02.2020 00:00", "x", "infinity", "epoch", "", None]
    paths = labelled(database, options(dates=["hour", "month"], format="%d.%m.%Y %H:%M"), values)
    assert [path[1:] for path in paths] == [
        ("2020-05-17T14", "2020-05", "*"),
        *[("(not a date)", "(not a date)", "*")] * 5,
        (None, None, None),
    ]
    assert labelled(database, options(dates=["month"], format="%Y%m%d"), ["20200517", "1", None], "INTEGER") == [
        ("20200517", "2020-05", "*"),
        ("1", "(not a date)", "*"),
        (None, None, None),
    ]
    zoned = options(dates=["day"], format="%Y-%m-%d %H:%M %z", zone="Asia/Tokyo")
    assert labelled(database, zoned, ["2020-05-17 23:00 +0200", "x"]) == [
        ("2020-05-17 23:00 +0200", "2020-05-18", "*"),
        ("x", "(not a date)", "*"),
    ]


@pytest.mark.parametrize(
    ("chosen", "column_type", "words"),
    [
        ({"dates": ["day"]}, "VARCHAR", "need a `format`"),
        ({"dates": ["day"]}, "INTEGER", "need a `format`"),
        ({"dates": ["day"]}, ZONED, "needs a `zone`"),
        ({"dates": ["day"], "format": "%Y-%m-%d %z"}, "VARCHAR", "needs a `zone`.* %z"),
        ({"dates": ["day"], "zone": "UTC"}, "TIMESTAMP", "zone is for times"),
        ({"dates": ["day"], "zone": "UTC", "format": "%Y-%m-%d"}, "VARCHAR", "neither %z nor %Z"),
        ({"dates": ["day"], "format": "%Y-%m-%d"}, "DATE", "leave it out"),
        ({"dates": ["day"]}, "TIME", "the column is TIME$"),
        ({"dates": ["day"], "format": "%Y-%Q"}, "VARCHAR", "has %Q; allowed are %a"),
        ({"dates": ["month"], "format": "%Y"}, "VARCHAR", "has no month"),
        ({"dates": ["hour"], "format": "%Y-%m-%d"}, "VARCHAR", "has no hour"),
        ({"dates": ["year"], "format": "%d.%m."}, "VARCHAR", "has no year"),
    ],
)
def test_what_cannot_be_read_as_dates_is_refused(chosen, column_type, words):
    with pytest.raises(TaxonomyError, match=words):
        levels_of(options(**chosen), column_type)


def test_a_zone_that_is_unknown_is_refused(database):
    hold(database, [None], ZONED)
    with pytest.raises(TaxonomyError, match="no time zone 'Mars/Base'"):
        complete_options(database, options(dates=["day"], zone="Mars/Base"), ZONED, "held")
