"""From a table to a config that nobody has read: what ``run FILE --class C`` does before it runs."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anonduck.cli.terminal import on_one_line, reporting, say
from anonduck.config.file_names import DATABASE_NAME, FILE_NAME, SCHEMA_NAME
from anonduck.config.requirement import DEFAULT_K
from anonduck.errors import AnonduckError, ConfigError, ReleaseError, TryAgainError

if TYPE_CHECKING:
    from anonduck.init.init import InitResult, Suggestion


@dataclass(frozen=True)
class Start:
    """The config that was written, the release that is to be made by it, and the files that came with it."""

    init: InitResult
    output: str
    written: tuple[Path, ...]

    @contextlib.contextmanager
    def taken_back(self) -> Iterator[None]:
        """Remove what was written if what runs inside cannot be asked for as it was (exit code 2), or now (6)."""
        try:
            yield
        except (AnonduckError, click.UsageError) as error:
            if error.exit_code in (ConfigError.exit_code, TryAgainError.exit_code):
                from anonduck.init.purge import purge

                purge(self.init.path)
                for path in self.written:
                    path.unlink(missing_ok=True)
            raise


def start(
    file: str | None,
    class_: str | None,
    output: str | None,
    config: str | None,
    *,
    replaces: bool,
    settings: Mapping[str, Any],
    csv: Sequence[str],
    missing_columns: str | None = None,
    entity: str | None,
    methods: Sequence[str] = (),
    show: Sequence[str] = (),
    k: int | None = None,
    where: str | None = None,
    **roles: Any,
) -> Start:
    """Propose a config for a table and write it beside the release, saying on stderr what it assumes.

    Args:
        file: the table; ``class_`` is the column that models will predict, if any.
        output: the release; by default one called after the table, in the current folder.
        config: where the config goes, if not beside the release.
        replaces: whether a release that stands there may be replaced.
        settings: keys of the config that say how rules are searched, measured and selected.
        csv: how a CSV file is written, as KEY=VALUE.
        missing_columns: what to do about a column that some files lack.
        entity: the column that identifies persons.
        methods: what is chosen among, if not what is usual.
        show: what classes may show, if not ranges alone.
        k: the required k, if not the usual one.
        where: which records of the table are used.
        roles: columns by their role.

    Raises click.UsageError for what is missing, and ConfigError where a person has to decide, and where a config is
    there already; nothing is written then.
    """
    from anonduck.config.reading import read_csv_options
    from anonduck.init.init import initialize
    from anonduck.init.unread import assumptions, refuse_unread
    from anonduck.opened_project import here, target_here

    if file is None:
        raise click.UsageError("name the table too, such as: anonduck run persons.csv --class COLUMN -o released.csv")
    output = output or _called_after(file)
    target = target_here(output)
    path = Path(config) if config is not None else _beside(target.path.parent, here())
    _refuse_taken(path, output)
    if target.path.exists() and target.kind != "table" and not replaces:
        raise ReleaseError(f"{target.path} exists; name another release, or replace it with `--overwrite`")
    files = [path.resolve().with_name(name) for name in (path.name, SCHEMA_NAME, ".gitignore")]
    new = tuple(file for file in files if not file.exists())
    lines: list[str] = []
    asked = DEFAULT_K if k is None else k

    def check(found: Suggestion) -> None:
        refuse_unread(found, asked)
        lines.extend([*assumptions(found, asked), *(f"warning: {line}" for line in found.warnings)])

    with reporting() as reporter, _taken_back(new):
        options = read_csv_options(csv)
        result = initialize(
            path,
            file,
            class_,
            here=here(),
            entity=entity,
            csv=options,
            missing_columns=missing_columns or "refuse",
            methods=methods or None,
            settings=settings,
            show=show,
            requirement=None if k is None else {"k": k},
            where=where,
            reporter=reporter,
            check=check,
            **roles,
        )
    say(f"proposed {path}, unread; it assumes:", err=True)
    for line in lines:
        say(on_one_line(f"  {line}"), err=True)
    return Start(result, output, new)


@contextlib.contextmanager
def _taken_back(files: Sequence[Path]) -> Iterator[None]:
    """Remove the files that some lines inside wrote where they fail, as on a full disk."""
    try:
        yield
    except AnonduckError:
        for file in files:
            file.unlink(missing_ok=True)
        raise


def _refuse_taken(path: Path, output: str) -> None:
    """Raise ConfigError where the config is there already, or a decision database, which would be used for it."""
    database = path.with_name(DATABASE_NAME)
    folder = "Or start in another folder: -o FOLDER/FILE"
    if path.exists():
        raise ConfigError(
            f"there is a config {path} already, which is left as it is. Run by it: anonduck run "
            f"{shlex.quote(str(path))} -o {shlex.quote(output)}. {folder}"
        )
    if database.exists():
        raise ConfigError(
            f"there is a decision database {database} already, with rules and taxonomies of other data. Remove it: "
            f"anonduck purge -p {shlex.quote(str(path))}. {folder}"
        )


def _called_after(file: str) -> str:
    """The release of a table in the current folder: ``visits-released.csv`` of ``exports/visits.csv``."""
    name = Path(file.rpartition("::")[2] if "::" in file else file).name
    stem = name.partition(".")[0].strip("*?[]") or "table"
    return f"{stem}-released{'.parquet' if '.parquet' in name or '.pq' in name else '.csv'}"


def _beside(folder: Path, current: Path) -> Path:
    """The config in a folder, by a path relative to the current folder where it is in there."""
    path = folder.resolve() / FILE_NAME
    return path.relative_to(current.resolve()) if path.is_relative_to(current.resolve()) else path
