"""Parquet files with the same columns and types, and how these are read as columns of other types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from anonduck.statements import relations
from anonduck.statements.column_readings import as_type
from anonduck.statements.column_types import FLOATS, TEXT
from anonduck.statements.expansion import Expression, expression, quoted
from anonduck.statements.literals import literal_path

NUMBER_AS_TEXT = """CASE
    WHEN "{name}" IS NULL THEN NULL
    WHEN "{name}" = trunc("{name}") AND abs("{name}") < 9007199254740992 THEN CAST(CAST("{name}" AS BIGINT) AS VARCHAR)
    ELSE CAST("{name}" AS VARCHAR)
END"""
"""A floating-point number as text: 2175 for 2175.0, as other files write the same number without a point."""


@dataclass(frozen=True)
class ParquetGroup:
    """Files with the same columns of the same types, by the names that they have there.

    ``partitions`` are columns that the names of folders hold, as in ``year=2024/part.parquet``.
    """

    files: tuple[str, ...]
    types: Mapping[str, str]
    partitions: Mapping[str, str] = field(default_factory=dict)

    def name_of(self, column: str) -> str | None:
        """What these files call a column, as names are compared without regard to case; None where they lack it."""
        return next((name for name in self.types if name.lower() == column.lower()), None)

    @property
    def reader(self) -> Expression:
        """The relation of their records."""
        options = {"hive_partitioning": bool(self.partitions)}
        hive = {"hive_types": dict(self.partitions)} if self.partitions else {}
        return relations.reader("read_parquet", [literal_path(file) for file in self.files], {**options, **hive})

    def value(self, column: str, kind: str) -> Expression:
        """A column of all files as a value of a type; NULL where these lack it."""
        if column in self.partitions:
            return quoted(column)
        name = self.name_of(column)
        if name is None:
            return as_type(Expression("NULL"), kind)
        own = self.types[name]
        if own == kind:
            return quoted(name)
        if kind == TEXT and own in FLOATS:
            return expression(NUMBER_AS_TEXT, name=name)
        return as_type(quoted(name), kind)
