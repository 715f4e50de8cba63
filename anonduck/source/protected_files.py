"""Files that nothing written may replace or join: source, config, decision database, taxonomy files.

A file that the source's pattern matches would be read as records of the source the next time, so that it is refused
even where nothing stands there yet.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from anonduck.database.files import log_of, spill_of
from anonduck.database.lake_tables import is_lake_table, lake_folder
from anonduck.errors import AnonduckError

if TYPE_CHECKING:
    from anonduck.config.config import Config

ANY_DEPTH = "**"


@dataclass(frozen=True)
class ProtectedFiles:
    """Protected files with what each is, and the patterns that match the files of a source."""

    files: Mapping[Path, str]
    patterns: tuple[Path, ...] = ()

    def refuse(self, paths: Iterable[Path], kind: type[AnonduckError]) -> None:
        """Raise an error of that kind if one of the paths is a protected file, or would be read as one."""
        for path in paths:
            for one in {path, Path(os.path.realpath(path))}:
                self._refuse_file(one, path, kind)
                self._refuse_match(one, path, kind)

    def _refuse_file(self, path: Path, named: Path, kind: type[AnonduckError]) -> None:
        for file, what in self.files.items():
            if _same(path, file):
                raise kind(f"{named} is {what} itself, which is never overwritten; name another file")

    def _refuse_match(self, path: Path, named: Path, kind: type[AnonduckError]) -> None:
        for pattern in self.patterns:
            if matches(pattern, path):
                raise kind(
                    f"{named} would be read as part of the source, which is {pattern}; write to another folder, or "
                    "under a name that it does not match"
                )


def protected(
    config: Config,
    folder: Path,
    *,
    config_path: Path | None = None,
    database: Path | None = None,
    files: Sequence[Path] = (),
) -> ProtectedFiles:
    """The files that a project needs: its config, decision database, source and taxonomy files."""
    held: dict[Path, str] = {}
    for file in files:
        held |= with_log(file, "the source")
    patterns: list[Path] = []
    if config.source:
        _add_source(held, patterns, folder, config.source)
    if config_path is not None:
        held[config_path] = "the config"
    if database is not None:
        held |= with_log(database, "the decision database")
        held[spill_of(database)] = "the folder that the decision database spills to"
    if config.policy is not None:
        held[folder / Path(config.policy).expanduser()] = "the policy"
    if config.workload is not None:
        held[folder / Path(config.workload).expanduser()] = "the workload"
    for column, options in config.taxonomies.items():
        if options.file is not None:
            held[folder / Path(options.file).expanduser()] = f"the taxonomy file of {column!r}"
    return ProtectedFiles(held, tuple(patterns))


def with_source(known: ProtectedFiles, folder: Path, source: str) -> ProtectedFiles:
    """The same and another source, whose path is relative to ``folder``."""
    held, patterns = dict(known.files), list(known.patterns)
    _add_source(held, patterns, folder, source)
    return ProtectedFiles(held, tuple(patterns))


def with_log(database: Path, what: str) -> dict[Path, str]:
    """A DuckDB file and its log, by what they are."""
    return {database: what, log_of(database): f"the log of {what}"}


def _add_source(held: dict[Path, str], patterns: list[Path], folder: Path, source: str) -> None:
    if is_lake_table(source):
        table = lake_folder(source, folder)
        held |= {} if table is None else {table: "the source"}
        return
    if "::" in source:
        held |= with_log(folder / source.rpartition("::")[0], "the source")
        return
    held[folder / source] = "the source"
    if (folder / source).is_dir():
        patterns.append(folder / source / ANY_DEPTH)
    if glob.has_magic(source):
        patterns.append(folder / source)


def matches(pattern: Path, path: Path) -> bool:
    """Whether an absolute ``pattern`` of DuckDB would match a file at ``path``, by any folders and links."""
    *folders, last = pattern.parts
    if last == ANY_DEPTH:
        folders, last = [*folders, ANY_DEPTH], "*"
    where = os.path.realpath(path.parent)
    return any(
        (_fits(path.name, last) and os.path.realpath(folder) == where) or _holds(folder, last, path)
        for folder in _folders(folders)
    )


def _holds(folder: Path, last: str, path: Path) -> bool:
    """Whether a file of a folder that matches is the same as one that stands at ``path``, by a link."""
    if not path.exists():
        return False
    return any(_fits(name, last) and _same(folder / name, path) for name in _names(folder))


def _fits(name: str, part: str) -> bool:
    """Whether a name is what one part of a pattern says, as a pattern or word for word."""
    return name == part or fnmatchcase(name, part)


def _folders(parts: Sequence[str]) -> list[Path]:
    """The folders that a pattern's files may lie in; ``**`` goes down without following links, as in DuckDB."""
    found = [Path(parts[0])]
    for part in parts[1:]:
        if part == ANY_DEPTH:
            found = [Path(below) for one in found for below, _, _ in os.walk(one)]
        elif glob.has_magic(part):
            found = [one / name for one in found for name in _names(one) if _fits(name, part)]
            found = [one for one in found if one.is_dir()]
        else:
            found = [one / part for one in found]
    return found


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _same(one: Path, other: Path) -> bool:
    """Whether two paths lead to one file, by any spelling or link, or would if it were there."""
    try:
        return os.path.samefile(one, other)
    except OSError:
        return os.path.realpath(one) == os.path.realpath(other)
