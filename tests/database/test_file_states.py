"""Files that are as they were, and fingerprints of such files, which are read once."""

import hashlib
import hmac
from pathlib import Path

import pytest

from anonduck.database import file_states, fingerprints
from anonduck.database.file_states import settled_state
from anonduck.database.fingerprints import files_fingerprint


def test_a_file_that_was_changed_just_now_or_is_none_has_no_settled_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s.csv"
    path.write_text("a\n1\n")
    assert settled_state((path,)) is None
    monkeypatch.setattr(file_states, "SETTLED", -60)
    state = settled_state((path,))
    assert state is not None
    assert settled_state((path,)) == state
    assert [settled_state(files) for files in ((), (tmp_path,), (path, tmp_path / "none.csv"))] == [None] * 3
    path.write_text("a\n2\n")
    assert settled_state((path,)) != state


def test_a_fingerprint_is_that_of_the_bytes_and_files_are_read_again_where_they_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    one.write_bytes(b"a" * 10)
    other.write_bytes(b"b")
    read, hashed = list[object](), fingerprints._read_fingerprint
    monkeypatch.setattr(fingerprints, "_read_fingerprint", lambda key, files: read.append(files) or hashed(key, files))

    def checked(key: bytes, *files: Path) -> int:
        """How often files were read so far, and the fingerprint of these is right."""
        held = b"".join(path.read_bytes() for path in files)
        assert files_fingerprint(key, files) == hmac.new(key, held, hashlib.sha256).hexdigest()
        return len(read)

    assert [checked(b"key", one), checked(b"key", one)] == [1, 2]  # they were changed just now
    monkeypatch.setattr(file_states, "SETTLED", -60)
    assert [checked(b"key", one), checked(b"key", one)] == [3, 3]
    assert [checked(b"other", one), checked(b"key", one, other), checked(b"key", other, one)] == [4, 5, 6]
    one.write_bytes(b"c" * 10)
    assert [checked(b"key", one), checked(b"key", one), checked(b"key", one, other)] == [7, 7, 8]


def test_a_file_that_changes_while_it_is_read_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_states, "SETTLED", -60)
    path = tmp_path / "one.csv"
    path.write_bytes(b"a")
    hashed = fingerprints._read_fingerprint

    def changed(key: bytes, files: object) -> str:
        found = hashed(key, [path])
        path.write_bytes(path.read_bytes() + b"a")
        return found

    monkeypatch.setattr(fingerprints, "_read_fingerprint", changed)
    first = files_fingerprint(b"key", [path])
    monkeypatch.setattr(fingerprints, "_read_fingerprint", hashed)
    assert files_fingerprint(b"key", [path]) == hmac.new(b"key", b"aa", hashlib.sha256).hexdigest() != first
