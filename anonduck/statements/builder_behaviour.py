"""Behaviours of an engine that queries rely on where SQL leaves them open, and which queries rely on which.

Each behaviour is a column of sql/database/engine_behaviour.sql, TRUE where the engine does as expected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

from anonduck.statements.template import DIALECT, Statement, load
from anonduck.statements.trees import exp, sqlglot

QUERY = "database/engine_behaviour.sql"
Node = type[exp.Expr]

COMPARISONS: tuple[Node, ...] = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
GROUPINGS: tuple[Node, ...] = (exp.Group, exp.Distinct)
SAFE: tuple[Node, ...] = (exp.NullSafeEQ, exp.NullSafeNEQ)


@dataclass(frozen=True)
class Behaviour:
    """A behaviour that queries rely on.

    ``words`` say what is expected, ``figures`` what would be wrong otherwise. A query relies on it that holds a node of
    ``nodes``, a function of DuckDB's of ``functions``, or what ``found`` finds. ``everywhere``: engines that read a
    source must do so too.
    """

    name: str
    words: str
    figures: str
    nodes: tuple[Node, ...] = ()
    functions: frozenset[str] = frozenset()
    found: Callable[[exp.Expr], bool] | None = None
    everywhere: bool = False

    def holds_in(self, tree: exp.Expr) -> bool:
        """Whether a query relies on it."""
        return any(
            isinstance(node, self.nodes)
            or (isinstance(node, exp.Anonymous) and node.name.lower() in self.functions)
            or (self.found is not None and self.found(node))
            for node in tree.walk()
        )


TIMES = frozenset({"epoch_us", "time_to_unix", "unix_to_time", "timestamp_from_parts", "date_from_parts", "datediff"})
"""Functions of times, as sqlglot names them."""


def _to_text(node: exp.Expr) -> bool:
    return (
        isinstance(node, exp.Cast) and not isinstance(node, exp.TryCast) and node.to.is_type(*exp.DataType.TEXT_TYPES)
    )


def _of_times(node: exp.Expr) -> bool:
    return isinstance(node, exp.Func) and node.sql_name().lower() in TIMES


def _running(node: exp.Expr) -> bool:
    return (
        isinstance(node, exp.Window)
        and node.args.get("order") is not None
        and node.args.get("spec") is None
        and isinstance(node.this, (exp.AggFunc, exp.Filter))
    )


def _ascending(node: exp.Expr) -> bool:
    return isinstance(node, exp.Ordered) and not node.args.get("desc") and not node.args.get("nulls_first")


def _descending(node: exp.Expr) -> bool:
    return isinstance(node, exp.Ordered) and bool(node.args.get("desc")) and not node.args.get("nulls_first")


EXPECTED = (
    Behaviour(
        "null_is_a_group", "GROUP BY puts NULLs together", "k, and all figures by class", (exp.Group,), everywhere=True
    ),
    Behaviour(
        "null_is_a_distinct_value",
        "DISTINCT keeps one NULL",
        "classes and values that are counted",
        (exp.Distinct,),
        everywhere=True,
    ),
    Behaviour(
        "null_is_not_distinct_from_null",
        "IS NOT DISTINCT FROM finds NULL equal to NULL",
        "records that are joined to their classes and labels",
        SAFE,
        everywhere=True,
    ),
    Behaviour(
        "null_equals_nothing",
        "a comparison with NULL is NULL",
        "what a condition keeps",
        COMPARISONS,
        everywhere=True,
    ),
    Behaviour(
        "counts_of_values_leave_out_null",
        "count(*) counts NULL, count(value) does not",
        "numbers of records, persons and values",
        (exp.Count,),
        everywhere=True,
    ),
    Behaviour(
        "aggregates_leave_out_null",
        "sums, extremes and averages leave out NULL, and are NULL of nothing",
        "k, and all figures by class",
        (exp.Sum, exp.Min, exp.Max, exp.Avg, exp.AnyValue, exp.LogicalOr, exp.LogicalAnd, exp.Filter),
    ),
    Behaviour(
        "arg_min_leaves_out_null",
        "arg_min and arg_max leave out NULL",
        "values chosen by another's order",
        (exp.ArgMin, exp.ArgMax),
    ),
    Behaviour(
        "lists_keep_null",
        "a list of values keeps NULL",
        "paths of taxonomies, records in lists",
        (exp.ArrayAgg, exp.List),
    ),
    Behaviour(
        "sums_of_whole_numbers_are_exact",
        "sums of whole numbers neither round nor overflow",
        "numbers of records and pairs",
        (exp.Sum,),
    ),
    Behaviour(
        "fsum_makes_up_for_rounding",
        "fsum makes up for rounding",
        "figures by persons, and averages over classes",
        functions=frozenset({"fsum"}),
    ),
    Behaviour(
        "ascending_order_ends_with_null",
        "ascending order ends with NULL",
        "ordered distances, codes of values, and the order of a release",
        found=_ascending,
    ),
    Behaviour(
        "descending_order_ends_with_null",
        "descending order ends with NULL",
        "what is taken first by its number of records",
        found=_descending,
    ),
    Behaviour(
        "ranks_take_nulls_together",
        "dense_rank gives NULLs one rank",
        "codes of values and numbers of classes",
        (exp.DenseRank, exp.Rank),
        frozenset({"dense_rank", "rank"}),
    ),
    Behaviour(
        "running_sums_take_equals_together",
        "a running sum takes rows of equal order together",
        "curves of suppression, and ordered distances",
        found=_running,
    ),
    Behaviour(
        "nan_equals_itself_and_is_largest",
        "NaN equals itself and is the largest number",
        "classes and intervals of columns with NaN",
        (*GROUPINGS, *COMPARISONS, *SAFE, exp.Min, exp.Max, exp.Ordered),
        everywhere=True,
    ),
    Behaviour(
        "nan_and_the_infinities_are_not_finite",
        "isfinite is FALSE of NaN and of the infinities",
        "bounds of intervals, and swapped numbers",
        functions=frozenset({"isfinite"}),
    ),
    Behaviour(
        "zeros_of_both_signs_are_one_group",
        "GROUP BY puts -0.0 and 0.0 together",
        "classes of columns with both zeros",
        GROUPINGS,
        everywhere=True,
    ),
    Behaviour(
        "texts_are_compared_by_bytes",
        "texts are equal, and ordered, by their bytes",
        "k of texts that differ in case, accents or blanks",
        (*GROUPINGS, *COMPARISONS, *SAFE, exp.Ordered, exp.In),
    ),
    Behaviour(
        "a_list_contains_what_is_in_it",
        "list_contains is FALSE of an empty list",
        "bounds on single sensitive values, such as alpha, and what a dictionary names",
        (exp.ArrayContains,),
    ),
    Behaviour(
        "lists_end_where_they_end",
        "an empty list has no element, and what lies beyond a list's end is NULL",
        "imported taxonomies and addresses",
        (exp.ArrayConcat, exp.ArraySlice, exp.Bracket, exp.Explode, exp.Unnest, exp.Array),
        frozenset({"list_slice", "list_extract", "unnest"}),
    ),
    Behaviour(
        "null_is_in_no_list",
        "NULL is neither in a list nor outside of it",
        "records that are left out",
        (exp.In,),
        everywhere=True,
    ),
    Behaviour(
        "greatest_and_least_leave_out_null",
        "greatest and least leave out NULL",
        "bounds of intervals, and risks",
        (exp.Greatest, exp.Least),
    ),
    Behaviour(
        "whole_numbers_divide_to_fractions",
        "/ of whole numbers is a fraction, // cuts towards zero, % has the sign of the first",
        "shares, pairs of records, and bounds of intervals",
        (exp.Div, exp.IntDiv, exp.Mod),
    ),
    Behaviour(
        "halves_are_rounded_away_from_zero",
        "round(0.5) is 1, floor(-0.5) is -1",
        "bounds of intervals, and figures that are shown",
        (exp.Round, exp.Floor),
    ),
    Behaviour(
        "values_have_these_texts",
        "values are cast to the texts that they had",
        "labels, and sensitive values that are named",
        found=_to_text,
    ),
    Behaviour(
        "texts_are_read_as_numbers_and_times",
        "a text that is no number or no time is NULL for try_cast",
        "ordered distances, and ranges that labels show",
        (exp.TryCast,),
    ),
    Behaviour(
        "texts_are_cut_between_code_points",
        "texts are cut and counted by code points",
        "masks and codes",
        (exp.Length, exp.Left, exp.Right, exp.Substring, exp.Split, exp.SplitPart),
    ),
    Behaviour(
        "times_have_these_parts",
        "times have the parts and the microseconds that they had",
        "taxonomies of dates and times",
        (
            exp.Year,
            exp.Month,
            exp.Week,
            exp.Quarter,
            exp.Hour,
            exp.Minute,
            exp.Second,
            exp.DayOfWeekIso,
            exp.TimestampTrunc,
        ),
        frozenset({"epoch_us", "epoch", "isoyear", "make_timestamp", "isodow", "isfinite", "year"}),
        found=_of_times,
    ),
    Behaviour("logarithms_are_these", "logarithms are those of mathematics", "entropies", (exp.Log, exp.Ln)),
)
BY_NAME = {one.name: one for one in EXPECTED}


def question(behaviours: Iterable[Behaviour] = EXPECTED, dialect: str = DIALECT) -> Statement:
    """A query of one row with a truth value for each behaviour, in their order, in a dialect."""
    columns = _columns()
    asked = exp.select(*(columns[one.name].copy() for one in behaviours))
    return Statement("builder_behaviour.question", asked.sql(dialect, pretty=True))


def rests_on(sql: str, behaviours: Iterable[Behaviour]) -> list[Behaviour]:
    """The behaviours that a DuckDB statement relies on; all of them if it cannot be parsed."""
    try:
        trees = [tree for tree in sqlglot.parse(sql, read=DIALECT) if tree is not None]
    except sqlglot.errors.SqlglotError:
        return list(behaviours)
    return [one for one in behaviours if any(one.holds_in(tree) for tree in trees)]


@cache
def _columns() -> dict[str, exp.Expr]:
    tree = load(QUERY).tree
    assert isinstance(tree, exp.Select)
    return {column.alias: column for column in tree.expressions}
