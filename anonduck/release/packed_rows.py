"""The rows of a release, written by their numbers: sorted at once, and decoded as they are written.

DuckDB would sort whole rows, twice: by their values, then by the buckets of anonduck.statements.row_order. Here a row
is one number of 64 bits (anonduck.statements.builder_packed), which takes a tenth of the memory.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonduck.database.connection import Database
from anonduck.release.plan import ReleasePlan
from anonduck.release.recoder import GROUPED, Recoder
from anonduck.release.released_rows import RowsQuery
from anonduck.source.engine import DuckDBSource
from anonduck.statements import builder_packed, line, statement
from anonduck.statements.column_types import ALIKE_IN_PARQUET
from anonduck.statements.pipeline.builder_release import RuleColumn
from anonduck.statements.pipeline.column_names import value_column
from anonduck.statements.row_order import BUCKETS, FACTOR, PRIME, SHIFT, TURN
from anonduck.words import np

ROW_GROUP = 1 << 20  # records
AT_ONCE = 1 << 15  # positions whose buckets are found at once: they stay in the processor's cache
MOST_RECORDS = 1 << 27  # whose numbers are held in memory: a gigabyte
MOST_VALUES = 1 << 22  # distinct ones of all kept columns, which are held in memory
MOST_BYTES = 1 << 28  # of their texts

NumberedValues = tuple[Any, "np.ndarray"]
"""Distinct values as Arrow's, of which NULL is the last, and which of them each row has."""


@dataclass(frozen=True)
class PackedRows:
    """The numbers of the rows of a release in their order, and the ``names`` of its columns.

    A number has digits, the first of which counts most: ``sizes`` of them, and of each the ``values`` of its columns.
    """

    rows: np.ndarray
    names: Sequence[str]
    sizes: Sequence[int]
    values: Sequence[Sequence[NumberedValues]]

    def write(self, path: Path) -> None:
        """Write the rows to a Parquet file, dealt to their buckets; raises OSError if the disk is full."""
        types = [values.type for digit in self.values for values, _ in digit]
        with parquet_writer(path, self.names, types) as (writer, schema):
            for rows in self._row_groups():
                write_group(writer, schema, self._decoded(rows))

    def _row_groups(self) -> Iterator[np.ndarray]:
        """The numbers of the rows of each row group."""
        buckets, held = buckets_of(len(self.rows)), np.empty(0, dtype=self.rows.dtype)
        for bucket in range(BUCKETS):
            held = np.concatenate([held, self.rows[np.flatnonzero(buckets == bucket)]])
            while len(held) >= ROW_GROUP:
                yield held[:ROW_GROUP]
                held = held[ROW_GROUP:]
        if len(held):
            yield held

    def _decoded(self, rows: np.ndarray) -> list[Any]:
        found = list[Any]()
        for size, digit in zip(reversed(self.sizes), reversed(self.values), strict=True):
            rows, places = np.divmod(rows, size)
            found = [values_at(values, codes[places]) for values, codes in digit] + found
        return found


