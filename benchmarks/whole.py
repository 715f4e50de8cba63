"""Whole jobs as processes: `anonduck run` on ARX's Adult beside ARX's whole job, as `init` proposes, and on 20 million.

Adult (30,162 records, 8 quasi-identifiers, ARX's hierarchies) by its optimum in loss, and Adult 166 times to CSV. `run`
also audits what it writes, and writes receipt, dictionary and report; ARX reads, searches and writes a CSV file. With
``--arx COMMAND`` both sides run by turns. In the command, {table}, {hierarchies} (a folder), {k}, {suppression} and
{output} are replaced, such as

    --arx 'java -cp libarx-3.9.2.jar:. Whole {table} {hierarchies} {k} {suppression} {output}'

after ``javac -cp libarx-3.9.2.jar Whole.java``, with ARX's jar or what its sources compile to. Without, ARX's figures
are those of version 3.9.2 on Java 17 and two idle cores, measured by turns with an earlier version of anonduck.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import shutil
import statistics
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import measuring
import synthetic
from data_sets import FILES, data

MEGABYTE = 1 << 20
COMPILED = {"PYTHONDONTWRITEBYTECODE": ""}
"""Python keeps what it compiles, as it does unless it is told not to."""
EIGHT = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")
ADULT = 30_162
REPLICATED = """
COPY (
    SELECT sex, greatest(17, least(90, age + (hash(number * 64 + copied) % 5)::INTEGER - 2)) AS age,
        * EXCLUDE (sex, age, number, copied)
    FROM (SELECT *, row_number() OVER () AS number FROM read_csv({source}, delim = ';'))
    CROSS JOIN range({copies}) AS copies(copied)
    LIMIT {rows}
) TO {target} (HEADER, DELIMITER ';')
"""
"""Adult so many times, each age moved by up to two years."""


@dataclass(frozen=True)
class Case:
    """A table, what is required of its release, and ARX's figures: processor seconds, seconds, megabytes."""

    rows: int
    k: int
    suppression: float
    arx: tuple[float, float, float]


CASES = {
    "none": Case(ADULT, 5, 0.0, (2.88, 1.60, 342)),
    "five": Case(ADULT, 5, 0.05, (3.97, 2.28, 364)),
    "large": Case(5_000_000, 825, 0.05, (15.1, 11.7, 2397)),
}
CUSTOMERS = 200_000
STATEMENTS = 200
"""So many statements a whole job may issue."""
TARGETS = (("processor seconds", 0.6), ("seconds", 0.6), ("peak memory", 0.5))


