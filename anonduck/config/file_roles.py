"""The roles that a config gives to the columns of a file, such as a release that another tool has made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anonduck.config.file_names import FILE_NAME
from anonduck.config.reading import read_config


@dataclass(frozen=True)
class FileRoles:
    """The class, sensitive and insensitive columns of a file, and the config that names them.

    All other columns of the file are quasi-identifiers, even if the config does not name them. ``unexpected`` columns
    are in the file although the config leaves them out of every release.
    """

    config: str
    class_: str | None
    sensitive: tuple[str, ...]
    insensitive: tuple[str, ...]
    unexpected: tuple[str, ...]
    order: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """The roles and the config that they come from, in a sentence."""
        class_ = [] if self.class_ is None else [f"class {self.class_}"]
        named = [("sensitive", self.sensitive), ("insensitive", self.insensitive)]
        named_columns = [*class_, *(f"{role} {', '.join(names)}" for role, names in named if names)]
        return f"roles from {self.config}: {'; '.join([*named_columns, 'all other columns are quasi-identifiers'])}"

    @property
    def warnings(self) -> tuple[str, ...]:
        """A warning for each column that the config leaves out of every release."""
        return tuple(
            f"the file has the column {name!r}, which {self.config} leaves out of every release"
            for name in self.unexpected
        )


def roles_of_file(path: Path, columns: Sequence[str], given: Mapping[str, Any]) -> FileRoles:
    """Read the roles of a file's ``columns`` from a config; roles that are ``given`` take precedence.

    Args:
        path: the config file, or its folder.
        columns: the names of the file's columns.
        given: columns by role: ``class_``, ``sensitive``, ``insensitive``, and any other names for other roles.

    Raises ConfigError if the config cannot be read.
    """
    path = path / FILE_NAME if path.is_dir() else path
    config = read_config(path)
    taken = {name for value in given.values() for name in ([value] if isinstance(value, str) else value or ())}

    def held(names: Sequence[str]) -> tuple[str, ...]:
        return tuple(name for name in names if name in columns and name not in taken)

    return FileRoles(
        config=str(path),
        class_=given.get("class_") or next(iter(held(config.named_roles()["class"])), None),
        sensitive=(*given.get("sensitive", ()), *held(config.sensitive)),
        insensitive=(*given.get("insensitive", ()), *held(config.insensitive)),
        unexpected=held([*config.left_out, *config.drop]),
        order={name: config.order[name] for name in held(config.sensitive) if name in config.order},
    )
