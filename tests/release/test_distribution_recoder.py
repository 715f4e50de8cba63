"""Releases by distributions: each record covers k originals, what is shown, and what is refused."""

import json
import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from class_oracle import CLASS, common, frame_of, parquet, taxonomy_files
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import tables
from test_found_classes import persons

from anonduck import Project
from anonduck.auditing.original import audit_original
from anonduck.cli.app import run
from anonduck.errors import ConfigError, ReleaseError, RequirementNotMet
from anonduck.methods.coded_records import PlacedColumn
from anonduck.release.distribution_tables import ClosureLabels, class_shares, refuse_l
from anonduck.taxonomy.interval_cells import OpenLabels

ROLES = {"class_": "class", "identifiers": ["illness"], "requirement": {"k": 5}}


@pytest.mark.recoding
@pytest.mark.slow
@examples(40)
@given(tables(max_rows=14), st.integers(1, 4), st.sampled_from([1.0, 1.4, 2.0]), st.booleans())
def test_each_record_covers_k_originals_and_itself(tmp_path_factory, drawn, k, diversity, repair):
    """A repaired release has k in both directions and after matching; its records may cover more than k."""
    names, paths, rows = drawn
    rows = [(*row[:-1], row[-1] or "a") for row in rows]
    folder, frame = tmp_path_factory.mktemp("distributions"), frame_of(names, rows)
    taxonomies = taxonomy_files(folder, names, paths)
    with Project(source=frame, class_=CLASS, taxonomies=taxonomies, requirement={"k": k}) as one:
        try:
            settings = {"l": diversity, "repair": repair}
            made = one.anonymize("nsvdist", folder / "out.parquet", settings=settings)
        except (ReleaseError, RequirementNotMet):
            counts = frame[CLASS].value_counts().clip(upper=int(k / diversity))
            labels = [common(paths[name], [row[number] for row in rows])[1] for number, name in enumerate(names)]
            assert counts.sum() < k or len(rows) < k or k > 1 or set(labels) == {"*"}
            assert not (folder / "out.parquet").exists()
            return
    assert made.rows == len(rows)
    shown_names, shown = parquet(folder / "out.parquet")
    lines = {name: [(str(value), *labels) for value, labels in paths[name].items()] for name in names}
    report = audit_original(
        folder / "out.parquet",
        frame,
        distribution=CLASS,
        requirements={"k": k, "l": diversity},
        taxonomies={name: pd.DataFrame(lines[name]) for name in shown_names if name != CLASS},
    )
    assert report.met
    found = made.owner["original"]
    assert found == report.as_json()["original"]
    assert found["l"] >= diversity * (1 - 1e-6)
    for way in ("originals_per_released", "released_per_original", "after_matching") if repair else ():
        assert found[way]["least"] >= k
    assert made.receipt["proven_by"] == "file and original"
    assert repair or all(round(share * k, 6).is_integer() for *_, shares in shown for share in shares.values())


def made(folder, frame, name="out.parquet", settings=None, **changes):
    with Project(source=frame, **(ROLES | changes)) as one:
        return one.anonymize("nsvdist", folder / name, settings=settings or {})


@pytest.mark.some(1)
@pytest.mark.parametrize("odd", [[0.0, -0.0], [math.nan, math.inf, -math.inf, -0.0]])
def test_two_zeros_infinities_and_nan_are_values(tmp_path, odd):
    """Zeros are one value; of the others none shares an interval. Warnings of numpy are errors here."""
    sizes = [*odd, *odd, *odd, *map(float, range(40))]
    held = {"size": pa.array(sizes), "class": ["yn"[place % 3 % 2] for place in range(len(sizes))]}
    with Project(source=pa.table(held), class_="class", requirement={"k": 3}) as one:
        release = one.anonymize("nsvdist", tmp_path / "out.parquet", settings={"repair": True})
    assert release.owner["original"]["originals_per_released"]["least"] >= 3
    _, rows = parquet(tmp_path / "out.parquet")
    labels = {label for label, _ in rows}
    assert {"0.0", "inf", "-inf", "nan"} & labels == {str(abs(one) if one == 0 else one) for one in odd}
    assert "-0.0" not in labels
    assert any(label.startswith("[") for label in labels)


@pytest.mark.slow
def test_a_column_that_is_null_in_all_records_is_shown_so(tmp_path):
    frame = persons(40).assign(job=pd.Series([None] * 40, dtype="string"))
    release = made(tmp_path, frame)
    assert release.owner["original"]["originals_per_released"]["least"] >= 5


