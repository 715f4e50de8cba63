"""Ordered taxonomies, bottom-up: groups of neighbouring leaves, then coarser groups until one root (section 6.1).

Where groups part, ``anonduck.taxonomy.builders.round_bounds`` finds the nearest bound that a label may show; the outer
intervals are open.
"""

from __future__ import annotations

from collections.abc import Sequence

from anonduck.database.connection import Database
from anonduck.errors import TaxonomyError
from anonduck.statements import statement
from anonduck.statements.column_types import BOOLEAN, DOUBLE, UHUGEINT, has_order
from anonduck.taxonomy.builders.cuts import CutOptions, OpenEnds, doublings, write_cuts
from anonduck.taxonomy.builders.round_bounds import cut_partings, find_bounds

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
    """Raise TaxonomyError if ``leaves`` has integers that no bound is looked for between."""
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

    ``size`` leaves make a level-1 node, as nearly as bounds that labels may show part them; which leaves count and may
    be bounds depends on whether ``label_k`` records hold them, see ``anonduck.taxonomy.builders.round_bounds``. Raises
    TaxonomyError if the type has no order, or values are too large. Leaves the temporary table ``leaves`` (value,
    records, position).
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
