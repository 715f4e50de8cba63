"""Persons with several records: the most that one person has, and a source bounded to at most so many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anonduck.database.connection import Database
from anonduck.errors import SourceError
from anonduck.source.columns import Column
from anonduck.source.engine import UNBOUNDED, SourceEngine
from anonduck.statements import line, relations, statement
from anonduck.statements.column_types import FLOATS, ZONED_TIME
from anonduck.statements.expansion import Expression, Item, expression
from anonduck.words import counted

if TYPE_CHECKING:
    from anonduck.config.entity import Entity

BOUNDED = """SELECT * FROM ({records}) AS records
QUALIFY row_number() OVER (PARTITION BY "{person}" ORDER BY hash(each(hashed, {value}))) <= {most}"""
"""The records that are used, as one query that needs no other table; it sorts those of each person."""


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


def bounded(database: Database, select: Expression, columns: Sequence[Column], entity: Entity, seed: int) -> Expression:
    """Bound the records of each person: the view ``source`` then has at most ``at_most`` of each, UNBOUNDED has all.

    Those with the least hashes of their values are used. No order of the rows decides, for rows of one hash are alike;
    where a person has more rows of the last hash than there is room for, any of those do.

    Returns the query of the bounded records. Which records are used is decided now, by the present ones. Without
    ``at_most``, or the column (an error that is raised when roles are assigned), nothing is done.
    """
    kinds = {column.name: column.type for column in columns}
    if entity.at_most is None or entity.column not in kinds:
        return select
    person = {"person": entity.column}
    hashed = _hashed(kinds, "records.", seed)
    database.run(relations.view_of(select, UNBOUNDED))
    hashes = statement("source/last_hashes.sql", column=person, lists={"hashed": hashed})
    database.run(hashes, {"at_most": entity.at_most})
    persons = database.value(line("source/entity.bounded", "SELECT count(room) FROM source_hashes"))
    crowded: list[Item] = [{}] if persons else []  # who have more records of their last hash than there is room for
    used = {"hashed": hashed, "crowded": crowded}
    database.run(statement("source/used_records.sql", column=person, lists=used))
    alone = _hashed(kinds, "", seed)
    return expression(BOUNDED, records=select, person=entity.column, hashed=alone, most=entity.at_most)


def _hashed(kinds: Mapping[str, str], table: str, seed: int) -> list[Item]:
    """What the hash of a row is made of: a seed, and its values. Those that DuckDB takes for equal but writes
    differently, as two zeros, are texts."""
    texts = {True: f'CAST({table}"{{name}}" AS VARCHAR)', False: f'{table}"{{name}}"'}
    values = [expression(texts[_has_twins(kind)], name=name) for name, kind in kinds.items()]
    return [{"value": seed}, *({"value": value} for value in values)]


def _has_twins(kind: str) -> bool:
    return any(one in kind for one in (*FLOATS, ZONED_TIME))
