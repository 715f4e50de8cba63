"""A first look at a taxonomy in two scans: which checks of which levels cannot find anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from anonduck.database.connection import Database
from anonduck.statements.pipeline.builder_taxonomy import KINDS, labels_like_values, level_counts

FEW = 10_000


@dataclass(frozen=True)
class LabelCounts:
    """What was counted: rows, the counts of KINDS per level, and the labels that read like a leaf."""

    rows: int
    levels: tuple[Mapping[str, int], ...]
    like_values: int

    def clears(self, check: str, level: int) -> bool:
        """Whether the check cannot find anything at the level; never where a label or a code is missing."""
        if any(counts["nulls"] for counts in self.levels):
            return False
        return check in CLEARED and CLEARED[check](self, level)


def screen(database: Database, column: str, root: int, leaves: int | None = None) -> LabelCounts:
    """Count nodes, labels and parents of all levels of ``taxonomy."<column>"``, in lists where ``leaves`` are few."""
    rows, *counts = database.row(level_counts(column, root, few=leaves is not None and leaves <= FEW))
    size = len(KINDS)
    levels = tuple(dict(zip(KINDS, counts[at : at + size], strict=True)) for at in range(0, len(counts), size))
    return LabelCounts(rows, levels, database.value(labels_like_values(column, root)))


def _one_row_each(found: LabelCounts, level: int) -> bool:
    return found.levels[level]["labels"] == found.rows


def _one_parent(found: LabelCounts, level: int) -> bool:
    return found.levels[level]["parents"] == found.levels[level]["codes"]


def _one_label_per_code(found: LabelCounts, level: int) -> bool:
    return found.levels[level]["pairs"] == found.levels[level]["codes"]


def _one_code_per_label(found: LabelCounts, level: int) -> bool:
    return found.levels[level]["pairs"] == found.levels[level]["labels"]


def _coarser(found: LabelCounts, level: int) -> bool:
    return found.rows <= 1 or found.levels[level]["codes"] < found.levels[level - 1]["codes"]


CLEARED: Mapping[str, Callable[[LabelCounts, int], bool]] = {
    "two_rows": _one_row_each,
    "null_labels": lambda _, __: True,
    "two_parents": _one_parent,
    "codes": _one_label_per_code,
    "two_nodes": _one_code_per_label,
    "no_coarser": _coarser,
    "value_label": lambda found, _: found.like_values == 0,
    "two_roots": lambda found, level: found.levels[level]["pairs"] <= 1,
}
