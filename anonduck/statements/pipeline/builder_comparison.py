"""Statements of a comparison: what their shape depends on is the number of columns."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from anonduck.statements.pipeline.builder_frequency import RECORDS, quoted
from anonduck.statements.template import DIALECT, Statement

PART = "compared_part"


def part_records(names: Mapping[str, str]) -> Statement:
    """The records of ``compared_part``, each as often as it has records; ``names`` tells by column of the source how it
    is called in the part."""
    repeated = exp.alias_(exp.Unnest(expressions=[exp.func("range", quoted(RECORDS))]), "#repeat", quoted=True)
    expanded = exp.select(*(quoted(called) for called in names.values()), repeated).from_(exp.to_table(PART))
    records = [exp.alias_(quoted(called), name, quoted=True) for name, called in names.items()]
    select = exp.select(*records).from_(expanded.subquery("expanded"))
    return Statement("builder_comparison.part_records", select.sql(DIALECT, pretty=True))


def release_rows(rows: exp.Query) -> Statement:
    """The rows of a release as a statement to read them by, in place of one that writes them."""
    return Statement("builder_comparison.release_rows", rows.sql(DIALECT, pretty=True))
