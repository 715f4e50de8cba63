"""A recoding that is kept as data, of whatever kind: released, applied to another export, and written as SQL."""

import json
from pathlib import Path

import duckdb
import pandas as pd
import pytest
from oracles import people
from prepared import PEOPLE, SOURCE, opened

from anonduck.errors import ConfigError, RequirementNotMet
from anonduck.methods.recodings import Cuts, Levels, recoding_from_json
from anonduck.release.by_recoding import Origin, method_origin, release_method, release_recoding
from anonduck.release.plan import AS_CONFIGURED, ReleaseSettings
from anonduck.release.script import FoundRecoding
from anonduck.release.script_text import TextOptions
from anonduck.release.sql_texts import ALONE, release_texts
from anonduck.release.target import target_of

METHODS = {"mondrian": "tree", "guided": "tree", "flexible": "partition", "tds": "cuts", "datafly": "levels"}
CONFIG = {**PEOPLE, "taxonomies": {"age": {"intervals": 10}, "rate": {"clusters": True}}, "models": []}


@pytest.fixture
def project(tmp_path):
    people(300).to_parquet(tmp_path / SOURCE)
    with opened(tmp_path, **CONFIG) as one:
        yield one


def kept(recoding):
    return recoding_from_json(json.loads(json.dumps(recoding.to_json())))


@pytest.mark.recoding
@pytest.mark.slow
@pytest.mark.parametrize(("method", "kind"), METHODS.items())
def test_what_a_method_found_is_released_again_and_written_as_sql(project, tmp_path, method, kind):
    workspace, origin = project.workspace, method_origin(project.workspace, method)
    found, again = (target_of(name, tmp_path) for name in ("found.csv", "again.csv"))
    made = release_method(workspace, method, found, ReleaseSettings(as_data=True))
    recoding = kept(made.recoding)
    assert recoding.kind == kind
    one = release_recoding(workspace, recoding, origin, again)
    assert again.path.read_bytes() == found.path.read_bytes()
    assert one.receipt["method"] == made.receipt["method"]
    assert one.warnings == made.warnings
    of = recoding.levels if kind == "levels" else FoundRecoding(recoding, origin, method)
    text = release_texts(workspace, of, TextOptions(), None, AS_CONFIGURED)[ALONE]
    rows = duckdb.execute(text).fetchall()
    csv = duckdb.sql(f"SELECT * FROM read_csv('{again.path}', all_varchar=true, nullstr='')").fetchall()
    as_text = [tuple(None if value is None else str(value) for value in row) for row in rows]
    assert sorted(as_text, key=str) == sorted(csv, key=str)


PLAIN = {**CONFIG, "identifiers": ["id", "note"], "insensitive": []}


@pytest.mark.recoding
@pytest.mark.slow
@pytest.mark.parametrize(("method", "kind"), {"nsvdist": "distributions", "probabilistic": "swaps"}.items())
def test_what_is_drawn_for_records_is_released_again_of_these_alone(tmp_path, method, kind):
    found, again = (target_of(name, tmp_path) for name in ("found.csv", "again.csv"))
    people(60).to_parquet(tmp_path / SOURCE)
    people(61, seed=9).to_parquet(tmp_path / "other.parquet")
    with opened(tmp_path, **PLAIN, seed=3) as one:
        workspace, origin = one.workspace, method_origin(one.workspace, method)
        made = release_method(workspace, method, found, ReleaseSettings(as_data=True))
        recoding = kept(made.recoding)
        assert recoding == made.recoding
        assert recoding.kind == kind
        same = release_recoding(workspace, recoding, origin, again)
        assert again.path.read_bytes() == found.path.read_bytes()
        assert same.receipt["method"] == made.receipt["method"]
        other = ReleaseSettings(export=str(tmp_path / "other.parquet"), dry_run=True)
        with pytest.raises(ConfigError, match=f"{kind} are of the records that they were made of, and cannot"):
            release_recoding(workspace, recoding, origin, None, other)
    if kind == "distributions":
        people(61, seed=9).to_parquet(tmp_path / SOURCE)
        with opened(tmp_path, **PLAIN, seed=3) as one, pytest.raises(RequirementNotMet, match="made of other records"):
            release_recoding(one.workspace, recoding, origin, None, ReleaseSettings(dry_run=True))


@pytest.mark.slow
def test_a_recoding_is_applied_to_another_export(project, tmp_path):
    workspace, origin = project.workspace, method_origin(project.workspace, "mondrian")
    made = release_method(workspace, "mondrian", None, ReleaseSettings(dry_run=True, as_data=True))
    other = str(tmp_path / "other.parquet")
    pd.concat([people(300), people(40, seed=9).assign(id=lambda frame: frame["id"] + 1000)]).to_parquet(other)
    settings = ReleaseSettings(export=other, dry_run=True)
    one = release_recoding(workspace, kept(made.recoding), origin, None, settings)
    assert one.rows == 340
    assert one.k >= 5


@pytest.mark.slow
def test_an_export_may_have_its_columns_in_another_order(project, tmp_path):
    workspace, origin = project.workspace, method_origin(project.workspace, "mondrian")
    made = release_method(workspace, "mondrian", None, ReleaseSettings(dry_run=True, as_data=True))
    turned = people(300)[people(300).columns[::-1]]
    turned.to_parquet(tmp_path / SOURCE)
    with opened(tmp_path, **CONFIG) as other:
        assert other.workspace.roles.quasi_identifiers == workspace.roles.quasi_identifiers[::-1]
        same = release_recoding(other.workspace, kept(made.recoding), origin, None, ReleaseSettings(dry_run=True))
    assert (same.k, same.classes) == (made.k, made.classes)
    assert not any("in no class" in words for words in same.warnings)


@pytest.mark.slow
def test_levels_of_nobody_are_a_rule(project, tmp_path):
    by_levels, by_rule = target_of("levels.csv", tmp_path), Path("rule.csv")
    made = release_recoding(project.workspace, Levels({"age": 2}), Origin(), by_levels)
    assert made.receipt["rule"] == {"id": None, "levels": {"age": 2}, "literal": "age=2"}
    project.release({"age": 2}, tmp_path / by_rule)
    assert by_levels.path.read_bytes() == (tmp_path / by_rule).read_bytes()


CUTS = Cuts({"age": frozenset()}, {"age": 1})
REFUSED = {
    "other columns": (CUTS, Origin(method="tds", options={}), "the recoding is of the columns 'age', and the quasi"),
    "no method": (CUTS, Origin(), "comes from a method; name it in `origin`"),
    "another kind": (CUTS, Origin(method="mondrian"), "mondrian recodes by partition, and cannot release by cuts"),
    "swaps": (CUTS, Origin(method="probabilistic"), "probabilistic recodes by swaps, and cannot release by cuts"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_recoding_that_is_not_of_its_origin_is_refused(project, name):
    recoding, origin, words = REFUSED[name]
    with pytest.raises(ConfigError, match=words):
        release_recoding(project.workspace, recoding, origin, None, ReleaseSettings(dry_run=True))
