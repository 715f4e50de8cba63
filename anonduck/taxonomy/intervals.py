"""Ordered taxonomies, bottom-up: groups of neighbouring leaves, then coarser groups until one root (section 6.1).

The bounds of the intervals are round values between the leaves. A bound is a leaf itself only if enough records hold
it, so that no label tells a rare value; the outer intervals are open. Beside an infinite leaf the bound is a finite
round number beyond the finite neighbour; between infinity and NaN, where there is none, it reads ``>inf``.
"""

from __future__ import annotations

from collections.abc import Sequence

from anonduck.database import Database
from anonduck.errors import TaxonomyError
from anonduck.statements import statement
from anonduck.taxonomy.bounds import FLOATS, INTEGERS, TEMPORALS, has_order, is_temporal
from anonduck.taxonomy.cuts import Cutting, Ends, doublings, write_cuts

__all__ = ["FLOATS", "INTEGERS", "TEMPORALS", "build_intervals", "build_quantiles", "has_order", "make_leaves"]

PLAIN_DIGITS_OF_FLOATS = 21
PLAIN_DIGITS = 40
OPEN = Ends()


def make_leaves(database: Database, column: str, column_type: str, *, frequency: str, builder: str) -> int:
    """Write the temporary table ``leaves`` (value, records, position); returns how many there are.

    Raises TaxonomyError if the type has no order.
    """
    if not has_order(column_type) and column_type != "BOOLEAN":
        raise TaxonomyError(
            f"the column {column} is {column_type}; {builder} need numbers, dates or times. "
            f"Use `{column}: {{clusters: true}}`, or set its type in `types`"
        )
    leaves = statement("taxonomy/leaves.sql", table={"frequency": frequency}, column={"leaf": f"{column}@value"})
    database.run(leaves)
    count: int = database.value(statement("taxonomy/leaf_count.sql", table={"taxonomy": "leaves"}))
    return count


def build_intervals(
    database: Database, column: str, column_type: str, *, frequency: str, size: int, label_k: int, ends: Ends = OPEN
) -> int:
    """Write ``taxonomy."<column>"`` and ``bounds."<column>"``; returns the root's level.

    ``size`` leaves make a level-1 node; a leaf that ``label_k`` records hold may be a bound. Raises TaxonomyError if
    the type has no order. Leaves the temporary table ``leaves`` (value, records, position).
    """
    count = make_leaves(database, column, column_type, frequency=frequency, builder="intervals")
    binds = {
        "size": size,
        "bottom": ends.bottom.lower if ends.bottom else None,
        "top": ends.top.lower if ends.top else None,
    }
    database.run(statement("taxonomy/grouped_by_size.sql"), binds)
    database.run(statement("taxonomy/group_openings.sql"))
    multiples = doublings(-(-count // size) + 2)
    database.run(statement("taxonomy/gaps_by_size.sql"), {"label_k": label_k, "multiples": multiples})
    cut_gaps(database, column_type)
    return write_cuts(database, column, column_type, Cutting(ends, gapped=True, implied=True, words=ends != OPEN))


def build_quantiles(
    database: Database,
    column: str,
    column_type: str,
    *,
    frequency: str,
    quantiles: Sequence[int],
    label_k: int,
    ends: Ends = OPEN,
) -> int:
    """Write the taxonomy and the bounds of groups of about as many records, per level; returns the root's level.

    A value is in the group that the middle of its records falls into, so that ties are never split. Raises
    TaxonomyError if the type has no order. Leaves the temporary table ``leaves``.
    """
    make_leaves(database, column, column_type, frequency=frequency, builder="quantiles")
    database.run(statement("taxonomy/grouped_by_records.sql"), {"quantiles": quantiles[0]})
    database.run(statement("taxonomy/group_openings.sql"))
    binds = {"label_k": label_k, "quantiles": list(quantiles)}
    database.run(statement("taxonomy/gaps_by_records.sql"), binds)
    cut_gaps(database, column_type)
    return write_cuts(database, column, column_type, Cutting(ends, gapped=True, implied=False, words=True))


def cut_gaps(database: Database, column_type: str) -> None:
    """Write ``ranked_cuts``: a round bound in each gap of the temporary table ``gaps``."""
    if database.value(statement("taxonomy/leaf_count.sql", table={"taxonomy": "gaps"})) == 0:
        database.run(statement("taxonomy/intervals_no_cuts.sql"))
    elif is_temporal(column_type):
        database.run(statement("taxonomy/bounds_temporal_ends.sql"))
        database.run(statement("taxonomy/bounds_temporal.sql"))
    else:
        database.run(statement("taxonomy/bounds_numeric_scaled.sql"))
        database.run(statement("taxonomy/bounds_numeric_round.sql"))
        plain = PLAIN_DIGITS_OF_FLOATS if column_type in FLOATS else PLAIN_DIGITS
        database.run(statement("taxonomy/bounds_numeric.sql"), {"plain": plain})
    database.run(statement("taxonomy/cuts_of_gaps.sql"))
