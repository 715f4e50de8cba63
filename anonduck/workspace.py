"""What every job works with: config, source and roles, taxonomies, decision database, and files not to overwrite.

A job is a function that takes a ``Workspace``. A workspace never changes: a job that needs another config, export or
database makes a second workspace (``with_config``, ``with_export``, ``with_database``).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonduck.config.file_names import FILE_NAME
from anonduck.config.file_text import ARGUMENTS
from anonduck.config.persons import PersonCounts, persons_in
from anonduck.config.workload import workload_text
from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.errors import AnonduckError, ConfigError, check_path
from anonduck.source.shared_database import HeldEngine, SharedDatabase
from anonduck.statements import builder_database
from anonduck.taxonomy.catalog import Taxonomy, stored_taxonomies

if TYPE_CHECKING:
    from anonduck.config.config import Config
    from anonduck.config.entity import Entity
    from anonduck.engines.protocol import Engine
    from anonduck.source.entity import EntitySizes
    from anonduck.source.protected_files import ProtectedFiles
    from anonduck.source.shared_database import Opened
    from anonduck.source.source import Roles, Source

LOOKUPS = "lookup"
"""The schema in which a discovery left the values of each column, with their type."""


@dataclass(frozen=True, eq=False)
class Workspace:
    """A config with its source and decision database, each opened at first use.

    Args:
        written: the config as it is written: what is anonymized, and what is required of it.
        folder: what the config's paths are relative to.
        session: the decision database.
        config_path: the file that the config was read from, if there is one.
        reporter: receives warnings and progress.
        data: a table in place of the config's ``source``.
        replaced: the source that the config file names, where another was given in its place.
        export: another export in place of both, by an absolute path.
        fixed: whether k counts records whatever the config says of an entity.
    """

    written: Config
    folder: Path
    session: SharedDatabase
    config_path: Path | None = None
    reporter: Reporter = Reporter()
    data: object | None = None
    replaced: str | None = None
    export: str | None = None
    fixed: bool = False

    @classmethod
    def of_file(
        cls,
        path: Path,
        *,
        source: Any = None,
        database: str | Path | None = None,
        connection: Any = None,
        engine: Any = None,
        reporter: Reporter = Reporter(),
    ) -> Workspace:
        """The workspace of a config file, or of the one in a folder.

        The decision database is beside it, by ``database`` or by the config. ``engine`` is a session that holds the
        source. ``source`` takes the place of the config's: a table, or a path as ``written_source`` has it.
        """
        check_path(path)
        path = path / FILE_NAME if path.is_dir() else path
        from anonduck.config.reading import read_config, with_changes

        folder, written, replaced = path.resolve().parent, read_config(path), None
        data = None if isinstance(source, (str, Path)) else source
        if source is not None:
            replaced = written.source
            named = {"source": written_source(str(source), folder)} if data is None else {}
            written = with_changes(written.model_copy(update={"source": None}), named)
        holder = HeldEngine(engine)
        session = SharedDatabase(folder / (database or written.database), connection, engine=holder)
        written = written if engine is None else holder.config_of(written)
        _refuse_by_files(written, folder, str(path))
        return cls(written, folder, session, config_path=path, reporter=reporter, data=data, replaced=replaced)

    @classmethod
    def of_settings(
        cls,
        settings: Mapping[str, Any],
        folder: Path,
        *,
        source: Any = None,
        database: str | Path | None = None,
        connection: Any = None,
        engine: Any = None,
        reporter: Reporter = Reporter(),
    ) -> Workspace:
        """The workspace of config keys, whose paths are relative to ``folder``; ``source`` may be a table itself.

        The decision database is in memory, unless ``database`` names a file. ``engine`` is a session that holds the
        source, or the key of the config.
        """
        named: dict[str, Any] = {"source": str(source)} if isinstance(source, (str, Path)) else {}
        data = None if named else source
        if isinstance(engine, Mapping):
            named, engine = {**named, "engine": engine}, None
        from anonduck.config.reading import make_config

        holder = HeldEngine(engine)
        written = holder.config_of(make_config({**settings, **named}))
        _refuse_by_files(written, folder, ARGUMENTS)
        session = SharedDatabase(None if database is None else folder / database, connection, engine=holder)
        return cls(written, folder, session, reporter=reporter, data=data)

    # -- the same with something else ----------------------------------------------------------------------------------

    def with_config(self, config: Config) -> Workspace:
        """The same database and source, with a config that requires or measures something else.

        The roles of the columns stay as they are.
        """
        return replace(self, written=config if self.fixed else config.in_persons())

    def counting_records(self) -> Workspace:
        """The same workspace, where every k from now on counts records, even if the config has an entity."""
        return self if self.fixed else replace(self, written=self.config.fixed(), fixed=True)

    def with_reporter(self, reporter: Reporter) -> Workspace:
        """The same workspace with another reporter."""
        return replace(self, reporter=reporter)

    def with_export(self, export: str | None) -> Workspace:
        """The same database and taxonomies over another export (an absolute path); None returns to its own source."""
        return replace(self, export=export)

    def with_database(self, database: Database) -> Workspace:
        """The same config and source with another open database, in which the source is opened anew."""
        return replace(self, session=self.session.beside(database))

    # -- what it opens -----------------------------------------------------------------------------------------------

    def exclusive(self) -> contextlib.AbstractContextManager[None]:
        """Serialize access to the decision file: block until other projects on it are done.

        Jobs need it because the tables of their intermediate results have fixed names. Inside, a job may call other
        jobs, of this workspace and of those made from it.
        """
        return self.session.exclusive()

    @property
    def config(self) -> Config:
        """The config with k as a number of records. If persons may have several records, this reads the source."""
        sizes = None if self.fixed else self.entity_sizes
        written = self.written if sizes is None else self.written.in_records(sizes.most)
        return written.with_orders(self.source.orders) if self._may_be_ordered else written

    @property
    def _may_be_ordered(self) -> bool:
        """Whether the source, which holds the orders of its ENUMs, is open, or is worth opening for them."""
        return self.written.requirement.t_ordered is not None or self.session.viewed(self.export) is not None

    @property
    def entity_sizes(self) -> EntitySizes | None:
        """How many records the persons of the source have; None if the config has no entity.

        For another export, the largest number is at least that of the project's own source, because labels are made
        from that source.
        """
        entity = self.written.entity
        if entity is None:
            return None
        own = self.with_export(None)
        sizes = self.session.sizes(None, entity.column, lambda: own._count(entity))
        if self.export is None:
            return sizes
        here = self.session.sizes(self.export, entity.column, lambda: self._count(entity))
        return replace(here, most=max(here.most, sizes.most))

    def person_counts(self, k: int, required: Iterable[str] = (), linked_k: int | None = None) -> PersonCounts | None:
        """Translate a k of records into persons; None if k does not count persons.

        ``required`` are the names of all requirements, ``linked_k`` the required one of that name.
        """
        sizes = None if self.fixed else self.entity_sizes
        if sizes is None:
            return None
        others = tuple(name for name in required if name != "k")
        return PersonCounts(persons_in(k, sizes.most), k, sizes.most, sizes.left_out, others, linked_k)

    def _count(self, entity: Entity) -> EntitySizes:
        from anonduck.source.entity import entity_sizes

        return entity_sizes(self.source.engine, entity, self.source.description)

    @property
    def database(self) -> Database:
        """The decision database, opened at first use."""
        return self.session.database(self.written, self.reporter.trace)

    @property
    def opened(self) -> Opened:
        """The source as the view ``source`` of the decision database, and the role of each column."""
        self.session.engine.report_to(self.reporter)
        entity = self.written.entity
        bounded = entity is not None and entity.at_most is not None
        return self.session.view(self.export, self._open, bounded=bounded)

    def _open(self) -> Opened:
        from anonduck.source.source import add_stand_in, assign_roles

        config = self.written if self.export is None else self._of_export(self.export)
        data = self.data if self.export is None else None
        source = self.session.engine.open(self.database, config, self.folder, data)
        for remark in source.remarks:
            self.reporter.announce(remark)
        if config.class_ is None:
            add_stand_in(self.database, source)
        return source, assign_roles(config, source, self.reporter.announce)

    def _of_export(self, export: str) -> Config:
        """The config of another export, whose columns have the types of those that were discovered, by kind."""
        names = list(self.taxonomies)
        tables = self.database.types_of_each([(LOOKUPS, name) for name in names]) if names else []
        found = {name: table["value"] for name, table in zip(names, tables, strict=True) if "value" in table}
        expected = {**found, **self.written.expected_types}
        return self.written.model_copy(update={"source": export, "expected_types": expected})

    @property
    def engine(self) -> Engine | None:
        """The engine that holds the source, opened; None if DuckDB reads the source."""
        return self.session.engine.opened(self.config)

    @property
    def engine_sleeps(self) -> bool:
        """Whether a question to the source would have to start the engine that holds it."""
        return self.session.engine.sleeps(self.written)

    @property
    def source(self) -> Source:
        """The open source."""
        return self.opened[0]

    @property
    def roles(self) -> Roles:
        """The role of each column."""
        return self.opened[1]

    @property
    def taxonomies(self) -> dict[str, Taxonomy]:
        """The taxonomies of the decision database, by column."""
        return stored_taxonomies(self.database)

    # -- files not to overwrite ----------------------------------------------------------------------------------------

    def protected(self) -> ProtectedFiles:
        """The files that must not be overwritten: sources, config, decision database, taxonomy files."""
        from anonduck.source.protected_files import protected, with_source

        opened = self.session.viewed(self.export)
        known = protected(
            self.written,
            self.folder,
            config_path=self.config_path,
            database=self.session.path,
            files=(*(opened[0].files if opened else ()), *self._attached()),
        )
        for other in (self.replaced, self.export):
            known = known if other is None else with_source(known, self.folder, other)
        return known

    def _attached(self) -> Sequence[Path]:
        """The database files of a caller's connection."""
        if self.session.connection is None:
            return ()
        return [Path(path) for (path,) in self.database.rows(builder_database.FILES)]

    def refuse_protected(self, *paths: Path, kind: type[AnonduckError] = ConfigError) -> None:
        """Raise an error of that kind if one of the paths is a file that the workspace depends on.

        Every job that writes a file calls this first.
        """
        self.protected().refuse(paths, kind)

    def close(self) -> None:
        """Close the decision database."""
        self.session.close()

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def written_source(source: str, folder: Path) -> str:
    """A source, named by an absolute path, as a config in ``folder`` names it: by the path from there if it can."""
    path = Path(source)
    inside = path.is_absolute() and path.is_relative_to(folder) and ".." not in path.parts
    return str(path.relative_to(folder)) if inside else source


def _refuse_by_files(config: Config, folder: Path, whose: str) -> None:
    """Raise ConfigError where a policy allows a config less than it asks for, or its workload cannot be read."""
    if config.policy is not None:
        from anonduck.config.policy import policy_of

        policy_of(config, folder, whose)
    workload_text(config.workload, folder)
