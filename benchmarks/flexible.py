"""Prints what flexible generalization loses and discloses of Adult, beside other methods: what docs/flexible.md shows.

Four quasi-identifiers, as in the paper (Majeed and Hwang 2023): age, race, sex and native-country; the class is the
salary. Two tables: ARX's Adult with ARX's hierarchies, and the 45,222 complete records with the taxonomies of the
authors of the RFD paper. DM is equation 18 as a mean over records, weights with sum 1, by both readings; PD (20) and HA
(21) are counted in the written file, what levels reveal is told by the method. ``WFDA`` is full-domain generalization
by weights at its best: of all rules that leave no record out, the one of the least DM by the weights of the paper's
reading.

With ``--combinations`` it prints the CPU seconds of the algorithm alone on so many drawn combinations.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

from real_data.data_sets import DATA_SETS

from anonduck import Project
from anonduck.methods import registry
from anonduck.methods.coded_records import ClassCells, CodedRecords, placed_column
from anonduck.methods.flexible import flexible
from anonduck.methods.full_domain import no_suppression
from anonduck.methods.method import Method

QUASI = ["age", "race", "sex", "native-country"]
READINGS = ("paper", "predictive")
COLUMNS = (
    *("k", "by", "classes", "`loss`", "DM, paper", "DM, predictive"),
    *("accuracy", "balanced", "AUC", "PD", "HA", "revealed", "CPU s"),
)
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "flexible": ("flexible", {}),
    "flexible join=false": ("flexible", {"join": False}),
    "flexible weights=predictive": ("flexible", {"weights": "predictive"}),
    "flexible levels=least": ("flexible", {"levels": "least"}),
    "WFDA": ("wfda", {}),
    "datafly": ("datafly", {}),
    "mondrian": ("mondrian", {}),
}
WFDA = Method(
    name="wfda",
    recoding="levels",
    options=(),
    source="Han et al., An anonymization method to improve data utility for classification, CSS 2017",
    words="the rule of the least distortion by weights",
    algorithm=lambda space, **_: space.cheapest("distortion"),
    allowance=no_suppression,
)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("-k", type=int, nargs="*", default=[5, 50])
    parser.add_argument("--data", nargs="*", choices=list(TABLES), default=list(TABLES))
    parser.add_argument("--variant", nargs="*", choices=list(VARIANTS), default=list(VARIANTS))
    parser.add_argument("--combinations", type=int, nargs="*", help="print the scale of the algorithm instead")
    options = parser.parse_args()
    for count in options.combinations or ():
        for k in options.k:
            print_line(scale(count, k))
    if options.combinations:
        return
    registry.METHODS = {**registry.METHODS, WFDA.name: WFDA}
    for name in options.data:
        print(f"\n## {TABLES[name]}\n")
        print_usefulness(name)
        print()
        print_line(COLUMNS)
        print_line(["---"] * len(COLUMNS))
        for row in rows(name, options):
            print_line(row)


def print_line(cells: Any) -> None:
    """Print a row of a table in Markdown."""
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


# -- the tables --------------------------------------------------------------------------------------------------------

TABLES = {"arx": "30,162 records, ARX's hierarchies", "authors": "45,222 records, the authors' taxonomies"}


def opened(name: str, **config: Any) -> Project:
    """A project on a table, with its taxonomies."""
    data = Path(os.environ["ANONDUCK_DATA"])
    item = DATA_SETS["adult"]
    if name == "arx":
        table, filters = data / "arx" / "adult.csv", {}
    else:
        table, filters = data / item.file, {"where": item.where}
    class_ = "salary-class" if name == "arx" else item.class_
    held = [row[0] for row in duckdb.sql(f"DESCRIBE FROM '{table}'").fetchall()]
    others = [column for column in held if column not in (*QUASI, class_)]
    project = Project(source=str(table), class_=class_, identifiers=others, **filters, **config)
    if name == "arx":
        for column in QUASI:
            project.import_taxonomies(data / "arx" / f"adult_hierarchy_{column}.csv", column=column)
    else:
        mapping = {block: column for block, column in item.mapping.items() if column in QUASI}
        project.import_taxonomies(data / "authors-taxonomies" / item.taxonomies, format_="blocks", mapping=mapping)
    return project


def print_usefulness(name: str) -> None:
    """Print the weights by both readings."""
    with opened(name) as project:
        start = time.process_time()
        found = project.usefulness()
        spent = time.process_time() - start
    print_line(["column", "error before - after", "score", *READINGS])
    print_line(["---"] * 5)
    for number, column in enumerate(found.names):
        graded = (found.graded(reading)[number] for reading in READINGS)
        told = [f"{one['weight']:.1f} ({one['grade']})" for one in graded]
        print_line([f"`{column}`", f"{found.changes[number]:+.4f}", f"{found.scores[number]:+.2f}", *told])
    print(
        f"\n{found.trees} trees on {found.records:,} records, out-of-bag error {found.error:.4f}, {spent:.1f} s (CPU)"
    )


def rows(name: str, options: argparse.Namespace) -> Iterator[list[str]]:
    """A row for the ungeneralized data, then one for each k and variant."""
    with opened(name) as project:
        found = project.usefulness()
    weights = {reading: dict(zip(found.names, found.shares(reading), strict=True)) for reading in READINGS}
    first = True
    for k in options.k:
        config = {"requirement": {"k": k}, "measures": ["loss", "distortion"]}
        with (
            opened(name, weights=weights["paper"], **config) as project,
            opened(name, weights=weights["predictive"], **config) as other,
            tempfile.TemporaryDirectory() as folder,
        ):
            for variant in options.variant:
                method, settings = VARIANTS[variant]
                target = Path(folder) / "out.parquet"
                made = project.anonymize(method, target, overwrite=True, settings=settings)
                utility, told = made.owner["utility"], disclosed(target, project.config.class_)
                if first:
                    yield ["", "ungeneralized", "", "0", "0", "0", *reached(utility["baseline"]), *[""] * 4]
                    first = False
                start = time.process_time()
                again = other.anonymize(method, target, overwrite=True, settings=settings, models=[])
                spent = time.process_time() - start
                distorted = [utility, again.owner["utility"] if method != "wfda" else None]
                yield [str(k), variant, *cells(distorted, told), revealed(made.owner), f"{spent:.1f}"]


def disclosed(path: Path, class_: str) -> tuple[float, ...]:
    """Records, equivalence classes, PD and HA, counted in a file."""
    found: list[tuple[float, ...]] = duckdb.sql(
        f"""
        WITH cells AS (SELECT * EXCLUDE ("{class_}"), "{class_}" AS secret, count(*) AS n FROM '{path}' GROUP BY ALL),
        classes AS (
            SELECT * EXCLUDE (secret, n), sum(n) AS records, max(n) AS largest, count(*) AS held FROM cells GROUP BY ALL
        )
        SELECT sum(records), count(*), sum(largest) / sum(records),
            coalesce(sum(records) FILTER (WHERE held = 1), 0) / sum(records)
        FROM classes
        """
    ).fetchall()
    return found[0]


def cells(distorted: list[dict[str, Any] | None], told: tuple[float, ...]) -> list[str]:
    """What a row tells of a release."""
    records, classes, disclosure, homogeneity = told
    made = distorted[0]
    assert made is not None
    measures = [None if one is None else one["measures"]["distortion"] / float(records) for one in distorted]
    return [
        f"{classes:,}",
        f"{made['measures']['loss']:.4f}",
        *("" if one is None else f"{one:.4f}" for one in measures),
        *reached(made["models"]),
        f"{disclosure:.4f}",
        f"{homogeneity:.4f}",
    ]


def revealed(owner: Any) -> str:
    """The share of records in classes that levels tell of to have one value; empty for methods that raise none."""
    found = owner["method"].get("found")
    return "" if found is None else f"{found['released'][0]['revealed']:.4f}"


def reached(models: dict[str, Any]) -> list[str]:
    """The scores of the tree."""
    return [f"{models['tree'][score]:.4f}" for score in ("accuracy", "balanced_accuracy", "roc_auc")]


# -- the scale ---------------------------------------------------------------------------------------------------------


def scale(count: int, k: int) -> list[str]:
    """Combinations, records, k, classes, CPU seconds and the most memory of the algorithm alone."""
    data = drawn(count)
    start = time.process_time()
    found = flexible(data, k)
    spent = time.process_time() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20)
    classes = int(found.classes.max()) + 1
    return [f"{count:,}", f"{data.total:,}", str(k), f"{classes:,}", f"{spent:.0f} s", f"{memory:.1f} GB"]


def drawn(count: int) -> CodedRecords:
    """So many combinations of eight columns, two of them numbers, whose small values are frequent."""
    random = np.random.default_rng(0)
    distinct, ordered = [74, 5, 2, 41, 16, 7, 14, 90], (0, 7)
    columns = []
    for number, values in enumerate(distinct):
        paths = [np.r_[0, np.arange(values) // step + 1] for step in (1, 5, 20)]
        leaves = [np.bincount(path) for path in paths]
        columns.append(placed_column(paths, leaves, values, ordered=number in ordered))
    codes = [np.minimum(random.geometric(min(4 / values, 0.6), 2 * count), values) for values in distinct]
    found, records = np.unique(np.column_stack(codes), axis=0, return_counts=True)
    kept = np.sort(random.permutation(len(found))[:count])
    found, records = found[kept], records[kept]
    secrets = ClassCells(np.arange(count), random.integers(0, 2, count), records)
    weights, grades = {"paper": (0.125,) * 8}, {"paper": (0, 0, 0, 1, 1, 1, 2, 2)}
    return CodedRecords(tuple(columns), tuple(found.T), records, None, (secrets,), weights, grades)


if __name__ == "__main__":
    main()
