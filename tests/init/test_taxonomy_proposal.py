"""The taxonomy that each kind of column is proposed, why, and that what is proposed can be built."""

import json
import os
import re
from collections.abc import Sequence

import duckdb
import pytest

from anonduck.cli.app import run
from anonduck.config.reading import make_config
from anonduck.database.connection import Database
from anonduck.init.profile import ColumnProfile, profile
from anonduck.init.proposal import ColumnProposal, propose
from anonduck.init.taxonomy_proposal import FEW_ORDERED, GROUP, SMALL_GROUPS, TaxonomyFit, fit, group_of
from anonduck.init.value_kinds import DateLook, words_of
from anonduck.source.engine import DuckDBSource
from anonduck.statements import Statement

DAY = "strftime(DATE '2012-01-05' + (i * 7919 % 4300)::INTEGER, '{}')"
PLAIN = {"clusters": True}
ORDERED = "intervals"
"""Groups of as many neighbours as ``group_of`` says."""


@pytest.fixture(scope="module")
def look():
    """What is proposed for a column of 200 values of i, every eleventh of which is NULL."""
    database = Database(threads=1)

    def proposed(expression: str, name: str = "x", rows: int = 200, given: Sequence[str] = ()) -> ColumnProposal:
        quoted = name.replace('"', '""')
        select = f'SELECT CASE WHEN i % 11 > 0 THEN {expression} END AS "{quoted}", i % 2 AS c FROM range({rows}) t(i)'
        database.run(Statement("test source", f"CREATE OR REPLACE TEMP VIEW source AS {select}"))
        return propose(profile(DuckDBSource(database)), "c", quasi_identifiers=given).columns[0]

    yield proposed
    database.close()


def meant(taxonomy, found):
    return {"intervals": group_of(found.profile.distinct)} if taxonomy is ORDERED else taxonomy


@pytest.mark.parametrize(
    ("expression", "taxonomy", "reason"),
    [
        ("DATE '2020-01-01' + i::INTEGER % 9", ORDERED, "ordered values"),
        ("DATE '2020-01-01' + i::INTEGER % 40", {"dates": ["week"]}, "dates over 39 days, by week"),
        (
            "DATE '2020-01-01' + i::INTEGER",
            {"dates": ["month", "quarter"]},
            "dates over 7 months, by month and quarter",
        ),
        (
            "DATE '2012-01-05' + (i * 7919 % 4300)::INTEGER",
            {"dates": ["month", "quarter", "year"]},
            "dates over 12 years, by month, quarter and year",
        ),
        (
            "DATE '1940-01-05' + (i % 40 * 631 + i // 40)::INTEGER",
            {"dates": ["month", "quarter", "year", "five-year", "decade"]},
            "dates over 67 years",
        ),
        ("DATE '2012-01-01' + to_years((i % 7)::INTEGER)", ORDERED, "ordered values"),
        ("(DATE '2012-01-01' + to_months((i % 40)::INTEGER))::DATE", {"dates": ["quarter", "year"]}, "3 years"),
        ("CASE WHEN i = 1 THEN DATE 'infinity' ELSE DATE '2020-01-01' + i::INTEGER % 40 END", {"dates": ["week"]}, ""),
        ("TIMESTAMP '2024-01-05' + to_minutes(i * 15)", {"dates": ["hour", "day"]}, "dates over 2 days"),
        (
            "TIMESTAMP '2024-01-05' + to_minutes(i // 2 * 354 + i % 2)",
            {"dates": ["hour", "day", "week"]},
            "dates over 24 days",
        ),
        (
            "TIMESTAMP '2024-01-05' + to_hours(i // 2 * 62 + i % 2)",
            {"dates": ["day", "month", "quarter"]},
            "dates over 8 months",
        ),
        ("(TIMESTAMP '2024-01-05' + to_seconds(i * 40))::TIMESTAMP_S", {"dates": ["minute", "hour"]}, ""),
        (
            "(TIMESTAMP '2024-01-05' + to_hours(i * 300))::TIMESTAMPTZ",
            {"dates": ["month", "quarter", "year"], "zone": "UTC"},
            "set `zone` to the time zone that counts",
        ),
        ("TIME '10:00:00' + to_minutes(i)", ORDERED, "ordered values"),
        ("INTERVAL (i % 5) DAY", PLAIN, "categories"),
    ],
)
def test_dates(look, expression, taxonomy, reason):
    found = look(expression)
    assert (found.role, found.taxonomy) == ("quasi_identifiers", meant(taxonomy, found))
    assert reason in found.reason


