"""Classes that show swapped values: each column permuted within the classes of the method, and no rare value shown."""

import json
from collections import Counter, defaultdict

import duckdb
import numpy as np
import pandas as pd
import pytest
from test_typical_recoder import QUASI, people, project, rows_of

from anonduck import Project, audit
from anonduck.attacks.swapped import audit_swapped
from anonduck.cli.app import run
from anonduck.errors import ConfigError, RequirementNotMet

K = 5
COUNTED = {"requirement": {"k": K, "kept_rare": 400}}


def released(folder, method, frame=None, name="made.parquet", **keys):
    """The released rows by id, and the release."""
    given = {"show": "swapped", "seed": 7, **keys}
    with project(folder, people() if frame is None else frame, **given) as one:
        made = one.anonymize(method, folder / name)
    return rows_of(folder / name), made


def classes_of(folder, method):
    """The ids by what their class shows as ranges: classes of the method, those that show the same together."""
    rows, _ = released(folder, method, name="ranges.parquet", show="ranges")
    found = defaultdict(list)
    for identifier, row in rows.items():
        found[tuple(value for name, value in row.items() if name not in ("id", "class"))].append(identifier)
    return list(found.values())


@pytest.mark.recoding
@pytest.mark.some(1)
@pytest.mark.parametrize("method", ["mondrian", "guided", "sequential", "topdown"])
def test_each_column_is_permuted_by_itself_within_the_classes(tmp_path, method):
    found, made = released(tmp_path, method, **COUNTED)
    before = rows_of(tmp_path / "people.parquet")
    classes = classes_of(tmp_path, method)
    assert min(map(len, classes)) >= K
    for name in QUASI:
        for ids in classes:
            assert Counter(found[one][name] for one in ids) == Counter(before[one][name] for one in ids)
    assert all(found[one]["class"] == before[one]["class"] for one in before)
    moved = {name for name in QUASI for one in before if found[one][name] != before[one][name]}
    assert {"age", "pay", "born"} <= moved  # of other columns classes may hold one value alone
    assert made.owner["method"]["blocks"] == [[name] for name in QUASI]
    assert made.owner["method"]["smallest"] >= K


def test_no_value_is_shown_that_fewer_than_k_records_show_and_common_ones_stay(tmp_path):
    frame = people()
    frame.loc[:2, "job"], frame.loc[3:5, "job"] = "acrobat", "diver"
    found, made = released(tmp_path, "mondrian", frame)
    before = rows_of(tmp_path / "people.parquet")
    for name in QUASI:
        shown, held = (Counter(row[name] for row in rows.values()) for rows in (found, before))
        assert min(shown.values()) >= K
        assert all(shown[value] >= records for value, records in held.items() if records >= K)
        assert not {value for value, records in held.items() if records < K} & set(shown)
    kinds = {name: type(next(row[name] for row in found.values() if row[name] is not None)) for name in QUASI}
    assert [kinds[name].__name__ for name in QUASI] == ["int", "float", "date", "str", "str"]
    job = next(one for one in made.receipt["columns"] if one["name"] == "job")
    assert (job["rare"], len(job["groups"])) == ("generalized", 1)
    assert "acrobat" not in json.dumps(made.receipt) + json.dumps(made.owner)
    ids = {one for one, row in before.items() if row["job"] in ("acrobat", "diver")}
    (label,) = job["groups"]
    assert sum(row["job"] == label for row in found.values()) >= len(ids)


def test_rare_values_are_near_those_that_stand_for_them(tmp_path):
    """Of 300 sizes that nobody shares, each shows one that is no farther than the k nearest of them reach."""
    frame = pd.DataFrame({"size": np.arange(300) * 11 + 3, "sex": ["m", "f"] * 150, "class": ["a", "b", "b"] * 100})
    with Project(source=frame, class_="class", show="swapped", models=[], requirement={"k": 300}, seed=1) as one:
        one.anonymize("mondrian", tmp_path / "whole.parquet")
    with Project(source=frame, class_="class", show="swapped", models=[], requirement={"k": K}, seed=1) as one:
        one.anonymize("mondrian", tmp_path / "made.parquet")
    shown = sorted(size for (size,) in duckdb.sql(f"SELECT size FROM '{tmp_path}/made.parquet'").fetchall())
    assert max(abs(after - before * 11 - 3) for before, after in enumerate(shown)) <= 4 * K * 11
    assert len(set(shown)) > 20
    assert len(set(duckdb.sql(f"SELECT size FROM '{tmp_path}/whole.parquet'").fetchall())) == 1


