"""An audit by the roles of a receipt, which must be that of the file; without it only its hash is looked at."""

import json
from hashlib import sha256

import pandas as pd
import pytest
from oracles import people

from anonduck import Project
from anonduck.auditing.audit import audit
from anonduck.auditing.report import ReceiptRoles, beside, roles_of_receipt
from anonduck.cli.app import run
from anonduck.errors import AuditError

PERSONS = pd.DataFrame(
    {
        "age": ["[0, 9)"] * 4 + ["9"] * 4,
        "sex": ["f", "m"] * 4,
        "rate": [1, 2, 3, 4, 5, 6, 7, 7],
        "note": ["x"] * 8,
        "person": [1, 2, 3, 4, 5, 6, 7, 7],
    }
)
ROLES = {"age": "quasi-identifier", "sex": "class", "rate": "sensitive", "note": "insensitive", "person": "insensitive"}


def receipt_of(path):
    return path.with_name(path.name + ".receipt.json")


def with_receipt(path, roles, **more):
    """Write a file, and the part of its receipt that an audit reads."""
    PERSONS.to_csv(path, index=False)
    columns = [{"name": name, "role": role} for name, role in roles.items()]
    written = {"sha256": sha256(path.read_bytes()).hexdigest(), "columns": columns, "k": 4, **more}
    receipt_of(path).write_text(json.dumps(written))
    return receipt_of(path)


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    path = tmp_path_factory.mktemp("released") / "out.csv"
    with_receipt(path, ROLES)
    return path


@pytest.mark.parametrize(
    ("roles", "quasi", "class_"), [(ROLES, ("age",), "sex"), ({"age": "quasi-identifier"}, ("age",), None)]
)
def test_a_receipt_tells_the_roles(tmp_path, roles, quasi, class_):
    receipt = with_receipt(tmp_path / "a.csv", roles)
    others = ("rate",), ("note", "person")
    expected = others if "rate" in roles else ((), ())
    assert roles_of_receipt(tmp_path / "a.csv", receipt) == ReceiptRoles(str(receipt), quasi, *expected, class_, 4)


def test_the_roles_of_the_receipt_and_the_file_alone(released):
    alone = audit(released)
    told = alone.as_json()
    assert told["receipt_beside"] == str(receipt_of(released)) == beside(released)
    assert f"`--receipt {receipt_of(released)}` measures by them" in alone.receipt_words
    by_receipt = audit(released, receipt=receipt_of(released))
    assert (by_receipt.quasi_identifiers, by_receipt.k, alone.k) == (("age",), 4, 1)
    assert by_receipt.as_json()["receipt"] == {"file": str(receipt_of(released)), "k": 4}
    sizes = {"k": 1, "classes": alone.classes, "records_alone": alone.sizes.alone}
    assert by_receipt.as_json()["file_alone"] == sizes
    assert "k is 4; by the file alone, all columns taken as known to others, k is 1, and 8 records" in (
        by_receipt.receipt_words
    )
    assert by_receipt.as_json().keys() - told.keys() == {"receipt", "file_alone"}
    assert "receipt_beside" not in audit(released, ["age"]).as_json()


def test_the_file_alone_counts_persons_where_they_have_a_key(tmp_path):
    """Two records of one person, alike in all but the key, are a class of one person."""
    path = tmp_path / "persons.csv"
    roles = {name: role for name, role in ROLES.items() if name != "person"}
    table = pd.concat([PERSONS, PERSONS]).sort_values("rate")
    table.to_csv(path, index=False)
    columns = [{"name": name, "role": role} for name, role in roles.items()]
    written = {"sha256": sha256(path.read_bytes()).hexdigest(), "columns": columns, "k": 4}
    receipt_of(path).write_text(json.dumps(written))
    by_receipt = audit(path, receipt=receipt_of(path), entity="person")
    assert (by_receipt.k, by_receipt.file_alone.k, by_receipt.file_alone.k_persons) == (3, 2, 1)
    assert "taken as known to others, k is 1," in by_receipt.receipt_words


@pytest.mark.slow
def test_the_receipt_that_a_release_writes_is_read(tmp_path):
    path = tmp_path / "out.csv"
    roles = {"identifiers": ["id"], "insensitive": ["note"], "sensitive": ["rate"]}
    with Project(source=people(300), class_="class", **roles, requirement={"k": 5}, models=[]) as project:
        project.release({"age": 2}, path)
    stated = json.loads(receipt_of(path).read_text())
    assert audit(path, receipt=receipt_of(path)).k == stated["k"]


def test_the_command_says_so_in_one_line(released, capsys):
    assert run(["audit", str(released)]) == 0
    (line,) = (one for one in capsys.readouterr().out.splitlines() if "receipt" in one)
    assert line.endswith(f"`--receipt {receipt_of(released)}` measures by them")
    assert run(["audit", str(released), "--receipt", str(receipt_of(released)), "--require", "k=4"]) == 0
    assert "by the file alone, all columns taken as known to others, k is" in capsys.readouterr().out
    assert run(["audit", str(released), "--receipt", str(receipt_of(released)), "-q", "age"]) == 2
    assert "leave out the options" in capsys.readouterr().err


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
