"""Releases by cuts: the nodes of the oracle, labels that cover, what is required, and that no more decides."""

from collections import Counter, defaultdict

import duckdb
import numpy as np
import pytest
from class_oracle import frame_of, labels_of, opened, parquet, released, sorted_rows, taxonomy_files
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from mondrian_oracle import Tree
from oracles import CLASS, tables
from privacy_oracle import lkc
from specialization_oracle import Oracle
from test_found_classes import persons

from anonduck import Project, audit
from anonduck.errors import ReleaseError, RequirementNotMet


def shown_by_hand(names, paths, rows, k, method, met=lambda groups, shown: True):
    """Level and label of each record in each column; ``met`` judges lists of numbers of records, by what all show."""
    trees = [
        Tree({value + 1: path[:-1] for value, path in paths[name].items()}, len(paths[name][0]), ordered=True)
        for name in names
    ]
    codes = [tuple(0 if value is None else value + 1 for value in row[:-1]) for row in rows]
    records = defaultdict(list)
    for number, code in enumerate(codes):
        records[code].append(number)
    combinations = sorted(records)
    classes = [[rows[number][-1] for number in records[code]] for code in combinations]
    order = np.argsort(np.random.default_rng(0).permutation(len(names))).tolist()

    def meets(groups, cuts):
        shown = [
            tuple(next(node for node in cut if code in node) for code, cut in zip(row, cuts, strict=True))
            for row in codes
        ]
        return met([[number for row in group for number in records[combinations[row]]] for group in groups], shown)

    levels = Oracle(trees, combinations, classes, k, meets, method == "tds", order).levels()
    return [
        tuple(
            (at[code], labels_of(paths[name], value)[at[code]])
            for name, code, value, at in zip(names, code_row, row, levels, strict=False)
        )
        for code_row, row in zip(codes, rows, strict=True)
    ]


METHOD = st.sampled_from(["tds", "pais"])


@pytest.mark.recoding
@pytest.mark.slow
@examples(14)
@given(tables(max_rows=14), st.integers(1, 4), METHOD, st.booleans())
def test_a_release_shows_the_cuts_of_the_oracle(tmp_path_factory, drawn, k, method, kept):
    names, paths, rows = drawn
    folder = tmp_path_factory.mktemp("cuts")
    expected = released(names, paths, rows, shown_by_hand(names, paths, rows, k, method))
    with opened(folder, names, paths, rows, kept=["kept"] if kept else [], k=k) as one:
        if len(rows) < k or expected[0] == [CLASS]:
            with pytest.raises((ReleaseError, RequirementNotMet)):
                one.anonymize(method, folder / "out.parquet")
            assert not (folder / "out.parquet").exists()
            return
        made = one.anonymize(method, folder / "out.parquet")
    shown_names, shown = parquet(folder / "out.parquet")
    assert shown_names == expected[0] + ["kept"] * kept
    assert sorted_rows([row[: len(expected[0])] for row in shown]) == sorted_rows(expected[1])
    sizes = Counter(row[:-1] for row in expected[1])
    assert (made.rows, made.classes, made.k) == (len(rows), len(sizes), min(sizes.values()))
    assert made.k >= k
    assert audit(folder / "out.parquet", expected[0][:-1], class_=CLASS).k == made.k
    for entry in made.owner["columns"][: len(expected[0]) - 1]:
        of_column = {nodes[names.index(entry["name"])] for nodes in shown_by_hand(names, paths, rows, k, method)}
        counted = Counter(level for level, _ in of_column)
        assert entry["at_levels"] == {str(level): count for level, count in sorted(counted.items())}
        assert set(entry.get("groups", [])) == {label for level, label in of_column if level}


@pytest.mark.slow
@examples(15)
@given(tables(max_rows=14), st.integers(1, 3), METHOD)
def test_each_value_has_one_label_that_covers_it(tmp_path_factory, drawn, k, method):
    """Told by a column that is kept and names the record."""
    names, paths, rows = drawn
    folder = tmp_path_factory.mktemp("cuts")
    frame, taxonomies = frame_of(names, rows), taxonomy_files(folder, names, paths)
    frame["number"] = range(len(rows))
    roles = {"class_": CLASS, "insensitive": ["number"], "taxonomies": taxonomies, "requirement": {"k": k}}
    with Project(source=frame, **roles) as one:
        try:
            one.anonymize(method, folder / "out.parquet")
        except (ReleaseError, RequirementNotMet):
            return
    shown_names, shown = parquet(folder / "out.parquet")
    assert len(shown) == len(rows)
    labels = defaultdict(set)
    for record in (dict(zip(shown_names, row, strict=True)) for row in shown):
        row = rows[record["number"]]
        for name, value in zip(names, row, strict=False):
            label = record.get(name, "*")
            labels[name, value].add(label)
            assert (None if label is None else str(label)) in labels_of(paths[name], value)
        assert record[CLASS] == row[-1]
    assert all(len(found) == 1 for found in labels.values())
    for name in names:
        nodes = {next(iter(found)) for (column, _), found in labels.items() if column == name}
        for value in paths[name]:
            over = [label for label in labels_of(paths[name], value) if label in {str(node) for node in nodes}]
            assert len(set(over)) <= 1


