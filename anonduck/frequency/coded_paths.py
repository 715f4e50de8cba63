"""The way of each leaf code of an attribute up its taxonomy, read into memory, and the nodes that are on such ways."""

from __future__ import annotations

import numpy as np

from anonduck.database.connection import Database
from anonduck.statements import statement
from anonduck.taxonomy.catalog import Taxonomy


def read_paths(
    database: Database, name: str, root: int, *, schema: str = "lookup"
) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """The node code of each leaf code of a column at each level under the root, and the records of each leaf code.

    Code 0 is NULL, whose records the lookup table does not tell: the records start at leaf code 1. ``schema``
    is where the lookup tables are.
    """
    codes = [f"code_{level}" for level in range(root)]
    rows = database.arrays(
        statement("frequency/leaf_paths.sql", columns={"codes": codes}, table={"lookup": (schema, name)})
    )
    held = np.ma.filled(rows["records"], 0).astype(np.int64)
    return tuple(np.r_[0, np.ma.filled(rows[code], 0)].astype(np.int64) for code in codes), held


def held_nodes(database: Database, taxonomy: Taxonomy) -> list[int]:
    """How many nodes of a column's taxonomy at each level, from 0 to the root, the values of its lookup table have.

    A shipped or imported taxonomy may have more, which no record has.
    """
    codes = [f"code_{level}" for level in range(taxonomy.root + 1)]
    table = {"lookup": ("lookup", taxonomy.column)}
    return list(map(int, database.row(statement("frequency/held_nodes.sql", columns={"codes": codes}, table=table))))
