"""The query of the classes that a release's requirement finds too small, over the relation that its view reads."""

from __future__ import annotations

from collections.abc import Sequence

from anonduck.statements.expansion import Expression, expression
from anonduck.statements.template import DIALECT, line
from anonduck.statements.trees import exp, sqlglot


def offending_classes(
    view: str,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str],
    *,
    k: int | None,
    l: int | None,  # noqa: E741 - the model's name
    entity: str | None,
    table: str | None,
) -> str:
    """The classes of fewer than k records (or persons) or fewer than l values of a sensitive column.

    ``view`` is the definition of the view ``release``; its relation is read, or what ``table`` names, as the view reads
    it. NULL is a value.
    """
    size = Expression("count(*)") if entity is None else _distinct(entity)
    shown = [(size, _free("persons" if entity else "records", quasi_identifiers))]
    shown += [(_distinct(name), _free(f"distinct {name}", quasi_identifiers)) for name in sensitive if l is not None]
    bounds = [k, *([l] * len(shown))]
    text = (
        'SELECT\n    each(quasi, "{name}";),\n    each(shown, {size} AS "{name}")\nFROM {relation}\n'
        'GROUP BY each(quasi, "{name}";)\nHAVING any_of(small, {size} < {least})'
    )
    return line(
        "builder_offenders.offending_classes",
        text,
        quasi=quasi_identifiers,
        shown=[{"size": size, "name": name} for size, name in shown],
        small=[{"size": size, "least": least} for (size, _), least in zip(shown, bounds, strict=False) if least],
        relation=_relation(view, table),
    ).sql


def _relation(view: str, table: str | None) -> Expression:
    """The relation to read: a query where the view changes columns, as those with a collation."""
    select = sqlglot.parse_one(view, read=DIALECT).expression
    source = _source(select) if table is None else exp.Table(this=exp.Var(this=table))
    (star,) = select.expressions
    relation = exp.select(star.copy()).from_(source).subquery("released") if star.args.get("replace") else source
    return Expression(relation.sql(DIALECT, pretty=True))


def _source(select: exp.Expr) -> exp.Expr:
    source: exp.Expr = select.args["from_"].this
    for wrapped in list(source.find_all(exp.Paren)):  # DuckDB writes each option of a table function in parentheses
        wrapped.replace(wrapped.this)
    if isinstance(source, exp.Table) and source.catalog:  # the name under which the audit opened a DuckDB file
        source.set("catalog", None)
    return source


def _distinct(name: str) -> Expression:
    """How many values a column has, NULL being one."""
    return expression('(count(DISTINCT "{name}") + max(CASE WHEN "{name}" IS NULL THEN 1 ELSE 0 END))', name=name)


def _free(name: str, taken: Sequence[str]) -> str:
    """The name, with underscores after it while a quasi-identifier has it."""
    while name.lower() in {other.lower() for other in taken}:
        name += "_"
    return name
