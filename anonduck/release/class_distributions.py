"""The distributions of a class: its values, whether they allow l, and the table of those that records show."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from anonduck.database.connection import Database
from anonduck.errors import ReleaseError, RequirementNotMet
from anonduck.methods.coded_records import CodedRecords
from anonduck.methods.nsvdist import highest_l, most_alike
from anonduck.statements import statement
from anonduck.statements.pipeline.builder_frequency import value_column


def class_values(database: Database, class_: str) -> list[str]:
    """The values of the class in the order of their codes, as text; raises ReleaseError if one is NULL."""
    query = statement("release/distribution_values.sql", column={"class_value": value_column(class_)})
    values = [value for (value,) in database.rows(query)]
    if None in values:
        raise ReleaseError(
            f"the class {class_!r} is NULL in some records, which a distribution cannot name; fill it in, or leave "
            "those records out with `where`"
        )
    return values


def refuse_l(records: CodedRecords, k: int, diversity: float) -> None:
    """Raise RequirementNotMet, with the highest l, where no k records have so mixed a class."""
    assert records.cells is not None
    held = np.bincount(records.cells.classes, weights=records.cells.records).astype(np.int64)
    if np.minimum(held, most_alike(k, diversity)).sum() < k:
        highest = highest_l(held, k)
        raise RequirementNotMet(
            f"no {k:,} records have so mixed a class that each value is at most one in {diversity:g}: with k = {k:,}, "
            f"l is at most {_rounded_down(highest or 1)}; nothing was written. Ask for a smaller l, or anonymize "
            "records that are more mixed"
        )


def distribution_table(kinds: np.ndarray, values: Sequence[str], diversity: float) -> pa.Table:
    """Each distinct distribution as a map and as JSON, with its number."""
    shares = [
        {value: share for value, share in zip(values, _shares(counts, diversity), strict=True) if share}
        for counts in kinds.tolist()
    ]
    return pa.table(
        {
            "distribution": np.arange(len(kinds)),
            "as_map": pa.array([list(one.items()) for one in shares], type=pa.map_(pa.string(), pa.float64())),
            "as_json": [json.dumps(one, ensure_ascii=False) for one in shares],
        }
    )


def _shares(counts: Sequence[int], diversity: float) -> list[float]:
    """The shares of counts; what is over 1 / l, as it may be after a repair, goes to the others as they are."""
    capped: set[int] = set()
    while True:
        left = 1 - len(capped) / diversity
        others = {n: count for n, count in enumerate(counts) if n not in capped}
        rest = sum(others.values())
        over = {n for n, count in others.items() if count * left * diversity > rest * (1 + 1e-12)}
        if not over:
            return [1 / diversity if n in capped else count * left / rest for n, count in enumerate(counts)]
        capped |= over


def _rounded_down(l: float) -> str:  # noqa: E741
    """A number as text that is not over it."""
    return f"{int(l * 10_000) / 10_000:g}"
