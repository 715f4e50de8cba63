"""Queries of a workload, source against release: errors counted by hand, and what is refused."""

import json

import pandas as pd
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck import Project
from anonduck.cli.app import run
from anonduck.errors import ConfigError, ReleaseError, RuleError
from anonduck.evaluation.workload import query_errors

JOBS = "clerk,office,*\ncook,kitchen,*\nbaker,kitchen,*\nnurse,care,*\n"
ROWS = [(20, "clerk", "a")] * 6 + [(20, "cook", "b")] * 4 + [(30, "baker", None)] * 2 + [(40, "nurse", "b")]
SETTINGS = {"class": "class", "insensitive": ["number"], "models": [], "requirement": {"k": 2, "suppression": 0.1}}


def folder_of(tmp_path, queries, rows=ROWS, **settings):
    frame = pd.DataFrame(rows, columns=["age", "job", "class"])
    frame["number"] = range(len(frame))
    frame.to_parquet(tmp_path / "people.parquet")
    (tmp_path / "jobs.csv").write_text(JOBS)
    (tmp_path / "queries.csv").write_text(queries)
    taxonomies = {"job": {"file": "jobs.csv", "header": False}}
    config = {"source": "people.parquet", "workload": "queries.csv", "taxonomies": taxonomies, **SETTINGS, **settings}
    (tmp_path / "anonduck.yml").write_text(json.dumps(config))
    return tmp_path


def asked(tmp_path, queries, levels, rows=ROWS, **settings):
    """The workload of a release by levels."""
    with Project(folder_of(tmp_path, queries, rows, **settings) / "anonduck.yml") as one:
        return one.release(levels, dry_run=True).owner["workload"]


def only(found):
    (line,) = found["queries"]
    return line


def test_values_that_stay_have_no_error(tmp_path):
    queries = """
        SELECT job, class, count(*), avg(number) FROM released GROUP BY job, class;
        SELECT age, count(*) AS n FROM released GROUP BY age HAVING count(*) > 1;
        WITH old AS (SELECT * FROM released WHERE age > 20) SELECT count(*) FROM old;
    """
    found = asked(tmp_path, queries, {"age": 0, "job": 0}, ROWS[:12])
    assert [(line["query"], line["line"], line["rows"]) for line in found["queries"]] == [
        (1, 2, 3),
        (2, 3, 2),
        (3, 4, 1),
    ]
    assert {line["worst"] for line in found["queries"]} == {0}
    assert (found["answered"], found["mean"], found["worst"]) == (3, 0, 0)


def test_a_record_that_is_left_out_is_an_error(tmp_path):
    found = asked(tmp_path, "SELECT count(*) FROM released; SELECT job, count(*) FROM released GROUP BY 1", {"job": 0})
    assert found["queries"][0]["mean"] == pytest.approx(1 / 13)  # the nurse
    groups = found["queries"][1]
    assert (groups["rows"], groups["missing"], groups["extra"]) == (4, 1, 0)
    assert groups["mean"] == pytest.approx(1 / 4)
    assert groups["worst"] == 1


def test_groups_are_spread_evenly_over_their_values(tmp_path):
    line = only(asked(tmp_path, "SELECT job, count(*) FROM released GROUP BY job", {"job": 1}, ROWS[:12]))
    assert line["missing"] == line["extra"] == 0  # 6 in kitchens: 3 cooks of 4, 3 bakers of 2
    assert line["mean"] == pytest.approx((0 + 1 / 4 + 1 / 2) / 3)
    assert line["worst"] == pytest.approx(1 / 2)


def test_a_column_that_is_not_released_is_named(tmp_path):
    found = asked(tmp_path, "SELECT avg(age), count(*) FROM released; SELECT count(*) FROM released", {"job": 1})
    assert [line["lacks"] for line in found["queries"]] == [["age"], []]
    assert found["queries"][0]["mean"] is None
    assert found["answered"] == 1


def test_a_column_at_its_root_answers_nothing(tmp_path):
    with Project(folder_of(tmp_path, "SELECT avg(age) FROM released") / "anonduck.yml") as one:
        found = one.release({"job": 1}, dry_run=True, keep_roots=True).owner["workload"]
    assert only(found)["lacks"] == ["age"]


def test_nothing_is_asked_of_a_release_that_would_be_refused(tmp_path):
    given = {"requirement": {"k": 2, "suppression": 0.05}, "subgroups": ["class"]}
    with Project(folder_of(tmp_path, "SELECT count(*) FROM released", **given) / "anonduck.yml") as one:
        made = one.release({"job": 0}, dry_run=True)
    assert made.blocked is not None
    assert (made.as_json()["workload"], made.as_json()["subgroups"]) == (None, None)


def test_a_query_is_called_by_the_comment_before_it(tmp_path):
    queries = "-- People\n-- By  job;\nSELECT count(*) FROM released;\n/* none */ SELECT count(age) FROM released"
    found = asked(tmp_path, queries, {"job": 0, "age": 0}, ROWS[:12])
    assert [line["name"] for line in found["queries"]] == ["By job;", "none"]


