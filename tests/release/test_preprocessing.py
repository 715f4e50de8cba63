"""Pre-processing before flexible generalization: the release is that of a source which was pre-processed by hand."""

import contextlib
import datetime
import json
from collections import Counter
from fractions import Fraction
from math import inf

import duckdb
import numpy as np
import pandas as pd
import pytest
from class_oracle import frame_of, parquet, sorted_rows, taxonomy_files
from duck_writer import DuckWriter
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import CLASS, tables

from anonduck import Project, audit
from anonduck.cli.app import run
from anonduck.engines import opened
from anonduck.errors import ConfigError, ReleaseError, RequirementNotMet, TaxonomyError
from anonduck.models import usefulness
from anonduck.release.preprocessing import number_ranges


@pytest.fixture(autouse=True)
def few_trees(monkeypatch):
    monkeypatch.setattr(usefulness, "TREES", 3)


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("0..120", (0, 120)),
        ("-1.5..-1.5", (-1.5, -1.5)),
        ("0..", (0, inf)),
        ("..7", (-inf, 7)),
        (" 1 .. 2 ", (1, 2)),
        ("120..0", None),
        ("..", None),
        ("5", None),
        ("", None),
        ("low..high", None),
        ("nan..1", None),
    ],
)
def test_ranges_of_numbers_as_the_option_writes_them(text, bounds):
    option = {"outliers": json.dumps({"age": text})}
    if bounds is not None:
        assert number_ranges(option) == {"age": bounds}
        return
    with pytest.raises(ConfigError, match="range of 'age' in the option 'outliers'"):
        number_ranges(option)


# -- the oracle --------------------------------------------------------------------------------------------------------


def typical(values, k, *, number):
    """What is imputed: the number nearest to the mean, or the rarest value, of those that k records hold."""
    held = {value: count for value, count in sorted(Counter(values).items()) if count >= k}
    if not held:
        return None
    mean = Fraction(sum(values), len(values))
    return min(held, key=lambda value: abs(value - mean)) if number else min(held, key=held.get)


def prepared(names, rows, ordered, k, impute, ranges):
    """The rows as pre-processed, and what the receipt says of each column that may have changed."""
    rows, told = [list(row) for row in rows], []
    for i, name in enumerate(names):
        if not impute and name not in ranges:
            continue
        least, largest = ranges.get(name, (-np.inf, np.inf))
        missing = [row for row in rows if row[i] is None]
        outliers = [row for row in rows if row[i] is not None and not least <= row[i] <= largest]
        known = [row[i] for row in rows if row not in missing and row not in outliers]
        value = typical(known, k, number=ordered[name]) if impute else None
        for row in (*missing, *outliers):
            row[i] = value
        imputed = 0 if value is None else len(missing) + len(outliers)
        told.append({"name": name, "missing": len(missing), "outliers": len(outliers), "imputed": imputed})
    return [tuple(row) for row in rows], told


@contextlib.contextmanager
def project(names, rows, taxonomies, k):
    frame = frame_of(names, rows)
    frame["secret"] = [f"s{number % 2}" for number in range(len(rows))]
    frame["number"] = range(len(rows))
    roles = {"class_": CLASS, "sensitive": ["secret"], "insensitive": ["number"], "taxonomies": taxonomies}
    with Project(source=frame, **roles, requirement={"k": k}) as one:
        yield one


def released(one, path, settings):
    """The receipt of a release, or the kind of error that says why there is none."""
    try:
        return one.anonymize("flexible", path, settings=settings, overwrite=True).owner
    except (ReleaseError, RequirementNotMet) as error:
        return type(error)


@pytest.mark.slow
@examples(12)
@given(tables(max_rows=14), st.integers(1, 3), st.booleans(), st.randoms(use_true_random=False))
def test_a_release_is_that_of_a_source_that_was_prepared(tmp_path_factory, drawn, k, impute, random):
    """With its measures, whose k is in the file, and in which every record is; the receipt counts what was changed.

    By both ways to choose levels, of each source that was opened.
    """
    names, paths, rows = drawn
    folder = tmp_path_factory.mktemp("prepared")
    taxonomies = taxonomy_files(folder, names, paths)
    ranges = {name: (random.randint(0, 1), random.randint(1, 3)) for name in names if random.random() < 0.5}
    if not impute and not ranges:
        ranges = {names[0]: (0, 1)}
    settings = {
        "missing": "impute" if impute else "keep",
        "outliers": json.dumps({name: f"{least}..{largest}" for name, (least, largest) in ranges.items()}),
    }
    with project(names, rows, taxonomies, k) as one:
        made = {
            levels: released(one, folder / f"{levels}.parquet", {"levels": levels, **settings})
            for levels in ("rule", "least")
        }
        built = any(isinstance(receipt, dict) for receipt in made.values())
        ordered = {name: one.workspace.taxonomies[name].ordered if built else True for name in names}
    changed, told = prepared(names, rows, ordered, k, impute, ranges)
    with project(names, changed, taxonomies, k) as one:
        for levels, receipt in made.items():
            path, expected_path = folder / f"{levels}.parquet", folder / "expected.parquet"
            expected = released(one, expected_path, {"levels": levels})
            if not isinstance(receipt, dict):
                assert expected is receipt
                continue
            assert receipt["utility"] == expected["utility"]
            assert receipt["columns"] == expected["columns"]
            check_prepared(receipt, path, expected_path, names, rows, changed, told, k)


