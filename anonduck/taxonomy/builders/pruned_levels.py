"""Levels that do not raise k are dropped from a built taxonomy (end of "Attribute Taxonomies", section 6.1)."""

from __future__ import annotations

from collections.abc import Callable

from anonduck.database.connection import Database
from anonduck.statements import statement
from anonduck.statements.pipeline.builder_taxonomy import renumbered_bounds, renumbered_taxonomy


def prune(database: Database, column: str, root: int, *, bounds: bool, announce: Callable[[str], None]) -> int:
    """Drop the levels under the root whose k is not above that of the kept level below; returns the root's new level.

    k is the column's alone: the records of the smallest node, NULL left out. Reads the builder's temporary table
    ``leaves``; ``bounds`` says whether ``bounds."<column>"`` follows. Says through ``announce`` what was dropped.
    """
    sizes = [_k(database, column, level) for level in range(root + 1)]
    kept = kept_levels(sizes)
    if len(kept) == root:
        return root
    if bounds:
        database.run(renumbered_bounds(column, kept))
    database.run(renumbered_taxonomy(column, kept))
    dropped = [f"level {level} (k {sizes[level]})" for level in range(1, root) if level not in kept]
    announce(
        f"taxonomy of {column}: dropped {', '.join(dropped)}: no gain in k over the level below; "
        f"{len(kept)} of {root} levels above the values are left"
    )
    return len(kept)


def kept_levels(sizes: list[int]) -> list[int]:
    """The levels above the leaf that stay, by the k of each level 0 to root: those that raise it, and the root."""
    kept, highest = [], sizes[0]
    for level, k in enumerate(sizes[1:-1], 1):
        if k > highest:
            kept.append(level)
            highest = k
    return [*kept, len(sizes) - 1]


def _k(database: Database, column: str, level: int) -> int:
    query = statement(
        "taxonomy/builders/prune_k.sql", table={"taxonomy": ("taxonomy", column)}, column={"node": f"code_{level}"}
    )
    k: int | None = database.value(query)
    return k or 0
