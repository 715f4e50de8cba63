"""The records of a training part as cells: taxonomies that follow from values are made anew, from the part alone.

They are made as those of the source: clusters from the counts in memory, intervals by their builders in a database
apart. Nothing is noted in the register of taxonomies, and no record is read again; test_part_cells.py holds the result
against taxonomies that are built for a source of these records. Of other taxonomies a part has the values that its
records hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import TYPE_CHECKING

import numpy as np

from anonduck.database.progress import no_message
from anonduck.evaluation.cells import Cells, CodedColumn, made_column
from anonduck.measures.attributes import CountedColumn
from anonduck.measures.counted_cells import SensitiveColumn
from anonduck.statements import line, statement
from anonduck.statements.column_types import has_order
from anonduck.taxonomy.builders.clusters import BINS, group_levels, node_codes
from anonduck.taxonomy.catalog import Taxonomy, prepare
from anonduck.taxonomy.interval_cells import IntervalCells, OpenLabels, planned_labels
from anonduck.taxonomy.taxonomies import write_from_values

if TYPE_CHECKING:
    from anonduck.database.connection import Database
    from anonduck.taxonomy.plans import TaxonomyPlan

PART_SET, DRAWN_COUNTS = "part_set", "drawn_counts"


def part_of(
    whole: Cells,
    taken: np.ndarray,
    database: Database,
    plans: Mapping[str, TaxonomyPlan],
    called: Mapping[str, str],
) -> Cells:
    """The records of a source less some of each row, as they are coded by themselves.

    Args:
        whole: all records.
        taken: (rows,), the records of each row that are no part of it.
        database: holds ``evaluated_cells``, the rows with their values.
        plans: how the taxonomies are made that follow from values, by column.
        called: by column of the source, what its values are called in ``evaluated_cells``.
    """
    left = whole.without(taken)
    codes = [np.unique(leaves[leaves > 0]) for leaves in left.leaves]
    leaves = tuple(
        np.where(of == 0, 0, np.searchsorted(held, of) + 1) for held, of in zip(codes, left.leaves, strict=True)
    )
    part = replace(left, leaves=leaves)
    given = {name: plan for name, plan in plans.items() if plan.kind == "clusters" and not _is_altered(plan)}
    made = {name: _grouped(whole, part, codes, name, plan) for name, plan in given.items()}
    others = {name: plan for name, plan in plans.items() if name not in given}
    if others:
        made |= _written(part, whole.records - taken, database, others, called)
    columns = []
    for column, held, of in zip(whole.columns, codes, leaves, strict=True):
        records = np.bincount(of, weights=left.records, minlength=len(held) + 1).astype(np.int64)
        columns.append(made.get(column.name) or column.only(held, records))
    return replace(
        part,
        columns=tuple(columns),
        sensitive={name: _held_values(one) for name, one in left.sensitive.items()},
    )


def _held_values(column: SensitiveColumn) -> SensitiveColumn:
    present, codes = np.unique(column.codes, return_inverse=True)
    return SensitiveColumn(codes, column.values.only(present))


# -- clusters ----------------------------------------------------------------------------------------------------------


def _is_altered(plan: TaxonomyPlan) -> bool:
    """Whether groups are pruned or named by their owner once they are made."""
    return plan.config.prune or "labels" in plan.options


@dataclass(frozen=True, eq=False)
class _CellBins:
    """The bins of the columns of cells (see LeafBins), as taxonomy/builders/clusters_bins.sql has them.

    ``codes`` and ``kinds`` are the codes of the values of each row, (rows,), and the types of the columns, by name;
    ``records`` (rows,).
    """

    codes: Mapping[str, np.ndarray]
    kinds: Mapping[str, str]
    records: np.ndarray

    def counts(self, column: str, on: Sequence[str], leaves: int) -> np.ndarray:
        """See LeafBins."""
        found = np.zeros((len(on), leaves, BINS))
        of = self.codes[column]
        for place, name in enumerate(on):
            keys = of * BINS + self._bins(name)[self.codes[name]]
            by_bin = np.bincount(keys, weights=self.records, minlength=(leaves + 1) * BINS)
            found[place] = by_bin.reshape(leaves + 1, BINS)[1:]
        return found

    def _bins(self, name: str) -> np.ndarray:
        """By code the bin of each value: ten by the share of records below it, or its place by frequency, up to 21."""
        records = np.bincount(self.codes[name], weights=self.records).astype(np.int64)[1:]
        there = records > 0
        if has_order(self.kinds[name]):
            bins = 1 + (np.cumsum(records) - records) * 10 // max(int(records.sum()), 1)
        else:
            rank = np.empty(len(records), dtype=np.int64)
            rank[np.lexsort((np.arange(len(records)), -records))] = np.arange(1, len(records) + 1)
            bins = np.minimum(rank, BINS - 1)
        found: np.ndarray = np.r_[0, np.where(there, bins, 0)]
        return found


def _grouped(whole: Cells, part: Cells, held: Sequence[np.ndarray], name: str, plan: TaxonomyPlan) -> CodedColumn:
    """A column of the part whose values are clustered; ``held`` are the leaf codes of all records that the part has."""
    place = whole.names.index(name)
    column, leaves = whole.columns[place], part.leaves[place]
    records = np.bincount(leaves, weights=part.records, minlength=len(held[place]) + 1).astype(np.int64)
    texts = [column.texts[at] for at in column.labels[held[place], 0].tolist()]
    kinds = plan.options["on"]
    codes = {one: part.leaves[whole.names.index(one)] if one in whole.names else part.classes for one in (name, *kinds)}
    values = [(str(text), count) for text, count in zip(texts, records[1:].tolist(), strict=True)]
    levels = group_levels(_CellBins(codes, kinds, part.records), name, list(kinds), values, plan.options["label_k"])
    root = len(levels)
    paths = [np.arange(len(records)), *(np.array([0, *node_codes(one.nodes, len(values))]) for one in levels)]
    shown = np.full((len(records), root + 1), None, dtype=object)
    shown[1:, 0] = texts
    for level, one in enumerate(levels, start=1):
        shown[1:, level] = np.array([None, *one.labels], dtype=object)[paths[level][1:]]
    shown[:, root] = levels[-1].labels[0]
    numbers = np.arange(len(records), dtype=np.float64)
    return _made(name, plan, paths, records, numbers, shown, _no_ranges(paths))


# -- what a builder wrote ----------------------------------------------------------------------------------------------


def write_drawn(database: Database, called: Mapping[str, str], records: np.ndarray, target: str) -> None:
    """Write the temporary frequency set ``target`` of some ``records`` of each row of ``evaluated_cells``, (rows,)."""
    import pandas as pd

    rows = np.flatnonzero(records)
    with database.registered(DRAWN_COUNTS, pd.DataFrame({"#row": rows, "records": records[rows]})):
        columns = [{"name": name, "called": held} for name, held in called.items()]
        database.run(statement("evaluation/drawn_set.sql", table={"target": target}, lists={"columns": columns}))


def _written(
    part: Cells,
    records: np.ndarray,
    database: Database,
    plans: Mapping[str, TaxonomyPlan],
    called: Mapping[str, str],
) -> dict[str, CodedColumn]:
    """Columns whose taxonomies builders write in the database, from some ``records`` of each row of the source."""
    write_drawn(database, called, records, PART_SET)
    try:
        with database.apart():
            prepare(database)
            roots = write_from_values(database, plans, PART_SET, no_message)
            return {name: _read(database, part, name, plans[name], root) for name, root in roots.items()}
    finally:
        database.drop(("temp", PART_SET))


def _read(database: Database, part: Cells, name: str, plan: TaxonomyPlan, root: int) -> CodedColumn:
    """A column whose taxonomy was just written, of values that are all in the part."""
    codes = [f"code_{level}" for level in range(1, root + 1)]
    labels = [f"level_{level}" for level in range(1, root + 1)]
    tables: dict[str, str | tuple[str, str]] = {"taxonomy": ("taxonomy", name)}
    text = (
        'SELECT each(columns, "{name}";), value::VARCHAR AS text, coalesce(try_cast(value AS DOUBLE), code_0::DOUBLE) '
        'AS number FROM "taxonomy"."{table}" ORDER BY code_0'
    )
    rows = database.arrays(line("evaluation/part_cells._read", text, columns=[*codes, *labels], table=name))
    count = len(rows["text"])
    paths = [np.arange(count + 1), *(np.r_[0, rows[code]].astype(np.int64) for code in codes)]
    shown = np.full((count + 1, root + 1), None, dtype=object)
    shown[1:, 0] = rows["text"]
    for level, label in enumerate(labels, start=1):
        shown[1:, level] = rows[label]
    shown[:, root] = shown[1, root] if count else "*"
    leaves = part.leaves[part.names.index(name)]
    records = np.bincount(leaves, weights=part.records, minlength=count + 1).astype(np.int64)
    written = planned_labels(plan.options)
    if written is None:
        numbers = np.arange(count + 1, dtype=np.float64)
        return _made(name, plan, paths, records, numbers, shown, _no_ranges(paths))
    tables["bounds"] = ("bounds", name)
    pieces = database.arrays(statement("evaluation/made_intervals.sql", columns={"codes": codes}, table=tables))
    numbers = np.r_[np.nan, np.asarray(rows["number"], dtype=np.float64)]
    ranges = [np.zeros(0), *(_range_shares(pieces, code) for code in codes)]
    intervals = _intervals(pieces, paths, ranges[1], written) if root > 1 else None
    return _made(name, plan, paths, records, numbers, shown, ranges, intervals)


def _range_shares(pieces: Mapping[str, np.ndarray], code: str) -> np.ndarray:
    """By node code of a level, the share of the range of the values that its intervals cover; NaN without a range."""
    codes = pieces[code].astype(np.int64)
    shares = np.zeros(int(codes.max(initial=0)) + 1)
    for node in range(1, len(shares)):
        shares[node] = fsum(pieces["breadth"][codes == node]) / pieces["full_breadth"][0]
    return shares


def _intervals(
    pieces: Mapping[str, np.ndarray], paths: Sequence[np.ndarray], ranges: np.ndarray, written: OpenLabels
) -> IntervalCells:
    codes, first = np.unique(pieces["code_1"].astype(np.int64), return_index=True)
    leaves = np.bincount(paths[1][1:], minlength=int(codes.max()) + 1)[codes]
    return IntervalCells(
        codes,
        tuple(pieces["label"][first].tolist()),
        leaves,
        leaves / max(len(paths[0]) - 1, 1),
        np.where(leaves > 0, ranges[codes], 0.0),
        written,
    )


def _no_ranges(paths: Sequence[np.ndarray]) -> list[np.ndarray]:
    return [np.full(int(path.max()) + 1, np.nan) for path in paths]


def _made(
    name: str,
    plan: TaxonomyPlan,
    paths: Sequence[np.ndarray],
    records: np.ndarray,
    numbers: np.ndarray,
    shown: np.ndarray,
    ranges: Sequence[np.ndarray],
    intervals: IntervalCells | None = None,
) -> CodedColumn:
    """A column of a taxonomy whose leaves are the values of the part.

    Args:
        name: its name.
        plan: how its taxonomy is made.
        paths: by level, the root included, the node of each leaf code.
        records: (leaf codes,), the records of each value.
        numbers: (leaf codes,), what stands for each value.
        shown: (leaf codes, levels), the labels.
        ranges: by level, the share of the range of the values of each node code.
        intervals: its finest intervals.
    """
    total = len(records) - 1
    counts = [np.bincount(path[1:], minlength=int(path.max(initial=0)) + 1) for path in paths]
    held = [np.flatnonzero(count) for count in counts[1:]]
    leaves = np.concatenate([count[codes] for count, codes in zip(counts[1:], held, strict=True)])
    nodes = {
        "level": np.concatenate([np.full(len(codes), level) for level, codes in enumerate(held, start=1)]),
        "code": np.concatenate(held),
        "leaves": leaves,
        "leaf_share": leaves / max(total, 1),
        "range_share": np.concatenate([share[codes] for share, codes in zip(ranges[1:], held, strict=True)]),
    }
    root = len(paths) - 1
    ordered = plan.kind == "intervals"
    node_counts = (total, *map(len, held))
    taxonomy = Taxonomy(name, plan.kind, ordered, root, total, node_counts, "")
    counted = CountedColumn(taxonomy, tuple(paths[:root]), records, nodes, numbers)
    return made_column(counted, shown, np.zeros(total + 1, dtype=bool), intervals, planned_labels(plan.options))
