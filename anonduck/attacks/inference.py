"""Inference: what the release lets somebody guess about a person whose quasi-identifiers are known.

Three guesses, each learned from the release alone: the most frequent value of the person's class; a random forest; and
naive Bayes after Kifer's deFinetti attack (2009), restricted to the values that the person's class holds. Each also
gives a probability for every value (``posterior``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from anonduck.attacks import posterior
from anonduck.attacks.attacked_columns import AttackedColumn
from anonduck.attacks.knowledge import PlacedColumns, labels_of_rows
from anonduck.attacks.people import AttackedPeople
from anonduck.attacks.posterior import Beliefs
from anonduck.attacks.rates import Rate
from anonduck.database.connection import Database
from anonduck.models.estimators import MODELS
from anonduck.statements import statement

if TYPE_CHECKING:
    import pandas as pd

LEARNED_ROWS = 50_000  # at most so many distinct released rows are learned from, drawn at random
WIDE = 50  # a column with more labels is one number to a forest (the label's), not a column per label
MOST_VALUES = 256
LEAST = 1e-300  # the smallest chance by naive Bayes: values that the class holds keep more than 0
METHODS = ("most frequent in class", "random forest", "naive Bayes (deFinetti)")


@dataclass(frozen=True)
class ReleasedRows:
    """What the attacker learns from: released rows with their records, the middle of each label on its line, and the
    records of each label.

    ``forests`` are those grown so far, by guessed column: both groups of people are guessed by the same.
    """

    rows: pd.DataFrame
    lines: Mapping[int, np.ndarray]
    records: Mapping[int, np.ndarray]
    labels: Mapping[int, int]
    forests: dict[int, Any] = field(default_factory=dict)


def learn_from(work: Database, placed: PlacedColumns, seed: int) -> ReleasedRows:
    """Read the released rows, at most ``LEARNED_ROWS`` of them."""
    rows = work.frame(labels_of_rows(placed.attributes))
    if len(rows) > LEARNED_ROWS:
        chosen = np.random.default_rng(seed).choice(len(rows), LEARNED_ROWS, replace=False)
        rows = rows.iloc[np.sort(chosen)].reset_index(drop=True)
    lines = {number: np.full(count + 1, np.nan) for number, count in placed.labels.items()}
    records = {number: np.zeros(count + 1) for number, count in placed.labels.items()}
    for number, label, held, middle in work.rows(statement("attacks/label_positions.sql")):
        records[number][label] = held
        lines[number][label] = np.nan if middle is None else middle
    return ReleasedRows(rows, lines, records, placed.labels)


@dataclass(frozen=True)
class InferenceResult:
    """What is inferred about some people.

    ``rates`` says how many each method guesses right; ``baseline`` guesses the release's most frequent value for all.
    ``beliefs`` has the probabilities that each method gives. ``counts`` are the records of each value in each person's
    class, the likeliest of several.
    """

    rates: Mapping[str, Rate]
    beliefs: Mapping[str, Beliefs]
    counts: np.ndarray
    values: np.ndarray


def infer(
    known: ReleasedRows, attributes: Sequence[AttackedColumn], about: AttackedColumn, people: AttackedPeople
) -> InferenceResult:
    """Guess the value of a column for all people, by each method."""
    weights = known.rows["records"].to_numpy(np.float64)
    values, truth = np.unique(known.rows[f"l_{about.number}"].to_numpy(), return_inverse=True)
    prior = known.records[about.number][values] / known.records[about.number][values].sum()
    counts = _class_counts(known, attributes, people.classes, truth, len(values))
    held = _places(values, people.rows[f"l_{about.number}"].to_numpy())
    guesses, chances = _guesses(known, attributes, about, people, (truth, weights), counts, prior)
    rates = {name: Rate(int((guess == held).sum()), len(people)) for name, guess in guesses.items()}
    beliefs = {name: Beliefs(each, held, prior) for name, each in chances.items()}
    return InferenceResult(rates, beliefs, counts[people.likeliest(counts.sum(axis=1))], values)


def _guesses(
    known: ReleasedRows,
    attributes: Sequence[AttackedColumn],
    about: AttackedColumn,
    people: AttackedPeople,
    learned: tuple[np.ndarray, np.ndarray],
    counts: np.ndarray,
    prior: np.ndarray,
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """The likeliest value and the probabilities, by method.

    ``learned`` is the value of each released row with its records, ``counts`` the records of each value in the classes
    that people may be in.
    """
    every, expected = np.full(len(people), int(prior.argmax())), people.summed(counts)
    guesses = {"baseline": every, METHODS[0]: _most_frequent(expected, int(prior.argmax()))}
    chances = {METHODS[0]: posterior.class_chances(expected, prior)}
    if len(prior) == 1 or not len(people):
        same = np.tile(prior, (len(people), 1))
        return guesses | dict.fromkeys(METHODS[1:], every), chances | dict.fromkeys(METHODS[1:], same)
    asked = people.classes
    if about.number not in known.forests:
        known.forests[about.number] = _grown(known, attributes, *learned)
    by_forest: np.ndarray = known.forests[about.number].predict_proba(_features(known, attributes, asked))
    models = (by_forest, _by_bayes(known, attributes, asked, *learned, counts))
    for name, of_classes in zip(METHODS[1:], models, strict=True):
        likely = people.mixed(of_classes, counts.sum(axis=1))
        guesses[name], chances[name] = likely.argmax(axis=1), posterior.smoothed(likely, prior)
    return guesses, chances


def _places(values: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The place of each label among the sorted values, -1 for a label that is not among them."""
    places = np.minimum(np.searchsorted(values, labels), len(values) - 1)
    found: np.ndarray = np.where(values[places] == labels, places, -1)
    return found


# -- guesses -----------------------------------------------------------------------------------------------------------


def _class_counts(
    known: ReleasedRows, attributes: Sequence[AttackedColumn], targets: pd.DataFrame, truth: np.ndarray, values: int
) -> np.ndarray:
    """The records of each value in each of the classes ``targets``, of shape (targets, values)."""
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


def _grown(known: ReleasedRows, attributes: Sequence[AttackedColumn], truth: np.ndarray, weights: np.ndarray) -> Any:
    """A forest that has learned the value of each released row."""
    rows = _features(known, attributes, known.rows)
    return MODELS["forest"].make(rows, weights).fit(rows, truth, sample_weight=weights)


def _by_bayes(
    known: ReleasedRows,
    attributes: Sequence[AttackedColumn],
    targets: pd.DataFrame,
    truth: np.ndarray,
    weights: np.ndarray,
    counts: np.ndarray,
) -> np.ndarray:
    names = [f"l_{one.number}" for one in attributes]
    rows, asked = known.rows[names].to_numpy(np.int64), targets[names].to_numpy(np.int64)
    bayes = MODELS["bayes"].make(np.vstack([rows, asked]), weights).fit(rows, truth, sample_weight=weights)
    in_class = np.where(counts.any(axis=1, keepdims=True), counts > 0, True)
    likely: np.ndarray = np.where(in_class, np.maximum(bayes.predict_proba(asked), LEAST), 0.0)
    shares: np.ndarray = likely / likely.sum(axis=1, keepdims=True)
    return shares


def _features(known: ReleasedRows, attributes: Sequence[AttackedColumn], table: pd.DataFrame) -> np.ndarray:
    """The features of a forest: a label's middle on its line, else a column per label (the label's number if there are
    many).
    """
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
