"""Combinations of values that no list has, and the lowest class whose nodes are over all of their values.

Each distinct one is tried at the levels of each class, by equality: an engine can hash that, while a join by `OR` tries
each with each class.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anonduck.statements.expressions import quoted
from anonduck.statements.pipeline.engine_values import cases, text_key
from anonduck.statements.pipeline.engines import family_of
from anonduck.statements.pipeline.select_parts import Listed, ListedCombinations, Marked, Parts, Reading
from anonduck.statements.trees import exp

NULL, NAN, AT_ROOT = 1, 2, 9
"""Marks of a node: NULL, NaN as a value, the root; 0 for others."""


def covered(
    listed: ListedCombinations,
    marked: Sequence[Marked],
    unlisted: tuple[exp.Expr, exp.Expr, exp.Expr] | None,
    reading: Reading,
    parts: Parts,
    label: Callable[[Listed, Parts], exp.Expr],
) -> exp.Select:
    """A query of the combinations with the ``place`` of the class that covers each.

    Args:
        listed: the combinations and the classes.
        marked: by column, how its values are compared; the rows of the classes are after those of the combinations.
        unlisted: the relation of the list of combinations, its join, and the condition that it has none, so that others
            are not tried; None where an engine cannot read that list twice.
        reading: what is read.
        parts: get the lists.
        label: the label of a column's value, of which it may join a list.
    """
    covering = listed.covering
    assert covering is not None
    inside = parts.inside()
    names = [name for at, one in enumerate(marked) for name in one.names(at)]
    keys = list(zip([value for one in marked for value in one.compared], names, strict=True))
    select = [exp.alias_(value.copy(), name, quoted=True) for value, name in keys]
    where = None
    if unlisted is not None:
        relation, on, where = unlisted
        inside.join(relation)
        inside.joins.append(on.copy())
    for at, of in enumerate(covering.labels):
        select += [exp.alias_(label(one, inside), _label(at, level), quoted=True) for level, one in of.items()]
    read = inside.joined_to(exp.select(*select).from_(reading.relation.copy()))
    found = (read if where is None else read.where(where.copy())).distinct()
    vectors = list(dict.fromkeys(tuple(level for level, _ in nodes) for nodes, _ in covering.rows))
    levels = parts.add(
        ["vector", *(f"level_{at}" for at in range(len(marked)))],
        [[exp.Literal.number(one) for one in (number, *vector)] for number, vector in enumerate(vectors)],
    )
    classes = _classes(listed, marked, vectors, reading, parts)
    alike: list[exp.Expr] = [exp.EQ(this=quoted("vector", "v"), expression=quoted("vector", "c"))]
    for at, one in enumerate(marked):
        alike += _alike(listed, at, one, reading)
    grouped = [quoted(name, "f") for name in names]
    held = [exp.alias_(one.copy(), one.name, quoted=True) for one in grouped]
    place = exp.alias_(exp.Min(this=quoted("place", "c")), "place", quoted=True)
    return (
        exp.select(*held, place)
        .from_(found.subquery("f"))
        .join(exp.alias_(levels, "v", table=True), join_type="cross")
        .join(exp.alias_(classes, "c", table=True), on=exp.and_(*alike))
        .group_by(*grouped)
    )


def _label(at: int, level: int) -> str:
    return f"label_{at}_{level}"


def _classes(
    listed: ListedCombinations,
    marked: Sequence[Marked],
    vectors: Sequence[tuple[int, ...]],
    reading: Reading,
    parts: Parts,
) -> exp.Table:
    """The list of the classes: the place of each, its levels, and what a value is compared with in each column."""
    covering, rows = listed.covering, []
    assert covering is not None
    numbers = {vector: number for number, vector in enumerate(vectors)}
    for place, (nodes, _) in enumerate(covering.rows):
        row: list[exp.Expr] = [
            exp.Literal.number(place),
            exp.Literal.number(numbers[tuple(level for level, _ in nodes)]),
        ]
        for at, (one, (level, text)) in enumerate(zip(marked, nodes, strict=True)):
            value, is_over = one.rows[len(listed.rows) + place], level > 0 and text is not None
            if level == covering.roots[at] or is_over:
                mark = AT_ROOT if level == covering.roots[at] else 0
                value = [exp.Literal.number(mark), *([] if one.filler is None else [one.filler])]
            row += value
            if covering.labels[at]:
                row.append(exp.Literal.string(str(text) if is_over else ""))
        rows.append([cell.copy() for cell in row])
    names = ["place", "vector"]
    for at, one in enumerate(marked):
        names += [*one.names(at), *(["shown_" + str(at)] if covering.labels[at] else [])]
    return parts.add(names, rows)


def _alike(listed: ListedCombinations, at: int, marked: Marked, reading: Reading) -> list[exp.Expr]:
    """The conditions under which the value of a column, at the level of ``v``, is under the node of ``c``."""
    covering, engine = listed.covering, reading.engine
    assert covering is not None

    def number(value: int) -> exp.Expr:
        return exp.Literal.number(value)

    def at_level(level: int) -> exp.Expr:
        return exp.EQ(this=quoted(f"level_{at}", "v"), expression=number(level))

    mark, *value = marked.names(at)
    held = quoted(mark, "f")
    is_mark = {one: exp.EQ(this=held.copy(), expression=number(one)) for one in (NULL, NAN)}
    generalized_nan = exp.and_(is_mark[NAN].copy(), exp.Not(this=at_level(0)))
    marks = cases([(at_level(covering.roots[at]), number(AT_ROOT)), (generalized_nan, number(0))], held)
    found: list[exp.Expr] = [exp.EQ(this=marks, expression=quoted(mark, "c"))]
    for name in value:
        own: exp.Expr = cases([(at_level(0), quoted(name, "f"))], marked.filler)
        own = text_key(engine, own) if family_of(listed.kinds[at]) == "text" else own
        found.append(exp.EQ(this=own, expression=quoted(name, "c")))
    if covering.labels[at]:
        empty = exp.Literal.string("")
        branches: list[tuple[exp.Expr, exp.Expr]] = [(is_mark[NULL].copy(), empty)]
        branches += [(at_level(level), quoted(_label(at, level), "f")) for level in covering.labels[at]]
        text = text_key(engine, cases(branches, empty.copy()))
        found.append(exp.EQ(this=text, expression=quoted(f"shown_{at}", "c")))
    return found
