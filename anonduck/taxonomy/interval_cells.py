"""The finest intervals of a taxonomy, of which free intervals are made, and the labels that a release shows of them.

A bound between two intervals was found because values lie on both sides. Where no record of one side is released, the
bound would reveal that there was one: the outermost interval that is shown is then labelled as open. Bounds that do not
follow from the values (`width`, `log`, `breaks`, `top`, `bottom`) and labels that the owner edited or imported stay.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anonduck.config.builders import BUILDERS
from anonduck.database.connection import Database
from anonduck.statements import statement
from anonduck.statements.column_types import is_temporal
from anonduck.taxonomy.catalog import CatalogEntry, Taxonomy, entries, was_edited
from anonduck.words import np

APART = ("-inf", "inf", "nan")
"""Values that lie in no interval with others: a node of their own, under the root, is called as they are."""


@dataclass(frozen=True)
class OpenLabels:
    """How the outermost labels of a column become open: at which ends, and in which words (None: -inf, inf)."""

    low: bool
    high: bool
    words: tuple[str, str] | None

    def opened(self, labels: Sequence[str]) -> dict[str, str]:
        """The new labels of the first and the last interval that are shown, where they change; ``labels`` are in
        order."""
        labels = [label for label in labels if label not in APART]
        ends = dict.fromkeys([*labels[:1], *labels[-1:]])
        found = {one: self.opened_at(one, low=one == labels[0], high=one == labels[-1]) for one in ends}
        return {old: new for old, new in found.items() if old != new}

    def opened_at(self, label: str, *, low: bool, high: bool) -> str:
        """What the label of an interval becomes if no record lies below it, above it, or neither."""
        if self.bounds(label) == (None, None):
            return label
        if low and self.low:
            label = self.label(None, self.bounds(label)[1])
        if high and self.high:
            label = self.label(self.bounds(label)[0], None)
        return label

    def spanning(self, first: str, last: str) -> str:
        """The label of the interval from the one of a label to that of another, which lies over it."""
        lower, upper = self.bounds(first)[0], self.bounds(last)[1]
        return self.label(lower, upper) if lower is None or upper is None else f"[{lower}, {upper})"

    def bounds(self, label: str) -> tuple[str | None, str | None]:
        """The bounds of a label that anonduck made, as it writes them; None for an open end."""
        if self.words is not None:
            under, over = self.words
            if label.startswith(f"{under} "):
                return None, label.removeprefix(f"{under} ")
            if label.endswith(f" {over}"):
                return label.removesuffix(f" {over}"), None
        if ", " not in label:
            return None, None
        lower, upper = label[1:-1].split(", ")
        return None if label.startswith("(") else lower, None if upper == "inf" else upper

    def label(self, lower: str | None, upper: str | None) -> str:
        """The label of an interval, as taxonomies write it; None is an open end."""
        if lower is None and upper is None:
            return "*"
        if lower is not None and upper is not None:
            return f"[{lower}, {upper})"
        if lower is None:
            return f"{self.words[0]} {upper}" if self.words else f"(-inf, {upper})"
        return f"{lower} {self.words[1]}" if self.words else f"[{lower}, inf)"


def opening_of(database: Database, entry: CatalogEntry) -> OpenLabels | None:
    """How the labels of a taxonomy are opened; None if its bounds are not found from values, or edited."""
    return opened_by(made_labels(database, entry))


def opened_by(written: OpenLabels | None) -> OpenLabels | None:
    """How labels are opened, by how they are written; None where no end is."""
    return written if written is not None and (written.low or written.high) else None


def made_labels(database: Database, entry: CatalogEntry) -> OpenLabels | None:
    """How the intervals of a taxonomy are written, and opened where values decide their bounds.

    None if it is none of intervals that anonduck made, or was edited.
    """
    if entry.taxonomy.kind != "intervals" or was_edited(database, entry):
        return None
    return planned_labels(json.loads(entry.options))


def planned_labels(options: Mapping[str, Any]) -> OpenLabels | None:
    """The same of the taxonomy that is made by these options."""
    if options.get("kind") != "intervals":
        return None
    how = options.get("how", {"intervals": options.get("size")})
    by_values = any(BUILDERS[name].by_values for name in how if name in BUILDERS)
    words = ("before", "and later") if is_temporal(options["type"]) else ("under", "and over")
    return OpenLabels(
        low=by_values and "bottom" not in how,
        high=by_values and "top" not in how,
        words=words if "how" in options else None,
    )


@dataclass(frozen=True, eq=False)
class IntervalCells:
    """The intervals of level 1 in their order, which follow one another without gaps.

    By interval (cells,): ``codes``, which ascend, ``labels``, and how many ``leaves`` lie in it; ``leaf_shares`` and
    ``range_shares`` of the column, from 0 to 1, NaN where there is none. ``written`` is how labels are written.
    """

    codes: np.ndarray
    labels: tuple[str, ...]
    leaves: np.ndarray
    leaf_shares: np.ndarray
    range_shares: np.ndarray
    written: OpenLabels

    @property
    def apart(self) -> frozenset[int]:
        """The codes of the cells that hold an infinity or NaN alone, which follow on no other."""
        return frozenset(code for code, label in zip(self.codes.tolist(), self.labels, strict=True) if label in APART)

    def label(self, first: int, last: int) -> str:
        """The label of the interval from the cell of one code to that of another."""
        low, high = np.searchsorted(self.codes, [first, last])
        return self.written.label(self.written.bounds(self.labels[low])[0], self.written.bounds(self.labels[high])[1])


def interval_cells(database: Database, taxonomy: Taxonomy) -> IntervalCells | None:
    """The cells of a taxonomy of intervals that anonduck made; None for any other, and where it has no level 1."""
    return cells_of(database, taxonomy, made_labels(database, entries(database)[taxonomy.column]))


def cells_of(database: Database, taxonomy: Taxonomy, written: OpenLabels | None) -> IntervalCells | None:
    """The same, where it is known how its intervals are written."""
    if written is None or taxonomy.root < 2:
        return None
    bounds: dict[str, str | tuple[str, str]] = {"bounds": ("bounds", taxonomy.column)}
    found = database.arrays(statement("taxonomy/interval_cells.sql", table=bounds), {"column_name": taxonomy.column})
    return IntervalCells(
        found["code"].astype(np.int64),
        tuple(found["label"].tolist()),
        found["leaves"].astype(np.int64),
        found["leaf_share"].astype(np.float64),
        found["range_share"].astype(np.float64),
        written,
    )
