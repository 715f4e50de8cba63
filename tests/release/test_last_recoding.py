"""A method keeps the recoding that `run` found last, night after night, while it can be applied."""

import pandas as pd
import pytest
from oracles import people
from prepared import NO_INTERVALS, PEOPLE, SOURCE, opened

from anonduck.database.progress import Reporter
from anonduck.release.last_recoding import last_recoding

TAXONOMIES = {"age": {"intervals": 10}, "job": {"file": "jobs.csv"}, "rate": {"clusters": True}}
JOBS = "value,group,all\nclerk,desk,*\ncook,hand,*\nnurse,hand,*\nsmith,hand,*\npilot,desk,*\n"
LINKED = {**PEOPLE, "identifiers": [], "insensitive": ["note", "id"], "taxonomies": TAXONOMIES, "models": []}
METHODS = {"mondrian": "tree", "guided": "tree", "flexible": "partition", "tds": "cuts", "datafly": "levels"}


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
@pytest.mark.some(1)
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
    if kind != "tree":  # what its classes show follows from the records at hand
        pd.testing.assert_frame_equal(after.loc[before.index, same], before[same], check_dtype=False)
    with opened(tmp_path, **LINKED, method=method) as one:
        assert last_recoding(one.workspace).kind == kind


@pytest.mark.recoding
def test_what_another_project_kept_meanwhile_is_applied(tmp_path):
    (tmp_path / "jobs.csv").write_text(JOBS, encoding="utf-8")
    people(300).to_parquet(tmp_path / SOURCE)
    config = {**LINKED, "method": "mondrian", "taxonomies": {**TAXONOMIES, **NO_INTERVALS["taxonomies"]}}
    ks = []
    with opened(tmp_path, **config) as one, opened(tmp_path, **{**config, "requirement": {"k": 30}}) as other:
        for which, reselect in ((one, False), (other, True), (one, False)):
            done = which.run(tmp_path / "out.csv", overwrite=True, reselect=reselect, report=False)
            ks.append(done.release.k)
    assert ks[0] < 30 <= ks[1] == ks[2]


@pytest.mark.recoding
@pytest.mark.slow
@pytest.mark.parametrize("method", [name for name, kind in METHODS.items() if kind != "tree"])
def test_a_recoding_that_no_longer_meets_the_requirement_is_found_anew(tmp_path, method):
    said = []
    night(tmp_path, people(2000), method)
    done, _ = night(tmp_path, people(60, seed=8), method, said)
    assert f"the last recoding of {method} no longer meets the requirement; finding it anew" in said
    assert done.reason == f"by `method: {method}` in the config"
    assert done.release.k >= 5


@pytest.mark.slow
@pytest.mark.parametrize("method", [name for name, kind in METHODS.items() if kind == "tree"])
def test_a_tree_is_pruned_for_fewer_records_and_that_it_is_outworn_is_said(tmp_path, method):
    said = []
    night(tmp_path, people(2000), method)
    done, _ = night(tmp_path, people(60, seed=8), method, said)
    assert "kept while it meets the requirement" in done.reason
    assert done.release.k >= 5
    assert any("it is time to cut anew" in words for words in said)


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
@pytest.mark.parametrize(("method", "kept"), [("mondrian", True), ("sequential", False)])
def test_intervals_of_their_own_are_kept_where_a_tree_is(tmp_path, method, kept):
    changes = {"methods": {method: {"numbers": "intervals"}}}
    shown = []
    for number in range(2):
        done, after = night(tmp_path, people(300), method, **changes)
        assert ("kept while" in done.reason) == (kept and number > 0)
        shown.append(after)
    pd.testing.assert_frame_equal(*shown)
