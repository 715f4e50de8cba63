"""The page of a paper: a text with slots, filled from the result file and from nothing else.

``{{NAME}}`` is a fact, ``{{table NAME}}`` a table of ours, ``{{printed NAME}}`` one that is too long for the page,
``{{compared WHERE; WHERE}}`` the comparisons of these places of the paper, ``{{grid WHERE}}`` the same with a column
for each last part of their cells, ``{{verdicts}}`` how many there are of each verdict. Outside slots, code and
references to places of a paper the text has no digit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.papers.measured import NONE, ROOT, VERDICTS, Comparison, Measured

TEXTS = Path(__file__).parent / "pages"
PAGES = ROOT / "docs" / "papers"
SLOT = re.compile(r"\{\{([^{}]+)\}\}")
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\([^)]*\)")
PLACE = re.compile(
    r"\b(sections?|figures?|tables?|equations?|algorithms?|definitions?|examples?|appendix|SECRYPT|Electronics|Sciences|SIGMOD|RQ|"
    r"et al\.)\s?\(?\d+(\.\d+)*(( to |, | and )\d+(\.\d+)*)*",
    re.IGNORECASE,
)


def page_text(measured: Measured) -> str:
    """The whole page in Markdown.

    Raises ValueError for a number in the text that is in no slot, a slot without a value, an empty cell, and what was
    measured but is shown nowhere.
    """
    text = (TEXTS / f"{measured.name}.md").read_text(encoding="utf-8")
    loose = PLACE.sub("", LINK.sub("]", CODE.sub("", SLOT.sub("", text))))
    if found := re.search(r"\S*(?<![A-Za-z\d])\d\S*", loose):
        raise ValueError(f"the text of {measured.name} has {found[0]!r} outside a slot")
    used: set[str] = set()

    def filled(match: re.Match[str]) -> str:
        used.add(match[1])
        return _value(measured, match[1])

    made = SLOT.sub(filled, text)
    asked = (slot.partition(" ")[2] for slot in used if slot.startswith(("compared ", "grid ")))
    shown = {place.strip() for places in asked for place in places.split(";")}
    if hidden := {one.where for one in measured.comparisons} - shown:
        raise ValueError(f"the text of {measured.name} shows no comparisons of {', '.join(sorted(hidden))}")
    if hidden := {f"table {name}" for name in measured.tables} - {one.replace("printed ", "table ", 1) for one in used}:
        raise ValueError(f"the text of {measured.name} shows no {', '.join(sorted(hidden))}")
    return made


def write_page(measured: Measured) -> None:
    """Write docs/papers/NAME.md."""
    PAGES.mkdir(exist_ok=True)
    (PAGES / f"{measured.name}.md").write_text(page_text(measured), encoding="utf-8")


def printed(measured: Measured) -> str:
    """All comparisons, all tables and all facts, as the command prints them."""
    tables = (f"\n{name}\n\n{markdown(one['columns'], one['rows'])}" for name, one in measured.tables.items())
    facts = (f"{name}: {text}" for name, text in measured.facts.items())
    return "\n".join([compared(measured.comparisons, named=True), *tables, "", *facts])


def _value(measured: Measured, slot: str) -> str:
    kind, _, rest = slot.partition(" ")
    if kind == "table" and rest in measured.tables:
        return markdown(measured.tables[rest]["columns"], measured.tables[rest]["rows"])
    if kind == "printed" and rest in measured.tables:
        return f"The command prints the table `{rest}`."
    if kind in ("compared", "grid"):
        places = [place.strip() for place in rest.split(";")]
        lacking = set(places) - {one.where for one in measured.comparisons}
        if not lacking:
            asked = [one for place in places for one in measured.comparisons if one.where == place]
            return grid(asked) if kind == "grid" else compared(asked, named=len(places) > 1)
    if slot == "verdicts":
        counts = Counter(one.verdict for one in measured.comparisons)
        return ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS)
    if slot == "command":
        return measured.command
    if slot in measured.facts:
        return measured.facts[slot]
    raise ValueError(f"the result of {measured.name} has nothing for the slot {slot!r}")


def compared(found: Iterable[Comparison], *, named: bool) -> str:
    """A table of comparisons; reasons where there are any."""
    found = list(found)
    columns = ["cell", "paper", "here", "difference", "verdict"]
    rows = [[one.cell, one.paper, one.ours, one.difference, one.verdict] for one in found]
    if any(one.why != NONE for one in found):
        columns, rows = [*columns, "why"], [[*row, one.why] for row, one in zip(rows, found, strict=True)]
    if named:
        columns, rows = ["where", *columns], [[one.where, *row] for row, one in zip(rows, found, strict=True)]
    return markdown(columns, rows)


def grid(found: Iterable[Comparison]) -> str:
    """A table with a row for each first part of the cells, up to their last comma, and a column for each last part.

    Below it stands the reason, where all comparisons have the same. Raises ValueError for several reasons, and for a
    place without a comparison.
    """
    found = list(found)
    rows: dict[str, dict[str, str]] = {}
    for one in found:
        row, _, column = one.cell.rpartition(", ")
        rows.setdefault(row, {})[column] = f"{one.paper}, {one.ours}: {one.difference} {one.verdict}"
    reasons = {one.why for one in found}
    if len(reasons) > 1:
        raise ValueError(f"a grid of {found[0].where} has a place for one reason, and there are {len(reasons)}")
    columns = list(dict.fromkeys(column for cells in rows.values() for column in cells))
    lines = [[row, *(cells.get(column, "") for column in columns)] for row, cells in rows.items()]
    made, why = markdown(["paper, here: difference", *columns], lines), reasons.pop()
    return made if why == NONE else f"{made}\n\nHere: {why.removeprefix('here ')}."


def markdown(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; raises ValueError where a cell is empty."""
    lines = [list(columns), ["---"] * len(columns), *(list(row) for row in rows)]
    for line in lines:
        if len(line) != len(columns) or not all(cell.strip() for cell in line):
            raise ValueError(f"a row of the table of {', '.join(columns)} has an empty cell: {line}")
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
