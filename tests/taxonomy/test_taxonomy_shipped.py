"""Ready-made taxonomies: counts of the standards, every leaf in every way of writing it, values that are no leaves."""

import json
import re
from collections import Counter
from itertools import pairwise

import pandas as pd
import pytest
from asking import ask
from hypothesis import given
from hypothesis import strategies as st

from anonduck import Project
from anonduck.cli.app import run
from anonduck.errors import TaxonomyError
from anonduck.statements import Statement
from anonduck.taxonomy.builders.shipped import (
    build_shipped,
    find_shipped,
    key_of,
    label_query,
    list_shipped,
    read_shipped,
)
from anonduck.taxonomy.catalog import register
from anonduck.taxonomy.checks.checks import check_taxonomies

FORMS = [(shipped, form) for shipped in list_shipped() for form in shipped.forms]


@pytest.fixture
def database(shared):
    """One database for all tests: each makes its table of values, and builds the taxonomy of it, anew."""
    return shared


def frequency_set(database, kind, values):
    database.run(Statement("drop", "DROP TABLE IF EXISTS frequency_set"))
    database.run(Statement("make", f'CREATE TABLE frequency_set ("x@value" {kind}, "#records" BIGINT)'))
    fill = f"INSERT INTO frequency_set SELECT unnest($values::VARCHAR[])::{kind}, 1"
    values = [None if value is None else str(value) for value in values]
    database.run(Statement("fill", fill, frozenset({"values"})), {"values": values})


def built(database, name, kind, values, form=None):
    """The paths of the values, by value; and what was built."""
    frequency_set(database, kind, values)
    made = build_shipped(database, "x", name, form=form)
    register(database, "x", kind=made.kind, ordered=made.ordered, origin=made.origin, options={})
    levels = ", ".join(f"level_{level}" for level in range(1, made.root + 1))
    rows = ask(
        database, f'SELECT t.value, {levels} FROM taxonomy.x AS t SEMI JOIN frequency_set AS f ON f."x@value" = t.value'
    )
    return {value: tuple(path) for value, *path in rows}, made


def distinct(name, column):
    return {row[column] for row in read_shipped(name)}


# -- what the standards say --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "rows", "counts"),
    [
        ("age", 19, {"five_years": 19, "ten_years": 10, "twenty_years": 6}),
        (
            "country",
            249,
            {"alpha_2": 249, "alpha_3": 249, "name": 249, "intermediate_region": 23, "sub_region": 18, "region": 6},
        ),
        ("diagnosis", 263, {"block": 263, "chapter": 22}),
        ("education", 9, {"isced": 9, "isced_level": 9, "broad": 3}),
        ("industry", 88, {"first": 88, "division": 88, "section": 21}),
        ("month", 12, {"number": 12, "name": 12, "abbreviation": 12, "quarter": 4, "half_year": 2}),
        ("occupation", 53, {"title": 53, "sub_major_group": 53, "major_group": 10}),
        ("us_state", 56, {"usps": 56, "name": 56, "census_division": 10, "census_region": 5}),
        ("us_zip", 17, {"first": 17, "small_area": 1}),
        ("weekday", 7, {"number": 7, "name": 7, "part_of_week": 2}),
    ],
)
def test_counts_of_rows_and_nodes(name, rows, counts):
    assert len(read_shipped(name)) == rows
    assert {column: len(distinct(name, column)) for column in counts} == counts


@pytest.mark.parametrize("name", ["diagnosis", "age", "industry", "occupation", "us_zip"])
def test_ranges_do_not_overlap(name):
    ranges = sorted((row["first"], row["last"]) for row in read_shipped(name))
    assert all(first <= last for first, last in ranges)
    assert all(last < first for (_, last), (first, _) in pairwise(ranges))


def test_countries_per_region_of_m49():
    regions = Counter(row["region"] for row in read_shipped("country"))
    assert regions == {"Africa": 60, "Americas": 57, "Antarctica": 1, "Asia": 51, "Europe": 51, "Oceania": 29}
    below = Counter(row["sub_region"] for row in read_shipped("country"))
    assert below["Sub-Saharan Africa"] == 53
    assert below["Latin America and the Caribbean"] == 52
    assert (below["Western Asia"], below["South-eastern Asia"], below["Western Europe"]) == (18, 11, 9)


