"""Exports of taxonomies: each format whole and private, and back again without loss."""

import csv
import stat

import pandas as pd
import pytest
import yaml
from asking import ask

from anonduck import Project
from anonduck.errors import TaxonomyError
from anonduck.statements import Statement
from anonduck.taxonomy.catalog import register
from anonduck.taxonomy.files.export import export_taxonomy
from anonduck.taxonomy.files.files import import_plain

# value, level_1, level_2, level_3, code_0 ... code_3; one interval has no leaf, and the first is open below
LEAVES = [
    (-5, "(-inf, 10)", "(-inf, 20)", "*", 1, 1, 1, 1),
    (2, "(-inf, 10)", "(-inf, 20)", "*", 2, 1, 1, 1),
    (25, "[20, 30)", "[20, inf)", "*", 3, 3, 2, 1),
    (31, "[30, inf)", "[20, inf)", "*", 4, 4, 2, 1),
]
BOUNDS = [
    (None, "(-inf, 10)", "(-inf, 20)", "*", 1, 1, 1),
    (10, "[10, 20)", "(-inf, 20)", "*", 2, 1, 1),
    (20, "[20, 30)", "[20, inf)", "*", 3, 2, 1),
    (30, "[30, inf)", "[20, inf)", "*", 4, 2, 1),
]
PATH = "level_1 VARCHAR, level_2 VARCHAR, level_3 VARCHAR"
CODES = "code_1 INTEGER, code_2 INTEGER, code_3 INTEGER"
HEADER_FORMATS = ["csv", "parquet", "dbt"]


def fill(database, table, rows):
    marks = ", ".join(f"$p{at}" for at in range(len(rows[0])))
    for row in rows:
        parameters = {f"p{at}": value for at, value in enumerate(row)}
        database.run(Statement("fill", f"INSERT INTO {table} VALUES ({marks})", frozenset(parameters)), parameters)


def frequency_set(database, kind, values):
    ask(database, f'CREATE OR REPLACE TABLE frequency_set ("x@value" {kind}, "#records" BIGINT)')
    fill(database, "frequency_set", [(value, 1) for value in values])


def taxonomy(database):
    return ask(database, "SELECT * FROM taxonomy.x ORDER BY code_0")


def bounds(database):
    return ask(database, "SELECT * FROM bounds.x ORDER BY lower NULLS FIRST")


def columns(database, table):
    return ask(database, f"SELECT column_name, column_type FROM (DESCRIBE {table})")


def ending(format_):
    return {"parquet": "x.parquet"}.get(format_, "x.csv")


@pytest.fixture
def intervals(database):
    """A column of whole numbers with a taxonomy of intervals."""
    frequency_set(database, "INTEGER", [row[0] for row in LEAVES] + [None])
    ask(database, "CREATE SCHEMA taxonomy; CREATE SCHEMA bounds")
    ask(database, f"CREATE TABLE taxonomy.x (value INTEGER, {PATH}, code_0 INTEGER, {CODES})")
    ask(database, f"CREATE TABLE bounds.x (lower INTEGER, {PATH}, {CODES})")
    fill(database, "taxonomy.x", LEAVES)
    fill(database, "bounds.x", BOUNDS)
    register(database, "x", kind="intervals", ordered=True, origin="test", options={"kind": "intervals"})
    return database


# -- what is written ---------------------------------------------------------------------------------------------------


def test_plain_csv_has_a_header_and_the_bounds(intervals, tmp_path):
    path = tmp_path / "x.csv"
    assert export_taxonomy(intervals, "x", path, format_="csv") == [path]
    assert path.read_text(encoding="utf-8").splitlines() == [
        "value,level_1,level_2,level_3,lower_bound",
        '-5,"(-inf, 10)","(-inf, 20)",*,',
        '2,"(-inf, 10)","(-inf, 20)",*,',
        ',"[10, 20)","(-inf, 20)",*,10',
        '25,"[20, 30)","[20, inf)",*,20',
        '31,"[30, inf)","[20, inf)",*,30',
    ]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_an_arx_hierarchy_has_no_header_and_no_bounds(intervals, tmp_path):
    path = tmp_path / "x.csv"
    export_taxonomy(intervals, "x", path)
    assert path.read_text(encoding="utf-8").splitlines() == [
        "-5;(-inf, 10);(-inf, 20);*",
        "2;(-inf, 10);(-inf, 20);*",
        "25;[20, 30);[20, inf);*",
        "31;[30, inf);[20, inf);*",
    ]


