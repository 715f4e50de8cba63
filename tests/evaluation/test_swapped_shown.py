"""What classes show as swapped values of counted records: values of their own class, and of rare ones what a release
shows."""

from collections import Counter
from contextlib import ExitStack

import duckdb
import numpy as np
import pytest
from test_typical_shown import people

from anonduck import Project
from anonduck.errors import ConfigError
from anonduck.evaluation.evaluation import part_table
from anonduck.evaluation.finding import recode_by_method, recode_by_swaps
from anonduck.evaluation.source_cells import SourceCells

K = 5
ODD = 'an "odd" name'
DRAWN = {"class_": "class", "drop": ["group"], "models": [], "show": "swapped", "seed": 7}


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("swapped") / "people.parquet"
    with duckdb.connect() as connection:
        connection.register("frame", people())
        connection.execute(f"COPY (SELECT * REPLACE (CAST(born AS DATE) AS born) FROM frame) TO '{path}'")
    return path


def settled_of(one, method="mondrian", k=K):
    """The classes of a method, and the same with swapped values."""
    with ExitStack() as stack:
        workspace = one.workspace.counting_records()
        classes = recode_by_method(workspace, SourceCells(workspace, stack).own, method, {}, k)
        return classes.settled, recode_by_swaps(workspace, classes, method, k).settled


@pytest.mark.parametrize("method", ["mondrian", "guided"])
def test_each_record_shows_values_of_one_class_and_each_value_as_often_as_before(source, method):
    with Project(source=str(source), requirement={"k": K, "kept_rare": 300}, **DRAWN) as one:
        before, after = settled_of(one, method)
    found, cells = after.taught, before.cells
    assert found.records.sum() == cells.total
    assert not any(levels.any() for levels in found.levels)
    for own, shown in zip(cells.leaves, found.leaves, strict=True):
        counts = np.bincount(own, weights=cells.records)
        assert (np.bincount(shown, weights=found.records, minlength=len(counts)) == counts).all()
    held = [
        (
            *(set(own[before.equivalence == number]) for own in cells.leaves),
            set(cells.classes[before.equivalence == number]),
        )
        for number in np.unique(before.equivalence)
    ]
    rows = list(zip(*found.leaves, found.classes, strict=True))
    assert all(any(all(code in part for code, part in zip(row, one, strict=True)) for one in held) for row in rows)
    original = set(zip(*cells.leaves, cells.classes, strict=True))
    assert len(original & set(rows)) < len(original) / 2
    assert after.kept == tuple(cells.names)


def test_rare_values_stand_for_what_a_release_shows(source, tmp_path):
    with Project(source=str(source), requirement={"k": K}, **DRAWN) as one:
        one.anonymize("mondrian", tmp_path / "out.parquet")
        before, after = settled_of(one)
    found, columns = after.taught, after.shown.columns
    rows = duckdb.sql(f"FROM '{tmp_path}/out.parquet'")
    typed = dict(zip(rows.columns, map(str, rows.types), strict=True))
    assert (typed["age"], typed["pay"], typed["born"]) == ("BIGINT", "DOUBLE", "VARCHAR")  # some dates have but a label
    for name in ("town", "born", ODD):
        place = before.cells.names.index(name)
        told = Counter()
        for leaf, level, records in zip(found.leaves[place], found.levels[place], found.records, strict=True):
            told[columns[place].texts[columns[place].labels[leaf, level]]] += int(records)
        query = f"SELECT \"{name.replace(chr(34), chr(34) * 2)}\", count(*) FROM '{tmp_path}/out.parquet' GROUP BY 1"
        assert told == Counter(dict(duckdb.sql(query).fetchall()))
    for name in ("age", "pay"):
        place = before.cells.names.index(name)
        counts = np.bincount(before.cells.leaves[place], weights=before.cells.records)
        shown = np.bincount(found.leaves[place], weights=found.records, minlength=len(counts))
        assert not found.levels[place].any()
        assert (shown[counts >= K] >= counts[counts >= K]).all()


def test_swaps_follow_the_seed_alone_and_models_learn_them(source):
    with Project(source=str(source), requirement={"k": K}, **DRAWN) as one:
        before, after = settled_of(one)
        again = settled_of(one)[1]
    for own, other in zip(after.taught.leaves, again.taught.leaves, strict=True):
        assert (own == other).all()
    table = part_table(after, before.cells, before.cells.records // 2, 0)
    assert table.folds[:, 0].sum() == before.cells.total
    assert table.folds[:, 1].sum() == (before.cells.records // 2).sum()


@pytest.mark.parametrize(
    ("keys", "words"),
    [({"requirement": {"k": 2}}, "takes a k of 3 or more"), ({"requirement": {"k": 5, "l": 2}}, "cannot meet l")],
)
def test_what_swapping_cannot_meet_is_refused(source, keys, words):
    given = {**DRAWN, "drop": [], "sensitive": ["group"], **keys}
    with Project(source=str(source), **given) as one, pytest.raises(ConfigError, match=words):
        settled_of(one, k=keys["requirement"]["k"])


def test_columns_of_a_block_keep_their_relation(source):
    with Project(source=str(source), requirement={"k": K, "kept_rare": 300}, blocks=[["pay", "age"]], **DRAWN) as one:
        before, after = settled_of(one)
    at = [before.cells.names.index(name) for name in ("age", "pay")]
    pairs = [Counter(), Counter()]
    for counted, part in zip(pairs, (after.taught, before.cells), strict=True):
        for *pair, records in zip(*(part.leaves[place] for place in at), part.records, strict=True):
            counted[tuple(pair)] += int(records)
    assert pairs[0] == pairs[1]
