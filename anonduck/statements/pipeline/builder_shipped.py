"""Paths of values in a shipped taxonomy: one column per level and the taxonomy's own rows as VALUES."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from anonduck.statements.template import DIALECT, Statement, load


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
) -> Statement:
    """The rows of the relation ``values`` (one column ``value``) that have a path: value, position, level_1 ...

    ``keys`` is the query of sql/taxonomy/builders/ that reads keys from values; ``otherwise`` is per level the label
    where no range gives one: a text, that many first characters of the key, or None; codes longer than ``longest``
    have no path, nor, if ``only_listed``, have keys outside all ranges.
    """
    select = _labels(keys, values, ranges, otherwise, longest, only_listed)
    return Statement("builder_shipped.shipped_labels", select.sql(DIALECT, pretty=True))


def paths(labels: Statement, levels: int) -> Statement:
    """The rows of ``shipped_labels`` without the position: value, level_1 ..."""
    select = exp.select("value", *(f"level_{level}" for level in range(1, levels + 1)))
    select = select.from_(_parsed(labels).subquery("labelled"))
    return Statement("builder_shipped.paths", select.sql(DIALECT, pretty=True))


def shipped_leaves(labels: Statement, levels: int, *, by_list: bool) -> Statement:
    """The temporary table ``hierarchy_leaves`` from the rows of ``shipped_labels``; see import_leaves.sql.

    ``by_list`` makes ``by_line`` the order of the list; else it is that of the values.
    """
    path = exp.Array(expressions=[exp.column(f"level_{level}") for level in range(1, levels + 1)])
    order = ("position", "value") if by_list else ("value",)
    select = exp.select("value", path.as_("path"), _numbered("by_value", "value"), _numbered("by_line", *order))
    create = exp.Create(
        this=exp.to_table("hierarchy_leaves"),
        kind="TABLE",
        replace=True,
        properties=exp.Properties(expressions=[exp.TemporaryProperty()]),
        expression=select.from_(_parsed(labels).subquery("labelled")),
    )
    return Statement("builder_shipped.shipped_leaves", create.sql(DIALECT, pretty=True))


def counted(labels: Statement) -> Statement:
    """How many values have a path."""
    select = exp.select(exp.Count(this=exp.Star())).from_(_parsed(labels).subquery("labelled"))
    return Statement("builder_shipped.counted", select.sql(DIALECT, pretty=True))


def _labels(
    keys: str,
    values: str,
    ranges: Sequence[ListedRange],
    otherwise: Sequence[int | str | None],
    longest: int,
    only_listed: bool,
) -> exp.Select:
    keyed = _parsed(load(f"taxonomy/builders/{keys}.sql").bind(table={"written": values}))
    key, code = exp.column("key"), exp.column("code")
    known = exp.Not(this=exp.Is(this=key, expression=exp.null()))
    fits = exp.LTE(this=exp.func("length", code), expression=exp.Literal.number(longest))
    fitting = exp.select("value", "key").from_(keyed.subquery("keyed")).where(known, fits)
    paths = _paths(ranges, otherwise, only_listed)
    names = [f"level_{level}" for level in range(1, len(otherwise) + 1)]
    return (
        exp.select(exp.column("value", table="fitting"))
        .select(*(exp.column(name, table="paths") for name in ("position", *names)))
        .with_("fitting", as_=fitting)
        .with_("listed", as_=_listed(ranges))
        .with_("paths", as_=paths)
        .from_("fitting")
        .join("paths", on=exp.EQ(this=exp.column("key", table="paths"), expression=exp.column("key", table="fitting")))
    )


def _paths(ranges: Sequence[ListedRange], otherwise: Sequence[int | str | None], only_listed: bool) -> exp.Select:
    """The labels of each distinct key: ranges of a single key are found by equality, which takes a million keys."""
    key = exp.column("key", table="keys")
    first, last = exp.column("first", table="listed"), exp.column("last", table="listed")
    single = all(row.first == row.last for row in ranges)
    found = exp.EQ(this=key, expression=first) if single else exp.Between(this=key, low=first, high=last)
    select = exp.select(key.copy(), exp.column("position", table="listed"))
    for level, default in enumerate(otherwise, 1):
        label: Any = exp.column(f"level_{level}", table="listed")
        if isinstance(default, int):
            label = exp.func("coalesce", label, exp.func("left", key.copy(), exp.Literal.number(default)))
        elif default is not None:
            label = exp.func("coalesce", label, exp.Literal.string(default))
        select = select.select(exp.alias_(label, f"level_{level}"))
    keys = exp.select("key").distinct().from_("fitting").subquery("keys")
    return select.from_(keys).join("listed", on=found, join_type="inner" if only_listed else "left")


def _listed(ranges: Sequence[ListedRange]) -> exp.Select:
    """The rows as one JSON text: thousands of literals would take a second to write and to read."""
    text = json.dumps([[row.first, row.last, *row.labels] for row in ranges], ensure_ascii=False)
    names = ["first", "last", *(f"level_{level}" for level in range(1, len(ranges[0].labels) + 1))]
    entries = exp.func("from_json", exp.Literal.string(text), exp.Literal.string('[["VARCHAR"]]'))
    alias = exp.TableAlias(this=exp.to_identifier("rows"), columns=[exp.to_identifier("entry")])
    rows = exp.Unnest(expressions=[entries], alias=alias, offset=exp.to_identifier("position"))
    fields = [
        exp.alias_(exp.func("list_extract", exp.column("entry"), exp.Literal.number(at), dialect=DIALECT), name)
        for at, name in enumerate(names, 1)
    ]
    return exp.select("position", *fields).from_(rows)


def _numbered(name: str, *order: str) -> Any:
    ordered = exp.Order(expressions=[exp.Ordered(this=exp.column(column), nulls_first=False) for column in order])
    return exp.alias_(exp.Window(this=exp.RowNumber(), order=ordered), name)


def _parsed(statement: Statement) -> exp.Select:
    tree: Any = exp.maybe_parse(statement.sql, dialect=DIALECT)
    assert isinstance(tree, exp.Select)
    return tree
