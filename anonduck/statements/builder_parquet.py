"""Statements that read Parquet files of different types as one table, and that ask which types hold their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from anonduck.statements.column_types import BIGINT, FLOATS, TEXT
from anonduck.statements.expressions import is_null, quoted
from anonduck.statements.literals import literal_path
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp

LARGEST_WHOLE = 1 << 53


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


def schema_of(file: str) -> Statement:
    """A row for each column of one file, with its name and type first."""
    select = exp.select("*").from_(_read(ParquetGroup((file,), {})))
    return Statement("builder_parquet.schema_of", f"DESCRIBE {select.sql(DIALECT)}")


def held(group: ParquetGroup, columns: Sequence[str]) -> Statement:
    """One row: per column of some files, how many values it has; NULL is none."""
    counts = [exp.Count(this=quoted(name)) for name in columns]
    return Statement("builder_parquet.held", exp.select(*counts).from_(_read(group)).sql(DIALECT))


def misfits(group: ParquetGroup, asked: Sequence[tuple[str, str]]) -> Statement:
    """One row: per column of some files and type, how many of its values do not come back from that type unchanged."""
    counts = [exp.func("count_if", _changed(name, group.types[name], kind), dialect=DIALECT) for name, kind in asked]
    return Statement("builder_parquet.misfits", exp.select(*counts).from_(_read(group)).sql(DIALECT))


def united(groups: Sequence[ParquetGroup], types: Mapping[str, str]) -> exp.Expr:
    """The records of all files, with the columns ``types``; one that a file lacks is NULL there."""
    selects = [
        exp.select(*(exp.alias_(_value(group, name, kind), name, quoted=True) for name, kind in types.items())).from_(
            _read(group)
        )
        for group in groups
    ]
    all_of = selects[0] if len(selects) == 1 else exp.union(*selects, distinct=False)
    return all_of.subquery("files")


def _changed(name: str, kind: str, other: str) -> exp.Expr:
    # not TRY_CAST, which in DuckDB 1.5 fails on days that are too far away for nanoseconds
    there = exp.Cast(this=quoted(name), to=_type(other))
    back = exp.Try(this=exp.Cast(this=there, to=_type(kind)))
    return exp.NullSafeNEQ(this=back, expression=quoted(name))


def _value(group: ParquetGroup, column: str, kind: str) -> exp.Expr:
    if column in group.partitions:
        return quoted(column)
    name = group.name_of(column)
    if name is None:
        return exp.Cast(this=exp.null(), to=_type(kind))
    own = group.types[name]
    if own == kind:
        return quoted(name)
    cast = exp.Cast(this=quoted(name), to=_type(kind))
    return _number_as_text(name, cast) if kind == TEXT and own in FLOATS else cast


def _number_as_text(name: str, text: exp.Expr) -> exp.Expr:
    """A floating-point number as text: 2175 for 2175.0, as other files write the same number without a point."""
    whole, size = (exp.func(of, quoted(name), dialect=DIALECT) for of in ("trunc", "abs"))
    limit = exp.Literal.number(LARGEST_WHOLE)
    plain = exp.and_(exp.EQ(this=quoted(name), expression=whole), exp.LT(this=size, expression=limit))
    shown = exp.cast(exp.cast(quoted(name), BIGINT), TEXT)
    return exp.Case().when(is_null(quoted(name)), exp.null()).when(plain, shown).else_(text)


def _type(kind: str) -> exp.Expr:
    return exp.DataType(this=exp.DataType.Type.USERDEFINED, kind=kind)


def _read(group: ParquetGroup) -> exp.Expr:
    files = exp.Array(expressions=[exp.Literal.string(literal_path(file)) for file in group.files])
    arguments: list[exp.Expr] = [
        files,
        exp.EQ(this=exp.column("hive_partitioning"), expression=exp.convert(bool(group.partitions))),
    ]
    if group.partitions:
        kinds = [
            exp.PropertyEQ(this=exp.to_identifier(name, quoted=True), expression=exp.Literal.string(kind))
            for name, kind in group.partitions.items()
        ]
        arguments.append(exp.EQ(this=exp.column("hive_types"), expression=exp.Struct(expressions=kinds)))
    return exp.Table(this=exp.Anonymous(this="read_parquet", expressions=arguments))
