"""A source behind a server of Spark Connect, which is reached without Java: what is found and released is the same."""

import contextlib
import importlib.util
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
from sql_engines import missing, refuse_absent

PATIENCE = 180  # seconds that a server may take to start
SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"
ASKED = """
from anonduck import Project, audit
keys = {"class_": "class", "insensitive": ["note"], "models": [], "select": "information_gain", "requirement": {"k": 2}}
with Project(source="table:people", engine={"kind": "spark"}, **keys) as one:
    rules = [(rule.levels, rule.measures.k) for rule in one.discover().rules]
    made = one.release({"age": 0}, "spark:released", overwrite=True)
with Project(source="people.parquet", **keys) as one:
    assert [(rule.levels, rule.measures.k) for rule in one.discover().rules] == rules
assert (made.rows, made.k) == (60, 12)
assert audit("spark:released", ["age"], class_="class", insensitive=["note"]).k == 12
from pyspark import SparkContext
assert SparkContext._gateway is None, "Java was started here"
"""


@contextlib.contextmanager
def server(folder):
    """The address of a server, in a folder of its own."""
    import pyspark

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {
        "spark.master": "local[1]",
        "spark.ui.enabled": "false",
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": port,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.warehouse.dir": folder / "warehouse",
        "spark.sql.shuffle.partitions": 1,
    }
    options = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    begun = subprocess.Popen([submit, "--class", SERVER, *options], cwd=folder, start_new_session=True, **quiet)
    try:
        ends = time.monotonic() + PATIENCE
        while True:
            assert begun.poll() is None, "the server ended"
            assert time.monotonic() < ends, "the server does not answer"
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.5)
        yield f"sc://127.0.0.1:{port}"
    finally:
        begun.terminate()
        begun.wait()


@pytest.mark.nightly
@pytest.mark.slow
def test_rules_and_rows_are_those_of_duckdb(tmp_path):
    refuse_absent("spark", missing("spark"))
    if importlib.util.find_spec("grpc") is None:
        pytest.skip("the client of Spark Connect is not installed: pip install '.[connect]'")
    frame = pd.DataFrame({"age": [n % 5 for n in range(60)], "class": ["y" if n % 5 > 2 else "n" for n in range(60)]})
    frame["note"] = [n % 9 for n in range(60)]
    frame.to_parquet(tmp_path / "people.parquet")
    make = (
        "from pyspark.sql import SparkSession; spark = SparkSession.builder.remote({0!r}).getOrCreate(); "
        "spark.read.parquet({1!r}).write.saveAsTable('people')"
    )
    with server(tmp_path) as address:
        for script, env in (
            (make.format(address, str(tmp_path / "people.parquet")), {}),
            (ASKED, {"SPARK_MASTER": address}),
        ):
            done = subprocess.run(
                [sys.executable, "-W", "ignore", "-c", script],
                cwd=tmp_path,
                env={**os.environ, **env},
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, "\n".join(line for line in done.stderr.splitlines() if "\tat " not in line)
