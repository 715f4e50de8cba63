"""One scan that tells which levels of a taxonomy need a closer look: counts per level, so its shape depends on them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sqlglot import exp

from anonduck.statements.template import DIALECT, TEXTS_KEPT, Statement

_WIDE = exp.Literal.number(1 << 32)

KINDS = ("nulls", "codes", "labels", "pairs", "parents")


@lru_cache(maxsize=TEXTS_KEPT)
def level_counts(column: str, root: int, *, few: bool = False) -> Statement:
    """One row about ``taxonomy."<column>"``: its rows, and for each level 0 to ``root`` the counts of KINDS.

    ``nulls``: rows without a label or a code; ``codes``, ``labels``: distinct ones; ``pairs``: of label and code;
    ``parents``: of code and the code above it. The levels above the leaf are counted over distinct paths. ``few`` says
    that the leaves are some thousands at most: they are then counted by lists, which start faster and count slower.
    """
    table = exp.table_(exp.to_identifier(column, quoted=True), db="taxonomy")
    upper = [f"{kind}_{level}" for level in range(1, root + 1) for kind in ("level", "code")]
    leaves = exp.select(exp.alias_(exp.Count(this=exp.Star()), "rows"), *_counts(0, root, few), copy=False)
    leaves = leaves.from_(table, copy=False)
    paths = exp.select(*upper).distinct().from_(table.copy())
    nodes = exp.select(*(count for level in range(1, root + 1) for count in _counts(level, root, few))).from_("paths")
    select = (
        exp.select(exp.column(exp.Star(), table="leaves"), exp.column(exp.Star(), table="nodes"))
        .with_("paths", as_=paths, copy=False)
        .from_(leaves.subquery("leaves", copy=False), copy=False)
        .join(nodes.subquery("nodes", copy=False), join_type="cross", copy=False)
    )
    return Statement("builder_check.level_counts", select.sql(DIALECT, pretty=True, copy=False))


@lru_cache(maxsize=TEXTS_KEPT)
def labels_like_values(column: str, root: int) -> Statement:
    """One value: how many labels of all levels read like a leaf."""
    table = exp.table_(exp.to_identifier(column, quoted=True), db="taxonomy")
    labels = exp.Array(expressions=[exp.column(f"level_{level}") for level in range(1, root + 1)])
    paths = exp.select(exp.alias_(labels, "labels")).distinct().from_(table)
    named = exp.select(exp.alias_(exp.func("unnest", exp.column("labels"), dialect=DIALECT), "label"))
    named = exp.select("label").distinct().from_(named.from_(paths.subquery("paths")).subquery("listed"))
    leaves = exp.select(exp.cast(exp.column("value"), "VARCHAR")).from_(table.copy())
    select = exp.select(exp.Count(this=exp.Star())).from_(named.subquery("named"))
    select = select.where(exp.In(this=exp.column("label"), query=leaves.subquery()))
    return Statement("builder_check.labels_like_values", select.sql(DIALECT, pretty=True, copy=False))


def _counts(level: int, root: int, few: bool) -> list[Any]:
    label, code = exp.column(f"level_{level}" if level else "value"), exp.column(f"code_{level}")
    above = exp.column(f"code_{min(level + 1, root)}")
    missing = exp.or_(
        exp.or_(exp.Is(this=label, expression=exp.null()), exp.Is(this=code, expression=exp.null()), copy=False),
        exp.EQ(this=code.copy(), expression=exp.Literal.number(0)),
        copy=False,
    )
    values: list[Any] = [
        code,
        label,
        exp.func("row", label.copy(), code.copy(), copy=False, dialect=DIALECT),
        exp.Add(this=exp.Mul(this=exp.cast(code, "BIGINT"), expression=_WIDE), expression=above),
    ]
    count = _listed if few else _distinct
    counts = [exp.func("count_if", missing, copy=False), *map(count, values)]
    return [exp.alias_(count, f"{kind}_{level}", copy=False) for kind, count in zip(KINDS, counts, strict=True)]


def _distinct(value: Any) -> exp.Expression:
    return exp.Count(this=exp.Distinct(expressions=[value.copy()]))


def _listed(value: Any) -> exp.Expr:
    values = exp.func("list", value.copy(), copy=False, dialect=DIALECT)
    distinct = exp.func("list_distinct", values, copy=False, dialect=DIALECT)
    return exp.func(
        "coalesce", exp.func("len", distinct, copy=False, dialect=DIALECT), exp.Literal.number(0), copy=False
    )
