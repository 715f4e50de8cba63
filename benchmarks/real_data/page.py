"""The tables of the pages stand between markers; writing a page replaces what is between them."""

from __future__ import annotations

from pathlib import Path

from benchmarks.real_data.frontier_tables import make_frontier_tables

PAGES = {"search.md": make_frontier_tables}


def write_pages(folder: Path, results: Path) -> None:
    """Replace each table of the pages for which there are results; raises ValueError for a marker without its end."""
    for name, tables in PAGES.items():
        page = folder / name
        page.write_text(with_tables(page.read_text(encoding="utf-8"), tables(results)), encoding="utf-8")


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
