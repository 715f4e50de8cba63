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
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

CMC = ["wife_age", "wife_education", "num_children"]
MASSES = ["bi_rads", "age", "shape", "margin", "density"]
CELLS = [
    "clump_thickness",
    "uniformity_of_cell_size",
    "uniformity_of_cell_shape",
    "bare_nuclei",
    "bland_chromatin",
    "normal_nucleoli",
]
FOLDED = {
    "cmc": ("cmc.csv", CMC),
    "mammographic": ("mammographic_masses.csv", MASSES),
    "breast-cancer": ("breast_cancer_wisconsin.csv", CELLS),
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


def scores(tables: list[pd.DataFrame], test: pd.DataFrame, class_: str, *, svm: bool) -> dict[str, float]:
    """The mean accuracy of models that learn from each of the tables."""
    from sklearn.naive_bayes import CategoricalNB
    from sklearn.svm import SVC, LinearSVC
    from sklearn.tree import DecisionTreeClassifier

    found: dict[str, list[float]] = {}
    for drawn in tables:
        table = drawn.reindex(columns=[name for name in test if name in drawn])
        pruning = math.log2(len(table)) / len(table)
        models: dict[str, tuple[Any, Callable[..., Any]]] = {
            "tree": (DecisionTreeClassifier(criterion="entropy", ccp_alpha=pruning, random_state=0), one_hot),
            "bayes": (CategoricalNB(), binned),
        }
        if svm:
            models["svm"] = (LinearSVC(random_state=0), scaled)
            if len(table) <= KERNEL_RECORDS:
                models["svm"] = (SVC(gamma=1 / (len(table.columns) - 1), random_state=0), scaled)
        for name, (model, features) in models.items():
            learnt, asked = features(table.drop(columns=class_), test)
            if isinstance(model, CategoricalNB):
                model.set_params(min_categories=1 + np.maximum(learnt.max(), asked.max()).to_numpy(dtype=int))
            model.fit(learnt, table[class_].astype(str))
            found.setdefault(name, []).append(float((model.predict(asked) == test[class_].astype(str)).mean()))
        guessed = by_densities(table, test, class_)
        found.setdefault("bayes of densities", []).append(float((guessed == test[class_].astype(str)).mean()))
    return {name: float(np.mean(values)) for name, values in found.items()}


def one_hot(table: pd.DataFrame, test: pd.DataFrame) -> tuple[Any, Any]:
    """Numbers as they are, and a column for each other value."""
    learnt = pd.get_dummies(table, dtype=np.float32)
    asked = pd.get_dummies(test[list(table)], dtype=np.float32).reindex(columns=learnt.columns, fill_value=0)
    return learnt.fillna(-1), asked.fillna(-1)


def binned(table: pd.DataFrame, test: pd.DataFrame) -> tuple[Any, Any]:
    """Codes of values; numbers of more than twenty values in ten parts of as many records each."""
    learnt, asked = {}, {}
    for name in table:
        values, others = table[name], test[name]
        if values.dtype.kind in "if" and values.nunique() > 20:
            edges = np.unique(np.quantile(values.dropna(), np.arange(1, 10) / 10))
            learnt[name], asked[name] = np.searchsorted(edges, values), np.searchsorted(edges, others)
        else:
            kinds = {value: code for code, value in enumerate(sorted(map(str, values.unique())), start=1)}
            learnt[name] = values.astype(str).map(kinds)
            asked[name] = others.astype(str).map(kinds).fillna(0).astype(int)
    return pd.DataFrame(learnt), pd.DataFrame(asked)


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
        learnt, asked = binned(table[others], test)
        counted = CategoricalNB(min_categories=1 + np.maximum(learnt.max(), asked.max()).to_numpy(dtype=int))
        counted.fit(learnt, classes)
        joint += counted.predict_joint_log_proba(asked) - counted.class_log_prior_
    return names[joint.argmax(axis=1)]


def scaled(table: pd.DataFrame, test: pd.DataFrame) -> tuple[Any, Any]:
    """The columns of ``one_hot``, of mean 0 and variance 1."""
    from sklearn.preprocessing import StandardScaler

    learnt, asked = one_hot(table, test)
    scaler = StandardScaler().fit(learnt)
    return scaler.transform(learnt), scaler.transform(asked)


def majority(train: pd.DataFrame, test: pd.DataFrame, class_: str) -> float:
    """The accuracy of naming the largest class of the training records."""
    return float((test[class_] == train[class_].mode()[0]).mean())


def adult(data: Path) -> Iterator[Split]:
    """The split of the data set's authors, complete records alone."""
    table = pd.read_csv(data / "adult.csv", keep_default_na=False)
    complete = (table != "").all(axis=1) & (table != "?").all(axis=1)
    first = table.index < 32_561
    yield table[complete & first], table[complete & ~first], "class"


def folded(data: Path, name: str, folds: int) -> Iterator[Split]:
    """Stratified folds of the complete records."""
    from sklearn.model_selection import StratifiedKFold

    file, quasi_identifiers = FOLDED[name]
    table = pd.read_csv(data / file)
    class_ = str(table.columns[-1])
    table = table[[*quasi_identifiers, class_]].dropna().reset_index(drop=True)
    drawn = StratifiedKFold(10, shuffle=True, random_state=0).split(table, table[class_])
    for _, (train, test) in zip(range(folds), drawn, strict=False):
        yield table.iloc[train], table.iloc[test], class_
