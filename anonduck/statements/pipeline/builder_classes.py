"""Statements of a release by classes: what their shape depends on is the number of columns, or of a column's levels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from anonduck.statements.expressions import created_table, is_null, one_zero, quoted
from anonduck.statements.pipeline.builder_release import (
    NodeColumn,
    RuleColumn,
    grouped_rows,
    of_grouped_classes,
    records_of,
    with_lookup,
)
from anonduck.statements.pipeline.column_names import value_column
from anonduck.statements.row_order import dealt_as_they_come
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp

ASSIGNED = "#assigned"
KEYS = "assigned_keys"
KEYED = "keyed_set"  # the frequency set of what a release holds and the key of each record
NODES = "assigned_nodes"
LEAST_LEVELS = "least_levels"  # the least level of each class in each column


@dataclass(frozen=True, eq=False)
class Assigner:
    """A table with the column ``assigned``, and which of its rows (``k``) is that of a record of the source (``s``)."""

    table: str
    matches: exp.Expr


def by_key(key: str) -> Assigner:
    """``assigned_records``, whose keys are in a column of the source."""
    return Assigner("assigned_records", quoted(key, "s").eq(exp.column("key", table="k")))


def level_column(name: str) -> str:
    """The name of a column's levels among the nodes of the classes."""
    return f"{name}@level"


def leaf_column(name: str) -> str:
    """The name of a column's values among the nodes of the classes, where a class has one value alone."""
    return f"{name}@leaf"


def nodes_table(name: str) -> str:
    """The temporary table of the nodes of one column."""
    return f"{name} nodes"


def intervals_table(name: str) -> str:
    """The temporary table of the free intervals of one column."""
    return f"{name} intervals"


def assigned_keys(kind: str) -> Statement:
    """``assigned_keys``: the lines of ``class_table`` with the key as a value of a type, NULL where it is none."""
    typed = exp.TryCast(this=exp.column("key"), to=exp.DataType.build(kind, dialect=DIALECT))
    select = exp.select(exp.alias_(typed, "key"), exp.alias_(exp.column("key"), "written"), exp.column("class"))
    return temporary(KEYS, select.from_("class_table"), "builder_classes.assigned_keys")


def assigned_set(table: str, columns: Sequence[str], key: str) -> Statement:
    """One row per distinct combination of the columns' values in KEYED and assigned class, with its records."""
    values = [quoted(value_column(name), "s") for name in dict.fromkeys(columns)]
    assigned = exp.alias_(exp.column("assigned", table="k"), ASSIGNED, quoted=True)
    keys = exp.to_table("assigned_records").as_("k", table=True)
    select = exp.select(assigned, *values).from_(exp.to_table(KEYED).as_("s", table=True))
    select = select.join(keys, on=quoted(value_column(key), "s").eq(exp.column("key", table="k")))
    return grouped_rows("builder_classes.assigned_set", table, select)


def class_nodes(name: str, root: int, *, floating: bool, raised: bool = False) -> Statement:
    """The smallest common node of each class in one column, from ``release_set``: assigned, node_level, label, leaf.

    That is the lowest level under the root at which all its records have the same code (0 for NULL). A value that its
    taxonomy does not know has no node but the root. ``$root_label`` is the root's.

    With ``raised`` the level is at least that of ``least_levels`` for the class and ``$attribute``, the column; a class
    of nothing but NULL shows NULL under the root whatever its level.
    """
    value = quoted(value_column(name), "s")
    known = exp.or_(is_null(value), exp.not_(is_null(exp.column("code_1", table="l"))))
    parts = [exp.alias_(quoted(ASSIGNED, "s"), "assigned"), exp.alias_(exp.func("bool_and", known), "known")]
    for level in range(root):
        code = exp.func("coalesce", exp.column(f"code_{level}", table="l"), exp.Literal.number(0))
        shared = exp.EQ(this=exp.Min(this=code), expression=exp.Max(this=code.copy()))
        parts.append(exp.alias_(shared, f"shared_{level}"))
    leaf = one_zero(value) if floating else value.copy()
    parts.append(exp.alias_(exp.Min(this=leaf), "least"))
    parts += [exp.alias_(exp.Min(this=exp.column(f"level_{n}", table="l")), f"label_{n}") for n in range(1, root)]
    shared_nodes = exp.select(*parts).from_(exp.to_table("release_set").as_("s", table=True))
    shared_nodes = with_lookup(shared_nodes, name, "l").group_by(quoted(ASSIGNED, "s"))
    select = exp.select(exp.column("assigned", table="shared" if raised else None), *_node(root, raised=raised))
    select = select.from_(shared_nodes.subquery("shared"))
    if raised:
        of_class = exp.column("assigned", table="shared").eq(exp.column("assigned", table="r"))
        of_column = exp.column("attribute", table="r").eq(exp.Placeholder(this="attribute"))
        select = select.join(exp.to_table(LEAST_LEVELS).as_("r", table=True), on=exp.and_(of_class, of_column))
    bound = {"root_label"} | ({"attribute"} if raised else set())
    return temporary(nodes_table(name), select, "builder_classes.class_nodes", bound)


