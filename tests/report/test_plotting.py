"""The frontier as text and in a notebook."""

import json
import pickle

import pandas as pd
import pytest
from oracles import people, project

from anonduck.report.frontier_chart import notebook_chart, text_chart


def point(name, k, value, *, frontier=False):
    return {"id": name, "k": k, "value": value, "frontier": frontier, "origin": "joined", "literal": f"a={k}"}


def test_a_text_chart_by_hand():
    drawn = [point("R1", 100, 0.5, frontier=True), point("R2", 10, 0.9, frontier=True), point("R3", 10, 0.7)]
    assert text_chart(drawn, "accuracy", required=1, width=21, height=5) == [
        "      0.9 │┊         ● R2",
        "          │┊",
        "          │┊         ·",
        "          │┊",
        "      0.5 │┊                R1 ●",
        "          └─────────────────────",
        f"{'':20}10{'':8}100",
        "           k to the right, accuracy upwards (larger is better); ● frontier, · other rules, ┊ required k 1",
    ]


@pytest.mark.parametrize("drawn", [[point("R1", 5, 0.5, frontier=True)], [point("R1", 1, 0.0), point("R2", 1, 0.0)]])
def test_a_chart_without_a_span_is_drawn(drawn):
    lines = text_chart(drawn, "loss", required=5)
    assert sum(line.count("●") + line.count("·") for line in lines[:-1]) >= 1
    assert "smaller is better" in lines[-1]


@pytest.fixture(scope="module")
def decided():
    with project(people(400), coverage=[0.1, 0.3]) as one:
        one.discover()
        yield one


@pytest.mark.slow
def test_a_notebook_displays_the_frontier_as_a_chart(decided):
    frontier = decided.frontier()
    assert isinstance(frontier, pd.DataFrame)
    shown = frontier._repr_mimebundle_()
    chart = shown["application/vnd.vegalite.v5+json"]
    assert chart == shown["application/vnd.vegalite.v6+json"]
    words = {name: part for name, part in chart.items() if name != "$schema"}
    assert '"$' not in json.dumps(words), "no word is left to replace"
    drawn = {one["id"]: one for one in chart["datasets"]["rules"]}
    stored = decided.discovered()
    assert set(drawn) == {rule.id for rule in stored.rules}
    assert {name for name, one in drawn.items() if one["frontier"]} == set(frontier["id"])
    assert "<table" in shown["text/html"]
    assert type(frontier[frontier["k"] >= 5]) is pd.DataFrame
    assert pickle.loads(pickle.dumps(frontier)).equals(frontier)  # noqa: S301 - what was just pickled


@pytest.mark.slow
def test_other_objectives_are_drawn(decided):
    chart = decided.frontier(["k", "loss"])._repr_mimebundle_()["application/vnd.vegalite.v6+json"]
    axis = next(layer["encoding"]["y"] for layer in chart["layer"] if "axis" in layer["encoding"].get("y", {}))
    assert axis["axis"]["title"] == "loss"
    assert axis["scale"]["reverse"]


@pytest.mark.slow
def test_vega_lite_draws_the_chart():
    vl_convert = pytest.importorskip("vl_convert", reason="vl-convert-python is not installed")
    drawn = [{**point("R1", 10, 0.5, frontier=True), "shown": "0.5", "place": "on it"}]
    svg = vl_convert.vegalite_to_svg(notebook_chart(drawn, "accuracy", required=5))
    assert "required k 5" in svg
