"""CSV files as a source: how they are written, what their columns are called, and what type each has."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonduck.database.connection import Database
from anonduck.errors import ConfigError, QueryError, SourceError
from anonduck.source.columns import (
    Column,
    check_all_named,
    check_names,
    check_types_named,
    describe,
    doubled,
    numbered,
    partition_names,
)
from anonduck.source.csv_faults import dialect, refuse_ragged, refuse_skipped, unreadable_csv
from anonduck.source.csv_heads import header_names, refuse_records
from anonduck.source.csv_types import Taken, Writing, types_taken
from anonduck.source.expressions import known_types
from anonduck.source.missing_columns import check_columns
from anonduck.statements import Statement, line, relations, statement
from anonduck.statements.column_types import DATE, DOUBLE, STAMP, TEXT, decimals_of
from anonduck.statements.expansion import Expression, expression
from anonduck.statements.literals import literal_path, type_named
from anonduck.words import broken_name, counted

if TYPE_CHECKING:
    from anonduck.config.config import Config


SEPARATORS = ",;\t|"
BY_NAME = "(SELECT * FROM {first} joins(further, UNION ALL BY NAME SELECT * FROM {reader})) AS united"
"""The rows of files whose columns are those of all of them; NULL where one lacks a column."""


@dataclass(frozen=True)
class OpenedCsv:
    """The reader of CSV files, which states the type of each column; why those have it that look otherwise; and what
    to say of the columns' names."""

    relation: Expression
    reasons: Mapping[str, str]
    remarks: tuple[str, ...] = ()


def csv_reader(database: Database, config: Config, path: str | Sequence[str], files: tuple[Path, ...]) -> OpenedCsv:
    """Open CSV files; raises SourceError for what is no table, ConfigError for types that name no column or value."""
    options = _csv_options(database, config, files)
    stated = known_types(database, config.types)
    headers = _headers(database, config, files, options) if options["header"] else []
    with _as_unreadable(database, config, files[0], options["delim"]):
        alike = relations.described(relations.reader("read_csv", path, {**options, "all_varchar": True}))
        columns = describe(database, alike)
    folders = {column.name: column.type for column in columns if column.name in partition_names(files[0])}
    options |= {"hive_partitioning": bool(folders), **({"hive_types": folders} if folders else {})}
    inside = [column for column in columns if column.name not in folders]
    groups = _of_equal_names(config, files, headers, [column.name for column in inside])
    known = list(dict.fromkeys(name for _, named in groups for name in named))
    check_types_named(tuple(Column(name, TEXT) for name in (*known, *folders)), stated, config.source or "")
    with _as_unreadable(database, config, files[0], options["delim"]):
        found = _types(database, config, groups, known, options, stated)
    typed = _stated(options, {name: one.type for name, one in found.items()}, _formats(found))
    remarks = numbered(headers[0], inside) if headers and len(groups) == 1 else ()
    reasons = {name: one.why for name, one in found.items() if one.why}
    return OpenedCsv(_united(groups, typed), reasons, remarks)


@contextlib.contextmanager
def _as_unreadable(database: Database, config: Config, file: Path, delim: str) -> Iterator[None]:
    """Turn errors of the reader inside into one that says of the file what is wrong."""
    try:
        yield
    except (SourceError, QueryError) as error:
        refuse_ragged(database, config, file, delim)
        raise unreadable_csv(file, error) from None


def _headers(
    database: Database, config: Config, files: Sequence[Path], options: Mapping[str, Any]
) -> list[list[str | None]]:
    """The names in the header of each file; raises SourceError for a line that holds no names."""
    headers = [header_names(database, config, file, options) for file in files]
    for file, names in zip(files, headers, strict=True):
        check_all_named(names, config.source or "")
        if (broken := broken_name(names, options["delim"])) is not None:
            raise SourceError(
                f"the header of {file.name} has a line break, and a quote or a separator, in the name of its "
                f"column {broken}: a quote may be left open; correct the header, or rename the column"
            )
    refuse_records(database, config, files, options, headers)
    return headers


def _csv_options(database: Database, config: Config, files: tuple[Path, ...]) -> dict[str, Any]:
    """Reader options that leave nothing to guess but the types: no record may be dropped or changed."""
    refuse_skipped(config, files[0])
    options: dict[str, Any] = {
        "header": True,
        **dialect(config),
        "strict_mode": True,
        "null_padding": False,
        **config.csv.model_dump(exclude_none=True),
    }
    if "nullstr" in options:
        given = options["nullstr"]
        options["nullstr"] = list(dict.fromkeys(["", *([given] if isinstance(given, str) else given)]))
    if "delim" not in options:
        try:
            (options["delim"],) = database.row(_sniffed(files[0], options))
        except (SourceError, QueryError) as error:
            raise unreadable_csv(files[0], error) from None
    return options


def _sniffed(file: Path, options: Mapping[str, Any]) -> Statement:
    """The separator that DuckDB sniffs of a file."""
    reader = relations.reader("sniff_csv", literal_path(file), options)
    return line("source/csv_files._sniffed", "SELECT Delimiter FROM {reader}", reader=reader)


# -- types of columns --------------------------------------------------------------------------------------------------

Group = tuple[str | Sequence[str], Sequence[str]]
"""Files, or the pattern that they match, and the names of their columns, in their order."""