@pytest.mark.slow
def test_the_receipt_says_what_is_proven_and_what_is_not(tmp_path):
    release = made(tmp_path, persons(150), settings={"l": 1.5})
    receipt = json.loads((tmp_path / "out.parquet.receipt.json").read_text())
    assert receipt["rule"] is None
    assert receipt["method"]["model"] == {"non_homogeneous_k": 5, "l": 1.5}
    assert "the file has no classes of 5 records" in receipt["method"]["words"]
    assert 0 < release.owner["method"]["loss"] < 1
    assert "loss" not in receipt["method"]
    assert receipt["proven_by"] == "file and original"
    reached = {line["name"]: line for line in receipt["requirements"]}
    assert reached["k"]["reached"] == release.k < 5
    assert reached["k"]["lowered"]
    assert (reached["non_homogeneous_k"]["reached"], reached["distribution_l"]["reached"]) == (5, 1.5)
    assert reached["distribution_l"]["at_least"]
    original = release.owner["original"]
    assert original["originals_per_released"]["least"] >= 5
    assert original["after_matching"]["mean"] <= original["released_per_original"]["mean"]
    entries = {entry["name"]: entry for entry in receipt["columns"]}
    assert entries["class"]["words"].startswith("how often")
    assert sum(entries["age"]["at_levels"].values()) == 150
    assert any("can rule out" in warning for warning in release.warnings)
    assert not any("can rule out" in warning for warning in receipt["warnings"])


@pytest.mark.slow
def test_csv_holds_the_same_as_json(tmp_path):
    made(tmp_path, persons(120))
    made(tmp_path, persons(120), "out.csv")
    _, rows = parquet(tmp_path / "out.parquet")
    table = pd.read_csv(tmp_path / "out.csv", dtype=str, keep_default_na=False)
    texts = sorted(json.dumps(shares, sort_keys=True) for *_, shares in rows)
    assert sorted(json.dumps(json.loads(text), sort_keys=True) for text in table["class"]) == texts


@pytest.mark.slow
def test_no_label_holds_a_value_that_fewer_than_k_records_have(tmp_path):
    frame = persons(200)
    made(tmp_path, frame, requirement={"k": 8})
    counts = frame['in "euro"'].value_counts()
    names, rows = parquet(tmp_path / "out.parquet")
    labels = {row[names.index('in "euro"')] for row in rows}
    assert all(label.startswith(("[", "(", "*")) or counts[float(label)] >= 8 for label in labels)
    shown = {row[names.index("age")] for row in rows}
    assert any(label.startswith("[") for label in shown if label)


@pytest.mark.slow
def test_an_l_that_is_too_high_is_refused_with_the_highest(tmp_path):
    frame = persons(60).assign(**{"class": ["a"] * 57 + ["b"] * 3})
    with pytest.raises(RequirementNotMet, match=r"with k = 5, l is at most 1\.6666; "):
        made(tmp_path, frame, settings={"l": 1.7})
    assert made(tmp_path, frame, settings={"l": 1.66}).owner["original"]["l"] > 1.66


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"identifiers": [], "insensitive": ["illness"]}, "no place for the columns 'illness'"),
        ({"identifiers": [], "sensitive": ["illness"], "requirement": {"k": 5, "l": 2}}, "cannot meet l"),
    ],
)
def test_what_it_cannot_hold_is_refused(tmp_path, changes, words):
    with pytest.raises(ConfigError, match=words):
        made(tmp_path, persons(40), **changes)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_sensitive_columns_are_left_out_and_named(tmp_path):
    """As `init` proposes columns by their names: the release is the one without them, and says which they are."""
    found = made(tmp_path, persons(40), identifiers=[], sensitive=["illness"])
    without = made(tmp_path, persons(40), name="without.parquet")
    assert parquet(tmp_path / "out.parquet") == parquet(tmp_path / "without.parquet")
    assert [text for text in found.warnings if "sensitive column" in text] == [
        "the sensitive column is left out, as records show the distribution of the class alone: 'illness'"
    ]
    assert found.dictionary["left_out"] == [
        {"name": "illness", "role": "sensitive", "words": "a release by this method has no place for it"}
    ]
    assert found.receipt["dependency"] is without.receipt["dependency"] is None


@pytest.mark.slow
def test_a_class_that_is_null_is_refused(tmp_path):
    frame = persons(40)
    frame.loc[3, "class"] = None
    with pytest.raises(ReleaseError, match="is NULL in some records"):
        made(tmp_path, frame)


