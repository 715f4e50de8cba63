"""Draw specific tables from a release by distributions, to train models on (Last et al. 2014, section 5.1).

Each label becomes one of the values under it, drawn by their frequencies, and each distribution a class value, drawn by
its shares. The drawn records are nobody's.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from anonduck.auditing.cover import bounds_of, encoded, is_number, labels_over, values_under
from anonduck.database.connection import Database
from anonduck.database.session import Tracer
from anonduck.errors import AuditError
from anonduck.privacy.audited_engine import DuckDBFile
from anonduck.privacy.audited_file import open_release, read_receipt
from anonduck.privacy.distributions import read_distributions
from anonduck.statements import builder_grouped

if TYPE_CHECKING:
    import pandas as pd

Frequencies = Mapping[str, Mapping[str, float]]


def reconstruct(
    release: str | Path | object,
    n: int = 10,
    *,
    class_: str | None = None,
    original: object | None = None,
    taxonomies: Mapping[str, Any] | None = None,
    seed: int = 0,
    delim: str | None = None,
    tracer: Tracer | None = None,
) -> list[pd.DataFrame]:
    """Draw ``n`` tables from a release by distributions, each with as many records; numeric columns hold numbers.

    Args:
        release: a Parquet or CSV file, ``FILE.duckdb::TABLE``, or a pandas, Arrow or Polars table.
        n: how many tables.
        class_: the column of distributions; by default that in the receipt beside the file. A table has no receipt.
        original: a table, for its owner, in which the frequencies of values are counted. By default the receipt has the
            frequencies of values that k records hold (``settings={"frequencies": True}``). A label over none of these
            becomes a random number in its interval, or any value under it in its taxonomy, and otherwise stays as it
            is.
        taxonomies: lookup files (or DataFrames) of one column per level, leaf first, by column.
        seed: the seed of the draws.
        delim: the separator of CSV files.
        tracer: as for ``anonduck.audit``.

    Raises:
        AuditError: a file cannot be read, or the class is not named.
    """
    receipt = read_receipt(release)
    class_ = class_ or next((one["name"] for one in receipt.get("columns", []) if one["role"] == "class"), None)
    if class_ is None:
        beside = f" beside {release}" if isinstance(release, (str, Path)) else ""
        raise AuditError(f"no receipt{beside} names its column of distributions; name it with `class_=COLUMN`")
    frequencies: Frequencies = receipt.get("value_frequencies", {})
    work = Database(tracer=tracer)
    try:
        with open_release(work, release, delim):
            names = [name for name in DuckDBFile(work).columns() if name != class_]
            rows = work.arrow(builder_grouped.distinct_rows(names, class_))
        if original is not None:
            with open_release(work, original, delim, noun="original", one_zero=True):
                counted = work.arrow(builder_grouped.distinct_rows(names))
            frequencies = {name: _counted(counted, number) for number, name in enumerate(names)}
    finally:
        work.close()
    records = np.asarray(rows.column(-1)).astype(np.int64)
    shares = read_distributions(rows.column(len(names)).to_pylist(), class_)
    draws = {
        name: _Draw.of_labels(name, rows.column(number), frequencies.get(name, {}), (taxonomies or {}).get(name))
        for number, name in enumerate(names)
    }
    draws[class_] = _Draw(shares.of_row, [(list(one), np.array(list(one.values()))) for one in shares.shares])
    random = np.random.default_rng(seed)
    return [_table(draws, records, random) for _ in range(n)]


def _counted(rows: Any, number: int) -> dict[str, float]:
    values, of_row = encoded(rows.column(number))
    held = np.bincount(of_row, weights=np.asarray(rows.column(-1)).astype(np.int64))
    return {value: float(count) for value, count in zip(values, held, strict=True) if value is not None}


class _Draw:
    """What the rows of a column can become: for each label its values and their weights, or an interval."""

    def __init__(self, of_row: np.ndarray, choices: list[Any]) -> None:
        self.of_row = of_row
        self.choices = choices

    @classmethod
    def of_labels(cls, name: str, column: Any, frequencies: Mapping[str, float], taxonomy: Any) -> _Draw:
        """The choices for each label of a quasi-identifier."""
        labels, of_row = encoded(column)
        values, weights = list(frequencies), np.array(list(frequencies.values()), dtype=np.float64)
        covers = labels_over(name, labels, values, taxonomy)
        under = values_under(name, taxonomy)
        choices: list[Any] = []
        for label, covered in zip(labels, covers, strict=True):
            bounds = bounds_of(label)
            held = np.flatnonzero(covered)
            if label is None:
                choices.append(([None], np.ones(1)))
            elif len(held):
                choices.append(([values[at] for at in held], weights[held]))
            elif bounds is not None:
                choices.append(bounds)
            else:
                leaves = under.get(label) or [label]
                choices.append((leaves, np.ones(len(leaves))))
        return cls(of_row, choices)

    def drawn(self, records: np.ndarray, random: np.random.Generator) -> np.ndarray:
        """A random value for each record, row by row."""
        of_record = np.repeat(self.of_row, records)
        found = np.empty(len(of_record), dtype=object)
        order = np.argsort(of_record, kind="stable")
        ends = np.searchsorted(of_record[order], np.arange(len(self.choices) + 1))
        for choice, start, end in zip(self.choices, ends[:-1], ends[1:], strict=True):
            found[order[start:end]] = _values(choice, int(end - start), random)
        return found


def _values(choice: Any, count: int, random: np.random.Generator) -> Any:
    first, second = choice
    if isinstance(first, list):
        at = random.choice(len(first), size=count, p=second / second.sum())
        return np.array(first, dtype=object)[at]
    low, high = (first, second) if np.isfinite(first) else (second - 1, second)
    high = high if np.isfinite(high) else low + 1
    whole = float(low).is_integer() and float(high).is_integer()
    drawn = random.integers(int(low), int(high), size=count) if whole else random.uniform(low, high, size=count)
    return np.array([str(one) for one in drawn.tolist()], dtype=object)


def _table(draws: Mapping[str, _Draw], records: np.ndarray, random: np.random.Generator) -> pd.DataFrame:
    import pandas as pd

    columns = {name: draw.drawn(records, random) for name, draw in draws.items()}
    return pd.DataFrame({name: _typed(values) for name, values in columns.items()})


def _typed(values: np.ndarray) -> Any:
    """Numbers if all texts are numbers, with NULL as NaN; otherwise the texts."""
    import pandas as pd

    kinds = {value for value in values.tolist() if value is not None}
    return pd.to_numeric(pd.Series(values)) if kinds and all(map(is_number, kinds)) else values
