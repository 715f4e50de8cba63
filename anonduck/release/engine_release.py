"""A release that an engine writes: to a staging place, audited there, then renamed over its target.

No record passes through this machine. What the audit is given was counted by the engine, by one scan of what it wrote.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from anonduck.database.connection import Database
from anonduck.engines.protocol import SOURCE, WritingEngine
from anonduck.engines.relation import Relation
from anonduck.errors import ReleaseError
from anonduck.privacy.audited_engine import EngineTable
from anonduck.release.engine_rows import engine_rows
from anonduck.release.engine_target import EngineTarget, refuse_other_documents
from anonduck.release.plan import ReleasePlan
from anonduck.release.recoding import GROUPED, Recoding
from anonduck.release.recount import counted_digest
from anonduck.release.target import put_with_documents
from anonduck.source.engine_source import EngineSource
from anonduck.source.source import Roles, Source
from anonduck.statements.pipeline.builder_frequency import value_column
from anonduck.statements.pipeline.engines import engine_named


@dataclass(frozen=True)
class CountedOnce:
    """An engine that was asked once for the combinations of some columns, from which it answers for any of them."""

    engine: WritingEngine
    columns: Sequence[str]
    held: Any

    def describe(self, relation: Any) -> Any:
        """See CountingEngine."""
        return self.engine.describe(relation)

    def group_sizes(self, relation: Any, kept: Sequence[str], others: Sequence[str], entity: str | None) -> Any:
        """See CountingEngine; these are asked of the written rows."""
        return self.engine.group_sizes(relation, kept, others, entity)

    def zeros_apart(self, relation: Any) -> Any:
        """See CountingEngine; a release has one zero."""
        return relation

    def equality(self) -> None:
        """See CountingEngine."""
        self.engine.equality()

    def count_by(self, relation: Any, columns: Sequence[str]) -> Any:
        """See CountingEngine; a combination may come more than once, and is counted together by whoever asks."""
        places = [list(self.columns).index(name) for name in columns]
        return self.held.select([*places, len(self.columns)])


class StagedRelease:
    """The rows of a release at their staging place in an engine."""

    def __init__(self, source: Source, target: EngineTarget) -> None:
        self.source, self.target = source, target
        self.engine, self.relation = writer_of(source, target)
        self.staged = Relation(target.staging)

    def write(self, database: Database, plan: ReleasePlan[Recoding], roles: Roles, *, some: bool) -> None:
        """Write the rows; with ``some``, classes that fail were removed."""
        dialect = engine_named(self.engine.dialect)
        rows = engine_rows(database, plan, self.source, roles, dialect, SOURCE, some)
        self.engine.write(self.relation if rows.of_source else None, rows.query, rows.lookups, self.target.staging)
        self.counted = self._count(database, plan)

    def _count(self, database: Database, plan: ReleasePlan[Recoding]) -> CountedOnce:
        """What the engine counts of the written rows, by the columns that the grouped release has too."""
        types = database.types_of(GROUPED)
        columns = [column.name for column in plan.columns if value_column(column.name) in types]
        return CountedOnce(self.engine, columns, self.engine.count_by(self.staged, columns))

    @cached_property
    def audited(self) -> EngineTable:
        """What was written, for the audit."""
        return EngineTable(self.target.text, self.counted, self.staged)

    def digest(self, database: Database, plan: ReleasePlan[Recoding], text: Path) -> dict[str, Any]:
        """The lines of a receipt that stand for the SHA-256 of a file; ``text`` is written on the way."""
        others = [column.name for column in plan.columns if column.name not in self.counted.columns]
        left = f"; {', '.join(others)} not among them" if others else ""
        words = (
            f"the distinct combinations of {', '.join(self.counted.columns)} that {self.engine.title} counted in the "
            f"written rows, with their numbers of records, as CSV by DuckDB{left}"
        )
        digest = counted_digest(database, self.counted.held, text)
        return {
            "file": self.target.text,
            "sha256": digest,
            "sha256_of": words,
            "sha256_columns": list(self.counted.columns),
        }

    def common(self, name: str, least: int) -> tuple[Any, int]:
        """The values of a column that enough of the written records hold, with these, and how many others there are."""
        return self.engine.common(self.staged, name, least)

    def put(self, texts: Sequence[str]) -> None:
        """Put the rows in place, and after them the documents."""
        put_with_documents(lambda: self.engine.rename(self.target.staging, self.target.place), self.target, texts)


@contextlib.contextmanager
def staged_release(source: Source, target: EngineTarget) -> Iterator[StagedRelease]:
    """The staging place of a release, where nothing is before and nothing afterwards, whatever comes.

    Whoever calls this holds the lock on the target's temporary file, so that what a killed release left can go.
    """
    staged = StagedRelease(source, target)
    staged.engine.drop(target.staging)
    try:
        yield staged
    finally:
        staged.engine.drop(target.staging)


def refuse_in_engine(source: Source, roles: Roles, target: EngineTarget, *, overwrite: bool) -> None:
    """Raise ReleaseError if the engine of a source cannot write a release to a target, or something stands there."""
    engine, relation = writer_of(source, target)
    refuse_other_documents(target)
    if _same_place(relation.place, target.place):
        raise ReleaseError(f"{target.text} is the source itself; name another target")
    if not overwrite and engine.exists(target.place):
        raise ReleaseError(
            f"{target.text} exists; `overwrite=True` replaces it, after the new release has been audited"
        )
    unsorted = engine.unsorted(relation, roles.kept)
    if unsorted:
        names = ", ".join(map(repr, unsorted))
        raise ReleaseError(
            f"the release would keep {names}, whose values {engine.title} cannot order, and unordered rows tell the "
            "order of the source; `drop` these columns, or read a view in which they are text"
        )


def writer_of(source: Source, target: EngineTarget) -> tuple[WritingEngine, Relation]:
    """The engine that reads the source, which writes the release too; raises ReleaseError where it is none."""
    held = source.engine
    if not isinstance(held, EngineSource):
        raise ReleaseError(
            f"{target.text} is written by the engine that reads the source, and this source is read by DuckDB; release "
            "to FILE.parquet, FILE.csv or FILE.duckdb::table, or name the source's `engine` in the config"
        )
    engine = held.engine
    if target.engine not in ("", engine.kind):
        raise ReleaseError(
            f"{target.text} is not of the engine that reads the source, {engine.kind}; write {engine.kind}:TABLE"
        )
    if not isinstance(engine, WritingEngine):
        raise ReleaseError(f"anonduck does not write to {engine.title}; release to FILE.parquet")
    return engine, held.relation


def _same_place(one: Any, other: Any) -> bool:
    """Whether two places are the same one, as far as their names tell."""
    if one.path or other.path:
        return bool(one.path) and _bare(one.path) == _bare(other.path)
    parts = [[part.lower() for part in place.parts] for place in (one, other)]
    width = min(map(len, parts))
    return parts[0][-width:] == parts[1][-width:]


def _bare(path: str) -> str:
    return str(Path(path.removeprefix("file:"))) if "://" not in path else path.rstrip("/")
