"""Taxonomies of intervals from files with their bounds: as `csv`, `parquet` and `dbt` exports write them."""

from __future__ import annotations

from typing import Any

from anonduck.database.connection import Database
from anonduck.errors import TaxonomyError
from anonduck.statements import statement
from anonduck.statements.pipeline.builder_hierarchy import imported_taxonomy
from anonduck.taxonomy.catalog import Taxonomy, prepare, register
from anonduck.taxonomy.files.leaves import keep_lines, value_type
from anonduck.taxonomy.files.text_lines import HierarchyText
from anonduck.taxonomy.label_counts import screen

FAULTS = {
    "ragged": "has another number of fields than most; a line is the leaf, one label per level, the lower bound",
    "label": "has an empty label; every interval has one at each level",
    "leaf": "does not begin with a value of the column's type",
    "bound": "ends with a bound that is not a value of the column's type",
    "two bounds": "gives an interval of level 1 a second lower bound; an interval has one",
    "two leaves": "holds a value that stands on another line too",
}


def import_intervals(
    database: Database,
    column: str,
    hierarchy: HierarchyText,
    *,
    options: dict[str, Any],
    frequency: str = "frequency_set",
) -> Taxonomy:
    """Write ``taxonomy."<column>"`` and ``bounds."<column>"`` from separated lines: leaf, labels, lower bound.

    A line without a leaf is an interval that holds none. Raises TaxonomyError, with the line, where the lines are no
    tree of intervals over values of the column's type.
    """
    kind = value_type(database, column, frequency)
    whose = hierarchy.whose
    read = statement(
        "taxonomy/files/import_interval_lines.sql",
        column={"source_value": f"{column}@value"},
        table={"frequency": frequency},
    )
    try:
        database.run(read, {"lines": list(hierarchy.lines), "sep": hierarchy.sep, "first_line": hierarchy.first_line})
        for line, fault in database.rows(statement("taxonomy/files/import_interval_faults.sql")):
            raise TaxonomyError(f"{whose}, line {line} {FAULTS[fault]} ({column} is {kind})")
        database.run(statement("taxonomy/files/import_interval_leaves.sql"))
        first = next((line for line in hierarchy.lines if line), None)
        if first is None:
            raise TaxonomyError(f"{whose} has no intervals; it needs a line per leaf: leaf, labels, lower bound")
        root = first.count(str(hierarchy.sep)) - 1
        prepare(database)
        with database.transaction():
            _write(database, column, root)
            _refuse_broken(database, column, whose, root)
            return register(database, column, kind="intervals", ordered=True, origin=whose, options=options)
    finally:
        database.drop("interval_lines", "hierarchy_leaves")


def _write(database: Database, column: str, root: int) -> None:
    """The table with a row per line, then the bounds of its intervals, then the table with its leaves alone."""
    levels, codes = ([f"{kind}_{level}" for level in range(1, root + 1)] for kind in ("level", "code"))
    tables: dict[str, str | tuple[str, str]] = {"taxonomy": ("taxonomy", column), "bounds": ("bounds", column)}
    database.run(imported_taxonomy(column, root, "by_value"))
    bounds = statement("taxonomy/files/import_interval_bounds.sql", columns={"paths": [*levels, *codes]}, table=tables)
    database.run(bounds)
    leaves = statement(
        "taxonomy/files/import_interval_taxonomy.sql",
        columns={"fields": ["value", *levels], "codes": codes},
        table={"taxonomy": ("taxonomy", column)},
    )
    database.run(leaves)
    keep_lines(database, column, "interval_lines")


def _refuse_broken(database: Database, column: str, whose: str, root: int) -> None:
    found = screen(database, column, root)
    if not all(found.clears(check, level) for check in ("two_parents", "codes") for level in range(1, root)):
        raise TaxonomyError(f"{whose}: the levels do not nest; every interval stands in one interval of the next level")
    if not found.clears("two_roots", root):
        raise TaxonomyError(f"{whose}: the last labels are not one root, such as *")
    tables: dict[str, str | tuple[str, str]] = {"taxonomy": ("taxonomy", column), "bounds": ("bounds", column)}
    misplaced = database.value(statement("taxonomy/files/import_interval_misplaced.sql", table=tables))
    if misplaced:
        raise TaxonomyError(
            f"{whose}: {misplaced:,} leaves lie outside the bounds of their interval; a value belongs to the interval "
            "with the greatest lower bound that is not above it"
        )
