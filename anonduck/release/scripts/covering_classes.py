"""Combinations of values that no list has, and the lowest class whose nodes are over all of their values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from anonduck.release.scripts.select_parts import Listed, ListedCombinations, Marked, Parts, Reading, Row
from anonduck.statements.column_types import BIGINT, TEXT
from anonduck.statements.dialects import family_of
from anonduck.statements.expansion import Expression, expression
from anonduck.statements.pipeline.engine_values import cases, literal, otherwise, string, text_key
from anonduck.statements.template import inner_query

NAN, AT_ROOT = 2, 9
"""Marks of a node: NaN as a value, the root; 1 is NULL, 0 others."""


def covered(
    listed: ListedCombinations,
    marked: Sequence[Marked],
    unlisted: tuple[Expression, str, Sequence[Mapping[str, str]], str],
    reading: Reading,
    parts: Parts,
    label: Callable[[Listed, Reading, Parts], Expression],
) -> Expression:
    """A query of the combinations with the ``place`` of the class that covers each.

    Args:
        listed: the combinations and the classes.
        marked: by column, how its values are compared; the rows of the classes are after those of the combinations.
        unlisted: the relation of the list of combinations, its join with the fields of that, and its column that others
            have as NULL, so that only those are tried.
        reading: what is read.
        parts: get the lists.
        label: the label of a column's value, of which it may join a list.
    """
    covering = listed.covering
    assert covering is not None
    inside = parts.inside()
    names = [name for at, one in enumerate(marked) for name in one.columns(at)]
    columns = list(zip(names, [value for one in marked for value in one.compared], strict=True))
    relation, on, alike, mark = unlisted
    alias = inside.join(relation, on, alike=alike)
    for at, of in enumerate(covering.labels):
        columns += [(f"label_{at}_{level}", label(one, reading, inside)) for level, one in of.items()]
    vectors = list(dict.fromkeys(tuple(level for level, _ in nodes) for nodes, _ in covering.rows))
    columns_of = ("vector", *(f"level_{at}" for at in range(len(marked))))
    rows = [[str(one) for one in (number, *vector)] for number, vector in enumerate(vectors)]
    levels = parts.add("class_levels", dict.fromkeys(columns_of, BIGINT), rows)
    item = {
        "names": names,
        "columns": [{"name": name, "shown": value} for name, value in columns],
        "relation": reading.relation,
        "joined": inside.joined,
        "unlisted": expression('{alias}."{mark}" IS NULL', alias=Expression(alias), mark=mark),
        "levels": levels,
        "classes": _classes(listed, marked, vectors, parts),
        "alike": [pair for at, one in enumerate(marked) for pair in _alike(listed, at, one, reading)],
    }
    return inner_query("release/scripts/covered.sql", **item)


def _classes(
    listed: ListedCombinations, marked: Sequence[Marked], vectors: Sequence[tuple[int, ...]], parts: Parts
) -> Expression:
    """The list of the classes: the place of each, its levels, and what a value is compared with in each column."""
    covering = listed.covering
    assert covering is not None
    numbers = {vector: number for number, vector in enumerate(vectors)}
    rows: list[Row] = []
    for place, (nodes, _) in enumerate(covering.rows):
        row: list[str | None] = [str(place), str(numbers[tuple(level for level, _ in nodes)])]
        for at, (one, (level, text)) in enumerate(zip(marked, nodes, strict=True)):
            value, is_over = one.rows[len(listed.rows) + place], level > 0 and text is not None
            if level == covering.roots[at] or is_over:
                mark = AT_ROOT if level == covering.roots[at] else 0
                value = [str(mark), *([] if one.filler is None else [one.filler])]
            row += [*value, *([str(text) if is_over else ""] if covering.labels[at] else [])]
        rows.append(row)
    columns = {"place": BIGINT, "vector": BIGINT}
    for at, one in enumerate(marked):
        columns |= one.columns(at) | ({f"shown_{at}": TEXT} if covering.labels[at] else {})
    return parts.add("class_nodes", columns, rows)


def _alike(listed: ListedCombinations, at: int, marked: Marked, reading: Reading) -> list[dict[str, Expression]]:
    """The pairs that are equal where a column's value, at the level of ``v``, is under the node of ``c``."""
    covering, engine = listed.covering, reading.engine
    assert covering is not None
    mark, *values = marked.columns(at)
    fields = {"at": at, "mark": mark, "root": covering.roots[at], "nan": NAN, "at_root": AT_ROOT}
    generalized = 'WHEN f."{mark}" = {nan} AND v."level_{at}" <> 0 THEN 0'
    marks = 'CASE WHEN v."level_{at}" = {root} THEN {at_root} ' + generalized + ' ELSE f."{mark}" END'
    pairs = [(expression(marks, **fields), mark)]
    for name in values:
        held = 'CASE WHEN v."level_{at}" = 0 THEN f."{name}" ELSE {filler} END'
        filler = literal(engine, str(marked.filler), marked.kind)
        own = expression(held, at=at, name=name, filler=filler)
        pairs.append((text_key(engine, own) if family_of(listed.kinds[at]) == "text" else own, name))
    if covering.labels[at]:
        empty = string("")
        branches = [(expression('f."{mark}" = 1', mark=mark), empty)]
        for level in covering.labels[at]:
            at_level = expression('v."level_{at}" = {level}', at=at, level=level)
            branches.append((at_level, expression('f."label_{at}_{level}"', at=at, level=level)))
        pairs.append((text_key(engine, cases(branches, otherwise(empty))), f"shown_{at}"))
    return [{"one": one, "other": expression('c."{name}"', name=name)} for one, name in pairs]
