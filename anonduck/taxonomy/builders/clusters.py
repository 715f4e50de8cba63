"""Nominal taxonomies, top-down: values that go with the same values of other columns fall together (section 6.1).

A value is described by its records' distribution over the bins of each describing column, never by its spelling.
Without a describing column it is described by how often it occurs, so that rare values fall together.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from anonduck.database.connection import Database
from anonduck.database.progress import Progress, no_progress
from anonduck.errors import TaxonomyError
from anonduck.statements import Statement, line, statement
from anonduck.statements.column_types import TEXT, has_order
from anonduck.statements.expansion import Lists
from anonduck.statements.template import temporary_table_of
from anonduck.taxonomy.tables import write_taxonomy

if TYPE_CHECKING:
    import numpy as np

    Vectors = np.ndarray
    Node = tuple[int, ...]

BINNED, NUMBERED = "binned_frequency", "numbered_frequency"
RECORDS, ROW = "#records", "#row"
STAGE = "comparing the values of columns"
BINS = 22
JOINED = 16
"""So many tables are joined at once: what a join takes grows faster than they do."""
MOST_NAMED = 3
"""A label names the members of a node where they are so many or fewer."""
LONGEST_LABEL = 60
"""Characters of a label that names all members."""
DEEPEST = 8
AXIS_ROUNDS = 30
LLOYD_ROUNDS = 100


def partitions(vectors: Vectors) -> list[list[Node]]:
    """Split all rows in two, again and again: the nodes of each depth, the root first (section 6.1).

    A node is the ascending numbers of its rows; nodes stand in the order of their first row. A node of one row, or of
    identical rows, is not split and repeats at the depths below. A last depth of single rows only is left out.
    """
    depths: list[list[Node]] = [[tuple(range(len(vectors)))]]
    while len(depths) <= DEEPEST:
        nodes = sorted(part for node in depths[-1] for part in _split(vectors, node))
        if len(nodes) == len(depths[-1]):
            break
        depths.append(nodes)
    if len(depths) > 1 and all(len(node) == 1 for node in depths[-1]):
        depths.pop()
    return depths


def _split(vectors: Vectors, node: Node) -> list[Node]:
    members = vectors[list(node)]
    if len(node) < 2 or (members == members[0]).all():
        return [node]
    side = _lloyd(members, _axis_side(members))
    halves = [tuple(row for row, at in zip(node, side, strict=True) if at == which) for which in (False, True)]
    return [half for half in halves if half]


def _axis_side(members: Vectors) -> Vectors:
    """On which side of the mean each row lies along the first principal axis (found by power iteration)."""
    import numpy as np

    centred = members - members.mean(axis=0)
    axis = centred[int(np.argmax((centred**2).sum(axis=1).round(12)))]
    for _ in range(AXIS_ROUNDS):
        axis = axis / np.sqrt((axis**2).sum())
        axis = np.einsum("ij,i->j", centred, np.einsum("ij,j->i", centred, axis))
    along = np.einsum("ij,j->i", centred, axis)
    side: Vectors = (along / np.abs(along).max()).round(9) > 0
    return side


def _lloyd(members: Vectors, side: Vectors) -> Vectors:
    """Move each row to the nearer of the two means until none moves; a tie goes to the first mean."""
    for _ in range(LLOYD_ROUNDS):
        first, second = members[~side].mean(axis=0), members[side].mean(axis=0)
        nearer = (((members - first) ** 2).sum(axis=1) - ((members - second) ** 2).sum(axis=1)).round(12) > 0
        if (nearer == side).all() or nearer.all() or not nearer.any():
            break
        side = nearer
    return side


class LeafBins(Protocol):
    """Tells how the records of values spread over the bins of other columns."""

    def counts(self, column: str, on: Sequence[str], leaves: int) -> np.ndarray:
        """The records of each leaf of a column in each bin of the columns ``on``; (columns on, leaves, bins)."""


@dataclass(frozen=True)
class ValueBins:
    """The columns of the temporary table ``binned_frequency``, by their numbers there."""

    database: Database
    numbers: Mapping[str, int]

    def counts(self, column: str, on: Sequence[str], leaves: int) -> np.ndarray:
        """The records of each leaf of a column in each bin of the columns ``on``; (columns on, leaves, bins)."""
        import numpy as np

        held = np.zeros((len(on), leaves, BINS))
        described = described_leaves(self.numbers[column], [self.numbers[by] for by in on])
        found = self.database.arrays(described)
        held[found["describer"], found["leaf"] - 1, found["bin"]] = found["records"]
        return held


@contextlib.contextmanager
def value_bins(
    database: Database,
    clustered: Sequence[str],
    types: Mapping[str, str],
    frequency: str,
    records: str | None = None,
    progress: Progress = no_progress,
) -> Iterator[ValueBins]:
    """The bins of the columns of ``types``, for as long as the taxonomies of ``clustered`` columns are made.

    ``records`` is the set that holds which values occur together, where ``frequency`` does not.
    """
    kinds = {**dict.fromkeys(clustered, TEXT), **types}
    steps = 2 * len(kinds)  # the bins of each column, then those of each record
    for number, (column, kind) in enumerate(kinds.items()):
        progress(STAGE, number, steps)
        query = statement(
            "taxonomy/builders/clusters_bins.sql",
            column={"described_by": f"{column}@value"},
            table={"frequency": frequency, "bins": bins_table(number)},
        )
        database.run(query, {"ordered": has_order(kind)})
    try:
        _write_binned(
            database,
            list(kinds),
            clustered,
            records or frequency,
            lambda done: progress(STAGE, len(kinds) + done, steps),
        )
        progress(STAGE, steps, steps)
        yield ValueBins(database, {column: number for number, column in enumerate(kinds)})
    finally:
        database.drop(BINNED, *map(bins_table, range(len(kinds))))


def bins_table(number: int) -> str:
    """The temporary table of the bins of the column of that number."""
    return f"bins_{number}"


def part_table(first: int) -> str:
    """The temporary table of the bins of the columns from that number on."""
    return f"binned_from_{first}"


def binned(
    columns: Sequence[str], clustered: Sequence[str], frequency: str, made: str, kept: str, first: int = 0
) -> Statement:
    """``made``: the bins of some columns of a set, of which the first has the number ``first``, and its column
    ``kept``."""
    numbered = [{"name": column, "number": number} for number, column in enumerate(columns, start=first)]
    return statement(
        "taxonomy/builders/clusters_binned.sql",
        table={"frequency": frequency, "binned": made},
        column={"kept": kept},
        lists={"columns": numbered, "clustered": [one for one in numbered if one["name"] in clustered]},
    )


def binned_of_parts(parts: Mapping[int, Sequence[str]]) -> Statement:
    """``binned_frequency`` of its parts: by the number of the first column of each, their columns there."""
    held = [{"first": first, "name": name} for first, names in parts.items() for name in names]
    lists: Lists = {"columns": held, "parts": [{"first": first} for first in parts]}
    return statement("taxonomy/builders/clusters_parts.sql", lists=lists)


def binned_names(columns: Sequence[str], clustered: Sequence[str], first: int) -> list[str]:
    """The columns of the bins of some columns, of which the first has the number ``first``."""
    numbered = list(enumerate(columns, start=first))
    leaves = [f"leaf_{number}" for number, column in numbered if column in clustered]
    return [f"bin_{number}" for number, _ in numbered] + leaves


def described_leaves(leaf: int, describing: Sequence[int]) -> Statement:
    """The records of each leaf of a column in each bin of others; columns are numbers of ``binned_frequency``."""
    lists = {"describing": [{"leaf": leaf, "number": number} for number in describing]}
    return statement("taxonomy/builders/clusters_described.sql", lists=lists)


def _write_binned(
    database: Database, columns: Sequence[str], clustered: Sequence[str], frequency: str, told: Callable[[int], None]
) -> None:
    """Write ``binned_frequency``; of many columns part by part, as one join of hundreds of tables takes minutes."""
    if len(columns) <= JOINED:
        database.run(binned(columns, clustered, frequency, BINNED, RECORDS))
        return
    parts = {first: columns[first : first + JOINED] for first in range(0, len(columns), JOINED)}
    try:
        text = 'SELECT row_number() OVER () AS "#row", each(columns, "{name}@value"), "#records" FROM "{frequency}"'
        numbered = line("taxonomy/builders/clusters._write_binned", text, columns=columns, frequency=frequency)
        database.run(temporary_table_of(NUMBERED, numbered))
        for first, held in parts.items():
            told(first)
            database.run(binned(held, clustered, NUMBERED, part_table(first), ROW, first))
        database.run(binned_of_parts({first: binned_names(held, clustered, first) for first, held in parts.items()}))
    finally:
        database.drop(NUMBERED, *map(part_table, parts))


MOST_VALUES = 5_000
SMOOTHING = 10.0


def build_clusters(
    database: Database,
    column: str,
    *,
    frequency: str,
    on: Mapping[str, str],
    label_k: int,
    bins: ValueBins | None = None,
) -> int:
    """Write ``taxonomy."<column>"`` by recursive 2-means over its values; returns the root's level.

    ``on`` maps the describing columns to their types; ``bins`` are theirs, where several columns share them. A label
    names a value only if ``label_k`` records hold it. Raises TaxonomyError above 5,000 values. Leaves the temporary
    table ``leaves`` (value, records, position).
    """
    leaves = statement(
        "taxonomy/builders/leaves.sql", table={"frequency": frequency}, column={"leaf": f"{column}@value"}
    )
    database.run(leaves)
    count = database.count("leaves")
    if count > MOST_VALUES:
        raise _too_many(column, count)
    text = "SELECT value::VARCHAR AS text, records FROM leaves ORDER BY position"
    held = database.rows(line("taxonomy/builders/clusters.build_clusters", text))
    if bins is not None or not on:
        levels = group_levels(bins, column, list(on), held, label_k)
    else:
        with value_bins(database, [column], on, frequency) as own:
            levels = group_levels(own, column, list(on), held, label_k)
    _write_nodes(database, levels)
    parents = node_codes(levels[0].nodes, count)
    text = "SELECT value, position, list_extract($parents::INTEGER[], position) AS parent FROM leaves ORDER BY position"
    placed = line("taxonomy/builders/clusters.build_clusters", text, "parents")
    database.run(temporary_table_of("placed", placed), {"parents": parents})
    write_taxonomy(database, column, len(levels))
    return len(levels)


@dataclass(frozen=True)
class GroupLevel:
    """The groups of one level above the values: their leaves, by position from 0, and their labels."""

    nodes: Sequence[Node]
    labels: Sequence[str]


def group_levels(
    bins: LeafBins | None, column: str, on: Sequence[str], held: Sequence[tuple[str, int]], label_k: int
) -> list[GroupLevel]:
    """The levels of a column's groups, from level 1 to the root.

    Args:
        bins: those of the describing columns.
        column: whose values are grouped.
        on: the describing columns; without any, values are grouped by how often they occur.
        held: the text and the records of each value, in their order.
        label_k: a label names a value only if so many records hold it.
    """
    levels = partitions(_vectors(bins, column, on, [count for _, count in held]))[::-1]
    labels = [_labels(nodes, held, label_k) for nodes in levels[:-1]] + [["*"]]
    return [GroupLevel(*one) for one in zip(levels, labels, strict=True)]


def _too_many(column: str, count: int) -> TaxonomyError:
    return TaxonomyError(
        f"the column {column} has {count:,} distinct values; clusters take at most {MOST_VALUES:,}. Give it a taxonomy "
        f"of your own (`{column}: {{file: ...}}`), another role (identifiers, insensitive), or a numeric or date type "
        "in `types`, which makes intervals of it"
    )


def _vectors(bins: LeafBins | None, column: str, on: Sequence[str], records: Sequence[int]) -> Vectors:
    """One row per leaf: its smoothed distribution over the bins of each describing column, all weighing the same."""
    import numpy as np

    if on and bins is not None:
        counts = bins.counts(column, on, len(records))
        vectors: Vectors = np.hstack([_smoothed(held) for held in counts]).round(9)
    else:
        vectors = np.log(np.array(records, dtype=float)).reshape(-1, 1)
    return vectors


def _smoothed(held: Vectors) -> Vectors:
    """The distribution of each leaf over the bins of one column, drawn towards the overall one by ten records."""
    overall = held.sum(axis=0) / max(held.sum(), 1.0)
    smoothed: Vectors = (held + SMOOTHING * overall) / (held.sum(axis=1, keepdims=True) + SMOOTHING)
    return smoothed


def _labels(nodes: Sequence[Node], held: Sequence[tuple[str, int]], label_k: int) -> list[str]:
    """A label per node of one level that names no rare value, no other node's value and no other node's label."""
    texts = {text for text, _ in held}
    labels: list[str] = []
    taken: set[str] = {"*"}
    for code, node in enumerate(nodes, 1):
        text, records = held[max(node, key=lambda leaf: (held[leaf][1], -leaf))]
        if len(node) == 1 and records >= label_k and text and text not in taken:
            label = text
        else:
            named = _named(node, held, label_k) if len(node) > 1 else []
            numbered = [f"group {code}{chr(39) * primes}" for primes in range(len(texts) + len(nodes) + 1)]
            label = next(name for name in named + numbered if name not in taken and name not in texts)
        labels.append(label)
        taken.add(label)
    return labels


def _named(node: Node, held: Sequence[tuple[str, int]], label_k: int) -> list[str]:
    """Labels that name the members of a node, the best first; none where its most frequent value is rare.

    All members are named, in their order, where they are few and none is rare: more records do not change that label.
    """
    members = sorted(node, key=lambda leaf: (-held[leaf][1], leaf))
    text, records = held[members[0]]
    if records < label_k or not text:
        return []
    others = len(members) - 1
    labels = [f"{text} and {others} {'other' if others == 1 else 'others'}"]
    told = " or ".join(held[leaf][0] for leaf in sorted(node))
    if len(members) <= MOST_NAMED and all(held[leaf][0] and held[leaf][1] >= label_k for leaf in members):
        labels = [told, *labels] if len(told) <= LONGEST_LABEL else labels
    return labels


def _write_nodes(database: Database, levels: Sequence[GroupLevel]) -> None:
    rows: list[tuple[int, int, int | None, str]] = []
    for level, here in enumerate(levels, 1):
        above = node_codes(levels[level].nodes, sum(map(len, here.nodes))) if level < len(levels) else None
        for code, (node, label) in enumerate(zip(here.nodes, here.labels, strict=True), 1):
            rows.append((level, code, above[node[0]] if above is not None else None, label))
    names = ("levels", "codes", "parents", "labels")
    database.run(
        statement("taxonomy/builders/clusters_nodes.sql"),
        {name: [row[at] for row in rows] for at, name in enumerate(names)},
    )


def node_codes(nodes: Sequence[Node], count: int) -> list[int]:
    """The code of each leaf's node, by the leaf's position."""
    codes = [0] * count
    for code, node in enumerate(nodes, 1):
        for leaf in node:
            codes[leaf] = code
    return codes
