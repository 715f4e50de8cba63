"""JSON files as a source: all of them and all of their rows decide what type a column has.

DuckDB takes the first 32 files for all, texts that look like a day for days, and mixed values for JSON, whose texts
keep their quotation marks. Here a column is what every row of it writes, and else text without marks. A key that a
line, or a whole file, lacks is NULL: what writes JSON often leaves out what is NULL.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from anonduck.database.connection import Database
from anonduck.errors import SourceError
from anonduck.source.columns import Column, check_names, partition_names, readable_columns
from anonduck.source.expressions import known_types
from anonduck.statements import line, relations, statement
from anonduck.statements.column_readings import ColumnReading
from anonduck.statements.column_types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DECIMAL,
    DOUBLE,
    HUGEINT,
    JSON,
    STAMP,
    TEXT,
    TIME,
    UUID,
    ZONED,
    is_nested,
    with_types,
)
from anonduck.statements.expansion import Expression, Lists, expression
from anonduck.statements.literals import literal, literal_path, type_named

if TYPE_CHECKING:
    from anonduck.config.config import Config

READ_DIRECTLY = (BIGINT, HUGEINT, BOOLEAN, TEXT)
"""Types of JSON values that hold all that a column has, where DuckDB finds them in all of its rows."""
IN_OTHERS = (BIGINT, DOUBLE, BOOLEAN, HUGEINT)
"""Types that values within others keep; texts are no dates or identifiers there."""

_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = r"[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?"
WRITTEN_AS = {
    DATE: _DAY,
    TIME: _CLOCK,
    STAMP: f"{_DAY}[ T]{_CLOCK}",
    ZONED: f"{_DAY}[ T]{_CLOCK} ?(Z|[-+][0-9]{{2}}(:?[0-9]{{2}})?)",
    UUID: "[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}",
    HUGEINT: "-?[0-9]+",
}
"""How values of a type are written that mean the same as text and as a value of it. DuckDB takes more for such: a code
like 24-01-05 or 2024-1-5 for a day, `epoch` for one too."""

_NUMBERED = re.compile(r"(.+)_\d+", flags=re.DOTALL)


def json_reader(
    database: Database, config: Config, path: str, files: Sequence[Path]
) -> tuple[Expression, tuple[str, ...]]:
    """The reader of JSON files, and what to say of how their columns are read."""
    found = _described(database, path, len(files), config.source or "")
    _check_keys(database, found, files, config.source or "")
    if len(found) == 1:
        return relations.reader("read_json", path, {"sample_size": -1}), ()
    partitions = partition_names(files[0])
    stated = known_types(database, config.types)
    columns = {column.name: column.type for column in found if column.name not in partitions}
    columns |= _long_decimals(database, config, files, columns, stated)
    texts = {name for name, kind in stated.items() if kind == TEXT}
    casts = _fitting(database, path, {n: k for n, k in columns.items() if _read_as(k) != k and n not in texts})
    reader = _reader(path, {name: _read_as(kind) for name, kind in columns.items()})
    remarks = [_remark(name, kind) for name, kind in columns.items() if name not in texts and _mixed(name, kind, casts)]
    if casts:
        reader = expression("({rows}) AS files", rows=relations.rows_of(reader, reading=ColumnReading(casts)))
    return reader, tuple(remarks)


KEPT = line(
    "source/json_files.KEPT",
    """SELECT json_transform('2.987843797150744974'::JSON, '"DECIMAL(38,18)"') = 2.987843797150744974""",
)
"""Whether this DuckDB keeps all digits of a number in JSON that is read as DECIMAL: up to 2.0.0 it is rounded to a
floating-point number before."""


def _described(database: Database, path: str, files: int, text: str) -> tuple[Column, ...]:
    options = {"sample_size": -1, "maximum_sample_files": files}
    found = readable_columns(database, relations.reader("read_json", path, options), "json", text)
    if [column.name for column in found] != ["json"]:
        return found
    each_key = {**options, "map_inference_threshold": -1}  # objects of many keys, each in few, are rows all the same
    return readable_columns(database, relations.reader("read_json", path, each_key), "json", text)


def _check_keys(database: Database, found: Sequence[Column], files: Sequence[Path], text: str) -> None:
    """Raise SourceError for keys that differ in case alone, of which DuckDB numbers the later one."""
    names = {column.name.lower() for column in found}
    numbered = (_NUMBERED.fullmatch(column.name) for column in found)
    if any(one is not None and one[1].lower() in names for one in numbered):
        asked = "SELECT DISTINCT unnest(json_keys(json)) AS key FROM read_json_objects($files) ORDER BY key"
        read = line("source/json_files._check_keys", asked, "files")
        keys = database.rows(read, {"files": [literal_path(file) for file in files]})
        check_names([key for (key,) in keys], text)


def _long_decimals(
    database: Database, config: Config, files: Sequence[Path], columns: Mapping[str, str], stated: Mapping[str, str]
) -> dict[str, str]:
    """The stated DECIMAL of columns whose decimals DuckDB would round, even as text; raises SourceError where no type
    of such a column is stated, or DuckDB rounds it all the same."""
    if not {DOUBLE, JSON} & set(columns.values()):
        return {}
    keys = database.rows(statement("source/json_long_numbers.sql"), {"files": [literal_path(file) for file in files]})
    long = [name for name in (json.loads(key) for (key,) in keys) if columns.get(name) in (DOUBLE, JSON)]
    open_ = [name for name in long if stated.get(name, TEXT) == TEXT]
    if open_:
        raise SourceError(
            f"{config.source}: numbers of {', '.join(map(repr, open_))} have more digits than a floating-point number "
            f"keeps; `types: {{{open_[0]}: {DECIMAL}(38,18)}}` in the config keeps 18 decimals of them, and {DOUBLE} "
            "rounds them; or write them as texts in the export"
        )
    exact = {name: stated[name] for name in long if stated[name].startswith(DECIMAL)}
    if exact and not database.value(KEPT):
        raise SourceError(
            f"{config.source}: numbers of {', '.join(map(repr, exact))} have more digits than a floating-point number "
            f"keeps, which this DuckDB makes of them first; write them as texts in the export, set {DOUBLE} as their "
            "type, which rounds them, or install `duckdb>=2.0.1`"
        )
    return exact


def _read_as(kind: str) -> str:
    """The type that a column is read as first: text where it has to be looked at."""
    if is_nested(kind):
        return with_types(kind, lambda held: held if held in IN_OTHERS else TEXT)
    return kind if kind in READ_DIRECTLY or kind.startswith(DECIMAL) else TEXT


def _reader(path: str, columns: Mapping[str, str]) -> Expression:
    return relations.reader("read_json", path, {"columns": dict(columns)})


def _fitting(database: Database, path: str, columns: Mapping[str, str]) -> dict[str, str]:
    """The types of those columns whose texts are all written as values of one."""
    numbers = [name for name, kind in columns.items() if kind == DOUBLE]
    written = {name: HUGEINT if kind == DOUBLE else kind for name, kind in columns.items()}
    written = {name: kind for name, kind in written.items() if kind in WRITTEN_AS}
    if not written:
        return {}
    patterns = {name: literal(WRITTEN_AS[kind]) for name, kind in written.items()}
    lists: Lists = {
        "files": [{"reader": _reader(path, dict.fromkeys(written, TEXT))}],
        "written": [{"name": n, "pattern": patterns[n], "kind": type_named(k)} for n, k in written.items()],
        "numbers": numbers,
    }
    counts = database.row(statement("source/json_misfits.sql", lists=lists))
    asked = [*written.items(), *((name, DOUBLE) for name in numbers)]
    fits = [pair for pair, count in zip(asked, counts, strict=True) if not count]
    return dict(reversed(fits))  # the first that fits, where several do


def _mixed(name: str, kind: str, casts: Mapping[str, str]) -> bool:
    return kind == JSON or (kind == DOUBLE and name not in casts)


def _remark(name: str, kind: str) -> str:
    if kind == JSON:
        return f"column {name!r} holds values of several kinds, such as numbers and texts, and is read as text"
    return f"column {name!r} holds numbers with more digits than a number of DuckDB keeps, and is read as text"
