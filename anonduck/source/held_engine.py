"""The engine of a project: opened when the source is first asked for, on a caller's session or as the config says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from anonduck.config.config import Config
from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.engines.opened import kind_of, opened_engine
from anonduck.engines.protocol import TableEngine
from anonduck.errors import ConfigError
from anonduck.source.elsewhere import open_in_engine
from anonduck.source.places import TABLE
from anonduck.source.source import Source, open_source


class HeldEngine:
    """The engine that holds a source; ``session`` is the caller's, if one was given."""

    def __init__(self, session: Any = None) -> None:
        self.session = session
        self._engine: TableEngine | None = None
        self._reporter = Reporter()

    def config_of(self, config: Config) -> Config:
        """The config, whose engine is that of the caller's session; raises ConfigError where it names another."""
        if self.session is None:
            return config
        kind = kind_of(self.session)
        if config.engine.elsewhere and config.engine.kind != kind:
            raise ConfigError(f"engine.kind: it is {config.engine.kind!r}, and the session that was given is {kind!r}")
        return config.model_copy(update={"engine": config.engine.model_copy(update={"kind": kind})})

    def opened(self, config: Config) -> TableEngine | None:
        """The engine of a config, opened at first use; None where DuckDB reads the source itself."""
        if not config.engine.elsewhere:
            return None
        if self._engine is None:
            self._engine = opened_engine(config.engine.kind, session=self.session, master=config.engine.master)
        self.tell(self._reporter)
        return self._engine

    def open(self, database: Database, config: Config, folder: Path, data: object | None = None) -> Source:
        """The source of a config, opened where it is; ``data`` is a table in its place (see ``open_source``)."""
        engine = self.opened(config)
        if engine is None and data is None and (config.source or "").startswith(TABLE):
            raise ConfigError(f"source: {config.source} is a table of an engine; name that, `engine: {{kind: spark}}`")
        if engine is None:
            return open_source(database, config, folder, data)
        if data is not None:
            raise ConfigError("a table in memory is in no engine; name one, such as `source: table:schema.table`")
        return open_in_engine(database, config, folder, engine)

    def tell(self, reporter: Reporter) -> None:
        """Who is told from now on how far a scan is."""
        self._reporter = reporter
        if self._engine is not None:
            stage = f"scanning in {self._engine.title}"
            self._engine.progress = lambda done, total: reporter.progress(stage, done, total)

    def close(self) -> None:
        """Give back what was opened; it is opened again when it is asked for."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None
