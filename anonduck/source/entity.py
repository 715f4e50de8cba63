"""Persons with several records: the most that one person has, and a source bounded to at most so many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anonduck.database.connection import Database
from anonduck.errors import SourceError
from anonduck.source.columns import Column
from anonduck.source.engine import UNBOUNDED, SourceEngine
from anonduck.statements import builder_bounded, builder_source, statement
from anonduck.statements.builder_bounded import Bound
from anonduck.words import counted

if TYPE_CHECKING:
    from anonduck.config.entity import Entity

HASHES = "source_hashes"


@dataclass(frozen=True)
class EntitySizes:
    """The most records of one person, ``most``, and how many records are ``left_out`` of persons who have more."""

    most: int
    left_out: int = 0


def entity_sizes(engine: SourceEngine, entity: Entity, description: str) -> EntitySizes:
    """Count the records of each person of a source, by one scan.

    Raises SourceError where records have NULL in the column, as it is not known whose they are.
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
    """Bound the records of each person: the view ``source`` then has at most ``at_most`` of each, UNBOUNDED has all.

    Returns the query of the bounded records. Which records are used is decided now, by the present ones. Without
    ``at_most``, or the column (an error that is raised when roles are assigned), nothing is done.
    """
    kinds = {column.name: column.type for column in columns}
    if entity.at_most is None or entity.column not in kinds:
        return select
    bound = Bound(entity.column, entity.at_most, kinds, seed)
    database.run(builder_source.source_view(select, UNBOUNDED))
    database.run(builder_bounded.last_hashes(HASHES, UNBOUNDED, bound))
    crowded = bool(database.value(statement("source/crowded_hashes.sql")))
    database.run(builder_source.source_view(builder_bounded.used_records(UNBOUNDED, HASHES, bound, crowded=crowded)))
    return builder_bounded.bounded_select(select, bound)
