"""Questions to a source with too many distinct combinations: counts by column, a sample, a set at a floor.

The sample depends on the values of the records and the seed alone, not on the order of the records. Records are put
into buckets by the hash of their values. How many records of each bucket are drawn follows from the counts; then only
the combinations in those buckets are read, and in each of them records are drawn alike. So the source is scanned twice,
and no more is held than the counts and a few combinations for each record drawn.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from anonduck.database.connection import Database
from anonduck.statements import statement
from anonduck.statements.pipeline import builder_floors
from anonduck.statements.pipeline.builder_floors import one_in

if TYPE_CHECKING:
    import numpy as np

FIRST_RECORDS, MORE_RECORDS = 100_000, 1_000_000  # of which half differ, or the frequency set is taken to be small
BUCKETS = 1 << 20
ROWS, DRAWN = "bucket_rows", "drawn_buckets"
SURELY = 1.1  # an estimate above so many times the limit means more combinations than the limit, whatever its error


class FloorEngine(Protocol):
    """Counts of a source at a floor; results are written to tables of ``database``."""

    @property
    def database(self) -> Database:
        """The decision database."""

    def exceeds(self, columns: Sequence[str], most: int) -> bool:
        """Whether the columns certainly have more than ``most`` distinct combinations; False may be either."""

    def value_counts(self, columns: Sequence[str], table: str) -> None:
        """Write the records of each value of each column to ``table``: a row has a value in one column, else NULL."""

    def sample(self, columns: Sequence[str], size: int, seed: int, table: str) -> int:
        """Write the frequency set of ``size`` random records, or of all if there are fewer, to ``table``; returns their
        number."""

    def combinations_at(self, vectors: Sequence[Mapping[str, int]], held: Sequence[str], most: int) -> list[int]:
        """Estimate by one scan, for each level vector, how many combinations its node codes (by the lookups) make with
        the values of the columns ``held``; estimates are best near ``most``."""

    def frequency_set_at(
        self, columns: Sequence[str], shown: Mapping[str, str], left_out: Collection[str], table: str
    ) -> None:
        """Write the frequency set at a floor to ``table``, by one scan: a column in ``shown`` has what that table
        (value, shown) maps its values to, a column in ``left_out`` has NULL."""


@dataclass(frozen=True, eq=False)
class DuckDBFloors:
    """The FloorEngine of a source that the decision database reads itself, as the temporary view ``source``."""

    database: Database

    def exceeds(self, columns: Sequence[str], most: int) -> bool:
        """See FloorEngine. Where the first records already repeat each other, this returns False: to count the
        frequency set itself is then cheapest."""
        for first in (FIRST_RECORDS, MORE_RECORDS):
            records, distinct = self.database.row(builder_floors.first_repeats(columns, first))
            if distinct * 2 < records or records < min(most, first):
                return False
        if self.database.value(statement("source/count_up_to.sql"), {"most": most}) < most:
            return False
        return bool(self.database.value(builder_floors.combinations(columns, one_in(most))) > SURELY * most)

    def value_counts(self, columns: Sequence[str], table: str) -> None:
        """See FloorEngine."""
        self.database.run(builder_floors.value_counts(table, list(dict.fromkeys(columns))))

    def sample(self, columns: Sequence[str], size: int, seed: int, table: str) -> int:
        """See FloorEngine; by two scans, and the same records whatever their order."""
        return write_sample(self, columns, size, seed, table)

    def bucket_counts(self, columns: Sequence[str], buckets: int) -> tuple[np.ndarray, np.ndarray]:
        """The non-empty buckets, ascending, and their records. The bucket of a combination is its hash modulo
        ``buckets``."""
        found = self.database.arrays(builder_floors.bucket_counts(columns, buckets))
        return found["#bucket"], found["records"]

    def bucket_rows(self, columns: Sequence[str], buckets: int, drawn: str, table: str) -> None:
        """Write the combinations of the buckets that the table ``drawn`` lists to ``table``, numbered in their
        order."""
        self.database.run(builder_floors.bucket_rows(table, columns, buckets, drawn))

    def combinations_at(self, vectors: Sequence[Mapping[str, int]], held: Sequence[str], most: int) -> list[int]:
        """See FloorEngine."""
        return [int(found) for found in self.database.row(builder_floors.combinations_at(vectors, held, one_in(most)))]

    def frequency_set_at(
        self, columns: Sequence[str], shown: Mapping[str, str], left_out: Collection[str], table: str
    ) -> None:
        """See FloorEngine."""
        types = dict(self.database.rows(statement("source/describe.sql")))
        kinds = {name: types[name] for name in left_out}
        self.database.run(builder_floors.frequency_set_at(table, list(dict.fromkeys(columns)), shown, kinds))


# -- the sample --------------------------------------------------------------------------------------------------------


def write_sample(engine: DuckDBFloors, columns: Sequence[str], size: int, seed: int, table: str) -> int:
    """Write the frequency set of ``size`` sampled records, or of all if there are no more; returns how many it
    has."""
    import numpy as np
    import pandas as pd

    from anonduck.models.sampling import sample_records

    numbers, records = engine.bucket_counts(columns, BUCKETS)
    total = int(records.sum())
    sampled = min(size, total)
    drawn = sample_records(records, sampled, seed=seed)
    database = engine.database
    with database.registered(DRAWN, pd.DataFrame({"#bucket": numbers[drawn > 0]})):
        engine.bucket_rows(columns, BUCKETS, DRAWN, ROWS)
    held = database.arrays(statement("frequency/bucket_records.sql", table={"held": ROWS}))
    of_rows = drawn_of_rows(held["bucket"], held["records"], drawn[drawn > 0], seed)
    rows = np.flatnonzero(of_rows)
    with database.registered(DRAWN, pd.DataFrame({"#row": rows, "records": of_rows[rows]})):
        database.run(builder_floors.drawn_rows(table, columns, ROWS, DRAWN))
    database.drop(ROWS)
    return sampled


def drawn_of_rows(buckets: np.ndarray, records: np.ndarray, drawn: np.ndarray, seed: int) -> np.ndarray:
    """How many records of each row are drawn, where ``drawn`` are those of each bucket; rows are in its order.

    Each record of a bucket is as likely to be drawn as any other of it.
    """
    import numpy as np

    generator = np.random.default_rng([seed, 1])
    starts = np.flatnonzero(np.r_[True, buckets[1:] != buckets[:-1]]) if len(buckets) else np.empty(0, dtype=np.int64)
    ends = np.cumsum(records, dtype=np.int64)
    before = np.r_[0, ends][starts]
    sizes = np.diff(np.r_[before, ends[-1:]])
    once = drawn == 1
    picked = [before[once] + generator.integers(0, sizes[once])]
    for start, size, number in zip(before[~once], sizes[~once], drawn[~once], strict=True):
        picked.append(start + generator.choice(int(size), size=int(number), replace=False, shuffle=False))
    return np.bincount(np.searchsorted(ends, np.concatenate(picked), side="right"), minlength=len(records))
