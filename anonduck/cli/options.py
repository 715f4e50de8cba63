"""Options that several commands take, each declared once, and how their texts are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from anonduck.cli.completion import columns, config_path
from anonduck.cli.terminal import ONE_LINE, tracer
from anonduck.config.file_names import FILE_NAME
from anonduck.errors import AnonduckError

if TYPE_CHECKING:
    from anonduck.config.file_roles import FileRoles

F = TypeVar("F", bound=Callable[..., Any])
Value = TypeVar("Value")


def config_option(command: F) -> F:
    """``-p PATH``: the config, named after the command or before it."""

    def chosen(context: click.Context, _: click.Parameter, value: str | None) -> str:
        return config_path(value or context.find_root().params.get("path") or FILE_NAME)

    option = click.option(
        "-p",
        "--project",
        "path",
        metavar="PATH",
        callback=chosen,
        help=f"Config file, or its folder.  [default: {FILE_NAME}]",
    )
    return option(command)


def json_option(command: F) -> F:
    """``--json``: one JSON document on stdout, nothing else there; ``--json-line`` writes it on one line."""

    def line(context: click.Context, _: click.Parameter, value: bool) -> None:
        context.meta[ONE_LINE] = value

    def asked(context: click.Context, _: click.Parameter, value: bool) -> bool:
        return value or bool(context.meta.get(ONE_LINE))

    in_line = click.option(
        "--json-line",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=line,
        help="Print the result as JSON on one line.",
    )
    return click.option("--json", "as_json", is_flag=True, callback=asked, help="Print the result as JSON.")(
        in_line(command)
    )


show_values_option = click.option("--show-values", is_flag=True, help="Show source values in messages.")
dry_run_option = click.option("--dry-run", is_flag=True, help="Measure the release without writing it.")
measures_option = click.option("--measures", is_flag=True, help="Print the config's utility measures of the release.")
keep_roots_option = click.option(
    "--keep-roots", is_flag=True, help="Keep columns that the rule leaves out, filled with their root label."
)
source_option = click.option(
    "--source", metavar="FILE", help="Source in place of the config's: a file, a glob or FILE.duckdb::TABLE."
)
delim_option = click.option("--delim", metavar="TEXT", help="Separator of a CSV file.  [default: detected]")


release_option = click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Release to write: .parquet, .csv, FILE.duckdb::TABLE or delta:FOLDER, a Delta table; where an engine "
    "reads the source, spark:TABLE or a folder, NAME.parquet/.",
)


def overwrite_option(what: str = "an existing file") -> Callable[[F], F]:
    """``--overwrite``: what is there may be replaced."""
    return click.option("--overwrite", is_flag=True, help=f"Replace {what}.")


def columns_option(*flags: str, text: str, multiple: bool = True) -> Callable[[F], F]:
    """An option that names a column of a file, or several."""
    return click.option(*flags, multiple=multiple, metavar="COLUMN", shell_complete=columns, help=text)


def require_option(text: str, read: Callable[[Sequence[str]], Mapping[str, Any]] | None = None) -> Callable[[F], F]:
    """``--require k=5``: requirements by name; a text that is none ends in a click.UsageError, or in what ``read``
    raises."""
    return click.option(
        "--require",
        "required",
        multiple=True,
        metavar="NAME=N",
        callback=lambda _context, _option, texts: (read or requirements)(texts),
        help=text,
    )


override_option = require_option("Override a requirement of the config, such as k=3 or l=2. Repeatable.")
labels_require_option = require_option(
    "Override a requirement, as in release; labels depend on the required k. Repeatable."
)


def requirements(texts: Sequence[str]) -> dict[str, Any]:
    """Read ``--require k=5``; raises click.UsageError."""
    try:
        return audited_requirements(texts)
    except AnonduckError:
        raise click.UsageError(
            f"--require takes NAME=NUMBER, such as k=5, t=0.2 or recursive_l=3,2; got {' and '.join(map(repr, texts))}"
        ) from None


def audited_requirements(texts: Sequence[str]) -> dict[str, Any]:
    """The same for an audit; raises AuditError, which names the requirements that there are."""
    from anonduck.privacy.requirement import read_requirement

    return once((read_requirement(text) for text in texts), "--require")


def once(pairs: Iterable[tuple[str, Value]], option: str) -> dict[str, Value]:
    """Pairs of a name and a value that an option gives; raises click.UsageError for a name that is given twice."""
    found: dict[str, Value] = {}
    for name, value in pairs:
        if name in found:
            raise click.UsageError(f"{option} names {name!r} twice; name it once")
        found[name] = value
    return found


def taxonomies_option(text: str) -> Callable[[F], F]:
    """``--taxonomy COLUMN=FILE``: files of taxonomies by column."""
    return click.option(
        "--taxonomy",
        "taxonomies",
        multiple=True,
        metavar="COLUMN=FILE",
        callback=lambda _context, _option, texts: read_pairs(texts, "--taxonomy", "COLUMN=FILE", "diagnosis=icd.csv"),
        help=text,
    )


def read_pairs(texts: Sequence[str], option: str, form: str, example: str) -> dict[str, str]:
    """Read texts such as COLUMN=FILE, each name once; raises click.UsageError."""
    found: dict[str, str] = {}
    for text in texts:
        name, _, value = text.partition("=")
        if not name or not value or name in found:
            raise click.UsageError(f"{option} takes {form}, each name once, such as {example}; got {text!r}")
        found[name] = value
    return found


def roles_by_config(
    config: str, release: str, delim: str | None, given: Mapping[str, Any], engine: str | None = None
) -> FileRoles:
    """Read the roles of a release's columns from a config; given roles win. Of the release only the names are read."""
    from contextlib import nullcontext
    from pathlib import Path

    from anonduck.config.file_roles import roles_of_file
    from anonduck.database.connection import Database
    from anonduck.privacy.audited_engine import engine_table
    from anonduck.privacy.composition import columns_of

    database = Database(tracer=tracer())
    try:
        with nullcontext(release) if engine is None else engine_table(release, engine) as opened:
            columns = columns_of(database, opened, delim)
    finally:
        database.close()
    return roles_of_file(Path(config), columns, given)
