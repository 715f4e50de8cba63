"""`discover` and `run` of one table by DuckDB and by Spark, at several sizes: processor time, memory, spill.

The table is that of benchmarks/synthetic.py, whose distinct combinations grow no further than 98 thousand. Each command
is a process of its own, on `--cores` threads; what Java takes counts as Spark's. Releases are compared as multisets of
rows, and rules by all that `rules --json` says of them.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

import duckdb
import measuring
import synthetic

LEVEL_VECTORS = 300  # of the search, which is the same wherever the source is
COLUMNS = ("records", "engine", "command", "seconds", "CPU s", "resident", "spilled", "combinations", "differ")


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
    discovered = measuring.process(measuring.anonduck("discover", "-p", str(config), "--json"), watched=home)
    with duckdb.connect(home / "anonduck.duckdb", read_only=True) as decided:
        ((combinations,),) = decided.sql("SELECT count(*) FROM frequency_set").fetchall()
    row(rows, engine, "discover", discovered, f"{combinations:,}")
    command = measuring.anonduck("run", "-p", str(config), "-o", out, "--overwrite", "--json")
    ran = measuring.process(command, watched=home)
    row(rows, engine, "run", ran, "")
    rules = json.loads(measuring.process(measuring.anonduck("rules", "-p", str(config), "--json")).output)
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


def row(rows: int, engine: str, command: str, found: measuring.Finished, combinations: object) -> None:
    """Print a row of the table."""
    sizes = (f"{size / 1e9:.2f} GB" for size in (found.peak, found.spilled))
    cells = [f"{rows:,}", engine, command, f"{found.seconds:.0f}", f"{found.processor:.0f}", *sizes, combinations, ""]
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


if __name__ == "__main__":
    main()
