"""A program in which one executor of a cluster is killed at work: once in a scan, once in the writing of a release.

Its arguments are a folder with the Parquet files ``source``, and the name of the release in it. It prints, as JSON, the
rules and how many tasks were done at each kill.
"""

import contextlib
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

CLUSTER = "local-cluster[2,1,1024]"
QUICK = "-XX:TieredStopAtLevel=1"  # what runs for seconds is not worth compiling well
FILES, PARTS = 20, 8
RULE = {"age": 3, "education": 2}
ROLES = {
    "class_": "class",
    "quasi_identifiers": ["age", "education", "marital-status", "sex", "race"],
    "insensitive": ["workclass", "hours-per-week"],
    "models": [],
    "requirement": {"k": 3, "suppression": 0.1},
}
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.sql.files.openCostInBytes": str(128 << 20),  # each file is a task
    "spark.sql.shuffle.partitions": str(PARTS),
    "spark.sql.adaptive.coalescePartitions.enabled": "false",
    "spark.driver.extraJavaOptions": QUICK,
    "spark.executor.extraJavaOptions": QUICK,
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}


def executors(port):
    """The processes that work for the driver at a port."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (process / "cmdline").read_bytes().decode().split("\0")
            if "org.apache.spark.executor.CoarseGrainedExecutorBackend" in words:
                found += [int(process.name)] * any(word.endswith(f"@127.0.0.1:{port}") for word in words)
    return found


class Killer(threading.Thread):
    """Kills one executor as soon as some tasks of a stage of ``size`` are done, and others are not."""

    def __init__(self, session, size, ready):
        super().__init__(daemon=True)
        self.tracker, self.port = session.sparkContext.statusTracker(), session.conf.get("spark.driver.port")
        self.size, self.ready, self.killed = size, ready, None

    def run(self):
        while self.killed is None:
            for stage in map(self.tracker.getStageInfo, self.tracker.getActiveStageIds()):
                if stage is None or stage.numTasks != self.size or not self.ready():
                    continue
                if 0 < stage.numCompletedTasks < self.size:
                    os.kill(executors(self.port)[0], signal.SIGKILL)
                    self.killed = stage.numCompletedTasks
                    return
            time.sleep(0.01)


def main(folder, target):
    from pyspark.sql import SparkSession

    from anonduck import Project
    from anonduck.engines import spark_writing

    spark_writing.PART_ROWS = 48_842 // PARTS  # so that the release is written by as many tasks
    session = SparkSession.builder.master(CLUSTER).config(map=SETTINGS).getOrCreate()
    with Project(source=f"{folder}/source", engine=session, **ROLES) as project:
        scan = Killer(session, FILES, lambda: True)
        scan.start()
        rules = project.discover().rules
        staged = Path(folder, f"{target.rstrip('/')}__anonduck_unfinished", "_temporary")
        write = Killer(session, PARTS, staged.exists)
        write.start()
        project.release(RULE, target)
    told = [[rule.levels, repr(rule.measures)] for rule in rules]
    print(json.dumps({"rules": told, "done": [scan.killed, write.killed]}))
    session.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
