"""Releases by flexible generalization: k from the file, labels that cover, raised nodes, and what the receipt tells."""

import json
import math
from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from class_oracle import common, frame_of, labels_of, opened, parquet, released, sorted_rows, taxonomy_files
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import CLASS, tables

from anonduck import Project, audit
from anonduck.cli.app import run
from anonduck.errors import ConfigError, ReleaseError, RequirementNotMet
from anonduck.methods.method import RaisedClasses
from anonduck.methods.registry import METHODS
from anonduck.models import usefulness
from anonduck.release import found_classes


@pytest.fixture(autouse=True)
def few_trees(monkeypatch):
    monkeypatch.setattr(usefulness, "TREES", 3)


def entropy(counts):
    total = sum(counts.values())
    return sum(-count / total * math.log2(count / total) for count in counts.values())


@examples(60)
@given(
    tables(max_rows=14),
    st.integers(1, 4),
    st.integers(1, 2),
    st.sampled_from(["rule", "least"]),
    st.sampled_from(["paper", "predictive"]),
)
def test_k_is_in_the_file_and_each_label_covers_its_value(tmp_path_factory, drawn, k, diverse, levels, weights):
    """With what the receipt tells of each class, counted from the file."""
    names, paths, rows = drawn
    folder = tmp_path_factory.mktemp("flexible")
    frame, taxonomies = frame_of(names, rows), taxonomy_files(folder, names, paths)
    frame["secret"] = [f"s{number % 2}" for number in range(len(rows))]
    frame["number"] = range(len(rows))
    roles = {"class_": CLASS, "sensitive": ["secret"], "insensitive": ["number"], "taxonomies": taxonomies}
    requirement = {"k": k, "l": diverse}
    settings = {"levels": levels, "weights": weights}
    with Project(source=frame, **roles, requirement=requirement) as one:
        try:
            made = one.anonymize("flexible", folder / "out.parquet", settings=settings, models=[])
        except (ReleaseError, RequirementNotMet):
            assert not (folder / "out.parquet").exists()
            return
    shown_names, shown = parquet(folder / "out.parquet")
    assert len(shown) == len(rows)
    records = [dict(zip(shown_names, row, strict=True)) for row in shown]
    for record in records:
        for name, value in zip(names, rows[record["number"]], strict=False):
            label = record.get(name, "*")
            assert (None if label is None else str(label)) in labels_of(paths[name], value)
    quasi = [name for name in shown_names if name in names]
    assert audit(folder / "out.parquet", quasi, sensitive=["secret"], requirements=requirement).met
    classes = defaultdict(Counter)
    for record in records:
        classes[tuple(record[name] for name in quasi)][record["secret"]] += 1
    (told,) = made.receipt["method"]["found"]["released"]
    assert told == {
        "name": "secret",
        "uncertainty": pytest.approx(np.mean([entropy(one) for one in classes.values()]), abs=1e-9),
        "disclosure": pytest.approx(sum(max(one.values()) for one in classes.values()) / len(rows)),
        "homogeneity": pytest.approx(sum(sum(one.values()) for one in classes.values() if len(one) == 1) / len(rows)),
    }
    if levels == "rule" and len(classes) > 1:
        assert told["homogeneity"] == 0


@examples(30)
@given(tables(max_rows=10), st.randoms(use_true_random=False))
def test_a_raised_class_shows_its_node_at_that_level_or_above(tmp_path_factory, drawn, random):
    """Whatever classes and least levels a method hands over; a class of nothing but NULL shows it under the root."""
    names, paths, rows = drawn
    folder = tmp_path_factory.mktemp("raised")
    combinations = sorted({row[:-1] for row in rows}, key=lambda row: [-1 if one is None else one for one in row])
    class_of = {combination: random.randint(0, 2) for combination in combinations}
    numbers = {one: number for number, one in enumerate(sorted(set(class_of.values())))}
    roots = [len(next(iter(paths[name].values()))) for name in names]
    least = {(one, i): random.randint(0, root) for one in numbers.values() for i, root in enumerate(roots)}

    def handed_over(data, k, meets, **options):
        assert len(data.records) == len(combinations)
        classes = np.array([numbers[class_of[one]] for one in combinations])
        levels = (np.array([least[one, i] for one in sorted(numbers.values())]) for i in range(len(names)))
        return RaisedClasses(classes, tuple(levels), {})

    def node(group, i):
        values = [row[i] for row in rows if numbers[class_of[row[:-1]]] == group]
        level, raised = common(paths[names[i]], values)[0], least[group, i]
        if set(values) == {None} and raised < roots[i]:
            return 0, None
        level = max(level, raised)
        return level, labels_of(paths[names[i]], values[0])[level]

    shown = [tuple(node(numbers[class_of[row[:-1]]], i) for i in range(len(names))) for row in rows]
    expected_names, expected = released(names, paths, rows, shown)
    with opened(folder, names, paths, rows, k=1) as one, pytest.MonkeyPatch.context() as patch:
        method = replace(METHODS["flexible"], algorithm=handed_over)
        patch.setattr(found_classes, "method_named", lambda name: method)
        if expected_names == [CLASS]:
            with pytest.raises(ReleaseError, match="no node under the root in any column"):
                one.anonymize("flexible", folder / "out.parquet", models=[])
            return
        one.anonymize("flexible", folder / "out.parquet", models=[])
    found_names, found = parquet(folder / "out.parquet")
    assert found_names == expected_names
    assert found == sorted_rows(expected)


