"""The source is read through one door: no other module runs a statement on it, whatever is asked of a project."""

import re
import sys
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
import sqlglot
from sqlglot import exp

from anonduck import Project, audit
from anonduck.database import file_states
from anonduck.database.connection import Database
from anonduck.init.init import initialize
from anonduck.release.mapping import read_mapping
from anonduck.source.engine import DuckDBSource, Filling
from anonduck.statements import Statement

ROOT = Path(__file__).parents[2]
DOOR = "anonduck.source.engine"
ASKING = ("arrays", "arrow", "frame", "records", "row", "rows", "run", "value")


def reads(relation: str, sql: str) -> bool:
    """Whether a statement reads a relation, but for making the view itself."""
    if relation not in sql:
        return False
    tree = sqlglot.parse_one(sql, read="duckdb")
    if isinstance(tree, exp.Describe):
        return tree.this.name == relation
    made = tree.this if isinstance(tree, (exp.Create, exp.Drop)) else None
    return any(table.name == relation and not table.db and table is not made for table in tree.find_all(exp.Table))


def reads_source(sql: str) -> bool:
    return reads("source", sql)


def test_the_reader_of_statements_knows_who_reads_the_source() -> None:
    asked = ["SELECT 1 FROM source", 'SELECT "a" FROM (SELECT * FROM "source" LIMIT 1) AS s', "DESCRIBE source"]
    asked += ["COPY (SELECT a FROM source AS s) TO 'f' (FORMAT CSV)", "CREATE TABLE t AS SELECT * FROM source"]
    others = ["SELECT source FROM t", "SELECT 1 FROM source_sample", "CREATE TEMP VIEW source AS SELECT 1 AS a"]
    assert [reads_source(sql) for sql in asked + others] == [True] * len(asked) + [False] * len(others)


def watch(monkeypatch: pytest.MonkeyPatch, relation: str) -> list[tuple[str, str]]:
    """Which modules run which statements on a relation from now on."""
    seen: list[tuple[str, str]] = []

    def watched(name: str) -> None:
        real = getattr(Database, name)

        def asked(self: Database, one: Statement, *rest: object, **named: object) -> object:
            caller = sys._getframe(1).f_globals["__name__"]
            if reads(relation, one.sql) and not caller.startswith("anonduck.database.connection"):
                seen.append((caller, one.name))
            return real(self, one, *rest, **named)

        monkeypatch.setattr(Database, name, asked)

    for name in ASKING:
        watched(name)
    return seen


