"""A simple random sample of a source's records that depends on their values and the seed alone, not on their order.

Records are put into buckets by the hash of their values. How many records of each bucket are drawn follows from the
counts; then only the combinations in the buckets that were drawn from are read, and in each of them records are drawn
alike. So the source is scanned twice, and no more is held than the counts and a few combinations for each record drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from anonduck.database.connection import Database
from anonduck.models.sampling import sample_records
from anonduck.statements import statement
from anonduck.statements.pipeline.builder_floors import drawn_rows

BUCKETS = 1 << 20
ROWS, DRAWN = "bucket_rows", "drawn_buckets"


class BucketEngine(Protocol):
    """Assigns the records of a source to buckets; results are written to tables of ``database``."""

    @property
    def database(self) -> Database:
        """The decision database."""

    def bucket_counts(self, columns: Sequence[str], buckets: int) -> tuple[np.ndarray, np.ndarray]:
        """The non-empty buckets, ascending, and their records. The bucket of a combination is its hash modulo
        ``buckets``."""

    def bucket_rows(self, columns: Sequence[str], buckets: int, drawn: str, table: str) -> None:
        """Write the combinations of the buckets that the table ``drawn`` lists to ``table``, numbered in their
        order."""


def write_sample(engine: BucketEngine, columns: Sequence[str], size: int, seed: int, table: str) -> int:
    """Write the frequency set of ``size`` sampled records, or of all if there are no more; returns how many it
    has."""
    import pandas as pd

    numbers, records = engine.bucket_counts(columns, BUCKETS)
    total = int(records.sum())
    sampled = min(size, total)
    drawn = sample_records(records, sampled, seed=seed)
    database = engine.database
    database.register(DRAWN, pd.DataFrame({"#bucket": numbers[drawn > 0]}))
    engine.bucket_rows(columns, BUCKETS, DRAWN, ROWS)
    database.unregister(DRAWN)
    held = database.arrays(statement("frequency/bucket_records.sql", table={"held": ROWS}))
    of_rows = drawn_of_rows(held["bucket"], held["records"], drawn[drawn > 0], seed)
    rows = np.flatnonzero(of_rows)
    database.register(DRAWN, pd.DataFrame({"#row": rows, "records": of_rows[rows]}))
    database.run(drawn_rows(table, columns, ROWS, DRAWN))
    database.unregister(DRAWN)
    database.run(statement("frequency/drop.sql", table={"working": ROWS}))
    return sampled


def drawn_of_rows(buckets: np.ndarray, records: np.ndarray, drawn: np.ndarray, seed: int) -> np.ndarray:
    """How many records of each row are drawn, where ``drawn`` are those of each bucket; rows are in its order.

    Each record of a bucket is as likely to be drawn as any other of it.
    """
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
