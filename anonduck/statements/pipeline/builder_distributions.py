"""Statements of a release by distributions: what their shape depends on is the number of columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anonduck.statements.expressions import quoted
from anonduck.statements.pipeline.builder_release import grouped_rows
from anonduck.statements.pipeline.column_names import value_column
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp

GIVEN = "given_closures"
DISTRIBUTIONS = "given_distributions"


@dataclass(frozen=True)
class ShownColumn:
    """A quasi-identifier of which each record shows a closure; ``type`` is that of its values, where all show these."""

    name: str
    type: str | None = None

    generalized = True
    distinguishes = True
    typed = True


@dataclass(frozen=True)
class DistributionColumn:
    """The class, of which each record shows a distribution."""

    name: str

    generalized = False
    distinguishes = False
    typed = False


def grouped_closures(columns: Sequence[ShownColumn | DistributionColumn], table: str, *, as_json: bool) -> Statement:
    """``table``: each distinct row of the closures with its records; distributions are maps, or JSON on request."""
    shown = "as_json" if as_json else "as_map"
    values = [exp.alias_(_shown(column, shown), value_column(column.name), quoted=True) for column in columns]
    distributions = exp.to_table(DISTRIBUTIONS).as_("d", table=True)
    same = exp.column("distribution", table="s").eq(exp.column("distribution", table="d"))
    select = exp.select(*values).from_(exp.to_table(GIVEN).as_("s", table=True)).join(distributions, on=same)
    return grouped_rows("builder_distributions.grouped_closures", table, select)


def _shown(column: ShownColumn | DistributionColumn, shown: str) -> exp.Expr:
    if isinstance(column, DistributionColumn):
        return exp.column(shown, table="d")
    value = quoted(value_column(column.name), "s")
    return value if column.type is None else exp.cast(value, column.type, dialect=DIALECT)


def original_rows(columns: Sequence[str]) -> Statement:
    """The columns of the source as text, which the release is held against."""
    values = [exp.alias_(exp.cast(quoted(name), "VARCHAR", dialect=DIALECT), name, quoted=True) for name in columns]
    return Statement("builder_distributions.original_rows", exp.select(*values).from_("source").sql(DIALECT))
