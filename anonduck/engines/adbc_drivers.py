"""Drivers of ADBC, and how they find their servers: by the environment alone, so that no config holds a credential."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from anonduck.engines.adbc_errors import told
from anonduck.errors import ConfigError, SourceError

URI_SCHEMES = {"postgres": "postgresql://"}
"""Of PostgreSQL, libpq reads the rest: PGHOST, PGUSER, PGPASSWORD, PGPASSFILE, PGSERVICE and so on."""


@dataclass(frozen=True)
class AdbcDriver:
    """A driver: its kind in the config, what messages call its engine, its module and the extra that installs it.

    ``options`` are its own names of what variables of the environment say; it cannot do without the ``needed`` ones.
    ``settings`` are statements' worth of settings of a session, ``tested`` whether the tests run it on a server.
    """

    kind: str
    title: str
    module: str
    options: Mapping[str, str] = field(default_factory=dict)
    needed: tuple[str, ...] = ()
    writes: bool = False

    def connect(self) -> Any:
        """A connection, each statement a transaction of its own.

        Raises:
            ConfigError: the driver is not installed, or the environment does not say where the server is.
            SourceError: the server does not answer.
        """
        dbapi = self._dbapi()
        try:
            if self.kind in URI_SCHEMES:
                return dbapi.connect(URI_SCHEMES[self.kind], autocommit=True)
            return dbapi.connect(db_kwargs=self._found(), autocommit=True)
        except dbapi.Error as error:
            raise SourceError(
                f"{self.title} cannot be reached ({told(error)}); it is looked for where the environment says: "
                f"{WHERE[self.kind]}"
            ) from None

    def _dbapi(self) -> Any:
        try:
            return importlib.import_module(f"{self.module}.dbapi")
        except ImportError:
            raise ConfigError(
                f"the engine {self.kind} needs the package {self.module.replace('_', '-')}; "
                f"install it with `pip install 'anonduck[{self.kind}]'`"
            ) from None

    def _found(self) -> dict[str, str]:
        missing = [name for name in self.needed if not os.environ.get(name)]
        if missing:
            raise ConfigError(f"the engine {self.kind} needs {', '.join(missing)} in the environment")
        return {option: os.environ[name] for name, option in self.options.items() if os.environ.get(name)}


SNOWFLAKE = {
    "SNOWFLAKE_ACCOUNT": "adbc.snowflake.sql.account",
    "SNOWFLAKE_USER": "username",
    "SNOWFLAKE_PASSWORD": "password",
    "SNOWFLAKE_DATABASE": "adbc.snowflake.sql.db",
    "SNOWFLAKE_SCHEMA": "adbc.snowflake.sql.schema",
    "SNOWFLAKE_WAREHOUSE": "adbc.snowflake.sql.warehouse",
    "SNOWFLAKE_ROLE": "adbc.snowflake.sql.role",
}
BIGQUERY = {"GOOGLE_CLOUD_PROJECT": "adbc.bigquery.sql.project_id"}

DRIVERS = {
    driver.kind: driver
    for driver in (
        AdbcDriver("postgres", "PostgreSQL", "adbc_driver_postgresql", writes=True),
        AdbcDriver("bigquery", "BigQuery", "adbc_driver_bigquery", BIGQUERY, ("GOOGLE_CLOUD_PROJECT",)),
        AdbcDriver(
            "snowflake", "Snowflake", "adbc_driver_snowflake", SNOWFLAKE, ("SNOWFLAKE_ACCOUNT", "SNOWFLAKE_USER")
        ),
    )
}
WHERE = {
    "postgres": "PGHOST, PGPORT, PGDATABASE, PGUSER, and PGPASSWORD, PGPASSFILE or PGSERVICE",
    "bigquery": "GOOGLE_CLOUD_PROJECT and GOOGLE_APPLICATION_CREDENTIALS",
    "snowflake": ", ".join(SNOWFLAKE),
}
