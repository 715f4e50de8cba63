"""Bounds: a release whose ranges are two columns, from and to, of the type of the source, as its query files list them.

The labels of a column are ``b0`` where it is the first of those whose ends are shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from anonduck.release.recoded_columns import when
from anonduck.statements import Statement, statement
from anonduck.statements.column_types import DATE
from anonduck.statements.expansion import Expression, Item, expression
from anonduck.statements.pipeline.builder_release import ReleasedColumn
from anonduck.statements.pipeline.column_names import RECORDS, value_column

GIVEN = "given_bounds"
End = Literal["from", "to"]
FROM: End = "from"
TO: End = "to"
ENDS = (FROM, TO)


@dataclass(frozen=True)
class BoundColumn:
    """An end of the ranges of a quasi-identifier: the least, or the largest, value that a record may have.

    ``of`` is the quasi-identifier. ``itself`` says that each record shows its value there, which is both ends.
    """

    name: str
    of: str
    end: End
    itself: bool = False

    generalized = True
    distinguishes = True
    typed = True


def bounds_table(name: str) -> str:
    """The temporary table of the bounds of a column's labels."""
    return f"{name} bounds"


def bounds_of(name: str, kind: str) -> Statement:
    """``"<column> bounds"``: by label of GIVEN its ends in the type of the column, and the label of equal ends."""
    return statement(
        "release/bounds.sql",
        table={"ends": bounds_table(name)},
        lists={"dates": when(kind == DATE)},
        fields={"kind": Expression(kind)},
    )


def grouped_bounds(names: Sequence[str], split: Sequence[BoundColumn]) -> Statement:
    """``release_rows`` with the columns of ``split``, beside its columns ``names``; labels of equal ends become one."""
    labelled = split_columns(split)
    shown = {name: expression('s."{name}"', name=name) for name in names if name != RECORDS}
    shown |= {value_column(name): expression("b{place}.alike", place=place) for place, name in enumerate(labelled)}
    shown |= {value_column(one.name): _bound(one, labelled, "s", value_column(one.of)) for one in split}
    columns = [{"name": name, "shown": value} for name, value in shown.items()]
    return statement("release/grouped_bounds.sql", lists={"columns": columns, "labelled": labelled})


def split_columns(columns: Sequence[ReleasedColumn]) -> list[str]:
    """The quasi-identifiers whose labels are looked up for their ends."""
    split = [one for one in columns if isinstance(one, BoundColumn)]
    return list(dict.fromkeys(one.of for one in split if not one.itself))


def _bound(column: BoundColumn, labelled: Sequence[str], of: str, value: str) -> Expression:
    if column.itself:
        return expression('{of}."{value}"', of=Expression(of), value=value)
    return expression("b{place}.bound_{end}", place=labelled.index(column.of), end=Expression(column.end))


def bounded_shown(columns: Sequence[ReleasedColumn]) -> list[Item]:
    """What each column of a release with ends shows of ``r``, its row by labels."""
    labelled = split_columns(columns)
    return [
        {
            "name": one.name,
            "shown": _bound(one, labelled, "r", one.of)
            if isinstance(one, BoundColumn)
            else expression('r."{name}"', name=one.name),
        }
        for one in columns
    ]
