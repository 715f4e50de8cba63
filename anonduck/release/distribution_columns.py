"""The columns of a release by distributions, as its query file lists them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anonduck.statements import Statement, statement
from anonduck.statements.expansion import Expression, expression
from anonduck.statements.pipeline.column_names import value_column

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


def grouped_closures(columns: Sequence[ShownColumn | DistributionColumn], *, as_json: bool) -> Statement:
    """``release_rows``: each distinct row of the closures with its records; distributions are maps, or JSON on
    request."""
    shown = [{"name": column.name, "shown": _shown(column, as_json=as_json)} for column in columns]
    return statement("release/grouped_closures.sql", lists={"columns": shown})


def _shown(column: ShownColumn | DistributionColumn, *, as_json: bool) -> Expression:
    if isinstance(column, DistributionColumn):
        return Expression("d.as_json" if as_json else "d.as_map")
    value = expression('s."{name}"', name=value_column(column.name))
    return value if column.type is None else expression("{value}::{kind}", value=value, kind=Expression(column.type))


def original_rows(names: Sequence[str]) -> Statement:
    """The columns of the source as text, which the release is held against."""
    return statement("release/original_rows.sql", lists={"names": names})
