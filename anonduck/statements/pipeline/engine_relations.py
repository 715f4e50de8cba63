"""The table or query that the text of a release reads in an engine, and the config's condition on its records.

The config's `where` is DuckDB's. For another engine it is written anew, comparison by comparison, with exact literals
and texts compared by their bytes; whatever else it holds is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import sqlglot
from sqlglot import exp

from anonduck.errors import ConfigError
from anonduck.statements.column_types import BOOLEAN
from anonduck.statements.dialects import NUMBERS, Dialect, family_of
from anonduck.statements.expansion import Expression, expression
from anonduck.statements.pipeline.engine_nodes import check_nodes, node_name
from anonduck.statements.pipeline.engine_spelling import as_it_stands
from anonduck.statements.pipeline.engine_values import check_kind, key, literal
from anonduck.statements.template import DIALECT
from anonduck.statements.user_sql import condition_of

SIGNS = {"EQ": "=", "NEQ": "<>", "LT": "<", "LTE": "<=", "GT": ">", "GTE": ">="}
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "<>": "<>"}
NEGATED = {">": "<=", ">=": "<"}
"""Comparisons."""


def table_of(text: str, engine: Dialect) -> tuple[Expression, bool]:
    """A table or a query in the dialect of an engine, and whether it is a query; raises ConfigError for neither."""
    try:
        trees = [tree for tree in sqlglot.parse(text, read=engine.name) if tree is not None]
        is_query = len(trees) == 1 and isinstance(trees[0], exp.Query)
        read: exp.Expr | None = trees[0] if is_query else sqlglot.parse_one(text, read=engine.name, into=exp.Table)
    except sqlglot.errors.SqlglotError:
        read = None
    if isinstance(read, exp.Subquery):
        read = read.unnest()
    if read is None or not (isinstance(read, exp.Query) or _is_name(read, text, engine)):
        raise ConfigError(f"{text!r} names no table in {engine.title}; write one, such as schema.table, or a query")
    check_nodes(read, engine)
    return as_it_stands(read.sql(engine.name, pretty=True)), isinstance(read, exp.Query)


def _is_name(read: exp.Expr, text: str, engine: Dialect) -> bool:
    """Whether a text is the name of a table, and nothing of it was left unread."""
    if not isinstance(read, exp.Table) or not isinstance(read.this, exp.Identifier) or read.args.get("alias"):
        return False
    words = [sqlglot.tokenize(one, read=engine.name) for one in (text, read.sql(engine.name))]
    return len(words[0]) == len(words[1]) and words[0][-1].token_type != sqlglot.TokenType.STRING


@dataclass(frozen=True)
class Condition:
    """A `where` that is written for an engine: the types of the columns, and what a function calls them there."""

    engine: Dialect
    kinds: Mapping[str, str]
    column: Callable[[str], Expression]

    def of(self, where: str) -> Expression:
        """The condition; raises DialectError with the name of what the engine cannot be given."""
        tree = condition_of(where)
        return as_it_stands(tree.sql(DIALECT, comments=False)) if self.engine.name == DIALECT else self._written(tree)

    def _written(self, node: exp.Expr) -> Expression:
        match node:
            case exp.Paren():
                found = expression("({one})", one=self._written(node.this))
            case exp.Not():
                found = expression("NOT ({one})", one=self._written(node.this))
            case exp.And() | exp.Or():
                both = {"one": self._written(node.this), "other": self._written(node.expression)}
                found = expression("{one} AND {other}" if isinstance(node, exp.And) else "{one} OR {other}", **both)
            case exp.Is(expression=exp.Null()):
                found = expression("{one} IS NULL", one=self.column(self._name(node.this)))
            case exp.Between() if not node.args.get("symmetric"):
                low = self._compared(node.this, ">=", node.args["low"])
                high = self._compared(node.this, "<=", node.args["high"])
                found = expression("({low} AND {high})", low=low, high=high)
            case exp.In() if node.expressions:
                found = self._listed(node)
            case exp.Binary() if type(node).__name__ in SIGNS:
                found = self._comparison(node.this, SIGNS[type(node).__name__], node.expression)
            case exp.Column() if self.kinds[self._name(node)] == BOOLEAN:
                found = self.column(self._name(node))
            case _:
                raise self._refusal(node)
        return found

    def _listed(self, node: exp.In) -> Expression:
        value, kind = self._held(node.this)
        listed = [{"one": self._literal(one, kind)} for one in node.expressions]
        return expression("{value} IN (each(listed, {one}))", value=value, listed=listed)

    def _comparison(self, one: exp.Expr, sign: str, other: exp.Expr) -> Expression:
        if not isinstance(one, exp.Column) and isinstance(other, exp.Column):
            one, sign, other = other, MIRRORED[sign], one
        return self._compared(one, sign, other)

    def _compared(self, column: exp.Expr, sign: str, bound: exp.Expr) -> Expression:
        """A comparison of a column with a literal. One by which NaN lies above is the denial of the opposite one."""
        value, kind = self._held(column)
        text = "{value} {sign} {bound}"
        if sign in NEGATED and self.engine.nan != "equal":
            text, sign = "NOT ({value} {sign} {bound})", NEGATED[sign]
        return expression(text, value=value, sign=Expression(sign), bound=self._literal(bound, kind))

    def _held(self, node: exp.Expr) -> tuple[Expression, str]:
        """What of a column is compared, and its type."""
        name = self._name(node)
        check_kind(self.engine, name, self.kinds[name])
        return key(self.engine, self.column(name), self.kinds[name]), self.kinds[name]

    def _name(self, node: exp.Expr) -> str:
        """The column of the source that a node names; DuckDB finds it in either case."""
        if isinstance(node, exp.Column) and len(node.parts) == 1:
            for name in self.kinds:
                if name.lower() == node.name.lower():
                    return name
        raise self._refusal(node)

    def _literal(self, node: exp.Expr, kind: str) -> Expression:
        """A literal of the type of the column that it is compared with."""
        sign, value = ("-", node.this) if isinstance(node, exp.Neg) else ("", node)
        family = family_of(kind)
        if isinstance(value, exp.Boolean) and family == "boolean" and not sign:
            return Expression(str(value.this).upper())
        if not isinstance(value, exp.Literal) or value.is_string == (family in NUMBERS) or family == "zoned":
            raise self._refusal(node)
        if sign and value.is_string:
            raise self._refusal(node)
        return literal(self.engine, sign + value.name, kind)

    def _refusal(self, node: exp.Expr) -> Exception:
        why = (
            f"it takes comparisons of a column with a value there, and no {node_name(node)}. Name a query in place of "
            "the table, `--table QUERY`, that gives the records that it wants"
        )
        return self.engine.refusal("`where` of the config", why)
