"""Inference: what the release lets somebody guess about a person whose quasi-identifiers are known.

Three guesses, each learned from the release alone: the most frequent value of the person's class; a random forest; and
a naive Bayes after Kifer's deFinetti attack (2009), which takes the likeliest among the values that the person's class
holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from anonduck.attacks.placing import Placed
from anonduck.attacks.rates import Rate
from anonduck.database import Database
from anonduck.estimators import MODELS
from anonduck.statements import builder_attack, statement
from anonduck.statements.builder_attack import Attribute

if TYPE_CHECKING:
    import pandas as pd

LEARNED_ROWS = 50_000  # distinct released rows that models learn from; of more, so many at random
WIDE = 50  # a column of more labels is one number to a forest, that of the label, instead of a column for each
MOST_VALUES = 256
METHODS = ("most frequent in class", "random forest", "naive Bayes (deFinetti)")


@dataclass(frozen=True)
class Known:
    """What is read from the release to learn from: rows with their records, and where labels lie on their lines."""

    rows: pd.DataFrame
    lines: Mapping[int, np.ndarray]
    labels: Mapping[int, int]


def learn_from(work: Database, placed: Placed, seed: int) -> Known:
    """Read the released rows, at most ``LEARNED_ROWS`` of them."""
    rows = work.frame(builder_attack.labels_of_rows(placed.attributes))
    if len(rows) > LEARNED_ROWS:
        chosen = np.random.default_rng(seed).choice(len(rows), LEARNED_ROWS, replace=False)
        rows = rows.iloc[np.sort(chosen)].reset_index(drop=True)
    lines = {number: np.full(count + 1, np.nan) for number, count in placed.labels.items()}
    for number, label, middle in work.rows(statement("attacks/label_places.sql")):
        lines[number][label] = middle
    return Known(rows, lines, placed.labels)


def read_targets(work: Database, placed: Placed) -> pd.DataFrame:
    """The targets: label numbers and positions."""
    return work.frame(builder_attack.labels_of_targets(placed.attributes))


def infer(known: Known, attributes: Sequence[Attribute], about: Attribute, targets: pd.DataFrame) -> dict[str, Rate]:
    """How many targets' values each method guesses right, and ``baseline``: the release's most frequent value for
    all.
    """
    weights = known.rows["records"].to_numpy(np.float64)
    values, truth = np.unique(known.rows[f"l_{about.number}"].to_numpy(), return_inverse=True)
    counts = _class_counts(known, attributes, targets, truth, len(values))
    majority = int(np.bincount(truth, weights=weights).argmax())
    guesses = {"baseline": np.full(len(targets), majority), METHODS[0]: _most_frequent(counts, majority)}
    if len(values) == 1 or not len(targets):
        guesses |= dict.fromkeys(METHODS[1:], guesses["baseline"])
    else:
        guesses[METHODS[1]] = _by_forest(known, attributes, targets, truth, weights)
        guesses[METHODS[2]] = _by_bayes(known, attributes, targets, truth, weights, counts)
    held = targets[f"l_{about.number}"].to_numpy()
    return {name: Rate(int((values[guess] == held).sum()), len(targets)) for name, guess in guesses.items()}


# -- guesses -----------------------------------------------------------------------------------------------------------


def _class_counts(
    known: Known, attributes: Sequence[Attribute], targets: pd.DataFrame, truth: np.ndarray, values: int
) -> np.ndarray:
    """The records of each value in the class of each target, of shape (targets, values)."""
    names = [f"l_{one.number}" for one in attributes]
    every = np.vstack([known.rows[names].to_numpy(np.int64), targets[names].to_numpy(np.int64)])
    _, groups = np.unique(every, axis=0, return_inverse=True)
    groups = groups.ravel()  # numpy 2.0 keeps a second dimension
    learned, asked = groups[: len(known.rows)], groups[len(known.rows) :]
    wanted = np.isin(learned, asked)
    _, places = np.unique(np.r_[asked, learned[wanted]], return_inverse=True)
    counts = np.zeros((int(places.max(initial=-1)) + 1, values))
    np.add.at(counts, (places[len(asked) :], truth[wanted]), known.rows["records"].to_numpy()[wanted])
    return counts[places[: len(asked)]]


def _most_frequent(counts: np.ndarray, majority: int) -> np.ndarray:
    return np.where(counts.any(axis=1), counts.argmax(axis=1), majority)


def _by_forest(
    known: Known, attributes: Sequence[Attribute], targets: pd.DataFrame, truth: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    rows = _features(known, attributes, known.rows)
    forest = MODELS["forest"].make(rows, weights).fit(rows, truth, sample_weight=weights)
    guessed: np.ndarray = forest.predict_proba(_features(known, attributes, targets)).argmax(axis=1)
    return guessed


def _by_bayes(
    known: Known,
    attributes: Sequence[Attribute],
    targets: pd.DataFrame,
    truth: np.ndarray,
    weights: np.ndarray,
    counts: np.ndarray,
) -> np.ndarray:
    names = [f"l_{one.number}" for one in attributes]
    rows, asked = known.rows[names].to_numpy(np.int64), targets[names].to_numpy(np.int64)
    bayes = MODELS["bayes"].make(np.vstack([rows, asked]), weights).fit(rows, truth, sample_weight=weights)
    likely = bayes.predict_proba(asked)
    in_class = np.where(counts.any(axis=1, keepdims=True), counts > 0, True)
    guessed: np.ndarray = np.where(in_class, likely, -1.0).argmax(axis=1)
    return guessed


def _features(known: Known, attributes: Sequence[Attribute], table: pd.DataFrame) -> np.ndarray:
    """What a forest learns from: the middle of a label on its line, else a column per label (or the number of many)."""
    parts: list[np.ndarray] = []
    for one in attributes:
        labels = table[f"l_{one.number}"].to_numpy(np.int64)
        if one.span:
            line = known.lines[one.number][labels]
            own = table[f"n_{one.number}"].to_numpy(np.float64) if f"n_{one.number}" in table else line
            parts.append(np.where(labels == 0, own, line)[:, None])
        elif known.labels[one.number] <= WIDE:
            parts.append(labels[:, None] == np.arange(1, known.labels[one.number] + 1))
        else:
            parts.append(labels[:, None])
    return np.asfortranarray(np.hstack(parts), dtype=np.float32)
