"""An audit by the roles of a receipt, which must be that of the file; without it only its hash is looked at."""

import json

import pandas as pd
import pytest
from oracles import people

from anonduck import Project
from anonduck.auditing.audit import audit
from anonduck.cli.app import run
from anonduck.errors import AuditError


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    path = tmp_path_factory.mktemp("released") / "out.csv"
    roles = {"identifiers": ["id"], "insensitive": ["note"], "sensitive": ["rate"]}
    with Project(source=people(300), class_="class", **roles, requirement={"k": 5}, models=[]) as project:
        project.release({"age": 2}, path)
    return path


def receipt_of(path):
    return path.with_name(path.name + ".receipt.json")


@pytest.mark.slow
def test_the_roles_of_the_receipt_and_the_file_alone(released):
    alone = audit(released)
    told = alone.as_json()
    assert told["receipt_beside"] == str(receipt_of(released))
    assert f"`receipt={str(receipt_of(released))!r}` measures by them" in alone.receipt_words
    by_receipt = audit(released, receipt=receipt_of(released))
    stated = json.loads(receipt_of(released).read_text())
    assert by_receipt.quasi_identifiers == ("age",)
    assert by_receipt.k == stated["k"] > alone.k
    assert by_receipt.as_json()["receipt"] == {"file": str(receipt_of(released)), "k": stated["k"]}
    sizes = {"k": alone.k, "classes": alone.classes, "records_alone": alone.sizes.alone}
    assert by_receipt.as_json()["file_alone"] == sizes
    assert f"k is {stated['k']}; by the file alone" in by_receipt.receipt_words
    assert by_receipt.as_json().keys() - told.keys() == {"receipt", "file_alone"}
    assert "receipt_beside" not in audit(released, ["age"]).as_json()


@pytest.mark.slow
def test_the_command_says_so_in_one_line(released, capsys):
    assert run(["audit", str(released)]) == 0
    (line,) = (one for one in capsys.readouterr().out.splitlines() if "receipt" in one)
    assert line.endswith(f"`--receipt {receipt_of(released)}` measures by them")
    assert run(["audit", str(released), "--receipt", str(receipt_of(released)), "--require", "k=5"]) == 0
    assert "by the file alone, all columns taken as known to others, k is" in capsys.readouterr().out
    assert run(["audit", str(released), "--receipt", str(receipt_of(released)), "-q", "age"]) == 2
    assert "leave out the options" in capsys.readouterr().err


@pytest.mark.slow
def test_the_receipt_of_another_file_gives_no_roles(released, tmp_path):
    other = tmp_path / "out.csv"
    other.write_text("".join(released.read_text().splitlines(keepends=True)[:-1]))
    receipt_of(other).write_text(receipt_of(released).read_text())
    assert audit(other).receipt_words is None
    with pytest.raises(AuditError, match="is the receipt of another file than"):
        audit(other, receipt=receipt_of(other))


@pytest.mark.parametrize(
    ("text", "words"),
    [(None, "cannot be read: No such"), ("[]", "is no receipt"), ('{"sha256": "a"}', "no receipt")],
)
def test_what_is_no_receipt(tmp_path, text, words):
    path = tmp_path / "a.csv"
    pd.DataFrame({"a": [1, 1]}).to_csv(path, index=False)
    if text is not None:
        receipt_of(path).write_text(text)
    assert audit(path).receipt_words is None
    with pytest.raises(AuditError, match=words):
        audit(path, receipt=receipt_of(path))
    with pytest.raises(AuditError, match="checked against the hash of a file"):
        audit(pd.DataFrame({"a": [1, 1]}), receipt=path)
