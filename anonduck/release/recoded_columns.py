"""Columns of a release in which classes, or values, have nodes of their own, as the query files of releases list them.

What a class, or a value, shows of a column stands in one table of that column, ``shown_table``. A record's row in a
frequency set, or in the source, is ``s``. What it shows comes from ``n``, its class in ``assigned_nodes``, which has
the tables of all columns side by side, or from ``w0``, what its value shows of column 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any

from anonduck.release.bound_columns import BoundColumn
from anonduck.statements.expansion import Expression, Item, Lists, expression, qualified
from anonduck.statements.literals import literal
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA, NodeColumn, ReleasedColumn, RuleColumn
from anonduck.statements.pipeline.column_names import value_column
from anonduck.statements.template import Statement, line, statement

ASSIGNED = "#assigned"
EQUIVALENCE = "#equivalence"
NODES = "assigned_nodes"
LEAST_LEVELS = "least_levels"  # the least level of each class in each column
CUT_CODES = "cut_codes"  # the level at which each leaf code of a column is shown
KEYED = "keyed_set"  # the frequency set of what a release holds and the key of each record
KEYS = "assigned_keys"
COMBINED = "combined_set"  # release_set with leaf codes, and the number of each combination of quasi-identifiers
FOUND = "found_classes"  # the class of each combination, as a method found it
COMBINATIONS = "assigned_combinations"  # the quasi-identifiers of each combination, and its class


def level_column(name: str) -> str:
    """The name of a column's levels among the nodes of the classes."""
    return f"{name}@level"


PARTS = {
    "label": "@value",
    "leaf": "@leaf",
    "alike": "@alike",
    "bound_from": "@from",
    "bound_to": "@to",
}
"""What follows the name of a column in NODES, by column of ``shown_table``."""


def scanned_column(name: str) -> str:
    """The name of what the source has in a column of ``release_set`` that holds other values."""
    return f"{name}@scanned"


def shown_table(name: str) -> str:
    """The temporary table of what one column shows: key, which is a class or a value; node_level; label; leaf, where
    that is one value; bound_from and bound_to, once they are asked for, with the first label of equal ones, alike."""
    return f"{name} shown"


def intervals_table(name: str) -> str:
    """The temporary table of the free intervals of one column."""
    return f"{name} intervals"


class ShownBy(Enum):
    """By what a record shows something: by its class, or by its values."""

    CLASSES = "classes"
    VALUES = "values"


def shown_key(name: str, way: ShownBy) -> str:
    """The column of a frequency set that has the key of ``shown_table``."""
    return ASSIGNED if way is ShownBy.CLASSES else value_column(name)


def when(given: bool) -> list[Item]:
    """The list for a part of a query that stands there once, or not at all."""
    return [{}] if given else []


def levels_under(root: int, *, over: int = 0) -> list[Item]:
    """The levels under a root, from ``over`` on."""
    return [{"level": level} for level in range(over, root)]


def joined(columns: Sequence[ReleasedColumn], way: ShownBy) -> dict[str, Sequence[Item]]:
    """The lists of what is joined to the records."""
    places = _places(columns, way)
    return {
        "classes": when(way is ShownBy.CLASSES),
        "valued": [{"name": name, "place": place} for name, place in places.items()],
    }


def _places(columns: Sequence[ReleasedColumn], way: ShownBy) -> dict[str, int]:
    """By column whose values are looked up, the place of the first column that shows something of it."""
    found: dict[str, int] = {}
    for place, column in enumerate(columns):
        one = column.shown if isinstance(column, BoundColumn) else column
        valued = one.labelled if isinstance(one, RuleColumn) else way is ShownBy.VALUES and isinstance(one, NodeColumn)
        if valued:
            found.setdefault(one.name, place)
    return found


def shown(
    columns: Sequence[ReleasedColumn],
    way: ShownBy,
    *,
    of: str = "@value",
    among: Sequence[ReleasedColumn] | None = None,
) -> list[dict[str, Any]]:
    """What each column shows; a value stands in ``s`` under the column's name, with ``of`` after it.

    What is joined is ``joined`` of the columns, or of those ``among`` which they are.
    """
    places = _places(columns if among is None else among, way)
    return [{"name": one.name, "shown": _shown(one, places, way, of)} for one in columns]


