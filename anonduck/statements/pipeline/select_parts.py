"""What a release written as one SELECT reads, and what it is put together from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from anonduck.statements.column_types import TEXT, is_nested
from anonduck.statements.expressions import quoted
from anonduck.statements.pipeline.engine_rows import ListedRows
from anonduck.statements.pipeline.engines import Engine
from anonduck.statements.template import DIALECT

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
