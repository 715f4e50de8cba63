"""One table read on each way that anonduck reads one: opened, released by a command, from Python, as another export."""

import csv
from collections import Counter

import yaml
from bad_inputs import told

from anonduck import Project
from anonduck.config.reading import make_config
from anonduck.database.connection import Database
from anonduck.source.source import open_source
from anonduck.statements import Statement

RULE = "y=0"
ROLES = {"class": "c", "quasi_identifiers": ["y"]}


def opened(folder, source, **keys):
    """The types of a source's columns, its records as a multiset of dictionaries by column, and its remarks."""
    database = Database()
    try:
        found = open_source(database, make_config({"source": source, **keys}), folder)
        rows = database.records(Statement("tests", "SELECT * FROM source"))
    finally:
        database.close()
    return {column.name: column.type for column in found.columns}, rows, found.remarks


def values(folder, source, column="x", **keys):
    """The type of a column, its values as a multiset, and the remarks."""
    types, rows, remarks = opened(folder, source, **keys)
    return types[column], Counter(row[column] for row in rows), remarks


def _shown(path, column):
    with path.open(newline="") as file:
        return Counter(row[column] for row in csv.DictReader(file))


def released(capsys, folder, source, column="x", **keys):
    """What the releases of a source show in a column that they keep, as texts: the same on every way, or this fails."""
    config = {"source": source, **ROLES, "sensitive": [column], **keys}
    (folder / "anonduck.yml").write_text(yaml.safe_dump(config))
    command = ("release", RULE, "--require", "k=1", "--overwrite")
    code, text = told(capsys, folder, *command, "-o", "command.csv")
    assert code == 0, text
    code, text = told(capsys, folder, *command, "--source", source, "-o", "source.csv")
    assert code == 0, text
    settings = {**config, "class_": config["class"]}
    del settings["class"], settings["source"]
    with Project(source=str(folder / source), **settings) as project:
        project.release(RULE, folder / "python.csv", overwrite=True, requirement={"k": 1})
    ways = [_shown(folder / f"{way}.csv", column) for way in ("command", "source", "python")]
    assert ways[0] == ways[1] == ways[2]
    return ways[0]
