"""Releases by flexible generalization: k from the file, labels that cover, raised nodes, and what the receipt tells."""

import json
import math
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import chain

import numpy as np
import pandas as pd
import pytest
from class_oracle import common, frame_of, labels_of, opened, parquet, released, taxonomy_files
from dealing import dealt
from examples import examples
from flexible_oracle import Flexible
from hypothesis import given
from hypothesis import strategies as st
from mondrian_oracle import Tree
from oracles import CLASS, tables

from anonduck import Project, audit
from anonduck.cli.app import run
from anonduck.errors import ConfigError, ReleaseError, RequirementNotMet
from anonduck.methods.method import RaisedClasses
from anonduck.methods.registry import METHODS
from anonduck.methods.similar_classes import BLOCK
from anonduck.models import usefulness
from anonduck.release import by_recoding


@pytest.fixture(autouse=True)
def few_trees(monkeypatch):
    monkeypatch.setattr(usefulness, "TREES", 3)


def entropy(counts):
    total = sum(counts.values())
    return sum(-count / total * math.log2(count / total) for count in counts.values())


def at_roots(project, graded, names, paths, rows, secrets, required):
    """Whether the oracle shows all classes at the roots of all columns: by the rule with ``graded``, else at least."""
    k, diverse = required
    held = defaultdict(Counter)
    for row, secret in zip(rows, secrets, strict=True):
        held[row[:-1]][secret] += 1
    combinations = sorted(held, key=lambda row: [-1 if one is None else one for one in row])
    stored = project.workspace.taxonomies
    trees = [tree_of(paths[name], ordered=stored[name].ordered) for name in names]
    oracle = Flexible(
        trees,
        [tuple(0 if one is None else one + 1 for one in row) for row in combinations],
        [sum(held[row].values()) for row in combinations],
        [held[row] for row in combinations],
        k,
        lambda taken: len({secret for row in taken for secret in held[combinations[row]]}) >= diverse,
        BLOCK,
    )
    grades = [usefulness.GRADES.index(one["grade"]) for one in graded]
    shown = oracle.released(grades or None, "quartile", join=True)
    return all(level == tree.height for nodes in shown.values() for tree, (level, _) in zip(trees, nodes, strict=True))


def tree_of(paths, *, ordered):
    """The taxonomy with a number for each label under the root; values count from 1."""
    number = {label: code for code, label in enumerate(dict.fromkeys(chain(*paths.values())), start=1)}
    nodes = {value + 1: tuple(number[label] for label in path[:-1]) for value, path in paths.items()}
    return Tree(nodes, len(paths[0]), ordered=ordered)


WAYS = [("rule", "table-5"), ("rule", "equation-8"), ("least", "table-5")]


@pytest.mark.recoding
@pytest.mark.slow
@examples(12)
@given(tables(max_rows=14), st.integers(1, 4), st.integers(1, 2))
def test_k_is_in_the_file_and_each_label_covers_its_value(tmp_path_factory, drawn, k, diverse):
    """With what the receipt tells of each class, counted from the file; in each way of a table that is opened once."""
    names, paths, rows = drawn
    folder = tmp_path_factory.mktemp("flexible")
    frame, taxonomies = frame_of(names, rows), taxonomy_files(folder, names, paths)
    frame["secret"] = [f"s{number % 2}" for number in range(len(rows))]
    frame["number"] = range(len(rows))
    roles = {"class_": CLASS, "sensitive": ["secret"], "insensitive": ["number"], "taxonomies": taxonomies}
    with Project(source=frame, **roles, requirement={"k": k, "l": diverse}) as one:
        for way in WAYS:
            made = released_in(one, folder / "out.parquet", way, drawn, frame["secret"], (k, diverse))
            if made:
                check_flexible(made, folder / "out.parquet", way[0], drawn, frame["secret"], (k, diverse))


def released_in(one, path, way, drawn, secrets, required):
    """A release in a way; None where there is none, which the oracle must say too."""
    names, paths, rows = drawn
    (levels, weights), (k, diverse) = way, required
    path.unlink(missing_ok=True)
    try:
        made = one.anonymize("flexible", path, settings={"levels": levels, "weights": weights})
        graded = made.owner["method"]["found"]["usefulness"]
        assert not at_roots(one, graded, names, paths, rows, secrets, required)
    except RequirementNotMet:
        assert len(rows) < k or len(set(secrets)) < diverse
    except ReleaseError as error:
        if "no node under the root in any column" not in str(error):
            raise
        graded = one.usefulness().graded(weights) if levels == "rule" else []
        assert at_roots(one, graded, names, paths, rows, secrets, required)
    else:
        return made
    assert not path.exists()
    return None


