"""The contingency table of a rule, on which models are trained."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anonduck.errors import ModelError


@dataclass(frozen=True, eq=False)
class SuppressedRecords:
    """The records that a rule suppresses: class codes (values,), and the records of each by fold (values, folds)."""

    classes: np.ndarray
    folds: np.ndarray


@dataclass(frozen=True, eq=False)
class Contingency:
    """A generalized table as counts: a cell is a distinct combination of node codes and class.

    ``codes`` (cells, attributes) int32 node codes, 0 = NULL; ``nominal`` and ``sizes`` per attribute, the latter the
    nodes of its level; ``classes`` (cells,) class codes; ``folds`` (cells, folds) int64 records of a cell by fold.
    ``values`` (cells, attributes), optional: numbers that stand for the codes of ordered attributes where nothing is
    generalized; a column without any finite number uses its codes. Only the code marks NULL. Infinities become
    the smallest and largest finite number of the column; NaN counts as infinity, as in the database's order.
    ``nodes`` (cells, attributes), optional: codes of what a release shows in place of ``codes``, which are leaves then;
    models train on leaves drawn from the nodes and are tested on the codes.
    ``over``, optional, with ``nodes`` that are nested in each other: for each attribute the codes of the nodes over
    each leaf, of shape (leaves + 1, levels), so that all training values under a node count.
    ``left_out``, optional: the records that are suppressed; a score counts them as the majority guess.
    ``lent`` keeps the records that were drawn last from ``nodes``, by what they were drawn for: all models learn from
    the same ones.
    Raises ModelError where the shapes do not fit each other.
    """

    codes: np.ndarray
    nominal: tuple[bool, ...]
    sizes: tuple[int, ...]
    classes: np.ndarray
    folds: np.ndarray
    values: np.ndarray | None = None
    nodes: np.ndarray | None = None
    over: tuple[np.ndarray, ...] | None = None
    left_out: SuppressedRecords | None = None
    lent: dict[Any, Any] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        cells, attributes = self.codes.shape
        if not len(self.nominal) == len(self.sizes) == attributes:
            raise ModelError(
                f"a contingency table of {attributes} attributes needs as many kinds and sizes; "
                f"got {len(self.nominal)} and {len(self.sizes)}"
            )
        if not len(self.classes) == len(self.folds) == cells:
            raise ModelError(
                f"a contingency table of {cells} cells needs a class and fold counts for each; "
                f"got {len(self.classes)} and {len(self.folds)}"
            )
        if self.values is not None and self.values.shape != self.codes.shape:
            raise ModelError(f"values have the shape {self.values.shape}, codes {self.codes.shape}; they must be equal")
        if self.nodes is not None and self.nodes.shape != self.codes.shape:
            raise ModelError(f"nodes have the shape {self.nodes.shape}, codes {self.codes.shape}; they must be equal")
        if self.over is not None:
            self._check_over(self.over)
        if self.codes.size and (self.codes.min() < 0 or (self.codes.max(axis=0) > self.sizes).any()):
            raise ModelError("a node code lies outside 0 (NULL) to the number of nodes of its level")

    def _check_over(self, over: tuple[np.ndarray, ...]) -> None:
        if self.nodes is None or len(over) != len(self.sizes):
            raise ModelError(f"`over` needs `nodes`, and an array for each of {len(self.sizes)} attributes")
        for paths, leaves, shown in zip(over, self.codes.T, self.nodes.T, strict=True):
            if leaves.max(initial=-1) >= len(paths) or not (paths[leaves] == shown[:, None]).any(axis=1).all():
                raise ModelError("a node is not over its leaf, by the nodes that `over` lists")


@dataclass(frozen=True, eq=False)
class AllRecords:
    """The records of a table by class and fold, suppressed ones included, and the guess for the suppressed ones.

    ``classes`` (values,) are the occurring class codes in order; ``folds`` (values, folds) the records of each, and
    ``left_out`` (values, folds) the suppressed ones among them. ``guesses`` (folds,) is for each tested fold the row of
    the most frequent class of all other folds, the first one of equals.
    """

    classes: np.ndarray
    folds: np.ndarray
    left_out: np.ndarray
    guesses: np.ndarray


def everyone(table: Contingency) -> AllRecords:
    """All records of a contingency table by class and fold, suppressed ones included."""
    classes, left_out = table.classes, np.zeros((0, table.folds.shape[1]), dtype=np.int64)
    if table.left_out is not None:
        classes, left_out = np.r_[table.classes, table.left_out.classes], table.left_out.folds
    known, place = np.unique(classes, return_inverse=True)
    stay, gone = (np.zeros((len(known), table.folds.shape[1]), dtype=np.int64) for _ in range(2))
    np.add.at(stay, place[: len(table.classes)], table.folds)
    np.add.at(gone, place[len(table.classes) :], left_out)
    held = np.flatnonzero((stay + gone).sum(axis=1))
    folds = (stay + gone)[held]
    return AllRecords(known[held], folds, gone[held], majority_guesses(folds))


def majority_guesses(folds: np.ndarray) -> np.ndarray:
    """For each fold the row with the most records in the other folds, the first of equals; ``folds`` (rows, folds)."""
    others = folds.sum(axis=1, keepdims=True) - folds
    guesses: np.ndarray = others.argmax(axis=0) if len(others) else np.zeros(folds.shape[1], dtype=np.int64)
    return guesses
