"""The fuzzer of configs and files finds what is planted, and plays a case again as it was."""

import sys
import time
from pathlib import Path

import pytest


@pytest.fixture
def fuzz_inputs(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[1] / "benchmarks")
    import fuzz_inputs

    return fuzz_inputs


def prints(words, code=2):
    """A command that does nothing but to print."""

    def command(_):
        sys.stderr.write(words)
        return code

    return command


def burns(_):
    """A command that takes a fifth of a second of the processor."""
    until = time.process_time() + 0.2
    while time.process_time() < until:
        pass
    return 0


PLANTS = {
    "a bug": (prints("", code=4), "exit code"),
    "a code that no document names": (prints("", code=7), "exit code"),
    "a traceback": (prints("Traceback (most recent call last):"), "exit code"),
    "a job of the source": (prints("cannot read 'Zzbakerq'"), "value of the source"),
    "a postcode of the source": (prints("9876543217 is no date"), "value of the source"),
    "a search that does not stop": (burns, "slow"),
}


@pytest.mark.parametrize("name", PLANTS)
def test_what_is_planted_is_found(fuzz_inputs, tmp_path, monkeypatch, name):
    command, kind = PLANTS[name]
    monkeypatch.setattr(fuzz_inputs, "run", command)
    monkeypatch.setattr(fuzz_inputs, "LIMIT", 0.1)
    _, findings, _, _ = fuzz_inputs.play_case(1, 0, tmp_path)
    assert [one.kind for one in findings] == [kind]


def test_nothing_is_found_where_a_command_refuses_in_words(fuzz_inputs, tmp_path, monkeypatch):
    monkeypatch.setattr(fuzz_inputs, "run", prints("there is no column 'nosuch'"))
    _, findings, _, _ = fuzz_inputs.play_case(1, 0, tmp_path)
    assert findings == []


def test_a_case_is_drawn_again_by_its_seed_and_number(fuzz_inputs, tmp_path, monkeypatch):
    monkeypatch.setattr(fuzz_inputs, "run", prints("", code=0))

    def drawn(seed, number, name):
        (tmp_path / name).mkdir()
        _, _, command, config = fuzz_inputs.play_case(seed, number, tmp_path / name)
        files = {path.name: path.read_bytes() for path in (tmp_path / name).glob("s.csv*")}
        return command, config, files

    assert drawn(3, 5, "a") == drawn(3, 5, "b")
    assert len({str(drawn(3, number, f"c{number}")[:2]) for number in range(20)}) > 15


def test_every_key_of_the_schema_is_drawn(fuzz_inputs):
    from anonduck.config.config import json_schema

    schema = json_schema()
    paths = {path[0] for path in fuzz_inputs.key_paths(schema, schema)}
    assert paths == set(schema["properties"])
