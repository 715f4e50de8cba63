"""The nightly job in each engine: where records arrive, the command, and what others read."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from rehearsing.records import BREAKS, JOBS, RULE, K, L, Record

SCHEMA = pa.schema(
    [
        *[(name, pa.string()) for name in ("person", "zip", "job", "illness", "churned")],
        ("seen", pa.date32()),
        ("age", pa.int64()),
    ]
)
BROKEN = "broken"
"""A partition that arrives unreadable."""
CONFIG = {
    "class": "churned",
    "identifiers": ["person"],
    "sensitive": ["illness"],
    "taxonomies": {
        "zip": {"mask": "right", "length": 5},
        "seen": {"dates": ["month", "quarter", "year"]},
        "age": {"breaks": BREAKS},
        "job": {"file": "job.csv"},
    },
    "requirement": {"k": K, "l": L},
    "models": [],
    "select": "information_gain",
    "holdout": 0,
    "time_limit": None,
}
PATIENCE = 60  # seconds that a server may take to start

Parts = Mapping[str, "Sequence[Record] | str"]


class AbsentError(Exception):
    """An engine that is not here, with what it lacks."""


class Job:
    """`anonduck run --locked` over Parquet files, and what the other jobs have in common.

    Attributes:
        locked: whether it releases by a lock, so that what each record shows is known.
        own: whether the command is anonduck's, whose exit codes and messages are promised.
        watched: whether others may read while it runs.
        replaced_at_once: whether a reader finds one release or the other at any moment.
        skips: whether `--if-exists skip` is taken.
        shows_writing: whether it can be seen that a command has begun to write.
    """

    name = "cli"
    locked = own = watched = replaced_at_once = skips = shows_writing = True

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.exports, self.out = folder / "exports", folder / "out"
        self.exports.mkdir(parents=True)
        self.out.mkdir()
        self.environment: dict[str, str] = {"NO_COLOR": "1"}

    def config(self) -> dict[str, Any]:
        """The keys of `anonduck.yml`."""
        return CONFIG | {"source": "exports/*.parquet"}

    def prepare(self) -> None:
        """Write the config, and lock the rule on what has arrived first."""
        lines = [f"{job},{group},*" for group, jobs in JOBS.items() for job in jobs]
        (self.folder / "job.csv").write_text("\n".join(lines) + "\n")
        (self.folder / "anonduck.yml").write_text(json.dumps(self.config()))
        if self.locked:
            self.ran(*anonduck("lock", RULE))

    def deliver(self, parts: Parts) -> None:
        """Let these partitions be the source."""
        for path in self.exports.iterdir():
            if path.stem not in parts:
                path.unlink()
        for name, records in parts.items():
            path = self.exports / f"{name}.parquet"
            if isinstance(records, str):
                pq.write_table(pa.Table.from_pylist([], SCHEMA), path)
                path.write_bytes(path.read_bytes()[:-20])
            else:
                pq.write_table(pa.Table.from_pylist(list(records), SCHEMA), path)

    def command(self) -> list[str]:
        """The job of each night."""
        return anonduck("run", "--locked", "-o", self.target(), "--if-exists", "overwrite", "--no-report")

    def skipping(self) -> list[str]:
        """The same, where a scheduler repeats it."""
        return ["skip" if word == "overwrite" else word for word in self.command()]

    def target(self) -> str:
        """Where the job releases to."""
        return "out/persons.parquet"

    def published(self) -> list[dict[str, Any]] | None:
        """The rows that others read now; None where there is nothing."""
        try:
            return pq.read_table(self.out / "persons.parquet", partitioning=None).to_pylist()
        except FileNotFoundError:
            return None

    def stamp(self) -> Any:
        """What changes when something else is published."""
        try:
            found = (self.out / "persons.parquet").stat()
        except FileNotFoundError:
            return None
        return found.st_ino, found.st_mtime_ns

    def leftovers(self) -> list[str]:
        """What is there beside the release and its documents."""
        documents = ("", ".receipt.json", ".dictionary.md", ".dictionary.json", ".owner.json")
        return sorted({path.name for path in self.out.iterdir()} - {f"persons.parquet{end}" for end in documents})

    def is_writing(self) -> bool:
        """Whether a command that runs has begun to write."""
        return bool(self.leftovers())

    def ran(self, *command: str, folder: Path | None = None) -> str:
        """What a command printed that must succeed."""
        done = subprocess.run(
            command, cwd=folder or self.folder, env=self.variables(), capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"{self.name}: {' '.join(command)} ended with {done.returncode}\n{done.stderr[-3000:]}")
        return done.stdout

    def variables(self) -> dict[str, str]:
        """The environment of its commands."""
        return os.environ | self.environment

    def work_folder(self) -> Path:
        """Where the command runs."""
        return self.folder

    def close(self) -> None:
        """End what was started for it."""


class SelectingJob(Job):
    """`anonduck run` over Parquet files: it finds and keeps its own choice."""

    name = "cli-run"
    locked = False

    def command(self) -> list[str]:
        """See Job."""
        return [word for word in super().command() if word != "--locked"]


class SparkJob(Job):
    """`run --locked` from Parquet files to a folder of them, by Spark."""

    name = "spark"
    replaced_at_once = False  # a folder is renamed away before the new one is renamed into its place

    def __init__(self, folder: Path) -> None:
        needed(modules=("pyspark",), programs=("java",))
        super().__init__(folder)

    def config(self) -> dict[str, Any]:
        """See Job."""
        return super().config() | {"source": "exports", "engine": {"kind": "spark", "master": "local[1]"}}

    def target(self) -> str:
        """See Job."""
        return "out/persons.parquet/"

    def stamp(self) -> Any:
        """See Job."""
        try:
            return sorted(path.name for path in (self.out / "persons.parquet").iterdir())
        except FileNotFoundError:
            return None

    def published(self) -> list[dict[str, Any]] | None:
        """See Job."""
        try:
            paths = sorted((self.out / "persons.parquet").iterdir())
            parts = [path for path in paths if path.suffix == ".parquet"]
            return [row for path in parts for row in pq.read_table(path, partitioning=None).to_pylist()]
        except FileNotFoundError:
            return None


class PostgresJob(Job):
    """`run --locked` from a table of PostgreSQL to another."""

    name = "postgres"
    skips = False

    def __init__(self, folder: Path) -> None:
        needed(modules=("psycopg", "adbc_driver_postgresql"), programs=("initdb", "pg_ctl"))
        super().__init__(folder)
        self.server = Server()
        self.environment |= self.server.environment
        kinds = {"string": "text", "date32[day]": "date", "int64": "bigint"}
        columns = ", ".join(f'"{field.name}" {kinds[str(field.type)]}' for field in SCHEMA)
        self.server.execute(f"CREATE SCHEMA raw; CREATE SCHEMA shared; CREATE TABLE raw.persons ({columns})")
        self.renamed = False

    def config(self) -> dict[str, Any]:
        """See Job."""
        return super().config() | {"source": "table:raw.persons", "engine": {"kind": "postgres"}}

    def target(self) -> str:
        """See Job."""
        return "postgres:shared.persons"

    def deliver(self, parts: Parts) -> None:
        """See Job."""
        if self.renamed:
            self.server.execute("ALTER TABLE raw.persons RENAME COLUMN postcode TO zip")
        records = [record for part in parts.values() if not isinstance(part, str) for record in part]
        self.server.fill("raw.persons", SCHEMA.names, [[record[name] for name in SCHEMA.names] for record in records])
        self.renamed = any(isinstance(part, str) for part in parts.values())
        if self.renamed:
            self.server.execute("ALTER TABLE raw.persons RENAME COLUMN zip TO postcode")

    def stamp(self) -> Any:
        """See Job."""
        return self.server.rows("SELECT to_regclass('shared.persons')::oid")[0][0]

    def published(self) -> list[dict[str, Any]] | None:
        """See Job."""
        return self.server.table("shared.persons")

    def leftovers(self) -> list[str]:
        """See Job."""
        query = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'shared'"
        return sorted({name for (name,) in self.server.rows(query)} - {"persons"})

    def is_writing(self) -> bool:
        """See Job."""
        query = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query ~* '^ *(insert|create|alter)'"
        return bool(self.server.rows(query)[0][0])

    def close(self) -> None:
        """See Job."""
        self.server.close()


class DbtDuckdbJob(Job):
    """A model of dbt over a view of Parquet files, by dbt-duckdb."""

    name = "dbt-duckdb"
    own = watched = skips = shows_writing = False  # the file is the tool's while it runs

    def __init__(self, folder: Path) -> None:
        self.dbt = tool("dbt")
        super().__init__(folder)
        self.shop = folder / "shop"

    def output(self) -> dict[str, Any]:
        """The target of dbt's profile."""
        return {"type": "duckdb", "path": "shop.duckdb", "threads": 1}

    def prepare(self) -> None:
        """See Job."""
        import duckdb

        from anonduck.release.dbt.model import package_folder

        super().prepare()
        (self.shop / "models").mkdir(parents=True)
        for name, document in {
            "dbt_project.yml": {"name": "shop", "version": "1.0", "profile": "shop"},
            "profiles.yml": {"shop": {"target": "dev", "outputs": {"dev": self.output()}}},
            "packages.yml": {"packages": [{"local": str(package_folder())}]},
            "models/raw.yml": {"sources": [{"name": "raw", "tables": [{"name": "persons"}]}]},
        }.items():
            (self.shop / name).write_text(json.dumps(document))
        self.environment["DBT_SEND_ANONYMOUS_USAGE_STATS"] = "false"
        self.ran(self.dbt, "deps", folder=self.shop)
        model = anonduck("sql", "--as", "dbt", "--table", "source('raw', 'persons')", "--dialect", self.dialect())
        self.ran(*model, "-o", str(self.shop / "models" / "persons.sql"))
        if self.dialect() == "duckdb":
            with duckdb.connect(str(self.shop / "shop.duckdb")) as connection:
                source = f"FROM read_parquet('{self.exports}/*.parquet')"
                connection.execute(f"CREATE SCHEMA raw; CREATE VIEW raw.persons AS {source}")

    def dialect(self) -> str:
        """That of the model."""
        return "duckdb"

    def command(self) -> list[str]:
        """See Job."""
        return [self.dbt, "build"]

    def work_folder(self) -> Path:
        """See Job."""
        return self.shop

    def published(self) -> list[dict[str, Any]] | None:
        """See Job."""
        import duckdb

        with duckdb.connect(str(self.shop / "shop.duckdb")) as connection:
            try:
                return connection.sql("FROM main.persons").to_arrow_table().to_pylist()
            except duckdb.CatalogException:
                return None

    def leftovers(self) -> list[str]:
        """See Job."""
        import duckdb

        with duckdb.connect(str(self.shop / "shop.duckdb")) as connection:
            found = connection.execute("SELECT table_name FROM information_schema.tables").fetchall()
        return sorted({name for (name,) in found} - {"persons"})


