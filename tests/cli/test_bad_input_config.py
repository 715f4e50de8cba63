"""Configs that are not what they must be: each message names the key, what is allowed and what came."""

import numpy as np
import pytest
from bad_inputs import CONFIG, GOOD, RELEASE, ROWS, accepted, laid_out, refused

from anonduck import Project
from anonduck.cli.app import run
from anonduck.config.reading import make_config
from anonduck.errors import ConfigError

ONLY = {"s.csv": GOOD}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("source: [s.csv\nclass: c\n", r"anonduck\.yml, line 2 is not valid YAML"),
        ("source:\ts.csv\n", "line 1 is not valid YAML"),
        ("source: !!python/object/apply:os.system ['echo hi']\nclass: c\n", "could not determine a constructor"),
        (CONFIG + "class: job\n", "line 3 .* the key 'class' occurs twice; merge the two"),
        (CONFIG + "types: {age: BIGINT, age: VARCHAR}\n", "the key 'age' occurs twice"),
        (
            CONFIG + "identifiers: &i [age]\nsensitive: *i\n",
            r"line 4 .* YAML aliases such as \*i are not supported; write out",
        ),
        (CONFIG + "where: " + "[" * 5000 + "]" * 5000, "not valid YAML"),
        ("- a\n- b\n", "must be a mapping"),
        ("source: s.csv\nmodels: [tree]\n", "models: models predict the class, and there is no class; name one"),
        ("source: s.csv\nclass: [a]\n", "class: it should be a valid string; it is a list"),
        ("source: s.csv\nclass: ''\n", "class: .*at least 1"),
        (
            "source: s.csv\nclass: no\n",
            r"the column 'no' \(class\), which the source s\.csv lacks; existing columns: 'age'",
        ),
        ("class: c\n", "no source; name a file, a glob or a table"),
    ],
)
def test_text(capsys, tmp_path, text, words):
    refused(capsys, laid_out(tmp_path, ONLY, text), words)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("quasi: [age]", "unknown key quasi; known keys are source, engine, where, class, identifiers"),
        (f"csv: {{skip: {10**30}}}", r"csv\.skip.*less than or equal to 9007199254740992"),
        (f"taxonomies: {{job: {{prefix: [{10**30}]}}}}", "a falling list of whole numbers from 1 to 9007199254740992"),
        (
            f"taxonomies: {{job: {{mask: right, length: {10**30}}}}}",
            "length is a whole number from 1 to 9007199254740992",
        ),
        ("csv: {sep: ';'}", r"unknown key csv\.sep; known keys are delim, quote"),
        ("requirement: {kk: 5}", r"unknown key requirement\.kk .did you mean 'k'..$"),
        (
            "taxonomies: {age: {interval: 5}}",
            r"unknown key taxonomies\.age\.interval .did you mean 'intervals'..$",
        ),
        (
            "sensitive: [nope]",
            r"names the column 'nope' \(sensitive\), which the source s\.csv lacks; existing columns",
        ),
        (
            "sensitive: [age]\nidentifiers: [age]",
            r"column 'age' has 2 roles \(identifiers, sensitive\); a column can have only one",
        ),
        ("quasi_identifiers: [null]", r"quasi_identifiers\.0: a column's name is text; one that is called null"),
        ("identifiers: [age, job]", "no quasi-identifier; name at least one"),
        ("taxonomies: {c: {clusters: true}}", r"taxonomies\.c: 'c' is not a quasi-identifier; those are 'age', 'job'"),
        ("taxonomies: {age: intervals}", "taxonomies.age: it should be"),
        ("taxonomies: {age: {intervals: 2, clusters: true}}", r"taxonomies\.age.*intervals, clusters"),
        ("taxonomies: {age: {intervals: 1}}", r"taxonomies\.age\.intervals: it should be greater than or equal to 2"),
        ("requirement: {k: many}", r"requirement\.k: it should be a valid integer.*; it is 'many'"),
        ("requirement: {k: -1}", r"requirement\.k: it should be greater than or equal to 1; it is '-1'"),
        ("requirement: 5", "requirement: it should be a valid dictionary .*; it is '5'"),
        ("coverage: [0]", r"coverage\.0: it should be greater than 0; it is '0'"),
        ("coverage: 0.1", "coverage: it should be a valid list; it is '0.1'"),
        (
            "models: [oracle]",
            "models: unknown model 'oracle'; choose among tree, svm, logistic, forest, bayes, boosting, or the import",
        ),
        ("requirement: {k: true}", r"requirement\.k: it should be a valid integer; it is 'True'"),
        ("requirement: {k: '5'}", r"requirement\.k: it should be a valid integer; it is '5'"),
        (
            "requirement: {prosecutor_risk: true}",
            r"requirement\.prosecutor_risk: it should be a valid number; it is 'T",
        ),
        ("weights: {age: true}", r"weights\.age: it should be a valid number; it is 'True'"),
        ("time_limit: '60'", "time_limit: it should be a valid number; it is '60'"),
        ("csv: {skip: true}", r"csv\.skip: it should be a valid integer; it is 'True'"),
        ("taxonomies: {age: {intervals: '5'}}", r"taxonomies\.age\.intervals: it should be a valid integer"),
        ("sample: some", r"sample: it should be a valid integer.*; it is 'some'; sample: it should be 'all'"),
        ("nulls: maybe", "nulls: it should be 'value' or 'reject'; it is 'maybe'"),
        ("threads: 0", "threads: it should be greater than or equal to 1"),
        ("seed: 4294967296", "seed: it should be less than or equal to 4294967295; it is '4294967296'"),
        ("threads: 100000", "threads: it should be less than or equal to 1024"),
        ("memory_limit: lots", "DuckDB does not take memory_limit = lots"),
        ("types: VARCHAR", "types: it should be a valid dictionary; it is 'VARCHAR'"),
        ("types: {age: WHATEVER}", r"types\.age: 'WHATEVER' is not a DuckDB type, such as VARCHAR"),
        ("types: {age: \"ENUM (SELECT content FROM read_text('/etc/hostname'))\"}", r"is not a DuckDB type"),
        ("types: {age: 'INT), getenv(1'}", r"types\.age: .* is not a DuckDB type"),
        ("timezone: Atlantis/Capital", "timezone: DuckDB knows no time zone 'Atlantis/Capital'; write one such as UTC"),
        ("types: {aage: VARCHAR}", "types names the column 'aage', which the source s.csv lacks; existing columns"),
        ("types: {age: 'INTEGER[]'}", r"'age' is a quasi-identifier of type INTEGER\[\]; a nested value"),
        ("database: nope/x.duckdb", "there is no folder .*nope for the decision database"),
        ("database: s.csv", r"s\.csv is not a DuckDB database; move it away, or name another with `database:`"),
    ],
)
def test_keys(capsys, tmp_path, line, words):
    refused(capsys, laid_out(tmp_path, ONLY, f"{CONFIG}{line}\n"), words)