@pytest.mark.some(2)
@pytest.mark.parametrize(
    "format_",
    [
        *("%Y-%m-%d", "%Y/%m/%d", "%Y%m%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y"),
        *("%d %b %Y", "%d-%b-%Y", "%B %d, %Y", "%d.%m.%Y %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S"),
    ],
)
def test_texts_of_one_format_are_dates(look, format_):
    found = look(DAY.format(format_))
    assert found.taxonomy == {"dates": ["month", "quarter", "year"], "format": format_}
    assert found.reason.startswith("dates as text over 12 years, all in one format, by month, quarter and year")


@pytest.mark.slow
def test_texts_with_an_offset_ask_for_a_zone(look):
    found = look(DAY.format("%Y-%m-%dT%H:%M:%S") + " || '+02'")
    assert found.taxonomy == {"dates": ["month", "quarter", "year"], "format": "%Y-%m-%dT%H:%M:%S%z", "zone": "UTC"}
    assert "the time zone that counts" in found.reason


@pytest.mark.slow
@pytest.mark.parametrize("separator", ["/", "-"])
def test_day_or_month_first_is_for_the_owner_to_say(look, separator):
    early = f"strftime(DATE '2012-01-01' + to_months((i % 90)::INTEGER), '%d{separator}%m{separator}%Y')"
    found = look(early)
    assert (found.role, found.taxonomy) == ("quasi_identifiers", PLAIN)
    assert "the order of day and month is unclear" in found.reason


@pytest.mark.slow
def test_one_text_that_is_no_date_is_enough_to_propose_none(look):
    found = look(f"CASE WHEN i = 1 THEN 'unknown' ELSE {DAY.format('%d.%m.%Y').replace('4300', '99')} END")
    assert (found.role, found.taxonomy) == ("quasi_identifiers", PLAIN)


@pytest.mark.slow
@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("expression", "taxonomy"),
    [
        ("'10.' || i % 7 || '.' || i % 3 || '.1'", {"ip": True}),
        ("'192.168.' || i % 7 || '.' || i % 20", {"ip": True}),  # reads like a telephone number
        ("'2001:db8::' || i % 50", {"ip": True}),
        ("CASE WHEN i % 2 = 0 THEN '::1' ELSE '10.0.0.' || i % 90 || '/32' END", {"ip": True}),
        ("'10.300.' || i % 3 || '.1'", PLAIN),  # no address
        ("(45 + i % 30 / 10) || ',' || (7 + i % 20 / 10)", {"geohash": True}),
        ("(45 + i / 1000) || ', ' || (7 + i / 10)", {"geohash": True}),  # unique, as measurements are
        ("(91 + i % 7) || ',7'", PLAIN),  # no place on earth
    ],
)
def test_addresses_and_positions(look, expression, taxonomy):
    found = look(expression)
    assert (found.role, found.taxonomy) == ("quasi_identifiers", meant(taxonomy, found))


@pytest.mark.slow
def test_an_address_that_each_record_has_is_an_identifier(look):
    assert look("'10.0.' || i // 9 || '.' || i").role == "identifiers"


