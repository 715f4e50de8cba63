"""Rare values generalized before they are swapped: those of a group show one value, or one label, that k records show.

A column of numbers, dates or times keeps its type: a group shows the common value that is nearest to its lower median,
or a round value of its taxonomy's grid, as typical values do. Groups of other columns show the label of a node.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from anonduck.database.connection import Database
from anonduck.engines.arrow import pa
from anonduck.evaluation.rare_groups import groups_by_taxonomy, groups_in_order, rare_codes, typical_of_groups
from anonduck.evaluation.typical import NONE
from anonduck.evaluation.typical_grid import made_values
from anonduck.measures.attributes import CountedColumn, read_counted_columns
from anonduck.release.coded_release import labels_of
from anonduck.release.recoder import ReleaseInputs
from anonduck.release.swapped_columns import RARE_GIVEN, rare_shown, rare_table
from anonduck.release.typical_recoder import grid_of, held_by_few
from anonduck.statements import line
from anonduck.statements.column_types import has_order
from anonduck.statements.expansion import qualified
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA
from anonduck.statements.pipeline.column_names import value_column


@dataclass(frozen=True)
class RareValues:
    """The rare values of a column: how many records hold one, and the labels with their levels that stand for them,
    none where values of the column's type do."""

    records: int
    labels: tuple[tuple[int, str], ...] = ()


def count_rare(database: Database, inputs: ReleaseInputs, k: int) -> dict[str, RareValues]:
    """By quasi-identifier the records of RELEASE_SET with a value that fewer than k records hold."""
    return {column.name: RareValues(_rare_records(held, k)) for column, held in _columns(database, inputs)}


def generalize_rare(database: Database, inputs: ReleaseInputs, k: int) -> dict[str, RareValues]:
    """The same; and by column that has some, the table of its rare values (``rare_table``)."""
    found = {}
    for column, held in _columns(database, inputs):
        found[column.name] = RareValues(_rare_records(held, k))
        if found[column.name].records and not _by_values(database, inputs, column, held, k):
            labels = _by_labels(database, inputs, column, held, k)
            found[column.name] = RareValues(found[column.name].records, labels)
    return found


def _columns(database: Database, inputs: ReleaseInputs) -> list[tuple[CountedColumn, np.ndarray]]:
    """The quasi-identifiers with the records of RELEASE_SET by leaf code."""
    taxonomies = {name: inputs.taxonomies[name] for name in inputs.roles.quasi_identifiers}
    found = []
    for column in read_counted_columns(database, taxonomies, 0, schema=LOOKUP_SCHEMA):
        text = 'SELECT coalesce(l.code_0, 0)::BIGINT AS code_0, sum(s."#records")::BIGINT AS records'
        text += ' FROM release_set AS s LEFT JOIN {lookup} AS l ON s."{value}" = l.value GROUP BY 1 ORDER BY 1'
        named = {"lookup": qualified(LOOKUP_SCHEMA, column.name), "value": value_column(column.name)}
        rows = database.arrays(line("release/rare_values._columns", text, **named))
        held = np.zeros(len(column.held), dtype=np.int64)
        held[rows["code_0"]] = rows["records"]
        found.append((column, held))
    return found


def _rare_records(held: np.ndarray, k: int) -> int:
    return int(held[rare_codes(held, k)].sum())


def _by_values(database: Database, inputs: ReleaseInputs, column: CountedColumn, held: np.ndarray, k: int) -> bool:
    """Write what stands for the rare values of a column in an order, of its type; whether each group has something."""
    kind = inputs.source.column(column.name).type
    if not column.taxonomy.ordered or not has_order(kind):
        return False
    groups = groups_in_order(held, k)
    typical = typical_of_groups(groups, held, column.numbers, k)
    rare = np.array(rare_codes(held, k), dtype=np.int64)
    grid = grid_of(database, column, kind, np.flatnonzero(held))
    made = made_values(column, typical, grid, partial(held_by_few, database, column.name, kind, rare))
    codes = [None if code == NONE else int(code) for code in typical.codes]
    pairs = list(zip(codes, made, strict=True))
    if any(code is None and text is None for code, text in pairs):
        return False
    return _write(database, column.name, kind, groups, pairs)


def _by_labels(
    database: Database, inputs: ReleaseInputs, column: CountedColumn, held: np.ndarray, k: int
) -> tuple[tuple[int, str], ...]:
    """Write the labels that stand for the rare values of a column, and return them with their levels."""
    groups = groups_by_taxonomy(column.paths, held, k)
    texts, root = (
        labels_of(database, inputs.taxonomies[column.name], column.paths).texts,
        inputs.root_label(column.name),
    )
    labels = [
        (group.level, root if group.level == len(column.paths) else str(texts[group.level][group.codes[0]]))
        for group in groups
    ]
    shown: list[tuple[int | None, str | None]] = [(None, label) for _, label in labels]
    _write(database, column.name, None, [group.codes for group in groups], shown)
    return tuple(sorted(set(labels)))


def _write(
    database: Database,
    name: str,
    kind: str | None,
    groups: Sequence[tuple[int, ...]],
    shown: Sequence[tuple[int | None, str | None]],
) -> bool:
    """Write the rare values with the value, by leaf code or as text, that they show; whether all of them fit the type.

    ``kind`` is None for labels.
    """
    rows = [
        {"code": code, "stands": stands, "made": made}
        for group, (stands, made) in zip(groups, shown, strict=True)
        for code in group
    ]
    schema = pa.schema([("code", "int64"), ("stands", "int64"), ("made", "string")])
    with database.registered(RARE_GIVEN, pa.Table.from_pylist(rows, schema)):
        database.run(rare_shown(name, kind))
    text = 'SELECT count(*) FROM "{rare}" WHERE shown IS NULL'
    return not database.value(line("release/rare_values._write", text, rare=rare_table(name)))
