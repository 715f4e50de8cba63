"""Releases by a method: the oracle's classes, labels that cover, what is required, and that no more decides."""

import json
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from class_oracle import frame_of, labels_of, opened, parquet, recoded, released, sorted_rows, taxonomy_files
from dealing import dealt
from examples import examples
from hypothesis import example, given
from hypothesis import strategies as st
from mondrian_oracle import Oracle, Tree
from oracles import CLASS, beside, tables
from utility_oracle import in_stretches

from anonduck import Project, audit
from anonduck.cli.app import run
from anonduck.database.progress import Reporter
from anonduck.errors import ConfigError, ReleaseError, RequirementNotMet
from anonduck.methods import sequential
from anonduck.methods.registry import METHODS

# -- the classes of the oracle -----------------------------------------------------------------------------------------


def classes_by_hand(names, paths, rows, k, *, strict, met=lambda records: True, seed=0):
    """The class of each record; ``met`` judges the numbers of some records."""
    trees = [
        Tree(
            {value + 1: path[:-1] for value, path in paths[name].items()},
            len(paths[name][0]),
            ordered=in_stretches(paths[name]),
        )
        for name in names
    ]
    codes = [tuple(0 if value is None else value + 1 for value in row[:-1]) for row in rows]
    records = defaultdict(list)
    for number, code in enumerate(codes):
        records[code].append(number)
    combinations = sorted(records)
    drawn = np.random.default_rng(seed)
    order = np.argsort(drawn.permutation(len(names))).tolist()
    ranks = [] if strict else drawn.permutation(len(combinations)).tolist()
    sizes = [len(records[code]) for code in combinations]

    def meets(region):
        return met([number for row in region for number in records[combinations[row]]])

    found = Oracle(trees, combinations, sizes, k, meets, strict, order, ranks).classes()
    class_of = {combinations[row]: number for number, region in enumerate(found) for row in region}
    return [class_of[code] for code in codes]


def expected_release(names, paths, rows, assigned):
    return released(names, paths, rows, recoded(names, paths, rows, assigned))


def too_few(names, rows, k, expected):
    return len(rows) < k or expected[0] == [CLASS]


@pytest.mark.recoding
@pytest.mark.slow
@examples(10)
@given(tables(max_rows=14), st.integers(1, 4), st.booleans())
def test_a_release_shows_the_classes_of_the_oracle(tmp_path_factory, drawn, k, strict):
    names, paths, rows = drawn
    folder = tmp_path_factory.mktemp("mondrian")
    expected = expected_release(names, paths, rows, classes_by_hand(names, paths, rows, k, strict=strict))
    with opened(folder, names, paths, rows, k=k) as one:
        target = {"path": folder / "out.parquet", "settings": {"strict": strict}}
        if too_few(names, rows, k, expected):
            with pytest.raises((ReleaseError, RequirementNotMet)):
                one.anonymize("mondrian", **target)
            assert not (folder / "out.parquet").exists()
            return
        made = one.anonymize("mondrian", **target)
    assert parquet(folder / "out.parquet") == (expected[0], dealt(expected[1]))
    sizes = Counter(row[:-1] for row in expected[1])
    assert (made.rows, made.classes, made.k) == (len(rows), len(sizes), min(sizes.values()))
    assert made.k >= k
    assert audit(folder / "out.parquet", expected[0][:-1], class_=CLASS).k == made.k


SCATTERED = (
    ["age", "job"],
    {
        "age": {0: ("1:1", "2:2", "*"), 1: ("1:3", "2:2", "*"), 2: ("1:0", "2:0", "*"), 3: ("1:0", "2:0", "*")},
        "job": {0: ("1:0", "*"), 1: ("1:3", "*"), 2: ("1:2", "*"), 3: ("1:3", "*")},
    },
    [(age, job, "a") for age, job in [(None, 0), (0, 0), (0, None), (3, 0), (0, 2), (0, 0), (1, 1), (0, 1), (2, None)]],
)
"""A node of ``job`` covers its values 1 and 3 and not 2, so that it has no order, and no median to be cut at."""


