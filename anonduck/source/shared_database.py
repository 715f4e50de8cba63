"""The decision database of a session, and the export that its view ``source`` is of."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from anonduck.config.config import Config
from anonduck.database.connection import Database
from anonduck.database.trace import Tracer
from anonduck.database.turns import turn_at
from anonduck.source.entity import EntitySizes
from anonduck.source.held_engine import HeldEngine
from anonduck.source.source import Roles, Source

Opened = tuple[Source, Roles]


class SharedDatabase:
    """A decision database, opened at first use, and the export that its view ``source`` is of by now.

    Workspaces that share a session share both. The view is of one export at a time: whoever asks for the source of
    another workspace makes it anew. Sessions of one file take turns, each for as long as ``alone`` lasts.
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
        self._turn = turn_at(path)

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """No other session of the same file works on it, in any thread of this process, for as long as this lasts.

        What was counted of persons before, and which of their records are used, is found anew, as the records may be
        others by now.
        """
        with self._turn.of(self) as begins:
            if begins:
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
        """Take what was counted of the project's own export before, for this job, as that is gone."""
        self._sizes[None, column] = sizes

    def beside(self, database: Database) -> SharedDatabase:
        """The same with another open database, where nothing is viewed yet; what was counted is known there too."""
        session = SharedDatabase(self.path, self.connection, database, self.engine)
        session._sizes = self._sizes
        return session

    def database(self, config: Config, tracer: Tracer | None) -> Database:
        """The open database; the first to ask decides by its config how it works, and who is told its statements."""
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
        """Close the database; it is opened again when it is asked for."""
        with self.alone():
            if self._database is not None:
                self._database.close()
            self._database = self._viewed = None
        self.engine.close()
