"""The source: an export as the relation ``source``, one row per record, and the roles of its columns."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonduck.config.addresses import has_password
from anonduck.database.attachments import spellings
from anonduck.database.connection import Database
from anonduck.database.errors import redacted
from anonduck.database.files import MAIN
from anonduck.database.lake_tables import is_lake_table, open_lake
from anonduck.errors import ConfigError, QueryError, SourceError, check_path
from anonduck.source.casts import Casts, casts_of, with_dates_as_text, written_dates
from anonduck.source.columns import NO_CLASS, Column, check_names, describe, existing
from anonduck.source.engine import DuckDBSource, SourceEngine
from anonduck.source.entity import bounded
from anonduck.source.expected_types import check_expected, empty_columns
from anonduck.source.expressions import check_condition, known_types, misnamed
from anonduck.source.files import CSV_SUFFIXES, KNOWN_SUFFIXES, is_csv, open_files, suffix_of
from anonduck.statements import builder_database, line, relations, statement, user_sql
from anonduck.statements.column_readings import ColumnReading
from anonduck.statements.column_types import TEXT, enum_order, read_type
from anonduck.statements.expansion import Expression, expression, qualified, quoted

if TYPE_CHECKING:
    from anonduck.config.config import Config

MAX_CLASS_VALUES = 256
RECORDS = "source_records"
"""The view of the records alone, where ``source`` has one more column."""
SHOWN = 200  # characters of a filter in a message

Announce = Callable[[str], None]


@dataclass(frozen=True)
class Source:
    """An open source: what messages call it, its columns, its engine and the files that it comes from.

    ``engine`` answers every question about its records. ``snapshot`` is the state of an engine's table, if the engine
    knows one. ``orders`` holds the values of each ENUM, and of each ordered category of pandas, from lowest to highest.
    ``remarks`` say how the source is read, where its user has to know, and ``reasons`` why a column has its type.
    ``encoding`` is that of CSV files where one other than UTF-8 was found, and ``copied`` says that copies of them are
    read, which no SQL outside can name.
    """

    description: str
    columns: tuple[Column, ...]
    engine: SourceEngine = field(compare=False, repr=False)
    files: tuple[Path, ...] = ()
    relation_sql: str = ""
    opening_sql: str = ""
    snapshot: str | None = None
    orders: Mapping[str, list[str]] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    encoding: str | None = None
    copied: bool = False
    reasons: Mapping[str, str] = field(default_factory=dict)

    def column(self, name: str) -> Column:
        """The column called ``name``; raises SourceError listing what exists."""
        for column in self.columns:
            if column.name == name:
                return column
        if name == NO_CLASS:
            return Column(NO_CLASS, TEXT)
        raise SourceError(f"the source {self.description} has no column {name!r}; {existing(self.columns, name)}")


@dataclass(frozen=True)
class Roles:
    """What each column is; every column of the source has just one role.

    ``class_`` is NO_CLASS where the config names none.
    """

    class_: str
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    insensitive: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()

    @property
    def has_class(self) -> bool:
        """Whether there is a class."""
        return self.class_ != NO_CLASS

    @property
    def named_class(self) -> str | None:
        """The class; None where there is none."""
        return self.class_ if self.has_class else None

    @property
    def kept(self) -> tuple[str, ...]:
        """Columns that a release holds as they are, beside the class."""
        return (*self.sensitive, *self.insensitive)


def open_source(database: Database, config: Config, folder: Path, data: object | None = None) -> Source:
    """Make the export readable as the temp view ``source``, filtered by ``where``, with the types of the config.

    Args:
        database: where the view is made.
        config: names the source, its filter, types and CSV options.
        folder: what relative paths are relative to.
        data: a pandas, Arrow or Polars table or a DuckDB relation to use in place of ``config.source``.

    Raises:
        SourceError: the export cannot be read or has columns that no query could name.
        ConfigError: ``where`` or ``types`` do not fit it.
    """
    if data is None and suffix_of(config.source or "") in CSV_SUFFIXES:
        config = with_dates_as_text(config)
    relation, source = _open_object(database, data) if data is not None else _open_named(database, config, folder)
    casts = Casts() if is_csv(source.files) else casts_of(database, config, relation, source.description)
    first = ColumnReading(casts.types, whole=casts.whole)
    with blamed_on_condition(database, config, relation, source.description):
        where = None if config.where is None else check_condition(database, config.where, relation)
        select, columns = _view(database, relation, where, first)
        listed = {column.name: enum_order(column.type) for column in columns}
        dates = written_dates(DuckDBSource(database), config, columns, source.description)
        reading = replace(_reading(database, columns, first, stored=bool(source.opening_sql)), dates=dates)
        if reading != first:
            select, columns = _view(database, relation, where, reading)
        empty = empty_columns(DuckDBSource(database), config, columns)
        if empty:
            reading = replace(reading, casts={**reading.casts, **known_types(database, empty)})
            select, columns = _view(database, relation, where, reading)
    check_names([column.name for column in columns], source.description)
    check_expected(DuckDBSource(database), config, columns, is_csv=is_csv(source.files))
    if config.entity is not None:
        select = bounded(database, select, columns, config.entity, config.seed)
    relation_sql = str(select) if source.files and not source.copied else ""
    unordered = _without_order(data)
    orders = {
        name: order for name, order in listed.items() if order is not None and len(order) > 1 and name not in unordered
    }
    remarks = (*source.remarks, *casts.remarks)
    return replace(source, columns=columns, relation_sql=relation_sql, orders=orders, remarks=remarks)


def add_stand_in(database: Database, source: Source) -> None:
    """Add the column NO_CLASS to the view ``source``, where a config names no class.

    Raises SourceError if the source has such a column, ConfigError if it stays in an engine.
    """
    if not isinstance(source.engine, DuckDBSource):
        raise ConfigError(
            f"class: none is given, and the source {source.description} stays in an engine, where a class is needed; "
            "name one, such as `class: churned`, or export the source to a file"
        )
    if any(column.name.lower() == NO_CLASS for column in source.columns):
        raise SourceError(f"the source {source.description} has a column {NO_CLASS!r}; call it otherwise")
    database.drop_view(RECORDS)
    database.run(line("source/source.RECORDS", 'ALTER VIEW source RENAME TO "{records}"', records=RECORDS))
    text = 'SELECT *, \'none\' AS "{name}" FROM "{records}"'
    database.run(relations.view_of(expression(text, name=NO_CLASS, records=RECORDS)))


@contextlib.contextmanager
def blamed_on_condition(database: Database, config: Config, relation: Expression, description: str) -> Iterator[None]:
    """Turn errors inside into a ConfigError about ``where``, which is shown without its values."""
    try:
        yield
    except ValueError as error:
        if isinstance(error, (SourceError, ConfigError)):
            raise
        raise ConfigError(f"where: {_shown(config)} is not an SQL condition, such as `age >= 18`{error}") from None
    except RecursionError:
        raise ConfigError(f"where: {_shown(config)} is nested too deeply") from None
    except QueryError as error:
        if config.where is None:
            raise
        there = describe(database, relations.described(relation))
        why = misnamed(config.where, [column.name for column in there]) or error.words
        raise ConfigError(
            f"where: {_shown(config)} does not fit the source {description}: {why}; {existing(there)}"
        ) from None


def _view(
    database: Database, relation: Expression, where: Expression | None, reading: ColumnReading
) -> tuple[Expression, tuple[Column, ...]]:
    """Make the view ``source``; its query and its columns."""
    select = relations.rows_of(relation, where=where, reading=reading)
    database.run(relations.view_of(select))
    return select, DuckDBSource(database).columns()


def _reading(database: Database, columns: Sequence[Column], first: ColumnReading, *, stored: bool) -> ColumnReading:
    """How the view ``source`` is read, so that DuckDB takes no values for equal that differ, and minus zero is zero.

    Durations and ENUMs are texts. Texts lose the collations that ``stored`` tables give.
    """
    read = {column.name: read_type(column.type) for column in columns}
    texts = {column.name: read[column.name] for column in columns if read[column.name] != column.type}
    collated = database.rows(statement("database/collated_columns.sql"), {"view": "source"}) if stored else []
    by_bytes = {name: read_type(kind) for name, kind in collated}
    return replace(first, by_bytes=by_bytes, one_zero=tuple(one.name for one in columns if one.floating), texts=texts)


def _shown(config: Config) -> str:
    """The filter without the values that it names."""
    if not config.where or not config.where.strip():
        return "nothing"
    text = redacted(config.where)
    return f"`{text}`" if len(text) <= SHOWN else f"`{text[:SHOWN]}...`"


def types_of(source: Source, roles: Roles) -> dict[str, str]:
    """The DuckDB types of the quasi-identifiers and of the class, if there is one."""
    named = [] if roles.named_class is None else [roles.named_class]
    return {name: source.column(name).type for name in (*roles.quasi_identifiers, *named)}


def assign_roles(config: Config, source: Source, announce: Announce = lambda _: None) -> Roles:
    """Give every column of the source its role; raises SourceError for a missing or unfit column."""
    for role, names in config.named_roles().items():
        for name in names:
            if name not in {column.name for column in source.columns}:
                entity = config.entity is not None and name == config.entity.column
                raise SourceError(
                    f"the config names the column {name!r} ({'entity' if entity else role}), which the source "
                    f"{source.description} lacks; " + existing(source.columns, name)
                )
    class_ = NO_CLASS if config.class_ is None else config.class_
    taken = {class_, *config.left_out, *config.sensitive, *config.insensitive, *config.drop}
    quasi = config.quasi_identifiers
    if quasi is None:
        labels = [column.name for column in source.columns if column.row_labels and column.name not in taken]
        quasi = [column.name for column in source.columns if column.name not in taken and column.name not in labels]
    left_out = [c.name for c in source.columns if c.name not in taken and c.name not in quasi]
    if left_out and config.quasi_identifiers is None:
        announce(f"left out of every release, as pandas wrote them as row numbers: {', '.join(map(repr, left_out))}")
    elif left_out:
        announce(f"left out of every release, as they have no role in the config: {', '.join(map(repr, left_out))}")
    if not quasi:
        raise SourceError(
            f"the source {source.description} has no quasi-identifier; name at least one under quasi_identifiers"
        )
    for name in (*quasi, class_):
        _check_flat(source.column(name), "class" if name == class_ else "quasi-identifier")
    if config.entity is not None:
        _check_flat(source.column(config.entity.column), "entity")
    for name in config.taxonomies:
        if name not in quasi and name not in config.sensitive:
            raise ConfigError(
                f"taxonomies.{name}: {name!r} is not a quasi-identifier; those are {', '.join(map(repr, quasi))}"
            )
    _refuse_strangers("keep", config.keep, quasi)
    _refuse_strangers("labels", config.labels, quasi)
    _refuse_strangers("order", config.order, [*quasi, *config.sensitive])
    _refuse_unused_orders(config, quasi)
    _refuse_missing("split_by", [] if config.split_by is None else [config.split_by], source)
    _refuse_missing("subgroups", config.subgroups, source)
    _refuse_strangers("weights", config.weights, quasi)
    return Roles(
        class_,
        tuple(quasi),
        tuple(config.sensitive),
        tuple(config.insensitive),
        (*config.left_out, *left_out),
        tuple(config.drop),
    )


def _refuse_strangers(key: str, named: Iterable[str], allowed: Sequence[str]) -> None:
    """Raise ConfigError for a column that a key of the config names and that is not among those allowed."""
    what = "neither a quasi-identifier nor sensitive" if key == "order" else "not a quasi-identifier"
    for name in named:
        if name not in allowed:
            raise ConfigError(f"{key}: {name!r} is {what}; those are {', '.join(map(repr, allowed))}")


def _refuse_unused_orders(config: Config, quasi: Sequence[str]) -> None:
    """Raise ConfigError for an order of a quasi-identifier whose taxonomy is made otherwise."""
    for name in config.order:
        if name in quasi and name in config.taxonomies:
            raise ConfigError(
                f"order.{name}: the taxonomy of {name!r} is given under `taxonomies`, and its order is not asked for; "
                "take the column out of one of them"
            )


def _refuse_missing(key: str, named: Iterable[str], source: Source) -> None:
    """Raise ConfigError for a column that a key of the config names and that the source lacks."""
    held = {column.name for column in source.columns}
    for name in named:
        if name not in held:
            raise ConfigError(
                f"{key}: the source {source.description} has no column {name!r}; {existing(source.columns, name)}"
            )


def _check_flat(column: Column, role: str) -> None:
    if column.nested:
        what = "tells no persons apart" if role == "entity" else "cannot be generalized"
        raise SourceError(
            f"column {column.name!r} is a {role} of type {column.type}; a nested value {what}. "
            "Unpack it into columns, or give it the role drop"
        )


# -- objects ---------------------------------------------------------------------------------------------------------


def _open_object(database: Database, data: object) -> tuple[Expression, Source]:
    name = "source_object"
    database.adopt(name, data)
    kind = f"{type(data).__module__.split('.')[0]} {type(data).__name__}"
    return quoted(name), Source(f"({kind})", (), DuckDBSource(database))


# -- files and tables ------------------------------------------------------------------------------------------------


def _without_order(data: object) -> set[str]:
    """The columns of a pandas frame whose categories have no order, though DuckDB reads them as an ENUM."""
    types: Any = getattr(data, "dtypes", None)
    listed = types.items() if hasattr(types, "items") else ()
    return {str(name) for name, kind in listed if getattr(kind, "ordered", None) is False}


def _open_named(database: Database, config: Config, folder: Path) -> tuple[Expression, Source]:
    if not config.source:
        raise ConfigError("no source; name a file, a glob or a table, such as `source: exports/*.parquet`")
    check_path(config.source, SourceError)
    if is_lake_table(config.source):
        return _open_lake(database, config.source, folder)
    if "::" in config.source and not (folder / config.source).is_file():
        return _open_table(database, config.source, folder)
    if database.caller is not None and suffix_of(config.source) not in KNOWN_SUFFIXES:
        return _open_callers_table(database, config.source)
    opened = open_files(database, config, folder)
    engine = DuckDBSource(database, opened.files)
    source = Source(
        config.source,
        (),
        engine,
        opened.files,
        remarks=opened.remarks,
        encoding=opened.encoding,
        copied=opened.copied,
        reasons=opened.reasons,
    )
    return opened.relation, source


def _open_lake(database: Database, text: str, folder: Path) -> tuple[Expression, Source]:
    if has_password(text.partition(":")[2]):
        raise ConfigError("source: it holds a password; leave credentials to the environment")
    opened = open_lake(text, folder)
    database.adopt("source_object", opened.stream)
    return quoted("source_object"), Source(text, (), DuckDBSource(database), snapshot=opened.version)


def _open_table(database: Database, text: str, folder: Path) -> tuple[Expression, Source]:
    file, _, table = text.rpartition("::")
    path = (folder / file).resolve()
    _must_be_file(path)
    if database.path is not None and path == database.path.resolve():
        raise SourceError(f"{path} is the decision database itself; a source is another file")
    alias = database.attach_source(path)
    tables = database.rows(statement("source/tables.sql"), {"database": alias})
    schema, name = _table_of(path, table, tables)
    relation = qualified(alias, schema, name)
    opening = builder_database.attach(str(path), alias, read_only=True, again=True).sql
    engine = DuckDBSource(database)
    return relation, Source(f"{path.name}::{schema}.{name}", (), engine, (path,), opening_sql=opening)


def _table_of(path: Path, text: str, tables: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """The schema and the name of the table that a text names, in quotes or without; raises SourceError listing all."""
    spelled = [(s, t) for s, t in tables if text in spellings(s, t) and (s == MAIN or text not in spellings("", t))]
    if len(spelled) > 1:
        raise SourceError(
            f"{path} has {len(spelled)} tables that {text} may mean; write its schema and its name in double quotes"
        )
    if spelled:
        return spelled[0]
    listed = ", ".join(f"{s}.{t}" for s, t in tables) or "none"
    try:
        parts = user_sql.split_table_name(text)
    except ValueError:
        raise SourceError(
            f"{text!r} is not a table's name; write FILE.duckdb::table or FILE.duckdb::schema.table; {path} has "
            f"{listed}"
        ) from None
    schema, name = parts[-2:] if len(parts) > 1 else (MAIN, parts[0])
    if (schema, name) not in tables:
        raise SourceError(f"{path} has no table or view {schema}.{name}; it has {listed}")
    return schema, name


def _open_callers_table(database: Database, text: str) -> tuple[Expression, Source]:
    try:
        parts = user_sql.split_table_name(text)
    except ValueError:
        raise SourceError(f"{text!r} is neither a file that exists nor the name of a table in the connection") from None
    database.adopt_table("source_object", parts)
    return quoted("source_object"), Source(text, (), DuckDBSource(database))


def _must_be_file(path: Path) -> None:
    if path.is_dir():
        raise SourceError(f"{path} is a directory; name a DuckDB file and its table, FILE.duckdb::table")
    if not path.exists():
        raise SourceError(f"there is no file {path}", missing=True)


__all__ = ["Column", "Roles", "Source", "assign_roles", "existing", "open_source"]