@pytest.mark.slow
@examples(10)
@given(tables(max_rows=14), st.integers(1, 3), st.integers(2, 3), METHOD)
def test_the_classes_meet_what_else_is_required(tmp_path_factory, drawn, k, diverse, method):
    names, paths, rows = drawn
    folder = tmp_path_factory.mktemp("cuts")
    secrets = [f"s{number % 3}" for number in range(len(rows))]

    def met(groups, shown=None):
        parts = [[secrets[number] for number in group] for group in groups]
        return all(len(set(part)) >= diverse and len(part) >= k for part in parts)

    frame, taxonomies = frame_of(names, rows), taxonomy_files(folder, names, paths)
    frame["secret"] = secrets
    expected = released(names, paths, rows, shown_by_hand(names, paths, rows, k, method, met))
    requirement = {"k": k, "l": diverse}
    roles = {"class_": CLASS, "sensitive": ["secret"], "taxonomies": taxonomies}
    with Project(source=frame, **roles, requirement=requirement) as one:
        if expected[0] == [CLASS] or not met([range(len(rows))]):
            with pytest.raises((ReleaseError, RequirementNotMet)):
                one.anonymize(method, folder / "out.parquet")
            return
        one.anonymize(method, folder / "out.parquet")
    _, shown = parquet(folder / "out.parquet")
    assert sorted_rows([row[:-1] for row in shown]) == sorted_rows(expected[1])


@pytest.mark.slow
@examples(10)
@given(tables(max_rows=14), st.integers(1, 2), st.integers(1, 3), st.sampled_from([0.5, 0.7, 0.9]))
def test_pais_keeps_lkc_privacy(tmp_path_factory, drawn, known, k, share):
    names, paths, rows = drawn
    folder = tmp_path_factory.mktemp("cuts")
    secrets = [f"s{number % 3}" for number in range(len(rows))]

    def met(groups, shown):
        reached = lkc(
            [(*nodes, secret) for nodes, secret in zip(shown, secrets, strict=True)], len(names), len(names), known
        )
        return reached["k"] >= k and reached["c"] <= share

    frame, taxonomies = frame_of(names, rows), taxonomy_files(folder, names, paths)
    frame["secret"] = secrets
    expected = released(names, paths, rows, shown_by_hand(names, paths, rows, 1, "pais", met))
    requirement = {"k": 1, "lkc": {"l": known, "k": k, "c": share}}
    roles = {"class_": CLASS, "sensitive": ["secret"], "taxonomies": taxonomies}
    with Project(source=frame, **roles, requirement=requirement) as one:
        if expected[0] == [CLASS] or not met([], [(0,) * len(names)] * len(rows)):
            with pytest.raises((ReleaseError, RequirementNotMet)):
                one.anonymize("pais", folder / "out.parquet")
            return
        made = one.anonymize("pais", folder / "out.parquet")
    assert made.receipt["method"]["model"]["lkc"] == requirement["lkc"]
    assert sorted_rows([row[:-1] for row in parquet(folder / "out.parquet")[1]]) == sorted_rows(expected[1])


# -- a table to read ---------------------------------------------------------------------------------------------------


def test_values_that_a_taxonomy_does_not_know_show_its_root(tmp_path):
    (tmp_path / "jobs.csv").write_text("clerk,office,*\ncook,kitchen,*\nnurse,care,*\nsmith,works,*\n")
    jobs = {"job": {"file": str(tmp_path / "jobs.csv"), "header": False}}
    frame = persons()
    with Project(source=frame[["job", "class"]], class_="class", requirement={"k": 3}, taxonomies=jobs) as one:
        made = one.anonymize("tds", tmp_path / "out.parquet", unmapped="root")
    shown = duckdb.sql(f"SELECT job, count(*) FROM '{tmp_path}/out.parquet' GROUP BY ALL").fetchall()
    counts = frame["job"].replace("pilot", "*").value_counts()
    assert dict(shown) == counts.to_dict()
    assert made.k == counts.min()


# -- the command and the config ----------------------------------------------------------------------------------------


# -- figures -----------------------------------------------------------------------------------------------------------