@pytest.mark.slow
@pytest.mark.some(8)
@pytest.mark.parametrize(
    ("expression", "name", "taxonomy"),
    [
        ("lpad((i % 60 * 331)::VARCHAR, 5, '0')", "x", {"mask": "right"}),
        ("lpad((i % 6 * 331)::VARCHAR, 5, '0')", "home_postcode", {"mask": "right"}),
        ("lpad((i % 6 * 331)::VARCHAR, 5, '0')", "homePostcode", {"mask": "right"}),
        ("lpad((i % 6 * 331)::VARCHAR, 5, '0')", "x", PLAIN),  # a handful
        ("lpad((i % 90)::VARCHAR, 5, '0') || '-1234'", "plz", {"mask": "right", "step": 2}),  # no telephone number
        ("'A' || (i % 60)", "x", {"mask": "right"}),
        ("'SW' || (i % 9) || 'A ' || (i % 7) || 'AA'", "x", {"mask": "right"}),
        ("'e' || (i % 60)", "x", PLAIN),  # in lower case like words
        ("(i % 60)::VARCHAR", "x", PLAIN),  # numbers
        ("(i % 60)::VARCHAR", "product code", {"mask": "right"}),
        ("(i % 60 / 4)::DECIMAL(5, 2)::VARCHAR", "x", PLAIN),  # prices
        ("(i % 60) || ' rooms'", "x", PLAIN),
        ("10000 + i % 60", "x", ORDERED),
        ("10000 + i % 60", "postcode", {"mask": "right"}),
        ("7000 + i % 60 * 331", "plz", {"mask": "right", "pad": "0"}),
        ("i % 4", "postcode", PLAIN),
        ("10000.0 + i % 60", "postcode", ORDERED),
    ],
)
def test_codes(look, expression, name, taxonomy):
    found = look(expression, name)
    assert (found.role, found.taxonomy) == ("quasi_identifiers", meant(taxonomy, found))


def test_reasons_of_codes(look):
    assert look("lpad((i % 60 * 331)::VARCHAR, 5, '0')").reason == "codes of 5 characters, masked from the right"
    assert look("'A' || (i % 60)").reason == "codes of 2 to 3 characters, masked from the right"
    assert "types: {postcode: VARCHAR}" in look("10000 + i % 60", "postcode").reason


def listed(*values: str) -> str:
    return f"{list(values)}[1 + i % {len(values)}]"


@pytest.mark.slow
@pytest.mark.some(5)
@pytest.mark.parametrize(
    ("expression", "name", "taxonomy"),
    [
        (listed("IT", "DE", "JP"), "country", {"shipped": "country"}),
        (listed("ITA", "DEU", "JPN"), "home_country", {"shipped": "country"}),
        (listed("IT", "DE", "JP"), "x", PLAIN),  # short codes need a hint
        (listed("IT", "DE", "XX"), "country", PLAIN),  # one is no country
        (listed("IT", "DE"), "country", PLAIN),
        (listed("Italy", "Germany", "Japan"), "x", {"shipped": "country"}),
        (listed("Italy", "Germany"), "x", PLAIN),
        (listed("CA", "TX", "NY"), "state", {"shipped": "us_state"}),
        (listed("California", "Texas", "Ohio"), "x", {"shipped": "us_state"}),
        (listed("OK", "ERR", "IN"), "state", PLAIN),
        (listed("Monday", "Tuesday", "Sunday"), "x", {"shipped": "weekday"}),
        (listed("March", "April", "May"), "x", {"shipped": "month"}),
        (listed("Mar", "Apr", "May"), "x", PLAIN),
        (listed("Mar", "Apr", "May"), "month", {"shipped": "month"}),
        ("1 + i % 12", "n", ORDERED),
        ("1 + i % 12", "children", ORDERED),
        ("1 + i % 12", "month", {"shipped": "month"}),
        ("(1 + i % 12)::DOUBLE", "month", {"shipped": "month"}),
        ("i % 12", "month", ORDERED),
        ("1 + i % 7", "day_of_week", {"shipped": "weekday"}),
        ("1 + i % 7", "day", ORDERED),
        (listed("HS-grad", "Bachelors", "Masters"), "education", {"shipped": "education"}),
        ("1 + i % 5", "education", ORDERED),  # any numbers
        ("1 + i % 5", "isced", {"shipped": "education"}),
        ("20 + i % 4", "occupation", PLAIN),
        ("(2110 + i % 4)::VARCHAR", "isco08", {"shipped": "occupation"}),
        (listed("E11.9", "I10", "J45.0"), "dx_code", {"shipped": "diagnosis"}),
        (listed("E11.9", "I10", "J45.0"), "x", PLAIN),
        (listed("C10.11", "C25.1", "G47"), "industry", {"shipped": "industry"}),
        ("10 + i % 4", "nace", {"shipped": "industry"}),
        ("10000 + i % 60", "zip", {"shipped": "us_zip"}),
        ("lpad((501 + i % 60)::VARCHAR, 5, '0')", "zip_code", {"shipped": "us_zip"}),
        ("18 + i % 60", "age", ORDERED),
    ],
)
def test_ready_made(look, expression, name, taxonomy):
    found = look(expression, name, given=[name] if name == "dx_code" else [])
    assert (found.role, found.taxonomy) == ("quasi_identifiers", meant(taxonomy, found))


