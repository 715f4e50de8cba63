"""How values go with the bins of other columns: one scan for all clustered columns, then one query for each."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from anonduck.statements.expressions import quoted
from anonduck.statements.pipeline.builder_frequency import RECORDS, value_column
from anonduck.statements.template import DIALECT, Statement

BINNED = "binned_frequency"


def bins_table(number: int) -> str:
    """The temporary table of the bins of the column of that number."""
    return f"bins_{number}"


def binned_frequency(columns: Sequence[str], leaves: Sequence[str], frequency: str) -> Statement:
    """Writes the temporary table ``binned_frequency``: bin_N of the column of number N, leaf_N (its value's position)
    of those among ``leaves``, 0 for NULL, and the records. Reads bins_N."""
    names, joins = [], []
    for number, column in enumerate(columns):
        alias = f"b{number}"
        names += [_or_null(alias, "bin", f"bin_{number}", "UTINYINT")]
        names += [_or_null(alias, "position", f"leaf_{number}", "INTEGER")] if column in leaves else []
        on = exp.EQ(this=quoted(value_column(column), "f"), expression=exp.column("value", table=alias))
        table = exp.alias_(exp.to_table(bins_table(number)), alias, table=True, copy=False)
        joins.append(exp.Join(this=table, on=on, side="LEFT"))
    select = exp.select(*names, quoted(RECORDS, "f"), copy=False)
    select = select.from_(exp.alias_(exp.to_table(frequency), "f", table=True, copy=False), copy=False)
    select.set("joins", joins)
    temporary = exp.Properties(expressions=[exp.TemporaryProperty()])
    create = exp.Create(this=exp.to_table(BINNED), kind="TABLE", replace=True, properties=temporary, expression=select)
    return Statement("builder_clusters.binned_frequency", create.sql(DIALECT, pretty=True, copy=False))


def _or_null(alias: str, name: str, called: str, kind: str) -> exp.Expr:
    value = exp.func("coalesce", exp.column(name, table=alias), exp.Literal.number(0), copy=False)
    return exp.alias_(exp.cast(value, kind, copy=False, dialect=DIALECT), called, copy=False)


def described_leaves(leaf: int, describing: Sequence[int]) -> Statement:
    """The records of each leaf in each bin: describer (its place among ``describing``, from 0), leaf, bin, records.

    ``leaf`` and ``describing`` are numbers of columns of ``binned_frequency``; NULL is no leaf.
    """
    parts = [_described(place, f"leaf_{leaf}", f"bin_{number}") for place, number in enumerate(describing)]
    text = " UNION ALL ".join(part.sql(DIALECT, copy=False) for part in parts)
    return Statement("builder_clusters.described_leaves", text)


def _described(place: int, leaf: str, bin_: str) -> exp.Select:
    records = exp.cast(exp.Sum(this=quoted(RECORDS)), "DOUBLE", copy=False)
    named = {"leaf": exp.column(leaf), "bin": exp.column(bin_), "records": records}
    columns = [exp.alias_(one, name, copy=False) for name, one in named.items()]
    select = exp.select(exp.alias_(exp.Literal.number(place), "describer", copy=False), *columns, copy=False)
    select = select.from_(exp.to_table(BINNED), copy=False)
    select = select.where(exp.GT(this=exp.column(leaf), expression=exp.Literal.number(0)), copy=False)
    return select.group_by(exp.column(leaf), exp.column(bin_), copy=False)