@pytest.mark.slow
@examples(10)
@given(tables(max_rows=14), st.integers(1, 3))
@example(SCATTERED, 3)
def test_each_value_is_covered_by_its_label(tmp_path_factory, drawn, k):
    """Told by a column that is kept and names the record."""
    names, paths, rows = drawn
    folder = tmp_path_factory.mktemp("mondrian")
    frame, taxonomies = frame_of(names, rows), taxonomy_files(folder, names, paths)
    frame["number"] = range(len(rows))
    expected = expected_release(names, paths, rows, classes_by_hand(names, paths, rows, k, strict=True))
    roles = {"class_": CLASS, "insensitive": ["number"], "taxonomies": taxonomies, "requirement": {"k": k}}
    if too_few(names, rows, k, expected):
        return
    with Project(source=frame, **roles) as one:
        one.anonymize("mondrian", folder / "out.parquet")
    shown_names, shown = parquet(folder / "out.parquet")
    assert len(shown) == len(rows)
    for record in (dict(zip(shown_names, row, strict=True)) for row in shown):
        row = rows[record["number"]]
        for name, value in zip(names, row, strict=False):
            label = record.get(name, "*")
            assert (None if label is None else str(label)) in labels_of(paths[name], value)
        assert record[CLASS] == row[-1]
    assert sorted_rows([tuple(row[:-1]) for row in shown]) == sorted_rows(expected[1])


@pytest.mark.slow
@examples(8)
@given(tables(max_rows=14), st.integers(1, 3), st.integers(2, 3))
def test_each_class_meets_what_else_is_required(tmp_path_factory, drawn, k, diverse):
    names, paths, rows = drawn
    folder = tmp_path_factory.mktemp("mondrian")
    secrets = [f"s{number % 3}" for number in range(len(rows))]

    def met(records):
        return len(records) >= k and len({secrets[number] for number in records}) >= diverse

    frame, taxonomies = frame_of(names, rows), taxonomy_files(folder, names, paths)
    frame["secret"] = secrets
    assigned = classes_by_hand(names, paths, rows, k, strict=True, met=met)
    expected = expected_release(names, paths, rows, assigned)
    requirement = {"k": k, "l": diverse}
    roles = {"class_": CLASS, "sensitive": ["secret"], "taxonomies": taxonomies}
    with Project(source=frame, **roles, requirement=requirement) as one:
        if expected[0] == [CLASS] or not met(range(len(rows))):
            with pytest.raises((ReleaseError, RequirementNotMet)):
                one.anonymize("mondrian", folder / "out.parquet")
            return
        one.anonymize("mondrian", folder / "out.parquet")
    _, shown = parquet(folder / "out.parquet")
    assert sorted_rows([row[:-1] for row in shown]) == sorted_rows(expected[1])
    told = audit(folder / "out.parquet", expected[0][:-1], sensitive=["secret"], requirements=requirement)
    assert told.met


@pytest.mark.slow
@examples(10)
@given(tables(max_rows=14), st.integers(1, 3), st.integers(1, 2), st.sampled_from(["sequential", "topdown"]))
def test_other_methods_cover_each_value_and_meet_what_is_required(tmp_path_factory, drawn, k, diverse, method):
    """Judged from the file; their classes are those of their oracles (tests/methods)."""
    names, paths, rows = drawn
    folder = tmp_path_factory.mktemp(method)
    frame, taxonomies = frame_of(names, rows), taxonomy_files(folder, names, paths)
    frame["secret"] = [f"s{number % 2}" for number in range(len(rows))]
    frame["number"] = range(len(rows))
    requirement = {"k": k, "l": diverse}
    roles = {"class_": CLASS, "sensitive": ["secret"], "insensitive": ["number"], "taxonomies": taxonomies}
    with Project(source=frame, **roles, requirement=requirement) as one:
        try:
            one.anonymize(method, folder / "out.parquet")
        except (ReleaseError, RequirementNotMet):
            assert not (folder / "out.parquet").exists()
            return
    shown_names, shown = parquet(folder / "out.parquet")
    assert len(shown) == len(rows)
    for record in (dict(zip(shown_names, row, strict=True)) for row in shown):
        for name, value in zip(names, rows[record["number"]], strict=False):
            label = record.get(name, "*")
            assert (None if label is None else str(label)) in labels_of(paths[name], value)
    quasi = [name for name in shown_names if name in names]
    told = audit(folder / "out.parquet", quasi, sensitive=["secret"], requirements=requirement)
    assert told.met