def test_a_query_that_fails_on_the_release_alone_is_not_answered(tmp_path):
    """Ages of 20 and 29 are spread over the years between them; the release and the other query stand."""
    rows = [((20, 29, 45)[at % 3], "clerk", "ab"[at % 2]) for at in range(90)]
    failing = "SELECT sum(CASE age WHEN 25 THEN 'none' ELSE '1' END::INTEGER) FROM released"
    queries = f"SELECT count(*) FROM released; {failing}"
    keys = {"taxonomies": {"age": {"width": 10}, "job": {"file": "jobs.csv", "header": False}}}
    found = asked(tmp_path, queries, {"age": 1}, rows, **keys)
    assert [line["reason"] is None for line in found["queries"]] == [True, False]
    assert "query 2" in found["queries"][1]["reason"]
    assert (found["answered"], found["mean"]) == (1, 0)


def test_groups_of_nan_are_one(tmp_path):
    query = "SELECT CASE WHEN number < 6 THEN 'nan'::DOUBLE ELSE 1 END AS x, count(*) FROM released GROUP BY x"
    line = only(asked(tmp_path, query, {"age": 0, "job": 0}, ROWS[:12]))
    assert (line["rows"], line["missing"], line["worst"]) == (2, 0, 0)


def test_nulls_are_a_group_and_keys_may_be_numbers(tmp_path):
    line = only(asked(tmp_path, "SELECT class, age, count(*) FROM released GROUP BY ALL", {"age": 0}, ROWS[:12]))
    assert (line["rows"], line["missing"], line["worst"]) == (3, 0, 0)


def test_a_number_that_is_missing_on_one_side_is_wrong_by_one():
    before, after = {("a",): [None], ("b",): [2.0], ("c",): [float("nan")]}, {("a",): [None], ("b",): [None]}
    assert list(query_errors(before, {**after, ("c",): [float("nan")]}, [False], 100)) == [0, 1, 0]


def test_small_counts_are_measured_against_a_share_of_the_records():
    before, after = {("a",): [2], ("b",): [5_000]}, {("a",): [6], ("b",): [5_500]}
    assert list(query_errors(before, after, [True], 40_000)) == [4 / 40, 500 / 5_000]
    assert list(query_errors({(): [0]}, {(): [3]}, [True], 10)) == [3]


numbers = st.dictionaries(st.sampled_from("abcdefgh"), st.lists(st.integers(-50, 50), min_size=1, max_size=1))


@examples(60)
@given(numbers, numbers, st.booleans(), st.integers(1, 5_000))
def test_errors_are_as_defined(before, after, count, records):
    sizes = sorted(abs(row[0]) for row in before.values())
    if sizes:
        place = (len(sizes) - 1) * 0.1
        low = sizes[int(place)]
        tenth = low + (sizes[min(int(place) + 1, len(sizes) - 1)] - low) * (place - int(place))
    expected = []
    for key, (number,) in before.items():
        if key not in after:
            expected.append(1)
            continue
        size = max(abs(number), max(1, records / 1000) if count else tenth)
        apart = abs(after[key][0] - number)
        expected.append(apart / size if size else float(apart > 0))
    assert list(query_errors(before, after, [count], records)) == pytest.approx(expected)


REFUSED = {
    "DELETE FROM released": "is no SELECT",
    "SELECT count(*) FROM": "cannot be parsed",
    "SELECT count(*) FROM people": "another table or a file",
    "SELECT count(*) FROM 'people.parquet'": "another table or a file",
    "SELECT count(*) FROM main.released": "another table or a file",
    "SELECT count(*) FROM read_parquet('people.parquet')": "a function in the place of a table",
    "WITH source AS (SELECT * FROM source) SELECT count(*) FROM source": "another table or a file",
    "SELECT count(*) FROM released, (WITH source AS (SELECT 1) SELECT 1), source": "another table or a file",
    "SELECT sum(random()) FROM released": "the function random",
    "SELECT count(getenv('HOME')) FROM released": "the function getenv",
    "SELECT count(*) FROM released WHERE age > $age": "a parameter",
    "SELECT count(*) FROM released USING SAMPLE 10%": "a sample",
    "SELECT count(*) FROM released TABLESAMPLE 10%": "a sample",
    "DESCRIBE released": "DESCRIBE or SUMMARIZE",
    "WITH RECURSIVE t AS (SELECT 1 AS n UNION SELECT n + 1 FROM t WHERE n < 9) SELECT n FROM t": "a recursive WITH",
    "SELECT job FROM released": "no number",
    "SELECT job, min(job) FROM released GROUP BY 1": "no number",
    "SELECT count(wage) FROM released": "wage",
    "SELECT age FROM released": "several rows that nothing",
    "SELECT age FROM released LIMIT 1": "a LIMIT without ORDER BY",
    "SELECT count(*) FROM (SELECT * FROM released LIMIT 10)": "a LIMIT without ORDER BY",
    "SELECT 1": "reads no column",
    "WITH released AS (SELECT 1 AS x) SELECT sum(x) FROM released": "a WITH that is called `released`",
    "SELECT sum(1 // (age - age)) FROM released": "divided by zero",
    "SELECT count(job::INTEGER) FROM released": "fails on the values",
}


