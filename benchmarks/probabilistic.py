"""Prints what swapping costs models and what it leaves to attackers: the tables of docs/probabilistic.md.

As in Senavirathne and Torra (2021, section 5): Adult (a sample), Contraceptive Method Choice, German Credit and
Mammographic Masses, the class being what an attacker wants to know. A third of the records is held out.
Quasi-identifiers are the first of the smallest sets that ``anonduck quasi-identifiers`` finds on the others (*part*),
or all columns (*full*). F1 is macro F1 on the held-out records, averaged over an MLP, logistic regression, an SVM, a
tree and a forest. Disclosure is micro F1 of guesses of the class, by the nearest released record (Gower) and by a
forest on the quasi-identifiers: of people of the release, and of the held-out ones, who are not in it, beside raw data.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from anonduck import Project, attack
from anonduck.methods.dissimilarity import Distances, gower
from anonduck.methods.mixed_records import MixedColumn, MixedRecords

DATA_SETS = {
    "adult": ("adult.csv", "class"),
    "cmc": ("cmc.csv", "contraceptive_method"),
    "german": ("german_credit.csv", "class"),
    "mammographic": ("mammographic_masses.csv", "severity"),
}
COLUMNS = (
    "data",
    "columns",
    "k",
    "F1 raw",
    "F1 lost",
    "MI lost",
    "nearest raw",
    "nearest",
    "control",
    "forest raw",
    "forest",
    "control",
    "unchanged",
    "one class",
    "CPU s",
)


LINKED_COLUMNS = ("data", "columns", "k", "linked", "control", "plain guess", "excess", "excess, 95 %")
COMPARED_COLUMNS = ("data", "k", "by", "protocol", "k reached", "accuracy", "balanced", "F1", "AUC", "CPU s")
MATCHED = "record linkage (Fellegi-Sunter)"


@dataclass
class Told:
    """How often attackers guess the class: of people in the release, and of others."""

    people: float
    others: float


def main() -> None:
    """Print the command and a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data-set", nargs="*", choices=list(DATA_SETS), default=list(DATA_SETS))
    parser.add_argument("-k", type=int, nargs="*", default=[5, 50, 100, 200])
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--records", type=int, default=3_000, help="of Adult, drawn at random")
    parser.add_argument("--dissimilarity", choices=["gower", "ahmad-dey"], default="gower")
    parser.add_argument("--protocol", nargs="*", choices=["released", "held-out"], default=["released"])
    parser.add_argument("--compare", action="store_true", help="compare with mondrian and the best rules, by a tree")
    parser.add_argument("--linkage", action="store_true", help="link records by match weights, in one trial")
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    print(f"`{shlex.join(['python', 'benchmarks/probabilistic.py', *sys.argv[1:]])}`\n")
    columns, found = (COLUMNS, rows)
    if options.linkage:
        columns, found = LINKED_COLUMNS, linked_rows
    if options.compare:
        columns, found = COMPARED_COLUMNS, compared_rows
    print_line(columns)
    print_line(["---"] * len(columns))
    for name in options.data_set:
        for row in found(name, options):
            print_line(row)


def print_line(cells: Sequence[Any]) -> None:
    """Print a row of a table in Markdown."""
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


@dataclass
class Split:
    """The records that are released, those held out, the class, and sets of quasi-identifiers, each with its words."""

    train: pd.DataFrame
    held: pd.DataFrame
    class_: str
    sets: list[tuple[str, list[str]]]


def split(name: str, options: argparse.Namespace) -> Split:
    """Hold out a third of the records, drawn at random, and choose quasi-identifiers on the others."""
    file, class_ = DATA_SETS[name]
    table = pd.read_csv(Path(os.environ["ANONDUCK_DATA"]) / file)
    if len(table) > options.records:
        table = table.sample(options.records, random_state=0)
    table = table.sample(frac=1, random_state=0, ignore_index=True)
    cut = 2 * len(table) // 3
    train, held = table[:cut].reset_index(drop=True), table[cut:].reset_index(drop=True)
    every = [column for column in table if column != class_]
    with Project(source=train, class_=class_) as project:
        part = list(project.identifying_columns().sets[0].columns)
    sets = [(f"full ({len(every)})", every)]
    if set(part) != set(every):
        sets.insert(0, (f"part ({len(part)})", part))
    return Split(train, held, class_, sets)


