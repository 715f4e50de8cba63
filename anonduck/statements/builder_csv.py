"""Statements that look at the texts of CSV files: they depend on the files' columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anonduck.statements.column_readings import as_type
from anonduck.statements.column_types import DOUBLE, TEXT
from anonduck.statements.expressions import created_view, quoted
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp


@dataclass(frozen=True)
class Asked:
    """A column of texts, and the form that it may have, with or without blanks at its ends."""

    column: str
    form: str
    trimmed: bool = True


def texts_view(relation: exp.Expr, view: str, forms: Sequence[str], asked: Sequence[Asked]) -> Statement:
    """The temporary view of texts, each under the name of its form and its place among the
    columns of that form: ``float_0``. Each form begins with its stand-in, ``float_``, which holds NULL."""
    places = Counter[str]()
    named = [exp.alias_(exp.cast(exp.null(), TEXT, dialect=DIALECT), f"{form}_", quoted=True) for form in forms]
    for one in asked:
        text = quoted(one.column)
        # blanks alone: the reader takes no other white space off a number
        read = exp.Trim(this=text, expression=exp.Literal.string(" ")) if one.trimmed else text
        named.append(exp.alias_(read, f"{one.form}_{places[one.form]}", quoted=True))
        places[one.form] += 1
    return created_view("builder_csv.texts_view", view, exp.select(*named).from_(relation.copy()))


def changed_numbers(relation: exp.Expr, types: Mapping[str, str], decimals: str, thousands: str) -> Statement:
    """One row: per column of texts, how many numbers another number would stand for in its type; NULL is none."""
    counts = []
    for name, kind in types.items():
        text: exp.Expr = quoted(name)
        for old, new in ((thousands, ""), (decimals, ".")):
            text = exp.func("replace", text, exp.Literal.string(old), exp.Literal.string(new)) if old else text
        number = exp.TryCast(this=text, to=exp.DataType.build(DOUBLE, dialect=DIALECT))
        typed = exp.TryCast(this=text.copy(), to=as_type(exp.null(), kind).args["to"])
        held = exp.TryCast(this=typed, to=exp.DataType.build(DOUBLE, dialect=DIALECT))
        counts.append(exp.func("count_if", exp.NEQ(this=held, expression=number), dialect=DIALECT))
    return Statement("builder_csv.changed_numbers", exp.select(*counts).from_(relation.copy()).sql(DIALECT))


def by_name(parts: Sequence[exp.Expr]) -> exp.Expr:
    """The rows of several relations, whose columns are those of all of them, by name; NULL where one lacks a column."""
    united: exp.Expr = exp.select("*").from_(parts[0].copy())
    for part in parts[1:]:
        further = exp.select("*").from_(part.copy())
        united = exp.Union(this=united, expression=further, distinct=False, by_name=True)
    return exp.Subquery(this=united, alias=exp.TableAlias(this=exp.to_identifier("united")))
