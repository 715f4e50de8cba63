"""The contingency table of a rule: what models are trained on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anonduck.errors import ModelError


@dataclass(frozen=True, eq=False)
class Contingency:
    """A generalized table as counts: a cell is a distinct combination of node codes and class.

    ``codes`` (cells, attributes) int32 node codes, 0 = NULL; ``nominal`` and ``sizes`` per attribute, the latter the
    nodes of its level; ``classes`` (cells,) class codes; ``folds`` (cells, folds) int64 records of a cell by fold.
    ``values`` (cells, attributes), optional: numbers that stand for the codes of ordered attributes where nothing is
    generalized; a column without any finite number uses its codes. NULL is told by its code alone. Infinities become
    the smallest and largest finite number of the column; NaN counts as infinity, as in the database's order.
    ``nodes`` (cells, attributes), optional: codes of what a release shows in place of ``codes``, which are leaves then;
    models train on leaves drawn from the nodes and are tested on the codes.
    Raises ModelError where the shapes do not fit each other.
    """

    codes: np.ndarray
    nominal: tuple[bool, ...]
    sizes: tuple[int, ...]
    classes: np.ndarray
    folds: np.ndarray
    values: np.ndarray | None = None
    nodes: np.ndarray | None = None

    def __post_init__(self) -> None:
        cells, attributes = self.codes.shape
        if not len(self.nominal) == len(self.sizes) == attributes:
            raise ModelError(
                f"a contingency table of {attributes} attributes needs as many kinds and sizes; "
                f"it got {len(self.nominal)} and {len(self.sizes)}"
            )
        if not len(self.classes) == len(self.folds) == cells:
            raise ModelError(
                f"a contingency table of {cells} cells needs a class and fold counts for each; "
                f"it got {len(self.classes)} and {len(self.folds)}"
            )
        if self.values is not None and self.values.shape != self.codes.shape:
            raise ModelError(f"values have the shape {self.values.shape}, codes {self.codes.shape}; they must be equal")
        if self.nodes is not None and self.nodes.shape != self.codes.shape:
            raise ModelError(f"nodes have the shape {self.nodes.shape}, codes {self.codes.shape}; they must be equal")
        if self.codes.size and (self.codes.min() < 0 or (self.codes.max(axis=0) > self.sizes).any()):
            raise ModelError("a node code lies outside 0 (NULL) to the number of nodes of its level")
