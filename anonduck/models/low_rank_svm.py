"""A support vector machine with an RBF kernel of low rank, for tables whose records are too many for an exact one.

The time of an exact one grows with more than the square of the distinct records. Here the kernel is that of Nyström's
method (Williams and Seeger, Using the Nyström method to speed up kernel machines, NIPS 2000): records are known by
their similarity to a few landmarks. What is left is a linear machine in as many columns, trained by Newton's method in
the primal (Chapelle, Training a support vector machine in the primal, Neural Computation 2007, section 3). The corner
of the hinge is rounded within ``ROUNDED``, first widely, then ever less, each time from where the last one ended.
"""

from __future__ import annotations

from typing import Any

import numpy as np

LANDMARKS = 300
ROUNDED = (1.0, 0.3, 0.1)
SMALLEST = 1e-10  # share of the largest eigenvalue: directions of the landmarks below are rounding
FREE = 1e-9  # what the intercept costs: nothing but what keeps its equation solvable
CLOSE = 1e-4  # a step that lowers the objective by a smaller share is the last
STEPS, HALVINGS = 50, 40


class LowRankSvm:
    """Learns from weighted rows as an SVC does, with a kernel whose rank is the number of landmarks at most.

    Landmarks are rows drawn by their weights; where there are no more rows than landmarks, the kernel is exact. Of
    more than two classes, each is separated from the rest.
    """

    def __init__(self, c: float, gamma: float, landmarks: int = LANDMARKS, random_state: int = 0) -> None:
        self.c = c
        self.gamma = gamma
        self.landmarks = landmarks
        self.random_state = random_state

    def fit(self, features: Any, classes: np.ndarray, sample_weight: np.ndarray) -> LowRankSvm:
        """Learn from rows (dense or sparse) that stand for ``sample_weight`` records each."""
        self.classes_ = np.unique(classes)
        random = np.random.default_rng(self.random_state)
        count = min(self.landmarks, features.shape[0])
        drawn = np.sort(random.choice(features.shape[0], count, replace=False, p=sample_weight / sample_weight.sum()))
        self.centres_ = _dense(features[drawn])
        values, vectors = np.linalg.eigh(self._similar(self.centres_))
        held = values > SMALLEST * values[-1]
        self.axes_ = vectors[:, held] / np.sqrt(values[held])
        rows = self._mapped(features)
        named = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        sides = [np.where(classes == one, 1.0, -1.0) for one in named]
        self.planes_ = np.column_stack([plane(rows, side, sample_weight, self.c) for side in sides])
        return self

    def decision_function(self, features: Any) -> np.ndarray:
        """How much speaks for the second class (rows,), or for each of several (rows, classes)."""
        found: np.ndarray = self._mapped(features) @ self.planes_
        return found[:, 0] if len(self.classes_) == 2 else found

    def predict(self, features: Any) -> np.ndarray:
        """The class that most speaks for."""
        found = self.decision_function(features)
        predicted: np.ndarray = self.classes_[(found > 0).astype(int) if found.ndim == 1 else found.argmax(axis=1)]
        return predicted

    def _mapped(self, features: Any) -> np.ndarray:
        """Rows in the columns of the linear machine; the last is 1, for the intercept."""
        return np.column_stack([self._similar(features) @ self.axes_, np.ones(features.shape[0])])

    def _similar(self, features: Any) -> np.ndarray:
        """The kernel of rows and landmarks."""
        products = np.asarray(features @ self.centres_.T)
        squares = _squares(features)[:, None] + _squares(self.centres_)[None, :] - 2 * products
        similar: np.ndarray = np.exp(-self.gamma * np.maximum(squares, 0.0))
        return similar


def _dense(features: Any) -> np.ndarray:
    return np.asarray(features if isinstance(features, np.ndarray) else features.toarray(), dtype=np.float64)


def _squares(features: Any) -> np.ndarray:
    found: np.ndarray = np.asarray((features * features).sum(axis=1)).ravel()
    return found


def plane(rows: np.ndarray, sides: np.ndarray, weights: np.ndarray, c: float) -> np.ndarray:
    """The weights of the columns that part ``sides`` (1 or -1) by the least of their square and c times the loss.

    The last column is the intercept, whose square is free.
    """
    costs = np.ones(rows.shape[1])
    costs[-1] = FREE
    found, margins = np.zeros(rows.shape[1]), np.zeros(len(rows))
    for rounded in ROUNDED:
        value = _objective(found, margins, costs, c * weights, rounded)
        for _ in range(STEPS):
            step, slope = _step(rows, sides, found, margins, costs, c * weights, rounded)
            if -slope <= CLOSE * value:
                break
            change, size = sides * (rows @ step), 1.0
            for _ in range(HALVINGS):
                lower = _objective(found + size * step, margins + size * change, costs, c * weights, rounded)
                if lower <= value + 1e-4 * size * slope:
                    break
                size /= 2
            else:
                break
            found, margins, value = found + size * step, margins + size * change, lower
    return found


def _objective(found: np.ndarray, margins: np.ndarray, costs: np.ndarray, weights: np.ndarray, rounded: float) -> float:
    short = 1 - margins
    bent = np.clip(short + rounded, 0.0, None) ** 2 / (4 * rounded)
    return float(costs @ (found * found) / 2 + weights @ np.where(short > rounded, short, bent))


def _step(
    rows: np.ndarray,
    sides: np.ndarray,
    found: np.ndarray,
    margins: np.ndarray,
    costs: np.ndarray,
    weights: np.ndarray,
    rounded: float,
) -> tuple[np.ndarray, float]:
    """Newton's step, and by how much the objective falls along it at first."""
    short = 1 - margins
    pulled = weights * np.clip((short + rounded) / (2 * rounded), 0.0, 1.0)
    gradient = costs * found - rows.T @ (pulled * sides)
    bent = np.abs(short) <= rounded
    near = rows[bent]
    curvature = (near.T * (weights[bent] / (2 * rounded))) @ near + np.diag(costs)
    step = -np.linalg.solve(curvature, gradient)
    return step, float(gradient @ step)
