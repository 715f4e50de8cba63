"""The synthetic export of the benchmarks: records of 8 quasi-identifiers, a class, and columns that ride along.

Each record has one of 49,000 kinds of person, the first kinds more often than the last; a kind fixes the
quasi-identifiers and favours one of two classes, so that 20 million records hold about 98 thousand distinct
combinations. Everything comes from hashes of the record's number, so that the same size gives the same
file whatever the threads.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

import duckdb

QUASI_IDENTIFIERS = ("age", "sex", "region", "zip", "job", "education", "marital", "income")
CLASS = "churned"
SENSITIVE = "diagnosis"
INSENSITIVE = "spent"
ROWS = 20_000_000

_QUERY = """
COPY (
    WITH drawn AS (
        SELECT
            (pow(hash(4 * i) / 18446744073709551616.0, 1.3) * 49000)::INTEGER AS kind,
            hash(4 * i + 1) % 100 AS luck,
            hash(4 * i + 2) % 997 AS illness,
            hash(4 * i + 3) % 100000 AS cents
        FROM range($rows) AS numbers(i)
    ), persons AS (
        SELECT
            18 + (hash(8 * kind + 1) % 73)::INTEGER AS age,
            ['female', 'male'][1 + (hash(8 * kind + 2) % 2)::INTEGER] AS sex,
            (hash(8 * kind + 3) % 20)::INTEGER AS area,
            (hash(8 * kind + 4) % 20)::INTEGER AS quarter,
            (hash(8 * kind + 5) % 16)::INTEGER AS work,
            (hash(8 * kind + 6) % 5)::INTEGER AS home,
            (hash(8 * kind + 7) % 40)::INTEGER AS extra,
            *
        FROM drawn
    )
    SELECT
        age,
        sex,
        'region ' || area AS region,
        printf('%02d%03d', area + 10, quarter * 7) AS zip,
        'job ' || work AS job,
        ['none', 'primary', 'secondary', 'bachelor', 'master', 'doctor'][1 + (work + extra) % 6] AS education,
        ['single', 'married', 'divorced', 'widowed', 'other'][1 + home] AS marital,
        1000 + 250 * extra + 100 * work AS income,
        CASE WHEN luck < 15 + 60 * ((age > 45)::INTEGER * (work % 2)) THEN 'yes' ELSE 'no' END AS churned,
        'D' || illness AS diagnosis,
        cents / 100.0 AS spent
    FROM persons
) TO {target} (FORMAT parquet)
"""


def folder() -> Path:
    """Where benchmark data goes: ANONDUCK_BENCHMARKS, or a folder of the system's temporary files."""
    chosen = os.environ.get("ANONDUCK_BENCHMARKS") or Path(tempfile.gettempdir()) / "anonduck-benchmarks"
    path = Path(chosen)
    path.mkdir(parents=True, exist_ok=True)
    return path


def export(rows: int = ROWS) -> Path:
    """The path of the export with that many records, written first where it is missing."""
    path = folder() / f"persons-{rows}.parquet"
    if not path.exists():
        print(f"writing {rows:,} records to {path}", flush=True)
        write(_QUERY.replace("$rows", str(rows)), path)
    return path


def write(query: str, path: Path) -> None:
    """Write what a COPY to ``{target}`` makes, and put it in place when it is whole."""
    unfinished = path.with_suffix(".unfinished")
    with duckdb.connect() as connection:
        connection.execute("SET memory_limit = '2GB'")
        connection.execute(query.replace("{target}", "'" + str(unfinished).replace("'", "''") + "'"))
    unfinished.rename(path)


def config(name: str, rows: int = ROWS, *, riding: bool = False, **settings: object) -> Path:
    """A config for that export, in a folder of its own without an earlier decision database."""
    home = folder() / name
    home.mkdir(exist_ok=True)
    for old in home.glob("anonduck.duckdb*"):
        if old.is_file():
            old.unlink()
    lines = [f"source: {export(rows)}", f"class: {CLASS}", f"quasi_identifiers: [{', '.join(QUASI_IDENTIFIERS)}]"]
    if riding:
        lines += [f"sensitive: [{SENSITIVE}]", f"insensitive: [{INSENSITIVE}]"]
    lines += [f"{key}: {value}" for key, value in settings.items()]
    path = home / "anonduck.yml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def main() -> None:
    """Write the export."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", type=int, default=ROWS)
    print(export(parser.parse_args().rows))


if __name__ == "__main__":
    main()
