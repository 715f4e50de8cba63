"""What rows that an engine writes still need as trees (builder_engine_rows)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from anonduck.statements.expressions import quoted
from anonduck.statements.pipeline.engine_nodes import check_nodes
from anonduck.statements.pipeline.engines import NUMBERS, Engine, family_of
from anonduck.statements.row_order import dealt
from anonduck.statements.template import DIALECT
from anonduck.statements.trees import exp, sqlglot


def written(tree: exp.Expr, engine: Engine) -> str:
    """The text of a tree for an engine; raises DialectError, with the node's name, for what is not on its list."""
    check_nodes(tree, engine)
    try:
        return tree.sql(engine.name, pretty=True, unsupported_level=sqlglot.ErrorLevel.RAISE)
    except sqlglot.errors.SqlglotError as error:
        raise engine.refusal("the release", str(error)) from None


def ordered(select: exp.Select, names: Sequence[str], engine: Engine) -> exp.Select:
    """The rows of a select in the order of a release's rows; where NULL stands is the engine's own affair."""
    columns: list[exp.Expr] = [quoted(name, "sorted") for name in names]
    if engine.name == DIALECT:
        columns = [exp.Ordered(this=column, nulls_first=False) for column in columns]
    return dealt(select, names, columns, partial(_as_whole, engine))


def _as_whole(engine: Engine, number: exp.Expr) -> exp.Expr:
    return engine.cast(number, "whole")


def same(engine: Engine, one: exp.Expr, other: exp.Expr, kind: str) -> exp.Expr:
    """Whether two values of a type are the same one, NULL being a value.

    PostgreSQL joins by IS NOT DISTINCT FROM in no way but to try each row with each, so there NULL and the values are
    compared apart, as what a join can hash.
    """
    if engine.name != "postgres":
        return exp.NullSafeEQ(this=one, expression=other)
    values = [_filled(engine, value, kind) for value in (one, other)]
    nulls = [exp.paren(exp.Is(this=value.copy(), expression=exp.null())) for value in (one, other)]
    return exp.and_(exp.EQ(this=nulls[0], expression=nulls[1]), exp.EQ(this=values[0], expression=values[1]))


def _filled(engine: Engine, value: exp.Expr, kind: str) -> exp.Expr:
    """A value, with another in place of NULL."""
    family = family_of(kind)
    if family in NUMBERS:
        return exp.func("coalesce", value.copy(), exp.Literal.number(0))
    if family == "boolean":
        return exp.func("coalesce", value.copy(), exp.false())
    text = value.copy() if family == "text" else engine.cast(value.copy(), "text")
    return exp.func("coalesce", text, exp.Literal.string(""))


def stop(engine: Engine, words: str, value: exp.Expr) -> tuple[exp.Expr, bool]:
    """What stops a statement of an engine, and whether it stands as a condition and not as a value.

    ``value`` is of the record that stops it, or the engine would work it out before it reads a record.
    """
    message = exp.Literal.string(words)
    if engine.stop:
        return exp.Anonymous(this=engine.stop, expressions=[message]), False
    nothing = exp.func(
        "coalesce",
        exp.Substring(this=engine.cast(value, "text"), start=exp.Literal.number(1), length=exp.Literal.number(0)),
        exp.Literal.string(""),
    )
    said = exp.DPipe(this=message, expression=nothing)
    return exp.Is(this=engine.cast(said, "number"), expression=exp.null()), True


def cases(branches: Iterable[tuple[exp.Expr, exp.Expr]], otherwise: exp.Expr | None = None) -> exp.Case:
    """A CASE of conditions with what each gives; the trees are taken over, not copied, as they may be large."""
    return exp.Case(ifs=[exp.If(this=condition, true=value) for condition, value in branches], default=otherwise)
