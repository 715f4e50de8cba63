"""SQL engines that texts of releases run on: servers started in a folder of their own, or engines within the process.

Each holds a table of DuckDB in types of its own, chosen to be unkind: collations without case or padding, sessions and
columns in time zones other than that of the config.
"""

import contextlib
import datetime
import decimal
import importlib.util
import os
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path

import duckdb
import numpy as np
import pytest
import sqlglot

ZONED = "TIMESTAMP WITH TIME ZONE"
ZONE = "America/New_York"
PATIENCE = 60  # seconds that a server may take to start
POSTGRES_FOLDERS = "/usr/lib/postgresql/*/bin"

POSTGRES_TYPES = {
    "VARCHAR": "TEXT",
    "DOUBLE": "DOUBLE PRECISION",
    "FLOAT": "REAL",
    "HUGEINT": "NUMERIC(39)",
}


def program(name, *folders):
    """The path of a program, or None."""
    places = [str(path) for folder in folders for path in sorted(Path("/").glob(folder.lstrip("/")))]
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(places))


def refuse_absent(engine, reason):
    """Skip a test for want of an engine, with the reason; fail where one was to be installed."""
    if not reason:
        return
    if os.environ.get("CI") and engine not in os.environ.get("ANONDUCK_NO_ENGINES", "").split():
        pytest.fail(reason)
    pytest.skip(reason)


def split(text, dialect):
    """The statements of a script."""
    begin = 0
    for token in sqlglot.tokenize(text, read=dialect):
        if token.token_type == sqlglot.TokenType.SEMICOLON:
            yield text[begin : token.start]
            begin = token.end + 1
    if text[begin:].strip():
        yield text[begin:]


def fetched(connection, query):
    """The rows of a query of DuckDB and the types of its columns; moments in UTC."""
    kinds = {row[0]: str(row[1]) for row in connection.execute(f"DESCRIBE {query}").fetchall()}
    zoned = [place for place, kind in enumerate(kinds.values()) if kind == ZONED]
    cast = ", ".join(f'"{name}"::VARCHAR' if kind == ZONED else f'"{name}"' for name, kind in kinds.items())
    rows = connection.execute(f"SELECT {cast} FROM ({query})").fetchall()
    return kinds, [tuple(moment(v) if n in zoned and v else v for n, v in enumerate(row)) for row in rows]


class Table:
    """A table of DuckDB: names and types of its columns, and rows."""

    def __init__(self, connection, name):
        self.connection, self.query = connection, f'SELECT * FROM "{name}"'
        kinds, self.rows = fetched(connection, self.query)
        self.columns = list(kinds.items())

    def write(self, path, **types):
        """Write it to a Parquet file, columns of some types as others."""
        cast = [f'"{name}"::{types.get(kind, kind)} AS "{name}"' for name, kind in self.columns]
        self.connection.execute(f"COPY (SELECT {', '.join(cast)} FROM ({self.query})) TO '{path}'")


def canonical(value, kind):
    """A value as a text that is the same for whatever an engine returns for it."""
    whole = kind.startswith(("DECIMAL", "HUGEINT")) or kind.endswith("INT") or kind == "INTEGER"
    if value is None:
        return None
    if kind in ("DOUBLE", "FLOAT"):
        return repr(float(np.float32(value)) if kind == "FLOAT" else float(value) + 0.0)
    if whole:
        return str(decimal.Decimal(str(value)).normalize() + 0)
    if kind == ZONED:
        value = moment(value)
    elif kind == "BOOLEAN":
        value = {"1": "true", "0": "false"}.get(str(value), str(value).lower())
    elif kind == "TIMESTAMP" and not isinstance(value, datetime.datetime):
        value = datetime.datetime.fromisoformat(str(value))
    elif isinstance(value, datetime.timedelta):
        value = (datetime.datetime.min + value).time()
    return value.isoformat() if isinstance(value, (datetime.date, datetime.time)) else str(value)


def moment(value):
    """A moment in UTC, also one that says no offset."""
    if not isinstance(value, datetime.datetime):
        value = datetime.datetime.fromisoformat(value)
    return (value if value.tzinfo else value.replace(tzinfo=datetime.UTC)).astimezone(datetime.UTC)


def counted(rows, kinds):
    """How often each row is there."""
    return Counter(tuple(canonical(value, kind) for value, kind in zip(row, kinds, strict=True)) for row in rows)


# -- engines -----------------------------------------------------------------------------------------------------------


class DuckDB:
    dialect = "duckdb"

    def __init__(self):
        self.connection = duckdb.connect()
        self.connection.execute(f"SET TimeZone = '{ZONE}'")
        self.version = duckdb.__version__

    def load(self, name, table):
        with tempfile.TemporaryDirectory() as folder:
            table.write(f"{folder}/table.parquet", HUGEINT="VARCHAR")
            cast = ", ".join(f'"{one}"::{kind} AS "{one}"' for one, kind in table.columns)
            self.execute(f"CREATE OR REPLACE TABLE \"{name}\" AS SELECT {cast} FROM '{folder}/table.parquet'")

    def execute(self, text):
        return self.connection.execute(text).fetchall()

    def rows(self, text):
        """The rows of the last of some statements."""
        for statement in split(text, self.dialect):
            found = self.execute(statement)
        return found

    def close(self):
        self.connection.close()


