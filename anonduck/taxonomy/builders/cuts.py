"""Taxonomies of intervals: cuts of the value line, each with the levels at which it parts values.

Every builder of intervals writes its cuts with a rank: a cut of rank r parts values at the levels 1 to r. So levels
nest, and every value, also one that no leaf is, has one path: that of the last cut that is not above it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anonduck.database.connection import Database
from anonduck.statements import statement
from anonduck.statements.column_types import is_temporal
from anonduck.statements.pipeline.builder_taxonomy import bounds_of_paths, kept_paths, taxonomy_of_paths
from anonduck.taxonomy.bounds import IntervalBound


@dataclass(frozen=True)
class OpenEnds:
    """The open ends that the owner asked for; None is an end that the values decide."""

    bottom: IntervalBound | None = None
    top: IntervalBound | None = None

    @property
    def binds(self) -> dict[str, str | None]:
        """The ends as a query takes them: the smallest value that is not under each, as text."""
        return {"bottom": self.bottom.lower if self.bottom else None, "top": self.top.lower if self.top else None}


@dataclass(frozen=True)
class CutOptions:
    """How cuts become a taxonomy: the open ends, whether single levels may go, how labels name the outer intervals.

    ``gapped``: cuts stand anywhere between two leaves. ``implied``: the levels follow from the values, so that
    those that merge nothing are left out. ``words``: outer intervals are named in words where no end was given, too.
    """

    ends: OpenEnds
    gapped: bool
    implied: bool
    words: bool


def write_cuts(database: Database, column: str, column_type: str, cutting: CutOptions) -> int:
    """Write ``taxonomy."<column>"`` and ``bounds."<column>"`` from the temporary table ``ranked_cuts``.

    Returns the root's level. Reads the temporary table ``leaves`` too.
    """
    apply_ends(database, cutting)
    kept = kept_levels(level_nodes(database), implied=cutting.implied)
    database.run(statement("taxonomy/builders/cuts_renamed.sql"), {"kept": kept})
    database.run(statement("taxonomy/builders/cut_placed.sql"))
    temporal = is_temporal(column_type)
    words = {
        "low_words": cutting.words or cutting.ends.bottom is not None,
        "high_words": cutting.words or cutting.ends.top is not None,
        "under": "before" if temporal else "under",
        "over": "and later" if temporal else "and over",
    }
    root = len(kept) + 1
    database.run(statement("taxonomy/builders/cut_nodes.sql"), {"root": root, **words})
    database.run(kept_paths(root))
    database.run(taxonomy_of_paths(column, root))
    database.run(bounds_of_paths(column, root))
    return root


def apply_ends(database: Database, cutting: CutOptions) -> None:
    """Write ``ended_cuts``: the cuts inside the open ends, and the ends themselves."""
    bottom, top = cutting.ends.bottom, cutting.ends.top
    database.run(
        statement("taxonomy/builders/cuts_within_ends.sql"),
        {
            "bottom": bottom.lower if bottom else None,
            "bottom_text": bottom.text if bottom else None,
            "top": top.lower if top else None,
            "top_text": top.text if top else None,
            "gapped": cutting.gapped,
        },
    )


def level_nodes(database: Database) -> list[int]:
    """How many nodes with leaves the cuts of each level make, from level 1 up."""
    return [nodes for _, nodes in database.rows(statement("taxonomy/builders/cut_levels.sql"))]


def kept_levels(nodes: Sequence[int], *, implied: bool) -> list[int]:
    """The levels that stay under the root: all that were asked for, or those that merge nodes and leave more than one.

    >>> kept_levels([9, 5, 5, 2, 1], implied=True)
    [1, 2, 4]
    """
    if not implied:
        return list(range(1, len(nodes) + 1))
    kept: list[int] = []
    for level, count in enumerate(nodes, 1):
        if count > 1 and (not kept or count < nodes[kept[-1] - 1]):
            kept.append(level)
    return kept


def doublings(groups: int) -> list[int]:
    """1, 2, 4 ... up to the first that makes one group of ``groups``.

    >>> doublings(5)
    [1, 2, 4, 8]
    """
    return [2**level for level in range((max(groups, 1) - 1).bit_length() + 1)]


def rank_of(number: int, multiples: Sequence[int]) -> int:
    """At how many levels ``number`` stays a cut: those whose multiple divides it."""
    return sum(number % multiple == 0 for multiple in multiples)
