"""A page as self-contained HTML: its template, styles, scripts, chart specifications and data in one."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Mapping, Sequence
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
    "page.js",
)


def web(name: str) -> str:
    """A file of anonduck/report/web as text."""
    return files("anonduck.report").joinpath("web").joinpath(name).read_text(encoding="utf-8")


def report_page(document: Mapping[str, Any], title: str) -> str:
    """The decision report of a document as HTML."""
    specifications = {name: json.loads(web(f"{name}.json")) for name in CHARTS}
    scripts = [web(name) for name in SCRIPTS]
    return filled(
        "report.html",
        title=html.escape(title),
        policy=policy(scripts),
        style=web("page.css"),
        data=embedded(document),
        charts=embedded(specifications),
        scripts="\n".join(f"<script>{script}</script>" for script in scripts),
    )


def filled(name: str, **parts: str) -> str:
    """A template with its ``$parts`` replaced; each must be given."""
    return Template(web(name)).substitute(parts)


def policy(scripts: Sequence[str]) -> str:
    """A content security policy under which a browser runs these scripts only, and loads nothing."""
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests) or "'none'"
    return f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'"


def embedded(document: Mapping[str, Any]) -> str:
    """JSON that no HTML parser takes for anything else."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