@pytest.mark.some(17)
@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("age >", "`age >` is not an SQL condition, such as `age >= 18`"),
        ("", "nothing is not an SQL condition"),
        (
            "nope = 'ZZSECRET'",
            "where: `nope = '…'` does not fit the source s.csv: there is no column 'nope'; existing columns: 'age'",
        ),
        ("ag > 3", r"there is no column 'ag' \(did you mean 'age'\?\); existing columns: 'age', 'job', 'c'"),
        ("s.AGES > 3", r"there is no column 'AGES' \(did you mean 'age'\?\)"),
        ('age > 3 AND c = "ZZSECRET"', r"a name in double quotes is no column \(a text value stands in single"),
        ("lenght(job) > 3", r"it has the function lenght, which .* alone \(did you mean 'length'\?\)"),
        ("length(jobb) > 3", r"there is no column 'jobb' \(did you mean 'job'\?\)"),
        ("age + job > '4711'", "does not fit the source s.csv: (?!there is no)"),
        ("age > 1; DROP TABLE x", "is not an SQL condition"),
        ("1=1) OR (1=1", "is not an SQL condition"),
        ("job", "is not an SQL condition.*; it gives VARCHAR, not true or false"),
        ("row_number() over () > 1", "it has a window function"),
        ("(" * 5000 + "age > 1" + ")" * 5000, "nested too deeply"),
        ("age IN (SELECT 21)", "it has a subquery"),
        ("getenv('HOME') = job", "it has the function getenv"),
        ("system.main.getenv('HOME') = job", "it has the function getenv with a dot before it"),
        ("random() < 0.5", "it has the function random, which"),
        ("current_setting('memory_limit') = job", "it has the function current_setting"),
        ("COLUMNS(*) > 1", "it has a star"),
        ("age = 'ZZSECRET'", "or that `where` compares with another type"),
        ("age > 1000", "no records"),
    ],
)
@pytest.mark.parametrize("command", [RELEASE, ("discover",)])
def test_filters(capsys, tmp_path, where, words, command):
    folder = laid_out(tmp_path, ONLY, CONFIG + 'where: "' + where.replace('"', '\\"') + '"\n')
    refused(capsys, folder, words, *command)


