"""The commands init, schema and purge: write a config, print what it may hold, remove what a project leaves behind."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from anonduck.cli.config_options import proposal_options, roles_options
from anonduck.cli.groups import SectionedCommand
from anonduck.cli.options import (
    config_option,
    json_option,
    overwrite_option,
)
from anonduck.cli.settings import option_of
from anonduck.cli.tables import print_table
from anonduck.cli.terminal import on_one_line, print_json, reporting, say
from anonduck.config.config import Publication
from anonduck.config.engine import EngineOptions


@click.command(
    "init",
    short_help="Profile a table and propose a config for it.",
    cls=SectionedCommand,
    sections={
        "Roles": ["class_", "identifiers", "entity", "drop", "sensitive", "insensitive", "quasi_identifiers"],
        "Release": ["k", "methods", "show", "recipient", "purpose"],
        "Input and output": ["where", "csv", "missing_columns", "kind", "path", "overwrite", "as_json"],
    },
)
@click.argument("source")
@option_of("class")
@roles_options
@proposal_options
@option_of("recipient", model=Publication, text="Who receives releases; asked for in a terminal.")
@option_of("purpose", model=Publication, text="What releases are for; asked for in a terminal.")
@option_of("kind", "--engine", model=EngineOptions)
@overwrite_option("an existing config")
@config_option
@json_option
def init_command(
    path: str,
    as_json: bool,
    source: str,
    class_: str | None,
    identifiers: tuple[str, ...],
    drop: tuple[str, ...],
    sensitive: tuple[str, ...],
    insensitive: tuple[str, ...],
    entity: str | None,
    quasi_identifiers: tuple[str, ...],
    csv: tuple[str, ...],
    missing_columns: str | None,
    methods: tuple[str, ...],
    show: tuple[str, ...],
    k: int | None,
    where: str | None,
    recipient: str | None,
    purpose: str | None,
    kind: str | None,
    overwrite: bool,
) -> None:
    """Profile a table and write a config that proposes roles.

    SOURCE is a CSV, Parquet or JSON Lines file, a glob of such files,
    FILE.duckdb::TABLE, delta:FOLDER or iceberg:CATALOG::SCHEMA.TABLE; with
    --engine, table:schema.table or Parquet files. The config, anonduck.yml, also
    proposes how to generalize each column; read and edit it before you go on.
    """
    from anonduck.config.reading import read_csv_options
    from anonduck.init.init import initialize
    from anonduck.opened_project import here

    recipient, purpose = _asked("Who receives releases", recipient), _asked("What are releases for", purpose)
    publication = {name: text for name, text in (("recipient", recipient), ("purpose", purpose)) if text}
    with reporting() as reporter:
        result = initialize(
            Path(path),
            source,
            class_,
            here=here(),
            identifiers=identifiers,
            sensitive=sensitive,
            insensitive=insensitive,
            drop=drop,
            quasi_identifiers=quasi_identifiers,
            entity=entity,
            csv=read_csv_options(csv),
            missing_columns=missing_columns or "refuse",
            engine=None if kind is None else {"kind": kind},
            methods=methods or None,
            show=show,
            publication=publication,
            requirement=None if k is None else {"k": k},
            where=where,
            overwrite=overwrite,
            reporter=reporter,
        )
    if as_json:
        print_json(result.as_json())
        return
    print_table(
        ["column", "type", "distinct", "NULL", "role", "why"],
        [
            [c["name"], c["type"], f"{c['distinct']:,}", f"{c['nulls']:,}", c["role"], c["reason"]]
            for c in result.columns
        ],
        right=["distinct", "NULL"],
        wraps="why",
        give_way=["NULL", "type", "distinct"],
    )
    if any(column["estimated"] for column in result.columns):
        say("\nthe numbers of distinct values are estimates of the engine; the rest is from 100,000 sampled records")
    if result.entity is not None:
        say("")
        for line in result.entity.lines:
            say(on_one_line(line))
    if result.advice is not None and result.advice.wide:
        say("")
        for line in result.advice.lines:
            say(on_one_line(line))
        say("to leave a column out of every release, give it as --drop COLUMN")
    for warning in result.warnings:
        say(on_one_line(f"warning: {warning}"), err=True)
    if class_ is None:
        say("no class is named, and so nothing is predicted: releases are chosen by detail; name one as --class COLUMN")
    of = "" if path == "anonduck.yml" else f" -p {shlex.quote(path)}"
    if any(column["role"] == "quasi_identifiers" for column in result.columns):
        say(f"\nwrote {path}; read and edit it, then run: anonduck discover{of}")
    else:
        say(f"\nwrote {path}; no column is left to generalize, so name one under `quasi_identifiers` before `discover`")


def _asked(question: str, given: str | None) -> str | None:
    """What a person in a terminal answers, if it is not given; an empty answer leaves it out."""
    if given is not None or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return given
    answer: str = click.prompt(f"{question}? (Enter to decide later)", default="", show_default=False, err=True)
    return answer.strip() or None


@click.command("schema")
def schema_command() -> None:
    """Print the JSON schema of anonduck.yml, for editors."""
    from anonduck.config.config import json_schema

    print_json(json_schema())


@click.command("purge", short_help="Delete the decision database and its spill files.")
@config_option
@json_option
def purge_command(path: str, as_json: bool) -> None:
    """Delete the decision database with its log and spill files.

    The config and releases are kept.
    """
    from anonduck.init.purge import purge

    removed = [str(file) for file in purge(Path(path))]
    if as_json:
        print_json({"removed": removed})
        return
    say("removed " + ", ".join(removed) if removed else "nothing to remove")