def check_flexible(made, path, levels, drawn, secrets, required):
    """Each label is over its value, the file has what is required, and the receipt tells what is in the file."""
    names, paths, rows = drawn
    shown_names, shown = parquet(path)
    assert len(shown) == len(rows)
    records = [dict(zip(shown_names, row, strict=True)) for row in shown]
    for record in records:
        for name, value in zip(names, rows[record["number"]], strict=False):
            label = record.get(name, "*")
            assert (None if label is None else str(label)) in labels_of(paths[name], value)
    quasi = [name for name in shown_names if name in names]
    requirement = dict(zip(("k", "l"), required, strict=True))
    assert audit(path, quasi, sensitive=["secret"], requirements=requirement).met
    classes = defaultdict(Counter)
    for record in records:
        classes[tuple(record[name] for name in quasi)][record["secret"]] += 1
    (told,) = made.owner["method"]["found"]["released"]
    assert told == {
        "name": "secret",
        "uncertainty": pytest.approx(np.mean([entropy(one) for one in classes.values()]), abs=1e-9),
        "disclosure": pytest.approx(sum(max(one.values()) for one in classes.values()) / len(rows)),
        "homogeneity": pytest.approx(sum(sum(one.values()) for one in classes.values() if len(one) == 1) / len(rows)),
        "revealed": 0 if levels == "least" else told["revealed"],
    }
    if levels == "rule" and len(classes) > 1 and len(set(secrets)) > 1:
        assert told["homogeneity"] == 0


@pytest.mark.slow
@examples(10)
@given(tables(max_rows=10), st.lists(st.randoms(use_true_random=False), min_size=2, max_size=2))
def test_a_raised_class_shows_its_node_at_that_level_or_above(tmp_path_factory, drawn, randoms):
    """Whatever classes and least levels a method hands over; a class of nothing but NULL shows it under the root."""
    names, paths, rows = drawn
    folder = tmp_path_factory.mktemp("raised")
    with opened(folder, names, paths, rows, k=1) as one:
        for random in randoms:
            check_raised(one, folder / "out.parquet", names, paths, rows, random)


def check_raised(one, path, names, paths, rows, random):
    combinations = sorted({row[:-1] for row in rows}, key=lambda row: [-1 if one is None else one for one in row])
    class_of = {combination: random.randint(0, 2) for combination in combinations}
    numbers = {one: number for number, one in enumerate(sorted(set(class_of.values())))}
    roots = [len(next(iter(paths[name].values()))) for name in names]
    least = {(one, i): random.randint(0, root) for one in numbers.values() for i, root in enumerate(roots)}

    def handed_over(data, k, meets, **options):
        assert len(data.records) == len(combinations)
        classes = np.array([numbers[class_of[one]] for one in combinations])
        levels = (np.array([least[one, i] for one in sorted(numbers.values())]) for i in range(len(names)))
        return RaisedClasses(classes, tuple(levels), {}, (0.0,) * len(data.sensitive))

    def node(group, i):
        values = [row[i] for row in rows if numbers[class_of[row[:-1]]] == group]
        level, raised = common(paths[names[i]], values)[0], least[group, i]
        if set(values) == {None} and raised < roots[i]:
            return 0, None
        level = max(level, raised)
        return level, labels_of(paths[names[i]], values[0])[level]

    shown = [tuple(node(numbers[class_of[row[:-1]]], i) for i in range(len(names))) for row in rows]
    expected_names, expected = released(names, paths, rows, shown)
    with pytest.MonkeyPatch.context() as patch:
        method = replace(METHODS["flexible"], algorithm=handed_over)
        patch.setattr(by_recoding, "method_named", lambda name: method)
        if expected_names == [CLASS]:
            with pytest.raises(ReleaseError, match="no node under the root in any column"):
                one.anonymize("flexible", path, overwrite=True)
            return
        one.anonymize("flexible", path, overwrite=True)
    found_names, found = parquet(path)
    assert found_names == expected_names
    assert found == dealt(expected)


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


@pytest.mark.slow
def test_a_class_of_many_values_has_no_usefulness():
    frame = persons(300).assign(number=range(300))
    with Project(source=frame, class_="number", identifiers=["illness", "class"]) as one:
        with pytest.raises(ConfigError, match="300 distinct values"):
            one.usefulness()
        with pytest.raises(ConfigError, match="300 distinct values"):
            one.anonymize("flexible", dry_run=True, k=5)
        assert one.anonymize("flexible", dry_run=True, k=5, settings={"levels": "least"}).classes > 1


@pytest.mark.slow
@pytest.mark.parametrize("secret", [["none"], ["flu", "none"], pytest.param([None], marks=pytest.mark.slow)])
def test_a_constant_secret_and_equal_entropies_raise_nothing(tmp_path, secret):
    """Of each person there are as many records as secrets."""
    persons_of = pd.concat([persons(60).assign(illness=pd.array([one] * 60, dtype="string")) for one in secret])
    with Project(source=persons_of, **ROLES) as one:
        made = one.anonymize("flexible", tmp_path / "out.parquet")
    uncertain = made.owner["method"]["found"]["uncertainty"]
    assert (uncertain["above"], uncertain["raised"], uncertain["joined"]) == (uncertain["classes"], 0, 0)
    assert made.owner["method"]["found"]["released"][0]["revealed"] == 0
    assert made.classes > 1
    assert made.receipt["warnings"] == list(made.warnings) == []


