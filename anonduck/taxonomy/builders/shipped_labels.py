"""Queries of the paths that a shipped taxonomy gives to values: its rows are a list within the query."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anonduck.statements import Statement, line, statement
from anonduck.statements.expansion import Expression, Item, Lists, expression
from anonduck.statements.literals import literal
from anonduck.statements.pipeline.column_names import levels_to
from anonduck.statements.template import chained, temporary_table_of


@dataclass(frozen=True)
class ListedRange:
    """Keys from ``first`` to ``last`` and their labels, None where the label is the beginning of the key itself."""

    first: str
    last: str
    labels: tuple[str | None, ...]


def shipped_labels(
    keys: str,
    values: str,
    ranges: Sequence[ListedRange],
    *,
    otherwise: Sequence[int | str | None],
    longest: int,
    only_listed: bool,
) -> Mapping[str, Statement]:
    """The query ``labelled``, after one that it reads: the rows of the relation ``values`` (one column ``value``) that
    have a path, with value, position, level_1 ...

    ``keys`` is the query of sql/taxonomy/builders/ that reads keys from values; ``otherwise`` is per level the label
    where no range gives one: a text, that many first characters of the key, or None; codes longer than ``longest``
    have no path, nor, if ``only_listed``, have keys outside all ranges.
    """
    single = all(row.first == row.last for row in ranges)
    found = "keys.key = listed.first" if single else "keys.key BETWEEN listed.first AND listed.last"
    text = json.dumps([[row.first, row.last, *row.labels] for row in ranges], ensure_ascii=False)
    lists: dict[str, Sequence[Item]] = {
        "ranges": [{"text": literal(text)}],
        "limits": [{"longest": longest}],
        "joined": [{"found": Expression(found)}],
        "only_listed": ["only"] if only_listed else [],
        "levels": [
            {"level": level, "entry": level + 2, "label": _label(level, default)}
            for level, default in enumerate(otherwise, 1)
        ],
    }
    return {
        "keyed": statement(f"taxonomy/builders/{keys}.sql", table={"written": values}),
        "labelled": statement("taxonomy/builders/shipped_labels.sql", lists=lists),
    }


def _label(level: int, default: int | str | None) -> Expression:
    if isinstance(default, int):
        return expression("coalesce(listed.level_{level}, left(keys.key, {kept}))", level=level, kept=default)
    if default is None:
        return expression("listed.level_{level}", level=level)
    return expression("coalesce(listed.level_{level}, {label})", level=level, label=literal(default))


def paths(labels: Mapping[str, Statement], levels: int) -> Statement:
    """The rows of ``shipped_labels`` without the position: value, level_1 ..."""
    text = "SELECT value, each(levels, level_{level}) FROM labelled"
    return chained(labels, line("taxonomy/builders/shipped_labels.paths", text, levels=levels_to(levels)))


def shipped_leaves(labels: Mapping[str, Statement], levels: int, *, by_list: bool) -> Statement:
    """The temporary table ``hierarchy_leaves`` from the rows of ``shipped_labels``; see import_leaves.sql.

    ``by_list`` makes ``by_line`` the order of the list; else it is that of the values.
    """
    lists: Lists = {"levels": levels_to(levels), "ranking": ["position", "value"] if by_list else ["value"]}
    leaves = statement("taxonomy/builders/shipped_leaves.sql", lists=lists)
    return temporary_table_of("hierarchy_leaves", chained(labels, leaves))


def counted(labels: Mapping[str, Statement]) -> Statement:
    """How many values have a path."""
    return chained(labels, line("taxonomy/builders/shipped_labels.counted", "SELECT count(*) FROM labelled"))
