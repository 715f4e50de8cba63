"""The workload of a config: the file of the queries that whoever receives a release will ask."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from anonduck.errors import ConfigError


@dataclass(frozen=True)
class WorkloadText:
    """The text of a workload, and the file that it was read from."""

    path: Path
    text: str


def workload_text(named: str | None, folder: Path) -> WorkloadText | None:
    """The workload that a config names by its file, whose path is relative to a folder; None without one.

    Raises ConfigError where the file cannot be read.
    """
    if named is None:
        return None
    path = folder / Path(named).expanduser()
    try:
        return WorkloadText(path, path.read_bytes().decode("utf-8-sig"))
    except (OSError, UnicodeDecodeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is no UTF-8 text"
        raise ConfigError(
            f"the workload {path} cannot be read: {reason}. Name a file of SELECT statements over the table "
            "`released`, or take `workload` out of the config"
        ) from None
