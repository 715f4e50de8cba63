"""The query of the classes that a release's requirement finds too small, over the relation that its view reads."""

from __future__ import annotations

from collections.abc import Sequence

from anonduck.statements.expressions import quoted
from anonduck.statements.template import DIALECT
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
    quasi = [quoted(name) for name in quasi_identifiers]
    size: exp.Expr = exp.Count(this=exp.Star()) if entity is None else _distinct(entity)
    conditions: list[exp.Expr] = [] if k is None else [exp.LT(this=size.copy(), expression=exp.Literal.number(k))]
    shown = [exp.alias_(size, _free("persons" if entity else "records", quasi_identifiers), quoted=True)]
    for name in sensitive if l is not None else ():
        conditions.append(exp.LT(this=exp.paren(_distinct(name)), expression=exp.Literal.number(l)))
        shown.append(exp.alias_(_distinct(name), _free(f"distinct {name}", quasi_identifiers), quoted=True))
    select = exp.select(*quasi, *shown).from_(_relation(view, table)).having(exp.or_(*conditions))
    if quasi:
        select = select.group_by(*[column.copy() for column in quasi])
    return select.sql(DIALECT, pretty=True)


def _relation(view: str, table: str | None) -> exp.Expr:
    """The relation to read: a query where the view changes columns, as those with a collation."""
    select = sqlglot.parse_one(view, read=DIALECT).expression
    source = _source(select) if table is None else exp.Table(this=exp.Var(this=table))
    (star,) = select.expressions
    return exp.select(star.copy()).from_(source).subquery("released") if star.args.get("replace") else source


def _source(select: exp.Expr) -> exp.Expr:
    source: exp.Expr = select.args["from_"].this
    for wrapped in list(source.find_all(exp.Paren)):  # DuckDB writes each option of a table function in parentheses
        wrapped.replace(wrapped.this)
    if isinstance(source, exp.Table) and source.catalog:  # the name under which the audit opened a DuckDB file
        source.set("catalog", None)
    return source


def _distinct(name: str) -> exp.Expr:
    """How many values a column has, NULL being one."""
    missing = exp.Case().when(exp.Is(this=quoted(name), expression=exp.null()), exp.Literal.number(1))
    return exp.Add(
        this=exp.Count(this=exp.Distinct(expressions=[quoted(name)])),
        expression=exp.Max(this=missing.else_(exp.Literal.number(0))),
    )


def _free(name: str, taken: Sequence[str]) -> str:
    """The name, with underscores after it while a quasi-identifier has it."""
    while name.lower() in {other.lower() for other in taken}:
        name += "_"
    return name