def _of_equal_names(
    config: Config, files: Sequence[Path], headers: Sequence[Sequence[str | None]], known: Sequence[str]
) -> list[Group]:
    """The files by the names in their headers, as columns are read by name; raises SourceError for columns that some
    files lack, unless the config lets them be NULL."""
    if len(files) == 1 or not headers or doubled(headers[0]):
        return [([literal_path(file) for file in files], known)]
    spelled = {name.lower(): name for name in known}
    groups: dict[tuple[str, ...], list[Path]] = {}
    for file, header in zip(files, headers, strict=True):
        check_names(header, config.source or "")
        names = (name or "" for name in header)
        groups.setdefault(tuple(spelled.setdefault(name.lower(), name) for name in names), []).append(file)
    check_columns({of[0].name: named for named, of in groups.items()}, config)
    return [([literal_path(file) for file in of], named) for named, of in groups.items()]


def _types(
    database: Database,
    config: Config,
    groups: Sequence[Group],
    known: Sequence[str],
    options: Mapping[str, Any],
    stated: Mapping[str, str],
) -> dict[str, Taken]:
    """What each column is read as: what the config states, else what all records of all files say."""
    open_ = {name for name in known if name not in stated}
    texts = _united(groups, _stated(options, dict.fromkeys(known, TEXT), {}))
    found = _month_or_day_first(types_taken(database, texts, known, open_, _writing(config)))
    _refuse_changed(database, texts, {name: stated[name] for name in known if name in stated}, _writing(config))
    days = Counter(one.format for one in found.values() if one.type == DATE)
    moments = Counter(one.format for one in found.values() if one.type == STAMP)
    usual = {DATE: days.most_common(1), STAMP: moments.most_common(1)}
    for name, one in found.items():
        if one.type in usual and one.format != usual[one.type][0][0]:
            found[name] = Taken(TEXT, "dates that are written otherwise than those of other columns")
    return {name: found[name] if name in found else Taken(stated[name]) for name in known}


def _refuse_changed(database: Database, texts: Expression, stated: Mapping[str, str], writing: Writing) -> None:
    """Raise ConfigError for a stated type that has no room for the decimals of some values, and would round them."""
    asked = {name: kind for name, kind in stated.items() if decimals_of(kind) is not None}
    if not asked:
        return
    columns = [{"name": name, "kind": type_named(kind)} for name, kind in asked.items()]
    query = statement("source/changed_numbers.sql", lists={"files": [{"reader": texts}], "columns": columns})
    counts = database.row(query, {"decimal": writing.decimals, "thousands": writing.thousands})
    for (name, kind), count in zip(asked.items(), counts, strict=True):
        if count:
            raise ConfigError(
                f"types.{name}: {counted(count, 'value', 'values')} would be rounded to {kind}; name a type that holds "
                f"their decimals, such as {DOUBLE}, or correct the export"
            )


def _month_or_day_first(found: Mapping[str, Taken]) -> dict[str, Taken]:
    """The same, where dates that may be read both ways are read as the other dates of the table."""
    sure = {one.format[:2] for one in found.values() if one.format is not None and one.other is None}
    month_first = "%m" in sure and "%d" not in sure
    if not {"%m", "%d"} & sure:
        return dict(found)
    return {
        name: one if one.other is None else Taken(one.type, "", one.other if month_first else one.format)
        for name, one in found.items()
    }


def _writing(config: Config) -> Writing:
    given = config.csv
    return Writing(given.decimal_separator or ".", given.thousands or "", given.dateformat, given.timestampformat)


def _formats(found: Mapping[str, Taken]) -> dict[str, str]:
    """The formats of dates and of moments, as options of the reader."""
    kinds = {DATE: "dateformat", STAMP: "timestampformat"}
    return {kinds[one.type]: one.format for one in found.values() if one.format is not None and one.type in kinds}


def _stated(options: Mapping[str, Any], types: Mapping[str, str], formats: Mapping[str, str]) -> dict[str, Any]:
    """The options of a reader that looks for nothing: the columns have these types."""
    return {**options, **formats, "auto_detect": False, "columns": dict(types)}


def _united(groups: Sequence[Group], options: Mapping[str, Any]) -> Expression:
    """The rows of all files, by the names of their columns."""
    types = options["columns"]
    readers = [
        relations.reader("read_csv", of, {**options, "columns": {name: types[name] for name in named}})
        for of, named in groups
    ]
    if len(readers) == 1:
        return readers[0]
    further = [{"reader": one} for one in readers[1:]]
    return expression(BY_NAME, first=readers[0], further=further)


def refuse_one_column(
    database: Database, config: Config, columns: tuple[Column, ...], file: Path, text: str, *, is_csv: bool
) -> None:
    """Raise SourceError for a table of one column, with what its separator may be."""
    if len(columns) > 1:
        return
    name = columns[0].name  # not printed, as it may be a record of a file without a header
    likely, hint = max(SEPARATORS, key=name.count), ""
    if is_csv:
        hint = "; if its separator was not found, set `csv: {delim: ';'}`"
        if likely in name:
            refuse_ragged(database, config, file, likely)
            hint = f"; its header holds the separator {likely!r}: set `csv: {{delim: {likely!r}}}`"
    needed = "at least two columns" if config.class_ is None else "a class and at least one quasi-identifier"
    raise SourceError(f"the source {text} has one column; {needed} are needed{hint}")
