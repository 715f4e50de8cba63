"""Parquet files as one table: by name, each column of the narrowest type that holds the values of all files exactly.

DuckDB takes the types of the first file and casts the others to them, without a word, and drops columns that the first
one lacks. Here the metadata of all files is read first. Where they differ, and types alone do not tell which one holds
all values, the values are asked; where none does, the column is text, as the files write it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from anonduck.database.connection import Database
from anonduck.database.parquet_groups import ParquetGroup
from anonduck.errors import SourceError
from anonduck.statements import line, relations, statement
from anonduck.statements.column_types import DATE, STAMPS, TEXT, UNKNOWN, is_binary, without_names
from anonduck.statements.common_types import common_types, holds
from anonduck.statements.expansion import Expression, Lists, expression
from anonduck.statements.literals import literal_path, type_named

NAMED_FILES = 2
"""So many files a message names of several."""

Lacking = Callable[[Mapping[str, Sequence[str]]], None]
"""What is done about columns that some files lack, by the files that lack each: it raises, or lets them be NULL."""


@dataclass(frozen=True)
class UnitedFiles:
    """The relation of files of different types, the type of each column, and what to say of how they are read."""

    relation: Expression
    types: Mapping[str, str]
    remarks: tuple[str, ...] = ()


def parquet_groups(database: Database, files: Sequence[str | Path]) -> list[ParquetGroup]:
    """Files by their columns and types, in whatever order the columns are; the first file is in the first group."""
    found = statement("database/parquet_schemas.sql")
    groups: dict[frozenset[tuple[str, str]], ParquetGroup] = {}
    for (members,) in database.rows(found, {"files": [literal_path(file) for file in files]}):
        types = {row[0]: row[1] for row in database.rows(relations.described(ParquetGroup((members[0],), {}).reader))}
        known = groups.setdefault(frozenset(types.items()), ParquetGroup((), types))
        groups[frozenset(types.items())] = replace(known, files=(*known.files, *members))
    return list(groups.values())


def united_parquet(
    database: Database,
    groups: Sequence[ParquetGroup],
    lacking: Lacking,
    *,
    texts: Collection[str] = (),
    partitions: Mapping[str, str] | None = None,
) -> UnitedFiles:
    """The records of files that differ in columns or types.

    Args:
        database: where they are read.
        groups: the files, from ``parquet_groups``.
        lacking: what is done about columns that some files lack.
        texts: the columns that are wanted as text, and so as each file writes them.
        partitions: the types of columns that the names of folders hold.

    Raises SourceError for bytes beside another type.
    """
    groups = [replace(group, partitions=dict(partitions or {})) for group in groups]
    names = {name.lower(): name for group in reversed(groups) for name in group.types}
    columns = [names[key] for key in dict.fromkeys(name.lower() for group in groups for name in group.types)]
    without = {column: [f for g in groups if g.name_of(column) is None for f in g.files] for column in columns}
    absent = {column: files for column, files in without.items() if files}
    if absent:
        lacking(absent)
    by_column = {column: _kinds(groups, column) for column in columns}
    types, heard = _decided(database, groups, by_column, texts)
    remarks = [
        words for column in columns if column not in texts for words in _remarks(column, types[column], heard[column])
    ]
    remarks += [
        f"column {column!r} is NULL in the records of {listed(files)}, which lacks it"
        for column, files in absent.items()
    ]
    return UnitedFiles(_united(groups, {**types, **(partitions or {})}), types, tuple(remarks))


def _united(groups: Sequence[ParquetGroup], types: Mapping[str, str]) -> Expression:
    """The records of all files, with the columns ``types``; one that a file lacks is NULL there."""
    read = [
        {
            "reader": group.reader,
            "read": [{"name": name, "value": group.value(name, kind)} for name, kind in types.items()],
        }
        for group in groups
    ]
    text = '(\nunited(groups, SELECT each(read, {value} AS "{name}") FROM {reader})\n) AS files'
    return expression(text, groups=read)


def listed(files: Sequence[str | Path]) -> str:
    """The names of a few files, and how many more there are."""
    named = ", ".join(Path(file).name for file in files[:NAMED_FILES])
    more = len(files) - NAMED_FILES
    return f"{named} and {more:,} more" if more > 0 else named


def _kinds(groups: Sequence[ParquetGroup], column: str) -> dict[str, list[str]]:
    """The types of a column, each with the files that have it."""
    found: dict[str, list[str]] = {}
    for group in groups:
        name = group.name_of(column)
        if name is not None:
            found.setdefault(group.types[name], []).extend(group.files)
    return found


def _decided(
    database: Database,
    groups: Sequence[ParquetGroup],
    by_column: Mapping[str, Mapping[str, Sequence[str]]],
    texts: Collection[str],
) -> tuple[dict[str, str], dict[str, dict[str, Sequence[str]]]]:
    """The type of each column, and the types that had a say in it, with their files: those of a value, not of NULL."""
    types = {column: _sure(kinds, column in texts) for column, kinds in by_column.items()}
    unsure = [column for column, kind in types.items() if kind is None]
    valued = _valued(database, groups, unsure) if unsure else {}
    heard = {
        column: {kind: files for kind, files in kinds.items() if kind in valued.get(column, kinds)}
        for column, kinds in by_column.items()
    }
    asked = {column: common_types(heard[column]) for column in unsure if len(heard[column]) > 1}
    numbers = {column: kinds for column, kinds in asked.items() if kinds and column not in texts}
    wrong = _misfits(database, groups, numbers)
    for column in asked:
        _refuse_bytes(column, heard[column])
    fit = {column: next((k for k in kinds if (column, k) not in wrong), TEXT) for column, kinds in numbers.items()}
    alone = {column: next(iter(heard[column] or by_column[column])) for column in unsure if column not in asked}
    found = {**types, **dict.fromkeys(asked, TEXT), **fit, **alone}
    return {column: found[column] or TEXT for column in by_column}, heard


def _sure(kinds: Mapping[str, Sequence[str]], as_text: bool) -> str | None:
    """The type that holds all values by the types alone; None where the values have to be asked."""
    known = [kind for kind in kinds if kind != UNKNOWN]
    if len(known) < 2:
        return known[0] if known else UNKNOWN
    narrowest = common_types(known)[:1]
    return next((one for one in narrowest if not as_text and all(holds(one, kind) for kind in known)), None)


def _valued(database: Database, groups: Sequence[ParquetGroup], columns: Sequence[str]) -> dict[str, list[str]]:
    """The types in which columns have a value that is not NULL."""
    found: dict[str, list[str]] = {column: [] for column in columns}
    for group in groups:
        there = {column: name for column in columns if (name := group.name_of(column)) is not None}
        if not there:
            continue
        text = 'SELECT each(names, count("{name}")) FROM {reader}'
        held = line("database/parquet_files._valued", text, names=list(there.values()), reader=group.reader)
        counts = database.row(held)
        for (column, name), count in zip(there.items(), counts, strict=True):
            if count and group.types[name] not in found[column]:
                found[column].append(group.types[name])
    return found


def _misfits(
    database: Database, groups: Sequence[ParquetGroup], asked: Mapping[str, Sequence[str]]
) -> set[tuple[str, str]]:
    """The columns and types of which a value does not come back unchanged."""
    wrong: set[tuple[str, str]] = set()
    for group in groups:
        open_ = [
            (column, name, kind)
            for column, kinds in asked.items()
            if (name := group.name_of(column)) is not None
            for kind in kinds
            if not holds(kind, group.types[name])
        ]
        if open_:
            changed = [
                {"name": name, "other": type_named(kind), "kind": type_named(group.types[name])}
                for _, name, kind in open_
            ]
            lists: Lists = {"files": [{"reader": group.reader}], "asked": changed}
            counts = database.row(statement("database/parquet_misfits.sql", lists=lists))
            wrong |= {(column, kind) for (column, _, kind), count in zip(open_, counts, strict=True) if count}
    return wrong


def _refuse_bytes(column: str, kinds: Mapping[str, Sequence[str]]) -> None:
    if any(map(is_binary, kinds)):
        raise SourceError(
            f"column {column!r} holds bytes in some files and something else in others ({_by_file(kinds)}), and no "
            "type holds both; write it as one type in all files"
        )


def _remarks(column: str, decided: str, kinds: Mapping[str, Sequence[str]]) -> list[str]:
    known = {kind: files for kind, files in kinds.items() if kind != UNKNOWN}
    if len(known) < 2:
        return []
    if decided == TEXT:
        return [f"column {column!r} is read as text, as no other type holds the values of all files: {_by_file(known)}"]
    if DATE in known and decided in STAMPS:
        return [f"column {column!r} is read as {decided}, so that a date shows midnight: {_by_file(known)}"]
    return []


def _by_file(kinds: Mapping[str, Sequence[str]]) -> str:
    return "; ".join(f"{without_names(kind)} in {listed(files)}" for kind, files in kinds.items())
