"""Releases that show numbers by free intervals: what labels cover, where they end, and what they lose."""

import itertools
import json
from collections import Counter
from datetime import date, timedelta
from math import inf

import duckdb
import pandas as pd
import pytest
from class_oracle import parquet
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck import Project, audit
from anonduck.cli.app import run
from anonduck.errors import ReleaseError, RequirementNotMet
from anonduck.release.class_recoder import leveled
from anonduck.statements.template import Statement

METHODS = st.sampled_from(["mondrian", "guided", "topdown", "sequential"])
INTERVALS = {"numbers": "intervals"}
NUMBERS = st.one_of(st.none(), st.integers(-3, 20), st.sampled_from([100, 5000]))


def ends(label):
    """The ends of an interval, or of a value; None for the root."""
    if label == "*":
        return -inf, inf
    if not str(label).endswith(")"):
        return float(label), None
    low, high = label[1:-1].split(", ")
    return float(low), float(high)


def covers(label, value):
    if label is None or pd.isna(label) or value is None or pd.isna(value):
        return label == "*" or ((label is None or pd.isna(label)) and (value is None or pd.isna(value)))
    low, high = ends(label)
    return low == value if high is None else low <= value < high


def project(values, k, size=2, insensitive=("number",), **more):
    frame = pd.DataFrame({name: pd.array(held, dtype="Int64") for name, held in values.items()})
    for name in insensitive:
        frame[name] = range(len(frame))
    frame["y"] = "a"
    roles = {
        "class_": "y",
        "insensitive": list(insensitive),
        "taxonomies": {name: {"intervals": size} for name in values},
    }
    return Project(source=frame, **roles, requirement={"k": k}, models=[], **more)


@st.composite
def columns(draw):
    rows = draw(st.integers(4, 40))
    held = st.lists(NUMBERS, min_size=rows, max_size=rows)
    return {name: draw(held) for name in ("age", 'an "odd" name')[: draw(st.integers(1, 2))]}


@pytest.mark.slow
@examples(9)
@given(columns(), st.integers(1, 4), st.integers(2, 3))
def test_labels_cover_their_values_and_end_where_those_of_rules_do(tmp_path_factory, values, k, size):
    """By two methods of a table that is opened once; all find classes of their own."""
    path = tmp_path_factory.mktemp("free") / "out.parquet"
    with project(values, k, size) as one:
        for method in ("mondrian", ["topdown", "sequential"][k % 2]):
            try:
                made = one.anonymize(method, path, settings=INTERVALS, overwrite=True)
            except (ReleaseError, RequirementNotMet):
                assert not path.exists()
                continue
            bounds = {
                name: {end for (label,) in one.database.rows(bounds_of(name)) for end in ends(label)} | {-inf, inf}
                for name in values
            }
            check_intervals(made, path, values, k, bounds)
            path.unlink()


def check_intervals(made, path, values, k, bounds):
    """Each label is over its value, an interval ends at ``bounds``, and each class has k records."""
    names, rows = parquet(path)
    quasi = [name for name in names if name in values]
    assert len(rows) == len(next(iter(values.values())))
    assert min(Counter(tuple(row[names.index(name)] for name in quasi) for row in rows).values()) >= k
    assert made.k == audit(path, quasi, sensitive=["number"], class_="y").k >= k
    for record in (dict(zip(names, row, strict=True)) for row in rows):
        for name in quasi:
            label = record[name]
            assert covers(label, values[name][record["number"]])
            if str(label).endswith(")"):
                assert set(ends(label)) <= bounds[name]


def bounds_of(name):
    quoted = name.replace('"', '""')
    return Statement("bounds", f'SELECT DISTINCT level_1 FROM bounds."{quoted}"')


@pytest.mark.slow
@examples(14)
@given(columns(), st.integers(1, 4), METHODS)
def test_it_loses_the_leaves_that_labels_cover(tmp_path_factory, values, k, method):
    """Of a record: the leaves under its label but one, as a share of all but one; the root loses all."""
    folder = tmp_path_factory.mktemp("free")
    with project(values, k, measures=["loss", "precision"]) as one:
        try:
            one.anonymize(method, folder / "out.parquet", settings=INTERVALS)
        except (ReleaseError, RequirementNotMet):
            return
    told = json.loads((folder / "out.parquet.owner.json").read_text())
    names, rows = parquet(folder / "out.parquet")
    lost = 0.0
    for name, held in values.items():
        leaves = sorted({value for value in held if value is not None})
        for row in rows:
            label = row[names.index(name)] if name in names else "*"
            covered = [leaf for leaf in leaves if covers(label, leaf)] if label is not None else []
            lost += 1 if label == "*" else max(0, len(covered) - 1) / max(1, len(leaves) - 1)
    measures = told["utility"]["measures"]
    assert measures["loss"] == pytest.approx(lost / len(rows) / len(values), abs=1e-6)
    assert 0 <= measures["precision"] <= 1


