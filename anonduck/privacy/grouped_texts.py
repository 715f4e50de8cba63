"""Statements about a table by the distinct combinations of its values. Column 1 is ``a_1`` in a grouped table."""

from __future__ import annotations

from collections.abc import Sequence

from anonduck.statements.expansion import expression
from anonduck.statements.template import Statement, line, statement

RECORDS = "#records"


def grouped(table: str, columns: Sequence[str], *, counted: str | None = None, hashed: bool = False) -> Statement:
    """``table``: each distinct combination of the columns' values in ``release``, as text, with its number of records.

    ``counted`` names a table with the column "#records" that is read in place of ``release``. With ``hashed`` a hash
    stands in place of each value.
    """
    text = 'hash(release."{name}"::VARCHAR)' if hashed else 'release."{name}"::VARCHAR'
    read = [{"value": expression(text, name=name), "place": place} for place, name in enumerate(columns, start=1)]
    return statement(
        "privacy/grouped_texts.sql",
        table={"target": table, "relation": counted or "release"},
        lists={"columns": read, "summed": [RECORDS] if counted else []},
    )


def values(table: str, source: str, numbers: Sequence[int]) -> Statement:
    """``table``: attribute, value, records, one row per attribute and distinct value of the grouped table
    ``source``.
    """
    lists = {"columns": [{"number": number} for number in numbers]}
    return statement("privacy/values_of_columns.sql", table={"target": table, "grouped_table": source}, lists=lists)


def total(table: str) -> Statement:
    """How many records a grouped table stands for."""
    return line("privacy/grouped_texts.total", 'SELECT coalesce(sum(records), 0)::BIGINT FROM "{table}"', table=table)


def distinct_rows(columns: Sequence[str], distribution: str | None = None) -> Statement:
    """The distinct rows of ``release`` in their order: the columns as text, ``a_1`` and so on, and their ``records``.

    A column of distributions comes after them as JSON text: an object that was a map, a text that was JSON.
    """
    shown = [{"name": name, "number": number} for number, name in enumerate(columns, start=1)]
    last = [] if distribution is None else [{"name": distribution, "number": len(columns) + 1}]
    return statement("privacy/distinct_rows.sql", lists={"columns": shown, "distributions": last})
