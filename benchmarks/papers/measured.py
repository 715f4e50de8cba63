"""What was measured of a paper: comparisons, tables and facts, and how they are printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from anonduck import Project
from anonduck.comparison.model_scores import value
from anonduck.methods.registry import method_label

NAMES = ("rfd", "nsvdist", "probabilistic", "flexible")
EQUAL, NEAR, DIFFERS, NOT_POSSIBLE = VERDICTS = ("equal", "near", "differs", "not possible")
NONE = "-"
SCORES = ("accuracy", "balanced_accuracy", "roc_auc")


class Comparison(NamedTuple):
    """A figure of the paper beside ours; all texts as they are printed.

    ``where`` is the table, figure or section of the paper, ``cell`` the place in it, ``why`` the reason of a
    difference, or why there is no figure of ours.
    """

    where: str
    cell: str
    paper: str
    here: str
    difference: str
    verdict: str
    why: str = NONE


@dataclass
class Measured:
    """All that was measured of a paper; ``facts`` are texts by their names."""

    name: str
    full: bool = False
    comparisons: list[Comparison] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)
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

    def table(self, name: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """Note a table of ours, such as the data of a figure whose values the paper does not print."""
        self.tables.append(f"\n{name}\n\n{markdown(columns, rows)}")

    @property
    def text(self) -> str:
        """All comparisons, all tables and all facts in Markdown, and how many there are of each verdict."""
        facts = (f"{name}: {text}" for name, text in self.facts.items())
        counts = Counter(one.verdict for one in self.comparisons)
        verdicts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS)
        command = f"python benchmarks/papers.py {self.name}{' --full' if self.full else ''}"
        compared = markdown(Comparison._fields, self.comparisons)
        return "\n".join([compared, *self.tables, "", *facts, f"{command}: {verdicts}"])


def markdown(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; raises ValueError where a cell is empty."""
    lines = [columns, ["---"] * len(columns), *rows]
    for line in lines:
        if len(line) != len(columns) or not all(cell.strip() for cell in line):
            raise ValueError(f"a row of the table of {', '.join(columns)} has an empty cell: {line}")
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def released_scores(
    project: Project, method: str, k: int, settings: Mapping[str, Any]
) -> tuple[dict[str, float], dict[str, float]]:
    """By name, the scores of a tree that is cross-validated on a release by a method, and on the records as they came,
    as ``anonduck compare`` measures them."""
    found = project.compare([method_label(method, settings)], [k], models=["tree"])
    (row,) = found.rows
    told = {name: value(row, "tree", name) for name in SCORES}
    return told, {name: found.baseline["tree"][name]["value"] for name in SCORES}
