"""From the lines of a hierarchy to the taxonomy table of a column: leaves matched by value, nesting checked.

Lines that end with a lower bound are those of intervals, as the exports `csv`, `parquet` and `dbt` write them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from anonduck.database.connection import Database
from anonduck.errors import TaxonomyError
from anonduck.source.source import Announce
from anonduck.statements import builder_database, statement
from anonduck.statements.column_types import family_of
from anonduck.statements.pipeline.builder_taxonomy import imported_taxonomy
from anonduck.taxonomy.catalog import Taxonomy, Written, prepare, register_all, value_type
from anonduck.taxonomy.files.text_lines import HierarchyText, find_separator, separated
from anonduck.taxonomy.label_counts import screen

ORDERED = frozenset({"whole", "real", "date", "time"})
STAGED = ("hierarchy_lines", "hierarchy_leaves", "interval_lines")
SHOW = "; `show_values=True` shows them"


def import_hierarchy(
    database: Database,
    column: str,
    hierarchy: HierarchyText,
    *,
    options: dict[str, Any],
    frequency: str = "frequency_set",
    announce: Announce | None = None,
    show_values: bool = False,
    in_order: bool = False,
) -> Taxonomy:
    """Write ``taxonomy."<column>"`` from the lines of a hierarchy and list it in ``taxonomies``; see
    ``write_hierarchy``."""
    kind = value_type(database, column, frequency)
    with importing(database):
        written = write_hierarchy(
            database,
            column,
            hierarchy,
            kind=kind,
            options=options,
            frequency=frequency,
            announce=announce,
            show_values=show_values,
            in_order=in_order,
        )
        return register_all(database, [written])[column]


@contextlib.contextmanager
def importing(database: Database) -> Iterator[None]:
    """Import inside as one transaction; the temporary tables of imports are gone afterwards."""
    prepare(database)
    try:
        with database.transaction():
            yield
    finally:
        database.drop(*STAGED)


def write_hierarchy(
    database: Database,
    column: str,
    hierarchy: HierarchyText,
    *,
    kind: str,
    options: Mapping[str, Any],
    frequency: str,
    announce: Announce | None,
    show_values: bool = False,
    in_order: bool = False,
) -> Written:
    """Write ``taxonomy."<column>"`` from the lines of a hierarchy, inside ``importing``.

    ``kind`` is the type of the column's values. ``in_order``: the lines stand in the order of their values, whatever
    the type. What was left out is announced. Raises TaxonomyError, with the line, where the lines are no tree over the
    column's values.
    """
    family = family_of(kind)
    _stage(database, column, hierarchy, family, frequency)
    _drop_header(database, column, hierarchy, frequency, announce)
    size = database.records(statement("taxonomy/files/import_depth.sql"))[0]
    root = _check_lengths(database, hierarchy, size)
    _leave_out(database, column, hierarchy, kind, size, announce)
    _check_tree(database, hierarchy, root, size["roots"], show_values)
    database.run(statement("taxonomy/files/import_leaves.sql"))
    sorted_ = not in_order and family in ORDERED and contiguous(database, root)
    database.run(imported_taxonomy(column, root, "by_value" if sorted_ else "by_line"))
    keep_lines(database, column, "hierarchy_lines")
    return Written(column, "file", in_order or sorted_, hierarchy.whose, options)


def _stage(database: Database, column: str, hierarchy: HierarchyText, family: str, frequency: str) -> None:
    sep = hierarchy.sep or find_separator(hierarchy.lines)
    if sep is None:
        raise TaxonomyError(f"{hierarchy.whose} has only one level: no separator was found; set it with `sep:`")
    lines, mark = list(hierarchy.lines), sep
    if not hierarchy.separated:
        lines, mark = separated(hierarchy.whose, hierarchy.lines, sep, hierarchy.first_line)
    database.run(
        statement(
            "taxonomy/files/import_lines.sql",
            column={"source_value": f"{column}@value"},
            table={"frequency": frequency},
        ),
        {"lines": lines, "sep": mark, "first_line": hierarchy.first_line, "family": family},
    )


def _drop_header(
    database: Database, column: str, hierarchy: HierarchyText, frequency: str, announce: Announce | None
) -> None:
    if hierarchy.header is False:
        return
    query = statement(
        "taxonomy/files/import_header.sql", column={"source_value": f"{column}@value"}, table={"frequency": frequency}
    )
    for first in database.records(query):
        rooted = first["roots_below"] == 1 and not first["ends_in_root"] and first["depth"] == first["depth_below"]
        found = rooted and not first["in_source"]
        if hierarchy.header or found:
            database.run(statement("taxonomy/files/import_without_line.sql"), {"line": first["line"]})
        if found and hierarchy.header is None and announce:
            announce(
                f"{hierarchy.whose}, line {first['line']}: read as the header; set `header: false` if it is a leaf"
            )


def _check_lengths(database: Database, hierarchy: HierarchyText, size: Mapping[str, Any]) -> int:
    """The number of levels above the leaf."""
    if size["lines"] == 0:
        raise TaxonomyError(f"{hierarchy.whose} has no leaves; it needs one line per leaf: the leaf, then its labels")
    ragged = database.rows(statement("taxonomy/files/import_ragged.sql")) if size["uneven"] else []
    for line, found, expected in ragged:
        fault = "an empty label" if found == expected else f"{found} fields, and most lines have {expected}"
        raise TaxonomyError(
            f"{hierarchy.whose}, line {line}: {fault}; every line is "
            "the leaf and one label per level, none of them empty"
            + (" (if this line is a header, set `header: true`)" if line == hierarchy.first_line else "")
        )
    if size["depth"] < 2:
        raise TaxonomyError(
            f"{hierarchy.whose} has only one level; a line is the leaf and one label per level up to the root"
        )
    return int(size["depth"]) - 1


def _leave_out(
    database: Database,
    column: str,
    hierarchy: HierarchyText,
    kind: str,
    size: Mapping[str, Any],
    announce: Announce | None,
) -> None:
    if not size["strangers"]:
        return
    where = (
        f"{hierarchy.whose}: {size['strangers']} of {size['lines']} leaves (the first on line {size['first_stranger']})"
    )
    if size["strangers"] == size["lines"]:
        raise TaxonomyError(
            f"{where} are not values of column {column}, whose type is {kind}; is it another column's taxonomy?"
        )
    database.run(statement("taxonomy/files/import_without_strangers.sql"))
    if announce:
        announce(f"{where} are not values of column {column}, whose type is {kind}, and were left out")


def _check_tree(database: Database, hierarchy: HierarchyText, root: int, roots: int, show_values: bool) -> None:
    """Refuse lines that are no tree; ``roots`` are the last labels of all lines, also of those that were left out."""
    two = database.rows(statement("taxonomy/files/import_two_roots.sql")) if roots > 1 else []
    _refuse(hierarchy, two, "end in two roots; the last field of all lines is one label, such as *", show_values)
    found = database.rows(statement("taxonomy/files/import_two_parents.sql"), {"root": root})
    for level, *row in found:
        words = (
            f"give one node of level {level} two parents at level {level + 1}; levels nest: rename one of the two nodes"
            if level
            else "give one leaf two parents; a value has one parent"
        )
        _refuse(hierarchy, [row], words, show_values)


def _refuse(hierarchy: HierarchyText, rows: Iterable[Sequence[Any]], words: str, show_values: bool) -> None:
    for first, second, label in rows:
        shown = f" ({label!r})" if show_values else ""
        raise TaxonomyError(
            f"{hierarchy.whose}, lines {first} and {second} {words}{shown}{'' if show_values else SHOW}"
        )


def contiguous(database: Database, root: int) -> bool:
    """Whether each node of each level of ``hierarchy_leaves`` is a range of neighbouring values."""
    return bool(database.value(statement("taxonomy/files/import_scattered.sql"), {"root": root}) == 0)


def keep_lines(database: Database, column: str, read: str) -> None:
    """Note where each leaf of the table ``read`` stands in its file, so that later checks can name the line."""
    database.make_once("taxonomy_lines", lambda: database.run(builder_database.schema("taxonomy_lines")))
    tables: dict[str, str | tuple[str, str]] = {"read_lines": read, "lines": ("taxonomy_lines", column)}
    database.run(statement("taxonomy/files/import_line_numbers.sql", table=tables))


FAULTS = {
    "ragged": "has another number of fields than most; a line is the leaf, one label per level, the lower bound",
    "label": "has an empty label; every interval has one at each level",
    "leaf": "does not begin with a value of the column's type",
    "bound": "ends with a bound that is not a value of the column's type",
    "two bounds": "gives an interval of level 1 a second lower bound; an interval has one",
    "two leaves": "holds a value that stands on another line too",
}


def write_intervals(
    database: Database, column: str, hierarchy: HierarchyText, *, kind: str, options: Mapping[str, Any], frequency: str
) -> Written:
    """Write ``taxonomy."<column>"`` and ``bounds."<column>"`` from separated lines, inside ``importing``: leaf, labels,
    lower bound.

    A line without a leaf is an interval that holds none. Raises TaxonomyError, with the line, where the lines are no
    tree of intervals over values of the column's type.
    """
    whose = hierarchy.whose
    read = statement(
        "taxonomy/files/import_interval_lines.sql",
        column={"source_value": f"{column}@value"},
        table={"frequency": frequency},
    )
    database.run(read, {"lines": list(hierarchy.lines), "sep": hierarchy.sep, "first_line": hierarchy.first_line})
    for line, fault in database.rows(statement("taxonomy/files/import_interval_faults.sql")):
        raise TaxonomyError(f"{whose}, line {line} {FAULTS[fault]} ({column} is {kind})")
    database.run(statement("taxonomy/files/import_interval_leaves.sql"))
    first = next((line for line in hierarchy.lines if line), None)
    if first is None:
        raise TaxonomyError(f"{whose} has no intervals; it needs a line per leaf: leaf, labels, lower bound")
    root = first.count(str(hierarchy.sep)) - 1
    _write(database, column, root)
    _refuse_broken(database, column, whose, root)
    return Written(column, "intervals", True, whose, options)


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
