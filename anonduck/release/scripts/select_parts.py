"""What a release written as text reads, and what it is put together from: lists of values and what each shows.

What a release shows of the values of a source is listed as texts, as DuckDB writes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from anonduck.statements.column_types import TEXT, is_nested
from anonduck.statements.dialects import Dialect
from anonduck.statements.expansion import Expression, expression, quoted
from anonduck.statements.literals import type_named
from anonduck.statements.template import DIALECT, inner_query
from anonduck.taxonomy.computed_labels import ComputedLabels

UNKNOWN = "a value that its taxonomy does not know"


@dataclass(frozen=True)
class ListedValues:
    """What each of the values of a column shows: rows of a value and what is shown, that of NULL among them or not.

    ``kind`` is the type of the values, ``shown_kind`` of what is shown. ``otherwise`` is shown in the place of a value
    that is not listed; where it is None such a value stops the statement, with ``words``.
    """

    name: str
    kind: str
    rows: tuple[tuple[str | None, str | None], ...]
    shown_kind: str = TEXT
    otherwise: str | None = None
    words: str = UNKNOWN

    @property
    def itself(self) -> bool:
        """Whether each value shows itself."""
        return self.kind == self.shown_kind and all(value == shown for value, shown in self.rows)

    @property
    def values(self) -> list[tuple[str, str | None]]:
        """The rows but that of NULL."""
        return [(value, shown) for value, shown in self.rows if value is not None]


@dataclass(frozen=True)
class ComputedValues:
    """What a column shows, computed from its values, so that unseen ones show it too.

    ``labels`` and ``level`` say how; where an engine has no expression for that, DuckDB asks ``query``, the label of
    the value in the relation HELD_VALUE. ``exceptions`` are values whose label is another, as in ListedValues.
    ``itself`` says that a value with a label shows itself. A value without one shows ``otherwise``, or stops the
    statement.
    """

    name: str
    kind: str
    level: int
    labels: ComputedLabels | None
    query: str
    exceptions: tuple[tuple[str | None, str | None], ...] = ()
    itself: bool = False
    otherwise: str | None = None


HELD_VALUE = "anonduck_value"


@dataclass(frozen=True)
class ListedIntervals:
    """The label of each interval of a column, by its lower bound as text, in their order; the first has none."""

    name: str
    kind: str
    bounds: tuple[tuple[str | None, str], ...]


@dataclass(frozen=True)
class CoveringNodes:
    """The nodes of classes, of which a combination that is not listed shows those of the lowest class that covers it.

    ``roots`` are the levels of the roots, by column, and ``rows`` the classes, the lowest first: of each its node in
    each column, a level with a label, or with a value as text at level 0, and what it shows, as in ListedCombinations.
    ``labels`` are by column the labels of its values at each level between 0 and the root at which a class has a node.
    Where no class covers it, a combination shows the labels of the roots, ``otherwise``, in the order of what is shown;
    where one of these is None, the statement stops.
    """

    roots: tuple[int, ...]
    rows: Sequence[tuple[tuple[tuple[int, str | None], ...], tuple[str | None, ...]]]
    labels: Sequence[Mapping[int, Listed]]
    otherwise: tuple[str | None, ...]


@dataclass(frozen=True)
class ListedCombinations:
    """What each combination of values of some columns shows: rows of these and of what is shown, as texts.

    ``shown`` are the columns that show something, and whether that is their own value. A combination that is not listed
    shows what covers it, where ``covering`` says that; else it stops the statement.
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    shown: tuple[tuple[str, bool], ...]
    rows: Sequence[tuple[str | None, ...]]
    covering: CoveringNodes | None = None


Listed = ListedValues | ListedIntervals | ListedCombinations | ComputedValues


Row = Sequence[Expression]


@dataclass(frozen=True)
class ListedRows:
    """Rows that a release is joined to: the name of their relation, and its columns."""

    name: str
    columns: tuple[str, ...]
    rows: Sequence[Row]


def with_rows(select: str, lists: Sequence[ListedRows], engine: Dialect, most: int | None = None) -> str:
    """A select with each list, or so many of its rows at most, in its WITH clause."""
    named = ",\n".join(_named(one, one.name, engine) + " AS " + _rows(one, engine, most) for one in lists)
    return "WITH " + named + "\n" + select if lists else select


def rows_query(listed: ListedRows, engine: Dialect, start: int, most: int) -> Expression:
    """A query of some of the rows alone."""
    text = 'WITH {named} AS {rows}\nSELECT each(columns, "{name}") FROM "listed"'
    rows = _rows(listed, engine, most, start)
    return expression(text, named=_named(listed, "listed", engine), rows=rows, columns=listed.columns)


