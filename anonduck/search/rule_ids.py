"""The ids of stored rules, looked up without opening the decision database for work."""

from __future__ import annotations

from pathlib import Path

from anonduck.config.reading import read_config
from anonduck.database.files import rows_if_readable
from anonduck.statements import statement


def stored_ids(config: Path) -> list[tuple[str, str]]:
    """Id and literal of each rule of the last discovery; none where there is none.

    Raises ConfigError for a config that cannot be read.
    """
    database = config.resolve().parent / read_config(config).database
    return [(str(one), str(literal)) for one, literal in rows_if_readable(database, statement("search/rule_ids.sql"))]
