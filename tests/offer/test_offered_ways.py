"""Candidates in each way that classes may be shown: released as they were measured, chosen, kept and locked so."""

import json
from collections import Counter
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
from persons import persons

from anonduck import Project
from anonduck.cli.app import run
from anonduck.config.reading import make_config, with_changes
from anonduck.database.documents import LAST_RECODING, keep_document, kept_document
from anonduck.database.progress import Reporter
from anonduck.errors import ConfigError, NoRuleMeetsRequirement, TaxonomyError
from anonduck.offer.candidates import Candidate, candidate_from_json
from anonduck.offer.choice import choose, marked
from anonduck.offer.offer import measured_rule
from anonduck.release.candidate_release import release_candidate
from anonduck.release.last_recoding import last_candidate
from anonduck.release.plan import ReleaseSettings
from anonduck.rules.rule import literal

ODD = 'an "odd" name'


def people(rows=400, seed=3):
    """Dates before and after 1970, an odd name, NULL in each column, and pay that nobody shares."""
    random = np.random.default_rng(seed)
    age = random.integers(18, 60, rows)
    frame = pd.DataFrame(
        {
            "age": pd.array(age, dtype="Int64"),
            "pay": 900.0 + random.permutation(rows) * 7.25,
            "born": [date(1962, 3, 4) + timedelta(days=int(one) * 9) for one in random.integers(0, 600, rows)],
            ODD: random.choice(["x", "y"], rows),
            "class": np.where(age + random.normal(0, 8, rows) > 40, "yes", "no"),
        }
    ).astype({"born": object, ODD: object})
    for name in ("age", "born", ODD):
        frame.loc[random.random(rows) < 0.06, name] = None
    return frame


def settled(**more):
    keys = {"class_": "class", "requirement": {"k": 5}, "methods": ["rules", "mondrian"], "budget": 50}
    return {**keys, "show": ["ranges", "typical"], **more}


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("ways") / "people.parquet"
    with duckdb.connect() as connection:
        connection.register("frame", people())
        connection.execute(f"COPY (SELECT * REPLACE (CAST(born AS DATE) AS born) FROM frame) TO '{path}'")
    return str(path)


@pytest.fixture(scope="module")
def offered(source):
    taxonomies = {"born": {"dates": ["month", "year", "decade"]}}
    with Project(source=source, **settled(taxonomies=taxonomies)) as one:
        one.discover()
        yield one


def shown(folder, name):
    """The distinct rows of quasi-identifiers in a file, with their records, and the types of its columns."""
    rows = duckdb.sql(f"SELECT * EXCLUDE (class) FROM '{folder}/{name}'")
    return Counter(rows.fetchall()), dict(zip(rows.columns, map(str, rows.types), strict=True))


@pytest.mark.slow
def test_each_way_is_released_as_it_was_measured(offered, tmp_path):
    found = offered.candidates()
    assert found["failed"].isna().all()
    methods = found[found["method"] == "mondrian"]
    assert list(zip(methods["id"], methods["shows"], methods["k_required"], strict=True)) == [
        ("M1", "ranges", 5),
        ("M2", "ranges", 20),
        ("M3", "typical", 5),
        ("M4", "typical", 20),
    ]
    for row in methods.to_dict("records"):
        made = offered.release(row["id"], tmp_path / f"{row['id']}.parquet")
        counts, types = shown(tmp_path, f"{row['id']}.parquet")
        assert (min(counts.values()), len(counts)) == (row["k"], row["classes"]) == (made.k, made.classes)
        assert row["k"] >= row["k_required"]
        assert made.receipt["recoding"]["shows"] == row["shows"]
        assert made.receipt["recoding"]["id"] == row["id"]
        assert set(types) == set(row["columns"])
        if row["id"] == "M3":  # at k = 20 each age is rare, and so is each round number between ages
            assert types == {"age": "BIGINT", "pay": "DOUBLE", "born": "DATE", ODD: "VARCHAR"}
    assert [row["detail"] for row in methods.to_dict("records")[:2]] == list(methods["detail"][2:])


def test_the_dates_of_a_calendar_are_common_or_begin_a_unit(offered, source, tmp_path):
    offered.release("M3", tmp_path / "out.parquet")
    held = Counter(born for (born,) in duckdb.sql(f"SELECT born FROM '{source}'").fetchall())
    told = {born for (born,) in duckdb.sql(f"SELECT DISTINCT born FROM '{tmp_path}/out.parquet'").fetchall()}
    made = {born for born in told if held[born] < 5}
    assert made
    assert all(held[born] == 0 and born.day == 1 for born in made)
    assert any(born.year < 1970 for born in made)


