"""The queries of a workload: SELECT statements of a user over the table ``released``, checked before they are asked.

DuckDB's own parser takes them apart. They read that table and nothing else, and each answer follows from its rows
alone: functions that reach files, settings or random numbers are refused, as are those whose result depends on the
order of the rows. What of an answer is a number to compare follows from the parts and the types of the answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anonduck.config.workload import WorkloadText
from anonduck.database.connection import Database
from anonduck.errors import ConfigError, QueryError
from anonduck.source.columns import Column
from anonduck.source.expressions import FUNCTIONS, NAMES, SCALAR, is_qualified, query_tree
from anonduck.statements import Statement, line
from anonduck.statements.column_types import is_numeric
from anonduck.statements.expansion import Expression
from anonduck.statements.user_sql import QueryText, query_texts
from anonduck.words import did_you_mean

RELEASED = "released"
"""What queries call the release, and the source where they are asked of that."""
COUNTS = frozenset({"count", "count_star", "count_if", "approx_count_distinct"})
_AGGREGATES = """
avg mean favg sum fsum kahan_sum sumkahan product min max median mad mode quantile quantile_cont quantile_disc
stddev stddev_pop stddev_samp variance var_pop var_samp sem skewness kurtosis kurtosis_pop entropy corr covar_pop
covar_samp regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy bool_and
bool_or bit_and bit_or bit_xor geometric_mean geomean countif
"""
AGGREGATES = COUNTS | frozenset(_AGGREGATES.split())
WINDOWS = frozenset({"row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "lag", "lead"})
CLASSES = SCALAR | {"STAR", "SUBQUERY", "WINDOW", "POSITIONAL_REFERENCE"}
PARTS = frozenset(
    {"SELECT_NODE", "SET_OPERATION_NODE", "CTE_NODE", "BASE_TABLE", "JOIN", "SUBQUERY", "EMPTY", "EXPRESSION_LIST"}
    | {"ORDER_MODIFIER", "LIMIT_MODIFIER", "LIMIT_PERCENT_MODIFIER", "DISTINCT_MODIFIER"}
    | {"ORDER_DEFAULT", "ASCENDING", "DESCENDING"}
)
LIMITS = frozenset({"LIMIT_MODIFIER", "LIMIT_PERCENT_MODIFIER"})
PART_NAMES = {
    "TABLE_FUNCTION": "a function in the place of a table",
    "SHOW_REF": "DESCRIBE or SUMMARIZE",
    "RECURSIVE_CTE_NODE": "a recursive WITH",
    "PIVOT": "PIVOT",
}
EMPTY_TABLE = "workload_columns"


@dataclass(frozen=True)
class Query:
    """A query that may be asked.

    Attributes:
        text: the query as it is written.
        columns: the columns of the source that it reads, as the source calls them.
        keys: the places of the columns of its answer that are the key of a row.
        numbers: the places of the compared columns, and whether each counts records.
    """

    text: QueryText
    columns: tuple[str, ...]
    keys: tuple[int, ...]
    numbers: Mapping[int, bool]


@dataclass(frozen=True)
class Workload:
    """The queries of a config: the name of their file, how messages name each, and the queries themselves."""

    file: str
    whose: tuple[str, ...]
    queries: tuple[Query, ...]

    @property
    def columns(self) -> list[str]:
        """The columns that some query reads."""
        return list(dict.fromkeys(name for query in self.queries for name in query.columns))


def read_queries(database: Database, given: WorkloadText, columns: Sequence[Column]) -> Workload:
    """The queries of a workload over some columns of the source.

    Raises ConfigError that names file, query and line, for anything but queries of numbers from RELEASED.
    """
    try:
        texts = query_texts(given.text)
    except ValueError as error:
        raise ConfigError(f"the workload {given.path} is no SQL: {error}") from None
    if not texts:
        raise ConfigError(
            f"the workload {given.path} has no query; write SELECT statements over the table `{RELEASED}`, with a "
            "semicolon after each"
        )
    names = [column.name for column in columns]
    database.run(_empty_columns({column.name: column.type for column in columns}, EMPTY_TABLE))
    try:
        database.run(shown_as_released(EMPTY_TABLE))
        queries = tuple(_query(database, given, one, names) for one in texts)
    finally:
        database.drop_view("released")
        database.drop(("temp", EMPTY_TABLE))
    return Workload(given.path.name, tuple(_where(given, one) for one in texts), queries)


def shown_as_released(table: str) -> Statement:
    """The temporary view RELEASED over all of a table."""
    text = 'CREATE OR REPLACE TEMPORARY VIEW "{view}" AS SELECT * FROM "{table}"'
    return line("source/queries.shown_as_released", text, view=RELEASED, table=table)


def _empty_columns(kinds: Mapping[str, str], table: str) -> Statement:
    """The temporary ``table`` of columns of these types, without rows."""
    text = 'CREATE OR REPLACE TEMPORARY TABLE "{table}" AS SELECT each(columns, NULL::{kind} AS "{name}") LIMIT 0'
    columns = [{"name": name, "kind": Expression(kind)} for name, kind in kinds.items()]
    return line("source/queries._empty_columns", text, table=table, columns=columns)


def _where(given: WorkloadText, text: QueryText) -> str:
    """Which query a message is about."""
    return f"the workload {given.path}, query {text.number} (line {text.line})"


def _query(database: Database, given: WorkloadText, text: QueryText, names: Sequence[str]) -> Query:
    whose = _where(given, text)
    tree = query_tree(database, text.sql)
    if tree.get("error"):
        what = "is no SELECT statement" if tree.get("error_type") == "not implemented" else "cannot be parsed"
        raise ConfigError(f"{whose} {what}; write SELECT statements over the table `{RELEASED}`")
    node = tree["statements"][0]["node"]
    reasons = (_unfit(part, known) for part, known in _parts(node, frozenset({RELEASED})))
    if reason := next(filter(None, reasons), ""):
        raise ConfigError(f"{whose} has {reason}; a query reads the table `{RELEASED}` and nothing else")
    try:
        described = line("source/queries._query", "DESCRIBE SELECT * FROM query($query)", "query")
        rows = database.rows(described, {"query": text.sql})
    except QueryError as error:
        unknown = _unknown(node, text, names)
        raise ConfigError(f"{whose} cannot be asked of the source: {unknown or f'DuckDB says {error.words}'}") from None
    kinds = [row[1] for row in rows]
    read = _read(node, names)
    if not read and not any(
        str(part.get("function_name", "")).lower() in COUNTS for part, _ in _parts(node, frozenset())
    ):
        raise ConfigError(f"{whose} reads no column of `{RELEASED}` and counts no record; ask about either")
    keys, numbers = _places(node, kinds)
    if not numbers:
        raise ConfigError(
            f"{whose} has no number in its answer to compare; count records, or select a sum, an average or the like"
        )
    return Query(text, read, keys, numbers)


def _unknown(node: Mapping[str, Any], text: QueryText, names: Sequence[str]) -> str:
    """What a query names that is no column, in words; empty text if it names columns alone.

    What stands in double quotes may be meant as a value, and is not shown.
    """
    known = {name.lower() for name in names} | {RELEASED}
    parts = [part for part, _ in _parts(node, frozenset())]
    known |= {str(part["alias"]).lower() for part in parts if part.get("alias")}
    for part in parts:
        path = part.get("column_names") if part.get("class") == "COLUMN_REF" else None
        if path and not any(one.lower() in known for one in path):
            if text.sql.encode()[part["query_location"] :].startswith(b'"'):
                return "a name in double quotes is no column that a release may show (a text stands in single quotes)"
            return f"there is no column {path[-1]!r} that a release may show{did_you_mean(path[-1], names)}"
    return ""


# -- what it is made of ------------------------------------------------------------------------------------------------


def _parts(tree: Any, known: frozenset[str]) -> Iterator[tuple[dict[str, Any], frozenset[str]]]:
    """The parts of a query's tree, each with the tables that it may read: RELEASED, and the names of its WITH."""
    waiting = [(tree, known)]
    while waiting:
        held, tables = waiting.pop()
        if isinstance(held, dict):
            for named in (held.get("cte_map") or {}).get("map", ()):
                waiting.append((named["value"], tables))  # what WITH names is not read by its own query
                tables |= {named["key"].lower()}
            yield held, tables
            waiting += [(one, tables) for name, one in held.items() if name != "cte_map"]
        elif isinstance(held, list):
            waiting += [(one, tables) for one in held]


