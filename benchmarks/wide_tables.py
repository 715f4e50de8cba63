"""`init` and `discover` of tables that are wide, nearly unique or long, and of the real ones as `init` proposes them.

Each command is a process of its own, in a folder without an earlier decision database. The made-up tables come from
hashes of the record's number, so that they are the same everywhere. A record has one of several hundred kinds; most
columns lean on it, some by a little and some by much, a few are proxies of others, and a few are chance alone.
"""

from __future__ import annotations

import argparse
import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import measuring
import synthetic
from data_sets import FILES, data

SECONDS = 60.0
GIGABYTES = 2.0
TIMES_SOURCE = 20
LEAST_DATABASE = 200_000_000
CLASS = "outcome"

COLUMNS = (
    ("number", "(noisy % {size})::INTEGER"),
    ("text", "'{name} ' || (noisy % {size})"),
    ("amount", "round((noisy % {size}) * 12.5 + (own % 40) / 4, 2)"),
    ("date", "DATE '1940-01-01' + (noisy % {size})::INTEGER * 3"),
    ("flag", "['yes', 'no', NULL][1 + (noisy % 3)::INTEGER]"),
    ("code", "printf('%05d', (noisy % {size}) * 7)"),
)
SIZES = (7, 90, 1500, 6000, 3, 800, 24, 4, 12_000, 365, 3, 40)


@dataclass(frozen=True)
class Table:
    """A made-up table: how many columns and records, how many kinds of record, and how often chance decides in 16."""

    columns: int
    rows: int
    kinds: int
    chance: int

    @property
    def query(self) -> str:
        """The records, one column of each kind after the other."""
        names = [f"{COLUMNS[i % len(COLUMNS)][0]}_{i + 1}" for i in range(self.columns)]
        columns = ", ".join(self._column(i, name) for i, name in enumerate(names))
        return f"""
            WITH drawn AS (
                SELECT i, (pow(hash(i * 64) / 18446744073709551616.0, 1.5) * {self.kinds})::INTEGER AS kind
                FROM range({self.rows}) AS numbers(i)
            )
            SELECT {columns},
                CASE WHEN hash(i * 64 + 63) % 100 < 12 + 60 * ((kind % 7 < 3)::INTEGER * (kind % 5 > 0)::INTEGER)
                    THEN 'good' ELSE 'bad' END AS {CLASS}
            FROM drawn
        """

    def _column(self, number: int, name: str) -> str:
        form = COLUMNS[number % len(COLUMNS)][1].format(size=SIZES[number % len(SIZES)], name=name)
        like = number - 6 if number % 11 == 10 else number  # a proxy of an earlier column
        own = f"hash(i * 64 + {number % 61 + 1} + {number // 61} * 1000003)"
        leaning = f"hash(kind * 101 + {like})"
        luck = (self.chance + 5 * (number % 3)) % 17
        noisy = f"(CASE WHEN {own} % 16 < {luck} THEN {own} // 16 ELSE {leaning} END)"
        return f"{form.replace('noisy', noisy).replace('own', own)} AS {name}"


MADE_UP = {
    "23 columns": Table(23, 30_000, 600, 6),
    "60 columns": Table(60, 5_000, 200, 4),
    "12 columns": Table(12, 3_000_000, 900, 1),
}


def main() -> None:
    """Run the named tables (by default all) and print a line each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=f"of {', '.join([*MADE_UP, *FILES])}; default: all")
    parser.add_argument("--k", type=int, default=10)
    options = parser.parse_args()
    for name in options.tables or [*MADE_UP, *FILES]:
        run(name, options.k)


def run(name: str, k: int) -> None:
    """`init` and `discover` of a table."""
    file, class_ = FILES.get(name, (None, CLASS))
    source = data() / file if file else export(name)
    home = synthetic.folder() / "wide" / name.replace(" ", "-")
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    config = home / "anonduck.yml"
    told = ["--identifier=id"] if name == "breast-cancer" else []
    init = ["init", str(source), "--class", class_, *told, "-p", str(config)]
    begun = measuring.process(measuring.anonduck(*init))
    command = measuring.anonduck("discover", "-p", str(config), "--min-k", str(k), "--json")
    found = measuring.process(command, watched=home)
    print(f"{name}: init {begun.seconds:.1f} s ({begun.processor:.1f} s of processor time); {outcome(found.output)}")
    print(f"  {found.processor:.1f} s of processor time, {found.spilled / 1e6:,.0f} MB spilled at most")
    measuring.report("  discover", found.seconds, " s", SECONDS)
    measuring.report("  peak memory", max(begun.peak, found.peak) / measuring.GIGABYTE, " GB", GIGABYTES)
    bound = max(TIMES_SOURCE * source.stat().st_size, LEAST_DATABASE) / 1e6
    measuring.report("  decision database at its largest", found.database / 1e6, " MB", bound)
    left = sum(map(measuring.size, home.rglob("anonduck.duckdb*")))
    print(f"  {left / 1e6:,.1f} MB left; source {source.stat().st_size / 1e6:,.1f} MB", flush=True)


def outcome(printed: str) -> str:
    """How many rules there are, and whether they are all."""
    document = json.loads(printed)
    pairs = document.get("pairs") or {}
    told = [f"{len(document['rules'])} rules", "incomplete" if document.get("incomplete") else "complete"]
    if pairs:
        told.append(f"{pairs['joined_records']:,} records joined, {pairs['patterns']:,} patterns")
    return ", ".join(told)


def export(name: str) -> Path:
    """The path of a made-up table, written first where it is missing."""
    path = synthetic.folder() / f"{name.replace(' ', '-')}.csv"
    if not path.exists():
        synthetic.write(f"COPY ({MADE_UP[name].query}) TO {{target}}", path)
    return path


if __name__ == "__main__":
    main()
