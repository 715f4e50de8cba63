"""Record linkage by Splink: held against the project's own linkage, with Splink and as if it were not installed."""

import json

import numpy as np
import pandas as pd
import pytest

import anonduck
from anonduck.attacks import splink_linkage
from anonduck.cli.app import run
from anonduck.errors import AuditError
from anonduck.statements import Statement

AGE, TOWN = 'odd "age', "town, label"
SPLINK, OWN = "record linkage (Splink)", "record linkage (Fellegi-Sunter)"

with_splink = pytest.mark.skipif(
    not splink_linkage.installed(), reason="needs the extra: pip install 'anonduck[attack]'"
)


def people(seed, rows=80):
    generator = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            AGE: pd.array(generator.integers(18, 60, rows), dtype="Int64"),
            TOWN: pd.array(generator.choice([*"abcdef", None], rows), dtype="string"),
            "sex": pd.array(generator.choice(["f", "m", None], rows), dtype="string"),
            "disease": pd.array(generator.choice(["flu", "cold"], rows), dtype="string"),
        }
    )


def coarse(table):
    decades = (table[AGE] // 10 * 10).map(lambda low: f"[{low}, {low + 10})")
    return table.assign(**{AGE: decades.astype("string")})


def rates(report):
    return {one.attack: one for one in report.attempts if one.question == "linkability"}


def attacked(shared, released, original, **options):
    return anonduck.attack(released, original, insensitive=["disease"], database=shared, **options)


@pytest.mark.slow
@with_splink
@pytest.mark.parametrize("generalized", [False, True])
def test_splink_links_as_the_own_linkage_does_where_own_rows_agree_in_all(shared, generalized):
    original, control = people(1), people(2)
    released = coarse(original) if generalized else original
    found = rates(attacked(shared, released, original, control=control, splink=True))
    assert found[SPLINK].success.right == pytest.approx(found[OWN].success.right)
    assert found[SPLINK].success.tried == found[OWN].success.tried == len(original)
    assert 0 < found[SPLINK].success.right <= len(original)
    assert found[SPLINK].control is None
    assert found[SPLINK].excess_over == "plain guess"
    left = shared.rows(Statement("test", "SELECT table_name FROM duckdb_tables() WHERE table_name LIKE '%splink%'"))
    assert left == []


@pytest.mark.slow
@with_splink
def test_splink_links_few_columns_as_the_own_linkage_does(shared):
    original = people(9, 200)[[AGE, "sex", "disease"]]
    twenties = (original[AGE] // 20 * 20).map(lambda low: f"[{low}, {low + 20})").astype("string")
    found = rates(attacked(shared, original.assign(**{AGE: twenties}), original, splink=True))
    assert found[SPLINK].success.right == pytest.approx(found[OWN].success.right)


@pytest.mark.slow
@with_splink
def test_the_same_seed_links_the_same(shared):
    original, control = people(3, 40), people(4, 40)
    once, again = (rates(attacked(shared, coarse(original), original, control=control, splink=True)) for _ in range(2))
    assert once[SPLINK].success == again[SPLINK].success


@pytest.mark.slow
@with_splink
def test_a_value_behind_several_labels(shared):
    original = people(5, 40)
    released = original.assign(
        **{AGE: coarse(original)[AGE].where(original.index % 2 == 0, original[AGE].astype("string"))}
    )
    found = rates(attacked(shared, released, original, splink=True))
    assert found[SPLINK].success.right == pytest.approx(found[OWN].success.right, abs=1)  # a chance counts in part


@with_splink
def test_rows_that_look_alike_cannot_be_linked(shared):
    table = pd.DataFrame({"a": ["x", "x"], "disease": ["flu", "cold"]})
    report = attacked(shared, table, table, splink=True)
    assert splink_linkage.ALIKE in report.notes
    assert SPLINK not in rates(report)


@pytest.mark.slow
@with_splink
def test_of_many_classes_fewer_targets_are_attacked(shared, monkeypatch):
    monkeypatch.setattr(splink_linkage, "MOST_PAIRS", 30 * 40)
    original = people(6, 40)
    found = rates(attacked(shared, original, original, splink=True))
    assert splink_linkage.FEWEST_TARGETS <= found[SPLINK].success.tried < found[OWN].success.tried == 40


@pytest.mark.slow
def test_without_splink_the_report_says_how_to_install_it(shared, monkeypatch):
    monkeypatch.setattr(splink_linkage, "installed", lambda: False)
    original = people(7, 20)
    report = attacked(shared, original, original)
    assert splink_linkage.LACKING in report.notes
    assert SPLINK not in rates(report)
    assert splink_linkage.LACKING not in attacked(shared, original, original, splink=False).notes
    with pytest.raises(AuditError, match=r"pip install 'anonduck\[attack\]'"):
        attacked(shared, original, original, splink=True)


@pytest.mark.slow
def test_the_command_can_do_without(tmp_path, capsys):
    file = tmp_path / "people.csv"
    people(8, 30).to_csv(file, index=False)
    assert run(["attack", str(file), "--original", str(file), "--insensitive", "disease", "--no-splink", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert SPLINK not in {one["attack"] for one in document["attacks"]}
