"""A declared order of texts, or that of an ENUM, counts as numbers do: for t_ordered, in search, release and audit."""

import duckdb
import pandas as pd
import pytest

from anonduck import Project, audit
from anonduck.errors import AuditError, ConfigError, RequirementNotMet

PLACES = {"low": 1, "mid": 2, "high": 3}
ORDER = list(PLACES)
SEVERITY = [*["low"] * 5, "mid", "high", *["mid"] * 3, *["high"] * 4, "low", None]
JOB = [*["cook"] * 7, *["nurse"] * 9]


def table(values=SEVERITY):
    return pd.DataFrame({"job": JOB, "severity": values, "c": ["x", "y"] * 8})


def t_of(frame, **more):
    asked = {"sensitive": ["severity"], "class_": "c", "requirements": {"t_ordered": 0.9}}
    return audit(frame, ["job"], **asked, **more).requirements[0].reached


def test_an_audit_takes_a_declared_order_for_numbers():
    numbers = [None if value is None else PLACES[value] for value in SEVERITY]
    expected = t_of(table(pd.array(numbers, dtype="Int64")))
    assert expected > 0
    assert t_of(table(), order={"severity": ORDER}) == expected
    assert t_of(table(), order={"severity": ["never", *ORDER]}) == expected  # a value that no record holds has no place
    assert t_of(table(), order={"severity": ["mid", "low", "high"]}) != expected


def test_a_declared_order_names_every_value():
    with pytest.raises(
        AuditError, match=r"order.severity: 1 value of 'severity' is not in the declared order; list all"
    ):
        t_of(table(), order={"severity": ["low", "mid"]})
    with pytest.raises(AuditError, match=r"whose `order` is declared$"):
        t_of(table())
    with pytest.raises(AuditError, match="order: 'job' is not among the sensitive columns"):
        t_of(table(), order={"job": ["cook", "nurse"]})


def settings(**more):
    given = {"class_": "c", "sensitive": ["severity"], "requirement": {"k": 2, "t_ordered": 0.9}, "models": []}
    return given | {"holdout": 0} | more


@pytest.mark.slow
def test_a_release_takes_a_declared_order_for_numbers(tmp_path):
    reached = t_of(table(pd.array([None if value is None else PLACES[value] for value in SEVERITY], dtype="Int64")))
    with Project(source=table(), order={"severity": ORDER}, **settings()) as project:
        made = project.release({"job": 0}, tmp_path / "r.parquet")
        assert [line["reached"] for line in made.receipt["requirements"] if line["name"] == "t_ordered"] == [reached]
        project.release({"job": 0}, tmp_path / "s.parquet", requirement={"t_ordered": reached + 0.001})
        with pytest.raises(RequirementNotMet, match="t_ordered"):
            project.release({"job": 0}, tmp_path / "s.csv", requirement={"t_ordered": reached - 0.001})
    lacking = Project(source=table(), order={"severity": ["low", "mid"]}, **settings())
    with lacking as project, pytest.raises(AuditError, match=r"order\.severity: 1 value"):
        project.release({"job": 0}, tmp_path / "s.parquet", overwrite=True)


def test_a_quasi_identifier_with_an_order_is_generalized_by_it():
    with Project(source=table(), class_="c", order={"severity": ORDER}) as project:
        assert "'low to mid'" in project.sql({"severity": 1})
    with pytest.raises(ConfigError, match="order: 'c' is neither a quasi-identifier nor sensitive"):
        Project(source=table(), class_="c", order={"c": ["x", "y"]}).sql({"job": 0})
    both = {"order": {"severity": ORDER}, "taxonomies": {"severity": {"clusters": True}}}
    with pytest.raises(ConfigError, match=r"order\.severity: the taxonomy of 'severity' is given under `taxonomies`"):
        Project(source=table(), class_="c", **both).sql({"job": 0})


def test_the_order_of_an_enum_is_declared(tmp_path):
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        frame = table()  # noqa: F841 - DuckDB finds it
        connection.execute("CREATE TYPE grade AS ENUM ('low', 'mid', 'high')")
        connection.execute("CREATE TABLE t AS SELECT job, severity::grade AS severity, c FROM frame")
    named = {"source": str(tmp_path / "s.duckdb::t"), **settings()}
    with Project(**named) as project:
        made = project.release({"job": 0}, tmp_path / "r.parquet")
        (line,) = [line for line in made.receipt["requirements"] if line["name"] == "t_ordered"]
    assert line["reached"] == t_of(table(), order={"severity": ORDER})
