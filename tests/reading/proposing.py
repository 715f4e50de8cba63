"""Small exports, and what `init` proposes of them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from anonduck.init.init import initialize

ROWS = 120


def table(**columns: Sequence[Any]) -> pd.DataFrame:
    """A table with these columns, in which a job and a class follow from the row's number."""
    rows = len(next(iter(columns.values())))
    jobs = [("clerk", "nurse", "judge", "baker")[i % 4] for i in range(rows)]
    return pd.DataFrame({**columns, "job": jobs, "y": ["yes" if i % 3 else "no" for i in range(rows)]})


def written(folder: Path, frame: pd.DataFrame, name: str = "people.csv", year: int = 2026) -> Path:
    """The table as a file that was written in a year."""
    path = folder / name
    if name.endswith(".csv"):
        frame.to_csv(path, index=False, sep=";")
    else:
        frame.to_parquet(path, index=False)
    moment = datetime(year, 6, 1, tzinfo=UTC).timestamp()
    os.utime(path, (moment, moment))
    return path


def proposed(folder: Path, frame: pd.DataFrame, name: str = "people.csv", year: int = 2026, **given: Any) -> Proposed:
    """The config that is proposed for the table, and what is said with it."""
    path = written(folder, frame, name, year)
    config = folder / "anonduck.yml"
    found = initialize(config, path.name, "y", here=folder, overwrite=True, **given)
    return Proposed(config, yaml.safe_load(config.read_text()), "\n".join(found.warnings))


class Proposed:
    """A config that was written, its keys, and the warnings of `init` as one text."""

    def __init__(self, path: Path, keys: Mapping[str, Any], said: str) -> None:
        self.path, self.keys, self.said = path, keys, said

    def taxonomy(self, column: str) -> Mapping[str, Any]:
        """The taxonomy that is proposed for a column."""
        return self.keys["taxonomies"][column]
