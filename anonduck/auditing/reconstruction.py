"""Draw specific tables from a release by distributions, to train models on (Last et al. 2014, section 5.1).

Each label becomes one of the values under it, drawn by their frequencies, and each distribution a class value, drawn by
its shares. Where no frequencies are known, the values are those that the data dictionary beside the file names, and the
released records say how often each may occur. The drawn records are nobody's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import numpy as np

from anonduck.auditing.cover import ROOT, bounds_of, encoded, is_number, labels_over, values_under
from anonduck.database.connection import Database
from anonduck.database.session import Tracer
from anonduck.errors import AuditError
from anonduck.privacy import grouped_texts
from anonduck.privacy.audited_engine import DuckDBFile
from anonduck.privacy.audited_file import open_release, read_receipt, receipt_at, receipt_of
from anonduck.privacy.distributions import read_distributions
from anonduck.words import counted

if TYPE_CHECKING:
    import pandas as pd

_CODE = re.compile(r"[-+]?0\d|\+")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}:\d{2}(?:\.\d+)?)?")
_TRUTH = {"true": True, "false": False}

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
            becomes a random number in its interval, any value under it in its taxonomy, or one that the data dictionary
            beside the file names; ``*`` becomes what another record of the column may become.
        taxonomies: lookup files (or DataFrames) of one column per level, leaf first, by column.
        seed: the seed of the draws.
        delim: the separator of CSV files.
        tracer: as for ``anonduck.audit``.

    Raises:
        AuditError: a file cannot be read, the class is not named, or nothing names a value under a label.
    """
    receipt = read_receipt(release)
    class_ = class_ or next((one["name"] for one in receipt.get("columns", []) if one["role"] == "class"), None)
    if class_ is None:
        beside = f" beside {release}" if isinstance(release, (str, Path)) else ""
        raise AuditError(f"no receipt{beside} names its column of distributions; name it with `--class COLUMN`")
    frequencies: Frequencies = receipt.get("value_frequencies", {})
    groups = _groups(release, receipt)
    work = Database(tracer=tracer)
    try:
        with open_release(work, release, delim):
            names = [name for name in DuckDBFile(work).columns() if name != class_]
            rows = work.arrow(grouped_texts.distinct_rows(names, class_))
        if original is not None:
            with open_release(work, original, delim, noun="original", one_zero=True):
                counted = work.arrow(grouped_texts.distinct_rows(names))
            frequencies = {name: _counted(counted, number) for number, name in enumerate(names)}
    finally:
        work.close()
    records = np.asarray(rows.column(-1)).astype(np.int64)
    shares = read_distributions(rows.column(len(names)).to_pylist(), class_)
    draws = {
        name: _Draw.of_labels(
            _Known(name, frequencies.get(name, {}), (taxonomies or {}).get(name), groups.get(name, {})),
            rows.column(number),
            records,
        )
        for number, name in enumerate(names)
    }
    draws[class_] = _Draw(shares.of_row, [(list(one), np.array(list(one.values()))) for one in shares.shares])
    random = np.random.default_rng(seed)
    return [_table(draws, records, random) for _ in range(n)]


def _counted(rows: Any, number: int) -> dict[str, float]:
    values, of_row = encoded(rows.column(number))
    held = np.bincount(of_row, weights=np.asarray(rows.column(-1)).astype(np.int64))
    return {value: float(count) for value, count in zip(values, held, strict=True) if value is not None}


def _groups(release: object, receipt: Mapping[str, Any]) -> dict[str, dict[str, list[str]]]:
    """By column and label, the values under the label that the data dictionary beside a release names.

    A label of a group that the receipt lists, and of which no value is named, has none.
    """
    found: dict[str, dict[str, list[str]]] = {
        str(one["name"]): {label: [] for label in one.get("groups", ())} for one in receipt.get("columns", ())
    }
    path = receipt_of(str(release)) if isinstance(release, (str, Path)) else None
    beside = None if path is None else path.with_name(path.name.removesuffix(".receipt.json") + ".dictionary.json")
    if beside is None or not beside.is_file():
        return found
    for column in receipt_at(beside).get("columns", ()):
        members = {group["label"]: list(group["members"]) for group in column.get("groups", ()) if "members" in group}
        found[column["name"]] = {**found.get(column["name"], {}), **members}
    return found


@dataclass(frozen=True)
class _Known:
    """What is known of the values of a column: how often they occur, its taxonomy, and the values under its labels that
    the data dictionary names."""

    name: str
    frequencies: Mapping[str, float]
    taxonomy: Any
    groups: Mapping[str, list[str]]

    @cached_property
    def under(self) -> Mapping[str | None, list[str]]:
        """The values under each label, by the taxonomy and else by the dictionary."""
        named: dict[str | None, list[str]] = {label: values for label, values in self.groups.items() if values}
        found = named | values_under(self.name, self.taxonomy)
        if self.taxonomy is not None and ROOT not in found:
            found[ROOT] = sorted(
                {value for values in values_under(self.name, self.taxonomy).values() for value in values}
            )
        return found

    def is_label(self, text: str | None) -> bool:
        """Whether a text stands for values and is none itself."""
        known = text in self.groups or text in self.under
        return text is not None and (text == ROOT or known or bounds_of(text) is not None)

    def covers(self, labels: Sequence[str | None], values: Sequence[str]) -> np.ndarray:
        """Whether each label is over each value."""
        found = labels_over(self.name, labels, values, self.taxonomy)
        number = {value: at for at, value in enumerate(values)}
        for at, label in enumerate(labels):
            found[at, [number[value] for value in self.under.get(label, ()) if value in number]] = True
        return found

    def estimated(self, labels: Sequence[str | None], held: np.ndarray) -> dict[str, float]:
        """How often values may occur by the release itself: each of the records ``held`` by a label, or by a value,
        counts in equal parts for the values under it. Empty for a column of intervals, which hold more values."""
        found: dict[str, float] = {}
        if any(bounds_of(label) is not None for label in labels):
            return found
        for label, records in zip(labels, held.tolist(), strict=True):
            itself = [] if label is None or self.is_label(label) else [label]
            values = itself or self.under.get(label, [])
            for value in values:
                found[value] = found.get(value, 0.0) + records / len(values)
        return found


