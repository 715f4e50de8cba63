"""The columns of a release by swapping, as its query files list them: ``s`` is a record's row in a set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anonduck.statements import Statement, statement
from anonduck.statements.column_types import TEXT
from anonduck.statements.expansion import Expression, Item, expression
from anonduck.statements.literals import literal
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA
from anonduck.statements.pipeline.column_names import value_column

SWAP_SET = "swap_set"  # the rows of release_set as they are shown, numbered in their order
SWAPS = "given_swaps"  # whose values each record shows, by block; registered, and never written
RARE_GIVEN = "given_rare"  # by leaf code of a rare value the leaf code, or the text, that stands for it; registered


@dataclass(frozen=True)
class SwappedColumn:
    """A quasi-identifier of a release by swapping: values of its type ``kind``, those over ``top`` shown as that, or
    labels of a ``level`` of its taxonomy.

    Where values are ``rare``, they show what ``rare_table`` says; ``labelled`` columns are texts, as some show labels.
    """

    name: str
    kind: str
    level: int = 0
    top: float | None = None
    floating: bool = False
    rare: bool = False
    labelled: bool = False

    generalized = True
    distinguishes = True
    typed = True


def rare_table(name: str) -> str:
    """The temporary table of a column's rare values with what each shows."""
    return f"{name} rare values"


def swap_set(
    columns: Sequence[SwappedColumn],
    kept: Sequence[str],
    *,
    rows: str = "release_set",
    made: str = SWAP_SET,
    beside: Sequence[str] = (),
) -> Statement:
    """``made``: what each of the ``rows`` shows, with a number, from 0, in the order of all values.

    ``beside`` are columns of ``rows`` that hold no values of the source.
    """
    placed = [{"name": column.name, "place": place} for place, column in enumerate(columns)]
    lists: dict[str, Sequence[Item]] = {
        "columns": [{"name": one.name, "shown": _shown(one, place)} for place, one in enumerate(columns)],
        "beside": [*map(value_column, kept), *beside],
        "lookups": [item for item, one in zip(placed, columns, strict=True) if one.level],
        "rare": [item for item, one in zip(placed, columns, strict=True) if one.rare],
    }
    return statement("release/swap_set.sql", table={"held": rows, "numbered": made}, lists=lists)


def _shown(column: SwappedColumn, place: int) -> Expression:
    value = expression('s."{name}"', name=value_column(column.name))
    given = {"value": value, "place": place, "level": column.level, "kind": Expression(column.kind)}
    if column.level:
        return expression("l{place}.level_{level}", **given)
    own = "CASE WHEN {value} = 0 THEN 0 ELSE {value} END" if column.floating else "{value}"
    if column.rare:
        own = f"CAST({own} AS {TEXT})" if column.labelled else own
        return expression(f"CASE WHEN r{{place}}.rare THEN r{{place}}.shown ELSE {own} END", **given)
    if column.top is None:
        return expression(own, **given)
    given["top"] = literal(float(column.top))
    return expression(f"CASE WHEN {{value}} > {{top}}::{{kind}} THEN {{top}}::{{kind}} ELSE {own} END", **given)


def rare_shown(name: str, kind: str | None) -> Statement:
    """``rare_table`` of what RARE_GIVEN says: a value of the column, or a text read as its DuckDB type ``kind``.

    None stands for a column that shows texts.
    """
    return statement(
        "release/rare_shown.sql",
        table={"lookup": (LOOKUP_SCHEMA, name), "rare_values": rare_table(name)},
        lists={"typed": [] if kind is None else [{"kind": Expression(kind)}]},
    )


def swapped_rows(columns: Sequence[str], blocks: Sequence[Sequence[str]]) -> Statement:
    """``release_rows``: each distinct row of the release with its records.

    Columns of block number i are taken from the row ``b<i>`` of ``given_swaps``, all others from the record's own row.
    """
    block_of = {name: f"b{number}" for number, block in enumerate(blocks) for name in block}
    shown = [{"name": name, "row": Expression(block_of.get(name, "own"))} for name in columns]
    return statement("release/swapped_rows.sql", lists={"columns": shown, "blocks": [{} for _ in blocks]})