def test_a_seed_of_dbt_has_its_properties_beside_it(intervals, tmp_path):
    path, beside = tmp_path / "age.csv", tmp_path / "age.yml"
    assert export_taxonomy(intervals, "x", path, format_="dbt") == [path, beside]
    assert stat.S_IMODE(beside.stat().st_mode) == 0o600
    (seed,) = yaml.safe_load(beside.read_text(encoding="utf-8"))["seeds"]
    assert seed["name"] == "age"
    with path.open(encoding="utf-8", newline="") as lines:
        assert list(seed["config"]["column_types"]) == next(csv.reader(lines))
    assert seed["config"]["column_types"]["value"] == "integer"
    assert [column["name"] for column in seed["columns"]] == ["value", "level_1", "level_2", "level_3", "lower_bound"]


def test_a_seed_without_intervals_tests_its_values(database, tmp_path):
    frequency_set(database, "VARCHAR", ["a", "b"])
    source = tmp_path / "h.csv"
    source.write_text("a;x;*\nb;x;*\n", encoding="utf-8")
    import_plain(database, source, "x")
    export_taxonomy(database, "x", tmp_path / "seed.csv", format_="dbt")
    (seed,) = yaml.safe_load((tmp_path / "seed.yml").read_text(encoding="utf-8"))["seeds"]
    assert seed["columns"][0] == {
        "name": "value",
        "description": "A value of the column x.",
        "data_tests": ["not_null", "unique"],
    }


def test_parquet_keeps_the_type_of_the_values(intervals, tmp_path):
    path = tmp_path / "x.parquet"
    export_taxonomy(intervals, "x", path, format_="parquet")
    assert columns(intervals, f"SELECT * FROM '{path}'") == [
        ("value", "INTEGER"),
        ("level_1", "VARCHAR"),
        ("level_2", "VARCHAR"),
        ("level_3", "VARCHAR"),
        ("lower_bound", "INTEGER"),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("format_", "name", "options", "words"),
    [
        ("xml", "x.xml", {}, "no export format 'xml'; choose among arx, csv, parquet, dbt"),
        ("parquet", "x.parquet", {"sep": ","}, "has no separator"),
        ("dbt", "x.txt", {}, "a dbt seed is a CSV file"),
        ("dbt", "x.csv", {"header": False}, "a dbt seed is a CSV file"),
        ("dbt", "taken.csv", {}, "taken.yml exists"),
        ("csv", "taken.yml", {}, "taken.yml exists"),
    ],
)
def test_exports_that_are_refused(intervals, tmp_path, format_, name, options, words):
    (tmp_path / "taken.yml").write_text("mine", encoding="utf-8")
    with pytest.raises(TaxonomyError, match=words):
        export_taxonomy(intervals, "x", tmp_path / name, format_=format_, **options)
    assert [path.name for path in tmp_path.iterdir()] == ["taken.yml"]
    assert (tmp_path / "taken.yml").read_text(encoding="utf-8") == "mine"


# -- and back ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.some(4)
@pytest.mark.parametrize("format_", ["arx", *HEADER_FORMATS])
@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (
            "VARCHAR",
            ["a", 'say "b"', "c;d,e", "line\nbreak", " blank ", "", "NULL", "NA", "0012", "12", "é|日", "*", "%", "#"],
        ),
        ("DOUBLE", [0.1, -1e300, 5e-324, float("inf")]),
        ("DATE", ["2020-02-29", "1970-01-01"]),
        ("TIMESTAMP", ["2020-02-29 12:30:00.000001", "1970-01-01"]),
        ("DECIMAL(38, 10)", ["1234567890123456789.0123456789", "-0.0000000001"]),
        ("BOOLEAN", [True, False]),
        ("HUGEINT", [170141183460469231731687303715884105727, -1]),
    ],
)
def test_any_leaf_comes_back(database, tmp_path, format_, kind, values):
    frequency_set(database, kind, values)
    ask(
        database,
        "CREATE SCHEMA taxonomy; CREATE TABLE taxonomy.x AS "
        "SELECT \"x@value\" AS value, CASE WHEN number % 2 = 0 THEN 'even, \"2\"' ELSE 'odd;' END AS level_1, "
        "'*' AS level_2, number::INTEGER AS code_0, 2 - (number % 2)::INTEGER AS code_1, 1 AS code_2 "
        'FROM (SELECT "x@value", row_number() OVER (ORDER BY "x@value") AS number FROM frequency_set)',
    )
    register(database, "x", kind="file", ordered=False, origin="test", options={})
    before, types = taxonomy(database), columns(database, "taxonomy.x")
    path = tmp_path / ending(format_)
    export_taxonomy(database, "x", path, format_=format_)
    ask(database, "DROP TABLE taxonomy.x")
    import_plain(database, path, "x")
    assert taxonomy(database) == before
    assert columns(database, "taxonomy.x") == types


