"""The rows of a release as a query: of the grouped release, or of the source where columns are kept as they are.

They are sorted and then dealt, so that their order shows no column (anonduck.statements.row_order).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from anonduck.privacy.audited_tables import quasi_names
from anonduck.release.bound_columns import bounded_shown, split_columns
from anonduck.release.recoded_columns import COMBINATIONS, ShownBy, joined, label, node_column, shown, when
from anonduck.statements import Statement, statement
from anonduck.statements.column_types import TEXT
from anonduck.statements.expansion import Expression, Item, expression
from anonduck.statements.pipeline.builder_release import NodeColumn, ReleasedColumn, RuleColumn
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


def rows_by_levels(columns: Sequence[RuleColumn], *, some: bool) -> RowsQuery:
    """The rows by a rule, whose labels are those of ``enumerated_labels``, once these are made.

    With ``some``, only records whose class is in the numbered set of the release are in it.
    """
    alike = [(place, one) for place, one in enumerate(columns) if one.distinguishes]
    classes = [
        {"called": called, "label": _text_label(one, place)}
        for (place, one), called in zip(alike, quasi_names(len(alike)), strict=True)
    ]
    lists = {"columns": shown(columns, ShownBy.LEVELS, of=""), "lookups": joined(columns, ShownBy.LEVELS)["lookups"]}

    def select(ordered: Sequence[Item]) -> Statement:
        given = {**lists, "some": when(some), "alike": classes, "ordered": ordered}
        return statement("release/rows_by_levels.sql", lists=given)

    return _both(select, columns, _places(columns))


def _text_label(column: RuleColumn, place: int) -> Expression:
    value = label(column, place, expression('s."{name}"', name=column.name))
    return expression(f"CAST({{value}} AS {TEXT})", value=value) if column.enumerated else value


def rows_by_classes(
    columns: Sequence[NodeColumn | RuleColumn], assigned_by: Assigner, class_: str, staying: str | None
) -> RowsQuery:
    """The rows by classes.

    With ``staying`` only records that are in that set, by their assigned class and the class to predict, are in it.
    """
    runs = _runs(columns)
    nodes = {first: [{"name": node_column(one)} for one in run] for first, run in runs.items()}
    ranks = [
        {"place": first, "nodes": expression('each(names, "{name}")', names=names)} for first, names in nodes.items()
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


def rows_by_cuts(columns: Sequence[NodeColumn | RuleColumn], alike: Sequence[str], staying: str | None) -> RowsQuery:
    """The rows by cuts.

    With ``staying`` only records are in it whose values in the columns ``alike`` are those of a row of that set.
    """

    def select(ordered: Sequence[Item]) -> Statement:
        return statement(
            "release/rows_by_cuts.sql",
            lists={
                "columns": shown(columns, ShownBy.CUTS, of=""),
                "cuts": joined(columns, ShownBy.CUTS)["cuts"],
                "some": [] if staying is None else [{"set": staying}],
                "alike": list(dict.fromkeys(alike)),
                "ordered": ordered,
            },
        )

    return _both(select, columns, _places(columns))


def bounded_rows(rows: RowsQuery, columns: Sequence[ReleasedColumn]) -> RowsQuery:
    """The rows of a release by labels, with the ends of their ranges in the place of these."""

    def select(ordered: Sequence[Item]) -> Statement:
        return bounded_query(rows.unordered or rows.ordered, columns, [], ordered)

    return _both(select, columns, _places(columns))


def bounded_query(
    rows: str, columns: Sequence[ReleasedColumn], beside: Sequence[str], ordered: Sequence[Item] = ()
) -> Statement:
    """The rows of a query by labels, with the ends of their ranges; ``beside`` are further columns of it."""
    return statement(
        "release/bounded_rows.sql",
        lists={
            "columns": bounded_shown(columns),
            "beside": beside,
            "labelled": split_columns(columns),
            "ordered": ordered,
        },
        fields={"rows": Expression(rows)},
    )


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


def _runs(columns: Sequence[NodeColumn | RuleColumn]) -> dict[int, list[NodeColumn]]:
    """The columns of nodes that follow one another, by the place of the first."""
    found: dict[int, list[NodeColumn]] = {}
    for place, column in enumerate(columns):
        if isinstance(column, NodeColumn):
            start = next((first for first, run in found.items() if first + len(run) == place), place)
            found.setdefault(start, []).append(column)
    return found


def _sort_keys(columns: Sequence[NodeColumn | RuleColumn], runs: Mapping[int, Sequence[NodeColumn]]) -> Iterator[Item]:
    for place, column in enumerate(columns):
        if place in runs:
            yield {"key": expression('n."#rank {place}"', place=place)}
        elif not isinstance(column, NodeColumn):
            yield {"key": place + 1}
