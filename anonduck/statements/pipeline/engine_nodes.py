"""The nodes of SQL that are written for each engine. Whatever is not on its list is refused by name.

A translation changes some queries without a word: `xor(a, b) + c` loses its parentheses, `list(x ORDER BY y)` its
order, QUALIFY beside `*` adds a column, ASOF is read as an alias. So nothing is written in another dialect than
DuckDB's but what is known to mean the same there.
"""

from __future__ import annotations

from anonduck.statements.pipeline.engines import Engine
from anonduck.statements.template import DIALECT
from anonduck.statements.trees import exp, sqlglot

NODES: frozenset[type[exp.Expr]] = frozenset(
    {
        *(exp.Select, exp.From, exp.Join, exp.Where, exp.Order, exp.Subquery, exp.Star, exp.Alias, exp.Union),
        *(exp.Table, exp.TableAlias, exp.Column, exp.Identifier, exp.Var),
        *(exp.Literal, exp.Null, exp.Boolean, exp.Neg, exp.Paren, exp.Cast, exp.DataType),
        *(exp.Case, exp.If, exp.Is, exp.Not, exp.And, exp.Or, exp.In, exp.Between),
        *(exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Add, exp.Sub, exp.Mul, exp.Mod),
        *(exp.Coalesce, exp.Window, exp.Count, exp.Min, exp.Max, exp.DenseRank, exp.RowNumber, exp.With, exp.CTE),
        *(exp.Distinct, exp.Group),
    }
)
"""What every engine reads alike."""

BY_ENGINE: dict[str, tuple[type[exp.Expr], ...]] = {
    "bigquery": (exp.Unnest, exp.Array, exp.Struct, exp.PropertyEQ, exp.DPipe),
    "clickhouse": (exp.Tuple, exp.Like, exp.DPipe),
    "databricks": (exp.NullSafeEQ, exp.Values, exp.Tuple, exp.DPipe),
    "mariadb": (exp.Values, exp.Tuple, exp.Substring, exp.DPipe, exp.Collate),
    "mysql": (exp.Values, exp.Substring, exp.DPipe, exp.Collate),
    "postgres": (exp.NullSafeEQ, exp.Values, exp.Tuple, exp.Substring, exp.DPipe, exp.Collate),
    "redshift": (exp.Substring, exp.DPipe),
    "snowflake": (exp.Values, exp.Tuple, exp.Substring, exp.DPipe),
    "spark": (exp.NullSafeEQ, exp.Values, exp.Tuple, exp.DPipe),
    "sqlite": (exp.Values, exp.Tuple, exp.Substring, exp.DPipe, exp.Collate, exp.Like, exp.Glob),
    "trino": (exp.Values, exp.Tuple, exp.Substring, exp.DPipe),
}
"""What is written for one engine beside that."""

_SPARK = (
    *("RAISE_ERROR", "SUBSTR", "LENGTH", "FROM_UTC_TIMESTAMP", "UNIX_SECONDS", "MAKE_DT_INTERVAL"),
    *("DATE_PART", "WEEKOFYEAR", "WEEKDAY"),
)
_MYSQL = ("SUBSTR", "CHAR_LENGTH", "CONCAT", "YEARWEEK", "WEEKDAY")
FUNCTIONS: dict[str, tuple[str, ...]] = {
    "bigquery": ("ERROR", "IS_NAN", "SUBSTR", "LENGTH", "DATETIME", "FORMAT_DATE"),
    "clickhouse": (
        *("throwIf", "isNaN", "toString", "toDate32", "toDateTime64", "toDecimal128", "toInt256", "toFloat64"),
        *("replaceRegexpOne", "values", "substringUTF8", "lengthUTF8", "toTimeZone"),
        *("toISOYear", "toISOWeek", "toDayOfWeek"),
    ),
    "databricks": _SPARK,
    "mariadb": _MYSQL,
    "mysql": ("ROW", *_MYSQL),
    "postgres": ("SUBSTR", "LENGTH", "TO_CHAR", "TIMEZONE"),
    "redshift": ("SUBSTR", "LENGTH", "TO_CHAR", "TIMEZONE"),
    "snowflake": (
        *("SUBSTR", "LENGTH", "TO_CHAR", "CONVERT_TIMEZONE"),
        *("YEAROFWEEKISO", "WEEKISO", "DAYOFWEEKISO"),
    ),
    "spark": _SPARK,
    "sqlite": ("typeof", "SUBSTR", "LENGTH", "RTRIM", "STRFTIME", "JSON_EXTRACT"),
    "trino": ("is_nan", "SUBSTR", "LENGTH", "AT_TIMEZONE", "YEAR_OF_WEEK", "WEEK", "DAY_OF_WEEK"),
}
"""Functions by the name that each engine has for them."""

ARGUMENTS: dict[type[exp.Expr], frozenset[str]] = {
    exp.Select: frozenset({"kind", "expressions", "distinct", "from_", "joins", "where", "group", "order", "with_"}),
    exp.Distinct: frozenset(),
    exp.Group: frozenset({"expressions"}),
    exp.Join: frozenset({"this", "on", "side", "kind"}),
    exp.Union: frozenset({"this", "expression", "distinct", "with_"}),
    exp.Star: frozenset(),
    exp.Window: frozenset({"this", "partition_by", "order", "over"}),
    exp.Count: frozenset({"this", "big_int"}),
}
"""What of a node may be given: QUALIFY, DISTINCT ON, GROUP BY ALL, ASOF and their like are arguments of one."""

TYPES = frozenset({exp.DataType.Type.USERDEFINED})


def written(tree: exp.Expr, engine: Engine, *, used_again: bool = True) -> str:
    """The text of a tree for an engine; raises DialectError, with the node's name, for what is not on its list.

    A tree that is not ``used_again`` is not copied before it is written, which takes long where it lists many rows.
    """
    check_nodes(tree, engine)
    try:
        return tree.sql(engine.dialect, copy=used_again, pretty=True, unsupported_level=sqlglot.ErrorLevel.RAISE)
    except sqlglot.errors.SqlglotError as error:
        raise engine.refusal("the release", str(error)) from None


def check_nodes(tree: exp.Expr, engine: Engine) -> None:
    """Raise DialectError for a node that is not on an engine's list. DuckDB's own dialect has no such list."""
    if engine.name == DIALECT:
        return
    allowed = NODES | frozenset(BY_ENGINE[engine.name])
    for node in tree.walk():
        if not _is_listed(node, allowed, engine):
            raise engine.refusal(node_name(node), "it is not on the list of what means the same there")


def node_name(node: exp.Expr) -> str:
    """A node as messages name it: a function by its name, others by their kind."""
    if isinstance(node, exp.Anonymous):
        return f"{node.name}()"
    return f"{node.sql_name()}()" if isinstance(node, exp.Func) else type(node).__name__


def _is_listed(node: exp.Expr, allowed: frozenset[type[exp.Expr]], engine: Engine) -> bool:
    if isinstance(node, exp.Anonymous):
        return node.name in FUNCTIONS.get(engine.name, ())
    if type(node) not in allowed:
        return False
    if isinstance(node, exp.DataType):
        return node.this in TYPES
    given = {name for name, value in node.args.items() if value}
    return given <= ARGUMENTS.get(type(node), given)