def test_states_per_census_region():
    regions = Counter(row["census_region"] for row in read_shipped("us_state"))
    assert [regions[name] for name in ("Northeast", "Midwest", "South", "West")] == [9, 12, 17, 13]
    assert regions["Puerto Rico and the Island Areas"] == 5


def test_sub_major_groups_begin_with_their_major_group():
    rows = read_shipped("occupation")
    sub_major = [row for row in rows if len(row["first"]) == 2]
    assert len(sub_major) == 43
    assert Counter(row["first"][0] for row in sub_major) == dict(
        zip("1234567890", (4, 6, 5, 4, 4, 3, 5, 3, 6, 3), strict=True)
    )
    assert all(row["major_group"][0] == row["first"][0] for row in rows)


def test_divisions_per_section():
    sections = Counter(row["section"][0] for row in read_shipped("industry"))
    expected = dict(
        zip("ABCDEFGHIJKLMNOPQRSTU", (3, 5, 24, 1, 4, 3, 3, 5, 2, 6, 3, 1, 7, 6, 1, 1, 3, 4, 3, 2, 1), strict=True)
    )
    assert sections == expected


def test_blocks_lie_in_the_ranges_of_their_chapters():
    spans = (
        "I A00-B99|II C00-D48|III D50-D89|IV E00-E90|V F00-F99|VI G00-G99|VII H00-H59|VIII H60-H95|IX I00-I99|"
        "X J00-J99|XI K00-K93|XII L00-L99|XIII M00-M99|XIV N00-N99|XV O00-O99|XVI P00-P96|XVII Q00-Q99|XVIII R00-R99|"
        "XIX S00-T98|XX V01-Y98|XXI Z00-Z99|XXII U00-U99"
    )
    chapters = {span.split()[0]: span.split()[1].split("-") for span in spans.split("|")}
    for row in read_shipped("diagnosis"):
        first, last = chapters[row["chapter"]]
        assert first <= row["first"] <= row["last"] <= last
        assert row["block"] == f"{row['first']}-{row['last']}"


def test_the_seventeen_small_areas():
    small = "036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893"
    assert " ".join(row["first"] for row in read_shipped("us_zip")) == small


def test_every_file_is_described():
    from importlib.resources import files

    folder = files("anonduck.taxonomies")
    text = folder.joinpath("README.md").read_text(encoding="utf-8")
    names = {path.name for path in folder.iterdir() if path.name.endswith(".csv")}
    assert names == {f"{shipped.name}.csv" for shipped in list_shipped()}
    assert names == set(re.findall(r"^\| (\w+\.csv) ", text, flags=re.MULTILINE))
    assert "meets Safe Harbor" not in text


