"""Taxonomies of intervals: cuts of the value line, each with the levels at which it separates values.

Every builder of intervals writes its cuts with a rank: a cut of rank r separates values at the levels 1 to r. So levels
nest, and every value, also one that no leaf is, has one path: that of the last cut that is not above it.

`intervals` and `quantiles` group neighbouring leaves, then groups, until one root is left (section 6.1). Between two
groups, ``anonduck.taxonomy.builders.round_bounds`` finds the nearest bound that a label may show; the outer intervals
are open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anonduck.database.connection import Database
from anonduck.errors import TaxonomyError
from anonduck.statements import statement
from anonduck.statements.column_types import BOOLEAN, DOUBLE, UHUGEINT, has_order, is_temporal
from anonduck.statements.pipeline.column_names import levels_to
from anonduck.taxonomy.bounds import OpenEnds
from anonduck.taxonomy.builders.round_bounds import cut_partings, find_bounds
from anonduck.taxonomy.tables import write_taxonomy


@dataclass(frozen=True)
class CutOptions:
    """How cuts become a taxonomy: the open ends, whether single levels may go, how labels name the outer intervals.

    ``gapped``: cuts stand anywhere between two leaves. ``implied``: the levels follow from the values, so that
    levels that merge nothing are left out. ``words``: outer intervals are named in words where no end was given, too.
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
    write_taxonomy(database, column, root)
    bounds, levels = {"bounds": ("bounds", column)}, {"levels": levels_to(root)}
    database.run(statement("taxonomy/builders/bounds_of_paths.sql", table=bounds, lists=levels))
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
    """The levels that stay under the root: all that were asked for, or each that merges nodes and leaves more than one.

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
    """The number of levels at which ``number`` is a cut: those whose multiple divides it."""
    return sum(number % multiple == 0 for multiple in multiples)


OPEN = OpenEnds()
LARGEST = (1 << 127) - 1
"""The largest integer that bounds are counted with."""


def make_leaves(database: Database, column: str, column_type: str, *, frequency: str, builder: str) -> int:
    """Write the temporary table ``leaves`` (value, records, position); returns how many there are.

    Raises TaxonomyError if the type has no order.
    """
    if not has_order(column_type) and column_type != BOOLEAN:
        raise TaxonomyError(
            f"the column {column} is {column_type}; {builder} need numbers, dates or times. "
            f"Use `{column}: {{clusters: true}}`, or set its type in `types`"
        )
    leaves = statement(
        "taxonomy/builders/leaves.sql", table={"frequency": frequency}, column={"leaf": f"{column}@value"}
    )
    database.run(leaves)
    return database.count("leaves")


def _refuse_larger(database: Database, column: str, column_type: str, builder: str) -> None:
    """Raise TaxonomyError if ``leaves`` has integers too large to compute bounds between."""
    if column_type != UHUGEINT:
        return
    highest = database.row(statement("taxonomy/builders/leaf_range.sql"))[1]
    if highest is not None and int(highest) > LARGEST:
        raise TaxonomyError(
            f"the column {column} is {UHUGEINT} and holds values over 2^127 - 1; {builder} take integers up to that. "
            f"Use `{column}: {{width: NUMBER}}` or `{column}: {{clusters: true}}`, or read it as rounded numbers with "
            f"`types: {{{column}: {DOUBLE}}}`"
        )


def build_intervals(
    database: Database, column: str, column_type: str, size: int, *, frequency: str, label_k: int, ends: OpenEnds = OPEN
) -> int:
    """Write ``taxonomy."<column>"`` and ``bounds."<column>"``; returns the root's level.

    ``size`` leaves make a level-1 node, as nearly as bounds that labels may show separate them; which leaves count and
    may be bounds depends on whether ``label_k`` records hold them, see ``anonduck.taxonomy.builders.round_bounds``.
    Raises TaxonomyError if the type has no order, or values are too large. Leaves the temporary table ``leaves``
    (value, records, position).
    """
    count = make_leaves(database, column, column_type, frequency=frequency, builder="intervals")
    _refuse_larger(database, column, column_type, "intervals")
    if find_bounds(database, column_type, label_k):
        database.run(statement("taxonomy/builders/grouped_by_size.sql"), {"size": size, **ends.binds})
        database.run(statement("taxonomy/builders/group_openings.sql"))
        multiples = doublings(-(-count // size) + 2)
        database.run(statement("taxonomy/builders/partings_by_size.sql"), {"multiples": multiples})
        cut_partings(database, ends=ends, by_records=False)
    return write_cuts(database, column, column_type, CutOptions(ends, gapped=True, implied=True, words=ends != OPEN))


def build_quantiles(
    database: Database,
    column: str,
    column_type: str,
    quantiles: Sequence[int],
    *,
    frequency: str,
    label_k: int,
    ends: OpenEnds = OPEN,
) -> int:
    """Write the taxonomy and the bounds of groups of about as many records, per level; returns the root's level.

    A value is in the group that the middle of its records falls into, so that ties are never split, but for the values
    that the nearest bound which labels may show puts on its other side. Raises TaxonomyError if the type has no order,
    or values are too large. Leaves the temporary table ``leaves``.
    """
    make_leaves(database, column, column_type, frequency=frequency, builder="quantiles")
    _refuse_larger(database, column, column_type, "quantiles")
    if find_bounds(database, column_type, label_k):
        database.run(statement("taxonomy/builders/grouped_by_records.sql"), {"quantiles": quantiles[0]})
        database.run(statement("taxonomy/builders/group_openings.sql"))
        database.run(statement("taxonomy/builders/partings_by_records.sql"), {"quantiles": list(quantiles)})
        cut_partings(database, ends=ends, by_records=True)
    return write_cuts(database, column, column_type, CutOptions(ends, gapped=True, implied=False, words=True))