@pytest.mark.some(6)
@pytest.mark.parametrize("query", REFUSED)
def test_other_statements_are_refused(tmp_path, query):
    queries = f"SELECT count(*) FROM released;\n\n{query}"
    with pytest.raises(ConfigError, match=REFUSED[query]) as raised:
        asked(tmp_path, queries, {"age": 0, "job": 0}, ROWS[:12])
    text = str(raised.value)
    assert "queries.csv, query 2 (line 3)" in text
    assert not any(job in text for job in ("clerk", "cook", "baker"))


@pytest.mark.parametrize(("text", "words"), [("", "no query"), ("-- none\n", "no query"), ("SELECT 'a", "no end")])
def test_a_file_without_queries_is_refused(tmp_path, text, words):
    with pytest.raises(ConfigError, match=words):
        asked(tmp_path, text, {"job": 0})


def test_an_identifier_is_no_column_of_a_query(tmp_path):
    with pytest.raises(ConfigError, match="number"):
        asked(tmp_path, "SELECT count(number) FROM released", {"job": 0}, insensitive=[], identifiers=["number"])


def test_a_file_that_is_not_there_is_refused(tmp_path):
    folder_of(tmp_path, "")
    (tmp_path / "queries.csv").unlink()
    with pytest.raises(ConfigError, match=r"the workload .* cannot be read: No such file"):
        Project(tmp_path / "anonduck.yml")


def test_an_engine_is_refused():
    with pytest.raises(ConfigError, match="stays in postgres"):
        Project(source="table:public.people", engine={"kind": "postgres"}, class_="class", workload="queries.csv")


def test_no_output_replaces_the_file(tmp_path):
    folder = folder_of(tmp_path, "SELECT count(*) FROM released")
    with Project(folder / "anonduck.yml") as one, pytest.raises(ReleaseError, match="the workload itself"):
        one.release({"job": 0}, tmp_path / "queries.csv", overwrite=True)


@pytest.mark.slow
def test_figures_are_the_owners_alone(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(folder_of(tmp_path, "-- All\nSELECT count(*) FROM released; SELECT avg(age) FROM released"))
    assert run(["release", "job=0", "-o", "out.csv"]) == 0
    printed = capsys.readouterr().out
    assert "workload queries.csv: 1 of 2 queries answered" in printed
    receipt = json.loads((tmp_path / "out.csv.receipt.json").read_text())
    owner = json.loads((tmp_path / "out.csv.owner.json").read_text())
    assert "workload" not in receipt
    assert owner["workload"]["queries"][0]["mean"] == pytest.approx(1 / 13)
    assert run(["release", "job=0", "--dry-run", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["workload"] == owner["workload"]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["mondrian", "tds", "datafly", "probabilistic"])
def test_every_kind_of_recoding_is_asked_or_says_why(tmp_path, method):
    rows = [(20 + at % 40, ["clerk", "cook", "baker", "nurse"][at % 4], "ab"[at % 2]) for at in range(200)]
    queries = "SELECT class, count(*) FROM released GROUP BY 1; SELECT avg(number) FROM released"
    with Project(folder_of(tmp_path, queries, rows, requirement={"k": 5}) / "anonduck.yml") as one:
        found = one.anonymize(method, dry_run=True).owner["workload"]
    if method == "probabilistic":
        assert "swaps values" in found["reason"]
        assert found["queries"] == []
    else:
        assert [line["worst"] for line in found["queries"]] == [0, 0]


@pytest.mark.slow
def test_a_run_shows_the_queries_in_its_report_and_checks_them_first(tmp_path, monkeypatch, capsys):
    rows = [(20 + at % 8, ["clerk", "cook", "baker", "nurse"][at % 4], "ab"[at % 3 > 0]) for at in range(160)]
    given = {"requirement": {"k": 5}, "select": "k", "coverage": [0.3], "subgroups": ["job"]}
    monkeypatch.chdir(folder_of(tmp_path, "-- By job\nSELECT job, count(*) FROM released GROUP BY 1", rows, **given))
    assert run(["run", "-o", "out.csv", "--json"]) == 0
    release = json.loads(capsys.readouterr().out)["release"]
    assert release["subgroups"][0]["column"] == "job"
    page = (tmp_path / "out.csv.report.html").read_text()
    assert (
        json.loads(page.partition('id="data">')[2].partition("</script>")[0])["workload"]["queries"]
        == (release["workload"]["queries"])
    )
    (tmp_path / "queries.csv").write_text("SELECT count(*) FROM elsewhere")
    (tmp_path / "anonduck.duckdb").unlink()
    assert run(["run", "-o", "other.csv"]) == 2
    assert "query 1 (line 1) has another table or a file" in capsys.readouterr().err
    assert not (tmp_path / "other.csv").exists()
    with Project(tmp_path / "anonduck.yml") as one, pytest.raises(RuleError, match="nothing was discovered"):
        one.rules()
