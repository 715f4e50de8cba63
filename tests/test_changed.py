"""What `make changed` runs, and what a room may cost."""

import subprocess
import sys
from pathlib import Path

import budgets
import changed
import pytest


def rooms(path):
    return {one.removeprefix("tests/") for one in changed.tests_reached(path) if not one.endswith(".py")}


def test_a_module_reaches_the_rooms_above_it_and_none_below():
    reached = rooms("anonduck/auditing/audit.py")
    assert {"auditing", "attacks", "release", "report", "cli"} <= reached
    assert not reached & {"privacy", "methods", "models", "statements", "database", "rules"}
    assert {"tests/test_run.py", "tests/test_paper.py"} <= changed.tests_reached("anonduck/auditing/audit.py")


def test_a_query_reaches_what_its_room_reaches():
    assert {"attacks", "cli"} <= rooms("sql/attacks/whatever.sql")
    assert not rooms("sql/attacks/whatever.sql") & {"auditing", "methods", "search", "source"}


@pytest.mark.slow
def test_helpers_reach_the_tests_that_import_them():
    found = changed.tests_reached("tests/nsvdist_oracle.py")
    assert "tests/methods/test_nsvdist.py" in found
    assert "tests/methods/test_full_domain.py" not in found
    assert changed.tests_reached("tests/examples.py") is None


def test_what_is_not_known_reaches_all():
    assert changed.reached(["pyproject.toml", "README.md"]) == ["tests"]


def test_each_kind_of_recoding_is_released():
    found = changed.reached(["tests/test_tiers.py"])
    assert found[0] == "tests/test_tiers.py"
    assert len(found[1:]) >= 6
    assert all("::test_" in one for one in found[1:])
    assert not [one for one in changed.reached(["tests/release"]) if one.startswith("tests/release/")]


@pytest.mark.parametrize(("cost", "over"), [(99, []), (100, []), (101, ["a"])])
def test_a_room_that_outgrows_its_budget_is_named(cost, over):
    assert budgets.outgrown({"a": cost}, {"a": 100, "b": 1}) == over


def test_a_room_without_a_budget_is_named():
    assert budgets.outgrown({"new": 1}, {"a": 100}) == ["new"]


def test_the_figures_are_printed_and_an_outgrown_room_fails(tmp_path, capsys, monkeypatch):
    path, rooms = tmp_path / "times.json", tmp_path / "budgets.toml"
    rooms.write_text("[yardsticks]\ndbt = 100\ntop = 100\n")
    monkeypatch.setattr(budgets, "BUDGETS", rooms)
    path.write_text(
        '{"yardstick": 2.0, "tests": {"tests/dbt/test_a.py::test_b[1]": 3.0, "tests/test_c.py::test_d": 1}}'
    )
    assert budgets.main(path) == 0
    printed = capsys.readouterr().out
    assert "2 tests took 4 processor seconds" in printed
    assert "     3.0  tests/dbt/test_a.py" in printed
    assert "       2 of    100  dbt" in printed
    path.write_text('{"yardstick": 2.0, "tests": {"tests/dbt/test_a.py::test_b[1]": 203.0}}')
    assert budgets.main(path) == 1
    assert "outgrown: dbt." in capsys.readouterr().out


@pytest.mark.skipif(not list(Path("/proc/self/task").glob("*/children")), reason="the system lists no children")
def test_a_child_that_lives_counts_and_so_does_what_it_waited_for():
    """A test pays for what it starts, and not the one that ends last."""
    work = "sum(range(3 * 10**7))"
    whole = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {work!r}]); print(flush=True); input()"
    before = budgets.processor()
    with subprocess.Popen([sys.executable, "-c", whole], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout.readline()
        alive = budgets.processor() - before
        child.communicate(b"\n")
    assert alive > 0.1
    assert budgets.processor() - before >= alive
