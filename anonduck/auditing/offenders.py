"""The query that returns the classes of a release that miss a requirement; no rows means that it is met."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from anonduck.auditing.audit import chosen_quasi_identifiers
from anonduck.database.connection import Database
from anonduck.database.session import Tracer
from anonduck.errors import AuditError
from anonduck.privacy.audited_engine import DuckDBFile
from anonduck.privacy.audited_file import open_release
from anonduck.privacy.requirement import Required, ask
from anonduck.statements import builder_offenders, line


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
        with open_release(work, target, delim):
            columns = DuckDBFile(work).columns()
            kept = [*sensitive, *others, *([] if entity is None else [entity])]
            quasi = chosen_quasi_identifiers(columns, quasi_identifiers, kept)
            text = "SELECT sql FROM duckdb_views() WHERE database_name = 'temp' AND view_name = 'release'"
            view = work.value(line("auditing/offenders.offending_query", text))
    finally:
        work.close()
    return builder_offenders.offending_classes(
        view, quasi, sensitive, k=least.get("k"), l=least.get("l"), entity=entity, table=table
    )
