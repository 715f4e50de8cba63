"""CSV files as a source: how they are written, what their columns are called, and what type each has."""

from __future__ import annotations

import csv
import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
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
from anonduck.source.csv_types import Taken, Writing, types_taken
from anonduck.source.expressions import known_type
from anonduck.source.missing_columns import check_columns
from anonduck.source.source_lines import SourceLines, lines_of
from anonduck.statements import builder_csv, builder_source
from anonduck.statements.column_types import DATE, STAMP, TEXT
from anonduck.statements.literals import literal_path
from anonduck.words import broken_name, looks_like_value

if TYPE_CHECKING:
    from anonduck.config.config import Config


LOOKED_AT = 1_000  # records among which the fields of a header are looked for
SEPARATORS = ",;\t|"
# what DuckDB cuts off both ends of a name in a header
BLANKS = " \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_DIALECT = ("skip", "quote", "escape", "comment", "delim", "encoding")


@dataclass(frozen=True)
class OpenedCsv:
    """The reader of CSV files, which states the type of each column; why those have it that look otherwise; what to say
    of the columns' names; and, of one file, the ``lines`` that can be read in its place."""

    relation: Any
    reasons: Mapping[str, str]
    remarks: tuple[str, ...] = ()
    lines: SourceLines | None = None


def csv_reader(database: Database, config: Config, path: str, files: tuple[Path, ...]) -> OpenedCsv:
    """Open CSV files; raises SourceError for what is no table, ConfigError for types that name no column or value."""
    assert config.source is not None
    options = _csv_options(database, config, files)
    stated = {name: known_type(database, name, kind) for name, kind in config.types.items()}
    names: list[str | None] = []
    if options["header"]:
        names = _names(database, config, files[0], options)
    try:
        alike = builder_source.described(builder_source.reader("read_csv", path, {**options, "all_varchar": True}))
        columns = describe(database, alike)
        check_types_named(columns, stated, config.source)
        folders = {column.name: column.type for column in columns if column.name in partition_names(files[0])}
        options |= {"hive_partitioning": bool(folders), **({"hive_types": folders} if folders else {})}
        inside = [column.name for column in columns if column.name not in folders]
        groups = _of_equal_names(database, config, files, options, names, inside)
        known = list(dict.fromkeys(name for _, named in groups for name in named))
        found = _types(database, config, groups, known, options, stated)
    except (SourceError, QueryError) as error:
        _refuse_ragged(database, config, files[0], options["delim"])
        raise _unreadable_csv(files[0], error) from None
    if options["header"] and config.csv.header is None:
        typed_columns = tuple(Column(name, one.type) for name, one in found.items())
        _refuse_record(database, config, files[0], options, names, typed_columns)
    typed = _stated(options, {name: one.type for name, one in found.items()}, _formats(found))
    remarks = numbered(names, columns[: len(inside)]) if len(groups) == 1 else ()
    lines = None if remarks else lines_of(files, typed, list(found))
    reasons = {name: one.why for name, one in found.items() if one.why}
    return OpenedCsv(_united(groups, typed), reasons, remarks, lines)


def _names(database: Database, config: Config, file: Path, options: Mapping[str, Any]) -> list[str | None]:
    """The names in the header of a file; raises SourceError for one that is no name."""
    names = _first_line(database, config, file, options)
    check_all_named(names, config.source or "")
    if (broken := broken_name(names, options["delim"])) is not None:
        raise SourceError(
            f"the header of {file.name} has a line break, and a quote or a separator, in the name of its "
            f"column {broken}: a quote may be left open; correct the header, or rename the column"
        )
    return names


def _csv_options(database: Database, config: Config, files: tuple[Path, ...]) -> dict[str, Any]:
    """Reader options that leave nothing to guess but the types: no record may be dropped or changed."""
    _refuse_skipped(config, files[0])
    options: dict[str, Any] = {
        "header": True,
        **_dialect(config),
        "strict_mode": True,
        "null_padding": False,
        **config.csv.model_dump(exclude_none=True),
    }
    if "nullstr" in options:
        given = options["nullstr"]
        options["nullstr"] = list(dict.fromkeys(["", *([given] if isinstance(given, str) else given)]))
    if "delim" not in options:
        try:
            (options["delim"],) = database.row(builder_source.sniff(literal_path(files[0]), options))
        except (SourceError, QueryError) as error:
            raise _unreadable_csv(files[0], error) from None
    return options


