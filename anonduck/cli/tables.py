"""Tables on stdout."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from anonduck.cli.terminal import on_one_line, plain, say

if TYPE_CHECKING:
    from rich.table import Table

WIDE = 400
LEAST = 32  # cells for a column that wraps, before others give way to it


def print_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    *,
    right: Sequence[str] = (),
    wraps: str | None = None,
    give_way: Sequence[str] = (),
) -> None:
    """A plain table on stdout; as wide as it needs where stdout is no terminal.

    In a terminal, the column ``wraps`` goes on in the next line after a comma; where the others leave it too little
    room, those named in ``give_way`` are left out, the first one first, and that is said.
    """
    from rich.console import Console

    terminal = sys.stdout.isatty()
    console = Console(width=None if terminal else WIDE, soft_wrap=False)
    cells = [[_cell(value) for value in row] for row in rows]
    kept = list(columns)
    if terminal:
        if wraps is not None:
            at = kept.index(wraps)
            cells = [
                [text.replace(",", ", ") if place == at else text for place, text in enumerate(row)] for row in cells
            ]
        kept = _fitting(columns, cells, console.width, wraps, give_way)
    places = [columns.index(name) for name in kept]
    console.print(_table(kept, [[row[place] for place in places] for row in cells], right), markup=False)
    left_out = [name for name in columns if name not in kept]
    if left_out:
        say(f"left out for want of width: {', '.join(left_out)}; a wider terminal shows all, and so does --json")


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[str]) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in columns:
        table.add_column(
            plain(name), justify="right" if name in right else "left", no_wrap=name in right, overflow="fold"
        )
    for row in rows:
        table.add_row(*row)
    return table


def _fitting(
    columns: Sequence[str], cells: Sequence[Sequence[str]], width: int, wraps: str | None, give_way: Sequence[str]
) -> list[str]:
    """The columns that fit a width, with some room for the one that wraps."""
    from rich.cells import cell_len

    needs = {name: max(map(cell_len, (name, *texts))) for name, *texts in zip(columns, *cells, strict=True)}
    if wraps is not None:
        needs[wraps] = min(needs[wraps], LEAST)
    kept = list(columns)
    for name in give_way:
        if sum(needs[one] + 1 for one in kept) - 1 <= width:
            break
        if name in kept:
            kept.remove(name)
    return kept


def _cell(value: Any) -> str:
    return "" if value is None else on_one_line(str(value))
