"""What a release written as text reads, and what it is put together from: lists of values and what each shows.

What a release shows of the values of a source is listed as texts, as DuckDB writes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from anonduck.statements.column_types import TEXT, is_nested
from anonduck.statements.expressions import quoted
from anonduck.statements.pipeline.engines import Engine
from anonduck.statements.template import DIALECT
from anonduck.statements.trees import exp


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
    words: str = "a value that its taxonomy does not know"

    @property
    def itself(self) -> bool:
        """Whether each value shows itself."""
        return self.kind == self.shown_kind and all(value == shown for value, shown in self.rows)

    @property
    def values(self) -> list[tuple[str, str | None]]:
        """The rows but that of NULL."""
        return [(value, shown) for value, shown in self.rows if value is not None]


@dataclass(frozen=True)
class ListedIntervals:
    """The label of each interval of a column, by its lower bound as text, in their order; the first has none."""

    name: str
    kind: str
    bounds: tuple[tuple[str | None, str], ...]


@dataclass(frozen=True)
class ListedCombinations:
    """What each combination of values of some columns shows: rows of these and of what is shown, as texts.

    ``shown`` are the columns that show something, and whether that is their own value. A combination that is not listed
    stops the statement, with ``words``.
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    shown: tuple[tuple[str, bool], ...]
    rows: Sequence[tuple[str | None, ...]]
    words: str = "a combination of quasi-identifiers that the release was not made of"


Listed = ListedValues | ListedIntervals | ListedCombinations


Row = Sequence["exp.Expr"]


@dataclass(frozen=True)
class ListedRows:
    """Rows that a release is joined to: the name of their relation, its columns, and for ClickHouse their types."""

    name: str
    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: Sequence[Row]


def with_rows(select: exp.Select, lists: Sequence[ListedRows], engine: Engine) -> exp.Select:
    """A select with each list in its WITH clause."""
    for listed in lists:
        select = select.with_(_alias(listed, engine), as_=_query(listed, listed.rows, engine), copy=False)
    return select


def rows_query(listed: ListedRows, rows: Sequence[Row], engine: Engine) -> exp.Select:
    """A query of some of the rows alone."""
    within = exp.TableAlias(this=exp.to_identifier("listed"), columns=_alias(listed, engine).args["columns"])
    select = exp.select(*[exp.column(exp.to_identifier(name, quoted=True)) for name in listed.columns]).from_("listed")
    return select.with_(within, as_=_query(listed, rows, engine), copy=False)


def _alias(listed: ListedRows, engine: Engine) -> exp.TableAlias:
    """The name of a list, with the names of its columns where the rows do not hold these."""
    named = engine.rows in ("values", "rows", "union")
    columns = [exp.to_identifier(name, quoted=True) for name in listed.columns] if named else []
    return exp.TableAlias(this=exp.to_identifier(listed.name, quoted=True), columns=columns)


def _query(listed: ListedRows, rows: Sequence[Row], engine: Engine) -> exp.Expr:
    if engine.rows == "rows":
        return exp.Values(expressions=[exp.Anonymous(this="ROW", expressions=list(row)) for row in rows])
    if engine.rows == "union":
        return (
            exp.union(*[exp.select(*row) for row in rows], distinct=False, copy=False)
            if rows[1:]
            else exp.select(*rows[0])
        )
    if engine.rows == "structs":
        structs = [
            exp.Struct(expressions=[_field(*pair) for pair in zip(listed.columns, row, strict=True)]) for row in rows
        ]
        return exp.select("*").from_(exp.Unnest(expressions=[exp.Array(expressions=structs)]))
    tuples = [exp.Tuple(expressions=list(row)) for row in rows]
    if engine.rows == "function":
        names = [exp.to_identifier(name, quoted=True).sql(engine.dialect) for name in listed.columns]
        described = ", ".join(f"{name} {kind}" for name, kind in zip(names, listed.types, strict=True))
        call = exp.Anonymous(this="values", expressions=[exp.Literal.string(described), *tuples])
        return exp.select("*").from_(exp.Table(this=call))
    return exp.Values(expressions=tuples)


def _field(name: str, value: exp.Expr) -> exp.Expr:
    return exp.PropertyEQ(this=exp.to_identifier(name, quoted=True), expression=value)


MOST_LISTED = 200
"""How many values a CASE lists; beyond, they are joined (benchmarks/sql_lists.py measures where that is faster)."""


@dataclass(frozen=True)
class Reading:
    """What a SELECT reads, and how: a relation as ``s``, the types of its columns, and how they are called there.

    ``case`` is ``quoted`` for names as the source has them, or ``upper`` or ``lower``. Lists of more than
    ``most_listed`` values are joined. With ``own`` it is the source's own query, which gives its columns these types.
    """

    engine: Engine
    relation: exp.Expr
    kinds: Mapping[str, str]
    case: str = "quoted"
    most_listed: int = MOST_LISTED
    own: bool = False

    def of(self, relation: exp.Expr) -> Reading:
        """The same of another relation."""
        return replace(self, relation=relation)

    def named(self, name: str) -> str:
        """A column as the engine calls it."""
        return name.upper() if self.case == "upper" else name.lower() if self.case == "lower" else name

    def column(self, name: str) -> exp.Expr:
        """A column of the source."""
        return quoted(self.named(name), "s")

    def plain(self, value: exp.Expr, kind: str) -> exp.Expr:
        """A shown value of a type of the source; of another table, texts are cast to those.

        There they may be an ENUM, which a table made of the SELECT would take over with all that it lists.
        """
        if self.own or not self.engine.enums:
            return value
        if self.engine.name == DIALECT and is_nested(kind) and TEXT in kind:
            return exp.cast(value, kind, dialect=DIALECT)
        return self.engine.cast(value, "text") if kind == TEXT else value


@dataclass
class Parts:
    """What a SELECT is made of: what each column shows, and the lists that it is joined to, with how."""

    shown: dict[str, exp.Expr] = field(default_factory=dict)
    lists: list[ListedRows] = field(default_factory=list)
    joins: list[exp.Expr] = field(default_factory=list)

    def join(self, columns: Sequence[str], types: Sequence[str], rows: Sequence[Sequence[exp.Expr]]) -> str:
        """Add a list; its alias."""
        number = len(self.lists)
        self.lists.append(ListedRows(f"anonduck_values_{number}", tuple(columns), tuple(types), rows))
        return f"l{number}"
