"""Whether what is stored still holds, for each thing that it depends on, and what is said where it does not."""

import pytest
from oracles import people, project
from prepared import CALM, NO_INTERVALS, PEOPLE, SOURCE
from prepared import opened as project_of

from anonduck.config.reading import with_changes
from anonduck.errors import RuleError
from anonduck.search.expected import kept_expected
from anonduck.search.freshness import are_current, is_current, reasons, refuse_changed, size_unit
from anonduck.search.store import SIZE_UNIT, read_discovery
from anonduck.statements import Statement


@pytest.fixture
def export(tmp_path):
    """A folder with a source that nothing was made of."""
    people(150).to_parquet(tmp_path / SOURCE)
    return tmp_path


@pytest.fixture
def decided(prepared, tmp_path):
    """A folder with a discovery."""
    return prepared("people calm", tmp_path)


@pytest.fixture
def clustered(prepared, tmp_path):
    """A folder with a discovery whose groups do not depend on the required k."""
    return prepared("people in clusters", tmp_path)


def opened(folder, **changes):
    return project_of(folder, **{**PEOPLE, **CALM, **changes})


def current(folder, **changes):
    with opened(folder, **changes) as one:
        return is_current(one.workspace, one.discovered())


# -- the settings of rules ---------------------------------------------------------------------------------------------


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, True),
        ({"holdout": 0.1, "threads": 1, "publication": {"purpose": "a study"}}, True),  # decided later
        ({"select": "loss"}, True),
        ({"rule": "age=0"}, True),
        ({"requirement": {"k": 6}}, True),  # rules of a larger k are among those that were found
        ({"requirement": {"k": 3}}, False),
        ({"requirement": {"k": 4, "suppression": 0.1}}, False),
        ({"coverage": [0.2]}, False),
        ({"seed": 1}, False),
        ({"where": "age > 20"}, False),
        ({"sensitive": ["note"], "insensitive": [], "requirement": {"k": 4, "l": 2}}, False),
    ],
)
def test_what_a_discovery_depends_on(clustered, changes, expected):
    assert current(clustered, **NO_INTERVALS, **changes) == expected


@pytest.mark.slow
def test_intervals_are_grouped_by_the_required_k(decided):
    assert current(decided)
    assert not current(decided, requirement={"k": 6})


def test_other_records_make_a_discovery_stale(decided):
    people(151).to_parquet(decided / SOURCE)
    assert not current(decided)


@pytest.mark.slow
def test_rules_are_found_anew_where_the_content_of_a_source_cannot_be_told(export):
    with project(people(150), **CALM) as one:
        one.discover()
        assert not is_current(one.workspace, one.discovered())


def test_lists_say_what_changed_of_the_source(decided):
    with opened(decided) as one:
        assert one.stale() == []
        assert one.frontier(everything=True).attrs["stale"] == []
    people(151).to_parquet(decided / SOURCE)
    with opened(decided) as one:
        assert one.stale() == ["the records of the source changed"]


def test_a_taxonomy_that_was_edited_since_it_was_asked_last_is_seen(decided):
    with opened(decided) as one:
        assert one.stale() == []
        one.database.run(Statement("edit", 'UPDATE taxonomy."age" SET code_1 = 1 WHERE code_1 IS NOT NULL'))
    with opened(decided) as one:
        assert any("'age'" in words for words in one.stale())


@pytest.mark.slow
def test_changes_for_once_count_where_they_make_other_rules_the_best(export):
    with opened(export) as one:
        one.discover(weights={"age": 2.0})
        assert not is_current(one.workspace, one.discovered())
        one.discover(measures=["loss"])
        assert is_current(one.workspace, one.discovered())


# -- refusals ----------------------------------------------------------------------------------------------------------


