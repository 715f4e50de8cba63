"""What a release by swapping loses and reveals, beside its original and people held out."""

import json
from collections import Counter
from itertools import combinations
from math import log2

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from anonduck import attack, audit_swapped
from anonduck.attacks.swapped import LEARNERS
from anonduck.cli.app import cli
from anonduck.errors import AuditError

pytestmark = pytest.mark.usefixtures("without_splink", "few_trees")

COUNT = 40


def people(seed):
    """A class that follows from the column ``x``, and columns that have nothing to do with it."""
    drawn = np.random.default_rng(seed)
    x = np.arange(COUNT) % 2
    table = pd.DataFrame({"x": x, "age": drawn.integers(20, 60, COUNT), "town": drawn.choice(list("abc"), COUNT)})
    return table.assign(out=np.where(x == 1, "yes", "no"))


ORIGINAL, OTHERS = people(1), people(2)


def swapped(*columns, by=1):
    """The original with columns moved along by some records."""
    return ORIGINAL.assign(**{name: np.roll(ORIGINAL[name], by) for name in columns})


def information(table, one, other):
    counts = [Counter(table[list(names)].itertuples(index=False, name=None)) for names in ((one,), (other,))]
    both = Counter(table[[one, other]].itertuples(index=False, name=None))
    return sum(held / COUNT * log2(held * COUNT / (counts[0][a,] * counts[1][b,])) for (a, b), held in both.items())


def lost(release, columns):
    pairs = list(combinations(columns, 2))
    return sum(information(ORIGINAL, *pair) - information(release, *pair) for pair in pairs) / len(pairs)


def test_mutual_information_is_lost_over_all_columns_and_over_those_that_were_swapped():
    release = swapped("x", "age", by=3)
    found = audit_swapped(release, ORIGINAL, ["x", "age"], class_="out").lost
    assert found["all_columns"] == pytest.approx(lost(release, ["x", "age", "town", "out"]))
    assert found["quasi_identifiers_and_class"] == pytest.approx(lost(release, ["x", "age", "out"]))


@pytest.mark.slow
def test_models_that_learn_the_reverse_are_wrong_about_everybody_held_out():
    """By one record each class moves to the other value of x, and nothing else says what the class is."""
    original, release, others = (table[["x", "out"]] for table in (ORIGINAL, swapped("x"), OTHERS))
    report = audit_swapped(release, original, class_="out", held_out=others)
    assert dict(report.f1) == dict.fromkeys(LEARNERS, (1.0, 0.0))
    assert report.f1_lost == 1.0


@pytest.mark.slow
def test_what_is_not_swapped_costs_models_nothing():
    report = audit_swapped(ORIGINAL, ORIGINAL, class_="out", held_out=OTHERS)
    assert report.f1_lost == 0
    assert set(report.lost.values()) == {0.0}


@pytest.mark.slow
def test_the_excess_is_that_of_the_attacks():
    release = swapped("age", "town")
    report = audit_swapped(release, ORIGINAL, ["age", "town"], class_="out", held_out=OTHERS)
    attempts = attack(
        release, ORIGINAL, ["age", "town"], control=OTHERS, class_="out", insensitive=["x"], splink=False
    ).attempts
    expected = {
        one.attack: one.success.share - one.control.share
        for one in attempts
        if one.question == "inference" and not one.attack.startswith("largest gain")
    }
    found = report.as_json()["swapped"]["inference"]
    assert {name: one["excess"] for name, one in found.items()} == pytest.approx(expected)
    assert "nearest neighbour (Gower)" in found
    for one in found.values():
        assert one["excess_low"] <= one["excess"] <= one["excess_high"]
        assert one["found"] is (one["excess_low"] > 0)


def test_numbers_are_compared_by_value_and_not_by_how_they_are_written(tmp_path):
    swapped("age").astype({"age": float}).to_parquet(tmp_path / "made.parquet")
    ORIGINAL.to_csv(tmp_path / "original.csv", index=False)
    assert audit_swapped(tmp_path / "made.parquet", tmp_path / "original.csv", class_="out").records == COUNT


@pytest.mark.parametrize(
    ("release", "words"),
    [
        (
            swapped("age").assign(town="secret"),
            "nor is it one by swapping, as 'town' does not have each value as often",
        ),
        (swapped("age")[:-1], "39 records and the original 40"),
        (swapped("age").drop(columns="out"), "no column 'out'"),
    ],
)
def test_what_was_not_made_by_swapping_the_original_is_refused_without_its_values(release, words):
    with pytest.raises(AuditError, match=words) as refused:
        audit_swapped(release, ORIGINAL, class_="out")
    assert "secret" not in str(refused.value)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Two releases by their receipts of k = 7 and 3, the original and the people held out."""
    monkeypatch.chdir(tmp_path)
    ORIGINAL.to_csv("original.csv", index=False)
    OTHERS.to_csv("others.csv", index=False)
    for k in (7, 3):
        swapped("age", by=k).to_csv(f"k{k}.csv", index=False)
        receipt = {"method": {"name": "probabilistic", "model": {"probabilistic_k": k}}}
        (tmp_path / f"k{k}.csv.receipt.json").write_text(json.dumps(receipt))
    return tmp_path


def audited(*options):
    return CliRunner().invoke(cli, ["audit", "k7.csv", "--original", "original.csv", "--class", "out", *options])


@pytest.mark.slow
def test_releases_are_printed_by_rising_k(files):
    done = audited("--also", "k3.csv", "--held-out", "others.csv")
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert [line.split(":")[0] for line in lines if not line.startswith(" ")] == ["k3.csv", "k7.csv"]
    assert "an excess of" in done.output
    assert "points (" in done.output
    document = json.loads(audited("--json").stdout)
    assert (document["swapped"]["k"], document["swapped"]["f1_lost"]) == (7, None)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--require", "k=3"], "no file proves its k"),
        (["--also", "shares.csv"], "shares.csv holds distributions; audit it alone"),
    ],
)
def test_what_swapped_values_cannot_be_asked_is_refused(files, options, words):
    ORIGINAL.assign(out='{"yes": 1}').to_csv("shares.csv", index=False)
    done = audited(*options)
    assert done.exit_code == 2
    assert words in " ".join(done.output.split())