def interval_ends(name: str, *, floating: bool) -> Statement:
    """``interval_ends``: where the values of each class in one column of ``release_set`` begin and end.

    One row per assigned class: missing (whether it has NULL), least_code and largest_code (leaf codes, 0 for NULL),
    first_code and last_code (those at level 1), least (the value).
    """
    value = quoted(value_column(name), "s")
    leaf = exp.func("coalesce", exp.column("code_0", table="l"), exp.Literal.number(0))
    cell = exp.column("code_1", table="l")
    told = {
        "missing": exp.func("bool_or", is_null(value)),
        "least_code": exp.Min(this=leaf),
        "largest_code": exp.Max(this=leaf.copy()),
        "first_code": exp.Min(this=cell),
        "last_code": exp.Max(this=cell.copy()),
        "least": exp.Min(this=one_zero(value) if floating else value.copy()),
    }
    select = exp.select(
        exp.alias_(quoted(ASSIGNED, "s"), "assigned"), *[exp.alias_(one, called) for called, one in told.items()]
    ).from_(exp.to_table("release_set").as_("s", table=True))
    select = with_lookup(select, name, "l").group_by(quoted(ASSIGNED, "s"))
    return temporary("interval_ends", select, "builder_classes.interval_ends")


def _node(root: int, *, raised: bool) -> list[exp.Expr]:
    """Level, label and (where it is one value) leaf of the lowest node that a class shares and may show."""

    def shown(number: int) -> exp.Expr:
        shared = exp.and_(exp.column("known"), exp.column(f"shared_{number}"))
        return exp.and_(shared, _low_enough(number, root)) if raised else shared

    level, label = exp.Case(), exp.Case()
    for number in range(root):
        shared = shown(number)
        text = exp.column(f"label_{number}") if number else exp.cast(exp.column("least"), "VARCHAR", dialect=DIALECT)
        level, label = level.when(shared, exp.Literal.number(number)), label.when(shared.copy(), text)
    leaf = exp.Case().when(shown(0), exp.column("least"))
    return [
        exp.alias_(level.else_(exp.Literal.number(root)), "node_level"),
        exp.alias_(label.else_(exp.cast(exp.Placeholder(this="root_label"), "VARCHAR", dialect=DIALECT)), "label"),
        exp.alias_(leaf, "leaf"),
    ]


def _low_enough(number: int, root: int) -> exp.Expr:
    """Whether a class may be shown at a level, or is NULL and shown under the root."""
    level = exp.column("least_level", table="r")
    missing = exp.and_(is_null(exp.column("least")), exp.LT(this=level.copy(), expression=exp.Literal.number(root)))
    return exp.or_(exp.LTE(this=level, expression=exp.Literal.number(number)), missing)


def assigned_nodes(names: Sequence[str]) -> Statement:
    """``assigned_nodes``: one row per class, with the level, the label and the leaf of its node in each column."""
    first = exp.to_table("assigned_classes").as_("c", table=True)
    select = exp.select(exp.alias_(exp.column("assigned", table="c"), ASSIGNED, quoted=True)).from_(first)
    for number, name in enumerate(names):
        alias = f"n{number}"
        parts = {"node_level": level_column(name), "label": value_column(name), "leaf": leaf_column(name)}
        table = exp.table_(nodes_table(name), quoted=True).as_(alias, table=True)
        on = exp.column("assigned", table="c").eq(exp.column("assigned", table=alias))
        select = select.join(table, on=on).select(
            *[exp.alias_(exp.column(part, table=alias), called, quoted=True) for part, called in parts.items()]
        )
    return temporary(NODES, select, "builder_classes.assigned_nodes")


def grouped_classes(columns: Sequence[NodeColumn | RuleColumn], table: str, *, held: str) -> Statement:
    """``table``: each distinct released combination (``"<column>@value"``) with its records, from the set ``held``."""
    values = [
        exp.alias_(_shown(column, value_column(column.name)), value_column(column.name), quoted=True)
        for column in columns
    ]
    select = exp.select(*values).from_(exp.to_table(held).as_("s", table=True)).join(_nodes(), on=_same_class())
    return grouped_rows("builder_classes.grouped_classes", table, select)


def staying_set(columns: Sequence[NodeColumn | RuleColumn], grouped: str, target: str) -> Statement:
    """``target``: the rows of ``release_set`` whose equivalence class is in the grouped release."""
    shown = [(column, _shown(column, value_column(column.name))) for column in columns]
    select = of_grouped_classes(records_of("release_set").join(_nodes(), on=_same_class()), shown, grouped)
    return temporary(target, select, "builder_classes.staying_set")


