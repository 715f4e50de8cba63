"""The nodes of SQL that are written for each engine. Whatever is not on its list is refused by name.

A translation changes some queries without a word: `xor(a, b) + c` loses its parentheses, `list(x ORDER BY y)` its
order, QUALIFY beside `*` adds a column, ASOF is read as an alias. So nothing is written in another dialect than
DuckDB's but what is known to mean the same there.
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlglot
from sqlglot import exp

from anonduck.statements.dialects import Dialect
from anonduck.statements.template import DIALECT

NODES: frozenset[str] = frozenset(
    {
        *("Select", "From", "Join", "Where", "Order", "Subquery", "Star", "Alias", "Union"),
        *("Table", "TableAlias", "Column", "Identifier", "Var"),
        *("Literal", "Null", "Boolean", "Neg", "Paren", "Cast", "DataType"),
        *("Case", "If", "Is", "Not", "And", "Or", "In", "Between"),
        *("EQ", "NEQ", "LT", "LTE", "GT", "GTE", "Add", "Sub", "Mul", "Mod"),
        *("Coalesce", "Window", "Count", "Min", "Max", "Sum", "DenseRank", "RowNumber", "With", "CTE"),
        *("Distinct", "Group", "Having"),
    }
)
"""What every engine reads alike, by the names of its nodes."""

BY_ENGINE: dict[str, tuple[str, ...]] = {
    "bigquery": ("Unnest", "Array", "Struct", "PropertyEQ", "DPipe"),
    "databricks": ("NullSafeEQ", "Values", "Tuple", "DPipe", "Explode", "Array"),
    "postgres": ("NullSafeEQ", "Values", "Tuple", "Substring", "DPipe", "Collate", "Like"),
    "snowflake": ("Values", "Tuple", "Substring", "DPipe"),
    "spark": ("NullSafeEQ", "Values", "Tuple", "DPipe", "Explode", "Array"),
}
"""What is written for one engine beside that."""

_SPARK = (
    *("RAISE_ERROR", "SUBSTR", "LENGTH", "FROM_UTC_TIMESTAMP", "UNIX_SECONDS", "MAKE_DT_INTERVAL"),
    *("DATE_PART", "WEEKOFYEAR", "WEEKDAY"),
)
FUNCTIONS: dict[str, tuple[str, ...]] = {
    "bigquery": ("ERROR", "IS_NAN", "SUBSTR", "LENGTH", "DATETIME", "FORMAT_DATE"),
    "databricks": _SPARK,
    "postgres": ("SUBSTR", "LENGTH", "TO_CHAR", "TIMEZONE"),
    "snowflake": (
        *("SUBSTR", "LENGTH", "TO_CHAR", "CONVERT_TIMEZONE"),
        *("YEAROFWEEKISO", "WEEKISO", "DAYOFWEEKISO"),
    ),
    "spark": _SPARK,
}
"""Functions by the name that each engine has for them."""

ARGUMENTS: dict[str, frozenset[str]] = {
    "Select": frozenset(
        {"kind", "expressions", "distinct", "from_", "joins", "where", "group", "having", "order", "with_"}
    ),
    "Distinct": frozenset(),
    "Group": frozenset({"expressions"}),
    "Join": frozenset({"this", "on", "side", "kind"}),
    "Union": frozenset({"this", "expression", "distinct", "with_"}),
    "Star": frozenset(),
    "Ordered": frozenset({"this", "nulls_first"}),
    "Window": frozenset({"this", "partition_by", "order", "over"}),
    "Count": frozenset({"this", "big_int"}),
}
"""What of a node may be given: QUALIFY, DISTINCT ON, GROUP BY ALL, ASOF and their like are arguments of one."""

TYPES = frozenset({"USERDEFINED"})


_READ = ("Ordered", "Substring", "Length")
READ: dict[str, tuple[str, ...]] = {
    "bigquery": (*_READ, "IsNan", "Datetime"),
    "databricks": (*_READ, "UnixSeconds", "WeekOfYear"),
    "postgres": (*_READ, "ToChar"),
    "snowflake": (*_READ, "ToChar", "ConvertTimezone", "YearOfWeekIso"),
    "spark": (*_READ, "UnixSeconds", "WeekOfYear"),
}
"""The nodes as which the order and the functions of a text are read that was written here."""


def check_text(text: str, engine: Dialect) -> None:
    """Raise DialectError, with a node's name, for what of a text is not on the list of an engine."""
    try:
        tree = sqlglot.parse_one(text, read=DIALECT)
    except sqlglot.errors.SqlglotError as error:
        raise engine.refusal("the release", str(error)) from None
    check_nodes(tree, engine, READ[engine.name])


def check_nodes(tree: exp.Expr, engine: Dialect, read: Sequence[str] = ()) -> None:
    """Raise DialectError for a node that is not on an engine's list, nor ``read`` of what is written for it here, whose
    types are its own. DuckDB's own dialect has no such list."""
    if engine.name == DIALECT:
        return
    allowed = NODES | frozenset((*BY_ENGINE[engine.name], *read))
    for node in tree.walk():
        if not (read and isinstance(node, (exp.DataType, exp.DataTypeParam))) and not _is_listed(node, allowed, engine):
            raise engine.refusal(node_name(node), "it is not on the list of what means the same there")


def node_name(node: exp.Expr) -> str:
    """A node as messages name it: a function by its name, others by their kind."""
    if isinstance(node, exp.Anonymous):
        return f"{node.name}()"
    return f"{node.sql_name()}()" if isinstance(node, exp.Func) else type(node).__name__


def _is_listed(node: exp.Expr, allowed: frozenset[str], engine: Dialect) -> bool:
    if isinstance(node, exp.Anonymous):
        return node.name in FUNCTIONS.get(engine.name, ())
    if type(node).__name__ not in allowed:
        return False
    if isinstance(node, exp.DataType):
        return node.this.name in TYPES
    given = {name for name, value in node.args.items() if value}
    return given <= ARGUMENTS.get(type(node).__name__, given)
