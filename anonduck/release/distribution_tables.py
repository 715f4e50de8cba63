"""What records of a release by distributions show: closures with their labels, and the distribution of the class.

A closure is a value, a node of the taxonomy, or an interval between two of its bounds. The release is proven by the
written file held against the source.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anonduck.auditing.original import audit_original
from anonduck.database.connection import Database
from anonduck.engines.arrow import pa
from anonduck.errors import ReleaseError, RequirementNotMet
from anonduck.methods.coded_records import CodedRecords, PlacedColumn
from anonduck.methods.nsvdist import highest_l, most_alike
from anonduck.release.distribution_columns import original_rows
from anonduck.release.handed_out import BY_ORIGINAL
from anonduck.release.recoded_columns import leaf_numbers
from anonduck.release.recoder import ReleaseInputs
from anonduck.statements import line, statement
from anonduck.statements.column_types import is_temporal
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA
from anonduck.statements.pipeline.column_names import value_column
from anonduck.taxonomy.catalog import Taxonomy, entries
from anonduck.taxonomy.interval_cells import APART, OpenLabels, opening_of


@dataclass(frozen=True, eq=False)
class ClosureLabels:
    """What closures of a column are called: ``texts`` has the label at each level under the root of each place.

    ``numbers`` are those of its leaf codes, where closures may be intervals; None elsewhere, and where one of them
    is an infinity or NaN, which lie in no interval.
    """

    column: PlacedColumn
    texts: tuple[list[str | None], ...]
    root_label: str
    opening: OpenLabels | None
    numbers: np.ndarray | None

    def of(self, firsts: np.ndarray, lasts: np.ndarray) -> tuple[pa.Array, np.ndarray]:
        """Label and level of each closure, which go from one place to another; intervals between levels have that of
        the node over them."""
        count = self.column.nodes.shape[1]
        keys, row = np.unique(firsts * count + lasts, return_inverse=True)
        first, last = keys // count, keys % count
        levels = self.column.common_levels(first, last)
        ends = self._ends(firsts, lasts)
        found = [self._label(*one, ends) for one in zip(first.tolist(), last.tolist(), levels.tolist(), strict=True)]
        return pa.array(found, type=pa.string()).take(pa.array(row.ravel())), levels[row.ravel()]

    def _ends(self, firsts: np.ndarray, lasts: np.ndarray) -> tuple[int, int]:
        """The least and the largest place that closures of intervals go from and to; NULL is in none."""
        lying = [place for place, text in enumerate(self.texts[min(1, len(self.texts) - 1)]) if text not in APART]
        inner = np.isin(firsts, lying) & (firsts > 0)
        return int(firsts[inner].min(initial=self.column.nodes.shape[1])), int(lasts[inner].max(initial=0))

    def _label(self, first: int, last: int, level: int, ends: tuple[int, int]) -> str | None:
        nodes = self.column.nodes
        if level == 0:
            return self.texts[0][first]
        whole = (first, last) == (0, nodes.shape[1] - 1)
        if whole:
            return self.root_label
        if self._is_node(first, last, level) and level < len(nodes) - 1:
            label = self.texts[level][first] or ""
        elif self.opening is not None:
            label = self.opening.spanning(self.texts[1][first] or "", self.texts[1][last] or "")
        else:
            return self.root_label
        if self.opening is None:
            return label
        return self.opening.opened_at(label, low=first <= ends[0], high=last >= ends[1])

    def _is_node(self, first: int, last: int, level: int) -> bool:
        node = self.column.nodes[level]
        before = first == 0 or node[first - 1] != node[first]
        return bool(before and (last == len(node) - 1 or node[last + 1] != node[last]))


def closure_labels(
    database: Database, taxonomy: Taxonomy, kind: str, column: PlacedColumn, root_label: str
) -> ClosureLabels:
    """The labels of a column's closures, from the lookup of the release; ``kind`` is the type of its values."""
    names = [f"level_{level}" for level in range(1, taxonomy.root)]
    table = {"lookup": (LOOKUP_SCHEMA, taxonomy.column)}
    rows = database.arrow(statement("release/leaf_labels.sql", columns={"labels": names}, table=table))
    _, leaves = np.unique(column.place, return_index=True)
    by_code = [[None, *rows.column(name).to_pylist()] for name in ("shown_value", *names)]
    texts = tuple([labels[leaf] for leaf in leaves.tolist()] for labels in by_code)
    opening = opening_of(database, entries(database)[taxonomy.column])
    numbers = None
    if opening is not None and not is_temporal(kind):
        held = database.arrays(leaf_numbers(taxonomy.column))
        found = held["number"].astype(np.float64)
        numbers = np.r_[0.0, found] if np.isfinite(found).all() else None
    return ClosureLabels(column, texts, root_label, opening, numbers)


def class_values(database: Database, class_: str) -> list[str]:
    """The values of the class in the order of their codes, as text; raises ReleaseError if one is NULL."""
    text = 'SELECT "{value}"::VARCHAR AS value FROM combined_set GROUP BY "{value}" ORDER BY "{value}"'
    query = line("release/distribution_tables.class_values", text, value=value_column(class_))
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


def class_shares(counts: np.ndarray, values: Sequence[str], diversity: float) -> list[dict[str, float]]:
    """The share of each class value by distribution, of ``counts`` (distributions, class values)."""
    return [
        {value: share for value, share in zip(values, _shares(one, diversity), strict=True) if share}
        for one in counts.tolist()
    ]


def distribution_table(shares: Sequence[Mapping[str, float]]) -> pa.Table:
    """Each distinct distribution as a map and as JSON, with its number."""
    return pa.table(
        {
            "distribution": np.arange(len(shares)),
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


# -- proven ------------------------------------------------------------------------------------------------------------


def proven_with_original(
    database: Database, written: object, inputs: ReleaseInputs, names: Sequence[str], asked: Mapping[str, float]
) -> dict[str, Any]:
    """What file and original show; raises RequirementNotMet where k or l, as asked, is missed."""
    class_ = inputs.roles.class_
    report = audit_original(
        written,
        database.arrow(original_rows([*names, class_])),
        names,
        distribution=class_,
        requirements=asked,
        taxonomies=lookups(database, inputs, names),
    )
    if not report.met:
        raise RequirementNotMet(f"the audit of the written file with the original found {report.failed}")
    return {
        "proven_by": "file and original",
        "original": report.as_json()["original"],
        "requirements": [
            {"name": line["name"], "configured": None, "lowered": False, **line, BY_ORIGINAL: True}
            for line in report.requirements
        ],
        "warnings": report.of_file,
        "remarks": report.of_original,
    }


def lookups(database: Database, inputs: ReleaseInputs, names: Sequence[str]) -> dict[str, Any]:
    """The taxonomies of a release while its tables are there: by column, lines of the value and its labels.

    A column that is NULL in all records has none.
    """
    found = {name: _lookup(database, inputs, name) for name in names}
    return {name: lines for name, lines in found.items() if len(lines)}


def _lookup(database: Database, inputs: ReleaseInputs, name: str) -> Any:
    columns = {"labels": [f"level_{level}" for level in range(1, inputs.taxonomies[name].root)]}
    query = statement("release/leaf_labels.sql", columns=columns, table={"lookup": (LOOKUP_SCHEMA, name)})
    frame = database.arrow(query).to_pandas()
    return frame.drop(columns="code_0").assign(root=inputs.root_label(name))