def test_a_column_whose_round_values_are_all_rare_shows_intervals(tmp_path):
    frame = pd.DataFrame({"age": np.arange(300), "sex": ["m", "f"] * 150, "class": ["a", "b", "b"] * 100})
    with Project(source=frame, class_="class", show="swapped", models=[], requirement={"k": K}, seed=1) as one:
        made = one.anonymize("mondrian", tmp_path / "made.parquet")
    shown = Counter(age for (age,) in duckdb.sql(f"SELECT age FROM '{tmp_path}/made.parquet'").fetchall())
    assert min(shown.values()) >= K
    assert set(shown) == set(next(one for one in made.receipt["columns"] if one["name"] == "age")["labels"])
    assert all(isinstance(label, str) for label in shown)


def test_it_promises_what_swapping_promises_and_is_called_so(tmp_path):
    _, made = released(tmp_path, "guided")
    assert made.receipt["proven_by"] == "receipt and original"
    assert made.receipt["recoding"]["shows"] == "swapped"
    assert made.receipt["method"]["model"] == {"probabilistic_k": K}
    assert "true value" in made.receipt["method"]["attacks"]
    (line,) = (one for one in made.receipt["requirements"] if one["name"] == "probabilistic_k")
    assert (line["reached"], line["at_least"], line["met"]) == (K, True, True)
    words = json.dumps(made.receipt)
    assert "singled out" not in words
    assert not [one for one in made.receipt["requirements"] if one["name"] == "k" and one["required"] > 1]
    assert audit(tmp_path / "made.parquet", QUASI, class_="class", insensitive=["id"]).k == 1
    compared = audit_swapped(tmp_path / "made.parquet", tmp_path / "people.parquet", QUASI, class_="class")
    assert compared.k == K
    assert compared.lost["quasi_identifiers_and_class"] > 0


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes_on_one_thread_and_two(tmp_path):
    written = []
    for number, keys in enumerate([{"threads": 1}, {"threads": 2}, {"seed": 8}, *[{"seed": 0}] * 2]):
        released(tmp_path, "guided", name=f"{number}.parquet", **keys)
        written.append((tmp_path / f"{number}.parquet").read_bytes())
    assert written[0] == written[1]
    assert len(set(written)) == 4


@pytest.mark.slow
def test_rare_values_are_held_against_kept_rare(tmp_path):
    _, made = released(tmp_path, "mondrian", **COUNTED)
    before = rows_of(tmp_path / "people.parquet")
    held = Counter(row["pay"] for row in before.values())
    assert made.receipt["kept"]["pay"] == {"rare": sum(n for n in held.values() if n < K)}
    assert [one["met"] for one in made.receipt["requirements"] if one["name"] == "kept_rare"] == [True]
    with pytest.raises(RequirementNotMet, match=r"kept_rare = 400 .*over the required 399"):
        released(tmp_path, "mondrian", name="other.parquet", requirement={"k": K, "kept_rare": 399})
    assert not (tmp_path / "other.parquet").exists()


@pytest.mark.slow
def test_it_is_offered_only_where_the_config_says_so(tmp_path):
    people().to_parquet(tmp_path / "people.parquet")
    keys = {"source": str(tmp_path / "people.parquet"), "class_": "class", "models": [], "insensitive": ["id"]}
    with (
        Project(**keys) as one,
        pytest.raises(ConfigError, match=r"no k-anonymity.*only where the config has `show: swapped`"),
    ):
        one.anonymize("mondrian", tmp_path / "made.parquet", show="swapped")
    for method, show, words in [
        ("tds", "swapped", "tds cannot show swapped values"),
        ("mondrian", {"age": "swapped"}, "the column 'age' shows ranges or typical values"),
        ("mondrian", "swapped", "takes a k of 3 or more"),
    ]:
        with pytest.raises(ConfigError, match=words), Project(**keys, show=show, requirement={"k": 2}) as one:
            one.anonymize(method, tmp_path / "made.parquet")
    with Project(**keys, show="swapped", requirement={"k": 5, "l": 2}, sensitive=["job"]) as one:
        with pytest.raises(ConfigError, match=r"mondrian meets k with swapped values .* cannot meet l"):
            one.anonymize("mondrian", tmp_path / "made.parquet")
        with pytest.raises(ConfigError, match="a rule cannot show swapped values"):
            one.release({"age": 1}, tmp_path / "made.parquet", show="swapped")
        with pytest.raises(ConfigError, match="cannot be locked"):
            one.lock("mondrian")
        with pytest.raises(ConfigError, match="a script or a query shows ranges alone"):
            one.sql("mondrian")
    with (
        Project(**keys, show="swapped") as one,
        pytest.raises(ConfigError, match="tds cannot show swapped values, and"),
    ):
        one.discover(offers=["tds"])
    assert not list(tmp_path.glob("made*"))