def _named(listed: ListedRows, name: str, engine: Dialect) -> Expression:
    """The name of a list with those of its columns, which structs have themselves."""
    text = '"{name}"' if engine.rows == "structs" else '"{name}"(each(columns, "{name}"))'
    return expression(text, name=name, columns=listed.columns)


def _rows(listed: ListedRows, engine: Dialect, most: int | None, start: int = 0) -> Expression:
    """Rows from a place as a query in brackets; they are joined, as there may be very many."""
    rows = listed.rows[start : None if most is None else start + most]
    if engine.rows == "values":
        held = ",\n".join("(" + ", ".join(row) + ")" for row in rows)
        return expression("(VALUES\n{rows}\n)", rows=Expression(held))
    names = [f" AS {quoted(name)}" for name in listed.columns]
    named = (", ".join(one + name for one, name in zip(row, names, strict=True)) for row in rows)
    held = ",\n".join("STRUCT(" + row + ")" for row in named)
    return expression("(SELECT * FROM UNNEST([\n{rows}\n]))", rows=Expression(held))


MOST_LISTED = 200
"""How many values a CASE lists; beyond, they are joined, which is faster (docs/sql.md)."""


@dataclass(frozen=True)
class Reading:
    """What a SELECT reads, and how: a relation as ``s``, the types of its columns, and how they are called there.

    ``case`` is ``quoted`` for names as the source has them, or ``upper`` or ``lower``. Lists of more than
    ``most_listed`` values are joined. With ``own`` it is the source's own query, which gives its columns these types.
    """

    engine: Dialect
    relation: Expression
    kinds: Mapping[str, str]
    case: str = "quoted"
    most_listed: int = MOST_LISTED
    own: bool = False

    def of(self, relation: Expression) -> Reading:
        """The same of another relation."""
        return replace(self, relation=relation)

    def named(self, name: str) -> str:
        """A column as the engine calls it."""
        return name.upper() if self.case == "upper" else name.lower() if self.case == "lower" else name

    def column(self, name: str) -> Expression:
        """A column of the source."""
        return expression('s."{name}"', name=self.named(name))

    def plain(self, value: Expression, kind: str) -> Expression:
        """A shown value of a type of the source; of another table, texts are cast to those.

        There they may be an ENUM, which a table made of the SELECT would take over with all that it lists.
        """
        if self.own or not self.engine.enums:
            return value
        if self.engine.name == DIALECT and is_nested(kind) and TEXT in kind:
            return expression("CAST({value} AS {kind})", value=value, kind=type_named(kind))
        return self.engine.typed(value, "text") if kind == TEXT else value


@dataclass
class Parts:
    """What a SELECT is made of: what each column shows, and the relations that it is joined to, with how.

    ``joined`` are these, lists by name or subqueries, and on what. ``lists`` are all lists, also those that stand in a
    subquery alone.
    """

    shown: dict[str, Expression] = field(default_factory=dict)
    lists: list[ListedRows] = field(default_factory=list)
    joined: list[dict[str, Expression]] = field(default_factory=list)

    def add(self, columns: Sequence[str], rows: Sequence[Row]) -> Expression:
        """Add a list; its relation."""
        name = f"anonduck_values_{len(self.lists)}"
        self.lists.append(ListedRows(name, tuple(columns), rows))
        return quoted(name)

    def join(self, relation: Expression, on: str, **fields: Any) -> str:
        """Join a relation on a condition, whose fields are expressions and lists; its alias, which the condition has as
        ``alias``."""
        alias = f"l{len(self.joined)}"
        self.joined.append({"relation": relation, "on": expression(on, alias=Expression(alias), **fields)})
        return alias

    def inside(self) -> Parts:
        """The parts of a subquery: its lists are among these."""
        return Parts(lists=self.lists)

    def rows(self, shown: Sequence[tuple[str, Expression]], reading: Reading) -> Expression:
        """The query of what columns show of each record, in no order."""
        columns = [{"name": name, "shown": Expression("\n" + value)} for name, value in shown]
        return inner_query("release/scripts/shown.sql", relation=reading.relation, columns=columns, joined=self.joined)


@dataclass(frozen=True)
class Marked:
    """A column whose values are joined: what is compared, a mark and a key, and the cells of each row of a list.

    The mark is 1 for NULL, 2 for NaN, 0 for other values; in their place the key has one of these. The ``filler`` is
    such a key; None where all values are NULL.
    """

    compared: Sequence[Expression]
    rows: Sequence[Row]
    filler: Expression | None

    def names(self, number: int) -> list[str]:
        """The names of its columns in the list."""
        return [f"mark_{number}", f"value_{number}"][: len(self.compared)]
