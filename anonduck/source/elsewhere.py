"""A source that an engine holds, opened: described by the engine, filtered and cast there."""

from __future__ import annotations

from pathlib import Path

from anonduck.config.config import Config
from anonduck.database.connection import Database
from anonduck.engines.protocol import TableEngine
from anonduck.engines.relation import Relation
from anonduck.errors import ConfigError
from anonduck.source.columns import check_names
from anonduck.source.engine_floors import FETCHED
from anonduck.source.engine_source import EngineSource
from anonduck.source.expressions import check_condition
from anonduck.source.files import check_types_named, describe, known_type
from anonduck.source.places import place_of, relation_of
from anonduck.source.source import Source, blamed_on_condition
from anonduck.statements import Statement, builder_source
from anonduck.statements.expressions import named_table


def open_in_engine(database: Database, config: Config, folder: Path, engine: TableEngine) -> Source:
    """What a config wants of a table, or of Parquet files, that an engine holds; no record is read.

    Args:
        database: where what the engine answers goes.
        config: names the source, its filter and types.
        folder: what a relative path is relative to.
        engine: holds the source.

    Raises:
        SourceError: the engine has no such table, or it has columns that no query could name.
        ConfigError: the config names no table or files, or ``where`` or ``types`` do not fit them.
    """
    if not config.source:
        raise ConfigError("no source; name a table of the engine, such as `source: table:catalog.schema.table`")
    if config.csv.model_dump(exclude_none=True):
        raise ConfigError("csv: an engine reads no CSV; name a table, or Parquet files, or leave out `engine`")
    if config.entity is not None and config.entity.at_most is not None:
        raise ConfigError(
            f"entity.at_most: {engine.title} holds the source, and only a source that DuckDB reads is bounded here. "
            "Leave it out, so that k counts with the most records that a person has, or name a view that holds fewer"
        )
    found = EngineSource(database, engine, Relation(place_of(config.source, folder, engine.dialect)))
    check_names(list(engine.describe(found.relation).names), config.source)
    there = found.columns()
    check_types_named(there, config.types, config.source)
    types = {name: _canonical_type(database, name, kind) for name, kind in config.types.items()}
    _check_condition(found, config)
    kinds = {column.name: column.type for column in there}
    relation = relation_of(found.relation.place, engine.dialect, kinds, config.where, types)
    wanted = EngineSource(database, engine, relation)
    return Source(config.source, wanted.columns(), wanted, snapshot=engine.snapshot(relation))


def _check_condition(source: EngineSource, config: Config) -> None:
    """Have DuckDB look at ``where``, on a table that has the columns and no record."""
    if config.where is None or config.source is None:
        return
    database, relation = source.database, named_table([FETCHED])
    with source.described(), blamed_on_condition(database, config, relation, config.source):
        check_condition(database, config.where, relation)


def _canonical_type(database: Database, name: str, kind: str) -> str:
    """What DuckDB itself calls the type that the config names for a column; raises ConfigError if it has none."""
    typed = builder_source.typed_null(known_type(database, name, kind))
    return describe(database, Statement("builder_source.typed_null", f"DESCRIBE {typed.sql}"))[0].type
