"""What was measured of a paper: comparisons, tables and facts, in a JSON file that names the code it is of."""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
RESULTS = Path(__file__).parent / "results"
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

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ValueError(f"{self.where}, {self.cell}: {self.verdict!r} is none of {', '.join(VERDICTS)}")


@dataclass
class Measured:
    """All that was measured of a paper.

    ``sources`` are files of the repository, by their path from its root, that decide on the figures, each with the hash
    of its code; ``facts`` are the texts that stand in the prose of the page.
    """

    name: str
    command: str
    comparisons: list[Comparison] = field(default_factory=list)
    tables: dict[str, dict[str, Any]] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)

    # -- noted ---------------------------------------------------------------------------------------------------------

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

    def of_code(self, *patterns: str) -> None:
        """Name the files that decide on the figures, by patterns from the root of the repository."""
        for pattern in patterns:
            found = sorted(ROOT.glob(pattern))
            if not found:
                raise FileNotFoundError(f"no file of the repository is {pattern}")
            self.sources |= {str(path.relative_to(ROOT)): code_hash(path) for path in found}

    # -- kept ----------------------------------------------------------------------------------------------------------

    def save(self) -> None:
        """Write the result file."""
        text = json.dumps(asdict(self), indent=1, ensure_ascii=False)
        (RESULTS / f"{self.name}.json").write_text(text + "\n", encoding="utf-8")

    def changed(self) -> list[str]:
        """The files whose code is not what was measured, or that are gone."""
        return [
            name
            for name, known in self.sources.items()
            if not (ROOT / name).exists() or code_hash(ROOT / name) != known
        ]


def load(name: str) -> Measured:
    """What is kept of a paper."""
    read = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return Measured(**{**read, "comparisons": [Comparison(**one) for one in read["comparisons"]]})


def code_hash(path: Path) -> str:
    """A hash of what a file does: of Python without comments, docstrings and layout, of all else its text."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        tree = ast.parse(text)
        for node in ast.walk(tree):
            body = getattr(node, "body", None)
            if isinstance(body, list) and body and _is_docstring(body[0]):
                node.body = body[1:]  # type: ignore[attr-defined]
        text = ast.dump(tree)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _is_docstring(node: Any) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
