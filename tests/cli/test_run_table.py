"""`anonduck run FILE --class C`: from a table to a release without reading a config, or the line that is missing."""

import json
import shlex
from contextlib import chdir

import numpy as np
import pandas as pd
import pytest
import yaml
from sheets import stand_in
from typing_commands import typed
from visits import NOTES, visits

from anonduck.cli.app import run
from anonduck.cli.run import run_command
from anonduck.config.reading import read_config
from anonduck.errors import ConfigError, RequirementNotMet
from anonduck.project import Project

QUICK = ("--model", "none", "--select", "loss", "--no-report")
CONFIG = "anonduck.yml"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    visits().to_csv("visits.csv", index=False)
    return tmp_path


def names(folder):
    return {file.name for file in folder.iterdir()}


NOT_WRITTEN = {CONFIG, "anonduck.schema.json", "anonduck.duckdb", ".gitignore", "visits-released.csv", "out.csv"}


def test_a_table_becomes_a_release_and_the_config_that_it_assumes(folder, capsys):
    code, told, assumed = typed(capsys, "run", "visits.csv", "--class", "again", "-o", "out.csv", *QUICK)
    assert code == 0
    assert f"proposed {CONFIG}, unread; it assumes:" in assumed
    assert "left out, as they identify people: visit_id (looks like an identifier" in assumed
    assert "generalized: age, stay_days\n" in assumed
    assert "required: k >= 5 records\n" in assumed
    assert f"config: {CONFIG}; read and edit it, then run again: anonduck run {CONFIG} -o out.csv" in told
    assert read_config(folder / CONFIG).identifiers == ["visit_id"]
    released = pd.read_csv("out.csv")
    assert len(released) == 80
    assert released.groupby([one for one in released if one != "again"]).size().min() >= 5


@pytest.mark.slow
def test_it_is_what_init_and_run_do(folder, capsys):
    (folder / "first").mkdir()
    (folder / "second").mkdir()
    asked = ("visits.csv", "--class", "again", "--drop", "stay_days")
    assert typed(capsys, "run", *asked, "-o", "first/out.parquet", "--no-report")[0] == 0
    assert typed(capsys, "init", *asked, "-p", f"second/{CONFIG}")[0] == 0
    assert typed(capsys, "run", f"second/{CONFIG}", "-o", "second/out.parquet", "--no-report")[0] == 0
    for name in (CONFIG, "out.parquet"):
        assert (folder / "first" / name).read_bytes() == (folder / "second" / name).read_bytes()
    assert read_config(folder / "first" / CONFIG).source == "../visits.csv"


def test_without_a_name_the_release_is_called_after_the_table_and_json_tells_the_config(folder, capsys):
    """The table has two columns of one name."""
    (folder / "visits.csv").write_text((folder / "visits.csv").read_text().replace("stay_days", "age", 1))
    (folder / "elsewhere").mkdir()
    with chdir(folder / "elsewhere"):
        code, told, said = typed(capsys, "run", "../visits.csv", "--class", "again", *QUICK, "--json")
    document = json.loads(told)
    assert code == 0
    assert document["release"]["file"] == str(folder / "elsewhere" / "visits-released.csv")
    assert document["config"] == CONFIG
    assert {one["name"]: one["role"] for one in document["assumed"]}["visit_id"] == "identifiers"
    assert "column 3 is called 'age' like an earlier one, and is read as 'age_1'" in said


def test_an_excel_sheet_is_released_as_the_same_csv_would_be(folder, capsys, monkeypatch):
    """But for an empty row, which is no record, and the codes 1 and 2, which Excel has as numbers of any kind."""
    table = visits(sex=[1 + n % 7 % 2 for n in range(80)])
    table.to_csv("visits.csv", index=False)
    asked = ("--class", "again", "-q", "sex", *QUICK)
    assert typed(capsys, "run", "visits.csv", *asked, "-o", "csv.csv")[0] == 0
    for made in (CONFIG, "anonduck.duckdb"):
        (folder / made).unlink()
    text = table.to_csv(index=False).replace("\n", "\n,,,,\n", 2).replace("again,sex\n,,,,\n", "again,sex\n")
    stand_in(monkeypatch, folder / "visits.xlsx", text, ["visit_id", "age", "stay_days", "sex"])
    code, _, said = typed(capsys, "run", "visits.xlsx", *asked)
    assert code == 0
    assert "1 row of the sheet has no value and is left out" in said
    assert (folder / "visits-released.csv").read_bytes() == (folder / "csv.csv").read_bytes()


