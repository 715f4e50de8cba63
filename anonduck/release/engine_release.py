"""A release that an engine writes: to a staging place, audited there, then renamed over its target.

No record passes through this machine. The engine is given a query and the lookups that it reads: the grouped rows to
repeat, or, where columns are kept as they are, what the values of its source show. What the audit is given was counted
by the engine, by one scan of what it wrote.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from anonduck.database.connection import Database
from anonduck.engines.arrow import plain_texts
from anonduck.engines.protocol import SOURCE, Engine
from anonduck.engines.relation import Relation
from anonduck.errors import ReleaseError
from anonduck.privacy.audited_engine import Counts, EngineTable
from anonduck.privacy.audited_tables import quasi_names
from anonduck.release.engine_rows import (
    FIRST,
    GROUPED_ROWS,
    KEPT,
    REPEATS,
    TIMES,
    WRITES_IN_PARTS,
    repeated_rows,
    source_rows,
)
from anonduck.release.engine_target import EngineTarget, refuse_other_documents
from anonduck.release.plan import ReleasePlan
from anonduck.release.recoded_columns import class_sizes
from anonduck.release.recoder import GROUPED, Recipe, Recoder
from anonduck.release.recount import counted_digest
from anonduck.release.row_recoder import RowRecoder
from anonduck.release.shown_values import ReadValues, values_of_engine
from anonduck.release.target import put_with_documents
from anonduck.source.engine import EngineSource
from anonduck.source.source import Roles, Source
from anonduck.statements import Statement, line, statement
from anonduck.statements.dialects import Dialect, dialect_named
from anonduck.statements.pipeline.column_names import value_column

NUMBERED = "numbered_set"


@dataclass(frozen=True)
class EngineRows:
    """A query in an engine's dialect, whether it reads the source, and the Arrow tables that it reads, by name."""

    query: str
    of_source: bool
    lookups: Mapping[str, Any]


def refuse_proven(recipe: Recipe, where: str) -> None:
    """Raise ReleaseError for a recoding that has to read the file that was written, before it is made."""
    if recipe.proven:
        raise ReleaseError(
            f"the release by {recipe.proven} is proven from its file, which {where} is not; write it to FILE.parquet, "
            "or release by a rule or another method"
        )


def refuse_elsewhere(recoding: Recoder, roles: Roles, where: str) -> None:
    """Raise ReleaseError for a recoding whose rows an engine cannot be given."""
    if roles.kept and not isinstance(recoding, RowRecoder):
        raise ReleaseError(
            f"the release by {recoding.text} keeps {', '.join(map(repr, roles.kept))} as they are, for which {where} "
            "would need a value for each record; release by a rule or a method, or give these columns the role of "
            "identifiers, which are left out"
        )


def refuse_here(source: Source, roles: Roles) -> None:
    """Raise ReleaseError for rows that would have to come from an engine, record by record."""
    if isinstance(source.engine, EngineSource) and roles.kept:
        title, kind = source.engine.engine.title, source.engine.engine.kind
        kept = ", ".join(map(repr, roles.kept))
        raise ReleaseError(
            f"the release keeps {kept} as they are, so that its rows are in {title}, and no record is fetched from "
            f"there; release to {kind}:SCHEMA.TABLE or to FOLDER.parquet/, or give these columns the role of "
            "identifiers, which are left out"
        )


def engine_rows(
    database: Database, plan: ReleasePlan[Recoder], source: Source, roles: Roles, engine: Dialect, name: str, some: bool
) -> EngineRows:
    """The rows of a settled release; ``name`` is what the query calls the source, with ``some`` classes were removed.

    Raises DialectError for values that the engine cannot compare.
    """
    if not roles.kept:
        return _grouped(database, plan, engine)
    assert isinstance(plan.recoding, RowRecoder)
    found = plan.recoding.lookups()
    kinds = {column.name: column.type for column in source.columns}
    lookups = [lookup for lookup, _ in found]
    filtered = some and not any(lookup.whole for lookup in lookups)
    query = source_rows(plan.columns, lookups, engine, kinds, name, some=filtered)
    tables = {lookup.view: plain_texts(database.arrow(asked)) for lookup, asked in found}
    if filtered:
        tables[KEPT] = plain_texts(database.arrow(_kept(plan)))
    return EngineRows(query, True, tables)


def _grouped(database: Database, plan: ReleasePlan[Recoder], engine: Dialect) -> EngineRows:
    """The grouped rows with how often each is repeated, or split into powers of two, each joined with as many rows."""
    values = [value_column(column.name) for column in plan.columns]
    parts = engine.name in WRITES_IN_PARTS
    split = statement(
        "release/grouped_places.sql" if parts else "release/repeated_powers.sql",
        columns={"shown": values},
        table={"grouped": GROUPED},
    )
    placed = (FIRST, TIMES) if parts else (TIMES, FIRST)
    rows = plain_texts(database.arrow(split)).rename_columns([*(f"shown_{n}" for n in range(len(values))), *placed])
    query = repeated_rows(plan.columns, engine)
    if parts:
        return EngineRows(query, False, {GROUPED_ROWS: rows})
    repeats = plain_texts(database.arrow(statement("release/repeats.sql")))
    return EngineRows(query, False, {GROUPED_ROWS: rows, REPEATS: repeats})