def test_a_filter_that_is_no_text(capsys, tmp_path):
    text = refused(
        capsys, laid_out(tmp_path, ONLY, CONFIG + "where: 98765432123\n"), "where: it should be a valid string"
    )
    assert "98765432123" not in text


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "there is no config anonduck.yml; write one with `anonduck init SOURCE --class COLUMN`"),
        ({"anonduck.yml/x": "1"}, "there is no config anonduck.yml/anonduck.yml; write one with"),
        ({"anonduck.yml": "source: s\nclass: ä\n".encode("latin-1")}, "is not UTF-8 text; save it as UTF-8"),
    ],
)
def test_config_files(capsys, tmp_path, files, words):
    refused(capsys, laid_out(tmp_path, ONLY | files, None), words)


@pytest.mark.slow
def test_a_folder_stands_for_the_config_in_it(capsys, tmp_path, monkeypatch):
    folder = laid_out(tmp_path, ONLY, CONFIG)
    monkeypatch.chdir(tmp_path.parent)
    assert run(["release", "age=0", "--dry-run", "--require", "k=1", "-p", str(folder)]) == 0
    with Project(folder) as project:
        assert project.config_path == folder / "anonduck.yml"
    capsys.readouterr()


@pytest.mark.slow
def test_columns_that_yaml_would_take_for_something_else(capsys, tmp_path):
    rows = "".join(f"{i % 3},{i % 2},{i % 5},{i % 4},{'a' if i % 3 else 'b'}\n" for i in range(60))
    config = "source: s.csv\nclass: no\nsensitive: [on]\nidentifiers: [yes, y]\nquasi_identifiers: ['null']\n"
    folder = laid_out(tmp_path, {"s.csv": "yes,no,on,null,y\n" + rows}, config)
    accepted(capsys, folder, "release", "null=0", "-o", "o.csv")
    assert (folder / "o.csv").read_text().splitlines()[0] == "no,on,null"


@pytest.mark.slow
def test_rejected_nulls(capsys, tmp_path):
    folder = laid_out(tmp_path, {"s.csv": GOOD + ",cook,no\n" * 9}, CONFIG + "nulls: reject\n")
    words = "column 'age' is NULL in 9 records and the config says `nulls: reject`; filter them with `where`"
    refused(capsys, folder, words, "discover")
    refused(capsys, folder, words, "release", "job=0", "-o", "o.csv")
    (folder / "anonduck.yml").write_text(CONFIG + "nulls: reject\nwhere: age IS NOT NULL\n")
    accepted(capsys, folder)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (ROWS.replace("yes", "no"), "the class 'c' has a single value in all 42 records; models need at least two"),
        ("".join(f"{i % 5},x,v{i}\n" for i in range(10_000)), "has 10000 distinct values; allowed are up to 256"),
    ],
)
def test_classes_that_no_model_can_predict(capsys, tmp_path, rows, words):
    refused(capsys, laid_out(tmp_path, {"s.csv": "age,job,c\n" + rows}), words, "discover")