@pytest.mark.slow
def test_what_levels_reveal_is_a_warning_for_the_owner(tmp_path, config, capsys):
    """Clerks and cooks, who are one half of all, have one illness each, smiths and nurses have both."""
    jobs = ["clerk"] * 20 + ["cook"] * 20 + ["nurse"] * 20 + ["smith"] * 20
    illness = ["flu"] * 20 + ["gout"] * 20 + ["flu", "gout"] * 20
    frame = pd.DataFrame({"job": jobs, "illness": illness, "class": ["a", "b"] * 40})
    (tmp_path / "jobs.csv").write_text("clerk,warm,*\ncook,warm,*\nnurse,cold,*\nsmith,cold,*\n")
    taxonomies = {"job": {"file": str(tmp_path / "jobs.csv"), "header": False}}
    with Project(source=frame, taxonomies=taxonomies, **ROLES) as one:
        made = one.anonymize("flexible", tmp_path / "leaks.parquet")
        least = one.anonymize("flexible", tmp_path / "least.parquet", settings={"levels": "least"})
        dry = one.anonymize("flexible", dry_run=True)
    (told,) = made.owner["method"]["found"]["released"]
    assert (told["homogeneity"], told["revealed"]) == (0, 0.5)
    assert len([words for words in made.warnings if "50 % ('illness')" in words]) == 1
    assert made.warnings == dry.warnings
    assert made.owner["remarks"] == list(made.warnings)
    assert json.loads((tmp_path / "leaks.parquet.receipt.json").read_text())["warnings"] == []
    assert least.owner["method"]["found"]["released"][0]["revealed"] == 0
    assert not [words for words in least.warnings if "illness" in words]


@pytest.mark.slow
def test_a_rare_value_is_refused_with_what_to_do(tmp_path):
    frame = persons(60).assign(illness=["flu"] + ["none"] * 59)
    with Project(source=frame, **ROLES) as one:
        with pytest.raises(ReleaseError, match=r"`--set join=false` or `--set levels=least`"):
            one.anonymize("flexible", tmp_path / "out.parquet")
        assert one.anonymize("flexible", dry_run=True, settings={"join": False}).classes > 1


@pytest.fixture
def config(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    persons().to_parquet("persons.parquet")
    (tmp_path / "anonduck.yml").write_text(
        "source: persons.parquet\nclass: class\nsensitive: [illness]\nrequirement: {k: 5}\n"
        "methods: {flexible: {threshold: 1.2, weights: predictive}}\n"
    )
    return tmp_path


@pytest.mark.slow
def test_the_receipt_tells_threshold_weights_and_disclosure(config, capsys):
    assert run(["anonymize", "flexible", "-o", "out.parquet", "--json", "--set", "join=false"]) == 0
    method = json.loads(capsys.readouterr().out)["method"]
    settled = {"weights": "equation-8", "levels": "rule", "threshold": 1.2, "join": False}
    assert method["options"] == settled | {"missing": "keep", "outliers": ""}
    found = method["found"]
    assert found["uncertainty"]["threshold"] == 1.2
    assert found["uncertainty"]["joined"] == 0
    assert {line["name"] for line in found["usefulness"]} == {"age", 'in "euro"', "job"}
    assert set(found["distortion"]) == {"paper", "predictive"}
    assert run(["anonymize", "flexible", "-o", "o.csv", "--json", "--set", "threshold=quartile"]) == 0
    assert json.loads(capsys.readouterr().out)["method"]["found"]["uncertainty"]["threshold"] > 0
    assert run(["anonymize", "flexible", "--dry-run", "--measures", "--weights", "paper", "--levels", "least"]) == 0
    shown = capsys.readouterr().out
    assert "bits, " not in shown.split("illness in the release")[0]
    assert "illness in the release: uncertainty" in shown


@pytest.mark.slow
def test_the_command_tells_the_reading_and_what_levels_reveal(config, capsys):
    assert run(["anonymize", "flexible", "--dry-run"]) == 0
    assert "bits" not in capsys.readouterr().out
    assert run(["anonymize", "flexible", "--dry-run", "--measures"]) == 0
    shown = capsys.readouterr().out
    assert "above 1.2 bits" in shown
    assert "usefulness by equation-8: " in shown
    assert "revealed by levels" in shown


@pytest.mark.slow
def test_the_command_shows_both_readings(config, capsys):
    assert run(["usefulness"]) == 0
    shown = capsys.readouterr().out
    assert "table-5: " in shown
    assert "equation-8: " in shown
    assert run(["usefulness", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["readings"].keys() == {"paper", "predictive"}


@pytest.mark.parametrize("value", ["-1", "nan", "often", "true"])
def test_a_threshold_that_is_none_is_refused(config, capsys, value):
    assert run(["anonymize", "flexible", "--dry-run", "--set", f"threshold={value}"]) == 2
    assert "is quartile or a number from 0 on" in capsys.readouterr().err
