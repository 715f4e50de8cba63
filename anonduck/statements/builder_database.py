"""Commands to a connection: what is attached and used, settings, transactions. Names in them cannot be bound."""

from __future__ import annotations

from collections.abc import Mapping

from anonduck.statements.expansion import Expression
from anonduck.statements.literals import literal
from anonduck.statements.template import Statement, line

BEGIN = Statement("builder_database.BEGIN", "BEGIN")
COMMIT = Statement("builder_database.COMMIT", "COMMIT")
ROLLBACK = Statement("builder_database.ROLLBACK", "ROLLBACK")
CURRENT = Statement("builder_database.CURRENT", "SELECT system.main.current_database()")
MEMORY = Statement("builder_database.MEMORY", "SELECT current_setting('memory_limit')")
THREADS = Statement("builder_database.THREADS", "SELECT current_setting('threads')")
ATTACHED = Statement("builder_database.ATTACHED", "SELECT database_name FROM duckdb_databases()")
COMPARE_BYTES = Statement("builder_database.COMPARE_BYTES", "SET SESSION default_collation = 'binary'")
"""Texts without a collation of their own are compared by their bytes, by this cursor of a connection alone."""
LOAD_EXCEL = Statement("builder_database.LOAD_EXCEL", "LOAD excel")
FILE_OF = Statement(
    "builder_database.FILE_OF", "SELECT path FROM duckdb_databases() WHERE database_name = $name", frozenset({"name"})
)
FILES = Statement("builder_database.FILES", "SELECT path FROM duckdb_databases() WHERE path IS NOT NULL")
ATTACHED_FILE = Statement(
    "builder_database.ATTACHED_FILE",
    "SELECT database_name FROM duckdb_databases() "
    "WHERE path = $path AND readonly AND starts_with(database_name, $alias)",
    frozenset({"path", "alias"}),
)


def attach(
    path: str,
    name: str,
    *,
    read_only: bool = False,
    again: bool = False,
    options: Mapping[str, str | int] | None = None,
) -> Statement:
    """Attach a DuckDB file, or ``:memory:``, for writing or for reading alone; a file that is not there is made.

    ``again``: the name may be attached already. ``options`` are those of a file that is made.
    """
    given = {**({"READ_ONLY": True} if read_only else {}), **(options or {})}
    named = [{"option": Expression(option), "value": literal(value)} for option, value in given.items()]
    return line(
        "builder_database.attach",
        'ATTACH {exists}{path} AS "{name}" joins(given, (each(options, {option} {value}));)',
        exists=Expression("IF NOT EXISTS " if again else ""),
        path=literal(path),
        name=name,
        given=[{"options": named}] if named else [],
    )


def detach(name: str) -> Statement:
    """Detach a database."""
    return line("builder_database.detach", 'DETACH "{name}"', name=name)


def schema(name: str) -> Statement:
    """Make a schema, if it is not there yet."""
    return line("builder_database.schema", 'CREATE SCHEMA IF NOT EXISTS "{name}"', name=name)


def use(name: str) -> Statement:
    """Make an attached database the one that names without a catalog refer to."""
    return line("builder_database.use", 'USE "{name}"', name=name)


def copy_schema(replaced: str, fresh: str) -> Statement:
    """Make all that the replaced database holds in the fresh one, its tables empty."""
    text = 'COPY FROM DATABASE "{replaced}" TO "{fresh}" (SCHEMA)'
    return line("builder_database.copy_schema", text, replaced=replaced, fresh=fresh)


def checkpoint(name: str) -> Statement:
    """Write the log of an attached database into its file."""
    return line("builder_database.checkpoint", 'CHECKPOINT "{name}"', name=name)


def setting(name: str, *, session: bool = False) -> Statement:
    """Set a setting of this connection to ``$value``; with ``session`` of no other one of the same database."""
    text = 'SET SESSION "{name}" = $value' if session else 'SET "{name}" = $value'
    return line("builder_database.setting", text, "value", name=name)
