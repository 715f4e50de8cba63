"""Tables on stdout."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from anonduck.cli.terminal import line_width, on_one_line, plain, say

if TYPE_CHECKING:
    from rich.table import Table

STYLED = ("FORCE_COLOR", "TTY_COMPATIBLE")
"""Variables of the environment by which Rich styles what goes to a file, too."""
WIDE = 400
GAP = 2  # cells between columns
LEAST = 32  # cells for a column that wraps, before others give way to it


@dataclass(frozen=True)
class Pieces:
    """A cell that goes on in the next line after a whole piece of it; ``text`` is it all, where there is room."""

    pieces: tuple[str, ...]
    text: str


def figure(value: float | None) -> str:
    """A number of four digits; empty for none."""
    return "" if value is None else f"{value:.4f}"


def in_terminal() -> bool:
    """Whether tables are read in a terminal, or where COLUMNS says how wide, and so are as wide as that."""
    return line_width() is not None


def print_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    *,
    right: Sequence[str] = (),
    wraps: str | None = None,
    give_way: Sequence[str] = (),
) -> None:
    """Print a plain table.

    It is as wide as it needs where stdout is no terminal and COLUMNS is not set.
    Else, the column ``wraps`` gets all the width that the others leave, and goes on in the next line, between
    Pieces or words; where they leave it too little, those named in ``give_way`` are left out, the first one first, and
    that is said.
    """
    room = line_width()
    terminal = room is not None
    if not terminal and (lines := _plain_lines(columns, rows, right)) is not None:
        click.echo("\n".join(lines), color=True)
        return
    from rich.console import Console

    console = Console(width=room or WIDE, soft_wrap=False, emoji=False)
    cells = [[_cell(value) for value in row] for row in rows]
    kept = _fitting(columns, cells, console.width, wraps, give_way) if terminal else list(columns)
    if terminal and wraps is not None:
        cells = _wrapped(columns, rows, cells, kept, wraps, console.width)
    places = [columns.index(name) for name in kept]
    with console.capture() as shown:
        console.print(_table(kept, [[row[place] for place in places] for row in cells], right), markup=False)
    click.echo(shown.get(), nl=False, color=True)
    left_out = [name for name in columns if name not in kept]
    if left_out:
        say(f"left out for want of width: {', '.join(left_out)}; a wider terminal or --json shows all")


def _plain_lines(columns: Sequence[str], rows: Sequence[Sequence[Any]], right: Sequence[str]) -> list[str] | None:
    """The lines of a table in a file, as Rich, which takes long to load, lays them out; None where only Rich can."""
    cells = [[_cell(value) for value in row] for row in rows]
    texts = [[plain(name) for name in columns], *cells]
    whole = all(text.isascii() and text.isprintable() and text == text.strip() for row in texts for text in row)
    if not whole or any(os.environ.get(name) for name in STYLED):
        return None
    needs = [max(map(len, column)) for column in zip(*texts, strict=True)]
    if sum(needs) + GAP * (len(needs) - 1) > WIDE:
        return None
    place = [str.rjust if name in right else str.ljust for name in columns]
    return [
        (" " * GAP).join(one(text, need) for one, text, need in zip(place, row, needs, strict=True)) for row in texts
    ]


def _wrapped(
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    cells: Sequence[Sequence[str]],
    kept: Sequence[str],
    wraps: str,
    width: int,
) -> list[list[str]]:
    """The cells with line breaks between the pieces of the column that wraps, where they do not fit in one line."""
    needs = _needs(columns, cells)
    room = width - sum(needs[name] + GAP for name in kept if name != wraps)
    at = columns.index(wraps)
    return [
        [_lines(value, room) if place == at and isinstance(value, Pieces) else cell for place, (value, cell) in each]
        for each in (enumerate(zip(row, shown, strict=True)) for row, shown in zip(rows, cells, strict=True))
    ]


def _lines(cell: Pieces, room: int) -> str:
    """Pieces, as many in a line as there is room for.

    >>> _lines(Pieces(("age=3", "sex=0", "job=1"), ""), 13)
    'age=3, sex=0,\\njob=1'
    """
    from rich.cells import cell_len

    lines: list[str] = []
    shown = [on_one_line(piece) + "," for piece in cell.pieces[:-1]] + [on_one_line(cell.pieces[-1])]
    for piece in shown:
        if lines and cell_len(lines[-1]) + 1 + cell_len(piece) <= room:
            lines[-1] += f" {piece}"
        else:
            lines.append(piece)
    return "\n".join(lines)


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
    needs = _needs(columns, cells)
    if wraps is not None:
        needs[wraps] = min(needs[wraps], LEAST)
    kept = list(columns)
    for name in give_way:
        if sum(needs[one] + GAP for one in kept) - GAP <= width:
            break
        if name in kept:
            kept.remove(name)
    return kept


def _needs(columns: Sequence[str], cells: Sequence[Sequence[str]]) -> dict[str, int]:
    """The width that each column needs for its longest cell."""
    from rich.cells import cell_len

    return {name: max(map(cell_len, (name, *texts))) for name, *texts in zip(columns, *cells, strict=True)}


def _cell(value: Any) -> str:
    return "" if value is None else on_one_line(value.text if isinstance(value, Pieces) else str(value))