def main() -> None:
    """Run the cases that are named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    named = [*CASES, "default", "twenty"]
    parser.add_argument("cases", nargs="*", metavar="CASE", default=named, help=f"of {', '.join(named)}")
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--rows", type=int, default=synthetic.ROWS, help="of `twenty`")
    parser.add_argument("--arx", metavar="COMMAND", help="what runs ARX's whole job; see above")
    options = parser.parse_args()
    for name in options.cases:
        if name in CASES:
            compare(CASES[name], options.times, options.arx)
        elif name == "default":
            default(options.times)
        else:
            twenty(options.rows)


def compare(case: Case, times: int, arx: str | None) -> None:
    """Run one case, by turns with ARX where it is there, and print ratios of medians."""
    home = folder(case)
    known = {"table": table(case.rows), "hierarchies": data() / "arx", "k": case.k, "suppression": case.suppression}
    theirs = [part.format_map({**known, "output": home / "arx.csv"}) for part in shlex.split(arx or "")]
    runs = [(run(home), measuring.process(theirs) if theirs else None) for _ in range(times + 1)][1:]
    released = json.loads(runs[-1][0].output)["release"]
    print(f"{case.rows:,} rows, k = {case.k:,}, {case.suppression:.0%} may be left out")
    print(f"  k = {released['k']:,}, {released['classes']:,} classes, {released['suppressed']:,} left out")
    found = figures([ours for ours, _ in runs])
    against = figures([other for _, other in runs if other]) if theirs else case.arx
    for name, one in (("anonduck", found), (f"ARX{'' if theirs else ' (not run)'}", against)):
        print(f"  {name} {one[0]:.2f} CPU s, {one[1]:.2f} s, {one[2]:,.0f} MB")
    for (what, most), one, other in zip(TARGETS, found, against, strict=True):
        measuring.report(f"  ours / ARX, {what}", one / other, "", most)
    measuring.report("  statements", statements(home), "", STATEMENTS)


def figures(runs: Sequence[measuring.Finished]) -> tuple[float, float, float]:
    """Medians of processor seconds, seconds and megabytes."""
    reads: tuple[Callable[[measuring.Finished], float], ...] = (
        lambda one: one.processor,
        lambda one: one.seconds,
        lambda one: one.peak / MEGABYTE,
    )
    first, second, third = (statistics.median(map(read, runs)) for read in reads)
    return first, second, third


def folder(case: Case) -> Path:
    """A folder with the config of a case."""
    home = synthetic.folder() / f"whole-{case.rows}-{case.suppression}"
    home.mkdir(exist_ok=True)
    files = {name: {"file": str(data() / "arx" / f"adult_hierarchy_{name}.csv")} for name in EIGHT}
    config = {
        "source": str(table(case.rows)),
        "class": "salary-class",
        "quasi_identifiers": EIGHT,
        "taxonomies": files,
        "requirement": {"k": case.k, "suppression": case.suppression},
        "measures": ["loss"],
        "methods": ["rules"],
        "select": "loss",
        "models": [],
    }
    (home / "anonduck.yml").write_text(json.dumps(config), encoding="utf-8")
    return home


def table(rows: int) -> Path:
    """Adult with so many rows, written first where it is missing."""
    source, path = data() / "arx" / "adult.csv", synthetic.folder() / f"adult-{rows}.csv"
    if rows == ADULT:
        return source
    if not path.exists():
        told = {"source": f"'{source}'", "target": "{target}", "rows": rows, "copies": -(-rows // ADULT)}
        synthetic.write(REPLICATED.format_map(told), path)
    return path


def whole_job(home: Path) -> list[str]:
    """The command of the whole job, from nothing."""
    for old in home.glob("anonduck.duckdb*"):
        shutil.rmtree(old) if old.is_dir() else old.unlink()
    return measuring.anonduck("run", "--json", "--overwrite", "-p", str(home), "-o", str(home / "out.csv"))


def run(home: Path) -> measuring.Finished:
    """The whole job."""
    return measuring.process(whole_job(home), environment=COMPILED)


def statements(home: Path) -> int:
    """How many statements the whole job issues, as ``--show-sql`` lists them, each under a line with its time."""
    shown = subprocess.run([*whole_job(home), "--show-sql"], capture_output=True, text=True, check=True).stderr
    return len(re.findall(r"^-- .*: [0-9.]+ ms, ", shown, flags=re.MULTILINE))


def default(times: int) -> None:
    """`run` as `init` proposes it, of two real tables and of made-up customers."""
    from offer import customers

    for name in ("adult", "bank", "customers"):
        home = synthetic.folder() / f"whole-default-{name}"
        home.mkdir(exist_ok=True)
        file, of_class = FILES.get(name, (None, "left"))
        source = data() / file if file else home / "customers.csv"
        if not file:
            customers(CUSTOMERS).to_csv(source, index=False)
        measuring.process(measuring.anonduck("init", str(source), "--class", of_class, "-p", str(home), "--overwrite"))
        processor, seconds, megabytes = figures([run(home) for _ in range(times)])
        measuring.report(f"default run on {name}", processor, " CPU s", 25)
        print(f"  {seconds:.1f} s, {megabytes:,.0f} MB")


def twenty(rows: int) -> None:
    """`run` on 20 million records: with generalized columns and the class only, and with columns that ride along."""
    for riding in (False, True):
        config = synthetic.config("run-riding" if riding else "run", rows, riding=riding)
        target = config.parent / "released.parquet"
        finished = measuring.process(measuring.anonduck("run", "-p", str(config), "-o", str(target), "--overwrite"))
        what = "run with two columns that ride along" if riding else "run"
        measuring.report(what, finished.seconds, " s", 180)
        measuring.report(f"{what}, peak memory", finished.peak / measuring.GIGABYTE, " GB", 4)


if __name__ == "__main__":
    main()
