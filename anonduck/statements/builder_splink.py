"""Statements that give Splink its two tables: the attacked targets, and the classes of the release.

Both have a column ``l_1`` for attribute 1 (the number of its label, or a list of such numbers), and ``lower_1`` and
``upper_1``, its ends, if it has a place on a line.
"""

from __future__ import annotations

from collections.abc import Sequence

from anonduck.statements.builder_attack import AttackedColumn, all_covered
from anonduck.statements.builder_grouped import created
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp


def members(known: Sequence[AttackedColumn]) -> Statement:
    """``splink_members``: each released row, and the number of its class by the known columns."""
    order = ", ".join(f"c.l_{one.number}" for one in known)
    select = exp.select("c.class", f"dense_rank() OVER (ORDER BY {order}) AS member", dialect=DIALECT)
    return created("splink_members", select.from_("released_rows AS c", dialect=DIALECT))


def rows(known: Sequence[AttackedColumn]) -> Statement:
    """``splink_rows``: unique_id, the class; its labels and ends; records."""
    select = exp.select("m.member AS unique_id", dialect=DIALECT)
    for one in known:
        label = f"any_value(c.l_{one.number})"
        select = select.select(f"{f'[{label}]' if one.several else label} AS l_{one.number}", dialect=DIALECT)
        if one.span:
            ends = [f"any_value(c.{end}_{one.number}) AS {end}_{one.number}" for end in ("lower", "upper")]
            select = select.select(*ends, dialect=DIALECT)
    select = select.select("sum(c.records)::BIGINT AS records", dialect=DIALECT).from_(
        "released_rows AS c", dialect=DIALECT
    )
    return created(
        "splink_rows", select.join("splink_members AS m", using=["class"], dialect=DIALECT).group_by("m.member")
    )


def targets(known: Sequence[AttackedColumn]) -> Statement:
    """``splink_targets``: unique_id, the target; its labels (0 or an empty list for none) and places; the first
    $limit.
    """
    select = exp.select("t.target AS unique_id", dialect=DIALECT)
    for one in known:
        none = "[]::INTEGER[]" if one.several else "0"
        select = select.select(f"coalesce(t.l_{one.number}, {none}) AS l_{one.number}", dialect=DIALECT)
        if one.span:
            places = [f"t.n_{one.number} AS {end}_{one.number}" for end in ("lower", "upper")]
            select = select.select(*places, dialect=DIALECT)
    return created(
        "splink_targets",
        select.from_("targets AS t", dialect=DIALECT).where("t.target <= $limit", dialect=DIALECT),
        frozenset({"limit"}),
    )


def own(attributes: Sequence[AttackedColumn]) -> Statement:
    """``splink_own``: per target and class, the records that agree with the target in all ``attributes``."""
    select = (
        exp.select("t.target", "m.member", "sum(c.records)::BIGINT AS records", dialect=DIALECT)
        .from_("targets AS t", dialect=DIALECT)
        .join("released_rows AS c", on=all_covered(attributes), dialect=DIALECT)
        .join("splink_members AS m", on="m.class = c.class", dialect=DIALECT)
        .group_by("t.target", "m.member")
    )
    return created("splink_own", select)
