"""dbt, SQLMesh and Airflow for the tests, each in an environment of its own, and small projects of theirs."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

SILENT = {"DBT_SEND_ANONYMOUS_USAGE_STATS": "false", "NO_COLOR": "1", "COLUMNS": "400"}


def tool(name):
    """The path of ``dbt``, ``sqlmesh`` or ``airflow``: in the folder that ANONDUCK_DBT and so on name, or on the path.

    Where there is none the test is skipped, with the reason; with CI=true it fails.
    """
    variable = f"ANONDUCK_{name.upper()}"
    found = shutil.which(name, path=os.environ.get(variable)) or (not os.environ.get(variable) and shutil.which(name))
    if found:
        return found
    reason = f"no {name} is installed: name the folder of its command by {variable} (see .ci/run)"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
    return ""


def ran(folder, name, *arguments):
    """What a tool came to in a folder: its exit code and all that it printed."""
    return told([tool(name), *arguments], folder)


def ran_in_airflow(folder, script):
    """What a script came to in the environment of Airflow: its exit code and all that it printed."""
    return told([Path(tool("airflow")).with_name("python"), script], folder, AIRFLOW_HOME=str(folder / "airflow"))


def told(command, folder, **more):
    variables = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")} | SILENT | more
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def dbt_project(folder, plugins=()):
    """A dbt project over ``shop.duckdb`` with the package of anonduck."""
    from anonduck.release.dbt.model import package_folder

    tool("dbt")
    (folder / "models").mkdir(parents=True)
    (folder / "dbt_project.yml").write_text("name: shop\nversion: '1.0'\nprofile: shop\n")
    output = {"type": "duckdb", "path": "shop.duckdb", "threads": 1, "plugins": list(plugins)}
    (folder / "profiles.yml").write_text(json.dumps({"shop": {"target": "dev", "outputs": {"dev": output}}}))
    (folder / "packages.yml").write_text(json.dumps({"packages": [{"local": str(package_folder())}]}))
    code, told = ran(folder, "dbt", "deps")
    assert code == 0, told
    return folder


def results(folder):
    """What dbt's last command says of each node, by the node's name: status, failures and message."""
    document = json.loads((folder / "target" / "run_results.json").read_text())
    return {one["unique_id"].split(".")[2]: one for one in document["results"]}


def add_models(folder, **models):
    for name, text in models.items():
        Path(folder, "models", f"{name}.sql").write_text(text, encoding="utf-8")