def _kept(plan: ReleasePlan[Recoder]) -> Statement:
    names = quasi_names(len(plan.attributes))
    text = 'SELECT DISTINCT each(names, "{name}") FROM "{numbered}"'
    return line("release/engine_release._kept", text, names=names, numbered=NUMBERED)


class StagedRelease:
    """The rows of a release at their staging place in an engine; their digest is made of ``text``."""

    where = "the written rows"

    def __init__(
        self,
        source: Source,
        plan: ReleasePlan[Recoder],
        target: EngineTarget,
        roles: Roles,
        text: Path,
        *,
        some: bool,
    ) -> None:
        self.source, self.plan, self.target, self.roles, self.text, self.some = source, plan, target, roles, text, some
        self.engine, self.relation = writer_of(source, target)
        self.staged = Relation(target.staging)
        self.database = source.engine.database

    def write(self) -> None:
        """Write the rows, and have the engine count them."""
        dialect = dialect_named(self.engine.dialect)
        rows = engine_rows(self.database, self.plan, self.source, self.roles, dialect, SOURCE, self.some)
        records, *_ = self.database.row(class_sizes(self.plan.columns))
        read = self.relation if rows.of_source else None
        self.engine.write(read, rows.query, rows.lookups, self.target.staging, records)
        self.counted = self._count()

    def _count(self) -> Counts:
        """What the engine counts of the written rows, by the columns that the grouped release has too."""
        types = self.database.types_of(GROUPED)
        columns = [column.name for column in self.plan.columns if value_column(column.name) in types]
        return Counts(columns, self.engine.count_by(self.staged, columns))

    @property
    def versions(self) -> dict[str, str]:
        """The engine's version."""
        return {"engine": self.engine.version()}

    @property
    def values(self) -> ReadValues:
        """From the staged rows, as the engine counts them."""
        return partial(values_of_engine, self._common, self.database, self.counted.records)

    @cached_property
    def written(self) -> Any:
        """What was written, for the audit."""
        return EngineTable(self.target.text, self.engine, self.staged, self.counted)

    def digest(self) -> dict[str, Any]:
        """The lines of a receipt that stand for the SHA-256 of a file."""
        others = [column.name for column in self.plan.columns if column.name not in self.counted.columns]
        left = f"; {', '.join(others)} not among them" if others else ""
        words = (
            f"the distinct combinations of {', '.join(self.counted.columns)} that {self.engine.title} counted in the "
            f"written rows, with their numbers of records, as CSV by DuckDB{left}"
        )
        digest = counted_digest(self.database, self.counted.held, self.text)
        return {
            "file": self.target.text,
            "sha256": digest,
            "sha256_of": words,
            "sha256_columns": list(self.counted.columns),
        }

    def _common(self, name: str, least: int) -> tuple[Any, int]:
        """The values of a column that enough of the written records hold, with these, and how many others there are."""
        if name in self.counted.columns:
            return self.counted.values(name), 0
        return self.engine.common(self.staged, name, least)

    def put(self, texts: Sequence[str]) -> None:
        """Put the rows in place, and after them the documents."""
        put_with_documents(lambda: self.engine.rename(self.target.staging, self.target.place), self.target, texts)


@contextlib.contextmanager
def staged_release(
    source: Source, plan: ReleasePlan[Recoder], target: EngineTarget, roles: Roles, text: Path, *, some: bool
) -> Iterator[StagedRelease]:
    """The staging place of a release, where nothing is before and nothing afterwards, whatever comes.

    Whoever calls this holds the lock on the target's temporary file, so that what a killed release left can go.
    """
    staged = StagedRelease(source, plan, target, roles, text, some=some)
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
        raise ReleaseError(f"{target.text} exists; `--overwrite` replaces it, after the new release has been audited")
    unsorted = engine.unsorted(relation, roles.kept)
    if unsorted:
        names = ", ".join(map(repr, unsorted))
        raise ReleaseError(
            f"the release would keep {names}, whose values {engine.title} cannot order, and unordered rows tell the "
            "order of the source; `drop` these columns, or read a view in which they are text"
        )


def writer_of(source: Source, target: EngineTarget) -> tuple[Engine, Relation]:
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
    if not engine.writes:
        raise ReleaseError(f"anonduck does not write to {engine.title}; release to FILE.parquet")
    return engine, held.relation


def _same_place(one: Any, other: Any) -> bool:
    """Whether two places have the same name."""
    if one.path or other.path:
        return bool(one.path) and _bare(one.path) == _bare(other.path)
    parts = [[part.lower() for part in place.parts] for place in (one, other)]
    width = min(map(len, parts))
    return parts[0][-width:] == parts[1][-width:]


def _bare(path: str) -> str:
    return str(Path(path.removeprefix("file:"))) if "://" not in path else path.rstrip("/")