def packed_rows(engine: DuckDBSource, plan: ReleasePlan[Recoder], rows: RowsQuery, records: int) -> PackedRows | None:
    """The rows of a release that are selected from the source, in their order.

    None where a number of 64 bits is too small for a row, where values are too many or too long to be held in memory,
    where Arrow and DuckDB do not write a type alike, and where the rows are not selected from the source.
    """
    database, selected, columns = engine.database, rows.unordered, plan.columns
    kinds = database.types_of(GROUPED)
    kept = [one for one in columns if value_column(one.name) not in kinds]
    of_source = {one.name: one.type for one in plan.recoding.inputs.source.columns}
    types = [kinds.get(value_column(one.name)) or of_source[one.name] for one in columns]
    if selected is None or not ALIKE_IN_PARQUET.issuperset(types) or records > MOST_RECORDS:
        return None
    alone = [one for one in kept if isinstance(one, RuleColumn)]
    if len(alone) < len(kept):
        return None
    if alone and records > MOST_VALUES and engine.about_so_many(alone) > MOST_VALUES:
        return None
    digits = [*_digits([one.name for one in columns], {one.name for one in kept})]
    tables = [builder_packed.values_table(place) for place in range(len(digits))]
    try:
        sizes = _number_values(engine, digits, alone)
        values, texts = zip(*sizes, strict=True)
        if (
            max(sum(values), sum(texts) * MOST_VALUES // MOST_BYTES) > MOST_VALUES
            or math.prod(values) >= builder_packed.MOST
        ):
            return None
        packed = engine.packed_rows(selected, digits, values)
        packed.sort()
        names = [one.name for one in columns]
        return PackedRows(packed, names, values, [_values(database, table) for table in tables])
    finally:
        database.drop(*[("temp", table) for table in (*tables, "packed_kept")])


def repeated_rows(database: Database, names: Sequence[str], distinct: int, records: int) -> PackedRows | None:
    """The rows of a release that keeps no column, of so many ``distinct`` ones; None as above."""
    kinds = database.types_of(GROUPED).values()
    if distinct > MOST_VALUES or records > MOST_RECORDS or not ALIKE_IN_PARQUET.issuperset(kinds):
        return None
    text = (
        'SELECT each(shown, "{name}"), "#records"::BIGINT AS records FROM release_rows ORDER BY each(shown, "{name}")'
    )
    query = line("release/packed_rows.repeated_rows", text, shown=[value_column(name) for name in names])
    *columns, times = database.arrow(query).columns
    counts: np.ndarray = np.from_dlpack(times.combine_chunks())  # to_numpy() would import pandas
    rows = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    return PackedRows(rows, names, [len(counts)], [[numbered_values(one.combine_chunks()) for one in columns]])


def _digits(names: Sequence[str], kept: Collection[str]) -> Iterator[list[str]]:
    """The columns of a release in their order: those in a row that are grouped stand together, each kept one alone."""
    held = list[str]()
    for name in names:
        if name not in kept:
            held.append(name)
            continue
        if held:
            yield held
        yield [name]
        held = []
    if held:
        yield held


def _number_values(
    engine: DuckDBSource, digits: Sequence[Sequence[str]], kept: Sequence[RuleColumn]
) -> list[tuple[int, int]]:
    """Number the values of each digit in their order; returns how many it has, and the bytes of those that are kept."""
    among, database, found = {one.name: place for place, one in enumerate(kept)}, engine.database, []
    if kept:
        engine.kept_values(kept)
    for place, names in enumerate(digits):
        table = builder_packed.values_table(place)
        if names[0] in among:
            held = {"held": names[0], "apart": f"in {among[names[0]]}"}
            database.run(statement("release/numbered_kept.sql", column=held, table={"packed": table}))
            text = 'SELECT count(*), coalesce(sum(strlen(value_0::VARCHAR)), 0)::BIGINT FROM "{table}"'
            found.append(database.row(line("release/packed_rows._number_values", text, table=table)))
        else:
            tables = {"packed": table, "grouped": GROUPED}
            database.run(statement("release/numbered_combinations.sql", table=tables, lists={"columns": names}))
            found.append((database.count(table), 0))
    return found


def _values(database: Database, table: str) -> list[NumberedValues]:
    text = 'SELECT * EXCLUDE (code) FROM "{table}" ORDER BY code'
    found = database.arrow(line("release/packed_rows._values", text, table=table))
    return [numbered_values(column.combine_chunks()) for column in found.columns]


def numbered_values(column: Any) -> NumberedValues:
    """The values of a column, NULL last, and the number of the value of each row; a number is its own value."""
    import pyarrow as pa

    if not pa.types.is_string(column.type):
        return column, np.arange(len(column), dtype=np.int32)
    encoded = column.dictionary_encode()
    values = encoded.dictionary
    if not column.null_count:
        return values, np.from_dlpack(encoded.indices)
    indices = encoded.indices.fill_null(len(values))
    return pa.concat_arrays([values, pa.nulls(1, values.type)]), np.from_dlpack(indices)


def buckets_of(rows: int) -> np.ndarray:
    """The bucket of each of so many positions, counted from 1 (see anonduck.statements.row_order)."""
    found = np.empty(rows, dtype=np.uint8)
    for start in range(0, rows, AT_ONCE):
        stop = min(start + AT_ONCE, rows)
        x = _remainder(np.arange(start + 1, stop + 1, dtype=np.int64))
        x = _remainder(x * FACTOR + SHIFT)
        found[start:stop] = _remainder(_remainder(x * x) * (x + TURN)) % BUCKETS
    return found


def _remainder(numbers: np.ndarray) -> np.ndarray:
    """What numbers under 2 ** 63 leave when divided by PRIME, which is 2 ** 31 - 1; the numbers are changed.

    2 ** 31 leaves 1, so that the upper bits are added to the lower 31; dividing takes twice as long.
    """
    for _ in range(2):
        upper = numbers >> PRIME.bit_length()
        numbers &= PRIME
        numbers += upper
    numbers[numbers >= PRIME] -= PRIME
    return numbers


def values_at(values: Any, codes: np.ndarray) -> Any:
    """The values at codes; of texts a dictionary that holds no others."""
    import pyarrow as pa

    if not pa.types.is_string(values.type):
        return values.take(_indices(codes.astype(np.int32)))
    held = np.flatnonzero(np.bincount(codes, minlength=len(values)))
    has_null = values.null_count > 0 and len(held) > 0 and held[-1] == len(values) - 1
    places = np.zeros(len(values), dtype=np.int32)
    known = held[:-1] if has_null else held
    places[known] = np.arange(len(known), dtype=np.int32)
    valid = codes != len(values) - 1 if has_null else None
    indices = _indices(places[codes], valid)
    return pa.DictionaryArray.from_arrays(indices, values.take(_indices(known.astype(np.int32))))


def _indices(numbers: np.ndarray, valid: np.ndarray | None = None) -> Any:
    """Numbers of 32 bits as Arrow's, NULL where they are not valid; pa.array() would import pandas."""
    import pyarrow as pa

    bits = None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))
    return pa.Array.from_buffers(pa.int32(), len(numbers), [bits, pa.py_buffer(np.ascontiguousarray(numbers))])


@contextlib.contextmanager
def parquet_writer(path: Path, names: Sequence[str], types: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """A writer of row groups, and the schema of their columns: texts are dictionaries."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    written = [pa.dictionary(pa.int32(), kind) if pa.types.is_string(kind) else kind for kind in types]
    schema = pa.schema([pa.field(name, kind) for name, kind in zip(names, written, strict=True)])
    with path.open("wb") as file, pq.ParquetWriter(file, schema, compression="snappy", store_schema=False) as writer:
        yield writer, schema


def write_group(writer: Any, schema: Any, columns: Sequence[Any]) -> None:
    """Write the columns of one row group."""
    import pyarrow as pa

    writer.write_table(pa.table(list(columns), schema=schema), row_group_size=ROW_GROUP)
