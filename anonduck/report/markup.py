"""HTML elements whose texts are escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def element(tag: str, *children: str, **attributes: str) -> Markup:
    """An element; children that are no markup are escaped. An attribute's trailing underscore is dropped.

    >>> element("p", "k < ", element("b", "5"), class_="note")
    '<p class="note">k &lt; <b>5</b></p>'
    """
    named = "".join(f' {name.rstrip("_")}="{html.escape(value)}"' for name, value in attributes.items())
    return Markup(f"<{tag}{named}>{together(children)}</{tag}>")


def together(children: Iterable[str]) -> Markup:
    """Children one after the other, escaped where they are no markup."""
    return Markup("".join(child if isinstance(child, Markup) else html.escape(child) for child in children))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Markup:
    """A table with a heading for each column."""
    headings = element("tr", *(element("th", name, scope="col") for name in head))
    lines = [element("tr", *(element("td", cell, class_="cell") for cell in row)) for row in rows]
    return element("div", element("table", element("thead", headings), element("tbody", *lines)), class_="scroll")


def sheet(entries: Iterable[tuple[str, str]]) -> Markup:
    """Names with what they are."""
    return element("dl", *(part for name, value in entries for part in _entry(name, value)), class_="sheet")


def _entry(name: str, value: str) -> tuple[Markup, Markup]:
    return element("dt", name), element("dd", value)
