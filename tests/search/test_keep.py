"""Columns that must stay: every search finds what it would, were there no rules without these columns."""

from itertools import product

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import (
    CLASS,
    coded,
    covering,
    generalized,
    histogram,
    joins,
    maximal_vectors,
    measured,
    people,
    project,
    roots_of,
    tables,
)

from anonduck.cli.settings import levels_at_most
from anonduck.config.reading import make_config
from anonduck.errors import ConfigError, RequirementNotMet
from anonduck.measures.requirement import requirement_of
from anonduck.rules.rule import RuleSpace
from anonduck.search.discovery import discover_rules

COVERAGE = 0.3


@st.composite
def kept_tables(draw):
    """A table, columns of it that must stay with their highest level or None, a k, and a share to leave out."""
    names, paths, rows = draw(tables(max_rows=14))
    roots = roots_of(names, paths)
    stay = draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
    of = dict(zip(names, roots, strict=True))
    keep = {name: draw(st.none() | st.integers(0, of[name] - 1)) for name in stay}
    return names, paths, rows, keep, draw(st.integers(1, 4)), draw(st.sampled_from([0.0, 0.0, 0.25]))


def config_of(keep, k, suppression, **changes):
    requirement = {"k": k, "suppression": suppression}
    told = {
        "models": [],
        "measures": ["loss"],
        "sample": "all",
        "coverage": [COVERAGE],
        "time_limit": None,
    }
    return make_config({"class": CLASS, "keep": keep, "requirement": requirement, **told, **changes})


def found(database, table, **changes):
    names, paths, rows, keep, k, suppression = table
    config = config_of(keep, k, suppression, **changes)
    taxonomies = coded(database, names, paths, rows)
    requirement = requirement_of(config, None)
    return discover_rules(database, config, taxonomies, requirement=requirement)


def allowed(table):
    """Every vector under the caps that meets the requirement, with its k and its information gain where it is whole."""
    names, paths, rows, keep, k, suppression = table
    space = RuleSpace.keeping(dict(zip(names, roots_of(names, paths), strict=True)), keep)
    reached = {}
    for vector in product(*(range(level + 1) for level in space.coarsest)):
        least, _, gain, *_ = measured(names, paths, rows, vector)
        if least >= k or (suppression and left_out(names, paths, rows, vector, k) <= suppression * len(rows)):
            reached[vector] = (least, gain)
    return space, reached


def left_out(names, paths, rows, vector, k):
    shown = [row[:-1] for row in generalized(names, paths, rows, vector)]
    return sum(1 for row in shown if shown.count(row) < k)


def vectors(discovery, space):
    return {space.vector(rule.levels) for rule in discovery.rules}


@pytest.mark.slow
@examples(25)
@given(kept_tables())
def test_a_search_of_all_rules_finds_the_frontier_of_those_that_keep_them(shared, table):
    space, reached = allowed(table)
    discovery = found(shared, table, search="auto", select="information_gain")
    assert vectors(discovery, space) <= set(reached)
    assert bool(discovery.rules) == bool(reached)
    assert bool(discovery.explanation) != bool(reached)
    if table[-1] or not reached:
        return
    points = {(k, round(gain, 9)) for k, gain in reached.values()}
    best = {(k, g) for k, g in points if not any(j >= k and h >= g and (j, h) != (k, g) for j, h in points)}
    assert {(r.measures.k, round(r.measures.information_gain, 9)) for r in discovery.rules} == best


@pytest.mark.slow
@examples(25)
@given(kept_tables())
def test_rfds_are_completed_and_joined_as_such(shared, table):
    names, paths, rows, *_, suppression = table
    space, reached = allowed(table)
    discovery = found(shared, table, search="rfd", select="information_gain")
    assert vectors(discovery, space) <= set(reached)
    if suppression:
        return
    counts = covering(histogram(names, paths, rows), COVERAGE, "pairs")
    differing = [pattern for (pattern, differs) in counts if differs]
    rfds = maximal_vectors(differing, space.roots) if differing else set()
    extracted = {space.completed(vector) for vector in rfds} & set(reached)
    joined = {vector for fresh in joins(sorted(extracted), space.roots, reached.__contains__) for vector in fresh}
    assert vectors(discovery, space) == extracted | joined


# -- what is said ------------------------------------------------------------------------------------------------------

CALM = {"models": [], "select": "information_gain", "coverage": [0.3], "requirement": {"k": 5}}


