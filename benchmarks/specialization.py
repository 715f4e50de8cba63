"""How well a tree learns from what TDS and PAIS release of Adult, and how long they take.

Fourteen quasi-identifiers: all 48,842 records with the taxonomies that anonduck builds, and the 45,222 complete ones
with those of the authors of the RFD paper. The accuracy is that of a decision tree in ten folds, on the labels of the
written file; the first line is that of the source.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pandas as pd
from real_data.folder import data as data_folder

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tests")]

CLASS = "class"
PRUNING = 1e-4


def main() -> None:
    """Print a line for each k, method and set of taxonomies."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("-k", type=int, nargs="*", default=[10, 50, 200])
    options = parser.parse_args()
    from test_real_data import ADULT_BLOCKS, ADULT_COMPLETE

    from anonduck import Project

    data = data_folder()
    print(f"source: accuracy {accuracy(data / 'adult.csv'):.4f}")
    with tempfile.TemporaryDirectory() as folder:
        for k in options.k:
            roles: dict[str, Any] = {"source": str(data / "adult.csv"), "class_": CLASS, "requirement": {"k": k}}
            with Project(**roles) as project:
                project.build_taxonomies()
                measure(project, Path(folder), f"own taxonomies, k={k}")
            with Project(**roles, where=ADULT_COMPLETE) as project:
                authors = data / "authors-taxonomies" / "TaxAdult"
                project.import_taxonomies(authors, format_="blocks", mapping=ADULT_BLOCKS)
                measure(project, Path(folder), f"authors' taxonomies, k={k}")


def measure(project: Any, folder: Path, setting: str) -> None:
    """Make a release by each method, and print what a tree learns from it."""
    for method in ("tds", "pais"):
        start = time.process_time()
        made = project.anonymize(method, folder / "out.csv", overwrite=True)
        spent = time.process_time() - start
        print(
            f"{method}, {setting}: accuracy {accuracy(folder / 'out.csv'):.4f}, {len(made.receipt['columns']) - 1} "
            f"columns, {made.classes:,} classes, smallest {made.k}; release {spent:.2f} s (CPU)",
            flush=True,
        )


def accuracy(path: Path) -> float:
    """The accuracy of a decision tree, on numbers as they are and a column for each label."""
    from sklearn.model_selection import StratifiedKFold, cross_val_score
    from sklearn.tree import DecisionTreeClassifier

    table = pd.read_csv(path, keep_default_na=False)
    classes = table.pop(CLASS)
    tree = DecisionTreeClassifier(criterion="entropy", ccp_alpha=PRUNING, random_state=0)
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    return float(cross_val_score(tree, pd.get_dummies(table), classes, cv=folds).mean())


if __name__ == "__main__":
    main()
