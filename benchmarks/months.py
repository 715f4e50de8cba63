"""Twelve made-up months of 25,000 persons, released by a lock that is never renewed: what becomes of detail and k.

Each month 3 % of the persons go, 2 % become what another person is, and as many new ones come as 5 % of the first
month. The config is the one that `init` proposes. Each month is a run with `--locked --source`, whose file is then read
without anonduck: k, classes and detail (1 - NCP) by its labels, and how many of its classes, as labels, stood in the
file of the month before. Beside it stand the same month cut anew with the same taxonomies, and what the owner's file
says was merged. The last row is of entirely other persons. A month in which a record is left out, or k is missed, is an
error; what twelve months cost stands beside its target.

    python months.py --method mondrian --k 5 25
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
from measuring import report

from anonduck import Project
from anonduck.demo.demo import CLASS, GENERALIZED, KEPT
from anonduck.demo.export import write_demo_export
from anonduck.init.init import initialize

COLUMNS = ("age", "sex", "postcode", "job", "education", "marital_status", GENERALIZED)
METHODS = ("mondrian", "mondrian:splits=entropy", "guided")
NEW, GONE, CHANGED = 0.05, 0.03, 0.02
POINTS = 2.0
OF_VALUE = re.compile(r"[\[(](.+), (.+)\)")


@dataclass(frozen=True)
class Released:
    """A release as its file says: k, its classes as labels, and the share of detail that it keeps."""

    k: int
    classes: frozenset[tuple[str, ...]]
    detail: float


def months(persons: int, number: int, seed: int) -> Iterator[tuple[str, pd.DataFrame]]:
    """The first month, so many more, and as many persons who were in none of them."""
    drawn = round(persons * (2 + number * (NEW + 2 * CHANGED)))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "persons.parquet"
        write_demo_export(file, rows=drawn, seed=seed)
        pool = pd.read_parquet(file)
    random = np.random.default_rng(seed)
    table, taken = pool[:persons], 2 * persons
    yield "first", table
    for month in range(1, number + 1):
        staying = table[random.random(len(table)) >= GONE]
        changed = random.random(len(staying)) < CHANGED
        coming = pool[taken : taken + round(persons * NEW) + changed.sum()]
        taken += len(coming)
        table = pd.concat([staying[~changed], coming], ignore_index=True)
        yield str(month), table
    yield "fresh", pool[persons : 2 * persons]


def costs(database: Path) -> dict[str, dict[str, float]]:
    """By column and label the share of the column's range, or of its leaves, that the label spans; 0 of a value."""
    found = {}
    with duckdb.connect(str(database), read_only=True) as connection:
        for name in COLUMNS:
            rows = connection.execute(f"SELECT COLUMNS('^value$|^level_') FROM taxonomy.\"{name}\"").fetchall()
            values = [row[0] for row in rows if row[0] is not None]
            numeric = not isinstance(values[0], str)
            least, most = min(values), max(values)
            of_label: dict[str, float] = {}
            for label in {str(one) for row in rows for one in row}:
                under = sum(any(str(one) == label for one in row) for row in rows)
                share = under / len(rows) if under > 1 else 0.0
                if numeric and (ends := OF_VALUE.fullmatch(label)):
                    first, last = (float(one) for one in ends.groups())
                    share = (min(last, most) - max(first, least)) / (most - least)
                of_label[label] = share
            found[name] = of_label | {"*": 1.0}
    return found


def read_release(file: Path, of_label: dict[str, dict[str, float]]) -> Released:
    """What a file holds, by plain queries; a label that stands for nothing known is a KeyError."""
    names = ", ".join(f'"{name}"' for name in COLUMNS)
    text = f"SELECT {names}, count(*) AS records FROM '{file}' GROUP BY ALL"
    with duckdb.connect() as connection:
        shown = connection.execute(text).df()
    total = shown["records"].sum()
    lost = sum(
        (
            shown[name].map(lambda label, of=of_label[name]: 0.0 if pd.isna(label) else of[label]) * shown["records"]
        ).sum()
        for name in COLUMNS
    )
    classes = frozenset(map(tuple, shown[list(COLUMNS)].astype(str).to_numpy().tolist()))
    return Released(int(shown["records"].min()), classes, 1 - lost / (total * len(COLUMNS)))


def measure(method: str, k: int, folder: Path, asked: argparse.Namespace) -> None:
    """Print a row for each month, and the drift."""
    name, _, entropy = method.partition(":")
    config, first, before, of_label = folder / "anonduck.yml", 0.0, None, {}
    print(f"\n{method}, k = {k}\n")
    print("| month | persons | classes | merged | detail | cut anew | share of it | k | left out | stayed |")
    print("|" + " --- |" * 10, flush=True)
    drift = 0.0
    for month, table in months(asked.persons, asked.months, asked.seed):
        source, released, anew = (folder / f"{what}_{month}.parquet" for what in ("month", "released", "anew"))
        table.to_parquet(source, index=False)
        if before is None:
            settings = {"insensitive": [KEPT], "quasi_identifiers": [GENERALIZED], "identifiers": ["person_id"]}
            initialize(config, source.name, CLASS, here=folder, requirement={"k": k}, **settings)
            if entropy:
                text = re.sub("^methods:.*$", "methods: {mondrian: {splits: entropy}}", config.read_text(), flags=re.M)
                config.write_text(text)
            with Project(config) as project:
                project.lock(name)
        with Project(config, source=source) as project:
            project.run(released, locked=True, report=False)
            project.anonymize(name, anew)
        owner = json.loads(Path(f"{released}.owner.json").read_text())
        of_label = of_label or costs(folder / "anonduck.duckdb")
        one, other = read_release(released, of_label), read_release(anew, of_label)
        assert one.k >= k
        assert owner["suppressed"] == 0
        assert abs(one.detail - 1 + owner["utility"]["measures"]["ncp"]) < 1e-6, (one.detail, owner["utility"])
        stayed = f"{len(one.classes & before.classes) / len(one.classes):.0%}" if before else ""
        merged, left_out = owner["method"]["pruned"]["merged"], len(table) - owner["rows"]
        print(
            f"| {month} | {len(table):,} | {len(one.classes):,} | {merged:,} | {one.detail:.4f} | {other.detail:.4f} "
            f"| {one.detail / other.detail:.1%} | {one.k} | {left_out} | {stayed} |",
            flush=True,
        )
        first, before = first or one.detail, one
        drift = first - one.detail if month != "fresh" else drift
    report(f"{method}, k = {k}: points of detail lost in {asked.months} months", 100 * drift, "", POINTS)


def main() -> None:
    """Print a table for each method and k."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--method", nargs="*", choices=METHODS, default=METHODS)
    parser.add_argument("--k", type=int, nargs="*", default=[5, 25])
    parser.add_argument("--persons", type=int, default=25_000)
    parser.add_argument("--months", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    for method in asked.method:
        for k in asked.k:
            with tempfile.TemporaryDirectory() as folder:
                measure(method, k, Path(folder), asked)


if __name__ == "__main__":
    main()
