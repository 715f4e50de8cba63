"""How many records hold the values of columns, and the combinations of all columns, as one query of one scan.

DuckDB asks it of an audited file, and a warehouse of an audited table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from anonduck.statements.expansion import Expression, Item, expression, quoted
from anonduck.statements.template import Statement, statement, translated

Sets = Literal["both", "single", "whole"]
"""What is counted: the kept columns, the combinations of all columns, or both."""
ALL_COLUMNS = -1
NUMBERS = 4
"""How many columns of the result are numbers; after them comes what the flag holds."""
ROWS = Expression("count(*)")
TOGETHER = "GROUPING SETS (each(sets, (each(columns, {column}))))"
PERSONS = "count(DISTINCT {person}) + max(CASE WHEN {person} IS NULL THEN 1 ELSE 0 END)"


def sizes_of(
    table: str,
    kept: Sequence[str],
    others: Sequence[str],
    entity: str | None = None,
    *,
    records: str | None = None,
    sets: Sets = "both",
) -> Statement:
    """``group_sizes`` of a table or view in DuckDB; a row is as many records as its column ``records`` says."""
    held, rest = ([_column(name) for name in names] for names in (kept, others))
    person = None if entity is None else _column(entity)
    number = ROWS if records is None else expression('CAST(sum(t."{name}") AS BIGINT)', name=records)
    return group_sizes(quoted(table), held, rest, person, records=number, sets=sets)


def sizes_apart(table: str, kept: Sequence[str], others: Sequence[str], entity: str | None, dialect: str) -> str:
    """``group_sizes`` of a table or view in a dialect, the kept columns and all columns each counted by themselves.

    For sets that are grouped together Spark copies each record once a set, with all columns, and sorts the copies on
    disk where most combinations differ.
    """
    asked: list[Sets] = ["single", "whole"] if len(kept) + len(others) > 1 else ["single"]
    return "\nUNION ALL\n".join(translated(sizes_of(table, kept, others, entity, sets=one), dialect) for one in asked)


def group_sizes(
    rows: Expression,
    kept: Sequence[Expression],
    others: Sequence[Expression],
    person: Expression | None = None,
    *,
    records: Expression = ROWS,
    rounded: bool = False,
    sets: Sets = "both",
) -> Statement:
    """A row per place and number of holders: place, holders, held, records, and whether any row is ``rounded``.

    ``rows`` is called t, and ``kept`` has at least one column. Place 0 is the first kept column, ALL_COLUMNS stands for
    the combinations of kept and other columns; of one column in all, that is place 0 too. ``held`` values or
    combinations have so many ``holders``, in ``records`` records. A holder is a record, or a person. NULL is a value of
    its own, and one person. With ``sets``, there are only the places of the kept columns, or only ALL_COLUMNS.
    """
    sets_of = {place: [one] for place, one in enumerate(kept) if sets != "whole"}
    if len(kept) + len(others) > 1 and sets != "single":
        sets_of = {ALL_COLUMNS: [*kept, *others], **sets_of}
    placed = [_set(place, columns) for place, columns in sets_of.items()]
    several = len(placed) > 1
    grouped = [expression(TOGETHER, sets=placed)] if several else next(iter(sets_of.values()))
    lists: dict[str, list[Item]] = {
        "relation": [{"rows": rows}],
        "counts": [{"records": records, "holders": records if person is None else expression(PERSONS, person=person)}],
        "alone": [] if several else placed,
        "together": [{"sets": placed}] if several else [],
        "grouped": [{"columns": one} for one in grouped],
        "rounded": [{}] if rounded else [],
    }
    return statement("engines/group_sizes.sql", lists=lists)


def _set(place: int, columns: Sequence[Expression]) -> Item:
    """A set of columns that are grouped; of those that are grouped together, that of all columns alone has two."""
    named = [{"column": one} for one in columns]
    return {"place": place, "columns": named, "marked": named[:2]}


def _column(name: str) -> Expression:
    return expression('t."{name}"', name=name)
