"""Cross-validation as scikit-learn does it by default, without shuffling, on released files: beside shuffled rows.

Whoever receives a release reads the file and calls `cross_val_score(model, X, y)`, whose folds are stretches of the
file. Ten releases, of five tables by two methods, are read back as they were written: the AUC so, on shuffled rows, and
on the same rows just sorted. Reads evaluation tables from ANONDUCK_DATA.

    python row_order.py
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import measuring
import pandas as pd
from honesty import head, line
from real_data.folder import data as data_folder

import anonduck

TABLES = {
    "german_credit": ("german_credit.csv", "class"),
    "cmc": ("cmc.csv", "contraceptive_method"),
    "mammographic": ("mammographic_masses.csv", "severity"),
    "electricity": ("electricity.csv", "class"),
    "adult": ("adult.csv", "class"),
}
METHODS = ("mondrian", "topdown")
REPEATS = 5
BOUND = 0.03


def main() -> None:
    """Print a row for each release, and the largest distance from shuffled rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", dest="tables", action="append", choices=list(TABLES), help="one of them; repeatable")
    parser.add_argument("-k", type=int, default=5)
    options = parser.parse_args()
    head("table", "method", "records", "k", "default", "shuffled", "sorted")
    distances = []
    for name in options.tables or TABLES:
        file, class_ = TABLES[name]
        table = pd.read_csv(data_folder() / file)
        for method in METHODS:
            rows, k = released(table, class_, method, options.k)
            by_order = {"default": auc(rows, class_, 5), "shuffled": shuffled(rows, class_)}
            in_order = rows.sort_values(list(rows), ignore_index=True)
            line(name, method, len(rows), k, *by_order.values(), auc(in_order, class_, 5))
            distances.append(abs(by_order["default"] - by_order["shuffled"]))
    measuring.report("largest distance of the default from shuffled rows", max(distances), " AUC", BOUND)


def released(table: pd.DataFrame, class_: str, method: str, k: int) -> tuple[pd.DataFrame, int]:
    """The rows of a release as its file has them, and the k that it reached."""
    with (
        tempfile.TemporaryDirectory() as folder,
        anonduck.Project(source=table, class_=class_, requirement={"k": k}, models=[]) as project,
    ):
        release = project.anonymize(method, Path(folder) / "released.csv")
        return pd.read_csv(Path(folder) / "released.csv", dtype=str, keep_default_na=False), release.k


def shuffled(rows: pd.DataFrame, class_: str) -> float:
    """The mean AUC over folds that are drawn, several times."""
    from sklearn.model_selection import StratifiedKFold

    seeds = range(REPEATS)
    return sum(auc(rows, class_, StratifiedKFold(5, shuffle=True, random_state=seed)) for seed in seeds) / REPEATS


def auc(rows: pd.DataFrame, class_: str, folds: Any) -> float:
    """The mean AUC of a tree over folds; of several classes, of each against the others."""
    from sklearn.model_selection import cross_val_score
    from sklearn.preprocessing import OrdinalEncoder
    from sklearn.tree import DecisionTreeClassifier

    model = DecisionTreeClassifier(min_samples_leaf=20, random_state=0)
    features = OrdinalEncoder().fit_transform(rows.drop(columns=class_))
    return float(cross_val_score(model, features, rows[class_], cv=folds, scoring="roc_auc_ovr").mean())


if __name__ == "__main__":
    main()
