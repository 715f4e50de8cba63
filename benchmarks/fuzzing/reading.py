"""Released files, read without anonduck: each value as a text that differs where its bytes do."""

from __future__ import annotations

import contextlib
import re
import struct
from pathlib import Path
from typing import Any

FIELD = re.compile(r'(?:"((?:[^"]|"")*)"|([^,\n]*))(,|\n|\Z)')
"""A field of a CSV, quoted or not, and what ends it."""
NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


def told(value: Any) -> str | None:
    """A value as a text: -0.0 is not 0.0, all NaN are one."""
    if value is None:
        return None
    if isinstance(value, float):
        return "nan" if value != value else struct.pack(">d", value).hex()  # noqa: PLR0124 - NaN alone differs from itself
    if isinstance(value, bytes):
        return value.hex()
    return str(value)


def arrow_texts(column: Any) -> list[str | None]:
    """The values of a column of Arrow; dates and times as numbers, as Python lacks some of them."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind):
        return arrow_texts(column.cast(kind.value_type))
    if pa.types.is_timestamp(kind):
        return [None if v is None else str(v * NANOSECONDS[kind.unit]) for v in column.cast(pa.int64()).to_pylist()]
    if pa.types.is_date32(kind) or pa.types.is_time32(kind):
        return [told(v) for v in column.cast(pa.int32()).to_pylist()]
    if pa.types.is_time64(kind):
        return [told(v) for v in column.cast(pa.int64()).to_pylist()]
    return [told(v) for v in column.to_pylist()]


def parquet_columns(path: Path) -> dict[str, list[str | None]]:
    """The columns of a Parquet file."""
    import pyarrow.parquet as pq

    table = pq.ParquetFile(path).read().combine_chunks()
    return {name: arrow_texts(table.column(index)) for index, name in enumerate(table.column_names)}


def duckdb_columns(path: Path, name: str) -> dict[str, list[str | None]]:
    """The columns of a table of DuckDB, as it writes them as texts."""
    import duckdb

    with duckdb.connect(str(path), read_only=True) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        names = [row[0] for row in connection.execute(f"DESCRIBE {name}").fetchall()]
        listed = ", ".join('CAST("' + column.replace('"', '""') + '" AS VARCHAR)' for column in names)
        rows = connection.execute(f"SELECT {listed} FROM {name}").fetchall()
    return {column: [row[index] for row in rows] for index, column in enumerate(names)}


def csv_fields(text: str) -> list[list[str | None]]:
    """The lines of a CSV; a field that is empty and not quoted is None."""
    lines: list[list[str | None]] = []
    line: list[str | None] = []
    for field in FIELD.finditer(text):
        if field.start() == len(text) and not line:
            break
        within, bare, end = field.groups()
        line.append((bare or None) if within is None else within.replace('""', '"'))
        if end != ",":
            lines.append(line)
            line = []
    return lines


def csv_columns(path: Path) -> dict[str, list[str | None]]:
    """The columns of a CSV file with a header."""
    lines = csv_fields(path.read_bytes().decode("utf-8"))
    return {str(name): [line[index] for line in lines[1:]] for index, name in enumerate(lines[0])}


def released_columns(target: str) -> dict[str, list[str | None]]:
    """The columns of a release by the name that it was written to."""
    file, _, name = target.partition("::")
    if name:
        return duckdb_columns(Path(file), name)
    return csv_columns(Path(file)) if file.endswith(".csv") else parquet_columns(Path(file))


def form_of(target: str) -> str:
    """Which texts of the source compare with those of a release: ``arrow`` or ``text``."""
    return "arrow" if target.endswith(".parquet") else "text"


def held_bytes(target: str) -> bytes:
    """All that a release's file tells: its bytes, and for Parquet its pages and statistics without compression."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = Path(target.partition("::")[0])
    raw = file.read_bytes()
    if file.suffix != ".parquet":
        return raw
    opened = pq.ParquetFile(file)
    names = [field.name for field in opened.schema_arrow if field.type in (pa.string(), pa.binary())]
    table = pq.ParquetFile(file, read_dictionary=names).read()
    parts = [raw, str(opened.metadata.metadata).encode()]
    for group in range(opened.metadata.num_row_groups):
        for index in range(opened.metadata.num_columns):
            statistics = opened.metadata.row_group(group).column(index).statistics
            with contextlib.suppress(OverflowError):  # dates that Python lacks
                parts.append(str(statistics.to_dict() if statistics else "").encode())
    for column in table.columns:
        parts += [str(arrow_texts(getattr(chunk, "dictionary", chunk))).encode() for chunk in column.chunks]
    return b"\n".join(parts)
