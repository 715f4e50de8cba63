"""Statements that bring the classes of two releases together; their shape depends on the number of columns.

Grouped tables name columns ``a_1, a_2, ...``: first the quasi-identifiers that both releases have, then what both keep
as it is, then the other quasi-identifiers of that release.
"""

from __future__ import annotations

from collections.abc import Sequence

from anonduck.statements.builder_attack import with_label
from anonduck.statements.expressions import created_table
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp


def chosen(table: str, numbered: str, numbers: Sequence[int]) -> Statement:
    """``table``: the rows of a grouped table whose rows have a number ``cell``, with only those of its columns."""
    values = [f"a_{number} AS a_{place}" for place, number in enumerate(numbers, start=1)]
    return created_table(
        "builder_composition.chosen",
        table,
        exp.select("cell", *values, "records", dialect=DIALECT).from_(numbered),
        temporary=True,
    )


def cells(
    table: str,
    grouped: str,
    labelled: Sequence[int],
    kept: Sequence[int],
    others: Sequence[int],
    *,
    persons: bool,
    numbered: bool = False,
) -> Statement:
    """``table``: class and cell, numbers; the label of each of the labelled columns; the kept columns; records.

    A class is a combination of labelled and other columns. ``persons``: what is kept is a key of persons, so that the
    rows of a cell are one person. ``numbered``: the grouped table has the numbers of its cells.
    """
    columns = [f"s.a_{number}" for number in (*labelled, *others)]
    select = exp.select(
        f"dense_rank() OVER (ORDER BY {', '.join(columns)}) AS class" if columns else "1::BIGINT AS class",
        "s.cell" if numbered else "row_number() OVER () AS cell",
        *[f"b{number}.label AS l_{number}" for number in labelled],
        *[f"s.a_{number}" for number in kept],
        "1::BIGINT AS records" if persons else "s.records",
        dialect=DIALECT,
    ).from_(f"{grouped} AS s", dialect=DIALECT)
    for number in labelled:
        select = with_label(select, number)
    return created_table("builder_composition.cells", table, select, temporary=True)


def overlaps(labelled: Sequence[int], kept: Sequence[int]) -> Statement:
    """``overlapping_cells``: each pair of cells of later_cells and earlier_cells that one person can be in.

    They have compatible labels and agree in the kept columns. Columns: later and earlier, the classes; later_cell and
    earlier_cell; later_records and earlier_records.
    """
    select = exp.select(
        "later.class AS later",
        "earlier.class AS earlier",
        "later.cell AS later_cell",
        "earlier.cell AS earlier_cell",
        "later.records AS later_records",
        "earlier.records AS earlier_records",
        dialect=DIALECT,
    ).from_("later_cells AS later", dialect=DIALECT)
    for number in labelled:
        select = select.join(
            f"compatible AS c{number}",
            on=f"c{number}.attribute = {number} AND c{number}.later = later.l_{number}",
            dialect=DIALECT,
        )
    alike = [
        *[f"earlier.l_{number} = c{number}.earlier" for number in labelled],
        *[f"earlier.a_{number} IS NOT DISTINCT FROM later.a_{number}" for number in kept],
    ]
    return created_table(
        "builder_composition.overlaps",
        "overlapping_cells",
        select.join("earlier_cells AS earlier", on=" AND ".join(alike), dialect=DIALECT),
        temporary=True,
    )