def _shown(column: ReleasedColumn, places: Mapping[str, int], way: ShownBy, of: str) -> Expression:
    if isinstance(column, BoundColumn):
        if column.itself:
            return _shown(column.shown, places, way, of)
        return _part(column.of, f"bound_{column.end}", places, way)
    if isinstance(column, RuleColumn):
        return label(column, places.get(column.name, 0), expression('s."{name}"', name=f"{column.name}{of}"))
    assert isinstance(column, NodeColumn)
    return _part(column.name, "leaf" if column.values else "label", places, way)


def _part(name: str, part: str, places: Mapping[str, int], way: ShownBy) -> Expression:
    if way is ShownBy.CLASSES:
        return expression('n."{name}"', name=f"{name}{PARTS[part]}")
    return expression("w{place}.{part}", place=places[name], part=Expression(part))


def node_column(column: ReleasedColumn) -> str | None:
    """The column of NODES that a release by classes shows of a column; None where that is its value."""
    one = column.shown if isinstance(column, BoundColumn) else column
    if not isinstance(one, NodeColumn):
        return None
    end = isinstance(column, BoundColumn) and not column.itself
    part = f"bound_{column.end}" if isinstance(column, BoundColumn) and end else "leaf" if one.values else "label"
    return f"{one.name}{PARTS[part]}"


def label(column: RuleColumn, place: int, value: Expression) -> Expression:
    """What a rule shows of a column in the place of a value, whose ``shown_table`` is ``w0`` for column 0."""
    given = {"value": value, "place": place, "label": literal(column.root_label), "root": column.root}
    if column.at_root:
        return literal(column.root_label)
    if column.level:
        return expression("w{place}.label", place=place)
    text = "CASE WHEN {value} = 0 THEN 0 ELSE {value} END" if column.floating else "{value}"
    if column.labelled:  # a value is shown as the record spells it
        text = f"CASE WHEN w{{place}}.node_level = {{root}} THEN {{label}} ELSE {text} END"
    return expression(text, **given)


def rule_shown(column: RuleColumn) -> Statement:
    """What each value of a column shows by a rule."""
    return statement(
        "release/rule_shown.sql",
        column={"level_label": f"level_{column.level}" if column.level else "value"},
        table={"lookup": (LOOKUP_SCHEMA, column.name), "shown": shown_table(column.name)},
    )


def grouped_rows(
    columns: Sequence[ReleasedColumn], way: ShownBy, held: str, ends: Sequence[BoundColumn] = ()
) -> Statement:
    """``release_rows``: each distinct row of a release with its records, from the set ``held``.

    Beside ``ends`` a column has the first label of those with the same ends.
    """
    every = [*columns, *ends]
    alike = {one.of for one in ends if not one.itself}
    items = shown(every, way)
    places = _places(every, way)
    for item, column in zip(items, columns, strict=False):
        if column.name in alike:
            item["shown"] = _part(column.name, "alike", places, way)
    return statement("release/grouped_rows.sql", table={"held": held}, lists={"columns": items, **joined(every, way)})


def staying_rows(columns: Sequence[ReleasedColumn], way: ShownBy) -> Statement:
    """``staying_set``: the rows of ``release_set`` whose equivalence class is in ``release_rows``."""
    alike = [item for item, one in zip(shown(columns, way), columns, strict=True) if one.distinguishes]
    return statement("release/staying_rows.sql", lists={"alike": alike, **joined(columns, way)})


def assigned_nodes(names: Sequence[str], ends: Sequence[str]) -> Statement:
    """NODES: what each class shows in all columns, and of the columns ``ends`` between which values."""
    return statement("release/assigned_nodes.sql", lists={"names": names, "ends": list(dict.fromkeys(ends))})


