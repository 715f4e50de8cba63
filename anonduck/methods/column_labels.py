"""The labels of a column's values, by which recodings name nodes.

A node of a taxonomy is named by its level and its label, or by the value as text at level 0, so that it is found again
among the values of another export. NULL has no label.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from anonduck.errors import ConfigError
from anonduck.words import np

Node = tuple[int, str | None]


@dataclass(frozen=True, eq=False)
class ColumnLabels:
    """The labels of a column's values: ``texts[l][c]`` is the label of leaf code ``c`` at level ``l`` under the root.

    Leaf code 0 is NULL. ``known`` is false for values that the taxonomy lacks, whose only node is the root.
    """

    texts: Sequence[Sequence[str | None]]
    known: np.ndarray

    @property
    def root(self) -> int:
        """The level of the root."""
        return len(self.texts)

    def node(self, code: int, level: int) -> Node:
        """The node of a leaf code at a level."""
        return (level, None if level == self.root else self.texts[level][code])

    @cached_property
    def numbers(self) -> tuple[dict[Node, int], np.ndarray]:
        """A number from 0 for each node under the root, and (levels, codes) the number of each code's node.

        Values that the taxonomy lacks have -1.
        """
        found: dict[Node, int] = {}
        codes = np.full((self.root, len(self.known)), -1, dtype=np.int64)
        for level in range(self.root):
            for code in np.flatnonzero(self.known).tolist():
                codes[level, code] = found.setdefault(self.node(code, level), len(found))
        return found, codes


def value_texts(labels: Sequence[ColumnLabels], codes: Sequence[np.ndarray]) -> list[tuple[str | None, ...]]:
    """The values of each combination as text."""
    columns = [[column.texts[0][one] for one in code.tolist()] for column, code in zip(labels, codes, strict=True)]
    return list(zip(*columns, strict=True))


def refuse_others(columns: Sequence[str], names: Sequence[str]) -> None:
    """Raise ConfigError where what was found is of other columns than these."""
    if set(columns) != set(names):
        raise ConfigError(
            f"the recoding is of the columns {', '.join(map(repr, columns))}, and the quasi-"
            f"identifiers are {', '.join(map(repr, names))}; give columns these roles again, or anonymize anew"
        )
