"""Taxonomies from files: one column per level, leaf first; also files of several hierarchies.

A file of several hierarchies has a block for each: a ``%`` line, the attribute's name, then a line per leaf.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonduck.config.taxonomy import TaxonomyOptions
from anonduck.database.connection import Database
from anonduck.errors import TaxonomyError
from anonduck.source.source import Announce
from anonduck.taxonomy.catalog import Taxonomy, value_type
from anonduck.taxonomy.files.leaves import HierarchyFile, import_hierarchy
from anonduck.taxonomy.files.text_lines import (
    HierarchyText,
    find_separator,
    is_parquet,
    read_lines,
    read_parquet,
    separated,
)

LOWER_BOUND = "lower_bound"


def import_file(
    database: Database,
    column: str,
    options: TaxonomyOptions,
    folder: Path,
    *,
    frequency: str = "frequency_set",
    announce: Announce | None = None,
    show_values: bool = False,
) -> Taxonomy:
    """Import the taxonomy of a column from ``options.file`` (relative to ``folder``), or from one block of it.

    Leaves are matched to the column by value; labels stay as they are. Raises TaxonomyError with file and line.
    """
    file = read_file(database, column, options, folder, kind=value_type(database, column, frequency))
    return import_hierarchy(database, file, frequency=frequency, announce=announce, show_values=show_values)


def read_file(
    database: Database,
    column: str,
    options: TaxonomyOptions,
    folder: Path,
    *,
    kind: str,
    noted: Mapping[str, Any] | None = None,
) -> HierarchyFile:
    """Read the file of a taxonomy; see ``import_file``. ``kind`` is the type of the column's values."""
    path = folder / Path(str(options.file)).expanduser()
    read = options.model_dump(exclude_none=True, exclude={"prune"})
    hierarchy, names = read_parquet(database, path) if is_parquet(path) else _with_header(_read(path, options))
    return HierarchyFile(column, hierarchy, kind, noted or read, bounded=names[-1:] == [LOWER_BOUND])


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


MARK = "%"


@dataclass(frozen=True)
class HierarchyBlock:
    """One block: the attribute's name, its lines, the number of the first of them in the file."""

    name: str
    lines: Sequence[str]
    first_line: int


def split_blocks(path: Path, lines: Sequence[str]) -> dict[str, HierarchyBlock]:
    """The blocks of a file by name; raises TaxonomyError where the file is not made of blocks."""
    starts = [at for at, line in enumerate(lines) if line.strip() == MARK]
    before = next((at for at, line in enumerate(lines[: starts[0]] if starts else lines) if line.strip()), None)
    if before is not None:
        raise TaxonomyError(
            f"{path}, line {before + 1}: not a file of blocks; a block opens with a line of just {MARK}, "
            "then the attribute's name, then a line per leaf"
        )
    blocks: dict[str, HierarchyBlock] = {}
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        block = _block(path, lines, start, end)
        if block.name in blocks:
            raise TaxonomyError(f"{path}, line {start + 2}: a second block {block.name!r}; block names must be unique")
        blocks[block.name] = block
    return blocks


def _block(path: Path, lines: Sequence[str], start: int, end: int) -> HierarchyBlock:
    name = lines[start + 1].strip() if start + 1 < end else ""
    if not name:
        raise TaxonomyError(
            f"{path}, line {start + 1}: a block without a name; the line after {MARK} is the attribute's name"
        )
    return HierarchyBlock(name, lines[start + 2 : end], start + 3)


def choose_block(path: Path, lines: Sequence[str], name: str) -> HierarchyBlock:
    """The block called ``name``; raises TaxonomyError with the names that exist."""
    blocks = split_blocks(path, lines)
    if name not in blocks:
        raise TaxonomyError(f"{path} has no block {name!r}; its blocks are {', '.join(blocks)}")
    return blocks[name]


def import_blocks(
    database: Database,
    path: Path,
    mapping: Mapping[str, str] | None,
    columns: Sequence[str],
    *,
    sep: str | None = None,
    encoding: str = "utf-8",
    frequency: str = "frequency_set",
    announce: Announce | None = None,
    show_values: bool = False,
) -> dict[str, Taxonomy]:
    """Import every block of a file that belongs to one of ``columns``; returns the taxonomies by column.

    ``mapping`` goes from block name to column; other blocks belong to the column of the same name, else to the one that
    differs in case only. Blocks of no column are announced. Raises TaxonomyError; taxonomies that were
    imported before the error stay.
    """
    blocks = split_blocks(path, read_lines(path, encoding))
    matched = match_blocks(path, list(blocks), mapping or {}, columns)
    without = [name for name in blocks if name not in matched]
    if without and announce:
        announce(f"{path}: {len(without)} blocks belong to no column and were ignored: {', '.join(without)}")
    return {
        column: import_hierarchy(
            database,
            HierarchyFile(
                column,
                hierarchy_of(path, blocks[name], sep),
                value_type(database, column, frequency),
                options_of(path, name, sep, encoding),
            ),
            frequency=frequency,
            announce=announce,
            show_values=show_values,
        )
        for name, column in matched.items()
    }


def match_blocks(
    path: Path, names: Sequence[str], mapping: Mapping[str, str], columns: Sequence[str]
) -> dict[str, str]:
    """The column of each block that has one; raises TaxonomyError for a mapping that names what is not there."""
    for name, column in mapping.items():
        if name not in names:
            raise TaxonomyError(f"{path} has no block {name!r}; its blocks are {', '.join(names)}")
        if column not in columns:
            raise TaxonomyError(f"block {name!r} is mapped to {column!r}, which is none of {', '.join(columns)}")
    matched: dict[str, str] = dict(mapping)
    taken = set(matched.values())
    for same in (str, str.casefold):
        for name in names:
            found = [c for c in columns if c not in taken and name not in matched and same(c) == same(name)]
            if len(found) == 1:
                matched[name] = found[0]
                taken.add(found[0])
    if len(set(matched.values())) < len(matched):
        raise TaxonomyError(f"two blocks of {path} are mapped to one column; a column has one taxonomy")
    return {name: matched[name] for name in names if name in matched}


def hierarchy_of(path: Path, block: HierarchyBlock, sep: str | None, header: bool | None = None) -> HierarchyText:
    """A block as a hierarchy; it has no header unless one is asked for, its name stands above it."""
    return HierarchyText(f"{path}, block {block.name}", block.lines, block.first_line, sep, bool(header))


def options_of(path: Path, name: str, sep: str | None, encoding: str) -> dict[str, object]:
    """What the catalog keeps of an imported block: where it came from and how it was read."""
    given: dict[str, object] = {"file": str(path.resolve()), "block": name, "encoding": encoding}
    return given if sep is None else {**given, "sep": sep}
