"""One session of Spark for all tests of a process: its virtual machine takes seconds to start."""

import pytest
from sql_engines import ZONE, missing, refuse_absent


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """A session of the caller's, on one core, in a time zone that is not UTC."""
    refuse_absent("spark", missing("spark"))
    from pyspark.sql import SparkSession

    folder = tmp_path_factory.mktemp("spark")
    settings = {
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",  # short queries end before Java compiles well
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.session.timeZone": ZONE,
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
    }
    session = SparkSession.builder.master("local[1]").config(map=settings).getOrCreate()
    yield session
    session.stop()
