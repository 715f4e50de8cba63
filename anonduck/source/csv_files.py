"""CSV files as a source: how they are written, what their columns are called, and what type each has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonduck.database.connection import Database
from anonduck.errors import QueryError, SourceError
from anonduck.source.columns import Column, check_all_named, check_types_named, describe, doubled, numbered
from anonduck.source.csv_faults import dialect, refuse_ragged, refuse_skipped, unreadable_csv
from anonduck.source.csv_heads import header_names, refuse_records
from anonduck.source.expressions import known_type
from anonduck.source.source_lines import SourceLines, lines_of
from anonduck.statements import builder_source
from anonduck.statements.column_types import DATE, FREE_OF_FORMATS, READ_FROM_CSV
from anonduck.statements.literals import literal_path
from anonduck.words import broken_name

if TYPE_CHECKING:
    from anonduck.config.config import Config


WHOLE_FILE_BYTES = 256 * 1024 * 1024
SAMPLED_ROWS = 1_000_000
STATED_BYTES = (
    16 * 1024 * 1024
)  # in larger files DuckDB gets the types that it found, or each scan would look for them again
STATED_ROWS = 20_480
SEPARATORS = ",;\t|"


@dataclass(frozen=True)
class Sniffed:
    """What DuckDB found when it looked for the separator of a CSV file: the format of ``dates``, and the columns."""

    dates: str | None = None
    columns: tuple[Column, ...] = ()


def csv_reader(
    database: Database, config: Config, path: str | Sequence[str], files: tuple[Path, ...]
) -> tuple[Any, tuple[str, ...], SourceLines | None]:
    """The reader, which columns have another name than in the header, where an earlier one is called the same, and the
    lines that can be read in place of the file."""
    assert config.source is not None
    options, sniffed = _csv_options(database, config, files)
    relation = builder_source.reader("read_csv", path, options)
    types, names = options.get("types", {}), []
    if options["header"]:
        names = header_names(database, config, files[0], options)
        check_all_named(names, config.source)
        if (broken := broken_name(names, options["delim"])) is not None:
            raise SourceError(
                f"the header of {files[0].name} has a line break, and a quote or a separator, in the name of its "
                f"column {broken}: a quote may be left open; correct the header, or rename the column"
            )
        if not doubled(names):
            check_types_named(tuple(Column(name or "", "") for name in names), types, config.source)
        refuse_records(database, config, files, options, names)
    try:
        found = sniffed.columns if len(files) == 1 and not types else ()
        known = found or describe(database, builder_source.described(relation))
    except (SourceError, QueryError) as error:
        refuse_ragged(database, config, files[0], options["delim"])
        raise unreadable_csv(files[0], error) from None
    check_types_named(known, types, config.source)
    options = _with_found_types(options, known, files, sniffed.dates)
    reader, remarks = builder_source.reader("read_csv", path, options), numbered(names, known)
    return reader, remarks, None if remarks else lines_of(files, options, [column.name for column in known])


def _with_found_types(
    options: Mapping[str, Any], known: Sequence[Column], files: Sequence[Path], dates: str | None
) -> dict[str, Any]:
    """The options with the types and the date format that DuckDB found, for one large file, so that it is not sniffed
    again. Without times, and without dates of an unknown format, which DuckDB reads by its own guess."""
    large = len(files) == 1 and files[0].stat().st_size >= STATED_BYTES
    dated = {DATE} if dates is not None and not options.get("types") else set()
    if not large or not {column.type for column in known} <= FREE_OF_FORMATS | dated:
        return dict(options)
    types = {column.name: column.type for column in known}
    form = {"dateformat": dates} if DATE in types.values() else {}
    return {**form, **options, "types": types, "sample_size": STATED_ROWS}


def _csv_options(database: Database, config: Config, files: tuple[Path, ...]) -> tuple[dict[str, Any], Sniffed]:
    """Reader options that leave nothing to guess but separator and types: no record may be dropped or changed.

    And what DuckDB found where it looked for the separator.
    """
    sniffed = Sniffed()
    refuse_skipped(config, files[0])
    whole = sum(file.stat().st_size for file in files) <= WHOLE_FILE_BYTES
    options: dict[str, Any] = {
        "header": True,
        **dialect(config),
        "strict_mode": True,
        "null_padding": False,
        "sample_size": -1 if whole else SAMPLED_ROWS,
        "auto_type_candidates": READ_FROM_CSV,
        **config.csv.model_dump(exclude_none=True),
    }
    if "delim" not in options:
        try:
            options["delim"], dates, columns = database.row(builder_source.sniff(literal_path(files[0]), options))
            sniffed = Sniffed(dates, tuple(Column(one["name"], one["type"]) for one in columns))
        except (SourceError, QueryError) as error:
            raise unreadable_csv(files[0], error) from None
    if config.types:
        options["types"] = {name: known_type(database, name, kind) for name, kind in config.types.items()}
    return options, sniffed


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
