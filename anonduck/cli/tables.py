"""Tables on stdout."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from anonduck.cli.terminal import on_one_line, plain


def print_table(columns: Sequence[str], rows: Sequence[Sequence[Any]], *, right: Sequence[str] = ()) -> None:
    """A plain table on stdout; as wide as it needs where stdout is no terminal."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in columns:
        table.add_column(
            plain(name), justify="right" if name in right else "left", no_wrap=name in right, overflow="fold"
        )
    for row in rows:
        table.add_row(*[_cell(value) for value in row])
    width = None if sys.stdout.isatty() else 400
    Console(width=width, soft_wrap=False).print(table, markup=False)


def _cell(value: Any) -> str:
    return "" if value is None else on_one_line(str(value))
