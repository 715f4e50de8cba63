"""Random configs and files, broken in random ways, given to random commands; and exports whose types are hard to tell.

A finding is an exit code that is not documented (4 is a bug), a traceback, a case that takes 10 seconds of the
processor where its config allows a search of one, or that does not end in a minute, and a value of the source in a
message. Each second case releases an export of fuzzing/exports.py as it is (level 0, k = 1): a value that is shown
otherwise than csv, json or pyarrow read it from the files is a finding; exit code 2 is none. A finding is printed with
its config, its command and what repeats it.

    python benchmarks/fuzz_inputs.py --minutes 60 --seed 1
    python benchmarks/fuzz_inputs.py --minutes 60 --seed 1 --play exports
    python benchmarks/fuzz_inputs.py --seed 1 --case 17
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import io
import os
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any

import yaml
from fuzz import Played, Worker
from fuzzing.exact import differences
from fuzzing.exports import VALUES, Export, drawn_export
from fuzzing.released import Finding

from anonduck.cli.app import run
from anonduck.config.config import json_schema

LIMIT = 10
"""Seconds of the processor that a command may take: those of the clock depend on what else the machine does."""

HANG = 60  # seconds of the clock after which a case is said not to end
CODES = {0, 1, 2, 3, 5, 6}
LISTED = 12  # reasons of refused exports
COLUMNS = ("age", "zip", "job", "day", "ill", "c")
PROPOSED = 0.4  # the share of exports that `init` looks at
TELLING = 6  # characters of a value that make it one of the source
JOBS = ("Zzbakerq", "Zzcookq", "Zznurseq", "Zzguardq")
ILLS = ("Zzfluq", "Zzgoutq", "Zzmumpsq")
SECRETS = ("Zz", "98765432")
"""What is in values of the source, and nowhere else."""

ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 7, 10**30, 0.5, -0.0, float("nan"), float("inf"), 1e-300),
    *("", " ", "x", "a\0b", "age", "c", "nosuch", "R1", "1e5", "'; DROP TABLE x; --", '"', "é\u202e", "y" * 5_000),
    *([], [[]], ["age"], ["age", "age"], [None], [1, 2], ["nosuch"], list(range(300))),
    *({}, {"age": 1}, {"age": None}, {"nosuch": 1}, {"age": {}}, {"age": ["x"]}, {"": ""}, {"c": {"a": ["b"]}}),
)
Path_ = tuple[str | int, ...]


# -- configs -----------------------------------------------------------------------------------------------------------


def key_paths(node: Any, schema: dict[str, Any], path: Path_ = ()) -> Iterator[Path_]:
    """Every key of the config's schema, those of a column under one that there is."""
    if path:
        yield path
    if "$ref" in node:
        node = {**schema["$defs"][node["$ref"].rsplit("/", 1)[1]], **{k: v for k, v in node.items() if k != "$ref"}}
    for part in node.get("anyOf", ()):
        yield from key_paths(part, schema, path)
    for name, below in node.get("properties", {}).items():
        yield from key_paths(below, schema, (*path, name))
    if isinstance(node.get("additionalProperties"), dict):
        yield from key_paths(node["additionalProperties"], schema, (*path, "job"))
    if isinstance(node.get("items"), dict):
        yield from key_paths(node["items"], schema, (*path, 0))


def drawn_config(random: Random, paths: list[Path_], source: str) -> dict[str, Any]:
    """A config that holds, of which up to three keys are given other values."""
    config: dict[str, Any] = {"source": source, "class": "c", "sensitive": ["ill"], "requirement": {"k": 2}}
    config |= {"time_limit": 1.0, "budget": 50, "holdout": 0, "models": random.choice([[], ["tree"]])}
    config |= random.choice([{}, {"methods": ["rules", "mondrian"]}])
    for _ in range(random.choice([0, 1, 1, 2, 3])):
        path = random.choice(paths)
        if path[0] == "time_limit" or path[:2] == ("csv", "header"):  # the one is stated work, the other an answer
            continue
        value = random.choice(ODD)
        if path[0] in ("budget", "sample") and isinstance(value, int) and value > 100:
            continue
        for step in reversed(path[1:]):
            value = [value] if step == 0 else {step: value}
        config[str(path[0])] = value
    return config


# -- files -------------------------------------------------------------------------------------------------------------


def rows(random: Random) -> str:
    """A table as CSV."""
    lines = [",".join(COLUMNS)]
    for _ in range(random.choice([0, 1, 30, 200])):
        day = f"20{random.randrange(10, 20)}-0{random.randrange(1, 9)}-1{random.randrange(0, 9)}"
        zip_code = f"98765432{random.randrange(100)}"
        cells = (random.randrange(90), zip_code, random.choice(JOBS), day, random.choice(ILLS), random.choice("yn"))
        lines.append(",".join(map(str, cells)))
    return "\n".join(lines) + "\n"


