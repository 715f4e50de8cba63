"""What parts of classes reach of the requirements on sensitive values, from how many of their records have each value.

Written from the published formulas that ``anonduck.privacy.models`` lists, and from nothing that makes a release.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from anonduck.privacy.requirement import Criterion


@dataclass(frozen=True, eq=False)
class ClassSecrets:
    """A sensitive column of a class: the value of each of its records (records,), as a number from 0, and the share
    ``overall`` (values,) of each of these values in the release, which has so many values ``everywhere``.
    """

    codes: np.ndarray
    overall: np.ndarray
    everywhere: int


Counts = np.ndarray
"""How many records of parts have each value of their class, of shape (..., values)."""


def meets(criteria: Sequence[Criterion], counts: Counts, secrets: ClassSecrets) -> np.ndarray:
    """Whether each part, of shape (...), meets all criteria; a part must have a record."""
    found = np.ones(counts.shape[:-1], dtype=bool)
    for one in criteria:
        (bound,) = one.model.bounds
        found &= one.bound_holds(bound, REACHED[one.model.name](counts, secrets, one.numbers))
    return found


def _shares(counts: Counts) -> np.ndarray:
    shares: np.ndarray = counts / counts.sum(axis=-1, keepdims=True)
    return shares


def _distinct(counts: Counts, _: ClassSecrets, __: Mapping[str, float]) -> np.ndarray:
    found: np.ndarray = np.count_nonzero(counts, axis=-1)
    return found


def _entropy(counts: Counts, _: ClassSecrets, __: Mapping[str, float]) -> np.ndarray:
    shares = _shares(counts)
    found: np.ndarray = np.exp(-(shares * np.log(np.where(shares > 0, shares, 1.0))).sum(axis=-1))
    return found


def _recursive(counts: Counts, _: ClassSecrets, numbers: Mapping[str, float]) -> np.ndarray:
    ranked = -np.sort(-counts, axis=-1)
    with np.errstate(divide="ignore"):
        found: np.ndarray = ranked[..., 0] / ranked[..., int(numbers["l"]) - 1 :].sum(axis=-1)
    return found


def _frequency(counts: Counts, _: ClassSecrets, __: Mapping[str, float]) -> np.ndarray:
    found: np.ndarray = counts.sum(axis=-1) / counts.max(axis=-1)
    return found


def _largest(counts: Counts, _: ClassSecrets, __: Mapping[str, float]) -> np.ndarray:
    found: np.ndarray = _shares(counts).max(axis=-1)
    return found


def _closeness(counts: Counts, secrets: ClassSecrets, _: Mapping[str, float]) -> np.ndarray:
    found: np.ndarray = np.maximum(_shares(counts) - secrets.overall, 0).sum(axis=-1)
    return found


def _likeness(counts: Counts, secrets: ClassSecrets, _: Mapping[str, float]) -> np.ndarray:
    found: np.ndarray = np.maximum((_shares(counts) / secrets.overall - 1).max(axis=-1), 0)
    return found


def _enhanced(counts: Counts, secrets: ClassSecrets, numbers: Mapping[str, float]) -> np.ndarray:
    over = (_shares(counts) / secrets.overall - 1 > -np.log(secrets.overall) + 1e-12).any(axis=-1)
    return np.where(over, np.inf, _likeness(counts, secrets, numbers))


def _disclosure(counts: Counts, secrets: ClassSecrets, numbers: Mapping[str, float]) -> np.ndarray:
    lacking = (counts == 0).any(axis=-1) | (secrets.everywhere > counts.shape[-1])
    told = np.abs(np.log(np.maximum(_shares(counts), 1e-300) / secrets.overall)).max(axis=-1)
    return np.where(lacking, np.inf, told / np.log(numbers.get("log") or np.e))


REACHED: Mapping[str, Callable[[Counts, ClassSecrets, Mapping[str, float]], np.ndarray]] = {
    "l": _distinct,
    "entropy_l": _entropy,
    "recursive_l": _recursive,
    "frequency_l": _frequency,
    "alpha": _largest,
    "t": _closeness,
    "beta": _likeness,
    "enhanced_beta": _enhanced,
    "delta_disclosure": _disclosure,
}
"""The models that a class meets or misses by how many of its records have which value."""
PARTS = frozenset({"l", "entropy_l", "frequency_l"})
"""The models that are named for one l-th: the largest share of a value that they are taken to promise."""
