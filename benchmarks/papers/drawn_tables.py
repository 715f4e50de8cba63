"""Tables drawn from releases, and how well models learn from them (Last et al. 2014, section 5).

Adult: the complete training records with fourteen quasi-identifiers, tested on the complete test records. Ten folds of
complete records: Contraceptive Method Choice with three quasi-identifiers, Breast Cancer Wisconsin with six, and
Mammographic Mass with five. From each release, tables are drawn as section 5.1 tells, values as often as they occur in
the training records. A tree pruned at log2(n) / n, naive Bayes of counts and of normal densities, and support vector
machines learn from each.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.data_sets import FILES, data

QUASI = {
    "cmc": ["wife_age", "wife_education", "num_children"],
    "mammographic": ["bi_rads", "age", "shape", "margin", "density"],
    "breast-cancer": [
        *("clump_thickness", "uniformity_of_cell_size", "uniformity_of_cell_shape", "bare_nuclei", "bland_chromatin"),
        "normal_nucleoli",
    ],
}
KERNEL_RECORDS = 5_000
"""Records from which a machine with a radial kernel learns, at most; of more, a linear one does."""
Split = tuple[pd.DataFrame, pd.DataFrame, str]


def text_trees(table: pd.DataFrame, folder: Path) -> dict[str, dict[str, str]]:
    """The trees of section 5.2 as files: the values of a column in the order of their texts, five to a node."""
    files = {}
    for name in table:
        leaves = sorted(str(value) for value in table[name].dropna().unique())
        height = math.ceil(math.log(max(len(leaves), 2), 5) - 1e-9)
        nodes = [[leaf, *(f"n{up}_{at // 5**up}" for up in range(1, height)), "*"] for at, leaf in enumerate(leaves)]
        path = folder / f"tree_{name}.csv"
        path.write_text("".join(f"{';'.join(line)}\n" for line in nodes))
        files[name] = {"file": str(path)}
    return files


def as_distributions(file: Path, class_: str) -> None:
    """Write each value of the class as a distribution that is concentrated there."""
    table = pd.read_parquet(file)
    table[class_] = [json.dumps({str(value): 1.0}) for value in table[class_]]
    table.to_parquet(file)


def scores(tables: list[pd.DataFrame], test: pd.DataFrame, class_: str) -> dict[str, float]:
    """The mean accuracy of models that learn from each of the tables."""
    from sklearn.svm import SVC, LinearSVC
    from sklearn.tree import DecisionTreeClassifier

    found: dict[str, list[float]] = {}
    asked = test[class_].astype(str)
    for drawn in tables:
        table = drawn.reindex(columns=[name for name in test if name in drawn])
        features, classes = table.drop(columns=class_), table[class_].astype(str)
        pruning = math.log2(len(table)) / len(table)
        kernel = SVC(gamma=1 / len(features.columns), random_state=0) if len(table) <= KERNEL_RECORDS else None
        learnt, others = one_hot(features, test)
        tree = DecisionTreeClassifier(criterion="entropy", ccp_alpha=pruning, random_state=0).fit(learnt, classes)
        learnt, scaled = standard(learnt, others)
        machine = (kernel or LinearSVC(random_state=0)).fit(learnt, classes)
        guesses = {"tree": tree.predict(others), "svm": machine.predict(scaled)}
        guesses["bayes of densities"] = by_densities(table, test, class_)
        for name, guessed in guesses.items():
            found.setdefault(name, []).append(float((guessed == asked).mean()))
    return {name: float(np.mean(values)) for name, values in found.items()}


def one_hot(table: pd.DataFrame, test: pd.DataFrame) -> tuple[Any, Any]:
    """Numbers as they are, and a column for each other value."""
    learnt = pd.get_dummies(table, dtype=np.float32)
    asked = pd.get_dummies(test[list(table)], dtype=np.float32).reindex(columns=learnt.columns, fill_value=0)
    return learnt.fillna(-1), asked.fillna(-1)


def by_densities(table: pd.DataFrame, test: pd.DataFrame, class_: str) -> Any:
    """What a naive Bayes predicts that takes each number for normal in each class, and counts all other values."""
    from sklearn.naive_bayes import CategoricalNB, GaussianNB

    numbers = [name for name in table if name != class_ and table[name].dtype.kind in "if"]
    others = [name for name in table if name != class_ and name not in numbers]
    classes = table[class_].astype(str)
    names, held = np.unique(classes, return_counts=True)
    joint = np.log(held / held.sum()) + np.zeros((len(test), len(names)))
    if numbers:
        normal = GaussianNB().fit(table[numbers].fillna(-1), classes)
        joint += normal.predict_joint_log_proba(test[numbers].fillna(-1)) - np.log(normal.class_prior_)
    if others:
        kinds = {name: sorted(map(str, table[name].unique())) for name in others}
        learnt, asked = (
            pd.DataFrame({name: 1 + pd.Index(kinds[name]).get_indexer(rows[name].astype(str)) for name in others})
            for rows in (table, test)
        )
        counted = CategoricalNB(min_categories=1 + np.maximum(learnt.max(), asked.max()).to_numpy(dtype=int))
        counted.fit(learnt, classes)
        joint += counted.predict_joint_log_proba(asked) - counted.class_log_prior_
    return names[joint.argmax(axis=1)]


def standard(learnt: Any, asked: Any) -> tuple[Any, Any]:
    """The same features, of mean 0 and variance 1."""
    from sklearn.preprocessing import StandardScaler

    scaler = StandardScaler().fit(learnt)
    return scaler.transform(learnt), scaler.transform(asked)


def majority(train: pd.DataFrame, test: pd.DataFrame, class_: str) -> float:
    """The accuracy of naming the largest class of the training records."""
    return float((test[class_] == train[class_].mode()[0]).mean())


def adult() -> Iterator[Split]:
    """The split of the data set's authors, complete records alone."""
    table = pd.read_csv(data() / "adult.csv", keep_default_na=False)
    complete = (table != "").all(axis=1) & (table != "?").all(axis=1)
    first = table.index < 32_561
    yield table[complete & first], table[complete & ~first], "class"


def folded(name: str, folds: int) -> Iterator[Split]:
    """Stratified folds of the complete records."""
    from sklearn.model_selection import StratifiedKFold

    file, class_ = FILES[name]
    table = pd.read_csv(data() / file)[[*QUASI[name], class_]].dropna().reset_index(drop=True)
    drawn = StratifiedKFold(10, shuffle=True, random_state=0).split(table, table[class_])
    for _, (train, test) in zip(range(folds), drawn, strict=False):
        yield table.iloc[train], table.iloc[test], class_
