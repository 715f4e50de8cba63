"""A release that becomes a table of a DuckDB file: written under another name, audited, renamed in a transaction."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from anonduck.database import Database
from anonduck.errors import AnonduckError, ReleaseError
from anonduck.release_target import Target
from anonduck.statements import builder_source, builder_table, statement

ALIAS = "anonduck_target"


class ReplacedTable:
    """The table of a release between writing and renaming."""

    def __init__(self, database: Database, target: Target) -> None:
        self.database = database
        self.target = target
        try:
            parts = builder_source.split_table_name(target.table)
        except ValueError:
            parts = []
        if len(parts) not in (1, 2):
            raise ReleaseError(
                f"{target.table!r} is not a table's name; write FILE.duckdb::table or FILE.duckdb::schema.table"
            )
        self.schema, self.name = parts if len(parts) == 2 else ("main", parts[0])
        self.unfinished = f"{self.name} (anonduck unfinished)"

    @property
    def parts(self) -> tuple[str, str, str]:
        """Catalog, schema and name of the table that is written."""
        return ALIAS, self.schema, self.unfinished

    @property
    def audited_name(self) -> str:
        """The written table as the audit names it."""
        return f"{self.target.path}::{self.schema}.{self.unfinished}"

    def open(self) -> None:
        """Attach the target's database for writing."""
        path = self.target.path
        try:
            self.database.run_as(ReleaseError, builder_table.attach(str(path), ALIAS))
        except ReleaseError as error:
            if "lock" in str(error):
                raise ReleaseError(f"{path} is open in another process; wait for it to end, then try again") from None
            if "not a valid DuckDB" in str(error):
                raise ReleaseError(f"{path} is not a DuckDB database; name another target") from None
            raise

    def close(self) -> None:
        """Detach it, so that the audit can open the file by itself."""
        self.database.run(builder_table.detach(ALIAS))

    def exists(self, name: str) -> bool:
        """Whether the target's schema holds a table or view of that name."""
        return (self.schema, name) in self.database.rows(statement("source/tables.sql"), {"database": ALIAS})

    def check_schema(self) -> None:
        """Raise ReleaseError if the target has no such schema."""
        asked = {"database": ALIAS, "schema": self.schema}
        if not self.database.value(statement("release/has_schema.sql"), asked):
            raise ReleaseError(f"{self.target.path} has no schema {self.schema!r}; make it, or name another")

    def export(self, path: Path) -> None:
        """Write the table as CSV, whose bytes the receipt's SHA-256 is of."""
        self.open()
        try:
            self.database.run(builder_table.export_csv(self.parts, str(path)))
        finally:
            self.close()

    def rename(self) -> None:
        """Put the written table in the place of an earlier one."""
        with self.database.transaction():
            self.database.run(builder_table.drop((ALIAS, self.schema, self.name)))
            self.database.run(builder_table.rename(self.parts, self.name))


@contextlib.contextmanager
def replace_table(database: Database, target: Target, *, overwrite: bool) -> Iterator[ReplacedTable]:
    """Attach the target's database, drop what a killed release left, and rename the new table in at the end."""
    table = ReplacedTable(database, target)
    made = not target.path.exists()
    table.open()
    try:
        table.check_schema()
        if table.exists(table.name) and not overwrite:
            raise ReleaseError(
                f"{target.text} exists; `--overwrite` replaces it, after the new release has been audited"
            )
        database.run(builder_table.drop(table.parts))
    except BaseException:
        table.close()
        if made:
            _remove_database(target.path)
        raise
    done = False
    try:
        yield table
        table.open()
        table.rename()
        done = True
    finally:
        if not done and not made:
            _drop_unfinished(table)
        with contextlib.suppress(AnonduckError):
            if database.has_database(ALIAS):
                table.close()
        if not done and made:
            _remove_database(target.path)


def _drop_unfinished(table: ReplacedTable) -> None:
    with contextlib.suppress(AnonduckError):
        if not table.database.has_database(ALIAS):
            table.open()
        table.database.run(builder_table.drop(table.parts))


def _remove_database(path: Path) -> None:
    for file in (path, path.with_name(path.name + ".wal")):
        file.unlink(missing_ok=True)
