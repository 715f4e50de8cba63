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


# -- exports -----------------------------------------------------------------------------------------------------------

DATES = {"dates": {"a": {"format": "%d.%m.%y", "latest": 2026}}}
SHOWN = {
    "a leading zero": (["01069", "1069"], ["1069", "1069"], {}, True),
    "a plus sign": (["+49"], ["49"], {}, True),
    "two codes": (["10.1", "10.10"], ["10.1", "10.1"], {}, True),
    "two texts for a number": (["1e2", "100"], ["100.0", "100.0"], {}, True),
    "decimals": (["2", "2.5"], ["2", "3"], {}, True),
    "digits": (["0.12345678901234567"], ["0.12345678901234568"], {}, True),
    "the same numbers": (["2", "2.5", " 7", "-0"], ["2.0", "2.5", "7.0", "0.0"], {}, False),
    "a century": (["16.07.45"], ["2045-07-16"], {}, True),
    "a century by the config": (["16.07.45"], ["1945-07-16"], DATES, False),
    "a century against the config": (["16.07.45"], ["2045-07-16"], DATES, True),
    "the same dates": (["16.07.2045", "17.12.2045"], ["2045-07-16", "2045-12-17"], {}, False),
    "days as months": (["06.07.2045", "17.12.2045"], ["2045-06-07", "2045-12-17"], {}, True),
    "an amount": (["1.234"], ["1234"], {}, True),
    "an amount by the config": (["1.234"], ["1234"], {"csv": {"thousands": ".", "decimal_separator": ","}}, False),
    "a marker": (["N/A", "1"], ["", "1"], {}, True),
    "a marker by the config": (["N/A", "1"], ["", "1"], {"csv": {"nullstr": "N/A"}}, False),
    "a text by the config": (["1.50", "2"], ["1.5", "2"], {"types": {"a": "VARCHAR"}}, True),
    "letters": (["Zzq"], ["zzq"], {}, True),
}


@pytest.mark.parametrize("name", SHOWN)
def test_a_value_is_found_that_is_shown_otherwise(fuzz_inputs, tmp_path, name):
    from fuzzing.exact import differences
    from fuzzing.exports import Export

    held, shown, config, found = SHOWN[name]
    records = [{"row": str(at), "a": text, "b": "", "s": "", "c": "y"} for at, text in enumerate(held)]
    lines = [f"{at},{text},,,y" for at, text in enumerate(shown)]
    (tmp_path / "o.csv").write_text("\n".join(["row,a,b,s,c", *lines]) + "\n")
    assert [one.kind for one in differences(Export("", "s.csv", records, config), tmp_path / "o.csv")] == (
        ["value changed"] if found else []
    )


@pytest.mark.slow
def test_a_reader_that_drops_leading_zeros_is_found(fuzz_inputs, tmp_path, monkeypatch):
    from fuzzing.exports import Export

    from anonduck.source import csv_files
    from anonduck.source.csv_types import Taken, types_taken

    def drawn(random, folder):
        rows = [{"row": str(at), "a": f"0{at}", "b": "x", "s": "y", "c": "yn"[at % 2]} for at in range(10, 30)]
        lines = [",".join(row.values()) for row in rows]
        (folder / "s.csv").write_text("\n".join(["row,a,b,s,c", *lines]) + "\n")
        return Export("codes", "s.csv", rows)

    monkeypatch.setattr(fuzz_inputs, "drawn_export", drawn)
    assert fuzz_inputs.play_export(1, 1, tmp_path)[1] == []
    monkeypatch.setattr(csv_files, "types_taken", lambda *given: {**types_taken(*given), "a": Taken("BIGINT")})
    for file in tmp_path.glob("[!s]*"):
        file.unlink()
    (found,) = fuzz_inputs.play_export(1, 1, tmp_path)[1]
    assert found.kind == "value changed"
    assert "'010' is released as " in found.words


REFUSED = {
    "a refusal in words": (prints("cannot read it"), []),
    "a refusal with a value": (prints("cannot read 'Zzbakerq'"), ["value of the source"]),
    "an exit code that is no refusal": (prints("", code=1), ["exit code"]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_export_may_be_refused_in_words(fuzz_inputs, tmp_path, monkeypatch, name):
    command, kinds = REFUSED[name]
    monkeypatch.setattr(fuzz_inputs, "run", command)
    assert [one.kind for one in fuzz_inputs.play_export(1, 1, tmp_path)[1]] == kinds


def test_exports_of_every_kind_are_drawn_again_by_seed_and_number(fuzz_inputs, tmp_path, monkeypatch):
    monkeypatch.setattr(fuzz_inputs, "run", prints(""))

    def drawn(number, name):
        (tmp_path / name).mkdir()
        done, _, command, config = fuzz_inputs.play_export(3, number, tmp_path / name)
        files = {path.name: path.read_bytes() for path in (tmp_path / name).glob("s*") if path.suffix != ".gz"}
        return done[0][0].removesuffix(" init"), (command, config, files)

    kinds = {kind for kind, _ in (drawn(number, f"n{number}") for number in range(1, 60, 2))}
    assert kinds == {"parquet", "json", "late", "codes", "dates", "amounts", "markers"}
    assert [drawn(number, f"a{number}") for number in (1, 3, 5)] == [
        drawn(number, f"b{number}") for number in (1, 3, 5)
    ]
