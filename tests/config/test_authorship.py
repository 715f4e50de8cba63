"""Whether a person edited a config since `init` wrote it, by its text alone."""

import pytest
from oracles import people

from anonduck.cli.app import run
from anonduck.config.authorship import BY_HAND, NO_FILE, NOBODY, OTHERS, ROLES_TOO, who_decided, with_digests
from anonduck.config.reading import read_config

TEXT = "source: a.csv\nclass: ill  # 2 values\nsensitive: []\nquasi_identifiers:\n  - age\nrequirement: {k: 5}\n"


def decided(folder, text):
    path = folder / "anonduck.yml"
    path.write_bytes(text.encode())
    return who_decided(path)


def test_an_edit_is_known_by_the_text(tmp_path):
    proposed = with_digests(TEXT)
    assert decided(tmp_path, proposed) == NOBODY
    assert decided(tmp_path, "\ufeff" + proposed.replace("\n", "\r\n") + "\r\n") == NOBODY
    assert decided(tmp_path, proposed.replace("{k: 5}", "{k: 6}")) == OTHERS
    assert decided(tmp_path, proposed.replace("# reviewed: NAME, DATE", "reviewed: Jane Doe, 2027-03-01")) == OTHERS
    assert decided(tmp_path, proposed + "publication: {recipient: A}\n") == OTHERS
    assert decided(tmp_path, proposed.replace("sensitive: []", "sensitive: [pay]")) == ROLES_TOO
    assert decided(tmp_path, proposed.replace("class: ill", "class: well")) == ROLES_TOO
    assert decided(tmp_path, TEXT) == BY_HAND
    assert who_decided(None) == who_decided(tmp_path / "gone.yml") == NO_FILE


@pytest.mark.slow
@pytest.mark.parametrize("command", [["init", "people.csv", "--class", "class"], ["run", "people.csv", "-k", "20"]])
def test_what_init_and_run_write_is_nobodys_until_somebody_edits_it(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    people(200).to_csv("people.csv", index=False)
    assert run(command) == 0
    path = tmp_path / "anonduck.yml"
    assert who_decided(path) == NOBODY
    read_config(path)
    path.write_text(path.read_text().replace("# reviewed: NAME, DATE", "reviewed: Jane Doe, 2027-03-01"))
    assert who_decided(path) == OTHERS
    assert read_config(path).reviewed.name == "Jane Doe"
