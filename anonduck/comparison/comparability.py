"""Which rows of a comparison stand beside the others as equals, and what has to be known of the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anonduck.comparison.question import RULES
from anonduck.config.ways import SWAPPED
from anonduck.methods.registry import METHODS
from anonduck.rules.measure_names import HELD_OUT, RELEASED

APART = "left out of the best at each k: "
NOTES: Mapping[tuple[str, str], str] = {
    ("distributions", RELEASED): APART + "its models learn from tables drawn from its distributions and predict "
    "original records, in folds of their own, where those of other rows predict released records; its k is the least "
    "number of originals that a released record covers, as its file has no classes of k records",
    ("distributions", HELD_OUT): APART + "its file has no classes of k records",
    ("swapped", RELEASED): APART + "its k and classes are those of clusters that its file does not show; its models "
    "learn from swapped values and predict them, in folds of their own",
    ("swapped", HELD_OUT): APART + "its k and classes are those of clusters that its file does not show",
    ("import", RELEASED): "made by another tool; its models predict its own records, in folds of their own, and its "
    "loss is not measured",
    (RULES, RELEASED): "the best rule is told with the scores that it was picked by, which flatters a bit; CPU s is "
    "what its release takes, search s what the discovery took that found all rules, once for all k",
    (RULES, HELD_OUT): "CPU s is what the ten releases take, search s what the searches of the ten training parts took "
    "that found their rules, once for all k",
}
"""By the recoding of a method, or the kind of another row, and by protocol, what a reader of the row has to know."""

INCOMPARABLE = frozenset({"distributions", "swapped"})
"""Recodings whose k is no k of the file."""


def marks(name: str, kind: str, protocol: str) -> dict[str, Any]:
    """What a row says of itself: whether it is ``comparable`` with the others at its k, and a ``note`` or None.

    ``name`` is that of a method, with or without its settings and what its classes show.
    """
    method = METHODS.get(name.partition(":")[0].partition(",")[0]) if kind == "method" else None
    key = kind if method is None else SWAPPED if name.endswith(f", {SWAPPED}") else method.recoding
    return {"comparable": key not in INCOMPARABLE, "note": NOTES.get((key, protocol))}


@dataclass(frozen=True)
class Footnote:
    """A note with its ``number``, and the names of the ``methods`` that it is about."""

    number: int
    methods: tuple[str, ...]
    text: str

    @property
    def line(self) -> str:
        """The note as it stands below a table."""
        return f"[{self.number}] {', '.join(self.methods)}: {self.text}"


def footnotes(rows: Sequence[Mapping[str, Any]]) -> list[Footnote]:
    """The notes of rows that came to something, each once, numbered in their order."""
    by_text: dict[str, list[str]] = {}
    for row in rows:
        if row["note"] is not None and row["k"] is not None:
            by_text.setdefault(row["note"], []).append(row["method"])
    return [
        Footnote(number, tuple(dict.fromkeys(names)), text)
        for number, (text, names) in enumerate(by_text.items(), start=1)
    ]


def comparable(rows: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The rows whose k is one of the file, so that they can be ranked at it."""
    return (row for row in rows if row.get("comparable", True))