@pytest.fixture
def traced(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    return watch(monkeypatch, "source")


def people() -> pd.DataFrame:
    rows = [(20 + i % 30, f"0{i % 9}1", "ab"[i % 2], "xyz"[i % 3], i % 7, f"note {i}") for i in range(240)]
    frame = pd.DataFrame(rows, columns=["age", "zip", "class", "ill", "day", "note"])
    frame.loc[0, "zip"] = None
    return frame


@pytest.mark.slow
def test_every_statement_on_the_source_goes_through_the_door(tmp_path: Path, traced: list[tuple[str, str]]) -> None:
    people().to_csv(tmp_path / "s.csv", index=False)
    initialize(tmp_path / "first.yml", str(tmp_path / "s.csv"), "class", here=tmp_path)
    config = tmp_path / "anonduck.yml"
    roles = "class: class\nsensitive: [ill]\ninsensitive: [note]\nidentifiers: [day]\nquasi_identifiers: [age, zip]"
    need = "requirement: {k: 3, l: 2, suppression: 0.2}\nmodels: [bayes]\ncoverage: [0.3]\n"
    need += "unmapped: root\nsplit_by: day\nnulls: value"
    config.write_text(f"source: s.csv\n{roles}\n{need}\n")
    people()[60:].to_csv(tmp_path / "other.csv", index=False)
    with Project(config) as one:
        one.build_taxonomies()
        one.check_taxonomies()
        one.show_taxonomy("zip")
        rule = one.discover().rules[0].id
        one.release(rule, tmp_path / "r.parquet")
        one.release(rule, tmp_path / "r.csv", keep_roots=True, source=tmp_path / "other.csv")
        one.release(rule, f"{tmp_path}/r.duckdb::t")
        one.release(rule, None, dry_run=True, requirement={"k": 4})
        read_mapping(one.workspace, rule)
        one.report(tmp_path / "r.html")
        one.run(tmp_path / "run.parquet", report=False)
    asked = Counter(name for _, name in traced)
    assert {caller for caller, _ in traced} == {DOOR}
    assert set(asked) == {
        *(
            "source/frequency_set.sql",
            "source/engine.count",
            "source/first_repeats.sql",
            "source/engine.columns",
        ),
        *(
            "source/engine.is_empty",
            "source/sample.sql",
            "builder_release.copy_to",
            "relations.view_of",
            "builder_release.create_table",
        ),
        "source/kept_values.sql",
    }


@pytest.mark.slow
def test_statements_of_a_release_go_through_the_door(tmp_path: Path, traced: list[tuple[str, str]]) -> None:
    given = {"class_": "class", "quasi_identifiers": ["age"], "identifiers": ["zip", "ill", "day", "note"]}
    with Project(source=people(), nulls="reject", requirement={"k": 3}, **given) as one:
        one.release({"age": 1}, tmp_path / "whole.parquet")
        one.sql({"age": 1})
    assert {caller for caller, _ in traced} == {DOOR}
    assert {"source/frequency_set.sql", "source/engine.nulls"} <= {name for _, name in traced}


def test_no_other_module_names_a_query_of_the_source() -> None:
    queries = {
        path.relative_to(ROOT / "sql").as_posix()
        for path in (ROOT / "sql").rglob("*.sql")
        if re.search(r"\b(FROM|JOIN|DESCRIBE) source\b", path.read_text()) and "source (table)" not in path.read_text()
    }
    asked = (
        *("combinations", "drawn_persons", "drawn_records", "drawn_sample", "first_repeats", "frequency_set"),
        *("holding_texts", "kept_values", "sample", "sampled_set", "unread_dates", "value_counts"),
    )
    rows = ("original_rows", "rows_by_classes", "rows_by_values")
    released = {f"release/{name}.sql" for name in rows}
    assert queries == {f"source/{name}.sql" for name in asked} | released
    texts = {path: path.read_text() for path in (ROOT / "anonduck").rglob("*.py")}
    for query in queries - released:
        found = sorted(path.stem for path, text in texts.items() if query in text)
        assert found == ["engine"]
    named = [
        path.stem for path, text in texts.items() if re.search(r'\b(FROM|JOIN) "?source\b|Expression\("source"\)', text)
    ]
    assert sorted(named) == ["engine", "engine_texts"]


# -- the same of the audit ---------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_audit_reads_its_file_through_a_door_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = people().assign(person=lambda table: table["day"])
    frame.to_parquet(tmp_path / "r.parquet")
    seen = watch(monkeypatch, "release")
    roles = {"sensitive": ["ill"], "insensitive": ["day", "note"], "class_": "class"}
    file = str(tmp_path / "r.parquet")
    audit(file, ["age", "zip"], entity="person", population=frame, against=frame[9:], **roles)
    assert {caller for caller, _ in seen} == {"anonduck.privacy.audited_engine", "anonduck.privacy.direct_identifiers"}
    scans = Counter(name.rpartition("/")[2] for caller, name in seen if caller == "anonduck.privacy.audited_engine")
    assert scans == {"grouped.sql": 3, "grouped_texts.sql": 2, "group_sizes.sql": 1}


# -- what it answers ---------------------------------------------------------------------------------------------------


def engine(select: str) -> DuckDBSource:
    database = Database()
    database.run(Statement("test source", f"CREATE TEMP VIEW source AS {select}"))
    return DuckDBSource(database)


ROWS = "(1, 'a'), (1, NULL), (NULL, 'b'), (1, 'a')"


def test_answers_by_hand() -> None:
    one = engine(f'SELECT * FROM (VALUES {ROWS}) AS t(n, "odd ""name")')
    assert [(column.name, column.type) for column in one.columns()] == [("n", "INTEGER"), ('odd "name', "VARCHAR")]
    assert (one.count(), one.is_empty(), one.nulls("n"), one.nulls('odd "name')) == (4, False, 1, 1)
    assert one.filling() == Filling(4, (3, 3), (1, 2))
    one.frequency_set(["n", 'odd "name', "n"], "counted")
    counted = one.database.rows(Statement("counted", "SELECT * FROM counted ORDER BY ALL"))
    assert counted == [(1, "a", 2), (1, None, 1), (None, "b", 1)]
    one.values('odd "name')
    assert one.database.rows(Statement("values", "FROM shipped_values ORDER BY ALL")) == [("a",), ("b",)]
    one.sample()
    assert one.database.value(Statement("sampled", "SELECT count(*) FROM source_sample")) == 4
    one.database.close()


def test_a_source_without_records() -> None:
    one = engine("SELECT 1 AS a WHERE false")
    assert (one.count(), one.is_empty(), one.nulls("a"), one.filling()) == (0, True, 0, Filling(0, (0,), (0,)))
    one.database.close()


def counted(database: Database, table: str) -> list[tuple[object, ...]]:
    return sorted(map(tuple, database.frame(Statement("rows", f"SELECT * FROM {table}")).values.tolist()), key=repr)


def test_what_was_scanned_is_counted_again_while_file_and_table_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, traced: list[tuple[str, str]], database: Database
) -> None:
    """Whatever columns of it, and in any order; a changed file, another column and a replaced table are scanned."""
    monkeypatch.setattr(file_states, "SETTLED", -60)
    path = tmp_path / "s.csv"

    def write(frame: pd.DataFrame) -> None:
        frame.fillna("").to_csv(path, index=False)

    write(people())
    reading = f"CREATE TEMP VIEW source AS SELECT * FROM read_csv('{path}', all_varchar=true)"
    database.run(Statement("view", reading))
    asked = DuckDBSource(database, (path,))

    def scans(columns: list[str]) -> int:
        """How often the source is read for them, once what is found was held against a scan."""
        before = len(traced)
        asked.frequency_set(columns, "release_set")
        found, read = counted(database, "release_set"), len(traced) - before
        DuckDBSource(database).frequency_set(columns, "scanned")
        assert found == counted(database, "scanned")
        return read

    asked.frequency_set(["age", "zip", "class"])
    assert [scans(one) for one in (["zip", "age", "class"], ["zip"], ["class", "class", "age"])] == [0, 0, 0]
    assert scans(["age", "ill"]) == 1
    write(people()[60:])
    assert scans(["zip"]) == 1
    asked.frequency_set(["age", "zip", "class", "ill"], "sensitive_set")
    assert [scans(["ill"]), scans(["age", "day"])] == [0, 1]
    database.run(Statement("floor", "CREATE OR REPLACE TABLE sensitive_set AS FROM sensitive_set LIMIT 3"))
    assert scans(["ill"]) == 1
    asked.frequency_set(["ill"])
    with database.apart():
        database.run(Statement("floor", "CREATE TABLE frequency_set AS SELECT 1 AS a"))
        assert scans(["ill"]) == 1
    assert scans(["ill"]) == 0
    database.drop("frequency_set")
    assert scans(["ill"]) == 1
