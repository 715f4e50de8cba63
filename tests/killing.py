"""A release that takes long enough to be ended in its midst, as a process of its own."""

import subprocess
import sys

import duckdb

RELEASING = """
import sys
from anonduck import Project
source, target = sys.argv[1:]
with Project(source=source, class_="class", insensitive=["note"], requirement={"k": 1}) as project:
    project.release({"age": 0}, target, overwrite=True)
"""


def big_export(folder, rows):
    """A source of so many records, as a Parquet file."""
    path = folder / "big.parquet"
    query = f"SELECT i % 50 AS age, hash(i)::VARCHAR AS note, i % 3 AS class FROM range({rows}) AS r(i)"
    duckdb.sql(f"COPY ({query}) TO '{path}'")
    return path


def releasing(source, target):
    """The process that releases it."""
    arguments = [sys.executable, "-c", RELEASING, str(source), str(target)]
    return subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True)
