"""The queries that stop a release whose classes are too small, or too much alike: counts, and no value of a class."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from anonduck.statements.pipeline.engine_relations import verbatim
from anonduck.statements.pipeline.engine_values import text_key
from anonduck.statements.pipeline.engines import Engine

RECORDS, VALUES = "class_records", "class_values"


def small_classes(relation: str, names: Sequence[str], k: int, engine: Engine) -> str:
    """One row with counts where a class of a relation has fewer than k records, else none; NULL is a value.

    ``relation`` stands in the FROM as it is. Values are compared by the bytes of their texts where an engine's own
    collations may take others for equal.
    """
    return _gate(relation, names, [], RECORDS, k, engine).sql(engine.dialect, pretty=True)


def uniform_classes(relation: str, names: Sequence[str], sensitive: str, least: int, engine: Engine) -> str:
    """The same where a class has fewer values in a sensitive column than ``least``, among which NULL is one."""
    column = exp.column(sensitive, quoted=True)
    of_null = exp.Case().when(column.copy().is_(exp.null()), exp.Literal.number(1)).else_(exp.Literal.number(0))
    distinct = exp.Count(this=exp.Distinct(expressions=[text_key(engine, column)]))
    held = exp.Add(this=distinct, expression=exp.Max(this=of_null))
    counted = [exp.alias_(held, VALUES)]
    return _gate(relation, names, counted, VALUES, least, engine).sql(engine.dialect, pretty=True)


def _gate(
    relation: str, names: Sequence[str], counted: Sequence[exp.Expr], reached: str, least: int, engine: Engine
) -> exp.Select:
    keys = [text_key(engine, exp.column(name, quoted=True)) for name in names]
    records = exp.alias_(exp.Count(this=exp.Star()), RECORDS)
    classes = exp.select(records, *counted).from_(verbatim(relation)).group_by(*keys)
    failing = exp.select(
        exp.alias_(exp.Count(this=exp.Star()), "failing_classes"),
        exp.alias_(exp.Sum(this=exp.column(RECORDS)), "failing_records"),
        exp.alias_(exp.Min(this=exp.column(reached)), "reached"),
    ).from_(classes.subquery("classes"))
    under = exp.LT(this=exp.column(reached), expression=exp.Literal.number(least))
    return failing.where(under).having(exp.GT(this=exp.Count(this=exp.Star()), expression=exp.Literal.number(0)))
