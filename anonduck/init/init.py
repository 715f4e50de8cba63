"""`anonduck init`: profile an export and write the config that a person reads, edits and keeps."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonduck.config.config import DATABASE_NAME
from anonduck.config.reading import make_config
from anonduck.config.requirement import DEFAULT_K
from anonduck.database.connection import Database
from anonduck.database.private_file import unfinished_beside, write_whole
from anonduck.database.trace import Tracer
from anonduck.errors import ConfigError, SourceError
from anonduck.source.protected_files import protected
from anonduck.source.source import existing, open_source

if TYPE_CHECKING:
    from anonduck.init.advice import Advice

IGNORED = (DATABASE_NAME, f"{DATABASE_NAME}.wal", f"{DATABASE_NAME}.tmp/")


@dataclass(frozen=True)
class InitResult:
    """A config that was written, what was proposed for each column, and advice on the quasi-identifiers."""

    path: Path
    columns: tuple[dict[str, Any], ...]
    advice: Advice | None = None

    def as_json(self) -> dict[str, Any]:
        """The result as ``anonduck init --json`` prints it."""
        advice = None if self.advice is None else self.advice.as_json()
        return {"config": str(self.path), "columns": list(self.columns), "advice": advice}


def initialize(
    path: Path,
    source: str,
    class_: str,
    *,
    here: Path,
    identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    insensitive: Sequence[str] = (),
    overwrite: bool = False,
    tracer: Tracer | None = None,
) -> InitResult:
    """Profile ``source`` (relative to the folder ``here``) and write the config ``path`` with proposed roles.

    The decision database's names go into the .gitignore beside it. Raises ConfigError if the config exists and may
    not be replaced, SourceError for a source that cannot be read or a named column that it lacks.
    """
    from anonduck.init.advice import advise_sampled
    from anonduck.init.config_file import render_config
    from anonduck.init.profile import profile
    from anonduck.init.proposal import propose

    if path.exists() and not overwrite:
        raise ConfigError(f"{path} exists; edit it, or replace it with `overwrite=True`")
    if not path.resolve().parent.is_dir():
        raise ConfigError(f"there is no folder {path.resolve().parent} for the config {path}")
    config = make_config({"source": source, "class": class_}, whose="the arguments")
    held = protected(config, here, database=path.resolve().parent / DATABASE_NAME)
    held.refuse([path, unfinished_beside(path)], ConfigError)
    database = Database(tracer=tracer)
    try:
        opened = open_source(database, config, here)
        names = {column.name for column in opened.columns}
        for name in (class_, *identifiers, *sensitive, *insensitive):
            if name not in names:
                raise SourceError(f"the source {source} has no column {name!r}; {existing(opened.columns, name)}")
        proposal = propose(profile(opened.engine), class_, identifiers, sensitive, insensitive)
        quasi = [column.profile.name for column in proposal.of_role("quasi_identifiers")]
        advice = advise_sampled(opened.engine, quasi, k=DEFAULT_K)
    finally:
        database.close()
    text = render_config(proposal, relative_source(source, here, path.resolve().parent), advice=advice)
    write_whole(path, text)
    ignore(path.resolve().parent)
    columns = tuple(
        {
            "name": column.profile.name,
            "type": column.profile.type,
            "distinct": column.profile.distinct,
            "nulls": column.profile.nulls,
            "uniqueness": column.profile.uniqueness,
            "role": column.role,
            "taxonomy": dict(column.taxonomy) if column.taxonomy else None,
            "reason": column.reason,
        }
        for column in proposal.columns
    )
    return InitResult(path, columns, advice)


def relative_source(source: str, here: Path, folder: Path) -> str:
    """A source that is relative to ``here``, as the config in ``folder`` names it."""
    file, marks, table = source.rpartition("::") if "::" in source else (source, "", "")
    if Path(file).is_absolute():
        return source
    return os.path.relpath(here / file, folder) + marks + table


def ignore(folder: Path) -> None:
    """Keep the decision database, which is as sensitive as the source, out of version control."""
    path = folder / ".gitignore"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    missing = [name for name in IGNORED if name not in lines]
    if missing:
        write_whole(path, "\n".join([*lines, *missing]) + "\n")
