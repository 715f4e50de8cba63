"""Two processes collect the same tests, whatever their hash seed, clock and time zone."""

import subprocess

import documentation
import pytest

UNLIKE = {
    "hash_order": '{"red", "green", "blue", "white", "black"}',
    "second": "[str(int(time.time()))]",
    "compressed_value": '[gzip.compress(b"a")]',
    "date": "[str(date.today())]",
    "address": "[repr(object())]",
}
HEAD = "import gzip\nimport time\nfrom datetime import date\n\nimport pytest\n"
ALIKE = """

@pytest.mark.parametrize("value", ["red", "green"])
def test_alike(value):
    assert value
"""


def collected(folder, tests):
    path = folder / "test_planted.py"
    path.write_text(HEAD + tests)
    command = ["bash", documentation.ROOT / ".ci" / "collection", path]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_names_that_differ_between_processes_are_refused(tmp_path):
    planted = [ALIKE.replace("alike", name).replace('["red", "green"]', values) for name, values in UNLIKE.items()]
    done = collected(tmp_path, "".join([ALIKE, *planted]))
    assert (done.returncode, "ids=" in done.stderr) == (1, True)
    assert all(f"test_{name}[" in done.stdout for name in UNLIKE)
    assert "test_alike" not in done.stdout


@pytest.mark.slow
def test_names_that_are_the_same_pass(tmp_path):
    done = collected(tmp_path, ALIKE)
    assert (done.returncode, done.stdout) == (0, "2 tests are collected, twice alike\n")


def test_a_collection_that_fails_says_why(tmp_path):
    done = collected(tmp_path, ALIKE.replace('["red", "green"]', "missing"))
    assert done.returncode == 1
    assert "NameError" in done.stdout
