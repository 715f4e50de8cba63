"""A name that is nearly right is met with the one that was meant, wherever names are typed."""

import pandas as pd
import pytest

import anonduck
from anonduck import Project
from anonduck.cli.app import run
from anonduck.errors import ConfigError

ROWS = [{"age": i % 7, "home town": "abc"[i % 3], "c": i % 7 > 3} for i in range(120)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("meant")
    pd.DataFrame(ROWS).to_parquet(folder / "s.parquet")
    (folder / "anonduck.yml").write_text(
        'source: s.parquet\nclass: c\nquasi_identifiers: [age, "home town"]\nmodels: []\n'
    )
    with Project(folder / "anonduck.yml") as project:
        project.discover()
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["frontir"], "frontier"),
        (["taxonomy", "biuld"], "build"),
        (["rules", "agee=1"], "age"),
        (["rules", '"hme town"=1'], "home town"),
        (["release", "agee=1", "--dry-run"], "age"),
        (["sql", "agee=1"], "age"),
        (["taxonomy", "show", "agee"], "age"),
        (["taxonomy", "build", "agee"], "age"),
        (["discover", "--keep", "agee"], "age"),
        (["discover", "--measure", "losss"], "loss"),
        (["discover", "--model", "tre"], "tree"),
        (["frontier", "--objective", "k", "--objective", "los"], "loss"),
        (["audit", "s.parquet", "--class", "agee"], "age"),
        (["audit", "s.parquet", "--require", "kk=5"], "k"),
        (["release", "age=0", "--dry-run", "--require", "kk=5"], "k"),
        (["anonymize", "mondrain", "-o", "x.csv"], "mondrian"),
        (["compare", "--method", "mondrain", "-k", "5", "-o", "x"], "mondrian"),
        (["init", "s.parquet", "--class", "agee", "-p", "other.yml"], "age"),
    ],
    ids=" ".join,
)
def test_the_message_asks_whether_it_was_meant(folder, monkeypatch, capsys, words, meant):
    monkeypatch.chdir(folder)
    assert run(words) == 2
    assert f"(did you mean '{meant}'?)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("quasi_identifer: [age]", "quasi_identifiers"),
        ("requirement: {kk: 5}", "k"),
        ("taxonomies: {age: {interval: 5}}", "intervals"),
        ("csv: {encodin: latin-1}", "encoding"),
        ("drp: [age]", "drop"),
        ("search: aut", "auto"),
        ("select: {measur: loss}", "measure"),
    ],
)
def test_so_do_keys_and_words_of_the_config(tmp_path, monkeypatch, capsys, line, meant):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "anonduck.yml").write_text(f"source: s.csv\nclass: c\n{line}\n")
    assert run(["discover"]) == 2
    assert f"(did you mean '{meant}'?)" in capsys.readouterr().err


@pytest.mark.slow
def test_ids_of_rules_are_told_from_the_first_to_the_last(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    for words in (["rules", "R999"], ["release", "R999", "--dry-run"], ["sql", "R999"]):
        assert run(words) == 2
        assert "there is no rule R999; this discovery has" in capsys.readouterr().err


@pytest.mark.slow
def test_a_name_like_none_is_met_with_no_question(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    assert run(["rules", "zzzz=1"]) == 2
    assert "did you mean" not in capsys.readouterr().err


@pytest.mark.parametrize("given", [{"kk": 5}, {"k_": 5}])
def test_an_argument_of_python_that_is_nearly_k_asks_so_and_lists_nothing(given):
    frame = pd.DataFrame(ROWS)
    calls = [
        lambda: anonduck.anonymize(frame, class_="c", **given),
        lambda: Project(source=frame, class_="c", **given),
        lambda: Project(source=frame, class_="c").discover(**given),
        lambda: Project(source=frame, class_="c").anonymize("mondrian", "x.csv", **given),
    ]
    for call in calls:
        with pytest.raises((ConfigError, TypeError), match=f"'?{next(iter(given))}'? .did you mean 'k'") as caught:
            call()
        assert len(str(caught.value)) < 120
    with pytest.raises(
        TypeError, match=r"Project.release.. got an unexpected keyword argument 'overwrit' .did you mean"
    ):
        Project(source=frame, class_="c").release({"age": 1}, None, overwrit=True)


def test_a_requirement_as_an_argument_is_asked_about_by_its_own_name():
    with pytest.raises(ConfigError, match=r"unknown key min_columns .did you mean 'min_columns' under `requirement`"):
        Project(source=pd.DataFrame(ROWS), class_="c", min_columns=5)


def test_what_is_like_no_key_gets_the_first_of_them():
    with pytest.raises(
        ConfigError, match=r"unknown key zzzz; known keys are source, engine, where, .* and \d+ more$"
    ) as caught:
        Project(source=pd.DataFrame(ROWS), class_="c", zzzz=5)
    assert str(caught.value).count(",") < 12


def test_an_option_of_one_value_is_given_once(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("age,c\n1,a\n2,b\n", encoding="utf-8")
    assert run(["init", "t.csv", "--class", "c", "-k", "5000", "-k", "5"]) == 2
    assert "-k is given 2 times; give it once" in capsys.readouterr().err
    assert not (tmp_path / "anonduck.yml").exists()
    assert run(["init", "t.csv", "--class", "c", "--csv", "header=true"]) == 0
