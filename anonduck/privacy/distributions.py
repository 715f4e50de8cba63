"""Distributions in a released column: read from JSON, checked, and the share that each gives to class values."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from anonduck.errors import AuditError

TOLERANCE = 1e-6  # of a sum of shares, which a file may hold with few decimals


@dataclass(frozen=True, eq=False)
class ReadDistributions:
    """The distributions of rows: ``shares`` has each distinct one, ``of_row`` its number for each row."""

    shares: tuple[Mapping[str, float], ...]
    of_row: np.ndarray

    @cached_property
    def largest(self) -> np.ndarray:
        """The largest share of each row."""
        found: np.ndarray = np.array([max(one.values()) for one in self.shares])[self.of_row]
        return found

    @cached_property
    def one_valued(self) -> np.ndarray:
        """Whether a row gives everything to one value."""
        alone = np.array([sum(share > 0 for share in one.values()) == 1 for one in self.shares])
        found: np.ndarray = alone[self.of_row]
        return found

    def of_values(self, values: Sequence[str | None]) -> np.ndarray:
        """The share that each row gives to each of ``values``, of shape (rows, values)."""
        kinds = [[0.0 if value is None else one.get(value, 0.0) for value in values] for one in self.shares]
        found: np.ndarray = np.array(kinds)[self.of_row]
        return found

    def supports(self, values: Sequence[str | None]) -> np.ndarray:
        """Whether each distinct distribution gives each of ``values`` a share."""
        return np.array([[value is not None and one.get(value, 0) > 0 for value in values] for one in self.shares])


def read_distributions(texts: Sequence[str | None], column: str) -> ReadDistributions:
    """Read distributions from JSON texts: objects of shares, or texts that hold such an object.

    Raises AuditError if a text is none, or its shares are not between 0 and 1 or do not sum to 1.
    """
    numbers: dict[str | None, int] = {}
    of_row = np.array([numbers.setdefault(text, len(numbers)) for text in texts], dtype=np.int64)
    return ReadDistributions(tuple(_read(text, column) for text in numbers), of_row)


def is_distribution(text: str, column: str) -> bool:
    """Whether ``read_distributions`` accepts a JSON text."""
    try:
        return bool(_read(text, column))
    except AuditError:
        return False


def is_shaped_as_distribution(text: str) -> bool:
    """Whether a JSON text is an object, or a text that holds one, whatever its shares are."""
    return isinstance(_parsed(text), dict)


def _read(text: str | None, column: str) -> dict[str, float]:
    found = _parsed(text)
    shares = list(found.values()) if isinstance(found, dict) else []
    if not shares or not all(isinstance(one, (int, float)) and not isinstance(one, bool) for one in shares):
        raise AuditError(
            f"the column {column!r} does not hold distributions: they are a map of values to shares, or JSON such as "
            '{"yes": 0.4, "no": 0.6}'
        )
    if not all(0 <= share <= 1 for share in shares) or not abs(sum(shares) - 1) <= TOLERANCE:
        raise AuditError(f"the column {column!r} has a distribution whose shares are not from 0 to 1, or not 1 in sum")
    return {str(value): float(share) for value, share in found.items()}


def _parsed(text: str | None) -> Any:
    try:
        found = json.loads(text or "null")
        return json.loads(found) if isinstance(found, str) else found
    except ValueError:
        return None
