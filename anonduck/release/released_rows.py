"""The rows of a release as a query: of the grouped release, or of the source where columns are kept as they are.

They are sorted and then dealt, so that their order shows no column (anonduck.statements.row_order).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from anonduck.release.recoded_columns import COMBINATIONS, ShownBy, joined, node_column, shown
from anonduck.statements import Statement, statement
from anonduck.statements.column_types import TEXT
from anonduck.statements.expansion import Expression, Item, expression
from anonduck.statements.pipeline.builder_release import ReleasedColumn, RuleColumn
from anonduck.statements.pipeline.column_names import value_column
from anonduck.statements.row_order import dealt_rows


@dataclass(frozen=True)
class RowsQuery:
    """The query of a release's rows: in their order, and, where they are selected from the source, in no order.

    In no order, labels that are numbered (``enumerated_labels``) are not text.
    """

    ordered: str
    unordered: str | None = None


def unordered(rows: RowsQuery) -> str:
    """The query of rows that are selected from the source, in no order."""
    assert rows.unordered is not None
    return rows.unordered


@dataclass(frozen=True)
class Assigner:
    """A table with the column ``assigned``, and which of its rows (``k``) is that of a record of the source (``s``)."""

    table: str
    matches: Sequence[Expression]


def by_key(key: str) -> Assigner:
    """``assigned_records``, whose keys are in a column of the source."""
    return Assigner("assigned_records", [expression('s."{key}" = k.key', key=key)])


def by_combination(names: Sequence[str]) -> Assigner:
    """``assigned_combinations``, whose values are in the quasi-identifiers of the source."""
    alike = 's."{name}" IS NOT DISTINCT FROM k."{name}@value"'
    return Assigner(COMBINATIONS, [expression(alike, name=name) for name in names])


def expanded_rows(columns: Sequence[ReleasedColumn]) -> RowsQuery:
    """The rows of the grouped release, each repeated as often as it has records."""
    names = [column.name for column in columns]
    return RowsQuery(statement("release/expanded_rows.sql", lists={"names": names}).sql)


def rows_by_values(columns: Sequence[ReleasedColumn], staying: str, alike: Sequence[Item]) -> RowsQuery:
    """The rows by what values show, whose labels are those of ``enumerated_labels`` where these are made.

    With ``alike`` only records are in it that agree in these, each an expression ``one``, with a row of the set
    ``staying``, there by its ``name``.
    """
    lists = {"columns": shown(columns, ShownBy.VALUES, of=""), "valued": joined(columns, ShownBy.VALUES)["valued"]}
    some = [{"set": staying}] if alike else []

    def select(ordered: Sequence[Item]) -> Statement:
        given = {**lists, "some": some, "alike": alike, "ordered": ordered}
        return statement("release/rows_by_values.sql", lists=given)

    return _both(select, columns, _places(columns))


def alike_values(names: Sequence[str]) -> list[Item]:
    """The values of columns of the source, as ``rows_by_values`` compares them."""
    return [{"name": name, "one": expression('s."{name}"', name=name)} for name in dict.fromkeys(names)]


def alike_labels(columns: Sequence[RuleColumn], released: Sequence[ReleasedColumn]) -> list[Item]:
    """What a rule shows of those columns that make a class, as ``rows_by_values`` of the ``released`` compares it."""
    alike = [one for one in columns if one.distinguishes]
    items = zip(alike, shown(alike, ShownBy.VALUES, of="", among=released), strict=True)
    return [{"name": one.name, "one": _as_stored(one, item["shown"])} for one, item in items]


def _as_stored(column: RuleColumn, value: Expression) -> Expression:
    return expression(f"CAST({{value}} AS {TEXT})", value=value) if column.enumerated else value


def rows_by_classes(
    columns: Sequence[ReleasedColumn], assigned_by: Assigner, class_: str, staying: str | None
) -> RowsQuery:
    """The rows by classes.

    With ``staying`` only records that are in that set, by their assigned class and the class to predict, are in it.
    """
    runs = _runs(columns)
    ranks = [
        {"place": first, "nodes": expression('each(names, "{name}")', names=[{"name": one} for one in run])}
        for first, run in runs.items()
    ]

    def select(ordered: Sequence[Item]) -> Statement:
        return statement(
            "release/rows_by_classes.sql",
            column={"class_column": class_, "class_value": value_column(class_)},
            table={"assigned_by": assigned_by.table},
            lists={
                "columns": shown(columns, ShownBy.CLASSES, of=""),
                "matches": [{"condition": condition} for condition in assigned_by.matches],
                "runs": ranks if ordered else [],
                "some": [] if staying is None else [staying],
                "ordered": ordered,
            },
        )

    return _both(select, columns, [*_sort_keys(columns, runs)])


def _both(
    select: Callable[[Sequence[Item]], Statement],
    columns: Sequence[ReleasedColumn],
    keys: Sequence[Item],
) -> RowsQuery:
    """The rows of a select that takes keys to sort by; in their order, labels that are numbered are text."""
    dealt = dealt_rows(select(keys), {column.name: _as_text(column) for column in columns})
    return RowsQuery(dealt.sql, select([]).sql)


def _as_text(column: ReleasedColumn) -> Expression:
    if isinstance(column, RuleColumn) and column.enumerated:
        return expression(f'CAST(placed."{{name}}" AS {TEXT}) AS "{{name}}"', name=column.name)
    return expression('placed."{name}"', name=column.name)


def _places(columns: Sequence[ReleasedColumn]) -> list[Item]:
    return [{"key": place} for place in range(1, len(columns) + 1)]


def _runs(columns: Sequence[ReleasedColumn]) -> dict[int, list[str]]:
    """The columns of NODES that are shown one after the other, by the place of the first."""
    found: dict[int, list[str]] = {}
    for place, column in enumerate(columns):
        node = node_column(column)
        if node is not None:
            start = next((first for first, run in found.items() if first + len(run) == place), place)
            found.setdefault(start, []).append(node)
    return found


def _sort_keys(columns: Sequence[ReleasedColumn], runs: Mapping[int, Sequence[str]]) -> Iterator[Item]:
    for place, column in enumerate(columns):
        if place in runs:
            yield {"key": expression('n."#rank {place}"', place=place)}
        elif node_column(column) is None:
            yield {"key": place + 1}
