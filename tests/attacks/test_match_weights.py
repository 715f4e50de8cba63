"""Agreement never counts against a pair in record linkage, on a release that leaks and on one that does not."""

import numpy as np
import pandas as pd
import pytest

from anonduck import attack
from anonduck.attacks import linkability


def rare_and_common(records=400):
    """Two columns that nearly all records agree in, and one that tells records apart."""
    drawn = np.random.default_rng(0)
    c = drawn.integers(0, 40, records)
    a = np.where(drawn.random(records) < 0.97, 0, drawn.integers(1, 5, records))
    b = np.where(drawn.random(records) < 0.97, 0, 1)
    return pd.DataFrame({"a": a, "b": b, "c": c, "kept": 0})


def linked(folder, original, released, monkeypatch):
    """The rates of links by Gower and by Fellegi and Sunter, the plain guess, and the weights that were learned."""
    learned = []
    estimate = linkability.estimate_agreement

    def noted(*arguments):
        learned.extend(estimate(*arguments))
        return learned

    monkeypatch.setattr(linkability, "estimate_agreement", noted)
    for name, frame in (("original", original), ("released", released)):
        frame.to_parquet(folder / f"{name}.parquet")
    told = attack(folder / "released.parquet", folder / "original.parquet", insensitive=["kept"], guesses=200).as_json()
    links = {one["attack"]: one for one in told["attacks"] if one["question"] == "linkability"}
    gower, sunter = (links[name] for name in ("nearest neighbour (Gower)", "record linkage (Fellegi-Sunter)"))
    return gower["success_rate"], sunter["success_rate"], sunter["baseline_rate"], learned


@pytest.mark.slow
def test_agreement_in_a_common_value_does_not_hide_a_leak(tmp_path, monkeypatch):
    people = rare_and_common()
    gower, sunter, guess, learned = linked(tmp_path, people, people, monkeypatch)
    assert all(one["m"] >= one["u"] for one in learned)
    assert gower > 20 * guess
    assert sunter > 0.8 * gower


def test_a_release_that_tells_nothing_leads_to_nobody(tmp_path, monkeypatch):
    people = rare_and_common()
    shown = people.assign(a="*", b="*", c="*")
    gower, sunter, guess, learned = linked(tmp_path, people, shown, monkeypatch)
    assert all(one["m"] >= one["u"] for one in learned)
    assert sunter == pytest.approx(guess)
    assert gower == pytest.approx(guess)
