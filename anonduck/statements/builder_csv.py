"""Statements that look at the texts of CSV files: they depend on the files' columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anonduck.statements.column_types import TEXT
from anonduck.statements.expressions import created_view, quoted
from anonduck.statements.template import DIALECT, Later, Statement, tree_of
from anonduck.statements.trees import exp

if TYPE_CHECKING:
    from anonduck.statements.builder_source import Relation


@dataclass(frozen=True)
class Asked:
    """A column of texts, and the form that it may have."""

    column: str
    form: str


def texts_view(relation: Relation, view: str, forms: Sequence[str], asked: Sequence[Asked]) -> Statement:
    """The temporary view of texts without blanks at their ends, each under the name of its form and its place among the
    columns of that form: ``float_0``. Each form begins with its stand-in, ``float_``, which holds NULL."""
    places = Counter[str]()
    named = [exp.alias_(exp.cast(exp.null(), TEXT, dialect=DIALECT), f"{form}_", quoted=True) for form in forms]
    for one in asked:
        # blanks alone: the reader takes no other white space off a number
        trimmed = exp.Trim(this=quoted(one.column), expression=exp.Literal.string(" "))
        named.append(exp.alias_(trimmed, f"{one.form}_{places[one.form]}", quoted=True))
        places[one.form] += 1
    return created_view("builder_csv.texts_view", view, exp.select(*named).from_(tree_of(relation)))


def by_name(parts: Sequence[Relation]) -> Later:
    """The rows of several relations, whose columns are those of all of them, by name; NULL where one lacks a column."""
    return Later(_by_name, tuple(parts))


def _by_name(*parts: Relation) -> exp.Expr:
    united: exp.Expr = exp.select("*").from_(tree_of(parts[0]))
    for part in parts[1:]:
        further = exp.select("*").from_(tree_of(part))
        united = exp.Union(this=united, expression=further, distinct=False, by_name=True)
    return exp.Subquery(this=united, alias=exp.TableAlias(this=exp.to_identifier("united")))