def test_what_is_there_already_is_left_as_it_is(folder, capsys):
    (folder / CONFIG).write_text("class: again\n")
    code, _, said = typed(capsys, "run", "visits.csv", "--class", "again", "-o", "out.csv")
    assert code == 2
    assert f"there is a config {CONFIG} already, which is left as it is. Run by it: anonduck run {CONFIG}" in said
    assert (folder / CONFIG).read_text() == "class: again\n"
    (folder / CONFIG).unlink()
    (folder / "anonduck.duckdb").write_bytes(b"")
    code, _, said = typed(capsys, "run", "visits.csv", "--class", "again", "-o", "out.csv")
    assert code == 2
    assert f"of other data. Remove it: anonduck purge -p {CONFIG}" in said
    (folder / "anonduck.duckdb").unlink()
    (folder / "out.csv").write_text("mine")
    code, _, said = typed(capsys, "run", "visits.csv", "--class", "again", "-o", "out.csv")
    assert code == 2
    assert "out.csv exists; name another release, or replace it with `--overwrite`" in said
    assert names(folder) == {"visits.csv", "out.csv"}


@pytest.mark.parametrize(
    ("table", "words", "said"),
    [
        (visits(), ("--class", "again"), "name the table too, such as: anonduck run persons.csv --class COLUMN -o"),
        (visits(), (), f"name the release to write, such as: anonduck run -p {CONFIG} -o released.csv"),
        (visits(), ("visits.csv", "--class", "agian"), "has no column 'agian'; existing columns: 'visit_id',"),
        (visits(), ("other.csv", "--class", "again"), "there is no file other.csv"),
        (visits(), ("visits.csv", "--class", "again", "-o", "out.xlsx"), "a release cannot go to out.xlsx"),
        (
            visits(note=NOTES),
            ("visits.csv", "--class", "again", "--insensitive", "note"),
            "it holds direct identifiers: e-mail addresses in 20% of its cells. Leave it out: `--drop note`. Or write "
            "a config, decide there, and run by it: `anonduck init SOURCE --class COLUMN`",
        ),
        (visits(), ("visits.csv", "--class", "again", "--select", "nonsense"), "nonsense"),
        (
            visits(4),
            ("visits.csv", "--class", "again"),
            "groups of at least k = 5. Give it more records, or require less: `-k N`",
        ),
        (
            visits(600, kind=np.arange(600) // 2 * 7 + 10),
            ("visits.csv", "--class", "kind"),
            "the class 'kind' has 300 distinct values; allowed are up to 256. Group them in the source, or name "
            "another column as `--class COLUMN`",
        ),
        (
            visits()[["visit_id", "again"]],
            ("visits.csv", "--class", "again"),
            "Name one that is known of people: `--quasi-identifier COLUMN`",
        ),
    ],
)
def test_what_a_person_has_to_decide_is_refused_with_the_next_step(folder, capsys, table, words, said):
    table.to_csv("visits.csv", index=False)
    code, out, told = typed(capsys, "run", *words)
    assert (code, out) == (2, "")
    assert said in told
    assert "mail.org" not in told
    assert not names(folder) & NOT_WRITTEN


@pytest.mark.parametrize("within", ["1", "-0.1", "2se"])
def test_a_margin_that_is_no_share_is_refused(folder, capsys, within):
    code, out, told = typed(capsys, "run", "visits.csv", "--class", "again", "-o", "out.csv", "--within", within)
    assert (code, out) == (2, "")
    assert f"'--within': it takes a number from 0 to under 1, or 1se; got '{within}'" in " ".join(told.split())
    assert not names(folder) & NOT_WRITTEN


def test_a_config_is_named_once(folder, capsys):
    (folder / CONFIG).write_text("class: again\n")
    code, _, said = typed(capsys, "run", CONFIG, "-p", "other.yml", "-o", "out.csv")
    assert code == 2
    assert f"{CONFIG} and -p both name a config; give one of them" in said


# -- what was asked for is in the config -------------------------------------------------------------------------------

KEYS = {
    "class_": (("--class", "again"), {"class": "again"}),
    "k": (("-k", "7"), {"requirement": {"k": 7}}),
    "where": (("--where", "age < 58"), {"where": "age < 58"}),
    "methods": (("--method", "rules", "--method", "mondrian"), {"methods": ["rules", "mondrian"]}),
    "show": (("--show", "ranges", "--show", "typical"), {"show": ["ranges", "typical"]}),
    "identifiers": (("--identifier", "stay_days"), {"identifiers": ["visit_id", "stay_days"]}),
    "entity": (("--entity", "stay_days"), {"entity": "stay_days"}),
    "drop": (("--drop", "stay_days"), {"drop": ["stay_days"]}),
    "sensitive": (("--sensitive", "stay_days"), {"sensitive": ["stay_days"]}),
    "insensitive": (("--insensitive", "stay_days"), {"insensitive": ["stay_days"]}),
    "quasi_identifiers": (("-q", "age"), {"quasi_identifiers": ["age", "stay_days"]}),
    "csv": (("--csv", "delim=,"), {"csv": {"delim": ","}}),
    "missing_columns": (("--missing-columns", "null"), {"missing_columns": None}),
    "select": (("--select", "ncp"), {"select": "ncp"}),
    "within": (("--within", "0.02"), {"select": {"measure": "auto", "within": 0.02}}),
    "search": (("--search", "rfd"), {"search": "rfd", "methods": ["rules"]}),
    "coverage": (("--coverage", "0.3", "--coverage", "1"), {"coverage": [0.3, 1.0]}),
    "sample": (("--sample", "60"), {"sample": 60}),
    "models": (("--model", "bayes"), {"models": ["bayes"]}),
    "budget": (("--budget", "900"), {"budget": 900}),
    "time_limit": (("--time-limit", "1000000"), {"time_limit": 1000000.0}),
    "max_rfds": (("--max-rfds", "70"), {"max_rfds": 70}),
    "max_rules": (("--max-rules", "80"), {"max_rules": 80}),
}
REPEATED = {"keep_roots": "--keep-roots", "no_report": "--no-report"}
OF_ONE_CALL = {"file", "output", "source", "path", "if_exists", "overwrite", "reselect", "locked"}
OF_ONE_CALL |= {"as_json", "json_line", "measures", "show_sql", "verbose"}


def test_each_option_of_run_is_in_the_config_or_in_the_line_or_of_one_call():
    """An option that comes to `run` has to be put into one of these."""
    options = {parameter.name for parameter in run_command.params}
    assert options - {"help"} == (set(KEYS) | set(REPEATED) | OF_ONE_CALL) & options
    assert set(KEYS) | set(REPEATED) <= options


def proposed(folder, *words):
    """What a config that `run FILE` would write holds, where what follows it is not of interest."""

    def stop(*_, **__):
        raise RequirementNotMet("far enough")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Project, "run", stop)
        assert run(["run", "visits.csv", *words]) == 1
    assert read_config(folder / CONFIG)
    return yaml.safe_load((folder / CONFIG).read_text())


