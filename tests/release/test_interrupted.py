"""A process that is ended while it puts a release in place: a reader can tell, and the next run makes it whole."""

import hashlib
import json
import os

import pytest

from anonduck.errors import ReleaseError
from anonduck.release.target import finish_interrupted, put_all_in_place, target_of, unfinished

OLD, NEW = "a,c\n1,x\n", "a,c\n2,y\n3,y\n"


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def texts_of(rows):
    dictionaries = json.dumps({"of": rows}), f"# of {len(rows)}"
    names = ("r.csv.dictionary.json", "r.csv.dictionary.md")
    files = {name: sha256(text) for name, text in zip(names, dictionaries, strict=True)}
    receipt = {"sha256": sha256(rows), "files": files}
    return json.dumps(receipt), *dictionaries, json.dumps(receipt | {"seed": 1})


def put(target, rows):
    with unfinished(target) as temporary:
        temporary.write_text(rows)
        put_all_in_place(temporary, target, texts_of(rows))


def killed_at(step, target, rows):
    """Put a release in place in a process that ends without a word at its rename number ``step``; whether it did."""
    if (child := os.fork()) == 0:
        replace, done = os.replace, []

        def counted(*paths):
            done.append(paths)
            if len(done) > step:
                os._exit(9)
            replace(*paths)

        os.replace = counted
        try:
            put(target, rows)
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


def check_whole(target, *, whole):
    """No receipt stands beside another release, or other dictionaries; with ``whole`` all documents are there."""
    rows = target.path.read_text()
    if target.receipt.exists():
        receipt, dictionary, text, owner = texts_of(rows)
        assert target.receipt.read_text() == receipt
        assert target.dictionary.read_text() == dictionary
        assert target.dictionary_text.read_text() == text
        assert not target.owner.exists() or target.owner.read_text() == owner
    if whole:
        assert all(document.exists() for document in target.documents)


@pytest.mark.parametrize("earlier", [True, False])
def test_a_kill_at_any_rename_is_told_and_mended(tmp_path, earlier):
    ended = 0
    for step in range(20):
        folder = tmp_path / str(step)
        folder.mkdir()
        target = target_of("r.csv", folder)
        if earlier:
            put(target, OLD)
        if not killed_at(step, target, NEW):
            break
        ended += 1
        if not target.path.exists():
            continue
        check_whole(target, whole=False)
        lacking = not target.receipt.exists()
        told = finish_interrupted(target)
        assert (told is not None) == lacking
        if lacking:
            assert "stood without its receipt" in told
        check_whole(target, whole=True)
        put(target, NEW)
        check_whole(target, whole=True)
        assert {path.name for path in folder.iterdir()} == {"r.csv", *(path.name for path in target.documents)}
    assert ended == (9 if earlier else 5)


def test_what_is_left_of_another_release_is_told_and_goes(tmp_path):
    target = target_of("r.csv", tmp_path)
    put(target, OLD)
    target.receipt.rename(target.earlier(target.receipt))
    target.path.write_text(NEW)
    assert "what it left does not belong to this file" in finish_interrupted(target)
    put(target, NEW)
    check_whole(target, whole=True)
    assert target.leftovers(target.receipt) == []


def test_another_process_waits_until_the_receipt_is_in_place(tmp_path, monkeypatch):
    target, refused = target_of("r.csv", tmp_path), []
    replace = os.replace

    def watched(source, to):
        if str(to) == str(target.receipt):
            with pytest.raises(ReleaseError, match="another process is writing the same file"):
                put(target, OLD)
            refused.append(to)
        replace(source, to)

    monkeypatch.setattr(os, "replace", watched)
    put(target, NEW)
    assert refused
    check_whole(target, whole=True)


def test_drafts_carry_their_process(tmp_path):
    target = target_of("r.csv", tmp_path)
    assert all(str(os.getpid()) in target.draft(document).name for document in target.documents)
    assert {target.draft(document) for document in target.documents} <= set(target.written)