@pytest.mark.slow
def test_no_rule_names_keep_only_where_it_is_what_blocks():
    with project(people(300), **CALM) as one:
        for search in ("auto", "rfd"):
            told = {"search": search, "keep": {"age": 0, "job": 0, "rate": 0}}
            said = one.discover(**told).explanation
            assert "keeping 'age' at level 0 at most, keeping 'job' at level 0 at most" in said
            assert "meets all but `keep`. Take a column out of `keep`" in said
            assert "meets all but `keep`" not in one.discover(min_k=301, **told).explanation


@pytest.mark.slow
def test_run_says_it_and_so_does_a_literal_that_drops_a_column(tmp_path):
    with project(people(300), **{**CALM, "requirement": {"k": 4}}, keep=["job", {"age": 2}]) as one:
        done = one.run(tmp_path / "out.csv", report=False)
        assert done.levels["job"] == 1
        assert done.levels["age"] <= 2
        for rule, words in (("age=2", "drops 'job'"), ("job=1,age=3", "shows 'age' at level 3")):
            for job in (
                lambda rule=rule: one.release(rule, tmp_path / "refused.csv"),
                lambda rule=rule: one.release(rule, None, dry_run=True),
                lambda rule=rule: one.sql(rule),
            ):
                with pytest.raises(RequirementNotMet, match=words):
                    job()
        assert not (tmp_path / "refused.csv").exists()


@pytest.mark.slow
@pytest.mark.parametrize(("keep", "met"), [({"job": 0}, True), (["age"], False)])
def test_classes_keep_them_too(tmp_path, keep, met):
    frame = people(120).fillna({"job": "none"})
    frame[["id", "job"]].to_csv(tmp_path / "classes.csv", index=False)
    settings = {"requirement": {"k": 2}, "quasi_identifiers": ["age", "job"], "insensitive": ["note", "rate"]}
    with project(frame, **{**CALM, **settings}, keep=keep) as one:
        if met:
            assert one.release(classes=tmp_path / "classes.csv", path=tmp_path / "out.csv").k >= 2
            return
        with pytest.raises(RequirementNotMet, match="drops 'age'"):
            one.release(classes=tmp_path / "classes.csv", path=tmp_path / "out.csv")
        assert not (tmp_path / "out.csv").exists()


@pytest.mark.slow
def test_run_keeps_roots(tmp_path):
    with project(people(300), **CALM) as one:
        done = one.run(tmp_path / "out.csv", report=False, keep_roots=True)
        assert (tmp_path / "out.csv").read_text().splitlines()[0] == "age,job,rate,note,class"
        assert set(done.levels) < {"age", "job", "rate"}


# -- how it is written -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (["age"], {"age": None}),
        (["age", {"job": 1}], {"age": None, "job": 1}),
        ({"age": 0, "job": None}, {"age": 0, "job": None}),
        ([], {}),
    ],
)
def test_a_list_and_a_mapping_say_the_same(written, read):
    assert make_config({"class": "c", "keep": written}).keep == read


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"keep": ["age", {"age": 1}]}, "keep: 'age' is listed twice"),
        ({"keep": [3.5]}, "keep: write a list of columns"),
        ({"keep": {"age": -1}}, "keep.age: it should be greater than or equal to 0"),
        ({"keep": ["c"]}, "keep: 'c' is no quasi-identifier"),
        ({"keep": ["note"], "insensitive": ["note"]}, "it has the role insensitive"),
        ({"keep": ["age"], "quasi_identifiers": ["job"]}, "keep: 'age' is not among the `quasi_identifiers`"),
    ],
)
def test_what_cannot_stay(config, words):
    with pytest.raises(ConfigError) as error:
        make_config({"class": "c", **config})
    assert words in str(error.value)


@pytest.mark.slow
def test_levels_are_under_the_root_and_columns_are_there():
    with (
        project(people(60), **CALM, keep=["nothing"]) as one,
        pytest.raises(ConfigError, match="'nothing' is not a qua"),
    ):
        one.discover()
    with project(people(60), **CALM, keep={"job": 2}) as one, pytest.raises(ConfigError, match="levels 0 to 1 under"):
        one.discover()


def test_the_command_line_takes_names_and_levels():
    assert levels_at_most(("age", "job=1", "a=b", "=1")) == {"age": None, "job": 1, "a=b": None, "=1": None}