# -- taxonomies of columns ---------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.some(2)
@pytest.mark.parametrize(("shipped", "form"), FORMS, ids=[f"{s.name} {f.name}" for s, f in FORMS])
def test_every_shipped_tree_passes_the_checks(database, shipped, form):
    """All leaves of each form at once, as the list or the ranges write them."""
    rows = read_shipped(shipped.name)
    if form.texts:
        values = [text for row in rows for column in form.texts for text in row[column].split("|") if text]
    elif shipped.name == "us_zip":
        values = [f"{zip3:03d}01" for zip3 in range(1, 1000)]
    elif shipped.name == "age":
        values = [str(years) for years in range(151)]
    else:
        values = [row["first"] + ("" if form.longest <= 3 else "1") for row in rows if len(row["first"]) > 1]
    paths, made = built(database, shipped.name, "VARCHAR", values)
    assert made.form == form.name or set(form.texts) < {"isced"} or not form.texts
    paths, made = built(database, shipped.name, "VARCHAR", values, form.name)
    assert set(paths) == set(values)
    assert made.kind == ("file" if form.texts else "computed")
    assert made.root == len(form.levels)
    assert [finding for finding in check_taxonomies(database, ["x"]) if finding.severity == "error"] == []
    assert [f.check for f in check_taxonomies(database, ["x"]) if f.check != "no_coarser"] == []


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("name", "kind", "expected"),
    [
        (
            "country",
            "VARCHAR",
            {
                "IT": ("Southern Europe", "Southern Europe", "Europe", "World"),
                "NA": ("Southern Africa", "Sub-Saharan Africa", "Africa", "World"),
                "us": ("Northern America", "Northern America", "Americas", "World"),
            },
        ),
        ("country", "VARCHAR", {"PRT": ("Southern Europe", "Southern Europe", "Europe", "World")}),
        (
            "country",
            "VARCHAR",
            {
                "Mexico": ("Central America", "Latin America and the Caribbean", "Americas", "World"),
                "COTE D'IVOIRE": ("Western Africa", "Sub-Saharan Africa", "Africa", "World"),
                "United-States": ("Northern America", "Northern America", "Americas", "World"),
            },
        ),
        (
            "us_state",
            "VARCHAR",
            {
                "CA": ("Pacific", "West", "United States"),
                "DC": ("South Atlantic", "South", "United States"),
                "GU": ("Puerto Rico and the Island Areas", "Puerto Rico and the Island Areas", "United States"),
            },
        ),
        ("us_state", "VARCHAR", {"new york": ("Middle Atlantic", "Northeast", "United States")}),
        (
            "us_zip",
            "VARCHAR",
            {
                "12345": ("123", "1", "*"),
                "03601": ("000", "000", "*"),
                "69212-1234": ("000", "000", "*"),
                "021391234": ("021", "0", "*"),
            },
        ),
        ("us_zip", "INTEGER", {501: ("005", "0", "*"), 3601: ("000", "000", "*"), 99950: ("999", "9", "*")}),
        (
            "age",
            "INTEGER",
            {0: ("0-4", "0-9", "0-19", "*"), 89: ("85-89", "80-89", "80-89", "*"), 90: ("90 and over",) * 3 + ("*",)},
        ),
        ("age", "DOUBLE", {34.5: ("30-34", "30-39", "20-39", "*"), 89.99: ("85-89", "80-89", "80-89", "*")}),
        ("age", "VARCHAR", {"7": ("5-9", "0-9", "0-19", "*"), " 104 ": ("90 and over",) * 3 + ("*",)}),
        (
            "diagnosis",
            "VARCHAR",
            {
                "E11.9": ("E11", "E10-E14", "IV", "*"),
                "e119": ("E11", "E10-E14", "IV", "*"),
                "E11": ("E11", "E10-E14", "IV", "*"),
                "A17.0+": ("A17", "A15-A19", "I", "*"),
                "M10.-": ("M10", "M05-M14", "XIII", "*"),
                "U07.1": ("U07", "U00-U49", "XXII", "*"),
                "T98": ("T98", "T90-T98", "XIX", "*"),
            },
        ),
        ("diagnosis", "VARCHAR", {"E11": ("E10-E14", "IV", "*"), "c97": ("C97-C97", "II", "*")}),
        (
            "education",
            "VARCHAR",
            {
                "HS-grad": ("ISCED 3", "medium (ISCED 3-4)", "*"),
                "9th": ("ISCED 2", "low (ISCED 0-2)", "*"),
                "Prof-school": ("ISCED 7", "high (ISCED 5-8)", "*"),
            },
        ),
        ("education", "TINYINT", {0: ("low (ISCED 0-2)", "*"), 4: ("medium (ISCED 3-4)", "*")}),
        ("education", "VARCHAR", {"ED5": ("high (ISCED 5-8)", "*")}),
        ("education", "VARCHAR", {"Upper secondary": ("medium (ISCED 3-4)", "*")}),
        (
            "occupation",
            "VARCHAR",
            {
                "2512": (
                    "25 Information and communications technology professionals",
                    "2 Professionals",
                    "*",
                ),
                "0110": ("01 Commissioned armed forces officers", "0 Armed forces occupations", "*"),
                "200": ("2 Professionals, not further defined", "2 Professionals", "*"),
            },
        ),
        (
            "occupation",
            "BIGINT",
            {
                110: ("01 Commissioned armed forces officers", "0 Armed forces occupations", "*"),
                111: ("11 Chief executives, senior officials and legislators", "1 Managers", "*"),
            },
        ),
        ("occupation", "VARCHAR", {"OC21": ("2 Professionals", "*"), "9": ("9 Elementary occupations", "*")}),
        ("occupation", "VARCHAR", {"Sales Workers": ("5 Service and sales workers", "*")}),
        (
            "industry",
            "VARCHAR",
            {
                "01.11": (
                    "01 Crop and animal production, hunting and related service activities",
                    "A Agriculture, forestry and fishing",
                    "*",
                ),
                "C10.1": ("10 Manufacture of food products", "C Manufacturing", "*"),
                "6201": (
                    "62 Computer programming, consultancy and related activities",
                    "J Information and communication",
                    "*",
                ),
                "101": ("10 Manufacture of food products", "C Manufacturing", "*"),
            },
        ),
        ("industry", "INTEGER", {2: ("A Agriculture, forestry and fishing", "*"), 85: ("P Education", "*")}),
        ("month", "INTEGER", {1: ("Q1", "H1", "*"), 6: ("Q2", "H1", "*"), 12: ("Q4", "H2", "*")}),
        ("month", "VARCHAR", {"01": ("Q1", "H1", "*"), "7": ("Q3", "H2", "*")}),
        ("month", "VARCHAR", {"sept": None, "May": ("Q2", "H1", "*"), "NOV.": ("Q4", "H2", "*")}),
        ("weekday", "DOUBLE", {1.0: ("working week", "*"), 7.0: ("weekend", "*")}),
        ("weekday", "VARCHAR", {"sat": ("weekend", "*"), "Friday": ("working week", "*")}),
    ],
)
def test_paths_of_values(database, name, kind, expected):
    paths, _ = built(database, name, kind, [*expected, None])
    assert paths == {value: path for value, path in expected.items() if path is not None}


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("name", "kind", "known", "unknown"),
    [
        ("country", "VARCHAR", ["IT"], ["XX", "EU", "Italy", ""]),
        ("us_zip", "VARCHAR", ["12345"], ["1234", "00012", "12345-", "1234a", "123456"]),
        ("age", "INTEGER", [20], [-1, 151, 999]),
        ("diagnosis", "VARCHAR", ["E11.9", "E12.0"], ["D49", "M1A.0", "E1", "EE1", "250.00", "E11.90000"]),
        ("occupation", "VARCHAR", ["2512"], ["19", "9999", "25123", "0500", "developer"]),
        ("industry", "VARCHAR", ["62.01"], ["04", "00", "62.011", "100.1", "X62"]),
        ("industry", "INTEGER", [1011, 6201], [111, 400]),
        ("month", "INTEGER", [5], [0, 13]),
        ("weekday", "INTEGER", [5], [0, 8]),
    ],
)
def test_values_that_are_no_leaves_are_counted_by_the_check(database, name, kind, known, unknown):
    paths, _ = built(database, name, kind, [*known, *unknown])
    assert set(paths) == set(known)
    (missing,) = [finding for finding in check_taxonomies(database, ["x"]) if finding.check == "missing"]
    assert (missing.values, missing.records) == (len(unknown), len(unknown))


