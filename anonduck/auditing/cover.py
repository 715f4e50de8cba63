"""Which original records each released record covers: whose values are under its labels, and have a share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anonduck.errors import AuditError
from anonduck.privacy.lookup import read_lines

NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
FORMS = tuple(
    re.compile(form)
    for form in (
        rf"[\[(](?P<low>{NUMBER}|-inf), (?P<high>{NUMBER}|inf)\)",
        rf"under (?P<high>{NUMBER})",
        rf"(?P<low>{NUMBER}) and over",
    )
)
MOST_PAIRS = 300_000_000
"""So many pairs are held in memory."""
ROOT = "*"


@dataclass(frozen=True, eq=False)
class CoverColumn:
    """A column of both tables: ``covers[l, v]`` whether a label is over a value; label and value of each row."""

    covers: np.ndarray
    label_of: np.ndarray
    value_of: np.ndarray


def cover_column(name: str, labels: Any, values: Any, taxonomy: Any) -> CoverColumn:
    """A quasi-identifier of a release and its original, row by row; raises AuditError for labels over nothing."""
    shown, label_of = encoded(labels)
    held, value_of = encoded(values)
    covers = labels_over(name, shown, held, taxonomy)
    if not covers.any(axis=1).all():
        raise AuditError(
            f"the column {name!r} of the release has labels that are over no value of the original; give its "
            f"taxonomy (`taxonomies={{{name!r}: FILE}}`), one line per value, leaf first"
        )
    return CoverColumn(covers, label_of, value_of)


def labels_over(name: str, labels: Sequence[str | None], values: Sequence[str | None], taxonomy: Any) -> np.ndarray:
    """Whether each label is over each value: the same, over it in the taxonomy, or an interval with it.

    ``*`` and the root of the taxonomy are over every value. NULL is over NULL alone.
    """
    lines = [] if taxonomy is None else read_lines(name, taxonomy)
    number = {value: at for at, value in enumerate(values)}
    under, roots = _under(lines), {ROOT, *_root(lines)}
    covers = np.zeros((len(labels), len(values)), dtype=bool)
    numbers = _numbers(values)
    for at, label in enumerate(labels):
        bounds = bounds_of(label)
        covers[at] = label in roots
        if label in number:
            covers[at, number[label]] = True
        if bounds is not None:
            covers[at] |= (numbers >= bounds[0]) & (numbers < bounds[1])
        covers[at, [number[value] for value in under.get(label, []) if value in number]] = True
    return covers


def encoded(column: Any) -> tuple[list[str | None], np.ndarray]:
    """The distinct texts, and the number of that of each row."""
    numbers: dict[str | None, int] = {}
    of_row = [numbers.setdefault(text, len(numbers)) for text in column.to_pylist()]
    return list(numbers), np.array(of_row, dtype=np.int64)


def _root(lines: Sequence[Sequence[str]]) -> set[str]:
    """The label of the root, if the last label of all lines is the same; the first line may be a header."""
    tops = {line[-1] for line in lines[1:] if len(line) > 1}
    return tops if len(tops) == 1 else set()


def values_under(name: str, taxonomy: Any) -> dict[str | None, list[str]]:
    """The values under each label of a taxonomy; nothing where there is none."""
    return _under([] if taxonomy is None else read_lines(name, taxonomy))


def _under(lines: Sequence[Sequence[str]]) -> dict[str | None, list[str]]:
    found: dict[str | None, list[str]] = {}
    for value, *above in lines:
        for label in set(above):
            found.setdefault(label, []).append(value)
    return found


def is_number(text: str) -> bool:
    """Whether a text is a number."""
    return re.fullmatch(NUMBER, text) is not None


def _numbers(values: Sequence[str | None]) -> np.ndarray:
    """Values as numbers, NaN for those that are none."""
    matched = [value is not None and is_number(value) for value in values]
    return np.array([float(value or 0) if fits else np.nan for value, fits in zip(values, matched, strict=True)])


def bounds_of(label: str | None) -> tuple[float, float] | None:
    """From where to where an interval goes; None for a label that is none."""
    for form in FORMS:
        found = None if label is None else form.fullmatch(label)
        if found is not None:
            parts = found.groupdict()
            return float(parts.get("low", "-inf")), float(parts.get("high", "inf"))
    return None


@dataclass(frozen=True, eq=False)
class Pairs:
    """The originals that each released row covers: ``originals`` from ``starts`` on, rows of both being distinct."""

    starts: np.ndarray
    originals: np.ndarray


def covered_pairs(columns: Sequence[CoverColumn], originals: int) -> Pairs:
    """All pairs, by words of 64 originals at once; raises AuditError where they are too many."""
    bits = [_packed(column.covers[:, column.value_of]) for column in columns]
    rows = len(columns[0].label_of)
    found, lengths, held = [], np.zeros(rows, dtype=np.int64), 0
    for row in range(rows):
        both = bits[0][columns[0].label_of[row]].copy()
        for packed, column in zip(bits[1:], columns[1:], strict=True):
            both &= packed[column.label_of[row]]
        covered = np.flatnonzero(np.unpackbits(both.view(np.uint8), count=originals)).astype(np.int32)
        found.append(covered)
        lengths[row] = len(covered)
        held += len(covered)
        if held > MOST_PAIRS:
            raise AuditError(
                f"released records cover more than {MOST_PAIRS:,} pairs of distinct originals; audit a release of "
                "fewer records"
            )
    return Pairs(np.r_[0, np.cumsum(lengths)], np.concatenate(found))


def _packed(covers: np.ndarray) -> np.ndarray:
    """Rows of bits as words, the last one filled up."""
    packed = np.packbits(covers, axis=1)
    filled = np.zeros((len(packed), -(-packed.shape[1] // 8) * 8), dtype=np.uint8)
    filled[:, : packed.shape[1]] = packed
    return filled.view(np.uint64)