@pytest.mark.slow
@examples(10)
@given(
    tables(max_rows=14),
    st.integers(1, 2),
    st.integers(1, 4),
    st.sampled_from([0.5, 0.7, 0.9]),
    st.sampled_from(["mondrian", "guided", "sequential", "topdown"]),
)
def test_lkc_privacy_steers_the_cuts(tmp_path_factory, drawn, known, k, share, method):
    """Where all records together have it, no release is refused for it, whatever classes share labels."""
    names, paths, rows = drawn
    folder = tmp_path_factory.mktemp("lkc")
    frame, taxonomies = frame_of(names, rows), taxonomy_files(folder, names, paths)
    frame["secret"] = [f"s{number * number % 3}" for number in range(len(rows))]
    requirement = {"k": 1, "lkc": {"l": known, "k": k, "c": share}}
    whole = len(rows) >= k and max(Counter(frame["secret"]).values(), default=0) <= share * len(rows)
    with Project(
        source=frame, class_=CLASS, sensitive=["secret"], taxonomies=taxonomies, requirement=requirement
    ) as one:
        try:
            made = one.anonymize(method, folder / "out.parquet")
        except ReleaseError:
            return
        except RequirementNotMet:
            assert not whole
            return
    assert whole
    assert made.receipt["method"]["model"] == requirement
    quasi = [name for name in parquet(folder / "out.parquet")[0] if name in names]
    told = audit(folder / "out.parquet", quasi, sensitive=["secret"], requirements=requirement)
    assert told.met


# -- a table to read ---------------------------------------------------------------------------------------------------


def persons(rows=400, seed=1):
    """Numbers with NULL, texts and dates, with values that one record alone holds."""
    drawn = np.random.default_rng(seed)
    ages = pd.array(drawn.integers(18, 90, rows), dtype="Int64")
    ages[::41] = pd.NA
    return pd.DataFrame(
        {
            "age": ages,
            'in "euro"': np.round(drawn.lognormal(10, 1, rows), 2),
            "job": drawn.choice(["clerk", "cook", "nurse", "smith", "pilot"], rows, p=[0.5, 0.3, 0.1, 0.09, 0.01]),
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(drawn.integers(0, 900, rows), unit="D"),
            "illness": drawn.choice(["flu", "gout", "none"], rows),
            "class": drawn.choice(["a", "b"], rows),
        }
    )


ROLES = {"class_": "class", "sensitive": ["illness"], "requirement": {"k": 5}}


@pytest.mark.slow
@pytest.mark.parametrize(("passes", "early"), [(0, True), (10, False)])
def test_its_owner_is_told_where_a_bound_ended_the_method(tmp_path, monkeypatch, passes, early):
    monkeypatch.setattr(sequential, "PASSES", passes)
    said, words = [], "moving records was ended after 0 passes, before the loss stopped falling"
    with Project(source=persons(100), **ROLES) as one:
        one.reporter = Reporter(announce=said.append)
        made = one.anonymize("sequential", tmp_path / "out.parquet")
    assert made.owner["method"]["remarks"] == [words] * early
    assert (f"sequential: {words}" in said) is early


@pytest.mark.slow
@pytest.mark.parametrize("numbers", ["nodes", "intervals"])
def test_no_bound_is_a_value_that_fewer_than_k_records_hold_unless_it_is_a_round_number(tmp_path, numbers):
    frame = persons()
    with Project(source=frame, **ROLES) as one:
        one.anonymize("mondrian", tmp_path / "out.parquet", k=8, settings={"numbers": numbers})
    held = {float(value): count for name in ("age", 'in "euro"') for value, count in frame[name].value_counts().items()}
    shown = pd.read_parquet(tmp_path / "out.parquet")
    bounds = {
        float(end)
        for label in {str(label) for name in ("age", 'in "euro"') for label in shown[name]}
        if label[0] in "[("
        for end in label.strip("[]()").split(", ")
        if "inf" not in end
    }
    round_numbers = {bound for bound in bounds if bound % 5 == 0}  # of a grid, wherever rare values stand
    assert bounds > round_numbers
    assert all(held.get(bound, 8) >= 8 for bound in bounds - round_numbers)


