"""What a refusal must be: its exit code, its words, nothing changed or left behind, no value of the source told."""

import os
import re
import subprocess
import sys
from pathlib import Path

from anonduck.cli.app import run

SECRETS = ("ZZSECRET", "98765432123")
OWN = {"anonduck.duckdb", ".gitignore"}
CONFIG = "source: s.csv\nclass: c\n"
RELEASE = ("release", "age=0", "-o", "o.csv", "--require", "k=1")
ROWS = "".join(f"{20 + i % 7},{('baker', 'cook', 'nurse')[i % 3]},{'yes' if i % 2 else 'no'}\n" for i in range(42))
GOOD = "age,job,c\n" + ROWS


def laid_out(folder, files, config=CONFIG):
    """Write files (text or bytes) and the config into a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    if config is not None:
        (folder / "anonduck.yml").write_text(config)
    return folder


def contents(folder):
    """Every file of a folder with its bytes, but those that anonduck keeps for itself."""
    files = sorted(path for path in Path(folder).rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files if path.name not in OWN}


def told(capsys, folder, *arguments):
    """Exit code and all words of a command run in a folder."""
    before = Path.cwd()
    capsys.readouterr()
    os.chdir(folder)
    try:
        code = run(list(arguments))
    finally:
        os.chdir(before)
    printed = capsys.readouterr()
    return code, printed.out + printed.err


def refused(capsys, folder, words, *arguments, code=2):
    """The words of a command that must be refused; the folder stays as it was."""
    before = contents(folder)
    came, text = told(capsys, folder, *(arguments or RELEASE))
    assert came == code, text
    check_words(text.replace(str(folder), ""), words)  # pytest makes folders' names of tests' values
    assert contents(folder) == before
    return text


def check_words(text, words):
    """A message says what it must, without a traceback, a bug, a query or a value of the source."""
    assert re.search(words, text), text
    for never in ("Traceback", "a bug:", "\n--- ", *SECRETS):
        assert never not in text


def accepted(capsys, folder, *arguments):
    """The words of a command that must succeed."""
    code, text = told(capsys, folder, *(arguments or RELEASE))
    assert code == 0, text
    assert "Traceback" not in text
    return text


def shell(folder, *arguments, **more):
    """The command as a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "anonduck", *arguments],
        cwd=folder,
        capture_output=True,
        timeout=120,
        check=False,
        **more,
    )