def test_models_learn_what_the_part_shows_and_a_typical_candidate_is_scored(offered):
    found = {one["id"]: candidate_from_json(one) for one in offered.candidates().to_dict("records")}
    for name in ("M1", "M3"):
        assert set(found[name].expected) == {"boosting"}
    assert found["M1"].expected != found["M3"].expected
    assert (found["M1"].words, found["M3"].words) == ("mondrian", "mondrian, typical")


@pytest.mark.slow
def test_a_model_learns_typical_values_and_is_tested_on_original_ones():
    """The class turns at a value that is typical of no class: what is learned from 1 and 109 misplaces 9 and 101."""
    sizes = [1] * 180 + [9] * 120 + [101] * 120 + [109] * 180
    classes = ["a"] * 180 + ["b"] * 240 + ["a"] * 180
    frame = pd.DataFrame({"size": sizes, "class": classes, "sex": ["m", "f"] * 300})
    keys = settled(
        requirement={"k": 120}, taxonomies={"size": {"intervals": 2}}, show="typical", select="accuracy.tree"
    )
    with Project(source=frame, **keys) as one:
        one.discover()
        (found,) = [row for row in one.candidates().to_dict("records") if row["shows"] == "typical"]
    assert found["expected"]["tree"]["accuracy"] == pytest.approx(0.6, abs=0.02)
    assert found["expected"]["tree"]["baseline"]["accuracy"] == 1.0


@pytest.mark.slow
def test_a_run_keeps_and_locks_the_way_of_its_choice(source, tmp_path):
    keys = settled(methods=["mondrian"], show=["ranges", "typical"], models=[], select="loss")
    with Project(source=source, database=str(tmp_path / "own.duckdb"), **keys) as one:
        first = one.run(tmp_path / "ranges.parquet", report=False)
        assert first.candidate.shows == "ranges"
    with Project(source=source, database=str(tmp_path / "own.duckdb"), **{**keys, "show": "typical"}) as one:
        first = one.run(tmp_path / "first.parquet", report=False)
        again = one.run(tmp_path / "again.parquet", report=False)
    assert (first.candidate.shows, again.reason.split(",")[0]) == ("typical", "the last choice")
    assert first.release.receipt["recoding"]["shows"] == again.release.receipt["recoding"]["shows"] == "typical"
    assert (tmp_path / "first.parquet").read_bytes() == (tmp_path / "again.parquet").read_bytes()


