"""What was measured of a paper: comparisons, tables and facts, and how they are printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

NAMES = ("rfd", "nsvdist", "probabilistic", "flexible")
EQUAL, NEAR, DIFFERS, NOT_POSSIBLE = VERDICTS = ("equal", "near", "differs", "not possible")
NONE = "-"


@dataclass(frozen=True)
class Comparison:
    """A figure of the paper beside ours; all texts as they are printed.

    ``where`` is the table, figure or section of the paper, ``cell`` the place in it, ``why`` the reason of a
    difference, or why there is no figure of ours.
    """

    where: str
    cell: str
    paper: str
    ours: str
    difference: str
    verdict: str
    why: str = NONE


@dataclass
class Measured:
    """All that was measured of a paper; ``facts`` are texts by their names."""

    name: str
    command: str
    comparisons: list[Comparison] = field(default_factory=list)
    tables: dict[str, dict[str, Any]] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)

    def compare(  # each figure of a paper has its own precision and tolerance
        self, where: str, cell: str, paper: float, ours: float, *, digits: int, near: float, why: str = NONE
    ) -> None:
        """Note a number: ``equal`` to the printed digits, ``near`` if off by so much at most, else ``differs``."""
        off = ours - paper
        equal = round(ours, digits) == round(paper, digits)
        verdict = EQUAL if equal else NEAR if abs(off) <= near + 1e-9 else DIFFERS
        texts = (f"{paper:,.{digits}f}", f"{ours:,.{digits}f}", f"{off:+,.{digits}f}")
        self.comparisons.append(Comparison(where, cell, *texts, verdict, why))

    def claim(self, where: str, cell: str, paper: str, ours: str, *, holds: bool, why: str = NONE) -> None:
        """Note what the paper says in words beside what was found."""
        self.comparisons.append(Comparison(where, cell, paper, ours, NONE, EQUAL if holds else DIFFERS, why))

    def missing(self, where: str, cell: str, why: str, paper: str = "printed") -> None:
        """Note what cannot be measured, and why."""
        self.comparisons.append(Comparison(where, cell, paper, NONE, NONE, NOT_POSSIBLE, why))

    def table(self, name: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Note a table of ours, such as the data of a figure whose values the paper does not print."""
        self.tables[name] = {"columns": list(columns), "rows": [list(row) for row in rows]}

    @property
    def text(self) -> str:
        """All comparisons, all tables and all facts in Markdown, and how many there are of each verdict."""
        rows = [
            [one.where, one.cell, one.paper, one.ours, one.difference, one.verdict, one.why] for one in self.comparisons
        ]
        compared = markdown(["where", "cell", "paper", "here", "difference", "verdict", "why"], rows)
        tables = (f"\n{name}\n\n{markdown(one['columns'], one['rows'])}" for name, one in self.tables.items())
        facts = (f"{name}: {text}" for name, text in self.facts.items())
        counts = Counter(one.verdict for one in self.comparisons)
        verdicts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS)
        return "\n".join([compared, *tables, "", *facts, f"{self.command}: {verdicts}"])


def markdown(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; raises ValueError where a cell is empty."""
    lines = [list(columns), ["---"] * len(columns), *(list(row) for row in rows)]
    for line in lines:
        if len(line) != len(columns) or not all(cell.strip() for cell in line):
            raise ValueError(f"a row of the table of {', '.join(columns)} has an empty cell: {line}")
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
