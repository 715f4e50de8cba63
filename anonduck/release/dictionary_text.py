"""The data dictionary of a release as Markdown, for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from anonduck.release.value_groups import ITSELF, MISSING, OPEN, type_words
from anonduck.words import counted

MOST_ROWS = 40
_ESCAPED = str.maketrans({mark: "\\" + mark for mark in "\\`*_[]#|~"} | {"<": "&lt;", ">": "&gt;", "&": "&amp;"})


def as_markdown(dictionary: Mapping[str, Any]) -> str:
    """The dictionary as a page: the release, its columns, what each shows, and what it does not hold."""
    return "\n".join(_lines(dictionary))


def plain_text(text: object) -> str:
    r"""Text that Markdown shows as it is, on one line.

    >>> plain_text("a|b\n<c>")
    'a\\|b &lt;c&gt;'
    """
    return " ".join(str(text).translate(_ESCAPED).split())


def share_words(share: float) -> str:
    """A share as a percentage.

    >>> share_words(0.1234), share_words(1.0), share_words(0.00001)
    ('12.3 %', '100.0 %', 'under 0.1 %')
    """
    return "under 0.1 %" if 0 < share < 0.0005 else f"{100 * share:.1f} %"


def _lines(dictionary: Mapping[str, Any]) -> Iterator[str]:
    yield f"# Data dictionary of {plain_text(dictionary['file'])}"
    yield ""
    yield from _summary(dictionary)
    yield ""
    yield "## Columns"
    yield ""
    yield from _table(["column", "role", "type", "what it shows"], map(_overview, dictionary["columns"]))
    for column in dictionary["columns"]:
        yield from _column(column)
    if dictionary["left_out"]:
        yield from ("", "## Left out", "")
        rows = ([one["name"], one["role"], one["words"]] for one in dictionary["left_out"])
        yield from _table(["column", "role", "why"], rows)
    yield ""


def _summary(dictionary: Mapping[str, Any]) -> Iterator[str]:
    suppressed, named = dictionary["suppressed"], dictionary["named_from"]
    yield f"- {counted(dictionary['records'], 'record', 'records')}, made by {plain_text(dictionary['made'])}"
    if suppressed["records"]:
        left = counted(suppressed["records"], "record was", "records were")
        yield f"- {left} left out ({share_words(suppressed['share'])} of all); nothing here tells of them"
    else:
        yield "- No record was left out"
    if dictionary["dependency"] is not None:
        yield f"- As a dependency: {plain_text(dictionary['dependency']['words'])}"
    yield f"- SHA-256: `{dictionary['sha256']}`"
    yield f"- Rows are {dictionary['row_order']}"
    if named > 1:
        yield f"- A value is named here only if at least {named:,} records hold it; rarer ones are counted"


def _overview(column: Mapping[str, Any]) -> list[str]:
    return [column["name"], column["role"], type_words(column["type"]), column["words"]]


def _column(column: Mapping[str, Any]) -> Iterator[str]:
    groups = column.get("groups", [])
    if not groups:
        return
    yield from ("", f"### {plain_text(column['name'])}", "")
    grouped = any(group["words"] not in (ITSELF, MISSING, OPEN) for group in groups)
    head = [*(["shown as", "stands for"] if grouped else ["value"]), "share of records"]
    yield from _table(head, (list(_group(group, grouped)) for group in groups[:MOST_ROWS]))
    if rest := list(_rest(column)):
        yield from ("", "; ".join(rest).capitalize() + ".")


def _rest(column: Mapping[str, Any]) -> Iterator[str]:
    """What the table of a column leaves out, with its share of the records."""
    more = column["groups"][MOST_ROWS:]
    if more:
        yield _left(counted(len(more), "more is", "more are") + " in the JSON file", sum(one["share"] for one in more))
    if column["groups_omitted"]:
        left = counted(column["groups_omitted"], "more is", "more are")
        yield _left(f"{left} not listed", column["omitted_share"])
    if column["rarer_values"]:
        rarer = counted(column["rarer_values"], "rarer value is", "rarer values are")
        yield _left(f"{rarer} shown but not named here", column["rarer_share"])


def _left(words: str, share: float) -> str:
    return f"{words} ({share_words(share)} of the records)"


def _group(group: Mapping[str, Any], grouped: bool) -> Iterator[str]:
    label, words = group["label"], group["words"]
    if grouped:
        yield "" if label is None else label
    yield words if grouped or label is None else label
    yield share_words(group["share"])


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"| {' | '.join('---' for _ in head)} |"
    for row in rows:
        yield f"| {' | '.join(plain_text(cell) for cell in row)} |"