def check_prepared(receipt, path, expected_path, names, rows, changed, told, k):
    """The records of both files are the same, and what the receipt tells of them is so."""
    (shown_names, shown_rows), (expected_names, expected_rows) = parquet(path), parquet(expected_path)
    assert sorted_rows(shown_rows) == sorted_rows(expected_rows)
    assert shown_names == expected_names
    quasi = [name for name in shown_names if name in names]
    assert audit(path, quasi, requirements={"k": k}).met
    assert sorted(row[-1] for row in shown_rows) == list(range(len(rows)))
    found = receipt["method"]["found"]["preprocessing"]
    records = Counter((*row, number % 2) for number, row in enumerate(rows))
    assert found["equal"] == sum(count - 1 for count in records.values())
    assert [{name: one[name] for name in one if name != "shown"} for one in found["columns"]] == told
    shown = {row[-1]: dict(zip(shown_names, row, strict=True)) for row in shown_rows}
    for one in found["columns"]:
        place = names.index(one["name"])
        cells = [
            shown[number].get(one["name"], "*")
            for number, (before, after) in enumerate(zip(rows, changed, strict=True))
            if before[place] != after[place] and after[place] is not None
        ]
        assert one["imputed"] == len(cells)
        assert one["shown"] == sum(str(label) != "*" for label in cells)


# -- what is imputed ---------------------------------------------------------------------------------------------------


