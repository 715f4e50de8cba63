"""Prints what swapping costs models and what it leaves to attackers: the tables of docs/probabilistic.md.

As in Senavirathne and Torra (2021, section 5): Adult (a sample), Contraceptive Method Choice, German Credit and
Mammographic Masses, the class being what an attacker wants to know. A third of the records is held out.
Quasi-identifiers are as many columns as the paper takes (*part*, by its shares of the attributes), of all such sets the
one that singles out most of the others, or all columns (*full*). F1 is macro F1 on the held-out records, averaged over
an MLP, logistic regression, an SVM, a tree and a forest. Disclosure is micro F1 of guesses of the class, by the nearest
released record (Gower) and by a forest on the quasi-identifiers: of people of the release, and of the held-out ones,
who are not in it, beside raw data.
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
from itertools import combinations
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

from anonduck import AnonduckError, Project

sys.path.insert(0, str(Path(__file__).resolve().parent))
from swap_truth import clustered, coded, matched_links, nearest_links, truth

DATA_SETS = {
    "adult": ("adult.csv", "class"),
    "cmc": ("cmc.csv", "contraceptive_method"),
    "german": ("german_credit.csv", "class"),
    "mammographic": ("mammographic_masses.csv", "severity"),
}
PART = {"adult": 0.42, "cmc": 0.44, "german": 0.2, "mammographic": 0.8}
"""The share of the attributes in the set *part* (section 5.2)."""
SETS = ("part", "full")
METHODS = ["probabilistic", "mondrian", "rules"]
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


LINKED_COLUMNS = ("data", "columns", "k", "linkage raw", "linkage", "control", "excess", "falls by")
TRUTH_COLUMNS = (
    "data",
    "columns",
    "k",
    "by",
    "clusters",
    "own",
    "right",
    "chance",
    "control",
    "precision",
    "recall",
    "precision, surer half",
    "recall",
)
PART_COLUMNS = ("data", "the paper's share", "columns", "they single out", "which")
COMPARED_COLUMNS = ("data", "k", "by", "also required", "protocol", "k reached", "accuracy", "balanced", "F1", "AUC")


COPY = "copy of the class"


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
    parser.add_argument("--auc", action="store_true", help="compare, and print the AUC alone")
    parser.add_argument("--require", nargs="*", default=["", "l=2", "l=2,t=0.2"], help="with --compare, beside k")
    parser.add_argument(
        "--by", nargs="*", choices=METHODS, default=METHODS, help="with --compare; a search takes longest"
    )
    parser.add_argument("--linkage", action="store_true", help="link records by match weights")
    parser.add_argument("--truth", action="store_true", help="how often links lead to a person's cluster")
    parser.add_argument("--part", action="store_true", help="the sets of columns that are called part")
    parser.add_argument("--sets", nargs="*", choices=list(SETS), default=list(SETS))
    options = parser.parse_args()
    if "rules" in options.by and "mondrian" not in options.by:
        parser.error("rules are printed beside mondrian: --by mondrian rules")
    warnings.simplefilter("ignore", ConvergenceWarning)
    print(f"`{shlex.join(['python', 'benchmarks/probabilistic.py', *sys.argv[1:]])}`\n")
    columns, found = (COLUMNS, rows)
    for asked, other, rows_of in (
        (options.linkage, LINKED_COLUMNS, linked_rows),
        (options.compare, COMPARED_COLUMNS, compared_rows),
        (options.truth, TRUTH_COLUMNS, truth_rows),
        (options.part, PART_COLUMNS, part_rows),
    ):
        if asked:
            columns, found = other, rows_of
    if options.auc:
        columns, found = ("data", "k", *(words for words, _ in contestants(options))), area_rows
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


def split(name: str, records: int, sets: Sequence[str] = SETS) -> Split:
    """Hold out a third of the records, drawn at random, and choose quasi-identifiers on the others."""
    file, class_ = DATA_SETS[name]
    table = pd.read_csv(Path(os.environ["ANONDUCK_DATA"]) / file)
    if len(table) > records:
        table = table.sample(records, random_state=0)
    table = table.sample(frac=1, random_state=0, ignore_index=True)
    cut = 2 * len(table) // 3
    train, held = table[:cut].reset_index(drop=True), table[cut:].reset_index(drop=True)
    every = [column for column in table if column != class_]
    part = most_identifying(train[every], round(PART[name] * len(every)))[0] if "part" in sets else []
    named = {"part": part, "full": every}
    return Split(train, held, class_, [(f"{one} ({len(named[one])})", named[one]) for one in SETS if one in sets])


def most_identifying(table: pd.DataFrame, size: int) -> tuple[list[str], float]:
    """Of the sets of so many columns the one that singles out most records, and their share.

    Of equal ones it is that whose columns tell apart most pairs of records, each by itself.
    """
    codes = {name: coded(table[name])[1] for name in table}
    apart = {name: 1 - float((np.bincount(codes[name]) ** 2).sum()) / len(table) ** 2 for name in table}

    def told(names: tuple[str, ...]) -> tuple[float, float]:
        together = np.zeros(len(table), dtype=np.int64)
        for name in names:
            together = np.unique(together * (codes[name].max() + 1) + codes[name], return_inverse=True)[1]
        return float((np.bincount(together) == 1).sum()) / len(table), sum(apart[name] for name in names)

    best = max(combinations(table, size), key=told)
    return list(best), told(best)[0]


def part_rows(name: str, options: argparse.Namespace) -> Iterator[list[str]]:
    """The set that is called *part*."""
    one = split(name, options.records, options.sets)
    every = [column for column in one.train if column != one.class_]
    part, share = most_identifying(one.train[every], round(PART[name] * len(every)))
    yield [name, str(PART[name]), f"{len(part)} of {len(every)}", f"{share:.1%}", ", ".join(part)]


def rows(name: str, options: argparse.Namespace) -> Iterator[list[str]]:
    """A row for part and full quasi-identifiers at each k, averaged over the trials."""
    one = split(name, options.records, options.sets)
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
    one = split(name, options.records, options.sets)
    for words, quasi in one.sets:
        before = by_weights(one.train, one, quasi)
        for k in options.k:
            if k <= len(one.train):
                found = [
                    by_weights(release(one.train, quasi, one.class_, k, options.dissimilarity, seed)[0], one, quasi)
                    for seed in range(options.trials)
                ]
                people, others = fmean(each.people for each in found), fmean(each.others for each in found)
                rates = [f"{rate:.3f}" for rate in (before.people, people, others)]
                yield [name, words, str(k), *rates, f"{people - others:+.3f}", f"{1 - people / before.people:.0%}"]


def by_weights(released: pd.DataFrame, one: Split, quasi: list[str]) -> Told:
    """The class of the released row of the highest match weight, of several at random."""
    classes = released[one.class_].to_numpy()
    known = ((people, matched_links(people[quasi], released[quasi])) for people in (one.train, one.held))
    return Told(*(float(links.share(people[[one.class_]].to_numpy() == classes).mean()) for people, links in known))


def truth_rows(name: str, options: argparse.Namespace) -> Iterator[list[str]]:
    """Two rows for part and full quasi-identifiers at each k: how often links lead to a person's own cluster."""
    one = split(name, options.records, options.sets)
    for words, quasi in one.sets:
        for k in (k for k in options.k if k <= len(one.train)):
            made = [
                clustered(one.train, quasi, one.class_, k, options.dissimilarity, seed)
                for seed in range(options.trials)
            ]
            found = [dict(truth(each, one.held, quasi, seed)) for seed, each in enumerate(made)]
            kept = f"{fmean(each.kept for each in made):.1%}"
            for linker in found[0]:
                told = {key: fmean(each[linker][key] for each in found) for key in found[0][linker]}
                clusters = str(made[0].cluster.max() + 1)
                yield [name, words, str(k), linker, clusters, kept, *(f"{value:.3f}" for value in told.values())]


