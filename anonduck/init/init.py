"""`anonduck init`: profile an export and write the config that a person reads, edits and keeps."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonduck.config.addresses import is_of_engine
from anonduck.config.authorship import with_digests
from anonduck.config.config import Config, json_schema
from anonduck.config.file_names import DATABASE_NAME, SCHEMA_NAME
from anonduck.config.reading import make_config
from anonduck.config.requirement import DEFAULT_K
from anonduck.database.connection import Database
from anonduck.database.lake_tables import is_lake_table, with_path
from anonduck.database.private_file import unfinished_beside, write_whole
from anonduck.database.progress import Reporter
from anonduck.errors import ConfigError, check_path
from anonduck.source.protected_files import protected
from anonduck.source.shared_database import HeldEngine

if TYPE_CHECKING:
    from anonduck.init.advice import Advice
    from anonduck.init.profile import ColumnProfile
    from anonduck.init.proposal import Proposal, RepeatingKey
    from anonduck.init.reading_proposal import ReadingProposal, Reopen
    from anonduck.source.source import Source

WITHOUT_RECORDS = (
    "the source has no records (after `where`, if one is given), so that no role can be proposed; propose them once it "
    "has some"
)
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
        found = {"config": str(self.path), "columns": list(self.columns), "advice": advice, "entity": entity}
        return found | {"warnings": list(self.warnings)}


@dataclass(frozen=True)
class Suggestion:
    """What the profile of a source suggests.

    ``config`` is what the source was opened by. ``entity`` is the key of persons who have several records, if a column
    looks like one. ``remarks`` say how the source is read, ``why`` what was proposed so that a column has its type.
    """

    config: Config
    proposal: Proposal
    advice: Advice | None
    entity: RepeatingKey | None
    remarks: tuple[str, ...]
    why: Mapping[str, str] = field(default_factory=dict)

    @property
    def warnings(self) -> tuple[str, ...]:
        """How the source is read, and the columns that the user wants to keep although they single records out."""
        from anonduck.init.proposal import warnings_of

        empty = all(column.profile.rows == 0 for column in self.proposal.columns)
        return (*self.remarks, *([WITHOUT_RECORDS] if empty else []), *warnings_of(self.proposal))

    def text(self, source: str, methods: Sequence[str] | None = None, settings: Mapping[str, Any] | None = None) -> str:
        """The config that says it, of a source as the config's folder calls it; ``methods`` are what `run` chooses
        among, if not what is usual, and ``settings`` how it searches and selects."""
        from anonduck.init.config_file import render_config

        return render_config(
            self.proposal,
            source,
            where=self.config.where,
            publication=self.config.publication.model_dump(exclude_none=True),
            requirement=self.config.requirement.model_dump(by_alias=True, exclude_unset=True),
            types=self.config.types,
            csv=self.config.csv.model_dump(exclude_none=True),
            missing_columns=self.config.missing_columns,
            dates={name: one.model_dump(exclude_none=True) for name, one in self.config.dates.items()},
            why=self.why,
            engine=self.config.engine.model_dump(exclude_defaults=True),
            advice=self.advice,
            entity=self.entity,
            methods=methods,
            settings=settings,
            show=self.config.ways,
        )


def initialize(
    path: Path,
    source: str,
    class_: str | None = None,
    *,
    here: Path,
    identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    insensitive: Sequence[str] = (),
    drop: Sequence[str] = (),
    quasi_identifiers: Sequence[str] = (),
    entity: str | None = None,
    csv: Mapping[str, Any] | None = None,
    missing_columns: str | None = "refuse",
    engine: Any = None,
    methods: Sequence[str] | None = None,
    settings: Mapping[str, Any] | None = None,
    show: Sequence[str] = (),
    publication: Mapping[str, str] | None = None,
    requirement: Mapping[str, Any] | None = None,
    where: str | None = None,
    overwrite: bool = False,
    reporter: Reporter = Reporter(),
    check: Callable[[Suggestion], None] = lambda _: None,
) -> InitResult:
    """Profile ``source`` (relative to the folder ``here``) and write the config ``path`` with proposed roles.

    Roles that are given are kept; without a class, nothing is predicted, and ``run`` chooses by detail. ``entity`` is
    the column that identifies persons who have several records. ``csv``, ``missing_columns``, ``engine``,
    ``publication`` (``recipient`` and ``purpose``), ``requirement`` and ``where`` are as in the config, and ``engine``
    may also be a session; ``methods`` are what ``run`` chooses among, ``settings`` keys that say how it searches and
    selects, and ``show`` what classes may show. ``reporter`` gets progress and SQL. The JSON schema is written beside
    the config, and the names of the decision database and of owner's files are added to .gitignore. Raises ConfigError
    if the config exists and must not be replaced, SourceError if the source cannot be read or lacks a named column.
    ``check`` sees the suggestion first; nothing is written if it raises.
    """
    check_path(path)
    if path.exists() and not overwrite:
        raise ConfigError(f"{path} exists; edit it, or replace it with `--overwrite`")
    if not path.resolve().parent.is_dir():
        raise ConfigError(f"there is no folder {path.resolve().parent} for the config {path}")
    from anonduck.init.config_file import way_to_release

    asked = dict(settings or {})
    way = way_to_release(methods, asked, has_class=class_ is not None)
    keys: dict[str, Any] = {"source": source, "class": class_, "csv": dict(csv or {}), **way, **asked}
    keys |= {"missing_columns": missing_columns}
    keys |= {"publication": dict(publication or {}), **({} if where is None else {"where": where})}
    keys |= {"show": list(show)} if show else {}
    keys |= {} if requirement is None else {"requirement": dict(requirement)}
    own = HeldEngine(None if isinstance(engine, Mapping) else engine)
    named_engine = {"engine": dict(engine)} if isinstance(engine, Mapping) else {}
    config = own.config_of(make_config(keys | named_engine, whose="the arguments"))
    held = protected(config, here, database=path.resolve().parent / DATABASE_NAME)
    schema = path.resolve().parent / SCHEMA_NAME
    held.refuse([path, unfinished_beside(path), schema, unfinished_beside(schema)], ConfigError)
    roles = {
        "identifiers": identifiers,
        "sensitive": sensitive,
        "insensitive": insensitive,
        "drop": drop,
        "quasi_identifiers": quasi_identifiers,
    }
    found = suggest(config, here, roles, entity=entity, own=own, reporter=reporter)
    check(found)
    text = found.text(relative_source(source, here, path.resolve().parent), methods, asked)
    write_whole(path, with_digests(text))
    write_whole(schema, json.dumps(json_schema(), indent=2) + "\n")
    ignore(path.resolve().parent)
    columns = tuple(column.as_json() for column in found.proposal.columns)
    return InitResult(path, columns, found.advice, found.entity, found.warnings)


def suggest(
    config: Config,
    here: Path,
    roles: Mapping[str, Sequence[str]],
    *,
    entity: str | None = None,
    data: object | None = None,
    own: HeldEngine | None = None,
    reporter: Reporter = Reporter(),
) -> Suggestion:
    """Profile the source of a config, or ``data`` in its place, and propose roles and taxonomies; writes nothing.

    Args:
        config: names the source and, if there is one, the class, and how these are read.
        here: the folder that a path in it is relative to.
        roles: columns by their role, which are kept.
        entity: the column that identifies persons who have several records.
        data: a table in place of the config's source.
        own: the engine that holds the source, if DuckDB does not.
        reporter: gets progress and SQL.

    Raises SourceError if the source cannot be read or lacks a named column.
    """
    from anonduck.init.advice import advise
    from anonduck.init.column_relations import relations_of
    from anonduck.init.profile import rare_records
    from anonduck.init.proposal import may_be_kept, propose, repeating_key_of

    own = own or HeldEngine()
    database = Database(tracer=reporter.trace)
    try:

        def reopen(config: Config) -> Source:
            return own.open(database, config, here, data)

        opened, config, reading, profiles = well_read(reopen, config, reporter)
        named = [] if entity is None else [entity]
        predicted = [] if config.class_ is None else [config.class_]
        for name in (*predicted, *named, *(name for names in roles.values() for name in names)):
            opened.column(name)
        profiles = _with_orders(opened, profiles, entity)
        with reporter.during("looking for columns that say the same"):
            relations = relations_of(database, profiles, config.class_)
        given = [*predicted, *roles.get("sensitive", ()), *roles.get("insensitive", ())]
        kept = [profile_.name for profile_ in profiles if may_be_kept(profile_, given)]
        rare = rare_records(opened.engine, kept, k=DEFAULT_K, entity=entity)
        identifiers = list(dict.fromkeys([*roles.get("identifiers", ()), *named]))
        proposal = propose(
            profiles, config.class_, **{**roles, "identifiers": identifiers}, relations=relations, rare=rare
        )
        quasi = [column.profile.name for column in proposal.of_role("quasi_identifiers")]
        advice = advise(opened.engine, quasi, k=DEFAULT_K, sampled=True, progress=reporter.progress)
        key = repeating_key_of(opened.engine, proposal, entity, bounded=not config.engine.elsewhere)
    finally:
        own.close()
        database.close()
    return Suggestion(
        _with_encoding(config, opened), proposal, advice, key, (*opened.remarks, *reading.warnings), reading.why
    )


def well_read(
    reopen: Reopen, config: Config, reporter: Reporter
) -> tuple[Source, Config, ReadingProposal, list[ColumnProfile]]:
    """The source, opened as it should be read by all that is proposed for that, and the profiles of its columns.

    What makes a column neither numbers nor dates is not proposed.
    """
    from anonduck.init.date_years import late_dates
    from anonduck.init.profile import profile
    from anonduck.init.reading_proposal import codes_read_as_text, propose_reading
    from anonduck.source.files import is_csv
    from anonduck.statements.column_types import is_text

    with reporter.during("opening the source"):
        opened = reopen(config)
    profiles = profile(opened.engine, reporter.progress)
    with reporter.during("looking at how values are written"):
        reading = propose_reading(opened, config, profiles, reopen)
    if reading.changes:
        again = reopen(reading.config_of(config))
        texts = [name for name in reading.why if is_text(again.column(name).type)]
        reading = reading.without(texts) if texts else reading
        config = reading.config_of(config)
        opened = reopen(config) if texts else again
        profiles = profile(opened.engine, reporter.progress)
    profiles = [replace(one, read_as=opened.reasons.get(one.name, "")) for one in profiles]
    codes = codes_read_as_text(profiles) if is_csv(opened.files) else {}
    late = tuple(late_dates(opened, profiles))
    config = config.model_copy(update={"types": {**codes, **config.types}})
    return opened, config, replace(reading, warnings=(*reading.warnings, *late)), profiles


def _with_encoding(config: Config, opened: Source) -> Config:
    """The config with the encoding that was found, so that the next export is read like this one."""
    if opened.encoding is None:
        return config
    return config.model_copy(update={"csv": config.csv.model_copy(update={"encoding": opened.encoding})})


def _with_orders(opened: Source, profiles: list[ColumnProfile], entity: str | None) -> list[ColumnProfile]:
    """Profiles with the orders of enumerated types, and of texts that say theirs, whose values are all common.

    Labels of groups name their first and last value, so an order with a value that few hold would show it.
    """
    from anonduck.init.profile import rare_records
    from anonduck.init.scales import FEWEST_ORDERED, MOST_ORDERED

    scales = {one.name: one.texts.scale for one in profiles if one.texts is not None and one.texts.scale}
    declared = {name: tuple(values) for name, values in opened.orders.items()}
    orders = {
        one.name: order
        for one in profiles
        if (order := declared.get(one.name) or scales.get(one.name)) is not None
        and FEWEST_ORDERED <= len(order) <= MOST_ORDERED
        and one.distinct == len(order)
    }
    rare = rare_records(opened.engine, list(orders), k=DEFAULT_K, entity=entity)
    return [
        replace(one, order=orders[one.name]) if one.name in orders and not rare[one.name] else one for one in profiles
    ]


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