def rows(name: str, options: argparse.Namespace) -> Iterator[list[str]]:
    """A row for part and full quasi-identifiers at each k, averaged over the trials."""
    one = split(name, options)
    train, held, class_ = one.train, one.held, one.class_
    raw = fmean(scores(train, held, class_))
    for words, quasi in one.sets:
        before = nearest(train, train, held, quasi, class_), forest(train, train, held, quasi, class_)
        for k in options.k:
            if k <= len(train):
                given = (train, held, quasi, class_, k, options.dissimilarity)
                found = [trial(*given, seed) for seed in range(options.trials)]
                yield [name, words, str(k), f"{raw:.3f}", *told(raw, before, found)]


def linked_rows(name: str, options: argparse.Namespace) -> Iterator[list[str]]:
    """A row for part and full quasi-identifiers at each k: classes told by the rows of the highest match weight."""
    one = split(name, options)
    for words, quasi in one.sets:
        for k in options.k:
            released, _, _ = release(one.train, quasi, one.class_, k, options.dissimilarity, 0)
            known = {"class_": one.class_, "control": one.held, "splink": False, "guesses": 500}
            found = attack(released, one.train, quasi, **known)
            named = {(each.question, each.attack): each for each in found.attempts}
            linked = named.get(("inference", MATCHED))
            if linked is not None and linked.excess is not None:
                rates = (linked.success.share, linked.control.share, linked.baseline, linked.excess.value)
                interval = f"{linked.excess.low:+.3f} to {linked.excess.high:+.3f}"
                yield [name, words, str(k), *(f"{rate:.3f}" for rate in rates), interval]


def compared_rows(name: str, options: argparse.Namespace) -> Iterator[list[str]]:
    """A row for each method at each k, and one for the best rule by AUC, over all columns.

    Rules have rows by ``released`` alone: by ``held-out`` each training part takes a search.
    """
    file, class_ = DATA_SETS[name]
    table = pd.read_csv(Path(os.environ["ANONDUCK_DATA"]) / file)
    if len(table) > options.records:
        table = table.sample(options.records, random_state=0)
    with Project(source=table, class_=class_, requirement={"k": min(options.k)}, holdout=0, budget=500) as project:
        project.discover()
        rules = project.compare(["rules"], options.k, models=["tree"], select=["roc_auc"])
        found = project.compare(["probabilistic", "mondrian"], options.k, models=["tree"], protocol=options.protocol)
    yield [name, "", "ungeneralized", "", "", *scored(found.baseline), ""]
    for row in sorted([*found.rows, *rules.rows], key=lambda one: (one["k_required"], one["protocol"] == "held-out")):
        reached = row["status"] if row["k"] is None else f"{row['k']:,}"
        spent = "" if row["cpu_seconds"] is None else f"{row['cpu_seconds']:.1f}"
        plain = [name, str(row["k_required"]), row["method"], row["protocol"], reached]
        yield [*plain, *scored(row["models"]), spent]


def scored(models: Mapping[str, Any]) -> list[str]:
    """The scores of the tree with their spread."""
    told = [models.get("tree", {}).get(score, {}) for score in ("accuracy", "balanced_accuracy", "macro_f1", "roc_auc")]
    return ["" if not one else f"{one['value']:.3f} ± {one['spread']:.3f}" for one in told]


def told(raw: float, before: tuple[Told, Told], found: list[dict[str, Any]]) -> Iterator[str]:
    """The cells of a row after the F1 on raw data."""
    mean = {name: fmean(one[name] for one in found) for name in found[0]}
    yield f"{raw - mean['f1']:+.3f}"
    yield f"{mean['lost']:.3f}"
    for name, one in zip(("nearest", "forest"), before, strict=True):
        yield f"{one.people:.3f}"
        yield f"{mean[name]:.3f}"
        yield f"{mean[name + ' others']:.3f}"
    yield f"{mean['unchanged']:.0%}"
    yield f"{mean['one_class']:.0%}"
    yield f"{mean['seconds']:.1f}"


