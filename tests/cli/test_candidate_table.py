"""The frontier of candidates in a terminal of 80 columns, and in a wide one."""

from types import SimpleNamespace

import pytest

from anonduck.cli.frontier_tables import print_candidates
from anonduck.offer.candidates import Candidate

SCORE = {"accuracy": 0.8604, "error": 0.0042, "roc_auc": 0.91349, "roc_auc_error": 0.0031}
COLUMNS = tuple("abcdefghi")
STORED = SimpleNamespace(
    summary={"rows": 45_222, "baseline": {"accuracy": {}, "balanced_accuracy": {}, "class": {"majority_share": 0.75}}},
    settings={"nodes": {name: [2, 1] for name in COLUMNS}},
    has_class=True,
)


def candidate(name, method, settings, k, **more):
    values = {
        "columns": COLUMNS[:5],
        "detail": 0.812,
        "privacy": {"marketer_risk": 0.1562},
        "expected": {"tree": SCORE, "boosting": SCORE},
        "inference": {"gain": 0.0331, "error": 0.0042},
        "on_frontier": True,
    }
    return Candidate(name, method, settings, 5, k=k, **{**values, **more})


CANDIDATES = [
    candidate("R12", "rules", {}, 2_113, levels={"a": 1}),
    candidate("M12", "mondrian", {"splits": "entropy"}, 5),
]


@pytest.fixture
def printed(monkeypatch, capsys):
    def lines(width):
        monkeypatch.setenv("COLUMNS", str(width))
        print_candidates(CANDIDATES, STORED)
        return capsys.readouterr().out.splitlines()

    return lines


def test_80_columns_hold_each_candidate_in_a_line(printed):
    told = printed(80)
    assert max(map(len, told)) <= 80
    _, heads, rule, other, *notes = told
    assert heads.split() == ["id", "k", "kept", "boosting", "AUC", "inference", "gain", "method"]
    assert rule.split() == ["R12", "2,113", "81%", "86.0±0.4", "91.3±0.3", "+3.3", "rule"]
    shown = ["M12", "5", "81%", "86.0±0.4", "91.3±0.3", "+3.3", "mondrian:splits=entropy"]
    assert other.split() == shown
    assert len(notes) == 4
    assert "left out for want of width: cols, tree, risk;" in notes[0]


def test_a_wide_terminal_shows_other_models_and_the_risk(printed):
    _, heads, rule, other, *notes = printed(120)
    assert heads.split()[4:] == ["tree", "boosting", "AUC", "risk", "inference", "gain", "method"]
    assert other.split()[-2:] == ["+3.3", "mondrian:splits=entropy"]
    assert rule.split()[-2:] == ["+3.3", "rule"]
    assert not any("left out for want" in note for note in notes)
