"""What the text of a release reads in an engine: a table or a query, and of a table the records that the config wants.

The config's `where` is DuckDB's. For another engine it is written anew, comparison by comparison, with exact literals
and texts compared by their bytes; whatever else it holds is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from anonduck.errors import ConfigError
from anonduck.statements.column_types import BOOLEAN
from anonduck.statements.pipeline.engine_nodes import check_nodes, node_name
from anonduck.statements.pipeline.engine_values import cases, check_kind, key, literal
from anonduck.statements.pipeline.engines import NUMBERS, Engine, family_of
from anonduck.statements.template import DIALECT
from anonduck.statements.trees import exp, sqlglot
from anonduck.statements.user_sql import condition_of

MIRRORED = {"LT": "GT", "LTE": "GTE", "GT": "LT", "GTE": "LTE", "EQ": "EQ", "NEQ": "NEQ"}
NEGATED = {"GT": "LTE", "GTE": "LT"}
"""Comparisons by the names of their nodes."""
ANOTHER_ZONE = "it reads moments in the time zone of the session, which must be {}"


def _named(node: str) -> type[exp.Binary]:
    found: type[exp.Binary] = getattr(exp, node)
    return found


def verbatim(text: str) -> exp.Expr:
    """A table that is named by a text which is written as it stands, such as that of a template."""
    return exp.Table(this=exp.Var(this=text))


def table_of(text: str, engine: Engine) -> exp.Expr:
    """A table or a query in the dialect of an engine; raises ConfigError for what is neither."""
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
    return read


def _is_name(read: exp.Expr, text: str, engine: Engine) -> bool:
    """Whether a text is the name of a table, and nothing of it was left unread."""
    if not isinstance(read, exp.Table) or not isinstance(read.this, exp.Identifier) or read.args.get("alias"):
        return False
    words = [sqlglot.tokenize(one, read=engine.name) for one in (text, read.sql(engine.name))]
    return len(words[0]) == len(words[1]) and words[0][-1].token_type != sqlglot.TokenType.STRING


def source_of(read: exp.Expr, condition: exp.Expr | None = None) -> exp.Expr:
    """A table or a query as ``s``, or those of its records that meet a condition on ``s``."""
    aliased = read.subquery("s") if isinstance(read, exp.Query) else exp.alias_(read, "s", table=True)
    if condition is None:
        found: exp.Expr = aliased
        return found
    return exp.select("*").from_(aliased).where(condition).subquery("s")


def in_zone(zone: str) -> exp.Expr:
    """A condition that stops DuckDB in a session of another time zone."""
    here = exp.Anonymous(this="current_setting", expressions=[exp.Literal.string("TimeZone")])
    stopped = exp.Anonymous(this="ERROR", expressions=[exp.Literal.string(ANOTHER_ZONE.format(zone))])
    return cases([(here.eq(exp.Literal.string(zone)), exp.true())], stopped)


@dataclass(frozen=True)
class Condition:
    """A `where` that is written for an engine: the types of the columns, and what a function calls them there."""

    engine: Engine
    kinds: Mapping[str, str]
    column: Callable[[str], exp.Expr]

    def of(self, where: str) -> exp.Expr:
        """The condition; raises DialectError with the name of what the engine cannot be given."""
        tree = condition_of(where)
        return tree if self.engine.name == DIALECT else self._written(tree)

    def _written(self, node: exp.Expr) -> exp.Expr:
        found: exp.Expr
        match node:
            case exp.Paren():
                found = exp.paren(self._written(node.this))
            case exp.Not():
                found = exp.Not(this=exp.paren(self._written(node.this)))
            case exp.And() | exp.Or():
                found = type(node)(this=self._written(node.this), expression=self._written(node.expression))
            case exp.Is(expression=exp.Null()):
                found = exp.Is(this=self.column(self._name(node.this)), expression=exp.null())
            case exp.Between() if not node.args.get("symmetric"):
                low = exp.GTE(this=node.this, expression=node.args["low"])
                high = exp.LTE(this=node.this.copy(), expression=node.args["high"])
                found = exp.paren(exp.And(this=self._comparison(low), expression=self._comparison(high)))
            case exp.In() if node.expressions:
                found = self._listed(node)
            case exp.EQ() | exp.NEQ() | exp.LT() | exp.LTE() | exp.GT() | exp.GTE():
                found = self._comparison(node)
            case exp.Column() if self.kinds[self._name(node)] == BOOLEAN:
                found = self.column(self._name(node))
            case _:
                raise self._refusal(node)
        return found

    def _listed(self, node: exp.In) -> exp.Expr:
        def written(held: exp.Expr, kind: str) -> exp.Expr:
            return exp.In(this=held, expressions=[self._literal(one, kind) for one in node.expressions])

        return self._compared(node.this, written)

    def _comparison(self, node: exp.Binary) -> exp.Expr:
        """A comparison of a column with a literal. One by which NaN lies above is the denial of the opposite one."""
        if not isinstance(node.this, exp.Column) and isinstance(node.expression, exp.Column):
            return self._comparison(_named(MIRRORED[type(node).__name__])(this=node.expression, expression=node.this))
        relation = type(node)

        def written(held: exp.Expr, kind: str) -> exp.Expr:
            bound = self._literal(node.expression, kind)
            if relation.__name__ in NEGATED and self.engine.nan != "equal":
                return exp.Not(this=exp.paren(_named(NEGATED[relation.__name__])(this=held, expression=bound)))
            return relation(this=held, expression=bound)

        return self._compared(node.this, written)

    def _compared(self, node: exp.Expr, written: Callable[[exp.Expr, str], exp.Expr]) -> exp.Expr:
        name = self._name(node)
        kind, value = self.kinds[name], self.column(name)
        check_kind(self.engine, name, kind)
        return written(key(self.engine, value, kind), kind)

    def _name(self, node: exp.Expr) -> str:
        """The column of the source that a node names; DuckDB finds it in either case."""
        if isinstance(node, exp.Column) and len(node.parts) == 1:
            for name in self.kinds:
                if name.lower() == node.name.lower():
                    return name
        raise self._refusal(node)

    def _literal(self, node: exp.Expr, kind: str) -> exp.Expr:
        """A literal of the type of the column that it is compared with."""
        sign, value = ("-", node.this) if isinstance(node, exp.Neg) else ("", node)
        family = family_of(kind)
        if isinstance(value, exp.Boolean) and family == "boolean" and not sign:
            return value.copy()
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
