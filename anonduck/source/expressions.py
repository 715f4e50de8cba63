"""The SQL expressions that a config may contain: those over the values of one record, which reach nothing else.

`where` and `types` are SQL that a user wrote. DuckDB's own parser takes them apart. Whatever may depend on more than
the record or the clock is refused: subqueries, other tables and files, settings, variables and random numbers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from anonduck.database.connection import Database
from anonduck.errors import ConfigError, QueryError
from anonduck.source.columns import describe
from anonduck.statements import Statement, line, user_sql
from anonduck.statements.column_types import BOOLEAN, EXAMPLES, UNKNOWN
from anonduck.statements.expansion import Expression, expression
from anonduck.words import did_you_mean

SCALAR = frozenset(
    {"CASE", "CAST", "COLLATE", "COLUMN_REF", "COMPARISON", "CONJUNCTION", "CONSTANT", "FUNCTION", "LAMBDA"}
    | {"BETWEEN", "LAMBDA_REF", "OPERATOR", "TYPE"}
)
TYPED = frozenset({"CAST", "CONSTANT", "TYPE"})
NAMES = {"SUBQUERY": "a subquery", "WINDOW": "a window function", "STAR": "a star", "PARAMETER": "a parameter"}

_KNOWN = """
abs acos acosh add age array_contains array_distinct array_extract array_filter array_has array_has_all
array_has_any array_indexof array_length array_position array_slice array_sort array_to_string array_transform
array_value ascii asin asinh atan atan2 atanh bar base64 bin binom bit_count bit_length cardinality cbrt ceil
ceiling century char_length character_length chr concat concat_ws constant_or_null contains cos cosh cot
current_date current_localtime current_localtimestamp current_timestamp damerau_levenshtein date_add date_diff
date_part date_sub date_trunc datediff datepart datesub datetrunc day dayname dayofmonth dayofweek dayofyear
days_in_month decade degrees divide editdist3 element_at ends_with enum_code epoch epoch_ms epoch_ns epoch_us era
even exp factorial fdiv flatten floor fmod format format_bytes formatreadabledecimalsize formatreadablesize
from_base64 gamma gcd get_current_time get_current_timestamp greatest greatest_common_divisor hamming hex hour if
ilike_escape instr isfinite isinf isnan isodow isoyear jaccard jaro_similarity jaro_winkler_similarity json
json_array_length json_contains json_exists json_extract json_extract_path json_extract_path_text
json_extract_string json_keys json_type json_valid json_value julian last_day lcase lcm least least_common_multiple
left left_grapheme len length length_grapheme levenshtein lgamma like_escape list_avg list_concat list_contains
list_count list_distinct list_element list_extract list_filter list_has list_has_all list_has_any list_indexof
list_max list_min list_pack list_position list_slice list_sort list_sum list_transform list_unique list_value ln log
log10 log2 lower lpad ltrim make_date make_time make_timestamp make_timestamp_ms make_timestamp_ns make_timestamptz
map map_contains map_entries map_extract map_extract_value map_keys map_values md5 microsecond millennium
millisecond minute mismatches mod month monthname multiply nanosecond nextafter nfc_normalize normalized_interval
not_ilike_escape not_like_escape now nullif octet_length ord overlay parse_dirname parse_dirpath parse_filename
parse_path pi position pow power prefix printf quarter radians regexp_escape regexp_extract regexp_extract_all
regexp_full_match regexp_matches regexp_replace regexp_split_to_array repeat replace reverse right right_grapheme
round round_even roundbankers row rpad rtrim second sha1 sha256 sign signbit sin sinh split split_part sqrt
starts_with str_split str_split_regex strftime string_split string_split_regex string_to_array strip_accents strlen
strpos strptime struct_contains struct_extract struct_keys struct_pack struct_values substr substring
substring_grapheme subtract suffix tan tanh time_bucket timezone timezone_hour timezone_minute to_base to_base64
to_binary to_centuries to_days to_decades to_hex to_hours to_microseconds to_millennia to_milliseconds to_minutes
to_months to_quarters to_seconds to_timestamp to_weeks to_years today transaction_timestamp translate trim trunc
try_strptime typeof ucase unbin unhex unicode upper url_decode url_encode week weekday weekofyear xor year yearweek
"""
FUNCTIONS = frozenset(_KNOWN.split())


def query_tree(database: Database, query: str) -> dict[str, Any]:
    """The tree that DuckDB makes of a query without running it; its field ``error`` is true for text that is none."""
    text = "SELECT CAST(json_serialize_sql($query) AS VARCHAR)"
    tree: dict[str, Any] = json.loads(
        database.value(line("source/expressions.query_tree", text, "query"), {"query": query})
    )
    return tree


def refusal(database: Database, query: str, allowed: frozenset[str] = SCALAR) -> str:
    """Why a query of one expression may not run, in words for a message; empty text if it may."""
    tree = query_tree(database, query)
    if tree.get("error"):
        return "it cannot be parsed"
    unfit = (_unfit(node, allowed) for node in _nodes(tree["statements"][0]["node"]))
    return next((f"it has {words}" for words in unfit if words), "")


def misnamed(where: str, columns: Sequence[str]) -> str:
    """What a condition names that is no column, in words for a message; empty text if it names columns alone.

    What stands in double quotes may be meant as a value, and is not shown.
    """
    known = {name.lower(): name for name in columns}
    for parts, quoted in user_sql.names_in(where):
        if any(part.lower() in known for part in parts[:2]):
            continue
        if quoted:
            return "a name in double quotes is no column (a text value stands in single quotes)"
        return f"there is no column {parts[-1]!r}{did_you_mean(parts[-1], columns)}"
    return ""


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """The expressions of a query's tree, the outer ones first; its own node, whose only table is none, is left out."""
    waiting = [tree[name] for name in ("select_list", "where_clause")]
    while waiting:
        held = waiting.pop()
        if isinstance(held, dict):
            if "class" in held:
                yield held
            waiting += held.values()
        elif isinstance(held, list):
            waiting += held


