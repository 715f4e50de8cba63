"""Statements of the attacks on releases whose labels are nested in each other, such as those of classes.

A value stands behind several labels of a column there, and a person behind several classes: all that cover the person
in all known columns.
"""

from __future__ import annotations

from collections.abc import Sequence

from anonduck.statements.builder_attack import AttackedColumn, all_covered, numbered_values
from anonduck.statements.builder_grouped import created
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp


def known_classes(known: Sequence[AttackedColumn]) -> Statement:
    """``known_classes``: place, a number from 0, and the labels of each class of the ``known`` columns; width, the sum
    over columns of the logarithm of how many values its label covers.
    """
    labels = [f"l_{one.number}" for one in known]
    order = ", ".join(f"c.{name}" for name in labels)
    widths = " + ".join(f"ln(e{one.number}.covered)" for one in known)
    select = exp.select(
        f"row_number() OVER (ORDER BY {order}) - 1 AS place",
        *(f"c.{name}" for name in labels),
        f"round({widths}, 9) AS width",
        dialect=DIALECT,
    )
    distinct = exp.select(*labels).distinct().from_("released_rows")
    select = select.from_(distinct.subquery("c"))
    for one in known:
        select = _with_labels(select, "extents", f"e{one.number}", one)
    return created("known_classes", select)


def labels_of_classes(known: Sequence[AttackedColumn]) -> Statement:
    """The label numbers of each class of the ``known`` columns, in order of its place."""
    select = exp.select(*(f"c.l_{one.number}" for one in known)).from_("known_classes AS c", dialect=DIALECT)
    return Statement("builder_nested.labels_of_classes", select.order_by("c.place").sql(DIALECT, pretty=True))


def sized_classes(known: Sequence[AttackedColumn]) -> Statement:
    """The label numbers of each class of the ``known`` columns, and its records."""
    labels = [f"c.l_{one.number}" for one in known]
    select = exp.select(*labels, "sum(c.records)::BIGINT AS records", dialect=DIALECT)
    select = select.from_("released_rows AS c", dialect=DIALECT).group_by(*labels).order_by(*labels)
    return Statement("builder_nested.sized_classes", select.sql(DIALECT, pretty=True))


def numbered_rows(known: Sequence[AttackedColumn], source: str) -> Statement:
    """The numbers of the values of each record of the grouped table ``source``, and how many records are like it."""
    select = numbered_values(known, source).select("sum(s.records)::BIGINT AS records", dialect=DIALECT)
    select.set("group", exp.Group(all=True))
    return Statement("builder_nested.numbered_rows", select.sql(DIALECT, pretty=True))


def covering_classes(known: Sequence[AttackedColumn]) -> Statement:
    """Each target's number from 0 and the place of each class that covers it in all ``known`` columns, with its width,
    the narrowest first.
    """
    select = exp.select("t.target - 1 AS owner", "c.place", "c.width", dialect=DIALECT)
    select = select.from_("targets AS t", dialect=DIALECT)
    select = select.join("known_classes AS c", on=all_covered(known), dialect=DIALECT)
    ordered = select.order_by("owner", "c.width", "c.place")
    return Statement("builder_nested.covering_classes", ordered.sql(DIALECT, pretty=True))


def compared_people(pool: str) -> Statement:
    """One number: how many people the records stand for that ``people_behind`` compares."""
    drawn = exp.select("s.records").from_(f"{pool} AS s", dialect=DIALECT).order_by("hash(s)")
    select = exp.select("sum(t.records)::BIGINT AS people", dialect=DIALECT)
    select = select.from_(drawn.limit("$limit", dialect=DIALECT).subquery("t"))
    return Statement("builder_nested.compared_people", select.sql(DIALECT, pretty=True), frozenset({"limit"}))


def people_behind(attributes: Sequence[AttackedColumn], pool: str) -> Statement:
    """Each pair of a distinct record of the placed table ``pool``, at most $limit of them, and a row of
    ``released_rows`` that agrees with it in all ``attributes``: person, people alike, class, records.
    """
    order = "hash(s)"
    drawn = exp.select(f"row_number() OVER (ORDER BY {order}) AS person", "s.*", dialect=DIALECT)
    drawn = drawn.from_(f"{pool} AS s", dialect=DIALECT).order_by(order).limit("$limit", dialect=DIALECT)
    select = exp.select("t.person", "t.records AS people", "c.class", "c.records", dialect=DIALECT)
    select = select.from_(drawn.subquery("t")).join(
        "released_rows AS c", on=all_covered(attributes, plain=True), dialect=DIALECT
    )
    return Statement("builder_nested.people_behind", select.sql(DIALECT, pretty=True), frozenset({"limit"}))


def weighed(attributes: Sequence[AttackedColumn], known: Sequence[AttackedColumn]) -> Statement:
    """``linked``: per target the rows of the highest match weight, by the weight of each label in ``label_weights``;
    first, second and common rows are all of them, own rows the chance that one of them is the target's own: the share
    that they have in the ``own_rates`` of all rows that agree with it in all ``attributes``.
    """
    weights = [
        f"CASE WHEN {all_covered([one])} THEN w{one.number}.agrees ELSE w{one.number}.differs END" for one in known
    ]
    pairs = exp.select(
        "t.target",
        f"round({' + '.join(weights)}, 9) AS weight",
        f"CASE WHEN {all_covered(attributes)} THEN o.rate ELSE 0 END AS rate",
        "c.records",
        dialect=DIALECT,
    )
    pairs = pairs.from_("targets AS t", dialect=DIALECT).join("released_rows AS c", join_type="cross", dialect=DIALECT)
    pairs = pairs.join("own_rates AS o", on="o.class = c.class", join_type="left", dialect=DIALECT)
    for one in known:
        pairs = _with_labels(pairs, "label_weights", f"w{one.number}", one)
    best = exp.select("target", "max(weight) AS weight", "sum(rate) AS rate").from_("pairs").group_by("target")
    rows = [f"sum(p.records)::BIGINT AS {name}_rows" for name in ("first", "second", "common")]
    own = "coalesce(sum(p.rate) / nullif(any_value(b.rate), 0), 0)::DOUBLE AS own_rows"
    select = exp.select("p.target", *rows, own, dialect=DIALECT).from_("pairs AS p", dialect=DIALECT)
    select = select.join("best AS b", on="b.target = p.target AND b.weight = p.weight", dialect=DIALECT)
    select = select.group_by("p.target").with_("pairs", as_=pairs, materialized=False).with_("best", as_=best)
    return created("linked", select)


def _with_labels(select: exp.Select, table: str, alias: str, one: AttackedColumn) -> exp.Select:
    """A query with the row of ``table`` for the label that its relation ``c`` has in a column."""
    on = f"{alias}.attribute = {one.number} AND {alias}.label = c.l_{one.number}"
    return select.join(f"{table} AS {alias}", on=on, dialect=DIALECT)
