"""Paths that follow from the values themselves: labels computed from them, or looked up in a shipped taxonomy.

Labels are computed by query files, one step after the other, for each level. A shipped taxonomy is a list of its rows
within the query.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from anonduck.statements.expressions import created_table
from anonduck.statements.template import DIALECT, TEXTS_KEPT, Statement, statement
from anonduck.statements.trees import exp, sqlglot

ROOT_LABEL = "*"


@dataclass(frozen=True)
class ComputedStep:
    """A query file of sql/taxonomy, the values that stand in it, and the columns of the step before that it names."""

    name: str
    values: Mapping[str, int | str] = field(default_factory=dict, hash=False)
    columns: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class ComputedLabels:
    """How labels are computed: first the value is read, then each level under the root takes the same steps.

    ``outside`` is the label of values that are not what they should be (no date, no address), if there can be any;
    ``ordered`` says that the nodes follow the order of their values.
    """

    read: tuple[ComputedStep, ...]
    levels: tuple[tuple[ComputedStep, ...], ...]
    outside: str | None = None
    ordered: bool = False

    @property
    def root(self) -> int:
        """The level of the root."""
        return len(self.levels) + 1


@lru_cache(maxsize=TEXTS_KEPT)
def labels_of(labels: ComputedLabels, held: str | tuple[str, str]) -> Statement:
    """The rows of the relation ``held`` (a column ``value``) with level_1 ... level_h; takes no parameters."""
    return Statement("builder_computed.labels_of", _labelled(labels, held).sql(DIALECT, pretty=True))


def _labelled(labels: ComputedLabels, held: str | tuple[str, str]) -> exp.Select:
    relation, queries = _chain(labels, held)
    numbers = range(1, labels.root)
    query = exp.select("value", *(exp.column(f"label_{number}").as_(f"level_{number}") for number in numbers))
    known = exp.Not(this=exp.Is(this=exp.column("value"), expression=exp.null()))
    root = exp.Case().when(known, exp.Literal.string(ROOT_LABEL))
    query = query.select(root.as_(f"level_{labels.root}")).from_(relation)
    for name, step in queries:
        query = query.with_(name, as_=step)
    return query


def _chain(labels: ComputedLabels, held: str | tuple[str, str]) -> tuple[str, list[tuple[str, exp.Select]]]:
    """The steps as named queries, each reading the one before; the first reads ``held`` under a name of its own."""
    relation = "held_values" if held != "held_values" else "held_values_"
    source = exp.table_(held[1], db=held[0], quoted=True) if isinstance(held, tuple) else exp.table_(held, quoted=True)
    queries = [(relation, exp.select("value").from_(source))]
    for number, step in enumerate(labels.read, 1):
        queries.append((f"read_{number}", _bound(step, "held", relation)))
        relation = f"read_{number}"
    made: set[str] = set()
    for number, steps in enumerate(zip(*labels.levels, strict=True), 1):
        queries.append((f"computed_{number}", _all_levels(steps, relation, made)))
        relation = f"computed_{number}"
    return relation, queries


def _all_levels(steps: tuple[ComputedStep, ...], relation: str, made: set[str]) -> exp.Select:
    """One step for every level beside what is there already; what a level computes is numbered by the level."""
    query = exp.select("*").from_(relation)
    fresh: set[str] = set()
    for level, step in enumerate(steps, 1):
        for item in _bound(step, "computed", relation).expressions:
            fresh.add(item.alias)
            expression = item.this.transform(_numbered, level, made)
            query = query.select(exp.alias_(expression, f"{item.alias}_{level}"))
    made |= fresh
    return query


def _numbered(node: exp.Expression, level: int, made: set[str]) -> exp.Expression:
    if isinstance(node, exp.Column) and node.name in made:
        return exp.column(f"{node.name}_{level}")
    return node


def _bound(step: ComputedStep, marker: str, relation: str) -> exp.Select:
    text = statement(f"taxonomy/builders/{step.name}.sql", column=step.columns, table={marker: relation}).sql
    bound = sqlglot.parse_one(text, read=DIALECT).transform(_with_literal, step.values)
    assert isinstance(bound, exp.Select)
    return bound


def _with_literal(node: exp.Expression, values: Mapping[str, int | str]) -> exp.Expression:
    if not isinstance(node, (exp.Placeholder, exp.Parameter)):
        return node
    value = values[node.name]
    return exp.Literal.string(value) if isinstance(value, str) else exp.Literal.number(value)


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
    keyed = _parsed(statement(f"taxonomy/builders/{keys}.sql", table={"written": values}))
    key, code = exp.column("key"), exp.column("code")
    known = exp.Not(this=exp.Is(this=key, expression=exp.null()))
    fits = exp.LTE(this=exp.func("length", code), expression=exp.Literal.number(longest))
    fitting = exp.select("value", "key").from_(keyed.subquery("keyed")).where(known, fits)
    paths = _paths(ranges, otherwise, only_listed)
    names = [f"level_{level}" for level in range(1, len(otherwise) + 1)]
    select = (
        exp.select(exp.column("value", table="fitting"))
        .select(*(exp.column(name, table="paths") for name in ("position", *names)))
        .with_("fitting", as_=fitting)
        .with_("listed", as_=_listed(ranges))
        .with_("paths", as_=paths)
        .from_("fitting")
        .join("paths", on=exp.EQ(this=exp.column("key", table="paths"), expression=exp.column("key", table="fitting")))
    )
    return Statement("builder_computed.shipped_labels", select.sql(DIALECT, pretty=True))


def paths(labels: Statement, levels: int) -> Statement:
    """The rows of ``shipped_labels`` without the position: value, level_1 ..."""
    select = exp.select("value", *(f"level_{level}" for level in range(1, levels + 1)))
    select = select.from_(_parsed(labels).subquery("labelled"))
    return Statement("builder_computed.paths", select.sql(DIALECT, pretty=True))


def shipped_leaves(labels: Statement, levels: int, *, by_list: bool) -> Statement:
    """The temporary table ``hierarchy_leaves`` from the rows of ``shipped_labels``; see import_leaves.sql.

    ``by_list`` makes ``by_line`` the order of the list; else it is that of the values.
    """
    path = exp.Array(expressions=[exp.column(f"level_{level}") for level in range(1, levels + 1)])
    order = ("position", "value") if by_list else ("value",)
    select = exp.select(
        "0 AS place", "value", path.as_("path"), _row_number("by_value", "value"), _row_number("by_line", *order)
    )
    rows = select.from_(_parsed(labels).subquery("labelled"))
    return created_table("builder_computed.shipped_leaves", "hierarchy_leaves", rows, temporary=True)


def counted(labels: Statement) -> Statement:
    """How many values have a path."""
    select = exp.select(exp.Count(this=exp.Star())).from_(_parsed(labels).subquery("labelled"))
    return Statement("builder_computed.counted", select.sql(DIALECT, pretty=True))


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


def _row_number(name: str, *order: str) -> Any:
    ordered = exp.Order(expressions=[exp.Ordered(this=exp.column(column), nulls_first=False) for column in order])
    return exp.alias_(exp.Window(this=exp.RowNumber(), order=ordered), name)


def _parsed(statement: Statement) -> exp.Select:
    tree: Any = exp.maybe_parse(statement.sql, dialect=DIALECT)
    assert isinstance(tree, exp.Select)
    return tree
