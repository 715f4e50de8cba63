"""What a release written as text reads, and what it is put together from: lookup tables of values and what each shows.

What a release shows of the values of a source is listed as texts, as DuckDB writes them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from anonduck.statements.column_types import BIGINT, TEXT, is_nested
from anonduck.statements.dialects import Dialect
from anonduck.statements.expansion import Expression, expression, quoted
from anonduck.statements.literals import type_named
from anonduck.statements.pipeline.engine_spelling import as_it_stands
from anonduck.statements.pipeline.engine_values import literal, typed_null
from anonduck.statements.template import DIALECT, inner_query
from anonduck.taxonomy.computed_labels import ComputedLabels

UNKNOWN = "a value that its taxonomy does not know"
Row = Sequence[str | None]
"""The cells of a row as texts, as DuckDB writes their values; None for NULL."""


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


@dataclass(frozen=True)
class TreeColumn:
    """A column of a cut tree: where each value stands in its order, and what classes show of it.

    ``cells`` are rows of a value, or of the lower bound of values (``is_bounded``; the first has none), with its place
    and its cell, which is a number of the lowest node over it. ``shown`` are rows of a cell, a level over 0, the number
    of its node there, the label, the labels with an open lower end, an open upper end and both, and 1 where the cell
    decides which end is open; none for a column that is not released. A value that is not listed stops the statement
    with ``words`` if it ``refuses``, and else shows the root. With ``itself`` each class shows a value, in its type;
    ``texts`` are values with their texts.
    """

    name: str
    kind: str
    is_bounded: bool
    cells: Sequence[Row]
    shown: Sequence[Row]
    itself: bool = False
    refuses: bool = True
    texts: tuple[tuple[str | None, str | None], ...] = ()
    words: str = UNKNOWN


@dataclass(frozen=True)
class ListedTree:
    """A cut tree: its columns and its rows, as anonduck.methods.cut_tree has them, and how many cuts lie over a leaf.

    Sides to which fewer than ``k`` records come are closed; where it is None, none are.
    """

    columns: tuple[TreeColumn, ...]
    rows: Sequence[Row]
    depth: int
    k: int | None


Listed = ListedValues | ListedIntervals | ListedCombinations | ListedTree | ComputedValues


@dataclass(frozen=True)
class LookupTable:
    """A lookup table that a release is joined to: its name, its columns with their types, and its rows."""

    name: str
    columns: Mapping[str, str]
    rows: Sequence[Row]

    def literals(self, engine: Dialect, most: int | None = None) -> list[list[Expression]]:
        """Some of its rows as an engine writes them; the first one says the types of NULL."""
        kinds = list(self.columns.values())
        typed, null = [typed_null(engine, kind) for kind in kinds], Expression("NULL")

        def cell(text: str | None, place: int, *, first: bool) -> Expression:
            if text is None:
                return typed[place] if first else null
            return literal(engine, text, kinds[place])

        return [
            [cell(text, place, first=not number) for place, text in enumerate(row)]
            for number, row in enumerate(self.rows[:most])
        ]


CHECKED = 3
"""So many rows of a lookup are read before it is written: all are of the same literals."""
Holder = Callable[[LookupTable], str | None]
"""Where a lookup is read: its own name is that of a table that is there, None stands for its rows in the text."""


def in_the_text(_: LookupTable) -> None:
    """The rows of a lookup stand in the text."""


def with_rows(select: str, parts: Parts, engine: Dialect, held: Holder = in_the_text, most: int | None = None) -> str:
    """A select with the lookups, or so many of their rows at most, and the queries in its WITH clause."""
    named = []
    for one in parts.lookups:
        relation = held(one)
        if relation is None:
            named.append(_named(one, engine) + " AS " + _rows(one, engine, most))
        elif relation != one.name:
            text = '"{name}" AS (SELECT * FROM {relation})'
            named.append(expression(text, name=one.name, relation=as_it_stands(relation)))
    named += [expression('"{name}" AS ({query})', name=name, query=query) for name, query in parts.queries.items()]
    return ("WITH RECURSIVE " if parts.recursive else "WITH ") + ",\n".join(named) + "\n" + select if named else select


def _named(lookup: LookupTable, engine: Dialect) -> Expression:
    """The name of a lookup with those of its columns, which structs have themselves."""
    text = '"{name}"' if engine.rows == "structs" else '"{name}"(each(columns, "{name}"))'
    return expression(text, name=lookup.name, columns=list(lookup.columns))


def _rows(lookup: LookupTable, engine: Dialect, most: int | None) -> Expression:
    """Rows as a query in brackets; they are joined, as there may be very many."""
    rows = lookup.literals(engine, most)
    if engine.rows == "values":
        held = ",\n".join("(" + ", ".join(row) + ")" for row in rows)
        return expression("(VALUES\n{rows}\n)", rows=Expression(held))
    names = [f" AS {quoted(name)}" for name in lookup.columns]
    named = (", ".join(one + name for one, name in zip(row, names, strict=True)) for row in rows)
    held = ",\n".join("STRUCT(" + row + ")" for row in named)
    return expression("(SELECT * FROM UNNEST([\n{rows}\n]))", rows=Expression(held))


@dataclass(frozen=True)
class Reading:
    """What a SELECT reads, and how: a relation as ``s``, the types of its columns, and how they are called there.

    ``case`` is ``quoted`` for names as the source has them, or ``upper`` or ``lower``. With ``own`` it is the source's
    own query, which gives its columns these types.
    """

    engine: Dialect
    relation: Expression
    kinds: Mapping[str, str]
    case: str = "quoted"
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

    ``joined`` are these, lookups by name or subqueries, and on what. ``lookups`` are all of them, also those that stand
    in a subquery alone; none of them is called as something in ``taken``, the text of what is read. ``queries`` are
    others of the WITH clause, by name, of which some are ``recursive``; ``relation`` is read in the place of the
    relation of the reading.
    """

    taken: str = ""
    shown: dict[str, Expression] = field(default_factory=dict)
    lookups: list[LookupTable] = field(default_factory=list)
    joined: list[dict[str, Expression]] = field(default_factory=list)
    queries: dict[str, Expression] = field(default_factory=dict)
    recursive: bool = False
    relation: Expression | None = None

    def free(self, name: str) -> str:
        """The name, with a number where something is called so."""
        names = {one.name for one in self.lookups} | set(self.queries)
        numbered = (name if number == 1 else f"{name}_{number}" for number in count(1))
        return next(one for one in numbered if one not in names and one not in self.taken.lower())

    def add(self, name: str, columns: Mapping[str, str], rows: Sequence[Row]) -> Expression:
        """Add a lookup, with a number where there is one of the name; its relation."""
        free = self.free(name)
        self.lookups.append(LookupTable(free, columns, rows))
        return quoted(free)

    def query(self, name: str, text: Expression, *, recursive: bool = False) -> Expression:
        """Add a query of a free name; its relation."""
        free = self.free(name)
        self.queries[free] = text
        self.recursive |= recursive
        return quoted(free)

    def join(self, relation: Expression, on: str, **fields: Any) -> str:
        """Join a relation on a condition, whose fields are expressions and lists; its alias, which the condition has as
        ``alias``."""
        alias = f"l{len(self.joined)}"
        self.joined.append({"relation": relation, "on": expression(on, alias=Expression(alias), **fields)})
        return alias

    def inside(self) -> Parts:
        """The parts of a subquery: its lookups and queries are among these."""
        return Parts(self.taken, lookups=self.lookups, queries=self.queries)

    def rows(self, shown: Sequence[tuple[str, Expression]], reading: Reading) -> Expression:
        """The query of what columns show of each record, in no order."""
        columns = [{"name": name, "shown": Expression("\n" + value)} for name, value in shown]
        relation = self.relation or reading.relation
        return inner_query("release/scripts/shown.sql", relation=relation, columns=columns, joined=self.joined)


@dataclass(frozen=True)
class Marked:
    """A column whose values are joined: what is compared, a mark and a key, and the cells of each row of a lookup.

    The mark is 1 for NULL, 2 for NaN, 0 for other values; in their place the key has one of these. The ``filler`` is
    such a key; None where all values are NULL. ``kind`` is the type of the keys.
    """

    compared: Sequence[Expression]
    rows: Sequence[Row]
    filler: str | None
    kind: str

    def columns(self, number: int) -> dict[str, str]:
        """Its columns in the lookup, with their types."""
        key = {} if self.filler is None else {f"value_{number}": self.kind}
        return {f"mark_{number}": BIGINT, **key}


def lookup_name(column: str, what: str = "shown") -> str:
    """What a lookup of a column is called, as a table and as a file.

    >>> lookup_name("Zip code"), lookup_name("età", "places")
    ('shown_zip_code', 'places_et_')
    """
    return f"{what}_" + "".join(one if one.isascii() and one.isalnum() else "_" for one in column.lower())
