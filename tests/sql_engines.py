"""SQL engines that texts of releases run on: servers started in a folder of their own, or engines within the process.

Each holds a table of DuckDB in types of its own, chosen to be unkind: collations without case or padding, sessions and
columns in time zones other than that of the config.
"""

import contextlib
import datetime
import decimal
import importlib.util
import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
import time
import zoneinfo
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import sqlglot

ZONED = "TIMESTAMP WITH TIME ZONE"
ZONE, ANOTHER_ZONE = "America/New_York", "Asia/Tokyo"
PATIENCE = 60  # seconds that a server may take to start
POSTGRES_FOLDERS = "/usr/lib/postgresql/*/bin"

SQLITE_TYPES = {
    "VARCHAR": "TEXT COLLATE NOCASE",
    "DOUBLE": "REAL",
    "FLOAT": "REAL",
    "DECIMAL": "DECIMAL",
    "HUGEINT": "TEXT",
    "BOOLEAN": "BOOLEAN",
    "DATE": "DATE",
    "TIME": "TEXT",
    "TIMESTAMP": "TIMESTAMP",
    "TIMESTAMP WITH TIME ZONE": "TEXT",
}
POSTGRES_TYPES = {
    "VARCHAR": "TEXT",
    "DOUBLE": "DOUBLE PRECISION",
    "FLOAT": "REAL",
    "HUGEINT": "NUMERIC(39)",
}
MARIADB_TYPES = {
    "VARCHAR": "VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
    "HUGEINT": "DECIMAL(39)",
    "TIME": "TIME(6)",
    "TIMESTAMP": "DATETIME(6)",
    "TIMESTAMP WITH TIME ZONE": "DATETIME(6)",
}
CLICKHOUSE_TYPES = {
    "VARCHAR": "String",
    "BIGINT": "Int64",
    "INTEGER": "Int32",
    "DOUBLE": "Float64",
    "FLOAT": "Float32",
    "DECIMAL": "Decimal",
    "HUGEINT": "Int128",
    "BOOLEAN": "Bool",
    "DATE": "Date32",
    "TIME": "String",
    "TIMESTAMP": f"DateTime64(6, '{ANOTHER_ZONE}')",
    "TIMESTAMP WITH TIME ZONE": f"DateTime64(6, '{ANOTHER_ZONE}')",
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
    for token in sqlglot.tokenize(text, read={"mariadb": "mysql"}.get(dialect, dialect)):
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


def canonical(value, kind, zone=datetime.UTC):
    """A value as a text that is the same for whatever an engine returns for it."""
    whole = kind.startswith(("DECIMAL", "HUGEINT")) or kind.endswith("INT") or kind == "INTEGER"
    if value is None:
        return None
    if kind in ("DOUBLE", "FLOAT"):
        return repr(float(np.float32(value)) if kind == "FLOAT" else float(value) + 0.0)
    if whole:
        return str(decimal.Decimal(str(value)).normalize() + 0)
    if kind == ZONED:
        value = moment(value, zone)
    elif kind == "BOOLEAN":
        value = {"1": "true", "0": "false"}.get(str(value), str(value).lower())
    elif kind == "TIMESTAMP" and not isinstance(value, datetime.datetime):
        value = datetime.datetime.fromisoformat(str(value))
    elif isinstance(value, datetime.timedelta):
        value = (datetime.datetime.min + value).time()
    return value.isoformat() if isinstance(value, (datetime.date, datetime.time)) else str(value)


def moment(value, zone=datetime.UTC):
    """A moment in UTC, of one that says no offset in a zone."""
    if not isinstance(value, datetime.datetime):
        value = datetime.datetime.fromisoformat(value)
    return (value if value.tzinfo else value.replace(tzinfo=zone)).astimezone(datetime.UTC)


def counted(rows, kinds, zone=datetime.UTC):
    """How often each row is there."""
    return Counter(tuple(canonical(value, kind, zone) for value, kind in zip(row, kinds, strict=True)) for row in rows)


# -- engines -----------------------------------------------------------------------------------------------------------


class SQLite:
    dialect, held, zone = "sqlite", "NOT isnan({})", datetime.UTC
    types = SQLITE_TYPES

    def __init__(self):
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        self.version = sqlite3.sqlite_version

    def load(self, name, table):
        self.execute(f'DROP TABLE IF EXISTS "{name}"')
        self.execute(f'CREATE TABLE "{name}" ({self.columns(table)})')
        marks = ", ".join("?" for _ in table.columns)
        self.connection.executemany(
            f'INSERT INTO "{name}" VALUES ({marks})', [[*map(self.cell, r)] for r in table.rows]
        )

    def columns(self, table):
        return ", ".join(f'"{name}" {self.type_of(kind)}' for name, kind in table.columns)

    def type_of(self, kind):
        plain, _, sized = kind.partition("(")
        named = self.types.get(plain, plain)
        return f"{named}({sized}" if sized else named

    def cell(self, value):
        if isinstance(value, decimal.Decimal):
            return float(value)
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 1 << 63:
            return str(value)
        if isinstance(value, datetime.datetime):
            return value.isoformat(" ")
        return value.isoformat() if isinstance(value, (datetime.date, datetime.time)) else value

    def execute(self, text):
        return self.connection.execute(text).fetchall()

    def rows(self, text):
        """The rows of the last of some statements."""
        for statement in split(text, self.dialect):
            found = self.execute(statement)
        return found

    def close(self):
        self.connection.close()


class Postgres(SQLite):
    dialect, held = "postgres", "true"
    types = POSTGRES_TYPES

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
        self.types = self.types | {"VARCHAR": "TEXT COLLATE loose"}
        self.version = self.execute("SHOW server_version")[0][0]

    def load(self, name, table):
        self.execute(f'DROP TABLE IF EXISTS "{name}"')
        self.execute(f'CREATE TABLE "{name}" ({self.columns(table)})')
        with self.connection.cursor() as cursor:
            marks = ", ".join("%s" for _ in table.columns)
            cursor.executemany(f'INSERT INTO "{name}" VALUES ({marks})', table.rows)

    def execute(self, text):
        found = self.connection.execute(text)
        return found.fetchall() if found.description else []

    def close(self):
        self.connection.close()
        stop(self.server, self.folder)


class MariaDB(SQLite):
    dialect, held = "mariadb", "isfinite({})"
    types = MARIADB_TYPES

    def __init__(self):
        import pymysql

        self.folder = tempfile.mkdtemp(prefix="anonduck-mariadb-")
        user = ["--user=root"] if os.geteuid() == 0 else []
        data, quiet = f"--datadir={self.folder}/data", {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        first = [program("mariadb-install-db"), "--no-defaults", *user, data, "--skip-test-db"]
        subprocess.run([*first, "--auth-root-authentication-method=normal"], check=True, **quiet)
        server = [program("mariadbd", "/usr/sbin"), "--no-defaults", *user, data, "--skip-networking"]
        self.server = subprocess.Popen([*server, f"--socket={self.folder}/socket"], **quiet)
        asked = {"unix_socket": f"{self.folder}/socket", "user": "root", "autocommit": True, "charset": "utf8mb4"}
        self.connection = until_open(lambda: pymysql.connect(**asked), pymysql.Error)
        self.execute("CREATE DATABASE tests CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci")
        self.execute("USE tests")
        self.execute("SET time_zone = '-05:00'")
        self.version = self.execute("SELECT version()")[0][0]

    def load(self, name, table):
        self.execute(f"DROP TABLE IF EXISTS `{name}`")
        self.execute(f"CREATE TABLE `{name}` ({self.columns(table)})")
        marks = ", ".join("%s" for _ in table.columns)
        with self.connection.cursor() as cursor:
            cursor.executemany(f"INSERT INTO `{name}` VALUES ({marks})", [[*map(self.cell, row)] for row in table.rows])

    def cell(self, value):
        if isinstance(value, datetime.datetime) and value.tzinfo:
            return moment(value).replace(tzinfo=None)
        return value

    def columns(self, table):
        return ", ".join(f"`{name}` {self.type_of(kind)}" for name, kind in table.columns)

    def execute(self, text):
        with self.connection.cursor() as cursor:
            cursor.execute(text)
            return list(cursor.fetchall())

    def close(self):
        self.connection.close()
        stop(self.server, self.folder)


class ClickHouse(SQLite):
    dialect, held, zone = "clickhouse", "true", zoneinfo.ZoneInfo(ANOTHER_ZONE)
    types = CLICKHOUSE_TYPES

    def __init__(self):
        from chdb.session import Session

        self.folder = tempfile.mkdtemp(prefix="anonduck-clickhouse-")
        self.session = Session(self.folder)
        for kind in ("denormals", "decimals", "64bit_integers"):
            self.session.query(f"SET output_format_json_quote_{kind} = 1")
        self.version = self.execute("SELECT version()")[0][0]

    def load(self, name, table):
        self.execute(f'DROP TABLE IF EXISTS "{name}"')
        columns = ", ".join(f'"{one}" Nullable({self.type_of(kind)})' for one, kind in table.columns)
        self.execute(f'CREATE TABLE "{name}" ({columns}) ENGINE = Memory')
        rows = ", ".join("(" + ", ".join(map(self.written, row)) + ")" for row in table.rows)
        self.execute(f'INSERT INTO "{name}" VALUES {rows}')

    def written(self, value):
        if value is None:
            return "NULL"
        if isinstance(value, datetime.datetime) and value.tzinfo:
            return f"toDateTime64('{moment(value).replace(tzinfo=None).isoformat(' ')}', 6, 'UTC')"
        if isinstance(value, float):
            return repr(value)
        if isinstance(value, str):
            return sqlglot.exp.Literal.string(value).sql("clickhouse")
        return f"'{self.cell(value)}'" if isinstance(value, (datetime.date, datetime.time)) else str(value)

    def execute(self, text):
        lines = str(self.session.query(text, "JSONCompactEachRow")).splitlines()
        return [tuple(json.loads(line)) for line in lines]

    def close(self):
        self.session.close()
        shutil.rmtree(self.folder, ignore_errors=True)


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


class Spark(SQLite):
    dialect, held = "spark", "true"

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


ENGINES = {one.dialect: one for one in (SQLite, Postgres, MariaDB, ClickHouse, Spark)}


def missing(dialect):
    """Why an engine cannot be run here; an empty text if it can."""
    modules = {
        "postgres": ("psycopg", "adbc_driver_postgresql"),
        "mariadb": ("pymysql",),
        "clickhouse": ("chdb",),
        "spark": ("pyspark",),
    }
    for module in modules.get(dialect, ()):
        if importlib.util.find_spec(module) is None:
            return f"{module} is not installed: pip install '.[engines]'"
    packages = {
        "postgres": ("initdb", "postgresql"),
        "mariadb": ("mariadb-install-db", "mariadb-server"),
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
