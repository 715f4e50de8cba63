"""What a release by classes or by cuts shows of what it was made of, for its text as SQL."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from anonduck.statements.column_types import TEXT
from anonduck.statements.expressions import quoted
from anonduck.statements.pipeline.builder_classes import NODES, ClassColumn, leaf_column
from anonduck.statements.pipeline.builder_cuts import CutColumn, cut_table
from anonduck.statements.pipeline.builder_frequency import value_column
from anonduck.statements.pipeline.builder_methods import COMBINATIONS
from anonduck.statements.template import DIALECT, Statement


def combinations(names: Sequence[str], shown: Sequence[ClassColumn]) -> Statement:
    """The values of each combination of ``assigned_combinations`` and what it shows, as texts, in their order.

    Which class it is in is not told.
    """
    values = [quoted(value_column(name), "k") for name in names]
    nodes = [quoted(leaf_column(c.name) if c.values else value_column(c.name), "n") for c in shown]
    select = exp.select(*[exp.cast(one, TEXT, dialect=DIALECT) for one in [*values, *nodes]])
    select = select.from_(exp.to_table(COMBINATIONS).as_("k", table=True))
    assigned = exp.column("assigned", table="k").eq(quoted("#assigned", "n"))
    select = select.join(exp.to_table(NODES).as_("n", table=True), on=assigned).order_by(
        *[one.copy() for one in values]
    )
    return Statement("builder_class_script.combinations", select.sql(DIALECT, pretty=True))


def cut_values(column: CutColumn) -> Statement:
    """The values of a column's cut and what each shows, as texts, in their order."""
    told = [exp.column("value"), exp.column("leaf" if column.values else "label")]
    select = exp.select(*[exp.cast(one, TEXT, dialect=DIALECT) for one in told])
    select = select.from_(exp.table_(cut_table(column.name), quoted=True)).order_by(told[0].copy())
    return Statement("builder_class_script.cut_values", select.sql(DIALECT, pretty=True))