def trial(
    train: pd.DataFrame, held: pd.DataFrame, quasi: list[str], class_: str, k: int, dissimilarity: str, seed: int
) -> dict[str, Any]:
    """One release, and what is measured of it."""
    released, receipt, seconds = release(train, quasi, class_, k, dissimilarity, seed)
    method = receipt["method"]
    near, guessed = nearest(released, train, held, quasi, class_), forest(released, train, held, quasi, class_)
    return {
        "f1": fmean(scores(released, held, class_)),
        "lost": receipt["utility"]["measures"]["mutual_information_loss"],
        "nearest": near.people,
        "nearest others": near.others,
        "forest": guessed.people,
        "forest others": guessed.others,
        "unchanged": method["unchanged"] / method["blocks_in_clusters"],
        "one_class": method["one_class"] / method["clusters"],
        "seconds": seconds,
    }


def release(
    train: pd.DataFrame, quasi: list[str], class_: str, k: int, dissimilarity: str, seed: int
) -> tuple[pd.DataFrame, Mapping[str, Any], float]:
    """A release with its receipt, and the seconds of the processor that it took."""
    config = {"class_": class_, "quasi_identifiers": quasi, "requirement": {"k": k}, "models": [], "seed": seed + 1}
    rest = [column for column in train if column not in (*quasi, class_)]
    begun = time.process_time()
    with (
        tempfile.TemporaryDirectory() as folder,
        Project(source=train, insensitive=rest, measures=["mutual_information_loss"], **config) as project,
    ):
        made = project.anonymize(
            "probabilistic", Path(folder) / "made.parquet", settings={"dissimilarity": dissimilarity}
        )
        seconds = time.process_time() - begun
        released = pd.read_parquet(Path(folder) / "made.parquet")[list(train)]
    return released, made.receipt, seconds


# -- models ------------------------------------------------------------------------------------------------------------


def scores(train: pd.DataFrame, held: pd.DataFrame, class_: str) -> Iterator[float]:
    """Macro F1 of each model on the held-out records."""
    for model in (
        MLPClassifier((32, 32, 32), max_iter=100, random_state=0),
        LogisticRegression(max_iter=500),
        SVC(random_state=0),
        DecisionTreeClassifier(random_state=0),
        RandomForestClassifier(100, random_state=0, n_jobs=1),
    ):
        fitted = trained(model, train, [column for column in train if column != class_], class_)
        yield f1_score(held[class_], fitted.predict(held), average="macro")


def trained(model: Any, train: pd.DataFrame, columns: list[str], class_: str) -> Any:
    """A model on numbers that are scaled, and a column for each category; a number that is missing is the mean."""
    numbers = [column for column in columns if pd.api.types.is_numeric_dtype(train[column])]
    texts = [column for column in columns if column not in numbers]
    features = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), numbers), (OneHotEncoder(handle_unknown="ignore"), texts)
    )
    return make_pipeline(features, model).fit(train[columns], train[class_])


def forest(released: pd.DataFrame, people: pd.DataFrame, others: pd.DataFrame, quasi: list[str], class_: str) -> Told:
    """The class as a forest guesses it that learned the quasi-identifiers of the release."""
    model = trained(RandomForestClassifier(100, random_state=0, n_jobs=1), released, quasi, class_)
    return Told(*(float((model.predict(one[quasi]) == one[class_]).mean()) for one in (people, others)))


def nearest(released: pd.DataFrame, people: pd.DataFrame, others: pd.DataFrame, quasi: list[str], class_: str) -> Told:
    """The class of the nearest released record by Gower's dissimilarity, the first of equally near ones at random."""
    mixed = released.sample(frac=1, random_state=0)
    return Told(*(_nearest(mixed, one, quasi, class_) for one in (people, others)))


def _nearest(released: pd.DataFrame, known: pd.DataFrame, quasi: list[str], class_: str) -> float:
    every = pd.concat([released[quasi], known[quasi]], ignore_index=True)
    columns, codes = zip(*(_coded(every[name]) for name in quasi), strict=True)
    data = MixedRecords(tuple(columns), tuple(codes), np.ones(len(every), dtype=np.int64))
    distances, classes = Distances(gower(data), data.codes), released[class_].to_numpy()
    found = [distances.row(len(released) + one)[: len(released)].argmin() for one in range(len(known))]
    return float((classes[found] == known[class_].to_numpy()).mean())


def _coded(column: pd.Series) -> tuple[MixedColumn, np.ndarray]:
    codes, values = pd.factorize(column, sort=True)
    numeric = pd.api.types.is_numeric_dtype(column)
    numbers = np.r_[np.nan, np.asarray(values, dtype=np.float64)] if numeric else None
    return MixedColumn(len(values) + 1, numbers), codes + 1


if __name__ == "__main__":
    main()
