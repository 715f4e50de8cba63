"""What describes the values of clustered columns: the bins of other columns, found in one scan for all of them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anonduck.database.connection import Database
from anonduck.statements import statement
from anonduck.statements.column_types import TEXT, has_order
from anonduck.statements.pipeline.builder_clusters import BINNED, binned_frequency, bins_table, described_leaves

if TYPE_CHECKING:
    import numpy as np

BINS = 22


@dataclass(frozen=True)
class ValueBins:
    """The columns of the temporary table ``binned_frequency``, by their numbers there."""

    database: Database
    numbers: Mapping[str, int]

    def counts(self, column: str, on: Sequence[str], leaves: int) -> np.ndarray:
        """The records of each leaf of a column in each bin of the columns ``on``; (columns on, leaves, bins)."""
        import numpy as np

        held = np.zeros((len(on), leaves, BINS))
        found = self.database.arrays(described_leaves(self.numbers[column], [self.numbers[by] for by in on]))
        held[found["describer"], found["leaf"] - 1, found["bin"]] = found["records"]
        return held


@contextlib.contextmanager
def value_bins(
    database: Database,
    clustered: Sequence[str],
    types: Mapping[str, str],
    frequency: str,
    records: str | None = None,
) -> Iterator[ValueBins]:
    """The bins of the columns of ``types``, for as long as the taxonomies of ``clustered`` columns are made.

    ``records`` is the set that tells which values go together, where ``frequency`` does not.
    """
    kinds = {**dict.fromkeys(clustered, TEXT), **types}
    for number, (column, kind) in enumerate(kinds.items()):
        query = statement(
            "taxonomy/builders/clusters_bins.sql",
            column={"described_by": f"{column}@value"},
            table={"frequency": frequency, "bins": bins_table(number)},
        )
        database.run(query, {"ordered": has_order(kind)})
    try:
        database.run(binned_frequency(list(kinds), clustered, records or frequency))
        yield ValueBins(database, {column: number for number, column in enumerate(kinds)})
    finally:
        database.drop(BINNED, *map(bins_table, range(len(kinds))))
