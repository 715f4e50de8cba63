"""Statements of a release by swapping: the numbered rows that are swapped, and the rows that result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anonduck.statements.column_types import TEXT
from anonduck.statements.expressions import created_table, is_null, one_zero, quoted
from anonduck.statements.pipeline.builder_classes import temporary
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA, with_lookup
from anonduck.statements.pipeline.column_names import RECORDS, value_column
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp

SWAP_SET = "swap_set"  # the rows of release_set as they are shown, numbered in their order
SWAPS = "given_swaps"  # whose values each record shows, by block; registered, and never written
ROW = "#row"
RARE_GIVEN = "given_rare"  # by leaf code of a rare value the leaf code, or the text, that stands for it; registered


@dataclass(frozen=True)
class SwappedColumn:
    """A quasi-identifier of a release by swapping: values of its type ``kind``, those over the parameter ``top`` shown
    as that, or labels of a ``level`` of its taxonomy.

    Where values are ``rare``, they show what ``rare_table`` says; ``labelled`` columns are texts, as some show labels.
    """

    name: str
    kind: str
    level: int = 0
    top: str | None = None
    floating: bool = False
    rare: bool = False
    labelled: bool = False

    generalized = True
    distinguishes = True
    typed = True


def swap_set(
    columns: Sequence[SwappedColumn],
    kept: Sequence[str],
    *,
    rows: str = "release_set",
    made: str = SWAP_SET,
    beside: Sequence[str] = (),
) -> Statement:
    """``made``: what each of the ``rows`` shows, with a number, from 0, in the order of all values.

    ``beside`` are columns of ``rows`` that hold no values of the source. Parameters: the ``top`` of columns.
    """
    shown = [_shown(column, number) for number, column in enumerate(columns)]
    names = [value_column(column.name) for column in columns] + [*map(value_column, kept), *beside]
    values = shown + [quoted(name, "s") for name in names[len(columns) :]]
    aliased = [exp.alias_(value, name, quoted=True) for value, name in zip(values, names, strict=True)]
    select = exp.select(*aliased, quoted(RECORDS, "s")).from_(exp.to_table(rows).as_("s", table=True))
    for number, column in enumerate(columns):
        if column.level:
            select = with_lookup(select, column.name, f"l{number}")
        if column.rare:
            rare, value = exp.table_(rare_table(column.name), quoted=True), quoted(value_column(column.name), "s")
            alike = exp.NullSafeEQ(this=exp.column("rare_value", table=f"r{number}"), expression=value)
            select = select.join(rare.as_(f"r{number}", table=True), on=alike, join_type="left")
    ordered = exp.Order(expressions=[exp.Ordered(this=quoted(name)) for name in names])
    rank = exp.Window(this=exp.Anonymous(this="row_number"), order=ordered)
    number_ = exp.alias_(exp.Sub(this=rank, expression=exp.Literal.number(1)), ROW, quoted=True)
    numbered = exp.select(exp.Star(), number_).from_(select.subquery("shown"))
    return temporary(made, numbered, "builder_swaps.swap_set", {one.top for one in columns if one.top})


def _shown(column: SwappedColumn, number: int) -> exp.Expr:
    if column.level:
        return exp.column(f"level_{column.level}", table=f"l{number}")
    value = quoted(value_column(column.name), "s")
    shown: exp.Expr = one_zero(value) if column.floating else value
    if column.rare:
        own = exp.cast(shown, TEXT, dialect=DIALECT) if column.labelled else shown
        rare = exp.column("rare", table=f"r{number}")
        return exp.Case().when(rare, exp.column("shown", table=f"r{number}")).else_(own)
    if column.top is None:
        return shown
    top = exp.cast(exp.Placeholder(this=column.top), column.kind, dialect=DIALECT)
    return exp.Case().when(exp.GT(this=value.copy(), expression=top), top.copy()).else_(shown)


def rare_table(name: str) -> str:
    """The temporary table of a column's rare values with what each shows: rare_value, shown, and rare, always true."""
    return f"{name} rare values"


def rare_shown(name: str, kind: str | None) -> Statement:
    """``rare_table`` of what RARE_GIVEN says: a value of the column, or a text read as its DuckDB type ``kind``.

    None stands for a column that shows texts.
    """
    lookup = exp.table_(name, db=LOOKUP_SCHEMA, quoted=True)
    made: exp.Expr = exp.column("made", table="g")
    stands: exp.Expr = exp.column("value", table="c")
    if kind is None:
        stands = exp.cast(stands, TEXT, dialect=DIALECT)
    else:
        made = exp.TryCast(this=made, to=exp.DataType.build(kind, dialect=DIALECT))
    select = exp.select(
        exp.alias_(exp.column("value", table="l"), "rare_value"),
        exp.alias_(exp.func("coalesce", stands, made), "shown"),
        exp.alias_(exp.true(), "rare"),
    ).from_(exp.to_table(RARE_GIVEN).as_("g", table=True))
    for alias, code in (("l", "code"), ("c", "stands")):
        on = exp.column("code_0", table=alias).eq(exp.column(code, table="g"))
        select = select.join(lookup.copy().as_(alias, table=True), on=on, join_type="left")
    return temporary(rare_table(name), select, "builder_swaps.rare_shown")


def unfit(name: str) -> Statement:
    """How many rare values of a column have nothing to show in its type."""
    select = exp.select(exp.alias_(exp.Count(this=exp.Star()), "values"))
    select = select.from_(exp.table_(rare_table(name), quoted=True)).where(is_null(exp.column("shown")))
    return Statement("builder_swaps.unfit", select.sql(DIALECT, pretty=True))


def swapped_rows(columns: Sequence[str], blocks: Sequence[Sequence[str]], table: str) -> Statement:
    """``table``: each distinct row of the release (``"<column>@value"``) with its records.

    ``columns`` are those of the release. Columns of block number i are taken from the row ``b<i>`` of ``given_swaps``,
    all others from the record's own row.
    """
    block_of = {name: f"b{number}" for number, block in enumerate(blocks) for name in block}
    select = exp.select()
    for name in columns:
        value = quoted(value_column(name), block_of.get(name, "own"))
        select = select.select(exp.alias_(value, value_column(name), quoted=True))
    select = select.select(exp.alias_(exp.Count(this=exp.Star()), RECORDS, quoted=True))
    select = select.from_(exp.to_table(SWAPS).as_("swap", table=True))
    for alias in ("own", *(f"b{number}" for number in range(len(blocks)))):
        rows = exp.to_table(SWAP_SET).as_(alias, table=True)
        select = select.join(rows, on=quoted(ROW, alias).eq(exp.column(alias, table="swap")))
    select.set("group", exp.Group(all=True))
    return created_table("builder_swaps.swapped_rows", table, select)
