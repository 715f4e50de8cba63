"""The command init: profile an export and write its config."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from anonduck.cli.options import config_option, json_option
from anonduck.cli.sections import SectionedCommand
from anonduck.cli.tables import print_table
from anonduck.cli.terminal import on_one_line, print_json, say, tracer


@click.command(
    "init",
    short_help="Profile a table and propose a config for it.",
    cls=SectionedCommand,
    sections={
        "Roles": ["class_", "identifiers", "entity", "drop", "sensitive", "insensitive", "quasi_identifiers"],
        "Input and output": ["csv", "kind", "path", "overwrite", "as_json"],
    },
)
@click.argument("source")
@click.option("--class", "class_", required=True, metavar="COLUMN", help="Column that models will predict.")
@click.option(
    "--identifier",
    "identifiers",
    multiple=True,
    metavar="COLUMN",
    help="Column to leave out of every release. Repeatable.",
)
@click.option(
    "--drop", multiple=True, metavar="COLUMN", help="Column to leave aside, such as a duplicate of another. Repeatable."
)
@click.option(
    "--sensitive", multiple=True, metavar="COLUMN", help="Column to keep whose values nobody should infer. Repeatable."
)
@click.option("--insensitive", multiple=True, metavar="COLUMN", help="Column to keep as it is. Repeatable.")
@click.option("--entity", metavar="COLUMN", help="Key of a person, who may have several records; k counts persons.")
@click.option(
    "-q",
    "--quasi-identifier",
    "quasi_identifiers",
    multiple=True,
    metavar="COLUMN",
    help="Column to generalize, whatever its name and values suggest. Repeatable.",
)
@click.option(
    "--csv",
    multiple=True,
    metavar="KEY=VALUE",
    help="How a CSV file is written, such as encoding=latin-1, delim=';' or nullstr=NA. Repeatable.",
)
@click.option(
    "--engine",
    "kind",
    metavar="KIND",
    help="Engine that holds the source, such as spark; SOURCE is then table:schema.table or Parquet files.",
)
@click.option("--overwrite", is_flag=True, help="Replace an existing config.")
@config_option
@json_option
def init_command(
    path: str, as_json: bool, overwrite: bool, csv: tuple[str, ...], kind: str | None, **asked: Any
) -> None:
    """Profile a table and write a config that proposes roles.

    SOURCE is a CSV, Parquet or JSON Lines file, a glob of such files,
    FILE.duckdb::TABLE, delta:FOLDER or iceberg:CATALOG::SCHEMA.TABLE; with
    --engine, table:schema.table or Parquet files. The config, anonduck.yml, also
    proposes how to generalize each column; read and edit it before you go on.
    """
    from anonduck.config.reading import read_csv_options
    from anonduck.current_folder import here
    from anonduck.init.init import initialize

    told = read_csv_options(csv)
    engine = None if kind is None else {"kind": kind}
    result = initialize(Path(path), here=here(), csv=told, engine=engine, overwrite=overwrite, tracer=tracer(), **asked)
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
    if not any(column["role"] == "quasi_identifiers" for column in result.columns):
        say("\nno column is left to generalize, and so nothing to discover; name one as --quasi-identifier COLUMN")
    say(
        f"\nwrote {path}; read and edit it, then run: anonduck discover"
        + ("" if path == "anonduck.yml" else f" -p {shlex.quote(path)}")
    )
