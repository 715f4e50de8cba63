"""`anonduck init`: profile an export and write the config that a person reads, edits and keeps."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonduck.config.config import DATABASE_NAME, SCHEMA_NAME, json_schema
from anonduck.config.engine import is_of_engine
from anonduck.config.reading import make_config
from anonduck.config.requirement import DEFAULT_K
from anonduck.database.connection import Database
from anonduck.database.lake_tables import is_lake_table, with_path
from anonduck.database.private_file import unfinished_beside, write_whole
from anonduck.database.progress import Reporter
from anonduck.errors import ConfigError, SourceError, check_path
from anonduck.source.protected_files import protected
from anonduck.source.shared_database import HeldEngine
from anonduck.source.source import existing

if TYPE_CHECKING:
    from anonduck.init.advice import Advice
    from anonduck.init.proposal import RepeatingKey

IGNORED = (DATABASE_NAME, f"{DATABASE_NAME}.wal", f"{DATABASE_NAME}.tmp/", "*.owner.json")


@dataclass(frozen=True)
class InitResult:
    """A config that was written, what was proposed for each column, and advice on the quasi-identifiers.

    ``entity`` is the key of persons who have several records, if a column looks like one. ``warnings`` name columns
    that the user wants to keep although they single records out.
    """

    path: Path
    columns: tuple[dict[str, Any], ...]
    advice: Advice | None = None
    entity: RepeatingKey | None = None
    warnings: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The result as ``anonduck init --json`` prints it."""
        advice = None if self.advice is None else self.advice.as_json()
        entity = None if self.entity is None else self.entity.as_json()
        told = {"config": str(self.path), "columns": list(self.columns), "advice": advice, "entity": entity}
        return told | {"warnings": list(self.warnings)}


def initialize(
    path: Path,
    source: str,
    class_: str,
    *,
    here: Path,
    identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    insensitive: Sequence[str] = (),
    drop: Sequence[str] = (),
    quasi_identifiers: Sequence[str] = (),
    entity: str | None = None,
    csv: Mapping[str, Any] | None = None,
    engine: Any = None,
    methods: Sequence[str] | None = None,
    overwrite: bool = False,
    reporter: Reporter = Reporter(),
) -> InitResult:
    """Profile ``source`` (relative to the folder ``here``) and write the config ``path`` with proposed roles.

    Roles that are given are kept; ``entity`` is the column that identifies persons who have several records. ``csv``
    and ``engine`` are as in the config, and ``engine`` may also be a session; ``methods`` are what ``run`` chooses
    among, by default rules and two ways to divide the records into classes. ``reporter`` gets progress and SQL. The
    JSON schema is written beside the config, and the names of the decision database and of owner's files are added to
    .gitignore. Raises ConfigError if the config exists and must not be replaced, SourceError if the source cannot be
    read or lacks a named column.
    """
    from anonduck.init.advice import advise
    from anonduck.init.column_relations import relations_of
    from anonduck.init.config_file import METHODS, render_config
    from anonduck.init.profile import profile, rare_records
    from anonduck.init.proposal import may_be_kept, propose, repeating_key_of, warnings_of

    check_path(path)
    if path.exists() and not overwrite:
        raise ConfigError(f"{path} exists; edit it, or replace it with `overwrite=True`")
    if not path.resolve().parent.is_dir():
        raise ConfigError(f"there is no folder {path.resolve().parent} for the config {path}")
    offered = list(methods or METHODS)
    keys: dict[str, Any] = {"source": source, "class": class_, "csv": dict(csv or {}), "methods": offered}
    own = HeldEngine(None if isinstance(engine, Mapping) else engine)
    named_engine = {"engine": dict(engine)} if isinstance(engine, Mapping) else {}
    config = own.config_of(make_config(keys | named_engine, whose="the arguments"))
    held = protected(config, here, database=path.resolve().parent / DATABASE_NAME)
    schema = path.resolve().parent / SCHEMA_NAME
    held.refuse([path, unfinished_beside(path), schema, unfinished_beside(schema)], ConfigError)
    database = Database(tracer=reporter.trace)
    try:
        opened = own.open(database, config, here)
        names = {column.name for column in opened.columns}
        named = [] if entity is None else [entity]
        for name in (class_, *named, *identifiers, *sensitive, *insensitive, *drop, *quasi_identifiers):
            if name not in names:
                raise SourceError(f"the source {source} has no column {name!r}; {existing(opened.columns, name)}")
        profiles = profile(opened.engine, reporter.progress)
        relations = relations_of(database, profiles, class_)
        kept = [profile_.name for profile_ in profiles if may_be_kept(profile_, [class_, *sensitive, *insensitive])]
        rare = rare_records(opened.engine, kept, k=DEFAULT_K, entity=entity)
        proposal = propose(
            profiles,
            class_,
            [*identifiers, *(name for name in named if name not in identifiers)],
            sensitive,
            insensitive,
            drop=drop,
            quasi_identifiers=quasi_identifiers,
            relations=relations,
            rare=rare,
        )
        quasi = [column.profile.name for column in proposal.of_role("quasi_identifiers")]
        advice = advise(opened.engine, quasi, k=DEFAULT_K, sampled=True, progress=reporter.progress)
        key = repeating_key_of(opened.engine, proposal, entity, bounded=not config.engine.elsewhere)
    finally:
        own.close()
        database.close()
    options = config.csv.model_dump(exclude_none=True)
    text = render_config(
        proposal,
        relative_source(source, here, path.resolve().parent),
        csv=options,
        engine=config.engine.model_dump(exclude_defaults=True),
        advice=advice,
        entity=key,
        methods=offered,
    )
    write_whole(path, text)
    write_whole(schema, json.dumps(json_schema(), indent=2) + "\n")
    ignore(path.resolve().parent)
    columns = tuple(column.as_json() for column in proposal.columns)
    return InitResult(path, columns, advice, key, (*opened.remarks, *warnings_of(proposal)))


def relative_source(source: str, here: Path, folder: Path) -> str:
    """A source that is relative to ``here``, as the config in ``folder`` names it."""
    if is_of_engine(source):
        return source
    if is_lake_table(source):
        return with_path(
            source, lambda path: path if Path(path).is_absolute() else os.path.relpath(here / path, folder)
        )
    file, marks, table = source.rpartition("::") if "::" in source else (source, "", "")
    if Path(file).is_absolute():
        return source
    return os.path.relpath(here / file, folder) + marks + table


def ignore(folder: Path) -> None:
    """Keep the decision database and owner's files, which hold more than releases do, out of version control."""
    path = folder / ".gitignore"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    missing = [name for name in IGNORED if name not in lines]
    if missing:
        write_whole(path, "\n".join([*lines, *missing]) + "\n")
