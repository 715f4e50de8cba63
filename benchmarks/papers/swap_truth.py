"""Swapped records with the clusters they were swapped in, and how well links lead to a person's own cluster.

Clusters are nowhere outside memory, and no file tells them: they are taken here from the release while it is made. A
link is right by cluster if the released row shows values of the cluster that the person's record was put into. Somebody
who was held out has no cluster; for these, it is that of the record nearest to theirs, as the original has it.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd

from anonduck import Project
from anonduck.methods.coded_records import MixedColumn, MixedRecords
from anonduck.methods.dissimilarity import Distances, gower
from anonduck.release import swap_recoder
from anonduck.release.swapped_records import shown_codes

STEPS, SETTLED = 100, 1e-6
MOST = 0.999  # how often a column agrees in pairs of one person, at most
TIED = 1e-9


@dataclass
class Clustered:
    """Records as they came and as they are shown, in one order, and the cluster of each."""

    original: pd.DataFrame
    shown: pd.DataFrame
    cluster: np.ndarray

    @property
    def kept(self) -> float:
        """The share of the records that show all of their own values."""
        return float((_texts(self.original) == _texts(self.shown)).all(axis=1).mean())


def clustered(train: pd.DataFrame, quasi: list[str], class_: str, k: int, dissimilarity: str, seed: int) -> Clustered:
    """Release the records by swapping, and keep what was in memory."""
    taken: dict[str, Any] = {}
    swap = swap_recoder.swap

    def kept(records: Any, cluster: Any, blocks: Any, random: Any) -> Any:
        permuted = swap(records, cluster, blocks, random)
        taken.update(records=records, permuted=permuted, cluster=cluster, blocks=blocks)
        return permuted

    config = {"class_": class_, "quasi_identifiers": quasi, "requirement": {"k": k}, "models": [], "seed": seed + 1}
    rest = [column for column in train if column not in (*quasi, class_)]
    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.object(swap_recoder, "swap", kept),
        Project(source=train, insensitive=rest, measures=[], **config) as project,
    ):
        settings = {"dissimilarity": dissimilarity}
        project.anonymize("probabilistic", Path(folder) / "made.parquet", settings=settings)
    records = taken["records"]
    names = list(records.names)
    original = _decoded(train, names, [codes[records.rows] for codes in records.codes])
    shown = _decoded(train, names, list(shown_codes(records, taken["permuted"], taken["blocks"])))
    if Counter(map(tuple, _texts(original))) != Counter(map(tuple, _texts(train[names]))):
        raise ValueError("the codes of the release are not those of the sorted values")
    classes = pd.Series(np.sort(train[class_].unique())[records.classes[records.rows] - 1], name=class_)
    return Clustered(
        original[quasi].assign(**{class_: classes}), shown[quasi].assign(**{class_: classes}), taken["cluster"]
    )


def _decoded(train: pd.DataFrame, names: list[str], codes: list[np.ndarray]) -> pd.DataFrame:
    """The values of codes, which number the sorted values from 1; 0 is a missing one."""
    return pd.DataFrame(
        {
            name: pd.Series([None, *np.sort(train[name].dropna().unique())], dtype=object)[code].to_numpy()
            for name, code in zip(names, codes, strict=True)
        }
    ).astype({name: train[name].dtype for name in names})


def _texts(table: pd.DataFrame) -> np.ndarray:
    return table.astype(object).where(table.notna(), "").astype(str).to_numpy()


# -- links -------------------------------------------------------------------------------------------------------------


@dataclass
class Links:
    """By person, how sure the best link is, and the chance of each released row to be what it leads to, as an array
    (people, rows) of rows that sum to 1: equally good rows have equal chances."""

    sure: np.ndarray
    rows: np.ndarray

    def share(self, right: np.ndarray) -> np.ndarray:
        """By person, the chance that the link is right; ``right`` (people, rows)."""
        found: np.ndarray = (self.rows * right).sum(axis=1)
        return found


def _best(weights: np.ndarray) -> Links:
    most = weights.max(axis=1, keepdims=True)
    best = weights >= most - TIED
    return Links(most[:, 0], best / best.sum(axis=1, keepdims=True))


def nearest_links(known: pd.DataFrame, rows: pd.DataFrame) -> Links:
    """The rows that are nearest by Gower's dissimilarity."""
    columns, codes = _coded(known, rows)
    data = MixedRecords(columns, codes, np.ones(len(codes[0]), dtype=np.int64))
    distances = Distances(gower(data), data.codes)
    found = [distances.row(len(rows) + person)[: len(rows)] for person in range(len(known))]
    return _best(-np.array(found))


