"""Releases by swapping, and what they lose and leave to attackers (Senavirathne and Torra 2021, section 5).

A third of the records of a data set is held out. Quasi-identifiers are as many columns as the paper takes (*part*, by
its shares of the attributes), of all such sets the one that singles out most records, or all columns (*full*).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from anonduck import Project
from anonduck.methods.permutation import information_lost
from benchmarks.data_sets import FILES, data
from benchmarks.papers.links import coded, match_weights, matched_links, nearest_links

DATA_SETS = ("adult", "cmc", "german", "mammographic")
PART = {"adult": 0.42, "cmc": 0.44, "german": 0.2, "mammographic": 0.8}
"""The share of the attributes in the set *part* (section 5.2)."""
CHOSEN_ON = 3_000
"""Records on which the set *part* is chosen, at most: of more, nearly all combinations single out everybody."""
MODELS: dict[str, Any] = {
    "mlp": MLPClassifier((32, 32, 32), max_iter=100, random_state=0),
    "logistic": LogisticRegression(max_iter=500),
    "svm": SVC(random_state=0),
    "tree": DecisionTreeClassifier(random_state=0),
    "forest": RandomForestClassifier(100, random_state=0, n_jobs=1),
}


@dataclass
class Split:
    """The records that are released, those held out, the class, the sets of quasi-identifiers by name, and the share of
    all records that the set *part* singles out."""

    name: str
    train: pd.DataFrame
    held: pd.DataFrame
    class_: str
    sets: dict[str, list[str]]
    singled: float


@dataclass(frozen=True)
class Bounds:
    """How much of a data set is used.

    Records that models learn from, people whom attackers know (0: nobody), releases, the k at which models learn and
    attackers guess, and the models.
    """

    learn: int
    people: int
    trials: int
    scored: tuple[int, ...]
    models: tuple[str, ...]


@dataclass
class Guessed:
    """How often an attacker guesses the class right: of people of the release, and of people who are not in it."""

    people: float
    others: float


def split(name: str) -> Split:
    """Hold out a third of the records, drawn at random, and choose quasi-identifiers on the others."""
    file, class_ = FILES[name]
    table = pd.read_csv(data() / file)
    table = table.sample(frac=1, random_state=0, ignore_index=True)
    cut = 2 * len(table) // 3
    train, held = table[:cut].reset_index(drop=True), table[cut:].reset_index(drop=True)
    every = [str(column) for column in table if column != class_]
    part = most_identifying(train[every][:CHOSEN_ON], round(PART[name] * len(every)))
    return Split(name, train, held, class_, {"part": part, "full": every}, singled_out(table[part]))


def singled_out(table: pd.DataFrame) -> float:
    """The share of the records that show what no other one does."""
    return float((~table.duplicated(keep=False)).mean())


def most_identifying(table: pd.DataFrame, size: int) -> list[str]:
    """Of the sets of so many columns the one that singles out most records.

    Of equal ones it is that whose columns tell apart most pairs of records, each by itself.
    """
    codes = {name: coded(table[name])[1] for name in table}
    apart = {name: 1 - float((np.bincount(codes[name]) ** 2).sum()) / len(table) ** 2 for name in table}

    def singled(names: tuple[str, ...]) -> tuple[float, float]:
        together = np.zeros(len(table), dtype=np.int64)
        for name in names:
            together = np.unique(together * (codes[name].max() + 1) + codes[name], return_inverse=True)[1]
        return float((np.bincount(together) == 1).sum()) / len(table), sum(apart[name] for name in names)

    return list(max(combinations(table, size), key=singled))


def release(one: Split, quasi: list[str], k: int, dissimilarity: str, seed: int) -> tuple[pd.DataFrame, dict[str, Any]]:
    """A release of all columns, and its owner's file."""
    config = {"class_": one.class_, "quasi_identifiers": quasi, "requirement": {"k": k}, "models": [], "seed": seed + 1}
    rest = [column for column in one.train if column not in (*quasi, one.class_)]
    with (
        tempfile.TemporaryDirectory() as folder,
        Project(source=one.train, insensitive=rest, measures=[], **config) as project,
    ):
        file = Path(folder) / "made.parquet"
        made = project.anonymize("probabilistic", file, settings={"dissimilarity": dissimilarity})
        return pd.read_parquet(file)[list(one.train)], dict(made.owner)


