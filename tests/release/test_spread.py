"""Labels of a release spread over what they stand for: each class evenly, each value under its label, all by hand."""

from collections import Counter
from itertools import pairwise
from math import ceil, floor

import pandas as pd
import pytest
from class_oracle import frame_of, recoded, taxonomy_files
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import CLASS, roots_of, tables

from anonduck import Project
from anonduck.errors import ReleaseError
from anonduck.evaluation.spread import ROWS, SPREAD
from anonduck.release.asked import shown_labels_of, spread_release
from anonduck.release.by_recoding import release_method, release_rule
from anonduck.release.keyed_classes import release_classes
from anonduck.release.plan import ReleaseSettings
from anonduck.statements import Statement

KEY, COPY = "key of it", "kept number"


def spread(project, release):
    """By the number of each record: what the release shows of it, and its values once that is spread."""
    found = {}

    def read(database, plan, suppressed):
        labels = shown_labels_of(database, plan)
        spread_release(database, plan, project.workspace.source, labels, some=suppressed > 0)
        for table in (ROWS, SPREAD):
            rows = database.records(Statement("rows", f"FROM {table}"))
            found[table] = {row.pop(COPY): row for row in rows}

    release(ReleaseSettings(dry_run=True, reader=read))
    for row in found[ROWS].values():
        del row["#row"]
    return found[ROWS], found[SPREAD]


def project_of(folder, names, paths, rows, **requirement):
    frame = frame_of(names, rows)
    frame.insert(0, KEY, range(len(rows)))
    frame[COPY] = range(len(rows))
    roles = {"class_": CLASS, "identifiers": [KEY], "insensitive": [COPY]}
    return Project(source=frame, **roles, taxonomies=taxonomy_files(folder, names, paths), requirement=requirement)


def under(paths, rows, at, level, label):
    """The values of the source under a node."""
    held = {row[at] for row in rows if row[at] is not None}
    return {value for value in held if [str(value), *paths[value]][level] == label}


@st.composite
def assignments(draw):
    names, paths, rows = draw(tables(max_rows=14, max_values=6))
    return names, paths, rows, draw(st.lists(st.sampled_from("ab"), min_size=len(rows), max_size=len(rows)))


@pytest.mark.slow
@examples(40)
@given(assignments())
def test_each_class_takes_the_values_under_its_labels_evenly(tmp_path_factory, drawn):
    names, paths, rows, assigned = drawn
    shown = recoded(names, paths, rows, assigned)
    roots = roots_of(names, paths)
    kept = [i for i in range(len(names)) if {nodes[i][0] for nodes in shown} != {roots[i]}]
    table = pd.DataFrame({KEY: range(len(rows)), "group": assigned})
    with project_of(tmp_path_factory.mktemp("classes"), names, paths, rows, k=1) as one:
        if not kept:
            with pytest.raises(ReleaseError, match="nothing to release"):
                spread(one, lambda made: release_classes(one.workspace, table, KEY, None, made))
            return
        _, values = spread(one, lambda made: release_classes(one.workspace, table, KEY, None, made))
    assert set(values) == set(range(len(rows)))
    alike = {}
    for number, nodes in enumerate(shown):
        alike.setdefault(tuple(nodes[i][1] for i in kept), []).append(number)
    for members in alike.values():
        for i in kept:
            level, label = shown[members[0]][i]
            taken = Counter(values[number][names[i]] for number in members)
            if label is None:
                assert taken == {None: len(members)}
                continue
            leaves = under(paths[names[i]], rows, i, level, label)
            if not leaves:  # NULL alone is under this root
                continue
            share = len(members) / len(leaves)
            assert taken.keys() <= leaves
            assert all(floor(share) <= taken[leaf] <= ceil(share) for leaf in leaves)


FIGURES = {
    "whole": ("BIGINT", [*range(40)]),
    "amount": ("DECIMAL(9,2)", [at * 1.25 for at in range(40)]),
    "rate": ("DOUBLE", [at * 0.37 for at in range(40)]),
    "day": ("DATE", pd.date_range("1969-12-01", periods=40, freq="3D")),
    "moment": ("TIMESTAMP", pd.date_range("1969-12-30", periods=40, freq="7h")),
    "zoned": ("TIMESTAMP WITH TIME ZONE", pd.date_range("2020-03-01", periods=40, freq="7h", tz="UTC")),
    "hour": ("TIME", [f"{at // 2:02}:{at % 2 * 30:02}:00" for at in range(40)]),
}


@pytest.mark.some(2)
@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("by", ["rule", "mondrian"])
def test_intervals_are_spread_over_their_range(name, by):
    kind, values = FIGURES[name]
    frame = pd.DataFrame({name: list(values) * 3, "class": ["a", "b"] * 60, COPY: range(120)})
    settings = {"class_": "class", "insensitive": [COPY], "types": {name: kind}, "taxonomies": {name: {"intervals": 5}}}
    with Project(source=frame, **settings, requirement={"k": 9}, models=[]) as one:
        if by == "rule":
            labels, found = spread(one, lambda made: release_rule(one.workspace, {name: 1}, None, made))
        else:
            labels, found = spread(one, lambda made: release_method(one.workspace, "mondrian", None, made))
        original = {row[COPY]: row[name] for row in one.workspace.database.records(Statement("s", "FROM source"))}
    assert {type(row[name]) for row in found.values()} == {type(next(iter(original.values())))}
    classes = {}
    for number, row in labels.items():
        classes.setdefault(row[name], []).append(number)
    assert len(classes) > 1
    least, largest = min(original.values()), max(original.values())
    ranges = []
    for members in classes.values():
        held = sorted(original[number] for number in members)
        taken = sorted(found[number][name] for number in members)
        ranges.append((held, taken))
        assert least <= taken[0] <= taken[-1] <= largest
    ranges.sort(key=lambda one: one[0][0])
    for (held, taken), (after, taken_after) in pairwise(ranges):
        assert held[-1] < after[0]
        assert taken[-1] < taken_after[0]  # each stays in its own interval
    for held, taken in ranges:
        assert abs(_middle(taken) - _middle(held)) < _number(held[-1]) - _number(held[0])
        if name == "rate":
            steps = [upper - lower for lower, upper in pairwise(taken)]
            assert max(steps) - min(steps) < 1e-9
        if name == "whole":
            assert max(Counter(taken).values()) <= ceil(len(taken) / (held[-1] - held[0] + 1)) + 1


def _number(value):
    if hasattr(value, "hour") and not hasattr(value, "year"):
        return value.hour * 3600 + value.minute * 60 + value.second
    return pd.Timestamp(value).timestamp() if hasattr(value, "year") else float(value)


def _middle(values):
    return sum(map(_number, values)) / len(values)


def test_null_stays_and_infinities_stand_as_they_are():
    rates = [*(at / 2 for at in range(12)), float("inf"), None]
    frame = pd.DataFrame({"rate": rates * 4, "class": ["a", "b"] * 28, COPY: range(56)})
    settings = {"class_": "class", "insensitive": [COPY], "taxonomies": {"rate": {"intervals": 4}}, "models": []}
    with Project(source=frame, **settings, requirement={"k": 4}) as one:
        _, found = spread(one, lambda made: release_rule(one.workspace, {"rate": 1}, None, made))
        original = {row[COPY]: row["rate"] for row in one.workspace.database.records(Statement("s", "FROM source"))}
    for number, value in original.items():
        taken = found[number]["rate"]
        if value is None or value == float("inf"):
            assert taken == value
        else:
            assert 0 <= taken <= 5.5