@pytest.mark.slow
def test_a_kept_choice_is_judged_by_the_floors_of_usefulness(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    persons(300).to_csv("persons.csv", index=False)
    config = {"source": "persons.csv", "drop": ["day", "bought"], "methods": ["mondrian"], "models": []}
    config |= {"select": "loss", "requirement": {"k": 5}}
    (tmp_path / "anonduck.yml").write_text(json.dumps(config))
    assert run(["run", "-o", "first.parquet", "--no-report"]) == 0
    (tmp_path / "anonduck.yml").write_text(json.dumps(config | {"requirement": {"k": 5, "min_columns": 9}}))
    capsys.readouterr()
    assert run(["run", "-o", "second.parquet", "--no-report"]) == 3
    assert "misses min_columns >= 9 (is 2); selecting again" in capsys.readouterr().err.replace("\n", " ")
    assert not (tmp_path / "second.parquet").exists()


@pytest.mark.slow
def test_a_kept_rule_is_judged_by_the_floors_of_usefulness(tmp_path):
    written, said = tmp_path / "anonduck.duckdb", []
    told = {"source": persons(300), "class_": "bought", "drop": ["day"], "database": written, "methods": ["rules"]}
    told |= {"budget": 20, "reporter": Reporter(said.append)}
    with Project(**told, requirement={"k": 5, "inference_gain": 1}) as one:
        first = one.run(tmp_path / "first.parquet", report=False)
        again = measured_rule(one.workspace, first.levels, first.candidate.expected)
        of_offer = ("id", "on_frontier")
        assert replace(again, **{name: getattr(first.candidate, name) for name in of_offer}) == first.candidate
        kept = one.run(tmp_path / "kept.parquet", report=False).reason
    with Project(**told, requirement={"k": 5, "min_columns": 1}) as one:
        later = one.run(tmp_path / "later.parquet", report=False).reason
    again = "(`--reselect` selects again)"
    assert kept == f"the last choice, kept while it meets the requirement {again}"
    assert later == f"the last choice, kept while it meets the requirement; the config has changed since {again}"
    assert not [words for words in said if "misses" in words]
    floors = {"min_columns": 9, "max_loss": 0}
    with Project(**told, requirement={"k": 5, **floors}) as one, pytest.raises(NoRuleMeetsRequirement):
        one.run(tmp_path / "refused.parquet", report=False)
    (words,) = [words for words in said if "selecting again" in words]
    missed = f"min_columns >= 9 (is 1), max_loss <= 0 (is {1 - first.candidate.detail:.3f})"
    assert words == f"the last choice {literal(first.levels)} misses {missed}; selecting again"
    assert not (tmp_path / "refused.parquet").exists()


@pytest.mark.slow
def test_a_lock_holds_what_is_shown(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    persons(300).to_csv("persons.csv", index=False)
    ways = ["--show", "ranges", "--show", "typical", "--method", "rules", "--method", "mondrian"]
    assert run(["init", "persons.csv", "--class", "bought", "--drop", "day", *ways]) == 0
    assert "show: [ranges, typical]" in (tmp_path / "anonduck.yml").read_text()
    assert run(["discover", "--budget", "50"]) == 0
    capsys.readouterr()
    monkeypatch.setenv("COLUMNS", "80")
    assert run(["frontier"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.endswith("mondrian, typical") for line in lines)
    assert max(map(len, lines)) <= 80
    assert run(["frontier", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["candidates"]
    name = next(one["id"] for one in found if one["shows"] == "typical")
    assert run(["rules", name]) == 0
    assert f"{name}: mondrian, typical, found for k = 5" in capsys.readouterr().out
    assert run(["sql", name]) == 2
    assert "shows ranges alone" in capsys.readouterr().err
    capsys.readouterr()
    assert run(["lock", name]) == 0
    assert "in another export of the same kind many have fewer" not in capsys.readouterr().err.replace("\n", " ")
    assert run(["lock", "--check"]) == 0
    assert "another export" not in capsys.readouterr().err.replace("\n", " ")
    assert "show: typical" in (tmp_path / "anonduck.lock.yml").read_text()
    assert run(["release", name, "-o", "own.parquet"]) == 0
    assert run(["run", "--locked", "-o", "locked.parquet", "--no-report"]) == 0
    assert shown_in("own.parquet") == shown_in("locked.parquet")
    text = (tmp_path / "anonduck.yml").read_text().replace("show: [ranges, typical]", "show: ranges")
    (tmp_path / "anonduck.yml").write_text(text)
    capsys.readouterr()
    assert run(["run", "--locked", "-o", "other.parquet", "--no-report"]) == 2
    assert "`show` is ranges, and typical is locked" in capsys.readouterr().err.replace("\n", " ")


@pytest.mark.slow
def test_a_lock_holds_the_k_that_its_candidate_was_found_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    persons(300).to_csv("persons.csv", index=False)
    config = {"source": "persons.csv", "drop": ["day", "bought"], "requirement": {"k": 5}, "methods": ["mondrian"]}
    (tmp_path / "anonduck.yml").write_text(json.dumps({**config, "models": [], "select": "loss"}))
    assert run(["discover"]) == 0
    with Project("anonduck.yml") as one:
        found = one.candidates().to_dict("records")
        larger = next(row["id"] for row in found if row["method"] == "mondrian" and row["k_required"] == 20)
        held = one.lock(larger).lock
    assert (held.k, held.requirement.k) == (20, 5)
    assert run(["lock", "--check"]) == 0
    assert run(["release", larger, "-o", "own.parquet"]) == 0
    assert run(["run", "--locked", "-o", "locked.parquet", "--no-report"]) == 0
    assert shown_in("own.parquet") == shown_in("locked.parquet")
    assert min(shown_in("locked.parquet").values()) >= 20
    persons(60).to_csv("persons.csv", index=False)
    assert run(["run", "--locked", "-o", "locked.parquet", "--overwrite", "--no-report"]) == 0
    pruned = shown_in("locked.parquet").values()
    assert (sum(pruned), min(pruned) >= 5) == (60, True)
    text = (tmp_path / "anonduck.lock.yml").read_text()
    for bad in ("k: 20.5", "k: 1"):
        (tmp_path / "anonduck.lock.yml").write_text(text.replace("\nk: 20\n", f"\n{bad}\n"))
        assert run(["run", "--locked", "-o", "locked.parquet", "--overwrite", "--no-report"]) == 2


def two_exports(**more):
    """A project on the first of two exports of the same distribution, with an offer; returns the second export."""
    first, second = persons(300), persons(300, seed=2)
    second.loc[:2, "age"] = 61  # which the first export lacks
    first.to_csv("persons.csv", index=False)
    config = {"source": "persons.csv", "insensitive": ["day"], "class": "bought", "requirement": {"k": 5}}
    config |= {"methods": ["mondrian"], "models": [], "select": "loss", **more}
    Path("anonduck.yml").write_text(json.dumps(config))
    assert run(["discover"]) == 0
    return first, second


def labels_by_value(table, path):
    """By age and job what a release shows of them: one label each, as classes are made of combinations."""
    rows = duckdb.sql(f"SELECT day, age, job FROM '{path}' ORDER BY day").fetchall()
    shown = {}
    for (age, job), (_, *labels) in zip(table[["age", "job"]].itertuples(index=False), rows, strict=True):
        assert shown.setdefault((age, job), tuple(labels)) == tuple(labels)
    return shown


def assert_same_classes(first, second, was, now):
    """Values that were there show what they showed; what is new joins a class that was there, and none is left out."""
    then, shown = labels_by_value(first, was), labels_by_value(second, now)
    assert all(shown[values] == then[values] for values in shown if values in then)
    assert set(shown.values()) <= set(then.values())
    assert any(values not in then for values in shown)


@pytest.mark.slow
def test_a_locked_candidate_of_a_larger_k_shows_the_next_export_by_the_same_nodes(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    first, second = two_exports()
    with Project("anonduck.yml") as one:
        found = one.candidates().to_dict("records")
        larger = next(row["id"] for row in found if row["method"] == "mondrian" and row["k_required"] == 20)
        done = one.lock(larger)
    held = done.lock
    assert done.doubt is None  # classes of 20 have room where 5 are required
    assert set(held.groups) == {"age", "job"}
    assert run(["release", larger, "-o", "was.parquet"]) == 0
    second.to_csv("persons.csv", index=False)
    assert run(["run", "--locked", "-o", "now.parquet", "--no-report"]) == 0
    assert_same_classes(first, second, "was.parquet", "now.parquet")
    receipt = json.loads(Path("now.parquet.receipt.json").read_text())
    assert [(one["name"], one["required"]) for one in receipt["requirements"]] == [("k", 5)]
    assert run(["lock", "--check"]) == 0
    capsys.readouterr()
    lock = Path("anonduck.lock.yml").read_text()
    own = held.groups["age"].fingerprint
    for other in (lock.replace(own, own[:-4] + "0123"), lock):
        Path("anonduck.lock.yml").write_text(other)
        assert run(["run", "--locked", "-o", "now.parquet", "--overwrite", "--no-report"]) == 2
        assert "does not hold the taxonomies for k = 20" in capsys.readouterr().err.replace("\n", " ")
        with duckdb.connect("anonduck.duckdb") as file:  # for the second time: the lock is right, what is kept is not
            ((text,),) = file.execute("SELECT document FROM documents WHERE kind = 'locked taxonomies'").fetchall()
            changed = json.loads(text)
            changed["columns"]["age"]["tables"]["taxonomy"]["rows"][0][1] = "other"
            file.execute("UPDATE documents SET document = ? WHERE kind = 'locked taxonomies'", [json.dumps(changed)])
    Path("anonduck.lock.yml").write_text(lock.replace("groups:", "group:"))
    assert run(["run", "--locked", "-o", "now.parquet", "--overwrite", "--no-report"]) == 2


@pytest.mark.slow
def test_the_kept_choice_of_a_larger_k_shows_the_next_export_by_the_same_nodes(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    first, second = two_exports()

    def choose_larger(found, config):
        return choose([one for one in found if one.levels is None and one.k_required == 20], config)

    monkeypatch.setattr("anonduck.release.candidate_release.choose", choose_larger)
    assert run(["run", "-o", "was.parquet", "--no-report"]) == 0
    second.to_csv("persons.csv", index=False)
    capsys.readouterr()
    assert run(["run", "-o", "now.parquet", "--no-report"]) == 0
    told = capsys.readouterr()
    assert "the last choice, kept while it meets the requirement" in told.out.replace("\n", " ")
    assert_same_classes(first, second, "was.parquet", "now.parquet")
    assert run(["lock"]) == 0
    assert run(["run", "--locked", "-o", "locked.parquet", "--no-report"]) == 0
    assert labels_by_value(second, "locked.parquet") == labels_by_value(second, "now.parquet")
    with Project("anonduck.yml") as one:
        told = []
        workspace = one.workspace.with_reporter(Reporter(told.append))
        candidate, recoding, kept = last_candidate(workspace)
        assert kept.label_k == 20
        wider = workspace.with_config(with_changes(workspace.config, {"taxonomies": {"age": {"intervals": 9}}}))
        with pytest.raises(TaxonomyError, match="kept with taxonomies of 'age' that group values otherwise"):
            release_candidate(wider, candidate, None, ReleaseSettings(dry_run=True, kept=kept), recoding)
        assert last_candidate(workspace.with_config(with_changes(workspace.config, {"requirement": {"k": 21}}))) is None
        document = kept_document(workspace.database, LAST_RECODING)
        del document["kept"]  # as an earlier version left it
        keep_document(workspace.database, LAST_RECODING, document)
        assert last_candidate(workspace) is None
    assert [line for line in told if line.endswith("selecting again")] == [
        "the required k rose since the last choice; selecting again",
        "the taxonomies for its k of 20 were lost since the last choice; selecting again",
    ]


def shown_in(path):
    return Counter(duckdb.sql(f"SELECT age, job FROM '{path}'").fetchall())


def scored(identifier, accuracy, shows, *, detail=0.6, changed=0.5):
    expected = {"tree": {"accuracy": accuracy, "error": 0.01, "roc_auc": None}}
    told = {"k": 5, "detail": detail, "changed": changed, "expected": expected, "shows": shows}
    return Candidate(identifier, "mondrian", {}, 5, **told)


def test_of_one_recoding_the_way_that_models_are_served_better_by_is_chosen():
    ranges, typical = scored("M1", 0.8, "ranges"), scored("M2", 0.805, "typical")
    config = make_config({"source": "x.csv", "class": "c", "show": ["ranges", "typical"]})
    assert choose([ranges, typical], config).chosen == typical
    assert choose([ranges, scored("M2", 0.8, "typical")], config).chosen == ranges
    assert choose([scored("M1", 0.8, "ranges", detail=0.7), typical], config).chosen.id == "M1"
    assert [one.on_frontier for one in marked([ranges, typical], config)] == [True, True]
    assert [one.on_frontier for one in marked([ranges, scored("M2", 0.81, "ranges")], config)] == [False, True]


def test_a_list_of_ways_is_read_as_it_stands():
    def ways(show):
        return make_config({"source": "x.csv", "class": "c", "show": show}).ways

    assert ways("typical") == ways(["typical"]) == ways(["typical", "typical"]) == ("typical",)
    assert ways(["typical", "ranges"]) == ("typical", "ranges")
    assert ways("swapped") == ways(["swapped"]) == ("swapped",)
    for wrong in ([], ["shuffled"], "shuffled", ["typical", "shuffled"]):
        with pytest.raises(ConfigError, match="show"):
            ways(wrong)
    config = make_config({"source": "x.csv", "class": "c", "show": ["typical", "ranges"]})
    assert [config.shown_by(name) for name in ("guided", "tds", None)] == ["typical", "ranges", "ranges"]


def test_swapped_values_are_offered_where_the_config_names_them_and_never_chosen(source, tmp_path, capsys):
    keys = {"class_": "class", "requirement": {"k": 5}, "methods": ["mondrian", "topdown"], "budget": 50, "seed": 3}
    with Project(source=source, show=["ranges", "swapped"], **keys) as one:
        one.discover()
        candidates = [candidate_from_json(row) for row in one.candidates().to_dict("records")]
        ways = Counter((found.method, found.shows) for found in candidates if found.method != "rules")
        assert set(ways) == {(method, way) for method in ("mondrian", "topdown") for way in ("ranges", "swapped")}
        swapped = [found for found in candidates if found.shows == "swapped"]
        ranges = {(found.method, found.k_required): found for found in candidates if found.shows == "ranges"}
        for found in swapped:
            beside = ranges[found.method, found.k_required]
            assert (found.k, found.classes, found.detail) == (beside.k, beside.classes, beside.detail)
            assert found.expected != beside.expected
            assert len(found.columns) == 4
            told = found.as_json()
            assert told["recoding"] == "swapped"
            assert told["protects"].startswith("values stand beside those of k or more")
        high = [replace(found, expected=_perfect(found)) for found in swapped]
        taken = choose([*ranges.values(), *high], one.config)
        assert taken is not None
        assert taken.chosen.shows == "ranges"
        assert choose(high, one.config) is None
        made = one.release(swapped[0].id, tmp_path / "out.parquet")
        assert made.receipt["recoding"]["shows"] == "swapped"
        assert made.receipt["proven_by"] == "receipt and original"
        with pytest.raises(ConfigError, match="cannot be locked"):
            one.lock(swapped[0].id)


def _perfect(one):
    return {model: {**score, "accuracy": 1.0, "roc_auc": 1.0} for model, score in one.expected.items()}


BY_COLUMN = """\
source: {}
class: class
methods: [mondrian]
budget: 50
requirement: {{k: 5}}
show: {{age: typical, pay: ranges}}
"""


def test_by_column_is_measured_run_and_locked_as_it_is_released(source, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "anonduck.yml").write_text(BY_COLUMN.format(source))
    assert run(["run", "-o", "run.parquet", "--no-report"]) == 0
    with Project(tmp_path / "anonduck.yml") as one:
        found = [candidate_from_json(row) for row in one.candidates().to_dict("records")]
        typical = next(row for row in found if row.shows == "typical" and row.k_required == 5)
        made = one.release(typical.id, tmp_path / "one.parquet")
        assert (made.k, made.classes) == (typical.k, typical.classes)
        assert made.receipt["recoding"]["id"] == typical.id
        shows = {column["name"]: column.get("shows") for column in made.receipt["columns"]}
        assert shows == {"age": "typical", "pay": None, "born": None, ODD: None, "class": None}
        one.lock(typical.id)
    capsys.readouterr()
    assert "show:\n  age: typical\n  pay: ranges" in (tmp_path / "anonduck.lock.yml").read_text()
    assert run(["run", "-o", "locked.parquet", "--locked", "--no-report"]) == 0
    assert shown(tmp_path, "locked.parquet") == shown(tmp_path, "one.parquet")
    (tmp_path / "anonduck.yml").write_text(BY_COLUMN.format(source).replace("pay: ranges", "pay: typical"))
    capsys.readouterr()
    assert run(["run", "-o", "other.parquet", "--locked", "--no-report"]) == 2
    assert "`show` is {age: typical, pay: typical}, and {age: typical, pay: ranges} is locked" in " ".join(
        capsys.readouterr().err.split()
    )


def test_a_comparison_has_a_row_for_each_way_of_the_config(source):
    keys = {"class_": "class", "requirement": {"k": 5}, "models": ["tree"], "seed": 3}
    with Project(source=source, show=["ranges", "typical", "swapped"], **keys) as one:
        compared = one.compare(["mondrian", "tds"], 5, protocol=["released", "held-out"])
        rows = {(row["method"], row["protocol"]): row for row in compared.rows}
        named = ["mondrian", "mondrian, typical", "mondrian, swapped", "tds"]
        assert list(rows) == [(name, way) for way in ("released", "held-out") for name in named]
        assert all(row["status"] == "done" for row in rows.values())
        reached = {key: row["models"]["tree"]["accuracy"]["value"] for key, row in rows.items()}
        areas = [rows[name, "held-out"]["models"]["tree"]["roc_auc"]["value"] for name in named[:3]]
        assert len(set(areas)) == 3
        assert {key: row["comparable"] for key, row in rows.items() if not row["comparable"]} == {
            ("mondrian, swapped", way): False for way in ("released", "held-out")
        }
        assert not any("swapped" in line["method"] for line in compared.best())
        swapped, ranges = rows["mondrian, swapped", "released"], rows["mondrian", "released"]
        assert (swapped["k"], swapped["classes"], swapped["measures"]) == (
            ranges["k"],
            ranges["classes"],
            ranges["measures"],
        )
        assert reached["mondrian, typical", "released"] != reached["mondrian", "released"]
