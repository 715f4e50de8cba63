"""A source in an engine: where it is, by the config, and what of it is wanted, in the engine's own dialect."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anonduck.config.engine import has_password
from anonduck.database.lake_tables import is_lake_table
from anonduck.engines.relation import Place, Relation
from anonduck.errors import ConfigError, SourceError
from anonduck.statements import builder_source
from anonduck.statements.expressions import quoted
from anonduck.statements.pipeline.engine_nodes import written
from anonduck.statements.pipeline.engine_relations import Condition
from anonduck.statements.pipeline.engine_values import cast_type
from anonduck.statements.pipeline.engines import engine_named

TABLE = "table:"
OF_FILES = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".duckdb", ".db")


def is_of_engine(source: str) -> bool:
    """Whether a source is named as only an engine has it: no path of this machine.

    >>> is_of_engine("table:sales.people"), is_of_engine("s3a://exports/people"), is_of_engine("exports/people")
    (True, True, False)
    """
    return source.startswith(TABLE) or "://" in source


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
        return tuple(builder_source.split_table_name(name, dialect))
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
    engine = engine_named(dialect)
    text = ""
    if where is not None:
        condition: Any = Condition(engine, kinds, quoted).of(where)
        text = written(condition, engine)
    casts = {name: cast_type(engine, name, kinds[name], kind) for name, kind in types.items()}
    return Relation(place, text, tuple(sorted(casts.items())))