@pytest.mark.parametrize("settings", [{"l": 0.5}, {"l": "two"}, {"clusters": 2.5}, {"loss": "ncp"}, {"l": True}])
def test_settings_that_are_none_are_refused(tmp_path, settings):
    with pytest.raises(ConfigError, match="the option"):
        made(tmp_path, persons(40), settings=settings)


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{"loss": "entropy"}, {"clusters": 60}, {"intervals": False}])
def test_each_setting_is_proven_with_the_original(tmp_path, settings):
    release = made(tmp_path, persons(160), settings=settings)
    assert release.owner["original"]["k"] >= 5


@pytest.mark.slow
def test_a_dry_run_says_what_it_would_lose(tmp_path):
    with Project(source=persons(100), **ROLES) as one:
        release = one.anonymize("nsvdist", dry_run=True)
    assert not release.written
    assert release.rows == 100
    assert release.owner["method"]["loss"] > 0
    assert np.isfinite(release.owner["method"]["loss"])


@pytest.mark.parametrize(
    ("words", "first", "last", "label"),
    [
        (None, "[10, 20)", "[30, 40)", "[10, 40)"),
        (None, "(-inf, 20)", "[30, 40)", "(-inf, 40)"),
        (None, "[10, 20)", "[30, inf)", "[10, inf)"),
        (("under", "and over"), "under 20", "[30, 40)", "under 40"),
        (("under", "and over"), "[10, 20)", "30 and over", "10 and over"),
        (None, "(-inf, 20)", "[30, inf)", "*"),
    ],
)
def test_an_interval_over_others_goes_from_the_first_bound_to_the_last(words, first, last, label):
    assert OpenLabels(low=True, high=True, words=words).spanning(first, last) == label


def test_infinities_and_nan_are_opened_at_no_end():
    labels = OpenLabels(low=True, high=True, words=None)
    shown = ["-inf", "[10, 20)", "[20, 30)", "[30, 40)", "inf", "nan"]
    assert labels.opened(shown) == {"[10, 20)": "(-inf, 20)", "[30, 40)": "[30, inf)"}
    assert labels.opened(["inf"]) == {}