def test_a_changed_taxonomy_is_named(decided):
    with opened(decided) as one:
        stored = one.discovered()
        refuse_changed(one.workspace, stored)
        one.config = with_changes(one.config, {"taxonomies": {"age": {"intervals": 7}}})
        one.build_taxonomies(["age"], replace=True)
        with pytest.raises(RuleError, match=r"the taxonomy of 'age' changed .*; run `anonduck discover` again"):
            refuse_changed(one.workspace, stored)
        rule = next(rule for rule in stored.rules if "age" in rule.levels)
        with pytest.raises(
            RuleError,
            match=rf"{rule.id} generalizes 'age', and the taxonomy of 'age' changed; run .* or name its levels",
        ):
            one.rule_levels(rule.id)
        other = next((rule for rule in stored.rules if "age" not in rule.levels), None)
        assert other is None or one.rule_levels(other.id) == (other.id, dict(other.levels))


def test_fewer_records_than_the_rules_had_are_refused(decided):
    with opened(decided) as one:
        one.database.run(Statement("fewer", 'DELETE FROM coded_frequency_set WHERE "#cell" = 0'))
        with pytest.raises(RuleError, match=r"holds other records than the rules; run `anonduck discover` again"):
            refuse_changed(one.workspace, one.discovered())


def test_a_rule_of_another_class_or_of_a_column_with_another_role_is_refused(decided):
    with opened(decided, **{"class": "note"}, insensitive=["class"]) as one:
        with pytest.raises(RuleError, match="R1 was discovered for the class 'class', the config now says 'note'"):
            one.rule_levels("R1")
        lost = next(iter(one.discovered().rule("R1").levels))
    with opened(decided, insensitive=["note", lost]) as one, pytest.raises(RuleError, match=f"R1 generalizes '{lost}'"):
        one.rule_levels("R1")


# -- what is kept and not printed --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_k_of_average_class_sizes_is_kept_and_not_printed(export):
    """It is that of the config, which a smallest k for once does not change."""
    with opened(export, requirement={"k": 5}) as one:
        found = one.discover(min_k=8, measures=["average_class_size"])
        assert size_unit(one.discovered()) == 5
        assert SIZE_UNIT not in found.as_json()
        rule = one.discovered().rules[0]
        records = one.discovered().summary["rows"]
        assert rule.utility["average_class_size"] == pytest.approx(records / rule.measures.classes / 5)


# -- estimates ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, True),
        ({"holdout": 0.1}, False),
        ({"select": "k"}, False),
        ({"requirement": {"k": 6}}, False),
        ({"methods": ["rules", "mondrian"]}, False),
    ],
)
def test_what_estimates_depend_on(decided, changes, expected):
    with opened(decided) as one:
        one.expected()
        assert are_current(one.workspace, kept_expected(one.database))
        one.config = with_changes(one.config, changes)
        assert are_current(one.workspace, kept_expected(one.database)) == expected
        one.discover()
        assert not are_current(one.workspace, kept_expected(one.database))
        assert read_discovery(one.database) is not None


# -- what is said ------------------------------------------------------------------------------------------------------


def test_a_larger_k_that_groups_values_otherwise_is_called_that(decided):
    with opened(decided, requirement={"k": 6}) as one:
        told = reasons(one.workspace, one.discovered())
    assert told == [
        f"the required k was 4 and is 6, which groups the values of {name!r} otherwise" for name in ("age", "rate")
    ]


@pytest.mark.slow
def test_what_was_made_for_another_k_once_changes_nothing(decided):
    with opened(decided, requirement={"k": 6}) as one:
        one.build_taxonomies()
    with opened(decided) as one:
        assert reasons(one.workspace, one.discovered()) == []


def test_another_requirement_is_told(clustered):
    with opened(clustered, **NO_INTERVALS, requirement={"k": 4, "suppression": 0.1}) as one:
        (told,) = reasons(one.workspace, one.discovered())
    assert told == "the rules were found for k >= 4, and the config now requires k >= 4, suppressed <= 0.1"
    with opened(clustered, **NO_INTERVALS, requirement={"k": 6}) as one:
        assert reasons(one.workspace, one.discovered()) == []


@pytest.mark.slow
def test_a_search_that_was_cut_for_once_does_not_serve(export):
    with opened(export, **NO_INTERVALS, search="auto") as one:
        one.discover(budget=1)
        assert one.discovered().summary["cut"]
        assert not is_current(one.workspace, one.discovered())
        assert is_current(one.workspace, one.discovered(), {"budget": 1})
