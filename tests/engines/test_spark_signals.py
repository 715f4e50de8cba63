"""A signal to the process group ends a job in Spark as one to the process alone: Java must not end first."""

import json
import os
import signal
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sql_engines import missing, refuse_absent

STAGED = "out.parquet__anonduck_unfinished"
PATIENCE = 120  # seconds that Spark may take until it writes


@pytest.mark.slow
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGTERM, 143), (signal.SIGKILL, -9)])
def test_a_signal_to_the_group_leaves_no_rows_and_says_which_it_was(tmp_path, sent, code):
    """The rows are written, and a task of Java sleeps when the signal comes; after SIGKILL only Java can remove them,
    as after a SIGTERM that it answers too late."""
    refuse_absent("spark", missing("spark"))
    pq.write_table(pa.table({"age": [n % 5 for n in range(100)], "class": ["y", "n"] * 50}), tmp_path / "in.parquet")
    keys = {"source": "in.parquet", "engine": {"kind": "spark", "master": "local[1]"}, "class": "class", "models": []}
    (tmp_path / "anonduck.yml").write_text(json.dumps(keys | {"select": "information_gain"}))
    (tmp_path / "slow.py").write_text(
        "import os, pathlib\n"
        "from pyspark import SparkContext\n"
        "from anonduck.engines.spark_session import with_progress\n"
        "from anonduck.engines.spark_writing import SparkWriting\n"
        "before = SparkWriting.write\n"
        "def write(self, *args):\n"
        "    before(self, *args)\n"
        "    pathlib.Path('java').write_text(str(os.getpgid(SparkContext._gateway.proc.pid)))\n"
        "    pathlib.Path('written').touch()\n"
        "    query = \"SELECT reflect('java.lang.Thread', 'sleep', 60000L)\"\n"
        "    with_progress(self.session, lambda: self.session.sql(query).collect(), lambda *_: None)\n"
        "SparkWriting.write = write\n"
        "from anonduck.__main__ import main\n"
        "main()\n"
    )
    command = [sys.executable, "slow.py", "release", "age=0", "-o", "out.parquet/"]
    begun = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True)
    ends = time.monotonic() + PATIENCE
    while not (tmp_path / "written").exists():
        assert begun.poll() is None, begun.stderr.read()
        assert time.monotonic() < ends
        time.sleep(0.1)
    assert (tmp_path / "java").read_text() != str(begun.pid), "Java would get what the group gets"
    assert (tmp_path / STAGED).exists()
    os.killpg(begun.pid, sent)
    _, told = begun.communicate(timeout=PATIENCE)
    assert (begun.returncode, "bug" in told) == (code, False), told
    while sent == signal.SIGKILL and (tmp_path / STAGED).exists():
        assert time.monotonic() < ends
        time.sleep(0.1)
    assert [one.name for one in tmp_path.iterdir() if one.is_dir() and "out" in one.name] == []
    if sent == signal.SIGTERM:
        assert [one.name for one in tmp_path.iterdir() if "out" in one.name] == []


def test_what_fails_after_a_signal_ends_as_the_signal_does(tmp_path):
    """As where a process beside this one ended first, and what it answers is an error."""
    (tmp_path / "ended.py").write_text(
        "import os, signal, sys\n"
        "import anonduck.cli, anonduck.__main__\n"
        "def failing():\n"
        "    try:\n"
        "        os.kill(os.getpid(), signal.SIGTERM)\n"
        "    except KeyboardInterrupt:\n"
        "        sys.exit(4)\n"
        "anonduck.cli.main = failing\n"
        "anonduck.__main__.main()\n"
    )
    assert subprocess.run([sys.executable, "ended.py"], cwd=tmp_path, check=False).returncode == 143