def compared_rows(name: str, options: argparse.Namespace) -> Iterator[list[str]]:
    """A row for each method at each k, and one for the best rule by AUC, over all columns.

    What is required beside k is required of a copy of the class, as a column has one role. Swapping cannot meet it, and
    has rows without. Rules have rows by ``released`` alone: by ``held-out`` each training part takes a search.
    """
    file, class_ = DATA_SETS[name]
    table = pd.read_csv(Path(os.environ["ANONDUCK_DATA"]) / file)
    if len(table) > options.records:
        table = table.sample(options.records, random_state=0)
    for number, required in enumerate(options.require):
        asked = {one: float(value) if one == "t" else int(value) for one, value in _pairs(required)}
        given = {"class_": class_, "requirement": {"k": min(options.k), **asked}, "holdout": 0, "budget": 500}
        sensitive = {"sensitive": [COPY]} if asked else {}
        source = table.assign(**{COPY: table[class_]}) if asked else table
        methods = [one for one in options.by if one != "rules" and not (asked and one == "probabilistic")]
        with Project(source=source, **given, **sensitive) as project:
            found = project.compare(methods, options.k, models=["tree"], protocol=options.protocol)
            rules = ruled(project, options.k) if "rules" in options.by else []
        if not number:
            yield [name, "", "ungeneralized", "", "", "", *scored(found.baseline)]
        for row in sorted([*found.rows, *rules], key=lambda one: (one["k_required"], one["protocol"] == "held-out")):
            reached = row["reason"] or row["status"] if row["k"] is None else f"{row['k']:,}"
            plain = [name, str(row["k_required"]), row["method"], required.replace(",", ", "), row["protocol"], reached]
            yield [*plain, *scored(row["models"])]