class _Draw:
    """What the rows of a column can become: for each label its values and their weights, an interval, or what other
    labels can become, and their weights."""

    def __init__(self, of_row: np.ndarray, choices: list[Any]) -> None:
        self.of_row = of_row
        self.choices = choices

    @classmethod
    def of_labels(cls, known: _Known, column: Any, records: np.ndarray) -> _Draw:
        """The choices for each label of a quasi-identifier; raises AuditError where there is none for some."""
        labels, of_row = encoded(column)
        held = np.bincount(of_row, weights=records, minlength=len(labels))
        frequencies = known.frequencies or known.estimated(labels, held)
        values, weights = list(frequencies), np.array(list(frequencies.values()), dtype=np.float64)
        covers = known.covers(labels, values)
        found = [
            _choice(known, label, [values[at] for at in np.flatnonzero(covered)], weights[covered])
            for label, covered in zip(labels, covers, strict=True)
        ]
        others = [
            (one, share) for label, one, share in zip(labels, found, held, strict=True) if label is not None and one
        ]
        if others:
            anywhere = [one for one, _ in others], np.array([share for _, share in others])
            found = [
                anywhere if one is None and label == ROOT else one for label, one in zip(labels, found, strict=True)
            ]
        if unknown := sum(one is None for one in found):
            raise AuditError(_unknown(known.name, unknown))
        return cls(of_row, found)

    def drawn(self, records: np.ndarray, random: np.random.Generator) -> np.ndarray:
        """A random value for each record, row by row."""
        of_record = np.repeat(self.of_row, records)
        found = np.empty(len(of_record), dtype=object)
        order = np.argsort(of_record, kind="stable")
        ends = np.searchsorted(of_record[order], np.arange(len(self.choices) + 1))
        for choice, start, end in zip(self.choices, ends[:-1], ends[1:], strict=True):
            found[order[start:end]] = _values(choice, int(end - start), random)
        return found


def _choice(known: _Known, label: str | None, covered: list[str], weights: np.ndarray) -> Any:
    """What a label can become; None where nothing is known of it."""
    bounds = bounds_of(label)
    if label is None:
        return [None], np.ones(1)
    if covered:
        return covered, weights
    if bounds is not None:
        return bounds
    leaves = known.under.get(label) or ([] if known.is_label(label) else [label])
    return (leaves, np.ones(len(leaves))) if leaves else None


def _unknown(name: str, labels: int) -> str:
    return (
        f"the column {name!r} shows {counted(labels, 'label', 'labels')} under which no value is known: neither a "
        "receipt nor a data dictionary beside the release names one. Give the column's taxonomy as it is exported "
        f"(`--taxonomy {quote(name)}=FILE`), with the table that was released (`--original SOURCE`) where `*` alone is "
        "shown; or release it anew with `--set frequencies=true`, where k records hold each of its values"
    )


def _values(choice: Any, count: int, random: np.random.Generator) -> Any:
    first, second = choice
    if isinstance(first, list) and isinstance(first[0], tuple):
        return _of_others(first, second, count, random)
    if isinstance(first, list):
        at = random.choice(len(first), size=count, p=second / second.sum())
        return np.array(first, dtype=object)[at]
    low, high = (first, second) if np.isfinite(first) else (second - 1, second)
    high = high if np.isfinite(high) else low + 1
    whole = float(low).is_integer() and float(high).is_integer()
    drawn = random.integers(int(low), int(high), size=count) if whole else random.uniform(low, high, size=count)
    return np.array([str(one) for one in drawn.tolist()], dtype=object)


def _of_others(choices: list[Any], weights: np.ndarray, count: int, random: np.random.Generator) -> np.ndarray:
    at = random.choice(len(choices), size=count, p=weights / weights.sum())
    found = np.empty(count, dtype=object)
    for number in np.unique(at).tolist():
        found[at == number] = _values(choices[number], int((at == number).sum()), random)
    return found


def _table(draws: Mapping[str, _Draw], records: np.ndarray, random: np.random.Generator) -> pd.DataFrame:
    import pandas as pd

    columns = {name: draw.drawn(records, random) for name, draw in draws.items()}
    return pd.DataFrame({name: _typed(values) for name, values in columns.items()})


def _typed(values: np.ndarray) -> Any:
    """Numbers, truth values or dates where all texts are such, with NULL as missing; otherwise the texts.

    Numbers that begin with a zero are codes.
    """
    import pandas as pd

    kinds = {value for value in values.tolist() if value is not None}
    if not kinds:
        return values
    if all(is_number(one) and not _CODE.match(one) for one in kinds):
        return pd.to_numeric(pd.Series(values))
    if all(_DATE.fullmatch(one) for one in kinds):
        return pd.to_datetime(pd.Series(values), format="ISO8601")
    if {one.lower() for one in kinds} <= _TRUTH.keys():
        found = pd.Series([None if one is None else _TRUTH[one.lower()] for one in values.tolist()], dtype="boolean")
        return found if None in values.tolist() else found.astype(bool)
    return values
