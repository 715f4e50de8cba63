"""The roles that a config gives to the columns of a file, such as a release that another tool has made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonduck.config.config import FILE_NAME
from anonduck.config.reading import read_config


@dataclass(frozen=True)
class FileRoles:
    """The class, the sensitive and the insensitive columns of a file, and where they are named.

    All other columns of the file are quasi-identifiers, also those that the config does not know. ``unexpected`` are
    those that it leaves out of every release.
    """

    config: str
    class_: str | None
    sensitive: tuple[str, ...]
    insensitive: tuple[str, ...]
    unexpected: tuple[str, ...]

    @property
    def arguments(self) -> dict[str, Any]:
        """The same as arguments of an audit or an attack."""
        return {"class_": self.class_, "sensitive": self.sensitive, "insensitive": self.insensitive}

    @property
    def words(self) -> str:
        """Which roles come from where, in a sentence."""
        class_ = [] if self.class_ is None else [f"class {self.class_}"]
        named = [("sensitive", self.sensitive), ("insensitive", self.insensitive)]
        told = [*class_, *(f"{role} {', '.join(names)}" for role, names in named if names)]
        return f"roles from {self.config}: {'; '.join([*told, 'all other columns are quasi-identifiers'])}"

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the file should not hold, by the config."""
        return tuple(
            f"the file has the column {name!r}, which {self.config} leaves out of every release"
            for name in self.unexpected
        )


def roles_of_file(path: Path, columns: Sequence[str], given: Mapping[str, Any]) -> FileRoles:
    """The roles of a file's ``columns`` by the config at a path, or in a folder; those that are ``given`` win.

    ``given`` has columns by role: ``class_``, ``sensitive``, ``insensitive``, and by other names those of other roles.
    A class that k counts is a quasi-identifier. Raises ConfigError for a config that cannot be read.
    """
    path = path / FILE_NAME if path.is_dir() else path
    config = read_config(path)
    taken = {name for value in given.values() for name in ([value] if isinstance(value, str) else value or ())}

    def held(names: Sequence[str]) -> tuple[str, ...]:
        return tuple(name for name in names if name in columns and name not in taken)

    counted = "class" in config.k_counts
    return FileRoles(
        config=str(path),
        class_=given.get("class_") or next(iter([] if counted else held([config.class_])), None),
        sensitive=(*given.get("sensitive", ()), *held(config.sensitive)),
        insensitive=(*given.get("insensitive", ()), *held(config.insensitive)),
        unexpected=held([*config.left_out, *config.drop]),
    )