def matched_links(known: pd.DataFrame, rows: pd.DataFrame) -> Links:
    """The rows of the highest match weight."""
    return _best(match_weights(known, rows))


def match_weights(known: pd.DataFrame, rows: pd.DataFrame) -> np.ndarray:
    """The match weight (Fellegi and Sunter) of each person and row, m learned by expectation and maximization."""
    _, codes = _coded(known, rows)
    agreement = np.zeros((len(known), len(rows)), dtype=np.int64)
    for number, one in enumerate(codes):
        agreement |= (one[len(rows) :, None] == one[None, : len(rows)]).astype(np.int64) << number
    patterns, place, counts = np.unique(agreement, return_inverse=True, return_counts=True)
    agrees = (patterns[:, None] >> np.arange(len(codes)) & 1).astype(np.float64)
    u = np.clip((counts @ agrees) / counts.sum(), 1e-9, MOST)
    m = np.maximum(np.full(len(codes), 0.9), u)
    for _ in range(STEPS):
        pairs = counts / (1 + (len(rows) - 1) * np.exp(-_weights(agrees, m, u)))
        before, m = m, np.clip((pairs @ agrees) / pairs.sum(), u, MOST)
        if np.abs(m - before).max() < SETTLED:
            break
    found: np.ndarray = _weights(agrees, m, u)[place].reshape(agreement.shape)
    return found


def _weights(agrees: np.ndarray, m: np.ndarray, u: np.ndarray) -> np.ndarray:
    unlike = np.log((1 - m) / (1 - u))
    found: np.ndarray = agrees @ (np.log(m / u) - unlike) + unlike.sum()
    return found


def _coded(known: pd.DataFrame, rows: pd.DataFrame) -> tuple[tuple[MixedColumn, ...], tuple[np.ndarray, ...]]:
    """Rows, then people, as codes of one numbering."""
    every = pd.concat([rows, known[list(rows)]], ignore_index=True)
    columns, codes = zip(*(coded(every[name]) for name in every), strict=True)
    return columns, codes


def coded(column: pd.Series) -> tuple[MixedColumn, np.ndarray]:
    """A column as codes from 1, 0 being a missing value."""
    codes, values = pd.factorize(column, sort=True)
    numeric = pd.api.types.is_numeric_dtype(column)
    numbers = np.r_[np.nan, np.asarray(values, dtype=np.float64)] if numeric else None
    return MixedColumn(len(values) + 1, numbers), codes + 1


LINKERS = {"nearest": nearest_links, "linkage": matched_links}


# -- truth -------------------------------------------------------------------------------------------------------------


def truth(found: Clustered, held: pd.DataFrame, quasi: list[str], seed: int) -> Iterator[tuple[str, dict[str, float]]]:
    """By linker, how often links of people of the release lead to their cluster, by chance, and of others; precision
    and recall of links where half of the people are others, of all and of the surer half."""
    people = np.random.default_rng(seed).permutation(len(found.original))[: len(held)]
    others = held[quasi][: len(people)]
    theirs = nearest_links(others, found.original[quasi]).rows.argmax(axis=1)
    chance = float((np.bincount(found.cluster) ** 2).sum() / len(found.cluster) ** 2)
    for name, linker in LINKERS.items():
        links = linker(pd.concat([found.original[quasi].iloc[people], others], ignore_index=True), found.shown[quasi])
        own = np.concatenate([found.cluster[people], found.cluster[theirs]])
        right = links.share(own[:, None] == found.cluster[None, :])
        there = np.arange(len(right)) < len(people)
        surer = links.sure >= np.median(links.sure)
        true = right * there
        yield (
            name,
            {
                "right": right[there].mean(),
                "chance": chance,
                "control": right[~there].mean(),
                "precision": true.mean(),
                "recall": true.sum() / len(people),
                "surer": true[surer].sum() / surer.sum(),
                "surer recall": true[surer].sum() / len(people),
            },
        )
