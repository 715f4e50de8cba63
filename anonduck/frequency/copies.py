"""A project's workspace beside its decision database: the same source and taxonomies, with a database in memory."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from anonduck.database.connection import Database
from anonduck.database.fingerprints import KEY_TABLE, fingerprint_key
from anonduck.statements import builder_database, line, statement
from anonduck.statements.expansion import qualified
from anonduck.taxonomy.catalog import prepare
from anonduck.workspace import Workspace

OF_TAXONOMIES = ("taxonomy", "bounds", "taxonomy_lines")


@contextlib.contextmanager
def in_memory(workspace: Workspace) -> Iterator[Workspace]:
    """The same with a database in memory, which holds the workspace's taxonomies and is forgotten in the end."""
    kept = workspace.database
    database = Database(
        None,
        connection=kept.caller or kept.lent(),
        timezone=workspace.config.timezone,
        tracer=kept.tracer,
    )
    try:
        _copy_taxonomies(kept, database)
        yield workspace.with_database(database)
    finally:
        database.close()


def _copy_taxonomies(kept: Database, database: Database) -> None:
    """Copy all tables of taxonomies and the key of fingerprints."""
    fingerprint_key(kept)
    for held in (kept, database):
        prepare(held)
        held.run(builder_database.schema("taxonomy_lines"))
        held.run(KEY_TABLE)
    for catalog, schema, name in kept.rows(statement("frequency/kept_tables.sql")):
        made = schema in OF_TAXONOMIES
        text = "CREATE TABLE {copy} AS SELECT * FROM {held}" if made else "INSERT INTO {copy} SELECT * FROM {held}"
        tables = {"copy": qualified(schema, name), "held": qualified(catalog, schema, name)}
        database.run(line("frequency/copies._copy_taxonomies", text, **tables))
