"""What minimality tells of occupations in releases of Adult by Mondrian: the table of docs/attacks.md.

ARX's 30,162 records, seven quasi-identifiers with ARX's hierarchies, the occupation sensitive. ``ANONDUCK_DATA`` is the
folder of the data. Run it with ``python benchmarks/minimality.py``.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd
from real_data.folder import data as data_folder

import anonduck
from anonduck import Project

KNOWN = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass"]
SENSITIVE, CLASS = "occupation", "salary-class"
REQUIRED = ("l=2", "l=3", "l=4", "frequency_l=2", "frequency_l=3")


def main() -> None:
    """Print a line of a table in Markdown for each requirement beside k."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-k", type=int, default=5)
    parser.add_argument("--require", nargs="+", default=REQUIRED, metavar="NAME=N")
    options = parser.parse_args()
    data = data_folder() / "arx"
    adult = pd.read_csv(data / "adult.csv", sep=";")
    lookups = {name: data / f"adult_hierarchy_{name}.csv" for name in KNOWN}
    with tempfile.TemporaryDirectory() as folder:
        for required in options.require:
            name, number = required.split("=")
            requirement = {"k": options.k, name: int(number)}
            print(
                line(required, attacked(adult, lookups, requirement, Path(folder) / f"{required}.parquet")), flush=True
            )


def attacked(adult: pd.DataFrame, lookups: dict[str, Path], requirement: dict[str, int], path: Path) -> Any:
    """The report of the attack on a release."""
    roles = {"class_": CLASS, "sensitive": [SENSITIVE], "requirement": requirement, "models": []}
    with Project(source=adult, **roles) as project:
        for name, file in lookups.items():
            project.import_taxonomies(file, column=name)
        project.anonymize("mondrian", path)
    given: dict[str, Any] = {"sensitive": [SENSITIVE], "class_": CLASS, "taxonomies": lookups, "splink": False}
    return anonduck.attack(path, adult, **given, minimality=True)


def line(required: str, report: Any) -> str:
    """A line of the table: classes, claims beside plain guesses, people whose chances rise."""
    told, found = report.minimality, {one.attack: one for one in report.attempts}
    column = told["columns"][0]
    cells = [f"`{required}`", *(f"{told[name]:,}" for name in ("classes", "barred", "several", "unknown", "undecided"))]
    for name in ("minimality", "minimality, surest in class"):
        one = found.get(name)
        cells.append("" if one is None else f"{one.success.share:.3f}, {one.baseline:.3f}")
    largest = column["largest_chance"]
    raised = f"{column['raised']:,} of {column['people']:,}"
    most = "" if largest is None else f"{largest:.3f}, {column['shown_there']:.3f}"
    return "| " + " | ".join([*cells, raised, f"{column['over_bound']:,}", most]) + " |"


if __name__ == "__main__":
    main()
