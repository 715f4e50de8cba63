"""Statements of the privacy models whose shape depends on the number of columns, or that wrap another query.

The audit's relations name quasi-identifiers ``q_1, q_2, ...`` and sensitive attributes ``s_1, s_2, ...``, so that no
name of a released column can stand in the way of another.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from anonduck.statements.expressions import created_table, quoted
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp, sqlglot

RECORDS = "#records"
PERSON = "person"


def quasi_names(count: int) -> tuple[str, ...]:
    """The names of that many quasi-identifiers in the audit's relations."""
    return tuple(f"q_{number}" for number in range(1, count + 1))


def sensitive_names(count: int) -> tuple[str, ...]:
    """The names of that many sensitive attributes in the audit's relations."""
    return tuple(f"s_{number}" for number in range(1, count + 1))


def audited_set(
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str],
    entity: str | None = None,
    *,
    counted: str | None = None,
) -> Statement:
    """One row per distinct combination of the columns' values in ``release``, with its number of records.

    The key of persons, where it is given, is the column ``person``. ``counted`` names a table with a column "#records"
    that is read in place of ``release``.
    """
    columns, names = [*quasi_identifiers, *sensitive], [*quasi_names(len(quasi_identifiers))]
    names += sensitive_names(len(sensitive))
    if entity is not None:
        columns, names = [*columns, entity], [*names, PERSON]
    return _grouped("audited_set", columns, names, counted=counted)


def audited_persons(quasi_identifiers: Sequence[str], entity: str, *, counted: str | None = None) -> Statement:
    """One row per equivalence class of ``release`` and person in it, with the person's records; NULL is one person.

    For ``counted`` see ``audited_set``.
    """
    names = [*quasi_names(len(quasi_identifiers)), PERSON]
    return _grouped("audited_persons", [*quasi_identifiers, entity], names, counted=counted)


def persons_of_rows(rows: exp.Select, quasi_identifiers: Sequence[str], entity: str) -> Statement:
    """``audited_persons`` from the rows of a query that has the column ``entity``."""
    names = [*quasi_names(len(quasi_identifiers)), PERSON]
    return _grouped("audited_persons", [*quasi_identifiers, entity], names, rows=rows.subquery("release"))


def audited_population(quasi_identifiers: Sequence[str], *, counted: str | None = None) -> Statement:
    """One row per equivalence class of the population that is open as ``release``, with its number of records,
    ``held``.

    For ``counted`` see ``audited_set``.
    """
    names = quasi_names(len(quasi_identifiers))
    return _grouped("audited_population", quasi_identifiers, names, count="held", counted=counted)


def _grouped(
    target: str,
    columns: Sequence[str],
    names: Sequence[str],
    *,
    count: str = RECORDS,
    counted: str | None = None,
    rows: exp.Expr | None = None,
) -> Statement:
    """The distinct combinations of columns, called by ``names``, with their records, in the column ``count``.

    Of ``release``, of ``rows`` by that name, or of a ``counted`` table, whose records are summed. Columns are
    qualified, so that no name of the result can be taken for one of them.
    """
    held = [quoted(column, "release") for column in columns]
    records: exp.Expr = exp.Count(this=exp.Star())
    source = exp.to_table("release") if rows is None else rows
    if counted is not None:
        records = exp.cast(exp.Sum(this=quoted(RECORDS, "release")), "BIGINT")
        source = exp.to_table(counted).as_("release", table=True)
    values = [exp.alias_(column, name) for column, name in zip(held, names, strict=True)]
    select = exp.select(*values, exp.alias_(records, count, quoted=True)).from_(source)
    return created(target, select.group_by(*held) if held else select)


def kept_rows(table: str, quasi_identifiers: Sequence[str], target: str, *, temporary: bool = True) -> Statement:
    """``target``: the rows of a table whose classes are still in the numbered set, after failing classes were
    removed."""
    return created(target, _rows_by_classes(table, quasi_identifiers, ("numbered_set", "kept"), "semi"), temporary)


def other_rows(table: str, quasi_identifiers: Sequence[str], failing: str, target: str) -> Statement:
    """``target``: the rows of a table whose classes are not in ``failing``, whose columns are ``q_1, q_2, ...``"""
    return created(target, _rows_by_classes(table, quasi_identifiers, (failing, "failing"), "anti"))


def _rows_by_classes(table: str, quasi_identifiers: Sequence[str], classes: tuple[str, str], join: str) -> exp.Select:
    """The rows of a table that have an equal one among ``classes``, a table and its alias, or the rows without one."""
    name, alias = classes
    rows, known = exp.to_table(table).as_("whole", table=True), exp.to_table(name).as_(alias, table=True)
    alike = [
        exp.NullSafeEQ(this=quoted(column, "whole"), expression=exp.column(name, table=alias))
        for column, name in zip(quasi_identifiers, quasi_names(len(quasi_identifiers)), strict=True)
    ]
    star = exp.Column(this=exp.Star(), table=exp.to_identifier("whole"))
    return exp.select(star).from_(rows).join(known, on=exp.and_(*alike), join_type=join)


def classes(quasi_identifiers: int, *, persons: bool, population: bool) -> Statement:
    """One row per equivalence class of the release or the population: class, records, persons, held.

    The numbered set, the persons and the population are united and grouped, which puts NULLs together; a join would
    need a comparison per column.
    """
    names = quasi_names(quasi_identifiers)
    parts = [_part("numbered_set", names, "class", "records", "NULL", "NULL")]
    if persons:
        parts.append(_part("audited_persons", names, "NULL", "NULL", "1", "NULL"))
    if population:
        parts.append(_part("audited_population", names, "NULL", "NULL", "NULL", "held"))
    below = parts[0] if len(parts) == 1 else exp.union(*parts, distinct=False)
    counted = "sum(persons)::BIGINT" if persons else "sum(records)::BIGINT"
    held = "coalesce(sum(held), 0)::BIGINT" if population else "NULL::BIGINT"
    select = exp.select(
        "min(class) AS class",
        "sum(records)::BIGINT AS records",
        f"{counted} AS persons",
        f"{held} AS held",
        dialect=DIALECT,
    ).from_(exp.Subquery(this=below, alias=exp.TableAlias(this=exp.to_identifier("parts"))))
    if names:
        select = select.group_by(*[exp.column(name) for name in names])
    return created("classes", select)


def _part(table: str, names: Sequence[str], *counts: str) -> exp.Select:
    columns = ("class", "records", "persons", "held")
    counted = [f"{count}::BIGINT AS {name}" for count, name in zip(counts, columns, strict=True)]
    return exp.select(*names, *counted, dialect=DIALECT).from_(table)


@cache
def worst(query: Statement, *, at_most: bool) -> Statement:
    """One value: the worst that a query reaches, whose rows are equivalence classes."""
    reached = exp.column("reached")
    extreme = exp.Max(this=reached) if at_most else exp.Min(this=reached)
    tree = sqlglot.parse_one(query.sql, read=DIALECT)
    assert isinstance(tree, exp.Query)
    select = exp.select(exp.alias_(extreme, "reached")).from_(tree.subquery("classes"))
    return Statement(f"builder_privacy.worst({query.name})", select.sql(DIALECT, pretty=True), query.parameters)


def created(table: str, select: exp.Select, temporary: bool = True) -> Statement:
    """A table of the audit, made by a query."""
    return created_table(f"builder_privacy.{table}", table, select, temporary=temporary)


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
