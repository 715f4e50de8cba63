"""From the lines of a hierarchy to the taxonomy table of a column: leaves matched by value, nesting checked.

Lines that end with a lower bound are those of intervals, as the exports `csv`, `parquet` and `dbt` write them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anonduck.database.connection import Database
from anonduck.database.progress import no_message
from anonduck.errors import TaxonomyError
from anonduck.source.source import Announce
from anonduck.statements import builder_database, statement
from anonduck.statements.column_types import family_of
from anonduck.taxonomy.catalog import Taxonomy, Written, prepare, register_all
from anonduck.taxonomy.files.text_lines import HierarchyText, find_separator, separated
from anonduck.taxonomy.label_counts import screen
from anonduck.taxonomy.tables import write_imported

ORDERED = frozenset({"whole", "real", "date", "time"})
SHOW = "; `--show-values` shows them"


@dataclass(frozen=True)
class HierarchyFile:
    """A hierarchy that was read, of a column whose values are of the type ``kind``; ``options`` are noted with it.

    ``in_order``: the lines stand in the order of their values, whatever the type. ``bounded``: the lines are separated,
    and each ends with the lower bound of an interval.
    """

    column: str
    text: HierarchyText
    kind: str
    options: Mapping[str, Any]
    in_order: bool = False
    bounded: bool = False


def import_hierarchy(
    database: Database,
    file: HierarchyFile,
    *,
    frequency: str = "frequency_set",
    announce: Announce | None = None,
    show_values: bool = False,
) -> Taxonomy:
    """Write ``taxonomy."<column>"`` from the lines of a hierarchy and list it in ``taxonomies``; see
    ``import_hierarchies``."""
    return import_hierarchies(database, [file], frequency=frequency, announce=announce, show_values=show_values)[
        file.column
    ]


def import_hierarchies(
    database: Database,
    files: Sequence[HierarchyFile],
    *,
    frequency: str = "frequency_set",
    announce: Announce | None = None,
    show_values: bool = False,
) -> dict[str, Taxonomy]:
    """Write the taxonomies of some columns from the lines of hierarchies and list them in ``taxonomies``: all of them,
    or none where one cannot be imported.

    What was left out is announced. Raises TaxonomyError, with the line, where the lines are no tree over the column's
    values.
    """
    prepare(database)
    alike: dict[str, list[HierarchyFile]] = {}
    for file in files:
        alike.setdefault(f"{file.kind} {file.column if file.bounded else ''}", []).append(file)
    written: dict[str, Written] = {}
    try:
        with database.transaction():
            for group in alike.values():
                if group[0].bounded:
                    made = [write_intervals(database, group[0], frequency=frequency)]
                else:
                    made = _write_alike(database, group, frequency, announce or no_message, show_values)
                written |= {one.column: one for one in made}
            return register_all(database, [written[file.column] for file in files], frequency)
    finally:
        bounded = any(file.bounded for file in files)
        database.drop("hierarchy_lines", "hierarchy_leaves", *(["interval_lines"] if bounded else []))


def _write_alike(
    database: Database, files: Sequence[HierarchyFile], frequency: str, announce: Announce, show_values: bool
) -> list[Written]:
    """Write the tables of taxonomies of columns of one type, whose files are known by their place from here on."""
    family = family_of(files[0].kind)
    _stage(database, files, family, frequency)
    _drop_headers(database, files, frequency, announce)
    sizes = {size["place"]: size for size in database.records(statement("taxonomy/files/import_depth.sql"))}
    roots = [_check_lengths(database, place, file.text, sizes.get(place)) for place, file in enumerate(files)]
    _leave_out(database, files, sizes, announce)
    _check_trees(database, files, roots, sizes, show_values)
    database.run(statement("taxonomy/files/import_leaves.sql"))
    apart = scattered(database) if family in ORDERED and not all(file.in_order for file in files) else set()
    written = []
    for place, file in enumerate(files):
        sorted_ = not file.in_order and family in ORDERED and place not in apart
        position = "by_value" if sorted_ else "by_line"
        write_imported(database, file.column, place, roots[place], position)
        keep_lines(database, file.column, "hierarchy_lines", place)
        written.append(Written(file.column, "file", file.in_order or sorted_, file.text.whose, file.options))
    return written


def _stage(database: Database, files: Sequence[HierarchyFile], family: str, frequency: str) -> None:
    all_lines: list[str] = []
    places: list[int] = []
    offsets, seps = [], []
    for place, file in enumerate(files):
        text = file.text
        sep = text.sep or find_separator(text.lines)
        if sep is None:
            raise TaxonomyError(f"{text.whose} has only one level: no separator was found; set it with `sep:`")
        lines, mark = list(text.lines), sep
        if not text.separated:
            lines, mark = separated(text.whose, text.lines, sep, text.first_line)
        offsets.append(text.first_line - len(all_lines))
        seps.append(mark)
        all_lines += lines
        places += [place] * len(lines)
    database.run(
        statement(
            "taxonomy/files/import_lines.sql",
            column={"source_value": f"{files[0].column}@value"},
            table={"frequency": frequency},
        ),
        {"lines": all_lines, "places": places, "offsets": offsets, "seps": seps, "family": family},
    )


def _drop_headers(database: Database, files: Sequence[HierarchyFile], frequency: str, announce: Announce) -> None:
    for first in database.records(statement("taxonomy/files/import_header.sql")):
        place, line = first["place"], {"place": first["place"], "line": first["line"]}
        text = files[place].text
        rooted = first["roots_below"] == 1 and not first["ends_in_root"] and first["depth"] == first["depth_below"]
        if text.header is False or not (text.header or rooted):
            continue
        held = {"column": {"source_value": f"{files[place].column}@value"}, "table": {"frequency": frequency}}
        if text.header is None and database.value(statement("taxonomy/files/import_in_source.sql", **held), line):
            continue
        database.run(statement("taxonomy/files/import_without_line.sql"), line)
        if text.header is None:
            announce(f"{text.whose}, line {first['line']}: read as the header; set `header: false` if it is a leaf")


def _check_lengths(database: Database, place: int, hierarchy: HierarchyText, size: Mapping[str, Any] | None) -> int:
    """The number of levels above the leaf."""
    if size is None:
        raise TaxonomyError(f"{hierarchy.whose} has no leaves; it needs one line per leaf: the leaf, then its labels")
    ragged = statement("taxonomy/files/import_ragged.sql")
    for line, found, expected in database.rows(ragged, {"place": place}) if size["uneven"] else []:
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
    database: Database, files: Sequence[HierarchyFile], sizes: Mapping[int, Mapping[str, Any]], announce: Announce
) -> None:
    strange = {place: size for place, size in sorted(sizes.items()) if size["strangers"]}
    for place, size in strange.items():
        column, kind = files[place].column, files[place].kind
        where = (
            f"{files[place].text.whose}: {size['strangers']} of {size['lines']} leaves (the first on line "
            f"{size['first_stranger']}) are not values of column {column}, whose type is {kind}"
        )
        if size["strangers"] == size["lines"]:
            raise TaxonomyError(f"{where}; is it another column's taxonomy?")
        announce(f"{where}, and were left out")
    if strange:
        database.run(statement("taxonomy/files/import_without_strangers.sql"))


def _check_trees(
    database: Database,
    files: Sequence[HierarchyFile],
    roots: Sequence[int],
    sizes: Mapping[int, Mapping[str, Any]],
    show_values: bool,
) -> None:
    """Refuse lines that are no tree; the ``roots`` of a size are the last labels of all lines, also of those that were
    left out."""
    two_roots = statement("taxonomy/files/import_two_roots.sql")
    for place, file in enumerate(files):
        two = database.rows(two_roots, {"place": place}) if sizes[place]["roots"] > 1 else []
        _refuse(file.text, two, "end in two roots; the last field of all lines is one label, such as *", show_values)
    for place, level, *row in database.rows(statement("taxonomy/files/import_two_parents.sql"), {"roots": roots}):
        words = (
            f"give one node of level {level} two parents at level {level + 1}; levels nest: rename one of the two nodes"
            if level
            else "give one leaf two parents; a value has one parent"
        )
        _refuse(files[place].text, [row], words, show_values)


def _refuse(hierarchy: HierarchyText, rows: Iterable[Sequence[Any]], words: str, show_values: bool) -> None:
    for first, second, label in rows:
        shown = f" ({label!r})" if show_values else ""
        raise TaxonomyError(
            f"{hierarchy.whose}, lines {first} and {second} {words}{shown}{'' if show_values else SHOW}"
        )


def scattered(database: Database) -> set[int]:
    """The places in ``hierarchy_leaves`` of hierarchies with nodes that are no range of neighbouring values."""
    return {place for (place,) in database.rows(statement("taxonomy/files/import_scattered.sql"))}


def keep_lines(database: Database, column: str, read: str, place: int = 0) -> None:
    """Note where each leaf of the table ``read`` stands in its file, so that later checks can name the line."""
    database.run(builder_database.schema("taxonomy_lines"))
    tables: dict[str, str | tuple[str, str]] = {"read_lines": read, "lines": ("taxonomy_lines", column)}
    database.run(statement("taxonomy/files/import_line_numbers.sql", table=tables), {"place": place})


FAULTS = {
    "ragged": "has another number of fields than most; a line is the leaf, one label per level, the lower bound",
    "label": "has an empty label; every interval has one at each level",
    "leaf": "does not begin with a value of the column's type",
    "bound": "ends with a bound that is not a value of the column's type",
    "two bounds": "gives an interval of level 1 a second lower bound; an interval has one",
    "two leaves": "holds a value that stands on another line too",
}


def write_intervals(database: Database, file: HierarchyFile, *, frequency: str) -> Written:
    """Write ``taxonomy."<column>"`` and ``bounds."<column>"`` from separated lines: leaf, labels, lower bound.

    A line without a leaf is an interval that holds none. Raises TaxonomyError, with the line, where the lines are no
    tree of intervals over values of the column's type.
    """
    column, hierarchy, whose = file.column, file.text, file.text.whose
    read = statement(
        "taxonomy/files/import_interval_lines.sql",
        column={"source_value": f"{column}@value"},
        table={"frequency": frequency},
    )
    database.run(read, {"lines": list(hierarchy.lines), "sep": hierarchy.sep, "first_line": hierarchy.first_line})
    for line, fault in database.rows(statement("taxonomy/files/import_interval_faults.sql")):
        raise TaxonomyError(f"{whose}, line {line} {FAULTS[fault]} ({column} is {file.kind})")
    database.run(statement("taxonomy/files/import_interval_leaves.sql"))
    first = next((line for line in hierarchy.lines if line), None)
    if first is None:
        raise TaxonomyError(f"{whose} has no intervals; it needs a line per leaf: leaf, labels, lower bound")
    root = first.count(str(hierarchy.sep)) - 1
    _write(database, column, root)
    _refuse_broken(database, column, whose, root)
    return Written(column, "intervals", True, whose, file.options)


def _write(database: Database, column: str, root: int) -> None:
    """The table with a row per line, then the bounds of its intervals, then the table with its leaves alone."""
    levels, codes = ([f"{kind}_{level}" for level in range(1, root + 1)] for kind in ("level", "code"))
    tables: dict[str, str | tuple[str, str]] = {"taxonomy": ("taxonomy", column), "bounds": ("bounds", column)}
    write_imported(database, column, 0, root, "by_value")
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
