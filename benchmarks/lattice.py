"""`discover --search lattice`: the optimum in loss as one process, beside ARX 3.9.2 on the same data and loss.

Reads ARX's Adult and hierarchies from the evaluation data (ANONDUCK_DATA). The large tables are Adult replicated, each
age moved by up to two years. Both sides read CSV and hierarchies and start from nothing; 50 million rows come from
Parquet. ARX's figures (Java 17, two busy cores) are constants here.
"""

from __future__ import annotations

import argparse
import json
import os
from dataclasses import dataclass
from pathlib import Path

import measuring
import synthetic

EIGHT = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")
GIGABYTE = measuring.GIGABYTE
MEGABYTE = 1 << 20

_REPLICATED = """
COPY (
    SELECT
        sex,
        greatest(17, least(90, age + (hash(number * 64 + copied) % 5)::INTEGER - 2)) AS age,
        * EXCLUDE (sex, age, number, copied)
    FROM (SELECT *, row_number() OVER () AS number FROM read_csv({source}, delim = ';'))
    CROSS JOIN range($copies) AS copies(copied)
    LIMIT {rows}
) TO {target} {format}
"""


@dataclass(frozen=True)
class Case:
    """A table, its k and suppression, and what ARX takes: seconds and bytes, None where it cannot be run."""

    rows: int
    k: int
    suppression: float
    seconds: float | None
    memory: float

    @property
    def name(self) -> str:
        """What the case is called."""
        return f"{self.rows:,} rows, k = {self.k:,}, {self.suppression:.0%} suppressed"


CASES = {
    "adult": (
        Case(30_162, 5, 0.0, 2.1, 351 * MEGABYTE),
        Case(30_162, 5, 0.05, 3.1, 396 * MEGABYTE),
    ),
    "five": (
        Case(5_000_000, 825, 0.0, 8.2, 2.0 * GIGABYTE),
        Case(5_000_000, 825, 0.05, 11.1, 2.25 * GIGABYTE),
    ),
    "fifty": (
        Case(50_000_000, 8_250, 0.0, None, 8 * GIGABYTE),
        Case(50_000_000, 8_250, 0.05, None, 8 * GIGABYTE),
    ),
}


def main() -> None:
    """Run the cases that are named, each several times; the best run counts, for the machine may be busy."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("cases", nargs="*", metavar="CASE", default=list(CASES), help=f"of {', '.join(CASES)}")
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--inner", type=int, metavar="ROWS", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inner:
        write(options.inner)
        return
    for name in options.cases:
        for case in CASES[name]:
            measure(case, options.times)


def measure(case: Case, times: int) -> None:
    """Run one case and print it beside ARX."""
    runs = [searched(case) for _ in range(times)]
    best = min(runs, key=lambda run: run.seconds)
    lattice = json.loads(best.output)["lattice"]
    assert lattice["optimal"], lattice
    print(
        f"{case.name}: loss {lattice['value']:.4f}, {lattice['evaluated']:,} of {lattice['nodes']:,} vectors evaluated"
    )
    print(f"  {best.seconds:.2f} s, {best.processor:.2f} s of processor time, {best.peak / MEGABYTE:,.0f} MB")
    if case.seconds is not None:
        measuring.report("  ours / ARX, seconds", best.seconds / case.seconds, "", 1)
    measuring.report("  ours / ARX (or the limit), memory", max(run.peak for run in runs) / case.memory, "", 1)


def searched(case: Case) -> measuring.Finished:
    """The search as a process of its own, without an earlier decision database."""
    home = synthetic.folder() / "lattice"
    home.mkdir(exist_ok=True)
    for old in home.glob("anonduck.duckdb*"):
        old.unlink()
    config = home / "anonduck.yml"
    config.write_text(config_text(case), encoding="utf-8")
    options = ["--search", "lattice", "--model", "none", "--optimum-only", "--json"]
    return measuring.process(measuring.anonduck("discover", "-p", str(config), *options))


def config_text(case: Case) -> str:
    """The config of a case."""
    files = {name: str(arx() / f"adult_hierarchy_{name}.csv") for name in EIGHT}
    return json.dumps(
        {
            "source": str(table(case.rows)),
            "class": "salary-class",
            "quasi_identifiers": EIGHT,
            "taxonomies": {name: {"file": file} for name, file in files.items()},
            "requirement": {"k": case.k, "suppression": case.suppression},
            "measures": ["loss"],
            "select": "loss",
        }
    )


def arx() -> Path:
    """The folder of ARX's files."""
    given = os.environ.get("ANONDUCK_DATA")
    folder = Path(given) if given else Path(__file__).parents[2] / "shared" / "data"
    return folder / "arx"


def table(rows: int) -> Path:
    """The table with so many rows, written first where it is missing: by a process of its own, as a child's peak memory
    is at least what its parent takes."""
    if rows == 30_162:
        return arx() / "adult.csv"
    kind = "csv" if rows <= 5_000_000 else "parquet"
    path = synthetic.folder() / f"adult-{rows}.{kind}"
    if not path.exists():
        measuring.inner(__file__, str(rows))
    return path


def write(rows: int) -> None:
    """Write the table with so many rows."""
    import duckdb

    kind = "csv" if rows <= 5_000_000 else "parquet"
    path = synthetic.folder() / f"adult-{rows}.{kind}"
    unfinished = path.with_suffix(".unfinished")
    written = "(FORMAT csv, DELIMITER ';')" if kind == "csv" else "(FORMAT parquet)"
    query = _REPLICATED.replace("{rows}", str(rows)).replace("{format}", written)
    for marker, name in (("{source}", arx() / "adult.csv"), ("{target}", unfinished)):
        query = query.replace(marker, "'" + str(name).replace("'", "''") + "'")
    with duckdb.connect() as connection:
        connection.execute("SET memory_limit = '2GB'")
        connection.execute(query, {"copies": rows // 30_162 + 1})
    unfinished.rename(path)


if __name__ == "__main__":
    main()
