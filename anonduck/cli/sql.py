"""The command sql: a release as a SQL script."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from anonduck.cli.options import config_option, requirements
from anonduck.cli.terminal import reporting, say


@click.command("sql")
@click.argument("rule")
@click.option("--dialect", default="duckdb", show_default=True, help="bigquery, snowflake, spark, postgres and others.")
@click.option("--table", metavar="NAME", help="The relation to read in place of the source.")
@click.option("--unmapped", type=click.Choice(["refuse", "root"]), help="Values that a nominal taxonomy does not know.")
@click.option(
    "--require", "required", multiple=True, metavar="NAME=N", help="As in release; labels depend on the k required."
)
@click.option("-o", "--output", metavar="FILE", help="Write the script to a file that only you can read.")
@click.option("--overwrite", is_flag=True, help="Replace an existing script.")
@config_option
def sql_command(
    path: str, rule: str, output: str | None, overwrite: bool, required: tuple[str, ...], **options: Any
) -> None:
    """Print the release of RULE as a standalone SQL script with its lookup tables."""
    from anonduck.private_file import write_private
    from anonduck.project import Project

    with reporting() as reporter, Project(path, reporter=reporter) as project:
        if output is not None:
            project.refuse_protected(output)
        text = project.sql(rule, requirement=requirements(required), **options)
    if output is None:
        click.echo(text, nl=False)
        return
    write_private(Path(output), text, overwrite=overwrite)
    say(f"wrote {output}; it holds values of the source: keep it as safe as the source", err=True)
