"""The query of a release by a rule alone: it names its lookup tables, and holds no value of the source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from anonduck.statements.expressions import quoted
from anonduck.statements.pipeline.builder_release import RuleColumn
from anonduck.statements.pipeline.builder_select import kept_value, of_size, ordered
from anonduck.statements.template import DIALECT


@dataclass(frozen=True)
class NamedLookup:
    """A lookup table: of the values of a column, or with ``bounds`` of the lower bounds of its intervals, of which the
    first has none."""

    column: str
    table: str
    bounds: bool = False


def release_query(
    columns: Sequence[RuleColumn], lookups: Sequence[NamedLookup], *, refuse_unknown: bool, least: int = 1
) -> str:
    """The SELECT of a release over a relation called ``source``; classes under ``least`` records are left out."""
    by_column = {lookup.column: lookup for lookup in lookups}
    aliases = {column: f"l{number}" for number, column in enumerate(by_column)}
    shown = [exp.alias_(_released(c, by_column, aliases, refuse_unknown), c.name, quoted=True) for c in columns]
    select = exp.select(*shown).from_(exp.to_table("source").as_("s", table=True))
    for name, lookup in by_column.items():
        select = _join(select, lookup, aliases[name])
    if least > 1:
        names = [c.name for c in columns]
        alike = [quoted(c.name, "released") for c in columns if c.distinguishes]
        select = of_size(select, names, alike, least)
    return ordered(select, len(columns), DIALECT).sql(DIALECT, pretty=True)


def _join(select: exp.Select, lookup: NamedLookup, alias: str) -> exp.Select:
    value = quoted(lookup.column, "s")
    table = exp.alias_(exp.table_(lookup.table, quoted=True), alias, table=True)
    if not lookup.bounds:
        same = exp.EQ(this=value, expression=exp.column("value", table=alias))
        return select.join(table, on=same, join_type="left")
    above = exp.GTE(this=value, expression=exp.column("lower_bound", table=alias))
    select = select.join(table, on=above, join_type="left")
    select.args["joins"][-1].set("method", "ASOF")
    return select


def _released(
    column: RuleColumn, lookups: dict[str, NamedLookup], aliases: dict[str, str], refuse_unknown: bool
) -> exp.Expr:
    value = quoted(column.name, "s")
    if column.name not in lookups:
        at_root = column.level is not None and column.level == column.root
        return exp.Literal.string(column.root_label) if at_root else kept_value(column, value)
    label = exp.column("label", table=aliases[column.name])
    is_null = exp.Is(this=value, expression=exp.null())
    unknown = exp.Is(this=label, expression=exp.null())
    otherwise: exp.Expr = exp.Literal.string(column.root_label)
    if lookups[column.name].bounds:
        otherwise = _first_label(lookups[column.name])
    elif refuse_unknown:
        words = f"column {column.name}: a value that its taxonomy does not know"
        otherwise = exp.Anonymous(this="error", expressions=[exp.Literal.string(words)])
    shown = kept_value(column, quoted(column.name, "s")) if column.level == 0 else label.copy()
    return exp.Case().when(is_null, exp.null()).when(unknown, otherwise).else_(shown)


def _first_label(lookup: NamedLookup) -> exp.Expr:
    """The label of the interval without a lower bound; the text would tell of the least value of the source."""
    unbounded = exp.Is(this=exp.column("lower_bound", table="lowest"), expression=exp.null())
    table = exp.alias_(exp.table_(lookup.table, quoted=True), "lowest", table=True)
    return exp.select(exp.column("label", table="lowest")).from_(table).where(unbounded).subquery()
