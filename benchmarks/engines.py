"""`discover` and `run` of one table by DuckDB and by Spark, at several sizes: processor time, memory, spill.

The table is that of benchmarks/synthetic.py, whose distinct combinations grow no further than 98 thousand. Each command
is a process of its own, on `--cores` threads; what Java takes counts as Spark's. Releases are compared as multisets of
rows, and rules by all that `rules --json` says of them.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import measuring
import synthetic

EVERY = 0.1
LEVEL_VECTORS = 300  # of the search, which is the same wherever the source is
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
COLUMNS = ("records", "engine", "command", "seconds", "CPU s", "resident", "spilled", "combinations", "differ")


@dataclass
class Watched:
    """A command that ended: seconds, processor seconds of it and all that it started, peaks of memory and spill."""

    seconds: float
    processor: float
    resident: int
    spilled: int
    output: str


def main() -> None:
    """Print a row for each size, engine and command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", type=int, nargs="*", default=[1_000_000, 4_000_000, 20_000_000])
    parser.add_argument("--engine", nargs="*", choices=("duckdb", "spark"), default=["duckdb", "spark"])
    parser.add_argument("--memory-limit", help="of DuckDB, such as 2GB")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--riding", action="store_true", help="release two columns as they are, beside the others")
    options = parser.parse_args()
    print("| " + " | ".join(COLUMNS) + " |\n|" + " --- |" * len(COLUMNS), flush=True)
    for rows in options.rows:
        found: dict[str, tuple[object, Path]] = {}
        for engine in options.engine:
            found[engine] = measured(engine, rows, options)
        if len(found) == 2:
            compare(rows, found["duckdb"], found["spark"])


def measured(engine: str, rows: int, options: argparse.Namespace) -> tuple[object, Path]:
    """Print the rows of an engine; its rules and its release."""
    limit = {"memory_limit": options.memory_limit} if options.memory_limit else {}
    settings = {"threads": options.cores, "models": "[]", "holdout": 0, "select": "information_gain", **limit}
    settings["budget"] = LEVEL_VECTORS
    if engine == "spark":
        settings["engine"] = f'{{kind: spark, master: "local[{options.cores}]"}}'
    config = synthetic.config(f"engine-{engine}-{rows}", rows, riding=options.riding, **settings)
    target = config.parent / ("folder.parquet" if engine == "spark" else "file.parquet")
    shutil.rmtree(target, ignore_errors=True)
    out = f"{target}/" if engine == "spark" else str(target)
    home = config.parent
    discovered = watched(measuring.anonduck("discover", "-p", str(config), "--json"), home)
    with duckdb.connect(home / "anonduck.duckdb", read_only=True) as decided:
        ((combinations,),) = decided.sql("SELECT count(*) FROM frequency_set").fetchall()
    row(rows, engine, "discover", discovered, f"{combinations:,}")
    ran = watched(measuring.anonduck("run", "-p", str(config), "-o", out, "--overwrite", "--json"), home)
    row(rows, engine, "run", ran, "")
    rules = json.loads(watched(measuring.anonduck("rules", "-p", str(config), "--json"), home).output)
    return rules, target


def compare(rows: int, one: tuple[object, Path], other: tuple[object, Path]) -> None:
    """Print how many rules and how many released rows differ between two engines."""
    rules = sum(a != b for a, b in zip(one[0]["rules"], other[0]["rules"], strict=True))  # type: ignore[index]
    first, second = f"'{one[1]}'", f"'{other[1]}/*.parquet'"
    either = " UNION ALL ".join(
        f"SELECT count(*) FROM (FROM {a} EXCEPT ALL FROM {b})" for a, b in ((first, second), (second, first))
    )
    differing = sum(count for (count,) in duckdb.sql(either).fetchall())
    print(f"| {rows:,} | both | rules, rows |  |  |  |  |  | {rules}, {differing} |", flush=True)


def row(rows: int, engine: str, command: str, found: Watched, combinations: object) -> None:
    """Print a row of the table."""
    sizes = (f"{size / 1e9:.2f} GB" for size in (found.resident, found.spilled))
    cells = [f"{rows:,}", engine, command, f"{found.seconds:.0f}", f"{found.processor:.0f}", *sizes, combinations, ""]
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def watched(command: Sequence[str], home: Path) -> Watched:
    """Run a command and look at it and all that it starts until it ends."""
    start = time.perf_counter()
    output = home / "printed"
    with output.open("w") as printed:
        child = subprocess.Popen(command, stdout=printed)
        seen: dict[int, float] = {}
        resident = spilled = 0
        while child.poll() is None:
            family = descendants(child.pid)
            seen |= {pid: used for pid, used, _ in family}
            resident = max(resident, sum(held for *_, held in family))
            spilled = max(spilled, sum(size(path) for path in (home / "anonduck.duckdb.tmp").glob("*")))
            time.sleep(EVERY)
    if child.returncode:
        sys.exit(f"{' '.join(command)} ended with {child.returncode}\n{output.read_text()}")
    return Watched(time.perf_counter() - start, sum(seen.values()), resident, spilled, output.read_text())


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
    """The bytes of a file, 0 of one that is gone."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


if __name__ == "__main__":
    main()
