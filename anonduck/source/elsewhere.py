"""A source that an engine holds: where it is, by the config, and what of it is wanted, in the engine's own dialect."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from anonduck.config.addresses import TABLE, has_password
from anonduck.config.config import Config
from anonduck.database.connection import Database
from anonduck.database.lake_tables import is_lake_table
from anonduck.engines.protocol import Engine
from anonduck.engines.relation import Place, Relation
from anonduck.errors import ConfigError, SourceError
from anonduck.source.columns import check_names, check_types_named
from anonduck.source.engine import FETCHED, EngineSource
from anonduck.source.expected_types import check_expected
from anonduck.source.expressions import check_condition, known_types
from anonduck.source.source import Source, blamed_on_condition
from anonduck.statements import expansion, user_sql
from anonduck.statements.dialects import dialect_named
from anonduck.statements.expansion import quoted
from anonduck.statements.pipeline.engine_relations import Condition
from anonduck.statements.pipeline.engine_spelling import written
from anonduck.statements.pipeline.engine_values import cast_type

OF_FILES = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".duckdb", ".db")


def place_of(source: str, folder: Path, dialect: str) -> Place:
    """Where a source is: ``table:catalog.schema.table``, or the path of Parquet files, relative to a folder.

    Raises ConfigError for a name that is none, for an address with a password, SourceError for files that an engine
    does not read.
    """
    if source.startswith(TABLE):
        return Place(parts=_parts(source.removeprefix(TABLE), dialect))
    if is_lake_table(source):
        raise SourceError(
            f"{source} is read here, by DuckDB; an engine that has the connector names the table as its catalog does, "
            "such as table:catalog.schema.table, or table:delta.`/PATH`. Name that, or leave out `engine`"
        )
    if "://" in source:
        if has_password(source):
            raise ConfigError("source: it holds a password; leave credentials to the environment of the engine")
        return Place(path=source)
    if "::" in source or source.lower().rstrip("/").endswith(OF_FILES):
        raise SourceError(
            f"an engine reads no file such as {source}; name a table, `source: table:schema.table`, or a folder of "
            "Parquet files, or leave out `engine`"
        )
    return Place(path=str(folder / source))


def _parts(name: str, dialect: str) -> tuple[str, ...]:
    try:
        return tuple(user_sql.split_table_name(name, dialect))
    except ValueError:
        raise ConfigError(f"source: {name!r} is not a table's name; write table:catalog.schema.table") from None


def relation_of(
    place: Place, dialect: str, kinds: Mapping[str, str], where: str | None, types: Mapping[str, str]
) -> Relation:
    """The records of a place that the config wants.

    Args:
        place: where they are.
        dialect: of the engine.
        kinds: the columns' DuckDB types, as they are in the engine.
        where: the config's condition, if there is one.
        types: the types of DuckDB that columns are cast to.

    Raises DialectError for a condition or a cast that would not mean the same there.
    """
    engine = dialect_named(dialect)
    text = ""
    if where is not None:
        text = written(Condition(engine, kinds, quoted).of(where), engine)
    casts = {name: cast_type(engine, name, kinds[name], kind) for name, kind in types.items()}
    return Relation(place, text, tuple(sorted(casts.items())))


def open_in_engine(database: Database, config: Config, folder: Path, engine: Engine) -> Source:
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
    if config.dates:
        raise ConfigError(
            f"dates: {engine.title} holds the source, and dates are read here alone; name a view that holds them as "
            "dates, or leave out `dates`"
        )
    if config.entity is not None and config.entity.at_most is not None:
        raise ConfigError(
            f"entity.at_most: {engine.title} holds the source, and only a source that DuckDB reads is bounded here. "
            "Leave it out, so that k counts with the most records that a person has, or name a view that holds fewer"
        )
    found = EngineSource(database, engine, Relation(place_of(config.source, folder, engine.dialect)))
    check_names(list(engine.describe(found.relation).names), config.source)
    there = found.columns()
    check_types_named(there, config.types, config.source)
    types = known_types(database, config.types)
    _check_condition(found, config)
    kinds = {column.name: column.type for column in there}
    relation = relation_of(found.relation.place, engine.dialect, kinds, config.where, types)
    wanted = EngineSource(database, engine, relation)
    columns = wanted.columns()
    check_expected(wanted, config, columns, is_csv=False)
    return Source(config.source, columns, wanted, snapshot=engine.snapshot(relation))


def _check_condition(source: EngineSource, config: Config) -> None:
    """Check ``where`` in DuckDB, on an empty table with the columns."""
    if config.where is None or config.source is None:
        return
    database, relation = source.database, expansion.quoted(FETCHED)
    with source.described(), blamed_on_condition(database, config, relation, config.source):
        check_condition(database, config.where, relation)
