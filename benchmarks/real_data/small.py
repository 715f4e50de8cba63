"""Small tables through the command line with default settings: init, discover, frontier, release, audit."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.real_data.data_sets import SMALL_TABLES, SmallTable
from benchmarks.real_data.results import write_result


def measure_small(data: Path, results: Path, say: Callable[[str], None]) -> None:
    """Take every small table from its CSV to an audited release and write ``small.json``."""
    lines = {}
    for table in SMALL_TABLES:
        with tempfile.TemporaryDirectory() as folder:
            lines[table.file] = decide(table, data, Path(folder))
        say(f"{table.file}: {lines[table.file]['seconds']} s")
    write_result(results / "small.json", lines)


def decide(table: SmallTable, data: Path, folder: Path) -> dict[str, Any]:
    """Every command that a person would type, in an empty folder."""
    started = time.perf_counter()
    profile = anonduck(folder, "init", str((data / table.file).resolve()), "--class", table.class_)
    discovery = anonduck(folder, "discover")
    front = anonduck(folder, "frontier")
    result = {
        "identifiers": [c["name"] for c in profile["columns"] if c["role"] == "identifiers"],
        "quasi_identifiers": sum(c["role"] == "quasi_identifiers" for c in profile["columns"]),
        "baseline": discovery["baseline"],
        "rows": discovery["rows"],
        "coverages": discovery["coverages"],
        "rules": len(discovery["rules"]),
        "frontier": len(front["rules"]),
    }
    if front["rules"]:
        best = max(front["rules"], key=lambda rule: rule["accuracy"]["tree"])
        anonduck(folder, "release", best["id"], "-o", "released.csv")
        audit = anonduck(folder, "audit", "released.csv", "--class", table.class_, "--require", "k=5")
        result |= {"best": best, "audited_k": audit["k"], "released_rows": audit["rows"]}
    return {**result, "seconds": round(time.perf_counter() - started, 1)}


def anonduck(folder: Path, *arguments: str) -> Any:
    """The JSON document that a command prints; raises RuntimeError with its stderr if it fails."""
    command = [sys.executable, "-m", "anonduck", *arguments, "--json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"anonduck {' '.join(arguments)} exits {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)
