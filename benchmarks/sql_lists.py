"""Where a list of values is better joined than written into a CASE: seconds of a release's SELECT, in both forms.

    python benchmarks/sql_lists.py [--engine sqlite ...] [--rows 100000]

Each value has a label of its own, which is the worst case of a CASE. Engines are those of tests/sql_engines.py.
"""

import argparse
import sys
import time
from pathlib import Path

import duckdb

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from sql_engines import ENGINES, Table

from anonduck.statements.pipeline import builder_script
from anonduck.statements.pipeline.builder_release import RuleColumn
from anonduck.statements.pipeline.engines import engine_named
from anonduck.statements.pipeline.select_parts import ListedValues

SIZES = (100, 400, 1_600)


class DuckDB:
    """DuckDB, as the other engines are used."""

    dialect = "duckdb"

    def __init__(self):
        self.connection = duckdb.connect()

    def load(self, name, table):
        """Make a table of the rows of another connection's."""
        self.connection.register("given", table.connection.execute(table.query).to_arrow_table())
        self.connection.execute(f"CREATE TABLE {name} AS FROM given")

    def rows(self, text):
        """The rows of a query."""
        return self.connection.execute(text).fetchall()

    def close(self):
        """Close it."""
        self.connection.close()


def counting(dialect, size, *, joined):
    """A count of the rows of a SELECT by a list of some size, each value with its own label."""
    read = builder_script.reading(engine_named(dialect), {"job": "VARCHAR"}, table=f"jobs_{size}", joined=joined)
    rows = ((None, None), *((f"job {n}", f"label {n}") for n in range(size)))
    if not joined:
        read = type(read)(read.engine, read.relation, read.kinds, most_listed=size)
    column = RuleColumn("job", 1, 2, "*", looked_up=True)
    text = builder_script.select_text([column], [ListedValues("job", "VARCHAR", rows)], read)
    return f"SELECT min(t.job), max(t.job), count(*) FROM ({text}) AS t"


def main():
    """Print a line for each engine and size."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--engine", nargs="+", default=["duckdb", "sqlite"])
    options.add_argument("--rows", type=int, default=100_000)
    asked = options.parse_args()
    for name in asked.engine:
        engine = {"duckdb": DuckDB, **ENGINES}[name]()
        with duckdb.connect() as source:
            for size in SIZES:
                query = f"SELECT 'job ' || (i * 7919 % {size}) AS job FROM range({asked.rows}) AS r(i)"
                source.execute(f"CREATE TABLE jobs_{size} AS {query}")
                engine.load(f"jobs_{size}", Table(source, f"jobs_{size}"))
                took = {}
                for joined in (False, True):
                    text = counting(name, size, joined=joined)
                    times = []
                    for _ in range(3):
                        begun = time.perf_counter()
                        engine.rows(text)
                        times.append(time.perf_counter() - begun)
                    took[joined] = min(times)
                print(f"{name} {size:5} values: CASE {took[False]:.3f} s, join {took[True]:.3f} s", flush=True)
        engine.close()


if __name__ == "__main__":
    main()