class DbtPostgresJob(PostgresJob, DbtDuckdbJob):
    """A model of dbt over a table of PostgreSQL, by dbt-postgres."""

    name = "dbt-postgres"
    own = skips = False
    watched = shows_writing = True

    def __init__(self, folder: Path) -> None:
        self.dbt, self.shop = tool("dbt"), folder / "shop"
        super().__init__(folder)

    def output(self) -> dict[str, Any]:
        """See DbtDuckdbJob."""
        place = self.server.environment
        return {
            "type": "postgres",
            "host": place["PGHOST"],
            "user": place["PGUSER"],
            "password": "",
            "port": 5432,
            "dbname": place["PGDATABASE"],
            "schema": "shared",
            "threads": 1,
        }

    def dialect(self) -> str:
        """See DbtDuckdbJob."""
        return "postgres"

    def command(self) -> list[str]:
        """See Job."""
        return [self.dbt, "build"]


class SqlmeshJob(Job):
    """Two models of SQLMesh over a model of Parquet files."""

    name = "sqlmesh"
    own = watched = skips = shows_writing = False  # the file is the tool's while it runs

    def __init__(self, folder: Path) -> None:
        self.sqlmesh = tool("sqlmesh")
        super().__init__(folder)
        self.shop = folder / "shop"

    def prepare(self) -> None:
        """See Job."""
        super().prepare()
        (self.shop / "models").mkdir(parents=True)
        (self.shop / "config.yaml").write_text(
            "gateways: {local: {connection: {type: duckdb, database: shop.duckdb}}}\ndefault_gateway: local\n"
            "model_defaults: {dialect: duckdb, start: 2024-01-01}\ndisable_anonymized_analytics: true\n"
        )
        columns = ", ".join(SCHEMA.names)
        source = f"SELECT {columns} FROM read_parquet('{self.exports}/*.parquet')"
        (self.shop / "models" / "raw.sql").write_text(f"MODEL (name raw.persons, kind FULL);\n\n{source}")
        model = anonduck("sql", "--as", "sqlmesh", "--table", "raw.persons", "--name", "privacy.persons")
        self.ran(*model, "-o", str(self.shop / "models"))
        self.planned = [self.sqlmesh, "plan", "--auto-apply", "--no-prompts"]

    def command(self) -> list[str]:
        """See Job."""
        first = not (self.shop / "shop.duckdb").exists() or self.published() is None
        return self.planned if first else [*self.planned, "--restate-model", "raw.persons"]

    def work_folder(self) -> Path:
        """See Job."""
        return self.shop

    def published(self) -> list[dict[str, Any]] | None:
        """Asked by SQLMesh's own DuckDB, which is another version than that of anonduck."""
        script = (
            "import duckdb, sys\n"
            "with duckdb.connect('shop.duckdb') as shop:\n"
            "    try:\n"
            "        shop.execute(\"COPY (FROM privacy.persons) TO 'read.parquet'\")\n"
            "    except duckdb.CatalogException:\n"
            "        sys.exit(9)\n"
        )
        python = str(Path(self.sqlmesh).resolve().with_name("python"))
        done = subprocess.run([python, "-c", script], cwd=self.shop, capture_output=True, text=True, check=False)
        if done.returncode == 9:
            return None
        if done.returncode:
            raise RuntimeError(done.stderr[-3000:])
        return pq.read_table(self.shop / "read.parquet").to_pylist()

    def leftovers(self) -> list[str]:
        """See Job."""
        return []  # it keeps staged tables and earlier versions on purpose, in schemas of its own