# -- mutual information ------------------------------------------------------------------------------------------------


def information_loss(original: pd.DataFrame, released: pd.DataFrame) -> float:
    """The loss of section 5.1: the mean over all columns of their mean information on the others, before less after."""
    return information_lost(*([coded(table[name])[1] for name in original] for table in (original, released)))


# -- models and attackers ----------------------------------------------------------------------------------------------


def scores(train: pd.DataFrame, one: Split, limits: Bounds) -> dict[str, float]:
    """Macro F1 of each model on the held-out records, which are as they came; of more records, it learns from some."""
    drawn = train if len(train) <= limits.learn else train.sample(limits.learn, random_state=0)
    every = one.sets["full"]
    found = {}
    for name, model in ((name, MODELS[name]) for name in limits.models):
        guessed = trained(model, train if name == "logistic" else drawn, every, one.class_).predict(one.held[every])
        found[name] = float(f1_score(one.held[one.class_], guessed, average="macro"))
    return found


def trained(model: Any, train: pd.DataFrame, columns: list[str], class_: str) -> Any:
    """A model on numbers that are scaled, and a column for each category; a number that is missing is the mean."""
    numbers = [column for column in columns if pd.api.types.is_numeric_dtype(train[column])]
    texts = [column for column in columns if column not in numbers]
    features = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), numbers), (OneHotEncoder(handle_unknown="ignore"), texts)
    )
    return make_pipeline(features, model).fit(train[columns], train[class_])


def attacks(released: pd.DataFrame, one: Split, quasi: list[str], people: int) -> dict[str, Guessed]:
    """By attack, how often the class is guessed right: by the nearest row, the best match, and a forest."""
    known = [table if len(table) <= people else table.sample(people, random_state=0) for table in (one.train, one.held)]
    classes = released[one.class_].to_numpy()
    found = {}
    for name, linker in (("distance", nearest_links), ("linkage", matched_links)):
        rates = (
            float(linker(each[quasi], released[quasi]).share(each[[one.class_]].to_numpy() == classes).mean())
            for each in known
        )
        found[name] = Guessed(*rates)
    codes = {
        name: pd.factorize(released[name])[1] for name in quasi if not pd.api.types.is_numeric_dtype(released[name])
    }

    def numbered(table: pd.DataFrame) -> pd.DataFrame:
        return table[quasi].assign(**{name: codes[name].get_indexer(table[name]) for name in codes}).fillna(-1)

    forest = MODELS["forest"].fit(numbered(released), released[one.class_])
    rates = (float((forest.predict(numbered(each)) == each[one.class_]).mean()) for each in known)
    return found | {"forest": Guessed(*rates)}


# -- links, one to one -------------------------------------------------------------------------------------------------


def one_to_one(released: pd.DataFrame, one: Split, quasi: list[str], people: int) -> Iterator[float]:
    """The share of right links, of all and of the surer half, where half of the people known are not in the release.

    Each of the people is linked to a released row, no row twice, so that the match weights sum to the most. A link is
    right if its person is in the release, as the paper counts.
    """
    size = min(people, len(one.held), len(one.train))
    known = pd.concat([one.train.sample(size, random_state=0), one.held[:size]], ignore_index=True)
    weights = match_weights(known[quasi], released[quasi])
    person, row = linear_sum_assignment(weights, maximize=True)
    weight, there = weights[person, row], person < size
    yield float(there.mean())
    yield float(there[weight >= np.median(weight)].mean())
