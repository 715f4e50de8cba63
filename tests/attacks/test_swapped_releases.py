"""Attacks on releases by swapping, in which nobody has a row of their own: they must not look safer than they are."""

import attack_oracle
import numpy as np
import pandas as pd
import pytest

from anonduck import Project, attack

pytestmark = pytest.mark.usefixtures("without_splink", "few_trees")

NEAREST, FELLEGI = "nearest neighbour (Gower)", "record linkage (Fellegi-Sunter)"
PEOPLE = 120


def people(seed):
    """Families of three who live together and have one illness, drawn anew for each family."""
    drawn = np.random.default_rng(seed)
    homes, ages = (np.repeat(drawn.permutation(1000)[: PEOPLE // 3], 3) for _ in range(2))
    illness = np.repeat(drawn.choice([f"i{n}" for n in range(8)], PEOPLE // 3), 3)
    nth = np.tile(np.arange(3), PEOPLE // 3)
    return pd.DataFrame({"home": homes * 10 + nth, "age": ages * 10 + nth, "illness": illness})


def attacked(folder, k):
    original, control = people(1), people(2)
    with Project(source=original, class_="illness", requirement={"k": k}, models=[], seed=3) as project:
        project.anonymize("probabilistic", folder / "made.parquet", settings={"blocks": "home, age"})
    return attack(str(folder / "made.parquet"), original, ["home", "age"], control=control, class_="illness")


def found(report):
    return {(one.question, one.attack): one for one in report.attempts}


@pytest.mark.slow
def test_a_swap_within_families_gives_their_illness_away(tmp_path):
    report = attacked(tmp_path, 3)
    attempts = found(report)
    assert ("linkability", NEAREST) not in attempts
    assert ("linkability", FELLEGI) not in attempts
    assert any("no released row that agrees" in note for note in report.notes)
    nearest = attempts["inference", NEAREST]
    assert nearest.success.share > 0.9
    assert nearest.control.share < 0.3
    assert nearest.excess.found


@pytest.mark.slow
def test_a_swap_among_everybody_gives_little_away(tmp_path):
    nearest = found(attacked(tmp_path, PEOPLE))["inference", NEAREST]
    assert nearest.success.share < 0.4  # the most frequent illness has 0.2 of the records


@pytest.mark.slow
def test_without_a_swap_own_rows_are_looked_for(tmp_path):
    original = people(1)
    report = attack(original, original, ["home", "age"], control=people(2), class_="illness")
    attempts = found(report)
    assert attempts["linkability", NEAREST].success.share == 1
    assert ("inference", NEAREST) not in attempts


def test_what_nearest_rows_tell_is_counted_as_the_oracle_does(tmp_path):
    original, control = people(1)[:30], people(2)[:30]
    released = original.assign(home=original["home"].to_numpy()[[1, 2, 0] * 1 + list(range(29, 2, -1))])
    report = attack(released, original, ["home", "age"], control=control, class_="illness")
    rows = [tuple(row) for row in released.itertuples(index=False)]
    table = attack_oracle.Table(
        rows,
        [tuple(row) for row in original.itertuples(index=False)],
        2,
        lambda _, value, label: value == label,
        lambda j, label: (label, label) if j < 2 else None,
    )
    for frame, group in ((original, "success"), (control, "control")):
        told = 0
        for record in frame.itertuples(index=False):
            nearest = table.nearest(tuple(record), range(2))
            told += sum(rows[i][2] == record.illness for i in nearest) / len(nearest)
        assert getattr(found(report)["inference", NEAREST], group).right == pytest.approx(told)
