"""A first look at a taxonomy in two scans: which checks of which levels cannot find anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from anonduck.database.connection import Database
from anonduck.statements import Statement, statement
from anonduck.statements.expansion import Item, expression
from anonduck.statements.pipeline.column_names import levels_to

KINDS = ("nulls", "codes", "labels", "pairs", "parents")
"""What is counted of a level: rows without a label or a code; distinct codes, labels, pairs of both, and of a code and
the code above it."""
DISTINCT = {
    "codes": "code_{level}",
    "labels": "{label}",
    "pairs": "row({label}, code_{level})",
    "parents": "code_{level}::BIGINT * 4294967296 + code_{above}",
}
FEW = 10_000


@dataclass(frozen=True)
class LabelCounts:
    """What was counted: rows, the counts of KINDS per level, and the labels that read like a leaf, if they were."""

    rows: int
    levels: tuple[Mapping[str, int], ...]
    like_values: int | None

    def clears(self, check: str, level: int) -> bool:
        """Whether the check cannot find anything at the level; never where a label or a code is missing."""
        if any(counts["nulls"] for counts in self.levels):
            return False
        return check in CLEARED and CLEARED[check](self, level)


def screen(database: Database, column: str, root: int, leaves: int | None = None) -> LabelCounts:
    """Count nodes, labels and parents of all levels of ``taxonomy."<column>"``, in lists where ``leaves`` are few."""
    return screen_all(database, {column: root}, {column: FEW + 1 if leaves is None else leaves})[column]


def screen_all(
    database: Database, roots: Mapping[str, int], leaves: Mapping[str, int], *, like_values: bool = True
) -> dict[str, LabelCounts]:
    """The same of the taxonomies of columns, by the level of their roots: those of few leaves in one statement.

    ``like_values`` says whether labels are compared with leaves.
    """
    few = [column for column in roots if leaves[column] <= FEW]
    groups = [few, *([column] for column in roots if column not in few)]
    found = {}
    for group in groups:
        counts = database.row_of_each({one: _level_counts(one, roots[one], few=group is few) for one in group})
        asked = {one: _labels_like_values(one, roots[one]) for one in group} if like_values else {}
        alike = database.row_of_each(asked)
        for column, (rows, of_levels) in counts.items():
            levels = zip(*[iter(of_levels)] * len(KINDS), strict=True)
            by_level = tuple(dict(zip(KINDS, level, strict=True)) for level in levels)
            found[column] = LabelCounts(rows, by_level, alike[column][0] if like_values else None)
    return found


def _level_counts(column: str, root: int, *, few: bool) -> Statement:
    """The counts of a taxonomy: some thousands of leaves at most by lists, which start faster and count slower."""
    levels = [_level(level, root, few=few) for level in range(root + 1)]
    lists = {"leaf": levels[:1], "levels": levels[1:]}
    return statement("taxonomy/level_counts.sql", table={"taxonomy": ("taxonomy", column)}, lists=lists)


def _level(level: int, root: int, *, few: bool) -> Item:
    text = "coalesce(len(list_distinct(list({value}))), 0)" if few else "count(DISTINCT {value})"
    label = expression("level_{level}" if level else "value", level=level)
    given = {"level": level, "above": min(level + 1, root), "label": label}
    counts = {name: expression(text, value=expression(value, **given)) for name, value in DISTINCT.items()}
    return {"level": level, **counts}


def _labels_like_values(column: str, root: int) -> Statement:
    tables = {"taxonomy": ("taxonomy", column)}
    return statement("taxonomy/labels_like_values.sql", table=tables, lists={"levels": levels_to(root)})


def _coarser(found: LabelCounts, level: int) -> bool:
    return found.rows <= 1 or found.levels[level]["codes"] < found.levels[level - 1]["codes"]


CLEARED: Mapping[str, Callable[[LabelCounts, int], bool]] = {
    "two_rows": lambda found, level: found.levels[level]["labels"] == found.rows,
    "null_labels": lambda _, __: True,
    "two_parents": lambda found, level: found.levels[level]["parents"] == found.levels[level]["codes"],
    "codes": lambda found, level: found.levels[level]["pairs"] == found.levels[level]["codes"],
    "two_nodes": lambda found, level: found.levels[level]["pairs"] == found.levels[level]["labels"],
    "no_coarser": _coarser,
    "value_label": lambda found, _: found.like_values == 0,
    "two_roots": lambda found, level: found.levels[level]["pairs"] <= 1,
}
