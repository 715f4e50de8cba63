"""What all benchmarks share: whole processes with their peak memory, and figures beside their targets."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

GIGABYTE = 1 << 30


EVERY = 0.1
TICKS, PAGE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
DATABASE = "anonduck.duckdb"


@dataclass(frozen=True)
class Finished:
    """A process that ended well: wall and processor time in seconds, peak resident memory in bytes, what it printed;
    where its project was watched, the most bytes of spill files and of the decision database."""

    seconds: float
    processor: float
    peak: int
    output: str
    spilled: int = 0
    database: int = 0


def process(
    command: Sequence[str], *, environment: dict[str, str] | None = None, watched: Path | None = None
) -> Finished:
    """Run a command to its end; its standard output is kept, errors stop the benchmark.

    Where the folder of its project is ``watched``, all that the process starts counts too.
    """
    used: dict[int, float] = {}
    resident = spilled = database = 0
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        start = time.perf_counter()
        child = subprocess.Popen(command, stdout=output, env={**os.environ, **(environment or {})})
        ended = 0
        while not ended:
            ended, status, usage = os.wait4(child.pid, os.WNOHANG if watched else 0)
            if watched:
                family = descendants(child.pid)
                used |= {number: seconds for number, seconds, _ in family}
                resident = max(resident, sum(held for *_, held in family))
                spilled = max(spilled, sum(map(size, (watched / f"{DATABASE}.tmp").rglob("*"))))
                database = max(database, sum(size(watched / f"{DATABASE}{end}") for end in ("", ".wal")))
                time.sleep(0 if ended else EVERY)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        printed = output.read()
    if child.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {child.returncode}\n{printed}")
    peak = max(resident, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024))
    processor = max(sum(used.values()), usage.ru_utime + usage.ru_stime)
    return Finished(seconds, processor, peak, printed, spilled, database)


def descendants(root: int) -> list[tuple[int, float, int]]:
    """A process and all that it started: numbers, processor seconds, resident bytes."""
    parents: dict[int, int] = {}
    used: dict[int, tuple[float, int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        number = int(path.parent.name)
        parents[number] = int(fields[1])
        used[number] = ((int(fields[11]) + int(fields[12])) / TICKS, int(fields[21]) * PAGE)
    return [(number, *used[number]) for number in used if _is_below(number, root, parents)]


def _is_below(number: int, root: int, parents: dict[int, int]) -> bool:
    while number and number != root:
        number = parents.get(number, 0)
    return number == root


def size(path: Path) -> int:
    """The bytes of a file, 0 of a folder and of one that is gone."""
    try:
        return path.stat().st_size if path.is_file() else 0
    except OSError:
        return 0


def anonduck(*arguments: str) -> list[str]:
    """The command line of anonduck under this interpreter."""
    return [sys.executable, "-m", "anonduck", *arguments]


def report(what: str, value: float, unit: str, most: float) -> None:
    """Print a figure beside its target."""
    print(f"{what}: {value:,.2f}{unit} (target <= {most:g}{unit}: {'met' if value <= most else 'MISSED'})", flush=True)
