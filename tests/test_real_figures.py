"""What the benchmark on real data draws and tells beside its measurements, on tables by hand."""

from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from anonduck.models.contingency import Contingency


@pytest.fixture(autouse=True)
def _benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[1])


def rule(k, accuracy, folds):
    return {
        **{"k": k, "accuracy": accuracy, "balanced_accuracy": accuracy, "information_gain": accuracy / 10},
        "folds": {"accuracy": folds, "balanced_accuracy": folds},
    }


def test_a_gap_has_the_standard_error_of_paired_differences():
    from benchmarks.real_data.frontier_tables import _mean_and_largest

    rules = [rule(2, 0.80, [0.78, 0.82]), rule(9, 0.75, [0.74, 0.76]), rule(9, 0.70, [0.72, 0.68])]
    result = {"rules": rules, "majority_share": 0.6, "class_values": 2}
    at_2, at_5 = np.array([0.04, 0.06]), np.array([0.02, 0.08])
    mean, largest = (at_2 + at_5) / 2, at_2
    assert [round(100 * float(one.std(ddof=1)) / sqrt(2), 2) for one in (mean, largest)] == [2.0, 1.0]
    behind = {**result, "rules": [*rules[:2], rules[2] | {"k": 9}]}
    accuracy, _, gain = _mean_and_largest(behind, [1])
    assert (accuracy, gain) == ("2.50 ± 0.50 (5.00 ± 1.00)", "0.003 (0.005)")
    assert _mean_and_largest(behind, [0, 1]) == ["0.00 (0.00)", "0.00 (0.00)", "0.000 (0.000)"]
    none = _mean_and_largest(behind, [0])[0]
    assert none == "7.50 ± 0.50 (15.00 ± 1.00)", "without a rule at k >= 5 the majority class, 0.6, stands for it"


def test_steps_go_down_where_no_rule_of_that_k_is_as_good():
    from benchmarks.real_data.figures import best_steps

    rules = [{"k_with_class": k, "v": v} for k, v in ((4, 0.9), (4, 0.7), (10, 0.8), (30, None))]
    assert best_steps(rules, lambda one: one["v"]) == [
        {"k": 2, "value": 0.9, "last": False},
        {"k": 4, "value": 0.9, "last": False},
        {"k": 10, "value": 0.8, "last": False},
    ]
    assert best_steps([], lambda one: one["v"]) == []


def test_the_next_stretch_is_tested_by_what_the_past_taught():
    """One attribute whose meaning turns in the last of three stretches: a model of the past is wrong there."""
    from benchmarks.real_data.over_time import _majority_of_past, _next

    codes = np.array([[1], [1], [2], [2]], dtype=np.int32)
    classes = np.array([0, 1, 0, 1])
    folds = np.array([[30, 30, 0], [0, 0, 40], [0, 0, 20], [20, 20, 0]])
    table = Contingency(codes, (True,), (2,), classes, folds)
    assert _next(table, 1) == 1.0
    assert _next(table, 2) == 0.0
    # class 0 is the more frequent before both, and has 30 of 50 and 20 of 60 records in them
    assert _majority_of_past(table) == pytest.approx((30 / 50 + 20 / 60) / 2)


@pytest.mark.slow
def test_every_figure_is_a_small_picture(tmp_path):
    pytest.importorskip("vl_convert", reason="vl-convert-python is not installed")
    from benchmarks.real_data.figures import FIGURES, draw_figures
    from benchmarks.real_data.results import write_result

    coverages = ("0.05", "0.1", "0.2", "0.5")
    rules = [
        {
            **{"id": f"R{n}", "levels": {"a": n}, "k_with_class": 2 * n, "information_gain": 1 / n},
            **{"accuracy": {"tree": 1 - n / 50, "svm": 1 - n / 60}, "balanced_accuracy": {"tree": 0.5}},
            "origins": dict.fromkeys(coverages, "joined" if n % 2 else "extracted"),
        }
        for n in range(1, 12)
    ]
    kept = {rule["id"]: "joined" for rule in rules}
    counted = [{"coverage": float(c), "origins": kept, "on_frontier": ["R1", "R5"]} for c in coverages]
    base = {"accuracy": {"tree": 0.99}, "class": {"majority_share": 0.6}}
    result = {"rules": rules, "with_class": counted, "baseline": base, "nominal_baseline": 0.9}
    write_result(tmp_path / "adult.json", result)
    said: list[str] = []
    draw_figures(tmp_path / "drawn", tmp_path, said.append)
    pictures = {path.stem: path.read_bytes() for path in (tmp_path / "drawn").iterdir()}
    assert set(pictures) == set(FIGURES)
    assert all(picture.startswith(b"\x89PNG") and 5_000 < len(picture) < 200_000 for picture in pictures.values())
    assert len(said) == len(FIGURES)
    draw_figures(tmp_path / "drawn", tmp_path, said.append)
    assert {path.stem: path.read_bytes() for path in (tmp_path / "drawn").iterdir()} == pictures