def persons(folder, models="", rows=160):
    frame = pd.DataFrame(
        {
            "age": [20 + number * 7 % 60 if number % 29 else None for number in range(rows)],
            "born": [date(1990, 1, 1) + timedelta(days=number * 37 % 900) for number in range(rows)],
            "job": ["abc"[number % 3] for number in range(rows)],
            "disease": ["uvw"[number * number % 3] for number in range(rows)],
            "y": ["pq"[number % 2] for number in range(rows)],
        }
    )
    frame.to_parquet(folder / "persons.parquet")
    (folder / "anonduck.yml").write_text(
        "source: persons.parquet\nclass: y\nsensitive: [disease]\nrequirement: {k: 4, l: 2}\n"
        f"methods: {{mondrian: {{numbers: intervals}}}}\nmodels: [{models}]\n"
    )
    return frame


@pytest.mark.slow
def test_the_receipt_counts_intervals_that_are_no_nodes(tmp_path):
    persons(tmp_path, "tree")
    with Project(tmp_path / "anonduck.yml") as one:
        one.anonymize("mondrian", tmp_path / "free.parquet")
        one.anonymize("mondrian", tmp_path / "nodes.parquet", settings={"numbers": "nodes"})
    free, nodes = (json.loads((tmp_path / f"{name}.parquet.owner.json").read_text()) for name in ("free", "nodes"))
    assert free["method"]["options"] == {"strict": True, "splits": "width", "numbers": "intervals"}
    levels = {column["name"]: column["at_levels"] for column in free["columns"] if "at_levels" in column}
    assert levels["age"]["intervals"] > 0
    assert {name for name, held in levels.items() if "intervals" in held} == {"age", "born"}
    assert free["utility"]["measures"]["loss"] < nodes["utility"]["measures"]["loss"]


@pytest.mark.slow
def test_intervals_that_the_owner_labelled_stay_nodes(tmp_path):
    frame = persons(tmp_path)
    lines = [f"{age},{'young' if age < 50 else 'old'},*" for age in sorted(set(frame["age"].dropna()))]
    (tmp_path / "age.csv").write_text("\n".join(lines) + "\n")
    with (tmp_path / "anonduck.yml").open("a") as config:
        config.write("taxonomies: {age: {file: age.csv, header: false}}\n")
    with Project(tmp_path / "anonduck.yml") as one:
        one.anonymize("mondrian", tmp_path / "out.parquet")
    shown = set(pd.read_parquet(tmp_path / "out.parquet")["age"].dropna())
    assert shown <= {"young", "old", "*"} | {str(age) for age in frame["age"]}


@pytest.mark.slow
def test_a_script_writes_the_same_rows(tmp_path, capsys, monkeypatch):
    persons(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert run(["anonymize", "mondrian", "-o", "out.parquet"]) == 0
    capsys.readouterr()
    assert run(["sql", "mondrian"]) == 0
    script = capsys.readouterr().out
    shown = duckdb.connect().execute(script).df()
    expected = pd.read_parquet("out.parquet")
    assert list(shown) == list(expected)
    assert Counter(map(tuple, shown.astype(str).values)) == Counter(map(tuple, expected.astype(str).values))


@pytest.mark.slow
def test_an_attack_reads_the_intervals(tmp_path, capsys, monkeypatch):
    persons(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert run(["anonymize", "mondrian", "-o", "out.parquet"]) == 0
    capsys.readouterr()
    assert run(["attack", "out.parquet", "--original", "persons.parquet", "--guesses", "50", "--json"]) in (0, 1)
    told = json.loads(capsys.readouterr().out)
    assert not set(told["left_out"]) & {"age", "born"}


def test_levels_hold_intervals_that_do_not_overlap():
    pairs = [(low, high) for low in range(1, 8) for high in range(low, 8)]
    found = leveled(pairs, (1, 7), 3)
    assert [(low, high) for low, high, _ in found] == pairs
    by_level = {}
    for low, high, level in found:
        by_level.setdefault(level, []).append((low, high))
    assert by_level[3] == [(1, 7)]
    assert by_level[1] == [(one, one) for one in range(1, 8)]
    for level, held in by_level.items():
        assert level <= 3 or all(one[1] < other[0] for one, other in itertools.pairwise(held))
