"""What all benchmarks share: whole processes with their peak memory, and ratios beside their targets."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

GIGABYTE = 1 << 30


@dataclass(frozen=True)
class Finished:
    """A process that ended well: wall and processor time in seconds, peak resident memory in bytes, what it printed."""

    seconds: float
    processor: float
    peak: int
    output: str


def process(command: Sequence[str], *, environment: dict[str, str] | None = None) -> Finished:
    """Run a command to its end; its standard output is kept, errors stop the benchmark."""
    import subprocess

    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        start = time.perf_counter()
        child = subprocess.Popen(command, stdout=output, env={**os.environ, **(environment or {})})
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        printed = output.read()
    if child.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {child.returncode}\n{printed}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Finished(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit, printed)


def anonduck(*arguments: str) -> list[str]:
    """The command line of anonduck under this interpreter."""
    return [sys.executable, "-m", "anonduck", *arguments]


def inner(script: str, *arguments: str) -> Finished:
    """This script again as a process of its own, whose peak memory counts."""
    return process([sys.executable, str(Path(script).resolve()), "--inner", *arguments])


def report(what: str, value: float, unit: str, bound: float, *, most: bool = True) -> None:
    """Print a figure beside its target."""
    met = value <= bound if most else value >= bound
    sign = "<=" if most else ">="
    print(f"{what}: {value:,.2f}{unit} (target {sign} {bound:g}{unit}: {'met' if met else 'MISSED'})", flush=True)


def report_memory(what: str, finished: Finished, most: float = 4) -> None:
    """Print a process's peak memory beside the gigabytes that it may take."""
    report(f"{what}, peak memory", finished.peak / GIGABYTE, " GB", most)