def contestants(options: argparse.Namespace) -> list[tuple[str, tuple[str, str]]]:
    """What is compared, in words, by method and what is required beside k."""
    required = [one.replace(",", ", ") for one in options.require]
    asked = [(method, one) for method in ("mondrian", "rules by roc_auc") for one in required]
    return [(", ".join(filter(None, one)), one) for one in [("probabilistic", ""), *asked]]


def area_rows(name: str, options: argparse.Namespace) -> Iterator[list[str]]:
    """A row for each k: the AUC of each contestant with the k that it reached; a dash where nothing meets it."""
    yield from areas(list(compared_rows(name, options)), options)


def areas(rows: list[list[str]], options: argparse.Namespace) -> Iterator[list[str]]:
    """The same of rows of ``compared_rows``."""
    yield [rows[0][0], "", f"ungeneralized {rows[0][-1]}", *[""] * (len(contestants(options)) - 1)]
    for k in map(str, options.k):
        told = {(row[2], row[3]): row for row in rows if row[1] == k and row[4] == "released"}
        cells = [told.get(one) for _, one in contestants(options)]
        yield [rows[0][0], k, *(_area(row) for row in cells)]


def _area(row: list[str] | None) -> str:
    return "not tried" if row is None else f"{row[-1]} (k {row[5]})" if row[-1] else "-"


def ruled(project: Project, k: list[int]) -> Sequence[Mapping[str, Any]]:
    """The rows of the best rules; where no rule meets what is required, rows that say so."""
    try:
        project.discover()
        return project.compare(["rules"], k, models=["tree"], select=["roc_auc"]).rows
    except AnonduckError as error:
        none = {"method": "rules by roc_auc", "protocol": "released", "k": None, "reason": str(error), "models": {}}
        return [{**none, "k_required": one} for one in k]


def _pairs(required: str) -> Iterator[tuple[str, str]]:
    for one in filter(None, required.split(",")):
        name, _, value = one.partition("=")
        yield name, value


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
    released, owner, seconds = release(train, quasi, class_, k, dissimilarity, seed)
    method = owner["method"]
    near, guessed = nearest(released, train, held, quasi, class_), forest(released, train, held, quasi, class_)
    return {
        "f1": fmean(scores(released, held, class_)),
        "lost": owner["utility"]["measures"]["mutual_information_loss"],
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
    """A release with its owner's file, and the seconds of the processor that it took."""
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
    return released, made.owner, seconds


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
    found = nearest_links(known[quasi], released[quasi]).rows.argmax(axis=1)
    return float((released[class_].to_numpy()[found] == known[class_].to_numpy()).mean())


if __name__ == "__main__":
    main()