@pytest.fixture
def numbers(tmp_path, monkeypatch):
    """A project over a file of numbers, whose labels need no taxonomy."""
    persons(90).drop(columns=["job", "since", "illness"]).to_csv(tmp_path / "in.csv", index=False)
    (tmp_path / "anonduck.yml").write_text(
        "source: in.csv\nclass: class\nmethod: nsvdist\nmethods: {nsvdist: {l: 1.2}}\nrequirement: {k: 4}\n"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_the_command_line_makes_and_audits_one(numbers, capsys):
    assert run(["anonymize", "nsvdist", "-k", "4", "--l", "1.25", "-o", "out.csv"]) == 0
    assert json.loads((numbers / "out.csv.receipt.json").read_text())["method"]["options"]["l"] == 1.25
    asked = ["audit", "out.csv", "--original", "in.csv", "--class", "class"]
    capsys.readouterr()
    assert run([*asked, "--require", "k=4", "--require", "l=1.25", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["met"]
    assert document["original"]["k"] >= 4
    assert run([*asked, "--require", "k=80"]) == 1
    assert "NOT met" in capsys.readouterr().out
    assert run([*asked, "--held-out", "in.csv"]) == 0
    assert "people held out: an excess of +0.0 points" in capsys.readouterr().out
    alone = ["audit", "out.csv", "--held-out", "in.csv"]
    for wrong in (asked[:4], [*asked, "--entity", "age"], [*asked, "--measures", "required"], alone):
        assert run(wrong) == 2


@pytest.mark.slow
def test_run_releases_by_the_method_of_the_config(numbers, capsys):
    assert run(["run", "-o", "out.parquet", "--json"]) == 0
    receipt = json.loads((numbers / "out.parquet.receipt.json").read_text())
    assert receipt["method"]["model"] == {"non_homogeneous_k": 4, "l": 1.2}
    capsys.readouterr()
    assert run(["frontier", "--json"]) == 2
    assert run(["report", "-o", "report.html"]) == 0
    assert "nsvdist" in (numbers / "report.html").read_text()


@pytest.mark.slow
def test_frequencies_are_published_on_request_for_values_that_k_records_hold(tmp_path):
    frame = persons(200)
    assert "value_frequencies" not in made(tmp_path, frame).receipt
    published = made(tmp_path, frame, "other.parquet", {"frequencies": True}).receipt["value_frequencies"]
    counts = frame["job"].value_counts()
    assert published["job"] == {job: int(count) for job, count in counts.items() if count >= 5}
    assert all(count >= 5 for of_column in published.values() for count in of_column.values())


@examples(200)
@given(st.lists(st.integers(0, 40), min_size=2, max_size=6), st.integers(1, 4), st.floats(0, 0.9))
def test_shares_over_the_bound_go_to_the_other_values_as_they_are(counts, least, more):
    """Each share is the count times one factor, or 1 / l where that is less; the factor makes the sum 1."""
    held = sum(count > 0 for count in counts)
    diversity = min(least + more, held)
    if not held:
        return
    values = [f"v{number}" for number in range(len(counts))]
    (found,) = class_shares(np.array([counts]), values, diversity)
    low, high = 0.0, 1.0
    for _ in range(80):
        factor = (low + high) / 2
        total = sum(min(count * factor, 1 / diversity) for count in counts)
        low, high = (factor, high) if total < 1 else (low, factor)
    expected = {value: min(count * high, 1 / diversity) for value, count in zip(values, counts, strict=True) if count}
    assert found == pytest.approx(expected, abs=1e-9)
    assert sum(found.values()) == pytest.approx(1)


def test_a_closure_is_called_by_its_value_its_node_or_what_lies_over_it():
    """Two groups of three places each under the root, the first of them without an order; and intervals of a number."""
    nodes = np.array([[0, 1, 2, 3, 4, 5], [0, 0, 1, 2, 2, 2], [0, 0, 0, 1, 1, 1], [0] * 6])
    column = PlacedColumn(np.arange(6), nodes, np.zeros((4, 6)), np.ones((4, 6)), ordered=False)
    texts = ([*"abcdef"], ["ab", "ab", "c", "def", "def", "def"], ["abc"] * 3 + ["def"] * 3)
    pairs = [(first, last) for first in range(6) for last in range(first, 6)]
    firsts, lasts = np.array(pairs).T
    labels, levels = ClosureLabels(column, texts, "all", None, None).of(firsts, lasts)
    for (first, last), label, level in zip(pairs, labels.to_pylist(), levels.tolist(), strict=True):
        between = range(first, last + 1)
        assert level == min(at for at in range(4) if len({nodes[at][place] for place in between}) == 1)
        named = {0: texts[0][first], 3: "all"}.get(level, texts[min(level, 2)][first])
        exact = level in (0, 3) or sum(nodes[level] == nodes[level][first]) == len(between)
        assert label == (named if exact else "all")


def test_a_closure_of_intervals_goes_from_bound_to_bound_and_is_open_at_its_ends():
    """Place 0 is NULL; no interval that is not the root covers it."""
    nodes = np.array([[0, 1, 2, 3, 4], [0, 1, 1, 2, 3], [0] * 5])
    column = PlacedColumn(np.arange(5), nodes, np.zeros((3, 5)), np.ones((3, 5)), ordered=True)
    texts = ([None, "1", "2", "10", "20"], [None, "[0, 10)", "[0, 10)", "[10, 20)", "[20, 30)"])
    pairs = [(0, 0), (1, 1), (1, 2), (3, 4), (1, 3), (1, 4), (0, 4)]

    def called(given, **opening):
        opening = OpenLabels(**{"low": True, "high": True, "words": None} | opening)
        return ClosureLabels(column, texts, "*", opening, None).of(*np.array(given).T)[0].to_pylist()

    assert called(pairs) == [None, "1", "(-inf, 10)", "[10, inf)", "(-inf, 20)", "*", "*"]
    assert called(pairs[1:4], low=False) == ["1", "[0, 10)", "[10, inf)"]
    assert called([(2, 3), (3, 3), (3, 4)]) == ["(-inf, 20)", "10", "[10, inf)"]
    assert called([(3, 4), (4, 4)], high=False) == ["(-inf, 30)", "20"]


@pytest.mark.parametrize(("held", "k", "highest"), [([2, 2, 1], 4, "2"), ([9, 1], 5, "1.25"), ([6, 6], 3, "1.5")])
def test_no_k_records_have_so_mixed_a_class(held, k, highest):
    """Of [2, 2, 1], four records can be two of each; of [9, 1], five are four of one at best."""
    records = SimpleNamespace(cells=SimpleNamespace(classes=np.arange(len(held)), records=np.array(held)))
    assert refuse_l(records, k, float(highest)) is None
    with pytest.raises(RequirementNotMet, match=f"one in 2.5: with k = {k}, l is at most {highest}; nothing was"):
        refuse_l(records, k, 2.5)