def shown_levels(name: str, way: ShownBy, staying: str) -> Statement:
    """The levels and labels that the records of a set show of a column."""
    column, table = {"held_key": shown_key(name, way)}, {"shown": shown_table(name), "staying": staying}
    return statement("release/shown_levels.sql", column=column, table=table)


def shown_combinations(columns: Sequence[ReleasedColumn], keys: Sequence[str], way: ShownBy, staying: str) -> Statement:
    """What each combination of the columns ``keys`` of the set ``staying`` shows in the columns of nodes."""
    nodes = [one for one in columns if isinstance(one, NodeColumn)]
    lists: Lists = {"keys": keys, "columns": shown(nodes, way), **joined(nodes, way)}
    return statement("release/shown_combinations.sql", table={"staying": staying}, lists=lists)


def combined_set(names: Sequence[str], class_: str) -> Statement:
    """``combined_set``: the rows of ``release_set`` with the number of each combination of quasi-identifiers."""
    class_value = {"class_value": f"{class_}@value"}
    return statement("release/combined_set.sql", lists={"names": names}, column=class_value)


def assigned_combinations(names: Sequence[str], scanned: Callable[[str], str]) -> Statement:
    """``assigned_combinations``: the class of each combination of quasi-identifiers.

    The column ``scanned`` of a name in ``combined_set`` has what the source has.
    """
    columns = [{"name": name, "scanned": scanned(name)} for name in names]
    beside = [column for column in columns if column["scanned"] != f"{column['name']}@value"]
    return statement("release/assigned_combinations.sql", lists={"columns": columns, "beside": beside})


def combinations(names: Sequence[str], nodes: Sequence[NodeColumn]) -> Statement:
    """The values of each combination of ``assigned_combinations`` and what it shows, as texts, in their order."""
    return statement("release/combinations.sql", lists={"names": names, "columns": shown(nodes, ShownBy.CLASSES)})


def shown_by_values(
    names: Sequence[str], columns: Sequence[ReleasedColumn], roots: Mapping[str, int], held: str
) -> Statement:
    """The rows of a set with the levels of what their values show of the columns ``names``; those that are not in
    ``columns`` are at their roots."""
    others = [{"name": name, "root": roots[name]} for name in names if name not in {one.name for one in columns}]
    lists = {"columns": shown(columns, ShownBy.VALUES), "others": others}
    return statement("release/shown_by_values.sql", table={"held": held}, lists=lists)


def shown_by_classes(names: Sequence[str], held: str) -> Statement:
    """The same of the nodes of classes."""
    return statement("release/shown_by_classes.sql", table={"held": held}, lists={"names": names})


def shown_of_values(column: RuleColumn) -> Statement:
    """What each value of a column shows."""
    text = 'SELECT w0.key AS key_0, {shown} AS shown_0 FROM "{table}" AS w0 WHERE w0.key IS NOT NULL'
    shows, table = label(column, 0, Expression("w0.key")), shown_table(column.name)
    return line("release/recoded_columns.shown_of_values", text, shown=shows, table=table)


def leaf_numbers(name: str, *, moments: bool = False) -> Statement:
    """The numbers in a column's lookup, of ``moments`` their seconds (none of an infinite one), by leaf code."""
    text = "SELECT {number}::DOUBLE AS number FROM {lookup} ORDER BY code_0"
    number = Expression("epoch(value)" if moments else "value")
    return line("release/recoded_columns.leaf_numbers", text, number=number, lookup=qualified(LOOKUP_SCHEMA, name))


def relabelled(label: str, *table: str) -> Statement:
    """Gives what a table shows with the label ``$old`` in a column the label ``$new``."""
    text = 'UPDATE {table} SET "{label}" = $new WHERE "{label}" = $old'
    return line("release/recoded_columns.relabelled", text, "old", "new", table=qualified(*table), label=label)


def class_sizes(columns: Sequence[ReleasedColumn]) -> Statement:
    """Records, equivalence classes and k of the grouped release."""
    names = [column.name for column in columns if column.distinguishes]
    return statement("release/class_sizes.sql", lists={"names": names})
