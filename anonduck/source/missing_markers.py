"""Texts that stand for no value by convention, such as N/A, among the numbers or dates of a column of text."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import yaml

from anonduck.source.engine import SourceEngine
from anonduck.statements import statement
from anonduck.statements.pipeline.column_names import value_column
from anonduck.words import MISSING, counted

PLAIN = r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*"
DATED = (
    r"[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{1,4}([T ][0-9].{3,20})?"
    r"|[0-9]{1,2}[ -][A-Za-z]{3,9}[ -][0-9]{2,4}|[A-Za-z]{3,9} [0-9]{1,2}, [0-9]{4}"
)
COUNTED = "looked_at"
LISTED = 5


@dataclass(frozen=True)
class NumberLook:
    """How the ``filled`` values of a column of text are written, in records.

    ``markers`` are the texts that stand for no value, with their records; ``plain`` values are numbers with a decimal
    point or none, ``dated`` ones look like dates; ``commas`` and ``points`` hold one. ``varied``: not all are of the
    same length.
    """

    filled: int
    markers: Mapping[str, int]
    plain: int
    dated: int
    commas: int
    points: int
    varied: bool

    @property
    def marked(self) -> int:
        """The records whose value is a marker."""
        return sum(self.markers.values())

    @property
    def values(self) -> int:
        """The records whose value is one."""
        return self.filled - self.marked

    @property
    def named(self) -> str:
        """The markers, the most frequent first."""
        some = list(self.markers)[:LISTED]
        more = len(self.markers) - len(some)
        return ", ".join(map(repr, some)) + (f" and {more} more" if more else "")

    def no_numbers(self, numbers: int, what: str = "number") -> str:
        """How many values are no numbers, and whether these are markers."""
        others = self.values - numbers
        strays = self.marked + others
        are = f"is no {what}" if strays == 1 else f"are no {what}s"
        said = f"{strays:,} of {counted(self.filled, 'value', 'values')} {are}"
        if not self.marked:
            return said
        all_ = "all" if not others else f"{self.marked:,}"
        return f"{said}: {self.named}" if strays == 1 else f"{said}, {all_} of them {self.named}"


def number_look(engine: SourceEngine, column: str) -> NumberLook:
    """How the texts of a column are written, by one scan; leaves its frequency set in the table COUNTED."""
    engine.frequency_set([column], COUNTED)
    query = statement("source/number_looks.sql", **bound(column))
    values = {"markers": sorted(MISSING), "plain": PLAIN, "dated": DATED}
    filled, markers, records, plain, dated, commas, points, shortest, longest = engine.database.row(query, values)
    return NumberLook(
        filled, dict(zip(markers, records, strict=True)), plain, dated, commas, points, varied=shortest != longest
    )


def bound(column: str) -> dict[str, dict[str, str]]:
    """What statements bind that read the frequency set of a column that ``number_look`` left."""
    return {"column": {"held_value": value_column(column)}, "table": {"counted": COUNTED}}


def as_key(markers: Collection[str]) -> str | list[str]:
    """What `csv: {nullstr: ...}` is for such markers; an empty field is NULL in any case."""
    return sorted(markers) if len(markers) > 1 else next(iter(markers))


def shown_key(markers: Collection[str]) -> str:
    """The same as a config writes it.

    >>> shown_key(["N/A"]), shown_key(["null"]), shown_key(["null", "N/A"])
    ('N/A', '"null"', '["N/A", "null"]')
    """
    key = as_key(markers)
    bare = isinstance(key, str) and key.replace("/", "").isalpha() and yaml.safe_load(key) == key
    return str(key) if bare else json.dumps(key, ensure_ascii=False)