def _unfit(part: Mapping[str, Any], tables: frozenset[str]) -> str:
    """What of a part keeps a query from being asked, in words; empty text where nothing does."""
    if part.get("sample"):
        return "a sample, which differs from run to run"
    kind = part.get("class")
    if kind is None:
        return _unfit_part(part, tables)
    if kind not in CLASSES:
        return NAMES.get(kind, f"the expression {str(kind).lower()}")
    if kind in ("FUNCTION", "WINDOW"):
        return _unfit_function(part, WINDOWS if kind == "WINDOW" else FUNCTIONS)
    return ""


def _unfit_part(part: Mapping[str, Any], tables: frozenset[str]) -> str:
    kind = part.get("type")
    if not isinstance(kind, str):
        return ""
    if unfit := _unfit_select(part):
        return unfit
    if kind not in PARTS:
        return PART_NAMES.get(kind, kind.lower().replace("_", " "))
    if kind != "BASE_TABLE":
        return ""
    if part.get("schema_name") or part.get("catalog_name") or str(part["table_name"]).lower() not in tables:
        return "another table or a file"
    return ""


def _unfit_select(part: Mapping[str, Any]) -> str:
    named = [one["key"].lower() for one in (part.get("cte_map") or {}).get("map", ())]
    modifiers = {one.get("type") for one in part.get("modifiers") or ()}
    if modifiers & LIMITS and "ORDER_MODIFIER" not in modifiers:
        return "a LIMIT without ORDER BY, whose rows follow from their order"
    return f"a WITH that is called `{RELEASED}`" if RELEASED in named else ""


