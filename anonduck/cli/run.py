"""The commands run and lock: all of it by the config, for ETL, and what is released by from now on."""

from __future__ import annotations

import contextlib
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from anonduck.cli.candidate_tables import print_next_best
from anonduck.cli.completion import config_path
from anonduck.cli.config_options import proposal_options, roles_options
from anonduck.cli.figures import reached, requirement
from anonduck.cli.groups import SectionedCommand
from anonduck.cli.options import (
    config_option,
    json_option,
    keep_roots_option,
    measures_option,
    release_option,
    source_option,
)
from anonduck.cli.release_text import measures_of, print_release
from anonduck.cli.rule_tables import print_expected, print_persons
from anonduck.cli.settings import option_of, settings_options
from anonduck.cli.start import start
from anonduck.cli.terminal import on_one_line, opened, print_json, say
from anonduck.config.changes import Changes
from anonduck.config.file_names import FILE_NAME
from anonduck.config.selection import AUTO, Selection

if TYPE_CHECKING:
    from anonduck.run import Run


@click.command(
    "run",
    short_help="Run it all: discover, select, release, audit.",
    cls=SectionedCommand,
    sections={
        "Release": [
            "output",
            "source",
            "if_exists",
            "overwrite",
            "select",
            "within",
            "reselect",
            "locked",
            "keep_roots",
            "no_report",
        ],
        "Discovery": [
            "search",
            "coverage",
            "sample",
            "models",
            "budget",
            "time_limit",
            "max_rfds",
            "max_rules",
        ],
        "A table without a config": [
            "class_",
            "k",
            "where",
            "methods",
            "show",
            "identifiers",
            "entity",
            "drop",
            "sensitive",
            "insensitive",
            "quasi_identifiers",
            "csv",
            "missing_columns",
        ],
        "Output": ["measures", "as_json", "json_line"],
    },
)
@click.argument("file", required=False)
@release_option
@source_option
@click.option(
    "--if-exists",
    type=click.Choice(["fail", "overwrite", "skip"]),
    help="What to do with an existing release; skip ends with 0 if it is of the same records and config.  "
    "[default: fail]",
)
@click.option("--overwrite", is_flag=True, help="Replace an existing release, as --if-exists overwrite does.")
@option_of("within", model=Selection)
@click.option("--reselect", is_flag=True, help="Select a rule again, even if the last one still meets the requirement.")
@click.option("--locked", is_flag=True, help="Release by anonduck.lock.yml alone; refuse if anything in it changed.")
@keep_roots_option
@click.option("--no-report", is_flag=True, help="Do not write a decision report next to the release.")
@measures_option
@option_of("class", text="Column that models will predict; FILE is then a table, and a config is proposed for it.")
@proposal_options
@roles_options
@settings_options("select", "search", "coverage", "sample", "models", "budget", "time_limit", "max_rfds", "max_rules")
@config_option
@json_option
def run_command(
    path: str,
    as_json: bool,
    file: str | None,
    output: str | None,
    source: str | None,
    if_exists: str | None,
    overwrite: bool,
    within: float | str | None,
    reselect: bool,
    locked: bool,
    keep_roots: bool,
    no_report: bool,
    measures: bool,
    class_: str | None,
    changes: Changes,
    **roles: Any,
) -> None:
    """Run everything unattended: discover, select, release, audit.

    For nightly jobs: does what the config says, and discovers rules only if needed. FILE
    is a config, in place of -p, or a table: a config is then proposed as init
    does, written beside the release, and run; what a person has to decide is refused.
    Exits with 3 if no rule can meet the requirement, with 5 if the time was up first, and
    with 6 if it may work later.
    """
    started = None
    context = click.get_current_context()
    if class_ is not None or any(roles.values()) or not (file is None or _is_config(file)):
        if source is not None:
            raise click.UsageError(
                "--source takes the place of a config's source, and FILE is a table without a config; give one of them"
            )
        named = path if _names_config(context) else None
        settings = _with_selection(changes, within, AUTO)
        replaces = overwrite or if_exists == "overwrite"
        started = start(file, class_, output, named, replaces=replaces, settings=settings, **roles)
        path, output, changes, within = str(started.init.path), started.output, {}, None  # the config has them now
    elif file is not None:
        if _names_config(context):
            raise click.UsageError(f"{file} and -p both name a config; give one of them")
        path = config_path(file)
    if output is None:
        raise click.UsageError(
            f"name the release to write, such as: anonduck run -p {shlex.quote(path)} -o released.csv"
        )
    kept = contextlib.nullcontext() if started is None else started.taken_back()
    with kept, opened(path, source) as project:
        if within is not None:
            changes = _with_selection(changes, within, project.config.weighed_by)
        done = project.run(
            output,
            overwrite=overwrite,
            if_exists=if_exists,
            reselect=reselect,
            report=not no_report,
            keep_roots=keep_roots,
            locked=locked,
            **changes,
        )
    if as_json:
        begun = {} if started is None else {"config": path, "assumed": list(started.init.columns)}
        print_json(done.as_json() | begun)
        return
    if done.release.skipped:
        say(f"{done.release.target}: {done.reason}")
        return
    if done.left_out:
        say(on_one_line(done.left_out))
    say(f"{_chosen(done)}: {done.reason}")
    print_expected(done.expected, done.weighed_by)
    print_next_best(done.candidate, done.next_best, done.weighed_by)
    print_release(done.release, measures_of(done.release, done.rule) if measures else None)
    if done.report:
        say(f"report: {done.report}")
    if started is not None:
        again = _again(path, output, keep_roots=keep_roots, no_report=no_report)
        say(f"config: {path}; read and edit it, then run again: {again}")


