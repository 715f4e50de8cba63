"""What every job stands on: config, source and roles, taxonomies, decision database, and the files not to write over.

A job is a function that takes a ``Workspace``. Where it needs another config, another export or another database for
once, it makes another workspace (``with_config``, ``with_export``, ``with_database``); none is ever changed.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from anonduck.config.config import FILE_NAME, Config
from anonduck.config.entity import Entity, EntityTold, persons_in
from anonduck.config.reading import make_config, read_config
from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.engines.protocol import TableEngine
from anonduck.errors import AnonduckError, ConfigError
from anonduck.source.entity import EntitySizes, entity_sizes
from anonduck.source.protected_files import ProtectedFiles, protected, with_source
from anonduck.source.shared_database import HeldEngine, Opened, SharedDatabase
from anonduck.source.source import Roles, Source, assign_roles
from anonduck.statements import statement
from anonduck.taxonomy.catalog import Taxonomy, stored_taxonomies


@dataclass(frozen=True, eq=False)
class Workspace:
    """A config and all that it leads to, each opened at first use.

    Args:
        written: the config as it is written: what is anonymized, and what is required of it.
        folder: what the config's paths are relative to.
        session: the decision database.
        config_path: the file that the config was read from, if there is one.
        reporter: is told of warnings and progress.
        data: a table in place of the config's ``source``.
        export: another export in place of both, by an absolute path.
        fixed: whether k counts records whatever the config says of an entity.
    """

    written: Config
    folder: Path
    session: SharedDatabase
    config_path: Path | None = None
    reporter: Reporter = Reporter()
    data: object | None = None
    export: str | None = None
    fixed: bool = False

    @classmethod
    def of_file(
        cls,
        path: Path,
        *,
        database: str | Path | None = None,
        connection: Any = None,
        engine: Any = None,
        reporter: Reporter = Reporter(),
    ) -> Workspace:
        """The workspace of a config file, or of the one in a folder.

        The decision database is beside it, by ``database`` or by the config. ``engine`` is a session that holds the
        source.
        """
        path = path / FILE_NAME if path.is_dir() else path
        folder, config = path.resolve().parent, read_config(path)
        held = HeldEngine(engine)
        session = SharedDatabase(folder / (database or config.database), connection, engine=held)
        config = held.config_of(config)
        return cls(config, folder, session, config_path=path, reporter=reporter)

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
        held = HeldEngine(engine)
        config = held.config_of(make_config({**settings, **named}))
        session = SharedDatabase(None if database is None else folder / database, connection, engine=held)
        return cls(config, folder, session, reporter=reporter, data=data)

    # -- the same with something else ----------------------------------------------------------------------------------

    def with_config(self, config: Config) -> Workspace:
        """The same database and source, with a config that requires or measures something else.

        The roles of the columns stay as they are.
        """
        return replace(self, written=config if self.fixed else config.in_persons())

    def counting_records(self) -> Workspace:
        """The same, where each k that is asked for from now on is a number of records, also of a config that has an
        entity."""
        return self if self.fixed else replace(self, written=self.config.fixed(), fixed=True)

    def with_reporter(self, reporter: Reporter) -> Workspace:
        """The same, telling another reporter."""
        return replace(self, reporter=reporter)

    def with_export(self, export: str | None) -> Workspace:
        """The same database and taxonomies, over another export (an absolute path), or for None over its own source."""
        return replace(self, export=export)

    def with_database(self, database: Database) -> Workspace:
        """The same config and source, with another open database, where the source is opened anew."""
        return replace(self, session=self.session.beside(database))

    # -- what it leads to ----------------------------------------------------------------------------------------------

    def exclusive(self) -> contextlib.AbstractContextManager[None]:
        """A job works inside: another project on the same decision file waits until it is done.

        What a job leaves in tables for its next step is read by names that all jobs share. It may call other jobs, of
        this workspace and of those made from it.
        """
        return self.session.exclusive()

    @property
    def config(self) -> Config:
        """The config, whose k counts records; where persons may have several, the source is asked how many."""
        sizes = None if self.fixed else self.entity_sizes
        return self.written if sizes is None else self.written.in_records(sizes.most)

    @property
    def entity_sizes(self) -> EntitySizes | None:
        """How many records the persons of the source have; None of a config without an entity.

        Those of another export have at least as many as in the project's own source, by which labels are made.
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

    def told_persons(self, k: int, required: Iterable[str] = (), linked_k: int | None = None) -> EntityTold | None:
        """What a k in records is in persons, where k stands for those; ``required`` are the names of what is asked."""
        sizes = None if self.fixed else self.entity_sizes
        if sizes is None:
            return None
        others = tuple(name for name in required if name != "k")
        return EntityTold(persons_in(k, sizes.most), k, sizes.most, sizes.left_out, others, linked_k)

    def _count(self, entity: Entity) -> EntitySizes:
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
        config = self.written if self.export is None else self.written.model_copy(update={"source": self.export})
        data = self.data if self.export is None else None
        source = self.session.engine.open(self.database, config, self.folder, data)
        return source, assign_roles(config, source, self.reporter.announce)

    @property
    def engine(self) -> TableEngine | None:
        """The engine that holds the source, opened; None where DuckDB reads it."""
        return self.session.engine.opened(self.config)

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

    # -- what is not to be written over --------------------------------------------------------------------------------

    def protected(self) -> ProtectedFiles:
        """The files that nothing written may replace: sources, config, decision database, taxonomy files."""
        opened = self.session.viewed(self.export)
        known = protected(
            self.written,
            self.folder,
            config_path=self.config_path,
            database=self.session.path,
            files=(*(opened[0].files if opened else ()), *self._attached()),
        )
        return known if self.export is None else with_source(known, self.folder, self.export)

    def _attached(self) -> Sequence[Path]:
        """The database files of a caller's connection."""
        if self.session.connection is None:
            return ()
        return [Path(path) for (path,) in self.database.rows(statement("source/attached_files.sql"))]

    def refuse_protected(self, *paths: Path, kind: type[AnonduckError] = ConfigError) -> None:
        """Raise an error of that kind if something would overwrite a file that the workspace depends on.

        Every job that writes a file asks this first.
        """
        self.protected().refuse(paths, kind)

    def close(self) -> None:
        """Close the decision database."""
        self.session.close()

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