def test_reasons_of_ready_made_ones(look):
    assert look(listed("IT", "DE", "JP"), "country").reason == "all 3 values are countries (ISO 3166, alpha-2)"
    assert look("1 + i % 12", "month").reason == "all 12 values are months (numbers), by quarter and half-year"


@pytest.mark.slow
def test_a_value_outside_the_sample_counts_too(look):
    country = f"CASE WHEN i = 149_999 THEN '??' ELSE {listed('IT', 'DE', 'JP')} END"
    assert look(country, "country", rows=150_000).taxonomy == PLAIN
    assert look(listed("IT", "DE", "JP"), "country", rows=150_000).taxonomy == {"shipped": "country"}


@pytest.mark.slow
def test_a_mask_from_a_sample_has_a_length(look):
    assert look("'A' || (100 + i % 60)", rows=150_000).taxonomy == {"mask": "right", "length": 4}


def test_more_names_than_clusters_take(look):
    found = look("'name ' || (i % 6000) || 'x'", rows=12_000)
    assert found.taxonomy == {"prefix": [3, 2, 1]}
    assert "taxonomy file" in found.reason


def test_words_of_names():
    assert words_of('homePostcode_2 "ICD10') == ("home", "postcode", "2", "icd10")
    assert words_of("___") == ()


def test_units_that_do_not_coarsen_are_left_out():
    counts = dict.fromkeys(("minute", "hour", "day", "week", "month", "quarter", "year", "five-year", "decade"), 7)
    column = ColumnProfile("x", "DATE", 90, 0, 7, 10, 10, 0.0, 0.0, dates=DateLook(4_000, 7, {**counts, "century": 1}))
    assert fit(column) == TaxonomyFit({"intervals": 2}, "ordered values, generalized to intervals")


def nodes_under_the_root(values, group):
    """How many values each node under the root has, and the levels: groups joined in pairs until two are left."""
    nodes = [min(group, values - first) for first in range(0, values, group)]
    levels = 1
    while len(nodes) > 2:
        nodes, levels = [sum(nodes[at : at + 2]) for at in range(0, len(nodes), 2)], levels + 1
    return nodes, levels


def test_few_ordered_values_are_parted_as_evenly_as_small_groups_can():
    assert group_of(FEW_ORDERED + 1) == GROUP
    for values in range(4, FEW_ORDERED + 1):
        smaller = {group: min(nodes_under_the_root(values, group)[0]) for group in SMALL_GROUPS}
        assert smaller[group_of(values)] == max(smaller.values())
        assert nodes_under_the_root(values, group_of(values))[1] >= nodes_under_the_root(values, GROUP)[1]


