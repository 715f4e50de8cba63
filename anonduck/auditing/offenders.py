"""The query that returns the classes of a release that miss a requirement; no rows means that it is met."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from anonduck.auditing.audit import chosen_quasi_identifiers
from anonduck.database.connection import Database
from anonduck.database.session import Tracer
from anonduck.errors import AuditError
from anonduck.privacy.audited_engine import DuckDBFile
from anonduck.privacy.audited_file import OpenedRelease, open_release
from anonduck.privacy.requirement import Required, ask
from anonduck.statements import line
from anonduck.statements.column_readings import AS_IT_IS
from anonduck.statements.expansion import Expression, expression
from anonduck.statements.relations import rows_of

CLASSES = """SELECT
    each(quasi, "{name}";),
    each(shown, {size} AS "{name}")
FROM {relation}
GROUP BY each(quasi, "{name}";)
HAVING any_of(small, {size} < {least})"""
"""The classes of fewer than k records (or persons) or fewer than l values of a sensitive column; NULL is a value."""


def offending_query(
    target: str | Path,
    quasi_identifiers: Sequence[str] | None = None,
    *,
    requirements: Mapping[str, Required],
    sensitive: Sequence[str] = (),
    others: Sequence[str] = (),
    entity: str | None = None,
    table: str | None = None,
    delim: str | None = None,
    tracer: Tracer | None = None,
) -> str:
    """The SQL that returns each offending class: its quasi-identifiers, its size, and its number of distinct sensitive
    values.

    It takes the requirements k and l; k counts distinct values of ``entity`` if given. The query reads the file, or
    ``table``, whose text is used as it is, so ``@this_model`` or a dbt reference works. Only the file's columns are
    read here. Raises AuditError as ``anonduck.audit`` does.
    """
    least = {one.model.name: one.required for one in ask(requirements)}
    if not least or set(least) - {"k", "l"}:
        raise AuditError(f"the query of offending classes takes the requirements k and l; got {list(least) or 'none'}")
    if "l" in least and entity is not None:
        raise AuditError(
            "the query of offending classes counts distinct values for l, which is not l of persons who have several; "
            "with `--entity COLUMN` it takes k alone"
        )
    if "l" in least and not sensitive:
        raise AuditError("the requirement l needs a sensitive attribute (`--sensitive COLUMN`); none is given")
    work = Database(tracer=tracer)
    try:
        with open_release(work, target, delim) as opened:
            columns = DuckDBFile(work).columns()
            kept = [*sensitive, *others, *([] if entity is None else [entity])]
            quasi = chosen_quasi_identifiers(columns, quasi_identifiers, kept)
    finally:
        work.close()
    size = Expression("count(*)") if entity is None else _distinct(entity)
    shown = [{"size": size, "name": _free("records" if entity is None else "persons", quasi), "least": least.get("k")}]
    if "l" in least:
        values = [(_distinct(name), _free(f"distinct {name}", quasi)) for name in sensitive]
        shown += [{"size": distinct, "name": name, "least": least["l"]} for distinct, name in values]
    small = [one for one in shown if one["least"] is not None]
    relation = _relation(opened, table)
    given = {"quasi": quasi, "shown": shown, "small": small, "relation": relation}
    return line("auditing/offenders.offending_query", CLASSES, **given).sql


def _relation(opened: OpenedRelease, table: str | None) -> Expression:
    """What is read: the file or the table, or a query of it where columns are read as another type than they have."""
    relation = opened.relation if table is None else Expression(table)
    if opened.reading == AS_IT_IS:
        return relation
    return expression("(\n    {rows}\n) AS released", rows=rows_of(relation, reading=opened.reading))


def _distinct(name: str) -> Expression:
    """How many values a column has, NULL being one."""
    return expression('(count(DISTINCT "{name}") + max(CASE WHEN "{name}" IS NULL THEN 1 ELSE 0 END))', name=name)


def _free(name: str, taken: Sequence[str]) -> str:
    """The name, with underscores after it while a quasi-identifier has it."""
    while name.lower() in {other.lower() for other in taken}:
        name += "_"
    return name