def class_rows(
    columns: Sequence[NodeColumn | RuleColumn], assigned_by: Assigner, class_: str, staying: str | None
) -> exp.Select:
    """The rows of a release by classes that keeps columns: from the source, in the order of a release's rows.

    With ``staying`` only records that are in that set, by their assigned class and the class to predict, are in it.
    Columns of nodes that follow one another are sorted by one number of what a class shows in them: millions of rows
    are compared faster by it.
    """
    runs = _runs(columns)
    shown = [exp.alias_(_shown(column, column.name), column.name, quoted=True) for column in columns]
    assigner = exp.to_table(assigned_by.table).as_("k", table=True)
    source = exp.to_table("source").as_("s", table=True)
    select = exp.select(*shown).from_(source).join(assigner, on=assigned_by.matches.copy())
    same_class = exp.column("assigned", table="k").eq(quoted(ASSIGNED, "n"))
    select = select.join(_ranked_nodes(runs).subquery("n"), on=same_class)
    if staying is not None:
        alike = exp.and_(
            exp.column("assigned", table="k").eq(quoted(ASSIGNED, "h")),
            exp.NullSafeEQ(this=quoted(class_, "s"), expression=quoted(value_column(class_), "h")),
        )
        select = select.join(exp.to_table(staying).as_("h", table=True), on=alike, join_type="semi")
    ordered = select.order_by(*[exp.Ordered(this=key) for key in _sort_keys(columns, runs)])
    return dealt_as_they_come(ordered, [column.name for column in columns])


def shown_combinations(columns: Sequence[NodeColumn | RuleColumn], keys: Sequence[str], staying: str) -> Statement:
    """What each combination of the columns ``keys`` of the set ``staying`` shows in the columns of nodes.

    ``key_0, ...`` are the combination, ``shown_0, ...`` what it shows; combinations have one class each.
    """
    shown = [_shown(column, column.name) for column in columns if isinstance(column, NodeColumn)]
    select = per_combination(keys, shown).from_(exp.to_table(staying).as_("s", table=True))
    select = select.join(_nodes(), on=_same_class())
    return Statement("builder_classes.shown_combinations", select.sql(DIALECT, pretty=True))


def per_combination(keys: Sequence[str], shown: Sequence[exp.Expr]) -> exp.Select:
    """A select, still without its FROM, of each combination of columns in ``s`` and of what it shows."""
    values = [quoted(name, "s") for name in keys]
    told = [exp.alias_(value, f"key_{place}") for place, value in enumerate(values)]
    told += [exp.alias_(exp.func("any_value", one), f"shown_{place}") for place, one in enumerate(shown)]
    return exp.select(*told).group_by(*[value.copy() for value in values])


def _runs(columns: Sequence[NodeColumn | RuleColumn]) -> dict[int, list[NodeColumn]]:
    """The columns of nodes that follow one another, by the place of the first."""
    found: dict[int, list[NodeColumn]] = {}
    for place, column in enumerate(columns):
        if isinstance(column, NodeColumn):
            start = next((first for first, run in found.items() if first + len(run) == place), place)
            found.setdefault(start, []).append(column)
    return found


def _ranked_nodes(runs: Mapping[int, Sequence[NodeColumn]]) -> exp.Select:
    """The nodes of the classes, with the place of what each shows in a run of columns among what all show there."""
    select = exp.select("*").from_(NODES)
    for start, run in runs.items():
        ordered = exp.Order(expressions=[exp.Ordered(this=quoted(_node_column(column))) for column in run])
        rank = exp.Window(this=exp.Anonymous(this="dense_rank"), order=ordered)
        select = select.select(exp.alias_(rank, f"#rank {start}", quoted=True))
    return select


def _sort_keys(
    columns: Sequence[NodeColumn | RuleColumn], runs: Mapping[int, Sequence[NodeColumn]]
) -> Iterator[exp.Expr]:
    for place, column in enumerate(columns):
        if place in runs:
            yield quoted(f"#rank {place}", "n")
        elif not isinstance(column, NodeColumn):
            yield exp.Literal.number(place + 1)


def _nodes() -> exp.Expr:
    return exp.to_table(NODES).as_("n", table=True)


def _same_class() -> exp.Expr:
    return quoted(ASSIGNED, "s").eq(quoted(ASSIGNED, "n"))


def _shown(column: NodeColumn | RuleColumn, kept: str) -> exp.Expr:
    """What a release shows of a column: the node of the class in ``n``, or the value in ``s`` of one that is kept."""
    if isinstance(column, NodeColumn):
        return quoted(_node_column(column), "n")
    value = quoted(kept, "s")
    return one_zero(value) if column.floating else value


def _node_column(column: NodeColumn) -> str:
    """The column of NODES that a release shows of a column."""
    return leaf_column(column.name) if column.values else value_column(column.name)


def temporary(table: str, select: exp.Query, name: str, parameters: set[str] | None = None) -> Statement:
    """A temporary table of what a query finds."""
    bound = frozenset(parameters or ())
    return created_table(name, exp.table_(table, quoted=True), select, temporary=True, parameters=bound)