def made(frame, folder, **settings):
    """The records of a release by least levels in their order, and what the receipt says."""
    frame = frame.assign(number=range(len(frame)), group=["a", "b"] * (len(frame) // 2))
    return made_of(frame, len(frame), folder, **settings)


def made_of(source, records, folder, **settings):
    """The same of a source with columns ``number``, the place of a record, and ``group``."""
    taxonomies = settings.pop("taxonomies", {})
    roles = {"class_": "group", "insensitive": ["number"], "requirement": {"k": 2}, "taxonomies": taxonomies}
    settings = {"levels": "least", "missing": "impute"} | settings
    with Project(source=source, **roles) as one:
        found = one.anonymize("flexible", folder / "out.parquet", settings=settings, unmapped="root")
    names, rows = parquet(folder / "out.parquet")
    assert len(rows) == records
    rows.sort(key=lambda row: row[names.index("number")])
    return [dict(zip(names, row, strict=True)) for row in rows], found.owner


def test_numbers_take_the_value_nearest_to_the_mean_and_texts_the_rarest(tmp_path):
    """The mean is 22.875, which the outlier would have changed; 23 is nearer, but one person's alone."""
    ages = pd.array([10, 10, 20, 20, None, 40, 40, 20, 23, 500], dtype="Int64")
    jobs = ["cook", "cook", "cook", "cook", None, "smith", "smith", "cook", "cook", "smith"]
    rows, receipt = made(pd.DataFrame({"age": ages, "job": jobs}), tmp_path, outliers="age=..120")
    first, last = receipt["method"]["found"]["preprocessing"]["columns"]
    assert (first["name"], first["missing"], first["outliers"], first["imputed"]) == ("age", 1, 1, 2)
    assert (last["name"], last["missing"], last["outliers"], last["imputed"]) == ("job", 1, 0, 1)
    assert rows[4]["job"] == rows[9]["job"] == "smith"
    assert str(rows[4]["age"]) == str(rows[9]["age"]) == "20"


@pytest.mark.slow
def test_a_value_that_fewer_than_k_records_hold_is_not_imputed(tmp_path):
    """The rarest job is one person's: to show it where nobody has it would publish it."""
    jobs = ["cook"] * 4 + ["smith"] * 3 + ["spy"] + [None] * 4
    rows, _ = made(pd.DataFrame({"job": jobs}), tmp_path)
    assert [row["job"] for row in rows[8:]] == ["smith"] * 4
    assert "spy" not in {row["job"] for row in rows}


@pytest.mark.slow
def test_nothing_is_imputed_where_k_records_hold_no_value(tmp_path):
    frame = pd.DataFrame({"job": ["cook"] * 4 + ["smith"] * 4, "size": pd.array([1.5, 2.5] + [None] * 6)})
    frame["size"] = frame["size"].astype(float)
    rows, receipt = made(frame, tmp_path, outliers="size=0..")
    size = receipt["method"]["found"]["preprocessing"]["columns"][1]
    assert (size["missing"], size["imputed"]) == (6, 0)
    assert not [words for words in receipt["remarks"] if "imputed" in words]
    assert all(row.get("size") in {None, "*"} for row in rows)


@pytest.mark.slow
def test_a_value_that_its_taxonomy_does_not_know_is_not_imputed(tmp_path):
    (tmp_path / "jobs.csv").write_text("cook,warm,*\nsmith,cold,*\n")
    jobs = ["cook"] * 4 + ["smith"] * 3 + ["spy"] * 2 + [None] * 3
    taxonomies = {"job": {"file": str(tmp_path / "jobs.csv"), "header": False}}
    rows, _ = made(pd.DataFrame({"job": jobs}), tmp_path, taxonomies=taxonomies)
    assert [row["job"] for row in rows[9:]] == ["smith"] * 3


@pytest.mark.some(1)
@pytest.mark.parametrize("missing", ["impute", "keep"])
def test_an_outlier_need_not_be_in_a_taxonomy(tmp_path, missing):
    (tmp_path / "ages.csv").write_text("10,young,*\n20,young,*\n40,old,*\n")
    frame = pd.DataFrame({"age": [10] * 3 + [20] * 3 + [40] * 2 + [500, 501], "group": ["a", "b"] * 5})
    taxonomies = {"age": {"file": str(tmp_path / "ages.csv"), "header": False}}
    options = {"missing": missing, "outliers": "age=0..120", "levels": "least"}
    with Project(source=frame, class_="group", taxonomies=taxonomies, requirement={"k": 2}) as one:
        with pytest.raises(TaxonomyError, match="lacks 2 of its values"):
            one.anonymize("flexible", dry_run=True, settings={"levels": "least"})
        one.anonymize("flexible", tmp_path / "out.parquet", settings=options)
    ages = Counter(row[0] for row in parquet(tmp_path / "out.parquet")[1])
    assert ages == ({10: 3, 20: 5, 40: 2} if missing == "impute" else {10: 3, 20: 3, 40: 2, None: 2})


@pytest.mark.slow
def test_dates_have_a_mean_and_neither_zeros_nor_numbers_that_are_none_lose_a_record(tmp_path):
    days = [datetime.date(2020, 1, day) for day in (1, 1, 11, 11, 12, 12, 30, 30)]
    frame = pd.DataFrame(
        {
            "since": pd.Series([*days, None, None], dtype="object"),
            "size": [0.0, -0.0, 0.0, -0.0, np.nan, np.nan, 1e308, 1e308, -np.inf, np.inf],
        }
    )
    source = duckdb.from_df(frame).select('CAST("since" AS DATE) AS since, "size"').df()
    source["since"] = pd.Series([*days, None, None], dtype="object")
    rows, receipt = made(source, tmp_path, outliers="size=-1e308..1e308")
    since, size = receipt["method"]["found"]["preprocessing"]["columns"]
    assert (since["missing"], since["imputed"]) == (2, 2)
    assert str(rows[8]["since"]) == str(rows[9]["since"])
    assert (size["missing"] + size["outliers"], size["imputed"]) == (4, 4)


@pytest.mark.slow
def test_an_infinite_date_is_neither_in_the_mean_nor_imputed(tmp_path):
    days = ["2020-01-01", "2020-01-01", "2020-01-09", "2020-01-09", "2020-01-30", "2020-01-30", "infinity", "infinity"]
    held = pd.DataFrame({"day": [*days, None, None], "number": range(10), "group": ["a", "b"] * 5})
    with duckdb.connect() as connection:
        source = connection.from_df(held).select('CAST("day" AS DATE) AS since, number, "group"')
        rows, receipt = made_of(source, 10, tmp_path)
    (since,) = receipt["method"]["found"]["preprocessing"]["columns"]
    assert (since["missing"], since["imputed"]) == (2, 2)
    assert str(rows[8]["since"]) == str(rows[9]["since"]) == "2020-01-09"


@pytest.mark.slow
def test_bounds_of_single_precision_are_numbers_of_the_column(tmp_path):
    frame = pd.DataFrame({"size": np.array([0.1] * 4 + [0.2] * 4, dtype="float32")})
    _, receipt = made(frame, tmp_path, outliers="size=0.1..0.2", missing="keep")
    assert receipt["method"]["found"]["preprocessing"]["columns"][0]["outliers"] == 0


# -- where it is told, and what is refused -----------------------------------------------------------------------------


ROLES = {"class_": "class", "sensitive": ["illness"], "requirement": {"k": 5}}


def persons(rows=120, seed=1):
    drawn = np.random.default_rng(seed)
    ages = pd.array(drawn.integers(18, 60, rows), dtype="Int64")
    ages[::11], ages[7] = pd.NA, 500
    jobs = drawn.choice(["clerk", "cook", "nurse", None], rows)
    illness = drawn.choice(["flu", "gout", "none"], rows)
    return pd.DataFrame({"age": ages, "job": jobs, "illness": illness, "class": drawn.choice(["a", "b"], rows)})


@pytest.fixture
def config(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    persons().to_parquet("persons.parquet")
    (tmp_path / "anonduck.yml").write_text(
        "source: persons.parquet\nclass: class\nsensitive: [illness]\nrequirement: {k: 5}\n"
    )
    return tmp_path


SET = ["--set", "missing=impute", "--set", "outliers=age=0..120"]


@pytest.mark.slow
def test_the_command_and_the_receipt_tell_what_was_done(config, capsys):
    assert run(["anonymize", "flexible", "-o", "out.parquet", *SET]) == 0
    told = capsys.readouterr()
    assert "pre-processing: age 11 missing, 1 outside its range, 12 imputed (" in told.out
    assert "; job " in told.out
    assert "repeat another, and all stay" in told.out
    assert "hold an imputed value. " in told.err
    assert "imputed values: 12 of 'age', " in told.err
    assert "12 of" not in (config / "out.parquet.receipt.json").read_text()
    found = json.loads((config / "out.parquet.owner.json").read_text())["method"]
    assert found["options"]["outliers"] == "age=0..120"
    age, job = found["found"]["preprocessing"]["columns"]
    assert (age["missing"], age["outliers"], age["imputed"]) == (11, 1, 12)
    assert job["missing"] == job["imputed"] == int(persons().job.isna().sum())
    assert run(["anonymize", "flexible", "--dry-run", "--json"]) == 0
    assert "preprocessing" not in json.loads(capsys.readouterr().out)["method"]["found"]


@pytest.mark.some(1)
@pytest.mark.parametrize("missing", ["keep", "impute"])
def test_its_release_is_a_script_too(config, missing):
    options = {"missing": missing, "outliers": "age=0..120"}
    with Project(source="persons.parquet", methods={"flexible": options}, **ROLES) as one:
        one.anonymize("flexible", "out.parquet")
        script = one.sql("flexible")
    assert sorted_rows(duckdb.sql(script).fetchall()) == sorted_rows(parquet("out.parquet")[1])


@pytest.mark.slow
@pytest.mark.parametrize("missing", ["keep", "impute"])
def test_an_engine_writes_the_same_records(config, monkeypatch, missing):
    """It looks up what the source has, which classes no longer have."""
    engine = DuckWriter()
    engine.connection.execute("CREATE TABLE t AS FROM 'persons.parquet'")
    monkeypatch.setitem(opened.KINDS, "spark", lambda session, master: engine)
    options = {"methods": {"flexible": {"missing": missing, "outliers": "age=0..120"}}}
    with Project(source="persons.parquet", **ROLES, **options) as one:
        one.anonymize("flexible", "out.parquet")
    with Project(source="table:t", engine={"kind": "spark"}, **ROLES, **options) as one:
        one.anonymize("flexible", "spark:there")
    assert sorted_rows(engine.connection.table("there").fetchall()) == sorted_rows(parquet("out.parquet")[1])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("age", "takes COLUMN=LEAST..LARGEST, separated by commas, or a JSON object"),
        ("age=120", "the range of 'age' in the option 'outliers' is LEAST..LARGEST"),
        ("age=..", "two numbers of which one may be left out, such as 0..120 or 0..; not '..'"),
        ("age=9..1", "not '9..1'"),
        ("age=old..", "not 'old..'"),
        ("age=nan..1", "not 'nan..1'"),
        ('{"age": 5}', "not 5"),
        ("age=0..1, age=0..9", "the option 'outliers' names a column twice; name each of 'age' once"),
        ('{"age"', "is no JSON"),
        ("illness=0..1", "names 'illness', which is no quasi-identifier; those are 'age', 'job'"),
        ("job=0..1", "the option 'outliers' takes columns of numbers; 'job' is VARCHAR"),
    ],
)
def test_what_is_no_range_is_refused(config, capsys, text, words):
    assert run(["anonymize", "flexible", "--dry-run", "--set", f"outliers={text}"]) == 2
    assert words in capsys.readouterr().err


def test_another_way_with_missing_values_is_refused():
    with (
        Project(source=persons(), class_="class", requirement={"k": 5}) as one,
        pytest.raises(ConfigError, match="is keep or impute, not 'drop'"),
    ):
        one.anonymize("flexible", dry_run=True, settings={"missing": "drop"})
