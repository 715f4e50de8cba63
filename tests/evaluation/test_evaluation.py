"""Evaluations: what cells show beside brute force, and what that comes to beside releases that the database makes."""

from collections import Counter
from contextlib import ExitStack
from itertools import product

import numpy as np
import pandas as pd
import pytest
from class_oracle import labels_of, opened, recoded
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import tables
from persons import persons, settled

from anonduck import Project, audit
from anonduck.database.progress import Reporter
from anonduck.errors import AnonduckError, ConfigError, ReleaseError, RequirementNotMet
from anonduck.evaluation.evaluation import measure, released_table
from anonduck.evaluation.finding import show_found
from anonduck.evaluation.settled import settle
from anonduck.evaluation.shown import show_classes, show_cuts, show_levels
from anonduck.evaluation.source_cells import SourceCells
from anonduck.measures.requirement import requirement_of
from anonduck.methods.registry import METHODS, method_named

CELLS = sorted(name for name, one in METHODS.items() if one.recoding in ("classes", "cuts"))


def cells_of(project, k=1):
    with ExitStack() as stack:
        return SourceCells(project.workspace, stack).cells(k)


def rows_of(cells):
    """By row of the cells, its values as text and its class."""
    leaves = [
        [column.texts[column.labels[leaf, 0]] for leaf in cells.leaves[at]] for at, column in enumerate(cells.columns)
    ]
    return list(zip(*leaves, [cells.class_texts[code] for code in cells.classes], strict=True))


def shown_rows(shown):
    """By row, the level and the label that each column shows."""
    columns = [
        list(zip(levels.tolist(), [column.texts[at] for at in labels], strict=True))
        for column, levels, labels in zip(shown.columns, shown.levels, shown.labels, strict=True)
    ]
    return list(zip(*columns, strict=True))


def as_drawn(values, names, paths):
    """Values as the drawn rows have them, of those as text."""
    return tuple(None if value is None else int(value) for value in values[: len(names)])


# -- what cells show ---------------------------------------------------------------------------------------------------


@examples(40)
@given(tables(max_rows=14), st.data())
def test_classes_show_the_smallest_common_node_of_their_records(tmp_path_factory, drawn, data):
    names, paths, rows = drawn
    with opened(tmp_path_factory.mktemp("classes"), names, paths, rows, k=1) as one:
        cells = cells_of(one)
    count = len(cells.combinations[0])
    classes = np.array(data.draw(st.lists(st.integers(0, 2), min_size=count, max_size=count)))
    classes = np.unique(classes, return_inverse=True)[1]
    shown = show_classes(cells, classes)
    records = [as_drawn(row, names, paths) for row in rows_of(cells)]
    expected = recoded(names, paths, records, classes[cells.combinations[1]].tolist())
    assert shown_rows(shown) == expected


@examples(30)
@given(tables(max_rows=14), st.data())
def test_levels_and_cuts_show_the_node_of_each_value(tmp_path_factory, drawn, data):
    names, paths, rows = drawn
    with opened(tmp_path_factory.mktemp("levels"), names, paths, rows, k=1) as one:
        cells = cells_of(one)
    roots = [column.root for column in cells.columns]
    vector = [data.draw(st.integers(0, root)) for root in roots]
    shown = show_levels(cells, dict(zip(names, vector, strict=True)))
    expected = []
    for row in rows_of(cells):
        values = as_drawn(row, names, paths)
        nodes = []
        for name, value, level, root in zip(names, values, vector, roots, strict=True):
            at = 0 if value is None and level < root else level
            nodes.append((at, labels_of(paths[name], value)[at]))
        expected.append(tuple(nodes))
    assert shown_rows(shown) == expected
    of_places = [
        np.full(int(column.placed.place.max()) + 1, level) for column, level in zip(cells.columns, vector, strict=True)
    ]
    by_cuts = shown_rows(show_cuts(cells, of_places))
    assert [[label for _, label in row] for row in by_cuts] == [[label for _, label in row] for row in expected]


@examples(40)
@given(tables(max_rows=16), st.integers(1, 4), st.sampled_from([0.0, 0.2, 0.5]), st.data())
def test_classes_that_fail_are_left_out_and_k_is_counted(tmp_path_factory, drawn, k, share, data):
    names, paths, rows = drawn
    with opened(tmp_path_factory.mktemp("k"), names, paths, rows, k=1) as one:
        cells = cells_of(one)
        required = requirement_of(one.config, one.workspace.folder, k=k, suppression=share)
    vector = {column.name: data.draw(st.integers(0, column.root)) for column in cells.columns}
    shown = show_levels(cells, vector)
    groups = Counter()
    keys = []
    for labels, records in zip(shown_rows(shown), cells.records.tolist(), strict=True):
        keys.append(tuple(label for _, label in labels))
        groups[keys[-1]] += records
    failing = {key for key, records in groups.items() if records < k}
    gone = sum(groups[key] for key in failing)
    allowed = gone == 0 or (share > 0 and gone <= share * len(rows) and gone < len(rows))
    stays = [key not in failing for key in keys]
    dropped = all(
        level == column.root
        for column, levels in zip(shown.columns, shown.levels, strict=True)
        for level, there in zip(levels.tolist(), stays, strict=True)
        if there
    )
    if not allowed or dropped:
        with pytest.raises(RequirementNotMet if not allowed else ReleaseError):
            settle(cells, shown, required, "a rule")
        return
    found = settle(cells, shown, required, "a rule")
    reached = measure(found, one.config)
    left = [records for key, records in groups.items() if key not in failing]
    assert (reached.k, reached.classes) == (min(left), len(left))
    assert (reached.records, reached.suppressed) == (len(rows) - gone, gone)
    assert found.stays.tolist() == stays


