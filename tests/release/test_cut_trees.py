"""Cut trees of a release: applied again they give the same file, and other records the classes of a walk by hand."""

import json
from collections import defaultdict

import pandas as pd
import pyarrow.parquet as pq
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from odd_tables import odd_table
from oracles import people
from prepared import PEOPLE, SOURCE, opened
from tree_oracle import by_hand

from anonduck import Project
from anonduck.errors import ReleaseError, RequirementNotMet
from anonduck.methods.recodings import recoding_from_json
from anonduck.release.by_recoding import Origin, method_origin, release_method, release_recoding
from anonduck.release.plan import ReleaseSettings
from anonduck.release.target import target_of
from anonduck.statements import Statement

CONFIG = {**PEOPLE, "taxonomies": {"age": {"intervals": 10}, "rate": {"clusters": True}}, "models": []}


def found_tree(project, method, options, target, k):
    """The release of a method, and its recoding as it is read back."""
    settings = ReleaseSettings(as_data=True, requirement={"k": k})
    made = release_method(project.workspace, method, target, settings, options=options)
    return made, recoding_from_json(json.loads(json.dumps(made.recoding.to_json())))


@pytest.mark.recoding
@examples(12)
@given(st.integers(0, 10**6), st.sampled_from(["mondrian", "guided"]), st.sampled_from(["nodes", "intervals"]))
def test_a_tree_gives_the_records_that_it_was_made_of_the_same_release(tmp_path_factory, seed, method, numbers):
    folder = tmp_path_factory.mktemp("trees")
    pq.write_table(odd_table(seed), folder / "people.parquet")
    options = {"numbers": numbers}
    with Project(source=str(folder / "people.parquet"), class_="class", requirement={"k": 3}, models=[]) as one:
        found, again = (target_of(name, folder) for name in ("found.csv", "again.csv"))
        try:
            made, tree = found_tree(one, method, options, found, 3)
        except ReleaseError:
            return  # no cut is allowed
        assert tree.kind == "tree"
        origin = method_origin(one.workspace, method, options)
        other = release_recoding(one.workspace, tree, origin, again, ReleaseSettings(requirement={"k": 3}))
    assert again.path.read_bytes() == found.path.read_bytes()
    assert other.receipt["method"] == made.receipt["method"]
    pruned = other.owner["method"]["pruned"]
    assert (pruned["merged"], pruned["detail"]) == (0, pruned["detail_at_first"])


def place(marks, value, code):
    """Where a value stands in the order of a column."""
    if value is None:
        return -1
    if "bounds" in marks:
        return sum(float(bound) <= value for bound in marks["bounds"])
    nodes = [tuple(one) for one in marks["nodes"]]
    return max([0, *(nodes.index(one) + 1 for one in ((0, str(value)), (1, code)) if one in nodes)])


def codes_of(database, name):
    """The node over each value of a column."""
    text = f'SELECT value::VARCHAR, code_1::VARCHAR FROM taxonomy."{name}"'
    return dict(database.rows(Statement("codes", text)))


@pytest.mark.parametrize("method", ["mondrian", pytest.param("guided", marks=pytest.mark.slow)])
@pytest.mark.parametrize(("records", "k"), [(300, 5), (90, 5), (40, 8)])
def test_other_records_have_the_classes_of_a_walk_by_hand(tmp_path, method, records, k):
    people(400).to_parquet(tmp_path / SOURCE)
    other = people(records, seed=9)
    other.to_parquet(tmp_path / "other.parquet")
    taxonomies = {"age": {"intervals": 10}, "rate": {"clusters": True}, "job": {"clusters": True}}
    config = {**CONFIG, "taxonomies": taxonomies, "identifiers": [], "insensitive": ["note", "id"]}
    with opened(tmp_path, **config) as one:
        _, tree = found_tree(one, method, {}, target_of("found.csv", tmp_path), 5)
        settings = ReleaseSettings(export=str(tmp_path / "other.parquet"), requirement={"k": k})
        made = release_recoding(
            one.workspace, tree, method_origin(one.workspace, method), target_of("out.parquet", tmp_path), settings
        )
        codes = {name: codes_of(one.database, name) for name in ("rate", "job")}
    document = tree.to_json()
    places = []
    for record in other.to_dict("records"):
        values = {name: None if pd.isna(record[name]) else record[name] for name in tree.names}
        at = [
            place(one, values[one["name"]], codes.get(one["name"], {}).get(str(values[one["name"]])))
            for one in document["columns"]
        ]
        places.append((at, 1))
    classes = by_hand(document["tree"], places, k, lambda own: True)
    expected = [{int(other["id"].iloc[at]) for at in own} for own in classes]
    assert min(map(len, expected)) >= k
    shown = pd.read_parquet(tmp_path / "out.parquet").set_index("id")
    names = [name for name in shown.columns if name in tree.names]
    alike = defaultdict(set)
    for record, row in zip(shown.index, shown[names].astype(str).itertuples(index=False), strict=True):
        alike[tuple(row)].add(record)
    for ids in expected:
        assert any(ids <= held for held in alike.values())  # classes that look alike are one
    assert made.k >= k
    assert made.rows == records


def test_what_pruning_merged_is_told_to_the_owner_and_refusing_ends(tmp_path):
    people(400).to_parquet(tmp_path / SOURCE)
    people(60, seed=3).to_parquet(tmp_path / "other.parquet")
    with opened(tmp_path, **CONFIG) as one:
        _, tree = found_tree(one, "mondrian", {}, target_of("found.csv", tmp_path), 5)
    other = ReleaseSettings(export=str(tmp_path / "other.parquet"))
    origin = Origin(method="mondrian", options={"strict": True, "splits": "width", "numbers": "nodes"})
    with opened(tmp_path, **CONFIG) as one:
        made = release_recoding(one.workspace, tree, origin, target_of("out.csv", tmp_path), other)
    pruned = made.owner["method"]["pruned"]
    assert 0 < pruned["merged"] <= pruned["classes"]
    assert pruned["detail"] < pruned["detail_unpruned"]
    assert pruned["detail"] < pruned["detail_at_first"]
    assert "time to cut anew" in " ".join(made.owner["method"]["remarks"])
    assert "pruned" not in made.receipt["method"]
    with opened(tmp_path, **CONFIG, next="refuse") as one, pytest.raises(RequirementNotMet, match="k = "):
        release_recoding(one.workspace, tree, origin, target_of("refused.csv", tmp_path), other)
    with (
        opened(tmp_path, **{**CONFIG, "requirement": {"k": 55}}) as one,
        pytest.raises(RequirementNotMet, match="no cut of"),
    ):
        release_recoding(one.workspace, tree, origin, target_of("refused.csv", tmp_path), other)
