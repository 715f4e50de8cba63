"""The queries that stop a release whose classes are too small, or too much alike: counts, and no value of a class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonduck.statements.expressions import quoted
from anonduck.statements.pipeline.engine_relations import verbatim
from anonduck.statements.pipeline.engine_values import cases, stop, text_key
from anonduck.statements.pipeline.engines import Engine
from anonduck.statements.trees import exp

RECORDS, VALUES = "class_records", "class_values"
MISSED = "the release misses what is required of it"


def small_classes(relation: str, names: Sequence[str], k: int, engine: Engine) -> str:
    """One row with counts where a class of a relation has fewer than k records, else none; NULL is a value.

    ``relation`` stands in the FROM as it is. Values are compared by the bytes of their texts where an engine's own
    collations may take others for equal.
    """
    return _small(relation, names, k, engine).sql(engine.name, pretty=True)


def uniform_classes(relation: str, names: Sequence[str], sensitive: str, least: int, engine: Engine) -> str:
    """The same where a class has fewer values in a sensitive column than ``least``, among which NULL is one."""
    return _uniform(relation, names, sensitive, least, engine).sql(engine.name, pretty=True)


def passing_rows(relation: str, names: Sequence[str], k: int, least: Mapping[str, int], engine: Engine) -> str:
    """All rows of a relation whose classes meet k, and in each sensitive column the ``least`` of its values.

    The SELECT stops where one does not.
    """
    uniform = (_uniform(relation, names, name, most, engine) for name, most in least.items())
    gates = [_small(relation, names, k, engine), *uniform]
    failing = exp.or_(*[exp.Exists(this=one) for one in gates])
    stopping, is_condition = stop(engine, MISSED, quoted(names[0], "s"))
    met = exp.Literal.string("met")
    branches = [(exp.Not(this=exp.paren(failing)), met), *([(stopping, exp.null())] if is_condition else [])]
    passing = exp.EQ(this=cases(branches, None if is_condition else stopping), expression=met.copy())
    select = exp.select("*").from_(exp.alias_(verbatim(relation), "s", table=True)).where(passing)
    return select.sql(engine.name, pretty=True)


def _small(relation: str, names: Sequence[str], k: int, engine: Engine) -> exp.Select:
    return _gate(relation, names, [], RECORDS, k, engine)


def _uniform(relation: str, names: Sequence[str], sensitive: str, least: int, engine: Engine) -> exp.Select:
    column = exp.column(sensitive, quoted=True)
    of_null = exp.Case().when(column.copy().is_(exp.null()), exp.Literal.number(1)).else_(exp.Literal.number(0))
    distinct = exp.Count(this=exp.Distinct(expressions=[text_key(engine, column)]))
    held = exp.Add(this=distinct, expression=exp.Max(this=of_null))
    return _gate(relation, names, [exp.alias_(held, VALUES)], VALUES, least, engine)


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
