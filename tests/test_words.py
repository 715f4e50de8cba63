"""Questions after names that are not there, and how results show themselves."""

import pandas as pd
import pytest

import anonduck
from anonduck import Project
from anonduck.errors import ConfigError, SourceError
from anonduck.words import counted, did_you_mean, html_table, summary_line

FRAME = pd.DataFrame({"age": [20, 21, 33, 34, 45, 46] * 4, "town": list("abc") * 8, "class": list("yn") * 12})


def test_similar_names_are_asked_for_whatever_their_case():
    assert did_you_mean("TONW", ["age", "town"]) == " (did you mean 'town'?)"
    assert did_you_mean("weight", ["age", "town"]) == ""
    assert did_you_mean("age", []) == ""


def test_numbers_have_their_noun():
    assert [counted(number, "class", "classes") for number in (0, 1, 1200)] == ["0 classes", "1 class", "1,200 classes"]


def test_a_table_shows_text_as_text_and_says_what_is_not_shown():
    told = html_table("<Release: a & b>", [{"<i>": "<script>"}] * 3, most=2)
    assert "<script>" not in told
    assert told.count("&lt;script&gt;") == 2
    assert "<caption>Release: a &amp; b</caption>" in told
    assert "and 1 more row" in told
    assert html_table("none", []) == "<table><caption>none</caption><tr></tr></table>"
    assert summary_line("Project", ["", "k 2"]) == "<Project: k 2>"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"class_": "class", "requirement": {"suppresion": 0.1}}, "(did you mean 'suppression'?)"),
        ({"clas": "class"}, "unknown key clas (did you mean 'class'?)"),
    ],
)
def test_a_misspelt_key_is_named_with_the_one_that_was_meant(arguments, words):
    with pytest.raises(ConfigError) as caught:
        Project(source=FRAME, **arguments)
    first, _, rest = words.partition(".*")
    assert first in str(caught.value)
    assert rest in str(caught.value)


def test_a_misspelt_setting_of_a_call_and_column_are_named_too():
    with Project(source=FRAME, class_="class") as project, pytest.raises(ConfigError, match="did you mean 'sample'"):
        project.discover(sampel=3)
    with Project(source=FRAME, class_="clas") as project, pytest.raises(SourceError, match="did you mean 'class'"):
        _ = project.opened


@pytest.mark.slow
def test_results_show_themselves_on_a_line_and_as_a_table():
    assert dir(anonduck) == sorted(anonduck.__all__)
    with Project(source=FRAME, class_="class", requirement={"k": 2}, models=[], holdout=0) as project:
        assert repr(project) == "<Project: a table in memory, class class, k 2>"
        assert "<td>quasi identifiers</td>" not in project._repr_html_()
        assert "<td>required</td><td>k 2, suppression 0.0</td>" in project._repr_html_()
        found = project.discover()
        made = project.release({"age": 0}, dry_run=True)
    assert repr(found).startswith(f"<Discovery: {counted(len(found.rules), 'rule', 'rules')}, ")
    assert found._repr_html_().count("<tr>") == 1 + sum(rule.on_frontier for rule in found.rules)
    assert repr(made) == "<Release: not written, k 4, 24 records, 6 classes, 0 suppressed>"
    assert f"<td>k 2</td><td>{made.k}</td><td>yes</td>" in made._repr_html_()
    report = anonduck.audit(FRAME, ["age"], requirements={"k": 100})
    assert repr(report) == "<AuditReport: a table, k 4, 24 records, 6 classes, misses k >= 100>"
    assert "<td>no</td>" in report._repr_html_()
