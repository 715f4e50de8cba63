"""A release that becomes a table of a DuckDB file: a new file is written, audited, and renamed over the old one.

DuckDB gives the blocks of a table that was dropped back to its own file, where they can still be read. So a release
never goes into a file that held another: all else that the file holds is carried over into a new one.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from anonduck.database.connection import Database
from anonduck.database.files import remove_half_made
from anonduck.errors import AnonduckError, QueryError, ReleaseBusy, ReleaseError, SourceError, TryAgainError
from anonduck.release.target import ReleaseTarget
from anonduck.statements import Statement, builder_database, line, statement, user_sql
from anonduck.statements.expansion import qualified
from anonduck.statements.pipeline.builder_release import copy_to


def table_as_csv(parts: tuple[str, str, str], path: Path) -> Statement:
    """Write a table as CSV with a header."""
    return copy_to(statement("database/whole.sql", table={"held": parts}).sql, str(path), "csv")


class ReplacedTable:
    """The table of a release in a new database file, and the file that it takes the place of, while that is held."""

    def __init__(self, database: Database, target: ReleaseTarget) -> None:
        self.database = database
        self.target = target
        self.fresh, self.replaced = database.beside("anonduck_target"), database.beside("anonduck_replaced")
        try:
            parts = user_sql.split_table_name(target.table)
        except ValueError:
            parts = []
        if len(parts) not in (1, 2):
            raise ReleaseError(
                f"{target.table!r} is not a table's name; write FILE.duckdb::table or FILE.duckdb::schema.table"
            )
        self.schema, self.name = parts if len(parts) == 2 else ("main", parts[0])

    @property
    def parts(self) -> tuple[str, str, str]:
        """Catalog, schema and name of the table that is written."""
        return self.fresh, self.schema, self.name

    @property
    def audited_name(self) -> str:
        """The written table as the audit names it."""
        schema, name = (part.replace('"', '""') for part in (self.schema, self.name))
        return f'{self.target.fresh}::"{schema}"."{name}"'

    def open(self, *, overwrite: bool) -> None:
        """Attach the new file, and the one that it replaces if there is one: no other process can then write to it."""
        old = self.target.path
        held = old.exists()
        if held:
            self._attach_old(old)
            self._refuse_existing(overwrite=overwrite)
        self._attach_new(self._storage() if held else {})
        if held:
            self._carry_over()
        text = "SELECT count(*) FROM duckdb_schemas() WHERE database_name = $database AND schema_name = $schema"
        asked = {"database": self.fresh, "schema": self.schema}
        if not self.database.value(line("release/table.open", text, *asked), asked):
            raise ReleaseError(f"{old} has no schema {self.schema!r}; make it, or name another")

    def finish(self, text: Path) -> None:
        """Write the table as CSV, whose bytes the receipt's SHA-256 is of, and close the new file."""
        self.database.run(table_as_csv(self.parts, text))
        self.database.detach(self.fresh)

    def close(self) -> None:
        """Detach both files."""
        for alias in (self.fresh, self.replaced):
            with contextlib.suppress(AnonduckError):
                self.database.detach(alias)

    def _attach_old(self, path: Path) -> None:
        try:
            self.database.run_as(ReleaseError, builder_database.attach(str(path), self.replaced))
        except ReleaseError as error:
            if isinstance(error, TryAgainError) or "already attached" in str(error):
                raise ReleaseBusy(f"{path} is open in another process; wait for it to end, then try again") from None
            if "not a valid DuckDB" in str(error):
                raise ReleaseError(f"{path} is not a DuckDB database; name another target") from None
            raise
        if path.with_name(path.name + ".wal").exists():  # it would be taken for the log of the new file
            self.database.run_as(ReleaseError, builder_database.checkpoint(self.replaced))

    def _attach_new(self, options: dict[str, str | int]) -> None:
        self.database.attach_new(
            ReleaseError,
            self.target.fresh,
            lambda made: builder_database.attach(str(made), self.fresh, options=options),
            self.fresh,
        )

    def _refuse_existing(self, *, overwrite: bool) -> None:
        tables = self.database.rows(statement("source/tables.sql"), {"database": self.replaced})
        if (self.schema, self.name) in tables and not overwrite:
            raise ReleaseError(
                f"{self.target.text} exists; `--overwrite` replaces it, after the new release has been audited"
            )

    def _storage(self) -> dict[str, str | int]:
        """The options by which the new file can be read by every version of DuckDB that reads the old one."""
        version, block_size = self.database.row(statement("release/storage.sql"), {"database": self.replaced})
        return {"BLOCK_SIZE": block_size, **({"STORAGE_VERSION": version} if version else {})}

    def _carry_over(self) -> None:
        """Copy all but the table itself; raises ReleaseError if something of it would be lost."""
        kept = {row for row in self._inventory(self.replaced) if not self._is_replaced(row)}
        if any(kind == "nested schema" for kind, *_ in kept):
            raise self._lost("it has schemas within schemas")
        self._carry(builder_database.copy_schema(self.replaced, self.fresh))
        table = qualified(self.fresh, self.schema, self.name)
        self._carry(line("release/table._carry_over", "DROP TABLE IF EXISTS {table}", table=table))
        for schema, name, columns in self.database.rows(
            statement("release/carried_tables.sql"), {"database": self.fresh}
        ):
            text = 'INSERT INTO {fresh} (each(columns, "{name}")) SELECT each(columns, "{name}") FROM {replaced}'
            fresh, replaced = (qualified(one, schema, name) for one in (self.fresh, self.replaced))
            self._carry(line("release/table._carry_over", text, fresh=fresh, replaced=replaced, columns=columns))
        lost = {str(row[0]) for row in kept ^ set(self._inventory(self.fresh))}
        if lost:
            raise self._lost(f"a {min(lost)} of it does not come out the same")

    def _carry(self, step: Statement) -> None:
        try:
            self.database.run(step)
        except (QueryError, SourceError) as error:
            raise self._lost(error.words) from None

    def _inventory(self, alias: str) -> list[tuple[str | None, ...]]:
        triggers = [
            (kind, schema, more[0], name, more[1])
            for kind, database, schema, name, _, _, *more in self.database.objects()
            if kind == "trigger" and database == alias
        ]
        return self.database.rows(statement("release/inventory.sql"), {"database": alias}) + triggers

    def _is_replaced(self, row: tuple[str | None, ...]) -> bool:
        """Whether something of the old file belongs to the table that is replaced."""
        _, schema, table, *_ = row
        return schema == self.schema and table == self.name

    def _lost(self, why: str) -> ReleaseError:
        return ReleaseError(
            f"{self.target.path} cannot be written anew with all that it holds ({why}), and a release is not written "
            "over an earlier one in the same file, where that could still be read; release to a file of its own, "
            "NAME.duckdb::table"
        )


@contextlib.contextmanager
def replace_table(database: Database, target: ReleaseTarget, *, overwrite: bool) -> Iterator[ReplacedTable]:
    """A new file beside the target's with all that this holds but the table; both are closed in the end.

    Whoever calls this holds the lock on the target's temporary file, so that what a killed release left can go.
    """
    table = ReplacedTable(database, target)
    _remove_database(target.fresh)
    remove_half_made(target.fresh)
    try:
        table.open(overwrite=overwrite)
        yield table
    finally:
        try:
            table.close()
        finally:
            _remove_database(target.fresh)


def _remove_database(path: Path) -> None:
    for file in (path, path.with_name(path.name + ".wal")):
        file.unlink(missing_ok=True)
