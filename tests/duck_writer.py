"""An engine for tests that writes too: tables and Parquet files of a DuckDB of its own, in DuckDB's own dialect."""

import shutil
from dataclasses import replace
from pathlib import Path

from duck_engine import DuckEngine, name_of

from anonduck.engines.group_sizes import sizes_of
from anonduck.engines.protocol import RECORDS, SOURCE


class DuckWriter(DuckEngine):
    """``failing`` names a step that stops with an error, of the kind ``error``; ``unsortable`` are names of columns."""

    kind, failing, error, unsortable = "spark", "", KeyboardInterrupt, ()

    def rows(self, relation):
        path = relation.place.path
        if Path(path).is_dir() and path:
            relation = replace(relation, place=replace(relation.place, path=f"{path}/*.parquet"))
        return super().rows(relation)

    def group_sizes(self, relation, kept, others, entity):
        query = sizes_of(SOURCE, kept, others, entity).sql
        return self.fetched(f"WITH {SOURCE} AS (FROM {self.rows(relation)}) {query}")

    def zeros_apart(self, relation):
        floats = [field.name for field in self.describe(relation) if str(field.type) in ("float", "double")]
        if not floats:
            return relation
        held = ", ".join(f"bool_or({name_of(name)} = 0 AND signbit({name_of(name)}))" for name in floats)
        found = self.fetched(f"SELECT {held} FROM {self.rows(relation)}").columns
        return relation.cast([name for name, one in zip(floats, found, strict=True) if one[0].as_py()], "VARCHAR")

    def common(self, relation, column, least):
        counted = f"SELECT {name_of(column)} AS value, count(*) AS records FROM {self.rows(relation)} GROUP BY 1"
        kept = self.fetched(f"FROM ({counted}) WHERE records >= {least}")
        every = self.fetched(f"SELECT count(*) FROM ({counted})").column(0)[0].as_py()
        return kept.rename_columns(["value", RECORDS]), every - kept.num_rows

    def unsorted(self, relation, columns):
        return tuple(name for name in columns if name in self.unsortable)

    def write(self, relation, rows, lookups, target, records=None):
        assert not self.exists(target)
        assert records
        for name, table in lookups.items():
            self.connection.register(name, table)
        if relation is not None:
            self.connection.execute(f"CREATE OR REPLACE TEMP VIEW {SOURCE} AS FROM {self.rows(relation)}")
        if target.path:
            Path(target.path).mkdir()
            self.connection.execute(f"COPY ({rows}) TO '{target.path}/part.parquet' (FORMAT parquet)")
        else:
            self.connection.execute(f"CREATE TABLE {table_of(target)} AS {rows}")
        self.step("write")

    def rename(self, staging, target):
        self.step("rename")
        self.drop(target)
        if target.path:
            Path(staging.path).rename(target.path)
        else:
            self.connection.execute(f"ALTER TABLE {table_of(staging)} RENAME TO {name_of(target.parts[-1])}")

    def drop(self, staging):
        if staging.path:
            shutil.rmtree(staging.path, ignore_errors=True)
        else:
            self.connection.execute(f"DROP TABLE IF EXISTS {table_of(staging)}")

    def exists(self, place):
        if place.path:
            return Path(place.path).exists()
        return place.parts[-1] in self.tables()

    def count_by(self, relation, columns, most=None):
        if "unfinished" in str(relation):
            self.step("audit")
        return super().count_by(relation, columns, most)

    def step(self, name):
        if name == self.failing:
            raise self.error

    def tables(self):
        return {name for (name,) in self.connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}


def table_of(place):
    return ".".join(map(name_of, place.parts))
