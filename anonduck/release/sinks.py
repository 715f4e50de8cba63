"""Where the rows of a release go: a file, a table of a DuckDB file, a Delta table, or an engine.

Sinks differ in how rows are written, identified and put in place. All write beside the target first, so that what was
written can be audited, and a release that fails leaves the earlier one as it was.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from anonduck.config.config import Config
from anonduck.database.delta_writing import commit_file
from anonduck.database.private_file import unfinished_file
from anonduck.errors import ReleaseError
from anonduck.release.delta_target import PREFIX, DeltaTarget
from anonduck.release.engine_release import StagedRelease, staged_release
from anonduck.release.engine_target import EngineTarget
from anonduck.release.packed_rows import PackedRows, packed_rows, repeated_rows
from anonduck.release.plan import ReleasePlan
from anonduck.release.recoder import Recoder
from anonduck.release.released_rows import RowsQuery
from anonduck.release.shown_values import ReadValues, values_of_file
from anonduck.release.table import ReplacedTable, replace_table
from anonduck.release.target import ReleaseTarget, put_all_in_place, put_with_documents, sha256_of, unfinished
from anonduck.source.engine import DuckDBSource, write_file, write_table
from anonduck.source.source import Roles, Source
from anonduck.statements import line

FEW_ROWS = 100_000  # distinct rows that one thread sorts at once: a CSV file of them is written by it alone


@dataclass(frozen=True, eq=False)
class FileSink:
    """A Parquet or CSV file; ``temporary`` is the one beside it."""

    source: Source
    plan: ReleasePlan[Recoder]
    roles: Roles
    config: Config
    target: ReleaseTarget
    temporary: Path
    some: bool

    where = "the written file"

    @property
    def written(self) -> str:
        """What the audit opens: the temporary file."""
        return str(self.temporary)

    @property
    def versions(self) -> dict[str, str]:
        """What else could change the rows, with its version: nothing beside what every release names."""
        return {}

    @property
    def values(self) -> ReadValues:
        """Reads what the columns show that were written, from the file."""
        return partial(values_of_file, self.written, self.config, self.source.engine.database.tracer)

    def write(self) -> None:
        """Write the rows by Arrow where it writes types as DuckDB does and memory holds their numbers: DuckDB needs
        3.3 GB for 20 million records, and 2.7 times the processor time of COPY ... ORDER BY ALL.
        """
        sizes = 'SELECT count(*), coalesce(sum("#records"), 0)::BIGINT FROM release_rows'
        distinct, records = self.source.engine.database.row(line("release/sinks.write", sizes))
        rows = self.plan.recoding.rows(self.source.engine.database, some=self.some)
        packed = self._packed(rows, distinct, records) if self.target.file_kind == "parquet" else None
        if packed is not None:
            packed.write(self.temporary)
            return
        few = not self.roles.kept and distinct <= FEW_ROWS
        write_file(self.source.engine.database, rows.ordered, self.temporary, self.target.file_kind, repeated=few)

    def _packed(self, rows: RowsQuery, distinct: int, records: int) -> PackedRows | None:
        """The numbers of the rows, where they are to be written by Arrow."""
        engine = self.source.engine
        if not self.roles.kept:
            return repeated_rows(engine.database, [one.name for one in self.plan.columns], distinct, records)
        return packed_rows(engine, self.plan, rows, records) if isinstance(engine, DuckDBSource) else None

    def digest(self) -> dict[str, Any]:
        """The lines of the receipt that identify what was written: the file's name and its SHA-256."""
        return {"file": self.target.path.name, "sha256": sha256_of(self.temporary)}

    def put(self, texts: Sequence[str]) -> None:
        """Put the rows in place, and after them the release's documents: rename the temporary file."""
        put_all_in_place(self.temporary, self.target, texts)


@dataclass(frozen=True, eq=False)
class TableSink(FileSink):
    """A table of a DuckDB file, in a new file beside it; its text is written to ``temporary``."""

    table: ReplacedTable

    where = "the written table"

    @property
    def written(self) -> str:
        """The table of the new file."""
        return self.table.audited_name

    def write(self) -> None:
        """Write the rows into the new file, and close it."""
        database = self.source.engine.database
        rows = self.plan.recoding.rows(database, some=self.some)
        write_table(database, rows.ordered, self.table.parts)
        self.table.finish(self.temporary)

    def digest(self) -> dict[str, Any]:
        """The target and the SHA-256 of the table as text."""
        words = "the table written as CSV by DuckDB"
        return {"file": self.target.text, "sha256": sha256_of(self.temporary), "sha256_of": words}

    def put(self, texts: Sequence[str]) -> None:
        """Rename the new file."""
        put_all_in_place(self.target.fresh, self.target, texts)


@dataclass(frozen=True, eq=False)
class DeltaSink(FileSink):
    """The next version of a Delta table; ``temporary`` is the file beside its folder that becomes its only one."""

    overwrite: bool

    def digest(self) -> dict[str, Any]:
        """The table and the SHA-256 of its file."""
        words = "the Parquet file that this version of the table consists of"
        name = f"{PREFIX}{self.target.path.name}"
        return {"file": name, "sha256": sha256_of(self.temporary), "sha256_of": words}

    def put(self, texts: Sequence[str]) -> None:
        """Commit the file."""
        put = partial(commit_file, self.temporary, self.target.path, overwrite=self.overwrite)
        put_with_documents(put, self.target, texts)


Sink = FileSink | StagedRelease
"""A place where the rows of a release are written, audited, and then put in place."""


@contextlib.contextmanager
def sink_of(
    source: Source,
    plan: ReleasePlan[Recoder],
    target: ReleaseTarget,
    roles: Roles,
    config: Config,
    *,
    overwrite: bool,
    some: bool,
) -> Iterator[Sink]:
    """The sink of a target, locked against other writers; what is unfinished is gone afterwards, whatever comes.

    With ``some``, classes that fail were removed from the rows.
    """
    with unfinished(target) as temporary:
        if isinstance(target, EngineTarget):
            with staged_release(source, plan, target, roles, temporary, some=some) as staged:
                yield staged
        elif target.kind == "table":
            with replace_table(source.engine.database, target, overwrite=overwrite) as table:
                yield TableSink(source, plan, roles, config, target, temporary, some, table)
        elif isinstance(target, DeltaTarget):
            with unfinished_file(target.fresh, ReleaseError) as file:
                yield DeltaSink(source, plan, roles, config, target, file, some, overwrite)
        else:
            yield FileSink(source, plan, roles, config, target, temporary, some)
