"""The tables of the page stand between markers; writing the page replaces what is between them."""

from __future__ import annotations

from pathlib import Path

from benchmarks.real_data.tables import make_tables


def write_page(page: Path, results: Path) -> None:
    """Replace each table of the page for which there are results; raises ValueError for a marker without its end."""
    page.write_text(with_tables(page.read_text(encoding="utf-8"), make_tables(results)), encoding="utf-8")


def with_tables(text: str, tables: dict[str, str]) -> str:
    """The text with the tables between ``<!-- table NAME -->`` and ``<!-- end NAME -->``."""
    for name, content in tables.items():
        opening, closing = f"<!-- table {name} -->", f"<!-- end {name} -->"
        before, found, rest = text.partition(opening)
        if not found:
            continue
        _, ended, after = rest.partition(closing)
        if not ended:
            raise ValueError(f"the page opens the table {name} and does not close it with {closing}")
        text = f"{before}{opening}\n{content}\n{closing}{after}"
    return text
