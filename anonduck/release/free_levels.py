"""The free intervals that a release shows, read as levels of a coded attribute, for its measures."""

from __future__ import annotations

from anonduck.database.connection import Database
from anonduck.measures import free_levels
from anonduck.measures.numpy_measures import CodedAttribute
from anonduck.statements import statement
from anonduck.statements.pipeline.builder_classes import intervals_table
from anonduck.taxonomy.catalog import Taxonomy
from anonduck.taxonomy.interval_cells import IntervalCells


def with_intervals(
    database: Database, attribute: CodedAttribute, taxonomy: Taxonomy, cells: IntervalCells, goal: str
) -> CodedAttribute:
    """The attribute with a level for each one over the root that the intervals of its column have."""
    query = statement("release/interval_read.sql", table={"intervals": intervals_table(taxonomy.column)})
    intervals = database.rows(query, {"root": taxonomy.root})
    return free_levels.with_intervals(
        attribute, intervals, cells, goal, leaves=taxonomy.leaves, ordered=taxonomy.ordered
    )