def _unfit_function(part: Mapping[str, Any], beside: frozenset[str]) -> str:
    name = str(part["function_name"])
    if is_qualified(part):
        return f"the function {name} with a dot before it"
    known = AGGREGATES | beside
    if name.lower() in known or not any(letter.isalnum() for letter in name):
        return ""
    return f"the function {name}, which is not known to depend on the values alone{did_you_mean(name, sorted(known))}"


def _read(node: Mapping[str, Any], names: Sequence[str]) -> tuple[str, ...]:
    """The columns that a query may read: the mentioned ones, or all of them behind a star."""
    mentioned: set[str] = set()
    for part, _ in _parts(node, frozenset()):
        if part.get("class") == "STAR" or part.get("ref_type") == "NATURAL":
            return tuple(names)
        mentioned |= {name.lower() for name in part.get("column_names") or ()}
        mentioned |= {name.lower() for name in part.get("using_columns") or ()}
    return tuple(name for name in names if name.lower() in mentioned)


# -- what of its answer is compared ------------------------------------------------------------------------------------


def _places(node: Mapping[str, Any], kinds: Sequence[str]) -> tuple[tuple[int, ...], dict[int, bool]]:
    """The places of keys, and those of numbers with whether they count records.

    Where the select list computes aggregates, these are the numbers and all that is no aggregate is a key: `GROUP BY
    age` has a numeric key. In any other query every numeric column is a number.
    """
    numeric = [is_numeric(kind) for kind in kinds]
    items = node.get("select_list", [])
    listed = len(items) == len(kinds) and not any(one.get("class") == "STAR" for one in items)
    aggregated = [_aggregates(one) for one in items] if listed else []
    if not any(aggregated):
        keys = tuple(at for at, one in enumerate(numeric) if not one)
        return keys, {at: False for at, one in enumerate(numeric) if one}
    keys = tuple(at for at, one in enumerate(aggregated) if not one)
    counts = [str(one.get("function_name", "")).lower() in COUNTS for one in items]
    return keys, {at: counts[at] for at, one in enumerate(aggregated) if one and numeric[at]}


def _aggregates(item: Any) -> bool:
    """Whether an expression computes over several rows."""
    return any(
        part.get("class") == "WINDOW"
        or (part.get("class") == "FUNCTION" and str(part["function_name"]).lower() in AGGREGATES)
        for part, _ in _parts(item, frozenset())
    )
