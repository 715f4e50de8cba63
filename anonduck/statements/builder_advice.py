"""The values of sampled columns as numbers, for what columns tell of one another."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from anonduck.statements.template import DIALECT, Statement

SAMPLE = "source_sample"


def value_ranks(columns: Sequence[str]) -> Statement:
    """For each sampled record, the place of each column's value among its values in their order: ``rank_0`` and on.

    NULL is a value, the first one.
    """
    ranked = [
        exp.alias_(
            exp.Window(
                this=exp.DenseRank(),
                order=exp.Order(expressions=[exp.Ordered(this=exp.column(name, quoted=True), nulls_first=True)]),
            ),
            f"rank_{number}",
        )
        for number, name in enumerate(columns)
    ]
    query = exp.select(*ranked).from_(exp.table_(SAMPLE, quoted=True))
    return Statement("builder_advice.value_ranks", query.sql(DIALECT, pretty=True))