def _with_selection(changes: Changes, within: float | str | None, measure: str) -> Changes:
    """The settings with the selection of ``--within``, by the ``measure`` where none is given."""
    if within is None:
        return changes
    return {**changes, "select": {"measure": str(changes.get("select") or measure), "within": within}}


def _chosen(done: Run) -> str:
    """What a run released by, as `frontier` lists it."""
    if done.rule is not None:
        return done.rule.id
    if done.levels:
        return "the rule"
    if done.candidate is not None:
        return f"{done.candidate.id} {done.candidate.words}"
    return str(done.release.owner["method"]["name"])


def _is_config(file: str) -> bool:
    return Path(file).suffix.lower() in (".yml", ".yaml") or Path(file, FILE_NAME).is_file()


def _names_config(context: click.Context) -> bool:
    """Whether a config is named, behind the command or before it."""
    given = context.get_parameter_source("path") is not ParameterSource.DEFAULT
    return given or bool(context.find_root().params.get("path"))


def _again(path: str, output: str, **flags: bool) -> str:
    given = [f"--{name.replace('_', '-')}" for name, value in flags.items() if value]
    return " ".join(["anonduck run", shlex.quote(path), "-o", shlex.quote(output), "--overwrite", "--reselect", *given])


@click.command("lock")
@click.argument("rule", required=False)
@click.option("--check", is_flag=True, help="Check the present lock against the source; write nothing.")
@source_option
@config_option
@json_option
def lock_command(path: str, as_json: bool, rule: str | None, check: bool, source: str | None) -> None:
    """Lock RULE, or a method, in anonduck.lock.yml.

    RULE is an id (R12), a literal (age=3) or the name of a method; without it, what run
    releases by is locked. Keep the file in git: run --locked applies exactly what it holds,
    and refuses if the source misses the requirement or has values that are not in it.
    """
    with opened(path, source) as project:
        done = project.lock(rule, check=check)
    if as_json:
        print_json(done.as_json())
        return
    made = done.release
    say(f"{'checked' if check else 'locked'} {done.lock.text} in {done.path}")
    say(f"it releases {made.rows:,} records in {made.classes:,} equivalence classes, k = {made.k:,}")
    for line in made.owner["requirements"]:
        whose = " by the values of the policy" if line.get("by_policy") else ""
        say(f"{requirement(line)}{whose}: met ({reached(line['reached'])})")
    print_persons(made.owner)
    if done.doubt and not check:
        say(done.doubt, err=True)
    if done.built:
        say(
            f"built from the records, so known to this decision database alone: the taxonomies of "
            f"{', '.join(done.built)}. For runs elsewhere, export them and name the files in the config",
            err=True,
        )