@pytest.mark.slow
def test_the_receipt_tells_the_method_and_neither_seed_nor_classes(tmp_path):
    with Project(source=persons(), **ROLES, seed=7) as one:
        made = one.anonymize("mondrian", tmp_path / "out.csv", k=3, requirement={"l": 2}, settings={"strict": False})
    receipt = json.loads(Path(made.receipt_path).read_text())
    assert receipt["rule"] is None
    assert receipt["proven_by"] == "file"
    method = receipt["method"]
    assert set(method) == {"name", "options", "model", "words", "attacks"}
    assert "downcoding" in method["attacks"]
    assert "minimality" in method["attacks"]
    assert (method["name"], method["options"], method["model"]) == (
        "mondrian",
        {"strict": False, "splits": "width", "numbers": "nodes"},
        {"k": 3, "l": 2},
    )
    lines = {line["name"]: line for line in receipt["requirements"]}
    assert lines["k"]["lowered"]
    assert (lines["k"]["configured"], lines["k"]["required"], lines["k"]["met"]) == (5, 3, True)
    assert "seed" not in json.dumps(receipt)


@pytest.mark.slow
def test_a_dry_run_writes_nothing_and_tells_the_same(tmp_path):
    with Project(source=persons(), **ROLES) as one:
        dry = one.anonymize("mondrian", dry_run=True)
        made = one.anonymize("mondrian", tmp_path / "out.parquet")
        assert not dry.written
        assert (dry.rows, dry.classes, dry.k) == (made.rows, made.classes, made.k)
        assert sorted(path.name for path in tmp_path.iterdir()) == beside("out.parquet")
        with pytest.raises(ReleaseError, match="exists"):
            one.anonymize("mondrian", tmp_path / "out.parquet")


@pytest.mark.slow
def test_what_cannot_be_asked_is_refused(tmp_path):
    with Project(source=persons(40), **ROLES) as one:
        with pytest.raises(ConfigError, match="the method 'datafli' is not known"):
            one.anonymize("datafli", dry_run=True)
        with pytest.raises(ConfigError, match="no option 'sharp'"):
            one.anonymize("mondrian", dry_run=True, settings={"sharp": True})
        with pytest.raises(ConfigError, match="k is given twice"):
            one.anonymize("mondrian", dry_run=True, k=3, requirement={"k": 4})
        with pytest.raises(ConfigError, match="a release needs a target"):
            one.anonymize("mondrian")
        with pytest.raises(RequirementNotMet, match="40 records, fewer"):
            one.anonymize("mondrian", tmp_path / "out.csv", k=41)
    assert not list(tmp_path.iterdir())


# -- the command -------------------------------------------------------------------------------------------------------


@pytest.fixture
def config(tmp_path, monkeypatch):
    """A config beside a table of forty persons whose ages are in a file's groups."""
    monkeypatch.chdir(tmp_path)
    lines = "".join(f"{18 + number % 8},{'ab'[number % 2]},{'xy'[number % 3 // 2]}\n" for number in range(40))
    (tmp_path / "persons.csv").write_text("age,sex,class\n" + lines)
    (tmp_path / "ages.csv").write_text("".join(f"{age},{'young' if age < 22 else 'old'},*\n" for age in range(18, 26)))
    (tmp_path / "sexes.csv").write_text("a,*\nb,*\n")
    (tmp_path / "anonduck.yml").write_text(
        "source: persons.csv\nclass: class\nrequirement: {k: 3}\n"
        "taxonomies: {age: {file: ages.csv, header: false}, sex: {file: sexes.csv, header: false}}\n"
    )
    return tmp_path


