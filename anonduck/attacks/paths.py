"""The labels that taxonomies give to original values: from lookup files, and from a project's decision database."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anonduck.config import read_config
from anonduck.database import Database
from anonduck.errors import AuditError
from anonduck.privacy.lookup import read_lines
from anonduck.statements import builder_attack, builder_source, statement

LISTED = "listed_taxonomy"


def add_listed(work: Database, number: int, column: str, source: Any) -> None:
    """Add the taxonomy of a column: a CSV file or DataFrame of one line per value, the value first, then its labels."""
    import pandas as pd

    lines = read_lines(column, source)
    levels = [f"level_{level}" for level in range(1, len(lines[0]))]
    if not levels:
        raise AuditError(
            f"the taxonomy of {column!r} has one field in a line; it has the value, then a label per level"
        )
    work.register(LISTED, pd.DataFrame(lines, columns=["value", *levels], dtype="str"))
    try:
        _add(work, number, LISTED, levels)
    finally:
        work.unregister(LISTED)


def add_stored(work: Database, numbers: Mapping[str, int], config: Path) -> None:
    """Add the taxonomies that the decision database of a config has for the columns (name -> number).

    Raises AuditError if there is no decision database, SourceError if another process holds it.
    """
    path = config.resolve().parent / read_config(config).database
    if not path.is_file():
        raise AuditError(f"{config} has no decision database {path.name} yet; `anonduck taxonomy build` makes it")
    alias = work.attach_source(path, builder_source.attach)
    stored = {
        name for schema, name in work.rows(statement("source/tables.sql"), {"database": alias}) if schema == "taxonomy"
    }
    for column, number in numbers.items():
        if column in stored:
            given = {"database": alias, "column": column}
            levels = [name for (name,) in work.rows(statement("attacks/taxonomy_levels.sql"), given)]
            work.run(builder_attack.attached_view(alias, column))
            _add(work, number, "attacked_taxonomy", levels)


def _add(work: Database, number: int, table: str, levels: list[str]) -> None:
    query = statement(
        "attacks/add_paths.sql", columns={"levels": levels}, column={"value": "value"}, table={"taxonomy": table}
    )
    work.run(query, {"attribute": number})