@pytest.mark.slow
@pytest.mark.some(5)
@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (("25,", "x,"), "line 5 does not begin with a value"),
        (("*,30", "*,high"), "line 6 ends with a bound that is not a value"),
        (('"[30, inf)"', '""'), "line 6 has an empty label"),
        (("*,30", "*,30,1"), "line 6 has another number of fields"),
        (("\n2,", "\n-5,"), "line 2 holds a value that stands on another line too"),
        (("*,\n2", "*,3\n2"), "line 3 gives an interval of level 1 a second lower bound"),
        (("25,", "35,"), "1 leaves lie outside the bounds"),
        (('[20, inf)",*,30', '(-inf, 20)",+,30'), "the levels do not nest|the last labels are not one root"),
    ],
)
def test_broken_files_of_intervals_are_refused_and_nothing_changes(intervals, tmp_path, edit, words):
    path = tmp_path / "x.csv"
    export_taxonomy(intervals, "x", path, format_="csv")
    text = path.read_text(encoding="utf-8")
    assert edit[0] in text
    path.write_text(text.replace(*edit, 1), encoding="utf-8")
    with pytest.raises(TaxonomyError, match=words):
        import_plain(intervals, path, "x")
    assert (taxonomy(intervals), bounds(intervals)) == (LEAVES, BOUNDS)


def test_a_file_that_is_no_parquet(database, tmp_path):
    frequency_set(database, "VARCHAR", ["a"])
    path = tmp_path / "x.parquet"
    with pytest.raises(TaxonomyError, match=r"there is no taxonomy file .*x.parquet"):
        import_plain(database, path, "x")
    path.write_text("a;b", encoding="utf-8")
    with pytest.raises(TaxonomyError, match="cannot be read as Parquet"):
        import_plain(database, path, "x")


def test_parquet_names_rows_in_its_faults(database, tmp_path):
    frequency_set(database, "VARCHAR", ["a", "b"])
    path = tmp_path / "x.parquet"
    ask(database, f"COPY (FROM (VALUES ('a', 'g', '*'), ('b', NULL, '*')) AS t(leaf, middle, root)) TO '{path}'")
    with pytest.raises(TaxonomyError, match=r"x.parquet, line 2"):
        import_plain(database, path, "x")


# -- files of others ---------------------------------------------------------------------------------------------------

ARX = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]


@pytest.fixture(scope="module")
def adult(data_dir):
    """ARX's own Adult with ARX's own hierarchies."""
    folder = data_dir / "arx"
    with Project(source=str(folder / "adult.csv"), class_="salary-class", requirement={"k": 1}) as project:
        for name in ARX:
            project.import_taxonomies(folder / f"adult_hierarchy_{name}.csv", column=name)
        yield project, folder


@pytest.mark.slow
@pytest.mark.parametrize("name", ARX)
def test_arx_hierarchies_are_exported_as_they_came(adult, tmp_path, name):
    project, folder = adult
    export_taxonomy(project.database, name, tmp_path / "out.csv")
    came = hierarchy(folder / f"adult_hierarchy_{name}.csv")
    assert sorted(hierarchy(tmp_path / "out.csv")) == sorted(came)


def hierarchy(path):
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.reader(lines, delimiter=";"))


@pytest.mark.slow
@pytest.mark.some(2)
@pytest.mark.parametrize("format_", HEADER_FORMATS)
@pytest.mark.parametrize(
    "builder",
    [
        {"intervals": 2},
        {"width": 10, "bottom": 0, "top": 60},
        {"quantiles": [4, 2]},
        {"log": 10},
        {"breaks": [[-10, 0, 20, 40, 60], [0, 40]]},
    ],
    ids=lambda builder: next(iter(builder)),
)
def test_built_intervals_come_back_and_place_unseen_values_alike(tmp_path, builder, format_):
    """Intervals without a leaf included: the value 45 lies in a gap of the source."""
    source = pd.DataFrame({"x": [-50, -3, 1, 2, 9, 10, 11, 27, 55, 70, 71, 700], "answer": ["yes", "no"] * 6})
    path = tmp_path / ending(format_)
    with Project(source=source, class_="answer", taxonomies={"x": builder}, requirement={"k": 1}) as project:
        project.build_taxonomies()
        before = (taxonomy(project.database), bounds(project.database))
        names = columns(project.database, "taxonomy.x"), columns(project.database, "bounds.x")
        export_taxonomy(project.database, "x", path, format_=format_)
        project.import_taxonomies(path, column="x")
        assert (taxonomy(project.database), bounds(project.database)) == before
        assert (columns(project.database, "taxonomy.x"), columns(project.database, "bounds.x")) == names
        assert project.taxonomies["x"].kind == "intervals"