# -- types of columns --------------------------------------------------------------------------------------------------

Group = tuple[str | Sequence[str], Sequence[str]]
"""Files, or the pattern that they match, and the names of their columns, in their order."""


def _of_equal_names(
    database: Database,
    config: Config,
    files: Sequence[Path],
    options: Mapping[str, Any],
    names: Sequence[str | None],
    known: Sequence[str],
) -> list[Group]:
    """The files by the names in their headers, as columns are read by name; raises SourceError for columns that some
    files lack, unless the config lets them be NULL."""
    if len(files) == 1 or not options["header"] or doubled(names):
        return [([literal_path(file) for file in files], known)]
    spelled = {name.lower(): name for name in known}
    groups: dict[tuple[str, ...], list[Path]] = {}
    for file in files:
        own = names if file == files[0] else _names(database, config, file, options)
        check_names(own, config.source or "")
        named = (name or "" for name in own)
        groups.setdefault(tuple(spelled.setdefault(name.lower(), name) for name in named), []).append(file)
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
    open_ = [name for name in known if name not in stated]
    texts = _united(groups, _stated(options, dict.fromkeys(known, TEXT), {}))
    found = types_taken(database, texts, open_, _writing(config))
    days = Counter(one.format for one in found.values() if one.type == DATE)
    moments = Counter(one.format for one in found.values() if one.type == STAMP)
    usual = {DATE: days.most_common(1), STAMP: moments.most_common(1)}
    for name, one in found.items():
        if one.type in usual and one.format != usual[one.type][0][0]:
            found[name] = Taken(TEXT, "dates that are written otherwise than those of other columns")
    return {name: found[name] if name in found else Taken(stated[name]) for name in known}


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


def _united(groups: Sequence[Group], options: Mapping[str, Any]) -> Any:
    """The rows of all files, by the names of their columns."""
    types = options["columns"]
    readers = [
        builder_source.reader("read_csv", of, {**options, "columns": {name: types[name] for name in named}})
        for of, named in groups
    ]
    return readers[0] if len(readers) == 1 else builder_csv.by_name(readers)


def _dialect(config: Config) -> dict[str, Any]:
    given = config.csv.model_dump(exclude_none=True)
    return {"skip": 0, "quote": '"', "escape": '"', "comment": "", **{n: v for n, v in given.items() if n in _DIALECT}}


def _first_line(database: Database, config: Config, file: Path, options: Mapping[str, Any]) -> list[str | None]:
    raw = {"header": False, "all_varchar": True, "strict_mode": True, "null_padding": False, "hive_partitioning": False}
    raw |= {name: options[name] for name in _DIALECT if name in options}
    try:
        first = database.rows(builder_source.relation_of(builder_source.reader("read_csv", literal_path(file), raw), 1))
    except (SourceError, QueryError) as error:
        _refuse_ragged(database, config, file, options["delim"])
        raise _unreadable_csv(file, error) from None
    return [None if name is None else name.strip(BLANKS) for name in first[0]] if first else []


def _refuse_ragged(database: Database, config: Config, file: Path, delim: str) -> None:
    """Raise SourceError if ``delim`` makes columns of the file but for lines that have too many or too few fields."""
    fields = _header_fields(config, file, delim)
    if fields < 2:
        return
    names = {f"column {number}": TEXT for number in range(1, fields + 1)}
    options = {**_dialect(config), "delim": delim, "header": True, "auto_detect": False, "columns": names}
    options |= {"strict_mode": True, "null_padding": False}
    try:
        database.rows(builder_source.count_of(builder_source.reader("read_csv", literal_path(file), options)))
    except SourceError as error:
        if error.fields:
            raise SourceError(
                f"the source file {file.name} is broken: with the separator {delim!r}, {error.fields}. "
                "Correct what wrote it: each record has as many fields as the header, in quotes where a value "
                "holds the separator"
            ) from None
    except QueryError:
        return