def persons(rows=120, seed=1):
    """Numbers with NULL, and texts; the class is told by the job, and by nothing else."""
    drawn = np.random.default_rng(seed)
    ages = pd.array(drawn.integers(18, 90, rows), dtype="Int64")
    ages[::41] = pd.NA
    jobs = drawn.choice(["clerk", "cook", "nurse", "smith"], rows)
    return pd.DataFrame(
        {
            "age": ages,
            'in "euro"': drawn.integers(1, 9, rows) * 1000,
            "job": jobs,
            "illness": drawn.choice(["flu", "gout", "none"], rows),
            "class": np.where(np.isin(jobs, ["clerk", "cook"]), "a", "b"),
        }
    )


ROLES = {"class_": "class", "sensitive": ["illness"], "requirement": {"k": 5}}


def made_bytes(folder, frame, name, **changes):
    with Project(source=frame, **(ROLES | changes)) as one:
        one.anonymize("flexible", folder / name, models=[])
    return (folder / name).read_bytes()


def test_bytes_depend_on_neither_threads_nor_the_order_of_records(tmp_path):
    frame = persons()
    first = made_bytes(tmp_path, frame, "one.parquet", threads=1)
    assert made_bytes(tmp_path, frame.sample(frac=1, random_state=3), "other.parquet", threads=2) == first


def test_usefulness_has_both_readings(tmp_path, monkeypatch):
    monkeypatch.setattr(usefulness, "TREES", 10)
    with Project(source=persons(), **ROLES) as one:
        told = one.usefulness().as_json()
    changes = {line["name"]: line for line in told["columns"]}
    assert changes["job"]["change"] < -0.2
    assert all(abs(changes[name]["change"]) < 0.1 for name in ("age", 'in "euro"'))
    grades = {
        reading: {line["name"]: line["grade"] for line in one["columns"]} for reading, one in told["readings"].items()
    }
    assert (grades["paper"]["job"], grades["predictive"]["job"]) == ("low", "high")
    for one in told["readings"].values():
        assert sum(line["weight"] for line in one["columns"]) == pytest.approx(100, abs=1e-3)
        assert one["words"]
    assert (told["records"], told["trees"]) == (120, 10)


def test_a_class_of_many_values_has_no_usefulness():
    frame = persons(300).assign(number=range(300))
    with Project(source=frame, class_="number", identifiers=["illness", "class"]) as one:
        with pytest.raises(ConfigError, match="300 distinct values"):
            one.usefulness()
        with pytest.raises(ConfigError, match="300 distinct values"):
            one.anonymize("flexible", dry_run=True, k=5)


@pytest.fixture
def config(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    persons().to_parquet("persons.parquet")
    (tmp_path / "anonduck.yml").write_text(
        "source: persons.parquet\nclass: class\nsensitive: [illness]\nrequirement: {k: 5}\n"
        "methods: {flexible: {threshold: 1.2, weights: predictive}}\n"
    )
    return tmp_path


def test_the_receipt_tells_threshold_weights_and_disclosure(config, capsys):
    assert run(["anonymize", "flexible", "-o", "out.parquet", "--no-models", "--json", "--set", "join=false"]) == 0
    method = json.loads(capsys.readouterr().out)["method"]
    assert method["options"] == {"weights": "predictive", "levels": "rule", "threshold": 1.2, "join": False}
    found = method["found"]
    assert found["uncertainty"]["threshold"] == 1.2
    assert found["uncertainty"]["joined"] == 0
    assert {line["name"] for line in found["usefulness"]} == {"age", 'in "euro"', "job"}
    assert set(found["distortion"]) == {"paper", "predictive"}
    assert run(["anonymize", "flexible", "-o", "o.csv", "--no-models", "--json", "--set", "threshold=quartile"]) == 0
    assert json.loads(capsys.readouterr().out)["method"]["found"]["uncertainty"]["threshold"] > 0
    assert run(["anonymize", "flexible", "--dry-run", "--no-models", "--weights", "paper", "--levels", "least"]) == 0
    shown = capsys.readouterr().out
    assert "classes above 1.2 bits" in shown
    assert "illness in the release: uncertainty" in shown


def test_the_command_shows_both_readings(config, capsys):
    assert run(["usefulness"]) == 0
    shown = capsys.readouterr().out
    assert "paper: " in shown
    assert "predictive: " in shown
    assert run(["usefulness", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["readings"].keys() == {"paper", "predictive"}


@pytest.mark.parametrize("value", ["-1", "nan", "often", "true"])
def test_a_threshold_that_is_none_is_refused(config, capsys, value):
    assert run(["anonymize", "flexible", "--dry-run", "--set", f"threshold={value}"]) == 2
    assert "is quartile or a number of at least 0" in capsys.readouterr().err


@pytest.mark.slow
def test_its_release_is_a_script_too(config):
    with Project("anonduck.yml") as one:
        one.anonymize("flexible", "out.parquet", models=[])
        script = one.sql("flexible")
    import duckdb

    rows = duckdb.sql(script).fetchall()
    assert sorted_rows(rows) == sorted_rows(parquet("out.parquet")[1])
