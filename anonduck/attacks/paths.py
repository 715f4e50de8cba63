"""The labels that the taxonomies of a project's decision database give to original values."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from anonduck.config.reading import read_config
from anonduck.database.connection import Database
from anonduck.errors import AuditError
from anonduck.privacy.label_paths import add_labels
from anonduck.statements import builder_attack, statement


def add_stored(work: Database, numbers: Mapping[str, int], config: Path) -> None:
    """Add the taxonomies that the decision database of a config has for the columns (name -> number).

    Raises AuditError if there is no decision database, SourceError if another process holds it.
    """
    path = config.resolve().parent / read_config(config).database
    if not path.is_file():
        raise AuditError(f"{config} has no decision database {path.name} yet; `project.build_taxonomies()` makes it")
    alias = work.attach_source(path)
    stored = {
        name for schema, name in work.rows(statement("source/tables.sql"), {"database": alias}) if schema == "taxonomy"
    }
    for column, number in numbers.items():
        if column in stored:
            given = {"database": alias, "column": column}
            levels = [name for (name,) in work.rows(statement("attacks/taxonomy_levels.sql"), given)]
            work.run(builder_attack.attached_view(alias, column))
            add_labels(work, number, "attacked_taxonomy", levels)