@pytest.mark.slow
def test_the_form_is_that_of_most_values(database):
    assert built(database, "country", "VARCHAR", ["IT", "FR", "DEU"])[1].form == "alpha-2"
    assert built(database, "country", "VARCHAR", ["ITA", "FRA", "DE"])[1].form == "alpha-3"
    assert built(database, "country", "VARCHAR", ["Italy", "FRA", "Germany"])[1].form == "names"


@pytest.mark.slow
def test_a_list_has_a_leaf_for_every_entry_and_spelling(database):
    built(database, "country", "VARCHAR", ["it", "FR"])
    assert ask(database, "SELECT count(*), count(DISTINCT code_1), max(code_0) FROM taxonomy.x") == [(250, 23, 250)]
    assert ask(database, "SELECT level_1 FROM taxonomy.x WHERE value IN ('it', 'IT')") == [("Southern Europe",)] * 2


@pytest.mark.slow
def test_numbers_are_in_order(database):
    assert built(database, "month", "INTEGER", [3, 1])[1].ordered
    assert ask(
        database, "SELECT value, code_0, code_1, code_2 FROM taxonomy.x WHERE value IN (1, 4, 12) ORDER BY 1"
    ) == [
        (1, 1, 1, 1),
        (4, 4, 2, 1),
        (12, 12, 4, 2),
    ]
    assert built(database, "age", "INTEGER", [3, 1, 95])[1].ordered
    assert not built(database, "us_zip", "INTEGER", [3601, 12345])[1].ordered


