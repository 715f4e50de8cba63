"""What classes show of a column by free intervals: any finest intervals of its taxonomy that follow one another.

What a record shows is given by its value and a level. An interval that is no node has a level over the root: intervals
that do not overlap share one, so that a level and a value identify the interval that the value lies in.
"""

from __future__ import annotations

from anonduck.database.connection import Database
from anonduck.engines.arrow import pa
from anonduck.measures import free_levels
from anonduck.measures.free_levels import leveled
from anonduck.measures.numpy_measures import CodedAttribute
from anonduck.statements import statement
from anonduck.statements.pipeline import builder_classes
from anonduck.statements.pipeline.builder_classes import intervals_table, nodes_table
from anonduck.taxonomy.catalog import Taxonomy
from anonduck.taxonomy.interval_cells import IntervalCells

GIVEN, ENDS = "given_intervals", "interval_ends"


def write_intervals(
    database: Database, name: str, root: int, cells: IntervalCells, *, floating: bool, root_label: str
) -> None:
    """Write the nodes of all classes in a column, and its intervals with their levels.

    A class of one value shows that, one with NULL and values the root; any other one the interval from the cell of its
    least value to that of its largest one.
    """
    database.run(builder_classes.interval_ends(name, floating=floating))
    pairs = database.rows(statement("release/interval_pairs.sql"))
    rows = [
        {"first_code": first, "last_code": last, "node_level": level, "label": cells.label(first, last)}
        for first, last, level in leveled(pairs, (int(cells.codes[0]), int(cells.codes[-1])), root, cells.apart)
    ]
    schema = pa.schema([("first_code", "int32"), ("last_code", "int32"), ("node_level", "int32"), ("label", "string")])
    database.register(GIVEN, pa.Table.from_pylist(rows, schema))
    try:
        table: dict[str, str | tuple[str, str]] = {"intervals": intervals_table(name)}
        database.run(statement("release/interval_levels.sql", table=table))
        nodes = {**table, "nodes": nodes_table(name)}
        database.run(statement("release/interval_nodes.sql", table=nodes), {"root": root, "root_label": root_label})
    finally:
        database.unregister(GIVEN)
        database.drop(("temp", ENDS))


def with_intervals(
    database: Database, attribute: CodedAttribute, taxonomy: Taxonomy, cells: IntervalCells, goal: str
) -> CodedAttribute:
    """The attribute with a level for each one over the root that the intervals of its column have."""
    query = statement("release/interval_read.sql", table={"intervals": intervals_table(taxonomy.column)})
    intervals = database.rows(query, {"root": taxonomy.root})
    return free_levels.with_intervals(
        attribute, intervals, cells, goal, leaves=taxonomy.leaves, ordered=taxonomy.ordered
    )
