"""Where values stand in the orders of a cut tree: the bounds that it is cut at, and the places of scanned values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anonduck.database.arrow_tables import arrow_table
from anonduck.database.connection import Database
from anonduck.methods.coded_records import CodedRecords
from anonduck.methods.cut_tree import NULL, CutTree
from anonduck.release.coded_release import read_node_names
from anonduck.release.recoder import ReleaseInputs
from anonduck.statements import statement
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA
from anonduck.taxonomy.builders.round_bounds import bounds_between

GIVEN = "given_bounds"


def find_bounds(
    database: Database, inputs: ReleaseInputs, names: Sequence[str], number: int, gaps: np.ndarray
) -> tuple[tuple[str, ...], np.ndarray]:
    """The bounds of a column for gaps between its leaf codes, as ``NotedCuts.tree`` asks for them."""
    name = names[number]
    kind = inputs.source.column(name).type
    rows = bounds_between(database, kind, (LOOKUP_SCHEMA, name), gaps[:, 0], gaps[:, 1])
    of_place = {place: bound for _, bound, place in rows}
    return tuple(of_place[place] for place in sorted(of_place)), np.array([place for *_, place in rows])


def places_of(database: Database, inputs: ReleaseInputs, tree: CutTree, records: CodedRecords) -> list[np.ndarray]:
    """The place of each combination in each column of a tree."""
    found = []
    names = read_node_names(database, inputs)
    for name, marks, column, codes in zip(tree.names, tree.marks, names, records.codes, strict=True):
        if marks.bounds is None:
            places = marks.places(column)
        else:
            places = np.r_[NULL, bound_places(database, (LOOKUP_SCHEMA, name), marks.bounds)]
        found.append(places[codes])
    return found


def bound_places(database: Database, lookup: tuple[str, str], bounds: Sequence[str]) -> np.ndarray:
    """How many of the bounds each value of a lookup, or of a taxonomy, is not under, by leaf code from 1."""
    table: dict[str, str | tuple[str, ...]] = {"lookup": lookup, "given": GIVEN}
    given = arrow_table({"bound": list(bounds), "place": np.arange(1, len(bounds) + 1)})
    with database.registered(GIVEN, given):
        found: np.ndarray = database.arrays(statement("release/bound_places.sql", table=table))["place"]
    return found
