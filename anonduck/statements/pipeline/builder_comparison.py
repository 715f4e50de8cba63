"""Statements of a comparison: what their shape depends on is the number of columns."""

from __future__ import annotations

from collections.abc import Mapping

from anonduck.statements.expressions import quoted
from anonduck.statements.pipeline.builder_classes import temporary
from anonduck.statements.pipeline.builder_frequency import RECORDS, value_column
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp

PART = "part_cells"
DRAWN_COUNTS = "drawn_counts"
TESTED_SET, PART_SET = "tested_set", "part_set"


def part_records(names: Mapping[str, str]) -> Statement:
    """The records of ``part_cells``, each as often as it has records; ``names`` maps columns of the source
    to their names in the part."""
    repeated = exp.alias_(exp.Unnest(expressions=[exp.func("range", quoted(RECORDS))]), "#repeat", quoted=True)
    expanded = exp.select(*(quoted(called) for called in names.values()), repeated).from_(exp.to_table(PART))
    records = [exp.alias_(quoted(called), name, quoted=True) for name, called in names.items()]
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
    return temporary(target, select, "builder_comparison.drawn_set")


def release_rows(rows: exp.Query) -> Statement:
    """The rows of a release as a statement to read them by, in place of one that writes them."""
    return Statement("builder_comparison.release_rows", rows.sql(DIALECT, pretty=True))
