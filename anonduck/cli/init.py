"""The command init: profile an export and write its config."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from anonduck.cli.options import config_option, json_option
from anonduck.cli.tables import print_table
from anonduck.cli.terminal import on_one_line, print_json, say, tracer


@click.command("init", short_help="Profile a table and propose a config for it.")
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
    "--sensitive", multiple=True, metavar="COLUMN", help="Column to keep whose values nobody should infer. Repeatable."
)
@click.option("--insensitive", multiple=True, metavar="COLUMN", help="Column to keep as it is. Repeatable.")
@click.option("--overwrite", is_flag=True, help="Replace an existing config.")
@config_option
@json_option
def init_command(path: str, as_json: bool, overwrite: bool, **asked: Any) -> None:
    """Profile a table and write a config that proposes roles.

    SOURCE is a CSV, Parquet or JSON Lines file, a glob of such files, or
    FILE.duckdb::TABLE. The config, anonduck.yml, also proposes how to generalize each
    column; read and edit it before you go on.
    """
    from anonduck.current_folder import here
    from anonduck.init.init import initialize

    result = initialize(Path(path), here=here(), overwrite=overwrite, tracer=tracer(), **asked)
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
    )
    if result.advice is not None and result.advice.wide:
        say("")
        for line in result.advice.lines:
            say(on_one_line(line))
        say("to leave a column out of every release, give it as --identifier COLUMN")
    say(
        f"\nwrote {path}; read and edit it, then run: anonduck discover"
        + ("" if path == "anonduck.yml" else f" -p {path}")
    )
