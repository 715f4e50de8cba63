"""What a caller opens: a project over its workspace, and the paths of its methods, relative to the current folder.

This is the one place of the library that asks for the current folder, as it is at each call. What jobs get is absolute,
or a file that they open under the name that it was given by, which their messages then show.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from inspect import CO_VARKEYWORDS
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack, cast

from anonduck.config.addresses import is_of_engine
from anonduck.config.changes import Settings
from anonduck.config.file_text import ARGUMENTS
from anonduck.database.connection import Database
from anonduck.database.lake_tables import is_lake_table, with_path
from anonduck.database.progress import Reporter
from anonduck.errors import AnonduckError, ConfigError
from anonduck.taxonomy.catalog import Taxonomy
from anonduck.words import did_you_mean, html_table, summary_line
from anonduck.workspace import Workspace

if TYPE_CHECKING:
    from anonduck.config.config import Config
    from anonduck.config.taxonomy import TaxonomyOptions
    from anonduck.init.advice import Advice
    from anonduck.init.identifying import IdentifyingColumns
    from anonduck.models.usefulness import Usefulness
    from anonduck.release.target import ReleaseTarget
    from anonduck.source.source import Roles, Source
    from anonduck.taxonomy.checks.checks import TaxonomyFinding
    from anonduck.taxonomy.view import TaxonomyView

Job = TypeVar("Job", bound=Callable[..., Any])
Front = TypeVar("Front", bound="type[OpenedProject]")


def one_at_a_time(job: Job) -> Job:
    """The method, which works on its decision database alone: another project on the same file waits for its end."""

    @functools.wraps(job)
    def exclusive(self: OpenedProject, /, *args: Any, **kwargs: Any) -> Any:
        _refuse_unknown(job, kwargs)
        with self.workspace.exclusive():
            return job(self, *args, **kwargs)

    return cast(Job, exclusive)


def _refuse_unknown(job: Callable[..., Any], given: Iterable[str]) -> None:
    """Raise TypeError for an argument that a method does not have, as Python does, and ask which was meant."""
    code = getattr(job, "__code__", None)
    if code is None or code.co_flags & CO_VARKEYWORDS:
        return
    known = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
    for name in given:
        if name not in known and (meant := did_you_mean(name, known)):
            raise TypeError(f"{job.__qualname__}() got an unexpected keyword argument {name!r}{meant}")


def jobs_one_at_a_time(*others: str) -> Callable[[Front], Front]:
    """Run each public method and read-only property of a class alone on its decision database, but the ``others``."""

    def wrapped(front: Front) -> Front:
        for name, job in list(vars(front).items()):
            if name.startswith("_") or name in others:
                continue
            if isinstance(job, FunctionType):
                setattr(front, name, one_at_a_time(job))
            elif isinstance(job, property) and job.fget is not None and job.fset is None:
                setattr(front, name, property(one_at_a_time(job.fget), doc=job.__doc__))
        return front

    return wrapped


@jobs_one_at_a_time("close", "config_path", "folder", "reading")
class OpenedProject:
    """What a decision stands on: config, source, roles and taxonomies, each opened at first use."""

    def __init__(
        self,
        config: str | Path | None = None,
        *,
        source: Any = None,
        class_: str | None = None,
        connection: Any = None,
        engine: Any = None,
        database: str | Path | None = None,
        reporter: Reporter = Reporter(),
        tracer: Callable[[str], None] | None = None,
        **settings: Unpack[Settings],
    ) -> None:
        if tracer is not None:
            reporter = replace(reporter, trace=tracer)
        if config is None:
            keys: Mapping[str, Any] = settings if class_ is None else {"class": class_, **settings}
            self.workspace = Workspace.of_settings(
                keys, here(), source=source, database=database, connection=connection, engine=engine, reporter=reporter
            )
        elif class_ is None and not settings:
            if isinstance(source, (str, Path)):
                source = export_here(source)
            self.workspace = Workspace.of_file(
                Path(config), source=source, database=database, connection=connection, engine=engine, reporter=reporter
            )
        else:
            raise ConfigError(
                "give a project a config file or settings as arguments, not both; beside a config file, `source` alone "
                "takes the place of what it says"
            )

    def __repr__(self) -> str:
        """The source, class and k on one line, without opening the source."""
        source = self.config.source or "a table in memory"
        predicted = "no class" if self.config.class_ is None else f"class {self.config.class_}"
        return summary_line("Project", [source, predicted, f"k {self.config.requirement.k:,}"])

    def _repr_html_(self) -> str:
        """The same as a table, with the requirement and the columns that the config names."""
        config = self.config
        required = {**config.requirement.asked, "suppression": config.requirement.suppression}
        shown: dict[str, object] = {"required": ", ".join(f"{name} {value}" for name, value in required.items())}
        shown |= {name: ", ".join(columns) for name, columns in config.named_roles().items() if columns}
        return html_table(repr(self), [{"": name.replace("_", " "), "config": value} for name, value in shown.items()])

    @property
    def config(self) -> Config:
        """The config as it is written; another one may be set, whose columns have the same roles."""
        return self.workspace.written

    @config.setter
    def config(self, config: Config) -> None:
        kept = self.workspace.written.policy
        if kept is not None and config.policy != kept:
            raise ConfigError(
                f"the project stands under the policy {kept}, and the config names "
                f"{config.policy or 'none'}; keep `policy: {kept}`"
            )
        from anonduck.config.policy import policy_of

        policy_of(config, self.folder, ARGUMENTS)
        self.workspace = self.workspace.with_config(config)

    @property
    def reporter(self) -> Reporter:
        """Receives warnings and progress; may be set."""
        return self.workspace.reporter

    @reporter.setter
    def reporter(self, reporter: Reporter) -> None:
        self.workspace = self.workspace.with_reporter(reporter)

    @property
    def config_path(self) -> Path | None:
        """The config file, if the project was read from one."""
        return self.workspace.config_path

    @property
    def folder(self) -> Path:
        """What paths in the config are relative to."""
        return self.workspace.folder

    @property
    def database(self) -> Database:
        """The decision database, opened at first use."""
        return self.workspace.database

    @property
    def opened(self) -> tuple[Source, Roles]:
        """The source as the view ``source`` of the decision database, and the role of each column."""
        return self.workspace.opened

    @property
    def source(self) -> Source:
        """The open source."""
        return self.workspace.source

    @property
    def roles(self) -> Roles:
        """The role of each column."""
        return self.workspace.roles

    @property
    def taxonomies(self) -> dict[str, Taxonomy]:
        """The taxonomies of the decision database, by column."""
        return self.workspace.taxonomies

    @contextlib.contextmanager
    def reading(self, source: str | Path | None) -> Iterator[tuple[Source, Roles]]:
        """The project's source and roles, or those of another export in its place for as long as the block lasts."""
        before = self.workspace.export
        self.workspace = self.workspace.with_export(export_here(source) or before)
        try:
            yield self.opened
        finally:
            self.workspace = self.workspace.with_export(before)

    def refuse_protected(self, *paths: str | Path, kind: type[AnonduckError] = ConfigError) -> None:
        """Raise an error of that kind if something would overwrite a file that the project depends on."""
        self.workspace.refuse_protected(*map(Path, paths), kind=kind)

    def close(self) -> None:
        """Close the decision database."""
        self.workspace.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- taxonomies and columns ----------------------------------------------------------------------------------------

    def build_taxonomies(
        self,
        columns: Sequence[str] | None = None,
        *,
        replace: bool = False,
        options: TaxonomyOptions | None = None,
    ) -> dict[str, Taxonomy]:
        """Build the taxonomies of quasi-identifiers (all by default) as the config says.

        ``options`` name the builder of columns that the config has no taxonomy for; later calls keep to them.
        """
        from anonduck.frequency import taxonomies

        return taxonomies.build(self.workspace, columns, replace=replace, options=options)

    def import_taxonomies(
        self,
        path: Path,
        *,
        format_: str = "plain",
        column: str | None = None,
        mapping: Mapping[str, str] | None = None,
        sep: str | None = None,
        header: bool | None = None,
        encoding: str = "utf-8",
        show_values: bool = False,
    ) -> dict[str, Taxonomy]:
        """Import a hierarchy file for one column, or with ``format_="blocks"`` a file of several blocks."""
        from anonduck.frequency import taxonomies

        return taxonomies.import_file(
            self.workspace,
            path,
            format_=format_,
            column=column,
            mapping=mapping,
            sep=sep,
            header=header,
            encoding=encoding,
            show_values=show_values,
        )

    def check_taxonomies(
        self, columns: Sequence[str] | None = None, *, show_values: bool = False
    ) -> list[TaxonomyFinding]:
        """Check taxonomies against the source; an empty list is a pass."""
        from anonduck.frequency import taxonomies

        return taxonomies.check(self.workspace, columns, show_values=show_values)

    def show_taxonomy(self, column: str, *, level: int | None = None, show_values: bool = False) -> TaxonomyView:
        """The taxonomy of a column with the records under each node."""
        from anonduck.frequency import taxonomies

        return taxonomies.show(self.workspace, column, level=level, show_values=show_values)

    def advise(self) -> Advice | None:
        """Say which quasi-identifiers are redundant, which single records out, and what leaving some out gains.

        Measured on a sample of up to 100,000 records of the source, for the k that the config requires; None where
        there is no record. ``print(*advice.lines, sep="\n")`` prints it.
        """
        from anonduck.init.advice import advise

        engine = self.workspace.source.engine
        return advise(engine, self.workspace.roles.quasi_identifiers, k=self.workspace.config.requirement.k)

    def identifying_columns(self, *, share: float = 0.99) -> IdentifyingColumns | None:
        """Measure how far each column singles records out, and find the smallest sets that single out a share of them.

        Looks at a sample of up to 100,000 records, and at the columns that the config names neither as identifiers nor
        as sensitive nor as the class; None where there is no record. Raises ConfigError for a share that is none.
        """
        from anonduck.init.identifying import identifying_columns

        source, roles = self.workspace.opened
        insensitive = [name for name in roles.insensitive if not source.column(name).nested]
        return identifying_columns(source.engine, [*roles.quasi_identifiers, *insensitive], share=share)

    def usefulness(self) -> Usefulness:
        """How useful each quasi-identifier is for telling the class, by the readings of the method ``flexible``.

        ``as_json()`` has both readings. Raises ConfigError, SourceError and TaxonomyError.
        """
        from anonduck.release.coded_release import source_usefulness

        return source_usefulness(self.workspace)


def here() -> Path:
    """The current folder."""
    return Path.cwd()


def target_here(path: str | Path, documents: Path | None = None) -> ReleaseTarget:
    """Where a release goes; raises ReleaseError if nothing can go there.

    With a folder for its documents, it may be a table or a folder that an engine writes.
    """
    from anonduck.release.delta_target import named_target

    return named_target(path, here(), documents)


def export_here(source: str | Path | None) -> str | None:
    """Another export by its absolute path, with the name of its table if it has one; what an engine names, as it is."""
    if source is None or is_of_engine(str(source)):
        return None if source is None else str(source)
    if is_lake_table(str(source)):
        return with_path(str(source), lambda path: str(here() / path))
    return str(here() / source)
