"""The command compare: its table, its files, and what it refuses."""

import json
import re

import pytest
from persons import persons

from anonduck.cli.app import run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("compare")
    persons(80).to_csv(made / "persons.csv", index=False)
    config = {"source": "persons.csv", "class": "bought", "identifiers": ["day"], "requirement": {"k": 5}}
    (made / "anonduck.yml").write_text(json.dumps(config))
    return made


def compare(folder, *words):
    return run(["compare", "-p", str(folder / "anonduck.yml"), *words])


@pytest.mark.slow
def test_it_prints_a_table_and_writes_files(folder, capsys):
    out = folder / "out"
    assert compare(folder, "--method", "mondrian", "--method", "tds", "-k", "5", "-k", "900", "-o", str(out)) == 0
    told = capsys.readouterr().out
    assert "mondrian at k = 900, released: failed" in told
    assert "best at each k" in told
    assert re.search(r"\d\.\d{4} ±\d\.\d{4}", told)
    document = json.loads((out / "compare.json").read_text())
    assert [row["k_required"] for row in document["rows"]] == [5, 900, 5, 900]
    assert (out / "compare.csv").read_text().startswith("method,kind,protocol")
    assert (out / "compare.json").stat().st_mode & 0o777 == 0o600
    pytest.importorskip("vl_convert", reason="vl-convert-python is not installed; it draws the charts")
    assert "<svg" in (out / "released-roc_auc.svg").read_text()
    assert (out / "released-roc_auc.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_json_is_all_that_is_printed(folder, capsys):
    assert compare(folder, "--method", "tds", "-k", "5", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["rows"][0]["method"] == "tds"


@pytest.mark.parametrize(
    "words",
    [
        ["-k", "5"],
        ["--method", "tds", "--protocol", "other"],
        ["--method", "tds", "--import", "one"],
        ["--method", "tds", "--time-limit", "0"],
    ],
)
def test_what_it_refuses_ends_with_2(folder, words, capsys):
    assert compare(folder, *words) == 2
    assert capsys.readouterr().err


@pytest.mark.slow
def test_an_earlier_comparison_is_not_replaced_unasked(folder, capsys):
    out = folder / "kept"
    out.mkdir()
    (out / "compare.json").write_text("{}")
    assert compare(folder, "--method", "tds", "-k", "5", "-o", str(out)) == 2
    assert "--overwrite" in capsys.readouterr().err
    assert (out / "compare.json").read_text() == "{}"
    assert compare(folder, "--method", "tds", "-k", "5", "-o", str(out), "--overwrite") == 0