KINDS = """
    i AS person_id,
    DATE '1940-03-05' + (i * 7919 % 25000)::INTEGER AS birth_date,
    DATE '2024-01-05' + (i * 7 % 80)::INTEGER AS seen,
    TIMESTAMP '2024-01-05 10:00:00' + to_minutes(i * 37 % 86000) AS stamp,
    (TIMESTAMP '2024-01-05 10:00:00' + to_minutes(i * 37 % 860000))::TIMESTAMPTZ AS zoned,
    TIME '10:00:00' + to_seconds(i * 37 % 3600) AS clock,
    strftime(DATE '2012-01-05' + (i * 7919 % 4300)::INTEGER, '%d.%m.%Y') AS dotted,
    strftime(DATE '2012-01-01' + to_months((i % 44)::INTEGER), '%d/%m/%Y') AS "either ""way",
    '2024-0' || (1 + i % 9) || '-1' || (i % 10) || 'T10:00:00+02' AS offsets,
    '10.' || i % 7 || '.' || i % 11 || '.' || i % 5 AS ip,
    (45 + (i % 30) / 10) || ',' || (7 + (i % 20) / 10) AS place,
    ['E11.9', 'I10', 'J45.0', 'A09', 'C50.1'][1 + i * 7 % 5] AS diagnosis,
    ['IT', 'DE', 'FR', 'US'][1 + i * 7 % 4] AS country,
    ['Italy', 'Germany', 'France'][1 + i % 3] AS home,
    ['CA', 'TX', 'NY', 'WA'][1 + i * 3 % 4]::ENUM ('CA', 'TX', 'NY', 'WA') AS state,
    1 + i % 12 AS month,
    (1 + i % 7)::DOUBLE AS weekday,
    1 + i % 12 AS n,
    lpad((i * 7919 % 300 * 331)::VARCHAR, 5, '0') AS postcode,
    i * 7919 % 300 * 331 AS plz,
    501 + i * 13 % 500 AS zip,
    ['10.11', '01.1', '62', 'C25.1'][1 + i * 5 % 4] AS nace,
    ['HS-grad', 'Bachelors', 'Masters'][1 + i % 3] AS education,
    'P' || (i % 60) AS product,
    18 + i % 70 AS age,
"""
BUILDERS = ("dates", "ip", "geohash", "shipped", "mask", "clusters", "intervals")


@pytest.fixture(scope="module")
def proposal(tmp_path_factory):
    """A folder with a table of a column of each kind, NULL in every ninth record, where `init` has run; its result."""
    folder = tmp_path_factory.mktemp("kinds")
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (WITH t AS (SELECT {KINDS} i % 2 = 0 AS paid FROM range(1200) r(i)) "
            "SELECT CASE WHEN person_id % 9 > 0 THEN COLUMNS(* EXCLUDE (paid, person_id)) END, person_id, paid FROM t) "
            f"TO '{folder}/kinds.parquet' (FORMAT parquet)"
        )
    return folder


def called(capsys, *arguments: str) -> dict:
    assert run([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.slow
def test_all_that_is_proposed_builds_and_passes_the_checks(proposal, monkeypatch, capsys):
    monkeypatch.chdir(proposal)
    columns = called(capsys, "init", "kinds.parquet", "--class", "paid")["columns"]
    proposed = {column["name"]: column["taxonomy"] for column in columns if column["role"] == "quasi_identifiers"}
    assert {next(iter(taxonomy)) for taxonomy in proposed.values()} == set(BUILDERS)
    config = make_config({"source": "kinds.parquet", "class": "paid", "taxonomies": proposed}, whose="the proposal")
    assert {name: taxonomy.builder for name, taxonomy in config.taxonomies.items()} == {
        name: next(iter(taxonomy)) for name, taxonomy in proposed.items()
    }
    assert run(["taxonomy", "build"]) == 0
    out = capsys.readouterr()
    assert not re.search(r"share the node|\(not an? ", out.out + out.err)
    assert run(["taxonomy", "check"]) == 0
    assert "\n0 errors" in "\n" + capsys.readouterr().out


@pytest.mark.slow
def test_reasons_hold_no_values(proposal, monkeypatch, capsys):
    monkeypatch.chdir(proposal)
    columns = called(capsys, "init", "kinds.parquet", "--class", "paid", "--overwrite")["columns"]
    text = os.linesep.join(column["reason"] for column in columns)
    assert not re.search(r"E11|J45|HS-grad|Bachelor|Ital|German|10\.\d|20[12]\d-|45[.,]|P\d|\bCA\b|\bDE\b", text)
