"""Words that messages share, the version that documents name, how results show themselves, and how libraries are named
that are loaded at first use.

Results show themselves on one line, and in a notebook as a small table.
"""

from __future__ import annotations

import difflib
import importlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"


class AtFirstUse:
    """A module that is imported when something of it is asked for: much of what is asked needs no large library."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        """What the module has by that name, which is found without this from then on."""
        value = getattr(importlib.import_module(self._name), name)
        setattr(self, name, value)
        return value


if TYPE_CHECKING:
    import numpy

    np = numpy
else:
    np = AtFirstUse("numpy")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A question whether a similar name was meant, for the end of a message; empty where no name is similar.

    >>> did_you_mean("Towm", ["age", "town"]), did_you_mean("colour", ["age", "town"])
    (" (did you mean 'town'?)", '')
    """
    names = {one.lower(): one for one in known}
    close = difflib.get_close_matches(name.lower(), names, n=1)
    return f" (did you mean {names[close[0]]!r}?)" if close else ""


MOST_LISTED = 12


def known_names(names: Iterable[str]) -> str:
    """Names for a message, the first of many.

    >>> known_names(["k", "l"]), known_names(map(str, range(40)))
    ('k, l', '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 28 more')
    """
    listed = list(names)
    more = len(listed) - MOST_LISTED
    return ", ".join(listed[:MOST_LISTED]) + (f" and {more} more" if more > 0 else "")


def listed_names(names: Iterable[str]) -> str:
    """Names in a sentence, the first of many.

    >>> listed_names(["age"]), listed_names(["age", "sex", "job"])
    ('age', 'age, sex and job')
    """
    listed = list(names)
    if len(listed) > MOST_LISTED:
        return known_names(listed)
    return " and ".join(part for part in (", ".join(listed[:-1]), *listed[-1:]) if part)


MISSING = frozenset(
    (
        *("n/a", "#n/a", "#n/a n/a", "na", "#na", "<na>", "n.a.", "n.a", "n/d", "n.d.", "k.a.", "null", "(null)"),
        *("<null>", "#null!", "none", "nil", "nan", "-nan", "1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan", "nat"),
        *("-", "--", "---", "\u2013", "\u2014", "?", "??", ".", "..", "...", "*", "\\n", "missing", "unknown"),
        *("undefined", "empty", "blank", "not available", "not applicable", "#value!", "#ref!", "#div/0!", "#num!"),
        *("(missing)", "(unknown)", "(empty)", "(blank)", "<missing>", "<unknown>", "<empty>", "<blank>", "<none>"),
        *("k. a.", "keine angabe", "unbekannt"),
    )
)
"""Texts that stand for a missing value by convention, in small letters."""

NUMBER_OR_DATE = r"\s*[-+]?[.,]?[0-9][-+0-9.,:/eETZ ]*"
_NUMBER_OR_DATE = re.compile(NUMBER_OR_DATE)


def looks_like_value(name: str) -> bool:
    """Whether the name of a column is a number or a date, as where a record was taken for the header.

    >>> looks_like_value("2015-02-10"), looks_like_value("98.5"), looks_like_value("age_2")
    (True, True, False)
    """
    return _NUMBER_OR_DATE.fullmatch(name) is not None


def broken_name(names: Sequence[str | None], separator: str | None) -> int | None:
    """The position, from 1, of the first name of a CSV header that holds records, as a quote in it does not close.

    Such a name has a line break, and a quote or the separator: it must not be printed.

    >>> broken_name(["age", "income\\n(gross)", 'job\\n21,"cook'], ","), broken_name(["age", "income\\n(gross)"], ",")
    (3, None)
    """
    marks = {'"', separator or ","}
    for position, name in enumerate(names, start=1):
        if name and len(name.splitlines()) > 1 and any(mark in name for mark in marks):
            return position
    return None


def counted(number: int, one: str, many: str) -> str:
    """A number with its noun.

    >>> counted(1, "leaf", "leaves"), counted(2000, "leaf", "leaves")
    ('1 leaf', '2,000 leaves')
    """
    return f"{number:,} {one if number == 1 else many}"


def summary_line(kind: str, facts: Iterable[str]) -> str:
    """A result on one line.

    >>> summary_line("Release", ["r.parquet", "", "k 12"])
    '<Release: r.parquet, k 12>'
    """
    return f"<{kind}: {', '.join(fact for fact in facts if fact)}>"


def html_table(caption: str, rows: Iterable[Mapping[str, object]], most: int = 20) -> str:
    """Rows of the same keys as an HTML table, of which the first ``most`` are shown, and how many more there are."""
    held = list(rows)
    columns = list(held[0]) if held else []
    lines = [f"<table><caption>{escape(caption.strip('<>'))}</caption>", _row("th", columns)]
    lines += [_row("td", row.values()) for row in held[:most]]
    more = len(held) - most
    after = f"<p>and {counted(more, 'more row', 'more rows')}</p>" if more > 0 else ""
    return "".join([*lines, "</table>", after])


def met_row(requirement: str, reached: object, met: bool) -> dict[str, str]:
    """A row that says of a requirement what is reached of it, and whether it is met."""
    return {"required": requirement, "reached": str(reached), "met": "yes" if met else "no"}


def line_row(line: Mapping[str, Any]) -> dict[str, str]:
    """The same of a line of a receipt, by what was asked: a candidate may be found for more than that.

    >>> line_row({"name": "k", "asked": 5, "required": 229, "reached": 229, "met": True})
    {'required': 'k 5', 'reached': '229', 'met': 'yes'}
    """
    return met_row(f"{line['name']} {line.get('asked', line['required'])}", line["reached"], line["met"])


def _row(tag: str, cells: Iterable[object]) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"


@dataclass(frozen=True)
class Picture:
    """An SVG, which a notebook displays."""

    svg: str

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | Path) -> Path:
        """Write it to a file, such as ``offer.svg``."""
        Path(path).write_text(self.svg, encoding="utf-8")
        return Path(path)
