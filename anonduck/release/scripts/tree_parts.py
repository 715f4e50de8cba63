"""A cut tree as a text that an engine reads: the places of values, the descent, the pruning, and what classes show.

The tree is descended twice: once to count what comes to each side, and again without the sides that are too small. What
a class shows is worked out from its records, as anonduck does it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from anonduck.release.scripts.select_parts import (
    Listed,
    ListedTree,
    ListedValues,
    Parts,
    Reading,
    TreeColumn,
    lookup_name,
)
from anonduck.statements.column_types import BIGINT, TEXT
from anonduck.statements.dialects import Dialect, family_of
from anonduck.statements.expansion import Expression, expression, quoted
from anonduck.statements.pipeline.engine_values import (
    called,
    cases,
    check_kind,
    is_nan,
    is_null,
    key,
    otherwise,
    stop,
    with_one_zero,
)
from anonduck.statements.template import DIALECT, inner_query

MOST_JOINED = 6
"""So many cuts may lie over a leaf for an engine that limits recursion: Spark plans these joins in seconds, those of
ten cuts not in minutes."""
WRITTEN_ALIKE = ("text", "whole", "boolean", "date")
"""Families whose values every engine writes as DuckDB does."""
TREE = dict.fromkeys(("node", "col", "first", "last", "next"), BIGINT)
SHOWN = {
    **dict.fromkeys(("col", "cell", "level", "node"), BIGINT),
    **dict.fromkeys(("label", "low", "high", "either"), TEXT),
    "ends": BIGINT,
}
Label = Callable[[Listed, Reading, Parts], Expression]


def tree_shown(listed: ListedTree, reading: Reading, parts: Parts, label: Label) -> dict[str, Expression]:
    """What each released column shows; the records are read with the numbers of their values from here on."""
    if not reading.engine.recursive and listed.depth > MOST_JOINED:
        raise reading.engine.refusal(
            f"a cut tree with {listed.depth} cuts over a leaf",
            f"it plans the joins of up to {MOST_JOINED}; write the release with anonduck, or lock a rule",
        )
    root = expression("CAST(0 AS {whole})", whole=Expression(reading.engine.types["whole"]))
    rows = listed.rows or [["-1"] * len(TREE)]  # a list of no rows is none; no record comes to this node
    tree = parts.add("tree", TREE, rows)
    prefix = next(one for one in _prefixes() if not any(name.lower().startswith(one) for name in reading.kinds))
    values: list[dict[str, Any]] = [
        {
            **{part: f"{prefix}{part}_{number}" for part in ("id", "place", "cell", "level", "label")},
            **{"col": number, "name": reading.named(one.name), "key": _compared(reading, one)},
        }
        for number, one in enumerate(listed.columns)
    ]

    counted = f"{prefix}records"

    def query(name: str, file: str, **given: Any) -> Expression:
        return parts.query(name, inner_query(f"release/scripts/{file}.sql", **given))

    records = query("tree_records", "tree_records", relation=reading.relation, values=values)
    held = inner_query("release/scripts/tree_values.sql", values=values, records=records, records_called=counted)
    inside, combined = parts.inside(), reading.of(expression("({held}) AS s", held=held))
    for one, column in zip(values, listed.columns, strict=True):
        one["placed"], one["held"] = _placed(column, combined, inside, records)
    given = {"values": values, "combined": expression("({held})", held=held), "joined": inside.joined}
    given["records_called"] = counted
    combinations = query("combinations", "tree_combinations", **given)

    def descended(name: str, held: Expression) -> Expression:
        if not reading.engine.recursive:
            levels = [_level(number, values) for number in range(listed.depth)]
            return query(
                name, "tree_descent_joined", combinations=combinations, tree=held, levels=levels, records_called=counted
            )
        itself = quoted(parts.free(name))
        given = {"combinations": combinations, "itself": itself, "tree": held, "values": values, "root": root}
        given["records_called"] = counted
        return parts.query(name, inner_query("release/scripts/tree_descent.sql", **given), recursive=True)

    descent = descended("descent", tree)
    if listed.k is not None:
        tree = query("pruned_tree", "tree_pruned", tree=tree, descent=descent, k=listed.k, records_called=counted)
        descent = descended("pruned_descent", tree)
    leaves = query("leaves", "tree_leaves", descent=descent, tree=tree)
    released = [one for one, column in zip(values, listed.columns, strict=True) if column.shown]
    labels = [[str(one["col"]), *row] for one in released for row in listed.columns[one["col"]].shown]
    shown = parts.add("shown", SHOWN, labels)
    cells = query("cells", "tree_cells", leaves=leaves, combinations=combinations, shown=shown, values=released)
    ends = query("ends", "tree_ends", cells=cells, shown=shown)
    nodes = query("nodes", "tree_nodes", cells=cells, shown=shown, ends=ends)
    given = {"combinations": combinations, "leaves": leaves, "nodes": nodes, "values": values, "columns": released}
    classes = query("classes", "tree_classes", **given)
    parts.relation = expression("{records} AS s", records=records)
    alias = parts.join(classes, 'all_of(values, {alias}."{id}" = s."{id}")', values=values)
    return {
        listed.columns[one["col"]].name: _shows(listed.columns[one["col"]], one, alias, reading, parts, label)
        for one in released
    }


def held_values(column: TreeColumn, engine: Dialect) -> int:
    """How many values a text for an engine lists of a column, beside bounds."""
    texts = max(len(column.texts) - 1, 0) if _lists_texts(column, engine) else 0
    return texts if column.is_bounded else max(len(column.cells), texts)


def _lists_texts(column: TreeColumn, engine: Dialect) -> bool:
    """Whether the text of a single value is looked up, as an engine would write another one."""
    return bool(column.texts) and engine.name != DIALECT and family_of(column.kind) not in WRITTEN_ALIKE


def _level(number: int, values: Sequence[dict[str, Any]]) -> dict[str, Expression]:
    """The node over a cut, and the place of a combination in the column that it is cut in."""
    placed = 'CASE t{number}."col" branches(values, WHEN {n} THEN c."{place}") END'
    over = expression('t{over}."next"', over=number - 1) if number else Expression("0")
    return {"over": over, "placed": expression(placed, number=number, values=values)}


def _prefixes() -> Iterator[str]:
    name = "tree_"
    while True:
        yield name
        name += "_"


def _compared(reading: Reading, column: TreeColumn) -> Expression:
    """A value of a column as it is compared."""
    check_kind(reading.engine, column.name, column.kind)
    value = reading.column(column.name)
    return key(reading.engine, with_one_zero(value, column.kind), column.kind)


def _placed(column: TreeColumn, reading: Reading, inside: Parts, records: Expression) -> tuple[Expression, Expression]:
    """The place of a value in the order of its column, and its cell."""
    engine, value = reading.engine, reading.column(column.name)
    apart = [row for row in column.cells if engine.nan != "equal" and is_nan(row[0], column.kind)]
    held = [row for row in column.cells if row not in apart]
    lookup_columns = {"place": BIGINT, "cell": BIGINT}
    branches = [[(is_null(value), Expression("-1"))], [(is_null(value), Expression("0"))]]
    for at, one in enumerate(branches):
        one += [(called(engine.nan, value), Expression(str(row[1 + at]))) for row in apart]
    if column.is_bounded:
        rows = [(str(number), *row) for number, row in enumerate(held)]
        columns = {"key": BIGINT, "lower": column.kind, **lookup_columns}
        lookup = inside.add(lookup_name(column.name, "places"), columns, rows)
        whole = Expression(engine.types["whole"])
        relation = expression("(SELECT DISTINCT {value} FROM {records} AS s) AS s", value=value, records=records)
        item = {"value": value, "lookup": lookup, "relation": relation, "whole": whole}
        placed = expression("({query})", query=inner_query("release/scripts/placed_bounds.sql", **item))
        zero = with_one_zero(value, column.kind)
        at_place = Expression(inside.join(placed, '{value} = {alias}."value"', value=zero))
        alias = Expression(inside.join(lookup, '{place}."place" = {alias}."key"', place=at_place))
        found = [expression(f'{{alias}}."{part}"', alias=alias) for part in lookup_columns]
        place, cell = (cases(own, otherwise(one)) for own, one in zip(branches, found, strict=True))
        return place, cell
    columns = {"key": column.kind, **lookup_columns}
    lookup = inside.add(lookup_name(column.name, "places"), columns, held or [[None, "0", "0"]])
    compared = _compared(reading, column)
    alias = Expression(inside.join(lookup, '{compared} = {alias}."key"', compared=compared))
    known = expression('{alias}."key" IS NOT NULL', alias=alias)
    unknown = stop(engine, f"column {column.name}: {column.words}", value) if column.refuses else None
    place, cell = (
        cases([*own, (known, expression(f'{{alias}}."{part}"', alias=alias))], unknown or otherwise(Expression(lack)))
        for own, part, lack in zip(branches, lookup_columns, ("0", "-1"), strict=True)
    )
    return place, cell


def _shows(
    column: TreeColumn, one: dict[str, Any], alias: str, reading: Reading, parts: Parts, label: Label
) -> Expression:
    """The label of a class, or the value where all of its records have the same."""
    engine, value = reading.engine, reading.column(column.name)
    fields = {"alias": Expression(alias), "level": one["level"], "label": one["label"]}
    itself = expression('{alias}."{level}" = 0', **fields)
    if column.itself and family_of(column.kind) != "text":
        zero = with_one_zero(value, column.kind)
        return cases([(itself, zero)], stop(engine, f"column {column.name}: {NOT_VALUES}", value))
    family = family_of(column.kind)
    text = engine.typed(with_one_zero(value, column.kind), "text")
    if _lists_texts(column, engine):
        listed = ListedValues(column.name, column.kind, column.texts, words="a single value that was not there")
        alike = engine.doubles if family == "double" else None
        branches = [] if alike is None else [tuple(expression(one, value=value, text=text) for one in alike)]
        other = label(listed, reading, parts)
        text = cases([(when, then) for when, then in branches], otherwise(other)) if branches else other
    return cases([(itself, text)], otherwise(expression('{alias}."{label}"', **fields)))


NOT_VALUES = "a class shows more than one value now, and the column held values; release it anew"
