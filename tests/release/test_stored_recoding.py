"""Stored recodings: what JSON keeps of them, and what they show of records that they have not seen."""

import json

import numpy as np
import pandas as pd
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import people
from prepared import PEOPLE, SOURCE, opened

from anonduck.database.progress import Reporter
from anonduck.release.last_recoding import last_recoding
from anonduck.release.stored_recoding import (
    ColumnLabels,
    StoredCuts,
    StoredLevels,
    StoredPartition,
    recoding_from_json,
)

# -- as data -----------------------------------------------------------------------------------------------------------

PATHS = {"a": ("ab", "all"), "b": ("ab", "all"), "c": ("cd", "all"), "d": ("cd", "all"), "e": ("ef", "ef")}


def labelled(values, unknown=()):
    """The labels of values with two levels under the root; NULL comes first."""
    texts = [[None, *values], *([None, *(PATHS.get(one, (None, None))[level] for one in values)] for level in (0, 1))]
    return ColumnLabels(texts, np.array([True, *(one not in unknown for one in values)]))


def read_back(recoding):
    return recoding_from_json(json.loads(json.dumps(recoding.as_json())))


def node_of(column, code, level):
    return None if level == column.root else (level, column.texts[level][code])


def covers(column, code, node):
    level, label = node
    return level == column.root or (bool(column.known[code]) and column.texts[level][code] == label)


def test_levels_are_read_back():
    assert read_back(StoredLevels({"age": 2})) == StoredLevels({"age": 2})


CUTS = st.sampled_from([[3, 3, 3, 3, 3], [2, 2, 2, 2, 2], [1, 1, 2, 2, 3], [0, 0, 1, 1, 2], [0, 0, 1, 1, 0]])


@examples(20)
@given(CUTS.map(lambda cut: cut if cut[0] in (2, 3) or cut[2] != 2 else [1, 1, 1, 1, 3]), st.integers(0, 3))
def test_cuts_show_what_they_showed_and_place_what_is_new(cut, of_null):
    before = labelled("abcde")
    stored = StoredCuts.of(["x"], [before], [np.array([of_null, *cut])])
    assert read_back(stored) == stored
    assert stored.levels("x", before).tolist() == [of_null, *cut]
    after = labelled("?bdfg", unknown="?")  # f and g: no node of theirs was seen
    assert stored.levels("x", after).tolist()[:4] == [of_null, 3, cut[1], cut[3]]


def test_a_value_of_a_node_that_was_opened_is_shown_as_itself():
    stored = StoredCuts.of(["x"], [labelled("ac")], [np.array([0, 0, 1])])
    assert stored.levels("x", labelled("abd")).tolist() == [0, 0, 0, 1]


@st.composite
def partitions(draw):
    """Two columns, combinations of their codes, a class for each, and other combinations of other values."""
    code = st.integers(0, 5)
    held = draw(st.lists(st.tuples(code, code), min_size=1, max_size=8, unique=True))
    classes = draw(st.lists(st.integers(0, 2), min_size=len(held), max_size=len(held)))
    return held, classes, draw(st.lists(st.tuples(code, code), min_size=1, max_size=8))


@examples(60)
@given(partitions())
def test_classes_take_what_they_cover_and_keep_what_they_had(drawn):
    held, given_classes, new = drawn
    labels = [labelled("abcde"), labelled("abcde")]
    codes = [np.array(one) for one in zip(*held, strict=True)]
    _, classes = np.unique(given_classes, return_inverse=True)
    levels = [
        np.array(
            [
                min(
                    level
                    for level in range(4)
                    if level == 3 or len({column.texts[level][one] for one in code[classes == number]}) == 1
                )
                for number in range(classes.max() + 1)
            ]
        )
        for column, code in zip(labels, codes, strict=True)
    ]
    stored = StoredPartition.of(["x", "y"], labels, codes, classes, levels)
    assert read_back(stored) == stored
    again, shown = stored.assigned(labels, codes)
    assert again.tolist() == classes.tolist()
    assert [one.tolist() for one in shown] == [one.tolist() for one in levels]

    number, shown = stored.assigned(labels, [np.array(one) for one in zip(*new, strict=True)])
    for place, row in enumerate(new):
        at = [int(one[number[place]]) for one in shown]
        if row in held:
            kept = classes[held.index(row)]
            assert at == [int(one[kept]) for one in levels]
            continue
        fitting = [
            sum(level for level, _ in nodes)
            for nodes in stored.nodes
            if all(covers(column, code, node) for column, code, node in zip(labels, row, nodes, strict=True))
        ]
        assert sum(at) == min(fitting, default=6)


