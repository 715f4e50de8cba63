"""What the files of a project are called; apart from the config's keys, whose models take long to load."""

from __future__ import annotations

FILE_NAME = "anonduck.yml"
DATABASE_NAME = "anonduck.duckdb"
SCHEMA_NAME = "anonduck.schema.json"
