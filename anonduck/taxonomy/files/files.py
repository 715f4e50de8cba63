"""Taxonomies from files: one column per level, leaf first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from anonduck.config.taxonomy import TaxonomyOptions
from anonduck.database.connection import Database
from anonduck.errors import TaxonomyError
from anonduck.source.source import Announce
from anonduck.taxonomy.catalog import Taxonomy
from anonduck.taxonomy.files.blocks import MARK, choose_block, hierarchy_of, split_blocks
from anonduck.taxonomy.files.interval_files import import_intervals
from anonduck.taxonomy.files.leaves import import_hierarchy
from anonduck.taxonomy.files.parquet import is_parquet, read_parquet
from anonduck.taxonomy.files.text_lines import HierarchyText, find_separator, read_lines, separated

LOWER_BOUND = "lower_bound"


def import_file(
    database: Database,
    column: str,
    options: TaxonomyOptions,
    folder: Path,
    *,
    noted: dict[str, Any] | None = None,
    frequency: str = "frequency_set",
    announce: Announce | None = None,
    show_values: bool = False,
) -> Taxonomy:
    """Import the taxonomy of a column from ``options.file`` (relative to ``folder``), or from one block of it.

    ``noted`` is what the catalog keeps as its options, by default those given. Leaves are
    matched to the column by value; labels stay as they are. Raises TaxonomyError with file and line.
    """
    path = folder / Path(str(options.file)).expanduser()
    read = options.model_dump(exclude_none=True, exclude={"prune"})
    hierarchy, names = read_parquet(database, path) if is_parquet(path) else _with_header(_read(path, options))
    if names[-1:] == [LOWER_BOUND]:
        return import_intervals(database, column, hierarchy, options=noted or read, frequency=frequency)
    return import_hierarchy(
        database,
        column,
        hierarchy,
        options=noted or read,
        frequency=frequency,
        announce=announce,
        show_values=show_values,
    )


def import_plain(
    database: Database,
    path: Path,
    column: str,
    *,
    sep: str | None = None,
    header: bool | None = None,
    encoding: str = "utf-8",
    block: str | None = None,
    frequency: str = "frequency_set",
    announce: Announce | None = None,
    show_values: bool = False,
) -> Taxonomy:
    """Import the taxonomy of one column from the file at ``path``; the same as ``file:`` in a config."""
    options = TaxonomyOptions(file=str(path.resolve()), block=block, sep=sep, header=header, encoding=encoding)
    return import_file(
        database, column, options, path.parent, frequency=frequency, announce=announce, show_values=show_values
    )


def _read(path: Path, options: TaxonomyOptions) -> HierarchyText:
    if options.sep == "":
        raise TaxonomyError(f"{path}: the separator is empty; leave out `sep:` to detect it")
    lines = read_lines(path, options.encoding)
    if options.block is not None:
        return hierarchy_of(path, choose_block(path, lines, options.block), options.sep, options.header)
    if next((line for line in lines if line), "").strip() == MARK:
        names = ", ".join(split_blocks(path, lines))
        raise TaxonomyError(f"{path} is a file of several blocks; name one with `block:` ({names})")
    return HierarchyText(str(path), lines, 1, options.sep, options.header)


def _with_header(hierarchy: HierarchyText) -> tuple[HierarchyText, list[str]]:
    """The hierarchy and the names of its first line, if that names the bounds of intervals; else no names.

    The lines of intervals are separated, and the first is left out.
    """
    first = next((line for line in hierarchy.lines if line), "")
    if hierarchy.header is False or LOWER_BOUND not in first:
        return hierarchy, []
    sep = hierarchy.sep or find_separator(hierarchy.lines) or ","
    lines, mark = separated(hierarchy.whose, hierarchy.lines, sep, hierarchy.first_line)
    at = next(at for at, line in enumerate(lines) if line)
    names = lines[at].split(mark)
    if names[-1] != LOWER_BOUND:
        return hierarchy, []
    start = hierarchy.first_line + at + 1
    return HierarchyText(hierarchy.whose, lines[at + 1 :], start, mark, header=False, separated=True), names


def taxonomy_fields(database: Database, column: str) -> list[str]:
    """The columns of a taxonomy table in the order of a file: value, level_1 ... up to the root."""
    fields = database.types_if_there("taxonomy", column)
    if not fields:
        raise TaxonomyError(
            f"column {column!r} has no taxonomy; make it with `project.build_taxonomies()`, or import one"
        )
    levels = sorted((name for name in fields if name.startswith("level_")), key=lambda name: int(name[6:]))
    return ["value", *levels]
