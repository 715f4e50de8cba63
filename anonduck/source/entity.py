"""The persons of a source who may have several records: how many one has at most, and a source with no more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from anonduck.config.entity import Entity
from anonduck.database.connection import Database
from anonduck.errors import SourceError
from anonduck.source.columns import Column
from anonduck.source.engine import UNBOUNDED, SourceEngine
from anonduck.statements import builder_source
from anonduck.words import counted


@dataclass(frozen=True)
class EntitySizes:
    """The records that one person of a source has, ``most``, where ``left_out`` are not used of those who have more."""

    most: int
    left_out: int = 0


def entity_sizes(engine: SourceEngine, entity: Entity, description: str) -> EntitySizes:
    """Count the records of each person of a source, by one scan.

    Raises SourceError where records have no value in the column: whose they are, nobody can tell.
    """
    name = entity.column
    most, left_out, nameless = engine.entity_sizes(name, entity.at_most)
    if nameless:
        raise SourceError(
            f"the entity {name!r} is NULL in {counted(nameless, 'record', 'records')} of the source {description}, and "
            "nobody can tell whose they are. Give each its person, or leave them out: "
            f"`where: '{_quoted(name)} IS NOT NULL'`"
        )
    return EntitySizes(max(most, 1), left_out)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def bounded(database: Database, select: Any, columns: Sequence[Column], entity: Entity, seed: int) -> Any:
    """Make ``source`` a view of so many records of each person, and UNBOUNDED one of all; the query of the first.

    Nothing is done without ``at_most``. A column that is not there is told of once roles are assigned.
    """
    kinds = {column.name: column.type for column in columns}
    if entity.at_most is None or entity.column not in kinds:
        return select
    database.run(builder_source.source_view(select, UNBOUNDED))
    rows = builder_source.bounded_select(select, kinds, entity.column, entity.at_most, seed)
    database.run(builder_source.source_view(rows))
    return rows