class Postgres(DuckDB):
    dialect = "postgres"

    def __init__(self):
        import psycopg

        self.folder = tempfile.mkdtemp(prefix="anonduck-postgres-")
        user = "postgres" if os.geteuid() == 0 else None  # root may not start it
        if user:
            shutil.chown(self.folder, user)
        data, plain = f"{self.folder}/data", {"cwd": self.folder, "user": user, "stdout": subprocess.DEVNULL}
        first = [program("initdb", POSTGRES_FOLDERS), "-D", data, "-A", "trust", "-U", "tester", "-E", "UTF8"]
        subprocess.run([*first, "--no-sync", "--locale=C.UTF-8"], check=True, stderr=subprocess.DEVNULL, **plain)
        server = [program("postgres", POSTGRES_FOLDERS), "-D", data, "-k", self.folder, "-c", "listen_addresses="]
        self.server = subprocess.Popen([*server, "-c", "fsync=off"], stderr=subprocess.DEVNULL, **plain)
        self.connection = until_open(
            lambda: psycopg.connect(f"host={self.folder} user=tester dbname=postgres", autocommit=True), psycopg.Error
        )
        self.execute(f"SET TIME ZONE '{ZONE}'")
        self.execute("CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level1', deterministic = false)")
        self.types = POSTGRES_TYPES | {"VARCHAR": "TEXT COLLATE loose"}
        self.version = self.execute("SHOW server_version")[0][0]

    def load(self, name, table):
        self.execute(f'DROP TABLE IF EXISTS "{name}"')
        columns = ", ".join(f'"{one}" {self.type_of(kind)}' for one, kind in table.columns)
        self.execute(f'CREATE TABLE "{name}" ({columns})')
        with self.connection.cursor() as cursor:
            marks = ", ".join("%s" for _ in table.columns)
            cursor.executemany(f'INSERT INTO "{name}" VALUES ({marks})', table.rows)

    def type_of(self, kind):
        plain, _, sized = kind.partition("(")
        named = self.types.get(plain, plain)
        return f"{named}({sized}" if sized else named

    def execute(self, text):
        found = self.connection.execute(text)
        return found.fetchall() if found.description else []

    def close(self):
        self.connection.close()
        stop(self.server, self.folder)


def spark_session(folder):
    """A session of Spark on one core, in a time zone that is not UTC, with its warehouse in a folder."""
    from pyspark.sql import SparkSession

    settings = {
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",  # short queries end before Java compiles well
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.session.timeZone": ZONE,
        "spark.sql.warehouse.dir": str(folder),
    }
    return SparkSession.builder.master("local[1]").config(map=settings).getOrCreate()


class Spark(DuckDB):
    dialect = "spark"

    def __init__(self):
        from pyspark.sql import SparkSession

        self.folder = tempfile.mkdtemp(prefix="anonduck-spark-")
        self.shared = SparkSession.getActiveSession() is not None
        self.session = spark_session(self.folder)
        self.version = self.session.version

    def load(self, name, table):
        path = f"{self.folder}/{name}.parquet"
        table.write(path, HUGEINT="DECIMAL(38, 0)", TIME="VARCHAR")
        self.session.read.parquet(path).createOrReplaceTempView(name)

    def execute(self, text):
        return [tuple(row.values()) for row in self.session.sql(text).toArrow().to_pylist()]

    def close(self):
        if not self.shared:
            self.session.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


ENGINES = {one.dialect: one for one in (DuckDB, Postgres, Spark)}


def missing(dialect):
    """Why an engine cannot be run here; an empty text if it can."""
    modules = {
        "postgres": ("psycopg", "adbc_driver_postgresql"),
        "spark": ("pyspark",),
    }
    for module in modules.get(dialect, ()):
        if importlib.util.find_spec(module) is None:
            return f"{module} is not installed: pip install '.[engines]'"
    packages = {
        "postgres": ("initdb", "postgresql"),
        "spark": ("java", "openjdk-17-jre-headless"),
    }
    if dialect in packages and program(packages[dialect][0], POSTGRES_FOLDERS) is None:
        return f"{packages[dialect][0]} is not there: apt-get install {packages[dialect][1]}"
    return ""


@contextlib.contextmanager
def running(dialect):
    """An engine; the test is skipped where it is not to be had."""
    refuse_absent(dialect, missing(dialect))
    engine = ENGINES[dialect]()
    try:
        yield engine
    finally:
        engine.close()


# -- servers -----------------------------------------------------------------------------------------------------------


def until_open(connect, failure):
    """The connection to a server, once it takes one."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return connect()
        except failure:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def stop(server, folder):
    """End a server that was started here, and remove its folder."""
    server.terminate()
    try:
        server.wait(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
    shutil.rmtree(folder, ignore_errors=True)
