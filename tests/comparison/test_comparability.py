"""Rows that are no rivals of the others: told apart below tables and in charts, without a rank, never the best."""

import pytest

from anonduck.cli.compare import print_comparison
from anonduck.comparison.charts import charts
from anonduck.comparison.comparability import footnotes, marks
from anonduck.comparison.comparison import NOTHING, Comparison
from anonduck.comparison.model_scores import SCORES
from anonduck.comparison.question import PROTOCOLS
from anonduck.methods.registry import METHODS
from anonduck.report.contents import table_of
from anonduck.rules.measure_names import HELD_OUT, RELEASED

APART = ("nsvdist", "probabilistic")


def score(value):
    return {"value": value, "mean": value, "spread": 0.01, "folds": [value] * 10}


def row(method, value, kind="method", protocol=RELEASED, **more):
    """A finished row whose four scores are all the same."""
    told = {"method": method, "kind": kind, "protocol": protocol, "k_required": 5, "status": "done", "reason": None}
    sizes = {"k": 6, "classes": 9, "records": 90, "suppressed": 0, "seconds": 1.0, "cpu_seconds": 0.5}
    scores = {"models": {"tree": dict.fromkeys(SCORES, score(value))}}
    return {**told, **marks(method, kind, protocol), **NOTHING, **sizes, **scores, **more}


def comparison(*rows):
    baseline = {"tree": dict.fromkeys(SCORES, score(0.95))}
    protocols = {name: words for name, words in PROTOCOLS.items() if any(one["protocol"] == name for one in rows)}
    return Comparison("here", 90, ("tree",), protocols, rows, baseline, 0.6, 10, 0)


@pytest.fixture
def found():
    return comparison(
        row("rules by accuracy", 0.7, kind="rules", search_cpu_seconds=14.2),
        row("mondrian", 0.8),
        row("nsvdist", 0.9),
        row("probabilistic:levels=age=1", 0.85),
    )


def test_every_method_but_two_has_a_k_of_its_file():
    for protocol in PROTOCOLS:
        apart = {name for name in METHODS if not marks(name, "method", protocol)["comparable"]}
        assert apart == set(APART)
    assert marks("nsvdist", "import", RELEASED)["comparable"], "a file of another tool may be called so"


@pytest.mark.parametrize("protocol", [RELEASED, HELD_OUT])
@pytest.mark.parametrize("method", APART)
def test_what_is_left_out_says_why(method, protocol):
    assert "left out of the best" in marks(method, "method", protocol)["note"]


def test_the_best_is_of_those_that_can_be_compared(found):
    assert {(one["method"], one["value"]) for one in found.best()} == {("mondrian", 0.8)}


def test_below_the_table_stands_what_has_to_be_known_of_each_kind(found, capsys):
    print_comparison(found)
    told = capsys.readouterr().out
    for line in [note.line for note in footnotes(found.rows)]:
        assert line in told
    assert "nsvdist [2]" in told
    assert "probabilistic:levels=age=1 [3]" in told
    assert "mondrian [" not in told
    (best,) = {line.split()[-2] for line in told.partition("best at each k")[2].splitlines() if line[:8] == "released"}
    assert best == "mondrian"


def test_the_seconds_of_the_search_stand_beside_those_of_the_release(found, capsys):
    print_comparison(found)
    head, *rows = [line for line in capsys.readouterr().out.splitlines() if "CPU s" in line or "rules by" in line]
    assert head.index("search s") > head.index("CPU s")
    assert " 14.2" in rows[0]
    print_comparison(comparison(row("mondrian", 0.8)))
    assert "search s" not in capsys.readouterr().out


def test_a_note_is_told_once_and_not_of_what_failed():
    rows = [row("nsvdist", 0.9), row("nsvdist", 0.8), row("probabilistic", 0.8, k=None), row("mondrian", 0.7)]
    assert [(note.number, note.methods) for note in footnotes(rows)] == [(1, ("nsvdist",))]


def test_a_chart_names_lines_that_are_no_rivals(found):
    (panel,) = charts(found)["released-roc_auc"]["hconcat"]
    names = {point["method"] for point in panel["data"]["values"]}
    assert {"mondrian", "nsvdist (not comparable)"} <= names
    assert set(panel["layer"][0]["encoding"]["color"]["scale"]["domain"]) == names


def test_the_table_for_a_spreadsheet_has_the_notes(found):
    frame = found.to_frame().set_index("method")
    assert frame["comparable"].to_dict() == {one["method"]: one["comparable"] for one in found.rows}
    assert frame.loc["rules by accuracy", "search_cpu_seconds"] == 14.2
    assert "original records" in frame.loc["nsvdist", "note"]


def test_a_table_without_scripts_has_a_line_for_each_row(found):
    rows = [{**one, "ncp": None, "risk": None, "scores": {"tree": dict.fromkeys(SCORES, 0.5)}} for one in found.rows]
    head, lines = table_of({"models": ["tree"], "scores": list(SCORES), "rows": rows})
    assert {len(line) for line in lines} == {len(head)}
