"""Statements over the frequency set: one column list, or one lookup join, per column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonduck.statements.expressions import created_table, quoted
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp

RECORDS = "#records"
CELL = "#cell"
CLASS = "#class"
CODED_SENSITIVE = "coded_sensitive_set"


def value_column(name: str) -> str:
    """The name of a source column's raw values in the frequency set."""
    return f"{name}@value"


def code_column(name: str, level: int) -> str:
    """The name of a source column's node codes at one level in the coded frequency set."""
    return f"{name}@{level}"


def summed_records(table: str = "s") -> exp.Expr:
    """The records of a group, called as in the frequency set."""
    records = exp.cast(exp.Sum(this=quoted(RECORDS, table)), "BIGINT", dialect=DIALECT)
    return exp.alias_(records, RECORDS, quoted=True)


def frequency_set(table: str, columns: Sequence[str]) -> Statement:
    """One row per distinct combination of the columns' values in ``source``, with its number of records."""
    return created_table("builder_frequency.frequency_set", table, _counted(columns), copy=False)


def counted_again(table: str, columns: Sequence[str], held: str) -> Statement:
    """The frequency set of some columns, from that of these and others."""
    values = [quoted(value_column(name)) for name in columns]
    select = exp.select(*values, summed_records("s")).from_(exp.alias_(exp.to_table(held), "s", table=True))
    grouped = select.group_by(*(one.copy() for one in values))
    return created_table("builder_frequency.counted_again", table, grouped, copy=False)


def counted_source(columns: Sequence[str], source: str) -> Statement:
    """The rows of the frequency set, from a query of the source's rows in place of the view ``source``."""
    rows: exp.Expr = exp.maybe_parse(source, dialect=DIALECT)
    select = _counted(columns).with_("source", as_=rows)
    return Statement("builder_frequency.counted_source", select.sql(DIALECT, pretty=True))


def regrouped_set(table: str, columns: Sequence[str], fetched: str) -> Statement:
    """The frequency set of what an engine counted: c0, c1, ... are the columns in order, the last their records.

    It is grouped once more, as an engine may distinguish values that are equal here, such as the two zeros.
    """
    held = [exp.column(f"c{place}") for place in range(len(columns))]
    values = [exp.alias_(one, value_column(name), quoted=True) for one, name in zip(held, columns, strict=True)]
    records = exp.cast(exp.Sum(this=exp.column(f"c{len(columns)}")), "BIGINT")
    select = exp.select(*values, exp.alias_(records, RECORDS, quoted=True)).from_(fetched)
    return created_table(
        "builder_frequency.regrouped_set", table, select.group_by(*(one.copy() for one in held)), copy=False
    )


def _counted(columns: Sequence[str]) -> exp.Select:
    count = exp.alias_(exp.Count(this=exp.Star()), RECORDS, quoted=True)
    return _values(columns).select(count).from_("source").group_by(*[quoted(name) for name in columns])


def _values(columns: Sequence[str]) -> exp.Select:
    return exp.select(*[exp.alias_(quoted(name), value_column(name), quoted=True) for name in columns])


def coded_frequency_set(
    table: str,
    roots: Mapping[str, int],
    class_name: str,
    *,
    frequency: str = "frequency_set",
    kept: Mapping[str, str] | None = None,
) -> Statement:
    """The frequency set with one node code per attribute and level under its root; NULL is code 0.

    ``kept`` names columns of the source whose values stay, and how they are called then.
    """
    codes: list[exp.Expr] = []
    select = exp.select().from_(exp.alias_(exp.to_table(frequency), "f", table=True))
    for number, (name, root) in enumerate(roots.items()):
        alias = f"l{number}"
        select = select.join(
            exp.alias_(exp.table_(name, db="lookup", quoted=True), alias, table=True),
            on=exp.EQ(this=quoted(value_column(name), "f"), expression=exp.column("value", table=alias)),
            join_type="left",
            copy=False,
        )
        codes += [_code(alias, level, name) for level in range(root)]
    select = select.join(
        exp.alias_(exp.to_table("class_values"), "c", table=True),
        on=exp.EQ(this=quoted(value_column(class_name), "f"), expression=exp.column("value", table="c")),
        join_type="left",
    )
    class_code = exp.alias_(
        exp.func("coalesce", exp.column("code", table="c"), exp.Literal.number(0)), CLASS, quoted=True
    )
    values = [exp.alias_(quoted(value_column(name), "f"), called, quoted=True) for name, called in (kept or {}).items()]
    select = select.select(*codes, class_code, *values, quoted(RECORDS, "f"), copy=False)
    return created_table("builder_frequency.coded_frequency_set", table, select, copy=False)


def widened_set(table: str, roots: Mapping[str, int], folds: int) -> Statement:
    """The numbered cells (``coded_numbered``) with the codes of every level under each root, as the leaves' lookups
    have them, and their records in each fold (``cell_folds``), in the order of the cells."""
    select = exp.select(quoted(CELL, "n")).from_(exp.alias_(exp.to_table("coded_numbered"), "n", table=True))
    for number, (name, root) in enumerate(roots.items()):
        alias, leaf = f"l{number}", quoted(code_column(name, 0), "n")
        if root > 1:
            on = exp.EQ(this=leaf.copy(), expression=exp.column("code_0", table=alias))
            held = exp.alias_(exp.table_(name, db="lookup", quoted=True), alias, table=True)
            select = select.join(held, on=on, join_type="left", copy=False)
        select = select.select(leaf, *(_code(alias, level, name) for level in range(1, root)), copy=False)
    on = exp.EQ(this=quoted(CELL, "n"), expression=quoted(CELL, "f"))
    select = select.join(exp.alias_(exp.to_table("cell_folds"), "f", table=True), on=on, join_type="left", copy=False)
    select = select.select(quoted(CLASS, "n"), quoted(RECORDS, "n"), copy=False)
    select = select.select(*(_records_in(f"#fold_{number}") for number in range(folds)), copy=False)
    ordered = select.order_by(quoted(CELL, "n"), copy=False)
    return created_table("builder_frequency.widened_set", table, ordered, copy=False)


def _records_in(fold: str) -> exp.Expr:
    held = exp.func("coalesce", quoted(fold, "f"), exp.Literal.number(0))
    return exp.alias_(exp.cast(held, "BIGINT"), fold, quoted=True)


def _code(alias: str, level: int, name: str) -> exp.Expr:
    code = exp.func("coalesce", exp.column(f"code_{level}", table=alias), exp.Literal.number(0))
    return exp.alias_(code, code_column(name, level), quoted=True)
