"""Texts that say their order: answers, numbered answers and bands; what does not say it is left alone."""

import itertools

import pandas as pd
import pytest
import yaml

from anonduck.cli.app import run
from anonduck.init.scales import ANSWERS, scale_of

SCALES = [
    ["strongly disagree", "disagree", "neutral", "agree", "strongly agree"],
    ["Never", "rarely", "SOMETIMES", "often", "always"],
    ["very  poor", "poor", "good"],
    ["0-10", "11-25", "26-100", "101-200", ">200"],
    ["under 18", "18 to 24", "25 to 64", "65 and over"],
    ["< 1,000 EUR", "1,000 - 5,000 EUR", "5,000 - 20,000 EUR"],
    ["0", "1-2", "3-4", "5+"],
    ["18\u201324 years", "25\u201334 years", "35 years or older"],
    ["1 = no", "2 = a little", "3 = much"],
    ["9. i", "10. ii", "11. iii"],
]
NONE = [
    ["agree", "disagree"],  # two need no order
    ["agree", "disagree", "no answer"],
    ["agree", "Agree", "disagree"],  # twice the same place
    ["0-10", "5-20", "21-30"],  # overlap
    ["1-0", "2-1", "3-2"],  # results of matches
    ["1", "2", "3"],
    ["2020-01", "2020-02", "2020-03"],
    ["1 = a", "1 = b", "2 = c"],
    ["5a", "5b", "6a"],
    ["low", "high", "blue"],
    [f"{n}-{n + 1}" for n in range(0, 60, 2)],  # too many
]


@pytest.mark.parametrize("scale", SCALES)
def test_values_are_put_in_their_order_whatever_order_they_came_in(scale):
    for drawn in itertools.islice(itertools.permutations(scale), 0, 120, 7):
        assert scale_of(drawn) == tuple(scale)


@pytest.mark.parametrize("values", NONE)
def test_what_says_no_order_is_left_alone(values):
    assert scale_of(values) == ()


def test_no_scale_has_a_spelling_twice():
    for scale in ANSWERS:
        spellings = [one for place in scale for one in place]
        assert len(set(spellings)) == len(spellings)
        assert all(one == " ".join(one.casefold().split()) for one in spellings)


def test_init_proposes_the_order_unless_it_would_show_a_rare_value(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    answers, ages = SCALES[0], ["18-24", "25-34", "35-99"]
    frame = pd.DataFrame(
        {
            "Q1: safe?": [answers[n % 5] for n in range(200)],
            "Q2: rare": [answers[n // 3 % 4] for n in range(199)] + ["strongly agree"],
            "age": [ages[n * 7 % 3] for n in range(200)],
            "left": ["no" if n // 13 % 2 else "yes" for n in range(200)],
        }
    )
    frame.to_csv("survey.csv", index=False)
    assert run(["init", "survey.csv", "--class", "left"]) == 0
    said = capsys.readouterr().out
    taxonomies = yaml.safe_load((tmp_path / "anonduck.yml").read_text())["taxonomies"]
    assert taxonomies == {"Q1: safe?": {"order": answers}, "Q2: rare": {"clusters": True}, "age": {"order": ages}}
    assert said.count("values in the order that their words or numbers say") == 2
    assert run(["taxonomy", "build"]) == 0
    capsys.readouterr()
    assert run(["taxonomy", "show", "Q1: safe?"]) == 0
    shown = capsys.readouterr().out
    assert shown.index("strongly disagree") < shown.index("neutral") < shown.index("strongly agree")