@pytest.mark.slow
def test_the_config_releases_so_and_the_command_names_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    people().drop(columns=["id"]).to_parquet("people.parquet")
    config = "source: people.parquet\nclass: class\nmodels: []\nshow: [ranges, swapped]\nmethod: mondrian\n"
    (tmp_path / "anonduck.yml").write_text(config)
    assert run(["anonymize", "mondrian", "--show", "swapped", "-o", "made.parquet", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["method"]["model"] == {"probabilistic_k": K}
    assert run(["run", "-o", "ranges.parquet"]) == 0
    assert "shows" not in json.loads((tmp_path / "ranges.parquet.receipt.json").read_text()).get("recoding", {})
    (tmp_path / "anonduck.yml").write_text(config.replace("[ranges, swapped]", "swapped"))
    for _ in range(2):  # again by the classes that are kept
        assert run(["run", "-o", "run.parquet", "--overwrite"]) == 0
        assert json.loads((tmp_path / "run.parquet.receipt.json").read_text())["recoding"]["shows"] == "swapped"


def test_without_a_class_and_with_columns_of_text_alone(tmp_path):
    frame = people()[["job", 'an "odd" name']].astype("string")
    with Project(source=frame, show="swapped", models=[], requirement={"k": K}, seed=3) as one:
        made = one.anonymize("mondrian", tmp_path / "made.parquet")
    assert made.rows == len(frame)
    names = duckdb.sql(f"SELECT * FROM '{tmp_path}/made.parquet'").columns
    assert names == ["job", 'an "odd" name']


def test_too_few_records_are_refused(tmp_path):
    with pytest.raises(RequirementNotMet, match="fewer than the required"):
        released(tmp_path, "mondrian", people(4))


def test_columns_of_a_block_change_places_together(tmp_path):
    found, made = released(tmp_path, "mondrian", blocks=[["job", "age"]], **COUNTED)
    before = rows_of(tmp_path / "people.parquet")
    assert made.owner["method"]["blocks"][0] == ["job", "age"]
    for ids in classes_of(tmp_path, "mondrian"):
        pairs = [Counter((rows[one]["age"], rows[one]["job"]) for one in ids) for rows in (found, before)]
        assert pairs[0] == pairs[1]
        pay = [Counter(rows[one]["pay"] for one in ids) for rows in (found, before)]
        assert pay[0] == pay[1]
    assert any(found[one]["pay"] != before[one]["pay"] and found[one]["age"] == before[one]["age"] for one in before)
    shown = {column["name"]: column.get("block") for column in made.receipt["columns"]}
    assert shown["job"] == shown["age"] != shown["pay"]


def test_the_command_names_blocks_and_refuses_what_they_cannot_be(tmp_path, monkeypatch, capsys):
    project(tmp_path, people())
    monkeypatch.chdir(tmp_path)
    (tmp_path / "anonduck.yml").write_text(
        "source: people.parquet\nclass: class\ninsensitive: [id]\nmodels: []\nshow: swapped\nseed: 7\n"
        "requirement: {k: 5, kept_rare: 400}\n"
    )
    assert run(["anonymize", "mondrian", "--block", "job+age", "-o", "out.parquet"]) == 0
    receipt = json.loads((tmp_path / "out.parquet.receipt.json").read_text())
    assert receipt["method"]["blocks"][0] == ["job", "age"]
    everything = "+".join(QUASI)
    for block, words in (("job+wage", "'wage', which is no quasi"), (everything, "whole records as they are")):
        capsys.readouterr()
        assert run(["anonymize", "mondrian", "--block", block, "-o", "other.parquet"]) == 2
        assert words in capsys.readouterr().err
    assert not (tmp_path / "other.parquet").exists()
