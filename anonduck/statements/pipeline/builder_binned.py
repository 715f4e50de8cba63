"""Statements of how values go together with those of other columns, by which nominal taxonomies are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonduck.statements.expressions import created_table, quoted
from anonduck.statements.pipeline.column_names import RECORDS, value_column
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp

BINNED = "binned_frequency"
NUMBERED = "numbered_frequency"
ROW = "#row"


def bins_table(number: int) -> str:
    """The temporary table of the bins of the column of that number."""
    return f"bins_{number}"


def part_table(first: int) -> str:
    """The temporary table of the bins of the columns from that number on."""
    return f"binned_from_{first}"


def numbered_frequency(columns: Sequence[str], frequency: str) -> Statement:
    """Writes the temporary table ``numbered_frequency``: the values of some columns, the records, and ``#row``."""
    number = exp.Window(this=exp.Anonymous(this="row_number"))
    names = [*(quoted(value_column(column)) for column in columns), quoted(RECORDS)]
    select = exp.select(exp.alias_(number, ROW, quoted=True), *names, copy=False).from_(exp.to_table(frequency))
    return created_table("builder_binned.numbered_frequency", NUMBERED, select, temporary=True, copy=False)


def binned_part(columns: Sequence[str], leaves: Sequence[str], first: int) -> Statement:
    """Writes the temporary table ``binned_from_N`` with the bins of some columns, of which the first has number N, of
    each row of ``numbered_frequency``; see ``binned_frequency``."""
    select = _binned(columns, leaves, NUMBERED, first).select(quoted(ROW, "f"), copy=False)
    return created_table("builder_binned.binned_part", part_table(first), select, temporary=True, copy=False)


def binned_of_parts(parts: Mapping[int, Sequence[str]]) -> Statement:
    """Writes ``binned_frequency`` of its parts: by the number of the first column of each, their columns there."""
    names, joins = [quoted(RECORDS, "f")], []
    for first, held in parts.items():
        alias = f"p{first}"
        names += [exp.column(name, table=alias) for name in held]
        table = exp.alias_(exp.to_table(part_table(first)), alias, table=True, copy=False)
        joins.append(exp.Join(this=table, on=exp.EQ(this=quoted(ROW, "f"), expression=quoted(ROW, alias))))
    select = exp.select(*names, copy=False)
    select = select.from_(exp.alias_(exp.to_table(NUMBERED), "f", table=True, copy=False), copy=False)
    select.set("joins", joins)
    return created_table("builder_binned.binned_of_parts", BINNED, select, temporary=True, copy=False)


def binned_names(columns: Sequence[str], leaves: Sequence[str], first: int = 0) -> list[str]:
    """The columns of ``binned_frequency`` that are of some columns, of which the first has the number ``first``."""
    numbered = list(enumerate(columns, start=first))
    return [f"bin_{number}" for number, _ in numbered] + [
        f"leaf_{number}" for number, column in numbered if column in leaves
    ]


def binned_frequency(columns: Sequence[str], leaves: Sequence[str], frequency: str) -> Statement:
    """Writes the temporary table ``binned_frequency``: bin_N of the column of number N, leaf_N (its value's position)
    of those among ``leaves``, 0 for NULL, and the records. Reads bins_N."""
    select = _binned(columns, leaves, frequency, 0).select(quoted(RECORDS, "f"), copy=False)
    return created_table("builder_binned.binned_frequency", BINNED, select, temporary=True, copy=False)


def _binned(columns: Sequence[str], leaves: Sequence[str], frequency: str, first: int) -> exp.Select:
    names, joins = [], []
    for number, column in enumerate(columns, start=first):
        alias = f"b{number}"
        names += [_or_null(alias, "bin", f"bin_{number}", "UTINYINT")]
        names += [_or_null(alias, "position", f"leaf_{number}", "INTEGER")] if column in leaves else []
        on = exp.EQ(this=quoted(value_column(column), "f"), expression=exp.column("value", table=alias))
        table = exp.alias_(exp.to_table(bins_table(number)), alias, table=True, copy=False)
        joins.append(exp.Join(this=table, on=on, side="LEFT"))
    select = exp.select(*names, copy=False)
    select = select.from_(exp.alias_(exp.to_table(frequency), "f", table=True, copy=False), copy=False)
    select.set("joins", joins)
    return select


def _or_null(alias: str, name: str, called: str, kind: str) -> exp.Expr:
    value = exp.func("coalesce", exp.column(name, table=alias), exp.Literal.number(0), copy=False)
    return exp.alias_(exp.cast(value, kind, copy=False, dialect=DIALECT), called, copy=False)


def described_leaves(leaf: int, describing: Sequence[int]) -> Statement:
    """The records of each leaf in each bin: describer (its place among ``describing``, from 0), leaf, bin, records.

    ``leaf`` and ``describing`` are numbers of columns of ``binned_frequency``; NULL is no leaf.
    """
    parts = [_described(place, f"leaf_{leaf}", f"bin_{number}") for place, number in enumerate(describing)]
    text = " UNION ALL ".join(part.sql(DIALECT, copy=False) for part in parts)
    return Statement("builder_binned.described_leaves", text)


def _described(place: int, leaf: str, bin_: str) -> exp.Select:
    records = exp.cast(exp.Sum(this=quoted(RECORDS)), "DOUBLE", copy=False)
    named = {"leaf": exp.column(leaf), "bin": exp.column(bin_), "records": records}
    columns = [exp.alias_(one, name, copy=False) for name, one in named.items()]
    select = exp.select(exp.alias_(exp.Literal.number(place), "describer", copy=False), *columns, copy=False)
    select = select.from_(exp.to_table(BINNED), copy=False)
    select = select.where(exp.GT(this=exp.column(leaf), expression=exp.Literal.number(0)), copy=False)
    return select.group_by(exp.column(leaf), exp.column(bin_), copy=False)
