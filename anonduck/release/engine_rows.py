"""The rows of a release as an engine is given them: a query, and the lookups that it reads.

Where no column is kept as it is, the rows are those of the grouped release, repeated in the engine. Else they come from
the source, which the engine joins with what its values show.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from anonduck.database.connection import Database
from anonduck.engines.arrow import plain_texts
from anonduck.errors import ReleaseError
from anonduck.release.plan import ReleasePlan
from anonduck.release.recoding import GROUPED, Recipe, Recoding
from anonduck.source.engine_source import EngineSource
from anonduck.source.source import Roles, Source
from anonduck.statements import Statement, statement
from anonduck.statements.builder_privacy import quasi_names
from anonduck.statements.pipeline import builder_engine_rows
from anonduck.statements.pipeline.builder_engine_rows import GROUPED_ROWS, KEPT, REPEATS, TIMES, EngineLookup
from anonduck.statements.pipeline.builder_frequency import value_column
from anonduck.statements.pipeline.engines import Engine

NUMBERED = "numbered_set"


@runtime_checkable
class LookedUp(Protocol):
    """A recoding by which an engine can recode a source: a lookup tells what each value, or combination, shows."""

    def lookups(self) -> Sequence[tuple[EngineLookup, Statement]]:
        """The lookups of the settled recoding, with the queries that tell them."""


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


def refuse_elsewhere(recoding: Recoding, roles: Roles, where: str) -> None:
    """Raise ReleaseError for a recoding whose rows an engine cannot be given."""
    if roles.kept and not isinstance(recoding, LookedUp):
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
    database: Database, plan: ReleasePlan[Recoding], source: Source, roles: Roles, engine: Engine, name: str, some: bool
) -> EngineRows:
    """The rows of a settled release; ``name`` is what the query calls the source, with ``some`` classes were removed.

    Raises DialectError for values that the engine cannot compare.
    """
    if not roles.kept:
        return _grouped(database, plan, engine)
    assert isinstance(plan.recoding, LookedUp)
    found = plan.recoding.lookups()
    kinds = {column.name: column.type for column in source.columns}
    lookups = [lookup for lookup, _ in found]
    filtered = some and not any(lookup.whole for lookup in lookups)
    query = builder_engine_rows.source_rows(plan.columns, lookups, engine, kinds, name, some=filtered)
    tables = {lookup.view: plain_texts(database.arrow(asked)) for lookup, asked in found}
    if filtered:
        tables[KEPT] = plain_texts(database.arrow(_kept(plan)))
    return EngineRows(query, True, tables)


def _grouped(database: Database, plan: ReleasePlan[Recoding], engine: Engine) -> EngineRows:
    """The grouped rows in parts of powers of two, each joined with as many rows as that power tells."""
    values = [value_column(column.name) for column in plan.columns]
    split = statement("release/repeated_powers.sql", columns={"shown": values}, table={"grouped": GROUPED})
    rows = plain_texts(database.arrow(split)).rename_columns([*(f"shown_{n}" for n in range(len(values))), TIMES])
    repeats = plain_texts(database.arrow(statement("release/repeats.sql")))
    query = builder_engine_rows.repeated_rows(plan.columns, engine)
    return EngineRows(query, False, {GROUPED_ROWS: rows, REPEATS: repeats})


def _kept(plan: ReleasePlan[Recoding]) -> Statement:
    names = quasi_names(len(plan.attributes))
    return statement("release/kept_classes.sql", columns={"attributes": names}, table={"numbered_set": NUMBERED})
