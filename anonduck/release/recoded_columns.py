"""Columns of a release in which classes, or values, have nodes of their own, as the query files of releases list them.

A record's row in a frequency set, or in the source, is ``s``. What it shows of a column comes from ``n``, its class in
``assigned_nodes``, from ``c0``, what its value shows by the cut of column 0, or from ``l0``, the lookup of column 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any

from anonduck.statements.expansion import Expression, Item, Lists, expression, qualified
from anonduck.statements.literals import literal
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA, NodeColumn, ReleasedColumn, RuleColumn
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


def scanned_column(name: str) -> str:
    """The name of what the source has in a column of ``release_set`` that holds other values."""
    return f"{name}@scanned"


def nodes_table(name: str) -> str:
    """The temporary table of the nodes of one column."""
    return f"{name} nodes"


def intervals_table(name: str) -> str:
    """The temporary table of the free intervals of one column."""
    return f"{name} intervals"


def cut_table(name: str) -> str:
    """The temporary table of a column's cut: each value with level and label of its node, and the leaf if it is one."""
    return f"{name} cut"


class ShownBy(Enum):
    """Where it is written what a record shows: in the nodes of its class, in cuts, or in lookups."""

    CLASSES = "classes"
    CUTS = "cuts"
    LEVELS = "lookups"


def when(given: bool) -> list[Item]:
    """The list for a part of a query that stands there once, or not at all."""
    return [{}] if given else []


def levels_under(root: int, *, over: int = 0) -> list[Item]:
    """The levels under a root, from ``over`` on."""
    return [{"level": level} for level in range(over, root)]


def joined(columns: Sequence[ReleasedColumn], way: ShownBy) -> dict[str, Sequence[Item]]:
    """The lists of what is joined to the records."""
    placed = [(place, column) for place, column in enumerate(columns)]
    cuts = [(place, one) for place, one in placed if way is ShownBy.CUTS and isinstance(one, NodeColumn)]
    lookups = [(place, one) for place, one in placed if isinstance(one, RuleColumn) and one.looked_up]
    return {
        "classes": when(way is ShownBy.CLASSES),
        "cuts": [{"name": one.name, "place": place} for place, one in cuts],
        "lookups": [{"name": one.name, "place": place} for place, one in lookups],
    }


def shown(columns: Sequence[ReleasedColumn], way: ShownBy, *, of: str = "@value") -> list[dict[str, Any]]:
    """What each column shows; a value stands in ``s`` under the column's name, with ``of`` after it."""
    return [{"name": one.name, "shown": _shown(one, place, way, of)} for place, one in enumerate(columns)]


def _shown(column: ReleasedColumn, place: int, way: ShownBy, of: str) -> Expression:
    if isinstance(column, RuleColumn):
        return label(column, place, expression('s."{name}"', name=f"{column.name}{of}"))
    assert isinstance(column, NodeColumn)
    if way is ShownBy.CLASSES:
        return expression('n."{name}"', name=node_column(column))
    return expression("c{place}.{part}", place=place, part=Expression("leaf" if column.values else "label"))


def node_column(column: NodeColumn) -> str:
    """The column of NODES that a release shows of a column."""
    return f"{column.name}@leaf" if column.values else f"{column.name}@value"


def label(column: RuleColumn, place: int, value: Expression) -> Expression:
    """What a rule shows of a column in the place of a value, whose lookup is joined as ``l0`` for column 0."""
    given = {"value": value, "place": place, "root": literal(column.root_label), "level": column.level or 0}
    if column.level and column.level == column.root:
        return literal(column.root_label)
    if column.level:
        text, unmapped = "l{place}.level_{level}", column.unmapped
    else:
        text = "CASE WHEN {value} = 0 THEN 0 ELSE {value} END" if column.floating else "{value}"
        unmapped = column.unmapped and column.looked_up and column.text
    if unmapped:
        text = f"CASE WHEN l{{place}}.code_1 IS NULL AND {{value}} IS NOT NULL THEN {{root}} ELSE {text} END"
    return expression(text, **given)


def grouped_rows(columns: Sequence[ReleasedColumn], way: ShownBy, held: str) -> Statement:
    """``release_rows``: each distinct row of a release with its records, from the set ``held``."""
    lists = {"columns": shown(columns, way), **joined(columns, way)}
    return statement("release/grouped_rows.sql", table={"held": held}, lists=lists)


def staying_rows(columns: Sequence[ReleasedColumn], way: ShownBy) -> Statement:
    """``staying_set``: the rows of ``release_set`` whose equivalence class is in ``release_rows``."""
    alike = [item for item, one in zip(shown(columns, way), columns, strict=True) if one.distinguishes]
    return statement("release/staying_rows.sql", lists={"alike": alike, **joined(columns, way)})


def shown_combinations(columns: Sequence[ReleasedColumn], keys: Sequence[str], way: ShownBy, staying: str) -> Statement:
    """What each combination of the columns ``keys`` of the set ``staying`` shows in the columns of nodes."""
    nodes = [item for item, one in zip(shown(columns, way), columns, strict=True) if isinstance(one, NodeColumn)]
    parts = {name: items for name, items in joined(columns, way).items() if name != "lookups"}
    lists: Lists = {"keys": keys, "columns": nodes, **parts}
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


def shown_by_levels(
    names: Sequence[str], columns: Sequence[RuleColumn], roots: Mapping[str, int], held: str
) -> Statement:
    """The rows of a set with the levels that a rule of ``columns``, all looked up, shows of the columns ``names``."""
    items = zip(shown(columns, ShownBy.LEVELS), columns, strict=True)
    named = [{**item, "level": one.level, "root": roots[one.name]} for item, one in items]
    others = [{"name": name, "root": roots[name]} for name in names if name not in {one.name for one in columns}]
    lists = {"columns": named, "others": others}
    return statement("release/shown_by_levels.sql", table={"held": held}, lists=lists)


def shown_by_nodes(names: Sequence[str], way: ShownBy, held: str) -> Statement:
    """The same of the nodes of classes, or of cuts."""
    return statement(f"release/shown_by_{way.value}.sql", table={"held": held}, lists={"names": names})


def shown_of_values(column: RuleColumn) -> Statement:
    """What each value of a column's lookup shows."""
    text = "SELECT l0.value AS key_0, {shown} AS shown_0 FROM {lookup} AS l0 WHERE l0.value IS NOT NULL"
    shows, lookup = label(column, 0, Expression("l0.value")), qualified(LOOKUP_SCHEMA, column.name)
    return line("release/recoded_columns.shown_of_values", text, shown=shows, lookup=lookup)


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
