"""What `make changed` runs."""

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