def is_qualified(function: Mapping[str, Any]) -> bool:
    """Whether a function has a dot before it; DuckDB 1 names the schema itself where its grammar makes a function."""
    return bool(function.get("catalog")) or function.get("schema") not in (None, "", "main")


def _unfit(node: dict[str, Any], allowed: frozenset[str]) -> str:
    kind = node["class"]
    if kind not in allowed:
        return NAMES.get(kind, f"the expression {kind.lower()}")
    if kind != "FUNCTION":
        return ""
    name = str(node["function_name"])
    if is_qualified(node):
        return f"the function {name} with a dot before it (write {name}(x))"
    if name.lower() in FUNCTIONS or not any(letter.isalnum() for letter in name):
        return ""
    likely = did_you_mean(name, sorted(FUNCTIONS))
    return f"the function {name}, which is not known to depend on a record alone{likely}"


def check_condition(database: Database, where: str, relation: Expression) -> Expression:
    """A condition of a record's own values, in parentheses; raises ValueError for one that is more."""
    condition = user_sql.condition(where)
    reason = refusal(database, expression("SELECT 1 WHERE {condition}", condition=condition))
    if reason:
        raise ValueError(f"; {reason}")
    text = "DESCRIBE SELECT {condition} AS condition FROM {relation}"
    kind = database.row(line("source/expressions.check_condition", text, condition=condition, relation=relation))[1]
    if kind not in (BOOLEAN, UNKNOWN):
        raise ValueError(f"; it gives {kind}, not true or false")
    return condition


def known_type(database: Database, name: str, kind: str) -> str:
    """The type that the config names for a column; raises ConfigError if DuckDB has none of that name."""
    try:
        typed = _typed_null(kind)
        if refusal(database, typed.sql, TYPED):
            raise ValueError(kind)
        database.rows(typed)
    except (ValueError, QueryError, RecursionError):
        raise ConfigError(
            f"types.{name}: {kind!r} is not a DuckDB type, such as {', '.join(EXAMPLES[:-1])} or {EXAMPLES[-1]}"
        ) from None
    return kind


def _typed_null(kind: str) -> Statement:
    """A query of NULL, to find out whether ``kind`` is a type; raises ValueError if it cannot be one."""
    text = "SELECT CAST(NULL AS {kind}) AS sample"
    return line("source/expressions._typed_null", text, kind=user_sql.named_type(kind))


def known_types(database: Database, types: Mapping[str, str]) -> dict[str, str]:
    """What DuckDB itself calls the types that the config names for columns; raises ConfigError if it has none."""
    typed = {name: _typed_null(known_type(database, name, kind)) for name, kind in types.items()}
    return {
        name: describe(database, Statement(null.name, f"DESCRIBE {null.sql}"))[0].type for name, null in typed.items()
    }
