"""Tables of Delta and Iceberg: folders whose log says which of their files hold records.

Whoever reads the files alone gets back every record that was deleted or replaced, as its file stays for days.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from anonduck.errors import AnonduckError

LOGS = {"delta": ("_delta_log",), "iceberg": ("metadata/*.metadata.json", "metadata/*.metadata.json.gz")}
"""Where the log of a table is, by its format, as patterns in the table's folder."""

TITLES = {"delta": "a Delta table", "iceberg": "an Iceberg table"}
NAMED = tuple(f"{kind}:" for kind in LOGS)

READ = {
    "delta": "Name the table: delta:{folder} (`pip install 'anonduck[delta]'`), or in Spark, with Delta's connector, "
    "table:delta.`{folder}`. From Python, a relation of DuckDB's extension `delta` serves too where you installed it: "
    "delta_scan('{folder}')",
    "iceberg": "Name the table: iceberg:CATALOG::NAMESPACE.TABLE, or iceberg:{folder}/metadata/FILE.metadata.json of "
    "its newest version (`pip install 'anonduck[iceberg]'`), or in Spark, with Iceberg's connector, "
    "table:CATALOG.NAMESPACE.TABLE. From Python, a relation of DuckDB's extension `iceberg` serves too where you "
    "installed it: iceberg_scan('{folder}')",
}
"""The next step of whoever named files of a table, by its format."""


OWN_FILE = "Write its rows, read by that log, to a file of their own, and name that"
"""The next step where only a file serves."""


@dataclass(frozen=True)
class LakeTable:
    """The table that a file belongs to: its format, a key of ``LOGS``, and its folder."""

    kind: str
    folder: str

    def __str__(self) -> str:
        """As messages call it."""
        return f"{TITLES[self.kind]}, {self.folder}"

    def refusal(self, text: str, way: str = "") -> str:
        """Why ``text``, which names files of the table, is not read; ``way`` is the next step."""
        return (
            f"{text} is part of {self}, whose log says which of its files hold records; the files alone give back "
            f"deleted and replaced ones. {way or READ[self.kind].format(folder=self.folder)}"
        )


def table_above(paths: Iterable[str | Path]) -> LakeTable | None:
    """The table that one of the paths belongs to: its log is at or above it, by its name or by where links lead."""
    start = Path().resolve()
    given = [start / path for path in paths]
    named = {os.path.normpath(path) for path in given} | {os.path.realpath(path) for path in given}
    starts = {Path(path if os.path.isdir(path) else os.path.dirname(path)) for path in named}
    folders = {folder for start in starts for folder in (start, *start.parents)}
    deepest_first = sorted(folders, key=lambda folder: (-len(folder.parts), folder))
    return next((LakeTable(k, str(f)) for f in deepest_first for k in LOGS if _has_log(f, k)), None)


def _has_log(folder: Path, kind: str) -> bool:
    return any(next(folder.glob(pattern), None) is not None for pattern in LOGS[kind])


def refuse_lake_files(paths: Iterable[str | Path], text: str, error: type[AnonduckError], way: str = "") -> None:
    """Raise an error of that kind if one of the paths, which ``text`` names, belongs to a table."""
    found = table_above(paths)
    if found is not None:
        raise error(found.refusal(text, way))


# -- tables by their names ---------------------------------------------------------------------------------------------


def is_lake_table(text: str) -> bool:
    """Whether a source is named as a table of Delta or Iceberg.

    >>> is_lake_table("delta:exports/people@3"), is_lake_table("exports/people"), is_lake_table("./delta:odd.csv")
    (True, False, False)
    """
    return text.startswith(NAMED)


def is_path(name: str) -> bool:
    """Whether a table is named by a path of this machine, not by an address or a catalog.

    >>> is_path("exports/people"), is_path("s3://exports/people"), is_path("catalog::sales.people")
    (True, False, False)
    """
    return "://" not in name and "::" not in name


def with_path(text: str, change: Callable[[str], str]) -> str:
    """The same table, with its path changed if it has one.

    >>> with_path("delta:people@3", "/exports/".__add__), with_path("iceberg:sales::people", "/exports/".__add__)
    ('delta:/exports/people@3', 'iceberg:sales::people')
    """
    kind, colon, name = text.partition(":")
    return kind + colon + (change(name) if is_path(name) else name)
