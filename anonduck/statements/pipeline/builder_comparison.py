"""Statements of a comparison: what their shape depends on is the number of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonduck.statements.expressions import created_table, quoted
from anonduck.statements.pipeline.column_names import RECORDS, value_column
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp

DRAWN_COUNTS = "drawn_counts"
TESTED_SET, PART_SET = "tested_set", "part_set"


def part_records(names: Sequence[str]) -> Statement:
    """The values of PART_SET in some columns of the source, each row as often as it has records."""
    repeated = exp.alias_(exp.Unnest(expressions=[exp.func("range", quoted(RECORDS))]), "#repeat", quoted=True)
    expanded = exp.select(*(quoted(value_column(name)) for name in names), repeated).from_(exp.to_table(PART_SET))
    records = [exp.alias_(quoted(value_column(name)), name, quoted=True) for name in names]
    select = exp.select(*records).from_(expanded.subquery("expanded"))
    return Statement("builder_comparison.part_records", select.sql(DIALECT, pretty=True))


def drawn_set(names: Mapping[str, str], target: str) -> Statement:
    """The temporary table ``target``: the rows of ``evaluated_cells`` that ``drawn_counts`` has records of, as a
    frequency set.

    ``names`` maps columns of the source to their names in ``evaluated_cells``.
    """
    values = [exp.alias_(quoted(called, "c"), value_column(name), quoted=True) for name, called in names.items()]
    records = exp.alias_(exp.column("records", table="t"), RECORDS, quoted=True)
    select = exp.select(*values, records).from_(exp.to_table("evaluated_cells").as_("c", table=True))
    counts = exp.to_table(DRAWN_COUNTS).as_("t", table=True)
    select = select.join(counts, on=quoted("#row", "c").eq(quoted("#row", "t")))
    return created_table("builder_comparison.drawn_set", target, select, temporary=True)


def release_rows(rows: str) -> Statement:
    """The rows of a release as a statement to read them by, in place of one that writes them."""
    return Statement("builder_comparison.release_rows", rows)