def _header_fields(config: Config, file: Path, delim: str) -> int:
    quote = config.csv.quote or '"'
    if len(delim) != 1 or len(quote) != 1 or file.suffix in (".gz", ".zst"):
        return 0
    try:
        with file.open(encoding=config.csv.encoding or "utf-8-sig", errors="replace", newline="") as text:
            lines = itertools.islice(text, config.csv.skip or 0, None)
            return len(next(csv.reader(lines, delimiter=delim, quotechar=quote), []))
    except (LookupError, OSError, csv.Error):
        return 0


def _refuse_skipped(config: Config, file: Path) -> None:
    """Raise ConfigError if ``csv: {skip: N}`` leaves no line of a file."""
    skip = config.csv.skip or 0
    if not skip or file.suffix in (".gz", ".zst"):
        return
    with file.open("rb") as lines:
        read = sum(1 for _ in itertools.islice(lines, skip + 1))
    if read <= skip:
        raise ConfigError(
            f"csv.skip: {skip:,} lines are to be skipped, and {file.name} has {read:,}; skip those above the header"
        )


def _is_binary(file: Path) -> bool:
    with file.open("rb") as start:
        return file.suffix not in (".gz", ".zst") and b"\0" in start.read(1 << 16)


def _refuse_record(
    database: Database,
    config: Config,
    file: Path,
    options: Mapping[str, Any],
    names: Sequence[str | None],
    known: Sequence[Column],
) -> None:
    """Raise SourceError for a header that looks like a record, without printing it: its fields would be values.

    It does if a field is a number, or a date, where the column holds such or nothing, or if half of its fields occur
    as values of their columns, in the first records.
    """
    asked = {place: name for place, name in enumerate(names) if name}
    raw = {"header": False, "all_varchar": True, "strict_mode": True, "null_padding": False, "hive_partitioning": False}
    raw |= {name: options[name] for name in _DIALECT if name in options}
    relation = builder_source.reader("read_csv", literal_path(file), raw)
    try:
        first = database.rows(builder_source.relation_of(relation, LOOKED_AT + 1))[1:]
    except (SourceError, QueryError):
        first = []
    typed = [
        name is not None and looks_like_value(name) and (column.type != TEXT or not first)
        for name, column in zip(names, known, strict=False)
    ]
    held = [place for place, name in asked.items() if any(row[place] == name for row in first)]
    if not any(typed) and 2 * len(held) < len(names):
        return
    alike = len({*held, *(place for place, is_typed in enumerate(typed) if is_typed)})
    skipped = f", after {config.csv.skip:,} that are skipped," if config.csv.skip else ""
    raise SourceError(
        f"the first line of {file.name}{skipped} looks like a record, not like a header: {alike} of its {len(names)} "
        "fields are like values of their columns. Where it is the header, say so, `csv: {header: true}`; where the "
        "file has none, `csv: {header: false}`; where too many lines are skipped, correct `csv: {skip: N}`"
    )


def _unreadable_csv(file: Path, error: SourceError | QueryError) -> SourceError:
    if isinstance(error, SourceError) and "longer" in error.fields:
        return SourceError(
            f"the source file {file.name} is broken: {error.fields}. Is a quote opened that is not closed? Else "
            "shorten the value, or write the export as Parquet"
        )
    if "UTF-8" in str(error):
        return SourceError(
            f"the source file {file.name} is not UTF-8; name its encoding: `csv: {{encoding: latin-1}}` in "
            "the config, or `csv={'encoding': 'latin-1'}` at init"
        )
    if _is_binary(file):
        return SourceError(
            f"the source file {file.name} is not text, so not CSV: it holds bytes that are 0. Name the file by the "
            "ending of its format, or its `csv: {encoding: utf-16}`"
        )
    if "encoding" in error.words and "not support" in error.words:
        return SourceError(
            "csv.encoding: DuckDB does not read that encoding; write utf-8, utf-16 or latin-1, or convert the file"
        )
    return SourceError(
        f"the source file {file.name} cannot be read as CSV; set what it is written with under `csv:` "
        f"(delim, quote, escape, header, encoding, nullstr) or `types:` ({error.words})"
    )


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
            _refuse_ragged(database, config, file, likely)
            hint = f"; its header holds the separator {likely!r}: set `csv: {{delim: {likely!r}}}`"
    needed = "at least two columns" if config.class_ is None else "a class and at least one quasi-identifier"
    raise SourceError(f"the source {text} has one column; {needed} are needed{hint}")