def _cut(random: Random, data: bytes) -> bytes:
    return data[: random.randrange(len(data) + 1)]


def _flipped(random: Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(random.choice([1, 5, 50]) if data else 0):
        changed[random.randrange(len(changed))] = random.randrange(256)
    return bytes(changed)


def _inserted(random: Random, data: bytes) -> bytes:
    place = random.randrange(len(data) + 1)
    odd = (
        b'"',
        b"\0",
        b"\r",
        b"\n\n",
        b",,,,,,,,",
        b"\xff\xfe",
        b'"a""b',
        b"z" * 2_100_000,
        b"\xc3",
        b"Infinity",
        b"''",
    )
    return data[:place] + random.choice(odd) + data[place:]


def _without_header(random: Random, data: bytes) -> bytes:
    return data.split(b"\n", 1)[-1]


def _binary(random: Random, data: bytes) -> bytes:
    return random.randbytes(random.choice([1, 100, 50_000]))


BREAKS: tuple[Callable[[Random, bytes], bytes], ...] = (_cut, _flipped, _inserted, _without_header, _binary)


def drawn_file(random: Random, folder: Path) -> str:
    """Write a file of the source, broken or not; returns its name."""
    import duckdb

    kind = random.choice(["csv", "csv", "csv", "parquet", "jsonl", "csv.gz", "duckdb"])
    plain = folder / "plain.csv"
    plain.write_text(rows(random), encoding="utf-8")
    data = plain.read_bytes()
    path = folder / f"s.{kind}"
    if kind in ("parquet", "jsonl", "duckdb"):
        with duckdb.connect(str(path) if kind == "duckdb" else ":memory:") as connection:
            connection.execute(
                f"CREATE TABLE t AS FROM read_csv('{plain}', header = true, types = {{'zip': 'VARCHAR'}})"
            )
            if kind != "duckdb":
                connection.execute(f"COPY t TO '{path}' (FORMAT {'parquet' if kind == 'parquet' else 'json'})")
        data = path.read_bytes()
    if random.random() < 0.6:
        data = random.choice(BREAKS)(random, data)
    path.write_bytes(gzip.compress(data) if kind == "csv.gz" and random.random() < 0.7 else data)
    plain.unlink()
    return f"s.{kind}::main.t" if kind == "duckdb" else f"s.{kind}"


# -- cases -------------------------------------------------------------------------------------------------------------


def drawn_command(random: Random, source: str) -> list[str]:
    """A command on the source; what it prints holds no value."""
    rule = random.choice(["age=1", "job=0,age=2", "R1", "zip=9", "age=-1", 'job="x"', "", "nosuch=1", "age=1,age=2"])
    return random.choice(
        [
            ["init", source, "--class", random.choice(["c", "nosuch", "day"]), "-p", "new.yml"],
            ["discover"],
            ["discover", "--search", random.choice(["rfd", "auto"])],
            ["release", rule, "-o", random.choice(["o.csv", "o.parquet", "o.duckdb::t", "o.xlsx", "s.csv"])],
            ["run", "-o", "o.parquet"],
            ["anonymize", random.choice(["mondrian", "tds", "pais", "nosuch"]), "-o", "o.csv"],
            ["audit", source, "--class", "c", "--sensitive", random.choice(["ill", "job", "nosuch"])],
            ["taxonomy", "build"],
            ["taxonomy", "check"],
            ["advise"],
            ["quasi-identifiers"],
            ["report", "-o", "o.html"],
        ]
    )


def play_case(seed: int, number: int, folder: Path) -> Played:
    """One case: what was done, what was found, its command, and its config."""
    random = Random(f"{seed} {number}")  # noqa: S311 - it must come back
    schema = json_schema()
    source = drawn_file(random, folder)
    config = drawn_config(random, list(key_paths(schema, schema)), source)
    command = drawn_command(random, source)
    text = yaml.safe_dump(config, allow_unicode=True)
    if random.random() < 0.05:
        text = _flipped(random, text.encode()).decode("latin-1")
    (folder / "anonduck.yml").write_text(text, encoding="utf-8")
    code, seconds, words = _ran(command, folder)
    findings = _faults(code, CODES, seconds, words, SECRETS)
    return [(command[0], f"exit {code}", f"{seconds:.1f} s")], findings, [" ".join(command)], text


def _ran(command: list[str], folder: Path) -> tuple[int, float, str]:
    """The exit code of a command in a folder, its seconds of the processor, and what it printed."""
    printed, started = io.StringIO(), time.process_time()
    with contextlib.chdir(folder), contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        code = run(command)
    return code, time.process_time() - started, printed.getvalue()


def _faults(code: int, codes: set[int], seconds: float, words: str, secrets: Iterable[str]) -> list[Finding]:
    findings = []
    if code not in codes or "Traceback" in words:
        findings.append(Finding("exit code", f"{code}: {words[-500:]}"))
    if any(secret in words for secret in secrets):
        findings.append(Finding("value of the source", words[-500:]))
    if seconds > LIMIT:
        findings.append(Finding("slow", f"{seconds:.1f} seconds"))
    return findings


# -- exports -----------------------------------------------------------------------------------------------------------


def _secrets(export: Export) -> set[str]:
    """Values of an export that are long enough to be nothing else in a message."""
    texts = {str(value) for row in export.records for name, value in row.items() if name != "row"}
    return {text for text in texts if len(text) >= TELLING and any(map(str.isdigit, text))}


def play_export(seed: int, number: int, folder: Path) -> Played:
    """One export, released as it is: what was done, what was found, its commands, and its config.

    Of those that no key describes, some are released by the config that `init` proposes.
    """
    random = Random(f"{seed} {number}")  # noqa: S311 - it must come back
    export = drawn_export(random, folder)
    quasi = random.choice([["a"], ["a", "b"]])
    kept = [name for name in ("row", *VALUES) if name not in quasi]
    target = random.choice(["o.csv", "o.parquet"])
    commands = [["release", ",".join(f"{name}=0" for name in quasi), "--require", "k=1", "-o", target]]
    config = folder / "anonduck.yml"
    if export.config.keys() <= {"missing_columns"} and random.random() < PROPOSED:
        options = [f"--sensitive={name}" for name in kept] + [f"--quasi-identifier={name}" for name in quasi]
        options += ["--missing-columns=null"] if export.config else []
        commands.insert(0, ["init", export.source, "--class", "c", *options])
    else:
        roles = {"source": export.source, "class": "c", "sensitive": kept, "requirement": {"k": 2}}
        text = yaml.safe_dump({**roles, "holdout": 0, "models": [], **export.config}, allow_unicode=True)
        config.write_text(text, encoding="utf-8")
    secrets, findings = {*SECRETS[:1], *_secrets(export)}, []
    for command in commands:
        code, seconds, words = _ran(command, folder)
        findings += _faults(code, {0, 2}, seconds, words, secrets)
        if code:
            break
    text = config.read_text(encoding="utf-8") if config.exists() else ""
    if not code:
        export.config = yaml.safe_load(text)
        findings += differences(export, folder / target)
    played = (f"{export.kind}{' init' * (len(commands) - 1)}", f"exit {code}", words)
    return [played], findings, [" ".join(command) for command in commands], text


def _reason(words: str) -> str:
    """What a refusal says, without names and numbers."""
    return re.sub(r"'[^']*'|\d+", "_", words.strip().split("\n")[-1])[:150]


def work(seed: int, asked: Connection) -> None:
    """Play the cases that are asked for, in a process that may be ended."""
    os.environ["NO_COLOR"] = "1"
    while True:
        number = asked.recv()
        with tempfile.TemporaryDirectory() as folder:
            asked.send((play_export if number % 2 else play_case)(seed, number, Path(folder)))


def main() -> None:
    """Play cases until the time is over, or one; ends with 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int)
    parser.add_argument("--exports", action="store_true", help="play exports alone, which have odd numbers")
    given = parser.parse_args()
    worker = Worker(given.seed, work=work, limit=HANG)
    over = time.monotonic() + 60 * given.minutes
    exits: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    found, played, number = 0, 0, int(given.exports) if given.case is None else given.case
    while given.case is not None or time.monotonic() < over:
        done, findings, commands, config = worker.play(number)
        played += 1
        exits.update(f"{command} {code}" for command, code, _ in done)
        reasons.update(f"{name}: {_reason(words)}" for name, code, words in done if number % 2 and code == "exit 2")
        for finding in findings:
            found += 1
            print(f"seed {given.seed} case {number}: {finding}\n  {commands}\n  {config[:1500]}", flush=True)
        if given.case is not None:
            break
        number += 1 + given.exports
    worker.process.kill()
    print(f"{played:,} cases, {found} findings; " + ", ".join(f"{name}: {exits[name]}" for name in sorted(exits)))
    print(*(f"{count:5} x {reason}" for reason, count in reasons.most_common(LISTED)), sep="\n")
    raise SystemExit(1 if found else 0)


if __name__ == "__main__":
    main()