@pytest.mark.slow
def test_the_command_writes_a_release(config, capsys):
    assert run(["anonymize", "mondrian", "-o", "out.csv", "-k", "10", "--set", "strict=false", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["rule"] is None
    assert told["method"]["name"] == "mondrian"
    assert told["method"]["options"] == {"strict": False, "splits": "width", "numbers": "nodes"}
    assert told["rows"] == 40
    assert told["k"] >= 10
    assert run(["anonymize", "mondrian", "-o", "out.csv"]) == 2
    assert run(["anonymize", "mondrian", "-o", "out.csv", "--overwrite", "--require", "k=2"]) == 0
    assert "k >= 2, lowered from 3: met" in capsys.readouterr().out
    assert json.loads((config / "out.csv.receipt.json").read_text())["method"]["options"]["strict"]


def test_the_command_lists_methods(capsys):
    assert run(["anonymize", "--list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["methods"]
    assert [method["name"] for method in listed] == list(METHODS)
    assert run(["anonymize", "--list"]) == 0
    assert "LeFevre" in capsys.readouterr().out


@pytest.mark.slow
def test_the_command_says_why_nothing_is_left_to_release(config, capsys):
    assert run(["anonymize", "mondrian", "--dry-run", "-k", "41"]) == 1
    assert "40 records, fewer than the required k = 41" in capsys.readouterr().err
    assert run(["anonymize", "mondrian", "--dry-run", "-k", "40"]) == 2
    assert "no node under the root in any column" in capsys.readouterr().err


# -- the config --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_run_releases_by_the_method_of_the_config(config, capsys):
    text = (config / "anonduck.yml").read_text()
    (config / "anonduck.yml").write_text(
        text + "method: mondrian\nmethods: {mondrian: {strict: false, splits: entropy}}\n"
    )
    assert run(["run", "-o", "out.csv", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["rule"] is None
    assert not told["discovered"]
    assert told["report"] is not None
    assert told["report"].endswith("out.csv.report.html")
    assert told["met"]
    receipt = json.loads((config / "out.csv.receipt.json").read_text())
    assert receipt["method"]["options"] == {"strict": False, "splits": "entropy", "numbers": "nodes"}
    assert receipt["reason"] == told["reason"]
    assert run(["run", "-o", "out.csv", "--overwrite"]) == 0
    assert capsys.readouterr().out.startswith("mondrian: the last recoding, kept while it meets the requirement")
    assert run(["anonymize", "mondrian", "-o", "other.csv", "--set", "strict=true"]) == 0
    assert json.loads((config / "other.csv.receipt.json").read_text())["method"]["options"]["strict"]


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"method": "mondrain"}, "the method 'mondrain' is not known"),
        ({"methods": {"datafli": {}}}, "the method 'datafli' is not known"),
        ({"methods": {"mondrian": {"sharp": True}}}, "no option 'sharp'"),
        ({"methods": {"mondrian": {"strict": "no"}}}, "strict"),
        ({"method": "mondrian", "rule": "age=1"}, "take out one of the two"),
    ],
)
def test_a_config_names_known_methods_and_options(keys, told):
    with pytest.raises(ConfigError, match=told):
        Project(source=persons(10), **ROLES, **keys)


# -- figures -----------------------------------------------------------------------------------------------------------

EIGHT = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
BARS = {
    "mondrian": {5: 0.07, 10: 0.11, 50: 0.27},
    "topdown": {5: 0.09, 10: 0.13, 50: 0.23},
    "sequential": {5: 0.06, 10: 0.10, 50: 0.22},
}


def losses(release, folder):
    """``loss`` and ``ncp`` of docs/measures.md, from the labels of a release; ages count by their range."""
    loss, ncp = [], []
    for name in EIGHT:
        lines = [line.split(";") for line in (folder / f"adult_hierarchy_{name}.csv").read_text().splitlines()]
        leaves = Counter(label for line in lines for label in set(line))
        shown = release[name].astype(str) if name in release else pd.Series(["*"] * len(release))
        covered = shown.map(leaves)
        loss.append(((covered - 1) / (len(lines) - 1)).mean())
        ncp.append(loss[-1] if name == "age" else (covered.where(covered > 1, 0) / len(lines)).mean())
    return sum(loss) / len(EIGHT), sum(ncp) / len(EIGHT)


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("name", BARS)
def test_the_loss_on_arx_adult(data_dir, tmp_path, name):
    folder = data_dir / "arx"
    with Project(source=str(folder / "adult.csv"), class_="salary-class") as one:
        for column in EIGHT:
            one.import_taxonomies(folder / f"adult_hierarchy_{column}.csv", column=column)
        for k, bar in BARS[name].items():
            made = one.anonymize(name, tmp_path / f"{k}.parquet", k=k)
            assert made.rows == 30_162
            assert made.k >= k
            loss, ncp = losses(pd.read_parquet(tmp_path / f"{k}.parquet"), folder)
            assert loss <= ncp <= bar