@pytest.mark.parametrize("name", KEYS)
def test_the_config_holds_each_option(folder, name):
    words, keys = KEYS[name]
    held = proposed(folder, *([] if name == "class_" else ["--class", "again"]), *words)
    assert {key: held[key] for key in keys} == keys


@pytest.mark.parametrize(
    "words",
    [
        ("--search", "rfd", "--coverage", "0.3", "--sample", "50", *QUICK),
        pytest.param(("--select", "ncp", "--method", "mondrian", "--model", "none"), marks=pytest.mark.slow),
        pytest.param(("--within", "1se", "--select", "accuracy", "--method", "rules"), marks=pytest.mark.slow),
        pytest.param(("--search", "rfd", "--keep-roots", "-k", "9", "--model", "bayes"), marks=pytest.mark.slow),
        pytest.param(("--budget", "200", "--where", "age < 55", "--show", "typical"), marks=pytest.mark.slow),
        pytest.param(("--method", "nsvdist:l=1.5"), marks=pytest.mark.slow),
        pytest.param(("--method", "datafly"), marks=pytest.mark.slow),
    ],
)
def test_the_line_that_is_printed_gives_the_same_release(folder, capsys, words):
    """But for `probabilistic`, whose seed is drawn for each release and forgotten."""
    code, told, _ = typed(capsys, "run", "visits.csv", "--class", "again", "-o", "out.csv", *words)
    assert code == 0
    line = shlex.split(told.rpartition("then run again: ")[2])
    first = (folder / "out.csv").read_bytes()
    (folder / "anonduck.duckdb").unlink()
    code, again, said = typed(capsys, *line[1:])
    assert (code, line[0]) == (0, "anonduck"), said
    assert again.splitlines()[0] == told.splitlines()[0]
    assert (folder / "out.csv").read_bytes() == first


@pytest.mark.parametrize("method", ["nsvdist", "probabilistic", "datafly"])
def test_a_method_that_is_not_weighed_is_what_is_released_by(folder, method):
    held = proposed(folder, "--class", "again", "--method", method)
    assert held["method"] == method
    assert "methods" not in held


def test_a_method_that_is_not_weighed_beside_others_is_refused_and_the_command_is_named(folder, capsys):
    code, _, said = typed(capsys, "run", "visits.csv", "--class", "again", "--method", "nsvdist", "--method", "rules")
    assert code == 2
    assert "nsvdist is not weighed beside rules, as it finds distributions" in said
    assert "`anonduck anonymize nsvdist`" in said
    code, _, said = typed(capsys, "run", "visits.csv", "--class", "again", "--search", "rfd", "--method", "mondrian")
    assert code == 2
    assert "`--search rfd` chooses among rules alone, and `--method mondrian`" in said
    assert not names(folder) & NOT_WRITTEN
    with pytest.raises(ConfigError, match="`method: probabilistic` in the config in place of a list of `methods`"):
        Project(source=visits(), class_="again", methods=["rules", "probabilistic"])
