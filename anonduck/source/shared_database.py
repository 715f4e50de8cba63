"""The decision database of a session, the export that its view ``source`` shows, and the engine that holds a source."""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonduck.config.addresses import TABLE
from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.engines.opened import kind_of, opened_engine
from anonduck.errors import ConfigError, DatabaseError

if TYPE_CHECKING:
    from anonduck.config.config import Config
    from anonduck.database.session import Tracer
    from anonduck.engines.protocol import Engine
    from anonduck.source.entity import EntitySizes
    from anonduck.source.source import Roles, Source

    Opened = tuple[Source, Roles]


class ExclusiveAccess:
    """Serializes the jobs on one decision database: its tables belong to one job, and to the jobs that it calls."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._worker: object | None = None

    @contextlib.contextmanager
    def held_by(self, worker: object) -> Iterator[bool]:
        """Block until other threads are done, and keep them out inside; yields whether this is a worker's outermost
        block, as one that has access may ask for it again.

        Raises DatabaseError where another worker of the same thread is in the middle of a job: to wait for it would
        never end.
        """
        with self._lock:
            before = self._worker
            if before not in (None, worker):
                raise DatabaseError(
                    "another project is in the middle of a job on this decision database, and called this one; let it "
                    "come to its end first, or give each a decision database of its own"
                )
            self._worker = worker
            try:
                yield before is None
            finally:
                self._worker = before


_MAKING = threading.Lock()
_BY_FILE: weakref.WeakValueDictionary[str, ExclusiveAccess] = weakref.WeakValueDictionary()
"""By decision file, for as long as a session of it is open: connections of one process share what is in a file."""


def access_to(path: Path | None) -> ExclusiveAccess:
    """The access to a decision file, shared by all its sessions; a database in memory has its own."""
    if path is None:
        return ExclusiveAccess()
    with _MAKING:
        return _BY_FILE.setdefault(os.path.realpath(path), ExclusiveAccess())


class HeldEngine:
    """The engine that holds a source; ``session`` is the caller's, if one was given."""

    def __init__(self, session: Any = None) -> None:
        self.session = session
        self._engine: Engine | None = None
        self._reporter = Reporter()

    def config_of(self, config: Config) -> Config:
        """The config, whose engine is that of the caller's session; raises ConfigError where it names another."""
        if self.session is None:
            return config
        kind = kind_of(self.session)
        if config.engine.elsewhere and config.engine.kind != kind:
            raise ConfigError(f"engine.kind: it is {config.engine.kind!r}, and the session that was given is {kind!r}")
        return config.model_copy(update={"engine": config.engine.model_copy(update={"kind": kind})})

    def sleeps(self, config: Config) -> bool:
        """Whether a question to the source would have to start an engine."""
        return config.engine.elsewhere and self._engine is None and self.session is None

    def opened(self, config: Config) -> Engine | None:
        """The engine of a config, opened at first use; None where DuckDB reads the source itself."""
        if not config.engine.elsewhere:
            return None
        if self._engine is None:
            self._engine = opened_engine(config.engine.kind, session=self.session, master=config.engine.master)
        self.report_to(self._reporter)
        return self._engine

    def open(self, database: Database, config: Config, folder: Path, data: object | None = None) -> Source:
        """The source of a config, opened where it is; ``data`` is a table in its place (see ``open_source``)."""
        engine = self.opened(config)
        if engine is None and data is None and (config.source or "").startswith(TABLE):
            raise ConfigError(f"source: {config.source} is a table of an engine; name that, `engine: {{kind: spark}}`")
        if engine is None:
            from anonduck.source.source import open_source

            return open_source(database, config, folder, data)
        if data is not None:
            raise ConfigError("a table in memory is in no engine; name one, such as `source: table:schema.table`")
        from anonduck.source.elsewhere import open_in_engine

        return open_in_engine(database, config, folder, engine)

    def report_to(self, reporter: Reporter) -> None:
        """Report the progress of scans to this reporter from now on."""
        self._reporter = reporter
        if self._engine is not None:
            stage = f"scanning in {self._engine.title}"
            self._engine.progress = lambda done, total: reporter.progress(stage, done, total)

    def close(self) -> None:
        """Close the engine; the next use opens it again."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None


class SharedDatabase:
    """A decision database, opened at first use, and the export that its view ``source`` shows.

    Workspaces that share a session share both. The view shows one export at a time: to ask for the source of another
    workspace makes it anew. Sessions of one file exclude each other, inside ``exclusive``.
    """

    def __init__(
        self, path: Path | None = None, connection: Any = None, database: Database | None = None, engine: Any = None
    ) -> None:
        self.path = path
        self.connection = connection
        self.engine: HeldEngine = engine or HeldEngine()
        self._database = database
        self._viewed: tuple[str | None, Opened] | None = None
        self._sizes: dict[tuple[str | None, str], EntitySizes] = {}
        self._bounded = False
        self._access = access_to(path)

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[None]:
        """Keep all other sessions of the same file, in any thread of this process, from working on it inside.

        What was counted of persons before, and which of their records are used, is found anew, as it may have changed
        since.
        """
        with self._access.held_by(self) as outermost:
            if outermost:
                self._sizes.clear()
                self._viewed = None if self._bounded else self._viewed
            yield

    def sizes(self, export: str | None, column: str, count: Callable[[], EntitySizes]) -> EntitySizes:
        """How many records the persons of an export have, counted once in a job."""
        if (export, column) not in self._sizes:
            self._sizes[export, column] = count()
        return self._sizes[export, column]

    def knows_sizes(self, column: str) -> bool:
        """Whether it is known in this job how many records the persons of the project's own export have."""
        return (None, column) in self._sizes

    def assume_sizes(self, column: str, sizes: EntitySizes) -> None:
        """Use earlier counts of the project's own export in this job, as the export is gone."""
        self._sizes[None, column] = sizes

    def beside(self, database: Database) -> SharedDatabase:
        """The same session with another open database, which has no view yet; counts of persons are shared."""
        session = SharedDatabase(self.path, self.connection, database, self.engine)
        session._sizes = self._sizes
        return session

    def database(self, config: Config, tracer: Tracer | None) -> Database:
        """The open database; the first call opens it with the settings of its config, and with its tracer."""
        if self._database is None:
            self._database = Database(
                self.path,
                connection=self.connection,
                threads=config.threads,
                memory_limit=config.memory_limit,
                timezone=config.timezone,
                tracer=tracer,
            )
        return self._database

    def viewed(self, export: str | None) -> Opened | None:
        """The open source and its roles, if the view ``source`` is of that export (None: of the project's own)."""
        return self._viewed[1] if self._viewed and self._viewed[0] == export else None

    def view(self, export: str | None, open_: Callable[[], Opened], *, bounded: bool = False) -> Opened:
        """The source and roles of an export, opened in the place of another if the view ``source`` is not of it.

        One that is ``bounded``, as not all records of a person are used, is opened anew in the next job.
        """
        found, self._bounded = self.viewed(export), bounded
        if found is None:
            self._viewed = None
            found = open_()
            self._viewed = (export, found)
        return found

    def close(self) -> None:
        """Close the database; the next use opens it again."""
        with self.exclusive():
            if self._database is not None:
                self._database.close()
            self._database = self._viewed = None
        self.engine.close()