# -- by `run`, night after night ---------------------------------------------------------------------------------------

TAXONOMIES = {"age": {"intervals": 10}, "job": {"file": "jobs.csv"}, "rate": {"clusters": True}}
JOBS = "value,group,all\nclerk,desk,*\ncook,hand,*\nnurse,hand,*\nsmith,hand,*\npilot,desk,*\n"
LINKED = {**PEOPLE, "identifiers": [], "insensitive": ["note", "id"], "taxonomies": TAXONOMIES, "models": []}
METHODS = {"mondrian": "partition", "tds": "cuts", "datafly": "levels"}


def night(folder, records, method, said=None, *, reselect=False, **changes):
    """A run on the records of a night: what it did, and what each person shows."""
    (folder / "jobs.csv").write_text(JOBS, encoding="utf-8")
    records.to_parquet(folder / SOURCE)
    reporter = None if said is None else Reporter(said.append)
    with opened(folder, reporter, **{**LINKED, "method": method, **changes}) as one:
        done = one.run(folder / "out.parquet", overwrite=True, reselect=reselect, report=False)
    shown = pd.read_parquet(folder / "out.parquet").set_index("id").sort_index()
    return done, shown.drop(columns=["note", "class"])


def with_new(records):
    """The records with ten more persons, who have a job and ages that nobody had."""
    more = records.iloc[:10].assign(id=range(1000, 1010), job="pilot", age=[*range(71, 80), 17])
    return pd.concat([records, more], ignore_index=True)


@pytest.mark.recoding
@pytest.mark.slow
@pytest.mark.parametrize(("method", "kind"), METHODS.items())
def test_a_method_keeps_its_recoding_on_the_next_night(tmp_path, method, kind):
    first, before = night(tmp_path, people(300), method)
    second, after = night(tmp_path, with_new(people(300)), method)
    assert first.reason == f"by `method: {method}` in the config"
    assert "kept while it meets the requirement" in second.reason
    assert second.release.k >= 5
    assert second.release.rows == 310
    same = [name for name in before.columns if name in after.columns]
    assert same
    pd.testing.assert_frame_equal(after.loc[before.index, same], before[same], check_dtype=False)
    with opened(tmp_path, **LINKED, method=method) as one:
        assert last_recoding(one.workspace).kind == kind


@pytest.mark.recoding
@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_a_recoding_that_no_longer_meets_the_requirement_is_found_anew(tmp_path, method):
    said = []
    night(tmp_path, people(2000), method)
    done, _ = night(tmp_path, people(60, seed=8), method, said)
    assert f"the last recoding of {method} no longer meets the requirement; finding it anew" in said
    assert done.reason == f"by `method: {method}` in the config"
    assert done.release.k >= 5


@pytest.mark.slow
def test_reselect_and_another_option_find_it_anew(tmp_path):
    said = []
    night(tmp_path, people(300), "mondrian")
    kept, _ = night(tmp_path, people(300), "mondrian")
    anew, _ = night(tmp_path, people(300), "mondrian", reselect=True)
    other, _ = night(tmp_path, people(300), "mondrian", said, methods={"mondrian": {"strict": False}})
    assert ["kept" in one.reason for one in (kept, anew, other)] == [True, False, False]
    assert any("one of its options changed" in words for words in said)


@pytest.mark.slow
def test_a_recoding_by_another_taxonomy_is_not_kept(tmp_path):
    said = []
    night(tmp_path, people(300), "tds")
    done, _ = night(tmp_path, people(300), "tds", said, taxonomies={**TAXONOMIES, "age": {"intervals": 20}})
    assert "kept" not in done.reason
    assert any("the taxonomy of 'age' changed" in words for words in said)


@pytest.mark.slow
def test_intervals_of_their_own_are_found_each_night(tmp_path):
    changes = {"methods": {"mondrian": {"numbers": "intervals"}}}
    for _ in range(2):
        done, _ = night(tmp_path, people(300), "mondrian", **changes)
        assert done.reason == "by `method: mondrian` in the config"