def test_a_column_of_something_else_is_refused(database):
    frequency_set(database, "VARCHAR", ["red", "green"])
    with pytest.raises(TaxonomyError, match=r"no value of column 'x' is in the shipped taxonomy 'country'.*alpha-2"):
        build_shipped(database, "x", "country")
    with pytest.raises(TaxonomyError, match=r"there is no shipped taxonomy 'colour'.*; there are age, country,"):
        build_shipped(database, "x", "colour")
    with pytest.raises(TaxonomyError, match="no leaves in the form 'alpha-9'; it has alpha-2, alpha-3, names"):
        build_shipped(database, "x", "country", form="alpha-9")


@pytest.mark.parametrize(
    ("name", "root", "value", "expected"),
    [
        ("us_zip", 3, "99501", ("995", "9", "*")),
        ("diagnosis", 4, "Z99.9", ("Z99", "Z80-Z99", "XXI", "*")),
        ("diagnosis", 3, "Z99", ("Z80-Z99", "XXI", "*")),
        ("occupation", 2, "25", ("2 Professionals", "*")),
        ("age", 4, "91", ("90 and over", "90 and over", "90 and over", "*")),
    ],
)
def test_values_of_a_later_export_find_their_path(database, name, root, value, expected):
    ask(database, f"CREATE OR REPLACE TEMP TABLE later AS SELECT '{value}' AS value UNION SELECT 'none of these'")
    assert database.rows(label_query(name, root, "later")) == [(value, *expected)]
    assert not all(form.texts for form in find_shipped(name).forms)


def test_a_form_of_lists_is_not_computed():
    with pytest.raises(TaxonomyError, match="has no form of codes with 4 levels"):
        label_query("country", 4, "later")
    assert all(form.texts for form in find_shipped("country").forms)


def test_values_are_read_as_listed_texts_are(shared):
    """The query that reads keys from values agrees with the one that reads them from the list."""
    texts = [
        text
        for shipped, form in FORMS
        for row in read_shipped(shipped.name)
        for column in form.texts
        for text in row[column].split("|")
    ]
    assert_same_keys(shared, texts)


@given(st.lists(st.text(st.characters(min_codepoint=32, max_codepoint=382, exclude_characters="ŀĿŉſĳĲ")), min_size=1))
def test_keys_of_any_latin_text(shared, texts):
    assert_same_keys(shared, texts)


def assert_same_keys(database, texts):
    from anonduck.statements import statement

    query = "CREATE OR REPLACE TEMP TABLE written AS SELECT unnest($texts::VARCHAR[]) AS value"
    database.run(Statement("fill", query, frozenset({"texts"})), {"texts": texts})
    rows = database.rows(statement("taxonomy/builders/shipped_keys_text.sql", table={"written": "written"}))
    assert {text: key for text, _, key in rows} == {text: key_of(text) for text in texts}


def test_the_command_lists_them_without_a_config(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["taxonomy", "list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["taxonomies"]
    assert [one["name"] for one in listed] == sorted(shipped.name for shipped in list_shipped())
    assert listed[1]["leaf_forms"] == ["alpha-2", "alpha-3", "names"]
    assert listed[1]["levels"] == ["intermediate region", "sub region", "region", "world"]
    assert run(["taxonomy", "list"]) == 0
    assert "any ZIP code of 5 or 9 digits" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_config_names_one_and_a_later_export_finds_its_paths(tmp_path):
    """A list is looked up by value; a code that the first export did not hold has a path by the rule."""
    first = pd.DataFrame({"zip": ["12345", "03601"], "country": ["IT", "NO"], "answer": ["yes", "no"]})
    later = pd.DataFrame({"zip": ["99501", "89301"], "country": ["DE", "NO"], "answer": ["yes", "no"]})
    later.to_parquet(tmp_path / "later.parquet")
    options = {"taxonomies": {"zip": {"shipped": "us_zip"}, "country": {"shipped": "country"}}, "requirement": {"k": 1}}
    with Project(source=first, class_="answer", **options) as project:
        project.build_taxonomies()
        rule = {"zip": 1, "country": 3}
        project.release(rule, tmp_path / "first.csv")
        project.release(rule, tmp_path / "later.csv", source=str(tmp_path / "later.parquet"))
        script = project.sql(rule)
    assert (tmp_path / "first.csv").read_text().splitlines()[1:] == ["000,Europe,no", "123,Europe,yes"]
    assert (tmp_path / "later.csv").read_text().splitlines()[1:] == ["000,Europe,no", "995,Europe,yes"]
    assert "Europe" in script