@pytest.mark.slow
def test_a_class_with_nulls_works_and_says_how_they_count(capsys, tmp_path):
    text = accepted(capsys, laid_out(tmp_path, {"s.csv": GOOD.replace(",yes", ",")}), "discover")
    assert "the class 'c' is NULL in 21 records; NULL counts as a class value of its own" in text


def test_measures_to_select_by_are_known_before_any_work(capsys, tmp_path):
    folder = laid_out(tmp_path, ONLY, CONFIG + "select: beauty\n")
    text = refused(capsys, folder, "the objective 'beauty' is not a measure", "run", "-o", "o.csv")
    assert "taxonomy of" not in text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("release", "age=0"), "name the file to write with -o FILE"),
        *(
            (("release", "age=0", "-o", "o.csv", "--require", text), "k=5")
            for text in ("k", "k=", "k=x", "=5", "k=1.5")
        ),
        (
            ("release", "age=0", "-o", "o.csv", "--require", "kk=5"),
            "the requirement 'kk' is not known .did you mean 'k'\\?.$",
        ),
        (("release", "age=0", "-o", "o.csv", "--require", "k=0"), "asks for nothing or too much; it is from 1"),
        (("release", "age=0", "-o", "o.csv", "--require", f"k={10**25}"), "asks for nothing or too much"),
        (("audit", "s.csv", "--require", "kk=5"), "unknown requirement 'kk'"),
        (("audit", "s.csv", "--require", "k=0"), "whole number of 1 or more"),
        *(
            (("discover", "--sample", text), f"'--sample': it takes a number of at least 2, or all; got '{text}'")
            for text in ("x", "-5", "2.5", "1")
        ),
        (("discover", "--budget", "0"), "'--budget': it takes a number of at least 1, or auto; got '0'"),
        (("discover", "--coverage", "0"), "'--coverage': 0.0 is not in the range 0<x<=1"),
        (("discover", "--coverage", "nan"), r"coverage\.0"),
        (("discover", "--coverage", "x"), "'x' is not a valid float"),
        (("discover", "--model", "x"), "models: unknown model 'x'; choose among tree"),
        (("discover", "--min-k", "0"), "0 is not in the range"),
        (("frontier", "--objective", "x"), "nothing was discovered yet"),
        (("frobnicate",), "No such command"),
        (("init", "gone.csv", "--class", "c", "-p", "new.yml"), "there is no file gone.csv"),
        (("init", "s.csv", "--class", "nope", "-p", "new.yml"), "has no column 'nope'; existing columns"),
        (("init", "s.csv", "--class", "c", "--sensitive", "c", "-p", "new.yml"), "two roles"),
        (("init", "s.csv", "--class", "c"), "anonduck.yml exists; edit it, or replace it with `--overwrite`"),
        (("audit", "gone.csv"), "there is no file"),
        (("audit", "."), "is a directory"),
        (("audit", "s.csv", "-q", "nope"), "has no column 'nope'"),
    ],
)
def test_options(capsys, tmp_path, arguments, words):
    refused(capsys, laid_out(tmp_path, ONLY), words, *arguments)


def test_a_mapping_in_place_of_a_text():
    with pytest.raises(ConfigError, match="class: it should be a valid string; it is a mapping"):
        make_config({"class": {"a": 1}})


def test_numbers_of_numpy_are_numbers():
    keys = {"requirement": {"k": np.int64(3), "suppression": np.float32(0.5)}, "coverage": (np.float64(0.5),)}
    config = make_config({"class": "c", **keys})
    assert config.requirement.asked == {"k": 3}
    assert (config.requirement.suppression, config.coverage) == (0.5, [0.5])
    with pytest.raises(ConfigError, match=r"requirement\.k: it should be a valid integer"):
        make_config({"class": "c", "requirement": {"k": np.bool_(True)}})