# -- beside what the database makes of it ------------------------------------------------------------------------------


def told(one, made):
    """What a dry run says of a release, as an evaluation does."""
    utility = made.owner["utility"]
    return {
        "k": made.k,
        "classes": made.classes,
        "records": made.rows,
        "suppressed": made.suppressed,
        "measures": utility["measures"],
        "information_gain": utility["information_gain"],
    }


def evaluated(project, name, settings, **required):
    """The evaluation of what a method finds."""
    workspace, method = project.workspace, method_named(name)
    options = method.resolve_options(settings)
    requirement = requirement_of(workspace.config, workspace.folder, **required)
    cells = cells_of(project, requirement.k)
    secrets = tuple(workspace.roles.sensitive) if method.weighed else ()
    shown = show_found(method, options, cells, requirement, secrets, workspace.config.seed, Reporter())
    found = settle(cells, shown, requirement, name)
    reached = measure(found, workspace.config)
    names = ("k", "classes", "records", "suppressed", "measures", "information_gain")
    return {one: getattr(reached, one) for one in names}, reached, found


@pytest.mark.slow
@pytest.mark.parametrize("name", CELLS)
@examples(8)
@given(tables(max_rows=24), st.integers(2, 4), st.sampled_from([0.0, 0.3]))
def test_a_method_comes_to_what_its_dry_run_does(tmp_path_factory, name, drawn, k, share):
    names, paths, rows = drawn
    settings = {"weights": "equation-8"} if name == "flexible" else {}
    required = {"k": k, "suppression": share}
    with opened(tmp_path_factory.mktemp("method"), names, paths, rows, **required) as one:
        try:
            made = one.anonymize(name, dry_run=True, settings=settings)
        except AnonduckError:
            made = None
        if made is None or not all(line["met"] for line in made.receipt["requirements"]):
            with pytest.raises(AnonduckError):
                evaluated(one, name, settings)
            return
        assert evaluated(one, name, settings)[0] == told(one, made)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "settings", "more"),
    [
        ("mondrian", {"numbers": "intervals"}, {}),
        ("sequential", {"numbers": "intervals"}, {}),
        ("mondrian", {"splits": "entropy"}, {}),
        ("topdown", {}, {"requirement": {"k": 4, "l": 2, "t": 0.5, "suppression": 0.2}}),
        ("tds", {}, {"requirement": {"k": 4, "entropy_l": 1.3, "suppression": 0.2}}),
        ("flexible", {"weights": "equation-8"}, {"requirement": {"k": 5, "l": 2, "suppression": 0.1}}),
    ],
)
def test_intervals_whose_labels_open_and_sensitive_values_are_as_in_the_release(tmp_path, name, settings, more):
    people = persons(160, seed=2)
    people.loc[::9, "age"] = None
    people["ill"] = np.random.default_rng(1).choice(["a", "b", "c", None], len(people))
    with Project(**settled(source=people, insensitive=[], identifiers=["day"], sensitive=["ill"], **more)) as one:
        made = one.anonymize(name, tmp_path / "made.parquet", settings=settings)
        mine, reached, found = evaluated(one, name, settings)
        assert mine == told(one, made)
        measured = audit(tmp_path / "made.parquet", sensitive=["ill"], class_="bought").as_json()["measures"]
        assert reached.risks == {key: value["reached"] for key, value in measured.items() if key != "k"}
        table = released_table(found, one.config, Reporter())
    rows = pd.read_parquet(tmp_path / "made.parquet")
    assert table.folds.sum() == len(rows)
    assert len(table.sizes) >= len(found.kept)


def test_unknown_values_show_the_root(tmp_path):
    frame = pd.DataFrame({"job": ["a", "b", "a", "c", "b", "a"], "bought": ["y", "n"] * 3})
    (tmp_path / "job.csv").write_text("a,ab,*\nb,ab,*\n")
    taxonomies = {"job": {"file": str(tmp_path / "job.csv"), "header": False}}
    with Project(source=frame, class_="bought", taxonomies=taxonomies, requirement={"k": 1}, unmapped="root") as one:
        cells = cells_of(one)
        for shown in (
            show_levels(cells, {"job": 1}),
            show_classes(cells, np.arange(3)),
            show_cuts(cells, [np.ones(int(cells.columns[0].placed.place.max()) + 1, dtype=np.int64)]),
        ):
            by_value = dict(zip([row[0] for row in rows_of(cells)], shown_rows(shown), strict=False))
            assert by_value["c"] == ((2, "*"),)


def test_what_only_the_rows_of_persons_decide_is_refused():
    with Project(**settled(source=persons(40), insensitive=[], identifiers=["day"])) as one:
        cells = cells_of(one)
        required = requirement_of(one.config, one.workspace.folder, k=1, linked_k=2)
        with pytest.raises(ConfigError, match="linked_k"):
            settle(cells, show_levels(cells, {"age": 1}), required, "a rule")


def test_training_parts_without_made_taxonomies_are_the_rest_of_the_records():
    people = persons(90)
    masks = {name: {"mask": "right"} for name in ("age", "job")}
    settings = settled(source=people, insensitive=[], identifiers=["day"], taxonomies=masks)
    with Project(**settings) as one, ExitStack() as stack:
        source = SourceCells(one.workspace, stack)
        whole, folds = source.own, source.folds
        for fold, k in product(range(3), (1, 7)):
            part = source.part(fold, k)
            assert part.total == whole.total - folds[:, fold].sum()
            left = Counter(dict(zip(rows_of(whole), (whole.records - folds[:, fold]).tolist(), strict=True)))
            assert Counter(dict(zip(rows_of(part), part.records.tolist(), strict=True))) == +left