JOBS_BY_NAME = {
    job.name: job for job in (Job, SelectingJob, PostgresJob, DbtDuckdbJob, DbtPostgresJob, SqlmeshJob, SparkJob)
}


class Server:
    """PostgreSQL in a folder of its own."""

    def __init__(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="rehearsal-postgres-", dir="/tmp")  # the name of a socket is short
        user = "postgres" if os.geteuid() == 0 else None  # root may not start it
        if user:
            shutil.chown(self.folder, user)
        quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "user": user}
        data = f"{self.folder}/data"
        options = ["-A", "trust", "-U", "tester", "-E", "UTF8", "--no-sync", "--locale=C.UTF-8"]
        subprocess.run([program("initdb"), "-D", data, *options], check=True, cwd=self.folder, **quiet)
        settings = ["-k", self.folder, "-c", "listen_addresses=", "-c", "fsync=off"]
        self.process = subprocess.Popen([program("postgres"), "-D", data, *settings], cwd=self.folder, **quiet)
        self.environment = {"PGHOST": self.folder, "PGUSER": "tester", "PGDATABASE": "postgres"}
        self.rows("SELECT 1")

    def connect(self) -> Any:
        """A connection, once the server takes one."""
        import psycopg

        place = f"host={self.folder} user=tester dbname=postgres"
        ends = time.monotonic() + PATIENCE
        while True:
            try:
                return psycopg.connect(place, autocommit=True)
            except psycopg.OperationalError:
                if time.monotonic() > ends:
                    raise
                time.sleep(0.1)

    def execute(self, text: str) -> None:
        """Run statements."""
        with contextlib.closing(self.connect()) as connection:
            connection.execute(text)

    def rows(self, text: str) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        with contextlib.closing(self.connect()) as connection:
            found: list[tuple[Any, ...]] = connection.execute(text).fetchall()
            return found

    def table(self, name: str) -> list[dict[str, Any]] | None:
        """The rows of a table with their names; None if there is none."""
        import psycopg

        with contextlib.closing(self.connect()) as connection:
            try:
                found = connection.execute(f"SELECT * FROM {name}")
            except psycopg.errors.UndefinedTable:
                return None
            names = [one.name for one in found.description]
            return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

    def fill(self, name: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Replace the rows of a table, in one step."""
        with contextlib.closing(self.connect()) as connection, connection.transaction():
            connection.execute(f"DELETE FROM {name}")
            with connection.cursor().copy(f"COPY {name} ({', '.join(columns)}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)

    def close(self) -> None:
        """End it, and remove its folder."""
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def anonduck(*arguments: str) -> list[str]:
    """The command line of anonduck under this interpreter."""
    return [sys.executable, "-m", "anonduck", *arguments]


def program(name: str) -> str:
    """The path of a program of a server; empty if it is not here."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(map(str, folders))) or ""


def needed(modules: Sequence[str], programs: Sequence[str]) -> None:
    """Raise AbsentError for what is not installed."""
    for module in modules:
        if importlib.util.find_spec(module) is None:
            raise AbsentError(f"no Python module {module}")
    for name in programs:
        if not program(name):
            raise AbsentError(f"no program {name}")


def tool(name: str) -> str:
    """The path of dbt or sqlmesh: in the folder that ANONDUCK_DBT or ANONDUCK_SQLMESH names, or on the path."""
    variable = f"ANONDUCK_{name.upper()}"
    if found := shutil.which(name, path=os.environ.get(variable)) or shutil.which(name):
        return found
    raise AbsentError(f"no {name}: name the folder of its command by {variable}")
