"""The Airflow task of docs/etl.md, rendered and executed by Airflow itself."""

import json
import re
import sys
from pathlib import Path

from building import ran_in_airflow
from oracles import people

from anonduck import Project

PAGE = Path(__file__).parents[2] / "docs" / "etl.md"
EXECUTED = """
context = {"ds": "2026-01-31"}
anonymize.render_template_fields(context)
anonymize.execute(context)
"""


def task(folder):
    """The block of the page with folders of the test's own, as a script that executes its task."""
    (block,) = re.findall(r"^```python[^\n]*Airflow[^\n]*\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    block = block.replace("/etl/privacy/", f"{folder}/").replace("/out/", f"{folder}/")
    assert "/etl" not in block
    commands = Path(sys.executable).parent
    (folder / "task.py").write_text(
        f"import os\nos.environ['PATH'] = '{commands}:' + os.environ['PATH']\n{block}{EXECUTED}"
    )
    return folder / "task.py"


def test_the_task_releases_by_the_lock_and_fails_where_the_command_does(tmp_path):
    people(300).to_parquet(tmp_path / "people.parquet")
    keys = {"source": "people.parquet", "class": "class", "insensitive": ["note"], "models": []}
    (tmp_path / "anonduck.yml").write_text(json.dumps(keys))
    script = task(tmp_path)
    code, told = ran_in_airflow(tmp_path, script)
    assert code == 1, told
    assert "returned a non-zero exit code 2" in told
    with Project(tmp_path / "anonduck.yml") as one:
        found = one.discover().rules
        one.lock(found[0].id)
    code, told = ran_in_airflow(tmp_path, script)
    assert code == 0, told
    code, told = ran_in_airflow(tmp_path, script)
    assert code == 0, f"a retry fails: {told}"
    receipt = json.loads((tmp_path / "customers_2026-01-31.parquet.receipt.json").read_text())
    assert receipt["k"] >= 5
