"""A page as self-contained HTML: its template, styles, scripts, chart specifications and data in one file."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from string import Template
from typing import Any

CHARTS = ("frontier", "taxonomy", "sizes", "boxes", "trade", "counts", "three")
SCRIPTS = (
    "vega.js",
    "charts.js",
    "table.js",
    "dependency.js",
    "rule.js",
    "decision.js",
    "questions.js",
    "comparison.js",
    "offer.js",
    "page.js",
)


def web(name: str) -> str:
    """A file of anonduck/report/web as text."""
    return files("anonduck.report").joinpath("web").joinpath(name).read_text(encoding="utf-8")


def words() -> dict[str, Any]:
    """The sentences of the report and the certificate, with placeholders in braces."""
    found: dict[str, Any] = json.loads(web("words.json"))
    return found


def report_page(document: Mapping[str, Any], title: str, release: Markup) -> str:
    """The decision report of a document as HTML, with the section on its ``release``."""
    specifications = {name: json.loads(web(f"{name}.json")) for name in CHARTS}
    scripts = [web(name) for name in SCRIPTS]
    body = filled(
        "report.html",
        data=embedded(document),
        charts=embedded(specifications),
        release=release,
        scripts="\n".join(f"<script>{script}</script>" for script in scripts),
    )
    return _page(title, scripts, body)


def document_page(heading: str, *, title: str, **parts: str) -> str:
    """A document of ``head``, ``sections`` and ``foot`` as HTML without scripts."""
    return _page(title, [], filled("document.html", heading=heading, **parts))


def _page(title: str, scripts: Sequence[str], body: str) -> str:
    return filled("page.html", title=html.escape(title), policy=policy(scripts), style=web("page.css"), body=body)


def filled(name: str, **parts: str) -> str:
    """A template with its ``$parts`` replaced; all must be given."""
    return Template(web(name)).substitute(parts)


def policy(scripts: Sequence[str]) -> str:
    """A content security policy that lets a browser run only these scripts, and load nothing."""
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests) or "'none'"
    return f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'"


def embedded(document: Mapping[str, Any]) -> str:
    """JSON that an HTML parser cannot take for markup."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


class Markup(str):
    """Text that is already HTML."""

    __slots__ = ()


def element(tag: str, *children: str, **attributes: str) -> Markup:
    """An element; children that are not markup are escaped. A trailing underscore of an attribute's name is dropped.

    >>> element("p", "k < ", element("b", "5"), class_="note")
    '<p class="note">k &lt; <b>5</b></p>'
    """
    named = "".join(f' {name.rstrip("_")}="{html.escape(value)}"' for name, value in attributes.items())
    return Markup(f"<{tag}{named}>{together(children)}</{tag}>")


def together(children: Iterable[str]) -> Markup:
    """Children concatenated, escaped unless they are markup."""
    return Markup("".join(child if isinstance(child, Markup) else html.escape(child) for child in children))


SHORT, LONG = 24, 72
"""So many characters fit on one line, and on two, of a cell that leaves room for others."""


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, whole: bool = False) -> Markup:
    """A table with a heading for each column; where it scrolls, the keyboard reaches it. A ``whole`` one is never cut
    below.

    Columns are as wide as their longest cell asks for, so that no long one squeezes the others.
    """
    rows = list(rows)
    kinds = [_kind(column) for column in zip(*rows, strict=True)]
    headings = element("tr", *(element("th", name, scope="col") for name in head))
    lines = [
        element("tr", *(element("td", cell, class_=f"cell {kind}") for cell, kind in zip(row, kinds, strict=True)))
        for row in rows
    ]
    shown = element("table", element("thead", headings), element("tbody", *lines))
    label = "Table: " + ", ".join(head)
    kind = "scroll whole" if whole else "scroll"
    return element("div", shown, **{"class": kind, "tabindex": "0", "role": "group", "aria-label": label})


def _kind(column: Iterable[str]) -> str:
    """The class of the cells of a column, by the longest of them."""
    longest = max(map(len, column), default=0)
    return "short" if longest <= SHORT else "long" if longest <= LONG else "text"


def sheet(entries: Iterable[tuple[str, str]]) -> Markup:
    """A list of names and values."""
    return element("dl", *(part for name, value in entries for part in _entry(name, value)), class_="sheet")


def _entry(name: str, value: str) -> tuple[Markup, Markup]:
    return element("dt", name), element("dd", value)
